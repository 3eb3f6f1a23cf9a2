"""A victim's message hidden among many that share a part: certified δ and ε at any scale.

A victim sends y with mass p_y or q_y. Each of n − 1 others sends y with mass at least m_y,
whatever else it does: so its message is one from m/s with probability s = Σ m_y, and with
probability 1 − s a leftover, which the analyzer is shown. With Y drawn from m/s and

    Z = (p_Y − γ·q_Y)/m_Y with probability s, 0 else,

    H_γ = Σ_{y: m_y = 0} max(0, p_y − γ·q_y) + E max(0, Z_1 + ... + Z_n)/n.

Proof. A message with m_y = 0 can only be the victim's, and the others tell nothing more. Else
let a others send from m/s: the histogram h of these a + 1 messages has, under P, the mass
Σ_y p_y·M_a(h − e_y), where M_a is the law of a messages from m/s, and
M_a(h − e_y) = M_{a+1}(h)·h_y·s/((a + 1)·m_y). So H_γ given a is the mean, under M_{a+1}, of
max(0, Σ_i (p_{Y_i} − γ·q_{Y_i})·s/m_{Y_i})/(a + 1). As a is Bin(n − 1, s) and
Bin(n − 1, s)(a)·s/(a + 1) = Bin(n, s)(a + 1)/n, the mean over a is the line above.

If s = 1 nothing is shown: all others send with the law m, and H_γ is that of their view, exactly.
That is a view whose others all hold one input: the likelihood ratio is linear in the histogram.
If s < 1, H_γ is an upper bound on that of the view, for all leftovers (data processing). The
mean is enclosed by ``exactdp.sums.positive``.

References: B. Balle, J. Bell, A. Gascon and K. Nissim, The Privacy Blanket of the Shuffle
Model, CRYPTO 2019 (Lemma 5.3, for m the least of all rows).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial

from flint import arb

from exactdp.divergences.pair import Pair
from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import difference, told
from exactdp.errors import UndecidedError, number_of
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    fmpq_of,
    precision,
    short,
    working_bits,
)
from exactdp.numbers.arguments import any_epsilon, relative_bits
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.numbers.compare import is_ratio_above
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.effort import first_answer
from exactdp.numbers.limits import MAX_BITS_OF_A_POWER
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.hidden import Hidden
from exactdp.shuffle.at_scale.hidden_curves import (
    delta_of_curve,
    pairs_around_curves,
)
from exactdp.shuffle.at_scale.means import renyi_by_moments
from exactdp.sums import between, mean_positive_sum

__all__ = [
    "Hidden",
    "HiddenProfile",
    "HiddenVictim",
    "guess_from_zero",
    "smallest_from",
]

_MANY, _NARROW = 16, Fraction(1, 10**5)
"""Ratios of messages from which on a δ is asked as one of a curve, and the narrowest width."""

_MAX_OPEN = 12
"""Values of ε in one search at which δ may be undecided; with more it is refused as too flat."""


class HiddenProfile(PrivacyProfile):
    """A profile whose δ is a mean over many users, asked no narrower than needed."""

    __slots__ = ()

    usual_width = Fraction(1, 10**3)

    @abstractmethod
    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of H_gamma(P ‖ Q), gamma >= 1."""

    @abstractmethod
    def reversed(self) -> HiddenProfile:
        """Return the profile of (Q, P), the other direction."""

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of δ(ε) = H_{e^ε}(P ‖ Q).

        Args:
            epsilon: ε in nats, finite, of any sign.
            relative_width: The width is at most this times the value; 1e-3 if none is
                given; 1e-7 takes a few seconds at most.

        Raises:
            DomainError: If an argument is outside its range.
            TooLargeError: If n is above 10^13.
            UndecidedError: If the width is not reached.
        """
        gamma = any_epsilon(epsilon).exp
        width = checked_width(self.usual_width if relative_width is None else relative_width)
        if gamma >= 1:
            return self._delta_from_one(gamma, width)
        # H_γ(P ‖ Q) = 1 − γ + γ·H_{1/γ}(Q ‖ P).
        inner = self.reversed()._delta_from_one(1 / gamma, width)
        factor, rest = enclosed(gamma, width / 128), enclosed(1 - gamma, width / 128)
        lower = rest.lower + factor.lower * inner.lower
        return replace(inner, lower=lower, upper=rest.upper + factor.upper * inner.upper)

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        return smallest_from(self._delta_from_one, target, width)

    def _is_beyond(self, gamma: Exact) -> bool:
        """Return whether no loss is above ln γ, if that is known as an Epsilon."""
        limit = self.max_divergence()
        return isinstance(limit, Epsilon) and not Epsilon(gamma) < limit


def smallest_from(
    delta: Callable[[Exact, Fraction], Enclosure], target: Exact, width: Fraction
) -> Enclosure:
    """Return an enclosure of the smallest ε >= 0, from H_γ at γ >= 1 to a relative width.

    Raises:
        UndecidedError: If δ is too flat near the target.
    """
    finest = Fraction(1, 2 ** relative_bits(width))
    open_ones: list[Fraction] = []

    @cache
    def delta_at(epsilon: Fraction) -> Enclosure:
        """Return δ no finer than it takes to tell it from the target: it is slow."""
        found = told(partial(delta, Exact.exp(epsilon)), target, finest)
        if found.is_above(target) is not None:
            return found
        open_ones.append(epsilon)
        if len(open_ones) > _MAX_OPEN:
            raise UndecidedError(
                f"δ is too flat near delta={target}: {len(open_ones)} enclosures of "
                f"relative_width={short(finest)} contain it. Ask for a wider one."
            )
        return found

    at_zero = arb(fmpq_of(delta_at(Fraction(0)).lower))
    return smallest_from_zero(
        lambda epsilon, _width: delta_at(epsilon),
        target,
        first=guess_from_zero(at_zero, target),
        relative_width=width,
    )


@validated
@dataclass(frozen=True, slots=True)
class HiddenVictim(HiddenProfile):
    """The victim's message among n − 1 others that share a part, for certified δ and ε.

    Attributes:
        n: The number of users, the victim included.
        hidden: The rows, message by message.

    Example:
        Two users of a coin, the other on input 1 (messages of mass 1/4 and 3/4): δ = 1/16.

        >>> q, t = Exact("1/4"), Exact("3/4")
        >>> found = HiddenVictim(2, Hidden.of([(t, q, q), (q, t, t)])).delta(Epsilon.log(2))
        >>> found.contains(Exact("1/16"))
        True
    """

    n: int
    hidden: Hidden

    @property
    def is_upper_bound(self) -> bool:
        """True if leftovers of the others are shown: then δ bounds that of the view from above."""
        return self.n > 1 and bool(self.hidden.nothing != 0)

    @property
    def note(self) -> str | None:
        """The note that it is an upper bound, where leftovers of the others are shown."""
        if self.is_upper_bound:
            return "Leftovers of the others are shown: an upper bound on the view's delta."
        return None

    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        ask = partial(self._exactly, gamma, width)
        if len(self.hidden.shared) < _MANY or width < _NARROW:
            return ask()
        return first_answer(partial(delta_of_curve, self, gamma, width), ask)

    def _exactly(self, gamma: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of H_gamma, gamma >= 1, from the mean of the sum alone."""
        shared, only = self.hidden.shared, self.hidden.alone
        exposed: Number = Exact(0)
        for p, q in only:
            if is_ratio_above(p, q, gamma):
                exposed = exposed + difference(p, q, gamma)
        alone = enclosed(exposed, width / 16)
        if not any(is_ratio_above(p, q, gamma) for p, q, _ in shared):
            return alone
        values = [difference(p, q, gamma) for p, q, _ in shared]
        masses = [mass for _, _, mass in shared]
        # With q where nobody else is, the mean may be positive: E max(0, S) = E S + E max(0, −S).
        mean = difference(
            sum((p * m for p, _, m in shared), Exact(0)),
            sum((q * m for _, q, m in shared), Exact(0)),
            gamma,
        )
        certain = Enclosure(Fraction(0), Fraction(0))
        if any(q != 0 for _, q in only) and mean.ball(256) > 0:
            certain = enclosed(mean, width / 16)
            if not any(is_ratio_above(q, p, 1 / gamma) for p, q, _ in shared):
                return Enclosure(certain.lower + alone.lower, certain.upper + alone.upper)
            values = [-value for value in values]
        if self.hidden.nothing != 0:
            values, masses = [*values, Exact(0)], [*masses, self.hidden.nothing]
        found = mean_positive_sum(values, masses, self.n, relative_width=width)
        lower = certain.lower + found.lower / self.n + alone.lower
        upper = certain.upper + found.upper / self.n + alone.upper
        return between(lower, upper, by=found)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        messages = self.hidden.messages()
        found = renyi_by_moments(messages, self.n, order=order, relative_width=width)
        return self._renyi_from_delta(order, width) if found is None else found

    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q), the victim's own: the others may all send one message."""
        return self.hidden.max_divergence()

    def reversed(self) -> HiddenVictim:
        """Return the profile with the victim's inputs exchanged."""
        return HiddenVictim(self.n, self.hidden.turned())

    def infinity_mass(self) -> Number:
        """Return the mass that P has where Q has none, for any messages of the others.

        Formula:
            Σ_{y: q_y = m_y = 0} p_y, and E[Σ_i Z_i; q_{Y_i} = 0 for all i]/n of the others.
        """
        bare = sum((p * m for p, q, m in self.hidden.shared if q == 0), Exact(0))
        if bare == 0:
            return self.hidden.unmatched
        calm = sum((m for _, q, m in self.hidden.shared if q == 0), self.hidden.nothing)
        digits = int(calm.denominator[0].bit_length()) if calm.is_rational else MAX_BITS_OF_A_POWER
        if self.n * digits <= MAX_BITS_OF_A_POWER.now and bare.is_rational:
            return self.hidden.unmatched + bare * calm ** (self.n - 1)
        rule = partial(_unmatched_ball, self.hidden.unmatched, bare, calm, self.n - 1)
        return Real(rule, f"the mass that {number_of(self.n, 'user')} show of one input only")

    def largest_finite_loss(self) -> Epsilon:
        """Return the largest loss of messages that both inputs may send."""
        return self.hidden.largest_finite_loss(self.n)

    def deltas_at(
        self, gammas: Sequence[Fraction] | Sequence[Exact], smooth: Fraction
    ) -> list[Enclosure]:
        """Return δ at each of some γ >= 1, to a smoothing over the spread of a sum."""
        return self.hidden.deltas(self.n, gammas, smooth)

    def loss_deviation(self) -> float:
        """Return about the deviation of the loss, for plans."""
        return self.hidden.deviation(self.n)

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        return pairs_around_curves((self,), (self.reversed(),), size=size, rest=rest, knots=knots)


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


def _unmatched_ball(unmatched: Exact, bare: Exact, calm: Exact, others: int) -> arb:
    bits = working_bits()
    return unmatched.ball(bits) + bare.ball(bits) * calm.ball(bits) ** others
