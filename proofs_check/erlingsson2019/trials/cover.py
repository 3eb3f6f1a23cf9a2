"""The set C of Algorithm 2, which covers [1, t]: the bullets in the proof of Theorem 6."""

from __future__ import annotations

from collections.abc import Callable

from exactdp.claims import (
    Falls,
    Outcome,
    Relation,
    at_most,
    below,
    cases,
    decided,
    equal,
    for_all,
    proof,
    words,
)
from proofs_check.erlingsson2019.tree import (
    cover_from_binary,
    is_partition,
    log2_of,
    reachable_covers,
)

__all__ = ["C_PARTITION", "TRIALS"]

PERIODS = cases(d=(1, 2, 4, 8, 16), t=lambda d: range(1, d + 1)).deep(
    d=[2**depth for depth in range(8)]
)
LATER = PERIODS.where(lambda d: d > 1)


def size(t: int) -> int:
    """Return |C|."""
    return len(cover_from_binary(t))


def unique(t: int) -> Outcome:
    """All orders of selection end in the nodes of t's binary expansion."""
    reachable, orders = reachable_covers(t)
    same = reachable == frozenset({cover_from_binary(t)})
    return decided(same, f"{len(reachable)} sets from {orders} orders")


def partition(more: int) -> Callable[[int], Outcome]:
    """The leaves below C are 1, ..., t (+ more), each once."""

    def says(t: int) -> Outcome:
        found = is_partition(cover_from_binary(t), t=t + more)
        return decided(found, f"|C| = {size(t)}")

    return says


def at_most_log2_d(d: int, t: int) -> Relation:
    """|C| <= log_2 d."""
    return at_most(size(t), log2_of(d))


C_SIZE_ALL = for_all(PERIODS, at_most_log2_d, falls=Falls.STEP)

C_PARTITION = proof(
    "all t <= d = 2^L",
    words("it holds for the leaves, and a merge puts a parent for two siblings, with their leaves"),
)

TRIALS = {
    "erlingsson2019/theorem-6/proof/C-unique": {
        "": for_all(
            PERIODS.deep(d=(1, 2, 4, 8, 16)),
            unique,
            wrong=C_SIZE_ALL,
            proof=proof(
                "all t <= d = 2^L, every order of selection",
                words(
                    "a node has one sibling, so two pairs that can be merged are disjoint and "
                    "merging one leaves the other; a merge removes a node, so merging ends, and by "
                    "Newman's lemma in one set only"
                ),
            ),
        )
    },
    "erlingsson2019/theorem-6/proof/C-size": {
        "a": for_all(
            LATER,
            at_most_log2_d,
            wrong=lambda d, t: below(size(t), log2_of(d)),
            proof=proof(
                "all t <= d = 2^L, L >= 1",
                words(
                    "no two siblings are left, so C is the ones of t's binary expansion; t = 2^L "
                    "has one, a smaller t at most L"
                ),
            ),
        ),
        "b": C_SIZE_ALL,
    },
    "erlingsson2019/theorem-6/proof/C-partition": {
        "": for_all(PERIODS, partition(0), wrong=partition(1), proof=C_PARTITION)
    },
    "erlingsson2019/theorem-6/proof/nodes-added": {
        "": for_all(LATER, lambda d, t: equal(size(t), log2_of(d)), falls=Falls.MISPRINT)
    },
}
