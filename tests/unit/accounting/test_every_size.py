"""The accountants in place of others have an answer at every size, on the safe side of the truth.

Drawn are events of every class of dp-accounting, noise from 1e-3 to 1e6, rates from 1e-6 to 1, and
1 to 10^6 uses, at δ from 0 and 1e-300 on and ε up to 700. Answers lie between closed forms in
mpmath: lower bounds of the truth, and upper ones that no answer needs to exceed.
"""

from fractions import Fraction
from math import inf, isnan

import mpmath
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactdp.accounting.accountants import doubles_out as spent
from exactdp.accounting.composition.like_steps import MOST_KINDS
from exactdp.accounting.dp_accounting import Accountant
from exactdp.accounting.opacus import Accountant as StepAccountant
from exactdp.accounting.opacus import ShuffledAccountant
from exactdp.mechanisms import gaussian_mechanism

library = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
dp = pytest.importorskip("dp_accounting.dp_event")
RELATIONS = library.NeighboringRelation

SHORT, LESS_SHORT = 20_000, 125_000
"""Seconds for all widths here, and for each bound, which is then asked of most."""

SCALES = st.sampled_from([1.0, 2.0, 0.5, 10.0, 0.1, 100.0, 0.01, 1e-3, 1e6])
RATES = st.sampled_from([0.01, 0.1, 0.5, 1e-3, 1e-6, 0.999999, 1.0])
COUNTS = st.sampled_from([1, 2, 10, 1000, 10**6])
DELTAS = st.sampled_from([1e-5, 1e-8, 0.1, 1e-2, 1e-15, 1e-100, 1e-300, 0.0, 0.9])
EPSILONS = st.sampled_from([1.0, 0.1, 0.0, 8.0, 50.0, 300.0, 700.0])

GAUSSIAN, LAPLACE = SCALES.map(dp.GaussianDpEvent), SCALES.map(dp.LaplaceDpEvent)
INTEGER = st.builds(
    lambda scale, size: dp.DiscreteLaplaceDpEvent(1 / scale, size),
    SCALES,
    st.sampled_from([1, 3, 1000, 10**6]),
)
NOISE = GAUSSIAN | LAPLACE | INTEGER
RECORDS = st.sampled_from([10, 1, 1000, 10**6, 10**9])
EVENTS = {
    "NoOpDpEvent": st.builds(dp.NoOpDpEvent),
    "GaussianDpEvent": GAUSSIAN,
    "LaplaceDpEvent": LAPLACE,
    "DiscreteLaplaceDpEvent": INTEGER,
    "RandomizedResponseDpEvent": st.builds(
        dp.RandomizedResponseDpEvent, RATES, st.sampled_from([2, 1, 10, 10**6])
    ),
    "PoissonSampledDpEvent": st.builds(dp.PoissonSampledDpEvent, RATES, NOISE),
    "SampledWithoutReplacementDpEvent": st.builds(
        lambda n, rate, noise: dp.SampledWithoutReplacementDpEvent(n, round(n * rate), noise),
        RECORDS,
        RATES,
        NOISE,
    ),
    "SampledWithReplacementDpEvent": st.builds(
        lambda n, rate, noise: dp.SampledWithReplacementDpEvent(n, round(n * rate), noise),
        RECORDS,
        RATES,
        GAUSSIAN | LAPLACE,
    ),
    "TruncatedSubsampledGaussianDpEvent": st.builds(
        lambda n, rate, more, scale: dp.TruncatedSubsampledGaussianDpEvent(
            n, rate, round(n * rate * more) + 1, scale
        ),
        RECORDS,
        RATES,
        st.sampled_from([1.0, 2.0, 0.5]),
        SCALES,
    ),
    "SingleEpochTreeAggregationDpEvent": st.builds(
        dp.SingleEpochTreeAggregationDpEvent, SCALES, COUNTS | st.lists(COUNTS, max_size=3)
    ),
    "MixtureOfGaussiansDpEvent": st.builds(
        lambda scale, sizes: dp.MixtureOfGaussiansDpEvent(
            scale, sizes, [1 / len(sizes)] * len(sizes)
        ),
        SCALES,
        st.lists(st.sampled_from([0.0, 1.0, 0.5, 2.0, 1e-3]), min_size=1, max_size=4),
    ),
    "ZCDpEvent": st.builds(dp.ZCDpEvent, SCALES, st.sampled_from([0.0, 0.5, 100.0])),
}
ALL = st.sampled_from(tuple(EVENTS)).flatmap(EVENTS.__getitem__)
NESTED = st.lists(st.builds(dp.SelfComposedDpEvent, ALL, COUNTS), min_size=2, max_size=3).map(
    dp.ComposedDpEvent
)


@pytest.fixture
def waits_for_little(request):
    with pytest.MonkeyPatch.context() as patched:
        if not request.config.getoption("--deep"):
            patched.setattr(spent, "WORK_OF_WIDTHS", SHORT)
            patched.setattr(spent, "WORK_OF_A_BOUND", LESS_SHORT)
        yield


FEW = settings() if settings().max_examples > 100 else settings(max_examples=12)
FEW = settings(FEW, suppress_health_check=[HealthCheck.function_scoped_fixture])


def normal(mu, epsilon):
    """δ of Gaussian noise: Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)."""
    mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
    high, low = (
        mpmath.erfc((epsilon / mu - sign * mu / 2) / mpmath.sqrt(2)) / 2 for sign in (1, -1)
    )
    return high - mpmath.exp(epsilon) * low


@mpmath.workdps(60)
def least(event, relation, count, epsilon):
    """A lower bound of δ(ε) of so many uses, from closed forms; 0 where none is at hand."""
    kind, moved = type(event).__name__, 2 if relation is RELATIONS.REPLACE_ONE else 1
    root = mpmath.sqrt(count)  # and what follows to 60 digits
    match kind:
        case "GaussianDpEvent":
            return normal(moved * root / event.noise_multiplier, epsilon)
        case "SingleEpochTreeAggregationDpEvent":
            steps = event.step_counts
            depth = max([steps] if isinstance(steps, int) else [0, *steps]).bit_length()
            return (
                normal(root * mpmath.sqrt(depth) / event.noise_multiplier, epsilon) if depth else 0
            )
        case "LaplaceDpEvent":  # all losses are the largest with probability 2^-count
            excess = count * moved / mpmath.mpf(event.noise_multiplier) - epsilon
            one = -mpmath.expm1(-excess / 2) if count == 1 else mpmath.ldexp(1, -count)
            return max(mpmath.mpf(0), one if count == 1 else -one * mpmath.expm1(-excess))
        case "PoissonSampledDpEvent" if type(event.event).__name__ == "GaussianDpEvent":
            if relation is RELATIONS.REPLACE_ONE or not event.sampling_probability:
                return mpmath.mpf(0)
            q = mpmath.mpf(event.sampling_probability)  # one step, removing
            at = mpmath.log1p(mpmath.expm1(mpmath.mpf(epsilon)) / q)
            return q * normal(1 / mpmath.mpf(event.event.noise_multiplier), at)
        case "ZCDpEvent":  # a Gaussian mechanism of this ρ
            return normal(mpmath.sqrt(2 * count * event.rho), epsilon)
    return mpmath.mpf(0)


@mpmath.workdps(60)
def most(event, count, delta):
    """An upper bound of ε(δ) that no answer needs to exceed; infinity where none is at hand."""
    if isinstance(event, dp.ZCDpEvent) and 0 < delta < 1:  # Bun and Steinke 2016, Lemma 3.5
        rho = mpmath.mpf(event.rho) * count
        return mpmath.mpf(event.xi) * count + rho + 2 * mpmath.sqrt(rho * mpmath.log(1 / delta))
    if isinstance(event, dp.LaplaceDpEvent):
        return 2 * count / mpmath.mpf(event.noise_multiplier)
    return mpmath.inf


@pytest.mark.usefixtures("waits_for_little")
@FEW
@given(ALL | NESTED, COUNTS, st.sampled_from(list(RELATIONS)), DELTAS, EPSILONS)
def test_an_event_of_any_size_has_an_answer_on_the_safe_side(
    event, count, relation, delta, epsilon
):
    accountant = Accountant(relation, relative_width="1e-2")
    if not accountant.supports(event):
        with pytest.raises(library.UnsupportedEventError):
            accountant.compose(event, count)
        assert accountant.get_epsilon(delta) == 0
        return
    accountant.compose(event, count)
    found = accountant.get_delta(epsilon)
    assert least(event, relation, count, epsilon) <= found <= 1
    at = accountant.get_epsilon(delta)
    assert at >= 0 and not isnan(at)
    if at < inf:
        assert least(event, relation, count, at) <= delta * (1 + 1e-12)
        assert at <= most(event, count, delta) * 1.001 + 1e-9
    elif delta > 0 and not isinstance(event, dp.SampledWithReplacementDpEvent | dp.ComposedDpEvent):
        assert is_shown(event)


def is_shown(event):
    """Whether an outcome tells all of a record: no noise, or the truth from randomized response."""
    inner = getattr(event, "event", event)
    return getattr(inner, "noise_parameter", 1.0) == 0


@pytest.mark.usefixtures("waits_for_little")
@FEW
@given(st.lists(st.tuples(SCALES, RATES, COUNTS), min_size=1, max_size=20, unique=True), DELTAS)
def test_a_history_of_any_size_has_an_answer_on_the_safe_side(history, delta):
    accountant = StepAccountant(relative_width="1e-2")
    accountant.load_state_dict({"history": history, "mechanism": accountant.mechanism()})
    found = accountant.get_epsilon(delta)
    assert found >= 0 and not isnan(found)
    for sigma, rate, steps in history[:3] if found < inf else ():
        step = dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma))
        if rate == 1:
            step = dp.GaussianDpEvent(sigma)
        below = least(step, RELATIONS.ADD_OR_REMOVE_ONE, steps, found)
        assert below <= delta * (1 + 1e-12)


def test_a_million_steps_of_many_rates_are_between_those_of_two():
    """Rates from 1/1000 to 1/1990, in groups: between a million steps of 1/2000, and of 1/1000."""
    answers = []
    for rates in ([2000], [*range(1000, 2000, 15)], [1000]):
        accountant = StepAccountant(relative_width="1e-2")
        accountant.history = [(2.0, 1 / n, 10**6 // len(rates)) for n in rates]
        answers.append(accountant.get_epsilon(1e-6))
        is_grouped = "kinds of steps are" in (accountant.note or "")
        assert is_grouped == (len(rates) > MOST_KINDS)
    assert answers[0] < answers[1] < answers[2] < 3 * answers[0]


def test_epochs_of_a_thousand_rates_are_one_gaussian():
    accountant = ShuffledAccountant()
    accountant.history = [(2.0, 1 / n, 1000) for n in range(1000, 2000)]  # an epoch of each
    one = gaussian_mechanism(sigma=2).composed(1000).epsilon("1e-6")
    assert one.lower <= accountant.get_epsilon(1e-6) <= one.upper * Fraction("1.0002")
