"""The scales of Ding et al. 2025 against the paper's formulas, written again in mpmath.

The truth is checked by the densities themselves: at the smallest scale the largest ratio of (1),
over the points of the two laws, is e^ε.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from mpmath import mp, mpf

from exactdp.bounds import bounds_of, published
from exactdp.numbers import enclosure
from exactdp.numbers.real_functions import evaluate
from tests.bounds.routes import number

E = Fraction
OTHER = {"r": E(1, 2), "zeta": E(3, 4), "epsilon": E(7, 10)}
PRIORS = {"d": 3, "p_1": E(1, 5), "p_d": E(3, 10), "q_1": E(2, 5), "q_d": E(1, 10)}
CONSTANTS = {"d": 5, "p_1": E(0), "p_d": E(1), "q_1": E(0), "q_d": E(0)}
EPSILON = {"epsilon": E(7, 10)}


def root(p: Any, epsilon: Any) -> Any:
    """(15)."""
    return 1 / mp.log((mp.exp(epsilon) - (1 - p)) / p)


def relaxed(psi: Any, epsilon: Any) -> Any:
    """(21)."""
    return 1 / mp.log(mp.exp(epsilon) + (mp.exp(epsilon) - 1) * psi)


def alphabet(p: Any, q: Any, r: Any, epsilon: Any) -> Any:
    """(21) over the alphabet of the answer, where the quotient is 0 somewhere."""
    return relaxed(min(p, q) / abs(p - q), epsilon)


def smallest(p: Any, q: Any, epsilon: Any) -> Any:
    """Lemma 6, mended."""
    low, high, x = min(p, q), max(p, q), mp.exp(epsilon)
    return 1 / mp.log(1 + (x - 1) / max(high - x * low, (1 - low) - x * (1 - high)))


def solved(p_1: Any, p_2: Any, epsilon: Any) -> Any:
    """(13), by its equation."""

    def moment(g: Any) -> Any:
        return (1 - p_1 - p_2) + p_1 * g + p_2 * g**2 - mp.exp(epsilon)

    return 1 / mp.log(mp.findroot(moment, mpf(2)))


def by_variation(d: Any, p_1: Any, p_d: Any, q_1: Any, q_d: Any, epsilon: Any, **_: Any) -> Any:
    first, last = p_1 - q_1, p_d - q_d
    tv = (abs(first) + abs(last) + abs(first + last)) / 2
    return d / mp.log(1 + (mp.exp(epsilon) - 1) / tv)


def without(formula: Callable[..., Any], *names: str) -> Callable[..., Any]:
    return lambda **at: formula(**{name: x for name, x in at.items() if name in names})


one = without(lambda epsilon: 1 / epsilon, "epsilon")
presence = without(root, "p", "epsilon")
LESS = {"p": E(1, 5), "q": E(9, 10), "r": E(2, 3), "epsilon": E(7, 10)}
MORE = {"p": E(1, 4), "q": E(1, 10), "r": E(2, 3), "epsilon": E(7, 10)}
THREE_POINTS = {"p_1": E(3, 10), "p_2": E(1, 5), **OTHER}
CLASS = {"n": 50, "p": E(3, 10), "epsilon": E(1)}

EXPECTED: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "proposition-1": (lambda epsilon, **_: 2 / epsilon, {**PRIORS, **EPSILON}),
    "theorem-1": (
        lambda a, b, epsilon, **_: abs(a - b) / epsilon,
        {"a": E(-3, 2), "b": E(2), **OTHER},
    ),
    "theorem-2": (lambda a, epsilon, **_: abs(a) / epsilon, {"a": E(-3), **OTHER}),
    "theorem-3/condition-13": (without(solved, "p_1", "p_2", "epsilon"), THREE_POINTS),
    "repair/theorem-3-condition-13": (
        lambda p_1, p_2, epsilon, **_: max(root(p_1, epsilon), root(p_2, epsilon)),
        {"p_1": E(3, 10), "p_2": E(1, 5), "zeta_1": E(1, 2), "zeta_2": E(1), **EPSILON},
    ),
    "theorem-3/condition-14": (
        lambda a, b, epsilon, **_: max(abs(a), abs(b)) / epsilon,
        {"a": E(-1), "b": E(2), "p_a": E(3, 10), "p_b": E(1, 5), **OTHER},
    ),
    "equation-15": (presence, {"p": E(1, 1000), **OTHER}),
    "section-4.3.2/one-over-epsilon": (one, {"p": E(1, 1000), **OTHER}),
    "section-4.3.1/class-removal": (presence, CLASS),
    "repair/class-removal#moments": (lambda n, p, epsilon: root(p, epsilon / n), CLASS),
    "repair/class-removal#sizes": (lambda n, epsilon, **_: n / epsilon, CLASS),
    "theorem-4": (lambda epsilon, **_: 2 / epsilon, {**CONSTANTS, **OTHER}),
    "repair/theorem-4": (lambda epsilon, **_: 5 / epsilon, {**CONSTANTS, **OTHER}),
    "repair/theorem-4-total-variation": (by_variation, {**PRIORS, **OTHER}),
    "lemma-5": (one, {"p": E(1, 5), "q": E(9, 10), **OTHER}),
    "lemma-6/p-less-than-q#support": (
        lambda p, q, r, epsilon: relaxed(((1 - q) * r / (1 - r) + p) / (q - p), epsilon),
        LESS,
    ),
    "lemma-6/p-less-than-q#alphabet": (alphabet, LESS),
    "lemma-6/p-greater-than-q#support": (
        lambda p, q, r, epsilon: relaxed(((1 - p) * r / (1 - r) + q) / (p - q), epsilon),
        MORE,
    ),
    "lemma-6/p-greater-than-q#alphabet": (alphabet, MORE),
    "repair/lemma-6": (
        without(smallest, "p", "q", "epsilon"),
        {"p": E(1, 4), "q": E(1, 10), **OTHER},
    ),
    "repair/lemma-6-condition-20": (
        lambda p, q, r, epsilon: relaxed((1 - p) / (p - q), epsilon),
        MORE,
    ),
    "proposition-2": (lambda epsilon, **_: 1 / epsilon, {**PRIORS, **EPSILON}),
    "repair/proposition-2": (lambda epsilon, **_: 2 / epsilon, {**PRIORS, **EPSILON}),
}

REFUTED = {"theorem-4", "section-4.3.1/class-removal"}
"""Which of them are below the truth there."""


def test_every_bound_has_another_route() -> None:
    assert {f"ding2025/{name}" for name in EXPECTED} == {
        bound.claim for bound in bounds_of("ding2025")
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_formula(name: str) -> None:
    bound = published(f"ding2025/{name}")
    formula, at = EXPECTED[name]
    with mp.workdps(40):
        expected = formula(**{x: number(Fraction(value)) for x, value in at.items()})
        found = bound(**at)
        assert agrees(found.formula, expected)
        if bound.stable is not None:
            whole = {x: at[x] for x in bound.counts}
            rest = {x: value for x, value in at.items() if x not in whole}
            assert agrees(evaluate(partial(bound.stable, **whole), **rest), expected)
    assert found.truth is not None
    assert found.truth.lower <= found.truth.upper
    assert (found.below_truth == "formula") is (name in REFUTED)


def agrees(value: Any, expected: Any) -> bool:
    known = enclosure(value)
    return bool(abs(number(known.upper) - expected) <= mpf(10) ** -15 * abs(expected))


def binary(p: Fraction) -> dict[int, Fraction]:
    return {0: 1 - p, 1: p}


def added(*laws: dict[int, Fraction]) -> dict[int, Fraction]:
    total = {0: E(1)}
    for law in laws:
        found: dict[int, Fraction] = {}
        for x, mass in total.items():
            for z, more in law.items():
                found[x + z] = found.get(x + z, E(0)) + mass * more
        total = found
    return total


LAWS = {
    "equation-15": ({"p": E(1, 10), **OTHER}, binary(E(1, 10)), {0: E(1)}, binary(E(3, 8))),
    "lemma-6/p-less-than-q#support": (LESS, binary(E(1, 5)), binary(E(9, 10)), binary(E(2, 3))),
    "repair/theorem-4": (
        {**PRIORS, **OTHER},
        {0: E(1, 2), 1: E(1, 5), 3: E(3, 10)},
        {0: E(1, 2), 1: E(2, 5), 3: E(1, 10)},
        binary(E(3, 8)),
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_truth(name: str) -> None:
    at, own, other, rest = LAWS[name]
    target = published(f"ding2025/{name}").truth(**at)
    ((_, known),) = target.below
    first, second = added(own, rest), added(other, rest)
    with mp.workdps(40):
        theta = number(known.lower)
        sides = [
            [
                sum(number(m) * mp.exp(-abs(y - x) / theta) for x, m in law.items())
                for y in {*first, *second}
            ]
            for law in (first, second)
        ]
        ratios = [p / q for p, q in zip(*sides, strict=True)]
        worst = max(max(ratios), 1 / min(ratios))
        assert abs(mp.log(worst) - number(at["epsilon"])) < mpf(10) ** -12
