"""Quantities of the claims about the tree and about inputs, at an instance and in Coq.

Definitions: numbers of nodes of the tree and of C, sums of changes, :func:`padded` changes and what
they keep, and, of two boolean inputs (:func:`changes_of`), how far they move.
"""

from collections.abc import Collection
from typing import Any

from exactdp.claims.forms import Relation, equal
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import term, total
from proofs_check.erlingsson2019.client import ChangeVector, sensitivity
from proofs_check.erlingsson2019.tree import (
    Node,
    cover_from_binary,
    level_size,
    log2_of,
    nodes,
    orders_by_end,
)

nodes_at = quantity("INR (nodes_at {0:nat} {1:nat})", name="nodes")(
    lambda d, h: sum(node.level == h for node in nodes(d))
)
"""The number of nodes at level h of the tree over d periods, built from its leaves."""

printed_size = quantity("(INR {0:nat} / 2 ^ ({1:nat} - 1))", name="H")(
    lambda d, h: level_size(h, d=d)
)
"""The printed H(h) = d/2^(h-1)."""

levels_above = quantity("INR (Nat.log2 {0:nat})", name="log2")(log2_of)
"""log_2 d, the levels above the leaves."""

cover_size = quantity("INR (length (cover {0:nat}))", name="|C|")(
    lambda t: len(cover_from_binary(t))
)
"""The number of nodes of C."""

above_period = quantity("INR (above (cover {0:nat}) {1:nat})", name="above")(
    lambda t, period: sum(period in node.periods for node in cover_from_binary(t))
)
"""The number of nodes of C with a period below them."""

is_reached = quantity("reached {0:nat} {1:nat}", name="reached")(
    lambda t, period: int(1 <= period <= t)
)
"""1 for a period in [1, t], else 0."""

orders = quantity("INR (orders {0:nat})", name="orders")(lambda t: orders_by_end(t).total())
"""By how many orders pairs can be merged, until no two are left."""

orders_to_cover = quantity("INR (orders_to_cover {0:nat})", name="to C")(
    lambda t: orders_by_end(t)[cover_from_binary(t)]
)
"""How many of them end in the nodes of the binary expansion of t."""

state_at = quantity("state_at {0} {1:nat}", name="state")(lambda x, t: sum(x[:t]))
"""The state at t, the sum of the changes up to it."""

cover_change = quantity("cover_change {0} {1:nat}", name="S[C]")(
    lambda x, t: sum(x[period - 1] for node in cover_from_binary(t) for period in node.periods)
)
"""The sum over the nodes of C of the changes below them."""

node_change = quantity("node_change {0} ({1:nat}, {2:nat})", name="z")(
    lambda x, h, j: sum(x[period - 1] for period in Node(h, j).periods)
)
"""The sum of the changes below the node [h, j]."""

count_changes = quantity("INR (count_changes {0})", name="changes")(
    lambda x: sum(c != 0 for c in x)
)
"""How many changes are not 0."""

longer = quantity("INR (longer {0:nat})", name="D")(lambda d: 1 << (d - 1).bit_length())
"""The next power of two, d or more."""


def padded(d: int, x: ChangeVector) -> ChangeVector:
    """Return the changes with zeros up to the next power of two.

    Example:
        >>> padded(3, (1, 0, -1))
        (1, 0, -1, 0)
    """
    return (*x, *[0] * (longer.compute(d) - d))


padded_changes = quantity("INR (count_changes (padded {0:nat} {1}))", name="changes")(
    lambda d, x: sum(c != 0 for c in padded(d, x))
)
"""How many of the padded changes are not 0."""

padded_state = quantity("state_at (padded {0:nat} {1}) {2:nat}", name="state")(
    lambda d, x, t: sum(padded(d, x)[:t])
)
"""The state at t of the padded changes."""


def changes_of(states: tuple[int, ...]) -> ChangeVector:
    """Return the changes of a boolean state that is 0 before period 1.

    Example:
        >>> changes_of((1, 1, 0))
        (1, 0, -1)
    """
    return tuple(s - before for before, s in zip((0, *states), states, strict=False))


nodes_moved, largest_move = (
    quantity(f"{coq} {{0:nat}} {{1:nat}} {{2:nat}} {{3}}{end}", name=name)(
        lambda d, kappa_star, h_star, inputs, part=part: sensitivity(
            [changes_of(states) for states in inputs], kappa_star=kappa_star, h_star=h_star
        )[part]
    )
    for part, (coq, end, name) in enumerate(
        [("INR (nodes_moved", ")", "moved"), ("largest_move", "", "by")]
    )
)
"""At how many nodes of level h* two inputs differ of which the κ*-th change is kept, and by how
much at most."""


def counted(found: Collection[Any]) -> Any:
    """Return the number of items as a sum of ones, so that a certificate shows the count."""
    return total([1] * len(found))


def horizon(d: int) -> list[Relation]:
    """Return that 2 to the power of log_2 d is d."""
    return [equal(term(2) ** log2_of(d), d)]
