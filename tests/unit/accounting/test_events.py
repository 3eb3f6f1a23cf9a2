"""The events of dp-accounting: which are answered, with what, and how that stands to its own."""

import re
from fractions import Fraction
from inspect import getmembers, isclass
from math import inf
from pathlib import Path

import mpmath
import pytest

from exactdp.accounting import CertifiedPLD, compose
from exactdp.accounting.accountants.events import EVENTS
from exactdp.accounting.dp_accounting import Accountant
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Epsilon
from tests.routes.reals import mpf_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "howto" / "accountant.md"
ROW = re.compile(r"^\| `(\w+DpEvent)` \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
SHORT = {"ADD_OR_REMOVE_ONE": "add/remove", "REPLACE_ONE": "one", "REPLACE_SPECIAL": "special"}

library = pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
dp = pytest.importorskip("dp_accounting.dp_event")
pld = pytest.importorskip("dp_accounting.pld")
rdp = pytest.importorskip("dp_accounting.rdp")
RELATIONS = library.NeighboringRelation

later = pytest.importorskip("tests.routes.later_events")
PROMISE, EXPONENTIAL = later.PROMISE, later.EXPONENTIAL
PERMUTED, INTEGERS = later.PERMUTED, later.INTEGERS
GAUSSIAN = dp.GaussianDpEvent(1.5)
EXAMPLES = {
    "NoOpDpEvent": dp.NoOpDpEvent(),
    "NonPrivateDpEvent": dp.NonPrivateDpEvent(),
    "UnsupportedDpEvent": dp.UnsupportedDpEvent(),
    "ComposedDpEvent": dp.ComposedDpEvent([GAUSSIAN, dp.LaplaceDpEvent(2.0)]),
    "SelfComposedDpEvent": dp.SelfComposedDpEvent(GAUSSIAN, 3),
    "GaussianDpEvent": GAUSSIAN,
    "LaplaceDpEvent": dp.LaplaceDpEvent(2.0),
    "DiscreteLaplaceDpEvent": dp.DiscreteLaplaceDpEvent(0.5, 1),
    "RandomizedResponseDpEvent": dp.RandomizedResponseDpEvent(0.25, 5),
    "PoissonSampledDpEvent": dp.PoissonSampledDpEvent(0.25, GAUSSIAN),
    "SampledWithoutReplacementDpEvent": dp.SampledWithoutReplacementDpEvent(20, 5, GAUSSIAN),
    "SampledWithReplacementDpEvent": dp.SampledWithReplacementDpEvent(20, 3, GAUSSIAN),
    "TruncatedSubsampledGaussianDpEvent": dp.TruncatedSubsampledGaussianDpEvent(40, 0.25, 20, 1.5),
    "SingleEpochTreeAggregationDpEvent": dp.SingleEpochTreeAggregationDpEvent(3.0, [5, 9, 0]),
    "MixtureOfGaussiansDpEvent": dp.MixtureOfGaussiansDpEvent(
        1.5, [0.0, 1.0, 2.0], [0.7, 0.2, 0.1]
    ),
    "ZCDpEvent": dp.ZCDpEvent(0.125, 0.25),
    "RepeatAndSelectDpEvent": dp.RepeatAndSelectDpEvent(dp.GaussianDpEvent(6.0), 3.0, 1.0),
    "EpsilonDeltaDpEvent": PROMISE(0.5, 1e-4),
    "ExponentialMechanismDpEvent": EXPONENTIAL(0.75),
    "PermuteAndFlipDpEvent": PERMUTED(0.75),
    "DiscreteGaussianDpEvent": INTEGERS(2.0, 1.0, 1),
}
NEWER = {type(one).__name__ for one in list(EXAMPLES.values())[-4:]}


def public_events():
    found = getmembers(dp, lambda one: isclass(one) and issubclass(one, dp.DpEvent))
    return {name for name, one in found if one is not dp.DpEvent}


def test_each_public_class_of_events_has_a_row_here_and_in_the_page():
    assert public_events() | NEWER == set(EVENTS) == set(EXAMPLES)
    rows = {name: (relations, says) for name, relations, says in ROW.findall(PAGE.read_text())}
    for name, rule in EVENTS.items():
        is_answered = rule.known is not None or rule.inner is not None
        relations = "all" if len(rule.relations) == 3 else ", ".join(map(SHORT.get, rule.relations))
        assert rows.pop(name) == (relations if is_answered else "none", rule.says)
    assert not rows


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda one: one.name)
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_event_is_supported_where_the_table_says_so(name, relation):
    rule, accountant = EVENTS[name], Accountant(relation, relative_width="1e-2")
    is_answered = rule.known is not None or rule.inner is not None
    expected = is_answered and relation.name in rule.relations
    assert accountant.supports(EXAMPLES[name]) == expected
    twice = dp.ComposedDpEvent([EXAMPLES[name], dp.SelfComposedDpEvent(EXAMPLES[name], 1)])
    if not expected:
        with pytest.raises(library.UnsupportedEventError, match=name):
            accountant.compose(twice)
        assert accountant.get_epsilon(1e-5) == 0
        return
    epsilon = accountant.compose(twice).get_epsilon(1e-3)
    again = Accountant(relation, relative_width="1e-2").compose(EXAMPLES[name], 2)
    assert again.get_epsilon(1e-3) == epsilon
    assert (epsilon == 0) == (name == "NoOpDpEvent")
    assert accountant.get_delta(0.5) >= (1e-3 if epsilon > 0.5 else 0)


# --- beside the library's own accountants ------------------------------------------

FINE = {"relative_width": "1e-6"}
SLACK = 1 + 1.001e-6
"""How far above the truth ours may be, which theirs is not below."""


def theirs(kind, relation):
    if kind == "pld":
        return pld.PLDAccountant(relation, value_discretization_interval=1e-3)
    return rdp.RdpAccountant(neighboring_relation=relation)


ONE, IN_OUT, SPECIAL = RELATIONS.REPLACE_ONE, RELATIONS.ADD_OR_REMOVE_ONE, RELATIONS.REPLACE_SPECIAL
BESIDE = [
    ("pld", IN_OUT, "GaussianDpEvent", 5, 1.02),
    ("pld", ONE, "GaussianDpEvent", 5, 1.02),
    ("pld", IN_OUT, "LaplaceDpEvent", 5, 1.02),
    ("pld", SPECIAL, "DiscreteLaplaceDpEvent", 5, 1.02),
    # Its count of randomized responses is always 1: see the page.
    ("pld", ONE, "RandomizedResponseDpEvent", 1, 1.02),
    ("pld", SPECIAL, "RandomizedResponseDpEvent", 1, 1.02),
    ("rdp", ONE, "RandomizedResponseDpEvent", 3, 1.7),
    ("rdp", SPECIAL, "RandomizedResponseDpEvent", 3, 1.7),
    ("pld", IN_OUT, "PoissonSampledDpEvent", 5, 1.02),
    ("pld", ONE, "PoissonSampledDpEvent", 5, 1.02),
    ("pld", IN_OUT, "TruncatedSubsampledGaussianDpEvent", 2, 1.1),
    ("pld", ONE, "TruncatedSubsampledGaussianDpEvent", 1, 1.1),
    ("pld", SPECIAL, "TruncatedSubsampledGaussianDpEvent", 1, 1.1),
    ("rdp", SPECIAL, "SingleEpochTreeAggregationDpEvent", 2, 1.7),
    ("rdp", IN_OUT, "RepeatAndSelectDpEvent", 1, 1.7),
    ("rdp", IN_OUT, "RepeatAndSelectDpEvent", 2, 1.7),
]


@pytest.mark.parametrize(("kind", "relation", "name", "times", "near"), BESIDE)
def test_answers_are_at_most_those_of_the_library_and_near(kind, relation, name, times, near):
    """Theirs are rounded up, on a grid of losses or by Rényi divergences; ours are not above."""
    ours = Accountant(relation, **FINE).compose(EXAMPLES[name], times)
    other = theirs(kind, relation).compose(EXAMPLES[name], times)
    for ask, at in (("get_epsilon", 1e-3), ("get_delta", 1.0)):
        found, above = getattr(ours, ask)(at), getattr(other, ask)(at)
        assert found <= above * SLACK + 1e-13
        assert above <= found * near + 2e-3 or kind == "rdp"


def test_batches_of_fixed_size_are_at_most_its_bound_of_half_the_noise():
    """Its Rényi bound moves a sum by 1 where a record is replaced; here each adds up to 1."""
    event = dp.SampledWithoutReplacementDpEvent
    ours = Accountant(ONE).compose(event(40, 4, dp.GaussianDpEvent(4.0)), 10)
    bound = theirs("rdp", ONE).compose(event(40, 4, dp.GaussianDpEvent(2.0)), 10)
    assert ours.get_epsilon(1e-4) < bound.get_epsilon(1e-4) < 8 * ours.get_epsilon(1e-4)
    assert "batches of fixed size: exact for one step, an upper bound" in ours.note
    assert "it is at least" in ours.note


def test_a_mixture_is_its_poisson_sample_and_composes():
    sample = dp.PoissonSampledDpEvent(0.25, dp.GaussianDpEvent(2.0))
    mixture = dp.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0], [0.75, 0.25])
    first, second = (Accountant().compose(one, 30) for one in (sample, mixture))
    assert first.get_epsilon(1e-5) == second.get_epsilon(1e-5)
    larger = dp.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 1.5], [0.75, 0.125, 0.125])
    assert Accountant().compose(larger, 30).get_epsilon(1e-5) > 1.05 * first.get_epsilon(1e-5)


# --- beside numbers of one's own ----------------------------------------------------


@pytest.mark.parametrize("buckets", [1, 2, 3, 7])
@pytest.mark.parametrize("p", [0.0, 0.25, 1.0])
def test_randomized_response_from_its_rows(buckets, p):
    """H_γ over all outcomes, from the text of the event."""
    noise = Fraction(p)
    rows = [
        [(1 - noise) * (i == j) + noise / buckets for j in range(buckets)] for i in range(buckets)
    ]
    special = [Fraction(1, buckets)] * buckets
    gamma = mpmath.exp(0.5)
    for relation, other in ((ONE, rows[-1]), (SPECIAL, special)):
        truth = max(
            mpmath.fsum(max(0, mpf_of(x) - gamma * mpf_of(y)) for x, y in zip(*laws, strict=True))
            for laws in ((rows[0], other), (other, rows[0]))
        )
        event = dp.RandomizedResponseDpEvent(p, buckets)
        found = Accountant(relation, relative_width="1e-12").compose(event).get_delta(0.5)
        assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-11)


def test_randomized_response_is_composed_as_often_as_it_is_used():
    event, at = dp.RandomizedResponseDpEvent(0.25, 5), Epsilon.rational(2)
    first = [Fraction(4, 5), Fraction(1, 20), Fraction(3, 20)]
    exact = compose([(Pair.from_masses(first, [first[1], first[0], first[2]]), 6)]).delta(at)
    found = Accountant(ONE).compose(dp.SelfComposedDpEvent(event, 3), 2).get_delta(2.0)
    assert exact.ball(64) < found < exact.ball(64) * (1 + 2e-4)


def test_noise_on_one_sample_is_one_gaussian():
    several = dp.ComposedDpEvent([dp.GaussianDpEvent(2.0), dp.SelfComposedDpEvent(GAUSSIAN, 2)])
    one = dp.GaussianDpEvent(float((1 / (1 / 4 + 2 / 2.25)) ** 0.5))
    for sampler in (
        lambda event: dp.PoissonSampledDpEvent(0.1, event),
        lambda event: dp.PoissonSampledDpEvent(0.2, dp.PoissonSampledDpEvent(0.5, event)),
    ):
        found = Accountant(**FINE).compose(sampler(several), 9).get_epsilon(1e-5)
        assert found == pytest.approx(
            Accountant(**FINE).compose(dp.PoissonSampledDpEvent(0.1, one), 9).get_epsilon(1e-5),
            rel=5e-6,
        )


@pytest.mark.parametrize(
    ("steps", "depth"), [(1, 1), (2, 2), (3, 2), (4, 3), ([7, 8], 4), ([0], 0)]
)
def test_a_tree_is_a_gaussian_for_each_node_above_a_leaf(steps, depth):
    """Nodes above leaf 0 of the complete binary tree: those of 1, 2, 4, ... leaves."""
    most = max(steps) if isinstance(steps, list) else steps
    assert depth == sum(1 for level in range(9) if 2**level <= most)
    event = dp.SingleEpochTreeAggregationDpEvent(2.0, steps)
    found = Accountant(SPECIAL).compose(event).get_delta(0.25)
    if not depth:
        assert found == 0
        return
    truth = gaussian_mechanism(sigma=2).composed(depth).delta(Epsilon.rational("1/4"))
    assert truth.ball(64) < found < truth.ball(64) * (1 + 2e-4)


def test_concentrated_budgets_are_bounded_by_all_orders():
    """ε = ξ + ρa + (ln(1/δ) + (a − 1) ln(1 − 1/a) − ln a)/(a − 1), the least over a."""
    accountant = Accountant().compose(dp.ZCDpEvent(0.05, 0.01), 4).compose(dp.GaussianDpEvent(2.0))
    xi, rho, delta = 4 * 0.01, 4 * 0.05 + 0.125, 1e-6

    def epsilon(a):
        return (
            xi
            + rho * a
            + (mpmath.log(1 / delta) + (a - 1) * mpmath.log(1 - 1 / a) - mpmath.log(a)) / (a - 1)
        )

    least = min(epsilon(1 + mpmath.mpf(k) / 200) for k in range(1, 6000))
    found = accountant.get_epsilon(delta)
    assert least * (1 - 1e-6) < found < least * 1.0002
    assert accountant.note.startswith("looser: the Rényi bound of order ")
    assert accountant.note.endswith("of a zCDP budget nothing else is known")
    assert accountant.get_delta(found) <= delta * 1.001
    # ρ-zCDP holds for the Gaussian of σ² = 1/(2ρ), which is not above.
    gaussian = Accountant().compose(dp.GaussianDpEvent(float(rho * 2) ** -0.5))
    assert gaussian.get_epsilon(delta) < found
    pure = Accountant().compose(dp.ZCDpEvent(0.0, 0.5), 2)
    assert 0.999 < pure.get_epsilon(0.0) < 1.0002 and pure.note is None


# --- arguments -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (dp.GaussianDpEvent(-1.0), "noise_multiplier=-1.0 is negative"),
        (dp.GaussianDpEvent(float("nan")), "not finite"),
        (dp.LaplaceDpEvent("a lot"), "is not a number"),
        (dp.DiscreteLaplaceDpEvent(0.5, 1.5), "sensitivity=1.5"),
        (dp.SelfComposedDpEvent(GAUSSIAN, 0), "count=0"),  # as its own ledger has it
        (dp.SelfComposedDpEvent(GAUSSIAN, 2.5), "count=2.5"),
        (dp.RandomizedResponseDpEvent(1.5, 2), "noise_parameter"),
        (dp.RandomizedResponseDpEvent(0.5, 0), "num_buckets=0"),
        (dp.PoissonSampledDpEvent(2.0, GAUSSIAN), "sampling_probability"),
        (dp.SampledWithoutReplacementDpEvent(4, 5, GAUSSIAN), "sample_size=5"),
        (dp.SampledWithoutReplacementDpEvent(0, 0, GAUSSIAN), "source_dataset_size=0"),
        (dp.ZCDpEvent(-1.0), "rho=-1.0 is negative"),
        (dp.SingleEpochTreeAggregationDpEvent(1.0, [2.5]), "step_counts=2.5"),
        (dp.RepeatAndSelectDpEvent(GAUSSIAN, 0.5, 1.0), "mean=0.5 is below 1"),
        (dp.RepeatAndSelectDpEvent(GAUSSIAN, 2.0, -0.5), "shape=-0.5 is negative"),
        (PROMISE(-1.0, 0.0), "epsilon=-1.0 is negative"),
        (PROMISE(1.0, 1.5), "delta=3/2"),
        (EXPONENTIAL(float("inf")), "not finite"),
        (INTEGERS(1.0, 2.0, 0), "dimension=0"),
    ],
    ids=repr,
)
def test_what_is_out_of_range_is_an_error_of_value_with_the_reason(event, said):
    """As the library has it; nothing of it is composed."""
    for relation in (ONE, SPECIAL):
        accountant = Accountant(relation)
        if "Tree" in type(event).__name__ and relation is ONE:
            continue
        assert not accountant.supports(event)
        with pytest.raises(ValueError, match=re.escape(said)):
            accountant.compose(dp.ComposedDpEvent([GAUSSIAN, event]))
        assert accountant.get_epsilon(1e-5) == 0
    for count in (-1, 0, 1.5):
        with pytest.raises(ValueError, match=r"count|mechanism"):
            Accountant().compose(GAUSSIAN, count)


LAPLACES = dp.SelfComposedDpEvent(dp.LaplaceDpEvent(1.0), 2)


@pytest.mark.parametrize(
    ("event", "relation", "said"),
    [
        (dp.DpEvent(), ONE, "DpEvent is not known"),
        (dp.SampledWithReplacementDpEvent(10, 10**6, GAUSSIAN), ONE, "Draw fewer"),
        (dp.SampledWithReplacementDpEvent(10, 3, LAPLACES), ONE, "or one Laplace noise"),
        (dp.PoissonSampledDpEvent(0.5, dp.ZCDpEvent(1.0)), ONE, "for noise alone"),
        (dp.PoissonSampledDpEvent(0.5, LAPLACES), ONE, "is not Gaussian, Laplace"),
        (dp.PoissonSampledDpEvent(0.5, dp.RandomizedResponseDpEvent(0.5, 2)), SPECIAL, "on a "),
        (dp.PoissonSampledDpEvent(0.5, dp.UnsupportedDpEvent()), IN_OUT, "not answered"),
    ],
    ids=repr,
)
def test_what_has_no_answer_is_not_supported_and_says_why(event, relation, said):
    accountant = Accountant(relation)
    assert not accountant.supports(event)
    with pytest.raises(library.UnsupportedEventError, match=re.escape(said)):
        accountant.compose(event)


def test_what_shows_a_record_and_what_does_not():
    exposed = [
        dp.GaussianDpEvent(0.0),
        dp.DiscreteLaplaceDpEvent(0.0, 1),
        dp.PoissonSampledDpEvent(0.5, dp.LaplaceDpEvent(0.0)),
        dp.PoissonSampledDpEvent(0.5, dp.ComposedDpEvent([GAUSSIAN, dp.NonPrivateDpEvent()])),
        dp.TruncatedSubsampledGaussianDpEvent(9, 0.5, 4, 0.0),
        dp.SampledWithReplacementDpEvent(9, 4, dp.GaussianDpEvent(0.0)),
        dp.SingleEpochTreeAggregationDpEvent(0.0, 4),
        dp.MixtureOfGaussiansDpEvent(0.0, [0.0, 1.0], [0.5, 0.5]),
        dp.RandomizedResponseDpEvent(0.0, 2),
    ]
    hidden = [
        dp.PoissonSampledDpEvent(0.0, dp.GaussianDpEvent(0.0)),
        dp.PoissonSampledDpEvent(0.5, dp.ComposedDpEvent([dp.NoOpDpEvent()])),
        dp.TruncatedSubsampledGaussianDpEvent(9, 0.5, 0, 0.0),
        dp.SampledWithoutReplacementDpEvent(9, 0, GAUSSIAN),
        dp.SampledWithReplacementDpEvent(9, 0, GAUSSIAN),
        dp.DiscreteLaplaceDpEvent(0.5, 0),
        dp.MixtureOfGaussiansDpEvent(0.0, [0.0, 1.0], [1.0, 0.0]),
        dp.RandomizedResponseDpEvent(1.0, 4),
        dp.ZCDpEvent(0.0),
    ]
    for event in exposed:
        assert Accountant(SPECIAL).compose(event).get_epsilon(1e-5) == inf, event
    for event in hidden:
        assert Accountant(SPECIAL).compose(event).get_epsilon(1e-5) == 0, event


def test_a_relation_that_is_none_is_refused():
    with pytest.raises(DomainError, match="Pass a NeighboringRelation"):
        Accountant("add")


def test_the_note_says_what_is_a_bound():
    truncated = EXAMPLES["TruncatedSubsampledGaussianDpEvent"]
    accountant = Accountant().compose(truncated)
    accountant.get_delta(1.0)
    assert accountant.note.endswith("Poisson samples that are cut to a size: an upper bound")
    assert "it is at least" in accountant.note
    accountant.compose(dp.ZCDpEvent(0.1)).get_delta(1.0)
    assert "zCDP" in accountant.note and "cut to a size" in accountant.note


def test_losses_are_those_of_the_profiles():
    accountant = Accountant().compose(dp.LaplaceDpEvent(4.0), 3).compose(GAUSSIAN, 2)
    whole = CertifiedPLD.from_laplace_mechanism(4).self_compose(3)
    truth = whole.compose(CertifiedPLD.from_gaussian_mechanism("3/2").self_compose(2))
    found = truth.epsilon("1/1024")
    assert found.lower <= accountant.get_epsilon(2.0**-10) <= float(found.upper) * (1 + 2e-4)
