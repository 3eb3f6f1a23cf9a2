"""Section 3: the estimates of Algorithm 2 and the proof of Theorem 6.

y = e^{ε/2}, c = (y + 1)/(y − 1). Laws are those of what Algorithm 1's client sends.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases, listed
from exactdp.claims.claim import Open
from exactdp.claims.forms import Relation, Said, Trials, above, at_least, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import finite_pair, mass
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, sum_over, term, total, when
from exactdp.claims.values import value
from exactdp.claims.verdicts import Falls
from exactdp.numbers import Epsilon, enclosure
from exactdp.testing.later import st
from proofs_check.erlingsson2019.client import ChangeVector, change_vectors, setup
from proofs_check.erlingsson2019.quantities import levels_above, node_change
from proofs_check.erlingsson2019.server import contribution_law, mean_of, node_sum_law
from proofs_check.erlingsson2019.tree import Node, cover_from_binary, levels, log2_of, nodes
from proofs_check.erlingsson2019.trials.section_3 import LEVEL, LONGER
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def response(y: Any) -> Term:
    """Return c_ε as a term."""
    return (term(y) + 1) / (term(y) - 1)


def contribution(
    x: ChangeVector, chosen: frozenset[Node], *, k: int, epsilon: Epsilon
) -> tuple[Term, Term, Term]:
    """Return the probabilities that one user adds 1, 0, −1 to Σ T over nodes, as terms."""
    law = contribution_law(x, chosen, k=k, epsilon=epsilon)
    masses = [law[added] for added in (1, 0, -1)]
    sent = named("sent", finite_pair(masses, masses))
    return mass(sent, "p", 0), mass(sent, "p", 1), mass(sent, "p", 2)


def error_of_all_changing(constant: int, n: int, d: int, k: int, epsilon: int) -> Said:
    """P(|f_1 − f̃_1| <= constant·c (ln d)² k √n) >= 2/3 where all n users have x = (1, 0, ...).

    At t = 1 f_1 is n, E f̃_1 = n L/(L + 1), so success needs a deviation of n/(L + 1) less the
    error allowed, and Chebyshev's inequality bounds its probability: by 0 in the limit of many
    users, whatever the constant.
    """
    half, depth = function("exp", Fraction(epsilon, 2)), log2_of(d)
    c, logarithm = named("c", response(half)), function("log", d)
    up, _, down = contribution(
        (1, *[0] * (d - 1)), cover_from_binary(1), k=k, epsilon=Epsilon.rational(epsilon)
    )
    scale = c * k * depth
    mean = named("mean", scale * (up - down))
    variance = scale * scale * (up + down) - mean * mean
    gap = named(
        "gap", n - n * mean - constant * c * logarithm * logarithm * k * function("sqrt", n)
    )
    success = when(">", gap, 0, function("min", 1, n * variance / (gap * gap)), 1)
    return at_least(success, Fraction(2, 3)).given([above(gap, 0)])


THEOREM_6 = for_all(
    cases(
        _case=[(1, 1000), (10, 10_000), (100, 1_000_000)],
        constant=lambda _case: _case[:1],
        n=lambda _case: _case[1:],
        d=(2,),
        k=(1,),
        epsilon=(1,),
    ),
    error_of_all_changing,
    falls=Falls.RESULT,
)

TRIALS["erlingsson2019/theorem-6"] = THEOREM_6

INPUTS = cases(
    d=(2, 4),
    k=(1, 2),
    x=lambda d, k: change_vectors(d=d, k=k),
    _node=nodes,
    h=lambda _node: [_node.level],
    j=lambda _node: [_node.position],
    exp_half_epsilon=[Fraction(2)],
).within(
    d=LONGER,
    k=integers(1, draws=2),
    x=objects(
        "d changes, each −1, 0 or 1, at most k not 0",
        lambda d, k: st.sampled_from(list(change_vectors(d=d, k=k))),
        condition=lambda d, k, x: x in change_vectors(d=d, k=k),
        coq=("list Z", "input d k {0}", ""),
    ),
    h=LEVEL,
    j=objects(
        "a node of that level",
        lambda d, h: st.sampled_from([node.position for node in nodes(d) if node.level == h]),
        condition=lambda d, h, j: Node(h, j) in nodes(d),
        coq=("nat", "node_of d h {0}", ""),
    ),
    exp_half_epsilon=reals(above=1),
)


@quantity("(mean_at_node {0:nat} {1:nat} {5} {2} {3:nat} {4:nat})", name="E[u]")
def mean_at_node(d: int, k: int, x: ChangeVector, h: int, j: int, exp_half_epsilon: Any) -> Term:
    """E[u] of one user at a node."""
    del d  # the length of x
    epsilon = Epsilon.log(exp_half_epsilon**2)
    up, _, down = contribution(x, frozenset({Node(h, j)}), k=k, epsilon=epsilon)
    return up - down


def mean_of_node(
    levels: Callable[[int], Any],
    d: int,
    k: int,
    exp_half_epsilon: Any,
    users: int | None = None,
    **at: Any,
) -> Relation:
    """c k times the number of levels times E[u] is z; or summed over so many equal users."""
    scale, true = response(exp_half_epsilon) * k * levels(d), node_change(*at.values())
    mean = mean_at_node(d, k, *at.values(), exp_half_epsilon)
    if users is None:
        return equal(scale * mean, true)
    return equal(scale * (users * mean), users * true)


MEAN = for_all(
    INPUTS,
    partial(mean_of_node, lambda d: term(levels_above(d)) + 1),
    wrong=partial(mean_of_node, levels_above),
    proof=theorem("erlingsson2019_node_mean"),
)

TRIALS["erlingsson2019/repair/theorem-6-expectation"] = MEAN


TRIALS["erlingsson2019/theorem-6/proof/expectation-u"] = for_all(
    INPUTS, partial(mean_of_node, levels_above, users=1), falls=Falls.STEP
)


def level_probability(d: int) -> Said:
    """h* is each level with probability 1/log_2 d."""
    law = setup(d=d, k=1).push_forward(lambda state: state.h_star)
    masses = [law[h] for h in levels(d)]
    pair, most = finite_pair(masses, masses), log2_of(d)
    claimed = [equal(mass(pair, "p", j), 1 / term(most)) for j in range(len(masses))]
    return Said(claimed, [equal(term(2) ** most, d)])


TRIALS["erlingsson2019/theorem-6/proof/level-probability"] = for_all(
    cases(d=[2**depth for depth in range(1, 6)]), level_probability, falls=Falls.STEP
)


def response_mean(exp_half_epsilon: Any, shift: int = 0) -> Relation:
    """2y/(y+1) − 1 is 1/c."""
    y = term(exp_half_epsilon)
    return equal(2 * y / (y + 1) - 1, 1 / response(y + shift))


TRIALS["erlingsson2019/theorem-6/proof/response-mean"] = for_all(
    cases(exp_half_epsilon=[Fraction(y) for y in ("2", "3/2", "5")]).within(
        exp_half_epsilon=reals(above=1)
    ),
    response_mean,
    wrong=partial(response_mean, shift=1),
    proof=in_numbers(),
)

TRIALS["erlingsson2019/theorem-6/proof/expectation-T"] = for_all(
    INPUTS, partial(mean_of_node, levels_above, users=2), falls=Falls.STEP
)


def chernoff(n: int, d: int, k: int, x: ChangeVector, h: int, j: int, beta_prime: Fraction) -> Said:
    """Two users without a change: E T = 0, so T may not leave 0 but with probability β'."""
    del n, d
    up, none, down = contribution(x, frozenset({Node(h, j)}), k=k, epsilon=Epsilon.log(4))
    away = 1 - none * none - 2 * up * down
    return at_most(away, beta_prime).given([equal(2 * (up - down), 0)])


TRIALS["erlingsson2019/theorem-6/proof/chernoff"] = for_all(
    listed({"n": 2, "d": 2, "k": 1, "x": (0, 0), "h": 1, "j": 1, "beta_prime": Fraction(1, 2)}),
    chernoff,
    falls=Falls.STEP,
)


def mean_is_small(most: Callable[[int], Any], d: int, **at: Any) -> Relation:
    """|E u| <= 1/log_2 d, for one user."""
    return at_most(function("abs", mean_at_node(d, *at.values())), most(d))


TRIALS["erlingsson2019/theorem-6/proof/expectation-bound"] = for_all(
    INPUTS,
    partial(mean_is_small, lambda d: 1 / term(levels_above(d))),
    wrong=partial(mean_is_small, lambda d: Fraction(1, 8 * log2_of(d))),
    proof=theorem("erlingsson2019_expectation_bound"),
)


def allowed_at_node(n: int, depth: int, y: Any, beta: Any) -> Term:
    """Return c √(n ln(2d/β) / log_2 d)."""
    logarithm = function("log", Fraction(2 ** (depth + 1)) / beta)
    return response(y) * function("sqrt", n * logarithm / depth)


def union_of_nodes(n: int, d: int, changing: int, beta: Fraction, divide: int = 1) -> Relation:
    """The nodes' failures add up to at most β, for n users with the first change, ε = ln 9/4."""
    y, users = Fraction(3, 2), [(changing, *[0] * (d - 1))] * n
    allowed = value(allowed_at_node(n, log2_of(d), y, beta) / divide)
    threshold = enclosure(allowed).lower
    failures = []
    for node in nodes(d):
        law = node_sum_law(users, frozenset({node}), k=1, epsilon=Epsilon.log(y * y))
        mean = mean_of(law)
        failures += [m for a, m in law.masses.items() if abs(a - mean) > threshold]
    return at_most(total(failures), beta)


def unanimous_leaf(n: int, log2_d: int, epsilon: int, beta: str) -> Relation:
    """No user has a change: with probability (L+1)^−n all are at the leaves, |T| = n at one.

    Each of the d leaves is unanimous with probability 2^(1−n), independently, so some is with
    probability 1 − (1 − u)^d >= 1 − 1/(1 + d u).
    """
    base, power = beta.removesuffix("/2").split("^-")
    chosen = Fraction(1, 2 * int(base) ** int(power))
    u = Fraction(2) ** (1 - n)
    chance = (1 - 1 / (1 + 2**log2_d * u)) / Fraction(log2_d + 1) ** n
    allowed = allowed_at_node(n, log2_d, function("exp", Fraction(epsilon, 2)), chosen)
    return at_most(when("<", allowed, n, chance, 0), chosen)


TRIALS["erlingsson2019/theorem-6/proof/union-bound"] = {
    "a": for_all(
        cases(
            _size=[(1, 2), (1, 4), (41, 4)],
            n=lambda _size: _size[:1],
            d=lambda _size: _size[1:],
            changing=(0, 1),
            beta=[Fraction(1, 3)],
        ),
        union_of_nodes,
        wrong=partial(union_of_nodes, divide=10),
    ),
    "b": for_all(
        listed({"n": 84, "log2_d": 87, "epsilon": 1, "beta": "88^-84/2"}),
        unanimous_leaf,
        falls=Falls.REMARK,
    ),
}


def final_display(n: int, d: int, k: int, exp_half_epsilon: Fraction, beta: Fraction) -> Said:
    """All n users have x = (1, 0): P(|f_1 − f̃_1| > c k (log_2 d)^(3/2) √(n ln(2d/β))) <= β.

    T is −m or less with probability Σ_b Σ_a C(n, b) C(n−b, a) P(−1)^b P(1)^a P(0)^(n−a−b), a the
    users with 1, b >= a + m those with −1; then f_1 − f̃_1 = n + c k log_2(d) m or more
    (and f̃_1 above f_1 is left out).
    """
    y, depth = exp_half_epsilon, log2_of(d)
    up, none, down = contribution(
        (1, *[0] * (d - 1)), cover_from_binary(1), k=k, epsilon=Epsilon.log(y * y)
    )
    scale = response(y) * k * depth
    # (log_2 d)^(3/2) is (log_2 d)² over √log_2 d.
    allowed = k * depth * depth * allowed_at_node(n, depth, y, beta)
    m = floor(enclosure(value((allowed - n) / scale)).upper) + 1

    def with_b(b: Term) -> Term:
        return sum_over(
            "a",
            0,
            function("min", b - m, n - b),
            lambda a: (
                function("binomial", n, b)
                * function("binomial", n - b, a)
                * (down**b * up**a * none ** (n - a - b))
            ),
        )

    return at_most(sum_over("b", m, n, with_b), beta).given([above(n + scale * m, allowed)])


TRIALS["erlingsson2019/theorem-6/proof/final-display"] = {
    "a": Open(
        "scaled by c'_ε k log_2 d and multiplied by log_2 d, c_ε √(n ln(2d/β)/log_2 d) is the "
        "display if c'_ε is absorbed in its c_ε; with both equal it has the square",
        ("what the primed constant is",),
        for_all(
            cases(primed=("1", "c_ε"), y=[Fraction(3, 2)]),
            lambda primed, y: at_most(response(y) if primed == "c_ε" else 1, 1),
        ),
    ),
    "b": for_all(
        cases(
            n=(50, 60), d=(2,), k=(1,), exp_half_epsilon=[Fraction(3, 2)], beta=[Fraction(1, 100)]
        ),
        final_display,
        falls=Falls.STEP,
    ),
}
