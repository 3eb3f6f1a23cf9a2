"""The best of several runs: exactly beside every sequence of runs, and below the theorems."""

import json
import random
from fractions import Fraction
from itertools import pairwise, product
from math import comb, factorial

import mpmath
import pytest

from exactdp.accounting import Runs, best_of_runs, compose, dp_sgd, tuning_bound
from exactdp.accounting.selection.best_of_runs import NO_RUNS
from exactdp.accounting.selection.tuning import ScaledProfile
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Epsilon, Exact
from tests.commands import answers
from tests.routes.reals import fraction_of

F = Fraction
NARROW = F(1, 10**6)
PAIR = Pair.from_pmfs(
    FinitePmf({"a": "1/4", "b": "1/4", "c": "1/2"}), FinitePmf({"a": "1/2", "b": "1/3", "c": "1/6"})
)
COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])


def fractions(pair):
    return [tuple(x.as_fraction() for x in side) for side in zip(*pair.masses(), strict=True)]


def best_by_hand(law, scores, masses):
    """Every sequence of runs with its probability; the first of the best runs is told."""
    found = [F(0)] * (len(law) + 1)
    for count, chance in masses.items():
        for runs in product(range(len(law)), repeat=count):
            weight = chance
            for y in runs:
                weight *= law[y]
            best = max(runs, key=lambda y: scores[y], default=len(law))
            found[best] += weight
    return found


def by_hand(pair, scores, masses):
    p, q = (best_by_hand(law, scores, masses) for law in fractions(pair))
    return [*zip(p, q, strict=True)]


def exact(pair):
    return [(p.as_fraction(), q.as_fraction()) for p, q in pair.masses()]


@pytest.mark.parametrize("scores", [None, (3, 2, 1), (1, 1, 1), (0, 1, 1), (1, "1/2", 1)])
@pytest.mark.parametrize(
    "masses", [{3: F(1)}, {1: F(1, 3), 4: F(2, 3)}, {0: F(1, 5), 1: F(2, 5), 2: F(2, 5)}]
)
def test_a_finite_number_of_runs_is_the_sum_over_all_sequences(scores, masses):
    found = best_of_runs(PAIR, Runs.of(masses), scores=scores)
    given = range(3) if scores is None else [F(x) for x in scores]
    expected = by_hand(PAIR, given, masses)
    assert exact(found) == (expected if 0 in masses else expected[:-1])
    assert [*found.outcomes] == ["a", "b", "c", *([NO_RUNS] if 0 in masses else [])]


def binomial(n, p):
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def negative_binomial(shape, stop, most):
    """Masses by their recursion, normalized by the sum of the whole series less that at 0."""
    weight, found = F(1), {}
    for k in range(1, most + 1):
        weight *= (1 - stop) * (k - 1 + shape) / k
        found[k] = weight
    return {k: x / (stop**-shape - 1) for k, x in found.items()}


@pytest.mark.parametrize("shape", [1, 2])
def test_a_negative_binomial_number_of_runs_is_its_series(shape):
    stop = F(2, 3)
    masses = negative_binomial(shape, stop, 7)
    rest = 1 - sum(masses.values())
    found = best_of_runs(PAIR, Runs.negative_binomial(shape=shape, stop=stop), scores=[2, 1, 3])
    assert 0 < rest < F(1, 100)
    for sides, lower in zip(exact(found), by_hand(PAIR, [2, 1, 3], masses), strict=False):
        assert all(low <= x <= low + rest for x, low in zip(sides, lower, strict=True))


def test_a_binomial_number_of_runs_is_that_of_its_masses():
    runs = Runs.binomial(trials=4, probability="1/3")
    assert exact(best_of_runs(PAIR, runs)) == by_hand(PAIR, range(3), binomial(4, F(1, 3)))
    assert runs.masses == FinitePmf(binomial(4, F(1, 3)))


def generating_by_mpmath(kind, x):
    """G(x) as a sum of 400 terms."""
    if kind == "poisson":
        return mpmath.fsum(
            mpmath.exp(-3) * mpmath.mpf(3 * x) ** k / factorial(k) for k in range(400)
        )
    rest = mpmath.mpf(3) / 4
    if kind == "logarithmic":
        return mpmath.fsum((rest * x) ** k / k for k in range(1, 900)) / -mpmath.log(1 - rest)
    weights = (mpmath.binomial(k - mpmath.mpf(1) / 2, k) * (rest * x) ** k for k in range(1, 900))
    return mpmath.fsum(weights) / (2 - 1)  # (1/4)^(-1/2) - 1


SERIES = {
    "poisson": Runs.poisson(mean=3),
    "logarithmic": Runs.negative_binomial(shape=0, stop="1/4"),
    "of shape 1/2": Runs.negative_binomial(shape="1/2", stop="1/4"),
}


@pytest.mark.parametrize("kind", SERIES)
def test_what_is_no_fraction_is_the_sum_of_its_series(kind):
    with mpmath.workdps(40):
        steps = [
            [generating_by_mpmath(kind, mpmath.mpf(x.numerator) / x.denominator) for x in (a, b)]
            for a, b in ((F(1, 4), F(1, 2)), (F(1, 2), F(5, 6)), (F(1), F(1)))
        ]
        none = mpmath.exp(-3) if kind == "poisson" else 0
        edges = [[none] * 2, *steps]
        p, q = ([b[i] - a[i] for a, b in pairwise(edges)] for i in (0, 1))
        truth = fraction_of(sum(max(x - y, 0) for x, y in zip(p, q, strict=True)))
    found = enclosed(best_of_runs(PAIR, SERIES[kind]).delta(0), NARROW)
    assert found.lower - F(1, 10**30) <= truth <= found.upper + F(1, 10**30)


def test_many_powers_of_e_are_reals_and_agree_with_exact_ones():
    p, q = ["1/7", "1/11", "59/77"], ["1/13", "1/17", "191/221"]
    wide = best_of_runs(Pair.from_masses(p, q), Runs.poisson(mean="7/3"))
    assert not isinstance(wide, Pair)
    with mpmath.workdps(30):
        ends = [
            [mpmath.exp(mpmath.mpf(7) / 3 * (x - 1)) for x in side]
            for side in (
                (0, mpmath.mpf(1) / 7, mpmath.mpf(18) / 77, 1),
                (0, mpmath.mpf(1) / 13, mpmath.mpf(30) / 221, 1),
            )
        ]
        laws = [[b - a for a, b in pairwise(side)] for side in ends]
        truth = fraction_of(sum(max(x - y, 0) for x, y in zip(*laws, strict=True)))
    found = wide.delta(0, relative_width="1e-9")
    assert found.lower <= truth <= found.upper


# --- the theorems ------------------------------------------------------------------

LAWS = {
    "fixed": Runs.fixed(3),
    "finite": Runs.of({0: "1/3", 1: "1/3", 4: "1/3"}),
    "binomial": Runs.binomial(trials=5, probability="3/5"),
    "geometric": Runs.geometric(stop="1/5"),
    "many": Runs.geometric(mean=50),
    "of shape 2": Runs.negative_binomial(shape=2, stop="1/3"),
    "of shape -1/2": Runs.negative_binomial(shape="-1/2", stop="1/20"),
    "logarithmic": Runs.negative_binomial(shape=0, mean=4),
    "poisson": Runs.poisson(mean=6),
    "few": Runs.poisson(mean="1/2"),
}


def drawn(seed):
    """A pair of three outcomes with small ratios, or with one that only P has, and scores."""
    draw = random.Random(seed)
    p = [draw.randint(1, 9) for _ in range(3)]
    q = [max(1, x + draw.randint(-2, 2)) for x in p]
    if seed % 4 == 0:
        p[draw.randrange(3)], q[0] = 1, 0
    pair = Pair.from_masses(p, q, normalize=True)
    return (pair if seed % 2 else pair.reversed()), [draw.randint(0, 2) for _ in range(3)]


@pytest.mark.parametrize("name", LAWS)
def test_no_bound_is_below_the_best_of_any_drawn_pair(name):
    for seed in range(6):
        pair, scores = drawn(seed)
        truth = best_of_runs(pair, LAWS[name], scores=scores)
        for bound in tuning_bound(pair, LAWS[name], orders=[2, 4, 16]).above:
            for nats in ("0", "1/4", "1", "5/2"):
                at = Epsilon.rational(nats)
                least = enclosed(truth.delta(at), NARROW).lower
                assert enclosed(bound.profile.delta(at), NARROW).upper >= least, (seed, bound.words)
            if bound.words.startswith("Papernot") and "times" not in bound.words:
                moment = enclosed(truth.renyi(4), NARROW).lower
                assert bound.profile.rows.bound(F(4)) >= moment, (seed, bound.words)


def test_without_the_growth_of_its_law_the_bound_would_be_below():
    """The best of geometric runs has more than the mean number times δ at the same ε."""
    truth = best_of_runs(COIN, Runs.geometric(stop="1/4"))
    naive = ScaledProfile(COIN, F(4), F(0))
    at = Epsilon.log(3)
    assert naive.delta(at).upper == 0 < truth.delta(at)


def test_a_line_to_one_is_above_and_convex_where_the_bound_is_composed():
    (convex,) = tuning_bound(COIN, Runs.geometric(stop="1/4")).above[0].profile.dominating()
    gammas = [F(k, 4) for k in range(1, 60)]
    found = [enclosed(convex.profile.delta(Epsilon.log(x)), NARROW).upper for x in gammas]
    assert all(
        2 * b <= a + c + NARROW for a, b, c in zip(found, found[1:], found[2:], strict=False)
    )
    truth = best_of_runs(COIN, Runs.geometric(stop="1/4"))
    assert all(x >= truth.delta(Epsilon.log(g)) for x, g in zip(found, gammas, strict=True))


def test_a_bound_composes_above_the_composed_truth():
    truth = best_of_runs(COIN, Runs.geometric(stop="1/4"))
    bound = tuning_bound(COIN, Runs.geometric(stop="1/4"))
    found = compose([(bound, 2), (COIN, 1)]).delta(2, relative_width="1e-2")
    assert found.upper >= compose([(truth, 2), (COIN, 1)]).delta(Epsilon.rational(2))
    assert found.lower_by == "each time the same: nothing"


def test_pure_runs_are_three_times_as_private_and_the_factor_is_nearly_reached():
    """A rare second best outcome, twice as likely where the best one is half as likely."""
    rare, best = F(1, 10**7), F(1, 100)
    pair = Pair.from_masses(
        [1 - 2 * rare - best, 2 * rare, best], [1 - rare - 2 * best, rare, 2 * best]
    )
    bound = tuning_bound(COIN, Runs.geometric(stop="1/4"))
    names = [one.words for one in bound.above]
    assert "Liu and Talwar 2019: 3 times the epsilon of one run" in names
    assert pair.max_divergence() == Epsilon.log(2) == pair.reversed().max_divergence()
    found = best_of_runs(pair, Runs.geometric(stop=F(1, 10**6)))
    assert Epsilon.log(F(799, 100)) < found.max_divergence() <= 3 * Epsilon.log(2)


def test_the_best_of_one_run_is_the_run():
    assert exact(best_of_runs(PAIR, Runs.fixed(1))) == exact(PAIR)
    (only,) = tuning_bound(PAIR, Runs.geometric(mean=1)).above
    assert only.profile.delta(Epsilon.log(2)) == PAIR.both_directions().delta(Epsilon.log(2))


def test_a_mean_is_rounded_up():
    for shape in ("0", "1/2", "3", "-1/2"):
        runs = Runs.negative_binomial(shape=shape, mean="7/2")
        mean = enclosed(runs.mean, F(1, 10**15))
        assert F(7, 2) <= mean.upper and mean.lower <= F(7, 2) * (1 + F(1, 10**9))


def test_gaussian_runs_are_bounded_below_renyi():
    bound = tuning_bound(gaussian_mechanism(sigma=3), Runs.geometric(mean=40))
    found = bound.epsilon("1e-5", relative_width="1e-3")
    by_orders = bound.above[1].profile.epsilon("1e-5", relative_width="1e-3")
    assert found.lower == 0
    assert found.upper < F(25, 10) < by_orders.lower


def test_training_that_is_tuned():
    """A row of the public threads: one run has 1.034, by Rényi divergences the best has 2.955."""
    one = dp_sgd(noise_multiplier="1.1", sampling_probability="0.00512", steps=2000)
    found = tuning_bound(one, Runs.geometric(mean=40)).epsilon("1e-5", relative_width="1e-3")
    assert one.epsilon("1e-5", relative_width="1e-3").upper < found.upper < F(204, 100)
    assert found.upper_by.startswith("Koskela, Redberg and Wang 2024")


def test_what_makes_no_sense_is_refused():
    for call, said in (
        (lambda: Runs.geometric(), "needs stop or mean"),
        (lambda: Runs.geometric(stop="1/2", mean=2), "needs stop or mean"),
        (lambda: Runs.geometric(mean="1/2"), "below 1"),
        (lambda: Runs.negative_binomial(shape=-1, stop="1/2"), "above -1"),
        (lambda: Runs.poisson(mean=0), "not positive"),
        (lambda: Runs.of({1: "1/2"}), "runs sum to 1/2, not 1"),
        (lambda: Runs.fixed(0), "at least 1"),
        (lambda: best_of_runs(PAIR, Runs.fixed(2), scores=[1]), "1 scores and 3 outcomes"),
        (lambda: tuning_bound(PAIR, Runs.geometric(mean=3), orders=[1, 2]), "not 1"),
        (lambda: tuning_bound(PAIR, Runs.geometric(mean=3), orders=["1/2"]), "above 1"),
    ):
        with pytest.raises(DomainError, match=said) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_a_file_asks_the_same():
    pair = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
    ask = {"hockey_stick": [{"log": "2"}]}
    forms = {
        '{"count": 2}': Runs.fixed(2),
        '{"shape": 1, "mean": 3}': Runs.geometric(mean=3),
        '{"shape": "2", "stop": "1/3"}': Runs.negative_binomial(shape=2, stop="1/3"),
        '{"shape": "infinity", "mean": 3}': Runs.poisson(mean=3),
        '{"trials": 4, "probability": "1/3"}': Runs.binomial(trials=4, probability="1/3"),
        '{"masses": ["1/3", 0, "2/3"]}': Runs.of({0: "1/3", 2: "2/3"}),
    }
    for written, runs in forms.items():
        (found,) = answers(
            kind="best_of_runs", problem=pair, runs=json.loads(written), scores=[2, 1], ask=ask
        )
        truth = best_of_runs(COIN, runs, scores=[2, 1]).delta(Epsilon.log(2))
        assert Exact(found.exact) == truth
        (bound,) = answers(kind="best_of_runs", problem=pair, runs=json.loads(written), ask=ask)
        assert F(bound.lower) == 0 and F(bound.upper) >= truth


def test_the_best_of_runs_that_tell_nothing_tells_nothing():
    """No step of scores is needed, however small, and none is the least one."""
    equal = Pair.from_masses(["1/2", "1/2"], ["1/2", "1/2"])
    assert tuning_bound(equal, Runs.geometric(mean=2)).delta(0).upper == 0
