"""Answers about a law at scale: enclosures of a width that is asked for.

Definitions: :func:`certified_answers`.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from flint import arb, fmpq
from msgspec import UNSET

from exactdp.errors import ParseError
from exactdp.numbers import Enclosure, Epsilon, Number, Real, Rounding, working_bits
from exactdp.problems.answers import Answer, answer_of, answer_of_enclosure, answer_of_epsilon
from exactdp.problems.certified_laws import CertifiedLaw
from exactdp.problems.reading import Problem, Question, written
from exactdp.problems.schema import Target
from exactdp.problems.values import EpsilonValue, Rational

__all__ = ["certified_answers"]


def certified_answers(problem: Problem, law: CertifiedLaw, *, digits: int) -> list[Answer]:
    """Return the answers to the questions of a problem about a law at scale, in order.

    Raises:
        ParseError: If a question is not answered for such a law, or asks for a
            parameter that the law gives or does not have.
        UndecidedError: If the width cannot be met.
    """
    width = law.usual_width if problem.relative_width is None else problem.relative_width.value
    return [
        _answer(question, problem, law, digits=digits, relative_width=width)
        for question in problem.questions
    ]


def _answer(
    question: Question, problem: Problem, law: CertifiedLaw, *, digits: int, relative_width: fmpq
) -> Answer:
    form: dict[str, Any] = {
        "digits": digits,
        "relative_width": relative_width,
        "ask": question.ask,
        "at": written(question.at),
    }
    match question:
        case Question(at=Target() as target):
            return _calibrated(question.ask, target, law, form)
        case _ if not law.sides:
            raise ParseError(
                f"$.ask.{question.ask} needs the parameter that the law leaves out. "
                f"Give the law its {law.calibrations[0].parameter}."
            )
        case Question("hockey_stick", EpsilonValue() as epsilon):
            return _delta(epsilon.value, problem, law, form)
        case Question("total_variation", None):
            return _delta(Epsilon.rational(0), problem, law, form)
        case Question("epsilon", Rational() as delta):
            sides = law.sides_of(problem.direction)
            found = [side.epsilon(delta.value, relative_width) for side in sides]
            return answer_of_enclosure(_largest(found), **form)
        case Question("max_divergence", None):
            tops = [side.max_divergence for side in law.sides_of(problem.direction)]
            if None not in tops:
                return _top([top() for top in tops if top is not None], form)
    raise ParseError(
        f"$.ask.{question.ask} is not answered for this kind of problem. "
        "Ask for hockey_stick, epsilon or total_variation."
    )


def _calibrated(ask: str, target: Target, law: CertifiedLaw, form: dict[str, Any]) -> Answer:
    found = next((c for c in law.calibrations if c.parameter == ask), None)
    if found is None:
        own = " or ".join(c.parameter for c in law.calibrations)
        way_out = f"Ask for {own}." if own else "Leave the parameter out of the law to ask for it."
        raise ParseError(
            f"$.ask.{ask} asks for a parameter that the law does not leave open. {way_out}"
        )
    if (target.delta is UNSET) is found.needs_delta:
        rule = "needs a delta" if found.needs_delta else "has no delta: it is a pure epsilon"
        raise ParseError(f"$.ask.{ask}: a target for this kind of problem {rule}.")
    delta = target.delta.value if isinstance(target.delta, Rational) else fmpq(0)
    value = found.solve(target.epsilon.value, delta, form["relative_width"])
    safe = Rounding.DOWN if found.smaller_is_safe else Rounding.UP
    return answer_of_enclosure(value, safe=safe, **form)


def _top(tops: list[Epsilon | Number], form: dict[str, Any]) -> Answer:
    epsilons = [top for top in tops if isinstance(top, Epsilon)]
    if len(epsilons) == len(tops):
        return answer_of_epsilon(max(epsilons), **form)
    numbers = [top.nats if isinstance(top, Epsilon) else top for top in tops]
    larger = Real(
        lambda: reduce(arb.max, [number.ball(working_bits()) for number in numbers]), "the larger"
    )
    return answer_of(larger, **form)


def _delta(epsilon: Epsilon, problem: Problem, law: CertifiedLaw, form: dict[str, Any]) -> Answer:
    sides = law.sides_of(problem.direction)
    if len(sides) == 1 and sides[0].exact_delta is not None:
        return answer_of(sides[0].exact_delta(epsilon), **form)
    width = form["relative_width"]
    return answer_of_enclosure(_largest([side.delta(epsilon, width) for side in sides]), **form)


def _largest(found: list[Enclosure]) -> Enclosure:
    return Enclosure(max(e.lower for e in found), max(e.upper for e in found))
