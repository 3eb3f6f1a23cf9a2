"""The best route for a list of profiles, and that it agrees with the others."""

from fractions import Fraction

import pytest

from exactdp.accounting import (
    CertifiedComposition,
    ComposedRandomizedResponse,
    PoissonSubsampled,
    compose,
    compose_certified,
    compose_exactly,
    from_zcdp,
    poisson_subsampled,
)
from exactdp.divergences import Pair, PrivacyLossDistribution
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    GaussianMechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    partition_selection,
    thresholded,
)
from exactdp.numbers import Epsilon, enclosure, sqrt

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
LOPSIDED = Pair.from_masses(["1/2", "1/4", "1/4"], ["1/5", "3/10", "1/2"])
GEOMETRIC = discrete_laplace_mechanism(rate=Epsilon.log("6/5"), sensitivity=2)
AT = Epsilon.rational("1/2")


@pytest.mark.parametrize(
    ("parts", "route"),
    [
        ([(COIN, 1000)], ComposedRandomizedResponse),
        ([(COIN, 3), (LOPSIDED, 2)], PrivacyLossDistribution),
        ([(GEOMETRIC, 3), (COIN, 1)], PrivacyLossDistribution),
        ([(gaussian_mechanism(sigma=3), 4), (gaussian_mechanism(sigma=2), 1)], GaussianMechanism),
        ([(laplace_mechanism(scale=5), 2), (COIN, 1)], CertifiedComposition),
        (
            [(poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability="1/5"), 1)],
            PoissonSubsampled,
        ),
        ([(gaussian_mechanism(sigma=3), 2), (laplace_mechanism(scale=5), 2)], CertifiedComposition),
        ([], PrivacyLossDistribution),
    ],
)
def test_the_best_route_agrees_with_the_grid(parts, route):
    composed = compose(parts)
    assert type(composed) is route
    found = compose_certified(parts).delta(AT, relative_width="1e-4")
    truth = composed.delta(AT, relative_width="1e-4")
    assert found.lower <= truth.upper and truth.lower <= found.upper


def test_discrete_laplace_mechanisms_are_composed_exactly():
    assert compose([(GEOMETRIC, 3)]).delta(AT) == compose_exactly([(GEOMETRIC.pair(), 3)]).delta(AT)


def test_gaussians_are_one_gaussian():
    parts = [(gaussian_mechanism(sigma=s, sensitivity=2), k) for s, k in ((6, 9), (sqrt(8), 3))]
    # μ² = 9·(1/3)² + 3·(1/2) = 5/2.
    one = enclosure(compose(parts).mu ** 2, relative_bits=100)
    assert one.contains(Fraction(5, 2))


def test_what_cannot_be_composed_is_refused():
    with pytest.raises(DomainError, match="at least 0"):
        compose([(COIN, -1)])


def test_all_sizes_of_a_selection_compose_as_the_worst_of_them():
    best = partition_selection(Epsilon.rational("1/4"), "1e-6")
    found, worst = (
        compose([(part, 5)]).delta(Epsilon.rational(1), relative_width="1e-3")
        for part in (best.everything(), best)
    )
    assert (found.lower, found.upper) == (worst.lower, worst.upper)
    # Of five users, each alone in a group, one is shown with this probability.
    assert found.upper >= 1 - (1 - Fraction(1, 10**6)) ** 5


def test_a_guarantee_beside_a_part_that_fails_is_between_mechanisms_that_keep_it():
    counts = thresholded(laplace_mechanism(scale=4), threshold=60)
    found = compose([(counts, 1), (from_zcdp("1/100"), 1)]).delta(AT, relative_width="1e-1")
    noise = gaussian_mechanism(sigma=sqrt(50))
    least = compose([(laplace_mechanism(scale=4), 1), (noise, 1)]).delta(AT)
    assert least.lower <= found.upper and found.lower <= found.upper
    assert least.lower <= found.lower * Fraction(11, 10)


def test_noise_known_by_balls_is_composed_beside_the_same_noise_as_a_number():
    two = gaussian_mechanism(sigma=sqrt(2) * sqrt(2))  # which balls do not tell from 2
    other = laplace_mechanism(scale=2)
    found, known = (
        compose([(one, 1), (gaussian_mechanism(sigma=2), 1), (other, 1)]).epsilon(
            "1e-5", relative_width="1e-3"
        )
        for one in (two, gaussian_mechanism(sigma=2))
    )
    assert max(found.lower, known.lower) <= min(found.upper, known.upper)
