"""Group privacy against chains of laws that attain it."""

from fractions import Fraction
from itertools import pairwise

import pytest

from exactdp.accounting import group_privacy
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact


def chain(gamma, delta, links):
    """The masses of one event, each gamma times the next plus delta, from a small last one."""
    masses = [Fraction(1, 64)]
    for _ in range(links):
        masses.append(gamma * masses[-1] + delta)
    return masses[::-1]


@pytest.mark.parametrize("gamma", [Fraction(1), Fraction(3, 2), Fraction(2)])
@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_a_chain_attains_the_bound_and_none_of_its_links_exceeds(gamma, size):
    delta = Fraction(1, 50)
    masses = chain(gamma, delta, size)
    for p, q in pairwise(masses):
        link = Pair.from_masses([p, 1 - p], [q, 1 - q])
        assert link.delta(Epsilon.log(gamma)) == delta
    epsilon, bound = group_privacy(Epsilon.log(gamma), delta=delta, size=size)
    ends = Pair.from_masses([masses[0], 1 - masses[0]], [masses[-1], 1 - masses[-1]])
    assert ends.delta(epsilon) == bound
    assert epsilon == Epsilon(Exact(gamma) ** size)


@pytest.mark.parametrize("size", [-1, 1.5, True])
def test_sizes_are_whole_numbers(size):
    with pytest.raises(DomainError, match="size="):
        group_privacy(Epsilon.log(2), delta=0, size=size)
