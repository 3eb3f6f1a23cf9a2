"""Trade-off functions and Rényi divergences from δ alone, by closed forms, exact laws, mpmath."""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import mpmath
import pytest

from exactdp.divergences import Pair, trade_off_function
from exactdp.divergences.duality import trade_off_enclosure
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure
from tests.routes.kinds import OnlyDelta
from tests.routes.reals import mpf_of


def is_within(found, truth, width):
    """Return whether an enclosure meets that of the truth, and is as narrow as asked."""
    around = enclosed(truth, "1e-60")
    meets = found.lower <= around.upper and around.lower <= found.upper
    return meets and found.width <= Fraction(width) * found.lower


def random_pair(seed):
    random = Random(seed)
    p, q = ([random.choice([0, 1, 2, 5, 40, 10**6]) for _ in range(5)] for _ in range(2))
    p[0] = q[0] = 3
    return Pair.from_masses([Fraction(a, sum(p)) for a in p], [Fraction(b, sum(q)) for b in q])


@pytest.mark.parametrize("seed", range(25))
def test_the_dual_of_an_exact_profile_is_its_trade_off_function(seed):
    pair = random_pair(seed)
    for alpha in ("1e-9", "1/7", "1/2", "0.999"):
        truth = pair.trade_off(alpha)
        assert is_within(OnlyDelta(pair).trade_off(alpha, relative_width="1e-7"), truth, "1e-7")


@pytest.mark.parametrize("sigma", ["1/20", "1/2", "3", "100"])
@pytest.mark.parametrize("alpha", ["1e-10", "1/20", "0.99"])
def test_the_dual_of_a_gaussian_is_g_mu(sigma, alpha):
    gaussian = gaussian_mechanism(sigma=sigma)
    truth = gaussian.trade_off(alpha)
    for width in ("1e-2", "1e-10"):
        found = OnlyDelta(gaussian).trade_off(alpha, relative_width=width)
        assert is_within(found, truth, width)


def test_g_mu_from_the_definition():
    with mpmath.workdps(50):
        for alpha in ("1e-10", "1/20", "9/10"):
            level = mpf_of(alpha)
            score = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * level)
            missed = mpmath.ncdf(score - mpmath.mpf(3) / 2)
            found = gaussian_mechanism(sigma=2, sensitivity=3).trade_off(alpha)
            assert abs(Fraction(mpmath.nstr(missed, 40)) - enclosure(found).lower) < 1e-18


@pytest.mark.parametrize("alpha", ["1e-6", "1/20", "1/5", "1/2", "9/10"])
def test_the_dual_of_laplace_noise_is_its_closed_form(alpha):
    laplace = laplace_mechanism(scale=2, sensitivity=3)
    truth = laplace.trade_off(alpha)
    assert isinstance(truth, Exact)
    assert is_within(OnlyDelta(laplace).trade_off(alpha, relative_width="1e-9"), truth, "1e-9")


def test_laplace_by_hand():
    # ε0 = ln 4: rejecting half of P, at its median, leaves e^(−ε0)/2 of Q; 1 − 4α for few.
    laplace = laplace_mechanism(scale=1, sensitivity=Epsilon.log(4).nats)
    for alpha, missed in (("1/2", "1/8"), ("1/4", "1/4"), ("1/100", "96/100")):
        found = laplace.trade_off(alpha, relative_width="1e-9")
        assert is_within(found, Exact(missed), "1e-9")


def test_the_ends():
    # Outcomes: one that only P has (1/3), one that both have, one that only Q has (1/4).
    pair = Pair.from_masses(["1/3", "2/3", 0], [0, "3/4", "1/4"])
    for profile in (pair, OnlyDelta(pair)):
        assert profile.trade_off(0) == Exact("3/4")
        assert profile.trade_off(0, relative_width="1e-3") == Enclosure(
            Fraction(3, 4), Fraction(3, 4)
        )
        assert profile.trade_off("2/3") == profile.trade_off("0.9") == profile.trade_off(1) == 0
        zero = Enclosure(Fraction(0), Fraction(0))
        assert profile.trade_off("0.9", relative_width="1e-3") == zero
    assert OnlyDelta(pair).trade_off("1/3", relative_width="1e-9").contains(Exact("3/8"))
    for alpha in (-1, 2, 1.5):
        with pytest.raises(DomainError):
            pair.trade_off(alpha)


@pytest.mark.parametrize("seed", range(10))
def test_a_profile_that_answers_as_loosely_as_it_may_still_encloses_the_truth(seed):
    random, pair = Random(seed), random_pair(seed)

    def loosely(profile):
        def delta(epsilon, width):
            truth = profile.delta(epsilon)
            lower = truth.as_fraction() * (1 - width * Fraction(random.randrange(9), 9))
            return Enclosure(lower, max(truth.as_fraction(), lower * (1 + width)))

        return delta

    for alpha in (Fraction(1, 1000), Fraction(1, 3)):
        truth = trade_off_function(pair).type_two_error(alpha=alpha)
        if truth == 0:
            continue
        found = trade_off_enclosure(
            loosely(pair),
            loosely(pair.reversed()),
            level=Enclosure(alpha, alpha),
            relative_width=Fraction(1, 1000),
        )
        assert is_within(found, truth, "1e-3")


def test_what_is_too_wide_is_undecided():
    def wide(epsilon, width):
        return Enclosure(Fraction(1, 4), Fraction(1, 2))

    with pytest.raises(UndecidedError, match="too small to be told from 0"):
        trade_off_enclosure(
            wide,
            wide,
            level=Enclosure(Fraction(1, 2), Fraction(1, 2)),
            relative_width=Fraction(1, 10),
        )


def test_a_level_in_the_exact_field():
    level = Exact.exp(-3)
    found = OnlyDelta(gaussian_mechanism(sigma=1)).trade_off(level, relative_width="1e-6")
    assert is_within(found, gaussian_mechanism(sigma=1).trade_off(level), "1e-6")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("order", ["1/9", "1/2", "19/10", "5", "60"])
def test_the_integral_of_an_exact_profile_is_its_renyi_divergence(seed, order):
    pair = random_pair(seed)
    if Fraction(order) > 1 and pair.infinity_mass() != 0:
        assert OnlyDelta(pair).renyi(order) == pair.renyi(order) == Epsilon.infinity()
        return
    truth = pair.renyi(order, relative_width="1e-40")
    for width in ("1/2", "1/10", "1e-4", "1e-9"):
        assert is_within(OnlyDelta(pair).renyi(order, relative_width=width), truth, width)


@pytest.mark.parametrize("order", ["1/2", "99/100", "101/100", "2", "32", "1e9"])
@pytest.mark.parametrize("scale", ["1/10", "2", "100"])
def test_the_integral_of_laplace_noise_is_its_closed_form(order, scale):
    laplace = laplace_mechanism(scale=scale)
    truth = laplace.renyi(order, relative_width="1e-40")
    for width in ("1/2", "1e-3"):
        assert is_within(OnlyDelta(laplace).renyi(order, relative_width=width), truth, width)


@pytest.mark.parametrize("order", ["1/20", "1/2", "19/20"])
@pytest.mark.parametrize("sigma", ["1/3", "1", "100"])
def test_orders_below_one_need_no_largest_loss(order, sigma):
    truth = Exact(Fraction(order) / (2 * Fraction(sigma) ** 2))
    only = OnlyDelta(gaussian_mechanism(sigma=sigma))
    for width in ("9/10", "1/10", "1e-2"):
        assert is_within(only.renyi(order, relative_width=width), truth, width)


def test_randomized_response_by_hand():
    # E_Q R^a = (3^a + 3^(1 − a))/4: one vertex, which the first two lines meet at.
    coin = OnlyDelta(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
    with mpmath.workdps(40):
        for order in (Fraction(1, 3), Fraction(7, 2)):
            a = mpf_of(order)
            truth = mpmath.log((3**a + 3 ** (1 - a)) / 4) / (a - 1)
            found = coin.renyi(order, relative_width="1e-12")
            assert abs(Fraction(mpmath.nstr(truth, 35)) - found.lower) < 1e-25
            assert found.width < 1e-25


def test_loose_answers_still_enclose_the_renyi_divergence():
    @dataclass(frozen=True)
    class Loose(OnlyDelta):
        def delta(self, epsilon, *, relative_width=None):
            truth = self.inner.delta(epsilon).as_fraction()
            share = Fraction(hash(epsilon.exp.as_fraction()) % 10, 9)
            lower = truth * (1 - Fraction(relative_width) / 2 * share)
            return Enclosure(lower, max(truth, lower * (1 + Fraction(relative_width))))

        def reversed(self):
            return Loose(self.inner.reversed())

    for seed in range(12):
        pair = random_pair(seed)
        for order in ("1/2", "3"):
            if Fraction(order) < 1 or pair.infinity_mass() == 0:
                truth = pair.renyi(order, relative_width="1e-40")
                for width in ("9/10", "1/3", "1e-2"):
                    found = Loose(pair).renyi(order, relative_width=width)
                    assert is_within(found, truth, width)


def test_the_width_without_one_and_what_says_nothing():
    same = Pair.from_masses(["1/3", "2/3"], ["1/3", "2/3"])
    assert OnlyDelta(same).renyi(3) == Enclosure(Fraction(0), Fraction(0))
    laplace = OnlyDelta(laplace_mechanism(scale=1))
    assert is_within(laplace.renyi(2), laplace_mechanism(scale=1).renyi(2), "1e-3")


def test_what_delta_alone_does_not_tell_is_undecided_in_one_line():
    noise = OnlyDelta(gaussian_mechanism(sigma=1))
    with pytest.raises(UndecidedError, match="order=2 needs a bound of the losses") as unbounded:
        noise.renyi(2)
    with pytest.raises(UndecidedError, match=r"values of δ, which gave \[0\.2\d+") as narrow:
        noise.renyi("1/2", relative_width="1e-12")
    for error in (unbounded, narrow):
        assert "\n" not in str(error.value) and "Ask for" in str(error.value)
