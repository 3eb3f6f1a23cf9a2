"""Section 3: the setup, the tree, and the client of Algorithm 1 with Theorem 5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from fractions import Fraction

from exactdp.audit.algebra import identity, nonnegative
from exactdp.claims import (
    Falls,
    Open,
    Outcome,
    Relation,
    TermLike,
    at_most,
    cases,
    decided,
    equal,
    for_all,
    function,
    ldp_ratio,
    lemma,
    proof,
    total,
    words,
)
from exactdp.numbers import Epsilon
from proofs_check.erlingsson2019.client import (
    ChangeVector,
    ClientState,
    boolean_change_vectors,
    change_vectors,
    client_rows,
    sensitivity,
)
from proofs_check.erlingsson2019.tree import (
    ancestors,
    cover_from_binary,
    level_size,
    levels,
    log2_of,
    nodes,
)
from proofs_check.erlingsson2019.trials.cover import C_PARTITION

__all__ = ["TRIALS"]

HORIZONS = cases(d=[2**depth for depth in range(1, 6)]).deep(d=[2**depth for depth in range(1, 9)])


# --- setup ------------------------------------------------------------------------------------


def running_count(x: ChangeVector, t: int) -> Relation:
    """One user: f_t = x[t] is the number of events in [1, t], the state."""
    return equal(x[t - 1], sum(x[:t]))


def marginal_sum(more: int) -> Callable[..., Relation]:
    """One user: the sums of x over the nodes of C add up to the state at t (+ more)."""

    def says(x: ChangeVector, t: int) -> Relation:
        sums = [sum(x[period - 1] for period in node.periods) for node in cover_from_binary(t)]
        return equal(total(sums), sum(x[: t + more]))

    return says


SETUP = {
    "erlingsson2019/section-3/power-of-two": {
        "": Open("a remark on how to pad the horizon, not a statement with instances")
    },
    "erlingsson2019/section-3/f_t": {
        "": for_all(
            cases(
                d=(1, 2),
                x=lambda d: change_vectors(d=d, k=2),
                t=lambda d: range(1, d + 1),
            ),
            running_count,
            falls=Falls.MISPRINT,
        )
    },
    "erlingsson2019/repair/marginal-sums": {
        "": for_all(
            cases(
                d=(2, 4),
                x=lambda d: change_vectors(d=d, k=2),
                t=lambda d: range(1, d + 1),
            ),
            marginal_sum(0),
            wrong=marginal_sum(-1),
            proof=proof(
                "all d, t <= d, n and x",
                lemma(
                    "erlingsson2019/theorem-6/proof/C-partition",
                    C_PARTITION,
                    "the sums over the parts of [1, t] add up to the sum over [1, t]",
                ),
            ),
        )
    },
}


# --- the tree ---------------------------------------------------------------------------------


def level_sizes(half: int) -> Callable[[int], list[Relation]]:
    """Level h has H(h) nodes (over ``half``)."""

    def says(d: int) -> list[Relation]:
        counted = {h: sum(node.level == h for node in nodes(d)) for h in levels(d)}
        return [equal(half * count, level_size(h, d=d)) for h, count in counted.items()]

    return says


TREE = {
    "erlingsson2019/section-3/nodes-per-change": {
        "": for_all(HORIZONS, lambda d: equal(len(ancestors(1, d=d)), log2_of(d)), falls=Falls.STEP)
    },
    "erlingsson2019/section-3/tree-size": {
        "": for_all(HORIZONS, lambda d: equal(len(nodes(d)), 2 * d), falls=Falls.STEP)
    },
    "erlingsson2019/section-3/level-size": {
        "": for_all(
            HORIZONS,
            level_sizes(1),
            wrong=level_sizes(2),
            proof=proof(
                "all d = 2^L",
                words("level 1 has the d leaves, and a level half the nodes of the one below"),
            ),
        )
    },
}


# --- Algorithm 1, Theorem 5 -------------------------------------------------------------------


def kept_integers(printed: int) -> Callable[[], Outcome]:
    """The client keeps this many integers: those of the state that steps 6-20 update."""

    def says() -> Outcome:
        kept = [field.name for field in fields(ClientState)]
        return decided(len(kept) == printed, f"kept: {', '.join(kept)}")

    return says


def client_is_private(bound: Callable[[Fraction], TermLike]) -> Callable[..., Relation]:
    """The largest ratio of the client's masses, over all inputs, is at most the bound."""

    def says(d: int, k: int, exp_half_epsilon: Fraction) -> Relation:
        inputs = tuple(change_vectors(d=d, k=k))
        rows = client_rows(inputs, k=k, epsilon=Epsilon.log(exp_half_epsilon**2))
        return at_most(ldp_ratio(rows), bound(exp_half_epsilon))

    return says


PRIVACY = proof(
    "all d, k, eps > 0 and all inputs in {-1, 0, 1}^d",
    words(
        "κ* and h* do not depend on x; given both, the signs are independent, fair but for the "
        "one that holds the κ*-th change, which is right with probability p = y/(1+y), "
        "y = e^(eps/2); a mass is 2^(1-H) times p, 1 - p or 1/2"
    ),
    nonnegative(
        "1 - p <= 1/2 <= p",
        "t",
        lambda t: Fraction(1, 2) - 1 / (2 + t),
        lambda t: (1 + t) / (2 + t) - Fraction(1, 2),
    ),
    identity(
        "and y (1 - p) = p: even (eps/2)-LDP",
        "t",
        lambda t: ((1 + t) * (1 - (1 + t) / (2 + t)), (1 + t) / (2 + t)),
    ),
)


def two_nodes_by_one(
    family: Callable[..., Iterator[ChangeVector]],
) -> Callable[..., list[Relation]]:
    """At fixed κ*, h* two inputs change at most two nodes, each by at most one."""

    def says(d: int, k: int, kappa_star: int, h_star: int) -> list[Relation]:
        inputs = tuple(family(d=d, k=k))
        changed, by = sensitivity(inputs, kappa_star=kappa_star, h_star=h_star)
        return [at_most(changed, 2), at_most(by, 1)]

    return says


CHOICES = cases(
    d=(1, 2, 4),
    k=(1, 2, 3),
    kappa_star=lambda k: range(1, k + 1),
    h_star=levels,
).deep(d=(1, 2, 4, 8))

TRIALS = {
    **SETUP,
    **TREE,
    "erlingsson2019/section-3/client-state": {
        "": for_all(
            cases(),
            kept_integers(4),
            wrong=kept_integers(3),
            proof=proof("Algorithm 1", words("its lines read and write κ*, h*, κ and c")),
        )
    },
    "erlingsson2019/theorem-5": {
        "": for_all(
            cases(
                _size=[(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (4, 1), (4, 2)],
                d=lambda _size: _size[:1],
                k=lambda _size: _size[1:],
                exp_half_epsilon=[Fraction(2), Fraction(3, 2)],
            ).deep(_size=[(1, 1), (2, 3), (4, 2), (4, 3), (4, 4)]),
            client_is_private(lambda y: y * y),
            wrong=client_is_private(lambda y: function("sqrt", y)),
            proof=PRIVACY,
        )
    },
    "erlingsson2019/theorem-5/proof/sensitivity": {
        "a": for_all(CHOICES, two_nodes_by_one(change_vectors), falls=Falls.STEP),
        "b": for_all(
            CHOICES,
            two_nodes_by_one(boolean_change_vectors),
            wrong=two_nodes_by_one(change_vectors),
            proof=proof(
                "all d, k, kappa*, h* and boolean inputs",
                words(
                    "the κ*-th change is at one leaf of each input and has the sign (-1)^(κ*-1) in "
                    "both, so it is at one node of level h* in each, or at the same"
                ),
            ),
        ),
    },
}
