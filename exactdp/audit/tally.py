"""One tally of refuted claims, the same everywhere: errors first, then claims that they reach.

An error is a cause that the catalogs name; a refuted claim that names none is an error of its own.
A refuted claim counts once, under the most serious thing that falls in it. Readings that no source
claims (hypothetical, or asked by us) do not count, nor does a remark of which another reading
holds.

Definitions: :class:`CountedReading`, :class:`Tally`, :func:`tally`, :data:`RULE`, :func:`rows_of`,
:func:`rows_of_results`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from exactdp.audit.claim_verdict import ClaimVerdict
from exactdp.claims import Claim, Refuted
from exactdp.claims.verdicts import Falls

__all__ = ["RULE", "SERIOUS", "CountedReading", "Tally", "rows_of", "rows_of_results", "tally"]

SERIOUS = tuple(falls.value for falls in reversed(Falls))
"""What can fall, the most serious first."""

RULE = (
    "A refuted claim is counted once, under the most serious thing that falls in it; claims with "
    "one cause count as one error. Readings that no source claims (hypothetical, or asked by us) "
    "are not counted, nor is a remark of which another reading holds."
)

_STANDS = ("proved", "argued", "survived")


@dataclass(frozen=True, slots=True)
class CountedReading:
    """A reading as the tally sees it.

    Attributes:
        claim: The claim's id.
        verdict: The verdict on the reading.
        falls: What falls with it, if it is refuted.
        is_claimed: Whether somebody claims it: neither hypothetical nor asked by us.
        cause: The error behind it, as the catalogs name it.
    """

    claim: str
    verdict: str
    falls: str | None = None
    is_claimed: bool = True
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Refuted claims and the errors behind them, by how serious they are.

    Attributes:
        claims: What falls -> in how many claims.
        errors: What falls -> the errors behind them: causes, or the claim itself.
    """

    claims: Mapping[str, int]
    errors: Mapping[str, frozenset[str]]

    @property
    def line(self) -> str:
        """The tally in words.

        Example:
            >>> rows = [CountedReading("x/1", "refuted", "result", cause="x/log"),
            ...         CountedReading("x/2", "refuted", "result", cause="x/log"),
            ...         CountedReading("x/3", "refuted", "remark"), CountedReading("x/3", "proved")]
            >>> tally(rows).line
            '1 error behind 2 results'
        """
        told = [
            f"{_counted(len(behind), 'error')} behind {_counted(self.claims[kind], kind)}"
            for kind in SERIOUS
            if (behind := self.errors.get(kind))
        ]
        return ", ".join(told) or "no claim of the source is refuted"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 or word == "rounding" else f"{count} {word}s"


def tally(rows: Iterable[CountedReading]) -> Tally:
    """Return the tally of refuted claims, whose readings stand together."""
    claims: Counter[str] = Counter()
    errors: dict[str, set[str]] = {}
    for name, found in groupby(rows, key=lambda row: row.claim):
        readings = list(found)
        fallen = [row for row in readings if row.verdict == "refuted" and row.is_claimed]
        kinds = {row.falls or Falls.RESULT.value for row in fallen}
        if any(row.is_claimed and row.verdict in _STANDS for row in readings):
            kinds.discard(Falls.REMARK.value)
        worst = next((kind for kind in SERIOUS if kind in kinds), None)
        if worst is not None:
            claims[worst] += 1
            behind = (row.cause for row in fallen if (row.falls or "result") == worst)
            errors.setdefault(worst, set()).update(cause or name for cause in behind)
    return Tally(claims, {kind: frozenset(found) for kind, found in errors.items()})


def rows_of(claims: Iterable[Claim], kept: Mapping[str, Any]) -> Iterator[CountedReading]:
    """Yield the rows of claims with the verdicts that an inventory keeps of them."""
    for claim in claims:
        for key, facts in kept.get(claim.id, {}).get("readings", {}).items():
            yield _row(claim, key, facts["verdict"], facts.get("falls"))


def rows_of_results(results: Iterable[ClaimVerdict]) -> Iterator[CountedReading]:
    """Yield the rows of an audit's results."""
    for result in results:
        for key, verdict in result.readings.items():
            falls = verdict.falls if isinstance(verdict, Refuted) else None
            yield _row(result.claim, key, verdict.label, falls and falls.value)


def _row(claim: Claim, key: str, verdict: str, falls: str | None) -> CountedReading:
    return CountedReading(claim.id, verdict, falls, not claim.apart(key), claim.causes.get(key))
