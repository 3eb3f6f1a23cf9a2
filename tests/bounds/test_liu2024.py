"""The bounds of Liu et al. 2024 against the paper's formulas, written again in mpmath."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import pytest
from mpmath import exp, floor, mpf, ncdf, npdf

from exactdp.bounds import bounds_of, published
from exactdp.numbers import enclosure

HALF = mpf(1) / 2


def law(ps: list[Any]) -> list[Any]:
    """The w_i^0: a sum of Bern(2 p_i)."""
    found = [mpf(1)]
    for p in ps:
        found = [
            (found[i] if i < len(found) else 0) * (1 - 2 * p) + (found[i - 1] * 2 * p if i else 0)
            for i in range(len(found) + 1)
        ]
    return found


def binomial(i: int, k: int) -> Any:
    return mpf(comb(i, k)) / 2**i if 0 <= k <= i else mpf(0)


def top(i: int, t: Any, less: int) -> int:
    return int(floor(i + 1 - less - Fraction(i + 1) / (t + 1)))


def five(ps: list[Any], t: Any, w: Any, g: Any, delta_1: Any, first: int) -> Any:
    """(5) at a t, sums from i = first."""
    own = law(ps)

    def total(less: int) -> Any:
        return sum(
            own[i] * sum(binomial(i, k) for k in range(top(i, t, less) + 1))
            for i in range(first, len(own))
        )

    return (-g + (1 - delta_1) * 2 * w + delta_1) * total(1) + (1 - delta_1) * (1 - 2 * w) * total(
        0
    )


def steps(n: int) -> list[Fraction]:
    return sorted({Fraction(i + 1, k) - 1 for i in range(n) for k in range(1, i + 2)})


def best(ps: list[Any], w: Any, epsilon: Any, delta_1: Any = 0) -> Any:
    g = exp(mpf(epsilon))
    return max(five(ps, t, w, g, delta_1, 0) for t in steps(len(ps) + 1))


def printed(ps: list[Any], w: Any, epsilon: Any, first: int) -> Any:
    """(5) at t_ε as printed."""
    g, n = exp(mpf(epsilon)), len(ps) + 1
    for t in steps(n):
        under = sum(binomial(i, top(i, t, 1)) for i in range(1, n))
        if under == 0:
            continue
        l = -sum(binomial(i, top(i, t, 0)) for i in range(1, n)) / under  # noqa: E741
        if -2 * w + (1 - 2 * w) * l >= -g:
            return five(ps, t, w, g, 0, first)
    raise AssertionError("no t meets the condition")


def response(epsilon: Any) -> Any:
    return 1 / (exp(mpf(epsilon)) + 1)


@cache
def overlap(density: Callable[[Any, Any, Any], Any], one: Any, other: Any) -> Any:
    """min(p_i^0, p_i^1) at x_i = 0 by a sum over messages from −40 to 40."""
    found, width = [mpf(0), mpf(0)], mpf(1) / 64
    for step in range(-40 * 64, 40 * 64):
        z = (step + HALF) * width
        own, zero, last = density(z, 0, other), density(z, 0, one), density(z, 1, one)
        if own < zero and last < zero:
            found[0] += own * width
        if own < last and zero < last:
            found[1] += own * width
    return min(found)


def laplace(z: Any, x: Any, epsilon: Any) -> Any:
    return epsilon / 2 * exp(-epsilon * abs(z - x))


def gaussian(z: Any, x: Any, sigma: Any) -> Any:
    return npdf((z - x) / sigma) / sigma


def weighted(ps: list[Any], epsilon_1: Any, epsilon: Any) -> Any:
    """D of the counts of two letters given how many others send one, outcome by outcome."""
    a, g = 1 - response(epsilon_1), exp(mpf(epsilon))
    found = mpf(0)
    for c, w in enumerate(law(ps)):
        for x in range(c + 2):
            one, two = binomial(c, x - 1), binomial(c, x)
            found += w * max(mpf(0), (a - g * (1 - a)) * one + (1 - a - g * a) * two)
    return found


USERS = {"epsilon_1": 1.5, "n_2": 3, "epsilon_2": 1.0, "n_3": 2, "epsilon_3": 0.5}
PS = [response(1)] * 3 + [response(0.5)] * 2
NOISY = {"sigma_1": 2.0, "n_2": 4, "sigma_2": 3.0, "delta_1": 2.0**-10}


def of_laplace(epsilon: Any) -> Any:
    return overlap(laplace, mpf(3) / 2, epsilon)


def of_gaussian() -> Any:
    return overlap(gaussian, mpf(2), mpf(3))


# What takes a second is computed by the test that needs it.
EXPECTED: list[tuple[str, dict[str, Any], Any, float]] = [
    *(
        (name, {**USERS, "epsilon": e}, printed(PS, response(1.5), e, first), 1e-9)
        for name, first in (("theorem-2", 1), ("theorem-2/t_epsilon", 0))
        for e in (0.25, 0.5)
    ),
    *(
        (
            "repair/theorem-2-randomized-response",
            {**USERS, "epsilon": e},
            best(PS, response(1.5), e),
            1e-9,
        )
        for e in (0.0, 0.25, 1.0)
    ),
    (
        "theorem-2#laplace",
        {**USERS, "epsilon": 0.25},
        lambda: best([of_laplace(mpf(1))] * 3 + [of_laplace(HALF)] * 2, exp(-mpf(3) / 4) / 2, 0.25),
        0.02,
    ),
    (
        "theorem-2#gaussian",
        {**NOISY, "epsilon": 0.125},
        lambda: best([of_gaussian()] * 4, ncdf(-mpf(1) / 4), 0.125, mpf(2) ** -10),
        0.02,
    ),
    *(
        (
            "repair/theorem-2",
            {"epsilon_1": 1.5, "n_2": 3, "r_2": 0.25, "n_3": 2, "r_3": 0.125, "epsilon": e},
            weighted([mpf(1) / 4] * 3 + [mpf(1) / 8] * 2, 1.5, e),
            1e-9,
        )
        for e in (0.0, 0.5)
    ),
    ("repair/approximate-term", {"delta_1": 0.25, "delta": 0.5}, mpf(5) / 8, 1e-12),
    ("equation-2", {"epsilon": 0.5}, response(0.5), 1e-12),
    ("repair/equation-2", {"epsilon": 0.5}, exp(-HALF) / 2, 1e-12),
    ("section-3.2.1/p_1#laplace", {"epsilon_1": 0.5}, exp(-HALF / 2) / 2, 1e-12),
    ("equation-4#laplace", {"epsilon_1": 1.5, "epsilon_i": 0.5}, lambda: of_laplace(HALF), 0.01),
    ("equation-4#gaussian", {"sigma_1": 2.0, "sigma_i": 3.0}, of_gaussian, 0.01),
]


@pytest.mark.parametrize(("name", "at", "expected", "rel"), EXPECTED)
def test_the_formula_is_the_papers(
    name: str, at: dict[str, Any], expected: Any, rel: float
) -> None:
    found = published(f"liu2024/{name}")(**at)
    assert found.formula is not None
    value = float(enclosure(found.formula).lower)
    assert value == pytest.approx(float(expected() if callable(expected) else expected), rel=rel)
    assert found.double == pytest.approx(value, rel=1e-9)
    assert found.truth is not None
    assert found.truth.lower <= found.truth.upper


def test_every_bound_is_asked() -> None:
    asked = {f"liu2024/{name}" for name, *_ in EXPECTED}
    assert {bound.claim for bound in bounds_of("liu2024")} == asked


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("equation-2", {"epsilon": 1}),
        ("section-3.2.1/p_1#laplace", {"epsilon_1": 1}),
        ("equation-4#laplace", {"epsilon_1": 2, "epsilon_i": "3/2"}),
        ("equation-4#gaussian", {"sigma_1": 2, "sigma_i": 3}),
        ("theorem-2", {**USERS, "epsilon": "1/2"}),
        ("theorem-2/t_epsilon", {**USERS, "epsilon": "1/2"}),
    ],
)
def test_what_is_refuted_is_seen_on_the_wrong_side(name: str, at: dict[str, Any]) -> None:
    assert published(f"liu2024/{name}")(**at).below_truth == "formula"
