"""The largest changes of several integers within norms, against all changes."""

from itertools import product

import pytest

from exactdp.accounting import worst_shift
from exactdp.accounting.shifts import largest_shifts
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import binomial_mechanism


@pytest.mark.parametrize(
    "norms",
    [{"l1": 6}, {"l1": 7, "linf": 3}, {"l2_squared": 14}, {"l1": 5, "l2_squared": 9, "linf": 2}],
)
def test_every_change_is_below_a_largest_one(norms):
    def is_within(v):
        sums = {"l1": sum(v), "l2_squared": sum(x * x for x in v), "linf": max(v)}
        return all(sums[name] <= most for name, most in norms.items())

    found = list(largest_shifts(3, **norms))
    full = [v + (0,) * (3 - len(v)) for v in found]
    assert all(is_within(v) for v in full) and len(set(full)) == len(full)
    for v in product(range(8), repeat=3):
        v = tuple(sorted(v, reverse=True))
        below = any(all(x <= y for x, y in zip(v, w, strict=True)) for w in full)
        assert below is is_within(v)
    for v, w in product(full, repeat=2):
        assert v == w or any(x > y for x, y in zip(v, w, strict=True))


def test_refusals():
    with pytest.raises(DomainError, match="no norm"):
        worst_shift(binomial_mechanism, dimensions=2)
    with pytest.raises(DomainError, match="dimensions=0"):
        worst_shift(binomial_mechanism, dimensions=0, l1=1)
    with pytest.raises(TooLargeError, match="smaller norms"):
        list(largest_shifts(100, l1=100))
