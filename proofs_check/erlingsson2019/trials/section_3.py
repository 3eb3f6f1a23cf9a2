"""Section 3: the setup, the tree, the cover C, and the client of Algorithm 1 with Theorem 5."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, replace
from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any

from hypothesis import strategies as st

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.domains import integers, objects, reals
from exactdp.claims.forms import Relation, Trials, at_most, decided, equal, for_all
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import total
from exactdp.claims.verdicts import Falls
from exactdp.numbers import Epsilon, Exact
from proofs_check.erlingsson2019.client import (
    ChangeVector,
    boolean_change_vectors,
    change_vectors,
    client_rows,
    sensitivity,
    setup,
)
from proofs_check.erlingsson2019.tree import (
    ancestors,
    cover_from_binary,
    is_partition,
    level_size,
    levels,
    log2_of,
    nodes,
    reachable_covers,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

HORIZON = objects(
    "a power of two",
    lambda: st.sampled_from([1, 2, 4]),
    condition=lambda d: d & (d - 1) == 0,
    coq=("nat", "(exists L, {0} = (2 ^ L)%nat)", ""),
)
LONGER = replace(HORIZON, what="a power of two from 2 on", drawn=lambda: st.sampled_from([2, 4]))
LEVEL = objects(
    "a level of the tree",
    lambda d: st.sampled_from(levels(d)),
    condition=lambda d, h: h in levels(d),
)
PERIOD = integers(1, lambda d: d)


def padded(d: int, x: ChangeVector, more: int = 0) -> list[Relation]:
    """With no further changes up to the next power of two D, d <= D < 2d, nothing else changes."""
    longer = 1 << max(0, (d - 1).bit_length() - more)
    full = (*x, *[0] * (longer - d))[:longer]
    return [
        at_most(d, longer),
        at_most(longer, 2 * d - 1),
        equal(sum(map(abs, full)), sum(map(abs, x))),
        *(equal(sum(full[:t]), sum(x[:t])) for t in range(1, d + 1)),
    ]


TRIALS["erlingsson2019/section-3/power-of-two"] = for_all(
    cases(d=(1, 2, 3, 5), x=lambda d: change_vectors(d=d, k=2)).within(
        d=integers(1), x=objects("d changes, each −1, 0 or 1")
    ),
    padded,
    wrong=partial(padded, more=1),
    proof=proof(
        words(
            "the least power of two that is at least d is below 2d, so log_2 D < log_2 d + 1; "
            "after d the padded input has no change, so it has as many, and the same states up to "
            "d, of which the estimates are those of the algorithm for D"
        ),
    ),
)


def running_count(x: ChangeVector, t: int) -> Relation:
    """One user: f_t = x[t] is the number of events in [1, t], the state."""
    return equal(x[t - 1], sum(x[:t]))


TRIALS["erlingsson2019/section-3/f_t"] = for_all(
    cases(d=(1, 2), x=lambda d: change_vectors(d=d, k=2), t=lambda d: range(1, d + 1)),
    running_count,
    falls=Falls.MISPRINT,
)

C_PARTITION = proof(
    words("it holds for the leaves, and a merge puts a parent for two siblings, with their leaves"),
)


def marginal_sum(x: ChangeVector, t: int, more: int = 0) -> Relation:
    """One user: the sums of x over the nodes of C add up to the state at t (+ more)."""
    sums = [sum(x[period - 1] for period in node.periods) for node in cover_from_binary(t)]
    return equal(total(sums), sum(x[: t + more]))


TRIALS["erlingsson2019/repair/marginal-sums"] = for_all(
    cases(d=(2, 4), x=lambda d: change_vectors(d=d, k=2), t=lambda d: range(1, d + 1)).within(
        d=HORIZON,
        x=objects(
            "d changes, each −1, 0 or 1",
            lambda d: st.sampled_from(list(change_vectors(d=d, k=d))),
            condition=lambda d, x: x in change_vectors(d=d, k=d),
        ),
        t=PERIOD,
    ),
    marginal_sum,
    wrong=partial(marginal_sum, more=-1),
    proof=proof(
        lemma(
            "erlingsson2019/theorem-6/proof/C-partition",
            C_PARTITION,
            "the sums over the parts of [1, t] add up to the sum over [1, t]",
        ),
    ),
)

HORIZONS = (
    cases(d=[2**depth for depth in range(1, 6)])
    .deep(d=[2**depth for depth in range(1, 9)])
    .within(d=HORIZON)
)

TRIALS["erlingsson2019/section-3/nodes-per-change"] = for_all(
    HORIZONS, lambda d: equal(len(ancestors(1, d=d)), log2_of(d)), falls=Falls.MISPRINT
)


def kept_integers(d: int, k: int, printed: int = 4) -> Relation:
    """The client keeps this many integers: those of the state that steps 6-20 update."""
    return equal(max(len(astuple(state)) for state in setup(d=d, k=k).masses), printed)


TRIALS["erlingsson2019/section-3/client-state"] = for_all(
    cases(d=(1, 2), k=(1, 2)).within(d=HORIZON, k=integers(1)),
    kept_integers,
    wrong=partial(kept_integers, printed=3),
    proof=proof(words("the lines of Algorithm 1 read and write κ*, h*, κ and c")),
)

TRIALS["erlingsson2019/section-3/tree-size"] = for_all(
    HORIZONS, lambda d: equal(len(nodes(d)), 2 * d), falls=Falls.MISPRINT
)


def level_sizes(d: int, half: int = 1) -> list[Relation]:
    """Level h has H(h) nodes (over ``half``)."""
    counted = {h: sum(node.level == h for node in nodes(d)) for h in levels(d)}
    return [equal(half * count, level_size(h, d=d)) for h, count in counted.items()]


TRIALS["erlingsson2019/section-3/level-size"] = for_all(
    HORIZONS,
    level_sizes,
    wrong=partial(level_sizes, half=2),
    proof=proof(
        words("level 1 has the d leaves, and a level half the nodes of the one below"),
    ),
)


def any_two(d: int, k: int) -> st.SearchStrategy[tuple[ChangeVector, ChangeVector]]:
    """Return a strategy for two inputs."""
    one = st.sampled_from(list(change_vectors(d=d, k=k)))
    return st.tuples(one, one)


INPUTS = objects(
    "inputs of d changes, each −1, 0 or 1, at most k not 0, of which any two are compared",
    any_two,
    condition=lambda d, k, inputs: all(len(x) == d and sum(map(abs, x)) <= k for x in inputs),
    coq=("list Z * list Z", "input d k (fst {0}) /\\ input d k (snd {0})", ""),
)


def client_delta(
    inputs: Sequence[ChangeVector],
    d: int,
    k: int,
    exp_half_epsilon: Fraction,
    at: Callable[[Fraction], Fraction] = lambda y: y * y,
) -> Any:
    """Return the largest D of the client's outputs on two of the inputs, by default at e^ε."""
    del d
    rows = client_rows(tuple(inputs), k=k, epsilon=Epsilon.log(exp_half_epsilon**2))
    gamma = at(exp_half_epsilon)
    if all(max(column) <= gamma * min(column) for column in zip(*rows, strict=True)):
        return 0
    apart = (
        sum((max(u - gamma * v, Exact(0)) for u, v in zip(p, q, strict=True)), Exact(0))
        for p, q in permutations(rows, 2)
    )
    return max(apart)


def client_is_private(
    delta: Callable[..., Any], d: int, k: int, exp_half_epsilon: Any, inputs: Any
) -> Relation:
    """D of the client's outputs on two inputs is 0."""
    return at_most(delta(inputs, d, k, exp_half_epsilon), 0)


TRIALS["erlingsson2019/theorem-5"] = for_all(
    cases(
        _size=[(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (4, 1), (4, 2)],
        d=lambda _size: _size[:1],
        k=lambda _size: _size[1:],
        exp_half_epsilon=[Fraction(2), Fraction(3, 2)],
        inputs=lambda d, k: [tuple(change_vectors(d=d, k=k))],
    )
    .deep(_size=[(1, 1), (2, 3), (4, 2), (4, 3), (4, 4)])
    .then(cases(d=(2,), k=(1,), exp_half_epsilon=[Fraction(3, 2)], inputs=[((1, 0), (0, -1))]))
    .within(d=HORIZON, k=integers(1, draws=1), exp_half_epsilon=reals(above=1), inputs=INPUTS),
    partial(
        client_is_private,
        quantity("(client_apart {1} {2:nat} {3} {0} ({3} ^ 2))", name="client")(client_delta),
    ),
    wrong=partial(client_is_private, partial(client_delta, at=lambda y: (1 + y) / 2)),
    proof=theorem("erlingsson2019_theorem_5"),
)


def two_nodes_by_one(
    family: Callable[..., Iterator[ChangeVector]], d: int, k: int, kappa_star: int, h_star: int
) -> list[Relation]:
    """At fixed κ*, h* two inputs change at most two nodes, each by at most one."""
    inputs = tuple(family(d=d, k=k))
    changed, by = sensitivity(inputs, kappa_star=kappa_star, h_star=h_star)
    return [at_most(changed, 2), at_most(by, 1)]


CHOICES = (
    cases(d=(1, 2, 4), k=(1, 2, 3), kappa_star=lambda k: range(1, k + 1), h_star=levels)
    .deep(d=(1, 2, 4, 8))
    .within(
        d=HORIZON,
        k=integers(1),
        kappa_star=integers(1, lambda k: k),
        h_star=replace(LEVEL, condition=lambda d, h_star: h_star in levels(d)),
    )
)

TRIALS["erlingsson2019/theorem-5/proof/sensitivity"] = {
    "a": for_all(CHOICES, partial(two_nodes_by_one, change_vectors), falls=Falls.STEP),
    "b": for_all(
        CHOICES,
        partial(two_nodes_by_one, boolean_change_vectors),
        wrong=partial(two_nodes_by_one, change_vectors),
        proof=proof(
            words(
                "the κ*-th change is at one leaf of each input and has the sign (-1)^(κ*-1) in "
                "both, so it is at one node of level h* in each, or at the same"
            ),
        ),
    ),
}

PERIODS = (
    cases(d=(1, 2, 4, 8, 16), t=lambda d: range(1, d + 1))
    .deep(d=[2**depth for depth in range(8)])
    .within(d=HORIZON, t=PERIOD)
)


def size(t: int) -> int:
    """Return |C|."""
    return len(cover_from_binary(t))


def at_most_log2_d(d: int, t: int, less: int = 0) -> Relation:
    """|C| <= log_2 d (− less)."""
    return at_most(size(t), log2_of(d) - less)


C_SIZE_ALL = for_all(PERIODS, at_most_log2_d, falls=Falls.REMARK)


def unique(t: int, more: int = 0) -> Outcome:
    """All orders of selection end in the nodes of the binary expansion of t (+ more)."""
    reachable, orders = reachable_covers(t)
    same = reachable == frozenset({cover_from_binary(t + more)})
    return decided(same, f"{len(reachable)} sets from {orders} orders")


TRIALS["erlingsson2019/theorem-6/proof/C-unique"] = for_all(
    PERIODS.deep(d=(1, 2, 4, 8, 16)),
    unique,
    wrong=partial(unique, more=1),
    proof=proof(
        words(
            "a node has one sibling, so two pairs that can be merged are disjoint and "
            "merging one leaves the other; a merge removes a node, so merging ends, and by "
            "Newman's lemma in one set only"
        ),
    ),
)

LATER = PERIODS.where(lambda d: d > 1).within(d=LONGER, t=PERIOD)

TRIALS["erlingsson2019/theorem-6/proof/C-size"] = {
    "a": for_all(
        LATER,
        at_most_log2_d,
        wrong=partial(at_most_log2_d, less=1),
        proof=proof(
            words(
                "no two siblings are left, so C is the ones of t's binary expansion; t = 2^L "
                "has one, a smaller t at most L"
            ),
        ),
    ),
    "b": C_SIZE_ALL,
}


def partition(t: int, more: int = 0) -> Outcome:
    """The leaves below C are 1, ..., t (+ more), each once."""
    found = is_partition(cover_from_binary(t), t=t + more)
    return decided(found, f"|C| = {size(t)}")


TRIALS["erlingsson2019/theorem-6/proof/C-partition"] = for_all(
    PERIODS, partition, wrong=partial(partition, more=1), proof=C_PARTITION
)

TRIALS["erlingsson2019/theorem-6/proof/nodes-added"] = for_all(
    LATER, lambda d, t: equal(size(t), log2_of(d)), falls=Falls.MISPRINT
)
