"""The smallest ε for a δ that is all that P has where Q has none: the largest finite loss."""

from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest

from exactdp.accounting import compose, compose_certified, composed_randomized_response
from exactdp.divergences import Largest, Pair, PrivacyProfile
from exactdp.errors import UndecidedError
from exactdp.mechanisms import (
    Randomizer,
    binomial_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    laplace_mechanism,
    modular_noise,
    smallest_threshold,
    thresholded,
    truncated_discrete_laplace_mechanism,
    truncated_laplace_mechanism,
)
from exactdp.mechanisms.modular import _near
from exactdp.numbers import Epsilon, Exact, Real, exp, log, sqrt
from exactdp.numbers.arguments import any_epsilon
from exactdp.shuffle import (
    CountPair,
    Users,
    Victim,
    blanket_pair,
    shuffle_view,
    shuffle_worst_case,
)

LN2 = Epsilon.log(2)
PAIR = Pair.from_masses(["1/10", "6/10", "3/10"], [0, "3/10", "7/10"])
HALF = Randomizer.from_matrix([["1/2", "1/2"], [0, 1]])
LAPLACE, FAILING = laplace_mechanism(scale=1), composed_randomized_response
BITS = discrete_laplace_mechanism(rate=LN2)


def ends(found):
    """ε as an enclosure of nats, or None."""
    if isinstance(found, Epsilon):
        return None if found.is_infinite else (found.exp, found.exp)
    return Exact.exp(found.lower), Exact.exp(found.upper)


@pytest.mark.parametrize(
    ("profile", "delta", "ratio"),
    [
        (PAIR, "1/10", Exact(2)),
        (compose_certified([(PAIR, 1)]), "1/10", Exact(2)),
        (compose_certified([(PAIR, 3)]), 1 - Fraction(9, 10) ** 3, Exact(8)),
        (compose_certified([(PAIR, 1), (LAPLACE, 1)]), "1/10", 2 * Exact.exp(1)),
        (compose([(LAPLACE, 1), (FAILING(Epsilon.rational(1), 1, delta0="1e-6"), 1)]), "1e-6",
         Exact.exp(2)),
        (FAILING(LN2, 2, delta0="1/10"), "19/100", Exact(4)),
        # Beyond 1,000 copies, of an ε0 whose powers are not short numbers.
        (FAILING(Epsilon.rational(8), 1001, delta0="1/4000"),
         1 - Fraction(3999, 4000) ** 1001, Exact.exp(8008)),
        (thresholded(BITS, threshold=1), "1/3", Exact(1)),
        (thresholded(LAPLACE, threshold=1), "1/2", Exact(1)),
        (truncated_laplace_mechanism(scale=1, radius=1), "1/2", Exact.exp(1)),
        (shuffle_view(Victim(HALF, (0, 1)), [Users(HALF, 1, 3)]).at_scale(), "1/2", Exact(1)),
        (shuffle_worst_case(3, Randomizer.from_matrix([["1/2", "1/2", 0], [0, 1, 0]])), "1/2",
         Exact(1)),
        (binomial_mechanism(trials=3), "1/8", Exact(3)),
        # ln 2 of the pair, and all that two residues of two coins modulo 3 differ by.
        (compose([(FAILING(LN2, 1, delta0="1/9"), 1), (modular_noise(binomial_mechanism(trials=2),
                                                                     modulus=3), 1)]),
         "1/9", Exact(4)),
    ],
)  # fmt: skip
def test_it_is_the_largest_finite_loss(profile, delta, ratio):
    found = profile.epsilon(delta)
    low, high = ends(found)
    assert low <= ratio <= high
    assert high <= low * Exact.exp("1/50")
    # δ is the mass from there on, and certainly more before.
    at, target = Epsilon(ratio), Exact(delta)
    reached = profile.delta(at, relative_width="1e-6")
    assert reached.lower <= target <= reached.upper
    assert (reached.upper - reached.lower) * 10**6 <= target
    if ratio > 1:
        before = profile.delta(Epsilon(ratio) - Epsilon.rational("1/8"), relative_width="1e-2")
        assert target < before.lower
    for width in ("1e-3", "1e-12"):
        low, high = ends(profile.epsilon(delta, relative_width=width))
        assert low <= ratio <= high


@pytest.mark.parametrize("threshold_delta", ["1/3", "1/6", "1/5"])
def test_the_smallest_threshold_passes_its_own_check(threshold_delta):
    threshold = smallest_threshold(BITS, LN2, threshold_delta)
    found = thresholded(BITS, threshold=threshold)
    assert found.delta(LN2) <= Exact(threshold_delta)
    low, high = ends(found.epsilon(threshold_delta))
    assert low <= high <= 2


@pytest.mark.parametrize(
    "profile",
    [
        compose([(discrete_gaussian_mechanism(sigma=1), 1), (FAILING(LN2, 1, delta0="1/9"), 1)]),
        compose_certified([(PAIR, 1), (discrete_gaussian_mechanism(sigma=2), 1)]),
    ],
)
def test_it_is_infinite_where_losses_are_unbounded(profile):
    mass = profile.infinity_mass()
    assert profile.epsilon(mass) == Epsilon.infinity()
    assert profile.epsilon(mass / 2) == Epsilon.infinity()


# --- against the exact laws --------------------------------------------------------


def view_of(n, p, q, m):
    """The laws of histograms of a victim's message of law p or q and n − 1 of law m, by listing."""
    found = {}
    for sent in product(range(len(m)), repeat=n - 1):
        rest = prod((m[y] for y in sent), start=Fraction(1))
        for y in range(len(m)):
            key = tuple(sorted((*sent, y)))
            a, b = found.get(key, (0, 0))
            found[key] = a + rest * p[y], b + rest * q[y]
    return Pair.from_masses([a for a, _ in found.values()], [b for _, b in found.values()])


LAWS = [
    [[Fraction(x) for x in row.split()] for row in rows]
    for rows in (("1/2 1/2", "0 1"), ("1/2 1/4 1/4", "0 1/4 3/4"), ("1/3 2/3 0", "0 1/8 7/8"))
]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("rows", LAWS)
def test_views_at_scale_have_that_of_the_listed_view(rows, others, n):
    r = Randomizer.from_matrix(rows)
    groups = [Users(r, others, n - 1)] if n > 1 else []
    view = shuffle_view(Victim(r, (0, 1)), groups)
    listed = view_of(n, *rows, rows[others])
    for one, truth in ((view.at_scale(), listed), (view.reversed().at_scale(), listed.reversed())):
        try:
            mass = one.infinity_mass()
        except UndecidedError:  # sums of scores do not say
            continue
        top = one.largest_finite_loss()
        top = max(top, Epsilon.log(1))
        assert top == truth.epsilon(truth.infinity_mass())
        assert mass == truth.infinity_mass()
        if 0 < mass < 1:
            low, high = ends(one.epsilon(mass))
            assert low <= top.exp <= high


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("rows", LAWS)
def test_blankets_ask_each_pair_of_inputs(rows, n):
    least = [min(column) for column in zip(*rows, strict=True)]
    if sum(least) == 0:
        return
    found = blanket_pair(n, Randomizer.from_matrix(rows))
    ways = [blanket_pair(n, found.randomizer, inputs=pair) for pair in ((0, 1), (1, 0))]
    mass = found.infinity_mass()
    assert mass == max(one.infinity_mass() for one in ways)
    low, high = ends(found.epsilon(mass))
    # At a limit of one pair of inputs, the other may be above it for longer, or be done.
    truth = Largest(tuple(ways)).epsilon(mass)
    assert (low, high) == ends(truth)
    width = found.delta(Epsilon(high), relative_width="1e-9")
    assert width.lower <= mass * (1 + Fraction(1, 10**8))


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize(
    ("a", "r"),
    [("1", "1/3"), ("1", "1/2"), ("1/2", "1/3"), ("1/5", "1/2"), ("1/2", "0"), ("1", "0")],
)
def test_counts_have_that_of_their_exact_laws(n, a, r):
    pair = CountPair(n, Exact(a), Exact(0), Exact(r))
    exact = pair.pair()
    mass = pair.infinity_mass()
    assert mass == exact.infinity_mass()
    assert pair.largest_finite_loss() == exact.epsilon(mass)
    if 0 < mass < 1:
        low, high = ends(pair.epsilon(mass))
        assert low <= exact.epsilon(mass).exp <= high


def test_masses_of_many_users_stay_short():
    """Of a million users it is a real, and no number of two million bits."""
    many = CountPair(10**6, Exact("1/2"), Exact(0), Exact("1/4"))
    assert isinstance(many.infinity_mass(), Real)
    assert many.epsilon("1e-3").upper < 1


@pytest.mark.parametrize("size", [1, 2, 5])
def test_noise_with_a_least_value_has_that_of_its_masses(size):
    short = truncated_discrete_laplace_mechanism(rate=LN2, radius=2, sensitivity=size)
    for noise, law in (
        (binomial_mechanism(trials=4, sensitivity=size), [1, 4, 6, 4, 1]),
        (short, [1, 2, 4, 2, 1]),
    ):
        ratios = [Fraction(law[k], law[k - size]) for k in range(size, 5)]
        top = max(noise.largest_finite_loss(), Epsilon.log(1))
        assert top.exp == max([Fraction(1), *ratios])


@pytest.mark.parametrize(("trials", "modulus", "size"), [(40, 42, 3), (40, 50, 3), (40, 60, 2)])
def test_noise_that_does_not_quite_wrap_has_that_of_its_residues(trials, modulus, size):
    """What has long masses answers as enclosures; the truth from plain fractions."""
    noise = binomial_mechanism(trials=trials, sensitivity=size)
    for s in {size, modulus - size}:
        found = _near(noise, modulus, s).largest_finite_loss()
        law = [Fraction(0)] * modulus
        for k in range(trials + 1):
            law[(k + noise.support[0]) % modulus] += Fraction(comb(trials, k), 2**trials)
        both = [(p, law[(x - s) % modulus]) for x, p in enumerate(law)]
        truth = max((p / q for p, q in both if p and q), default=Fraction(1))
        ball = found.nats.ball(128) if isinstance(found, Epsilon) else found.ball(128)
        assert ball.exp().overlaps(Exact(truth).ball(128))
        assert ball.rel_accuracy_bits() > 80 or truth == 1


# --- what cannot be told ------------------------------------------------------------


class Open(PrivacyProfile):
    """δ is 1/2 from ε = 1 on, by a real that no ball tells from it."""

    def __init__(self, mass):
        self.mass = mass

    def delta(self, epsilon, *, relative_width=None):
        any_epsilon(epsilon)
        return self.mass

    def max_divergence(self):
        return Epsilon.infinity()

    def infinity_mass(self):
        return self.mass

    def reversed(self):
        return self


def test_a_mass_that_is_not_told_from_the_target_is_said_so():
    with pytest.raises(UndecidedError, match=r"cannot be told from the mass .* Ask for another"):
        Open(sqrt(2) / sqrt(8)).epsilon("1/2")


def test_a_largest_loss_that_is_not_known_is_said_so():
    with pytest.raises(UndecidedError, match="the largest finite loss is not known"):
        Open(Exact("1/2")).epsilon("1/2")


def test_a_real_that_is_certainly_the_target_counts_as_equal():
    """A ball without radius: neither is below the other."""
    dyadic = Real(lambda: Exact("1/2").ball(64), "one half")
    with pytest.raises(UndecidedError, match="the largest finite loss is not known"):
        Open(dyadic).epsilon("1/2")


def test_the_largest_loss_may_be_a_real():
    scale = log(3)
    noise = truncated_laplace_mechanism(scale=scale, radius=1)
    assert noise.largest_finite_loss().ball(64).overlaps((1 / log(3)).ball(64))
    assert exp(noise.largest_finite_loss()).ball(64) > 2
