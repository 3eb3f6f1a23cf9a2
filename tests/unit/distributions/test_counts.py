"""Laws of counts against enumeration of all outcomes of the trials."""

from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf, binomial, multinomial, poisson_binomial
from exactdp.errors import DomainError, ParseError, TooLargeError
from exactdp.numbers import Exact
from exactdp.testing import fractions

E = Exact.exp("1/2")
LOGISTIC = E / (E + 1)
PROBABILITIES = fractions(0, 1, max_denominator=12)


def enumerated(laws, statistic):
    """The law of a statistic of independent draws, one outcome of all draws at a time."""
    masses = {}
    for draws in product(*(range(len(law)) for law in laws)):
        mass = prod((law[y] for law, y in zip(laws, draws, strict=True)), start=Fraction(1))
        key = statistic(draws)
        masses[key] = masses.get(key, 0) + mass
    return FinitePmf(masses)


def histogram(values):
    return lambda draws: tuple(draws.count(y) for y in range(values))


@pytest.mark.parametrize("p", [Fraction(2, 7), LOGISTIC, Exact.exp(-1)])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_binomial_is_the_textbook_formula(n, p):
    law = binomial(n, p)
    assert len(law) == n + 1
    for j in range(n + 1):
        assert law[j] == comb(n, j) * p**j * (1 - p) ** (n - j)


def test_binomial_of_a_certain_event_keeps_one_outcome():
    assert dict(binomial(4, 0).masses) == {0: 1}
    assert dict(binomial(4, 1).masses) == {4: 1}
    assert dict(poisson_binomial([1, LOGISTIC]).masses) == {1: 1 - LOGISTIC, 2: LOGISTIC}


def test_binomial_of_a_thousand_trials():
    law = binomial(1000, "1/3")
    assert law[333] == Fraction(comb(1000, 333) * 2**667, 3**1000)


@settings(max_examples=50)
@given(st.lists(PROBABILITIES, max_size=6))
def test_poisson_binomial_against_enumeration(ps):
    assert poisson_binomial(ps) == enumerated([(1 - p, p) for p in ps], sum)


def test_poisson_binomial_of_numbers_with_different_rates():
    ps = [LOGISTIC, Exact.exp("-1/3"), Exact("1/5"), Exact.exp(-2)]
    assert poisson_binomial(ps) == enumerated([(1 - p, p) for p in ps], sum)


def test_poisson_binomial_of_equal_trials_is_binomial():
    assert poisson_binomial(["2/9"] * 40) == binomial(40, "2/9")
    assert poisson_binomial([LOGISTIC] * 20) == binomial(20, LOGISTIC)


def test_poisson_binomial_of_a_thousand_trials_has_the_right_mean():
    ps = [Fraction(i, 1001) for i in range(1, 1001)]
    law = poisson_binomial(ps)
    assert sum((j * mass for j, mass in law.masses.items()), Exact(0)) == sum(ps)


@settings(max_examples=50)
@given(st.integers(0, 4), st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any))
def test_multinomial_against_enumeration(n, weights):
    law = [Fraction(w, sum(weights)) for w in weights]
    assert multinomial(n, law) == enumerated([law] * n, histogram(len(law)))


def test_multinomial_of_transcendental_probabilities():
    law = [E / (E + 2), 1 / (E + 2), 1 / (E + 2)]
    assert multinomial(3, law) == enumerated([law] * 3, histogram(3))


def test_multinomial_leaves_out_impossible_values():
    assert set(multinomial(2, ["1/2", 0, "1/2"]).masses) == {(2, 0, 0), (1, 0, 1), (0, 0, 2)}
    assert dict(multinomial(3, [0, 1, 0]).masses) == {(0, 3, 0): 1}
    assert dict(multinomial(0, ["1/2", "1/2"]).masses) == {(0, 0): 1}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: binomial(-1, "1/2"), "n=-1 must be at least 0. Pass an int from 0 on."),
        (lambda: binomial(2.5, "1/2"), "n=2.5 is not a whole number. Pass an int."),
        (lambda: binomial(True, "1/2"), "n=True is of type bool. Pass an int."),
        (lambda: binomial(2, "3/2"), "p=3/2 is not a probability."),
        (lambda: binomial(2, "-1/2"), "p=-1/2 is not a probability."),
        (lambda: binomial(2, E), "p=e^(1/2) is not a probability."),
        (lambda: binomial(2, float("nan")), "p=nan is not finite"),
        (lambda: poisson_binomial(["1/2", "5/4"]), "probabilities[1]=5/4 is not a probability."),
        (
            lambda: multinomial(-2, ["1/2", "1/2"]),
            "n=-2 must be at least 0. Pass an int from 0 on.",
        ),
        (lambda: multinomial(2, ["1/2", "1/3"]), "probabilities sum to 5/6, not 1 (2 outcomes)."),
        (lambda: multinomial(2, ["3/2", "-1/2"]), "probabilities[1]=-1/2 is negative."),
        (lambda: multinomial(2, []), "probabilities sum to 0, not 1 (0 outcomes)."),
    ],
)
def test_no_answer(call, message):
    with pytest.raises(DomainError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_a_string_that_is_no_number():
    with pytest.raises(ParseError, match=r"^probabilities\[0\]='half' is not a number\."):
        poisson_binomial(["half"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: binomial(10**6, "1/2"),
            "n=1,000,000 trials have masses of 2,000,002,000,000 bits in all; the limit is "
            "1,500,000,000. Lower n, or take probabilities with smaller denominators.",
        ),
        (
            lambda: multinomial(10**4, ["1/2", "1/4", "1/4"]),
            "n=10,000 draws from 3 values have 50,015,001 histograms, with 150,045,003 "
            "counts in all; the limit is 1,000,000. Lower n, or merge values.",
        ),
        (lambda: multinomial(400_000, ["1/2", "1/2"]), "n=400,000 trials have masses of 320,000"),
        (lambda: multinomial(10**6, [Fraction(1, 10)] * 10), "n=1,000,000 draws from 10 values"),
        (lambda: poisson_binomial([f"1/{10**500}"] * 2000), "n=2,000 trials have masses of 6,647"),
    ],
)
def test_too_large_is_said_at_once(call, message):
    with pytest.raises(TooLargeError) as caught:
        call()
    assert str(caught.value).startswith(message)
