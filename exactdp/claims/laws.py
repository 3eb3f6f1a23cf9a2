"""Laws, pairs and views as terms, and the numbers asked of them.

Definitions: :func:`matrix`, :func:`finite_pair`, :func:`shuffle_pair`, :func:`hockey_stick`,
:func:`total_variation_of`, :func:`mass`, :func:`event`, :func:`ldp_ratio`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from exactdp.claims.terms import Outcome, Term, TermLike, term

__all__ = [
    "event",
    "finite_pair",
    "hockey_stick",
    "ldp_ratio",
    "mass",
    "matrix",
    "shuffle_pair",
    "total_variation_of",
]


def matrix(rows: Sequence[Sequence[Any]]) -> Term:
    """Return a matrix of masses, one row an input; give it a name to write it once."""
    return Term("matrix", tuple(tuple(map(term, row)) for row in rows))


Rows = Sequence[Sequence[Any]] | Term


def finite_pair(p: Sequence[Any], q: Sequence[Any]) -> Term:
    """Return the pair of two finite laws on the outcomes 0, 1, ...."""
    return Term("finite_pair", tuple(map(term, p)), tuple(map(term, q)))


def shuffle_pair(
    rows: Any,
    *,
    inputs: tuple[int, int],
    others: Sequence[tuple[int, int] | tuple[str, int, int]],
    victim: str = "R",
    merge: Sequence[Sequence[int]] | None = None,
) -> Term:
    """Return the view of a shuffled protocol, with the victim's first input against the second.

    Args:
        rows: The matrix of the randomizer that all users have (see :func:`matrix`), or a
            mapping of matrices by name.
        inputs: The victim's two inputs.
        others: (input, count), or (randomizer, input, count).
        victim: The victim's randomizer, where there are several.
        merge: Classes of messages that the view does not tell apart.
    """
    named_rows = dict(rows) if isinstance(rows, Mapping) else {"R": rows}
    groups = tuple(g if len(g) == 3 else ("R", *g) for g in others)
    return Term(
        "shuffle",
        tuple((k, v if isinstance(v, Term) else matrix(v)) for k, v in named_rows.items()),
        (victim, tuple(inputs)),
        tuple(g for g in groups if g[2]),
        None if merge is None else tuple(map(tuple, merge)),
    )


def hockey_stick(pair: Term, exp_epsilon: TermLike) -> Term:
    """Return D_{e^ε}(P ‖ Q) of a pair; the factor e^ε, as the format has it."""
    return Term("hockey_stick", pair, term(exp_epsilon))


def total_variation_of(pair: Term) -> Term:
    """Return the total variation of a pair."""
    return Term("total_variation", pair)


def mass(pair: Term, side: str, outcome: Outcome) -> Term:
    """Return the mass of an outcome under P (side "p") or Q (side "q")."""
    return Term("mass", pair, side, _counts(outcome))


def event(pair: Term, side: str, outcomes: Sequence[Outcome]) -> Term:
    """Return the probability of a set of outcomes."""
    return Term("event", pair, side, tuple(map(_counts, outcomes)))


def _counts(outcome: Outcome) -> int | tuple[int, ...]:
    return outcome if isinstance(outcome, int) else tuple(outcome)


def ldp_ratio(rows: Rows) -> Term:
    """Return the largest ratio of two entries of one column, at least 1."""
    return Term("ldp_ratio", rows if isinstance(rows, Term) else matrix(rows))
