"""Certificates with the kernel's answer, and the two numbers that a refutation compares.

The kernel prints what it computed, as ``[left = 1/32 (~0.03125), right = 1/64 (~0.015625)]``
after each relation; a report repeats that and computes nothing. A refutation negates the claim,
so its right side is what the print allows or asserts, and its left side what is true; where only
the right side is about a law, it is the other way round.

Definitions: :class:`Certificate`, :class:`Sides`, :func:`sides`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

__all__ = ["Certificate", "Sides", "sides"]

_SIDES = re.compile(r"\[left = (.+?), right = (.+?)\]")
_NUMBER = re.compile(r"~?(-?\d[\d.]*(?:e[+-]?\d+)?)(?:/\d+ \(~([^)]+)\))?")
_OF_LAWS = {"hockey_stick", "total_variation", "mass", "event", "ldp_ratio", "entry", "row_sum"}
_FUNCTIONS = {"exp", "log", "sqrt", "normal_cdf", "binomial", "sum"} | _OF_LAWS


@dataclass(slots=True, eq=False)
class Certificate:
    """A certificate of a refutation, or of a proof.

    Attributes:
        name: Its path inside the folder, ``certificates/...json``.
        content: Its bytes.
        kept: Whether it is the paper's, and not of this run.
        accepted: Whether the kernel accepted it, when the report was made.
        statement: What the kernel then said: the statement, or the reason of a refusal.
    """

    name: str
    content: bytes
    kept: bool = False
    accepted: bool = False
    statement: str = ""

    @property
    def file(self) -> str:
        """The name alone."""
        return self.name.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Sides:
    """Two positive numbers that a refutation compares, to the digits that the kernel shows."""

    claimed: Decimal
    true: Decimal

    @property
    def times(self) -> Decimal:
        """How many times the smaller the larger is, at least 1."""
        return max(self.claimed, self.true) / min(self.claimed, self.true)


def sides(certificate: Certificate | None) -> Sides | None:
    """Return the two numbers that the accepted certificate of a refutation compares, if any.

    The first of its relations that is more than arithmetic of constants decides.

    Example:
        >>> content = b'{"conclusion": [[">", ["hockey_stick", {}, "0x2"], "0x1/0x40"]]}'
        >>> text = "hockey_stick(view, 2) > 1/64 [left = 1/32 (~0.03125), right = 1/64 (~0.015625)]"
        >>> sides(Certificate("c.json", content, accepted=True, statement=text))
        Sides(claimed=Decimal('0.015625'), true=Decimal('0.03125'))
    """
    if certificate is None or not certificate.accepted:
        return None
    document = json.loads(certificate.content)
    defined = dict(document.get("define", []))
    shown = _SIDES.findall(re.split("; where |; checked too: ", certificate.statement)[0])
    for (sign, *terms), texts in zip(document["conclusion"], shown, strict=False):
        used = [set(_operations(side, defined)) for side in terms]
        left, right = (_number(text) for text in texts)
        if sign == "=" or not _FUNCTIONS & (used[0] | used[1]):
            continue
        if left is None or right is None or min(left, right) <= 0:
            continue
        if used[1] & _OF_LAWS and not used[0] & _OF_LAWS:
            left, right = right, left
        return Sides(claimed=right, true=left)
    return None


def _number(text: str) -> Decimal | None:
    found = _NUMBER.match(text)
    return None if found is None else Decimal(found[2] or found[1])


def _operations(part: Any, defined: dict[str, Any]) -> Iterator[str]:
    """Yield the operations in a term, named parts included."""
    todo, seen = [part], set()
    while todo:
        match todo.pop():
            case dict(inner):
                name = inner.get("ref")
                if isinstance(name, str) and name not in seen:
                    seen.add(name)
                    todo.append(defined.get(name))
                todo += inner.values()
            case [str(operation), *arguments]:
                yield operation
                todo += arguments
            case list(inner):
                todo += inner
