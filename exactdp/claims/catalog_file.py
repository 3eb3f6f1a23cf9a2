"""The files that keep what a paper's claims say: ``catalog.toml`` and ``repairs.toml``.

They stand in the folder of the paper's package, are TOML in UTF-8, and hold no verdicts. An
entry ``[[claims]]`` is one claim, in the paper's order:

======================  ==========================================================
``id``                  ``paper/place``, permanent; no spaces
``where``               the place in the print, such as ``"Theorem 3.1"``
``says``                what it asserts, in words and formulas
``readings``            where the print can be meant in several ways, each under a key
                        of its own: ``{ a = "for some n", b = "for every n" }``
``hypothetical``        the keys of readings that nobody is known to claim: ``["b"]``
``withdrawn``           where the authors have taken it back themselves
``repair``              the id of the claim of this paper that mends it, if it falls
======================  ==========================================================

The first three are required. ``catalog.toml`` begins with ``citation = "Authors: Title
(year)"``, for a library with ``about = "name==version"`` after it, and holds what is printed.
A program that is no package has ``files = { "its/file.py" = "SHA-256" }`` too, at that version.
``repairs.toml``, which need not be there, holds the
statements that mend refuted ones: the same entries, with ``/repair/`` in their ids. A trial
(``TRIALS`` of the package's ``trials``) belongs to each id; to each reading, if it has some.

Every error names the file and the place inside of it.

Definitions: :class:`Entry`, :class:`Catalog`, :func:`read_catalog`.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType, field

from exactdp.errors import ParseError
from exactdp.problems.validation import converted
from exactdp.problems.values import Strict

__all__ = ["CATALOG", "REPAIRS", "Catalog", "Entry", "read_catalog"]

CATALOG, REPAIRS = "catalog.toml", "repairs.toml"

Id = Annotated[
    str, Meta(pattern=r"^[^\s/]+(/[^\s/]+)+$", description="Write paper/place, without spaces.")
]
Text = Annotated[str, Meta(min_length=1, description="Write a text in quotes.")]

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="Write a SHA-256 in hex.")]


class Entry(Strict, frozen=True, kw_only=True):
    """One claim, as the file has it; see the module for the keys."""

    id: Id
    where: Text
    says: Text
    readings: dict[str, Text] | UnsetType = UNSET
    hypothetical: list[Text] | UnsetType = UNSET
    withdrawn: Text | None = None
    repair: Id | None = None

    @property
    def by_reading(self) -> dict[str, str]:
        """What each reading takes the print to mean; one, without a key, if there are none."""
        return {"": ""} if isinstance(self.readings, UnsetType) else self.readings


class Catalog(Strict, frozen=True, kw_only=True):
    """The content of ``catalog.toml``."""

    citation: Text
    claims: list[Entry]
    about: Annotated[str, Meta(pattern="^[^=]+==[^=]+$")] | None = None
    files: dict[str, Digest] = field(default_factory=dict)


class Repairs(Strict, frozen=True, kw_only=True):
    """The content of ``repairs.toml``."""

    claims: list[Entry]


def read_catalog(folder: Path, *, key: str = "") -> tuple[Catalog, tuple[Entry, ...]]:
    """Return the catalog of a paper's folder, and its repairs (none without the file).

    Args:
        folder: The folder.
        key: What its ids begin with; by default its name, which is the paper's key.

    Raises:
        ParseError: If a file is not what the module says; it names the place.
    """
    printed: Catalog = _read(folder / CATALOG, Catalog)
    mended = ()
    if (folder / REPAIRS).exists():
        mended = tuple(_read(folder / REPAIRS, Repairs).claims)
    places: dict[str, str] = {}
    for file, entries in ((CATALOG, printed.claims), (REPAIRS, mended)):
        for i, entry in enumerate(entries):
            place = f"{folder / file}: $.claims[{i}]"
            _check(entry, place, key=key or folder.name, is_repair=file == REPAIRS)
            if entry.id in places:
                raise ParseError(
                    f'{place}.id="{entry.id}" stands at {places[entry.id]} too. Give each id once.'
                )
            places[entry.id] = place
    for entry in (*printed.claims, *mended):
        if entry.repair is not None and (entry.repair not in places or entry.repair == entry.id):
            raise ParseError(
                f'{places[entry.id]}.repair="{entry.repair}" is no other claim of this paper. '
                "Give an id of its catalog or of its repairs."
            )
    return printed, mended


def _read(path: Path, kind: type[Strict]) -> Any:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        # What TOML has and JSON has not, a date, is shown as one where a text is expected.
        document = json.loads(json.dumps(document, default=lambda date: {"date": str(date)}))
        return converted(document, kind)
    except OSError as error:
        raise ParseError(f"{path}: cannot be read: {error.strerror}.") from None
    except ValueError as error:  # no UTF-8, no TOML, or not these keys
        raise ParseError(f"{path}: {error}") from None


def _check(entry: Entry, place: str, *, key: str, is_repair: bool) -> None:
    if not entry.id.startswith(f"{key}/") or ("/repair/" in entry.id) != is_repair:
        wanted = f"{key}/repair/..." if is_repair else f"{key}/..., without /repair/"
        raise ParseError(f'{place}.id="{entry.id}" is not of this file. Write {wanted}.')
    if "" in entry.by_reading and not isinstance(entry.readings, UnsetType):
        raise ParseError(f'{place}.readings has the key "". Name the readings a, b, ....')
    if isinstance(entry.hypothetical, UnsetType):
        return
    for i, reading in enumerate(entry.hypothetical):
        if reading not in entry.by_reading:
            raise ParseError(
                f'{place}.hypothetical[{i}]="{reading}" is no reading. '
                f"The readings are {', '.join(filter(None, entry.by_reading)) or 'none'}."
            )
