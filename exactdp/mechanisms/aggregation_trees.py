"""The sensitivity of tree aggregation: in how many nodes of binary trees a contributor is.

Each complete node of a binary tree over the steps is the sum of the steps below it, with noise.
A contributor to one step is in the nodes above it: ⌊log2 n⌋ + 1 of a tree of n steps, at most.
To several steps, at least b apart, it is worth Σ c², c how many of them a node has below it: no
two inner products of columns are negative. A tree may be restarted: steps then have trees of
their own, one after another.

References: C. Dwork, M. Naor, T. Pitassi and G. Rothblum, Differential Privacy under Continual
Observation, STOC 2010; T.-H. H. Chan, E. Shi and D. Song, Private and Continual Release of
Statistics, 2011; P. Kairouz et al., Practical and Private (Deep) Learning without Sampling or
Shuffling, ICML 2021.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from exactdp.errors import DomainError
from exactdp.mechanisms.participation import most_participations
from exactdp.numbers import Enclosure, count_text, refuse_above
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.limits import MAX_CASES, MAX_PARTICIPATIONS, MAX_PARTICIPATIONS_IN_TREES

__all__ = ["squared_tree_sensitivity", "steps_of_trees"]

Gains = list[tuple[int, int]]
"""What nodes may count, each with the first step that is open again: both grow."""


def steps_of_trees(steps: int | Sequence[int]) -> tuple[int, ...]:
    """Return the number of steps of each tree, checked.

    Example:
        >>> steps_of_trees(5), steps_of_trees([3, 2])
        ((5,), (3, 2))
    """
    given = list(steps) if isinstance(steps, Sequence) else [steps]
    if not given:
        raise DomainError("steps is empty. Pass the number of steps of each tree.")
    return tuple(whole_number(n, name="steps", at_least=1) for n in given)


def squared_tree_sensitivity(
    steps: int | Sequence[int], *, participations: int = 1, separation: int = 1
) -> Enclosure:
    """Return the squared sensitivity of the nodes of trees, to contributions of norm at most 1.

    Formula:
        max over patterns of at most k steps, at least b apart, of Σ c², the sum over all
        complete nodes, c the number of steps of the pattern below a node.

    Args:
        steps: n, the number of steps; of several, the trees are one after another.
        participations: k, at least 1, in all trees together.
        separation: b, at least 1, also from one tree to the next.

    Returns:
        A point for one participation, for one tree where b is a power of two, and for few
        participations; elsewhere the pattern (0, b, 2b, ...), and a bound level by level.

    Source:
        Kairouz et al. 2021, Theorem C.1 and Appendix D, for one participation: height times
        the squared norm. Several participations are ours.

    Example:
        Of 4 steps each is in a leaf, in a node of 2, and in the root:

        >>> print(squared_tree_sensitivity(4).upper)
        3
        >>> print(squared_tree_sensitivity(4, participations=4).upper)  # 4·1² + 2·2² + 4²
        28
        >>> print(squared_tree_sensitivity([4, 4], participations=2, separation=4).upper)
        6
    """
    trees = steps_of_trees(steps)
    b = whole_number(separation, name="separation", at_least=1)
    k = whole_number(participations, name="participations", at_least=1)
    k = most_participations(sum(trees), k, b)
    if k == 1:
        return _point(max(trees).bit_length())
    upper = _level_bound(trees, k, b)
    if len(trees) == 1 and b & (b - 1) == 0:
        return _point(upper)  # (0, b, 2b, ...) fills nodes one after another
    lower = _earliest(trees, k, b)
    if (
        lower < upper
        and k <= MAX_PARTICIPATIONS_IN_TREES
        and (found := _Search(b).best(trees, k)) is not None
    ):
        return _point(found)
    return Enclosure(Fraction(lower), Fraction(upper))


def _point(value: int) -> Enclosure:
    return Enclosure(Fraction(value), Fraction(value))


def _levels(trees: Iterable[int]) -> range:
    return range(max(trees).bit_length())


def _level_bound(trees: Sequence[int], k: int, b: int) -> int:
    """Return a bound level by level: as many nodes as there are, each as full as it can be."""
    total = 0
    for level in _levels(trees):
        size, nodes = 1 << level, [n >> level for n in trees]
        most = -(-size // b)
        count = min(k, sum(-(-(many * size) // b) for many in nodes))
        full = min(sum(nodes), count // most)
        rest = min(count - full * most, most) if full < sum(nodes) else 0
        total += full * most**2 + rest**2
    return total


def _earliest(trees: Sequence[int], k: int, b: int) -> int:
    """Return Σ c² for the pattern (0, b, 2b, ...)."""
    work = k * len(_levels(trees))
    refuse_above(
        MAX_PARTICIPATIONS,
        work,
        f"{count_text(k)} participations are in {count_text(work)} nodes",
        advice="Pass a separation that is a power of two, or fewer participations.",
    )
    starts = [0, *accumulate(trees)]
    tree, counts = 0, dict[tuple[int, int, int], int]()
    for place in range(0, k * b, b):
        while place >= starts[tree + 1]:
            tree += 1
        inner, n = place - starts[tree], trees[tree]
        for level in range(n.bit_length()):
            if (node := inner >> level) < n >> level:
                counts[tree, level, node] = counts.get((tree, level, node), 0) + 1
    return sum(c * c for c in counts.values())


@dataclass(slots=True)
class _Search:
    """The worst pattern of few participations, from the largest count of each complete node.

    Nodes of one size differ only in which of their steps is open first: so what they may count
    for a number of participations, and when the next one may be, is found once for all.

    Attributes:
        separation: b.
        known: What has been found, by level, first open step and participations.
    """

    separation: int
    known: dict[tuple[int, int, int], Gains]

    def __init__(self, separation: int) -> None:
        self.separation, self.known = separation, {}

    def best(self, trees: Sequence[int], k: int) -> int | None:
        """Return the largest Σ c²; None if there are too many states."""
        start, reached = 0, {0: [(0, 0)]}
        for n in trees:
            for level in reversed(range(n.bit_length())):
                if n >> level & 1:
                    reached = self._after(reached, start, level, k)
                    start += 1 << level
                if len(self.known) > MAX_CASES.now:
                    return None
        return max(value for gains in reached.values() for value, _ in gains)

    def _after(self, reached: dict[int, Gains], start: int, level: int, k: int) -> dict[int, Gains]:
        """Return the states behind one more complete node, by participations so far."""
        found: dict[int, Gains] = {}
        for used, gains in reached.items():
            for value, first in gains:
                for more in range(k - used + 1):
                    inner = self.node(level, max(first - start, 0), more)
                    found.setdefault(used + more, []).extend(
                        (value + x, end + start) for x, end in inner
                    )
        return {used: _best(gains) for used, gains in found.items() if gains}

    def node(self, level: int, first: int, count: int) -> Gains:
        """Return the largest counts of a complete node and those below it."""
        size, b = 1 << level, self.separation
        if count == 0:
            return [(0, first)]
        if count > -(-(size - first) // b) or len(self.known) > MAX_CASES.now:
            return []
        if count == 1:
            return [(level + 1, first + b)]  # wherever it is; so as early as it may be
        key = level, first, count
        if key not in self.known:
            half, found = size // 2, []
            for left in range(count + 1):
                for value, end in self.node(level - 1, first, left):
                    inner = self.node(level - 1, max(end - half, 0), count - left)
                    found += [(value + x + count**2, stop + half) for x, stop in inner]
            self.known[key] = _best(found)
        return self.known[key]


def _best(gains: Gains) -> Gains:
    """Return the gains to which no other is at least equal, and open as early."""
    found: Gains = []
    for value, end in sorted(gains, key=lambda gain: (gain[1], -gain[0])):
        if not found or value > found[-1][0]:
            found.append((value, end))
    return found
