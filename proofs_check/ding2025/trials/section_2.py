"""Section 2.1: transport plans, and what is requested of one to have privacy."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.claims.calls import called
from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Open
from exactdp.claims.domains import objects
from exactdp.claims.forms import Relation, Said, Trials, above, at_least, at_most, equal, for_all
from exactdp.claims.proofs import proof, words
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term, total, when
from exactdp.claims.verdicts import Falls
from proofs_check.ding2025.couplings import (
    Coupling,
    farthest_optimal,
    least_cost,
    least_relaxed,
    shortest,
    w_infinity,
)
from proofs_check.ding2025.law import Law, bernoulli, point
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.quantities import (
    farthest,
    mass_at,
    plan_column,
    plan_mass,
    plan_row,
    power,
    reach,
)
from proofs_check.ding2025.steps import CROSSING, HARMONIC, PLAN_IS_NONNEGATIVE, TRIANGLE
from proofs_check.ding2025.systems import GROWTHS, drawn_pairs, everywhere, pairs, pairs_of_laws
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def equation_4(
    P: Law, Q: Law, half_growth: Fraction, exp_epsilon: Fraction, sign: int = 1
) -> list[Relation]:
    """(4) at all half-integers y around the support, for two couplings.

    e^{1/(2θ)} is rational, so that 2θ N(y − x) is at half-integers y too.
    """
    pair, gamma = LinePair.of(P, Q), exp_epsilon
    claimed = []
    for masses in (pair.plan, lambda x, z: P[x] * Q[z]):
        cells = [(x, z, masses(x, z)) for x, z in product(pair.points, repeat=2)]
        for twice_y in range(int(2 * pair.points[0]) - 1, int(2 * pair.points[-1]) + 2):
            y = Fraction(twice_y, 2)
            noise = {x: half_growth ** -int(2 * abs(y - x)) for x in pair.points}
            f, g = (pair.density(side, y, half_growth, Fraction(1, 2)) for side in "pq")
            middle = total([m * (noise[x] - gamma * noise[z]) for x, z, m in cells])
            moved = {x - z: half_growth ** int(2 * sign * abs(x - z)) for x, z, _ in cells}
            right = total([m * (noise[z] * (moved[x - z] - gamma)) for x, z, m in cells])
            claimed += [equal(f - gamma * g, middle), at_most(middle, right)]
    return claimed


TRIALS["ding2025/equation-4"] = for_all(
    everywhere(
        cases(
            **{"P Q": lambda: list(pairs())[:40]},
            half_growth=[Fraction(3, 2)],
            exp_epsilon=[Fraction(2)],
        )
    )
    .deep(**{"P Q": lambda: pairs(deep=True)})
    .drawn(drawn_pairs(half_growth=GROWTHS, exp_epsilon=GROWTHS)),
    equation_4,
    wrong=partial(equation_4, sign=-1),
    proof=proof(TRIANGLE),
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


def is_cheapest(of: Callable[[Fraction], Any], P: Law, Q: Law) -> list[Relation]:
    """(6) is a coupling of least expected cost."""
    pair = LinePair.of(P, Q)
    cheapest = least_cost(P, Q, of)
    assert cheapest is not None  # the product of both laws is a coupling
    return [
        *(at_least(pair.plan(x, z), 0) for x, z in product(pair.points, repeat=2)),
        *coupling(pair, pair.plan),
        equal(cost(pair, pair.plan, of), cheapest),
    ]


def unique(P: Law, Q: Law) -> Said:
    """A coupling that attains W_1 is (6)."""
    pair, plan = LinePair.of(P, Q), farthest_optimal(P, Q)
    cells = product(pair.points, repeat=2)
    same = [equal(masses_of(plan)(x, z), pair.plan(x, z)) for x, z in cells]
    return Said(same, lambda: as_cheap(pair, plan))


TRIALS["ding2025/section-2.1/kantorovich-plan"] = {
    "a": for_all(
        pairs_of_laws().drawn(drawn_pairs()),
        partial(is_cheapest, lambda d: abs(d)),
        wrong=partial(is_cheapest, lambda d: int(d != 0)),
        proof=proof(
            PLAN_IS_NONNEGATIVE,
            CROSSING,
            words(
                "(6) has the right marginals, as min{F, 1} = F; every coupling moves F_i - F_j "
                "net over z, so at least |F_i - F_j|; integrate over z"
            ),
        ),
    ),
    "b": for_all(pairs_of_laws(), unique, falls=Falls.STEP),
}


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


W_INFINITY = for_all(
    with_coupling(shortest),
    plan_has_w_infinity,
    wrong=for_all(pairs_of_laws(), optimal_has_w_infinity),
    proof=theorem("ding2025_w_infinity"),
)


def relaxed(pair: LinePair, masses: Masses, growth: Fraction) -> Term:
    """Return the least e^ε that satisfies (20): max over x' of the mean e^{|x − x'|/θ} given x'."""

    def mean(z: Fraction) -> Term:
        parts = [masses(x, z) * growth ** int(abs(x - z)) for x in pair.points]
        return when(">", pair.mass("q", z), 0, total(parts) / pair.mass("q", z), 0)

    return function("max", *(mean(z) for z in pair.points))


def no_coupling_is_better(P: Law, Q: Law, growth: Fraction) -> Said:
    """At one θ, no coupling satisfies (20) with a smaller e^ε than (6) does."""
    pair, other = LinePair.of(P, Q), masses_of(least_relaxed(P, Q, growth))
    said = at_most(relaxed(pair, pair.plan, growth), relaxed(pair, other, growth))
    return said.given(lambda: coupling(pair, other))


TRIALS["ding2025/section-2.1/smaller-theta"] = {
    "a": for_all(pairs_of_laws(growth=[Fraction(3, 2)]), no_coupling_is_better, falls=Falls.STEP),
    "b": W_INFINITY,
}


def averaged(pair: LinePair, masses: Masses, growth: Fraction) -> Term:
    """Return the mean of e^{|x − x'|/θ} over x' too."""
    cells = product(pair.points, repeat=2)
    return total([masses(x, z) * growth ** int(abs(x - z)) for x, z in cells])


def better_coupling_serves(
    P: Law, Q: Law, growth: Fraction, of: Callable[..., Term] = relaxed
) -> Relation:
    """Noise with the least e^ε that (20) allows for some coupling attains ε, both ways."""
    pair, other = LinePair.of(P, Q), masses_of(least_relaxed(P, Q, growth))
    return at_most(pair.worst_ratio(growth), named("claimed", of(pair, other, growth)))


# (20) gives f_i <= e^ε f_j column by column, the harmonic mean of e^{|x−x'|/θ} the other way.
BY_20 = proof(
    TRIANGLE,
    HARMONIC,
)

TRIALS["ding2025/repair/smaller-theta"] = for_all(
    everywhere(
        cases(
            **{"P Q": lambda: [(point(0), point(2)), (bernoulli("1/3"), point(3)), *pairs()]},
            growth=[Fraction(3, 2)],
        )
    ).drawn(drawn_pairs(growth=[Fraction(2)])),
    better_coupling_serves,
    wrong=partial(better_coupling_serves, of=averaged),
    proof=BY_20,
)


def request(P: Law, Q: Law) -> Relation:
    """The request for all of X² asks for no more than (5); X is the joint support."""
    pair = LinePair.of(P, Q)
    return at_most(pair.points[-1] - pair.points[0], pair.farthest())


# If P = Q, (5) asks for θ = 0, and every request for more.
TRIALS["ding2025/section-2.1/request"] = for_all(
    pairs_of_laws().where(lambda P, Q: P != Q), request, falls=Falls.MISPRINT
)


def request_on_support(P: Law, Q: Law, growth: Fraction, *, everywhere: bool = False) -> Relation:
    """e^{|x − x'|/θ} <= e^ε on supp(π*) exactly if θ >= (5): the largest of them is g^W."""
    pair = LinePair.of(P, Q)
    asked = [
        when(">", 1 if everywhere else pair.plan(x, z), 0, growth ** int(abs(x - z)), 0)
        for x, z in product(pair.points, repeat=2)
    ]
    return equal(function("max", *asked), term(growth) ** pair.farthest())


TRIALS["ding2025/repair/request"] = for_all(
    pairs_of_laws(growth=[Fraction(3, 2)]).drawn(drawn_pairs(growth=GROWTHS)),
    request_on_support,
    wrong=partial(request_on_support, everywhere=True),
    proof=proof(
        words(
            "e^(|x - x'|/theta) <= e^eps exactly if theta >= |x - x'|/eps; take the "
            "supremum over the support, outside of which (4) has no mass"
        ),
    ),
)


class Secrets(tuple[tuple[Law, Law], ...]):
    """The laws of X given the secrets of each pair of S, for each ρ."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(f"({P}, {Q})" for P, Q in self)


@quantity("worst_of_pairs {1} {0}")
def worst_of_pairs(S: Secrets, growth: Fraction) -> Term:
    """The largest ratio of (1) over S."""
    found = [LinePair.of(*two, name=f"X_{i}") for i, two in enumerate(S)]
    return function("max", *(pair.worst_ratio(growth) for pair in found))


@quantity("farthest_of_pairs {0}")
def farthest_of_pairs(S: Secrets) -> Term:
    """The largest distance of a plan (6) over S."""
    found = [LinePair.of(*two, name=f"X_{i}") for i, two in enumerate(S)]
    return function("max", *(pair.farthest() for pair in found))


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


def plan_attains_w_infinity(
    P: Law, Q: Law, coupling: Coupling, x: Fraction, z: Fraction
) -> list[Relation]:
    """(6) is a coupling, and none has a smaller largest distance: its own is W_∞."""
    return [
        plan_has_w_infinity(P, Q, coupling),
        at_least(plan_mass(P, Q, x, z), 0),
        equal(plan_row(P, Q, x), mass_at(P, x)),
        equal(plan_column(P, Q, z), mass_at(Q, z)),
    ]


TRIALS["ding2025/section-2.1/w-infinity"] = {
    "a": for_all(
        with_coupling(shortest, x=lambda P: P.points[:2], z=lambda Q: Q.points[-1:]),
        plan_attains_w_infinity,
        wrong=for_all(pairs_of_laws(), optimal_has_w_infinity),
        proof=theorem("ding2025_plan_has_w_infinity"),
    ),
    "b": for_all(pairs_of_laws(), optimal_has_w_infinity, falls=Falls.STEP),
}

TRIALS["ding2025/section-2.1/computation"] = Open(
    '"Much easier" has no stated measure. What holds of the plan (6) and of the distance '
    "is repair/computation: one merge finds both."
)


def merge(p: Law, q: Law) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the pairs at which one merge of the two cumulative distributions stops.

    At each pair one comparison, of F_p(x) with F_q(x'), says which of them moves on.

    Example:
        >>> [(str(x), str(z)) for x, z in merge(point(0), point(2))]
        [('0', '2')]
    """
    i, j = 0, 0
    while i < len(p.masses) and j < len(q.masses):
        x, z = p.points[i], q.points[j]
        yield x, z
        difference = p.up_to(x) - q.up_to(z)
        i, j = i + (difference <= 0), j + (difference >= 0)


def merge_finds_w_infinity(P: Law, Q: Law, first: int = 0) -> list[Relation]:
    """The merge meets exactly the pairs of (6), in at most n + m − 1 steps, and so W_∞."""
    pair, cells = LinePair.of(P, Q), list(merge(P, Q))[first:]
    return [
        equal(function("max", 0, *(abs(x - z) for x, z in cells)), w_infinity(P, Q)),
        at_most(len(cells), len(P.masses) + len(Q.masses) - 1),
        *(above(pair.plan(x, z), 0) for x, z in cells),
        equal(total([pair.plan(x, z) for x, z in cells]), 1),
    ]


TRIALS["ding2025/repair/computation"] = for_all(
    pairs_of_laws().drawn(drawn_pairs()),
    merge_finds_w_infinity,
    wrong=partial(merge_finds_w_infinity, first=1),
    proof=proof(
        words(
            "where the merge stops, F_i(x-) and F_j(x'-) are below both F_i(x) and "
            "F_j(x'), and (6) has there the mass between the larger and the smaller of "
            "these; the intervals of all stops cover (0, 1], so no mass is missed; each "
            "stop leaves a point behind, so there are at most n + m - 1"
        ),
        words("W_infinity is the largest distance of (6): section-2.1/w-infinity"),
    ),
)
