"""Batches of epochs, against integrals, all permutations of finite noise, and closed forms."""

from fractions import Fraction
from itertools import permutations, product

import mpmath
import pytest

from exactdp import calibrated, dp_sgd
from exactdp.accounting.training.epoch_outputs import EpochOutputs, told_by
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.worst import Named, Sandwich
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure, precision
from exactdp.numbers.balls import endpoints
from exactdp.shuffle import random_allocation
from tests.routes.epochs import one_of_two, one_or_none
from tests.routes.noise import gaussian_delta
from tests.routes.reals import fraction_of

nats = Epsilon.rational
NOTHING = nats(0)


def ends(found):
    """The ends of an answer."""
    return found if isinstance(found, Enclosure) else enclosure(found, relative_bits=60)


@pytest.mark.parametrize(("sigma", "epsilon"), [("1", "1"), ("3", "1/4")])
def test_two_shuffled_batches_are_between_an_integral_and_one_gaussian(sigma, epsilon):
    found = dp_sgd(
        noise_multiplier=sigma, sampling_probability="1/2", steps=2, batches="shuffled"
    ).delta(nats(epsilon))
    with mpmath.workdps(15):
        data = max(fraction_of(one_of_two(sigma, epsilon, adds=adds)) for adds in (False, True))
    known = fraction_of(gaussian_delta(sigma, epsilon, digits=30))
    assert Fraction("0.97") * data < found.lower <= data < known <= found.upper
    assert found.upper < known * Fraction("1.01")
    assert "the record 1 or nothing" in found.lower_by and "deterministic" in found.upper_by


def test_both_directions_are_at_most_the_integral():
    """In steps of σ = 1/2 the largest output tells nearly all, of σ = 3 scores do."""
    for sigma, epsilon, told, share in (
        (Fraction(1, 2), 4, "largest", "0.9"),
        (3, 0, "scores", "0.97"),
    ):
        one = told_by([(EpochOutputs(Exact(sigma), 2, Exact(1), (2, 1)), 1)], told)
        for profile, adds in ((one, False), (one.reversed(), True)):
            found = profile.delta(nats(epsilon), relative_width="1e-6")
            with mpmath.workdps(15):
                truth = fraction_of(one_of_two(sigma, epsilon, adds=adds))
            assert Fraction(share) * truth < found.lower < found.upper < truth


def test_the_first_steps_of_an_epoch_may_be_without_the_record():
    found = dp_sgd(
        noise_multiplier=1, sampling_probability="1/3", steps=1, batches="shuffled"
    ).delta(nats("1/4"))
    with mpmath.workdps(20):
        truth = fraction_of(one_or_none(1, "1/4", "1/3"))
    assert Fraction("0.97") * truth < found.lower <= truth
    # Of balls and bins that is one Poisson sample.
    settings = {"noise_multiplier": 1, "sampling_probability": "1/2"}
    balls = dp_sgd(**settings, steps=1, batches="balls_and_bins")
    one = dp_sgd(**settings, steps=1).delta(nats("1/4"), relative_width="1e-6")
    assert ends(balls.delta(nats("1/4"), relative_width="1e-6")).lower <= one.upper
    assert one.lower <= ends(balls.delta(nats("1/4"), relative_width="1e-6")).upper


def test_two_epochs_are_all_pairs_of_cells():
    outputs = EpochOutputs(Exact(1), 5, Exact(1), (2, 1))
    found = told_by([(outputs, 2)], "largest").delta(Epsilon.log(8), relative_width="1e-6")
    with precision(300):
        p, q = ([endpoints(x)[0] for x in law] for law in outputs.laws("largest"))
    cells = list(zip(p, q, strict=True))
    pairs = (a * c - 8 * b * d for (a, b), (c, d) in product(cells, cells))
    truth = sum((x for x in pairs if x > 0), Fraction(0))
    assert found.lower <= truth <= found.upper


def divergence(p, q, gamma):
    """The hockey-stick divergence of two laws, exactly."""
    return sum((max(p.get(y, 0) - gamma * q.get(y, 0), Fraction(0)) for y in {*p, *q}), Fraction(0))


def published(adds, orders, noise):
    """The law of the outputs of three batches of one record each, in a random one of the orders."""
    found = {}
    for order in orders:
        for drawn in product(noise, repeat=len(adds)):
            outputs = tuple(adds[i] + x for i, x in zip(order, drawn, strict=True))
            mass = Fraction(1, len(orders))
            for x in drawn:
                mass *= noise[x]
            found[outputs] = found.get(outputs, Fraction(0)) + mass
    return found


def test_shuffled_batches_of_finite_noise_are_between_what_is_claimed_of_all():
    """The proof that needs no Gaussian: mixtures are below, and one shift of a batch is inside."""
    noise = {-1: Fraction(1, 4), 0: Fraction(1, 2), 1: Fraction(1, 4)}
    shuffles = list(permutations(range(3)))
    least = {gamma: [] for gamma in (Fraction(1), Fraction(3, 2), Fraction(2))}
    for record, *others in product((-1, 0, 1), repeat=3):
        with_it, without = (record, *others), (0, *others)
        for gamma, found in least.items():
            known = divergence(
                *(published(x, [(0, 1, 2)], noise) for x in (with_it, without)), gamma
            )
            mixed = divergence(*(published(x, shuffles, noise) for x in (with_it, without)), gamma)
            assert mixed <= known
            found.append((mixed, record, tuple(others)))
    moved = {x + 2: mass for x, mass in noise.items()}, {x + 1: mass for x, mass in noise.items()}
    for gamma, found in least.items():
        pair = [{}, {}]
        for t in range(3):
            for into, law in zip(pair, moved, strict=True):
                for outputs in product(*(law if i == t else noise for i in range(3))):
                    mass = Fraction(1, 3)
                    for i, x in enumerate(outputs):
                        mass *= (law if i == t else noise)[x]
                    into[outputs] = into.get(outputs, Fraction(0)) + mass
        said = next(mixed for mixed, record, others in found if (record, others) == (1, (-1, -1)))
        assert said == divergence(*pair, gamma)


def test_deterministic_batches_are_one_gaussian_an_epoch_begun():
    for steps, uses in ((20, 2), (21, 3), (30, 3)):
        for neighbors, size in (("zero_out", 1), ("substitution", 2)):
            settings = {"batches": "deterministic", "neighbors": neighbors}
            found = dp_sgd(
                noise_multiplier=3, sampling_probability="1/10", steps=steps, **settings
            ).delta(nats(1))
            with mpmath.workdps(30):
                truth = fraction_of(gaussian_delta(3 / mpmath.sqrt(uses) / size, 1))
            near = enclosure(found, relative_bits=60)
            assert abs(near.lower - truth) < Fraction(1, 10**12)


def test_balls_and_bins_are_a_composition_of_allocations():
    for neighbors in (None, "add_or_remove", "zero_out"):
        found = dp_sgd(
            noise_multiplier=1,
            sampling_probability="1/5",
            steps=12,
            batches="balls_and_bins",
            neighbors=neighbors,
        )
        one, other = found.profiles
        step = gaussian_mechanism(sigma=1)
        (whole, twice), (part, once) = one.parts
        assert (whole, twice, once) == (random_allocation(step, steps=5), 2, 1)
        assert (part.mechanism, part.sampling_probability) == (
            random_allocation(step, steps=2),
            Exact("2/5"),
        )
        assert [x.reversed() for x, _ in one.parts] == [x for x, _ in other.parts]


def test_what_others_that_add_nothing_show_is_below_shuffled_batches():
    """Balls and bins are another lower bound; and both loaders are below deterministic batches."""
    settings = {"noise_multiplier": 1, "sampling_probability": "1/10", "steps": 10}
    balls = dp_sgd(**settings, batches="balls_and_bins").epsilon("1e-5", relative_width="1e-2")
    shuffled = dp_sgd(**settings, batches="shuffled").epsilon("1e-5", relative_width="1e-2")
    poisson = dp_sgd(**settings).epsilon("1e-5", relative_width="1e-2")
    known = dp_sgd(**settings, batches="deterministic").epsilon("1e-5", relative_width="1e-6")
    assert balls.upper < shuffled.lower < known.lower <= shuffled.upper
    assert poisson.upper < shuffled.lower  # what people report of a loader that shuffles


@pytest.mark.parametrize("batches", ["shuffled", "balls_and_bins"])
def test_a_replaced_record_is_between_named_bounds(batches):
    """Two outputs, of which one is the record's: N(2, 1) or N(0, 1), and N(1, 1) or N(−1, 1)."""
    settings = {
        "sampling_probability": "1/2",
        "steps": 2,
        "batches": batches,
        "neighbors": "substitution",
    }
    found = dp_sgd(noise_multiplier=2, **settings).delta(NOTHING)
    if batches == "shuffled":  # that is an allocation of twice the sensitivity
        twice = random_allocation(gaussian_mechanism(sigma=2, sensitivity=2), steps=2)
        truth = twice.both_directions().delta(NOTHING, relative_width="1e-3").lower
        assert Fraction("0.9") * truth < found.lower <= truth * Fraction("1.001")
    with mpmath.workdps(20):
        known = fraction_of(gaussian_delta(1, 0))
    assert found.lower < known <= found.upper < known * Fraction("1.01")
    assert dp_sgd(noise_multiplier=2, **settings).reached == "bound"


def test_one_batch_in_an_epoch_is_known():
    for batches in ("shuffled", "balls_and_bins", "deterministic"):
        found = dp_sgd(noise_multiplier=2, sampling_probability=1, steps=4, batches=batches)
        known = gaussian_mechanism(sigma=2).composed(4).delta(nats(1))
        assert enclosure(found.delta(nats(1)), relative_bits=50) == enclosure(
            known, relative_bits=50
        )
        none = dp_sgd(noise_multiplier=2, sampling_probability="1/2", steps=0, batches=batches)
        assert none == Pair.from_masses([1], [1])


def test_other_questions_have_ends_too():
    found = dp_sgd(noise_multiplier=2, sampling_probability="1/4", steps=4, batches="shuffled")
    assert found.max_divergence().is_infinite
    assert found.both_directions() is found  # it has both
    errors = found.trade_off("1/10", relative_width="1e-2")
    known = gaussian_mechanism(sigma=2).trade_off("1/10")
    assert errors.lower <= enclosure(known, relative_bits=30).upper
    assert errors.lower < errors.upper < Fraction(9, 10)


def test_the_least_noise_has_two_ends():
    target = {"epsilon": nats(2), "delta": "1e-3", "sampling_probability": "1/4", "steps": 4}
    found = calibrated(dp_sgd, batches="shuffled", **target)
    known = calibrated(dp_sgd, batches="deterministic", **target)
    assert found.upper == known.upper and found.lower < known.lower
    settings = {"sampling_probability": "1/4", "steps": 4, "batches": "shuffled"}
    assert dp_sgd(noise_multiplier=found.upper, **settings).delta(nats(2)).upper <= Fraction("1e-3")
    assert dp_sgd(noise_multiplier=found.lower, **settings).delta(nats(2)).lower > Fraction("1e-3")
    one = gaussian_mechanism(sigma=known.upper)
    assert enclosure(one.delta(nats(2)), relative_bits=60).upper <= Fraction("1e-3")
    most = calibrated(
        dp_sgd,
        batches="deterministic",
        noise_multiplier=5,
        sampling_probability="1/10",
        epsilon=nats(4),
        delta="1e-5",
    )
    assert most.upper % 10 == 0
    assert calibrated(dp_sgd, batches="shuffled", **(target | {"steps": 0})).upper == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"sampling_probability": "3/10"},
            'sampling_probability=3/10 is not 1/T, and with batches="shuffled"',
        ),
        ({"sampling_probability": 0}, "sampling_probability=0 is not 1/T"),
        ({"sampling_probability": "3/2"}, "sampling_probability=3/2 is not a probability"),
        ({"steps": -1}, "steps=-1"),
        ({"batches": "permuted"}, "batches='permuted' is not known. Pass \"poisson\""),
        ({"neighbors": "add_or_remove"}, "moves other records to other batches"),
        ({"neighbors": "none"}, "neighbors='none' is not known"),
        ({"batches": "fixed_size"}, 'Pass neighbors="substitution"'),
        ({"batches": "fixed_size", "neighbors": "zero_out"}, "neighbors='zero_out' is not known"),
    ],
)
def test_refusals(settings, words):
    with pytest.raises(DomainError, match=words):
        dp_sgd(
            **(
                {
                    "noise_multiplier": 1,
                    "sampling_probability": "1/10",
                    "steps": 10,
                    "batches": "shuffled",
                }
                | settings
            )
        )


def test_what_is_not_searched_for():
    target = {"epsilon": nats(1), "delta": "1e-5", "batches": "shuffled"}
    with pytest.raises(DomainError, match="sampling_probability is not searched for"):
        calibrated(dp_sgd, noise_multiplier=1, steps=10, **target)
    with pytest.raises(DomainError, match="steps are not searched for"):
        calibrated(dp_sgd, noise_multiplier=1, sampling_probability="1/10", **target)


def test_zero_out_of_a_poisson_sample_is_removal():
    settings = {"noise_multiplier": 1, "sampling_probability": "1/10", "steps": 10}
    one, other = (
        dp_sgd(**settings, neighbors=x).delta(nats(1), relative_width="1e-3")
        for x in ("zero_out", "add_or_remove")
    )
    assert one == other


class TooMuch(PrivacyProfile):
    """A profile that is too large to compute."""

    def delta(self, epsilon, *, relative_width=None):
        raise TooLargeError("too large")

    def max_divergence(self):
        return Epsilon.infinity()

    def reversed(self):
        return self


def test_a_lower_end_that_is_too_large_leaves_the_others():
    near, far = (Named(str(x), gaussian_mechanism(sigma=x)) for x in (3, 2))
    for below in ((near, Named("large", TooMuch())), (Named("large", TooMuch()), near)):
        found = Sandwich(below, (far,)).delta(nats(1))
        assert found.lower_by == "3" and found.lower < found.upper
    found = Sandwich((near, Named("large", TooMuch())), (far,)).epsilon("1e-5")
    assert (found.lower_by, found.upper_by) == ("3", "2")
