"""Accountants: how to ask a library, as Python source, and its promise.

An adapter is a module with a list ``ACCOUNTANTS``, found by an entry point of the group
``exactdp.accountants``. It imports nothing of its library: an answer is an expression, run in a
process of its own by whatever interpreter has the library. So what is reported is what ran.
A program that is not a package is a library too: ``owner/name``, in a folder of the user's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from exactdp.errors import ParseError
from exactdp.execution.libraries import programs
from exactdp.execution.sessions import Session
from exactdp.side import Side

if TYPE_CHECKING:
    from exactdp.compare.tasks import About, Task
    from exactdp.testing.mechanisms import Deployment

__all__ = [
    "GROUP",
    "Accountant",
    "batch_of",
    "chosen",
    "installed_accountants",
    "known_programs",
]

GROUP = "exactdp.accountants"

_MOST_RECORDS = 10**9
"""The largest number of records, for accountants that take a batch and the size of the data."""

Answer = Callable[[Any], str | None]
"""A deployment to an expression in Python; None if the library has no answer to it."""


@dataclass(frozen=True, slots=True)
class Accountant:
    """A way to ask a library about a deployment.

    Attributes:
        name: How the table calls it: the library, a slash, its method.
        library: The distribution, as pip calls it; of a program that is none, owner/name; "" for a
            function of one's own.
        imports: The imports of the expressions, on one line, so that it can be pasted.
        answers: The expression for each of delta, epsilon and parameter.
        sides: On which sides of the truth the numbers of an answer should be; of two, they are the
            ends of an interval.
        converts: The kinds of mechanisms whose parameter the expression turns into another, and
            rounds: a hair's breadth is then nobody's fault.
        needs: A requirement of the library that pip does not know, such as "scikit-learn<1.6".
        before: Lines to run before the imports, which no number depends on.
        about: What it is asked about: steps of mechanisms
            (:class:`~exactdp.testing.Deployment`), or
            :class:`~exactdp.compare.users.ShuffledUsers`.

    Example:
        >>> coin = Accountant(
        ...     "mine/basic", "", "import math",
        ...     {"epsilon": lambda case: f"math.fsum([{case.mechanism.parameter!r}])"},
        ... )
        >>> coin.promise
        'an upper bound'
    """

    name: str
    library: str
    imports: str
    answers: Mapping[str, Answer] = field(hash=False)
    sides: tuple[Side, ...] = (Side.UPPER,)
    converts: tuple[str, ...] = ()
    needs: str = ""
    before: str = ""
    about: tuple[About, ...] = ("steps",)

    @property
    def is_program(self) -> bool:
        """True if the library is a program in a folder: no distribution has such a name."""
        return "/" in self.library

    @property
    def promise(self) -> str:
        """The side that an answer claims to be on, in words."""
        if len(self.sides) > 1:
            return "the ends of an interval"
        return f"{self.sides[0].article} {self.sides[0].value} bound"

    def expression(self, task: Task) -> str | None:
        """Return the expression that answers a task; None if there is none."""
        answer = self.answers.get(task.ask) if task.about in self.about else None
        return None if answer is None else answer(task.deployment)

    def session(self, pythons: Mapping[str, str] | None = None, *, limit: float = 60) -> Session:
        """Return a process of its library, whose first imports are its own; not begun yet.

        A program is in the folder that this process was told.

        Args:
            pythons: The interpreters that have the libraries; others are in this one.
            limit: The seconds that a call may take.
        """
        python = (pythons or {}).get(self.library, sys.executable)
        imports, folder = self.before + self.imports, programs().get(self.library, "")
        return Session(self.library, imports, python=python, limit=limit, folder=folder)

    def __reduce__(self) -> tuple[Callable[[str], Accountant], tuple[str]]:
        return _known, (self.name,)  # other processes have it too, but no functions of another


def batch_of(case: Deployment) -> tuple[int, int] | None:
    """Return a batch and the number of records that it is of, for steps of one Gaussian mechanism.

    None for other mechanisms, and where no such ratio is the sampling probability.

    Example:
        >>> from exactdp.testing.mechanisms import Deployment, Mechanism
        >>> steps = Mechanism(kind="gaussian", parameter=1.0, sampling_probability=0.01, times=1000)
        >>> batch_of(Deployment((steps,), epsilon=1.0, delta=1e-5))
        (1, 100)
    """
    m = case.mechanism
    rate = Fraction(m.sampling_probability).limit_denominator(_MOST_RECORDS)
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or float(rate) != m.sampling_probability:
        return None
    return rate.numerator, rate.denominator


def installed_accountants() -> list[Accountant]:
    """Return the accountants of all adapters, by name, programs last; they may be missing."""
    adapters = (entry.load() for entry in entry_points(group=GROUP))
    found = (one for module in adapters for one in module)
    return sorted(found, key=lambda one: (one.is_program, one.name))


def known_programs() -> list[str]:
    """Return the programs that accountants ask, by name."""
    return sorted({one.library for one in installed_accountants() if one.is_program})


def chosen(names: Sequence[str]) -> list[Accountant]:
    """Return the accountants with these names or of these libraries; all without any.

    ``module:function`` is a function of one's own. It is called with a list of mechanisms, each
    a dict of kind, parameter, rate, times and k, or with one dict of shuffled users (mechanism,
    epsilon0, k, n, size, inputs, others); and with ``epsilon=`` for a δ, or ``delta=`` for an ε.

    Raises:
        ParseError: If a name is none of these.

    Example:
        >>> chosen(["exactdp.testing:laws"])[0].name
        'exactdp.testing:laws'
    """
    known = installed_accountants()
    if not known:
        raise ParseError(
            f"no accountants are known: the entry points of the group {GROUP} are missing. "
            "Install exactdp again: pip install exactdp."
        )
    if not names:
        return known
    result: dict[str, Accountant] = {}
    for name in names:
        found = [one for one in known if name in (one.name, one.library)]
        for one in found or [_own(name, known)]:
            result[one.name] = one
    return list(result.values())


@cache
def _known(name: str) -> Accountant:
    return chosen([name])[0]


def _own(text: str, known: Sequence[Accountant]) -> Accountant:
    module, colon, name = text.partition(":")
    if not colon or not name.isidentifier() or not module.replace(".", "_").isidentifier():
        raise ParseError(
            f"accountant={text!r} is not known. Give module:function, or one of "
            f"{', '.join(one.name for one in known)}."
        )

    def call(at: str) -> Answer:
        return lambda case: f"{name}({case.arguments!r}, {at}={getattr(case, at)!r})"

    answers = {"delta": call("epsilon"), "epsilon": call("delta")}
    imports = f"from {module} import {name}"
    return Accountant(text, "", imports, answers, about=("steps", "users"))
