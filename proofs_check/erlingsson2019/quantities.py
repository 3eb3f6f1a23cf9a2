"""What the claims about the tree and about the client are made of, at an instance and in Coq.

Definitions: :func:`nodes_at`, :func:`printed_size`, :func:`levels_above`, :func:`cover_size`,
:func:`above_period`, :func:`is_reached`, :func:`orders`, :func:`orders_to_cover`; of changes
:func:`state_at`, :func:`cover_change`, :func:`node_change`, :func:`count_changes`; of padded ones
:func:`longer`, :func:`padded`, :func:`padded_changes`, :func:`padded_state`; of two boolean inputs
:func:`changes_of`, :func:`nodes_moved`, :func:`largest_move`.
"""

from __future__ import annotations

from collections.abc import Sequence

from exactdp.claims.quantities import quantity
from proofs_check.erlingsson2019.client import ChangeVector, sensitivity
from proofs_check.erlingsson2019.tree import (
    Node,
    cover_from_binary,
    level_size,
    log2_of,
    nodes,
    orders_by_end,
)

__all__ = [
    "above_period",
    "changes_of",
    "count_changes",
    "cover_change",
    "cover_size",
    "is_reached",
    "largest_move",
    "levels_above",
    "longer",
    "node_change",
    "nodes_at",
    "nodes_moved",
    "orders",
    "orders_to_cover",
    "padded",
    "padded_changes",
    "padded_state",
    "printed_size",
    "state_at",
]

States = tuple[int, ...]
"""A boolean state in each period."""


@quantity("INR (nodes_at {0:nat} {1:nat})", name="nodes")
def nodes_at(d: int, h: int) -> int:
    """The number of nodes at level h of the tree over d periods, built from its leaves."""
    return sum(node.level == h for node in nodes(d))


@quantity("(INR {0:nat} / 2 ^ ({1:nat} - 1))", name="H")
def printed_size(d: int, h: int) -> int:
    """The printed H(h) = d/2^(h-1)."""
    return level_size(h, d=d)


@quantity("INR (Nat.log2 {0:nat})", name="log2")
def levels_above(d: int) -> int:
    """log_2 d, the levels above the leaves."""
    return log2_of(d)


@quantity("INR (length (cover {0:nat}))", name="|C|")
def cover_size(t: int) -> int:
    """The number of nodes of C."""
    return len(cover_from_binary(t))


@quantity("INR (above (cover {0:nat}) {1:nat})", name="above")
def above_period(t: int, period: int) -> int:
    """The number of nodes of C with a period below them."""
    return sum(period in node.periods for node in cover_from_binary(t))


@quantity("reached {0:nat} {1:nat}", name="reached")
def is_reached(t: int, period: int) -> int:
    """1 for a period in [1, t], else 0."""
    return int(1 <= period <= t)


@quantity("INR (orders {0:nat})", name="orders")
def orders(t: int) -> int:
    """By how many orders pairs can be merged, until no two are left."""
    return orders_by_end(t).total()


@quantity("INR (orders_to_cover {0:nat})", name="to C")
def orders_to_cover(t: int) -> int:
    """How many of them end in the nodes of the binary expansion of t."""
    return orders_by_end(t)[cover_from_binary(t)]


@quantity("state_at {0} {1:nat}", name="state")
def state_at(x: ChangeVector, t: int) -> int:
    """The state at t, the sum of the changes up to it."""
    return sum(x[:t])


@quantity("cover_change {0} {1:nat}", name="S[C]")
def cover_change(x: ChangeVector, t: int) -> int:
    """The sum over the nodes of C of the changes below them."""
    return sum(x[period - 1] for node in cover_from_binary(t) for period in node.periods)


@quantity("node_change {0} ({1:nat}, {2:nat})", name="z")
def node_change(x: ChangeVector, h: int, j: int) -> int:
    """The sum of the changes below the node [h, j]."""
    return sum(x[period - 1] for period in Node(h, j).periods)


@quantity("INR (count_changes {0})", name="changes")
def count_changes(x: ChangeVector) -> int:
    """How many changes are not 0."""
    return sum(c != 0 for c in x)


@quantity("INR (longer {0:nat})", name="D")
def longer(d: int) -> int:
    """The next power of two, d or more."""
    return 1 << (d - 1).bit_length()


def padded(d: int, x: ChangeVector) -> ChangeVector:
    """Return the changes with zeros up to the next power of two.

    Example:
        >>> padded(3, (1, 0, -1))
        (1, 0, -1, 0)
    """
    return (*x, *[0] * (longer.compute(d) - d))


@quantity("INR (count_changes (padded {0:nat} {1}))", name="changes")
def padded_changes(d: int, x: ChangeVector) -> int:
    """How many of the padded changes are not 0."""
    return sum(c != 0 for c in padded(d, x))


@quantity("state_at (padded {0:nat} {1}) {2:nat}", name="state")
def padded_state(d: int, x: ChangeVector, t: int) -> int:
    """The state at t of the padded changes."""
    return sum(padded(d, x)[:t])


def changes_of(states: States) -> ChangeVector:
    """Return the changes of a boolean state that is 0 before period 1.

    Example:
        >>> changes_of((1, 1, 0))
        (1, 0, -1)
    """
    return tuple(s - before for before, s in zip((0, *states), states, strict=False))


def _moved(inputs: Sequence[States], kappa_star: int, h_star: int) -> tuple[int, int]:
    changes = [changes_of(states) for states in inputs]
    return sensitivity(changes, kappa_star=kappa_star, h_star=h_star)


@quantity("INR (nodes_moved {0:nat} {1:nat} {2:nat} {3})", name="moved")
def nodes_moved(d: int, kappa_star: int, h_star: int, inputs: Sequence[States]) -> int:
    """At how many nodes of level h* two inputs differ, of which the κ*-th change is kept."""
    del d  # the length of both
    return _moved(inputs, kappa_star, h_star)[0]


@quantity("largest_move {0:nat} {1:nat} {2:nat} {3}", name="by")
def largest_move(d: int, kappa_star: int, h_star: int, inputs: Sequence[States]) -> int:
    """By how much they differ there at most."""
    del d  # the length of both
    return _moved(inputs, kappa_star, h_star)[1]
