"""The accountant objects: doubles rounded up, the protocols of opacus and dp-accounting."""

from math import inf, nextafter
from types import SimpleNamespace

import pytest

from exactdp.accounting import CertifiedPLD
from exactdp.accounting.dp_accounting import Accountant as EventAccountant
from exactdp.accounting.dp_recorder import accountant as certified
from exactdp.accounting.opacus import Accountant
from exactdp.accounting.spent import Spent
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon

SIGMA, RATE = 1.1, 0.01


def test_a_double_out_is_above_the_truth_and_a_millionth_at_most():
    one = gaussian_mechanism(sigma=2)
    spent = Spent([(one, 1)])
    truth = one.epsilon("1/1000", relative_width="1e-15")
    assert truth.lower <= spent.epsilon(1 / 1000) <= truth.upper * (1 + 2e-6)
    value = one.delta(Epsilon.rational(1), relative_width="1e-15")
    assert value.lower <= spent.delta(1.0) <= float(value.upper) * (1 + 2e-6)
    assert (spent.epsilon(0), spent.epsilon(1)) == (inf, 0)
    pure = Spent([(laplace_mechanism(scale=3), 2)]).epsilon(0)
    assert 2 / 3 < pure <= nextafter(2 / 3, 1) + 1e-6
    for delta in (-1.0, inf, float("nan")):
        with pytest.raises(DomainError, match="delta"):
            spent.epsilon(delta)


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
    assert float(truth.lower) * (1 - 1e-9) <= found <= float(truth.upper) * (1 + 2e-6)


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


def test_events_of_dp_accounting_beside_its_own_accountant():
    events = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    pld = pytest.importorskip("dp_accounting.pld")
    sampled = events.PoissonSampledDpEvent(RATE, events.GaussianDpEvent(SIGMA))
    for event in (
        events.SelfComposedDpEvent(sampled, 100),
        events.ComposedDpEvent([events.GaussianDpEvent(5.0), events.LaplaceDpEvent(7.0)]),
        events.PoissonSampledDpEvent(0.25, events.LaplaceDpEvent(2.0)),
    ):
        ours = EventAccountant().compose(event, 2)
        theirs = pld.PLDAccountant().compose(event, 2)
        assert ours.get_epsilon(1e-4) == pytest.approx(theirs.get_epsilon(1e-4), rel=1e-3)
        assert ours.get_delta(0.1) == pytest.approx(theirs.get_delta(0.1), rel=1e-3)
        assert ours.ledger == theirs.ledger


def test_events_that_dp_accounting_wants_known_or_refused():
    events = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    accountant = EventAccountant()
    assert accountant.compose(events.NoOpDpEvent()).get_epsilon(1e-5) == 0
    for event in (
        events.UnsupportedDpEvent(),
        events.PoissonSampledDpEvent(0.5, events.ComposedDpEvent([])),
        events.PoissonSampledDpEvent(1.5, events.GaussianDpEvent(1.0)),
    ):
        assert not accountant.supports(event)
        with pytest.raises(events.UnsupportedEventError):
            accountant.compose(events.ComposedDpEvent([events.GaussianDpEvent(1.0), event]))
    assert accountant.get_epsilon(1e-5) == 0
    assert accountant.compose(events.NonPrivateDpEvent()).get_epsilon(1e-5) == inf
    with pytest.raises(DomainError, match="REPLACE_ONE"):
        EventAccountant(events.NeighboringRelation.REPLACE_ONE)


def test_a_harness_composes_certified_losses_and_nothing_else():
    """As dp-recorder does: each call's parameters by name, composed one by one."""
    laplace = certified(lambda l1_sensitivity, scale: CertifiedPLD.from_laplace_mechanism(scale))
    gaussian = certified(lambda sigma: CertifiedPLD.from_gaussian_mechanism(sigma))
    calls = [laplace(l1_sensitivity=1.0, scale=3.5), gaussian(sigma=2), laplace(1.0, 3.5)]
    whole = calls[0].compose(calls[1]).compose(calls[2])
    truth = CertifiedPLD.from_laplace_mechanism("7/2").self_compose(2)
    truth = truth.compose(CertifiedPLD.from_gaussian_mechanism(2))
    epsilon, delta = truth.epsilon("0.01"), truth.delta(Epsilon.rational(1))
    assert epsilon.lower <= whole.get_epsilon_for_delta(0.01) <= float(epsilon.upper) * (1 + 2e-6)
    assert delta.lower <= whole.get_delta_for_epsilon(1.0) <= float(delta.upper) * (1 + 2e-6)
    with pytest.raises(DomainError, match="a SimpleNamespace is no certified privacy loss"):
        whole.compose(SimpleNamespace())
    with pytest.raises(DomainError, match="sigma=nan is not finite"):
        gaussian(sigma=float("nan"))
    # A double is meant exactly, whichever number it prints as.
    assert gaussian(sigma=0.1).losses != CertifiedPLD.from_gaussian_mechanism("0.1")
