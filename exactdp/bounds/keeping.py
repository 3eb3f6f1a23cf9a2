"""Kept results of a paper's bounds in doubles: ``doubles.json``, and certificates.

A double on the wrong side of its formula is a relation between two numbers: the recorded double,
and the formula as a term of the kernel's. So the kernel sees it with no floating-point unit.

Definitions: :func:`found_of`, :func:`arguments_in`, :func:`kept_changes`, :func:`keep`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

from exactdp.audit import renew_doubles
from exactdp.audit.records import json_bytes
from exactdp.bounds.bound import PublishedBound
from exactdp.bounds.layer import Fall, tried
from exactdp.bounds.papers import published
from exactdp.claims.catalog import folder_of
from exactdp.claims.certificate import Certificate, one_line
from exactdp.claims.doubles import DOUBLES, DOUBLES_FORMAT, doubles_file
from exactdp.claims.terms import formula, term
from exactdp.claims.values import value
from exactdp.errors import DomainError, ExactDPError, TooLargeError, what_happened
from exactdp.execution import held_file
from exactdp.numbers import Exact, decimal, enclosure
from exactdp.side import Side

__all__ = ["LINES", "arguments_in", "found_of", "keep", "kept_changes", "undecided"]

LINES = "doubles.jsonl"
"""The file of a paper that has the certificates about doubles, one a line."""

_CERTIFICATE = "certificate"

_FAREST = 1 << 16
"""The kernel knows the normal law up to so many standard deviations."""


def found_of(name: str) -> dict[str, Any]:
    """Return the results for a bound, as they are kept."""
    bound = published(name)
    try:
        found = tried(bound, first=list(_kept_falls(bound)))
    except Exception as error:  # whatever the code of a paper raises; the others go on
        return undecided(what_happened(error))
    ratio = found.ratios and " to ".join(f"{float(x):.3g}" for x in found.ratios)
    below = None if found.below is None else arguments_text(found.below)
    return {
        "in_doubles": found.in_doubles,
        "tried": found.instances,
        "falls": {fall.fault.value: _entry(bound, fall) for fall in found.falls.values()},
        "formula": f"{found.told} of {found.asked} told to hold"
        if below is None
        else f"on the wrong side at {below}",
        "ratio": ratio,
    }


def undecided(reason: str) -> dict[str, Any]:
    """Return the kept form of a bound that was not tried to the end."""
    return {
        "in_doubles": "undecided",
        "tried": 0,
        "falls": {},
        "formula": f"undecided: {reason}",
        "ratio": None,
    }


def _entry(bound: PublishedBound, fall: Fall) -> dict[str, Any]:
    written = None
    if fall.double is not None and math.isfinite(fall.double):
        written = _certificate(bound, fall)
    return {
        "at": arguments_text(fall.at),
        "double": None if fall.double is None else repr(fall.double),
        "formula": decimal(Exact(fall.formula.lower), digits=12),
        "ulps": fall.ulps,
        "below_truth": fall.below_truth,
        _CERTIFICATE: None if written is None else written.decode(),
    }


def arguments_text(at: Mapping[str, Any]) -> str:
    """Return arguments, each as the shortest text of its double."""
    return ", ".join(
        f"{name}={value}" if isinstance(value, int) else f"{name}={float(value)!r}"
        for name, value in at.items()
    )


def arguments_in(bound: PublishedBound, text: str) -> dict[str, Any]:
    """Return the arguments that a text of arguments_text says.

    Raises:
        DomainError: If they are not in the bound's domain.
    """
    written = dict(one.split("=") for one in text.split(", "))
    return bound.checked({x: v if v.isdigit() else float(v) for x, v in written.items()})


def _kept_falls(bound: PublishedBound) -> Iterator[dict[str, Any]]:
    """Yield the kept deployments where a bound falls, those that its domain has still."""
    kept = doubles_file(bound.claim.partition("/")[0]).get(bound.claim, {"falls": {}})
    for fall in kept["falls"].values():
        with suppress(DomainError):
            yield arguments_in(bound, fall["at"])


def _certificate(bound: PublishedBound, fall: Fall) -> bytes | None:
    """Return the relation between the recorded double and the formula; None if it has no term."""
    assert fall.double is not None
    whole = {name: fall.at[name] for name in bound.counts}
    rest = {name: term(value) for name, value in fall.at.items() if name not in whole}

    def called(f: Any, **arguments: Any) -> Any:
        return bound.formula(_Readable(f), **whole, **arguments)

    try:
        sign = "<" if bound.side is Side.UPPER else ">"
        stated = (sign, term(Fraction(fall.double)), formula(called, **rest))
        return Certificate([stated], precision_bits=2048).to_bytes()
    except (ExactDPError, TypeError, AttributeError):
        return None


class _Readable:
    """The functions of terms, where the kernel has them: none of the normal law far out."""

    def __init__(self, functions: Any) -> None:
        self._functions = functions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._functions, name)

    def normal_cdf(self, x: Any) -> Any:
        ends = enclosure(value(term(x)))
        if max(abs(ends.lower), abs(ends.upper)) >= _FAREST:
            raise TooLargeError("a normal probability is asked too far out. Ask nearer to 0.")
        return self._functions.normal_cdf(x)


def kept_changes(paper: str, found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each bound of a paper whose word is not the kept one."""
    kept = doubles_file(paper)
    for name, entry in found.items():
        if name.partition("/")[0] == paper:
            before = kept.get(name, {}).get("in_doubles")
            words = [_kind(word) for word in (before or "", entry["in_doubles"])]
            if "undecided" not in words and words[0] != words[1]:
                yield f"{name}: in doubles {entry['in_doubles']!r}, kept is {before!r}"


def _kind(word: str) -> str:
    """Return a word on doubles without the number of ulps, which is the machine's."""
    return word.partition(" of ")[0]


def keep(paper: str, found: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write the results for a paper's bounds beside its catalog.

    Raises:
        DomainError: If the paper has no folder.
    """
    folder = folder_of(paper)
    if folder is None:
        raise DomainError(f"paper={paper!r} is not installed. Install its sources with pip -e.")
    bounds: dict[str, Any] = {}
    lines: list[bytes] = []
    for name, entry in found.items():
        if name.partition("/")[0] != paper:
            continue
        falls = {}
        for fault, fall in entry["falls"].items():
            fall = dict(fall)
            written = fall.pop(_CERTIFICATE)
            if written is not None:
                lines.append(one_line(written.encode()))
                fall[_CERTIFICATE] = f"{LINES}:{len(lines)}"
            falls[fault] = fall
        bounds[name] = {**entry, "falls": falls}
    document = {"format": DOUBLES_FORMAT, "bounds": bounds}
    path, there = folder / DOUBLES, folder / LINES
    with held_file(path) as place:
        place.write(
            json_bytes(document),
            beside={there: b"".join(lines)} if lines else {},
            stale=frozenset() if lines or not there.exists() else {there},
        )
    doubles_file.cache_clear()
    renew_doubles(folder)
    return path
