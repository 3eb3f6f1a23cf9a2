"""δ of pairs of counts, of four papers: the sum, the algorithm in doubles, and the value."""

from fractions import Fraction
from functools import partial

import mpmath
import pytest
from mpmath import mpf

from exactdp.bounds import published
from exactdp.errors import TooLargeError
from exactdp.numbers import decimal
from exactdp.numbers.real_functions import evaluate
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
