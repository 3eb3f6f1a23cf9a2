"""The inequalities that the proofs rest on, as steps that a machine checks.

Distances, minima and maxima of a few reals are linear on each order of them. The numbers in an
order are combinations of its 0/1 vectors (the indicators of the largest ones), with
coefficients that are at least 0 but for that of (1, ..., 1). So an inequality between such
expressions holds for all reals if it holds for 0/1 vectors and for -(1, ..., 1).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from exactdp.audit.algebra import follows
from exactdp.claims import Step, checked

__all__ = [
    "CROSSING",
    "HARMONIC",
    "LARGEST",
    "MIXED",
    "PLAN_IS_NONNEGATIVE",
    "TRIANGLE",
    "in_every_order",
]


def in_every_order(
    text: str,
    count: int,
    *slacks: Callable[..., int],
    given: Callable[..., bool] = lambda *reals: True,
) -> Step:
    """Return the step that slacks, linear on each order of so many reals, are at least 0.

    Args:
        text: What it says.
        count: How many reals.
        slacks: Combinations of the reals, their minima, maxima and distances.
        given: The case: "<=" and "=" between reals.

    Example:
        >>> in_every_order("max", 2, lambda a, b: max(a, b) - a).check()
        True
        >>> in_every_order("sum", 2, lambda a, b: a + b - max(a, b)).check()
        False
    """

    def check() -> bool:
        vectors = [*product((0, 1), repeat=count), (-1,) * count]
        return all(slack(*v) >= 0 for v in vectors if given(*v) for slack in slacks)

    return checked(text, check)


TRIANGLE = in_every_order(
    "|y-x'| - |y-x| <= |x-x'| in every order of y, x, x', so the noise has "
    "K(y-x) <= e^(|x-x'|/theta) K(y-x')",
    3,
    lambda y, x, z: abs(x - z) + abs(y - x) - abs(y - z),
)

HARMONIC = follows(
    "1/u >= (2c-u)/c^2, averaged at c = E[u]: E[1/u] >= 1/E[u]",
    "u c",
    lambda u, c: 1 / u - (2 * c - u) / c**2,
    lambda u, c: [(1 / (u * c**2), (u - c) ** 2)],
)

MIXED = follows(
    "beside others f(y) = sum_m G(m) f_own(y-m), G the law of f(D_-i): an inequality f_P <= e "
    "f_Q of the own densities keeps, summed over m",
    "m p q e",
    lambda m, p, q, e: e * (m * q) - m * p,
    lambda m, p, q, e: [(m, e * q - p)],
)

LARGEST = follows(
    "e^(|t|/theta) <= e^(max|t|/theta) at each t, with weights P(t): E[e^(|D|/theta)] <= "
    "e^(max|t|/theta)",
    "m u top",
    lambda m, u, top: m * top - m * u,
    lambda m, u, top: [(m, top - u)],
)

PLAN_IS_NONNEGATIVE = in_every_order(
    "(6) gives no rectangle a negative mass: min{a',b'} - min{a',b} - min{a,b'} + min{a,b} >= 0 "
    "for a <= a', b <= b'",
    4,
    lambda a, b, c, d: min(b, d) - min(b, c) - min(a, d) + min(a, c),
    given=lambda a, b, c, d: a <= b and c <= d,
)

CROSSING = in_every_order(
    "(6) moves F - min{F,G} = max{0, F-G} to the right over z and G - min{F,G} to the left, "
    "F = F_i(x), G = F_j(z): together |F-G|",
    2,
    lambda f, g: (f - min(f, g)) - (max(f, g) - g),
    lambda f, g: (max(f, g) - g) - (f - min(f, g)),
    lambda f, g: (f - min(f, g)) + (g - min(f, g)) - abs(f - g),
    lambda f, g: abs(f - g) - (f - min(f, g)) - (g - min(f, g)),
)
