"""A campaign: survivors are searched over their whole domain, once, within a kept budget.

A trial looks where people deploy, and ends after a moment. A campaign walks over all that is
documented or declared (:attr:`~exactdp.claims.Statement.wide`, else ``far``): the ends, a grid in
log scale, draws, and from the nearest to a failure on, until it has decided so many different
instances (:data:`INSTANCES`), or the operations of its budget are spent; a domain that is listed is
gone through. No clock is read, but where a library is asked: its call counts its processor time.
An instance that takes more than its share is passed over.

What is kept of it is the number of instances, their ranges, those that were nearest to failing,
and the failure, if there is one. A trial tries these again, so that its verdict is never the
campaign's word: a failure is a witness that is computed from the definitions.

Definitions: :func:`searched`, :func:`with_hardest`, :class:`Searched`, :func:`read_searches`,
:func:`write_searches`, :func:`kept_instances`, :data:`INSTANCES`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from exactdp.audit.begun import instance_of
from exactdp.audit.ranges import Ranges
from exactdp.audit.records import json_bytes
from exactdp.claims import (
    Effort,
    Falls,
    Instance,
    Open,
    Outcome,
    Paper,
    Quantifier,
    Statement,
)
from exactdp.claims.spread import FARTHEST
from exactdp.errors import DomainError, ExactDPError, ParseError, TooLargeError
from exactdp.execution import held_file
from exactdp.numbers.effort import spend, within_work

__all__ = [
    "BUDGET",
    "INSTANCES",
    "Searched",
    "kept_instances",
    "read_searches",
    "searched",
    "with_hardest",
    "write_searches",
]

SEARCHES, SEARCHES_FORMAT = "searches.json", "exactdp-searches/1"
"""The file of a paper's campaigns, and the name of its format."""

Searches: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Claim -> reading -> what a campaign found, as the file has it."""

INSTANCES = 1000
"""So many different instances end a campaign: 300 are asked for, those that are quick are more."""

BUDGET = 20_000_000
"""The operations of one reading: about twenty seconds of an ordinary processor."""

_SHARE = 16
"""An instance may take one of so many parts of the budget."""

_EACH = 5_000
"""What an instance counts at least."""

_KEPT = 10
"""So many of the instances that were nearest to failing are kept."""

_TRIES = (8, 8, 16, 32, 64, 128, 256)
"""Walks, one seed after another, each of so many instances and as many climbs: a budget that is
spent early has seen all kinds of instances."""

_FIRST_END, _FURTHER = 100, 10
"""Integers go so far in the first walk, and so many times as far in the next one, where the last
took less than a part (:data:`_QUICK`) of the budget: calls and laws grow with them."""

_QUICK = 12
"""A walk is quick that takes less than one part in so many of the budget."""

_FARTHEST = FARTHEST**5
"""Every other walk takes reals so far from an end, and by its inverse so near: what is promised of
every δ may fail below 1e-12 alone."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The finding of a campaign on one reading.

    Attributes:
        seed: The first seed of its draws.
        budget: The operations that it had.
        operations: The operations that it spent.
        instances: The different ones that it decided.
        whole: Whether they are all that there are.
        tried: Their ranges, in words.
        hardest: The instances nearest to failing, the nearest first.
        failure: One that fails, or None.
        rounding: One that fails by no more than rounding, or at a δ of no more; or None.
    """

    seed: int
    budget: int
    operations: int
    instances: int
    whole: bool
    tried: str
    hardest: tuple[str, ...]
    failure: str | None
    rounding: str | None = None

    def __str__(self) -> str:
        if self.failure is not None:
            return f"fails at {self.failure}"
        many = f"all {self.instances} instances" if self.whole else f"{self.instances} instances"
        more = f"; by rounding it fails at {self.rounding}" if self.rounding else ""
        return f"searched: {many} by seed {self.seed}, {self.operations:,} operations{more}"


class _Campaign:
    """The state of a campaign."""

    def __init__(self, statement: Statement, budget: int) -> None:
        self.statement, self.budget = statement, budget
        self.scores: dict[str, float] = {}
        self.ranges, self.failure, self.rounding = Ranges(), "", ""
        self.total: Any = None

    @property
    def used(self) -> int:
        """The operations that were spent."""
        return 0 if self.total is None else int(self.total.used)

    @property
    def is_over(self) -> bool:
        return bool(self.failure) or len(self.scores) >= INSTANCES

    def outcome(self, at: Instance) -> Outcome | None:
        """Return the outcome at an instance; None where that takes too much."""
        spend(_EACH)
        try:
            with within_work(self.budget // _SHARE):
                return self.statement.holds(at)
        except (ExactDPError, MemoryError, OverflowError, RecursionError):
            return None

    def score(self, at: Instance) -> tuple[float, ...] | None:
        """Return how near to failing an instance is, and first whether it fails."""
        outcome = self.outcome(at)
        if outcome is None or outcome.truth.is_open:
            return None
        text = str(at)
        if not outcome.truth.is_possible and _is_rounding(self.statement, outcome):
            self.rounding = self.rounding or text
            return None  # it decides nothing: the walk goes on
        if not outcome.truth.is_possible:
            self.failure = text
            return (1.0, 0.0)
        near = _nearness(outcome)
        self.scores[text] = near
        self.ranges.add(at)
        return (0.0, -near)


def _is_rounding(statement: Statement, outcome: Outcome) -> bool:
    """Return whether a failure is of less than would fall with the statement."""
    is_meant = statement.is_exact or statement.falls is Falls.ROUNDING
    return outcome.falls is Falls.ROUNDING and not is_meant


def _nearness(outcome: Outcome) -> float:
    """Return how far an outcome is from failing: 0 at its end, 1 far away."""
    try:
        if outcome.nearness is not None:
            return float(outcome.nearness())
        if outcome.slack is not None and outcome.slack >= 1:
            return float(1 - 1 / outcome.slack)
    except (ExactDPError, ArithmeticError):
        pass
    return 1.0


def searched(statement: Statement, *, seed: int = 0, budget: int = BUDGET) -> Searched:
    """Return the finding of a campaign on a statement about all its instances.

    Args:
        statement: The statement.
        seed: The seed of its draws.
        budget: The operations that it may spend.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all
        >>> from exactdp.claims.kinds import integers
        >>> over = cases(n=(1, 2)).within(n=integers(1, 10**9))
        >>> found = searched(for_all(over, lambda n: at_most(n * n, n + 10**10)))
        >>> found.failure is not None, found.instances < 300
        (True, True)
        >>> fewer = cases(n=(1, 2)).within(n=integers(1, 8))
        >>> str(searched(for_all(fewer, lambda n: at_most(n * n, 64))))
        'searched: all 8 instances by seed 0, 40,080 operations'
    """
    campaign, is_whole = _Campaign(statement, budget), False
    with suppress(TooLargeError), within_work(budget) as total:
        campaign.total = total
        is_whole = _walked(campaign, seed)
    hardest = nlargest(_KEPT, campaign.scores, key=lambda text: -campaign.scores[text])
    return Searched(
        seed,
        budget,
        campaign.used,
        len(campaign.scores),
        is_whole and not campaign.failure,
        str(campaign.ranges),
        tuple(hardest),
        campaign.failure or None,
        campaign.rounding or None,
    )


def _walked(campaign: _Campaign, seed: int) -> bool:
    """Walk until the campaign is over; return whether that was the whole domain."""
    from exactdp.audit.walks import walk

    statement, end, spent = campaign.statement, _FIRST_END, 0
    for count, tries in enumerate(_TRIES):
        if count and campaign.used - spent < campaign.budget // _QUICK:
            end *= _FURTHER
        made, spent = None, campaign.used
        if statement.wide is not None:
            made = statement.wide(end)
        elif statement.far is not None:
            made = statement.far(end, INSTANCES, FARTHEST if count % 2 else _FARTHEST)
        elif statement.domain is not None and statement.domain.is_drawn:
            made = statement.domain.far(end)
        if made is None or isinstance(made, list):
            instances, is_whole = _members(statement) if made is None else (made, True)
            return _gone_through(campaign, instances) and is_whole
        walk(
            made,
            campaign.score,
            tries=tries,
            seed=seed + count,
            same=2,
            rejected=4,
            is_over=lambda: campaign.is_over,
            key=str,
        )
        if campaign.is_over:
            break
    return False


def _members(statement: Statement) -> tuple[Iterable[Instance], bool]:
    """Return the instances of a statement that has no strategy, and whether they are all."""
    with suppress(DomainError):  # of what cannot be counted those of the long list
        if statement.domain is not None:
            statement.domain.refuse_infinite()
            return statement.domain.members(), True
    return statement.instances(Effort.DEEP), False


def _gone_through(campaign: _Campaign, instances: Iterable[Instance]) -> bool:
    """Decide instances one by one; return whether all were."""
    is_all = True
    for at in instances:
        if campaign.is_over:
            return False
        is_all = campaign.score(at) is not None and is_all
    return is_all


def with_hardest(statement: Statement | Open, texts: Sequence[str]) -> Statement | Open:
    """Return the statement with the kept instances of a campaign after its own.

    Args:
        statement: The statement; a question has no instances, and is returned.
        texts: The kept failure, and the kept instances, as they print.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all
        >>> from exactdp.claims.kinds import integers
        >>> over = cases(n=(1, 2)).within(n=integers(1))
        >>> squares = with_hardest(for_all(over, lambda n: at_most(n * n, 2000)), ["n=45"])
        >>> [at["n"] for at in squares.instances(Effort.DEFAULT)]
        [1, 2, 45]
    """
    if isinstance(statement, Open) or statement.quantifier is not Quantifier.ALL or not texts:
        return statement
    return replace(statement, instances=_Followed(statement, texts))


@dataclass(frozen=True)
class _Followed:
    """The instances of a statement, and then the kept ones that are not among them."""

    statement: Statement
    texts: Sequence[str]

    def __call__(self, effort: Effort) -> Iterator[Instance]:
        return chain(self.statement.instances(effort), self._kept())

    def _kept(self) -> Iterator[Instance]:
        for text in self.texts:
            at = instance_of(self.statement, text)
            if at is not None and self.statement.again is not None:
                yield from self.statement.again(at)
            elif at is not None:
                yield at


def read_searches(paper: Paper) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the findings that a paper keeps of its campaigns: claim -> reading -> facts.

    Raises:
        ParseError: If the file is not one.
    """
    path = Path(paper.folder) / SEARCHES
    if not paper.folder or not path.exists():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != SEARCHES_FORMAT:
            raise ValueError(f"format {document['format']!r} is not {SEARCHES_FORMAT!r}")
        return dict(document["claims"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ParseError(
            f"{path}: no campaigns are kept there ({error}). "
            "Make it anew: exactdp audit --search --update-inventory."
        ) from error


def write_searches(folder: Path, found: Searches) -> None:
    """Replace the findings of campaigns in a paper's folder."""
    document = {"format": SEARCHES_FORMAT, "claims": {x: found[x] for x in sorted(found)}}
    with held_file(folder / SEARCHES) as place:
        place.write(json_bytes(document))


def kept_instances(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the instances that a trial tries again: the failure, and the hardest ones.

    Example:
        >>> kept_instances({"failure": "n=9", "hardest": ["n=8", "n=7"]})
        ('n=9', 'n=8', 'n=7')
        >>> kept_instances({})
        ()
    """
    failure = facts.get("failure")
    return (*([failure] if failure else []), *facts.get("hardest", ()))
