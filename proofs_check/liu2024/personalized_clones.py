"""Clones when every user has a randomizer of its own: a valid bound for personalized privacy.

Let the victim's two rows be mixtures over two letters, laws Q0 and Q1 on messages,

    R_1(x0) = v·(a Q0 + b Q1) + (1 − v)·common,  R_1(x1) = v·(b Q0 + a Q1) + (1 − v)·common,

a + b = 1, and let every other user's row be R_i = r_i Q0 + r_i Q1 + (1 − 2 r_i)·leftover_i,
with a weight r_i and a leftover of its own. Then

    D_{e^ε}(view) <= v·D_{e^ε}(P ‖ Q),

where under P (Q) the counts are (A + 1, C − A) with probability a (b) and (A, C − A + 1)
with probability b (a), A ~ Bin(C, 1/2), and C is the sum of independent Bern(2 r_i).

Proof. With probability 1 − v the victim sends the common component, which is the same for
both inputs: joint convexity leaves v times the divergence given that it sends a letter. Let
I be the set of other users who send a letter. It is independent of the victim, and given I
the number of letters 0 among them is Bin(|I|, 1/2). So given the counts (X, Y), and with
them C = X + Y − 1, the law of I does not depend on the victim's input, nor do the leftovers
of the users outside I, nor the messages that stand for the letters: the view is a
post-processing of (X, Y). It is no lower bound in general.

What the hypotheses are about: R_i(x_i) >= r_i (Q0 + Q1), for the *victim's* letters. That
user i is ε_i-private says nothing about it: its messages may never be the victim's, and then
r_i = 0. The rows in play must be compared, by ``letter_weight`` or by a ratio q_i with
R_1(x0), R_1(x1) <= q_i·R_i(x_i) (``exactdp.shuffle.reductions.letter_weights``). If users share one
family and R_1(x) <= e^c·R_i(x) for all x, then q_i = e^(c + ε_i) will do.

Definitions: :class:`PersonalizedCountPair`, :func:`personalized_clones`.

References: V. Feldman, A. McMillan and K. Talwar, Hiding among the Clones, FOCS 2021 (equal
users); S. Wang et al., Privacy Amplification via Shuffling: Unified, Simplified, and
Tightened, 2023 (ratios).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from flint import arb

from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    precision,
    working_bits,
)
from exactdp.numbers.arguments import (
    NumberLike,
    number,
    privacy_epsilon,
    probability,
    relative_bits,
    whole_number,
)
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.shuffle.at_scale.count_pairs import guess_from_zero
from proofs_check.liu2024.tilted_tails import gap_bound, tilted_gap

_FIRST_BITS = 128
_MAX_BITS = 1 << 15
_LOWEST = -(1 << 20)
"""The logarithm of the lowest bound, to base 2: a lower one is raised to it."""

_LOST = 56
"""Bits of a law that a gap of two tails loses, or more."""


@dataclass(frozen=True)
class PersonalizedCountPair(PrivacyProfile):
    """The pair of counts of a victim and of other users with weights of their own, times v.

    As a profile it is v·D_{e^ε}(P ‖ Q), ε >= 0: an upper bound on the view's δ. For rows
    within a factor p of each other, of total variation β, it is of the letters that are
    their positive parts over β with a = p/(p + 1) and v = β(p + 1)/(p − 1); for p = ∞ with
    a = 1 and v = β (Wang et al. 2023, with a ratio for each user and the label it needs).

    Attributes:
        first: a, the probability of letter 0 under P, of letter 1 under Q; b = 1 − a.
        others: The r_i, each with its number of users. A weight that is too small is
            safe: δ only grows.
        weight: v, the probability that the victim sends a letter at all.

    Raises:
        DomainError: If a probability is outside [0, 1], 2 r_i > 1, or a number of users
            is negative.

    Example:
        >>> pair = PersonalizedCountPair(Exact("3/4"), ((Exact("1/4"), 1), (Exact("1/6"), 1)))
        >>> pair.users
        3
        >>> pair.delta(Epsilon.log(2), relative_width="1e-9").contains(Exact("5/32"))
        True
    """

    first: Exact
    others: tuple[tuple[Number, int], ...]
    weight: Exact = field(default_factory=lambda: Exact(1))
    _kept: dict[Exact, arb] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("first", "weight"):
            object.__setattr__(self, name, probability(getattr(self, name), name=name))
        for i, (r, count) in enumerate(self.others):
            if isinstance(r, Exact) and (r.sign() < 0 or 2 * r > 1):
                raise DomainError(
                    f"others[{i}] has the weight {r}, outside [0, 1/2]. It is the probability of "
                    "either letter."
                )
            whole_number(count, name=f"the number of users of others[{i}]", at_least=0)

    @property
    def users(self) -> int:
        """The number of users n, the victim included."""
        return 1 + sum(count for _, count in self.others)

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return v·D_{e^ε}(P ‖ Q), an upper bound on the view's δ(ε).

        Args:
            epsilon: ε in nats, finite, at least 0.
            relative_width: The width is at most this times the value.

        Returns:
            Without a width exact 0 where it vanishes, else a real that is computed when
            it is asked for. With a width an enclosure.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If the width is not reached with 2^15 bits: δ may be below
                e^−20000.

        Example:
            Equal users give the ordinary pair of counts:

            >>> from exactdp.shuffle import stronger_clone_pair
            >>> equal, two = personalized_clones(Epsilon.log(3), [("1/4", 9)]), Epsilon.log(2)
            >>> mine = equal.delta(two, relative_width="1e-9")
            >>> theirs = stronger_clone_pair(10, Epsilon.log(3)).delta(two, relative_width="1e-9")
            >>> mine.lower <= theirs.upper and theirs.lower <= mine.upper
            True
        """
        gamma = privacy_epsilon(epsilon).exp
        accuracy = None if relative_width is None else relative_bits(checked_width(relative_width))
        if self._is_zero(gamma):
            return Exact(0) if accuracy is None else Enclosure(Fraction(0), Fraction(0))
        if accuracy is None:
            return Real(lambda: self._ball(gamma, working_bits()), f"delta of {self.users:,} users")
        return Enclosure(*endpoints(self._ball(gamma, accuracy)))

    def max_divergence(self) -> Epsilon:
        """Return the ε from which on it is 0: |ln(a/b)|; 0 if v = 0.

        Example:
            >>> PersonalizedCountPair(Exact("3/4"), ()).max_divergence()
            Epsilon.log('3')
        """
        if self.weight == 0:
            return Epsilon.log(1)
        a = self._larger
        return Epsilon.infinity() if a == 1 else Epsilon(a / (1 - a))

    def reversed(self) -> PersonalizedCountPair:
        """Return the pair itself: exchanging the letters exchanges P and Q."""
        return self

    def infinity_mass(self) -> Number:
        """Return the limit for ε to infinity: for a = 1 all letters alike, v·Π (1 − r_i)."""
        if self.weight == 0 or self._larger != 1:
            return Exact(0)

        def ball() -> arb:
            bits = working_bits()
            alike = prod(((1 - r.ball(bits)) ** count for r, count in self.others), start=arb(1))
            return self.weight.ball(bits) * alike

        return Real(ball, f"the mass of {self.users:,} equal letters")

    def first_guess(self, delta: Exact) -> Fraction:
        """Return about the ε of a δ, from δ(0)."""
        at_zero = arb(0) if self._is_zero(Exact(1)) else self._ball(Exact(1), 32)
        return guess_from_zero(at_zero, delta)

    @property
    def _larger(self) -> Exact:
        return max(self.first, 1 - self.first)

    def _is_zero(self, gamma: Exact) -> bool:
        # A quotient and no product: rates such as 1 and 0.0123456789 have a tiny common rate.
        a = self._larger
        return self.weight == 0 or (a != 1 and a / (1 - a) <= gamma)

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return δ(ε), or where Chernoff's bound tells that it is at most a target, that bound."""
        bound = self.quick_bound(epsilon)
        if Exact(bound) <= target:
            return Enclosure(Fraction(0), bound)
        return super().delta_beside(epsilon, target, width)

    def quick_bound(self, epsilon: EpsilonLike) -> Fraction:
        """Return an upper bound of δ(ε) that takes no sum (see ``tilted_tails``)."""
        gamma = privacy_epsilon(epsilon).exp
        if self._is_zero(gamma):
            return Fraction(0)
        with precision(_FIRST_BITS):
            ball = self.weight.ball(_FIRST_BITS) * gap_bound(self._trials, *self._factors(gamma))
            return endpoints(ball.max(arb(2) ** _LOWEST))[1]

    @property
    def _trials(self) -> list[tuple[Number, int]]:
        return [(2 * r, count) for r, count in self.others]

    def _factors(self, gamma: Exact) -> tuple[arb, arb]:
        """Return a − γb and γa − b, at the current precision."""
        g, a = (x.ball(working_bits()) for x in (gamma, self._larger))
        return a - g * (1 - a), g * a - (1 - a)

    def _ball(self, gamma: Exact, accuracy: int) -> arb:
        found = self._kept.get(gamma)
        if found is None or found.rel_accuracy_bits() < accuracy:
            found = self._kept[gamma] = self._accurate_ball(gamma, accuracy)
        return found

    def _accurate_ball(self, gamma: Exact, accuracy: int) -> arb:
        bits = max(_FIRST_BITS, -(-(accuracy + _LOST) // 32) * 32)
        while bits <= _MAX_BITS:
            work = bits + 64
            with precision(work):
                first, second = self._factors(gamma)
                if first > 0:
                    ball = tilted_gap(self._trials, first, second, bits=bits)
                    ball *= self.weight.ball(work)
                    lost = accuracy - int(ball.rel_accuracy_bits())
                    if lost <= 0 and ball > 0:
                        return ball
            bits *= 2
        raise UndecidedError(
            f"{self.users:,} users: delta was not reached to {accuracy} bits with {_MAX_BITS:,} "
            "bits. Ask at another epsilon."
        )


def personalized_clones(
    epsilon: EpsilonLike, others: Iterable[tuple[NumberLike, int]]
) -> PersonalizedCountPair:
    """Return the bound with the clones' letters, which hide the victim (v = 1).

    Formula:
        x = e^ε, Q0 = (x R_1(x0) − R_1(x1))/(x − 1), Q1 the other way round, a = x/(x + 1);
        Q0 + Q1 = R_1(x0) + R_1(x1), so every r_i with R_i >= r_i (R_1(x0) + R_1(x1)) will
        do (``clone_weight``, ``letter_weight``).

    Args:
        epsilon: ε in nats: the victim's two rows are within a factor e^ε of each other.
        others: The r_i, each with its number of users.

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Feldman, McMillan & Talwar 2021, with a weight for each user; proof above.

    Example:
        >>> personalized_clones(Epsilon.log(3), [("1/4", 2), ("1/6", 3)]).users
        6
    """
    x = privacy_epsilon(epsilon).exp
    weights = tuple((number(r, name="r"), count) for r, count in others)
    return PersonalizedCountPair(x / (x + 1), weights)
