"""δ of pairs of counts, of four papers: the sum, the algorithm in doubles, and the value."""

from fractions import Fraction
from functools import partial

import mpmath
import pytest
from mpmath import mpf

from exactdp.bounds import published
from exactdp.errors import TooLargeError
from exactdp.numbers import decimal, enclosure
from exactdp.numbers.real_functions import evaluate
from proofs_check.lemmas import stable_counts
from tests.bounds.routes import delta_of_counts, number, ordered_truth


def clones(x, **_):
    return x / (x + 1), 1 / (x + 1), 1 / (2 * x), 1


def stronger(x, **_):
    return x / (x + 1), 1 / (x + 1), 1 / (x + 1), 1


def k_ary(x, k, **_):
    return x / (x + k - 1), 1 / (x + k - 1), 1 / (x + k - 1), 1


def with_p(x, p, **_):
    return x * p, p, p, 1


def ratios(p, beta, q, **_):
    alpha = beta / (p - 1)
    return p * alpha, alpha, alpha * p / q, 1


def given_a_letter(p, beta, q, **_):
    alpha = beta / (p - 1)
    return p / (p + 1), 1 / (p + 1), alpha * p / q, alpha + p * alpha


ONE = {"epsilon0": 1, "epsilon": "1/10"}
RATIOS = {"p": 3, "beta": "1/3", "q": 4, "epsilon": "1/10"}

BOUNDS = [
    ("feldman2021/reduction", clones, ONE),
    ("feldman2023/stronger-clones", stronger, ONE),
    ("feldman2023/repair/reduction-two-letters", stronger, ONE),
    ("feldman2023/lemma-3.5", with_p, ONE | {"p": "1/5"}),
    ("feldman2023/k-rr", k_ary, ONE | {"k": 5}),
    ("wang2023/variation-ratio#k-rr", k_ary, ONE | {"k": 5}),
    ("wang2023/variation-ratio", ratios, RATIOS),
    ("wang2023/theorem-4.8", ratios, RATIOS),
    ("wang2023/repair/given-a-letter", given_a_letter, RATIOS),
]


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize(("name", "letters", "rest"), BOUNDS)
def test_sum_value_and_doubles_are_the_law_of_counts(name, letters, rest, n):
    at = {name: number(x) for name, x in rest.items()}
    a, b, r, weight = letters(x=mpmath.exp(at.get("epsilon0", 0)), **at)
    expected = weight * delta_of_counts(n, a, b, r, at["epsilon"])
    bound = published(name)
    exact = bound.checked({"n": n, **rest})
    numbers = {name: x for name, x in exact.items() if name != "n"}
    written = evaluate(partial(bound.formula, n=n), **numbers)
    for found in (bound.formula_at(exact), written):
        assert abs(mpf(decimal(found, digits=30)) - expected) < mpf(10) ** -25
    assert bound.double_at(exact) == pytest.approx(float(expected), rel=1e-12)
    ordered_truth(name, {"n": n, **rest})


@pytest.mark.parametrize(("name", "letters", "rest"), BOUNDS)
def test_doubles_of_many_users_are_the_value(name, letters, rest):
    bound = published(name)
    exact = bound.checked({"n": 40_000, **rest, "epsilon": "1/200"})
    value = float(decimal(bound.formula_at(exact), digits=17))
    assert bound.double_at(exact) == pytest.approx(value, rel=1e-10)
    assert bound.safe_at(exact) >= value * (1 - 1e-15)


@pytest.mark.parametrize(("name", "letters", "rest"), BOUNDS)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_stable_double_is_the_law_of_counts(name, letters, rest, n):
    bound, at = published(name), {name: number(x) for name, x in rest.items()}
    for epsilon in ("0", "1/1000", "1/2", "9/10", "2"):
        at["epsilon"] = number(epsilon)
        a, b, r, weight = letters(x=mpmath.exp(at.get("epsilon0", 0)), **at)
        expected = weight * delta_of_counts(n, a, b, r, at["epsilon"])
        found = bound.stable_at(bound.checked({**rest, "n": n, "epsilon": epsilon}))
        rounded = mpf(10) ** -55  # what 60 digits of expected leave
        assert expected - rounded <= mpf(found) <= expected * (1 + mpf(10) ** -12) + rounded


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("feldman2021/reduction", {"epsilon0": "1/1000000"}),
        ("feldman2021/reduction", {"epsilon0": 3}),
        ("feldman2023/stronger-clones", {"epsilon0": 10}),
        ("feldman2023/k-rr", {"epsilon0": 2, "k": 100}),
        ("wang2023/variation-ratio", {"p": 3, "beta": "1/8", "q": 4}),
        ("wang2023/repair/given-a-letter", {"p": "1048577/1048576", "beta": "2/10000000", "q": 2}),
        ("wang2024/repair/lemma-3/coin-told", {"d": 7, "rate": "1/3", "gamma": "1/2"}),
        ("liu2024/theorem-2#laplace", {"epsilon_1": 2, "epsilon_2": 1, "epsilon_3": "1/2"}),
        ("liu2024/repair/theorem-2", {"epsilon_1": 3, "r_2": "1/9", "r_3": "1/2"}),
        ("liu2024/repair/theorem-2", {"epsilon_1": 1, "r_2": "1/2", "r_3": 0}),
        ("liu2024/theorem-2#gaussian", {"sigma_1": 1, "sigma_2": 2, "delta_1": "1/1000"}),
    ],
)
@pytest.mark.parametrize("n", [2, 41, 3000])
@pytest.mark.parametrize("share", ["0", "1/1000", "1/7", "999/1000"])
def test_a_stable_double_is_above_the_value_and_near(name, at, n, share):
    """At shares of the largest loss; near it a few users decide, and the tail is short."""
    bound = published(name)
    most = at.get("epsilon0") or at.get("epsilon_1") or ("1/4" if "p" in at else 1)
    users = {name: n // (1 + i) for i, name in enumerate(bound.counts) if name in ("n", "n_2")}
    users |= {"n_3": n // 5} if "n_3" in bound.domain.kinds else {}
    if at.get("p") == "1048577/1048576":
        most = "1/1000000"
    exact = bound.checked({**at, **users, "epsilon": Fraction(most) * Fraction(share)})
    value, found = enclosure(bound.formula_at(exact)), bound.stable_at(exact)
    if found is None:  # all masses are relative to one, and reach over 300 digits
        assert value.upper < Fraction(1, 10**15)
        return
    assert value.lower <= Fraction(found) <= value.upper * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("left_out", [2.0**-10, 2.0**-20])
def test_what_is_left_out_is_in_the_error(monkeypatch, left_out):
    monkeypatch.setattr(stable_counts, "LEFT_OUT", left_out)
    for epsilon in ("1/100", "1/20", "1/5"):
        bound = published("feldman2021/reduction")
        exact = bound.checked({"n": 2000, "epsilon0": 1, "epsilon": epsilon})
        value = enclosure(bound.formula_at(exact))
        found = Fraction(bound.stable_at(exact))
        assert value.upper < found <= value.upper * (1 + 16 * Fraction(left_out))


@pytest.mark.parametrize("n", [1, 3])
def test_approximate_adds_what_the_local_deltas_cost(n):
    bound = published("feldman2023/approximate")
    at = {"n": n, **ONE, "delta0": "1/1000"}
    x, e = mpmath.exp(1), mpmath.exp(number("1/10"))
    more = (e + 1) * (1 + 1 / (2 * x)) * n / 1000
    expected = delta_of_counts(n, *stronger(x)[:3], number("1/10")) + more
    found = mpf(decimal(bound.formula_at(bound.checked(at)), digits=30))
    assert abs(found - expected) < mpf(10) ** -25
    ordered_truth("feldman2023/approximate", at)


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("feldman2023/lemma-3.5", {"n": 100, "epsilon0": 1, "p": "1/10", "epsilon": "1/10"}),
        ("wang2023/variation-ratio", {"n": 2, "p": 3, "beta": "1/4", "q": 3, "epsilon": "1/2"}),
    ],
)
def test_a_refuted_bound_is_below_the_truth_beyond_doubt(name, at):
    assert published(name)(**at).below_truth == "formula"


def test_too_many_users_are_refused():
    bound = published("feldman2021/reduction")
    at = bound.checked({"n": 10**12, **ONE})
    for ask in (bound.formula_at, bound.double_at):
        with pytest.raises(TooLargeError, match="Take fewer"):
            ask(at)
    assert bound(n=10**12, epsilon0=Fraction(1), epsilon=2).formula is None
