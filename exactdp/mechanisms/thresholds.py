"""Groups that are shown only if enough users are in them: partition selection.

A group of n users is in a release if its noisy count is above a threshold, or with a probability
π(n); one that nobody is in never is. Who is alone in a group and is shown reveals it: a δ that
the noise alone does not have.

References: D. Desfontaines, J. Voss, B. Gipson and C. Mandayam, Differentially Private
Partition Selection, PoPETs 2022.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactdp.divergences import NumberProfile, Pair
from exactdp.divergences.profile import Largest
from exactdp.errors import DomainError
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    count_text,
    decided_below,
    log,
    refuse_above,
)
from exactdp.numbers.arguments import (
    NumberLike,
    number,
    open_probability,
    privacy_epsilon,
    whole_number,
)
from exactdp.numbers.commensurable import floor_of_logarithm
from exactdp.numbers.limits import MAX_OUTCOMES_OF_NOISE
from exactdp.numbers.reals import larger_number
from exactdp.numbers.validated import validated

__all__ = [
    "LoneUser",
    "PartitionSelection",
    "partition_selection",
    "smallest_threshold",
    "thresholded",
]


@dataclass(frozen=True, slots=True)
class LoneUser(NumberProfile[Number]):
    """A user who is shown with a probability, and whose absence shows nothing; both orders.

    Formula:
        δ(ε) is p for ε >= 0, and 1 − e^ε(1 − p) below.

    Attributes:
        probability: p.
    """

    probability: Number

    @property
    def has_closed_form(self) -> bool:
        """Always."""
        return True

    def max_divergence(self) -> Epsilon:
        """Return infinity: who is shown is revealed."""
        return Epsilon.infinity()

    def infinity_mass(self) -> Number:
        """Return p."""
        return self.probability

    def largest_finite_loss(self) -> Epsilon:
        """Return 0: from there on δ is p."""
        return Epsilon.log(1)

    def reversed(self) -> LoneUser:
        """Return itself."""
        return self

    def _delta_at(self, gamma: Exact) -> Number:
        return self.probability if gamma >= 1 else 1 - gamma * (1 - self.probability)

    def _renyi_at(self, order: Fraction) -> Number:
        # Of orders below 1: −ln(1 − p), and a/(1 − a) times that in the other order of both.
        return -max(Exact(1), Exact(order / (1 - order))) * log(1 - self.probability)

    def _trade_off_at(self, level: Exact) -> Number:
        # The less of (1 − p)(1 − α) and max(0, 1 − α/(1 − p)).
        left = 1 - self.probability
        other = larger_number(Exact(0), 1 - level / left)
        return -larger_number(-left * (1 - level), -other)


@validated
def thresholded(noise: AdditiveNoise | IntegerNoise, *, threshold: NumberLike) -> Largest:
    """Return noisy counts that are shown only above a threshold, where somebody is counted.

    Formula:
        max(δ(ε) of the noise, Pr[Δ + noise > T]), T = threshold, for ε >= 0: groups of at least
        one other user are post-processed noise, and no threshold matters where they are large.

    Args:
        noise: On each count, as likely as its negative. Its sensitivity Δ is how much a user
            adds to one group at most.
        threshold: T, of any sign; for noise on integers their floor.

    A user is in one group. In several of them it is the product of as many such pairs, each
    either of the two.

    Example:
        Who is alone is shown with probability e^(−4)/2, and at ε = 1 that is all:

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> thresholded(laplace_mechanism(scale=1), threshold=5).delta(Epsilon.rational(1))
        Exact('1/(2*e^4)')
    """
    ahead = number(threshold, name="threshold") - _size(noise)
    return Largest((noise, LoneUser(noise.above(ahead))))


def smallest_threshold(
    noise: AdditiveNoise | IntegerNoise, epsilon: Epsilon, delta: Exact | RationalLike
) -> Number:
    """Return the smallest T at which :func:`thresholded` gives (ε, δ)-differential privacy.

    Formula:
        Δ + the smallest x with Pr[noise > x] <= δ; an integer for noise on integers.

    Args:
        noise: On each count; it must give (ε, δ) itself.
        epsilon: ε, at least 0.
        delta: δ, strictly between 0 and 1.

    Raises:
        DomainError: If the noise alone does not give (ε, δ): no threshold does then.

    Example:
        >>> from exactdp.mechanisms import discrete_laplace_mechanism
        >>> one = discrete_laplace_mechanism(rate=Epsilon.log(2))
        >>> smallest_threshold(one, Epsilon.log(2), "1/3"), one.above(Exact(0))
        (Exact('1'), Exact('1/3'))
    """
    target, at = open_probability(delta, name="delta"), privacy_epsilon(epsilon)
    alone = noise.delta(at)
    advice = f"delta={target} cannot be told from that of the noise alone. Ask for another."
    if decided_below(target, alone, max_bits=1 << 12, advice=advice):
        raise DomainError(
            f"the noise alone has a delta above {target} there, whatever the threshold. Take more "
            "noise, or ask for another epsilon or delta."
        )
    return _size(noise) + noise.exceeded(target)


def _size(noise: AdditiveNoise | IntegerNoise) -> Number:
    """Return Δ of a noise mechanism."""
    size: Number | int = noise.sensitivity
    return Exact(size) if isinstance(size, int) else size


@validated
@dataclass(frozen=True, slots=True)
class PartitionSelection:
    """The selection of groups that shows each with the largest probability (ε, δ) allows.

    Formula:
        π(0) = 0 and π(n + 1) = min(e^ε π(n) + δ, 1 − e^(−ε)(1 − π(n) − δ), 1): the first up to
        n1, the second up to n2,
        π(n) = δ(e^(nε) − 1)/(e^ε − 1) for n <= n1,
        π(n1 + m) = 1 − e^(−mε)(1 − π(n1)) + δ(1 − e^(−mε))/(e^ε − 1) for n1 + m <= n2.

    Source:
        Desfontaines, Voss, Gipson & Mandayam 2022, Theorems 1 and 2.

    Attributes:
        epsilon: ε, finite, at least 0.
        delta: δ, strictly between 0 and 1.

    Example:
        >>> best = PartitionSelection(Epsilon.log(2), Exact("1/10"))
        >>> [str(best.kept(n)) for n in range(6)], best.turn, best.last
        (['0', '1/10', '3/10', '7/10', '9/10', '1'], 3, 5)
    """

    epsilon: Epsilon
    delta: Exact

    @property
    def turn(self) -> int:
        """n1, the largest n for which π(n) is e^ε π(n − 1) + δ."""
        # π(n) grows so from all n with π(n) <= (1 − δ)/(e^ε + 1).
        return 1 + self._steps((1 - self.delta) / (self.epsilon.exp + 1) / self.delta)

    @property
    def last(self) -> int:
        """The smallest n with π(n) = 1."""
        # e^(−mε)(1 − π(n1) + δ/(e^ε − 1)) is at most δ/(e^ε − 1) from this m on.
        turn = self.turn
        left = (1 - self.kept(turn)) / self.delta
        m = self._steps(left)
        return turn + m + (self._sum(m) != left)

    def kept(self, users: int) -> Exact:
        """Return π(n), the probability of showing a group of n = ``users``.

        Raises:
            DomainError: If users is no int of at least 0.
        """
        n = whole_number(users, name="users", at_least=0)
        turn, shrunk = self.turn, 1 / self.epsilon.exp
        if n <= turn:
            return self.delta * self._sum(n)
        if n - turn > self._steps((1 - self.kept(turn)) / self.delta):
            return Exact(1)
        fall = shrunk ** (n - turn)
        return 1 - fall * (1 - self.kept(turn) - self.delta * self._sum(n - turn))

    def profile(self) -> Selected:
        """Return δ at every ε', the worst over all n and both orders; at ε it is δ.

        Of n users against n + 1, the worst n is 0, n1 − 1 or n1: in n, what each event adds
        rises up to n1 and falls from there for ε' < ε, and the other way round for ε' > ε,
        where it is at most δ. Trade-offs and Rényi divergences look at all n.

        Example:
            >>> best = PartitionSelection(Epsilon.log(2), Exact("1/10"))
            >>> best.profile().delta(Epsilon.log(2)), best.profile().delta(Epsilon.log(1))
            (Exact('1/10'), Exact('2/5'))
        """
        return Selected(self._pairs(sorted({0, self.turn - 1, self.turn})), self)

    def everything(self) -> AllSizes:
        """Return the pairs of all n, in both orders.

        Raises:
            TooLargeError: If there are too many.
        """
        refuse_above(
            MAX_OUTCOMES_OF_NOISE,
            self.last,
            f"groups of up to {count_text(self.last)} users differ",
            advice="Ask for hockey_stick or epsilon.",
        )
        return AllSizes(self._pairs(range(self.last)), self)

    def _pairs(self, sizes: Iterable[int]) -> tuple[Pair, ...]:
        pairs = []
        for n in sizes:
            less, more = self.kept(n), self.kept(n + 1)
            one = Pair.from_masses([more, 1 - more], [less, 1 - less])
            pairs += [one, one.reversed()]
        return tuple(pairs)

    def _sum(self, n: int) -> Exact:
        """Return 1 + e^ε + ... + e^((n − 1)ε)."""
        growth = self.epsilon.exp
        return Exact(n) if growth == 1 else (growth**n - 1) / (growth - 1)

    def _steps(self, limit: Exact) -> int:
        """Return the largest n with 1 + e^ε + ... + e^((n − 1)ε) <= a limit."""
        growth = self.epsilon.exp
        if growth == 1:
            return int(limit.as_fraction())
        return floor_of_logarithm(1 + limit * (growth - 1), growth)


@dataclass(frozen=True, slots=True)
class Selected(Largest):
    """The worst of all group sizes: the pairs that have the largest δ, and where to find all.

    Attributes:
        selection: What selects.
    """

    has_all_pairs: ClassVar[bool] = False

    selection: PartitionSelection

    def _renyi_at(self, order: Fraction) -> Number | Enclosure:
        found = self.selection.everything().renyi(order)
        assert not isinstance(found, Epsilon)
        return found

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        return self.selection.everything()._renyi_within(order, width)

    def _trade_off_at(self, level: Exact) -> Number | Enclosure:
        return self.selection.everything().trade_off(level)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        return self.selection.everything()._trade_off_within(level, width)

    def reversed(self) -> Selected:
        """Return itself: both orders are among the pairs."""
        return self


@dataclass(frozen=True, slots=True)
class AllSizes(Largest):
    """The pairs of all group sizes: few of them have the largest δ, and all are looked at beside.

    Attributes:
        selection: What selects.
    """

    selection: PartitionSelection

    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the largest δ(ε), that of few sizes."""
        return self.selection.profile().delta(epsilon, relative_width=relative_width)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        return self.selection.profile()._epsilon_at(delta)

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        return self.selection.profile()._epsilon_within(delta, width)

    def reversed(self) -> AllSizes:
        """Return itself: both orders are among the pairs."""
        return self


def partition_selection(epsilon: Epsilon, delta: Exact | RationalLike) -> PartitionSelection:
    """Return the optimal partition selection.

    Raises:
        DomainError: If ε is negative or infinite, or δ not between 0 and 1.

    Example:
        >>> partition_selection(Epsilon.rational(1), "1e-5").last
        23
    """
    return PartitionSelection(privacy_epsilon(epsilon), open_probability(delta, name="delta"))
