"""Answers about an exact law: each question, asked of the pair itself.

Definitions: :func:`exact_answers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from flint import fmpq, fmpz

from exactdp.divergences import (
    Pair,
    PrivacyLossDistribution,
    TradeOffFunction,
    max_divergence,
    renyi_divergence,
    trade_off_function,
)
from exactdp.errors import ParseError
from exactdp.numbers import Epsilon, Exact, Number, Real
from exactdp.numbers.balls import working_bits
from exactdp.problems.answers import Answer, answer_of, answer_of_epsilon
from exactdp.problems.exact_laws import Law, refuse_large_degree, refuse_long_weights, weight_bits
from exactdp.problems.reading import Problem, Question, written
from exactdp.problems.strict_json import shown
from exactdp.problems.values import EpsilonValue, Rational

__all__ = ["exact_answers"]

POWER_COST = 10
"""How much dearer a moment is than its powers: it is a sum with large denominators."""


@dataclass(frozen=True)
class _Side:
    """One direction of the law, with what several questions share."""

    law: Law

    @cached_property
    def pair(self) -> Pair:
        """The pair with one outcome for each loss."""
        return Pair.from_losses(self.law.pair.losses())

    @property
    def losses(self) -> PrivacyLossDistribution:
        return self.law.pair.losses()

    @cached_property
    def trade_off(self) -> TradeOffFunction:
        return trade_off_function(self.pair)

    def hockey_stick_divergence(self, exp_epsilon: Exact) -> Exact:
        return self.law.hockey_stick_divergence(exp_epsilon=exp_epsilon)

    def renyi_divergence(self, order: fmpq) -> Number | None:
        """The divergence; None if it is infinite."""
        if max_divergence(self.pair).is_infinite:
            return None
        return renyi_divergence(self.pair, order=order)


def exact_answers(problem: Problem, law: Law, *, digits: int) -> list[Answer]:
    """Return the answers to the questions of a problem about an exact law, in order.

    Raises:
        ParseError: If a question asks for a parameter, which such a law does not have.
        TooLargeError: If an answer is too large.
    """
    sides = [_Side(law)]
    if problem.direction == "both":
        sides.append(_Side(law.reversed()))
    width = fmpq(1, 10**15) if problem.relative_width is None else problem.relative_width.value
    return [
        _answer(question, sides, law, digits=digits, relative_width=width)
        for question in problem.questions
    ]


def _answer(
    question: Question, sides: list[_Side], law: Law, *, digits: int, relative_width: fmpq
) -> Answer:
    bound: Literal["lower", "upper"] = "upper" if question.ask == "trade_off" else "lower"
    form: dict[str, Any] = {
        "digits": digits,
        "relative_width": relative_width,
        "ask": question.ask,
        "at": written(question.at),
    }
    if law.is_lower_bound:
        form["bound"] = bound
    match question:
        case Question("hockey_stick", EpsilonValue() as epsilon):
            _refuse_large_epsilon(law, epsilon)
            gamma = epsilon.value.exp
            value = max(side.hockey_stick_divergence(gamma) for side in sides)
            return _exact_answer(value, form)
        case Question("epsilon", Rational() as delta):
            smallest = max(side.losses.epsilon(delta.value) for side in sides)
            return answer_of_epsilon(smallest, **form)
        case Question("renyi", Rational() as order):
            return _renyi_answer(order, sides, law, form)
        case Question("max_divergence", None):
            return answer_of_epsilon(max(max_divergence(side.pair) for side in sides), **form)
        case Question("total_variation", None):
            return _exact_answer(sides[0].hockey_stick_divergence(Exact(1)), form)
        case Question("trade_off", Rational() as alpha):
            least = min(side.trade_off.type_two_error(alpha=alpha.value) for side in sides)
            return _exact_answer(least, form)
    raise ParseError(
        f"$.ask.{question.ask} asks for a parameter that this kind of problem does not have. "
        "Ask for sigma, scale or epsilon0 where the law leaves it out."
    )


def _exact_answer(value: Exact, form: dict[str, Any]) -> Answer:
    return answer_of(value, expression=_expression(value), **form)


def _expression(value: Exact) -> str | None:
    # An answer of high degree has a text far longer than what would be shown.
    if value.numerator.degree() + value.denominator.degree() > 1_000:
        return None
    return value.expression()


def _renyi_answer(order: Rational, sides: list[_Side], law: Law, form: dict[str, Any]) -> Answer:
    if order.value.q == 1:  # an exact moment of powers; of other orders it is one of balls
        power = int(min(order.value.p, fmpz(10**12)))
        bits = POWER_COST * power * weight_bits(sides[0].pair)
        refuse_long_weights(law, bits=bits, path=f"$.ask.renyi at {shown(order.written)}")
    values = [side.renyi_divergence(order.value) for side in _distinct(sides)]
    finite = [value for value in values if value is not None]
    if len(finite) < len(values):
        return answer_of_epsilon(Epsilon.infinity(), **form)
    value = finite[0] if len(finite) == 1 else _larger(finite[0], finite[1])
    is_formula = isinstance(value, Exact) or (len(finite) == 1 and order.value.q == 1)
    text = value.expression() if isinstance(value, Exact) else value.text
    return answer_of(value, expression=text if is_formula else None, **form)


def _distinct(sides: list[_Side]) -> list[_Side]:
    """Return one side if both directions have the same divergences."""
    return sides[:1] if len(sides) == 2 and sides[0].losses == sides[1].losses else sides


def _larger(a: Number, b: Number) -> Number:
    """Return the larger of two numbers; for computable reals, without deciding which."""
    if isinstance(a, Exact) and isinstance(b, Exact):
        return max(a, b)
    return Real(lambda: a.ball(working_bits()).max(b.ball(working_bits())), "the larger")


def _refuse_large_epsilon(law: Law, epsilon: EpsilonValue) -> None:
    path = "$.ask.hockey_stick at " + shown(epsilon.written())
    if epsilon.exponent != 0:
        exponents: tuple[Fraction, ...] = (*law.exponents, epsilon.exponent)
        refuse_large_degree(exponents, users=law.users, path=path)
    elif isinstance(epsilon.log, Rational):
        refuse_long_weights(law, bits=int(epsilon.log.value.height_bits()), path=path)
