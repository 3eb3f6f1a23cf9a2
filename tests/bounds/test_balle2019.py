"""The bounds of balle2019: formulas written anew, with sums where the room has closed forms."""

from fractions import Fraction
from math import comb

import pytest
from mpmath import exp, log

from exactdp.bounds import published
from tests.bounds.routes import number, ordered_truth, same_formula


def known(of, epsilon0, epsilon, k):
    """γ, max L, max L − min L and E[L²], from the rows where they are few."""
    x, e = exp(epsilon0), exp(epsilon)
    if of == "generic":
        return 1 / x, x * (1 - e / x**2), (e + 1) * (x - 1 / x), x * (e**2 + 1) - 2 * e / x**3
    if of == "k-rr":
        gamma, each = k / (x + k - 1), 1 / (x + k - 1)
        values = [(x - e) * each * k, (1 - e * x) * each * k, *[(1 - e) * each * k] * (k - 2)]
        return gamma, max(values), max(values) - min(values), sum(v**2 for v in values) / k
    root = exp(epsilon0 / 2)
    moment = (e**2 + 1) / 3 * (2 * root + 1 / root**2) - 2 * e * (2 / root - 1 / root**2)
    return 1 / root, root * (1 - e / x), (e + 1) * (root - 1 / root), moment


def hoeffding(of, n, epsilon0, epsilon, k=None):
    gamma, _, width, _ = known(of, epsilon0, epsilon, k)
    a = exp(epsilon) - 1
    decay = 1 - gamma * (1 - exp(-2 * a**2 / width**2))
    return width**2 / (4 * a) * decay**n / (gamma * n)


def bennett(of, n, epsilon0, epsilon, k=None):
    gamma, b, _, c = known(of, epsilon0, epsilon, k)
    u = (exp(epsilon) - 1) * b / c
    t = exp(-c / b**2 * ((1 + u) * log(1 + u) - u))
    mean = sum(comb(n, m) * (gamma * t) ** m * (1 - gamma) ** (n - m) for m in range(1, n + 1))
    return b / log(1 + u) * mean / (gamma * n)


@pytest.mark.parametrize("n", [1, 30])
@pytest.mark.parametrize("of", ["generic", "k-rr", "laplace"])
@pytest.mark.parametrize("form", [hoeffding, bennett])
def test_closed_forms(form, of, n):
    at = {"n": n, "epsilon0": 2, "epsilon": "1/5"} | ({"k": 4} if of == "k-rr" else {})
    numbers = {name: x if name in "nk" else number(x) for name, x in at.items()}
    name = f"balle2019/{form.__name__}#{of}"
    same_formula(name, at, form(of, **numbers))
    ordered_truth(name, at)


FORMS = [
    ("blanket", lambda epsilon0: exp(-epsilon0), {"epsilon0": 2}),
    ("blanket/k-rr", lambda k, epsilon0: k / (exp(epsilon0) + k - 1), {"k": 3, "epsilon0": 2}),
    ("blanket/laplace", lambda epsilon0: exp(-epsilon0 / 2), {"epsilon0": 2}),
    (
        "k-rr",
        lambda k, n, epsilon, delta: max(
            14 * k * log(2 / delta) / ((n - 1) * epsilon**2), 27 * k / ((n - 1) * epsilon)
        ),
        {"k": 4, "n": 10**4, "epsilon": "1/2", "delta": "1e-6"},
    ),
]


@pytest.mark.parametrize(("name", "form", "at"), FORMS)
def test_formula(name, form, at):
    same_formula(f"balle2019/{name}", at, form(**{name: number(x) for name, x in at.items()}))
    ordered_truth(f"balle2019/{name}", at)


def test_the_smallest_blanket_is_that_of_few_messages():
    """Rows of K messages, an input's own one less likely: the least masses add up to more."""
    x, messages = Fraction(3), 5
    each = 1 / (messages - 1 + 1 / x)
    rows = [[each / x if y == i else each for y in range(messages)] for i in range(messages)]
    least = sum(min(column) for column in zip(*rows, strict=True))
    assert least == messages / (x * (messages - 1) + 1) > 1 / x


def test_enough_blanket_and_too_little_are_apart():
    target = published("balle2019/k-rr").truth(
        k=3, n=1000, epsilon=Fraction(1, 2), delta=Fraction(1, 10**4)
    )
    known = target.enclosed()
    assert known is not None
    assert 0 < known.lower < known.upper < 1


def test_a_ball_too_wide_for_a_fraction_is_asked_at_more_bits():
    """Bennett's δ at ε0 = 700 has a ball of radius 2^(10^300) at first."""
    at = {"n": 3, "k": 1000, "epsilon0": 700, "epsilon": "453.6158"}
    found = published("balle2019/bennett#k-rr")(**at)
    assert found.double is None
    assert 2.0**663 < found.safe_double < 2.0**665
