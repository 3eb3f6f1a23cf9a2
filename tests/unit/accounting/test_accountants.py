"""The accountant objects: doubles rounded up, the protocols of opacus and dp-accounting."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf
from types import SimpleNamespace

import mpmath
import pytest

from exactdp.accounting import CertifiedPLD
from exactdp.accounting.accountants.doubles_out import Spent
from exactdp.accounting.dp_accounting import Accountant as EventAccountant
from exactdp.accounting.dp_recorder import accountant as certified
from exactdp.accounting.opacus import Accountant
from exactdp.accounting.sampling.batches import poisson_subsampled
from exactdp.accounting.sampling.poisson import PoissonSubsampled
from exactdp.divergences import NumberProfile, Pair, PrivacyProfile
from exactdp.errors import DomainError, ParseError, TooLargeError, UndecidedError
from exactdp.mechanisms import (
    bounded_laplace_mechanism,
    exponential_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.sums import LossDensity, LossLaw
from tests.routes.reals import mpf_of

SIGMA, RATE = 1.1, 0.01


def test_a_double_out_is_above_the_truth_and_as_near_as_promised():
    one = gaussian_mechanism(sigma=2)
    spent = Spent([(one, 1)])
    truth = one.epsilon("1/1000", relative_width="1e-15")
    assert truth.lower <= spent.epsilon(1 / 1000) <= truth.upper * (1 + 2e-4)
    near = Spent([(one, 1)], relative_width="1e-9")
    assert truth.lower <= near.epsilon(1 / 1000) <= truth.upper * (1 + 2e-9)
    value = one.delta(Epsilon.rational(1), relative_width="1e-15")
    assert value.lower <= spent.delta(1.0) <= float(value.upper) * (1 + 2e-4)
    assert (spent.epsilon(0), spent.epsilon(1)) == (inf, 0)
    pure = Spent([(laplace_mechanism(scale=3), 2)]).epsilon(0)
    assert 2 / 3 < pure <= (2 / 3) * (1 + 1e-4)
    for delta in (-1.0, inf, float("nan")):
        with pytest.raises(DomainError, match="delta"):
            spent.epsilon(delta)


def test_an_accountant_is_as_near_as_it_is_asked_to_be():
    rough, near = Accountant(relative_width="1e-2"), Accountant(relative_width="1e-8")
    for accountant in (rough, near):
        accountant.history = [(2.0, 1.0, 4)]  # one Gaussian of μ = 1
    truth = gaussian_mechanism(sigma=1).epsilon("1e-5", relative_width="1e-12")
    found = [one.get_epsilon(float(Fraction("1e-5"))) for one in (rough, near)]
    assert all(truth.lower <= value for value in found)
    assert found[1] <= truth.upper * (1 + 2e-8) and found[0] <= truth.upper * 1.02
    for width in (2, 0, "x"):
        with pytest.raises((DomainError, ParseError)):
            Accountant(relative_width=width)


def test_steps_of_opacus_are_a_composition():
    accountant = Accountant()
    for _ in range(400):
        accountant.step(noise_multiplier=SIGMA, sample_rate=RATE)
    hook = accountant.get_optimizer_hook_fn(RATE / 2)
    hook(SimpleNamespace(noise_multiplier=2 * SIGMA, accumulated_iterations=2))
    assert accountant.history == [(SIGMA, RATE, 400), (2 * SIGMA, RATE, 1)]
    assert (len(accountant), accountant.mechanism()) == (401, "exactdp")
    # Doubles are meant exactly: 0.01 is not 1/100.
    sampled = CertifiedPLD.from_gaussian_mechanism
    whole = sampled("1.1", sampling_prob="0.01").self_compose(400)
    truth = whole.compose(sampled("2.2", sampling_prob="0.01")).epsilon("1e-5")
    found = accountant.get_epsilon(delta=1e-5)
    assert float(truth.lower) * (1 - 1e-9) <= found <= float(truth.upper) * (1 + 2e-4)


def test_what_opacus_may_pass():
    accountant = Accountant()
    assert accountant.get_epsilon(1e-5) == 0
    accountant.step(noise_multiplier=0.0, sample_rate=0.0)
    assert accountant.get_epsilon(1e-5) == 0
    for sigma, rate in ((-1.0, 0.1), (1.0, 1.5), (float("nan"), 0.1), (1.0, inf)):
        with pytest.raises(DomainError):
            accountant.step(noise_multiplier=sigma, sample_rate=rate)
    accountant.step(noise_multiplier=0.0, sample_rate=0.1)
    assert accountant.get_epsilon(1e-5) == inf


def test_without_the_library_one_line_says_so():
    try:
        import dp_accounting  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install dp-accounting"):
            EventAccountant()


def test_events_of_dp_accounting_are_between_its_own_lower_and_upper_ends():
    """Its losses rounded down, and its accountant, which rounds them up."""
    events = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    gaussian, laplace = pld.from_gaussian_mechanism, pld.from_laplace_mechanism
    sampled = events.PoissonSampledDpEvent(RATE, events.GaussianDpEvent(SIGMA))
    several = events.ComposedDpEvent([events.GaussianDpEvent(5.0), events.LaplaceDpEvent(7.0)])
    few = events.PoissonSampledDpEvent(0.25, events.LaplaceDpEvent(2.0))
    for event, count, parts in (
        (events.SelfComposedDpEvent(sampled, 100), 2, [(gaussian, SIGMA, RATE, 200)]),
        (several, 2, [(gaussian, 5.0, 1.0, 2), (laplace, 7.0, 1.0, 2)]),
        (few, 1, [(laplace, 2.0, 0.25, 1)]),
    ):
        ours = EventAccountant().compose(event, count)
        theirs = pytest.importorskip("dp_accounting.pld").PLDAccountant().compose(event, count)
        below = pld.identity(1e-3, pessimistic_estimate=False)
        for make, scale, rate, times in parts:
            one = make(
                scale,
                sampling_prob=rate,
                pessimistic_estimate=False,
                value_discretization_interval=1e-3,
                use_connect_dots=False,
            )
            below = below.compose(one.self_compose(times))
        for name, asked, other in (
            ("get_epsilon", 1e-4, below.get_epsilon_for_delta),
            ("get_delta", 0.1, below.get_delta_for_epsilon),
        ):
            found, least, most = (
                getattr(ours, name)(asked),
                other(asked),
                getattr(theirs, name)(asked),
            )
            assert ours.note in (None, "wider: the relative width 1/1000 was reached, not 1/10000")
            assert most / 3 < least <= found
            assert found <= most * (1 + (2e-4 if ours.note is None else 2e-3))
        assert ours.ledger == theirs.ledger


def test_events_that_dp_accounting_wants_known_or_refused():
    events = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    accountant = EventAccountant()
    assert accountant.compose(events.NoOpDpEvent()).get_epsilon(1e-5) == 0
    for event, error in (
        (events.UnsupportedDpEvent(), events.UnsupportedEventError),
        (
            events.PoissonSampledDpEvent(0.5, events.UnsupportedDpEvent()),
            events.UnsupportedEventError,
        ),
        (events.PoissonSampledDpEvent(1.5, events.GaussianDpEvent(1.0)), ValueError),  # as theirs
    ):
        assert not accountant.supports(event)
        with pytest.raises(error):
            accountant.compose(events.ComposedDpEvent([events.GaussianDpEvent(1.0), event]))
    assert accountant.get_epsilon(1e-5) == 0
    assert accountant.compose(events.NonPrivateDpEvent()).get_epsilon(1e-5) == inf


def test_a_harness_composes_certified_losses_and_nothing_else():
    """As dp-recorder does: each call's parameters by name, composed one by one."""
    laplace = certified(lambda l1_sensitivity, scale: CertifiedPLD.from_laplace_mechanism(scale))
    gaussian = certified(lambda sigma: CertifiedPLD.from_gaussian_mechanism(sigma))
    calls = [laplace(l1_sensitivity=1.0, scale=3.5), gaussian(sigma=2), laplace(1.0, 3.5)]
    whole = calls[0].compose(calls[1]).compose(calls[2])
    truth = CertifiedPLD.from_laplace_mechanism("7/2").self_compose(2)
    truth = truth.compose(CertifiedPLD.from_gaussian_mechanism(2))
    epsilon, delta = truth.epsilon("0.01"), truth.delta(Epsilon.rational(1))
    assert epsilon.lower <= whole.get_epsilon_for_delta(0.01) <= float(epsilon.upper) * (1 + 2e-4)
    assert delta.lower <= whole.get_delta_for_epsilon(1.0) <= float(delta.upper) * (1 + 2e-4)
    with pytest.raises(DomainError, match="a SimpleNamespace is not a certified privacy loss"):
        whole.compose(SimpleNamespace())
    with pytest.raises(DomainError, match="sigma=nan is not finite"):
        gaussian(sigma=float("nan"))
    # A double is meant exactly, whichever number it prints as.
    assert gaussian(sigma=0.1).losses != CertifiedPLD.from_gaussian_mechanism("0.1")


# --- what is too large to compute ------------------------------------------------


def fails_below(monkeypatch, width):
    """Refuse what is narrower, in one way or the other."""
    for name, error in (("epsilon", TooLargeError), ("delta", UndecidedError)):
        monkeypatch.setattr(CertifiedPLD, name, limited(name, error, width))


def limited(name, error, width):
    whole = getattr(CertifiedPLD, name)

    def answer(self, at, *, relative_width):
        if relative_width < width:
            raise error("too narrow.")
        return whole(self, at, relative_width=relative_width)

    return answer


@pytest.mark.parametrize("digits", [3, 2])
def test_what_is_too_narrow_is_wider_and_says_so(digits, monkeypatch):
    accountant = Accountant()
    for _ in range(100):
        accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    recorded = certified(
        lambda sigma: CertifiedPLD.from_gaussian_mechanism(sigma, sampling_prob=Fraction(RATE))
    )(sigma=1.0)
    recorded.losses = recorded.losses.self_compose(100)
    truth, at = accountant.get_epsilon(1e-5), recorded.get_delta_for_epsilon(0.25)
    assert accountant.note is None and recorded.note is None
    fails_below(monkeypatch, Fraction(1, 10**digits))
    said = f"wider: the relative width 1/{10**digits} was reached, not 1/10000"
    width = Fraction(1, 10**digits)
    assert truth <= accountant.get_epsilon(1e-5) * (1 + Fraction(1, 10**4))
    assert accountant.get_epsilon(1e-5) <= truth * (1 + 2 * width)
    assert accountant.note == said
    assert at <= recorded.get_delta_for_epsilon(0.25) * (1 + Fraction(1, 10**4))
    assert recorded.get_delta_for_epsilon(0.25) <= at * (1 + 2 * width)
    assert recorded.note == said
    monkeypatch.undo()
    assert (accountant.get_epsilon(1e-5), accountant.note) == (truth, None)


def moment_bounds(sigma, rate, steps):
    """Rényi bounds of integer orders for removing a record: the closed binomial sum."""
    for a in range(2, 60):
        terms = (
            comb(a, k) * (1 - rate) ** (a - k) * rate**k * mpmath.exp(k * (k - 1) / (2 * sigma**2))
            for k in range(a + 1)
        )
        yield a, steps * mpmath.log(mpmath.fsum(terms)) / (a - 1)


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"), [(1.0, 0.01, 1000), (0.7, 0.5, 300), (3.0, 0.125, 400)]
)
def test_what_is_too_large_is_bounded_and_says_by_what(sigma, rate, steps, monkeypatch):
    """Between the truth and the best bound of integer order, here from mpmath."""
    accountant = Accountant()
    accountant.history = [(sigma, rate, steps)]
    truth = accountant.get_epsilon(1e-5)
    fails_below(monkeypatch, 1)
    found = accountant.get_epsilon(1e-5)
    with mpmath.workdps(40):
        best = min(
            top
            + (mpmath.log(10**5) + (a - 1) * mpmath.log(1 - mpmath.mpf(1) / a) - mpmath.log(a))
            / (a - 1)
            for a, top in moment_bounds(mpmath.mpf(sigma), mpmath.mpf(rate), steps)
        )
        assert truth < found < best * mpmath.mpf("1.01")
    assert accountant.note.startswith("looser: the Rényi bound of order ")
    assert accountant.note.endswith("; the relative width 1/100 was not reached")
    parts = [
        (
            poisson_subsampled(
                gaussian_mechanism(sigma=Fraction(sigma)), sampling_probability=Fraction(rate)
            ),
            steps,
        )
    ]
    spent = Spent(parts)
    assert spent.delta(found) >= 1e-5 * (1 - 1e-3)
    assert spent.note.startswith("looser: Chernoff's bound by Rényi divergences; ")


def test_bounds_where_losses_end_or_are_infinite(monkeypatch):
    laplace = (laplace_mechanism(scale=1), 20)
    leak = Pair.from_masses(["999999/1000000", "1/1000000"], [1, 0])
    fails_below(monkeypatch, 1)
    pure = Spent([laplace])
    assert pure.epsilon(1e-300) == pure.epsilon(0.0) == 20
    assert pure.epsilon(0.01) < pure.epsilon(1e-300)
    leaking = Spent([laplace, (leak, 1)])
    assert pure.epsilon(9e-6) * 0.999 < leaking.epsilon(1e-5) < pure.epsilon(9e-6) * 1.001
    assert leaking.note.startswith("looser: ")
    assert 1e-6 < leaking.delta(20.0) < 1.001e-6 and leaking.epsilon(1e-7) == inf
    noise = Spent([(bounded_laplace_mechanism(upper=1, scale=1, results="redrawn"), 1)])
    monkeypatch.setattr(CertifiedPLD, "delta", refuse)
    assert noise.delta(2.0) == 0  # by its largest loss
    assert noise.note.startswith("looser: Chernoff's bound by Rényi divergences; ")
    assert 0 < noise.delta(0.1) < 1  # by its distance, δ(0)
    assert noise.note.startswith("looser: the distances of the parts, added up; ")


@dataclass(frozen=True)
class Unknown(LossDensity):
    """Tails that are too large to compute, unbounded, of no known transform."""

    def above(self, t):
        return refuse()

    def below(self, t):
        return refuse()

    def ends(self):
        return None, None


@dataclass(frozen=True)
class OfNoSize(NumberProfile):
    """A profile without known facts."""

    def max_divergence(self):
        return Epsilon.infinity()

    def reversed(self):
        return self

    def loss_law(self):
        return LossLaw(density=Unknown(), is_symmetric=True)

    def _delta_at(self, gamma):
        return refuse()


@pytest.mark.parametrize("times", [1, 3])
def test_what_has_no_bound_is_infinite_and_says_so(times):
    spent = Spent([(OfNoSize(), times), (laplace_mechanism(scale=1), 1)])
    assert spent.epsilon(0.1) == inf
    assert spent.note.startswith("no bound: it is too large to compute, and no bound is known")
    assert spent.delta(0.1) == 1
    assert spent.note.startswith("no bound: ")
    assert (spent.epsilon(0.0), spent.epsilon(1.0)) == (inf, 0)


def test_exponential_mechanisms_are_composed_as_an_adaptive_analyst_may():
    """One alone is exact; two are at most their largest loss, and more than one alone."""
    alone = exponential_mechanism(scale=4)
    one, two = Spent([(alone, 1)]), Spent([(alone, 2)])
    truth = alone.delta(Epsilon.rational("1/4"), relative_width="1e-9")
    assert truth.lower <= one.delta(0.25) <= float(truth.upper) * (1 + 2e-4)
    assert one.epsilon(1e-2) < two.epsilon(1e-2) < 1 and two.note is None
    assert two.epsilon(0.0) == 1


def refuse(*_args, **_named):
    raise TooLargeError("of no size.")


def refuse_samples(patched):
    """What a sample has itself is too large to compute; what is sampled is not."""
    usual = PrivacyProfile.renyi_bound

    def bound(self, order, *, width):
        known = refuse if isinstance(self, PoissonSubsampled) else usual
        return known(self, order, width=width)

    patched.setattr(PrivacyProfile, "renyi_bound", bound)


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("rate", ["1e-6", "1e-2", "1/2", "999/1000"])
@pytest.mark.parametrize("sigma", ["3/10", "1", "30", "1000"])
def test_renyi_divergences_of_samples_of_all_sizes(sigma, rate, adds):
    """Integer orders are a binomial sum if a record is removed; none is above the mixture's."""
    one = poisson_subsampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate)
    one = one.reversed() if adds else one
    exact_sigma, exact_rate = Fraction(sigma), Fraction(rate)
    with mpmath.workdps(60):
        closed = dict(moment_bounds(*(mpf_of(x) for x in (exact_sigma, exact_rate)), 1))
    below = Fraction(0)
    for order in (Fraction("1.001"), Fraction("3/2"), Fraction(2), Fraction(32), Fraction("200.5")):
        found = one.renyi_bound(order, width=Fraction(1, 10**12))
        assert below <= found * (1 + Fraction(1, 10**11))  # it rises with the order
        below = found
        if order in closed and not adds:
            with mpmath.workdps(60):
                value = mpf_of(found)
                assert closed[order] <= value <= closed[order] * (1 + mpmath.mpf(10) ** -11)
        with pytest.MonkeyPatch.context() as patched:
            refuse_samples(patched)
            mixed = one.renyi_bound(order, width=Fraction(1, 10**12))
        assert found <= mixed * (1 + Fraction(1, 10**11))
        assert mixed <= order / (2 * exact_sigma**2)


@pytest.mark.parametrize("order", ["3/2", "2", "7"])
@pytest.mark.parametrize("rate", ["1e-9", "1/10", "1/2", "999999999/1000000000"])
@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        (["9/10", "1/10"], ["1/5", "4/5"]),  # much worse in one direction
        (["1/1000", "999/1000"], ["1/2", "1/2"]),
        (["1/4", "3/4", "0"], ["1/4", "1/4", "1/2"]),  # Q has 1/2 where P has nothing
        (["1/4", "1/4", "1/2"], ["1/4", "3/4", "0"]),  # P has 1/2 where Q has nothing
    ],
)
def test_the_mixture_bounds_the_renyi_divergence_of_its_own_direction(
    monkeypatch, p, q, adds, rate, order
):
    """From the masses, by mpmath: of removing over the finite losses, which are all of adding."""
    one = PoissonSubsampled(Pair.from_masses(p, q), Exact(rate), adds_record=adds)
    refuse_samples(monkeypatch)
    with mpmath.workdps(60):
        share, a = mpf_of(Fraction(rate)), mpf_of(Fraction(order))
        laws = [[mpf_of(Fraction(x)) for x in law] for law in (p, q)]
        mixed = [(1 - share) * y + share * x for x, y in zip(*laws, strict=True)]
        upper, lower = (laws[1], mixed) if adds else (mixed, laws[1])
        terms = [x**a * y ** (1 - a) for x, y in zip(upper, lower, strict=True) if x and y]
        truth = mpmath.log(mpmath.fsum(terms)) / (a - 1)
        if adds and 0 in laws[0]:  # e^((a − 1)D) of (Q, P) has no term for the 1/2
            with pytest.raises(UndecidedError, match="mass at infinity for adding a record"):
                one.renyi_bound(Fraction(order), width=Fraction(1, 10**12))
            return
        found = mpf_of(one.renyi_bound(Fraction(order), width=Fraction(1, 10**12)))
        assert truth <= found * (1 + mpmath.mpf(10) ** -40)
        base = laws[::-1] if adds else laws
        whole = mpmath.fsum(x**a * y ** (1 - a) for x, y in zip(*base, strict=True) if x and y)
        assert found <= mpmath.log1p(share * (whole - 1)) / (a - 1) + mpmath.mpf(10) ** -11


def test_noise_that_is_hardly_there_or_hides_all_has_an_answer():
    for sigma, least, most in ((1e-3, 3.5e7, 3.6e7), (1e20, 0, 0.003)):
        accountant = Accountant()
        accountant.history = [(sigma, 0.5, 70)]
        assert least <= accountant.get_epsilon(1e-25) < most
        assert (accountant.note or "looser: ").startswith(("looser: ", "wider: "))
    # Losses of 1e-30, whose tilts doubles do not hold: at most the largest loss of each.
    faint = Spent(
        [(poisson_subsampled(laplace_mechanism(scale="1e30"), sampling_probability="1/2"), 70)]
    )
    assert 0 <= faint.epsilon(1e-33) < 3.6e-29
