"""E max(0, S) of copies of a variable of three values, to any width: about √n terms.

In machine numbers with a proven error where that is fast and narrow enough (``floats``), and in
balls where it is not (``balls``); the formulas are those of ``terms``. Where two values are
positive, E max(0, S) = E S + E max(0, −S), and −S has one that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, sqrt

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Exact, Number, precision
from exactdp.numbers.arguments import relative_bits
from exactdp.numbers.balls import endpoints
from exactdp.numbers.limits import MAX_BALL_STEPS, MAX_FLOAT_STEPS, count_text, effort_of_today
from exactdp.sums.counting.counts_in_balls import mean_ball
from exactdp.sums.counting.terms import CountTerms, Letters, accurate_ball
from exactdp.sums.lines.saddle import A_PLAN

__all__ = ["LetterSum", "ball_of_letters", "seen_sign"]

_FLOAT_BITS = 40
"""Bits of relative accuracy up to which machine numbers are tried."""

_FLOAT_COPIES = 10_000
"""Copies from which on machine numbers are faster than balls."""

_SIGN_BITS = (64, 256, 1024, 8192)
"""Precisions at which the sign of a number that is not exact is looked for."""


def seen_sign(value: Number) -> int | None:
    """Return the sign of a number; None if it cannot be told from 0."""
    if isinstance(value, Exact):
        return value.sign()
    for bits in _SIGN_BITS:
        ball = value.ball(bits)
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
    return None


def ball_of_letters(letters: Letters, *, accuracy: int) -> arb:
    """Return a ball around E max(0, S) of a relative accuracy in bits.

    Raises:
        TooLargeError: If that takes too many terms.
        UndecidedError: If the accuracy is not reached (which is not known to happen).
    """
    n = letters.n
    bits = max(128, accuracy + n.bit_length() + 48)
    for _ in range(effort_of_today().tries):
        terms = CountTerms(letters, bits=bits)
        if accuracy <= _FLOAT_BITS and n >= _FLOAT_COPIES:
            from exactdp.sums.counting.floats import mean_ball_from_floats

            value = mean_ball_from_floats(terms, accuracy=accuracy)
            if value is not None:
                return value
        ball = mean_ball(terms, accuracy=accuracy)
        if ball.rel_accuracy_bits() >= accuracy:
            return ball
        bits += bits // 2
    raise UndecidedError(
        f"n={count_text(n)}: {accuracy} bits were not reached with {bits:,} bits. Ask for a larger "
        "relative width."
    )


@dataclass(frozen=True, slots=True)
class LetterSum:
    """A sum of copies of a variable of at most three values, of which one has a sign of its own.

    Attributes:
        letters: The copies; their negatives if two values are positive.
        shift: E S if they are negatives, else None.
    """

    letters: Letters
    shift: Number | None

    @classmethod
    def of(cls, values: Sequence[Number], masses: Sequence[Exact], n: int) -> LetterSum | None:
        """Return the sum of n copies; None if there are more values, or signs are not known.

        Args:
            values: The values of one copy.
            masses: Their probabilities, positive, with sum 1.
            n: The number of copies.

        Example:
            >>> half, quarter = Exact("1/2"), Exact("1/4")
            >>> found = LetterSum.of([-half, Exact(1), Exact(-1)], [half, quarter, quarter], 9)
            >>> found.letters.up, found.letters.down, found.letters.rest, found.shift
            (Exact('1'), Exact('-1'), Exact('-1/2'), None)
        """
        signs = [seen_sign(value) for value in values]
        if len(values) not in (2, 3) or None in signs or 1 not in signs:
            return None
        shift: Number | None = None
        if signs.count(1) > 1:
            if signs.count(-1) != 1:
                return None
            shift = n * sum((m * v for v, m in zip(values, masses, strict=True)), Exact(0))
            values, signs = [-value for value in values], [-(sign or 0) for sign in signs]
        up = signs.index(1)
        others = [i for i in range(len(values)) if i != up]
        # Equally likely letters are fast; else few of the copies should be letters, or nearly all.
        share = {i: float((masses[up] + masses[i]).ball(64).mid()) for i in others}
        down = min(others, key=lambda i: (masses[i] != masses[up], share[i] * (1 - share[i])))
        rest = next((values[i] for i in others if i != down), Exact(0))
        return cls(Letters(n, values[up], values[down], rest, masses[up], masses[down]), shift)

    def work(self, width: Fraction) -> float:
        """Return about how many operations an enclosure takes; infinity if they are too many."""
        most, step = (MAX_FLOAT_STEPS, 1 / 16) if self._is_fast(width) else (MAX_BALL_STEPS, 4)
        steps = self._steps(width)
        return A_PLAN / 2 + step * steps if steps <= most.now else inf

    def _is_fast(self, width: Fraction) -> bool:
        letters = self.letters
        is_narrow = relative_bits(width) > _FLOAT_BITS or self.shift is not None
        return letters.up_mass == letters.down_mass and letters.n >= _FLOAT_COPIES and not is_narrow

    def _steps(self, width: Fraction) -> float:
        letters = self.letters
        share = float((letters.up_mass + letters.down_mass).ball(64).mid())
        nats = relative_bits(width) * 0.7 + letters.n.bit_length() / 2 + 8
        return 2 * (sqrt(2 * nats * letters.n * max(0.0, share * (1 - share))) + nats)

    def mean(self, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of E max(0, S).

        Raises:
            TooLargeError: If that takes too many terms.
            UndecidedError: If the width is not reached.
        """
        accuracy = relative_bits(relative_width)
        wanted = accuracy
        for _ in range(effort_of_today().tries):
            found = ball_of_letters(self.letters, accuracy=wanted)
            if self.shift is not None:
                with precision(wanted + 64):
                    found += accurate_ball(self.shift, bits=wanted)
            got = found.rel_accuracy_bits()
            if got >= accuracy:
                lower, upper = endpoints(found)
                if upper - lower <= relative_width * lower:
                    return Enclosure(lower, upper)
            wanted += max(16, min(wanted, accuracy - got))
        raise UndecidedError("the mean cannot be told from zero. Ask at a smaller epsilon.")
