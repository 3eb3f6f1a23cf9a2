"""The dyadic tree and the cover C of Algorithm 2: every order, the binary expansion, by hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.errors import DomainError
from proofs_check.erlingsson2019 import tree
from proofs_check.erlingsson2019.tree import Node


@pytest.mark.parametrize("power", range(7))
def test_tree_has_2d_minus_1_nodes_and_a_change_affects_one_a_level(power):
    d = 2**power
    found = tree.nodes(d)
    assert len(found) == len(set(found)) == 2 * d - 1
    for h in tree.levels(d):
        assert sum(node.level == h for node in found) == tree.level_size(h, d=d)
    for t in range(1, d + 1):
        assert [node.level for node in tree.ancestors(t, d=d)] == list(range(1, power + 2))


def cover_by_merging(t, choose):
    """Steps 7-10 of Algorithm 2."""
    cover = frozenset(Node(1, i) for i in range(1, t + 1))
    while pairs := tree.mergeable_pairs(cover):
        cover = tree.merged(cover, choose(pairs))
    return cover


def test_cover_by_hand():
    assert cover_by_merging(7, min) == {Node(1, 7), Node(2, 3), Node(3, 1)}
    assert cover_by_merging(8, min) == {Node(4, 1)}
    assert list(Node(3, 2).periods) == [5, 6, 7, 8]


@pytest.mark.parametrize("t", range(1, 17))
def test_every_order_of_merging_ends_in_the_binary_expansion(t):
    ((cover, orders),) = tree.orders_by_end(t).items()
    assert cover == tree.cover_from_binary(t)
    # The orders of merging 2^b leaves are those of a heap: (2^b - 1)! / product of sizes.
    assert {4: 2, 8: 80, 16: 21964800}.get(t, orders) == orders


@given(st.integers(1, 128), st.integers(0, 2**32))
def test_a_random_order_of_merging_ends_in_the_binary_expansion(t, seed):
    cover = cover_by_merging(t, random.Random(seed).choice)
    assert cover == tree.cover_from_binary(t)
    assert sorted(p for node in cover for p in node.periods) == [*range(1, t + 1)]
    assert len(cover) == t.bit_count() == len({node.level for node in cover})


def test_horizons_must_be_powers_of_two():
    for d in (0, 3, 12):
        with pytest.raises(DomainError):
            tree.log2_of(d)
