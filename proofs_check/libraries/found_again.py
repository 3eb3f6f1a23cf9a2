"""Ask the search to find kept failures again. Each promise that falls, asked without its list.

    python -m proofs_check.libraries.found_again [CLAIM ...] [--keep]

Where libraries and programs are say ``EXACTDP_PYTHONS`` and ``EXACTDP_PROGRAMS``, as
``.ci/libraries`` sets them. A reading that is refuted keeps its draws and loses its list; of the
draws that fail the one that tells most (``telling``) stands beside the kept one. ``--keep`` writes
``search.json`` and, of the same rows, ``SEARCH.md``; rows of what cannot be asked here stay.

Definitions: :class:`Row`, :func:`rows_of`, :func:`rows_of_claim`, :func:`word_of`, :func:`table`,
:func:`kept_rows`.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
from msgspec import structs

from exactdp.audit.beyond import failure_beyond
from exactdp.audit.inventory import read_inventory
from exactdp.claims import Claim, Effort, Instance, Outcome, Statement, packages_of_papers
from exactdp.errors import StoppedError
from exactdp.execution import Limits, absence, side_by_side
from exactdp.numbers import Exact, decimal
from proofs_check.libraries import PAPER
from proofs_check.libraries.telling import size

__all__ = ["Row", "kept_rows", "rows_of", "rows_of_claim", "table", "word_of"]

WORDS = ("found again", "a worse one", "a lesser one", "not found", "absent")
"""What the search does: as large a failure, a larger, a smaller, none; or it asks nobody here."""

_FOLDER = Path(PAPER.folder)
_JSON, _MARKDOWN = _FOLDER / "search.json", _FOLDER / "SEARCH.md"
_SECONDS = 3600.0
"""The processor time of all readings of a claim."""

_Job = tuple[str, tuple[tuple[str, str], ...]]
"""A claim, its refuted readings, and the witness of each."""


_HEAD = """\
# What the search alone finds of the promises that fall

Made by `python -m proofs_check.libraries.found_again --keep`: each refuted reading is left to its
search alone, without the list of deployments that it is kept with. A ratio is how many times the
smaller of truth and claim the larger is (none where one of them is not above 0). The worse of two
failures is the one that tells a reader more: in an ordinary deployment, by more than rounding, by a
larger ratio, to a percent (`telling.py`). A search ends after its draws, and up to twice as many
more where it climbs from failures to worse ones. What was not asked again keeps the row of an
earlier search.
"""
_COLUMNS = (
    "| promise | the search | draws | ratio kept | ratio found | found at |",
    "|---|---|---|---|---|---|",
)


class Row(msgspec.Struct, frozen=True):
    """A refuted reading, and the finding of the search alone.

    Attributes:
        claim: Its id, without "libraries/".
        reading: The reading, or "".
        word: Of :data:`WORDS`.
        kept: How many times the smaller of truth and claim the larger is, at the kept witness;
            "" where one is not above 0.
        found: The same of the failure that the search finds.
        at: That failure.
        draws: How many draws the search has.
        why: Why nothing is known.
    """

    claim: str
    reading: str
    word: str
    kept: str = ""
    found: str = ""
    at: str = ""
    draws: int = 0
    why: str = ""


def rows_of(claims: Sequence[Claim], workers: int | None = None) -> list[Row]:
    """Return the rows of the refuted readings of these claims, side by side."""
    kept = read_inventory(PAPER) or {}
    jobs = [(claim.id, tuple(_refuted(kept, claim).items())) for claim in claims]
    rows = side_by_side(
        _rows,
        [job for job in jobs if job[1]],
        workers=workers,
        packages=packages_of_papers(),
        name=lambda job: job[0],
        limits=Limits(seconds=_SECONDS, memory=3 * 10**9),
        stopped=_stopped,
    )
    return [row for of_claim in rows for row in of_claim]


def _refuted(kept: Mapping[str, Any], claim: Claim) -> dict[str, str]:
    """Return the kept witnesses of a claim by reading."""
    readings = kept.get(claim.id, {}).get("readings", {}).items()
    return {key: facts["witness"] for key, facts in readings if facts["verdict"] == "refuted"}


def word_of(kept: tuple[int, float], found: tuple[int, float] | None) -> str:
    """Return a word for the fate in the search of a failure that tells so much.

    Example:
        >>> word_of((3, 0.5), (3, 0.5)), word_of((3, 0.5), (3, 0.4)), word_of((2, 0.0), None)
        ('found again', 'a lesser one', 'not found')
    """
    if found is None:
        return "not found"
    if found == kept:
        return "found again"
    return "a worse one" if found > kept else "a lesser one"


def table(rows: Sequence[Row]) -> str:
    """Return the page: how many of each word, and a row a reading."""
    counts = Counter(row.word for row in rows)
    told = ", ".join(f"{counts[word]} {word}" for word in WORDS if counts[word])
    lines = [_HEAD, f"{len(rows)} readings: {told}.", "", *_COLUMNS]
    for row in rows:
        name = f"`{row.claim}`" + (f" ({row.reading})" if row.reading else "")
        at = row.why or (f"`{row.at}`" if row.at else "")
        lines.append(f"| {name} | {row.word} | {row.draws} | {row.kept} | {row.found} | {at} |")
    return "\n".join(lines) + "\n"


def kept_rows() -> list[Row]:
    """Return the rows that are kept."""
    return msgspec.json.decode(_JSON.read_bytes(), type=list[Row]) if _JSON.exists() else []


def _stopped(job: _Job, error: StoppedError) -> list[Row]:
    name, readings = job
    return [Row(name.partition("/")[2], key, "not found", why=str(error)) for key, _ in readings]


@lru_cache(maxsize=1)
def _claims() -> Mapping[str, Claim]:
    return {claim.id: claim for claim in PAPER.claims()}


def _rows(job: _Job) -> list[Row]:
    name, readings = job
    return rows_of_claim(_claims()[name], dict(readings))


def rows_of_claim(claim: Claim, witnesses: Mapping[str, str]) -> list[Row]:
    """Return the rows of a claim's readings, each with its kept witness."""
    missing = absence(claim.about, claim.files) if claim.about else ""
    rows: list[Row] = []
    found: dict[int, list[Instance]] = {}  # by the promise, of which readings are others
    for key, witness in witnesses.items():
        statement = claim.readings[key]
        assert isinstance(statement, Statement)
        holds = statement.holds
        promise = id(holds.args[0] if isinstance(holds, partial) else statement)
        row = Row(claim.id.partition("/")[2], key, "absent", draws=statement.draws, why=missing)
        rows.append(
            row if missing else _row(row, statement, witness, found.setdefault(promise, []))
        )
    return rows


def _row(row: Row, statement: Statement, witness: str, others: list[Instance]) -> Row:
    """Return the row of a reading, beginning with findings in others of its promise."""
    start, decided = monotonic(), 0
    kept = _kept(statement, witness)
    by = ((0, 0.0), "") if kept is None else _weighed(statement, kept)

    def outcome_of(at: Instance) -> Outcome:
        nonlocal decided
        decided += 1
        return statement.holds(at)

    failing = (one for one in others if not statement.holds(one).truth.is_possible)
    at = next((one for one in failing if _weighed(statement, one)[0] >= by[0]), None)
    if at is None and statement.strategy is not None:
        at = failure_beyond(statement, Effort.DEFAULT, outcome_of, shrinks=False)
    found = None if at is None else _weighed(statement, at)
    others += [] if at is None else [at]
    word = word_of(by[0], found and found[0])
    seconds = monotonic() - start
    said = f"{row.claim} {row.reading}: tried: {decided} deployments in {seconds:.0f} s: {word}"
    print(said, file=sys.stderr)
    by_found = "" if found is None else found[1]
    return structs.replace(row, word=word, kept=by[1], found=by_found, at=str(at or ""))


def _kept(statement: Statement, witness: str) -> Instance | None:
    """Return the kept witness as an instance: it is read, or one of the list."""
    if statement.read is not None:
        return statement.read(witness)
    listed = statement.instances(Effort.DEFAULT)
    return next((at for at in listed if str(at) == witness), None)


def _weighed(statement: Statement, at: Instance) -> tuple[tuple[int, float], str]:
    """Return how much a failure tells, and its ratio."""
    outcome = statement.holds(at)
    by = size(outcome)
    told = 1, 0.0
    if statement.tells is not None:
        told = statement.tells(at, outcome)
    elif by is not None:
        told = 3, round(math.log(by), 2)
    return told, "" if by is None else decimal(Exact(by), digits=5)


def main(arguments: Sequence[str]) -> None:
    """Print the rows of some claims, or of all; keep them."""
    names = [one for one in arguments if not one.startswith("--")]
    claims = [c for c in PAPER.claims() if not names or any(n in f"{c.id}/" for n in names)]
    found = rows_of(claims)
    if "--keep" not in arguments:
        print(table(found), end="")
        return
    new: dict[tuple[str, str], Any] = {(row.claim, row.reading): row for row in found}
    old = {(row.claim, row.reading): row for row in kept_rows()}
    for at, row in new.items():
        if row.word != "absent" or at not in old:
            old[at] = row
    kept = read_inventory(PAPER) or {}
    refuted = [(c.id.partition("/")[2], key) for c in PAPER.claims() for key in _refuted(kept, c)]
    rows = [old[at] for at in refuted if at in old]
    _JSON.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")
    _MARKDOWN.write_text(table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
