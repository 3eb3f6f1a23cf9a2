"""What a worst case of several pairs has beyond its delta, and what is made of it."""

from fractions import Fraction

from exactdp.accounting import compose, poisson_subsampled, sampled
from exactdp.divergences import Pair
from exactdp.divergences.sandwich import Bounds
from exactdp.divergences.values import enclosed
from exactdp.mechanisms import BoundedRange, discrete_gaussian_mechanism, exponential_mechanism
from exactdp.numbers import Epsilon

LN2 = Epsilon.log(2)
COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])


def test_divergences_of_a_batch_are_at_least_those_of_three_answers():
    """Three laws, each (ln 3)-private against another, have more than what looks for one record."""
    three = [Fraction(1, 5)] * 3
    law = [[Fraction(3, 5) if i == x else y for i, y in enumerate(three)] for x in range(3)]
    for rate in (Fraction(1, 100), Fraction(1, 10)):
        p, q = (
            [(1 - rate) * z + rate * one for z, one in zip(law[2], row, strict=True)]
            for row in law[:2]
        )
        batch = sampled(COIN, rate=rate, neighbors="substitution", batches="fixed_size")
        truth = Pair.from_masses(p, q)
        found = batch.renyi(2)
        assert found.lower < enclosed(truth.renyi(2), "1e-9").lower < found.upper
        assert found.lower_by == "a mechanism that looks for one record alone"
        alpha = Fraction(3, 8)
        assert batch.trade_off(alpha).lower <= truth.trade_off(alpha).as_fraction()


def test_divergences_of_a_batch_of_unbounded_losses_have_an_upper_end():
    noise = discrete_gaussian_mechanism(sigma=2)
    batch = sampled(noise, rate="1/10", neighbors="substitution", batches="fixed_size")
    found = batch.renyi(2)
    assert 0 < found.lower < found.upper < 2 * found.lower


def test_divergences_of_a_sample_are_between_two_outcomes_and_all_of_delta():
    """Of the exponential mechanism no pair has all of delta, so its divergence is only above."""
    rate = Fraction(99, 100)
    sample = poisson_subsampled(exponential_mechanism(scale=1), rate=rate)
    pairs = (BoundedRange(Fraction(2)).pair(Fraction(t, 16)) for t in range(1, 32))
    truth = max(enclosed(one.subsampled(rate).renyi(2), "1e-9").lower for one in pairs)
    found = sample.renyi(2)
    assert truth < found.lower * Fraction(101, 100)
    assert found.lower < truth * Fraction(101, 100) < found.upper


def test_a_sample_of_a_batch_has_no_more_pairs_than_the_batch():
    batch = sampled(COIN, rate="1/2", neighbors="substitution", batches="fixed_size")
    sample = poisson_subsampled(batch, rate="1/2")
    assert sample.reached == "each epsilon"
    assert isinstance(compose([(sample, 1), (COIN, 1)]).delta(LN2), Bounds)
