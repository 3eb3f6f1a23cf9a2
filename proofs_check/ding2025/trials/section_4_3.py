"""Section 4.3: secrets about the presence of a user who reports at random (Theorem 3)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, Said, Trials, at_most, below, equal, for_all
from exactdp.claims.kinds import Sort, objects, reals
from exactdp.claims.terms import Term, function, term
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.law import Law, bernoulli, drawn_law, fractions, law, point
from proofs_check.ding2025.line import moment
from proofs_check.ding2025.printed import P_4
from proofs_check.ding2025.quantities import (
    largest_moment,
    largest_value,
    least_moment,
    moment_of,
    power,
    presence_beside,
    ratio_of_presence,
    size,
)
from proofs_check.ding2025.systems import (
    FACTOR,
    GROWTHS,
    KINDS,
    OTHER_LAWS,
    Others,
    System,
    drawn_systems,
    everywhere,
    systems,
)
from proofs_check.lemmas.theorems import theorem

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


def moment_on(
    V: System, growth: Fraction, times: Fraction = Fraction(1), of: str = "max", size: Any = abs
) -> Term:
    """Return the largest E[e^{size of D_i/θ}], or another one, times a factor."""
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

BY_MOMENT = for_all(
    SYSTEMS,
    partial(attains, largest_moment),
    wrong=partial(attains, partial(moment_on, times=Fraction(9, 10))),
    proof=theorem("ding2025_sufficient"),
)
"""Noise attains ε where each E[e^{|D_i|/θ}] is at most e^ε."""


def alike(V: System) -> System:
    """Return users with one law, up to its sign: θ satisfies (13) for all of them."""
    own, mirrored = V.laws[0], law({-x: m for x, m in V.laws[0].masses})
    laws = tuple(mirrored if i % 2 else own for i in range(len(V.laws)))
    return replace(V, laws=laws)


def one_theta_for_all(V: System, growth: Fraction) -> list[Relation]:
    """Where θ satisfies (13) for the first user, it does for all."""
    first, *others = (moment(own, growth) for own in V.laws)
    return [equal(other, first) for other in others]


TRIALS["ding2025/theorem-3/condition-13"] = {
    "a": for_all(
        cases(
            growth=GROWTHS[:2],
            V=lambda growth: [alike(v) for v in systems(LAWS) if growth == 2 or len(v.laws) == 1],
        )
        .within(
            lambda growth, V: equal(least_moment(V, growth), largest_moment(V, growth)),
            growth=KINDS["growth"],
            V=KINDS["V"],
        )
        .drawn(lambda: {"V": drawn_systems().map(alike), "growth": st.sampled_from(GROWTHS)}),
        partial(attains, largest_moment),
        wrong=partial(attains, partial(moment_on, size=lambda x: x)),
        proof=theorem("ding2025_condition_13"),
    ),
    "b": for_all(
        cases(
            V=[System(tuple(map(point, at))) for at in ((1,), (1, 1), (1, 2))], growth=[Fraction(2)]
        ),
        one_theta_for_all,
        falls=Falls.MISPRINT,
    ),
}


def at_root(
    exp_epsilon: Fraction,
    V: System,
    growth: Fraction,
    P: Law,
    others: Law,
    more: Fraction,
    share: Fraction = Fraction(1),
) -> list[Relation]:
    """At the largest root, or above, θ attains ε (or 1 + share (e^ε − 1)); below the own, it fails.

    The second holds for a user whose alphabet has no points of both signs, beside any others.
    """
    most = 1 + share * (exp_epsilon - 1) if share != 1 else exp_epsilon
    return [
        at_most(ratio_of_presence(V, growth), most),
        below(exp_epsilon, presence_beside(P, others, more)),
    ]


def root_of(law: Law, exp_epsilon: Fraction) -> Fraction:
    """Return e^{1/θ} for the root θ of (13), for |D| in {0, 1}, not always 0."""
    return 1 + (exp_epsilon - 1) / (1 - law[0])


def is_root(growth: Fraction, law: Law, exp_epsilon: Fraction) -> bool:
    """Return whether θ is a root of (13)."""
    return growth > 1 and equal(moment(law, growth), exp_epsilon).holds()


def is_one_signed(P: Law) -> bool:
    """Return whether no two points have both signs."""
    return P.points[0] >= 0 or P.points[-1] <= 0


SIGNED = (bernoulli("1/2"), law({-1: "2/3", 0: "1/3"}), point(1), point(-1))
BESIDE = (*SIGNED, point(0), law({-1: "1/3", 0: "1/2", 1: "1/6"}))


def calibrated(exp_epsilon: Fraction) -> Iterator[tuple[System, Fraction, tuple[Fraction, ...]]]:
    """Yield systems with e^{1/θ} and the roots of their users, some number for D = 0."""
    for count in (1, 2):
        for laws in product(BESIDE, repeat=count):
            roots = [root_of(own, exp_epsilon) if own != point(0) else None for own in laws]
            least = min((root for root in roots if root), default=Fraction(9))
            found = tuple(root or Fraction(9) for root in roots)
            zetas = (Fraction(2, 3), Fraction(1, 2))[:count]
            yield System(laws, zetas), least, found
            if len({*laws}) == count == 2:
                yield System(laws, zetas, Others.ALL_PRESENT), (1 + least) / 2, found


@st.composite
def drawn_roots(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a user of any law, perhaps another one, and P, whose roots for one e^ε are rational."""
    own = draw(drawn_law((1, -2, 0, 3)).filter(lambda one: one != point(0)))
    root = draw(st.sampled_from(GROWTHS))
    exp_epsilon = exact_value(moment(own, root)).as_fraction()
    chances = st.integers(1, 6).map(lambda k: Fraction(k, 6))
    second, P = bernoulli(draw(chances)), bernoulli(draw(chances))
    roots = (root, root_of(second, exp_epsilon))[: draw(st.integers(1, 2))]
    own_root = root_of(P, exp_epsilon)
    return {
        "exp_epsilon": exp_epsilon,
        "V": System((own, second)[: len(roots)]),
        "roots": roots,
        "growth": min(roots),
        "P": P,
        "others": draw(st.sampled_from(OTHER_LAWS)),
        "root": own_root,
        "more": own_root + draw(st.sampled_from(fractions("1/1000 1 50"))),
    }


# Of a user beside a number.
_ROOTS = (
    "size (fst (fst u)) = 0 \\/ (1 < snd u /\\ "
    "moment (snd u) (fst (fst u)) = exp_epsilon /\\ growth <= snd u)"
)

TRIALS["ding2025/repair/theorem-3-condition-13"] = for_all(
    cases(
        exp_epsilon=fractions("2 3/2"),
        **{"V growth roots": calibrated},
        P=SIGNED,
        others=lambda V: OTHER_LAWS[: 4 if len(V.laws) == 1 else 1],
        root=lambda P, exp_epsilon: [root_of(P, exp_epsilon)],
        more=lambda root: [root + Fraction(1, 1000)],
    )
    .within(
        exp_epsilon=FACTOR,
        V=KINDS["V"],
        growth=FACTOR,
        roots=objects(
            "for each user a root of (13), as e^{1/θ}, at least growth; any, if D_i is always 0",
            condition=lambda V, roots, growth, exp_epsilon: all(
                own == point(0) or (growth <= root and is_root(root, own, exp_epsilon))
                for own, root in zip(V.laws, roots, strict=True)
            ),
            coq=(
                "list R",
                "length {0} = length (users V) /\\ "
                f"Forall (fun u => {_ROOTS}) (combine (users V) {{0}})",
                "",
            ),
        ),
        P=objects(
            "a law of D_i without points of both signs",
            condition=is_one_signed,
            coq=("law R", "is_law {0} /\\ one_signed {0}", ""),
        ),
        others=KINDS["others"],
        root=objects(
            "its root, as e^{1/θ}",
            condition=lambda P, root, exp_epsilon: is_root(root, P, exp_epsilon),
            coq=("R", "1 < {0} /\\ moment {0} P = exp_epsilon", ""),
        ),
        more=reals(above=lambda root: root),
    )
    .drawn(drawn_roots),
    at_root,
    wrong=partial(at_root, share=Fraction(1, 2)),
    proof=theorem("ding2025_repair_condition_13"),
)


def by_largest(V: System, growth: Fraction, less: int = 0) -> Any:
    """Return (14): e^{max |t| / θ}."""
    return power(growth, largest_value(V) - less if less else largest_value(V))


TRIALS["ding2025/theorem-3/condition-14"] = for_all(
    SYSTEMS,
    partial(attains, by_largest),
    wrong=partial(attains, partial(by_largest, less=1)),
    proof=theorem("ding2025_condition_14"),
)

TRIALS["ding2025/theorem-3/proof/sufficient"] = BY_MOMENT


Roots = tuple[Law, Fraction, Fraction, Fraction]
"""A law of D_i, e^ε, and e^{1/θ} of θ by (13) and by (14)."""


def of_two_sizes(x: int, y: int, by_13: Fraction, by_14: Fraction) -> Roots | None:
    """Return the law on {x, y} for which these are the roots at one e^ε, if there is one."""
    exp_epsilon, low, high = by_14 ** abs(y), by_13 ** abs(x), by_13 ** abs(y)
    if not low < exp_epsilon < high:
        return None
    weight = (exp_epsilon - low) / (high - low)
    return law({x: 1 - weight, y: weight}), exp_epsilon, by_13, by_14


def of_one_size(x: int, root: Fraction, weight: Fraction = Fraction(1)) -> Roots:
    """Return the law on {x, −x}, and its root: (13) and (14) are the same."""
    own = point(x) if weight == 1 else law({x: weight, -x: 1 - weight})
    return own, root ** abs(x), root, root


_SIZES = ((0, 1), (0, 2), (1, 2), (-1, 2), (1, -3), (0, 5))


def with_roots(*, constant: bool) -> Iterator[Roots]:
    """Yield laws with their roots, of constant |D_i| too if asked."""
    for root in GROWTHS if constant else ():
        yield from (of_one_size(x, root) for x in (1, -2, 5))
        yield of_one_size(2, root, Fraction(1, 3))
    for (x, y), by_13, by_14 in product(_SIZES, GROWTHS, (*GROWTHS, *fractions("5/4 9/4"))):
        if found := of_two_sizes(x, y, by_13, by_14):
            yield found


def drawn_with_roots(*, constant: bool) -> Any:
    """Return a strategy for the same."""
    roots = st.fractions(1, 12, max_denominator=6).filter(lambda x: x > 1)
    sizes = st.tuples(st.integers(-3, 3), st.integers(-5, 5))
    found = st.builds(lambda xy, r, s: of_two_sizes(xy[0], xy[1], r, s), sizes, roots, roots)
    two = found.filter(bool)
    weights = st.sampled_from(fractions("1 1/3"))
    one = st.builds(of_one_size, st.integers(1, 5), roots, weights)
    names = ("P", "exp_epsilon", "root_13", "root_14")

    def named(values: Any) -> dict[str, Any]:
        return dict(zip(names, values, strict=True))

    return (st.one_of(one, two) if constant else two).map(named)


def roots_of(P: Law, exp_epsilon: Any, root_13: Any, root_14: Any) -> list[Relation]:
    """E[e^{|D_i|/θ}] = e^ε at θ by (13), and e^{max |t| / θ} = e^ε at θ by (14)."""
    return [
        equal(moment_of(P, root_13), exp_epsilon),
        equal(power(root_14, size(P)), exp_epsilon),
    ]


def of_a_user(laws: Sort, *, constant: bool) -> Cases:
    """Return laws with their roots, as e^{1/θ}."""
    return (
        cases(**{"P exp_epsilon root_13 root_14": lambda: with_roots(constant=constant)})
        .within(roots_of, P=laws, exp_epsilon=FACTOR, root_13=FACTOR, root_14=FACTOR)
        .drawn(lambda: drawn_with_roots(constant=constant))
    )


# (13) has no solution for D = 0; otherwise it has one (ding2025_root_of_13, in Coq).
OF_A_USER = of_a_user(
    objects("a finite law of D_i", coq=("law R", "is_law {0}", "")), constant=True
)


def in_order(
    P: Law, exp_epsilon: Any, root_13: Any, root_14: Any, says: Callable[..., Relation] = at_most
) -> Said:
    """θ by (13) is at most, or below, θ by (14): e^{1/θ} is at least, or above."""
    return says(root_14, root_13).given(lambda: roots_of(P, exp_epsilon, root_13, root_14))


BELOW_14 = for_all(OF_A_USER, partial(in_order, says=below), falls=Falls.REMARK)

TRIALS["ding2025/remark-2"] = {
    "a": for_all(OF_A_USER, in_order, wrong=BELOW_14, proof=theorem("ding2025_remark_2")),
    "b": BELOW_14,
}

TRIALS["ding2025/repair/remark-2"] = for_all(
    of_a_user(
        objects(
            "a finite law of D_i, whose size is not constant",
            condition=lambda P: len({abs(x) for x in P.points}) > 1,
            coq=("law R", "is_law {0} /\\ size_varies {0}", ""),
        ),
        constant=False,
    ),
    partial(in_order, says=below),
    wrong=BELOW_14,
    proof=theorem("ding2025_repair_remark_2"),
)


def figure_4(growth: Fraction, power_of: int = 5) -> Relation:
    """The θ that satisfies (13) is below 5/ε, ε = log E[e^{|D|/θ}]: this is below e^{5/θ}."""
    return below(moment(P_4, growth), term(growth) ** power_of)


TRIALS["ding2025/figure-4"] = for_all(
    everywhere(cases(growth=GROWTHS)).drawn(
        lambda: {"growth": st.sampled_from(fractions("3 1001 1001/1000"))}
    ),
    figure_4,
    wrong=partial(figure_4, power_of=4),
    proof=in_numbers(),
)
