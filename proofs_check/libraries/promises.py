"""The one form of a library's promise: a number that it exports is on its side of the truth.

An instance is a deployment together with what the library says of it, both in its text; so a
witness can be read back, and its certificate compared with the claim, where the library is not.
Whatever is asked for, the statement is about δ at an ε: a δ is compared with the answer; an ε is
one at which δ is small enough; a parameter is one with which δ is small enough at the ε.

Each promise has two readings: ``a``, that no number is on the wrong side by more than 1e-12,
relatively (a double that was not rounded outward; a δ of 0 counts as the least one), nor by more
than the tolerance that its documentation states; ``b``, that none is at all. Where the true δ is
below 1e-15, or less than 1e-9 of the number is lost, what falls is rounding, whatever falls else.

Definitions: :class:`Promise`, :func:`read`; ``decreasing`` has numbers in order, ``recorded``
several.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Literal

from exactdp.claims import (
    Cases,
    Effort,
    Falls,
    Instance,
    Outcome,
    Relation,
    Said,
    Statement,
    Term,
    TermLike,
    at_least,
    at_most,
    decided,
    value,
)
from exactdp.claims.calls import called
from exactdp.claims.sides import numbers_of
from exactdp.claims.values import truth_of
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.questions import Question
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.side import Side
from exactdp.testing.deciding import HAIR, Judgment, compared, plainly
from exactdp.truth import Truth
from proofs_check.libraries.asked import reply
from proofs_check.libraries.ranges import RANGES, TINY, Range, wide
from proofs_check.libraries.telling import nearness, tellingly, tells, told, weighed

__all__ = ["Promise", "Readings", "read"]

_BITS, _MAX_BITS, _MAX_SECONDS = 256, 4096, 20.0
_LEAST = Fraction(math.ulp(0.0))

Fields = Mapping[str, Any]


@dataclass(frozen=True, eq=False)  # so outcomes can be remembered
class Promise:
    """A number of a library, and the truth that it bounds.

    Attributes:
        library: As pip calls it; for a program in a folder, as ``--program`` does.
        imports: The lines that the calls need.
        call: The fields of an instance to the expression; None where there is none.
        asks: What the answer is. Beside δ, ε and a parameter with which δ is small enough: a number
            (loss) whose truth is the term of ``delta`` itself, such as the largest loss; and a
            parameter (scale) with which this term is at most that of ``claim``.
        law: The fields (and, by the name ``answer``, a parameter) to the profile. None if the
            term below is all there is: then what stands was not below a lower bound of δ.
        delta: The same, and ``epsilon``, to δ, or what is at most δ, as a term; None where there
            is none.
        over: The instances' fields.
        claim: For a scale, the same fields to what the term is to be at most.
        side: On which side of the truth the answer must be.
        shaved: The factor on the answer that the trial must see to be too much.
        tolerance: What the documentation says that the answer may be off, absolutely: a number,
            or the fields of an instance to one.
        picks: Which of several numbers is the answer; a slice of two: an ε with its δ.
        draws: How many deployments a search beyond the list draws.
        converts: The mechanisms whose parameter the call rounds: a hair is nobody's fault there.
        allowed_delta: What it says that δ may be off, with a parameter: as tolerance.
        allowed_epsilon: The same of ε.
        falls: What falls where it is refuted: rounding, where that is all that is lost.
        bounded: The same fields as of ``delta`` to what is at least δ, where that is simpler to
            compute: an answer that is not below it stands.
        compares: How many deployments of the list are decided before the most telling failure is
            chosen; of slow ones fewer, or the first that fails is kept.
        ranges: What is documented of fields, where it is not what :data:`~ranges.RANGES` has.
        unit: What the numbers are; by default ε of a loss, else δ.
        worse: Whether more (">") or less ("<") of it is worse for who relies on it.
        fair: What the fields of a deployment must meet together, beside the list's conditions.
    """

    library: str
    imports: str
    call: Callable[..., str | None]
    asks: Literal["delta", "epsilon", "parameter", "loss", "scale"]
    law: Callable[..., PrivacyProfile] | None
    delta: Callable[..., Term | None]
    over: Cases
    claim: Callable[..., TermLike] | None = None
    side: Side = Side.UPPER
    shaved: Fraction = Fraction(99, 100)
    tolerance: Fraction | Callable[..., Fraction] = Fraction(0)
    picks: int | slice = 0
    draws: int = 60
    converts: tuple[str, ...] = ()
    allowed_delta: Fraction | Callable[..., Fraction] = Fraction(0)
    allowed_epsilon: Fraction = Fraction(0)
    falls: Falls = Falls.RESULT
    bounded: Callable[..., Term] | None = None
    compares: int = 1000
    ranges: Mapping[str, Range | None] = field(default_factory=dict)
    fair: Callable[..., bool] | None = None
    unit: str = ""
    worse: Literal["<", ">"] = ">"

    def readings(self) -> Readings:
        """Return the two readings: beyond a hair's breadth, and at all."""
        return Readings({"a": self.beyond(HAIR), "b": self.beyond(Fraction(0))}, promise=self)

    def beyond(self, hair: Fraction) -> Statement:
        """Return that no answer is on the wrong side by more than this, relatively."""
        one = partial(_decided, self, hair=hair)
        return Statement(
            instances=partial(self.instances, hair=hair),
            holds=one,
            strategy=None if self.over.strategy is None else partial(self._drawn, hair=hair),
            wide=partial(self._wide, hair=hair),
            again=partial(self._again, hair=hair),
            draws=self.draws,
            tells=lambda at, outcome: tells(outcome, lambda: self._asked(at)),
            false_variant=Statement(
                instances=partial(self.instances, hair=hair),
                holds=partial(one, factor=self._false_factor),
            ),
            falls=self.falls,
            is_exact=not hair,
            unit=self.unit or ("ε" if self.asks == "loss" else "δ"),
            worse=self.worse,
            read=read,
        )

    @property
    def _false_factor(self) -> Fraction:
        return self.shaved if self.side is Side.UPPER else 1 / self.shaved

    def instances(self, effort: Effort, *, hair: Fraction) -> Iterator[Instance]:
        """Yield the deployments with the library's answers, the most telling failure first."""
        asked = iter(self.over.instances(effort))
        first = islice(asked, self.compares)
        answered = [one for at in first for one in self._answered(at, hair)]
        yield from tellingly(answered, partial(_decided, self, hair=hair), self._asked)
        for at in asked:
            yield from self._answered(at, hair)

    def _asked(self, at: Instance) -> Fields:
        """Return the deployment, with the δ (or advantage) that is compared, where it has none."""
        values = _fields(at)
        answer = values["answer"]
        assert isinstance(answer, float)
        if self.asks == "scale":
            made = called(self.delta, {**values, "answer": Fraction(answer)})
            return {**values, "delta": float(value(made).ball(_BITS).mid())}
        return {**values, "delta": answer} if self.asks == "delta" else values

    def _drawn(self, *, hair: Fraction) -> Any:
        """Return the strategy beyond the list: instances with an answer that can be decided."""
        found = self.over.drawn_instances().map(lambda at: next(self._answered(at, hair), None))

        def is_open(at: Instance | None) -> bool:
            return at is None or _decided(self, at, hair=hair).truth.is_open

        return found.filter(lambda at: not is_open(at))

    def _wide(self, most: int, *, hair: Fraction) -> Any:
        """Return the strategy of a campaign, over all that is documented."""

        def answered(at: Instance) -> Instance | None:
            found = next(self._answered(at, hair, is_short=True), None)
            return None if found is None or isinstance(found["answer"], str) else found

        ranges = {"delta": (TINY, RANGES["delta"][1]), **self.ranges} if hair else self.ranges
        return wide(self.over, ranges, answered, self.fair, most)

    def _again(self, at: Instance, *, hair: Fraction) -> Iterator[Instance]:
        """Yield a kept deployment with the library's present answer."""
        asked = Instance(tuple(one for one in at.values if one[0] != "answer"))
        yield from self._answered(asked, hair)

    def _answered(
        self, at: Instance, hair: Fraction, *, is_short: bool = False
    ) -> Iterator[Instance]:
        """Yield an instance with the answer; nothing where there is none to ask for."""
        values = at.mapping()
        expression = called(self.call, values)
        if expression is None or (not hair and values.get("mechanism") in self.converts):
            return
        answer = self.answer(expression, is_short=is_short)
        yield Instance((*at.values, ("answer", answer)))

    def answer(self, expression: str, *, is_short: bool = False) -> float | str | tuple[float, ...]:
        """Return the library's answer to a call, or why there is none, in brackets."""
        said = reply(self.library, self.imports, expression, is_short=is_short)
        return f"({said.failure})" if said.failure else said.values[self.picks]

    def decided(self, at: Instance, *, hair: Fraction, factor: Fraction = Fraction(1)) -> Outcome:
        """Decide the promise at an instance."""
        values = _fields(at)
        answer = values["answer"]
        if isinstance(answer, str):  # a refusal breaks no promise; no answer says nothing
            truth = Truth.TRUE if answer.startswith("(raised ") else Truth.UNKNOWN
            return decided(truth, f"no number {answer}")
        assert isinstance(answer, float)
        plain = plainly(answer, self.side, is_parameter=self.asks in ("parameter", "scale"))
        if plain is Judgment.FAILED:
            return decided(Truth.of(answer > 0), f"{answer!r} is no {self.asks}")
        if plain is not None:
            return decided(Truth.of(plain is Judgment.RIGHT), f"{answer!r}")
        sign, allowed = (1 if self.side is Side.UPPER else -1), _number(self.tolerance, values)
        number = Fraction(answer) * factor + sign * (allowed if hair else 0)
        if hair and number == 0 and self.asks == "delta" and self.side is Side.UPPER:
            number = _LEAST  # it was rounded to 0
        room = self.side.room(hair)
        if self.asks in ("loss", "scale"):
            values = {**values, "answer": number * room}
            claim = number * room if self.claim is None else called(self.claim, values)
            relation = at_most if self.side is Side.UPPER else at_least
            return _said([relation(called(self.delta, values), claim)])
        match self.asks:
            case "delta":
                epsilon, delta = Fraction(values["epsilon"]), number * room
            case "epsilon":
                epsilon, delta = number * room, Fraction(values["delta"])
                delta *= room if isinstance(at["answer"], tuple) else 1
            case _:
                epsilon, delta = Fraction(values["epsilon"]), Fraction(values["delta"])
                if hair:
                    epsilon += self.allowed_epsilon
                    delta = (delta + _number(self.allowed_delta, values)) * room
                values = {**values, "answer": number * room}
        if epsilon < 0 or delta < 0:
            is_shown = self.asks == "delta" and self.side is Side.UPPER and epsilon >= 0
            shown = self._claimed({**values, "epsilon": epsilon}, delta) if is_shown else []
            if shown:
                return _said(shown)
            return decided(Truth.of(self.side is Side.LOWER), f"{answer!r} is negative")
        if epsilon == 0 and self.asks == "epsilon" and self.side is Side.LOWER:
            return decided(Truth.TRUE, f"{answer!r} is not above 0, and no ε is below")
        values = {**values, "epsilon": epsilon}
        if self.law is None:
            return _said(self._claimed(values, delta))
        asked = Question(called(self.law, values), Epsilon.rational(epsilon))
        outcome = self._compared(asked, values, delta)
        if outcome.truth.is_possible or factor != 1:
            return outcome
        return replace(outcome, over=self._by_how_much(_fields(at)))

    def _by_how_much(self, values: Fields) -> tuple[Fraction, Fraction] | None:
        """Return the ratio of δ to the claimed one, at the very answer, with no allowance."""
        assert self.law is not None
        answer = Fraction(values["answer"])
        epsilon = answer if self.asks == "epsilon" else Fraction(values["epsilon"])
        claim = answer if self.asks == "delta" else Fraction(values["delta"])
        if self.asks == "parameter":
            values = {**values, "answer": answer}
        if claim <= 0 or epsilon < 0:
            return None
        law = called(self.law, {**values, "epsilon": epsilon})
        found = told(Question(law, Epsilon.rational(epsilon)), claim)
        return None if found is None else (found.lower / claim, found.upper / claim)

    def _compared(self, asked: Question, values: Fields, delta: Fraction) -> Outcome:
        near = partial(nearness, asked, delta)
        if self.bounded is not None and at_most(called(self.bounded, values), delta).holds():
            return Outcome(Truth.TRUE, nearness=near)
        try:
            wrong, _, _ = compared(self.side, Exact(delta), asked, _MAX_BITS, _MAX_SECONDS)
        except (UndecidedError, TooLargeError) as error:
            bounded = _said(self._claimed(values, delta))  # the term may be a bound that shows it
            fell = not bounded.truth.is_possible
            return bounded if fell else decided(Truth.UNKNOWN, str(error))
        if not wrong:
            # The first bound that decides it says no ratio.
            return Outcome(Truth.TRUE, nearness=near)
        known, shown = told(asked, delta), "on the wrong side of"
        if known is not None and self.side is Side.UPPER and known.lower > delta:
            shown = f"at least {known.lower:.17g} >"
        elif known is not None and self.side is Side.LOWER and known.upper < delta:
            shown = f"at most {known.upper:.17g} <"
        outcome = decided(
            Truth.FALSE,
            f"delta at epsilon {decimal(Exact(values['epsilon']), digits=17)} is {shown} "
            f"{decimal(Exact(delta), digits=17)}",
            claimed=partial(self._failing, values, delta),
            precision_bits=_BITS,
        )
        is_tiny = known is not None and known.upper < TINY  # also where 0 is claimed
        return replace(outcome, falls=Falls.ROUNDING) if is_tiny else outcome

    def _failing(self, values: Fields, delta: Fraction) -> list[Relation]:
        """Return the relations for the kernel: none if the term is a bound that shows nothing."""
        claimed = self._claimed(values, delta)
        sides = [(r, numbers_of((r.left, r.right))) for r in claimed]
        return [r for r, x in sides if x is None or not truth_of(r.sign, *x).is_certain]

    def _claimed(self, values: Fields, delta: Fraction) -> list[Relation]:
        made = called(self.delta, values)
        relation = at_most if self.side is Side.UPPER else at_least
        return [] if made is None else [relation(made, delta)]


class Readings(dict[str, Statement]):
    """The readings of a promise, which remember it as ``promise``."""

    def __init__(self, readings: Mapping[str, Statement], *, promise: Promise) -> None:
        super().__init__(readings)
        self.promise = promise


def _fields(at: Instance) -> Fields:
    """Return the fields of an instance; the δ of an answer (ε, δ) is one of them."""
    values = at.mapping()
    if not isinstance(values["answer"], tuple):
        return values
    epsilon, delta = values["answer"]
    return {**values, "answer": epsilon if math.isfinite(delta) else delta, "delta": delta}


@lru_cache(maxsize=65536)
def _decided(
    promise: Promise, at: Instance, *, hair: Fraction, factor: Fraction = Fraction(1)
) -> Outcome:
    outcome = promise.decided(at, hair=hair, factor=factor)
    if outcome.truth.is_possible or factor != 1 or promise.asks == "loss":
        return outcome
    values = at.mapping() if outcome.over is None else _fields(at)
    return weighed(outcome, values.get("answer" if promise.asks == "delta" else "delta"))


def _said(relations: list[Relation]) -> Outcome:
    try:
        return Said(relations, precision_bits=_BITS).outcome()
    except TooLargeError as error:
        return decided(Truth.UNKNOWN, str(error))


def _number(allowed: Fraction | Callable[..., Fraction], values: Fields) -> Fraction:
    return Fraction(called(allowed, values)) if callable(allowed) else allowed


def read(text: str) -> Instance:
    """Return an instance from its text: names with numbers, words, or tuples of these.

    Example:
        >>> str(read("mechanism=gaussian, rate=0.01, answer=1e-05, inner=(1, 2)"))
        'mechanism=gaussian, rate=0.01, answer=1e-05, inner=(1, 2)'
    """
    call = ast.parse(f"_({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return Instance.of(**{str(one.arg): _read(one.value) for one in call.keywords})


def _read(node: ast.expr) -> object:
    match node:
        case ast.Name(id=("inf" | "nan") as word):
            return float(word)
        case ast.Name(id=word):
            return word
        case ast.Tuple(elts=parts):
            return tuple(map(_read, parts))
    return ast.literal_eval(node)
