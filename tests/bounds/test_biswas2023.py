"""The bounds of Biswas et al. 2023 against the paper's formulas, written again in mpmath."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import comb
from typing import Any

import pytest
from mpmath import mp, mpf

from exactdp.bounds import published
from exactdp.numbers import enclosure
from exactdp.numbers.real_functions import evaluate
from exactdp.side import Side
from tests.bounds.routes import number

E = Fraction
DATA = ((1, 2, 0), (2, 2, 0), (7, 3, 4), (40, 10, 12))
LEVELS = ((E(1, 2), E(1, 8)), (E(2), E(3, 4)), (E(4), E(4)))


def choose(u: int, v: int) -> int:
    return comb(u, v) if 0 <= v <= u else 0


def loss(n: int, k: int, a: int, s: int, x: Any, form: int) -> Any:
    """e^(v_s): the three forms of (15)."""
    k1, k2 = x * (x + k - 2) / (k - 1), (k - 1) / (x + k - 2)
    up = sum(choose(a, r) * choose(n - 1 - a, s - 1 - r) * k1**r for r in range(s + 1))
    stay = sum(choose(a, r) * choose(n - 1 - a, s - r) * k1**r for r in range(s + 1))
    whole = sum(choose(a, r) * choose(n - a, s - r) * k1**r for r in range(s + 1))
    top = sum((s - r) * choose(a, r) * choose(n - 1 - a, s - 1 - r) * k1**r for r in range(s + 1))
    if form == 1:
        return (x * up + k2 * stay) / (up + stay)
    return k2 + (x - k2) * (up if form == 2 else top / (n - a)) / whole


def delta(n: int, k: int, a: int, epsilon0: Any, epsilon: Any, form: int) -> Any:
    """(6), with (12) for the masses."""
    x = mp.exp(epsilon0)
    k1, k2 = x * (x + k - 2) / (k - 1), (k - 1) / (x + k - 2)
    found = mpf(0)
    for s in range(n + 1):
        k3 = (k - 1) ** a * (x + k - 2) ** (n - a - s) / (x + k - 1) ** n
        mass = (
            k3
            / (n - a)
            * sum(
                choose(a, r) * choose(n - a, s - r) * k1**r * (k2 * (n - a) + (x - k2) * (s - r))
                for r in range(s + 1)
            )
        )
        part = 1 - mp.exp(epsilon) / loss(n, k, a, s, x, form)
        found += max(part, 0) * mass if abs(part) > mpf(10) ** -40 else 0
    return found


def count_delta(n: int, k: int, a: int, epsilon0: Any, epsilon: Any) -> Any:
    """Σ (P(s) − e^ε Q(s))+ of the count of x_0, user by user."""
    x = mp.exp(epsilon0)
    same, other = x / (x + k - 1), 1 / (x + k - 1)

    def law(chances: list[Any]) -> list[Any]:
        masses = [mpf(1)]
        for p in chances:
            masses = [
                (masses[s] * (1 - p) if s < len(masses) else 0) + (masses[s - 1] * p if s else 0)
                for s in range(len(masses) + 1)
            ]
        return masses

    rest = [same] * a + [other] * (n - 1 - a)
    return sum(
        max(p - mp.exp(epsilon) * q, 0)
        for p, q in zip(law([same, *rest]), law([other, *rest]), strict=True)
    )


def agrees(value: Any, expected: Any) -> bool:
    """Whether a number is another to 15 digits."""
    known = enclosure(value)
    middle = mpf(known.upper.numerator) / known.upper.denominator
    return bool(abs(middle - expected) <= mpf(10) ** -15 * abs(expected))


@pytest.fixture(autouse=True)
def digits() -> Any:
    with mp.workdps(60):
        yield


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize(
    ("name", "form"),
    [("theorem-IV.1", 3), ("repair/theorem-IV.1-count#count", 2)],
)
def test_6(name: str, form: int, data: tuple[int, int, int], levels: tuple[E, E]) -> None:
    (n, k, a), (epsilon0, epsilon) = data, levels
    bound = published(f"biswas2023/{name}")
    at = {"n": n, "k": k, "n_x0": a, "epsilon0": epsilon0, "epsilon": epsilon}
    found = bound(**at)
    expected = delta(n, k, a, *map(number, levels), form)
    assert found.formula is not None
    assert bound.stable is not None
    assert agrees(found.formula, expected)
    if expected:
        assert agrees(evaluate(partial(bound.stable, **at)), expected)
    assert found.truth is not None
    assert found.truth.lower <= found.truth.upper
    count = count_delta(n, k, a, *map(number, levels))
    assert number(found.truth.lower) <= count * (1 + mpf(10) ** -50)
    if form == 2:
        assert abs(count - expected) <= mpf(10) ** -50
        assert number(found.truth.upper) >= count * (1 - mpf(10) ** -50)


def test_6_is_a_lower_bound_for_the_histogram() -> None:
    bound = published("biswas2023/repair/theorem-IV.1-count#histogram")
    assert bound.side is Side.LOWER
    found = bound(n=20, k=5, n_x0=6, epsilon0=2, epsilon="1/10")
    assert found.below_truth != "formula"
    assert found.truth is not None
    assert agrees(found.formula, delta(20, 5, 6, mpf(2), mpf(1) / 10, 2))
    assert found.truth.lower < found.truth.upper


@pytest.mark.parametrize("held", [1, 3, 9, 10])
def test_10_is_the_largest_over_the_primary_inputs(held: int) -> None:
    found = published("biswas2023/equation-10")(n=10, k=4, held=held, epsilon0=2, epsilon=1)
    expected = max(delta(10, 4, m - 1, mpf(2), mpf(1), 3) for m in (held, 10 - held) if m)
    assert agrees(found.formula, expected)
    assert found.truth is not None
    assert found.truth.lower <= found.truth.upper


@pytest.mark.parametrize("form", [1, 2, 3])
@pytest.mark.parametrize("s", [0, 2, 9])
def test_15(form: int, s: int) -> None:
    name = f"biswas2023/equation-15/form-{form}"
    found = published(name)(n=9, k=4, n_x0=3, s=s, epsilon0="3/2")
    assert agrees(found.formula, mp.log(loss(9, 4, 3, s, mp.exp(mpf(3) / 2), form)))
    truth = mp.log(loss(9, 4, 3, s, mp.exp(mpf(3) / 2), 1))
    assert found.truth is not None
    assert abs(number(found.truth.lower) - truth) < mpf(10) ** -15
    assert (found.below_truth == "formula") is (form == 3 and s == 2)


OTHERS: dict[str, tuple[Callable[..., Any], list[dict[str, Any]]]] = {
    "definition-V.1": (
        lambda epsilon, delta, sensitivity: (
            mp.sqrt(2 * mp.log(mpf(5) / 4 / delta)) * sensitivity / epsilon
        ),
        [
            {"epsilon": E(4), "delta": E(9, 10), "sensitivity": E(1)},
            {"epsilon": E(1, 2), "delta": E(1, 10**6), "sensitivity": E(3)},
        ],
    ),
    "section-IV-A/feldman-bound": (
        lambda n, epsilon0, delta: (
            (1 - mp.exp(-epsilon0)) * mp.sqrt(mp.exp(epsilon0) * mp.log(1 / delta) / n)
        ),
        [{"n": 10**6, "epsilon0": E(4), "delta": E(1, 10**6)}],
    ),
    "definition-III.5/normalization#same": (
        lambda k, epsilon: mp.exp(epsilon) / (mp.exp(epsilon) + k - 1),
        [{"k": 15, "epsilon": E(4)}, {"k": 2, "epsilon": E(0)}],
    ),
    "definition-III.5/normalization#other": (
        lambda k, epsilon: 1 / (mp.exp(epsilon) + k - 1),
        [{"k": 15, "epsilon": E(4)}, {"k": 2, "epsilon": E(0)}],
    ),
}
OTHERS["repair/definition-V.1-small-epsilon"] = (
    OTHERS["definition-V.1"][0],
    OTHERS["definition-V.1"][1][1:],
)


@pytest.mark.parametrize("name", OTHERS)
def test_the_others(name: str) -> None:
    bound = published(f"biswas2023/{name}")
    expected, places = OTHERS[name]
    for at in places:
        found = bound(**at)
        numbers = {x: number(Fraction(value)) for x, value in at.items()}
        assert agrees(found.formula, expected(**numbers))
        if bound.stable is not None:
            whole = {x: at[x] for x in bound.counts}
            rest = {x: value for x, value in at.items() if x not in whole}
            assert agrees(evaluate(partial(bound.stable, **whole), **rest), expected(**numbers))
        assert found.truth is not None
        assert found.truth.lower <= found.truth.upper
