"""The files with the sentences of a paper's claims: ``catalog.toml`` and ``repairs.toml``.

They stand in the folder of the paper's package, are TOML in UTF-8, and hold no verdicts. An
entry ``[[claims]]`` is one claim, in the paper's order:

======================  ==========================================================
``id``                  ``paper/place``, permanent; no spaces
``where``               the place in the print, such as ``"Theorem 3.1"``
``says``                what it asserts, in words and formulas
``unit``                what the compared numbers are, ``"δ"`` or ``"e^ε"``: sizes are printed with
                        it, and only where there is one
``readings``            where the print can be meant in several ways, each under a key
                        of its own: ``{ a = "for some n", b = "for every n" }``
``hypothetical``        the keys of readings that nobody is known to claim: ``["b"]``
``words``               the words of the source, as they are printed
``asked_by_us``         the keys of readings whose side nobody has promised, or ``true`` for
                        all: they are tried, and never count as a broken promise
``known``               what was said of it before, in the text itself or in public: a warning, an
                        open issue, "to do"
``withdrawn``           where the authors have taken it back themselves
``cause``               the error behind its refuted readings, a key of ``[causes]``; or one for
                        each reading: ``{ a = "leftover", c = "paper2021/leftover" }``
``repair``              the id of the claim of this paper that mends it, if it falls
======================  ==========================================================

The first three are required. ``catalog.toml`` begins with ``citation = "Authors: Title
(year)"``, for a library with ``about = "name==version"`` after it, and holds what is printed.
Its ``read`` says which version was read (an arXiv id with its version, a DOI), and ``[causes]``
what the errors are, a sentence under each key; a cause of another paper has that paper's key
before it. ``[mends]`` says under the same keys, or under a claim's id without the paper's key, what
would mend them: the id of a claim, or words.
A program that is not a package has ``files = { "its/file.py" = "SHA-256" }`` too, at that version.
``repairs.toml``, which need not be there, holds the
statements that mend refuted ones: the same entries, with ``/repair/`` in their ids. A trial
(``TRIALS`` of the package's ``trials``) belongs to each id; to each reading, if it has some.

Every error names the file and the place inside of it.

Definitions: :class:`Entry`, :class:`Catalog`, :func:`read_catalog`.
"""

from __future__ import annotations

import json
import tomllib
from functools import lru_cache
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
    unit: str = ""
    readings: dict[str, Text] | UnsetType = UNSET
    hypothetical: list[Text] | UnsetType = UNSET
    words: Text | None = None
    asked_by_us: list[Text] | bool = False
    known: Text | None = None
    withdrawn: Text | None = None
    cause: Text | dict[str, Text] | None = None
    repair: Id | None = None

    @property
    def by_reading(self) -> dict[str, str]:
        """The meaning of the print in each reading; one, without a key, if there are none."""
        return {"": ""} if isinstance(self.readings, UnsetType) else self.readings

    @property
    def asked(self) -> frozenset[str]:
        """The readings that are asked by us."""
        if isinstance(self.asked_by_us, bool):
            return frozenset(self.by_reading if self.asked_by_us else ())
        return frozenset(self.asked_by_us)

    def causes(self, key: str) -> dict[str, str]:
        """Return reading -> the cause of its refutation, with its paper's key before it."""
        given = self.cause or {}
        by_reading = given if isinstance(given, dict) else dict.fromkeys(self.by_reading, given)
        return {
            reading: cause if "/" in cause else f"{key}/{cause}"
            for reading, cause in by_reading.items()
        }


class Catalog(Strict, frozen=True, kw_only=True):
    """The content of ``catalog.toml``."""

    citation: Text
    claims: list[Entry]
    read: Text | None = None
    causes: dict[str, Text] = field(default_factory=dict)
    mends: dict[str, Text] = field(default_factory=dict)
    about: Annotated[str, Meta(pattern="^[^=]+==[^=]+$")] | None = None
    files: dict[str, Digest] = field(default_factory=dict)

    def causes_of(self, key: str) -> dict[str, str]:
        """Return the sentences on the errors, by their names with the paper's key before them."""
        return {f"{key}/{name}": says for name, says in self.causes.items()}

    def mends_of(self, key: str) -> dict[str, str]:
        """Return the repairs of the errors, by their names likewise."""
        return {f"{key}/{name}": says for name, says in self.mends.items()}


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
    ids = {entry.id.removeprefix(f"{key or folder.name}/") for entry in printed.claims}
    for name in printed.mends:
        if name not in printed.causes and name not in ids:
            raise ParseError(
                f"{folder / CATALOG}: $.mends.{name} mends no error: it is not a claim's id, and "
                f"[causes] has {', '.join(printed.causes) or 'none'}. Write it there, or correct "
                "the key."
            )
    mended = ()
    if (folder / REPAIRS).exists():
        mended = tuple(_read(folder / REPAIRS, Repairs).claims)
    places: dict[str, str] = {}
    for file, entries in ((CATALOG, printed.claims), (REPAIRS, mended)):
        for i, entry in enumerate(entries):
            place = f"{folder / file}: $.claims[{i}]"
            _check(entry, place, key=key or folder.name, is_repair=file == REPAIRS)
            _check_causes(entry, place, key=key or folder.name, causes=printed.causes)
            if entry.id in places:
                raise ParseError(
                    f'{place}.id="{entry.id}" stands at {places[entry.id]} too. Give each id once.'
                )
            places[entry.id] = place
    for entry in (*printed.claims, *mended):
        if entry.repair is not None and (entry.repair not in places or entry.repair == entry.id):
            raise ParseError(
                f'{places[entry.id]}.repair="{entry.repair}" is not another claim of this paper. '
                "Give an id of its catalog or of its repairs."
            )
    return printed, mended


def _read(path: Path, kind: type[Strict]) -> Any:
    try:
        state = path.stat()
        return _content(path, kind, (state.st_mtime_ns, state.st_size))
    except OSError as error:
        raise ParseError(f"{path}: cannot be read: {error.strerror}.") from None


@lru_cache
def _content(path: Path, kind: type[Strict], state: tuple[int, int]) -> Any:
    """Return the content of a file in the state that it is in."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        # What TOML has and JSON has not, a date, is shown as one where a text is expected.
        document = json.loads(json.dumps(document, default=lambda date: {"date": str(date)}))
        return converted(document, kind)
    except ValueError as error:  # no UTF-8, no TOML, or not these keys
        raise ParseError(f"{path}: {error}") from None


def _check(entry: Entry, place: str, *, key: str, is_repair: bool) -> None:
    if not entry.id.startswith(f"{key}/") or ("/repair/" in entry.id) != is_repair:
        wanted = f"{key}/repair/..." if is_repair else f"{key}/..., without /repair/"
        raise ParseError(f'{place}.id="{entry.id}" is not of this file. Write {wanted}.')
    if "" in entry.by_reading and not isinstance(entry.readings, UnsetType):
        raise ParseError(f'{place}.readings has the key "". Name the readings a, b, ....')
    named = {
        "hypothetical": [] if isinstance(entry.hypothetical, UnsetType) else entry.hypothetical,
        "asked_by_us": entry.asked_by_us if isinstance(entry.asked_by_us, list) else [],
        "cause": list(entry.cause) if isinstance(entry.cause, dict) else [],
    }
    for field_name, readings in named.items():
        for i, reading in enumerate(readings):
            if reading not in entry.by_reading:
                raise ParseError(
                    f'{place}.{field_name}[{i}]="{reading}" is not a reading. '
                    f"The readings are {', '.join(filter(None, entry.by_reading)) or 'none'}."
                )


def _check_causes(entry: Entry, place: str, *, key: str, causes: dict[str, str]) -> None:
    for cause in entry.causes(key).values():
        paper, _, name = cause.rpartition("/")
        if paper == key and name not in causes:
            raise ParseError(
                f'{place}.cause="{name}" is not a key of [causes], which has '
                f"{', '.join(causes) or 'none'}. Write it there, with a sentence on the error."
            )
