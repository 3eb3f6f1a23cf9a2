"""Section 3.3: equation (5), Theorem 2 with t_ε and l(t), and the choice of user 1."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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
    at_most,
    below,
    decided,
    equal,
    for_all,
)
from exactdp.claims.kinds import objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick, ldp_ratio
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term
from exactdp.claims.verdicts import Falls
from exactdp.numbers import Epsilon, Exact, decimal, enclosure
from exactdp.testing.later import st
from proofs_check.lemmas.theorems import theorem
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.curves import CentralBound
from proofs_check.liu2024.noise import Shape, least_probability, noise, victim_probability
from proofs_check.liu2024.noise_terms import (
    gaussian_delta,
    gaussian_other_terms,
    laplace_other_terms,
    normal_cdf,
    probability_below,
)
from proofs_check.liu2024.randomizers import Matrix, binary
from proofs_check.liu2024.theorems import (
    Profile,
    best_delta,
    breakpoints,
    conjugate,
    counted,
    equation_5,
    responding,
    response_cases,
    slope_ratio,
    sums,
    t_epsilon,
)
from proofs_check.liu2024.trials.section_3_3 import FACTORS, OTHERS, leaky_profiles, telling
from proofs_check.liu2024.truth import best_threshold

TRIALS: Trials = {}

PARAMETERS = cases(
    _n=(2, 3, 4),
    _first=(3, 5, 9),
    w=lambda _first: [Fraction(1, _first + 1)],
    others=lambda _n: [(Fraction(1, 3),) * (_n - 1)],
    exp_epsilon=FACTORS,
).within(w=reals(0, below=Fraction(1, 2)), others=OTHERS, exp_epsilon=reals(above=1))
"""w = p_1 and the p_i of binary randomized response with ε_i < ε_1."""

NO_T = decided(holds=True, found="no t meets the condition")


def nowhere_larger(
    w: Fraction, others: Sequence[Fraction], exp_epsilon: Fraction, value: Callable[..., Term]
) -> Outcome | Said:
    """No value at any t is larger than (5) at the printed t_ε, sums from i = 1."""
    p_1, given = named("w", term(w)), counted(others)
    t, why = t_epsilon(len(others) + 1, w=p_1, exp_epsilon=exp_epsilon)
    if t is None:
        return NO_T
    most = named("delta_s", equation_5(given, t, w=p_1, exp_epsilon=exp_epsilon))
    values = (value(given, s, w=p_1, exp_epsilon=exp_epsilon) for s in breakpoints(len(others) + 1))
    return Said([at_most(v, most) for v in values], why)


TRIALS["liu2024/equation-5"] = {
    reading: for_all(
        PARAMETERS, partial(nowhere_larger, value=partial(conjugate, f_s=f_s)), falls=Falls.MISPRINT
    )
    for reading, f_s in {"a": bounds.trade_off, "b": bounds.trade_off_of_complement}.items()
}


def as_printed(profile: Profile, exp_epsilon: Fraction) -> Outcome | Said:
    """Binary randomized response, ε_i < ε_1: sums from i = 1, w_1^0 in l(t), inf in t_ε."""
    w, others = profile.probabilities()
    t, why = t_epsilon(1 + sum(profile.counts), w=w, exp_epsilon=exp_epsilon)
    if t is None:
        return NO_T
    value = equation_5(others, t, w=w, exp_epsilon=exp_epsilon)
    return at_most(profile.delta(exp_epsilon), value).given(why)


def as_meant(profile: Profile, exp_epsilon: Fraction) -> Said:
    """Compare (5) at the best t, sums from i = 0; δ_i = 0, and e^ε below the victim's e^ε_1."""
    is_asked = [above(ldp_ratio(profile.rows[:2]), exp_epsilon)]
    return at_most(profile.delta(exp_epsilon), profile.bound(exp_epsilon)).given(is_asked)


def noisy(n: int, epsilon: Fraction, threshold: Fraction, **scales: Fraction) -> Outcome:
    """All users add noise of one family to inputs in [0, 1], x_i = x_1^0 = 0, ε_i < ε_1 <= 2.

    The truth is at least that of the number of messages below a threshold. Gaussian: σ of
    three digits above the least for (ε, 10^−10); T_δ is empty, for no density is above 1/2.
    """
    is_laplace = "epsilon_1" in scales
    if is_laplace:
        shape, s, r = Shape.LAPLACE, 1 / scales["epsilon_1"], 1 / scales["epsilon_i"]
    else:
        shape, s, r = Shape.GAUSSIAN, scales["sigma_1"], scales["sigma_i"]
    zero, one, other = noise(shape, 0, s), noise(shape, 1, s), noise(shape, 0, r)
    delta_1 = Fraction(0) if is_laplace else Fraction(1, 10**10)
    w, p = victim_probability(zero, one), least_probability(shape, s, r)
    asked, users = Epsilon.rational(epsilon), [(other, n - 1)]
    bound = CentralBound([(p, n - 1)], w=w, delta_1=Exact(delta_1), bits=96).best_delta(asked)
    _, true = best_threshold(zero, one, users, thresholds=[threshold], epsilon=asked, bits=96)

    def bounded() -> list[Relation]:
        w, ends = (
            (function("exp", -1 / (2 * s)) / 2, laplace_other_terms(1 / s, 1 / r))
            if is_laplace
            else (normal_cdf(-1 / (2 * s)), gaussian_other_terms(1 / s, r / s))
        )
        g, p = named("gamma", function("exp", epsilon)), named("p_i", function("min", *ends))
        masses = [
            probability_below(shape, threshold, center=center, scale=scale)
            for center, scale in ((0, s), (1, s), (0, r))
        ]
        rows: Any = [[m, 1 - m] for m in masses]
        least = Profile(rows, (n - 1,)).delta(g)
        claimed = best_delta([(p, n - 1)], w=named("w", w), exp_epsilon=g, delta_1=delta_1)
        return [at_most(least, claimed)]

    private = [] if is_laplace else [(s, Fraction(2)), (r, Fraction(199, 100))]
    outcome = decided(
        true.lower <= bound.upper,
        "δ_s = {}, true δ at least {}".format(
            *(decimal(Exact(found.lower), digits=6) for found in (bound, true))
        ),
        claimed=bounded,
        given=[at_most(gaussian_delta(1 / scale, e), delta_1) for scale, e in private],
        slack=bound.lower / true.upper,
    )
    apart = 1 - 2 * enclosure(w).lower  # total variation: δ is at most that of one's own message
    return replace(outcome, over=(true.lower / bound.upper, apart / bound.lower))


USED = {
    "n": (2, 3, 10),
    "epsilon": [Fraction(e) for e in ("1/100", "1/1000", "1/10")],
    "threshold": [Fraction(cut) for cut in ("3/4", "3/2", "2")],
}

TRIALS["liu2024/theorem-2"] = {
    "a": for_all(
        response_cases((2, 3), (2, 3, 5), exp_epsilon=FACTORS), as_printed, falls=Falls.MISPRINT
    ),
    "b": for_all(
        response_cases((2, 3), (2, 3, 5), exp_epsilon=FACTORS).then(
            cases(
                _profile=lambda: leaky_profiles(16, 1),
                exp_epsilon=FACTORS,
                profile=lambda _profile: [_profile],
            )
        ),
        as_meant,
        falls=Falls.RESULT,
    ),
    "c": for_all(
        cases(
            n=USED["n"],
            epsilon_1__epsilon_i=[
                (Fraction(1), Fraction(99, 100)),
                (Fraction(2), Fraction(199, 100)),
            ],
            epsilon=USED["epsilon"],
            threshold=USED["threshold"],
        ),
        noisy,
        falls=Falls.RESULT,
    ),
    "d": for_all(
        cases(
            n=USED["n"],
            sigma_1=[Fraction(1513, 500)],
            sigma_i=[Fraction(3041, 1000)],
            epsilon=USED["epsilon"],
            threshold=USED["threshold"],
        ),
        noisy,
        falls=Falls.RESULT,
    ),
}

TRIALS["liu2024/theorem-2/t_epsilon"] = for_all(
    PARAMETERS, partial(nowhere_larger, value=equation_5), falls=Falls.STEP
)


def slope(others: Sequence[Fraction], t: Fraction) -> Relation:
    """Where α(t) jumps, l(t) is the slope of Σ_i w_i (1 − F_i) there, over that of α."""
    n = len(others) + 1
    before = (max(s for s in breakpoints(n) if s < t) + t) / 2
    (a, u), (b, x) = (sums(counted(others), s) for s in (before, t))
    top, bottom = slope_ratio(n, t)
    return equal(-(top / bottom), -((x - u) / (b - a)))


TRIALS["liu2024/theorem-2/l"] = for_all(
    cases(
        _n=(2, 3, 4),
        _p=(Fraction(1, 3), Fraction(1, 4)),
        others=lambda _n, _p: [(_p,) * (_n - 1)],
        t=lambda _n: breakpoints(_n)[1:],
    ).within(others=OTHERS, t=reals(0)),
    slope,
    falls=Falls.STEP,
)

Users = tuple[Matrix, Matrix]


def two_users() -> Iterator[tuple[Users, Fraction]]:
    """Yield two users' rows, the larger ε first, and e^ε."""
    for ratios, g in product(((3, 2), (5, 2), (5, 3)), FACTORS[::-1]):
        one, two = ((binary(x, 0), binary(x, 1)) for x in ratios)
        yield (one, two), g
    zero = Fraction(0)
    second = tuple((zero, zero, *binary(2, x)) for x in (0, 1))
    for g, size in product((Fraction(11, 10), Fraction(5, 4)), range(6, 40)):
        for a, b, c in product(range(1, 4), range(1, 4), range(1, size)):
            d = size - a - b - c
            if a >= 3 * b and c >= d >= 1 and 3 * d > 2 * c:
                rows = ((a, b, c, d), (b, a, d, c))
                yield (tuple(tuple(Fraction(x, size) for x in row) for row in rows), second), g


def worst_budget(users: Users, exp_epsilon: Fraction) -> Said:
    """User 2's δ is at most that of user 1, or the bound for user 1 as the victim."""
    one, two = users
    g = named("gamma", term(exp_epsilon))
    first, second = (
        [Profile((*own, row), (1,)) for row in others] for own, others in ((one, two), (two, one))
    )
    most = [
        *(profile.delta(g) for profile in first),
        *(profile.bound(g, f"_{j}") for j, profile in enumerate(first)),
    ]
    return at_most(
        function("max", *(profile.delta(g) for profile in second)), function("max", *most)
    ).given([below(ldp_ratio(two), ldp_ratio(one))])


@quantity("(worst_apart {0} ({1} :: {2}) {3})", name="worst")
def worst_response(victim: Any, other: Any, others: Sequence[Any], exp_epsilon: Fraction) -> Term:
    """Return the largest true δ over all data, for users of binary response, by their e^ε."""
    rest = (other, *others)
    profiles = (responding((victim, *rest), data) for data in product((0, 1), repeat=len(rest)))
    return function("max", *(profile.delta(exp_epsilon) for profile in profiles))


def most_exposed(
    exp_epsilon1: Any, exp_epsilon_i: Any, others: Any, exp_epsilon: Any, *, swap: bool = False
) -> Relation:
    """No user i has a larger δ than user 1 (or, where ``swap``, a smaller one)."""
    one, own = (exp_epsilon1, exp_epsilon_i)[:: -1 if swap else 1]
    return at_most(
        worst_response(own, one, others, exp_epsilon), worst_response(one, own, others, exp_epsilon)
    )


TRIALS["liu2024/section-3.3/worst-case-budget"] = {
    "a": for_all(cases(users__exp_epsilon=two_users), worst_budget, falls=Falls.RESULT),
    "b": for_all(
        cases(
            exp_epsilon1__exp_epsilon_i__others=[
                (Fraction(one), Fraction(own), tuple(map(Fraction, others)))
                for one, own, others in (
                    (3, 2, ()),
                    (5, 2, ()),
                    (3, 2, (2,)),
                    (3, 2, (3,)),
                    (5, 3, (2,)),
                    (5, 2, (3,)),
                    (5, 2, (2, 2)),
                    (5, 4, (3, 2)),
                    (5, 3, (4, 2)),
                    (5, 2, (4, 3)),
                )
            ],
            exp_epsilon=[Fraction(1), Fraction(11, 10), *FACTORS],
        ).within(
            exp_epsilon1=reals(1),
            exp_epsilon_i=reals(1, lambda exp_epsilon1: exp_epsilon1),
            others=objects(
                "e^ε of all others, at least 1",
                lambda: st.lists(st.fractions(1, 9, max_denominator=4), max_size=2).map(tuple),
                coq=("list R", "Forall (fun x => 1 <= x) {0}", ""),
            ),
            exp_epsilon=reals(1),
        ),
        most_exposed,
        wrong=partial(most_exposed, swap=True),
        proof=theorem("liu2024_worst_case_budget"),
    ),
}


def other_delta(n: int, delta_2: Fraction, exp_epsilon: Fraction) -> Said:
    """User 1: randomized response, e^ε_1 = 3, δ_1 = 0. User 2 tells with probability δ_2.

    User 2 is (ln 2, δ_2)-private, user 1 (ln 3, 0)-private; no letter has mass above 1 − δ/2.
    """
    rest, counts = ([telling(2, Fraction(0), 0)], (n - 2,)) if n > 2 else ([], ())
    mine = [telling(3, Fraction(0), x) for x in (0, 1)]
    tells = [telling(2, delta_2, x) for x in (0, 1)]
    own = Profile((*mine, tells[0], *rest), (1, *counts))
    other = Profile((*tells, mine[0], *rest), (1, *counts))
    g = named("gamma", term(exp_epsilon))
    return at_most(hockey_stick(other.view(), g), own.bound(g)).given(
        [
            at_most(hockey_stick(finite_pair(*tells), 2), delta_2),
            below(max(tells[0]), 1 - delta_2 / 2),
        ]
    )


TRIALS["liu2024/section-3.3/delta_1"] = for_all(
    cases(
        delta_2=[Fraction(1, 10**10)],
        exp_epsilon=(Fraction(2), Fraction(5, 2)),
        n=(2, 8, 32, 128, 192, 256),
    ),
    other_delta,
    falls=Falls.RESULT,
)
