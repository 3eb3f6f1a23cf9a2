"""Section 2.1: transport plans, and the request on one to have privacy."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.calls import called
from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, Said, Trials, at_least, at_most, equal, for_all
from exactdp.claims.kinds import objects
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, term, total, when
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.couplings import (
    Coupling,
    farthest_optimal,
    least_relaxed,
    shortest,
)
from proofs_check.ding2025.law import Law, whole
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.quantities import (
    Secrets,
    farthest,
    farthest_of_pairs,
    mass_at,
    middle_of_4,
    output,
    plan_column,
    plan_mass,
    plan_row,
    power,
    reach,
    right_of_4,
    worst_of_pairs,
    worst_ratio,
)
from proofs_check.ding2025.systems import GROWTHS, drawn_pairs, everywhere, pairs, pairs_of_laws
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def equation_4(
    P: Law, Q: Law, growth: Fraction, exp_epsilon: Fraction, y: Fraction, right: Any = right_of_4
) -> list[Relation]:
    """Return (4) for the plan (6), at every y."""
    at = P, Q, growth, exp_epsilon, y
    left = output(P, growth, y) - exp_epsilon * output(Q, growth, y)
    return [equal(left, middle_of_4(*at)), at_most(middle_of_4(*at), right(*at))]


def around(P: Law, Q: Law) -> range:
    """Return the integers from one below to one above all points of two laws."""
    points = (*P.points, *Q.points)
    return range(int(min(points)) - 1, int(max(points)) + 2)


TRIALS["ding2025/equation-4"] = for_all(
    everywhere(
        cases(
            **{"P Q": lambda: list(pairs())[:40]},
            growth=[Fraction(3, 2)],
            exp_epsilon=[Fraction(2)],
            y=around,
        )
    )
    .deep(**{"P Q": lambda: pairs(deep=True)})
    .drawn(drawn_pairs(growth=GROWTHS, exp_epsilon=GROWTHS, y=range(-6, 9))),
    equation_4,
    wrong=partial(equation_4, right=lambda P, Q, g, e, y: right_of_4(P, Q, 1 / g, e, y)),
    proof=theorem("ding2025_equation_4"),
)

Masses = Callable[[Fraction, Fraction], Any]
"""(x, x') -> the mass of a coupling."""


def coupling(pair: LinePair, masses: Masses) -> list[Relation]:
    """Return the relations that say that masses couple the two laws of a pair."""
    points = pair.points
    rows = [equal(total([masses(x, z) for z in points]), pair.mass("p", x)) for x in points]
    return rows + [equal(total([masses(x, z) for x in points]), pair.mass("q", z)) for z in points]


def cost(pair: LinePair, masses: Masses, of: Callable[[Fraction], Any] = abs) -> Term:
    """Return the expected cost of x − x'."""
    cells = product(pair.points, repeat=2)
    return total([of(x - z) * masses(x, z) for x, z in cells if x != z] or [term(0)])


def masses_of(found: Coupling) -> Masses:
    """Return the masses of a coupling, 0 elsewhere."""
    return lambda x, z: found.get((x, z), 0)


def as_cheap(pair: LinePair, plan: Coupling) -> list[Relation]:
    """Return the relations that say that a plan is a coupling and costs as much as (6)."""
    masses = masses_of(plan)
    return [*coupling(pair, masses), equal(cost(pair, masses), cost(pair, pair.plan))]


def unique(P: Law, Q: Law) -> Said:
    """A coupling that attains W_1 is (6)."""
    pair, plan = LinePair.of(P, Q), farthest_optimal(P, Q)
    cells = product(pair.points, repeat=2)
    same = [equal(masses_of(plan)(x, z), pair.plan(x, z)) for x, z in cells]
    return Said(same, lambda: as_cheap(pair, plan))


def plan_has_w_infinity(P: Law, Q: Law, coupling: Coupling) -> Relation:
    """No coupling has a smaller largest distance than (6)."""
    return at_most(farthest(P, Q), reach(coupling))


def optimal_has_w_infinity(P: Law, Q: Law) -> Said:
    """The largest distance of a W_1-optimal plan is that of (6), which is W_∞ by reading (a)."""
    pair, plan = LinePair.of(P, Q), farthest_optimal(P, Q)
    moved = [when(">", m, 0, abs(x - z), 0) for (x, z), m in plan.items()]
    return Said([equal(function("max", *moved), pair.farthest())], lambda: as_cheap(pair, plan))


def with_coupling(one: Callable[[Law, Law], Coupling], **more: Any) -> Cases:
    """Return pairs of laws, each with a coupling, and more variables."""

    def drawn() -> Any:
        return drawn_pairs()().map(
            lambda at: {
                **at,
                "coupling": one(at["P"], at["Q"]),
                **{x: called(axis, at)[0] for x, axis in more.items()},
            }
        )

    return pairs_of_laws(coupling=lambda P, Q: [one(P, Q)], **more).drawn(drawn)


@quantity("cost (plan_law {0} {1})", name="cost_of_plan")
def cost_of_plan(P: Law, Q: Law) -> Term:
    """Return ∫|x − x'|dπ(x,x') of the plan (6)."""
    pair = LinePair.of(P, Q)
    return cost(pair, pair.plan)


@quantity("cost {0}", name="cost")
def cost_of(coupling: Coupling) -> Fraction:
    """Return ∫|x − x'|dπ(x,x')."""
    return sum((abs(x - z) * m for (x, z), m in coupling.items()), Fraction(0))


def plan_is_cheapest(
    P: Law, Q: Law, coupling: Coupling, x: Fraction, z: Fraction
) -> list[Relation]:
    """(6) is a coupling, and none costs less."""
    return [
        at_most(cost_of_plan(P, Q), cost_of(coupling)),
        at_least(plan_mass(P, Q, x, z), 0),
        equal(plan_row(P, Q, x), mass_at(P, x)),
        equal(plan_column(P, Q, z), mass_at(Q, z)),
    ]


def moves_least(P: Law, Q: Law, coupling: Coupling) -> Relation:
    """(6) moves no more mass."""
    pair = LinePair.of(P, Q)
    moved = sum((m for (x, z), m in coupling.items() if x != z), Fraction(0))
    return at_most(cost(pair, pair.plan, lambda d: int(d != 0)), moved)


TRIALS["ding2025/section-2.1/kantorovich-plan"] = {
    "a": for_all(
        with_coupling(farthest_optimal, x=lambda P: P.points[:2], z=lambda Q: Q.points[-1:]),
        plan_is_cheapest,
        wrong=moves_least,
        proof=theorem("ding2025_kantorovich_plan"),
    ),
    "b": for_all(pairs_of_laws(), unique, falls=Falls.REMARK),
}


W_INFINITY = for_all(
    with_coupling(shortest),
    plan_has_w_infinity,
    wrong=for_all(pairs_of_laws(), optimal_has_w_infinity),
    proof=theorem("ding2025_w_infinity"),
)


def relaxed(pair: LinePair, masses: Masses, growth: Fraction) -> Term:
    """Return the least e^ε that satisfies (20): max over x' of the mean e^{|x − x'|/θ} given x'."""

    def mean(z: Fraction) -> Term:
        parts = [masses(x, z) * growth ** whole(abs(x - z)) for x in pair.points]
        return when(">", pair.mass("q", z), 0, total(parts) / pair.mass("q", z), 0)

    return function("max", *(mean(z) for z in pair.points))


def no_coupling_is_better(P: Law, Q: Law, growth: Fraction) -> Said:
    """At one θ, no coupling satisfies (20) with a smaller e^ε than (6) does."""
    pair, other = LinePair.of(P, Q), masses_of(least_relaxed(P, Q, growth))
    said = at_most(relaxed(pair, pair.plan, growth), relaxed(pair, other, growth))
    return said.given(lambda: coupling(pair, other))


TRIALS["ding2025/section-2.1/smaller-theta"] = {
    "a": for_all(pairs_of_laws(growth=[Fraction(3, 2)]), no_coupling_is_better, falls=Falls.REMARK),
    "b": W_INFINITY,
}


def averaged(pair: LinePair, masses: Masses, growth: Fraction) -> Term:
    """Return the mean of e^{|x − x'|/θ} over x' too."""
    cells = product(pair.points, repeat=2)
    return total([masses(x, z) * growth ** whole(abs(x - z)) for x, z in cells])


@quantity("relaxed {3} {2}")
def least_by_20(P: Law, Q: Law, coupling: Coupling, growth: Fraction) -> Term:
    """Return the least e^ε that satisfies (20) for a coupling."""
    return relaxed(LinePair.of(P, Q, name="own"), masses_of(coupling), growth)


def coupling_serves(
    P: Law, Q: Law, coupling: Coupling, growth: Fraction, least: Any = least_by_20
) -> Relation:
    """Noise with the least e^ε that (20) allows for a coupling attains ε, both ways."""
    return at_most(worst_ratio(P, Q, growth), least(P, Q, coupling, growth))


def mean_by_20(P: Law, Q: Law, coupling: Coupling, growth: Fraction) -> Term:
    """Return the mean over x' too."""
    return averaged(LinePair.of(P, Q, name="own"), masses_of(coupling), growth)


TRIALS["ding2025/repair/smaller-theta"] = for_all(
    with_coupling(partial(least_relaxed, growth=Fraction(3, 2)), growth=lambda: [Fraction(3, 2)]),
    coupling_serves,
    wrong=partial(coupling_serves, least=mean_by_20),
    proof=theorem("ding2025_repair_smaller_theta"),
)


def request(P: Law, Q: Law) -> Relation:
    """The request for all of X² asks for no more than (5); X is the joint support."""
    pair = LinePair.of(P, Q)
    return at_most(pair.points[-1] - pair.points[0], pair.farthest())


# If P = Q, (5) asks for θ = 0, and every request for more.
TRIALS["ding2025/section-2.1/request"] = for_all(
    pairs_of_laws().where(lambda P, Q: P != Q), request, falls=Falls.MISPRINT
)


@quantity(
    "largest (map (fun e => if Rlt_dec 0 (snd e) then "
    "Rpower {2} (Rabs (fst (fst e) - snd (fst e))) else 0) (plan_law {0} {1}))"
)
def asked(P: Law, Q: Law, growth: Fraction) -> Term:
    """Return the largest e^{|x − x'|/θ} on supp(π*)."""
    pair, g = LinePair.of(P, Q), term(growth)
    cells = product(pair.points, repeat=2)
    return function(
        "max", *(when(">", pair.plan(x, z), 0, g ** whole(abs(x - z)), 0) for x, z in cells)
    )


def asked_everywhere(P: Law, Q: Law, growth: Fraction) -> Term:
    """Return the largest e^{|x − x'|/θ} on X²."""
    pair = LinePair.of(P, Q)
    return term(growth) ** whole(pair.points[-1] - pair.points[0])


def request_on_support(P: Law, Q: Law, growth: Fraction, of: Any = asked) -> Relation:
    """e^{|x − x'|/θ} <= e^ε on supp(π*) exactly if θ >= (5): the largest of them is g^W."""
    return equal(of(P, Q, growth), power(growth, farthest(P, Q)))


TRIALS["ding2025/repair/request"] = for_all(
    pairs_of_laws(growth=[Fraction(3, 2)]).drawn(drawn_pairs(growth=GROWTHS)),
    request_on_support,
    wrong=partial(request_on_support, of=asked_everywhere),
    proof=theorem("ding2025_repair_request"),
)


def proposition_1(S: Secrets, growth: Fraction, less: int = 0) -> Relation:
    """Noise of scale W/ε attains ε, W the largest distance of (6): with e^{1/θ} = g, e^ε = g^W."""
    most = farthest_of_pairs(S) - less if less else farthest_of_pairs(S)
    return at_most(worst_of_pairs(S, growth), power(growth, most))


SECRETS = objects(
    "pairs of laws on finitely many reals",
    coq=(
        "list (law R * law R)",
        "Forall (fun two => is_law (fst two) /\\ is_law (snd two)) {0}",
        "",
    ),
)


def sets_of_pairs(*, deep: bool = False) -> Iterator[Secrets]:
    """Yield each pair alone, then pairs of pairs."""
    found = list(pairs(deep=deep))
    yield from (Secrets([two]) for two in found)
    yield from map(Secrets, zip(found[::7], found[3::7], strict=False))


TRIALS["ding2025/proposition-1"] = PROPOSITION_1 = for_all(
    everywhere(
        cases(S=lambda: sets_of_pairs(), growth=GROWTHS[:2]).deep(
            S=lambda: sets_of_pairs(deep=True)
        ),
        S=SECRETS,
    ).drawn(
        lambda: {
            "S": st.lists(
                drawn_pairs()().map(lambda at: (at["P"], at["Q"])), min_size=1, max_size=3
            ).map(Secrets),
            "growth": st.sampled_from(GROWTHS),
        }
    ),
    proposition_1,
    wrong=partial(proposition_1, less=1),
    proof=theorem("ding2025_proposition_1"),
)
