"""Beyond the listed instances: draws of a statement's strategy, and the failure that is kept.

Where a statement says how much a failure tells a reader (``Statement.tells``), a walk goes from
the simplest instance to others, and from each failure to one that tells more (``walks``); the one
that tells most is shrunk to the simplest that tells as much. Elsewhere the first failure is.

Definitions: :func:`failure_beyond`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hypothesis import HealthCheck, Phase, Verbosity, find, settings, target
from hypothesis.errors import NoSuchExample, Unsatisfiable

from exactdp.audit.draws import steady
from exactdp.audit.walks import shrunk, walk
from exactdp.claims import Effort, Instance, Outcome, Statement

__all__ = ["failure_beyond"]

_LARGEST_SLACK = Fraction(10**6)
"""The largest ratio claimed/true that the search tells from larger ones: all are far off."""

_LONGER = {Effort.DEFAULT: 1, Effort.DEEP: 200}
"""How many times the instances that a statement asks for are drawn, by effort.

More find rarer failures; a run takes longer in proportion."""


def failure_beyond(
    statement: Statement,
    effort: Effort,
    outcome_of: Callable[[Instance], Outcome],
    *,
    shrinks: bool = True,
) -> Instance | None:
    """Return the failing instance that tells most of those that hypothesis draws, or None.

    Args:
        statement: It has a strategy.
        effort: How many are drawn.
        outcome_of: Decides the statement at an instance.
        shrinks: Whether it is made as simple as one is that tells as much.
    """
    if statement.tells is None:
        return _found(statement, effort, lambda at: _fails(outcome_of(at)), shrinks=shrinks)

    def says(at: Instance) -> tuple[int, float] | None:
        assert statement.tells is not None
        outcome = outcome_of(at)
        return None if outcome.truth.is_possible else statement.tells(at, outcome)

    assert statement.strategy is not None
    best = walk(
        statement.strategy(),
        says,
        tries=statement.draws * _LONGER[effort],
        seed=0 if effort is Effort.DEFAULT else None,
    )
    first: Instance | None = best.at
    most = best.score
    if most is None or not shrinks:
        return first

    def is_as_telling(at: Instance) -> bool:
        tells = says(at)
        return tells is not None and tells >= most

    simplest: Instance = shrunk(statement.strategy(), best, is_as_telling)
    return simplest


def _fails(outcome: Outcome) -> bool:
    if outcome.slack is not None:
        # The search climbs towards the smallest ratio claimed/true.
        target(-float(min(outcome.slack, _LARGEST_SLACK)), label="claimed/true")
    return not outcome.truth.is_possible


def _found(
    statement: Statement,
    effort: Effort,
    condition: Callable[[Instance], bool],
    *,
    shrinks: bool,
) -> Instance | None:
    assert statement.strategy is not None
    phases = [Phase.generate, Phase.target, *([Phase.shrink] if shrinks else [])]
    profile = settings(
        max_examples=statement.draws * _LONGER[effort],
        derandomize=effort is Effort.DEFAULT,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    try:
        with steady():
            found: Instance = find(statement.strategy(), condition, settings=profile)
    except (NoSuchExample, Unsatisfiable):
        return None
    return found
