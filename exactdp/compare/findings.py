"""Who is on the wrong side of the truth, and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from queue import SimpleQueue
from threading import Event, Thread

from exactdp.compare.accountants import Accountant
from exactdp.compare.known import Known, asked_of, decided_at, known_of
from exactdp.compare.tasks import Task
from exactdp.errors import UndecidedError
from exactdp.execution.sessions import NOT_INSTALLED, Reply, Session
from exactdp.numbers import Enclosure, Exact
from exactdp.side import Side
from exactdp.testing.deciding import HAIR, Judgment, plainly

__all__ = ["Finding", "answers", "compare", "judged"]

_FINEST = Fraction(1, 10**20)
"""The relative width to which a truth is shown that a number misses by a hair."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One number of an accountant beside the truth.

    Attributes:
        task: The deployment and the number that was asked for.
        accountant: The accountant that was asked.
        version: The version of the library, "" if none is known.
        expression: The expression that was run, after the accountant's imports.
        side: On which side of the truth the number should be.
        value: The number; None where there is none.
        known: What is known of the truth; with a parameter, of the δ that it has.
        standing: On which side it is.
        reason: Why there is no number, or it could not be decided; "" otherwise.
        seconds: The time that the call took.
        smallest: The finding of this fault at the most ordinary deployment; None if not sought.
    """

    task: Task
    accountant: Accountant
    version: str
    expression: str
    side: Side
    value: float | None
    known: Known
    standing: Judgment
    reason: str
    seconds: float
    smallest: Finding | None = None

    @property
    def truth(self) -> Enclosure | None:
        """An enclosure of the truth; None where it is infinite, or was not found."""
        return self.known.enclosure

    @property
    def claim(self) -> float | None:
        """The number that is compared with the truth; None if there is none."""
        return None if self.value is None else self.task.claim(self.value)

    @property
    def ratio(self) -> float | None:
        """The claim over the truth; None where there is no such number."""
        claim, truth = self.claim, self.truth
        if claim is None or truth is None or truth.lower <= 0 or not math.isfinite(claim):
            return None
        return _quotient(Fraction(claim), _middle(truth))

    @property
    def ulps(self) -> float | None:
        """The distance of the claim above the truth, in units of its last place."""
        claim, truth = self.claim, self.truth
        if claim is None or truth is None or not math.isfinite(claim) or claim == 0:
            return None
        return _quotient(Fraction(claim) - _middle(truth), Fraction(math.ulp(claim)))

    @property
    def digits(self) -> float | None:
        """The decimal digits that the claim has in common with the truth."""
        ratio = self.ratio
        if ratio is None or ratio <= 0:
            return None
        off = abs(ratio - 1)
        return 15.9 if off < 1.3e-16 else max(0.0, -math.log10(off))


def compare(
    tasks: Sequence[Task],
    accountants: Iterable[Accountant],
    *,
    pythons: Mapping[str, str] | None = None,
    limit: float = 60,
    begun: Session | None = None,
    on_task: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """Yield the answer of each accountant to each task, beside the truth.

    Each library runs in a process of its own, one call after another; meanwhile the truths are
    computed here.

    Args:
        tasks: What to ask.
        accountants: Whom; those without an answer to a task are left out there.
        pythons: The interpreters that have the libraries; others are in this one.
        limit: The seconds that a call may take.
        begun: The process of the first library, where it runs already.
        on_task: Told whom is asked next.
    """
    libraries: dict[str, list[Accountant]] = {}
    for one in accountants:
        libraries.setdefault(one.library, []).append(one)
    replies: SimpleQueue[_Reply | str | BaseException | None] = SimpleQueue()

    def ask() -> None:
        try:
            running = begun
            for group in libraries.values():
                with running or group[0].session(pythons, limit=limit) as session:
                    for one in group:
                        replies.put(one.name)
                        for task in tasks:
                            if not is_left.is_set():
                                replies.put(_asked(session, one, task))
                running = None
        except BaseException as error:  # raised where the replies are read
            replies.put(error)
        replies.put(None)

    # Libraries answer in their processes while truths are computed in this one.
    is_left = Event()
    asking = Thread(target=ask, daemon=True)
    asking.start()
    try:
        truths = {
            id(task): None if task.ask == "parameter" else known_of(asked_of(task, 0.0))
            for task in tasks
        }
        while (found := replies.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            if isinstance(found, str):
                on_task(found)
            else:
                yield from _found(found, truths[id(found.task)])
    finally:
        is_left.set()


def answers(
    session: Session, one: Accountant, task: Task, truth: Known | None = None
) -> Iterator[Finding]:
    """Yield an accountant's answers to one task; none if it has none."""
    yield from _found(_asked(session, one, task), truth)


@dataclass(frozen=True, slots=True)
class _Reply:
    """The answer of an accountant to a task; without an expression it has none."""

    accountant: Accountant
    task: Task
    expression: str | None
    version: str
    reply: Reply


def _asked(session: Session, one: Accountant, task: Task) -> _Reply:
    expression = one.expression(task)
    reply = Reply()
    if expression is not None:
        reply = session.ask(expression, imports=one.before + one.imports)
    return _Reply(one, task, expression, session.version, reply)


def _found(said: _Reply, truth: Known | None) -> Iterator[Finding]:
    one, task, expression, reply = said.accountant, said.task, said.expression, said.reply
    if expression is None:
        return
    for side, value, failure in _ends(one, reply):
        standing, known, reason = (
            (_failed(failure), truth or Known(), failure)
            if value is None
            else judged(task, side, value, truth)
        )
        if standing is Judgment.ROUNDED and _is_converted(one, task):
            standing, reason = Judgment.UNDECIDED, "within the rounding of its parameter"
        yield Finding(
            task=task,
            accountant=one,
            version=said.version,
            expression=expression,
            side=side,
            value=value,
            known=known,
            standing=standing,
            reason=reason,
            seconds=reply.seconds,
        )


def _failed(failure: str) -> Judgment:
    return Judgment.ABSENT if failure == NOT_INSTALLED else Judgment.FAILED


def _is_converted(one: Accountant, task: Task) -> bool:
    return any(kind in one.converts for kind in task.deployment.kinds)


def _ends(one: Accountant, reply: Reply) -> Iterator[tuple[Side, float | None, str]]:
    failure = reply.failure
    if one.needs and "ImportError" in failure:
        failure = f"{failure} It needs {one.needs}."
    sides = one.sides
    if failure:
        yield sides[-1], None, failure
    elif len(reply.values) != len(sides):
        yield sides[-1], None, f"gave {len(reply.values)} numbers, not {len(sides)}"
    else:
        yield from ((side, value, "") for side, value in zip(sides, reply.values, strict=True))


def judged(
    task: Task, side: Side, value: float, truth: Known | None = None
) -> tuple[Judgment, Known, str]:
    """Return on which side of the truth a number is, the truth, and a reason if it is open."""
    plain = plainly(value, side, is_parameter=task.ask == "parameter")
    if plain is Judgment.FAILED:
        return plain, truth or Known(), f"{value!r} is not an answer"
    asked = asked_of(task, value)
    known = known_of(asked) if truth is None else truth
    if plain is not None:
        return (Judgment.RIGHT if known.is_infinite and value > 0 else plain), known, ""
    if isinstance(asked, str):
        return Judgment.UNDECIDED, known, asked
    claim = Exact(Fraction(task.claim(value)))
    try:
        is_wrong, known = decided_at(side, claim, known, asked)
        if not is_wrong:
            return Judgment.RIGHT, known, ""
        is_far, _ = decided_at(side, claim * side.room(HAIR), known, asked)
    except UndecidedError as error:
        return Judgment.UNDECIDED, known, str(error)
    if is_far:
        return Judgment.WRONG, known, ""
    finest = known if known.enclosure is None else known_of(asked, (_FINEST,))
    return Judgment.ROUNDED, known if finest.enclosure is None else finest, ""


def _quotient(a: Fraction, b: Fraction) -> float:
    try:
        return float(a / b)
    except OverflowError:
        return math.copysign(math.inf, a)


def _middle(truth: Enclosure) -> Fraction:
    return (truth.lower + truth.upper) / 2
