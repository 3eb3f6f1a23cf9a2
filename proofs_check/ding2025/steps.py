"""The inequalities that the proofs rest on, as steps that a machine checks.

Distances, minima and maxima of a few reals are linear on each order of them. The numbers in an
order are combinations of its 0/1 vectors (the indicators of the largest ones), with
coefficients that are at least 0 but for that of (1, ..., 1). So an inequality between such
expressions holds for all reals if it holds for 0/1 vectors and for -(1, ..., 1).
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from exactdp.audit.algebra import follows
from exactdp.claims import Relation, Rule, Step, Term, at_most, checked, function, term, written


def least(s: Any, t: Any) -> Any:
    """Return the smaller of two numbers or terms."""
    return function("min", s, t) if isinstance(s, Term) else min(s, t)


def greatest(s: Any, t: Any) -> Any:
    """Return the larger of two numbers or terms."""
    return function("max", s, t) if isinstance(s, Term) else max(s, t)


def in_every_order(
    text: str,
    names: str,
    *slacks: Callable[..., Any],
    given: Callable[..., Sequence[Relation]] = lambda *reals: (),
) -> Step:
    """Return the step that slacks, linear on each order of some reals, are at least 0.

    Args:
        text: What it says.
        names: The reals, separated by spaces.
        slacks: Combinations of the reals, their minima, maxima and distances.
        given: The case: "<=" and "=" between reals.

    Example:
        >>> in_every_order("max", "a b", lambda a, b: greatest(a, b) - a).check()
        True
        >>> in_every_order("sum", "a b", lambda a, b: a + b - greatest(a, b)).check()
        False
    """

    def check() -> bool:
        count = len(names.split())
        vectors = [*product((0, 1), repeat=count), (-1,) * count]
        met = [v for v in vectors if all(relation.holds() for relation in given(*v))]
        return all(slack(*v) >= 0 for v in met for slack in slacks)

    def rules() -> list[Rule]:
        reals = [Term("variable", name) for name in names.split()]
        terms = [term(slack(*reals)) for slack in slacks]
        parts = {"variables": names.split(), "given": written(given(*reals)), "terms": terms}
        return [Rule("orders", parts)]

    return checked(text, check, rules=rules)


MIXED = follows(
    "beside others f(y) = sum_m G(m) f_own(y-m), G the law of f(D_-i): an inequality f_P <= e "
    "f_Q of the own densities keeps, summed over m",
    "m p q e",
    lambda m, p, q, e: e * (m * q) - m * p,
    lambda m, p, q, e: [(m, e * q - p)],
)

PLAN_IS_NONNEGATIVE = in_every_order(
    "(6) gives no rectangle a negative mass: min{a',b'} - min{a',b} - min{a,b'} + min{a,b} >= 0 "
    "for a <= a', b <= b'",
    "a b c d",
    lambda a, b, c, d: least(b, d) - least(b, c) - least(a, d) + least(a, c),
    given=lambda a, b, c, d: [at_most(a, b), at_most(c, d)],
)

CROSSING = in_every_order(
    "(6) moves F - min{F,G} = max{0, F-G} to the right over z and G - min{F,G} to the left, "
    "F = F_i(x), G = F_j(z): together |F-G|",
    "f g",
    lambda f, g: (f - least(f, g)) - (greatest(f, g) - g),
    lambda f, g: (greatest(f, g) - g) - (f - least(f, g)),
    lambda f, g: (f - least(f, g)) + (g - least(f, g)) - abs(f - g),
    lambda f, g: abs(f - g) - (f - least(f, g)) - (g - least(f, g)),
)
