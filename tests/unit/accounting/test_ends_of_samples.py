"""Samples at the ends of their rates: what is near an end is near the answer at the end."""

from fractions import Fraction

import pytest

from exactdp.accounting import poisson_subsampled, sampled
from exactdp.divergences import Pair
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import (
    binomial_mechanism,
    bounded_laplace_mechanism,
    discrete_laplace_mechanism,
    exponential_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    partition_selection,
    thresholded,
)
from exactdp.numbers import Epsilon

NEAR = Fraction(1, 10**7)
LN2 = Epsilon.log(2)
KINDS = {
    "pair": lambda: Pair.from_masses(["1", "0"], ["1/2", "1/2"]),
    "laplace": lambda: laplace_mechanism(scale=1),
    "gaussian": lambda: gaussian_mechanism(sigma=1),
    "integers": lambda: discrete_laplace_mechanism(rate=LN2),
    "coins": lambda: binomial_mechanism(trials=2, success="1/3"),
    "count": lambda: thresholded(discrete_laplace_mechanism(rate=LN2), threshold=0),
    "selection": lambda: partition_selection(LN2, "1/10"),
    "folded": lambda: bounded_laplace_mechanism(upper=2, scale=1, results="folded"),
    "exponential": lambda: exponential_mechanism(scale=1),
    "sample": lambda: poisson_subsampled(laplace_mechanism(scale=1), sampling_probability="1/2"),
}
WAYS = {
    "poisson": lambda one, *, rate: poisson_subsampled(one, sampling_probability=rate),
    "reversed": lambda one, *, rate: poisson_subsampled(one, sampling_probability=rate).reversed(),
    "fixed size": lambda one, *, rate: sampled(
        one, sampling_probability=rate, neighbors="substitution", batches="fixed_size"
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gamma", ["1", "11/10", "3"])
def test_near_an_end_of_the_rate_delta_is_near_that_of_the_end(kind, way, gamma):
    for near, end in ((1 - NEAR, 1), (NEAR, 0)):
        close, there = (
            enclosed(
                WAYS[way](KINDS[kind](), rate=rate).delta(
                    Epsilon.log(gamma), relative_width="1e-7"
                ),
                "1e-7",
            )
            for rate in (near, end)
        )
        assert close.upper <= there.upper + 10 * NEAR
        assert there.lower <= close.upper + 10 * NEAR
