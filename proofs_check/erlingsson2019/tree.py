"""The dyadic tree over d time periods, and the cover C of [1, t] (Section 3).

Definitions: :class:`Node`, :func:`levels`, :func:`level_size`, :func:`nodes`,
:func:`ancestors`; the cover by steps 7-10 of Algorithm 2 (:func:`orders_by_end`, for
every order of selecting pairs) and by binary expansion (:func:`cover_from_binary`).

Notation: d = 2^L; levels h = 1..L+1, leaves at level 1; node [h, j] stands for the
periods (j-1)·2^{h-1} + 1, ..., j·2^{h-1}.

That the cover does not depend on the order of merging is the theorem
``erlingsson2019_cover_unique`` of Coq; its size is the number of ones of t.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import NamedTuple

from exactdp.errors import DomainError


class Node(NamedTuple):
    """The j-th node [h, j] at level h of the tree.

    Example:
        >>> list(Node(2, 3).periods)
        [5, 6]
    """

    level: int
    position: int

    @property
    def periods(self) -> range:
        """The time periods below the node."""
        width = 1 << (self.level - 1)
        return range((self.position - 1) * width + 1, self.position * width + 1)

    @property
    def parent(self) -> Node:
        """The node one level up."""
        return Node(self.level + 1, (self.position + 1) // 2)


Cover = frozenset[Node]
"""A set of nodes, such as C."""


def log2_of(d: int) -> int:
    """Return log_2 d of a horizon d.

    Raises:
        DomainError: If d is no power of two.

    Example:
        >>> log2_of(8)
        3
    """
    if d < 1 or d & (d - 1):
        raise DomainError(f"d={d} must be a power of two. Pad the horizon.")
    return d.bit_length() - 1


def levels(d: int) -> range:
    """Return the levels 1, ..., log_2 d + 1, leaves first (Section 3, Notation).

    Example:
        >>> list(levels(4))
        [1, 2, 3]
    """
    return range(1, log2_of(d) + 2)


def level_size(h: int, *, d: int) -> int:
    """Return the printed H(h) = d / 2^{h-1} (Section 3, Notation).

    Example:
        >>> [level_size(h, d=4) for h in levels(4)]
        [4, 2, 1]
    """
    return d >> (h - 1)


def nodes(d: int) -> list[Node]:
    """Return all nodes, from the leaves to the root, built by joining neighbors.

    Source:
        Section 3, Notation. Differs from the source: a balanced binary tree with d
        leaves has 2d - 1 nodes, not 2d.

    Example:
        >>> len(nodes(4))
        7
    """
    found = [Node(1, t) for t in range(1, d + 1)]
    row = found
    for _ in levels(d)[1:]:
        row = list(dict.fromkeys(node.parent for node in row))
        found = [*found, *row]
    return found


def ancestors(t: int, *, d: int) -> list[Node]:
    """Return the log_2 d + 1 nodes that a change at t affects, one a level.

    Source:
        Section 3, Outline, which counts log_2 d of them.

    Example:
        >>> ancestors(2, d=2)
        [Node(level=1, position=2), Node(level=2, position=1)]
    """
    return [node for node in nodes(d) if t in node.periods]


def mergeable_pairs(cover: Cover) -> list[tuple[Node, Node]]:
    """Return the pairs [h, i-1], [h, i] in C with i even: the condition of step 8."""
    return [
        (Node(h, i - 1), Node(h, i))
        for h, i in sorted(cover)
        if i % 2 == 0 and Node(h, i - 1) in cover
    ]


def merged(cover: Cover, pair: tuple[Node, Node]) -> Cover:
    """Return C with a pair replaced by its parent: steps 9 and 10."""
    return (cover - set(pair)) | {pair[1].parent}


def orders_by_end(t: int) -> Counter[Cover]:
    """Return by how many orders of selecting pairs steps 7-10 end in each set.

    Example:
        >>> [(sorted(cover), orders) for cover, orders in orders_by_end(4).items()]
        [([Node(level=3, position=1)], 2)]
    """

    @cache
    def explore(cover: Cover) -> Counter[Cover]:
        found: Counter[Cover] = Counter()
        for pair in mergeable_pairs(cover):
            found += explore(merged(cover, pair))
        return found or Counter({cover: 1})

    return explore(frozenset(Node(1, i) for i in range(1, t + 1)))


def cover_from_binary(t: int) -> Cover:
    """Return C from the binary expansion of t.

    For each bit 2^b of t it has the node at level b + 1 that ends at t with its bits below b
    cleared. So |C| is the number of ones of t, and no two nodes of C are at the same level.

    Example:
        >>> sorted(cover_from_binary(6))
        [Node(level=2, position=3), Node(level=3, position=1)]
    """
    return frozenset(Node(b + 1, t >> b) for b in range(t.bit_length()) if t >> b & 1)
