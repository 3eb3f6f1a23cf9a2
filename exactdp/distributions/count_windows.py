"""Certified laws of counts: many unequal trials, where exact masses would fill gigabytes.

Two ways, both by a balanced product of the linear forms (1 − p_i) + p_i z, whose
coefficients are nonnegative, so that nothing cancels:

- balls: every mass, however small, with a relative error (:func:`count_enclosures`);
- integers over 2^bits, every operation rounded down and zeros cut off at both ends
  (:func:`count_window`): a law from below, and since the true masses sum to 1, what is
  missing in all is known exactly. The window holds the typical counts only, about √bits
  standard deviations, so millions of trials take a moment.

Definitions: :class:`CountWindow`, :func:`count_window`, :func:`sum_window`,
:func:`count_enclosures`, :func:`count_balls`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_poly, fmpz, fmpz_poly

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Exact,
    Number,
    RationalLike,
    Real,
    count_text,
    precision,
    refuse_above,
)
from exactdp.numbers.arguments import probability, whole_number
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.numbers.limits import MAX_BITS_OF_A_WINDOW, MAX_TRIALS

__all__ = ["CountWindow", "Trials", "count_balls", "count_enclosures", "count_window", "sum_window"]

Trials = tuple[Number | RationalLike, int]
"""A probability of success, and how many trials have it."""

_ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class CountWindow:
    """A law of counts from below: P(j) >= weights[j − first] / 2^bits, zero outside.

    Attributes:
        first: The count of the first weight.
        weights: Nonnegative integers, over 2^bits.
        bits: The scale.
    """

    first: int
    weights: tuple[fmpz, ...]
    bits: int

    @property
    def missing(self) -> Fraction:
        """1 − Σ weights / 2^bits: the mass that the weights leave out, exactly."""
        return 1 - Fraction(int(sum(self.weights, fmpz(0))), 1 << self.bits)

    def mass(self, j: int) -> Enclosure:
        """Return an enclosure of P(j), of width ``missing`` (at most to 1).

        Example:
            >>> count_window([("1/2", 2)], bits=64).mass(1).lower
            Fraction(1, 2)
        """
        inside = self.first <= j < self.first + len(self.weights)
        weight = int(self.weights[j - self.first]) if inside else 0
        lower = Fraction(weight, 1 << self.bits)
        return Enclosure(lower, min(Fraction(1), lower + self.missing))


def count_window(trials: Iterable[Trials], *, bits: int) -> CountWindow:
    """Return the law of the number of successes from below, on a grid of 2^−bits.

    Args:
        trials: Probabilities, exact or computable, each with a number of trials.
        bits: The grid; about log2(number of trials) + 8 bits of it are lost in all.

    Returns:
        A window; :attr:`CountWindow.missing` says how good it is.

    Raises:
        DomainError: If a probability is a float or not in [0, 1], or a number is negative.
        TooLargeError: If bits is beyond 2^16.
        UndecidedError: If a computable number cannot be told to be in [0, 1].

    Example:
        A thousand trials of 1/1000 and one of 1/3; nine counts have mass beyond 1e-6:

        >>> window = count_window([("1/1000", 1000), ("1/3", 1)], bits=100)
        >>> window.missing < Fraction(1, 2**80)
        True
        >>> sum(window.mass(j).lower > Fraction(1, 10**6) for j in range(1002))
        10
    """
    laws = []
    for i, (p, times) in enumerate(trials):
        value = _number(p, f"trials[{i}]")
        laws.append(((1 - value, value), times))
    return sum_window(laws, bits=bits)


def sum_window(
    laws: Iterable[tuple[Sequence[Number | RationalLike], int]], *, bits: int
) -> CountWindow:
    """Return the law of a sum of independent integers from below, on a grid of 2^−bits.

    Args:
        laws: For each kind of summand the masses of 0, 1, 2, ..., exact or computable with
            sum 1, and how many summands have this law.
        bits: The grid.

    Raises:
        DomainError: If a mass is a float or not in [0, 1], or a number is negative.
        TooLargeError: If bits is beyond 2^16.
        UndecidedError: If a computable number cannot be told to be in [0, 1].

    Example:
        The sum of two dice with faces 0, 1, 2:

        >>> window = sum_window([(["1/4", "1/4", "1/2"], 2)], bits=64)
        >>> [str(window.mass(j).lower) for j in range(5)]
        ['1/16', '1/8', '5/16', '1/4', '1/4']
    """
    refuse_above(MAX_BITS_OF_A_WINDOW, bits, f"bits={count_text(bits)}", advice="Pass fewer.")
    heap: list[tuple[int, int, int, fmpz_poly]] = []  # length, tie break, first value, weights
    for i, (masses, times) in enumerate(laws):
        if whole_number(times, name=f"the number of trials[{i}]", at_least=0):
            weights = [_rounded_down(mass, f"trials[{i}]", bits) for mass in masses]
            first, power = _power(_trimmed(0, weights), times, bits)
            heapq.heappush(heap, (power.length(), len(heap), first, power))
    if not heap:
        return CountWindow(0, (fmpz(1) << bits,), bits)
    count = len(heap)
    while len(heap) > 1:
        # The two shortest first: equal sizes, where FLINT's multiplication is fast.
        left, right = heapq.heappop(heap), heapq.heappop(heap)
        first, power = _product(left[2:], right[2:], bits)
        count += 1
        heapq.heappush(heap, (power.length(), count, first, power))
    return CountWindow(heap[0][2], tuple(heap[0][3].coeffs()), bits)


def count_enclosures(
    probabilities: Sequence[Number | RationalLike], *, relative_width: RationalLike = "1e-12"
) -> list[Enclosure]:
    """Return enclosures of all masses of the number of successes in unequal trials.

    Formula:
        P(j) is the coefficient of z^j in Π_i ((1 − p_i) + p_i z).

    Args:
        probabilities: The p_i, exact or computable.
        relative_width: Of every enclosure, however small the mass.

    Returns:
        One enclosure for each count 0, ..., n; points where the mass is 0.

    Raises:
        DomainError: If a probability is a float or not in [0, 1], or the width is not
            above 0 and below 1.
        TooLargeError: If there are more than 50,000 trials.
        UndecidedError: If the width is not reached.

    Example:
        >>> masses = count_enclosures(["1/2", "1/3"])
        >>> [m.contains(Fraction(k, 6)) for m, k in zip(masses, (2, 3, 1))]
        [True, True, True]
    """
    limit = checked_width(relative_width)
    accuracy = max(8, limit.denominator.bit_length() - limit.numerator.bit_length() + 2)
    masses = []
    for ball in count_balls(probabilities, accuracy=accuracy):
        lower, upper = endpoints(ball)
        masses.append(Enclosure(lower, upper))
    return masses


def count_balls(probabilities: Sequence[Number | RationalLike], *, accuracy: int) -> list[arb]:
    """Return balls around all masses, each with ``accuracy`` relative bits (or exactly 0).

    Raises:
        DomainError: If a probability is a float or not in [0, 1].
        TooLargeError: If there are more than 50,000 trials.
        UndecidedError: If the accuracy is not reached.
    """
    trials = len(probabilities)
    refuse_above(MAX_TRIALS, trials, f"there are {trials:,} trials", advice="Use count_window.")
    values = [_number(p, f"probabilities[{i}]") for i, p in enumerate(probabilities)]
    bits = accuracy + len(values).bit_length() + 32
    for _ in range(_ATTEMPTS):
        with precision(bits):
            forms = [
                arb_poly([(1 - p).ball(bits), _checked_ball(p, i, bits)])
                for i, p in enumerate(values)
            ]
            while len(forms) > 1:
                pairs = zip(forms[::2], forms[1::2], strict=False)
                forms = [a * b for a, b in pairs] + (forms[-1:] if len(forms) % 2 else [])
            masses = forms[0].coeffs() if forms else [arb(1)]
            masses += [arb(0)] * (len(values) + 1 - len(masses))
            if all(m == 0 or m.rel_accuracy_bits() >= accuracy for m in masses):
                return masses
        bits += max(bits // 2, 64)
    raise UndecidedError(
        f"{accuracy} relative bits were not reached with {bits:,} bits: a probability may be 0 "
        "or 1 without being exactly so. Pass it exactly."
    )


def _number(p: Number | RationalLike, name: str) -> Number:
    return p if isinstance(p, Real) else probability(p, name=name)


def _checked_ball(p: Number, i: int, bits: int) -> arb:
    ball = p.ball(bits)
    if ball < 0 or ball > 1:
        raise DomainError(
            f"probabilities[{i}]={p} is not a probability. Pass a number from 0 to 1."
        )
    return ball


def _rounded_down(p: Number | RationalLike, name: str, bits: int) -> fmpz:
    """Return an integer at most p·2^bits, and hardly less."""
    value = _number(p, name)
    if isinstance(value, Exact) and value.is_rational:
        return (value.as_fmpq() * (fmpz(1) << bits)).floor()
    with precision(bits + 32):
        ball = value.ball(bits + 32) * arb(2) ** bits
        whole = arb(2) ** bits
        if ball < 0 or ball > whole:
            raise DomainError(f"{name}={value} is not a probability. Pass a number from 0 to 1.")
        if not (ball >= 0 and ball <= whole):
            raise UndecidedError(
                f"{name}={value} cannot be told to be in [0, 1] with {bits} bits. If it is 0 or "
                "1, pass that exactly."
            )
        low = ball.lower().floor().unique_fmpz()
    if low is None:
        raise AssertionError("unreachable: the end of a finite ball is an exact number")
    return low


def _product(
    a: tuple[int, fmpz_poly], b: tuple[int, fmpz_poly], bits: int
) -> tuple[int, fmpz_poly]:
    """Return the product of two laws from below, from below."""
    return _trimmed(a[0] + b[0], [w >> bits for w in (a[1] * b[1]).coeffs()])


def _power(law: tuple[int, fmpz_poly], times: int, bits: int) -> tuple[int, fmpz_poly]:
    result = law
    for digit in bin(times)[3:]:
        result = _product(result, result, bits)
        if digit == "1":
            result = _product(result, law, bits)
    return result


def _trimmed(first: int, weights: list[fmpz]) -> tuple[int, fmpz_poly]:
    start, end = 0, len(weights)
    while start < end and weights[start] == 0:
        start += 1
    while end > start and weights[end - 1] == 0:
        end -= 1
    return first + start, fmpz_poly(weights[start:end])
