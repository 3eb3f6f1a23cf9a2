"""Certified composition against exact composition, closed forms and sums in mpmath."""

import random
from fractions import Fraction
from functools import partial

import mpmath
import pytest
from flint import arb

from exactdp.accounting import compose_certified, compose_exactly, poisson_subsampled
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure, fmpq_of, precision, sqrt
from tests.routes.noise import gaussian_delta, laplace_delta, with_laplace
from tests.routes.reals import mpf_of

nats = Epsilon.rational

COIN = Pair.from_masses(["11/20", "9/20"], ["9/20", "11/20"])
LOOSE = Pair.from_masses(["1/2", "1/4", "1/4"], ["1/5", "3/10", "1/2"])


def assert_contains(found, truth, *, width=None):
    """The truth is a Fraction or Exact, a Real, or a number of 40 digits of mpmath."""
    if width is not None:
        assert found.upper - found.lower <= Fraction(width) * found.lower
    if isinstance(truth, mpmath.mpf):
        slack = truth * mpmath.mpf(10) ** -25
        assert mpf_of(found.lower) <= truth + slack
        assert truth - slack <= mpf_of(found.upper)
    elif isinstance(truth, Exact | Fraction | int):
        assert found.contains(truth)
    else:
        ends = enclosure(truth, relative_bits=100)
        assert found.lower <= ends.upper
        assert ends.lower <= found.upper


def random_pair(draw, size):
    while True:
        p, q = ([draw.randint(0, 12) for _ in range(size)] for _ in range(2))
        if sum(p) and sum(q):
            return Pair.from_masses(
                [Fraction(x, sum(p)) for x in p], [Fraction(x, sum(q)) for x in q]
            )


@pytest.mark.parametrize("seed", range(4))
def test_random_heterogeneous_pairs_against_exact_composition(seed):
    draw = random.Random(seed)
    for _ in range(40):
        parts = [
            (random_pair(draw, draw.randint(2, 4)), draw.randint(1, 3))
            for _ in range(draw.randint(1, 3))
        ]
        reverse = [(pair.reversed(), times) for pair, times in parts]
        epsilon = draw.choice(
            [Epsilon.rational(Fraction(draw.randint(0, 30), 7)), Epsilon.log(draw.randint(1, 9))]
        )
        grid = compose_certified(parts)
        for found, exact in ((grid, parts), (grid.reversed(), reverse)):
            truth = compose_exactly(exact).delta(epsilon)
            narrow = found.delta(epsilon, relative_width="1e-6")
            assert_contains(narrow, truth, width="1e-6")


def test_losses_on_no_lattice():
    draw = random.Random(5)
    for _ in range(40):
        parts = [(LOOSE, draw.randint(1, 3)), (random_pair(draw, 3), draw.randint(1, 2))]
        gamma = Exact(Fraction(draw.randint(4, 30), 4))
        truth = compose_exactly(parts).delta(Epsilon(gamma))
        found = compose_certified(parts).delta(Epsilon(gamma), relative_width="1e-6")
        assert_contains(found, truth, width="1e-6")


THOUSAND = {"0": -1, "1/2": -1, "7": -11, "16": -50, "39": -293}
"""Epsilons of a thousand Gaussians, and the magnitude of δ."""
LAPLACE = laplace_mechanism(scale=2)
ROUNDED = discrete_gaussian_mechanism(sigma_squared=5, sensitivity=2)
CLOSED_FORMS = [
    (gaussian_mechanism(sigma=2), 5, "4", "1e-6"),
    *((gaussian_mechanism(sigma=30), 1000, epsilon, "1/100") for epsilon in THOUSAND),
    *((LAPLACE, 1, epsilon, "1e-4") for epsilon in ("0", "1/4", "2/5", "1/2")),
    *((ROUNDED, 1, epsilon, "1e-6") for epsilon in ("0", "3/2", "12")),
]


@pytest.mark.parametrize(("one", "times", "epsilon", "width"), CLOSED_FORMS)
def test_copies_against_the_closed_form(one, times, epsilon, width):
    whole = one if times == 1 else one.composed(times)
    grid = compose_certified([(one, times)])
    found = grid.delta(nats(epsilon), relative_width=width)
    assert_contains(found, whole.delta(nats(epsilon)), width=width)
    if times == 1:  # noise is symmetric
        back = grid.reversed().delta(nats(epsilon), relative_width=width)
        assert_contains(back, whole.delta(nats(epsilon)), width=width)
    if times == 1000:
        magnitude = Fraction(THOUSAND[epsilon])
        assert 10**magnitude <= found.upper < 10 ** (magnitude + 2)


def test_gaussians_of_many_kinds_are_one_gaussian():
    parts = [(gaussian_mechanism(sigma=s), k) for s, k in ((3, 4), (5, 20), (2, 1))]
    mu_squared = Exact(Fraction(4, 9) + Fraction(20, 25) + Fraction(1, 4))
    whole = gaussian_mechanism(sigma=1 / sqrt(mu_squared), sensitivity=1)
    found = compose_certified(parts).delta(nats(6), relative_width="1e-3")
    assert_contains(found, whole.delta(nats(6)), width="1e-3")


def test_two_laplace_mechanisms_against_an_integral():
    with mpmath.workdps(40):
        truth = with_laplace(partial(laplace_delta, 2), 2)(mpmath.mpf(1) / 3)
        found = compose_certified([(laplace_mechanism(scale=2), 2)]).delta(
            nats("1/3"), relative_width="1e-20"
        )
        assert_contains(found, truth, width="1e-20")


def test_laplace_gaussian_and_two_lattices():
    """Condition on the coins and the discrete noise; integrate over the Laplace loss."""
    coins = compose_exactly([(COIN, 3)])
    steps = discrete_laplace_mechanism(rate=Epsilon.rational("1/3")).loss_law()
    with mpmath.workdps(40):
        both = with_laplace(partial(gaussian_delta, 2), 2)
        ball_masses = [(i, mpf_of(Fraction(str(m.mid().str(30, radius=False)))))
                       for i, m in steps.lattice.masses(128)[0]]  # fmt: skip
        losses = []
        for ratio, mass in coins.atoms:
            shift = mpmath.log(mpf_of(ratio.as_fraction()))
            losses += [
                (shift + (2 * i - 1) * mpmath.mpf(1) / 3, mpf_of(mass.as_fraction()) * m)
                for i, m in ball_masses
            ]
        truth = mpmath.fsum(mass * both(2 - x) for x, mass in losses)
        parts = [
            (COIN, 3),
            (discrete_laplace_mechanism(rate=Epsilon.rational("1/3")), 1),
            (laplace_mechanism(scale=2), 1),
            (gaussian_mechanism(sigma=2), 1),
        ]
        found = compose_certified(parts).delta(nats(2), relative_width="1e-4")
        assert_contains(found, truth, width="1e-4")


@pytest.mark.parametrize("base", ["gaussian", "laplace"])
def test_poisson_subsampling_in_both_directions(base):
    """One subsampled mechanism and three coins, through the identities of subsampling."""
    rate = mpmath.mpf(1) / 5
    mechanism, delta = {
        "gaussian": (gaussian_mechanism(sigma=1), partial(gaussian_delta, 1)),
        "laplace": (laplace_mechanism(scale=1), partial(laplace_delta, 1)),
    }[base]

    def removing(gamma):
        kept = gamma - (1 - rate)
        return 1 - gamma if kept <= 0 else rate * delta(mpmath.log(kept / rate))

    def adding(gamma):
        left = 1 - gamma * (1 - rate)
        return mpmath.mpf(0) if left <= 0 else left * delta(mpmath.log(gamma * rate / left))

    losses = compose_certified(
        [(poisson_subsampled(mechanism, sampling_probability="1/5"), 1), (COIN, 3)]
    )
    with mpmath.workdps(40):
        for found, one in ((losses, removing), (losses.reversed(), adding)):
            truth = mpmath.mpf(0)
            for ratio, mass in compose_exactly([(COIN, 3)]).atoms:
                x = mpf_of(ratio.as_fraction())
                truth += mpf_of(mass.as_fraction()) * one(mpmath.exp(mpmath.mpf(1) / 2) / x)
            assert_contains(found.delta(nats("1/2"), relative_width="1e-4"), truth)


FAILING = Pair.from_masses(["1/100", "11/20", "11/25", 0], [0, "9/20", "53/100", "1/50"])
EXACT = {
    "a subsampled pair": ([(LOOSE.subsampled("1/3"), 4)], Epsilon.log(2)),
    "negative nats": ([(LOOSE, 2), (COIN, 3)], nats("-1/3")),
    "a negative logarithm": ([(LOOSE, 2), (COIN, 3)], Epsilon.log("1/7")),
    "infinite losses": ([(FAILING, 5)], Epsilon.log(2)),
}


@pytest.mark.parametrize("name", EXACT)
def test_finite_pairs_against_exact_composition(name):
    parts, epsilon = EXACT[name]
    truth = compose_exactly(parts).delta(epsilon)
    assert_contains(compose_certified(parts).delta(epsilon), truth, width="1e-6")


@pytest.mark.parametrize("mechanism", [gaussian_mechanism(sigma=1), laplace_mechanism(scale=1)])
def test_what_is_subsampled_is_a_profile(mechanism):
    """Its closed forms, also at negative ε, against one copy on a grid; its largest loss."""
    removing = poisson_subsampled(mechanism, sampling_probability="1/5")
    for one in (removing, removing.reversed()):
        grid = compose_certified([(one, 1)])
        for epsilon in (nats("1/10"), nats("-1/10"), nats("-1/4"), Epsilon.log("4/5")):
            found = grid.delta(epsilon, relative_width="1e-4")
            assert_contains(found, one.delta(epsilon))
        top = one.max_divergence()
        if isinstance(top, Epsilon) and top.is_infinite:
            continue
        assert one.delta(top) == 0
        below = one.delta(top + nats("-1/1000"), relative_width="1e-6")
        assert below.lower > 0
    assert removing.reversed().reversed() == removing


@pytest.mark.parametrize("sensitivity", [1, 3])
def test_many_discrete_laplace_mechanisms_are_exact_on_their_lattice(sensitivity):
    mechanism = discrete_laplace_mechanism(rate=Epsilon.log("11/10"), sensitivity=sensitivity)
    law = [mechanism.mass(k) for k in range(1, sensitivity)]
    a = Exact("10/11")
    p = [1 / (1 + a), *law, a**sensitivity / (1 + a)]
    truth = compose_exactly([(Pair.from_masses(p, p[::-1]), 60)]).delta(Epsilon.log(8))
    found = compose_certified([(mechanism, 60)]).delta(Epsilon.log(8))
    assert_contains(found, truth, width="1e-6")


def test_infinite_losses_are_kept_apart():
    assert compose_certified([(FAILING, 5)]).epsilon("1/100").is_infinite
    apart = Pair.from_masses([1, 0], [0, 1])
    found = compose_certified([(gaussian_mechanism(sigma=1), 3), (apart, 1)]).delta(nats(1))
    assert found == Enclosure(Fraction(1), Fraction(1))


def test_nothing_above_the_largest_loss():
    zero = Enclosure(Fraction(0), Fraction(0))
    assert compose_certified([(COIN, 3)]).delta(Epsilon.log("1331/729")) == zero
    assert compose_certified([(laplace_mechanism(scale=2), 4)]).delta(nats(2)) == zero
    assert compose_certified([]).delta(nats(0)) == zero


@pytest.mark.parametrize(("sigma", "times", "delta"), [(30, 200, "1e-10"), (4, 3, "1e-3")])
def test_epsilon_brackets_the_closed_form(sigma, times, delta):
    one = gaussian_mechanism(sigma=sigma)
    found = compose_certified([(one, times)]).epsilon(delta, relative_width="1e-4")
    assert 0 < found.upper - found.lower <= Fraction("1e-4") * found.lower
    whole = one.composed(times)
    assert enclosure(whole.delta(nats(found.lower))).lower > Fraction(delta)
    assert enclosure(whole.delta(nats(found.upper))).upper <= Fraction(delta)


def test_epsilon_agrees_with_exact_composition():
    truth = compose_exactly([(COIN, 40)]).epsilon("1e-3")
    found = compose_certified([(COIN, 40)]).epsilon("1e-3", relative_width="1e-6")
    exp_lower, exp_upper = Exact.exp(found.lower), Exact.exp(found.upper)
    assert exp_lower < truth.exp <= exp_upper
    assert compose_certified([(COIN, 1)]).epsilon("1/2") == Enclosure(Fraction(0), Fraction(0))


@pytest.mark.parametrize("seed", range(3))
def test_epsilon_of_finite_pairs_with_kinks(seed):
    draw = random.Random(seed)
    for _ in range(15):
        size = draw.randint(2, 3)
        pair = random_pair(draw, size)
        times = draw.randint(1, 12) if size == 2 else draw.randint(1, 3)
        delta = draw.choice(["3/10", "1/10", "1e-3", "1e-6"])
        truth = compose_exactly([(pair, times)]).epsilon(delta)
        losses = compose_certified([(pair, times)])
        if truth.is_infinite:
            assert losses.epsilon(delta).is_infinite
            continue
        found = losses.epsilon(delta, relative_width="1e-4")
        if truth.exp == 1:
            assert found == Enclosure(Fraction(0), Fraction(0))
        else:
            assert Exact.exp(found.lower) < truth.exp <= Exact.exp(found.upper)
            assert found.upper - found.lower <= found.lower / 10**4


def test_refusals():
    one = gaussian_mechanism(sigma=1)
    losses = compose_certified([(one, 1)])
    with pytest.raises(DomainError, match="at least 0"):
        compose_certified([(one, -1)])
    with pytest.raises(DomainError, match="not PrivacyProfile"):
        compose_certified([("gaussian", 1)])
    with pytest.raises(DomainError, match="no privacy loss law"):
        compose_certified(
            [(poisson_subsampled(one, sampling_probability="1/2").both_directions(), 1)]
        )
    with pytest.raises(DomainError, match="not finite"):
        losses.delta(float("nan"))
    with pytest.raises(DomainError, match="of type list"):
        losses.delta([2])
    with pytest.raises(DomainError, match="relative_width"):
        losses.delta(nats(1), relative_width=0)
    for delta in (0, 1):
        with pytest.raises(DomainError, match="delta"):
            losses.epsilon(delta)
    for rate in (-1, 2):
        with pytest.raises(DomainError, match="sampling_probability"):
            poisson_subsampled(one, sampling_probability=rate)


@pytest.mark.parametrize("seed", range(12))
def test_few_losses_with_a_density_beside_outright_failures(seed):
    """Given the finite pair's outcome, the rest is one mechanism with a closed form."""
    draw = random.Random(seed)
    pair, q = random_pair(draw, 4), draw.choice(["1/10", "1/2", "9/10"])
    noise = poisson_subsampled(
        laplace_mechanism(scale=draw.choice(["1/10", "1/2", 1])), sampling_probability=q
    )
    noise = noise.reversed() if seed % 2 else noise
    epsilon = Epsilon.rational(Fraction(draw.randint(1, 12), 7))
    losses = pair.losses()
    with precision(200):
        truth = losses.infinity_mass().ball(200)
        for ratio, mass in losses.atoms:
            rest = enclosure(noise.delta(Epsilon(epsilon.exp / ratio)), relative_bits=90)
            ends = (arb(fmpq_of(end)) for end in (rest.lower, rest.upper))
            truth += mass.ball(200) * next(ends).union(next(ends))
        found = compose_certified([(pair, 1), (noise, 1)]).delta(epsilon, relative_width="1e-4")
        low, high = (arb(fmpq_of(end)) for end in (found.lower, found.upper))
        assert low <= truth * (1 + arb(2) ** -80) and truth * (1 - arb(2) ** -80) <= high
        assert found.width <= Fraction("1e-4") * found.lower
