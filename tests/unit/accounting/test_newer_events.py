"""Events of later versions, samples of any events, the best of runs and error rates: by definition.

Each truth is of masses over all outcomes, all events and both orders, with doubles or mpmath.
"""

from itertools import chain, combinations, permutations, product
from math import exp, factorial, inf

import mpmath
import pytest

from exactdp.accounting.accountants.events import EVENTS
from exactdp.errors import DomainError

library = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
dp = pytest.importorskip("dp_accounting.dp_event")
numpy = pytest.importorskip("numpy")

from exactdp.accounting.dp_accounting import Accountant, RdpAccountant  # noqa: E402

RELATIONS = library.NeighboringRelation
FINE = {"relative_width": "1e-9"}

later = pytest.importorskip("tests.routes.later_events")
PROMISE, EXPONENTIAL = later.PROMISE, later.EXPONENTIAL
PERMUTED, INTEGERS = later.PERMUTED, later.INTEGERS


def promise(epsilon, delta):
    """The worst pair of an (ε, δ) promise, as two lists of masses."""
    b = exp(epsilon)
    first = [delta, (1 - delta) * b / (1 + b), (1 - delta) / (1 + b), 0.0]
    return first, first[::-1]


def together(*pairs):
    """The products of pairs."""
    return tuple(
        [numpy.prod(masses) for masses in product(*(pair[side] for pair in pairs))]
        for side in (0, 1)
    )


def hockey(p, q, epsilon):
    return sum(max(0.0, x - exp(epsilon) * y) for x, y in zip(p, q, strict=True))


def worst(pair, epsilon):
    return max(hockey(*pair, epsilon), hockey(*pair[::-1], epsilon))


def on_sample(pair, rate):
    p, q = pair
    return [(1 - rate) * y + rate * x for x, y in zip(p, q, strict=True)], q


# --- samples of any events ------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.25, 0.9])
def test_different_events_on_one_sample_are_sampled_together(rate):
    """All pairs of outcomes of two promises, with the record in the sample or not."""
    one, other = promise(1.0, 0.01), promise(0.5, 0.125)
    pair = on_sample(together(one, other, other), rate)
    event = dp.ComposedDpEvent([PROMISE(1.0, 0.01), dp.SelfComposedDpEvent(PROMISE(0.5, 0.125), 2)])
    accountant = Accountant(**FINE).compose(dp.PoissonSampledDpEvent(rate, event))
    for epsilon in (0.0, 0.3, 1.0):
        truth = worst(pair, epsilon)
        assert accountant.get_delta(epsilon) == pytest.approx(truth, rel=1e-8)
    twice = Accountant(**FINE).compose(dp.PoissonSampledDpEvent(rate, event), 2)
    assert twice.get_delta(0.3) == pytest.approx(worst(together(pair, pair), 0.3), rel=1e-7)
    # In samples that are drawn one by one there is less in common.
    apart = dp.ComposedDpEvent([dp.PoissonSampledDpEvent(rate, one) for one in event.events])
    assert Accountant(**FINE).compose(apart).get_delta(0.3) != pytest.approx(truth, rel=1e-3)


def test_gaussian_and_laplace_noise_on_one_sample():
    """By a sum over a grid of both noises: ε about 0.03235 at δ = 1e-5."""
    event = dp.ComposedDpEvent([dp.GaussianDpEvent(2.0), dp.LaplaceDpEvent(5.0)])
    accountant = Accountant().compose(dp.PoissonSampledDpEvent(0.01, event))
    found = accountant.get_epsilon(1e-5)
    assert 0.0323 < found < 0.0324 and accountant.note is None
    x = numpy.linspace(-18, 19, 3701)[:, None] + 0.005
    y = numpy.linspace(-150, 151, 3011)[None, :] + 0.05
    base = numpy.exp(-(x**2) / 8) * numpy.exp(-abs(y) / 5)
    moved = numpy.exp(-((x - 1) ** 2) / 8) * numpy.exp(-abs(y - 1) / 5)
    base, moved = base / base.sum(), moved / moved.sum()
    sample = 0.99 * base + 0.01 * moved
    sums = [numpy.maximum(0, a - exp(found) * b).sum() for a, b in ((sample, base), (base, sample))]
    assert max(sums) == pytest.approx(1e-5, rel=0.05)


def test_an_event_with_a_record_of_its_own_is_on_no_sample():
    """What names a data set, or has a special report, says nothing of a sample."""
    on_none = {name for name, rule in EVENTS.items() if not rule.is_sampled}
    assert on_none == {
        "RandomizedResponseDpEvent",
        "SampledWithoutReplacementDpEvent",
        "SampledWithReplacementDpEvent",
        "TruncatedSubsampledGaussianDpEvent",
        "SingleEpochTreeAggregationDpEvent",
    }


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("rho", [0.02, 0.5])
def test_a_budget_on_a_sample_bounds_pairs_that_keep_it(rho, rate):
    """Gaussian noise, and two outcomes whose divergences are below ρa at all orders."""
    orders = [1.5, 2.0, 4.0, 9.0]
    bounds = RdpAccountant(orders).compose(dp.PoissonSampledDpEvent(rate, dp.ZCDpEvent(rho))).rdp
    sigma = (2 * rho) ** -0.5
    noise = RdpAccountant(orders).compose(dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma)))
    # A pure ε with ε²/2 = ρ keeps it.
    pure = PROMISE((2 * rho) ** 0.5, 0.0)
    coin = RdpAccountant(orders).compose(dp.PoissonSampledDpEvent(rate, pure))
    for top, one, other in zip(bounds, noise.rdp, coin.rdp, strict=True):
        assert max(one, other) <= top * (1 + 1e-9)
        assert top <= 12 * one
    # At whole orders removing a record from Gaussian noise has the same sum.
    whole = RdpAccountant([2.0]).compose(dp.PoissonSampledDpEvent(rate, dp.ZCDpEvent(rho))).rdp[0]
    assert whole >= mpmath.log1p(rate**2 * mpmath.expm1(2 * rho)) * (1 - 1e-12)


# --- events of later versions -----------------------------------------------------------


def flipped(scores, epsilon):
    """The law of permute-and-flip, over all orders of the indices."""
    accepted = [exp(epsilon / 2 * (score - max(scores))) for score in scores]
    law = [0.0] * len(scores)
    for order in permutations(range(len(scores))):
        left = 1 / factorial(len(scores))
        for i in order:
            law[i] += left * accepted[i]
            left *= 1 - accepted[i]
    return law


@pytest.mark.parametrize("size", [2, 3])
def test_permute_and_flip_is_below_laplace_noise_at_all_scores(size):
    epsilon, places = 0.8, (0.0, 0.2, 0.5)
    accountant = Accountant(**FINE).compose(PERMUTED(epsilon))
    deltas = {at: accountant.get_delta(at) for at in places}
    changes = list(product((-1, 0, 1), repeat=size))
    for scores in product((0, 1, 2), repeat=size):
        law = flipped(scores, epsilon)
        for change in changes:
            other = flipped([x + c for x, c in zip(scores, change, strict=True)], epsilon)
            for at in places:
                assert hockey(law, other, at) <= deltas[at] * (1 + 1e-9) + 1e-15
    if size == 2:  # some scores attain it
        for at in places:
            found = max(
                hockey(flipped([g, 0], epsilon), flipped([g + 1, -1], epsilon), at)
                for g in numpy.linspace(-6, 6, 601)
            )
            assert found > deltas[at] * 0.999
    assert deltas[0.2] == pytest.approx(1 - exp((0.2 - epsilon) / 2), rel=1e-8)


@pytest.mark.parametrize("scale", [0.6, 2.0])
def test_integer_noise_of_several_coordinates_is_bounded_by_its_rho(scale):
    """A step of 1 in two coordinates at once, over a square of integers."""
    sigma, size = 2.0 * scale, 2**0.5 * 1.0000001
    numbers = numpy.arange(-60, 61)
    law = numpy.exp(-(numbers**2) / (2 * sigma**2))
    law, moved = law / law.sum(), numpy.roll(law, 1) / law.sum()
    p, q = numpy.outer(moved, moved).ravel(), numpy.outer(law, law).ravel()
    for dimension in (None, 2):
        accountant = Accountant().compose(INTEGERS(sigma, size, dimension))
        assert accountant.get_delta(0.5) > hockey(p, q, 0.5)
        assert "Rényi" in accountant.note
    one = Accountant(**FINE).compose(INTEGERS(sigma, 1.0, None))  # one coordinate alone moves
    assert one.get_delta(0.5) == pytest.approx(hockey(moved, law, 0.5), rel=1e-8)
    assert one.note is None
    two = Accountant(**FINE).compose(INTEGERS(sigma, 2.9, 1))
    shifted = numpy.roll(law, 2)
    assert two.get_delta(0.5) == pytest.approx(hockey(shifted, law, 0.5), rel=1e-8)
    replaced = Accountant(RELATIONS.REPLACE_ONE).compose(INTEGERS(sigma, 1.0, None))
    assert replaced.get_delta(0.5) > hockey(shifted, law, 0.5)


def test_an_exponential_mechanism_has_losses_in_one_interval():
    """The worst of two outcomes with losses t and t − ε."""
    epsilon, at = 1.5, 0.4

    def two(t):
        q = (1 - exp(t - epsilon)) / (exp(t) - exp(t - epsilon))
        return hockey([q * exp(t), (1 - q) * exp(t - epsilon)], [q, 1 - q], at)

    truth = max(two(t) for t in numpy.linspace(0.01, epsilon - 0.01, 20001))
    accountant = Accountant(**FINE).compose(EXPONENTIAL(epsilon))
    assert accountant.get_delta(at) == pytest.approx(truth, rel=1e-6)
    assert accountant.compose(EXPONENTIAL(0.5)).get_epsilon(0) == pytest.approx(2, rel=1e-9)
    assert accountant.get_delta(2.0) == 0


# --- the best of several runs --------------------------------------------------------------


def runs(shape, gamma, most=4000):
    """Masses of 1, 2, ... runs: by their ratios, of the truncated negative binomial."""
    masses = [1.0]
    for k in range(1, most):
        masses.append(masses[-1] * (1 - gamma) * (k + shape) / (k + 1))
    return [x / sum(masses) for x in masses]


def best(law, counts, start):
    """The law of the best of K outcomes, the last one the best; of no run another outcome."""
    cumulative = numpy.cumsum(law)
    whole = [sum(w * c**k for k, w in enumerate(counts, start)) for c in cumulative]
    none = counts[0] if start == 0 else 0.0
    return [a - b for a, b in zip(whole, [none, *whole[:-1]], strict=True)] + [none]


@pytest.mark.parametrize("shape", [0.0, 0.5, 1.0, 3.0, inf])
@pytest.mark.parametrize("gamma", [0.2, 0.6])
def test_the_best_of_runs_is_bounded_over_all_orders_of_outcomes(shape, gamma):
    """Three outcomes of a pure ε, ranked in any way: δ by exact sums, D_2 and D_8 too."""
    epsilon, orders = 0.7, [2.0, 8.0]
    b = exp(epsilon)
    p, q = [b / (1 + b + 1), 1 / (b + 2), 1 / (b + 2)], [1 / (b + 2), b / (b + 2), 1 / (b + 2)]
    if shape == inf:
        mean, start = 1 / gamma, 0
        counts = [exp(-mean) * mean**k / factorial(k) for k in range(60)]
    else:
        counts, start = runs(shape, gamma), 1
        mean = sum(k * w for k, w in enumerate(counts, 1))
    # Its promise is that of the worst pair, of which this one is a case.
    event = dp.RepeatAndSelectDpEvent(PROMISE(epsilon, 0.0), mean, shape)
    accountant = RdpAccountant(orders).compose(event)
    bounds, at = accountant.rdp, 1.0
    top = accountant.get_delta(at)
    for order in permutations(range(3)):
        laws = [best([law[i] for i in order], counts, start) for law in (p, q)]
        for first, second in (laws, laws[::-1]):
            assert hockey(first, second, at) <= top * (1 + 1e-9) + 1e-14
            for a, bound in zip(orders, bounds, strict=True):
                pairs = [(x, y) for x, y in zip(first, second, strict=True) if x]
                assert numpy.log(sum(x**a * y ** (1 - a) for x, y in pairs)) / (a - 1) <= bound
    if shape != inf:  # a pure ε is (2 + η)ε (Corollary 3)
        assert accountant.get_epsilon(0) == pytest.approx((2 + shape) * epsilon, rel=1e-6)
    assert accountant.get_epsilon(1e-9) <= (2 + min(shape, 99)) * epsilon * (1 + 1e-6)


def test_the_best_of_long_trainings_is_between_one_run_and_the_bound_of_the_library():
    """The library has one theorem; here the least of several counts."""
    steps = dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.00512, dp.GaussianDpEvent(1.1)), 2000)
    event = dp.RepeatAndSelectDpEvent(steps, 40, 1)
    accountant = Accountant().compose(event)
    found = accountant.get_epsilon(1e-5)
    theirs = pytest.importorskip("dp_accounting.rdp").RdpAccountant().compose(event)
    assert Accountant().compose(steps).get_epsilon(1e-5) < found < theirs.get_epsilon(1e-5)
    assert "best of several runs" in accountant.note
    # Runs with infinite losses have no divergences, and a bound by their δ.
    leaking = Accountant().compose(dp.RepeatAndSelectDpEvent(PROMISE(0.5, 1e-6), 4.0, 1.0))
    assert 0.5 < leaking.get_epsilon(1e-4) < 1.5 and 1e-6 < leaking.get_delta(inf) < 1e-5
    tree = dp.SingleEpochTreeAggregationDpEvent(6.0, 7)  # three nodes above a record
    special = RELATIONS.REPLACE_SPECIAL
    thrice = dp.SelfComposedDpEvent(dp.GaussianDpEvent(6.0), 3)
    first, second = (
        Accountant(special).compose(dp.RepeatAndSelectDpEvent(one, 3.0, 1.0)).get_epsilon(1e-5)
        for one in (tree, thrice)
    )
    assert first == pytest.approx(second, rel=1e-6)
    once = Accountant().compose(dp.RepeatAndSelectDpEvent(dp.GaussianDpEvent(2.0), 1.0, 3.0))
    assert once.get_epsilon(1e-5) == Accountant().compose(dp.GaussianDpEvent(2.0)).get_epsilon(1e-5)


# --- error rates -----------------------------------------------------------------------------


def corners(p, q):
    """(α, 1 − β) of all tests without randomness."""
    places = range(len(p))
    events = chain.from_iterable(combinations(places, k) for k in range(len(p) + 1))
    return [(sum(q[i] for i in event), sum(p[i] for i in event)) for event in events]


@pytest.mark.parametrize("deltas", [(0.0, 0.0), (0.1, 0.2)])
def test_true_positive_rates_are_those_of_the_best_tests(deltas):
    pair = together(promise(1.0, deltas[0]), promise(2.0, deltas[1]))
    accountant = Accountant(**FINE)
    for epsilon, delta in zip((1.0, 2.0), deltas, strict=True):
        accountant.compose(PROMISE(epsilon, delta))
    # The least concave curve above: between any two tests, and through (0, 0) and (1, 1).
    merged = sorted(zip(*pair, strict=True), key=lambda x: -x[0] / x[1] if x[1] else -inf)
    curve = numpy.cumsum([[0.0, 0.0], *([y, x] for x, y in merged)], axis=0)
    rates = numpy.array([0.01, 0.1, 0.5, 0.9])
    truth = numpy.interp(rates, *curve.T)
    found = accountant.get_true_positive_rates(rates)
    assert isinstance(found, numpy.ndarray)
    assert (found >= truth * (1 - 1e-12)).all() and (found <= truth + 2e-4).all()
    assert accountant.get_true_positive_rates(0.1) == found[1]
    for alpha, power in corners(*promise(1.0, deltas[0])):
        alone = Accountant(**FINE).compose(PROMISE(1.0, deltas[0]))
        assert power <= alone.get_true_positive_rates(float(min(alpha, 1.0))) * (1 + 1e-9)
    mu = accountant.get_gdp_parameter_estimate([0.01, 0.1, 0.3])
    if deltas[1]:
        assert mu == inf  # infinite losses are no Gaussian's
    else:
        normal = mpmath.erfinv
        scores = [
            float(mpmath.sqrt(2) * (normal(2 * t - 1) - normal(2 * a - 1)))
            for a, t in zip((0.01, 0.1, 0.3), numpy.interp((0.01, 0.1, 0.3), *curve.T), strict=True)
        ]
        assert max(scores) <= mu * (1 + 1e-9) and mu <= max(scores) + 2e-3


def test_gaussian_noise_has_its_own_parameter():
    accountant = Accountant().compose(dp.GaussianDpEvent(2.0), 4)
    assert 1 <= accountant.get_gdp_parameter_estimate() < 1.001
    alpha = 0.1
    truth = float(mpmath.ncdf(1 + mpmath.sqrt(2) * mpmath.erfinv(2 * alpha - 1)))
    assert truth <= accountant.get_true_positive_rates(alpha) < truth * 1.0005
    for wrong in ([], [0.0], [1.5], [-0.1]):
        with pytest.raises(DomainError, match="false_positive_rates"):
            accountant.get_gdp_parameter_estimate(wrong)
    with pytest.raises(DomainError, match=r"Pass numbers from 0 to 1"):
        accountant.get_true_positive_rates(1.5)


def test_the_ends_of_error_rates():
    nothing, all_seen = Accountant(), Accountant().compose(dp.NonPrivateDpEvent())
    assert nothing.get_true_positive_rates(0.25) == 0.25
    assert nothing.get_gdp_parameter_estimate() == 0
    assert all_seen.get_true_positive_rates(0.25) == 1
    assert (all_seen.get_true_positive_rates([0.1, 0.2]) == [1, 1]).all()
    assert all_seen.get_gdp_parameter_estimate() == inf


# --- names of the library -----------------------------------------------------------------------


def test_an_infinite_epsilon_has_the_mass_of_infinite_losses():
    one = Accountant().compose(PROMISE(1.0, 0.25))
    assert one.get_delta(inf) == 0.25 and one.get_delta(50.0) == 0.25
    assert one.compose(PROMISE(0.5, 0.25)).get_delta(inf) == 0.4375
    assert Accountant().get_delta(inf) == 0
    assert Accountant().compose(dp.GaussianDpEvent(1.0)).get_delta(inf) == 0
    assert Accountant().compose(dp.ZCDpEvent(1.0)).get_delta(inf) == 0
    assert Accountant().compose(dp.NonPrivateDpEvent()).get_delta(inf) == 1


def test_arguments_of_the_library_are_taken():
    relation = RELATIONS.REPLACE_SPECIAL
    one = Accountant(relation, value_discretization_interval=1e-3)
    assert one.neighboring_relation is relation
    two = RdpAccountant([1, 2.5, inf], relation).compose(dp.LaplaceDpEvent(2.0))
    assert two.orders.tolist() == [1, 2.5, inf]
    # Laplace noise: D_1 = ε + e^−ε − 1, D_∞ = ε.
    assert two.rdp[0] == pytest.approx(0.5 + exp(-0.5) - 1, rel=1e-9)
    assert two.rdp[2] == 0.5 and two.rdp[0] < two.rdp[1] < 0.5
    assert two.get_epsilon(1e-6) == one.compose(dp.LaplaceDpEvent(2.0)).get_epsilon(1e-6)
    assert RdpAccountant().orders[[0, -1]].tolist() == [1.1, 1024]


def test_events_that_differ_in_the_last_digit_of_an_array_are_two_events():
    """numpy's text of an array has eight digits, and of a long one three numbers at each end."""
    many = numpy.full(1200, 1 / 1200)
    sizes = numpy.linspace(0, 1, 1200)
    other = sizes.copy()
    other[600] = 0.9
    for first, second, shares in (
        (numpy.array([0.0, 1.0]), numpy.array([0.0, 1.000000001]), numpy.array([0.5, 0.5])),
        (sizes, other, many),
    ):
        kept = Accountant()
        for one in (first, second):
            assert (
                kept._maybe_compose(dp.MixtureOfGaussiansDpEvent(5.0, one, shares), 1, True) is None
            )
        assert len(kept._uses) == 2
