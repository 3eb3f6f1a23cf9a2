"""Certified laws of counts: many unequal trials, where exact masses would fill gigabytes.

A balanced product of the linear forms (1 − p_i) + p_i z, whose coefficients are nonnegative,
so that nothing cancels, in integers over 2^bits: every operation is rounded down and zeros
are cut off at both ends. That is a law from below, and since the true masses sum to 1, what
is missing in all is known exactly. The window holds the typical counts only, about √bits
standard deviations, so millions of trials take a moment.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpz, fmpz_poly

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
from exactdp.numbers.balls import floor_of
from exactdp.numbers.limits import MAX_BITS_OF_A_WINDOW
from exactdp.numbers.validated import validated

__all__ = ["Below", "Coins", "CountWindow", "count_window", "power_below", "product_below"]
__all__ += ["sum_window", "trimmed"]

Coins = tuple[Number | RationalLike, int]
"""A probability of success, and how many trials have it."""

Below = tuple[int, fmpz_poly]
"""A law from below: its first value, and from there on masses in units of 2^−bits."""

_MANY_TRIALS = 64
"""The equal trials from which on masses follow from the likeliest one, term by term."""


@validated
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
        """The mass that the weights leave out, exactly: 1 − Σ weights / 2^bits."""
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


@validated
def count_window(trials: Iterable[Coins], *, bits: int) -> CountWindow:
    """Return the law of the number of successes from below, on a grid of 2^−bits.

    Args:
        trials: Probabilities, exact or computable, each with a number of trials.
        bits: The grid; about log2(number of trials) + 8 bits of it are lost in all.

    Returns:
        A window; :attr:`CountWindow.missing` says how good it is.

    Raises:
        ExactDPError: As :func:`sum_window`.

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


@validated
def sum_window(
    laws: Iterable[tuple[Sequence[Number | RationalLike], int]], *, bits: int
) -> CountWindow:
    """Return the law of a sum of independent integers from below, on a grid of 2^−bits.

    Args:
        laws: The masses of 0, 1, 2, ..., of each kind of summand, exact or computable with
            sum 1, and how many summands have this law.
        bits: The b of the grid of 2^−b.

    Raises:
        DomainError: If a mass is not in [0, 1], or a number is negative.
        TooLargeError: If bits is beyond 2^16.
        UndecidedError: If a computable number cannot be told to be in [0, 1].

    Example:
        The sum of two dice with faces 0, 1, 2:

        >>> window = sum_window([(["1/4", "1/4", "1/2"], 2)], bits=64)
        >>> [str(window.mass(j).lower) for j in range(5)]
        ['1/16', '1/8', '5/16', '1/4', '1/4']
    """
    bits = whole_number(bits, name="bits", at_least=1)
    refuse_above(MAX_BITS_OF_A_WINDOW, bits, f"bits={count_text(bits)}", advice="Pass fewer.")
    heap: list[tuple[int, int, int, fmpz_poly]] = []  # length, tie break, first value, weights
    for i, (masses, times) in enumerate(laws):
        if times := whole_number(times, name=f"the number of trials[{i}]", at_least=0):
            weights = [_rounded_down(mass, f"trials[{i}]", bits) for mass in masses]
            first, power = power_below(trimmed(0, weights), times, bits)
            heapq.heappush(heap, (power.length(), len(heap), first, power))
    if not heap:
        return CountWindow(0, (fmpz(1) << bits,), bits)
    count = len(heap)
    while len(heap) > 1:
        # The two shortest first: equal sizes, where FLINT's multiplication is fast.
        left, right = heapq.heappop(heap), heapq.heappop(heap)
        first, power = product_below(left[2:], right[2:], bits)
        count += 1
        heapq.heappush(heap, (power.length(), count, first, power))
    return CountWindow(heap[0][2], tuple(heap[0][3].coeffs()), bits)


def _number(p: Number | RationalLike, name: str) -> Number:
    return p if isinstance(p, Real) else probability(p, name=name)


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
        return floor_of(ball)


def product_below(a: Below, b: Below, bits: int) -> Below:
    """Return the law of a sum of two from below, from their laws from below."""
    return trimmed(a[0] + b[0], [w >> bits for w in (a[1] * b[1]).coeffs()])


def power_below(law: Below, times: int, bits: int) -> Below:
    """Return the law of a sum of ``times`` copies, by squaring, each product cut to 2^−bits."""
    if times == 0:
        return 0, fmpz_poly([fmpz(1) << bits])
    if times >= _MANY_TRIALS and law[1].length() == 2:
        first, weights = _binomial(law[1][0], law[1][1], times, bits)
        return trimmed(times * law[0] + first, weights)
    result = law
    for digit in bin(times)[3:]:
        result = product_below(result, result, bits)
        if digit == "1":
            result = product_below(result, law, bits)
    return result


def _binomial(no: fmpz, yes: fmpz, times: int, bits: int) -> tuple[int, list[fmpz]]:
    """Return the first count and C(times, k) (no/2^bits)^(times − k) (yes/2^bits)^k from below.

    From the likeliest count on to both sides, each term from the one before, rounded down on a grid
    that is finer by more than the roundings add up to.
    """
    likeliest = min(times, times * int(yes) // int(no + yes))
    guard = times.bit_length() + 16
    work = bits + guard
    with precision(work + 64):
        whole = arb(2) ** bits
        rest = times - likeliest
        log = arb(times + 1).lgamma() - arb(likeliest + 1).lgamma() - arb(rest + 1).lgamma()
        log += rest * (arb(no) / whole).log() + likeliest * (arb(yes) / whole).log()
        top = floor_of(log.exp() * arb(2) ** work)
    up, down = (yes << work) // no, (no << work) // yes
    above, k = [top], likeliest
    while k < times and above[-1] >> guard:
        above.append(((above[-1] * up) >> work) * (times - k) // (k + 1))
        k += 1
    below, k = [top], likeliest
    while k > 0 and below[-1] >> guard:
        below.append(((below[-1] * down) >> work) * k // (times - k + 1))
        k -= 1
    return k, [w >> guard for w in [*reversed(below[1:]), *above]]


def trimmed(first: int, weights: list[fmpz]) -> Below:
    """Return a law from below without zeros at its ends."""
    start = next((i for i, weight in enumerate(weights) if weight != 0), 0)
    return first + start, fmpz_poly(weights[start:])  # which drops the zeros at the end
