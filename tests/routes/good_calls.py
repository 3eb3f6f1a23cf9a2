"""A good call of every public function and class: for tests that spoil one argument at a time.

Arguments go by their names, the same everywhere; where a name means something else in one call, or
more is needed than what has no default, a row of ``ARGUMENTS`` says so.
"""

import inspect
from fractions import Fraction

from flint import arb, fmpq, fmpz

from exactdp.accounting import Runs
from exactdp.distributions import FinitePmf, scale_rows
from exactdp.divergences import Pair
from exactdp.mechanisms import (
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.problems import read_problem, solve
from exactdp.pufferfish import LaplaceScale, Secret, User
from exactdp.shuffle import (
    Component,
    FaultKind,
    Mixture,
    MultiMessageVictim,
    MultisetLaw,
    Named,
    Users,
    Victim,
)
from exactdp.testing import Mechanism, question
from tests.routes.laws import log_logistic
from tests.routes.public_names import PUBLIC

__all__ = ["arguments_of"]

COIN = randomized_response(2, Epsilon.log(3))
PAIR = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
TEXT = '{"kind": "finite_pair", "p": ["1"], "q": ["1"], "ask": {"epsilon": [0]}}'
PROBLEM = read_problem(TEXT)
NOISE = '{"kind": "gaussian", "sigma": "1", "ask": {"epsilon": ["1e-5"]}}'
BOUND = "feldman2021/theorem-3.1"
HALF, ONE, LN2, LN3 = Exact("1/2"), Exact(1), Epsilon.log(2), Epsilon.log(3)
SOME = Enclosure(Fraction(1), Fraction(2))
SCALE = LaplaceScale(Fraction(2), LN2)
MOVED = FinitePmf.point(Fraction(1))
POINT, FORMS = FinitePmf.point(Fraction(0)), scale_rows([[HALF, HALF]])
LETTER = Component("a", (HALF, HALF))
ROW = (HALF, HALF)
MULTISET = MultisetLaw(FinitePmf({(1, 0): 1}))

BY_NAME = {
    "a": HALF,
    "alpha": "1/3",
    "b": ONE,
    "beta": "3/7",
    "bits": 64,
    "buckets": 2,
    "c": [HALF],
    "classes": 2,
    "coefficients": [1, "1/2"],
    "count": 3,
    "delta": "1e-3",
    "delta0": "1/9",
    "digits": 5,
    "epsilon": LN3,
    "epsilon0": LN3,
    "gamma": Exact(2),
    "inputs": (0, 1),
    "k": 3,
    "kept": HALF,
    "law": MULTISET,
    "level": HALF,
    "limit": 9,
    "lower": Fraction(1, 3),
    "upper": Fraction(2, 3),
    "masses": {0: "1/2", 1: "1/2"},
    "matrix": [[1, 0], [1, 1]],
    "mechanism": gaussian_mechanism(sigma=1),
    "modulus": 5,
    "mu": 1,
    "n": 5,
    "noise": laplace_mechanism(scale=1),
    "order": 2,
    "others": [Users(COIN, 1, 2)],
    "p": "1/3",
    "pair": PAIR,
    "parts": [(PAIR, 2)],
    "probabilities": ["1/2", "1/2"],
    "problem": PROBLEM,
    "profile": PAIR,
    "profiles": (PAIR,),
    "q": "1/3",
    "radius": 3,
    "randomizer": COIN,
    "noise_multiplier": 4,
    "sampling_probability": "1/2",
    "rows": [[HALF, HALF]],
    "scale": 1,
    "sigma": 4,
    "size": 2,
    "steps": 2,
    "threshold": 2,
    "times": 2,
    "total": 4,
    "trials": 3,
    "users": 3,
    "value": "1/3",
    "variance": 2,
    "victim": Victim(COIN),
    "x": HALF,
}
"""A good value of an argument, by its name."""
ARGUMENTS = {
    "numbers.Exact": {"value": "1/3"},
    "numbers.Real": {"rule": lambda: arb(1), "text": "one"},
    "numbers.Epsilon": {"exp_epsilon": Exact(2)},
    "numbers.decided_below": {"a": HALF, "b": ONE, "advice": "Ask."},
    "numbers.decided_order": {"a": HALF, "b": ONE, "advice": "Ask."},
    "numbers.fmpq_of": {"value": Fraction(1, 3)},
    "numbers.fraction_of": {"value": fmpq(1, 3)},
    "numbers.is_log_below": {"gamma": Exact(2), "top": LN3},
    "numbers.is_ratio_above": {"a": HALF, "b": ONE, "threshold": Exact(2)},
    "numbers.rational_text": {"value": Fraction(1, 3)},
    "numbers.refuse_above": {"limit": 9, "size": 2, "what": "it", "advice": "Ask."},
    "distributions.CountWindow": {"first": 0, "weights": (fmpz(1),), "bits": 8},
    "distributions.HistogramPolynomial": {"forms": FORMS, "powers": [2]},
    "distributions.count_window": {"trials": [("1/2", 2)], "bits": 64},
    "distributions.refuse_large": {"forms": FORMS, "powers": [2]},
    "distributions.sum_window": {"laws": [(["1/2", "1/2"], 2)], "bits": 64},
    "divergences.Pair": {"p": [fmpz(1)], "q": [fmpz(1)], "p_total": fmpz(1), "q_total": fmpz(1)},
    "divergences.add_or_remove": {"removed": PAIR},
    "divergences.calibrated": {
        "mechanism": laplace_mechanism,
        "epsilon": LN3,
        "delta": "1e-3",
        "relative_width": "1e-1",
    },
    "divergences.calibrates": {"parameter": "sigma"},
    "divergences.pair_of_reals": {"p": ["1/3", "2/3"], "q": ["sqrt(1/2)", "1 - sqrt(1/2)"]},
    "mechanisms.AboveThreshold": {
        "threshold_scale": Fraction(1),
        "query_scale": Fraction(2),
        "most": 1,
    },
    "mechanisms.BinomialMechanism": {"trials": 3, "success": Fraction(1, 2), "sensitivity": 1},
    "mechanisms.BoundedRange": {"size": Fraction(1)},
    "mechanisms.DiscreteGaussianMechanism": {"sigma_squared": Fraction(2), "sensitivity": 1},
    "mechanisms.DiscreteLaplaceMechanism": {"rate": LN3, "sensitivity": 1},
    "mechanisms.GaussianMechanism": {"sigma": 1, "sensitivity": 1},
    "mechanisms.LaplaceMechanism": {"scale": 1, "sensitivity": 1},
    "mechanisms.NoisyMax": {"noise": "gumbel", "scale": Fraction(1)},
    "mechanisms.PartitionSelection": {"epsilon": LN3, "delta": HALF},
    "mechanisms.Randomizer": {"rows": (ROW, ROW)},
    "mechanisms.gaussian_mechanism": {"sigma": 4},
    "mechanisms.SkellamMechanism": {"variance": Fraction(2), "sensitivity": 1},
    "mechanisms.ToeplitzMatrix": {"coefficients": (Fraction(1),), "steps": 2},
    "mechanisms.TruncatedDiscreteLaplaceMechanism": {"rate": LN3, "radius": 2, "sensitivity": 1},
    "mechanisms.TruncatedLaplaceMechanism": {"scale": ONE, "radius": ONE, "sensitivity": ONE},
    "mechanisms.above_threshold": {"threshold_scale": 1, "query_scale": 2},
    "mechanisms.bounded_discrete_laplace_mechanism": {"upper": 3, "scale": 1},
    "mechanisms.bounded_laplace_mechanism": {"upper": 3, "scale": 1, "results": "clamped"},
    "mechanisms.discrete_gaussian_mechanism": {"sigma": 1},
    "mechanisms.discrete_laplace_mechanism": {"scale": 1},
    "mechanisms.TailNoise": {
        "tail": lambda k: arb(2) ** -k / 3,
        "steepest": LN2,
        "sensitivity": 1,
    },
    "mechanisms.clamped_noise": {"noise": discrete_laplace_mechanism(scale=1), "radius": 2},
    "mechanisms.clamped_results": {"noise": discrete_laplace_mechanism(scale=1), "upper": 2},
    "mechanisms.integer_noise": {"tail": lambda k: arb(2) ** -k / 3, "steepest": LN2},
    "mechanisms.rounded_noise": {"noise": laplace_mechanism(scale=1)},
    "mechanisms.log_concave_mechanism": {"log_density": log_logistic, "steepest": 1},
    "mechanisms.modular_noise": {"noise": discrete_laplace_mechanism(scale=1), "modulus": 5},
    "mechanisms.noisy_max": {"noise": "gumbel", "scale": 1},
    "mechanisms.smallest_sigma": {"epsilon": LN3, "delta": "1e-3", "relative_width": "1e-1"},
    "mechanisms.symmetric_unary_encoding": {"k": 3, "epsilon": Epsilon.log(4)},
    "mechanisms.truncated_discrete_laplace_mechanism": {"radius": 3, "scale": 1},
    "mechanisms.unary_encoding": {"k": 3, "p": "1/2", "q": "1/4"},
    "shuffle.BlanketPair": {"n": 5, "randomizer": COIN, "inputs": (0, 1)},
    "shuffle.Bounds": {
        "lower": Fraction(0),
        "upper": Fraction(1),
        "lower_by": "one",
        "upper_by": "other",
    },
    "shuffle.Component": {"name": "a", "law": ROW},
    "shuffle.CountPair": {"n": 5, "first": HALF, "second": HALF / 2, "other": HALF / 2},
    "shuffle.DecompositionFault": {
        "kind": next(iter(FaultKind)),
        "who": "a",
        "component": "b",
        "message": 0,
        "value": HALF,
    },
    "shuffle.Hidden": {"shared": ((HALF, HALF, HALF),), "nothing": HALF, "alone": ((HALF, HALF),)},
    "shuffle.Mixture": {"who": "a", "row": ROW, "parts": ((ONE, LETTER),)},
    "shuffle.MultiMessageVictim": {"first": MULTISET, "second": MULTISET},
    "shuffle.MultisetLaw": {"masses": MULTISET.masses},
    "shuffle.Named": {"words": "a", "profile": PAIR},
    "shuffle.Neighbors": {"victim": Victim(COIN), "others": (Users(COIN, 1, 2),)},
    "shuffle.Published": {
        "name": "a",
        "standing": "b",
        "epsilon": Enclosure(Fraction(1), Fraction(1)),
    },
    "divergences.Worst": {"below": (Named("a", PAIR),), "above": (Named("b", PAIR),)},
    "shuffle.Users": {"randomizer": COIN, "input": 1},
    "shuffle.allocated_scale": {
        "mechanism_of": lambda x: laplace_mechanism(scale=x),
        "epsilon": LN3,
        "delta": "1e-2",
        "steps": 2,
        "relative_width": "1/4",
    },
    "shuffle.clone_weight": {"ratio": 3},
    "shuffle.first_fault": {"mixtures": [Mixture("a", ROW, ((ONE, LETTER),))]},
    "shuffle.is_input_symmetric": {"randomizers": [COIN]},
    "shuffle.letter_weight": {"letters": [ROW, ROW], "rows": [ROW]},
    "shuffle.multi_message_view": {"victim": MultiMessageVictim(MULTISET, MULTISET)},
    "shuffle.neighboring_views": {"groups": [(COIN, 3)]},
    "shuffle.union_of": {"laws": [MULTISET]},
    "shuffle.variation_ratio_pair": {"n": 5, "p": 4, "beta": "3/7", "q": 4},
    "shuffle.worst_case": {"groups": [(COIN, 3)], "epsilon": LN2},
    "accounting.CertifiedComposition": {"parts": ((PAIR, 2),)},
    "accounting.ComposedRandomizedResponse": {"epsilon0": LN3, "times": 2, "delta0": HALF},
    "accounting.FixedSizeSampled": {"profiles": (PAIR, PAIR.reversed())},
    "accounting.PoissonSubsampled": {
        "mechanism": laplace_mechanism(scale=1),
        "sampling_probability": HALF,
    },
    "accounting.advanced_composition": {"one": (LN3, "1e-6"), "times": 3, "slack": "1e-6"},
    "accounting.cut_poisson_sampled": {
        "mechanism": gaussian_mechanism(sigma=1),
        "sampling_probability": "1/2",
        "records": 9,
        "at_most": 5,
    },
    "accounting.dp_sgd_noise_multiplier": {
        "epsilon": LN3,
        "delta": "1e-3",
        "sampling_probability": 1,
        "steps": 2,
        "relative_width": "1/4",
    },
    "accounting.from_renyi": {"curve": {2: 1}},
    "accounting.from_trade_off": {"points": [(0, 1), ("1/4", "1/4"), (1, 0)]},
    "accounting.from_zcdp": {"rho": "1/10"},
    "accounting.gaussian_mixture": {
        "sigma": 1,
        "sensitivities": [0, 1],
        "probabilities": ["1/2", "1/2"],
    },
    "accounting.read_budget": {"budget": {"epsilon": "1"}},
    "accounting.renyi_curve": {"profile": PAIR, "orders": [2, 3]},
    "accounting.sampled_with_replacement": {
        "mechanism": laplace_mechanism(scale=1),
        "drawn": 2,
        "records": 4,
    },
    "accounting.smallest_gdp": {"profile": PAIR},
    "accounting.smallest_zcdp": {"profile": PAIR, "relative_width": "1/4"},
    "accounting.best_of_runs": {"pair": PAIR, "runs": Runs.fixed(2)},
    "accounting.tuning_bound": {"one": PAIR, "runs": Runs.fixed(2)},
    "accounting.worst_shift": {
        "of_shift": lambda s: discrete_laplace_mechanism(scale=1, sensitivity=s),
        "dimensions": 2,
        "l1": 2,
    },
    "pufferfish.LaplaceMixturePair": {"p": POINT, "q": POINT, "scale": SCALE},
    "pufferfish.LaplaceScale": {"distance": Fraction(1), "epsilon": LN3},
    "pufferfish.LargestRatio": {"ratio": HALF, "points": (Fraction(1),)},
    "pufferfish.MultiUserSystem": {"users": [User(POINT)]},
    "pufferfish.Secret": {"own": POINT},
    "pufferfish.User": {"law": POINT},
    "pufferfish.law_of_counts": {"table": "size,count\n1,2\n", "value": "size"},
    "pufferfish.smallest_scale": {"pairs": [(POINT, MOVED)], "epsilon": LN3},
    "pufferfish.smallest_scale_over_systems": {
        "first": Secret(POINT),
        "second": Secret(MOVED),
        "epsilon": LN3,
    },
    "pufferfish.sum_of_independent": {"laws": [POINT, MOVED]},
    "pufferfish.wasserstein_infinity": {"p": POINT, "q": MOVED},
    "problems.answers_json": {"answers": solve(PROBLEM)},
    "problems.read_problem": {"text": TEXT},
    "testing.Deployment": {
        "mechanisms": (Mechanism("laplace", 1.0),),
        "epsilon": 1.0,
        "delta": 0.0,
    },
    "testing.Mechanism": {"kind": "laplace", "parameter": 1.0},
    "testing.OneRun": {"canaries": 9, "guesses": 5, "right": 3},
    "testing.Question": {"profile": PAIR, "at": LN3},
    "testing.ShuffledRandomizedResponse": {"epsilon0": 1.0, "n": 5, "epsilon": 1.0},
    "testing.Slack": {"ratio": Fraction(2), "at": "here"},
    "testing.ThresholdCase": {
        "mechanism": Mechanism("laplace", 1.0),
        "threshold": 9.0,
        "epsilon": 1.0,
        "delta": 0.5,
    },
    "testing.assert_contains_truth": {"lower": 0, "upper": 1, "truth": HALF},
    "testing.assert_epsilon_never_below_truth": {
        "claimed_epsilon": 9,
        "profile": PAIR,
        "delta": "1e-3",
    },
    "testing.assert_lawful_composition": {"value_of": len, "parts": [1.0, 2.0]},
    "testing.assert_lawful_delta": {"delta_of": lambda _: 0.5, "epsilons": [0.1, 1.0]},
    "testing.assert_lawful_epsilon": {"epsilon_of": lambda _: 0.5, "deltas": [0.1, 0.2]},
    "testing.assert_never_above_truth": {"claimed": 0, "truth": HALF},
    "testing.assert_never_below_truth": {"claimed": 1, "truth": HALF},
    "testing.assert_private": {"profile": PAIR, "epsilon": LN3, "delta": 1},
    "testing.datasets": {"inputs": 2},
    "testing.fractions": {"least": 0, "most": 1, "max_denominator": 3},
    "testing.local_randomizers": {"rows": 2, "columns": 2, "max_ratio": Fraction(3)},
    "testing.neighboring_datasets": {"inputs": 2},
    "testing.push_forward": {
        "law": (Fraction(1),),
        "matrix": ((Fraction(1, 2), Fraction(1, 2)),),
    },
    "testing.question": {"profile": PAIR, "epsilon": LN3},
    "testing.stochastic_matrices": {"rows": 2, "columns": 2},
    "compare.ShuffledUsers": {
        "mechanism": "randomized_response",
        "epsilon0": 1.0,
        "k": 2,
        "n": 5,
        "epsilon": 1.0,
        "delta": 1e-6,
    },
    "compare.compare": {"tasks": [], "accountants": []},
    "bounds.asked_between": {
        "below": [Named("a", PAIR)],
        "above": [Named("b", PAIR)],
        "at": lambda one: question(one.profile, epsilon=LN2),
    },
    "bounds.one_number": {"words": "a", "asked": question(PAIR, epsilon=LN2)},
    "compare.read_registry": {"text": '{"format": "exactdp-registry/1", "entries": []}'},
    "compare.tasks_of": {"problem": read_problem(NOISE)},
    "bounds.bound_cases": {"name": BOUND},
    "bounds.bounds_of": {"paper": "feldman2021"},
    "bounds.published": {"name": BOUND},
}
"""The arguments of a call whose names say too little, by room and name."""


def arguments_of(name):
    """Return the arguments of a good call of a public name, by their names."""
    if name in ARGUMENTS:
        return dict(ARGUMENTS[name])
    asked = inspect.signature(PUBLIC[name]).parameters.values()
    variable = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return {
        one.name: BY_NAME[one.name]
        for one in asked
        if one.default is one.empty and one.kind not in variable
    }
