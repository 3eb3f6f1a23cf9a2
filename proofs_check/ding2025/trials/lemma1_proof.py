"""Appendix A: the three bullets in the proof of Lemma 1, on the steps of min{F_i, F_j}.

With a = F_i(x), a' = F_i(x + dx), b = F_j(x'), b' = F_j(x' + dx') the mass of the plan in
(x, x + dx] x (x', x' + dx'] is d² = min{a', b'} − min{a', b} − min{a, b'} + min{a, b}. Any
0 <= a <= a' <= 1 and 0 <= b <= b' <= 1 are values of cumulative distributions. On each order of
the four numbers every minimum is a linear function, and so is the case in force; the numbers
in that order are the nonnegative combinations of its 0/1 vectors (the indicators of the
largest ones). So an identity, or that a number is at least 0, is decided by 0/1 vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from exactdp.certificates import Certificate, Term, function, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.truth import Truth
from proofs_check.ding2025.terms import LinePair

__all__ = ["TRIALS"]

SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda s, t: s == t,
    ">": lambda s, t: s > t,
    "<": lambda s, t: s < t,
    ">=": lambda s, t: s >= t,
    "<=": lambda s, t: s <= t,
}


@dataclass(frozen=True, slots=True)
class Steps:
    """The four values; numbers, or terms for the kernel."""

    a: Any
    a2: Any
    b: Any
    b2: Any

    @property
    def second_difference(self) -> Any:
        """d² of (27)."""
        return (
            least(self.a2, self.b2)
            - least(self.a2, self.b)
            - least(self.a, self.b2)
            + least(self.a, self.b)
        )

    def value(self, name: str) -> Any:
        """Return one of the four by name."""
        return getattr(self, name)


def least(s: Any, t: Any) -> Any:
    """Return the smaller of two numbers or terms."""
    if isinstance(s, Term) or isinstance(t, Term):
        return function("min", s, t)
    return min(s, t)


def greatest(s: Any, t: Any) -> Any:
    """Return the larger of two numbers or terms."""
    if isinstance(s, Term) or isinstance(t, Term):
        return function("max", s, t)
    return max(s, t)


@dataclass(frozen=True, slots=True)
class Step:
    """What a bullet says in a case: that ``left`` equals ``right``, perhaps at least 0.

    Attributes:
        when: Relations between the four values, by name: the case.
        left: A side.
        right: The other side.
        nonnegative: Whether the right side is said to be at least 0.
    """

    when: tuple[tuple[str, str, str], ...]
    left: Callable[[Steps], Any]
    right: Callable[[Steps], Any]
    nonnegative: bool = False

    def applies(self, v: Steps) -> bool:
        """Return whether the case holds."""
        return all(SIGNS[sign](v.value(s), v.value(t)) for s, sign, t in self.when)

    def holds(self, v: Steps) -> bool:
        """Return whether the sides agree, and are at least 0 if so said."""
        right = self.right(v)
        return bool(self.left(v) == right and (not self.nonnegative or right >= 0))


def _instances(effort: Effort) -> Iterator[Instance]:
    for denominator in (1, 2, 4) if effort is Effort.DEFAULT else (1, 2, 4, 5, 6):
        grid = [Fraction(k, denominator) for k in range(denominator + 1)]
        for a, a2, b, b2 in product(grid, repeat=4):
            if a <= a2 and b <= b2:
                yield Instance.of(F_i_x=a, F_i_x_dx=a2, F_j_x=b, F_j_x_dx=b2)


def _bullet(steps: list[Step], *, false_variant: list[Step] | None = None) -> Statement:
    """All steps hold in their cases, for all cumulative distributions."""

    def holds(at: Instance) -> Outcome:
        v = Steps(*at.mapping().values())
        for step in steps:
            if step.applies(v) and not step.holds(v):
                return Outcome(
                    Truth.FALSE,
                    f"the left side is {step.left(v)}, the right side {step.right(v)}",
                    lambda step=step: _evidence(v, step),  # type: ignore[misc]
                )
        return Outcome(Truth.TRUE)

    def proof() -> Proved | None:
        cones = 0
        for order in permutations(["a", "a2", "b", "b2"]):
            if order.index("a") > order.index("a2") or order.index("b") > order.index("b2"):
                continue
            cones += 1
            for step in steps:
                if not _holds_on_cone(order, step):
                    return None
        return Proved(
            "all cumulative distributions, x, x', dx, dx' > 0",
            f"every minimum is linear on each of the {cones} orders of the four values; "
            "checked on the 0/1 vectors that span them",
        )

    return Statement(
        instances=_instances,
        holds=holds,
        proof=None if false_variant is None else proof,
        false_variant=None if false_variant is None else _bullet(false_variant),
    )


def _holds_on_cone(order: tuple[str, ...], step: Step) -> bool:
    """Return whether the step holds on the closure of its case, where values have this order.

    ``order`` is ascending. A case that this order contradicts up to ties is empty or a
    face that belongs to another order as well.
    """
    rays = [
        Steps(**{name: int(order.index(name) >= k) for name in order}) for k in range(len(order))
    ]
    for s, sign, t in step.when:
        rises = order.index(s) < order.index(t)
        if sign == "=":
            # The face s = t is spanned by the vectors that do not part them.
            rays = [v for v in rays if v.value(s) == v.value(t)]
        elif (sign in ("<", "<=")) != rises:
            return True
    return all(step.holds(v) for v in rays)


def _evidence(v: Steps, step: Step) -> Certificate:
    """Laws on 0, 1, 2 with these values at x = x' = 0 and dx = dx' = 1."""
    pair = LinePair.of({0: v.a, 1: v.a2 - v.a, 2: 1 - v.a2}, {0: v.b, 1: v.b2 - v.b, 2: 1 - v.b2})
    terms = Steps(
        pair.cumulative("p", 0),
        pair.cumulative("p", 1),
        pair.cumulative("q", 0),
        pair.cumulative("q", 1),
    )
    return Certificate(
        define=pair.define,
        hypotheses=[relation(sign, terms.value(s), terms.value(t)) for s, sign, t in step.when],
        conclusion=[relation("!=", step.left(terms), step.right(terms))],
    )


def _difference(v: Steps) -> Any:
    return v.second_difference


EQUAL, ABOVE, BELOW = ("a", "=", "b"), ("a", ">", "b"), ("a", "<", "b")


def _row_step(*when: tuple[str, str, str]) -> Step:
    """min{F_i(x), F_j(x' + dx')} = min{F_i(x), F_j(x')}."""
    return Step(when, lambda v: least(v.a, v.b2), lambda v: least(v.a, v.b))


def _column_step(*when: tuple[str, str, str]) -> Step:
    """min{F_i(x + dx), F_j(x')} = min{F_i(x), F_j(x')}."""
    return Step(when, lambda v: least(v.a2, v.b), lambda v: least(v.a, v.b))


def _without_row(v: Steps) -> Any:
    return least(v.a2, v.b2) - least(v.a2, v.b)


def _without_column(v: Steps) -> Any:
    return least(v.a2, v.b2) - least(v.a, v.b2)


BULLET_1 = [_row_step(EQUAL), Step((EQUAL,), _difference, _without_row, nonnegative=True)]

BULLET_2 = [
    _column_step(ABOVE),
    Step((ABOVE,), _difference, _without_column),
    Step((ABOVE, ("a", ">=", "b2")), _difference, lambda v: 0 * v.a),
    Step(
        (ABOVE, ("a", "<", "b2")), _difference, lambda v: least(v.a2, v.b2) - v.a, nonnegative=True
    ),
]


def _bullet_3(last: Callable[[Steps], Any]) -> list[Step]:
    return [
        Step((BELOW,), _difference, _without_row),
        Step((BELOW, ("a2", "<=", "b")), _difference, lambda v: 0 * v.a),
        Step((BELOW, ("a2", ">", "b")), _difference, last, nonnegative=True),
    ]


def _printed_last(v: Steps) -> Any:
    """min{F_i(x + dx), F_j(x' + dx')} − F_i(x'), at x = x'."""
    return least(v.a2, v.b2) - v.a


def _mended_last(v: Steps) -> Any:
    return least(v.a2, v.b2) - v.b


def _overlap(v: Steps) -> Any:
    return least(v.a2, v.b2) - greatest(v.a, v.b)


SUPPORT = [
    Step((("a", "<=", "b2"), ("b", "<=", "a2")), _difference, _overlap, nonnegative=True),
    Step((("a", ">", "b2"),), _difference, lambda v: 0 * v.a),
    Step((("b", ">", "a2"),), _difference, lambda v: 0 * v.a),
]
"""d² = max{0, min{a', b'} − max{a, b}}: by how much the intervals (a, a'] and (b, b'] overlap."""


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/lemma-1/proof/bullet-1": {"": _bullet(BULLET_1, false_variant=[_row_step(ABOVE)])},
    "ding2025/lemma-1/proof/bullet-2": {"": _bullet(BULLET_2, false_variant=[_row_step(ABOVE)])},
    "ding2025/lemma-1/proof/bullet-3": {
        "a": _bullet([_column_step(BELOW)]),
        "b": _bullet([_row_step(BELOW)], false_variant=[_column_step(BELOW)]),
    },
    "ding2025/lemma-1/proof/bullet-3/difference": {"": _bullet(_bullet_3(_printed_last))},
    "ding2025/repair/lemma-1-bullet-3": {
        "": _bullet(_bullet_3(_mended_last), false_variant=_bullet_3(_printed_last))
    },
    "ding2025/repair/lemma-1-support": {
        "": _bullet(SUPPORT, false_variant=[Step((), _difference, _overlap)])
    },
}
