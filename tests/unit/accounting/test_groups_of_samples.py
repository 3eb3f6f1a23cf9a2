"""User-level privacy on Poisson samples: k records, each of which is drawn by itself."""

from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import pytest

from exactdp.accounting import (
    GroupCurve,
    compose,
    dp_sgd,
    gaussian_mixture,
    group_profile,
    poisson_subsampled,
)
from exactdp.divergences import add_or_remove
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import (
    binomial_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    log_concave_mechanism,
)
from exactdp.numbers import Epsilon
from tests.commands import answers
from tests.routes.laws import log_logistic
from tests.routes.reals import fraction_of

F = Fraction
RATE, SIZE = F(1, 3), 3
GAMMAS = (F(1, 2), F(1), F(5, 4), F(2), F(5))


def on_sample(noise):
    return poisson_subsampled(noise, sampling_probability=RATE)


def delta(p, q, gamma):
    return sum(max(p.get(y, 0) - gamma * q.get(y, 0), 0) for y in p.keys() | q.keys())


def sum_with_coins(values, trials):
    """The sum of the records on a sample, each there or not, and centered coins."""
    found = {}
    for seen in product((0, 1), repeat=len(values)):
        chance = F(1)
        for one in seen:
            chance *= RATE if one else 1 - RATE
        total = sum(x for x, one in zip(values, seen, strict=True) if one)
        for heads in range(trials + 1):
            y = total + heads
            found[y] = found.get(y, 0) + chance * F(comb(trials, heads), 2**trials)
    return found


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_no_user_has_more_than_the_group_and_one_has_as_much(gamma, side):
    """All users of three records with values from -1 to 1, beside another one's records."""
    group = group_profile(on_sample(binomial_mechanism(trials=4)), SIZE)
    found = (group.reversed() if side else group).delta(Epsilon.log(gamma))
    most = F(0)
    for others in ((), (1,), (-1, 1)):
        for values in product((-1, 0, 1), repeat=SIZE):
            pair = [sum_with_coins((*others, *values), 4), sum_with_coins(others, 4)]
            most = max(most, delta(*(pair[::-1] if side else pair), gamma))
    ends = enclosed(found, F(1, 10**12))
    assert ends.lower <= most <= ends.upper


def mixture_delta(density, tail, gamma, *, reverse=False):
    """The best half-line: where the ratio of both densities crosses e^epsilon or e^-epsilon."""
    weights = [comb(SIZE, j) * RATE**j * (1 - RATE) ** (SIZE - j) for j in range(SIZE + 1)]
    with mpmath.workdps(25):
        weights = [mpmath.mpf(w.numerator) / w.denominator for w in weights]
        gamma = mpmath.mpf(gamma.numerator) / gamma.denominator

        def mixed(of, y):
            return mpmath.fsum(w * of(y - j) for j, w in enumerate(weights))

        at = 1 / gamma if reverse else gamma
        low, high = mpmath.mpf(-60), mpmath.mpf(60)
        for _ in range(100):
            middle = (low + high) / 2
            is_above = mixed(density, middle) > at * density(middle)
            low, high = (low, middle) if is_above else (middle, high)
        p, q = mixed(tail, low), tail(low)
        return fraction_of((1 - q) - gamma * (1 - p) if reverse else p - gamma * q)


DENSITIES = {
    "gaussian": (
        lambda: gaussian_mechanism(sigma=2),
        lambda y: mpmath.npdf(y, 0, 2),
        lambda y: mpmath.ncdf(-y, 0, 2),
    ),
    "laplace": (
        lambda: laplace_mechanism(scale=2),
        lambda y: mpmath.exp(-abs(y) / 2) / 4,
        lambda y: mpmath.exp(-y / 2) / 2 if y > 0 else 1 - mpmath.exp(y / 2) / 2,
    ),
    "logistic": (
        lambda: log_concave_mechanism(log_logistic, steepest=1),
        lambda y: mpmath.sech(y / 2) ** 2 / 4,
        lambda y: 1 / (1 + mpmath.exp(y)),
    ),
}


@pytest.mark.parametrize("gamma", [F(1), F(11, 10)])
@pytest.mark.parametrize("name", DENSITIES)
def test_a_density_is_the_mixture_of_its_shifts(name, gamma):
    make, density, tail = DENSITIES[name]
    group = group_profile(on_sample(make()), SIZE)
    for one, reverse in ((group, False), (group.reversed(), True)):
        found = enclosed(one.delta(Epsilon.log(gamma)), F(1, 10**9))
        truth = mixture_delta(density, tail, gamma, reverse=reverse)
        assert found.lower - F(1, 10**15) <= truth <= found.upper + F(1, 10**15)


def test_tails_of_laplace_add_up_and_agree_with_the_atoms():
    law = group_profile(on_sample(laplace_mechanism(scale=2)), SIZE).loss_law()
    total = law.density.total()
    for loss in ("-1/5", "0", "1/10", "2/5"):
        t = Epsilon.rational(loss).nats.ball(128)
        above, below = law.density.above(t), law.density.below(t)
        assert all((a + b - x).contains(0) for a, b, x in zip(above, below, total, strict=True))
    atoms = sum(mass for _, mass in law.points(128))
    assert (atoms + total[0] - 1).contains(0)


def test_a_group_of_one_is_the_record_and_the_generic_bound_is_above():
    one = on_sample(laplace_mechanism(scale=2))
    assert group_profile(one, 1) is one
    at = Epsilon.rational("1/10")
    own = enclosed(group_profile(one, 3).delta(at), F(1, 10**6))
    generic = GroupCurve(one, 3).delta(at, relative_width="1e-2")
    assert own.upper < generic.lower


def test_user_level_training_is_the_composed_mixture():
    """A row of the public threads: 6.3430, where the generic bound has 6.66."""
    training = dp_sgd(noise_multiplier=1, sampling_probability="1/100", steps=1000)
    found = group_profile(training, 3).epsilon("1e-5", relative_width="1e-3")
    q = F(1, 100)
    weights = [comb(3, j) * q**j * (1 - q) ** (3 - j) for j in range(4)]
    step = gaussian_mixture(sigma=1, sensitivities=range(4), probabilities=weights)
    other = compose([(add_or_remove(step), 1000)]).epsilon("1e-5", relative_width="1e-3")
    assert found.lower <= other.upper and other.lower <= found.upper
    assert found.lower < F("6.3430") < found.upper


def test_a_file_of_groups_of_training_is_the_same():
    training = {
        "kind": "dp_sgd",
        "noise_multiplier": 4,
        "sampling_probability": "1/100",
        "steps": 10,
    }
    ask = {"epsilon": ["1e-5"], "relative_width": "1e-3"}
    (found,) = answers(kind="group", problem=training, size=3, ask=ask)
    record = dp_sgd(noise_multiplier=4, sampling_probability="1/100", steps=10)
    truth = group_profile(record, 3).epsilon("1e-5", relative_width="1e-3")
    assert F(found.lower) <= truth.lower < truth.upper <= F(found.upper) <= truth.upper * 101 / 100
