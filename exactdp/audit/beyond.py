"""Beyond the listed instances: what a statement's strategy draws, and which failure is kept.

Where a statement says how much a failure tells a reader (``Statement.tells``), all draws are
decided, and the one that tells most is shrunk to the simplest that tells as much. Elsewhere the
first failure is.

Definitions: :func:`failure_beyond`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from time import monotonic

from hypothesis import HealthCheck, Phase, Verbosity, find, settings, target
from hypothesis.errors import NoSuchExample

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
    seconds: float = math.inf,
) -> Instance | None:
    """Return the failing instance that tells most of those that hypothesis draws, or None.

    Args:
        statement: It has a strategy.
        effort: How many are drawn.
        outcome_of: Decides the statement at an instance.
        shrinks: Whether it is made as simple as one is that tells as much.
        seconds: After which no more are drawn, where a failure says how much it tells.
    """
    if statement.tells is None:
        return _found(statement, effort, lambda at: _fails(outcome_of(at)), shrinks=shrinks)
    # The first of those that tell most: of equal ones the draws have the simpler ones first.
    found: list[tuple[tuple[int, float], Instance]] = []
    end = monotonic() + seconds

    def says(at: Instance) -> tuple[int, float] | None:
        assert statement.tells is not None
        outcome = outcome_of(at)
        return statement.tells(at, outcome) if _fails(outcome) else None

    def is_last(at: Instance) -> bool:
        tells = says(at)
        if tells is not None and (not found or tells > found[0][0]):
            found[:] = [(tells, at)]
        return monotonic() > end

    _found(statement, effort, is_last, shrinks=False)
    if not found:
        return None
    most, first = found[0]

    def is_as_telling(at: Instance) -> bool:
        tells = says(at)
        return tells is not None and tells >= most

    shrunk = _found(statement, effort, is_as_telling, shrinks=True) if shrinks else None
    return first if shrunk is None else shrunk


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
        found: Instance = find(statement.strategy(), condition, settings=profile)
    except NoSuchExample:
        return None
    return found
