"""A pair of counts: how often two letters arrive, under two laws that exchange them.

Each of n − 1 users adds 1 to X with probability r, 1 to Y with probability r, and nothing
otherwise. One more user, the victim, adds 1 to X with probability a and 1 to Y with
probability b under P; under Q the two are exchanged. The reductions of privacy
amplification by shuffling replace the view of the analyzer by such a pair; what it then
bounds is said in ``exactdp.shuffle.reductions.pairs``.

For γ < 1, D_γ(P ‖ Q) = 1 − γ + γ·D_{1/γ}(Q ‖ P), whose last divergence is δ at 1/γ.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import comb
from typing import overload

from flint import arb, fmpz_poly

from exactdp.distributions.polynomials import scale_rows
from exactdp.divergences import Pair, PrivacyProfile, Weight
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    precision,
    working_bits,
)
from exactdp.numbers.arguments import (
    any_epsilon,
    open_probability,
    probability,
    relative_bits,
    whole_number,
)
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.numbers.limits import (
    MAX_BITS_OF_A_PAIR_OF_COUNTS,
    MAX_HISTOGRAMS,
    count_text,
    refuse_above,
)
from exactdp.shuffle.counts.delta import delta_ball_within
from exactdp.shuffle.counts.terms import CountWeights

__all__ = ["CountPair", "guess_from_zero"]

_ATTEMPTS = 6
_EXACT_USERS = 40
"""Up to so many users a tie at ε = 0 is decided by the exact laws."""


@dataclass(frozen=True, slots=True)
class CountPair(PrivacyProfile):
    """The pair of laws of the counts (X, Y) of n users; both directions are equal.

    Attributes:
        n: The number of users, the victim included, at least 1.
        first: a, the victim's probability of letter 1 under P (of letter 2 under Q).
        second: b, the victim's probability of letter 2 under P (of letter 1 under Q).
        other: r, the probability of letter 1, and of letter 2, of each other user.
        note: What this pair does not bound, from the reduction that it stands for.

    Raises:
        DomainError: If n < 1, a probability is outside [0, 1], a + b > 1 or 2r > 1.

    Example:
        >>> pair = CountPair(2, Exact("3/4"), Exact("1/4"), Exact("1/4"))
        >>> pair.pair().outcomes
        [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
        >>> pair.pair().masses()[0]
        (Exact('3/8'), Exact('1/8'))
    """

    n: int
    first: Exact
    second: Exact
    other: Exact
    note: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        whole_number(self.n, name="n", at_least=1)
        for name in ("first", "second", "other"):
            object.__setattr__(self, name, probability(getattr(self, name), name=name))
        if self.first + self.second > 1:
            raise DomainError(
                f"first={self.first} and second={self.second} sum to more than 1. They are the "
                "victim's probabilities of two different letters."
            )
        if 2 * self.other > 1:
            raise DomainError(
                f"other={self.other} is more than 1/2. Each other user sends either letter with "
                "this probability."
            )

    @overload
    def delta(self, epsilon: Epsilon, *, relative_width: None = None) -> Number: ...
    @overload
    def delta(self, epsilon: Epsilon, *, relative_width: RationalLike) -> Enclosure: ...
    @overload
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure: ...
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε) = H_{e^ε}(P ‖ Q), however small it is.

        Args:
            epsilon: ε in nats, finite, of any sign.
            relative_width: The width is at most this times δ. From 1e-11 on the machine's
                floating point does the work, with a proven error bound.

        Returns:
            Without a width: an exact number where δ is 0, 1 or the victim's alone; else a
            real that is computed, to any precision, when it is asked for: about 10·√n
            terms. With a width: an enclosure, a point where δ is 0.

        Raises:
            DomainError: If an argument is outside its range.
            TooLargeError: If the sum would have too many terms.

        Example:
            Without others, δ = a − e^ε·b:

            >>> alone = CountPair(1, Exact("3/4"), Exact("1/4"), Exact(0))
            >>> alone.delta(Epsilon.log(2))
            Exact('1/4')
            >>> pair = CountPair(2, Exact("3/4"), Exact("1/4"), Exact("1/4"))
            >>> from exactdp.numbers import decimal
            >>> decimal(pair.delta(Epsilon.log(2)), digits=6)
            '0.187500'
            >>> pair.delta(Epsilon.log(2), relative_width="1e-9").contains(Exact("3/16"))
            True
            >>> pair.delta(Epsilon.log(3), relative_width="1e-9")
            Enclosure(lower=Fraction(0, 1), upper=Fraction(0, 1))
        """
        gamma = any_epsilon(epsilon).exp
        if relative_width is None:
            return self._number(gamma)
        width = checked_width(relative_width)
        accuracy = relative_bits(width)
        inner = gamma if gamma >= 1 else 1 / gamma
        for _ in range(_ATTEMPTS):
            ball = delta_ball_within(self._weights, inner, accuracy=accuracy)
            if gamma < 1:
                with precision(accuracy + 32):
                    ball = (1 - gamma).ball(accuracy + 32) + gamma.ball(accuracy + 32) * ball
            lower, upper = endpoints(ball)
            if upper - lower <= width * lower:
                return Enclosure(lower, upper)
            accuracy += 8
        raise UndecidedError(
            f"relative_width={relative_width} was not reached. Ask for a larger one."
        )

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return an enclosure of the smallest ε >= 0 (nats) with H_{e^ε}(P ‖ Q) <= δ.

        Args:
            delta: δ, above 0 and below 1.
            relative_width: The width is at most this times ε; 1e-9 if none is given.

        Returns:
            As :meth:`PrivacyProfile.epsilon`: infinite only with b = 0, where P has mass
            that Q has not.

        Raises:
            DomainError: If delta is not above 0 and below 1.
            UndecidedError: If delta is so close to a limit that it cannot be told from it.

        Example:
            Without others, e^ε = (a − δ)/b:

            >>> alone = CountPair(1, Exact("3/4"), Exact("1/4"), Exact(0))
            >>> e = alone.epsilon("1/4")  # ε = ln 2
            >>> Exact.exp(e.lower) < 2 < Exact.exp(e.upper)
            True
        """
        try:
            return PrivacyProfile.epsilon(self, delta, relative_width=relative_width)
        except UndecidedError:
            target = open_probability(delta, name="delta")
            if self.n > _EXACT_USERS or self.pair().delta(Epsilon.log(1)) > target:
                raise
            return Enclosure(Fraction(0), Fraction(0))

    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q) = |ln(a/b)|, infinite for b = 0: all letters alike, the victim's too.

        Example:
            >>> CountPair(9, Exact("3/4"), Exact("1/4"), Exact("1/4")).max_divergence()
            Epsilon.log('3')
        """
        a, b = self._weights.a, self._weights.b
        if a == 0:
            return Epsilon.log(1)
        return Epsilon.infinity() if b == 0 else Epsilon(a / b)

    def reversed(self) -> CountPair:
        """Return the pair itself: exchanging the letters exchanges P and Q."""
        return self

    def both_directions(self) -> CountPair:
        """Return the pair itself: the directions are equal."""
        return self

    def infinity_mass(self) -> Number:
        """Return the mass of P where Q has none: positive only if b = 0.

        Formula:
            (1 − r)^(n − 1) for a = 1: no letter 2 at all. For a < 1, a·r^(n − 1): every
            user sends letter 1.
        """
        weights = self._weights
        if weights.b != 0:
            return Exact(0)
        share = 1 - weights.r if weights.a == 1 else weights.r
        if share == 0:
            return weights.a if self.n == 1 else Exact(0)

        def ball() -> arb:
            bits = working_bits()
            return weights.a.ball(bits) * share.ball(bits) ** (self.n - 1)

        return Real(ball, f"the mass of {count_text(self.n)} equal letters")

    def first_guess(self, delta: Exact) -> Fraction:
        """Return about the ε of a δ, from δ(0)."""
        bits = relative_bits(self.usual_width)
        return guess_from_zero(delta_ball_within(self._weights, Exact(1), accuracy=bits), delta)

    def pair(self) -> Pair:
        """Return the exact laws, with outcomes (x, y); about n²/2 of them.

        Raises:
            TooLargeError: If there are more than three million outcomes, or their
                masses would fill gigabytes. Ask for delta with a relative_width.
        """
        n, nothing = self.n, 1 - self.first - self.second
        rows = [(self.first, self.second, nothing), (self.other, self.other, 1 - 2 * self.other)]
        forms = scale_rows(rows)
        (a, b, none), (r, _, rest) = forms.weights
        _refuse_large(n, (*forms.weights[0], *forms.weights[1]))
        total = forms.totals[0] * forms.totals[1] ** (n - 1)
        of_total = [comb(n - 1, c) * r**c * rest ** (n - 1 - c) for c in range(n)]
        p: dict[tuple[int, int], Weight] = {}
        q: dict[tuple[int, int], Weight] = {}
        for c in range(n + 1):
            before = of_total[c - 1] if c else fmpz_poly()
            same = of_total[c] * none if c < n else fmpz_poly()
            for x in range(c, -1, -1):
                up = comb(c - 1, x - 1) * before if x else fmpz_poly()
                down = comb(c - 1, x) * before if x < c else fmpz_poly()
                still = comb(c, x) * same
                for law, one, two in ((p, a, b), (q, b, a)):
                    weight = one * up + two * down + still
                    if weight.length():
                        law[x, c - x] = (
                            Exact.from_polynomial(weight, rate=forms.rate)
                            if forms.rate
                            else weight[0]
                        )
        whole = Exact.from_polynomial(total, rate=forms.rate) if forms.rate else total[0]
        return Pair.from_weight_maps(p, q, p_total=whole, q_total=whole)

    @property
    def _weights(self) -> CountWeights:
        first, second = self.first, self.second
        return CountWeights(self.n, max(first, second), min(first, second), self.other)

    def _number(self, gamma: Exact) -> Number:
        """Return δ: exact in the exact cases, else a real that is computed when asked."""
        if gamma < 1:
            return (1 - gamma) + self._number(1 / gamma) * gamma
        weights = self._weights
        if weights.is_matched(gamma):
            return Exact(0)
        if (self.n == 1 or self.other == 0) and (weights.a.is_rational or gamma.is_rational):
            return weights.a - gamma * weights.b

        def ball() -> arb:
            return delta_ball_within(weights, gamma, accuracy=working_bits())

        return Real(ball, f"delta of {count_text(self.n)} users")


def guess_from_zero(at_zero: arb, delta: Exact) -> Fraction:
    """Return about the ε of a δ, from δ(0), as for a normal law.

    Formula:
        δ(0) is 0.4·σ, and δ(ε) falls like e^(−ε²/2σ²).
    """
    with precision(64):
        if not at_zero > 0:
            return Fraction(1)
        decay = 2 * (at_zero / delta.ball(64)).log().max(arb(0)) + arb(1) / 16
        guess = endpoints((5 * at_zero * decay.sqrt() / 2).mid())[0]
    scale = Fraction(2) ** (16 + guess.denominator.bit_length() - guess.numerator.bit_length())
    return Fraction(max(1, round(guess * scale))) / scale


def _refuse_large(n: int, weights: tuple[fmpz_poly, ...]) -> None:
    cells = (n + 1) * (n + 2) // 2
    size = max(
        w.length() * (max(int(abs(c).bit_length()) for c in w.coeffs()) + 2)
        for w in weights
        if w.length()
    )
    degree = max(w.length() for w in weights)
    bits = cells * n * size if degree == 1 else cells * n * degree * n * size
    advice = "Ask for delta with a relative_width."
    outcomes = f"n={count_text(n)}: the exact laws have {count_text(cells)} outcomes"
    refuse_above(MAX_HISTOGRAMS, cells, outcomes, advice=advice)
    masses = f"{outcomes} with masses of about {count_text(bits)} bits in all"
    refuse_above(MAX_BITS_OF_A_PAIR_OF_COUNTS, bits, masses, advice=advice)
