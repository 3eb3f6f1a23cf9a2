"""Generating polynomials: the recurrence of rows against plain products, and size guards."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from flint import fmpz_mpoly_ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import (
    FinitePmf,
    HistogramPolynomial,
    histogram_count,
    multinomial,
    polynomials,
    scale_rows,
)
from exactdp.distributions.polynomials import PowerProduct, recurrence_terms
from exactdp.errors import TooLargeError
from exactdp.numbers import Exact
from exactdp.testing import probability_vectors

law = settings(max_examples=150)

RING = fmpz_mpoly_ctx.get(("u", "w", "v"), "lex")
U, W, V = RING.gens()
ONE = RING.constant(1)

linear_forms = st.one_of(
    st.tuples(*[st.integers(-2, 3)] * 4),
    st.tuples(st.just(0), st.just(0), st.just(0), st.integers(-2, 3)),
)


# --- rows of products of powers ---------------------------------------------------


@law
@given(st.lists(st.tuples(linear_forms, st.integers(1, 5)), max_size=4))
def test_rows_are_the_coefficients_of_the_plain_product(factors):
    """Negative, zero and equal coefficients; forms of v alone, without v, and equal forms."""
    factors = [((a, b, c, d), m) for (a, b, c, d), m in factors if any((a, b, c, d))]
    forms = [(a * U + b * W + c * ONE, d * ONE) for (a, b, c, d), _ in factors]
    powers = [m for _, m in factors]
    rows = list(PowerProduct(RING, forms, powers))
    plain = ONE
    for (rest, last), m in zip(forms, powers, strict=True):
        plain *= (rest + last * V) ** m
    again = RING.constant(0)
    for j, row in enumerate(rows):
        assert all(exponents[2] == 0 for exponents in row.to_dict())
        again += row * V**j
    assert again == plain
    assert rows[-1] != 0


def test_rows_can_be_asked_for_again():
    rows = PowerProduct(RING, [(U, 2 * ONE), (ONE, ONE)], [3, 2])
    assert list(rows) == list(rows)
    first, second = iter(rows), iter(rows)
    next(first)
    assert next(first) == [next(second), next(second)][1]


def test_the_length_of_the_recurrence_is_that_of_its_polynomials():
    # d forms in u, w and 1: polynomials of degree d - 1 in u, w, v, and of degree d in u, w.
    for forms in range(1, 6):
        monomials = [e for e in product(range(forms + 1), repeat=3) if sum(e) < forms]
        divisor = [e for e in product(range(forms + 1), repeat=2) if sum(e) <= forms]
        assert recurrence_terms(forms, 3) == len(monomials) + len(divisor)


# --- histograms -------------------------------------------------------------------


@st.composite
def users(draw):
    """Rows of rational masses on k classes, and how many users have each."""
    k = draw(st.integers(1, 4))
    row = probability_vectors(size=k, max_weight=4)
    rows = draw(st.lists(row, min_size=1, max_size=3))
    return k, rows, draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))


def plain_law(k, rows, counts, last):
    """The law of the histogram, message by message, in Python's own fractions."""
    masses = {(0,) * k: Fraction(1)}
    everybody = [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]
    for row in [*everybody, last]:
        longer = {}
        for h, mass in masses.items():
            for y, weight in enumerate(row):
                if weight:
                    moved = (*h[:y], h[y] + 1, *h[y + 1 :])
                    longer[moved] = longer.get(moved, 0) + mass * weight
        masses = longer
    return masses


@pytest.mark.parametrize("has_rows", [True, False])
@law
@given(drawn=users())
def test_histograms_message_by_message(has_rows, drawn):
    k, rows, counts = drawn
    forms = scale_rows([[Exact(m) for m in row] for row in rows])
    with pytest.MonkeyPatch.context() as patch:
        if not has_rows:
            patch.setattr(polynomials, "_MAX_RECURRENCE_TERMS", 0)
        law_of_others = HistogramPolynomial(forms, counts)
    total = forms.totals[0][0]
    for denominator, count in zip(forms.totals, counts, strict=True):
        total *= denominator[0] ** count
    weights = law_of_others.weights_by_histogram(forms.weights[0])
    found = {h: Fraction(int(w), int(total)) for h, w in weights.items()}
    assert found == plain_law(k, rows, counts, rows[0])
    assert law_of_others.positive_part_sum(forms.weights[0]) == total
    assert law_of_others.positive_part_sum([-w for w in forms.weights[0]]) == 0


@pytest.mark.parametrize("has_rows", [True, False])
def test_transcendental_weights_follow_the_multinomial_law(has_rows, monkeypatch):
    if not has_rows:
        monkeypatch.setattr(polynomials, "_MAX_RECURRENCE_TERMS", 0)
    g = Exact.exp("1/2")
    row = [g / (g + 2), 1 / (g + 2), 1 / (g + 2)]
    forms = scale_rows([row])
    assert forms.rate == Fraction(1, 2)
    weights = HistogramPolynomial(forms, [4]).weights_by_histogram(forms.weights[0])
    total = Exact.from_polynomial(forms.totals[0] ** 5, rate=forms.rate)
    assert FinitePmf({h: w / total for h, w in weights.items()}) == multinomial(5, row)


def test_rows_that_are_not_kept_give_the_same_sums(monkeypatch):
    forms = scale_rows([[Exact("1/2"), Exact("1/3"), Exact("1/6")], [Exact("1/3")] * 3])
    difference = [a - 2 * b for a, b in zip(*forms.weights, strict=True)]
    kept = HistogramPolynomial(forms, [7, 5])
    monkeypatch.setattr(polynomials, "_KEPT_BITS", 0)
    passing = HistogramPolynomial(forms, [7, 5])
    for _ in range(2):
        assert passing.positive_part_sum(difference) == kept.positive_part_sum(difference)


@law
@given(st.integers(0, 40), st.integers(1, 8))
def test_histogram_count(n, k):
    assert histogram_count(n, k) == comb(n + k - 1, k - 1)


# --- sizes ------------------------------------------------------------------------

HALF = [Exact("1/2"), Exact("1/2")]


@pytest.mark.parametrize(("n", "shown"), [(10**9, "1,000,000,001"), (10**18, "about 2.59")])
@pytest.mark.parametrize("k", [2, 3, 100])
def test_too_many_histograms_are_refused_at_once(n, shown, k):
    forms = scale_rows([[Exact(Fraction(1, k))] * k])
    with pytest.raises(TooLargeError, match=rf"^n={shown} users with {k} distinguishable .* have "):
        HistogramPolynomial(forms, [n])


def test_too_long_weights_are_refused_at_once():
    message = r"^n=1,000,000 users have 1,000,001 histograms with exact weights of .* bits each"
    with pytest.raises(TooLargeError, match=message) as caught:
        HistogramPolynomial(scale_rows([HALF]), [999_999])
    assert "\n" not in str(caught.value)
    long = Exact(Fraction(1, 10**20_000))
    with pytest.raises(TooLargeError, match=r"probabilities .* with smaller denominators"):
        HistogramPolynomial(scale_rows([[long, 1 - long]]), [2_000])


def test_powers_of_e_count_as_bits():
    g = Exact.exp(1)
    forms = scale_rows([[g / (g + 1), 1 / (g + 1)]])
    HistogramPolynomial(forms, [100])
    with pytest.raises(TooLargeError, match="bits while they are multiplied out"):
        HistogramPolynomial(forms, [5_000])


def test_multiplying_out_is_given_less_room(monkeypatch):
    forms = scale_rows([HALF])
    HistogramPolynomial(forms, [1])
    monkeypatch.setattr(polynomials, "MAX_BITS_OF_A_PRODUCT", 10_000)
    HistogramPolynomial(forms, [30])
    monkeypatch.setattr(polynomials, "_MAX_RECURRENCE_TERMS", 0)
    with pytest.raises(TooLargeError, match="multiplied out; the limit is 10,000"):
        HistogramPolynomial(forms, [30])
