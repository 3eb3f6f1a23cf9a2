"""Published bounds in doubles, as their papers keep them in ``doubles.json``.

It is read without the bounds: nothing is tried here.

Definitions: :class:`InDoubles`, :func:`in_doubles`, :func:`bound_in_doubles`,
:func:`doubles_file`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from exactdp.claims.catalog import folder_of

__all__ = [
    "DOUBLES",
    "DOUBLES_FORMAT",
    "InDoubles",
    "bound_in_doubles",
    "doubles_file",
    "in_doubles",
]

DOUBLES = "doubles.json"
"""The file beside a paper's catalog that keeps what its bounds do in doubles."""

DOUBLES_FORMAT = "exactdp-doubles/1"
"""The name of the file's format, with the version of its keys."""


@dataclass(frozen=True, slots=True)
class InDoubles:
    """The worst fault of a published bound in doubles, with its witness.

    Attributes:
        bound: Its name: the claim's id, with ``#name`` where the claim has several.
        word: The worst fault that was found (``nan or negative``, ``overflow``,
            ``cancellation``, ``rounding``), ``holds`` or ``undecided``.
        at: The arguments of the witness; None where the word has none.
        double: What doubles give there; None where they stop with an error.
        formula: The formula's value there, to twelve digits.
        ulps: How many doubles it is off, on the wrong side of the formula; None where that is no
            number.
        below_truth: Whether the double is certainly on the wrong side of the truth, too; None
            where that is not told.

    Example:
        >>> at = ("n=1", "0.25", "0.250000000000", 1, True)
        >>> print(InDoubles("a-paper/lemma-1", "rounding", *at))
        rounding of 1 ulp at n=1: 0.25 where the formula is 0.250000000000, and below the truth
    """

    bound: str
    word: str
    at: str | None = None
    double: str | None = None
    formula: str | None = None
    ulps: int | None = None
    below_truth: bool | None = None

    @property
    def name(self) -> str:
        """The name that tells it from other bounds of its claim; empty if it is the only one."""
        return self.bound.partition("#")[2]

    @property
    def short(self) -> str:
        """The word, with the size of the rounding."""
        many = "ulp" if self.ulps == 1 else "ulps"
        return f"{self.word} of {self.ulps} {many}" if self.word == "rounding" else self.word

    def __str__(self) -> str:
        if self.at is None:
            return self.short
        got = "an error" if self.double is None else self.double
        under = ", and below the truth" if self.below_truth else ""
        return f"{self.short} at {self.at}: {got} where the formula is {self.formula}{under}"


def in_doubles(claim: str) -> tuple[InDoubles, ...]:
    """Return the kept results of each bound of a claim in doubles.

    Example:
        >>> [one.word for one in in_doubles("feldman2021/theorem-3.1")], in_doubles("nobody/lemma")
        (['cancellation'], ())
    """
    kept = doubles_file(claim.partition("/")[0])
    return tuple(_read(name, one) for name, one in kept.items() if _claim(name) == claim)


def bound_in_doubles(name: str) -> InDoubles | None:
    """Return the kept results of one bound by its name; None if there are none."""
    return next((one for one in in_doubles(_claim(name)) if one.bound == name), None)


def _claim(name: str) -> str:
    return name.partition("#")[0]


def _read(name: str, entry: dict[str, Any]) -> InDoubles:
    word = entry["in_doubles"].partition(" of ")[0]
    fall = entry["falls"].get(word)
    if fall is None:
        return InDoubles(name, word)
    witness = ("at", "double", "formula", "ulps", "below_truth")
    return InDoubles(name, word, *(fall[key] for key in witness))


@lru_cache(maxsize=32)
def doubles_file(paper: str) -> dict[str, Any]:
    """Return a paper's kept results for bounds in doubles, by name; empty if it keeps none."""
    folder = folder_of(paper)
    file = None if folder is None else folder / DOUBLES
    if file is None or not file.is_file():
        return {}
    found: dict[str, Any] = json.loads(file.read_bytes())["bounds"]
    return found
