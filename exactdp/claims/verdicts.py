"""The outcomes of a trial, one class each.

``Survived`` is not a success: it says that nothing was found against a statement
that was not proved either. ``Argued`` is no proof: a step of it is in words.

A statement that stands is as good as its trial, and a false variant of it that the trial
refutes shows that the trial would have noticed. ``untested`` says that nothing shows it; a
statement whose false variant is not refuted does not stand, it is ``Undecided``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

__all__ = [
    "Absent",
    "Argued",
    "Beside",
    "Errored",
    "Evidence",
    "Falls",
    "Instance",
    "Proved",
    "Refuted",
    "Standing",
    "Survived",
    "Undecided",
    "Verdict",
]


class Evidence(Protocol):
    """A certificate, as far as a verdict knows it."""

    def to_bytes(self, *, claim: str = "", reading: str = "") -> bytes:
        """Return the file for the kernel."""
        ...


class Falls(Enum):
    """What falls with a refuted statement.

    ``MISPRINT``: another text was evidently meant, and it holds. ``STEP``: a step, lemma or
    remark; the result stands. ``RESULT``: a bound, a theorem, a table, a promise.
    """

    MISPRINT = "misprint"
    STEP = "step"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Instance:
    """One choice of everything that a statement quantifies over, by name.

    Example:
        >>> at = Instance.of(n=2, k=3)
        >>> at["n"], str(at)
        (2, 'n=2, k=3')
    """

    values: tuple[tuple[str, object], ...]

    @classmethod
    def of(cls, **values: object) -> Instance:
        """Return the instance with these values, in this order."""
        return cls(tuple(values.items()))

    def __getitem__(self, name: str) -> object:
        return dict(self.values)[name]

    def mapping(self) -> Mapping[str, object]:
        """Return the values by name."""
        return dict(self.values)

    def __str__(self) -> str:
        return ", ".join(f"{name}={_shown(value)}" for name, value in self.values)


def _shown(value: object) -> str:
    """Return a value as a reader writes it: numbers as they print, also inside of tuples."""
    if type(value).__str__ is not object.__str__:
        return str(value)  # it says itself how it prints, also if it is a tuple
    match value:
        case tuple() | list():
            inner = ", ".join(map(_shown, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case dict():
            return "{" + ", ".join(f"{_shown(k)}: {_shown(v)}" for k, v in value.items()) + "}"
    return str(value)


@dataclass(frozen=True, slots=True)
class Beside:
    """A printed number beside the exact one.

    Attributes:
        printed: The cell of a table, as it is printed.
        exact: What it should be, to some digits or as a fraction; with ``sign`` ">=" a lower
            bound on that, with "<=" an upper one.
        at: Where: the row and the column; by default the instance.
    """

    printed: str
    exact: str
    sign: str = "="
    at: str = ""


@dataclass(frozen=True, slots=True)
class Proved:
    """The statement holds on the whole of ``domain``; a machine checked every step of ``by``.

    ``certificate`` holds the steps for the kernel, if it has rules for all of them.
    """

    domain: str
    by: str
    instances: int = 0
    untested: str | None = None
    certificate: Evidence | None = field(default=None, repr=False, compare=False)
    beside: tuple[Beside, ...] = field(default=(), repr=False)
    label = "proved"


@dataclass(frozen=True, slots=True)
class Argued:
    """The statement holds on ``domain`` by an argument with a step in words."""

    domain: str
    by: str
    instances: int = 0
    untested: str | None = None
    label = "argued"


@dataclass(frozen=True, slots=True)
class Refuted:
    """The statement fails at ``witness``; ``found`` says what was computed there."""

    witness: str
    found: str
    certificate: Evidence | None
    instances: int = 0
    falls: Falls | None = None
    beside: tuple[Beside, ...] = field(default=(), repr=False)
    label = "refuted"


@dataclass(frozen=True, slots=True)
class Survived:
    """No failure on ``instances`` exact instances, and no proof.

    ``slack`` is the smallest ratio claimed/true that was seen (a decimal), if the
    statement is a bound; ``closest`` is where. ``domain`` is a part of the statement's
    domain that the instances exhaust, if they exhaust one.
    """

    instances: int
    slack: str | None = None
    closest: str | None = None
    domain: str | None = None
    untested: str | None = None
    beside: tuple[Beside, ...] = field(default=(), repr=False)
    label = "survived"


@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither side was established; ``reason`` says why."""

    reason: str
    instances: int = 0
    beside: tuple[Beside, ...] = field(default=(), repr=False)
    label = "undecided"


@dataclass(frozen=True, slots=True)
class Errored:
    """The trial itself raised an error: it says nothing of the statement."""

    reason: str
    instances: int = 0
    label = "error"


@dataclass(frozen=True, slots=True)
class Absent:
    """Not tried: the library that the statement is about is not here, or at another version.

    It changes no kept verdict.
    """

    reason: str
    instances: int = 0
    label = "absent"


Standing = Proved | Argued | Survived
"""The verdicts that leave a statement standing."""

Verdict = Standing | Refuted | Undecided | Errored | Absent
