"""One-sided assertions: a claimed bound against the truth, compared exactly.

PYTEST_DONT_REWRITE: the messages are made here.

A claimed double is compared as the rational number that it is, not as what it
prints. A truth of the exact field is always decided; a computable real is refined
until its ball lies on one side, and if it never does, the assertion raises
UndecidedError: it does not pass.
"""

from __future__ import annotations

import math
from fractions import Fraction

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Exact, Number, Real, is_below
from exactdp.testing.failures import Claimed, Comparison, Kind, Side, bracket
from exactdp.testing.rebuilding import instance_text
from exactdp.testing.slack import listener
from exactdp.truth import Truth

__all__ = [
    "MAX_BITS",
    "RoundingFaultError",
    "assert_contains_truth",
    "assert_never_above_truth",
    "assert_never_below_truth",
]

MAX_BITS = 1 << 14
"""Where the refinement of a computable real gives up, unless told otherwise."""


class RoundingFaultError(AssertionError):
    """A double is on the wrong side of the truth, by at most four units in the last place.

    The formula may be right and only its evaluation rounded to the wrong side. Enlarge
    an upper bound by a few ulps, or evaluate it with directed rounding.
    """


def assert_never_below_truth(
    claimed: Claimed,
    truth: Number | Fraction | int,
    *,
    at: object = None,
    rebuild: str | None = None,
    max_bits: int = MAX_BITS,
) -> None:
    """Assert that a claimed upper bound is at least the truth.

    Formula:
        claimed >= truth, for the very number that ``claimed`` holds.

    Args:
        claimed: The bound: a float (the rational that the double is), an int, a
            Fraction or an Exact. Plus infinity passes, for it is an upper bound
            that says nothing; minus infinity and NaN fail.
        truth: The true value: an int, a Fraction, an Exact or a Real.
        at: The instance, printed in full when the assertion fails.
        rebuild: A line of Python that builds the instance; made from ``at``'s repr
            if not given.
        max_bits: The precision at which the refinement of a Real gives up.

    Raises:
        AssertionError: If the claim is below the truth, or NaN.
        RoundingFaultError: If it is a double at most four ulps below; this, too, is an
            AssertionError.
        UndecidedError: If a Real cannot be told from the claim at max_bits bits.
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
          doubles  the smallest that is not below the truth is 0.30000000000000004; the \
claimed one is 1 ulp below it
          kind     a mere rounding fault: at most 4 ulps
    """
    __tracebackhide__ = True
    _check(Side.UPPER, claimed, truth, at, rebuild, max_bits)


def assert_never_above_truth(
    claimed: Claimed,
    truth: Number | Fraction | int,
    *,
    at: object = None,
    rebuild: str | None = None,
    max_bits: int = MAX_BITS,
) -> None:
    """Assert that a claimed lower bound is at most the truth.

    Formula:
        claimed <= truth, for the very number that ``claimed`` holds.

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
          kind     more than rounding: the claimed number is exact
    """
    __tracebackhide__ = True
    _check(Side.LOWER, claimed, truth, at, rebuild, max_bits)


def assert_contains_truth(
    lower: Claimed,
    upper: Claimed,
    truth: Number | Fraction | int,
    *,
    at: object = None,
    rebuild: str | None = None,
    max_bits: int = MAX_BITS,
) -> None:
    """Assert that a claimed interval contains the truth.

    Formula:
        lower <= truth <= upper.

    Arguments and errors as in :func:`assert_never_below_truth`; infinite ends of their own
    side pass. The message is about the end that fails, the lower one first.

    Example:
        >>> from exactdp.numbers import sqrt
        >>> assert_contains_truth(1.4142135623730949, 1.4142135623730951, sqrt(2))
    """
    __tracebackhide__ = True
    _check(Side.LOWER, lower, truth, at, rebuild, max_bits)
    _check(Side.UPPER, upper, truth, at, rebuild, max_bits)


def _check(
    side: Side,
    claimed: Claimed,
    truth: Number | Fraction | int,
    at: object,
    rebuild: str | None,
    max_bits: int,
) -> None:
    __tracebackhide__ = True
    number = _truth(truth)
    _check_type(claimed)
    if isinstance(claimed, float):
        claimed = float(claimed)  # a subclass, such as NumPy's, prints differently
    said = Comparison(side, claimed, number, at, rebuild, max_bits)
    if isinstance(claimed, float) and not math.isfinite(claimed):
        if claimed == side.harmless_infinity:
            return
        raise AssertionError(said.failure()[1])
    value = said.value
    smaller, larger = (value, number) if side is Side.UPPER else (number, value)
    match is_below(smaller, larger, max_bits=max_bits):  # which a bound must not be
        case Truth.TRUE:
            _record(side, value, number, at, max_bits)
            kind, text = said.failure()
            # A line each: Hypothesis takes failures of different lines for different bugs,
            # so that shrinking a wrong bound does not end at a harmless one.
            if kind is Kind.ROUNDING:
                raise RoundingFaultError(text)
            if kind is Kind.CANCELLATION:
                raise AssertionError(text)
            raise AssertionError(text)
        case Truth.UNKNOWN:
            raise UndecidedError(said.undecided())
        case Truth.FALSE:
            _record(side, value, number, at, max_bits)


def _record(side: Side, value: Exact, truth: Number, at: object, max_bits: int) -> None:
    """Record the slack, rounded down, if somebody listens and both numbers are positive."""
    recorder = listener()
    if recorder is None:
        return
    claim = bracket(value, max_bits=max_bits)
    true = bracket(truth, max_bits=max_bits)
    if claim.lower <= 0 or true.lower <= 0:
        return
    ratio = claim.lower / true.upper if side is Side.UPPER else true.lower / claim.upper
    recorder.record(ratio, lambda: instance_text(at))


def _truth(truth: Number | Fraction | int) -> Number:
    if isinstance(truth, Exact | Real):
        return truth
    if isinstance(truth, int | Fraction) and not isinstance(truth, bool):
        return Exact(truth)
    raise DomainError(
        f"truth={truth!r} is of type {type(truth).__name__}, not an exact number. "
        "Pass an Exact, a Real, a Fraction or an int (of an Epsilon its .nats)."
    )


def _check_type(claimed: Claimed) -> None:
    if not isinstance(claimed, float | int | Fraction | Exact) or isinstance(claimed, bool):
        raise DomainError(
            f"claimed={claimed!r} is of type {type(claimed).__name__}. Pass a float, an int, "
            "a Fraction or an Exact; Fraction(x) keeps a Decimal as it is."
        )
