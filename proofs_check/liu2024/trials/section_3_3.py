"""Section 3.3 up to Theorem 1: mixtures, and f_s against the trade-off function of the view."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    decided,
    equal,
    for_all,
)
from exactdp.claims.kinds import objects, reals
from exactdp.claims.laws import event, finite_pair, hockey_stick, mass
from exactdp.claims.quantities import Notion, quantity
from exactdp.claims.terms import Term, formula, named, term, total
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.divergences import Pair, trade_off_function
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact, decimal
from exactdp.shuffle import Users, Victim, shuffle_view
from exactdp.testing import fractions
from exactdp.testing.later import st
from proofs_check.lemmas.quantities import (
    PAIRS,
    SAME,
    WEIGHTS,
    mean_divergence,
    mixed,
    mixed_pair_divergence,
)
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import laws
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.randomizers import Matrix, binary
from proofs_check.liu2024.theorems import Profile, breakpoints, counted, response_cases, sums

TRIALS: Trials = {}

FACTORS = [Fraction(x) for x in ("2", "3/2", "5/4", "5/2")]

Laws = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


def unequal_mixtures(
    parts: Sequence[Laws], weights: Sequence[Fraction], exp_epsilon: Fraction, **_: Any
) -> Relation:
    """False: D_γ of mixtures, Q's with the weights in reverse, is at most the parts' mean."""
    p, q = (
        mixed(ws, laws)
        for ws, laws in zip((weights, weights[::-1]), zip(*parts, strict=True), strict=True)
    )
    bound = mean_divergence(weights, parts, exp_epsilon)
    return at_most(hockey_stick(finite_pair(p, q), exp_epsilon), bound)


TEST = objects(
    "a test: the chance to reject Q at each outcome",
    lambda: st.tuples(*[fractions(0, 1, max_denominator=4)] * 3),
    condition=lambda test: all(0 <= x <= 1 for x in test),
    coq=("A -> R", "(forall y, 0 <= {0} y <= 1)", SAME),
)


def rejected(law: Sequence[Any], test: Sequence[Any]) -> Fraction:
    """Return the chance to reject under a law; beyond its length a test goes on as it ends."""
    at = (*test, *[test[-1]] * len(law))
    return sum((mass * at[y] for y, mass in enumerate(law)), Fraction(0))


def _overall(side: int) -> Notion:
    @quantity(
        f"mean {{2}} (bind {{0}} (fun i => {('fst', 'snd')[side]} ({{1}} i)))", name="PQ"[side]
    )
    def chance(weights: Sequence[Fraction], parts: Sequence[Laws], test: Sequence[Any]) -> Fraction:
        return rejected(mixed(weights, [part[side] for part in parts]), test)

    return chance


OVERALL = (_overall(0), _overall(1))
"""The chance to reject under the mixture of the P_i, and of the Q_i."""


@quantity("mean (fun i => mean {2} (snd ({1} i))) {0}", name="alpha")
def parts_type_1(
    weights: Sequence[Fraction], parts: Sequence[Laws], test: Sequence[Any]
) -> Fraction:
    """Return Σ w_i α_i, α_i the type I error at the i-th pair."""
    errors = [rejected(part[1], test) for part in parts]
    return sum((w * x for w, x in zip(weights, errors, strict=True)), Fraction(0))


@quantity(
    "mean (fun i => 1 - hockey_stick same (fst ({1} i)) (snd ({1} i)) {2} "
    "- {2} * mean {3} (snd ({1} i))) {0}",
    name="beta",
)
def parts_type_2(
    weights: Sequence[Fraction], parts: Sequence[Laws], exp_epsilon: Fraction, test: Sequence[Any]
) -> Term:
    """Return Σ w_i (1 − D_γ(P_i ‖ Q_i) − γ α_i): each is below its trade-off function at α_i."""
    lines = [
        w
        * (
            1
            - hockey_stick(finite_pair(*part), exp_epsilon)
            - exp_epsilon * rejected(part[1], test)
        )
        for w, part in zip(weights, parts, strict=True)
    ]
    return total(lines)


def mixture(weights: Any, parts: Any, exp_epsilon: Any, test: Any) -> list[Relation]:
    """D_γ and the errors of a test: of the mixtures, against those of the parts with the weights.

    The supporting lines of the parts' trade-off functions, all γ >= 0, give one of the overall.
    """
    under_p, under_q = (chance(weights, parts, test) for chance in OVERALL)
    return [
        at_most(
            mixed_pair_divergence(weights, parts, exp_epsilon),
            mean_divergence(weights, parts, exp_epsilon),
        ),
        equal(under_q, parts_type_1(weights, parts, test)),
        at_least(1 - under_p, parts_type_2(weights, parts, exp_epsilon, test)),
    ]


MIXTURES = cases(
    parts=list(product(product(laws(2, 2), repeat=2), repeat=2))[::4],
    weights=laws(2, 3),
    exp_epsilon=[Fraction(1), Fraction(3, 2), Fraction(3)],
    test=[(Fraction(1), Fraction(0)), (Fraction(1, 3), Fraction(1, 2))],
).within(weights=WEIGHTS, parts=PAIRS, exp_epsilon=reals(0), test=TEST)

TRIALS["liu2024/section-3.3/mixture"] = for_all(
    MIXTURES,
    mixture,
    wrong=unequal_mixtures,
    proof=theorem("liu2024_mixture"),
)


def observed(profile: Profile) -> Pair:
    """Return the pair of laws that the analyzer sees, by the engine: it proposes the tests."""
    r = Randomizer.from_matrix(profile.rows)
    return shuffle_view(Victim(r), [Users(r, j, c) for j, c in enumerate(profile.counts, 2)]).pair


def leaky_profiles(largest: int, others: int) -> Iterator[Profile]:
    """Yield a victim with two letters that nobody else sends: (a, b, c, d) against (b, a, d, c)."""
    half = Fraction(1, 2)
    other = (Fraction(0), Fraction(0), half, half)
    for size in range(4, largest + 1):
        for a, b, c in product(range(1, size), repeat=3):
            d = size - a - b - c
            if a > b and c > d >= 1 and 2 * c > size:
                zero = tuple(Fraction(x, size) for x in (a, b, c, d))
                one = tuple(Fraction(x, size) for x in (b, a, d, c))
                yield Profile((zero, one, other), (others,))


def best_test(
    profile: Profile, level: Exact
) -> tuple[tuple[int, int], list[Sequence[int]], Sequence[int] | None]:
    """Return the direction, the outcomes rejected, and one rejected with some probability."""
    pair, inputs = observed(profile), (0, 1)
    errors = [trade_off_function(p).type_two_error(alpha=level) for p in (pair, pair.reversed())]
    if errors[1] < errors[0]:
        pair, inputs = pair.reversed(), (1, 0)
    seen: Any = pair.outcomes
    outcomes = [tuple(map(int, outcome)) for outcome in seen]
    masses = list(pair.masses())
    order = sorted(range(len(masses)), key=lambda k: masses[k][0] / sum(masses[k], Exact(0)))
    spent = Exact(0)
    region: list[Sequence[int]] = []
    for k in order:
        if spent + masses[k][0] > level:
            return inputs, region, outcomes[k]
        spent += masses[k][0]
        region.append(outcomes[k])
    return inputs, region, None


def trade_off(profile: Profile, t: Fraction, f_s: Any = bounds.trade_off_of_complement) -> Said:
    """f_s(α(t)) is at most the type II error of the best test of level α(t)."""
    w, others = profile.probabilities()
    alpha, plus = (named(*x) for x in zip(("alpha", "plus"), sums(others, t), strict=True))
    claimed = formula(f_s, alpha=alpha, plus=plus, w=w, delta_1=profile.delta_1)
    inputs, region, extra = best_test(profile, exact_value(alpha))
    view = named("view", profile.view(inputs))
    error, room = 1 - event(view, "q", region), alpha - event(view, "p", region)
    level = [at_least(room, 0)]
    if extra is not None:
        # The test rejects one more outcome at random, so that its level is α(t).
        share = room / mass(view, "p", extra)
        error, level = error - share * mass(view, "q", extra), [*level, at_most(share, 1)]
    return at_most(claimed, error).given(level)


TRIALS["liu2024/theorem-1"] = {
    "a": for_all(
        response_cases((2, 3, 4), (2, 3, 9), t=lambda _n: breakpoints(_n)[1:]),
        partial(trade_off, f_s=bounds.trade_off),
        falls=Falls.MISPRINT,
    ),
    # At t < 1 the slope of f_s is one that an ε > 0 asks for.
    "b": for_all(
        response_cases((2, 3), (2, 3, 9), t=lambda _n: [t for t in breakpoints(_n) if t < 1]).then(
            cases(profile=lambda: leaky_profiles(16, 2), t=(Fraction(0), Fraction(1, 2)))
        ),
        trade_off,
        falls=Falls.RESULT,
    ),
}


OTHERS = objects(
    "the others' p_i in [0, 1/2]",
    lambda: st.lists(fractions(0, Fraction(1, 2), max_denominator=9), max_size=4).map(tuple),
    condition=lambda others: all(0 <= p <= Fraction(1, 2) for p in others),
    coq=("list R", "halves {0}", ""),
)


@quantity("type_one {0} {1}", name="alpha")
def alpha_of(others: Sequence[Fraction], t: Fraction) -> Term:
    """Return α(t), for these p_i."""
    return sums(counted(others), t)[0]


def alpha_range(others: Any, t: Any, top: Fraction = Fraction(1)) -> list[Relation]:
    """0 <= α(t) <= 1."""
    return [at_least(alpha_of(others, t), 0), at_most(alpha_of(others, t), top)]


TRIALS["liu2024/theorem-1/alpha-range"] = for_all(
    cases(
        _n=(1, 2, 4),
        _p=(Fraction(0), Fraction(1, 4), Fraction(1, 2)),
        others=lambda _n, _p: [(_p,) * (_n - 1)],
        t=lambda _n: [*breakpoints(_n), Fraction(10**6)],
    ).within(others=OTHERS, t=reals(0)),
    alpha_range,
    wrong=partial(alpha_range, top=Fraction(1, 2)),
    proof=theorem("liu2024_alpha_range"),
)


def telling(ratio: int, delta: Fraction, x: int) -> tuple[Fraction, ...]:
    """Return a row that tells x with probability δ, by a letter of its own, else responds."""
    leak = (delta, Fraction(0)) if x == 0 else (Fraction(0), delta)
    return (*leak, *((1 - delta) * m for m in binary(ratio, x)))


def telling_victim(ratio: int, delta: Fraction, others: int) -> Profile:
    """Return a victim who tells with probability δ_1, and others who respond, e^ε_i = 2."""
    rows = (telling(ratio, delta, 0), telling(ratio, delta, 1), telling(2, Fraction(0), 0))
    return Profile(rows, (others,), delta)


def approximate(n: int, exp_epsilon_1: int, delta_1: Fraction, alpha: Fraction) -> Outcome:
    """f = (1 − δ_1) f_pure + δ_1 (1 − α), with the true f_pure: for a victim who tells."""
    whole, pure = (telling_victim(exp_epsilon_1, d, n - 1) for d in (delta_1, Fraction(0)))
    true, part = (
        trade_off_function(observed(p)).type_two_error(alpha=alpha) for p in (whole, pure)
    )
    claimed = (1 - delta_1) * part + delta_1 * (1 - alpha)
    hypotheses, failure = at_level_zero(whole, pure, exp_epsilon_1)
    return decided(
        claimed <= true,
        f"claimed {decimal(claimed, digits=6)}, the trade-off function is {true}",
        claimed=[failure.negated],
        given=hypotheses,
    )


def at_level_zero(whole: Profile, pure: Profile, ratio: int) -> tuple[list[Relation], Relation]:
    """At α = 0: f_pure(0) = 1, for Q's outcomes all have mass under P, so claimed is 1.

    Rejecting when the victim tells x_1^1 has level 0, and errs with 1 − δ_1.
    """
    n, d = 1 + sum(whole.counts), term(whole.delta_1)
    view, clean = named("view", whole.view()), named("pure", pure.view())
    told = [(0, 1, k, n - 1 - k) for k in range(n)]
    seen = [(0, 0, k, n - k) for k in range(n + 1)]
    rows: Matrix = whole.rows
    hypotheses = [
        *(at_most(hockey_stick(finite_pair(*pair), ratio), d) for pair in (rows[:2], rows[1::-1])),
        *(above(mass(clean, "p", outcome), 0) for outcome in seen),
        equal(event(clean, "q", seen), 1),
        equal(event(view, "p", told), 0),
    ]
    error = 1 - event(view, "q", told)
    return hypotheses, above((1 - d) + d * error, error)


TRIALS["liu2024/theorem-1/approximate-term"] = for_all(
    cases(
        n=(2, 3),
        exp_epsilon_1=(3, 5),
        delta_1=(Fraction(1, 4), Fraction(1, 10)),
        alpha=(Fraction(0), Fraction(1, 4), Fraction(1, 2)),
    ),
    approximate,
    falls=Falls.STEP,
)
