"""Section 2.1, the computation of W_∞: by the plan, and by one merge."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from exactdp.claims.claim import Open
from exactdp.claims.forms import Relation, Trials, above, at_least, at_most, equal, for_all
from exactdp.claims.proofs import proof, words
from exactdp.claims.terms import function, total
from exactdp.claims.verdicts import Falls
from proofs_check.ding2025.couplings import (
    Coupling,
    shortest,
    w_infinity,
)
from proofs_check.ding2025.law import Law
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.quantities import (
    mass_at,
    plan_column,
    plan_mass,
    plan_row,
)
from proofs_check.ding2025.systems import drawn_pairs, pairs_of_laws
from proofs_check.ding2025.trials.section_2 import (
    optimal_has_w_infinity,
    plan_has_w_infinity,
    with_coupling,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


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
    "b": for_all(pairs_of_laws(), optimal_has_w_infinity, falls=Falls.REMARK),
}

TRIALS["ding2025/section-2.1/computation"] = Open(
    "by one merge both are found in as many steps (repair/computation); by (6) at all pairs, or by "
    "a search for the distance, one takes more",
    ('the measure of "easier"', "the algorithm for the distance that is compared"),
)


def merge(p: Law, q: Law) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the pairs at which one merge of the two cumulative distributions stops.

    At each pair one comparison, of F_p(x) with F_q(x'), says which of them moves on.

    Example:
        >>> from proofs_check.ding2025.law import point
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
