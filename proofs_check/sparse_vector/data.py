"""The data of the claims: answers on neighboring data, and reports.

Definitions: :data:`ANSWERS`, :data:`GENERAL`, :data:`MONOTONE`, :data:`REPORTS`,
:data:`ENDLESS`, :func:`reports`, :func:`monotone`, :data:`PAIRS`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from exactdp.claims.kinds import objects
from exactdp.coq.values import coq_value
from exactdp.errors import DomainError
from exactdp.testing.later import st
from proofs_check.sparse_vector.variants import Answers

__all__ = ["ANSWERS", "ENDLESS", "GENERAL", "MONOTONE", "PAIRS", "REPORTS", "monotone", "reports"]

PAIRS = [
    ((0, 1), (1, 0)),
    ((0, 0, 0, 1), (1, 1, 1, 0)),
    ((0, 0, 0), (1, 1, 0)),
    ((-2, -2, -2, -1), (-1, -1, -1, -2)),
    ((1, 0, 1), (0, 1, 0)),
    ((0, 0), (-1, -1)),
    ((3, -3, Fraction(1, 2)), (2, Fraction(-5, 2), 1)),
]
"""Answers on two data sets, the adversary's first: what is below rises, and what is above falls."""

_HALVES = [Fraction(i, 2) for i in range(-4, 5)]
_CHANGES = (Fraction(0), Fraction(1), Fraction(1, 2))


def reports(answers: Answers, c: int) -> list[tuple[int, ...]]:
    """Return the reports that answers can have, up to the cth that is above.

    Example:
        >>> reports((0, 0), 1)
        [(0, 0), (0, 1), (1,)]
    """
    found: dict[tuple[int, ...], None] = {}
    for word in product((0, 1), repeat=len(answers)):
        ends = [i for i, letter in enumerate(word, 1) if letter][c - 1 : c]
        found[word[: ends[0]] if ends else word] = None
    return list(found)


def monotone(answers: Answers, neighbor: Answers) -> bool:
    """Return whether no two answers change in opposite directions.

    Example:
        >>> monotone((0, 0), (1, 0)), monotone((0, 1), (1, 0))
        (True, False)
    """
    changes = [Fraction(b - a) for a, b in zip(answers, neighbor, strict=True)]
    return min(changes) >= 0 or max(changes) <= 0


def _is_near(answers: Answers, neighbor: Answers) -> bool:
    return len(answers) == len(neighbor) and all(
        -1 <= a - b <= 1 for a, b in zip(answers, neighbor, strict=True)
    )


def _moved(answers: Answers, signs: st.SearchStrategy[list[int]]) -> st.SearchStrategy[Answers]:
    """Return a strategy of neighbors: signs, and how far each answer moves."""
    steps = st.tuples(*[st.sampled_from(_CHANGES)] * len(answers))
    return st.tuples(steps, signs).map(
        lambda both: tuple(a + s * step for a, step, s in zip(answers, *both, strict=True))
    )


def _written(answers: Answers) -> str:
    """Return answers at the threshold in Coq, which knows the integral in closed form there."""
    if any(answers):
        raise DomainError("Coq has no closed form of the integral for answers that are not 0.")
    return coq_value("list R", answers)


ANSWERS = objects(
    "answers",
    lambda: st.lists(st.sampled_from(_HALVES), min_size=1, max_size=4).map(tuple),
    coq=("list R", "", ""),
    written=lambda answers: _written(answers),
)
GENERAL = objects(
    "answers that differ from these by at most 1 each",
    lambda answers: _moved(
        answers, st.lists(st.sampled_from([1, -1]), min_size=len(answers), max_size=len(answers))
    ),
    condition=_is_near,
    coq=("list R", "near_by answers {0}", ""),
    written=lambda neighbor: _written(neighbor),
)
MONOTONE = objects(
    "answers that differ from these by at most 1 each, all in one direction",
    lambda answers: _moved(answers, st.sampled_from([1, -1]).map(lambda s: [s] * len(answers))),
    condition=lambda answers, neighbor: _is_near(answers, neighbor) and monotone(answers, neighbor),
    coq=("list R", "near_monotone answers {0}", ""),
    written=lambda neighbor: _written(neighbor),
)
REPORTS = objects(
    "which answers are above, up to the cth that is",
    lambda answers, c: st.sampled_from(reports(answers, c)),
    condition=lambda answers, c, report: tuple(report) in reports(answers, c),
    coq=("list bool", "is_report c answers {0}", ""),
)
ENDLESS = objects(
    "which answers are above",
    lambda answers: st.sampled_from(reports(answers, len(answers))),
    condition=lambda answers, report: len(report) == len(answers),
)
