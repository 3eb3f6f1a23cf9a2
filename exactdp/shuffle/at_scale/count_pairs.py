"""A pair of counts: how often two letters arrive, under two laws that exchange them.

Each of n − 1 users adds 1 to X with probability r, 1 to Y with probability r, and nothing
otherwise. One more user, the victim, adds 1 to X with probability a and 1 to Y with
probability b under P; under Q the two are exchanged. The reductions of privacy
amplification by shuffling replace the view of the analyzer by such a pair; what it then
bounds is said in ``exactdp.shuffle.reductions.pairs``.

For γ = e^ε >= 1 and a >= b (exchanging the letters exchanges P and Q and changes no count's
law, so both directions are equal):

- a <= γ·b, and only then, δ = 0: no outcome has P > γ·Q;
- n = 1 or r = 0: δ = a − γ·b otherwise, the victim's letter being all there is;
- else a sum over the totals (``exactdp.sums.counting.terms``), in machine numbers with a
  proven error where that is fast and narrow enough, and in balls where it is not.

For γ < 1, D_γ(P ‖ Q) = 1 − γ + γ·D_{1/γ}(Q ‖ P), whose last divergence is δ at 1/γ.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from flint import arb

from exactdp.distributions import HistogramPolynomial, scale_rows
from exactdp.divergences import NumberProfile, Pair, PrivacyProfile
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import difference
from exactdp.errors import DomainError, UndecidedError, number_of
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Real,
    precision,
    working_bits,
)
from exactdp.numbers.arguments import probability, relative_bits, whole_number
from exactdp.numbers.balls import endpoints
from exactdp.numbers.limits import MAX_HISTOGRAMS, count_text, refuse_above
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenVictim, guess_from_zero
from exactdp.sums.counting.letters import ball_of_letters
from exactdp.sums.counting.terms import Letters, accurate_ball

__all__ = ["CountPair", "guess_from_zero"]

_EXACT_USERS = 60
"""Users up to which a tie at ε = 0, and Rényi divergences, are found by the exact laws."""


@validated
@dataclass(frozen=True, slots=True)
class CountPair(NumberProfile[Number]):
    """The pair of laws of the counts (X, Y) of n users; both directions are equal.

    Without a width δ is exact where it is 0, 1 or the victim's alone, else a real of about
    10·√n terms. For widths from 1e-11 on the machine's floating point does the work, with a
    proven error bound.

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
        >>> pair.delta(Epsilon.log(2), relative_width="1e-9").contains(Exact("3/16"))
        True
        >>> pair.delta(Epsilon.log(3))
        Exact('0')

        Without others, δ = a − e^ε·b:

        >>> CountPair(1, Exact("3/4"), Exact("1/4"), Exact(0)).delta(Epsilon.log(2))
        Exact('1/4')
    """

    n: int
    first: Exact
    second: Exact
    other: Exact
    note: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number(self.n, name="n", at_least=1))
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

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        """Return an enclosure of ε(δ); ties at ε = 0 are decided exactly, of few users.

        Example:
            Without others, e^ε = (a − δ)/b:

            >>> alone = CountPair(1, Exact("3/4"), Exact("1/4"), Exact(0))
            >>> e = alone.epsilon("1/4")  # ε = ln 2
            >>> Exact.exp(e.lower) < 2 < Exact.exp(e.upper)
            True
        """
        try:
            return PrivacyProfile._epsilon_within(self, delta, width)
        except UndecidedError:
            if self.n > _EXACT_USERS or self.pair().delta(Epsilon.log(1)) > delta:
                raise
            return Enclosure(Fraction(0), Fraction(0))

    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q) = |ln(a/b)|: all letters may be alike, the victim's too.

        Example:
            >>> CountPair(9, Exact("3/4"), Exact("1/4"), Exact("1/4")).max_divergence()
            Epsilon.log('3')
        """
        return self.hidden.max_divergence()

    def reversed(self) -> CountPair:
        """Return the pair itself: exchanging the letters exchanges P and Q."""
        return self

    def infinity_mass(self) -> Number:
        """Return the mass of P where Q has none: positive only if b = 0.

        Formula:
            (1 − r)^(n − 1) for a = 1: no letter 2 at all. For a < 1, a·r^(n − 1): every
            user sends letter 1; a for r = 0: whatever letter there is, is the victim's.
        """
        return self.hidden.infinity_mass()

    def largest_finite_loss(self) -> Epsilon:
        """Return D_∞ where b > 0; else that of a message that speaks for Q, or for none.

        Formula:
            For b = 0 the ratio of x letters 1, y letters 2 and z others is (xA + zC)/(yA + zC),
            A = a/r, C = (1 − a)/(1 − 2r): at most n − 1, and 1 + (n − 1)A/C for a < 1.
        """
        return self.hidden.largest_finite_loss()

    def _renyi_at(self, order: Fraction) -> Number | None:
        return self.pair()._renyi_at(order) if self.n <= _EXACT_USERS else None

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        exact = self.pair() if self.n <= _EXACT_USERS else self.hidden
        return exact._renyi_within(order, width)

    @property
    def hidden(self) -> HiddenVictim:
        """This pair as a victim's message, one of two letters or nothing, hidden among others."""
        a, b, r = self.first, self.second, self.other
        rows = [(a, b, r), (b, a, r), (1 - a - b, 1 - a - b, 1 - 2 * r)]
        return HiddenVictim(self.n, Hidden.of(rows))

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        return self.hidden.pairs_near(size, rest, knots)

    def first_guess(self, delta: Exact) -> Fraction:
        """Return about the ε of a δ, from δ(0)."""
        return guess_from_zero(self._ball(Exact(1), relative_bits(self.usual_width)), delta)

    def pair(self) -> Pair:
        """Return the exact laws, with outcomes (x, y); about n²/2 of them.

        Raises:
            TooLargeError: If there are too many outcomes, or their masses would fill gigabytes.
                Ask for delta with a relative_width.
        """
        cells = (self.n + 1) * (self.n + 2) // 2
        what = f"n={count_text(self.n)}: the exact laws have {count_text(cells)} outcomes"
        refuse_above(MAX_HISTOGRAMS, cells, what, advice="Ask for delta with a relative_width.")
        a, b, r = self.first, self.second, self.other
        none = 1 - a - b
        forms = scale_rows([(a, b, none), (b, a, none), (r, r, 1 - 2 * r)])
        others = HistogramPolynomial(forms, (0, 0, self.n - 1))
        laws = [others.weights_by_histogram(weights) for weights in forms.weights[:2]]
        counts = sorted(laws[0] | laws[1], key=lambda h: (self.n - h[2], -h[0]))
        p, q = ({h[:2]: law[h] for h in counts if h in law} for law in laws)
        totals = (forms.number(forms.total((*one, self.n - 1))) for one in ((1, 0), (0, 1)))
        p_total, q_total = totals
        return Pair.from_weight_maps(p, q, p_total=p_total, q_total=q_total)

    @property
    def _ends(self) -> tuple[Exact, Exact]:
        """The larger and the smaller probability of a letter of the victim."""
        return max(self.first, self.second), min(self.first, self.second)

    def letters(self, gamma: Exact) -> Letters:
        """Return the sum whose E max(0, S) is n·δ, for γ >= 1 below a/b and r > 0."""
        (a, b), r = self._ends, self.other
        rest, none = 1 - 2 * r, 1 - a - b
        up, down = difference(a / r, b / r, gamma), difference(b / r, a / r, gamma)
        idle = difference(none / rest, none / rest, gamma) if rest != 0 else Exact(0)
        return Letters(self.n, up, down, idle, r, r)

    def _delta_at(self, gamma: Exact) -> Number:
        if gamma < 1:
            return (1 - gamma) + self._delta_at(1 / gamma) * gamma
        a, b = self._ends
        if self._is_matched(gamma):
            return Exact(0)
        if (self.n == 1 or self.other == 0) and (a.is_rational or gamma.is_rational):
            return a - gamma * b
        return Real(partial(self._delta_ball, gamma), f"delta of {number_of(self.n, 'user')}")

    def _delta_ball(self, gamma: Exact) -> arb:
        return self._ball(gamma, working_bits())

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        accuracy = relative_bits(width)
        found = Enclosure(*endpoints(self._ball(gamma, accuracy)))
        if found.is_narrow(width):
            return found
        return Enclosure(*endpoints(self._ball(gamma, accuracy + 8)))  # it was less than a bit

    def _ball(self, gamma: Exact, accuracy: int) -> arb:
        """Return a ball around δ with at least ``accuracy`` correct bits; 0 is exact.

        Raises:
            TooLargeError: If the sum has too many terms at this accuracy.
            UndecidedError: If the accuracy is not reached (which is not known to happen).
        """
        if gamma < 1:
            inner, bits = self._ball(1 / gamma, accuracy), accuracy + 32
            with precision(bits):
                return (1 - gamma).ball(bits) + gamma.ball(bits) * inner
        a, b = self._ends
        if self._is_matched(gamma):
            return arb(0)
        if self.n == 1 or self.other == 0:
            return accurate_ball(difference(a, b, gamma), bits=accuracy + 4)
        with precision(accuracy + 32):
            return ball_of_letters(self.letters(gamma), accuracy=accuracy + 1) / self.n

    def _is_matched(self, gamma: Exact) -> bool:
        """Return whether a <= γ·b, so that δ = 0."""
        a, b = self._ends
        return a == 0 if b == 0 else a / b <= gamma  # no product, whose rate might be tiny
