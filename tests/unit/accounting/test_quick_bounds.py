"""Bounds that take no time are above what takes long: divergences, distances, groups of steps."""

from fractions import Fraction

import pytest

from exactdp.accounting import compose
from exactdp.accounting.accountants.doubles_out import Spent
from exactdp.accounting.composition.like_steps import MOST_KINDS, grouped
from exactdp.accounting.composition.renyi_composition import MomentBounds
from exactdp.accounting.sampling.batches import poisson_subsampled
from exactdp.accounting.sampling.random_batches import cut_poisson_sampled, sampled_with_replacement
from exactdp.accounting.sampling.random_sensitivity import gaussian_mixture
from exactdp.divergences import Pair
from exactdp.mechanisms import discrete_laplace_mechanism, gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact
from tests.routes.samples import fixed_size, replaced

NARROW = Fraction(1, 10**9)
NOISE, SHARE = gaussian_mechanism(sigma=2), Exact("1/4")
PROFILES = {
    "a Poisson sample": poisson_subsampled(NOISE, sampling_probability=SHARE),
    "a replaced record": replaced(NOISE, SHARE),
    "a fixed size": fixed_size(NOISE, SHARE),
    "Laplace noise, a fixed size": fixed_size(laplace_mechanism(scale=1), SHARE),
    "integers": replaced(discrete_laplace_mechanism(scale=2), SHARE),
    "draws": sampled_with_replacement(NOISE, drawn=3, records=9),
    "a cut sample": cut_poisson_sampled(NOISE, sampling_probability="1/2", records=9, at_most=4),
    "a mixture": gaussian_mixture(
        sigma=2, sensitivities=[0, 1, 2], probabilities=["1/2", "1/4", "1/4"]
    ),
}


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_bound_by_convexity_is_above_the_divergence(profile, adds):
    one = profile.reversed() if adds else profile
    for order in (Fraction(257, 256), Fraction(2), Fraction(17, 2)):
        truth, found = one.renyi_bound(order, width=NARROW), one.convex_bound(order)
        assert truth <= found * (1 + NARROW)


def test_distances_that_are_added_up_are_above_that_of_all():
    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    for times in (1, 2, 5):
        power = [
            (Fraction(3) ** k, Fraction(3) ** (times - k)) for k in range(times + 1)
        ]  # masses over 4^n, and binom(n, k) of each
        weights = [1]
        for k in range(times):
            weights.append(weights[-1] * (times - k) // (k + 1))
        gaps = (w * max(Fraction(0), p - q) for w, (p, q) in zip(weights, power, strict=True))
        truth = sum(gaps, Fraction(0)) / 4**times
        found = MomentBounds((((coin, times),),)).total_variation()
        assert truth <= found <= 1 - Fraction(1, 2) ** times * (1 - Fraction(1, 10**4))
    assert coin.delta(Epsilon.log(1)) == Exact("1/2")


def test_each_step_is_in_a_group_that_is_worse():
    parts = [
        (
            poisson_subsampled(
                gaussian_mechanism(sigma=1 + Fraction(s, 500)),
                sampling_probability=Fraction(1, 900 + q),
            ),
            s + q,
        )
        for s in range(9)
        for q in range(50, 60)
    ]
    found = grouped(parts)
    assert len(found) <= MOST_KINDS < len(parts)
    assert sum(times for _, times in found) == sum(times for _, times in parts)
    for part, _ in parts:
        assert any(
            one.sampling_probability >= part.sampling_probability
            and one.mechanism.sigma <= part.mechanism.sigma
            for one, _ in found
        )
    least = max(one.mechanism.sigma.as_fraction() for one, _ in found)
    assert least >= 1 and min(
        one.sampling_probability.as_fraction() for one, _ in found
    ) > Fraction(1, 960)
    assert grouped(parts[:MOST_KINDS]) is not found and len(grouped(parts[:5])) == 5


def test_a_distance_bounds_delta_below_0_too(monkeypatch):
    """Where nothing nearer is found: what shows all that it sees, one time of ten, three times."""
    one = poisson_subsampled(Pair.from_masses([1, 0], [0, 1]), sampling_probability="1/10")
    spent = Spent([(one, 3)])
    for nearer in ("first_reached", "looser_delta"):
        monkeypatch.setattr(
            f"exactdp.accounting.accountants.doubles_out.{nearer}", lambda *_, **__: None
        )
    truth = compose([(one, 3)])
    for epsilon in (1.0, 0.0, -0.5, -3.0, -700.0):
        at = Epsilon.from_float_exactly(epsilon)
        assert truth.delta(at) <= Exact(Fraction(spent.delta(epsilon))) <= 1
    assert spent.delta(-0.5) < 0.56 and "distances" in spent.note


def test_steps_of_two_kinds_beside_many_others_are_left_as_they_are():
    """No group holds both directions, so no number of groups is small enough."""
    others = [(laplace_mechanism(scale=k), 1) for k in range(1, MOST_KINDS + 1)]
    steps = [PROFILES["a Poisson sample"], PROFILES["a Poisson sample"].reversed()]
    parts = [*others, *((one, 3) for one in steps)]
    assert grouped(parts) == parts
