"""Section 4.3: secrets about the presence of a user who reports at random (Theorem 3)."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import nonnegative
from exactdp.claims.cases import Cases, cases
from exactdp.claims.domains import Sort, objects, reals
from exactdp.claims.forms import Relation, Trials, at_most, below, equal, for_all
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.terms import Term, function, term, total
from exactdp.claims.verdicts import Falls
from proofs_check.ding2025.law import Law, bernoulli, drawn_law, law, laws_on, point
from proofs_check.ding2025.line import LinePair, moment
from proofs_check.ding2025.printed import P_4, USERS_123
from proofs_check.ding2025.steps import HARMONIC, LARGEST, MIXED, TRIANGLE
from proofs_check.ding2025.systems import GROWTHS, System, drawn_systems, everywhere, systems
from proofs_check.ding2025.trials.section_4_1 import BEYOND, VALUES, plan_figure, plan_steps

TRIALS: Trials = {}

LAWS = (
    bernoulli("1/2"),
    law({-1: "1/2", 1: "1/2"}),
    law({0: "1/2", 2: "1/2"}),
    point(1),
    law({-2: "1/3", 1: "1/3", 3: "1/3"}),
)

Claimed = Callable[[System, Fraction], Term]
"""The e^ε that noise of scale θ is said to attain, from the users' laws and e^{1/θ}."""


def ratio_of_presence(V: System, growth: Fraction) -> Term:
    """Return the largest ratio of (1) over (s_{P_i}, s_⊥), P_i the law of user i."""
    return V.worst_ratio([(own, point(0)) for own in V.laws], growth)


def largest_moment(
    V: System, growth: Fraction, times: Fraction = Fraction(1), of: str = "max", size: Any = abs
) -> Term:
    """The largest E[e^{|D_i|/θ}], times a factor."""
    return times * function(of, *(moment(own, growth, size) for own in V.laws))


def attains(
    claimed: Claimed, V: System, growth: Fraction, says: Callable[..., Relation] = at_most
) -> Relation:
    """Noise attains ε on (s_{P_i}, s_⊥)."""
    return says(ratio_of_presence(V, growth), claimed(V, growth))


SYSTEMS = everywhere(
    cases(
        growth=GROWTHS[:2],
        V=lambda growth: [v for v in systems(LAWS) if growth == 2 or len(v.laws) == 1],
    )
).drawn(lambda: {"V": drawn_systems(), "growth": st.sampled_from(GROWTHS)})

# f_P(y) = Σ_t P(t) f_G(y − t), G the law of the others, lies between E[e^{−|D|/θ}] f_G(y) and
# E[e^{|D|/θ}] f_G(y).
SUFFICIENT = proof(TRIANGLE, HARMONIC, MIXED)


def by_moment(text: str) -> Any:
    """Return the step that E[e^{|D_i|/θ}] <= e^ε suffices."""
    return lemma("ding2025/theorem-3/proof/sufficient", SUFFICIENT, text)


def attains_alike(claimed: Claimed, V: System, growth: Fraction) -> Relation:
    """Noise attains ε where (13) holds for all users: one law for all, up to its sign."""
    own, mirrored = V.laws[0], law({-x: m for x, m in V.laws[0].masses})
    laws = tuple(mirrored if i % 2 else own for i in range(len(V.laws)))
    return attains(claimed, replace(V, laws=laws), growth)


def one_theta_for_all(V: System, growth: Fraction) -> list[Relation]:
    """Where θ satisfies (13) for the first user, it does for all."""
    first, *others = (moment(own, growth) for own in V.laws)
    return [equal(other, first) for other in others]


TRIALS["ding2025/theorem-3/condition-13"] = {
    "a": for_all(
        SYSTEMS,
        partial(attains_alike, largest_moment),
        wrong=partial(attains_alike, partial(largest_moment, size=lambda x: x)),
        proof=proof(by_moment("with equality")),
    ),
    "b": for_all(
        cases(
            V=[System(tuple(map(point, at))) for at in ((1,), (1, 1), (1, 2))], growth=[Fraction(2)]
        ),
        one_theta_for_all,
        falls=Falls.MISPRINT,
    ),
}


def is_smallest(claimed: Claimed, V: System, growth: Fraction) -> Relation:
    """Noise attains ε, and no smaller ε if no alphabet has points of both signs."""
    one_sign = all(own.points[0] >= 0 or own.points[-1] <= 0 for own in V.laws)
    return attains(claimed, V, growth, equal if one_sign else at_most)


TRIALS["ding2025/repair/theorem-3-condition-13"] = for_all(
    SYSTEMS,
    partial(is_smallest, largest_moment),
    wrong=partial(is_smallest, partial(largest_moment, of="min")),
    proof=proof(
        by_moment("that is at most e^eps"),
        words(
            "the moment falls as theta grows, so at the largest root it is at most e^eps "
            "for all i and rho (it is 1 for D = 0)"
        ),
        BEYOND,
        words(
            "if D >= 0 (or D <= 0), then right (left) of all points f_P/f_G is "
            "E[e^(|D|/theta)] itself, and no smaller theta serves"
        ),
    ),
)


def largest_value(V: System, growth: Fraction, less: int = 0) -> Term:
    """(14): e^{max |t| / θ}."""
    return term(growth) ** (max(own.largest_size for own in V.laws) - less)


TRIALS["ding2025/theorem-3/condition-14"] = for_all(
    SYSTEMS,
    partial(attains, largest_value),
    wrong=partial(attains, partial(largest_value, less=1)),
    proof=proof(LARGEST, by_moment("that is e^eps")),
)

TRIALS["ding2025/theorem-3/proof/sufficient"] = for_all(
    SYSTEMS,
    partial(attains, partial(largest_moment, times=Fraction(11, 10))),
    wrong=partial(attains, partial(largest_moment, times=Fraction(9, 10))),
    proof=SUFFICIENT,
)


def of_a_user(moves: Sort, meets: Callable[[Law], bool]) -> Cases:
    """Return laws that meet a condition."""
    over = cases(
        P=[*laws_on((0, 1), 3), *laws_on((0, 2), 2), *laws_on((-1, 0, 2), 3), *LAWS],
        growth=[Fraction(3, 2)],
    ).where(lambda P: meets(P))
    return everywhere(over, P=moves).drawn(
        lambda: {"P": drawn_law((1, -2, 0, 3, 5)), "growth": st.sampled_from(GROWTHS)}
    )


# (13) has no solution for D = 0.
OF_A_USER = of_a_user(
    objects("a finite law of D_i, which is not always 0"), lambda P: point(0) != P
)


def below_14(
    P: Law, growth: Fraction, says: Callable[..., Relation] = at_most, less: int = 0
) -> Relation:
    """θ by (13) against θ by (14): e^ε = E[e^{|D|/θ}] against e^{max|t|/θ}, θ that of (13)."""
    return says(moment(P, growth), term(growth) ** (P.largest_size - less))


BELOW_14 = for_all(OF_A_USER, partial(below_14, says=below), falls=Falls.STEP)

TRIALS["ding2025/remark-2"] = {
    "a": for_all(
        OF_A_USER,
        below_14,
        wrong=partial(below_14, less=1),
        proof=proof(LARGEST),
    ),
    "b": BELOW_14,
}

TRIALS["ding2025/repair/remark-2"] = for_all(
    of_a_user(
        objects("a finite law of D_i, whose size is not constant"),
        lambda P: len({abs(x) for x in P.points}) > 1,
    ),
    partial(below_14, says=below),
    wrong=BELOW_14,
    proof=proof(
        LARGEST,
        words("at some t the power is below the largest one, and P(t) > 0"),
    ),
)

TRIALS["ding2025/figure-3"] = plan_figure(P_4, point(0), distance=P_4.largest_size)

OF_P_4 = "(s_P, absent) of user 4"


def caption_pairs() -> dict[str, LinePair]:
    """Return the pairs of Figure 3's caption: (s_P, s_⊥) of user 4, then all of S_{a,⊥}."""
    system = System((*USERS_123, P_4))
    found = {OF_P_4: system.pair(3, P_4, point(0), name="user_4")}
    for i, a in product(range(4), range(5, 0, -1)):
        found[f"(s_{a}, absent) of user {i + 1}"] = system.pair(i, point(a), point(0))
    return found


CAPTION = caption_pairs()


def caption(pair: str, base: Fraction, distance: int = 5) -> list[Relation]:
    """The plan of (s_{P_4}, s_⊥) moves mass by 5, and θ = 5/ε attains ε on every pair."""
    said = at_most(CAPTION[pair].worst_ratio(base), term(base) ** distance)
    return [said, equal(CAPTION[pair].farthest(), 5)] if pair == OF_P_4 else [said]


TRIALS["ding2025/figure-3/caption"] = for_all(
    everywhere(
        cases(base=[Fraction(2), Fraction(11, 10)], pair=list(CAPTION)),
        pair=objects("one of these pairs of secrets"),
    ),
    caption,
    wrong=partial(caption, distance=4),
    proof=proof(
        *plan_steps(CAPTION[OF_P_4], 5),
        lemma("ding2025/theorem-2", VALUES, "on (s_a, s_absent), as a <= 5"),
    ),
)


def figure_4(epsilon: Fraction, share: Fraction = Fraction(1)) -> Relation:
    """θ of (13) is below share times 5/ε: there E[e^{|D|/θ}], which falls in θ, is below e^ε."""
    step = epsilon / (5 * share)
    expectation = total([m * function("exp", x * step) for x, m in P_4.masses])
    return below(expectation, function("exp", epsilon))


TRIALS["ding2025/figure-4"] = for_all(
    cases(epsilon=[Fraction(tenths, 10) for tenths in range(1, 11)]).within(epsilon=reals(above=0)),
    figure_4,
    wrong=partial(figure_4, share=Fraction(3, 5)),
    proof=proof(
        nonnegative(
            "with z = e^(eps/5) = 1 + t: e^eps - E[e^(|D|/theta)] at theta = 5/eps, "
            "z^5 - E[z^D], is at least 2t",
            "t",
            lambda t: (
                10 * (1 + t) ** 5
                - sum(int(10 * m) * (1 + t) ** int(x) for x, m in P_4.masses)
                - 20 * t
            ),
        ),
        words(
            "E[e^(|D|/theta)] falls from infinity to 1 as theta grows, so it meets e^eps "
            "at a smaller theta"
        ),
    ),
)
