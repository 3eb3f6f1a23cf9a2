"""The bounds of Wang et al. 2024 against the paper's formulas, written again in mpmath."""

from fractions import Fraction
from math import ceil, comb
from typing import Any

import pytest
from mpmath import exp, log, mpf, sqrt

from exactdp.bounds import bounds_of, published
from exactdp.numbers import Exact, enclosure


def pair(n: int, a: Any, b: Any, r: Any, epsilon: Any) -> Any:
    """D of the counts of two letters, outcome by outcome."""
    a, b, r, g = mpf(a), mpf(b), mpf(r), exp(mpf(epsilon))

    def mass(x: int, y: int) -> Any:
        z = n - 1 - x - y
        if min(x, y, z) < 0:
            return mpf(0)
        return comb(n - 1, x) * comb(n - 1 - x, y) * r ** (x + y) * (1 - 2 * r) ** z

    def law(u: Any, v: Any, x: int, y: int) -> Any:
        return u * mass(x - 1, y) + v * mass(x, y - 1) + (1 - u - v) * mass(x, y)

    cells = [(x, y) for x in range(n + 1) for y in range(n + 1 - x)]
    return sum(max(mpf(0), law(a, b, *c) - g * law(b, a, *c)) for c in cells)


def reduction(n: int, p: Any, beta: Any, q: Any, epsilon: Any) -> Any:
    a = mpf(p) * beta / (p - 1)
    return pair(n, a, a / p, a / q, epsilon)


def algorithm_2(extra: int, n: int, s: int, d: int, m: Any, rate: Any, epsilon: Any) -> Any:
    return pair(n * ceil(m) + extra, rate, 0, mpf(m) / ceil(m) / d, mpf(epsilon) / s)


def search(steps: int, *, delta: Any, s: int, epsilon: Any, **at: Any) -> Any:
    """λ_k by halving [0, 1]."""
    low, high = mpf(0), mpf(1)
    for _ in range(steps):
        middle = (low + high) / 2
        is_small = algorithm_2(0, rate=middle, s=s, epsilon=epsilon, **at) <= mpf(delta) / (
            s * exp(mpf(epsilon))
        )
        low, high = (middle, high) if is_small else (low, middle)
    return low


def survey(
    s: int, d: int, slots: int, m: Any, n_1: int, n_2: int, rate_1: Any, rate_2: Any
) -> dict[str, Any]:
    """What the lines of Section 5.2 are made of."""
    levels, w = ((n_1, rate_1), (n_2, rate_2)), mpf(s) / d
    return {
        "n": n_1 + n_2,
        "signal": sum(n * rate for n, rate in levels),
        "users": sum(d * n * w * rate * (1 - w * rate) for n, rate in levels),
        "slot": (m / (d * slots)) * (1 - m / (d * slots)),
    }


VARIATION = {"p": mpf(3), "beta": mpf(1) / 4, "q": mpf(2)}
H = {"n": 4, "d": 5, "rate": mpf(1) / 2, "gamma": mpf(3) / 4, "epsilon": mpf(1) / 8}
USERS = {"n": 2, "s": 2, "d": 5, "m": mpf(3) / 2, "epsilon": mpf(1) / 2}
SURVEY = {
    "s": 2,
    "d": 5,
    "slots": 2,
    "m": mpf(3) / 2,
    "n_1": 30,
    "n_2": 10,
    "rate_1": mpf(1) / 4,
    "rate_2": mpf(1) / 2,
}
S, LINES = survey(**SURVEY), "wang2024/section-5.2/"
CHAIN = {
    "variance-chain/line-1#outside": S["users"] + 5 * S["n"] * 2 * S["slot"],
    "variance-chain/line-1#inside": S["users"] + 25 * S["n"] * 2 * S["slot"],
    "variance-chain/line-2": S["n"] * mpf(3) / 2 + S["users"],
    "variance-chain/line-3": S["n"] * mpf(3) / 2 + 2 * S["signal"],
}
CHAIN |= {
    "mse-chain/line-1": CHAIN["variance-chain/line-1#outside"] / S["signal"] ** 2,
    "mse-chain/line-2": CHAIN["variance-chain/line-2"] / S["signal"] ** 2,
    "mse-chain/line-3": CHAIN["variance-chain/line-3"] / S["signal"] ** 2,
}
ENTRIES = {"s": 3, "epsilon": mpf(1) / 2, "delta": mpf(1) / 1024}
SLOT = {"d": 5, "slots": 2, "m": mpf(3) / 2}
GROWN = 3 * exp(mpf(3) / 2) / 1024

EXPECTED: list[tuple[str, dict[str, Any], Any]] = [
    ("lemma-1", ENTRIES, GROWN),
    ("section-5.1.3/group-step", ENTRIES, GROWN),
    ("section-5.1.3/group-step#allowed-delta", ENTRIES, 1 / (1024 * 3 * exp(mpf(1) / 2))),
    *(
        ("theorem-1", {"n": n, **VARIATION, "epsilon": mpf(e)}, reduction(n, 3, mpf(1) / 4, 2, e))
        for n, e in ((1, 0.125), (5, 0), (5, 0.25))
    ),
    (
        "equation-1",
        {"n": 100, **VARIATION, "delta": mpf(1) / 1024},
        sqrt(mpf(1) / 4 * 2 * 2 * log(mpf(1024)) / 300),
    ),
    (
        "theorem-2",
        {"n": 4, **VARIATION, "gamma": mpf(1) / 2, "epsilon": mpf(1) / 8},
        reduction(5, 3, mpf(1) / 4, 4, mpf(1) / 8),
    ),
    ("lemma-3", H, pair(4, mpf(1) / 2, 0, mpf(3) / 20, mpf(1) / 8)),
    ("repair/lemma-3/coin-told", H, pair(5, 1, 0, mpf(3) / 20, mpf(1) / 8) / 2),
    (
        "theorem-3",
        {**USERS, "rate": mpf(1) / 2},
        2 * exp(mpf(1) / 2) * algorithm_2(0, rate=mpf(1) / 2, **USERS),
    ),
    (
        "repair/theorem-3",
        {**USERS, "rate": mpf(1) / 2},
        (1 + exp(mpf(1) / 4)) * algorithm_2(1, rate=mpf(1), **USERS) / 2,
    ),
    (
        "theorem-3#rate",
        {**USERS, "delta": mpf(1) / 4, "steps": 8},
        search(8, delta=mpf(1) / 4, **USERS),
    ),
    *((f"section-5.2/{name}", SURVEY, value) for name, value in CHAIN.items()),
    ("section-5.2/signal-variance", {"w": mpf(1) / 4, "rate": mpf(1) / 2}, mpf(7) / 64),
    ("section-5.2/blanket-variance", SLOT, mpf(3) / 20 * 17 / 20),
    ("section-4.3/expected-m", {"slots": 2, "m": mpf(3) / 2}, mpf(3) / 2),
]


def exact(value: Any) -> Any:
    return value if isinstance(value, int) else Fraction(float(value))


@pytest.mark.parametrize(("name", "at", "expected"), EXPECTED)
def test_the_formula_is_the_papers(name: str, at: dict[str, Any], expected: Any) -> None:
    found = published(f"wang2024/{name}")(**{x: exact(v) for x, v in at.items()})
    assert found.formula is not None
    assert found.double == pytest.approx(float(expected), rel=1e-9)
    value = enclosure(found.formula)
    assert float(value.lower) == pytest.approx(float(expected), rel=1e-12)
    if found.truth is not None:
        assert found.truth.lower <= found.truth.upper


def test_every_bound_is_asked() -> None:
    asked = {f"wang2024/{name}" for name, _, _ in EXPECTED} | {"wang2024/section-5.2/m_k"}
    assert {bound.claim for bound in bounds_of("wang2024")} == asked


def test_the_least_blanket_is_a_place_where_the_printed_divergence_crosses() -> None:
    at = {"n": 3, "s": 1, "d": 2, "epsilon": Fraction(1), "delta": Fraction(1, 4)}
    found = published("wang2024/section-5.2/m_k")(**at)
    assert isinstance(found.formula, Exact)
    m = found.formula.as_fraction()
    allowed = mpf(1) / 4 / exp(1)
    at_m, below_m = (
        algorithm_2(0, n=3, s=1, d=2, m=mpf(x.numerator) / x.denominator, rate=1, epsilon=1)
        for x in (m, m * Fraction(99, 100))
    )
    assert at_m <= allowed < below_m
    assert found.double == float(m)


@pytest.mark.parametrize(
    "at",
    [
        {"n": 1000, "gamma": 1, "epsilon": "1/10"},
        {"n": 10**6, "gamma": "1/2", "epsilon": "1/100"},
    ],
)
def test_lemma_3_is_below_the_truth_where_the_number_of_messages_tells(at: dict[str, Any]) -> None:
    printed, mended = (
        published(f"wang2024/{name}")(d=17, rate="1/2", **at)
        for name in ("lemma-3", "repair/lemma-3/coin-told")
    )
    assert printed.below_truth == "formula"
    assert mended.below_truth != "formula"
