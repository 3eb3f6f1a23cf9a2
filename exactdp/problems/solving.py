"""Problems to answers: each question is asked of the profile that the file means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, cast

from flint import arb, fmpq
from msgspec import UNSET
from msgspec.structs import replace

from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.values import at_target, enclosed
from exactdp.errors import DomainError, ExactDPError, ParseError, TooLargeError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    Rounding,
    decimal,
    fmpq_of,
    rational,
    short,
    working_bits,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.balls import ball_of_interval
from exactdp.numbers.effort import TOO_MUCH, within_work
from exactdp.numbers.limits import MAX_DIGITS
from exactdp.numbers.validated import validated
from exactdp.problems.answers import (
    INFINITY,
    OLD_ASKS,
    Answer,
    Answers,
    PublishedBound,
    answer_of,
    is_settled,
    places_of,
)
from exactdp.problems.laws import located
from exactdp.problems.reading import FileQuestion, Problem
from exactdp.problems.schema import Target
from exactdp.problems.some_answers import Refused, SomeAnswers
from exactdp.problems.values import EpsilonValue, OpenLevel, Order, Rational

__all__ = ["solve", "solve_each"]

_USUAL_WIDTH_OF_EXACT_ANSWERS = fmpq(1, 10**15)
"""The relative width of an answer that is known exactly, unless the file asks for another."""

_USUAL_WIDTH_OF_PARAMETERS = fmpq(1, 10**9)
"""The relative width of a calibrated parameter, unless the file asks for another."""

# A step of a decimal of the width asked for is a tenth of it at least, so that an enclosure this
# much narrower is within one step more often than not; else the next one nearly always is.
_NARROWER = tuple(fmpq(1, 8**k) for k in range(1, 10))

_WORK_OF_USUAL = 10_000_000
"""The operations that an enclosure may take that is narrower than the file asks for."""

Value = Number | Epsilon | Enclosure


@validated
def solve(problem: Problem, *, digits: int = 17, settled: bool = False) -> Answers:
    """Return the answer to each question of a problem, in the file's order.

    Args:
        problem: What ``read_problem`` returned.
        digits: The significant digits of the decimals, 1 to 100,000.
        settled: Whether enclosures are narrowed until both ends round outward to one step of
            a decimal of the width asked for, which then is what any engine shows on any
            machine. One that gets no narrower is shown as it is.

    Returns:
        Exact answers, correctly rounded decimals and enclosures; of laws at scale, and of
        compositions that are too large to be exact, enclosures. With direction
        "both", each is the worse of (P, Q) and (Q, P): the larger, and for
        trade_off the smaller. The smallest epsilon for a delta is at least 0.

    Raises:
        DomainError: If digits is out of range, or a question has no answer.
        ParseError: If a question is not one for this kind of problem.

    Example:
        >>> from exactdp.problems import read_problem
        >>> problem = read_problem('''{"kind": "finite_pair", "p": ["3/4", "1/4"],
        ...     "q": ["1/4", "3/4"], "ask": {"epsilon": [0], "hockey_stick": [{"log": 2}]}}''')
        >>> [(a.ask, a.exact, a.decimal) for a in solve(problem, digits=4).answers]
        [('epsilon', None, '1.099'), ('hockey_stick', '1/4', '0.2500')]
    """
    answers = []
    for found in _each(problem, digits, settled=settled):
        if isinstance(found, ExactDPError):
            raise found
        answers.append(found)
    return Answers(sides=problem.law.sides(), answers=answers)


@validated
def solve_each(
    problem: Problem, *, digits: int = 17, told: Callable[[Answer | Refused], object] | None = None
) -> SomeAnswers:
    """Return the answer to each question that has one; of the others why they have none.

    Args:
        problem: What ``read_problem`` returned.
        digits: The significant digits of the decimals, 1 to 100,000.
        told: Is given each of them as soon as it is there.

    Raises:
        ExactDPError: As of :func:`solve`, if no question has an answer.

    Example:
        >>> from exactdp.problems import read_problem
        >>> problem = read_problem('''{"kind": "random_allocation", "steps": 10,
        ...     "step": {"kind": "gaussian", "sigma": "2"}, "ask": {"max_divergence": true,
        ...     "hockey_stick": [{"rational": "1"}], "relative_width": "1e-9"}}''')
        >>> [one.ask for one in solve_each(problem, digits=4).refused]
        ['hockey_stick']
    """
    answers: list[Answer | Refused] = []
    errors: list[ExactDPError] = []
    for question, found in zip(problem.questions, _each(problem, digits), strict=True):
        if isinstance(found, ExactDPError):
            errors.append(found)
        answers.append(Refused.of(question, found) if isinstance(found, ExactDPError) else found)
        if told is not None:
            told(answers[-1])
    if errors and len(errors) == len(answers):
        raise errors[0]
    return SomeAnswers(sides=problem.law.sides(), answers=answers)


def _each(
    problem: Problem, digits: int, *, settled: bool = False
) -> Iterator[Answer | ExactDPError]:
    """Yield the answer to each question, in the file's order, or the error that it ends in."""
    if whole_number(digits, name="digits", at_least=1) > MAX_DIGITS:
        advice = f"Give a number from 1 to {MAX_DIGITS}."
        raise DomainError(f"digits={short(str(digits))} is out of range. {advice}")
    profile = problem.law.profile("$")
    known: dict[str, Answer | ExactDPError] = {}  # what is asked often is answered once
    for question in problem.questions:
        ask = repr((question.ask, question.at))
        if ask not in known:
            try:
                known[ask] = _one(question, problem, profile, digits, settled=settled)
            except ParseError:
                raise
            except ExactDPError as error:
                known[ask] = error
        yield known[ask]


def _one(
    question: FileQuestion,
    problem: Problem,
    profile: PrivacyProfile | None,
    digits: int,
    *,
    settled: bool,
) -> Answer:
    if question.ask == "kept":
        users = cast(int, question.value)
        asked = _Asked(lambda _: problem.law.kept(users), _USUAL_WIDTH_OF_EXACT_ANSWERS)
    elif profile is None or isinstance(question.value, Target):
        asked = _parameter(question, problem, is_open=profile is None)
    else:
        worst = profile.both_directions() if problem.both_directions else profile
        asked = _divergence(question, problem, profile, worst)
    answer = _answer(question, problem, asked, digits, settled=settled)
    published = getattr(profile, "published", None)
    if question.ask == "epsilon" and published is not None and not settled:
        return _beside_published(answer, published, question)
    return answer


def _beside_published(
    answer: Answer, bounds: Callable[[Exact], Sequence[Any]], question: FileQuestion
) -> Answer:
    """Return an answer with the looseness of published bounds: their ε over that of the truth."""
    assert isinstance(question.value, Rational)
    if answer.upper in ("0", INFINITY):
        return answer
    # Clones need a finite local epsilon, and a blanket may be too large: the answer stands alone.
    with suppress(DomainError, TooLargeError, UndecidedError):
        found = bounds(question.value.number)
        shown = partial(decimal, digits=4, rounding=Rounding.UP)
        low, high = Exact(answer.lower), Exact(answer.upper)
        published = [
            PublishedBound(
                name=one.name,
                standing=one.standing,
                epsilon=shown(Exact(one.epsilon.upper)),
                at_least=decimal(Exact(one.epsilon.lower) / high, digits=3, rounding=Rounding.DOWN),
                at_most=shown(Exact(one.epsilon.upper) / low, digits=3) if low.sign() else None,
            )
            for one in found
        ]
        return replace(answer, published=published)
    return answer


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as a function of the relative width, and how its answer is shown."""

    value_at: Callable[[RationalLike], Value]
    width: RationalLike
    safe: Rounding | None = None
    remarks: dict[str, Any] = field(default_factory=dict)


def _answer(
    question: FileQuestion, problem: Problem, asked: _Asked, digits: int, *, settled: bool
) -> Answer:
    """Return the answer to a question, settled or as asked."""
    with located(f"$.ask.{question.ask}"):
        # Rounding outward to two digits more costs little of the width.
        value, places = _settled(asked) if settled else (None, places_of(asked.width) + 2)
        value = asked.value_at(asked.width) if value is None else value
        is_order = isinstance(question.value, Order) and question.value.is_whole  # a logarithm
        text = value.text if is_order and isinstance(value, Real) else None
        by = {"note": f"The enclosure comes by {x}."} if (x := getattr(value, "route", "")) else {}
        return answer_of(
            value,
            ask=question.ask,
            digits=digits,
            places=places,
            formula=text,
            safe=asked.safe,
            at=question.at,
            direction="both" if problem.both_directions else "forward",
            **(by | asked.remarks),
        )


def _settled(asked: _Asked) -> tuple[Value | None, int]:
    """Return an answer from ever narrower enclosures, until it shows the truth alone."""
    places, found = places_of(asked.width), None
    with suppress(*TOO_MUCH):  # then it gets no narrower
        for factor in _NARROWER:
            width = rational(asked.width) * factor
            with within_work(_WORK_OF_USUAL):
                found = asked.value_at(width)
            if is_settled(found, places=places, relative_width=width):
                break
    return found, places


def _divergence(
    question: FileQuestion, problem: Problem, profile: PrivacyProfile, worst: PrivacyProfile
) -> _Asked:
    """Return a question to a profile; ``worst`` is the larger of the directions asked."""
    usual = _USUAL_WIDTH_OF_EXACT_ANSWERS if profile.is_exact else profile.usual_width
    remarks: dict[str, Any] = {}
    if problem.law.is_lower_bound():
        remarks["bound"] = "upper" if question.ask == "trade_off" else "lower"
    elif note := problem.law.note():
        remarks["note"] = note
    return _Asked(
        lambda width: _value(question, profile, worst, width, is_usual=width is usual),
        problem.relative_width or usual,
        remarks=remarks,
    )


def _value(
    question: FileQuestion,
    profile: PrivacyProfile,
    worst: PrivacyProfile,
    width: RationalLike,
    *,
    is_usual: bool,
) -> Value:
    """Return a profile's answer to a question, to a relative width."""
    match question.ask, question.value:
        case (("delta" | "hockey_stick"), EpsilonValue() as epsilon):
            ways = partial(_delta, worst, epsilon.value, width), partial(worst.delta, epsilon.value)
            return _soon(*ways) if is_usual else ways[0]()
        case "total_variation", None:  # the same in both directions
            return _delta(profile, Epsilon.rational(0), width)
        case "epsilon", Rational(number=delta):
            inverse = partial(_epsilon, worst, delta, width), partial(worst.epsilon, delta)
            return _soon(*inverse) if is_usual else inverse[0]()
        case "max_divergence", None:
            return worst.max_divergence()
        case "renyi", Rational(number=order):
            return _renyi(worst, order, width, is_usual=is_usual)
        case "trade_off", Rational(number=alpha):
            return _trade_off(worst, alpha, width)
    raise AssertionError(question)


def _soon(narrow: Callable[[], Value], usual: Callable[[], Value]) -> Value:
    """Return a narrow answer if it is soon found, else the usual one, or a bound with a name."""
    with suppress(*TOO_MUCH), within_work(_WORK_OF_USUAL):
        return narrow()
    return usual()


def _renyi(
    profile: PrivacyProfile, order: Number, width: RationalLike, *, is_usual: bool
) -> Number | Epsilon | Enclosure:
    """Return the divergence: a number where that is usual or cheap, an enclosure elsewhere."""
    found = None
    if is_usual or profile.has_closed_form:
        with suppress(TooLargeError):  # an exact moment is too long; an enclosure is not
            found = profile.renyi(order)
    # From δ alone it is an enclosure, wider than usual.
    is_final = is_usual if isinstance(found, Enclosure) else profile.has_closed_form
    if found is not None and is_final:
        return found
    return profile.renyi(order, relative_width=width)


def _trade_off(profile: PrivacyProfile, alpha: Number, width: RationalLike) -> Number | Enclosure:
    found = profile.trade_off(alpha) if profile.has_closed_form else None
    if found is None or isinstance(found, Enclosure):
        return profile.trade_off(alpha, relative_width=width)
    return found


def _delta(profile: PrivacyProfile, epsilon: Any, width: RationalLike) -> Number | Enclosure:
    """Return δ: a number where there is a closed form, an enclosure elsewhere."""
    # A number can be asked for any number of digits; an enclosure costs what its width does.
    if not (profile.has_closed_form and isinstance(epsilon, Epsilon)):
        return profile.delta(epsilon, relative_width=width)
    with suppress(TooLargeError):
        return profile.delta(epsilon)
    # Of unrelated doubles there is no short polynomial, but a number that refines.
    return Real(partial(_delta_ball, profile, epsilon), "")


def _delta_ball(profile: PrivacyProfile, epsilon: Epsilon) -> arb:
    width = Fraction(1, 2 ** working_bits())
    found = enclosed(profile.delta(epsilon, relative_width=width), width)
    return ball_of_interval(fmpq_of(found.lower), fmpq_of(found.upper))


def _epsilon(
    profile: PrivacyProfile, delta: Number, width: RationalLike
) -> Number | Epsilon | Enclosure:
    """Return the smallest ε for a δ, exactly where that is known."""
    if profile.has_exact_epsilon and isinstance(delta, Exact):
        with suppress(TooLargeError):  # an exact law may be too long; an enclosure is not
            return profile.epsilon(delta)
    if delta == 0:
        return profile.max_divergence()
    return Epsilon.log(1) if delta == 1 else profile.epsilon(delta, relative_width=width)


def _parameter(question: FileQuestion, problem: Problem, *, is_open: bool) -> _Asked:
    """Return the question for the parameter that the law leaves out."""
    choices = {
        name: choice
        for name, choice in problem.law.open_parameters().items()
        if is_open or choice.has_default
    }
    if not choices:
        raise ParseError(
            f"$.ask.{question.ask} asks for a parameter that the law does not leave open. "
            "Leave the parameter out of the law to ask for it, where it has one."
        )
    if not isinstance(question.value, Target):
        raise ParseError(
            f"$.ask.{question.ask} needs the parameter that the law leaves out. "
            f"Give the law its {next(iter(choices))}."
        )
    name = question.ask if question.ask in choices else OLD_ASKS.get(question.ask)
    if name not in choices:
        raise ParseError(
            f"$.ask.{question.ask} asks for a parameter that the law does not leave open. "
            f"Ask for {' or '.join(choices)}."
        )
    choice, epsilon, delta = choices[name], question.value.epsilon.value, question.value.delta
    if choice.needs_delta not in (None, isinstance(delta, OpenLevel)):
        rule, way_out = "has no delta: it is a pure epsilon", "Leave its delta out"
        if choice.needs_delta:
            rule, way_out = "needs a delta", "Add one"
        raise ParseError(
            f"$.ask.{question.ask}: a target for this kind of problem {rule}. {way_out}."
        )
    find = (problem.both_directions and choice.solve_both) or choice.solve
    number = delta.number if isinstance(delta, OpenLevel) else Exact(0)
    return _Asked(
        lambda width: at_target(find, epsilon, number, width),
        problem.relative_width or choice.usual_width or _USUAL_WIDTH_OF_PARAMETERS,
        safe=choice.safe,
        remarks={"note": choice.note or UNSET},
    )
