"""A stranger's description of a loss, composed and sampled, against the library's own."""

from fractions import Fraction

import mpmath
import pytest
from flint import acb, arb
from mpmath import mp

from exactdp.accounting import LossProfile, compose, dp_sgd, poisson_subsampled
from exactdp.divergences import Pair
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.mechanisms.losses.gaussian_loss import GaussianLoss
from exactdp.numbers import Epsilon, Exact, precision
from exactdp.sums import AtomLattice, LossDensity, LossLaw, exact_masses
from tests.routes.reals import mpf_of
from tests.unit.sums.test_densities import Logistic


class TailsAlone(LossDensity):
    """A density of the library without its transform."""

    def __init__(self, known):
        self.known = known

    def total(self):
        return self.known.total()

    def above(self, t):
        return self.known.above(t)

    def below(self, t):
        return self.known.below(t)

    def ends(self):
        return self.known.ends()


LOGISTIC = LossProfile(LossLaw(density=Logistic(Exact("3/2")), is_symmetric=True))
GAUSSIAN = LossProfile(LossLaw(density=TailsAlone(GaussianLoss(Exact(1))), is_symmetric=True))


def _laplace():
    law = laplace_mechanism(scale=1).loss_law()
    density = TailsAlone(law.density)
    atoms = exact_masses([-1, 1], [Exact.exp(-1) / 2, Exact("1/2")])
    lattice = AtomLattice(Exact(0), Exact(1), Exact.exp(1), atoms)
    return LossProfile(LossLaw(lattice=lattice, density=density, is_symmetric=True))


LAPLACE = _laplace()


def overlap(first, second):
    return first.lower <= second.upper and second.lower <= first.upper


@pytest.mark.parametrize("x", ["-2", "-1/2", "0", "3/10", "7/5", "3/2", "4"])
def test_delta_is_that_of_the_noise(x):
    """δ of logistic noise from its definition: the two laws cross at one point."""

    def cdf(y):
        return 1 / (1 + mp.exp(-mp.mpf(3) / 2 * y))

    eps = mpf_of(x)

    def excess(y):  # of the event {noise < y}
        return cdf(y) - mp.exp(eps) * cdf(y - 1)

    truth = max(0, 1 - mp.exp(eps))
    if abs(eps) < 1.5:
        r, w = mp.exp(mp.mpf("1.5")), mp.exp((eps + mp.mpf("1.5")) / 2)
        truth = excess(-mp.log((w - 1) / (r - w)) / mp.mpf("1.5"))
        assert all(excess(mp.mpf(k) / 10) <= truth + 1e-14 for k in range(-60, 60))
    found = LOGISTIC.delta(Epsilon.rational(x), relative_width="1e-9")
    assert float(found.lower) - 1e-14 <= truth <= float(found.upper) + 1e-14


@pytest.mark.parametrize("rate", [None, "1/2", "1/100"])
@pytest.mark.parametrize(
    ("ours", "known"),
    [(GAUSSIAN, gaussian_mechanism(sigma=1)), (LAPLACE, laplace_mechanism(scale=1))],
    ids=["gaussian", "laplace"],
)
def test_tails_alone_give_what_transforms_give(ours, known, rate):
    parts = [
        one if rate is None else poisson_subsampled(one, sampling_probability=rate)
        for one in (ours, known)
    ]
    for turn in (lambda one: one, lambda one: one.reversed()):
        for n in (1, 3, 40):
            first, second = (turn(compose([(part, n)])) for part in parts)
            at = Epsilon.rational("1/10" if rate == "1/100" else 1)
            width = "1e-3"
            a, b = (one.delta(at, relative_width=width) for one in (first, second))
            assert overlap(a, b)
            a, b = (one.epsilon("1e-4", relative_width=width) for one in (first, second))
            assert overlap(a, b)


def test_dp_sgd_from_normal_tails():
    step = poisson_subsampled(GAUSSIAN, sampling_probability="1/100")
    found = compose([(step, 1000)]).both_directions().epsilon("1e-5", relative_width="1e-3")
    known = dp_sgd(noise_multiplier=1, sampling_probability="1/100", steps=1000).epsilon(
        "1e-5", relative_width="1e-6"
    )
    assert overlap(found, known) and found.upper < found.lower * Fraction("1.001")


def test_moments_from_tails_add_up():
    """Of losses with ends: from δ of one step where the transform is not known."""
    plain = LossProfile(LossLaw(density=TailsAlone(Logistic(Exact("3/2"))), is_symmetric=True))
    one, two = (
        compose([(poisson_subsampled(part, sampling_probability="1/10"), 5)]).renyi(
            2, relative_width="1e-3"
        )
        for part in (plain, LOGISTIC)
    )
    assert overlap(one, two)
    whole = LOGISTIC.renyi(3, relative_width="1e-12")
    # E_P e^(2L) = ∫ e^(5ℓ/2)/(4 sinh(a/2)) = sinh(5a/2)/(5 sinh(a/2)).
    truth = mp.log(mp.sinh(mp.mpf("3.75")) / (5 * mp.sinh(mp.mpf("0.75")))) / 2
    assert abs(float(whole.lower) - truth) < 1e-12


@pytest.mark.parametrize("gamma", ["1/3", 1, 2, 5])
def test_masses_at_infinity_are_those_of_the_pair(gamma):
    pair = Pair.from_masses(["1/2", "1/4", "1/4", 0], ["1/8", "1/2", 0, "3/8"])
    losses = pair.losses()
    law = LossLaw.of_atoms(
        losses.atoms,
        infinity_mass=losses.infinity_mass(),
        minus_infinity_mass=losses.minus_infinity_mass(),
    )
    ours, at = LossProfile(law), Epsilon.log(gamma)
    assert ours.max_divergence() == Epsilon.infinity() and ours.infinity_mass() == Exact("1/4")
    for mine, known in ((ours, pair), (ours.reversed(), pair.reversed())):
        assert mine.delta(at, relative_width="1e-9").contains(known.delta(at))
    first, second = (poisson_subsampled(one, sampling_probability="1/5") for one in (ours, pair))
    for mine, known in ((first, second), (first.reversed(), second.reversed())):
        assert mine.delta(at, relative_width="1e-9").contains(known.delta(at))
        found = compose([(mine, 2)]).delta(at, relative_width="1e-6")
        assert found.contains(compose([(known, 2)]).delta(at))


def test_what_leaves_out_masses_is_no_profile():
    with pytest.raises(DomainError, match="leaves out masses"):
        LossProfile(discrete_gaussian_mechanism(sigma=1).loss_law())


def test_a_profile_without_a_loss_has_no_delta():
    same = LossProfile(LossLaw.of_atoms([(Exact(1), Exact(1))]))
    assert same.delta(Epsilon.log(1)) == Exact(0)
    assert same.delta(Epsilon.log("1/2"), relative_width="1e-9").contains(Exact("1/2"))


def test_a_law_whose_masses_do_not_sum_to_1_is_refused():
    with pytest.raises(DomainError, match="the masses of Q sum to"):
        LossProfile(LossLaw.of_atoms([(Exact("1/3"), Exact(1))]))
    with pytest.raises(DomainError, match="the masses of P sum to"):
        LossProfile(LossLaw.of_atoms([(Exact(3), Exact("1/2"))]))


def test_the_transform_of_positive_losses_begins_where_the_losses_do():
    density = Logistic(Exact("3/2")).shifted(Exact("1/10")).positive()  # all losses are positive
    with precision(128):
        [found] = density.transform.along(acb(0), arb(0), count=1)
        assert found.real.contains(density.total()[0].mid()) and found.real.rad() < 1e-9


class Hyperbolic(LossDensity):
    """A loss whose density is e^(loss/2 − 3√(1 + loss²)) up to a factor, by a formula for it."""

    def __init__(self, formula):
        self.formula = formula

    def ends(self):
        return Exact("-3/2"), Exact("3/2")

    def above(self, t):
        raise AssertionError("no tail is asked for")

    def below(self, t):
        raise AssertionError("no tail is asked for")

    def log_density(self, loss):
        return self.formula(loss) - _NORM.log()


def _of_hyperbola(s):
    with mp.workdps(40):
        return mp.quad(lambda x: mp.exp((s + 0.5) * x - 3 * mp.sqrt(1 + x * x)), [-1.5, 0, 1.5])


with precision(140):
    _NORM = arb(mpmath.nstr(_of_hyperbola(0), 38), 1e-36)


@pytest.mark.parametrize(
    "formula",
    [
        lambda x: x / 2 - 3 * (1 + x * x).sqrt(),  # finite around the branch points ±i
        lambda x: x / 2 - 3 * (1 + x * x) ** acb("0.5"),
        lambda x: x / 2 - 3 * abs(1 + x * x).sqrt(),  # right on the line alone
        lambda x: -x / 2 - 3 * (1 + x * x).sqrt(analytic=True),  # that of Q
        lambda x: x / 2 - 3 * (1 + x * x).sqrt(analytic=True) + arb("1e-9"),
    ],
)
def test_a_density_that_is_not_analytic_or_not_that_of_the_tails_is_refused(formula):
    with pytest.raises(DomainError, match=r"the density gives [PQ] the mass"):
        LossProfile(LossLaw(density=Hyperbolic(formula), is_symmetric=True))


def test_a_density_with_branch_points_near_its_losses_has_its_moments():
    one = LossProfile(
        LossLaw(
            density=Hyperbolic(lambda x: x / 2 - 3 * (1 + x * x).sqrt(analytic=True)),
            is_symmetric=True,
        )
    )
    for order in (2, 5):
        found = one.renyi(order, relative_width="1e-25")
        with mp.workdps(40):
            truth = mp.log(_of_hyperbola(order - 1) / _of_hyperbola(0)) / (order - 1)
            low, high = (mpf_of(x) for x in (found.lower, found.upper))
            assert low - mp.mpf(10) ** -30 <= truth <= high + mp.mpf(10) ** -30


class Step(LossDensity):
    """A loss that P has evenly on the interval from 0 to 1; Q has e^-loss of that."""

    def ends(self):
        return Exact(0), Exact(1)

    def total(self):
        return self.above(arb(0))

    def above(self, t):
        low = t.max(arb(0)).min(arb(1))
        return 1 - low, (-low).exp() - arb(-1).exp()

    def below(self, t):
        high = t.max(arb(0)).min(arb(1))
        return high, 1 - (-high).exp()


@pytest.mark.parametrize("x", ["17/10", "19/10", "1999/1000", "19999/10000"])
def test_just_below_the_largest_sum_there_is_an_answer_or_a_refusal(x):
    """Two losses and a loss far below them; of c = x, ∫ (2 − s)(1 − e^(c − s)) ds from c to 2."""
    rate = Fraction(999_999, 1_000_000)
    law = LossLaw(density=Step(), minus_infinity_mass=Exact.exp(-1))
    one = poisson_subsampled(LossProfile(law), sampling_probability=rate)
    try:
        found = compose([(one, 2)]).delta(Epsilon.rational(x), relative_width="1/10")
    except TooLargeError as error:
        assert "Ask" in str(error)
        assert Fraction(x) > Fraction(3, 2)
        return
    gap = 2 - mpf_of(Fraction(x))
    near = gap**2 / 2 - (gap - 1 + mp.exp(-gap))  # of q = 1; their δ differ by less than 1/20
    assert mpf_of(found.lower) <= near * 1.05 and near * 0.95 <= mpf_of(found.upper)
    assert found.width <= found.lower / 10
