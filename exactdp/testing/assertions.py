"""One-sided assertions: a claimed number against the truth, decided exactly.

PYTEST_DONT_REWRITE: the messages are made here.

A claimed double is compared as the rational number that it is, not as what it prints. The
truth may be a number, an enclosure, or a question to a profile, which is asked as far as the
comparison needs: a certified tail bound first, then narrower and narrower enclosures. If the
budget ends before, the assertion raises UndecidedError: it does not pass.

In a Hypothesis test the ratio of claim and truth is a target: the search climbs to where the
claim is worst, and the failure says so beside the smallest example.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, TypedDict, Unpack

from exactdp.divergences import PrivacyProfile
from exactdp.divergences.questions import Question, question
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, EpsilonLike, Exact, Number, RationalLike, Real
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.text import fraction_of, rational
from exactdp.side import Side
from exactdp.testing.deciding import compared, slack_of
from exactdp.testing.failures import Claimed, Comparison, Kind, bracket, claim_of
from exactdp.testing.rebuilding import instance_text
from exactdp.testing.slack import SlackRecorder, listener
from exactdp.testing.telling import climb, enclosure_shown, epsilon_slack, instead_of, worst_line

__all__ = [
    "MAX_BITS",
    "MAX_SECONDS",
    "RoundingFaultError",
    "TrueValue",
    "WrongClaimError",
    "assert_contains_truth",
    "assert_epsilon_never_below_truth",
    "assert_never_above_truth",
    "assert_never_below_truth",
    "assert_private",
]

TrueValue = Number | Fraction | int | Epsilon | Enclosure | Question | PrivacyProfile
"""The types of a truth; a profile comes together with an ε, a δ, an order or an α."""

MAX_BITS = 1 << 14
"""The bits at which the refinement of a real gives up, unless told otherwise."""

MAX_SECONDS = 10.0
"""The seconds of work, a million operations each, after which a question is left undecided."""

_WORSE = Fraction(99, 100)  # the part of a ratio to the truth below which a failure is worse


class RoundingFaultError(AssertionError):
    """A double is on the wrong side of the truth, by at most four units in the last place.

    The formula may be right and only its evaluation rounded to the wrong side. Enlarge
    an upper bound by a few ulps, or evaluate it with directed rounding.
    """


class WrongClaimError(AssertionError):
    """A claim about a profile is on the wrong side of the truth, by more than rounding.

    The message is made when it is printed: to say what the smallest ε is takes longer than to
    know that the claimed one is smaller.
    """

    def __init__(self, text: Callable[[], str]) -> None:
        super().__init__()
        self._text = text
        self._said: str | None = None

    def __str__(self) -> str:
        if self._said is None:
            self._said = self._text()
        return self._said


class Options(TypedDict, total=False):
    """The options of every assertion, besides the claim and the truth.

    Attributes:
        tolerance: How much the claim may be off, over the truth; "1e-9" sets rounding aside.
        at: The instance, printed in full when the assertion fails.
        rebuild: A line of Python that builds it; made from ``at`` if not given.
        max_bits: The precision at which the refinement of a Real gives up.
        max_seconds: The work after which a question is given up: a million counted operations for
            a second, on any machine.
    """

    tolerance: RationalLike
    at: object
    rebuild: str | None
    max_bits: int
    max_seconds: float


class Asked(Options, total=False):
    """The number of a profile that is the truth, said in one of four ways; doubles are exact.

    Attributes:
        epsilon: δ at this ε.
        delta: The smallest ε >= 0 for this δ.
        order: The Rényi divergence of this order.
        alpha: The least type II error of tests at this level, of which privacy promises a lower
            bound.
    """

    epsilon: EpsilonLike
    delta: Exact | RationalLike | float
    order: RationalLike | float
    alpha: Exact | RationalLike | float


def assert_never_below_truth(claimed: Claimed, truth: TrueValue, **options: Unpack[Asked]) -> None:
    """Assert that a claimed upper bound is at least the truth.

    Formula:
        claimed·(1 + tolerance) >= truth, for the very number that ``claimed`` holds.

    Args:
        claimed: The bound: a float (the rational that the double is), an int, a
            Fraction, a Decimal or an Exact, or one of numpy's. Plus infinity passes, for
            it is an upper bound that says nothing; minus infinity and NaN fail.
        truth: The true value: an int, a Fraction, an Exact, a Real, an Epsilon (its nats), an
            enclosure, a question (such as ``case.truth``), or a profile.
        **options: See :class:`Asked` and :class:`Options`.

    Raises:
        AssertionError: If the claim is below the truth, or NaN.
        RoundingFaultError: If it is a double at most four ulps below; this, too, is an
            AssertionError.
        UndecidedError: If the truth cannot be told from the claim within the budget.
        DomainError: If an argument is of another type, such as a float truth.

    Example:
        >>> assert_never_below_truth(0.1, Fraction(1, 10))  # the double 0.1 is above 1/10
        >>> assert_never_below_truth(0.3, Fraction(3, 10))  # the double 0.3 is below 3/10
        Traceback (most recent call last):
        ...
        exactdp.testing.assertions.RoundingFaultError: claimed 0.3 is below the truth: no \
upper bound
          claimed  0.3, exactly 5404319552844595/18014398509481984
          truth    0.3, exactly 3/10
          gap      1.110223024625e-17 = truth - claimed, exactly 1/90071992547409920
          ratio    1 = claimed / truth
          doubles  the smallest that is not below the truth is 0.30000000000000004; the \
claimed one is 1 ulp below it
          kind     a mere rounding fault: at most 4 ulps

        A tail of 2e-225 or so needs no exact value to be below 1e-15:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> assert_never_below_truth(1e-15, gaussian_mechanism(sigma=1), epsilon=32.5)
    """
    __tracebackhide__ = True
    _check(Side.UPPER, claimed, truth, **options)


def assert_never_above_truth(claimed: Claimed, truth: TrueValue, **options: Unpack[Asked]) -> None:
    """Assert that a claimed lower bound is at most the truth.

    Formula:
        claimed·(1 − tolerance) <= truth, for the very number that ``claimed`` holds.

    Arguments and errors as in :func:`assert_never_below_truth`; here minus infinity passes.

    Example:
        >>> assert_never_above_truth(0.3, Fraction(3, 10))
        >>> assert_never_above_truth(Fraction(1, 2), Fraction(1, 3))
        Traceback (most recent call last):
        ...
        AssertionError: claimed 1/2 is above the truth: no lower bound
          claimed  1/2
          truth    0.33333333333333333, exactly 1/3
          gap      0.1666666666667 = claimed - truth, exactly 1/6
          ratio    1.5 = claimed / truth
          kind     more than rounding: the claimed number is exact

        No test of level 1/20 misses fewer than 0.74 of the records, with noise of σ = 1:

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> assert_never_above_truth(0.74, gaussian_mechanism(sigma=1), alpha="0.05")
    """
    __tracebackhide__ = True
    _check(Side.LOWER, claimed, truth, **options)


def assert_contains_truth(lower: Claimed, upper: Claimed, truth: TrueValue, **options: Any) -> None:
    """Assert that a claimed interval contains the truth: a promise on both sides.

    Formula:
        lower <= truth <= upper, but for the tolerance.

    Arguments and errors as in :func:`assert_never_below_truth`; infinite ends of their own
    side pass. The message is about the end that fails, the lower one first.

    Example:
        >>> from exactdp.numbers import sqrt
        >>> assert_contains_truth(1.4142135623730949, 1.4142135623730951, sqrt(2))
    """
    __tracebackhide__ = True
    _check(Side.LOWER, lower, truth, **options)
    _check(Side.UPPER, upper, truth, **options)


def assert_epsilon_never_below_truth(
    claimed_epsilon: Claimed,
    profile: PrivacyProfile | Question,
    **options: Unpack[Asked],
) -> None:
    """Assert that a claimed ε (nats) is at least the smallest ε >= 0 for a δ.

    Formula:
        δ(claimed_epsilon) <= δ, which is what is compared: ε itself is for the message.

    Arguments and errors as in :func:`assert_never_below_truth`: a profile and ``delta``, or a
    question about ε, such as ``case.true_epsilon``.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> assert_epsilon_never_below_truth(1.0, laplace_mechanism(scale=1), delta="1e-9")
        >>> assert_epsilon_never_below_truth(0.5, laplace_mechanism(scale=1), delta=0.125)
        Traceback (most recent call last):
        ...
        exactdp.testing.assertions.WrongClaimError: claimed epsilon 0.5 is below the \
truth: no upper bound
          claimed  0.5, exactly 1/2
          truth    0.732937
          gap      0.2329372147510 = truth - claimed
          ratio    0.682187 = claimed / truth
          doubles  the smallest that is not below the truth is 0.7329372147509549; the claimed \
one is 2,098,111,907,106,243 ulps below it
          kind     more than rounding: over 4 ulps, and the gap is over 2^-48
    """
    __tracebackhide__ = True
    asked = profile.name if isinstance(profile, Question) else None
    if asked != "epsilon" and (asked or options.get("delta") is None):
        raise DomainError(
            f"{profile!r} does not ask for an epsilon here. Pass a profile and delta=..., or a "
            "question about epsilon, such as case.true_epsilon."
        )
    _check(Side.UPPER, claimed_epsilon, profile, **options)


def assert_private(
    profile: PrivacyProfile,
    *,
    epsilon: EpsilonLike,
    delta: Claimed | str,
    parameter: float | None = None,
    **options: Unpack[Options],
) -> None:
    """Assert that a profile is (ε, δ)-private: that noise which was returned attains a target.

    Formula:
        δ(ε) <= delta·(1 + tolerance).

    Arguments and errors as in :func:`assert_never_below_truth`: delta is what is claimed. A
    ``parameter`` that a calibrator returned stands in the message.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> assert_private(gaussian_mechanism(sigma="3.74"), epsilon=1.0, delta=1e-5)
    """
    __tracebackhide__ = True
    claimed = Exact(delta, name="delta") if isinstance(delta, str) else delta
    _check(Side.UPPER, claimed, profile, epsilon=epsilon, parameter=parameter, **options)


def _check(
    side: Side,
    claimed: Claimed,
    truth: TrueValue,
    *,
    at: object = None,
    rebuild: str | None = None,
    tolerance: RationalLike = 0,
    max_bits: int = MAX_BITS,
    max_seconds: float = MAX_SECONDS,
    parameter: float | None = None,
    **asked: Any,
) -> None:
    __tracebackhide__ = True
    max_bits = whole_number(max_bits, name="max_bits", at_least=1)
    true, claimed = _truth(truth, asked), claim_of(claimed, at=at)
    allowed = fraction_of(rational(tolerance, name="tolerance"))
    said = Comparison(
        side, claimed, true, None, at, rebuild, tolerance=allowed, parameter=parameter
    )
    if isinstance(claimed, float) and not math.isfinite(claimed):
        if claimed == side.harmless_infinity:
            return
        known, instead = enclosure_shown(true, None, max_bits), instead_of(true, None, [])
        raise AssertionError(replace(said, known=known, instead=instead).failure()[1])
    if allowed < 0:
        raise DomainError(f"tolerance={tolerance} is negative. Pass a number of at least 0.")
    spare = abs(said.value) * allowed
    value = said.value + spare if side is Side.UPPER else said.value - spare
    on_the_way: list[Enclosure] = []
    try:
        is_wrong, known, slack = compared(side, value, true, max_bits, max_seconds, on_the_way)
    except (TooLargeError, UndecidedError) as error:
        why = str(error)
        reason = why if why.startswith("budget: ") else f"budget: {why}"
        instead = instead_of(true, said.value, on_the_way)
        raise UndecidedError(replace(said, instead=instead).undecided(reason)) from None
    climb(side, slack, is_wrong=is_wrong)
    recorder = listener()
    if isinstance(true, Exact | Real) and (is_wrong or recorder is not None):
        known = bracket(true, max_bits=max_bits, away_from=said.value if is_wrong else None)
    seen = None if known is None else slack_of(side, said.value, known)
    if recorder is not None:
        _record(recorder, said, seen, slack, is_wrong=is_wrong)
    if not is_wrong:
        return

    def text() -> tuple[Kind, str]:
        worst = None if recorder is None else recorder.smallest
        is_worse = worst is not None and seen is not None and worst.ratio < seen * _WORSE
        line = worst_line(worst, side) if worst is not None and is_worse else None
        found = enclosure_shown(true, said.value, max_bits) or known
        instead = "" if found is not None else instead_of(true, said.value, on_the_way)
        return replace(said, known=found, worst=line, instead=instead).failure()

    if isinstance(true, Question) and said.kind(known) is not Kind.ROUNDING:
        raise WrongClaimError(lambda: text()[1])
    # A line each: Hypothesis takes failures of different lines for different bugs,
    # so that shrinking a wrong bound does not end at a harmless one.
    kind, message = text()
    if kind is Kind.ROUNDING:
        raise RoundingFaultError(message)
    if kind is Kind.CANCELLATION:
        raise AssertionError(message)
    raise AssertionError(message)


def _record(
    recorder: SlackRecorder,
    said: Comparison,
    seen: Fraction | None,
    of_delta: Fraction | None,
    *,
    is_wrong: bool,
) -> None:
    """Tell the recorder the slack; of an ε how near δ came, and how to find the slack."""
    is_allowed = not is_wrong

    def at() -> str:
        return instance_text(said.at)

    if seen is not None:
        recorder.record(seen, at, is_allowed=is_allowed)
        return
    question = said.truth
    if of_delta is not None and isinstance(question, Question) and question.name == "epsilon":
        recorder.record_epsilon(
            of_delta,
            at,
            lambda: epsilon_slack(said.side, said.claimed, question),
            is_allowed=is_allowed,
        )


def _truth(truth: Any, asked: dict[str, Any]) -> Number | Enclosure | Question:
    if isinstance(truth, PrivacyProfile):
        return question(truth, **asked)
    given = [name for name, value in asked.items() if value is not None]
    if given:
        raise DomainError(f"{given[0]} goes with a profile; the truth is {truth!r}. Leave it out.")
    if isinstance(truth, Exact | Real | Enclosure | Question):
        return truth
    if isinstance(truth, Epsilon) and not truth.is_infinite:
        return truth.nats
    if isinstance(truth, Integral) and not isinstance(truth, bool):
        return Exact(int(truth))
    if isinstance(truth, Fraction | Decimal):
        return Exact(truth)
    raise DomainError(
        f"truth={truth!r} is of type {type(truth).__name__}, not an exact number. Pass an Exact, "
        "a Real, a Fraction, an int, an Enclosure, or a profile with one question."
    )
