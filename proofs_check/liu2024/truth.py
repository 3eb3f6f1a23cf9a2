"""The analyzer's view of two letters: certified, for any number of users of any kind.

The view is the number N of letters 1, a sum of independent unequal trials, plus the victim's
letter. Laplace or Gaussian messages sorted by a threshold are a post-processing, so their
divergences are lower bounds on the protocol's.

Definitions: :class:`TwoLetterView`, :func:`threshold_view`, :func:`best_threshold`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from flint import arb, arb_poly

from exactdp.distributions import count_window
from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    fmpq_of,
    log,
    precision,
    working_bits,
)
from exactdp.numbers.arguments import any_epsilon
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints, nonnegative_ball
from exactdp.numbers.reals import larger_number
from exactdp.sums import sum_of_positive_parts
from proofs_check.liu2024.noise import Noise

_MAX_BITS = 1 << 13
_SIGN_BITS = 1 << 10

Trials = tuple[tuple[Number, int], ...]


@dataclass(frozen=True)
class TwoLetterView(PrivacyProfile):
    """The number of letters 1 among users with unequal probabilities.

    Attributes:
        zero: The victim's probability of letter 1 under P, above 0 and below 1.
        one: The same under Q.
        others: The others' probabilities, each with its number of users.
        bits: The absolute accuracy of an enclosure for which no relative width is asked.

    Example:
        9/16 − 2·3/16 at N = 0, and the other way round 1/16 at N = 1:

        >>> view = TwoLetterView(Exact("1/4"), Exact("3/4"), ((Exact("1/4"), 1),))
        >>> view.delta(Epsilon.log(2)).contains(Exact("3/16"))
        True
        >>> view.reversed().delta(Epsilon.log(2)).contains(Exact("1/16"))
        True
    """

    zero: Number
    one: Number
    others: Trials
    bits: int = 192

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of D_γ(P ‖ Q), γ = e^ε.

        Formula:
            Σ_k max(0, s_0 Pr[N = k] + s_1 Pr[N = k − 1]), s the victim's P − γ·Q. It is
            sublinear in the law of N, so what the window leaves out adds at most its mass
            times Σ max(0, s), and takes away at most its mass times Σ max(0, −s). To a relative
            width along a line, in milliseconds (``exactdp.sums``).
        """
        gamma = any_epsilon(epsilon).exp
        if relative_width is not None:
            known = self._along_a_line(gamma, checked_width(relative_width))
            if known is not None:
                return known
        bits = self.bits
        found = self._enclosure(gamma, bits)
        width = None if relative_width is None else checked_width(relative_width)
        while width is not None and found.upper > 0 and found.width > width * found.lower:
            if bits > _MAX_BITS:
                raise UndecidedError(f"relative_width={width} is not reached with {bits} bits.")
            bits *= 2
            found = self._enclosure(gamma, bits)
        return found

    def max_divergence(self) -> Number:
        """Return D_∞(P ‖ Q) in nats: that of the victim's letter, at N of all or no letters."""
        return log(larger_number(self.zero / self.one, (1 - self.zero) / (1 - self.one)))

    def reversed(self) -> TwoLetterView:
        """Return the view with the victim's two inputs exchanged."""
        return replace(self, zero=self.one, one=self.zero)

    def _along_a_line(self, gamma: Exact, width: Fraction) -> Enclosure | None:
        """Return the sum where the signs of s are told; None where a window is asked instead."""
        with precision(_SIGN_BITS):
            g, p, q = (x.ball(_SIGN_BITS) for x in (gamma, self.zero, self.one))
            gains = [(1 - p) - g * (1 - q), p - g * q]
        if all(s <= 0 for s in gains):
            return Enclosure(Fraction(0), Fraction(0))
        if not all(s > 0 or s < 0 for s in gains) or all(s > 0 for s in gains):
            return None
        try:
            numbers = _gains(gamma, self.zero, self.one)
        except TooLargeError:  # powers of e of doubles have no common exponent that fits
            numbers = _gains(*map(_as_real, (gamma, self.zero, self.one)))
        return sum_of_positive_parts(self.others, numbers, relative_width=width)

    def _enclosure(self, gamma: Exact, bits: int) -> Enclosure:
        window, more = _window(self.others, bits=bits), bits + 64
        with precision(more):
            g, p, q = (x.ball(more) for x in (gamma, self.zero, self.one))
            gains = [(1 - p) - g * (1 - q), p - g * q]
            sums = arb_poly(gains) * arb_poly(list(window.weights))
            total = sum((_positive(value) for value in sums.coeffs()), arb(0))
            total *= arb(2) ** -window.bits
            missing = arb(fmpq_of(window.missing))
            for sign in (1, -1):
                left_out = missing * sum((_positive(sign * s) for s in gains), arb(0))
                total += sign * nonnegative_ball(left_out)
        lower, upper = endpoints(total)
        return Enclosure(max(Fraction(0), lower), max(Fraction(0), upper))


def threshold_view(
    zero: Noise,
    one: Noise,
    others: Iterable[tuple[Noise, int]],
    *,
    threshold: Fraction,
    bits: int = 192,
) -> TwoLetterView:
    """Return the view of how many messages are below a threshold: a lower bound."""
    cut = Exact(threshold)
    trials = tuple((noise.below(cut), count) for noise, count in others)
    return TwoLetterView(zero.below(cut), one.below(cut), trials, bits)


def best_threshold(
    zero: Noise,
    one: Noise,
    others: Sequence[tuple[Noise, int]],
    *,
    thresholds: Iterable[Fraction],
    epsilon: Epsilon,
    bits: int = 128,
) -> tuple[Fraction, Enclosure]:
    """Return the threshold with the largest certified δ, either direction, and that δ.

    Raises:
        DomainError: If there is no threshold.
    """
    views = (
        (cut, threshold_view(zero, one, others, threshold=cut, bits=bits)) for cut in thresholds
    )
    found = [(cut, v.delta(epsilon)) for cut, view in views for v in (view, view.reversed())]
    if not found:
        raise DomainError("no threshold is given. Pass one or more.")
    return max(found, key=lambda entry: entry[1].lower)


def _gains(gamma: Number, zero: Number, one: Number) -> list[Number]:
    """Return P − γ·Q of the victim's letters 0 and 1."""
    return [(1 - zero) - gamma * (1 - one), zero - gamma * one]


def _as_real(number: Number) -> Real:
    return Real(lambda: number.ball(working_bits()), str(number))


_window = lru_cache(maxsize=32)(count_window)


def _positive(value: arb) -> arb:
    """Return a ball around max(0, value)."""
    if value >= 0:
        return value
    return arb(0) if value < 0 else nonnegative_ball(value)
