"""The selection of groups that shows each with the largest probability (ε, δ) allows.

References: D. Desfontaines, J. Voss, B. Gipson and C. Mandayam, Differentially Private
Partition Selection, PoPETs 2022.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from exactdp.divergences import AddOrRemove, Pair
from exactdp.divergences.profile import Largest, Named
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    count_text,
    refuse_above,
)
from exactdp.numbers.arguments import open_probability, privacy_epsilon, whole_number
from exactdp.numbers.commensurable import floor_of_logarithm
from exactdp.numbers.limits import MAX_OUTCOMES_OF_NOISE
from exactdp.numbers.renamed import RENAMED
from exactdp.numbers.validated import validated

__all__ = ["PartitionSelection", "SelectionRule", "partition_selection"]


@validated
@dataclass(frozen=True, slots=True)
class SelectionRule:
    """The probabilities of showing groups, each the largest that (ε, δ) allows.

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
        >>> best = SelectionRule(Epsilon.log(2), Exact("1/10"))
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
            DomainError: If users is not an int of at least 0.
        """
        n = whole_number(users, name="users", at_least=0)
        turn, shrunk = self.turn, 1 / self.epsilon.exp
        if n <= turn:
            return self.delta * self._sum(n)
        if n - turn > self._steps((1 - self.kept(turn)) / self.delta):
            return Exact(1)
        fall = shrunk ** (n - turn)
        return 1 - fall * (1 - self.kept(turn) - self.delta * self._sum(n - turn))

    def all_sizes(self, *, removed: bool) -> Largest:
        """Return the pairs of all n in one direction.

        Raises:
            TooLargeError: If there are too many.
        """
        refuse_above(
            MAX_OUTCOMES_OF_NOISE,
            self.last,
            f"groups of up to {count_text(self.last)} users differ",
            advice="Ask for hockey_stick or epsilon.",
        )
        return Largest(self._pairs(range(self.last), removed=removed))

    def few(self, *, removed: bool) -> SomeSizes:
        """Return the pairs that have the largest δ, in the direction of removing a user or not."""
        ends = {0, self.turn - 1, self.turn, self.last - 2, self.last - 1}
        sizes = tuple(sorted(n for n in ends if n >= 0))
        return SomeSizes(self._pairs(sizes, removed=removed), sizes, self, removed)

    def _pairs(self, sizes: Iterable[int], *, removed: bool, apart: int = 1) -> tuple[Pair, ...]:
        """Return n users and some more against n, for each n; the reverse if they are added."""
        pairs = []
        for n in sizes:
            less, more = self.kept(n), self.kept(n + apart)
            one = Pair.from_masses([more, 1 - more], [less, 1 - less])
            pairs.append(one if removed else one.reversed())
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
class SomeSizes(Largest):
    """The worst of all group sizes in one direction: the pairs of some sizes, which have its δ.

    Attributes:
        sizes: The users in a group, beside the one who is removed or added.
        rule: Has the pairs of all sizes.
        removed: Whether a user is removed.
    """

    has_all_pairs: ClassVar[bool] = False

    sizes: tuple[int, ...]
    rule: SelectionRule
    removed: bool

    def cases(self) -> tuple[Named, ...]:
        """Return the pairs; others of a group may not be in a sample."""
        return tuple(
            Named(f"a user beside {count_text(n)} of a group", pair, alone=n == 0)
            for n, pair in zip(self.sizes, self.profiles, strict=True)
        )

    def cases_apart(self, size: int) -> tuple[Named, ...]:
        """Return the pairs of users who differ together, beside others of the same group."""
        ends = {n - gap for n in self.sizes for gap in (0, size - 1) if n >= gap}
        sizes = sorted(ends)
        pairs = self.rule._pairs(sizes, removed=self.removed, apart=size)
        return tuple(
            Named(f"{count_text(size)} users beside {count_text(n)} of a group", pair, alone=n == 0)
            for n, pair in zip(sizes, pairs, strict=True)
        )

    def reversed(self) -> SomeSizes:
        """Return the other direction."""
        return self.rule.few(removed=not self.removed)

    def _every(self) -> Largest:
        return self.rule.all_sizes(removed=self.removed)

    def _renyi_at(self, order: Fraction) -> Number | Enclosure:
        found = self._every().renyi(order)
        assert not isinstance(found, Epsilon)
        return found

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        return self._every()._renyi_within(order, width)

    def _trade_off_at(self, level: Exact) -> Number | Enclosure:
        return self._every().trade_off(level)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        return self._every()._trade_off_within(level, width)


@validated
@dataclass(frozen=True, slots=True)
class PartitionSelection(AddOrRemove):
    """The selection of groups that shows each with the largest probability (ε, δ) allows.

    δ at every ε' is the worst over all n and both orders; at ε it is δ. In n, what an event adds is
    monotone up to n1 and from there to n2. So for ε' >= 0 the worst n, against n + 1 users, is 0,
    n1 − 1 or n1 where the one is removed, and n1 − 1, n1, n2 − 2 or n2 − 1 where it is added; for
    ε' < 0 the other way round. Trade-offs and Rényi divergences look at all n.

    Attributes:
        rule: The probabilities of showing groups.

    Example:
        >>> best = partition_selection(Epsilon.log(2), "1/10")
        >>> best.delta(Epsilon.log(2)), best.delta(Epsilon.log(1)), best.kept(1)
        (Exact('1/10'), Exact('2/5'), Exact('1/10'))
    """

    rule: SelectionRule = field(kw_only=True, repr=False)

    def __repr__(self) -> str:
        return f"partition_selection({self.rule.epsilon!r}, {str(self.rule.delta)!r})"

    def kept(self, users: int) -> Exact:
        """Return the probability of showing a group of so many users.

        Raises:
            DomainError: If users is not an int of at least 0.
        """
        return self.rule.kept(users)

    @property
    def last(self) -> int:
        """The smallest size of which every group is shown."""
        return self.rule.last

    def everything(self) -> PartitionSelection:
        """Return itself, where the pairs of all n are few enough to be looked at.

        Raises:
            TooLargeError: If there are too many.
        """
        self.rule.all_sizes(removed=True)
        return self

    def profile(self) -> PartitionSelection:
        """Return itself, as earlier versions were asked for a profile; it warns."""
        next(one for one in RENAMED if one.owner == "PartitionSelection").warn(stacklevel=3)
        return self


def partition_selection(epsilon: EpsilonLike, delta: Exact | RationalLike) -> PartitionSelection:
    """Return the optimal partition selection.

    Raises:
        DomainError: If ε is negative or infinite, or δ not between 0 and 1.

    Example:
        >>> partition_selection(Epsilon.rational(1), "1e-5").last
        23
    """
    rule = SelectionRule(privacy_epsilon(epsilon), open_probability(delta, name="delta"))
    few = rule.few(removed=True), rule.few(removed=False)
    return PartitionSelection(few, has_sides=True, rule=rule)
