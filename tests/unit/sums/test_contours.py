"""δ by inversion against closed forms, exact composition and laws on a lattice."""

from dataclasses import replace
from fractions import Fraction
from math import inf, log

import pytest
from flint import arb

from exactdp.accounting import compose, compose_certified, compose_exactly, poisson_subsampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.errors import TooLargeError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact, enclosure, precision
from exactdp.sums import Inversion, LossSum, LossTransform
from exactdp.sums.routes import Routes
from exactdp.sums.table import Mean

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
GAUSSIAN = gaussian_mechanism(sigma=1)
SAMPLED = poisson_subsampled(GAUSSIAN, sampling_probability="1/100")
SAMPLED_LAPLACE = poisson_subsampled(laplace_mechanism(scale=1), sampling_probability="1/20")


def laws(parts):
    return [(loss_law(part), times) for part, times in parts]


def inversion_of(parts):
    return Inversion.of([(LossTransform.of(law), times) for law, times in laws(parts)])


def excess(parts, nats, width):
    found = inversion_of(parts).mean_excess(Exact(nats), relative_width=Fraction(width))
    assert found.upper - found.lower <= Fraction(width) * found.lower
    return found


def assert_overlap(one, other):
    assert one.lower <= other.upper
    assert other.lower <= one.upper


@pytest.mark.parametrize("width", ["1e-3", "1e-12", "1e-30"])
@pytest.mark.parametrize(
    ("sigma", "times", "nats"),
    [
        (10, 1000, "5"),
        (10, 1000, "-3"),
        (10, 1000, "100"),
        (1000, 10**6, "37"),
        (3, 8, "1/2"),
        (2, 1, "5"),
        ("1/10", 1, "5"),
        (10, 1, "5"),
    ],
)
def test_many_gaussians_are_one(sigma, times, nats, width):
    """μ² adds: the closed form, from δ about 0.9 down to 1e-190."""
    one = compose([(gaussian_mechanism(sigma=sigma), times)])
    truth = enclosure(one.delta(Epsilon.rational(nats)), relative_bits=150)
    found = excess([(gaussian_mechanism(sigma=sigma), times)], nats, width)
    assert found.lower <= truth.lower
    assert truth.upper <= found.upper


@pytest.mark.parametrize(
    ("parts", "nats"),
    [
        ([(SAMPLED.reversed(), 200)], "1/2"),
        ([(SAMPLED_LAPLACE, 200)], "1/4"),
        ([(SAMPLED_LAPLACE.reversed(), 200)], "1/4"),
        ([(laplace_mechanism(scale=1), 200)], "90"),
        ([(laplace_mechanism(scale=5), 20), (gaussian_mechanism(sigma=9), 20), (COIN, 2)], "2"),
        ([(gaussian_mechanism(sigma=3), 10), (COIN, 3)], "-1/2"),
    ],
)
def test_smoothed_sums_in_doubles_agree(parts, nats):
    wide = Mean.of_losses(Routes(tuple(laws(parts))), Exact(Fraction(nats)))
    wide = wide.in_doubles(Fraction(1, 10**5))
    found = excess(parts, nats, "1e-9")
    assert wide.lower <= found.lower
    assert found.upper <= wide.upper


@pytest.mark.parametrize(("times", "nats"), [(10, "1/3"), (30, "1/2")])
def test_tens_of_steps_agree_with_laws_on_a_lattice(times, nats):
    losses = compose_certified([(SAMPLED, times)]).losses
    lattice = losses.routes.powers.mean_excess(Exact(nats), relative_width=Fraction(1, 1000))
    found = excess([(SAMPLED, times)], nats, "1e-6")
    assert lattice.lower <= found.lower <= found.upper <= lattice.upper


def test_what_adds_up_to_little_is_little_at_zero():
    """Coins of total variation 1/2 each: at most 1 for two."""
    twice = compose_certified([(COIN, 2)])
    assert not twice.losses.is_surely_below_at_zero(Exact("99/100"))
    assert twice.losses.is_surely_below_at_zero(Exact("101/100"))
    once = enclosure(SAMPLED.delta(Epsilon.rational(0)), relative_bits=60)
    many = compose_certified([(SAMPLED, 100)]).losses
    assert many.is_surely_below_at_zero(Exact(100 * once.upper * Fraction("1.001")))
    assert not many.is_surely_below_at_zero(Exact(100 * once.lower * Fraction("0.999")))
    tiny = poisson_subsampled(GAUSSIAN, sampling_probability="1e-12")
    assert compose_certified([(tiny, 1000)]).epsilon("1e-5").upper == 0


def test_a_mixture_of_gaussians_over_exact_losses():
    """E over the coins' exact losses of one Gaussian's closed form."""
    parts = [(gaussian_mechanism(sigma=3), 9), (COIN, 3)]
    one = gaussian_mechanism(sigma=1)
    at = Epsilon.rational("1/3")
    low = high = Fraction(0)
    for ratio, mass in compose_exactly([(COIN, 3)]).atoms:
        term = enclosure(one.delta(Epsilon(at.exp / ratio)), relative_bits=80)
        low += term.lower * mass.as_fraction()
        high += term.upper * mass.as_fraction()
    found = excess(parts, "1/3", "1e-15")
    assert found.lower <= low
    assert high <= found.upper


def test_mass_at_infinity_is_added():
    leaky = Pair.from_masses(["1/10", "9/10"], [0, 1])
    parts = [(GAUSSIAN, 10), (leaky, 2)]
    found = compose_certified(parts).delta(Epsilon.rational(12), relative_width="1e-6")
    grid = LossSum(tuple(laws(parts))).delta(Epsilon.rational(12), relative_width=Fraction(1, 100))
    assert_overlap(found, grid)
    assert found.lower > Fraction(19, 100)
    assert compose_certified(parts).epsilon("19/100").is_infinite


@pytest.mark.parametrize("times", [10**3, 10**6, 10**9])
def test_the_number_of_steps_hardly_matters(times):
    """One enclosure of ε; the δ of both its ends, asked anew, are on the right sides."""
    with precision(64):
        rate = Fraction(float((arb(30) / arb(times).sqrt()).mid())).limit_denominator(10**6) / 100
    parts = [(poisson_subsampled(gaussian_mechanism(sigma=2), sampling_probability=rate), times)]
    found = compose_certified(parts).epsilon("1e-12", relative_width="1e-3")
    assert 0 < found.lower < found.upper <= found.lower * Fraction("1.001")
    low, high = (
        compose_certified(parts).delta(Epsilon.rational(end), relative_width="1e-6")
        for end in (found.lower, found.upper)
    )
    assert low.lower > Fraction(1, 10**12) >= high.upper


def test_narrow_and_too_narrow():
    found = excess([(SAMPLED, 1000)], 2, "1e-30")
    wide = excess([(SAMPLED, 1000)], 2, "1e-9")
    assert wide.lower <= found.lower <= found.upper <= wide.upper
    with pytest.raises(TooLargeError, match="Ask for 1e-50 or wider"):
        excess([(SAMPLED, 1000)], 2, "1e-1000")


def line(parts, nats):
    found = inversion_of(parts)
    assert found is not None
    found.mean_excess(Exact(nats), relative_width=Fraction(1, 10**6))
    return found, found._kept[0][0]


def test_each_error_is_accounted_for():
    """With short periods, few terms or both, the enclosure widens and holds the truth."""
    parts = [(gaussian_mechanism(sigma=10), 1000)]
    truth = enclosure(compose(parts).delta(Epsilon.rational(5)), relative_bits=100)
    inversion, good = line(parts, 5)
    with precision(good.bits):
        for factor in (2, 3, 5, 8):
            period = good.period / factor
            step = 2 * arb.pi() / period
            for log_small in (-30.0, -3.0, 0.0, 3.0):
                values, rest = inversion._values(good.line, step, log_small, quick=False)
                found = replace(good, period=period, values=values, rest=rest).at(Exact(5))
                assert found.lower <= truth.lower
                assert truth.upper <= found.upper
        # Without the images, or without the rest, that is not so.
        period = good.period / 8
        values, rest = inversion._values(good.line, 2 * arb.pi() / period, -30.0, quick=False)
        short = replace(good, period=period, values=values, rest=rest, images=[])
        assert short.at(Exact(5)).lower > truth.upper
        cut = replace(good, values=good.values[:4], rest=arb(0), images=[])
        assert not cut.at(Exact(5)).lower <= truth.lower <= cut.at(Exact(5)).upper


def test_what_does_not_fall_is_left_to_others():
    assert inversion_of([(COIN, 100)]) is None
    assert inversion_of([(SAMPLED, 1)]).work(Exact("1/2"), Fraction(1, 100)) == inf
    assert inversion_of([(SAMPLED, 100)]).work(Exact("1/2"), Fraction(1, 100)) < inf
    found = compose_certified([(SAMPLED, 1)]).delta(Epsilon.rational("1/2"), relative_width="1e-2")
    one = enclosure(SAMPLED.delta(Epsilon.rational("1/2")), relative_bits=60)
    assert found.lower <= one.lower <= one.upper <= found.upper


def test_a_line_that_misses_by_little_is_made_a_bit_narrower(monkeypatch):
    """Not anew at nearly the same width, nor thirty times narrower, which takes many points."""
    asked, usual = [], Inversion.line_at

    def watched(self, nats, width):
        asked.append(log(width))
        return usual(self, nats, width)

    monkeypatch.setattr(Inversion, "line_at", watched)
    one, nats = compose([(SAMPLED, 5)]).losses.routes.line, Exact("3/10")
    wide = one.mean_excess(nats, relative_width=Fraction(1, 100))
    reached = wide.width / wide.lower
    narrow = one.mean_excess(nats, relative_width=reached / 2)
    assert narrow.width <= narrow.lower * reached / 2
    assert_overlap(narrow, wide)
    first, second = asked
    assert first - 3 < second < first - 0.6
