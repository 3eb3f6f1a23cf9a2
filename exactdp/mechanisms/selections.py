"""The selection of groups that shows each with the largest probability (ε, δ) allows.

References: D. Desfontaines, J. Voss, B. Gipson and C. Mandayam, Differentially Private
Partition Selection, PoPETs 2022.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from exactdp.divergences import AddOrRemove, Largest, Pair, Worst
from exactdp.divergences.profile import Named
from exactdp.numbers import (
    Epsilon,
    EpsilonLike,
    Exact,
    RationalLike,
    count_text,
    refuse_above,
)
from exactdp.numbers.arguments import open_probability, privacy_epsilon, whole_number
from exactdp.numbers.commensurable import floor_of_logarithm
from exactdp.numbers.limits import MAX_OUTCOMES_OF_NOISE
from exactdp.numbers.renamed import RENAMED
from exactdp.numbers.validated import validated

__all__ = ["PartitionSelection", "partition_selection"]


@validated
@dataclass(frozen=True, slots=True, repr=False)
class PartitionSelection:
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
        >>> best = PartitionSelection(Epsilon.log(2), Exact("1/10"))
        >>> [str(best.kept(n)) for n in range(6)], best.turn, best.last
        (['0', '1/10', '3/10', '7/10', '9/10', '1'], 3, 5)
    """

    epsilon: Epsilon
    delta: Exact

    @property
    def turn(self) -> int:
        """The largest n, n1, for which π(n) is e^ε π(n − 1) + δ."""
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

    @property
    def rule(self) -> PartitionSelection:
        """The selection itself, under its name in earlier versions."""
        return self

    def everything(self) -> Worst:
        """Return the selection, where the pairs of all n are few enough to be looked at.

        Raises:
            TooLargeError: If there are too many.
        """
        self.all_sizes(removed=True)
        return partition_selection(self.epsilon, self.delta)

    def profile(self) -> Worst:
        """Return the selection, as earlier versions were asked for a profile; it warns."""
        next(one for one in RENAMED if one.owner == "PartitionSelection").warn(stacklevel=3)
        return partition_selection(self.epsilon, self.delta)

    def __repr__(self) -> str:
        return f"partition_selection({self.epsilon!r}, {self.delta.argument})"

    def all_sizes(self, *, removed: bool) -> Worst:
        """Return the pairs of all n in one direction, if they are few enough."""
        refuse_above(
            MAX_OUTCOMES_OF_NOISE,
            self.last,
            f"groups of up to {count_text(self.last)} users differ",
            advice="Ask for hockey_stick or epsilon.",
        )
        pairs = self._pairs(range(self.last), removed=removed)
        return Largest(tuple(one.profile for one in pairs))

    def worst(self, *, removed: bool) -> Worst:
        """Return the worst of all sizes, in the direction of removing a user or not.

        In n, what an event adds is monotone up to n1 and from there to n2: the pairs of these ends
        have the largest δ. Trade-offs and Rényi divergences look at all n.
        """
        ends = {0, self.turn - 1, self.turn, self.last - 2, self.last - 1}
        sizes = sorted(n for n in ends if n >= 0)
        every = partial(self.all_sizes, removed=removed)
        apart = partial(self._apart, sizes, removed=removed)
        return Worst(self._pairs(sizes, removed=removed), every=every, apart=apart)

    def _apart(self, sizes: Iterable[int], apart: int, *, removed: bool) -> tuple[Named, ...]:
        """Return the pairs of users who differ together, beside others of the same group."""
        first = sorted({n - gap for n in sizes for gap in (0, apart - 1) if n >= gap})
        return self._pairs(first, removed=removed, apart=apart)

    def _pairs(self, sizes: Iterable[int], *, removed: bool, apart: int = 1) -> tuple[Named, ...]:
        """Return n users and some more against n, for each n; the reverse if they are added.

        Others of a group may not be in a sample.
        """
        pairs = []
        who = "a user" if apart == 1 else f"{count_text(apart)} users"
        for n in sizes:
            less, more = self.kept(n), self.kept(n + apart)
            one = Pair.from_masses([more, 1 - more], [less, 1 - less])
            words = f"{who} beside {count_text(n)} of a group"
            pairs.append(Named(words, one if removed else one.reversed(), alone=n == 0))
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


def partition_selection(epsilon: EpsilonLike, delta: Exact | RationalLike) -> Worst:
    """Return the optimal partition selection, with the attributes of its probabilities.

    δ at every ε' is the worst over all n and both orders; at ε it is δ. For ε' >= 0 the worst n,
    against n + 1 users, is 0, n1 − 1 or n1 where the one is removed, and n1 − 1, n1, n2 − 2 or
    n2 − 1 where it is added; for ε' < 0 the other way round.

    Raises:
        DomainError: If ε is negative or infinite, or δ not between 0 and 1.

    Example:
        >>> partition_selection(Epsilon.rational(1), "1e-5").last
        23
        >>> best = partition_selection(Epsilon.log(2), "1/10")
        >>> best.delta(Epsilon.log(2)), best.delta(Epsilon.log(1)), best.kept(1)
        (Exact('1/10'), Exact('2/5'), Exact('1/10'))
    """
    rule = PartitionSelection(privacy_epsilon(epsilon), open_probability(delta, name="delta"))
    sides = rule.worst(removed=True), rule.worst(removed=False)
    return AddOrRemove(sides, has_sides=True, about=rule)
