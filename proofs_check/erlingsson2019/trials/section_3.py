"""Section 3: the setup, the tree, the cover C, and the client of Algorithm 1 with Theorem 5."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise, permutations
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Said, Trials, at_least, at_most, equal, for_all
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import function, term, total
from exactdp.claims.verdicts import Falls
from exactdp.numbers import Epsilon, Exact
from exactdp.testing.later import st
from proofs_check.erlingsson2019.client import (
    ChangeVector,
    boolean_change_vectors,
    change_vectors,
    client_rows,
    farthest_values,
    sensitivity,
)
from proofs_check.erlingsson2019.quantities import (
    above_period,
    changes_of,
    count_changes,
    counted,
    cover_change,
    cover_size,
    horizon,
    is_reached,
    largest_move,
    levels_above,
    longer,
    nodes_at,
    nodes_moved,
    orders,
    orders_to_cover,
    padded_changes,
    padded_state,
    printed_size,
    state_at,
)
from proofs_check.erlingsson2019.state import apart_from_client, from_state
from proofs_check.erlingsson2019.tree import (
    ancestors,
    cover_from_binary,
    level_size,
    levels,
    log2_of,
    nodes,
    orders_by_end,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

HORIZON = objects(
    "a power of two",
    lambda: st.sampled_from([1, 2, 4]),
    condition=lambda d: d & (d - 1) == 0,
    coq=("nat", "(exists L, {0} = (2 ^ L)%nat)", ""),
)
LONGER = replace(
    HORIZON,
    what="a power of two from 2 on",
    drawn=lambda: st.sampled_from([2, 4]),
    coq=("nat", "(exists L, (1 <= L)%nat /\\ {0} = (2 ^ L)%nat)", ""),
)
LEVEL = objects(
    "a level of the tree",
    lambda d: st.sampled_from(levels(d)),
    condition=lambda d, h: h in levels(d),
    coq=("nat", "(1 <= {0})%nat /\\ ({0} <= Nat.log2 d + 1)%nat", ""),
)
PERIOD = integers(1, lambda d: d)


CHANGES = objects(
    "d changes, each −1, 0 or 1",
    lambda d: st.tuples(*[st.sampled_from((-1, 0, 1))] * d),
    condition=lambda d, x: len(x) == d and {*x} <= {-1, 0, 1},
    coq=("list Z", "length {0} = d /\\ Forall change {0}", ""),
)


def longer_horizon(state: Callable[..., Any], d: int, x: ChangeVector, t: int) -> list[Relation]:
    """With no further changes up to a power of two D, d <= D < 2d, nothing up to d changes."""
    return [
        at_most(d, longer(d)),
        at_most(longer(d), 2 * term(d) - 1),
        equal(padded_changes(d, x), count_changes(x)),
        equal(state(d, x, t), state_at(x, t)),
    ]


TRIALS["erlingsson2019/section-3/power-of-two"] = for_all(
    cases(d=(1, 2, 3, 5), x=lambda d: change_vectors(d=d, k=2), t=lambda d: [d]).within(
        d=integers(1), x=CHANGES, t=PERIOD
    ),
    partial(longer_horizon, padded_state),
    wrong=partial(longer_horizon, lambda d, x, t: sum(x[: min(t, longer.compute(d) // 2)])),
    proof=theorem("erlingsson2019_power_of_two"),
)


def running_count(x: ChangeVector, t: int) -> Relation:
    """One user: f_t = x[t] is the number of events in [1, t], the state."""
    return equal(x[t - 1], total(x[:t]))


TRIALS["erlingsson2019/section-3/f_t"] = for_all(
    cases(d=(1, 2), x=lambda d: change_vectors(d=d, k=2), t=lambda d: range(1, d + 1)),
    running_count,
    falls=Falls.MISPRINT,
)


def marginal_sum(state: Callable[..., Any], x: ChangeVector, t: int) -> Relation:
    """One user: the sums of x over the nodes of C add up to the state at t."""
    return equal(cover_change(x, t), state(x, t))


TRIALS["erlingsson2019/repair/marginal-sums"] = for_all(
    cases(d=(2, 4), x=lambda d: change_vectors(d=d, k=2), t=lambda d: range(1, d + 1)).within(
        d=HORIZON, x=CHANGES, t=PERIOD
    ),
    partial(marginal_sum, state_at),
    wrong=partial(marginal_sum, lambda x, t: state_at(x, t - 1)),
    proof=theorem("erlingsson2019_marginal_sums"),
)


HORIZONS = (
    cases(d=[2**depth for depth in range(1, 6)])
    .deep(d=[2**depth for depth in range(1, 9)])
    .within(d=HORIZON)
)

TRIALS["erlingsson2019/section-3/nodes-per-change"] = for_all(
    HORIZONS,
    lambda d: equal(counted(ancestors(1, d=d)), log2_of(d)).given(horizon(d)),
    falls=Falls.MISPRINT,
)


def four_integers(
    d: int, k: int, x: ChangeVector, exp_half_epsilon: Fraction, apart: Any = from_state
) -> Relation:
    """A machine whose state is four integers has the client's law; without the last it has not."""
    return equal(apart(d, k, x, exp_half_epsilon, x), 0)


TRIALS["erlingsson2019/section-3/client-state"] = for_all(
    cases(
        d=(1, 2, 4),
        k=(1, 2),
        x=lambda d, k: list(change_vectors(d=d, k=min(d, k)))[:6],
        exp_half_epsilon=[Fraction(3, 2)],
    ).within(
        d=HORIZON,
        k=integers(1, draws=1),
        x=objects(
            "d changes, each −1, 0 or 1, at most k of them not 0",
            lambda d, k: st.sampled_from(list(change_vectors(d=d, k=min(d, k)))),
            condition=lambda d, k, x: len(x) == d and sum(map(abs, x)) <= k,
            coq=("list Z", "input d k {0}", ""),
        ),
        exp_half_epsilon=reals(above=1),
    ),
    four_integers,
    wrong=partial(four_integers, apart=partial(apart_from_client, waits=False)),
    proof=theorem("erlingsson2019_client_state"),
)

TRIALS["erlingsson2019/section-3/tree-size"] = for_all(
    HORIZONS, lambda d: equal(counted(nodes(d)), 2 * term(d)), falls=Falls.MISPRINT
)


TRIALS["erlingsson2019/section-3/level-size"] = for_all(
    cases(d=[2**depth for depth in range(1, 6)], h=levels)
    .deep(d=[2**depth for depth in range(1, 9)])
    .within(d=HORIZON, h=LEVEL),
    lambda d, h: equal(nodes_at(d, h), printed_size(d, h)),
    wrong=lambda d, h: equal(nodes_at(d, h), 2 * level_size(h, d=d)),
    proof=theorem("erlingsson2019_level_size"),
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
    inputs: Sequence[ChangeVector], d: int, k: int, exp_half_epsilon: Fraction, gamma: Fraction
) -> Any:
    """Return the largest D of the client's outputs on two of the inputs."""
    del d
    rows = client_rows(tuple(inputs), k=k, epsilon=Epsilon.log(exp_half_epsilon**2))
    if all(max(column) <= gamma * min(column) for column in zip(*rows, strict=True)):
        return 0
    apart = (
        sum((max(u - gamma * v, Exact(0)) for u, v in zip(p, q, strict=True)), Exact(0))
        for p, q in permutations(rows, 2)
    )
    return max(apart)


client_apart = quantity("(client_apart {1} {2:nat} {3} {0} {4})", name="client")(client_delta)
"""D of the client's outputs on two inputs."""


def client_is_private(
    delta: Callable[..., Any],
    d: int,
    k: int,
    exp_half_epsilon: Any,
    inputs: Any,
    at: Callable[[Any], Any] = lambda y: y**2,
) -> Relation:
    """D of the client's outputs on two inputs is 0 at e^ε."""
    return at_most(delta(inputs, d, k, exp_half_epsilon, at(exp_half_epsilon)), 0)


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
    partial(client_is_private, client_apart),
    wrong=partial(client_is_private, client_delta, at=lambda y: (1 + y) / 2),
    proof=theorem("erlingsson2019_theorem_5"),
)


def boolean_states(d: int, k: int) -> list[tuple[int, ...]]:
    """Return the boolean states of d periods with at most k changes."""
    return [tuple(accumulate(x)) for x in boolean_change_vectors(d=d, k=k)]


def boolean_pairs(d: int, k: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return pairs of them: each beside the next one and beside the last."""
    every = boolean_states(d, k)
    return list(dict.fromkeys([*pairwise(every), *((one, every[-1]) for one in every)]))


BOOLEAN_INPUTS = objects(
    "two boolean states over d periods, with at most k changes",
    lambda d, k: st.tuples(*[st.sampled_from(boolean_states(d, k))] * 2),
    condition=lambda d, k, inputs: all(
        len(states) == d and {*states} <= {0, 1} and count_changes.compute(changes_of(states)) <= k
        for states in inputs
    ),
    coq=(
        "list bool * list bool",
        "boolean_input d k (fst {0}) /\\ boolean_input d k (snd {0})",
        "",
    ),
)


def boolean_nodes(
    by: Callable[..., Any],
    d: int,
    kappa_star: int,
    h_star: int,
    inputs: tuple[tuple[int, ...], tuple[int, ...]],
) -> list[Relation]:
    """At fixed κ*, h* two inputs change at most two nodes, each by at most one."""
    return [
        at_most(nodes_moved(d, kappa_star, h_star, inputs), 2),
        at_most(by(d, kappa_star, h_star, inputs), 1),
    ]


def two_nodes_by_one(
    family: Callable[..., Iterator[ChangeVector]], d: int, k: int, kappa_star: int, h_star: int
) -> list[Relation]:
    """At fixed κ*, h* two inputs change at most two nodes, each by at most one."""
    inputs = tuple(family(d=d, k=k))
    changed, _ = sensitivity(inputs, kappa_star=kappa_star, h_star=h_star)
    one, other = farthest_values(inputs, kappa_star=kappa_star, h_star=h_star)
    return [at_most(changed, 2), at_most(function("abs", term(one) - other), 1)]


CHOSEN: dict[str, Sort] = {
    "d": HORIZON,
    "k": integers(1),
    "kappa_star": integers(1, lambda k: k),
    "h_star": replace(LEVEL, condition=lambda d, h_star: h_star in levels(d)),
}
CHOICES = (
    cases(d=(1, 2, 4), k=(1, 2, 3), kappa_star=lambda k: range(1, k + 1), h_star=levels)
    .deep(d=(1, 2, 4, 8))
    .within(**CHOSEN)
)

TRIALS["erlingsson2019/theorem-5/proof/sensitivity"] = {
    "a": for_all(CHOICES, partial(two_nodes_by_one, change_vectors), falls=Falls.STEP),
    "b": for_all(
        replace(CHOICES, axes={**CHOICES.axes, "inputs": boolean_pairs}).within(
            **CHOSEN, inputs=BOOLEAN_INPUTS
        ),
        partial(boolean_nodes, largest_move),
        wrong=partial(boolean_nodes, lambda *at: 2 * largest_move(*at)),
        proof=theorem("erlingsson2019_sensitivity"),
    ),
}

PERIODS = (
    cases(d=(1, 2, 4, 8, 16), t=lambda d: range(1, d + 1))
    .deep(d=[2**depth for depth in range(8)])
    .within(d=HORIZON, t=PERIOD)
)


def at_most_log2_d(d: int, t: int, less: int = 0) -> Relation:
    """|C| <= log_2 d (− less)."""
    most = levels_above(d)
    return at_most(cover_size(t), most - less if less else most)


def nodes_of_cover(says: Callable[..., Relation], d: int, t: int) -> Said:
    """Compare the number of nodes of C with log_2 d: they are above t periods."""
    nodes_above = cover_from_binary(t)
    above_t = equal(total([term(2) ** (node.level - 1) for node in nodes_above]), t)
    return says(counted(nodes_above), log2_of(d)).given([*horizon(d), above_t])


C_SIZE_ALL = for_all(PERIODS, partial(nodes_of_cover, at_most), falls=Falls.REMARK)


def unique(to_cover: Callable[[int], Any], t: int) -> list[Relation]:
    """All orders of selection end in one set: the nodes of the binary expansion of t."""
    return [equal(to_cover(t), orders(t)), at_least(orders(t), 1)]


TRIALS["erlingsson2019/theorem-6/proof/C-unique"] = for_all(
    PERIODS.deep(d=(1, 2, 4, 8, 16)),
    partial(unique, orders_to_cover),
    wrong=partial(unique, lambda t: orders_by_end(t)[cover_from_binary(t + 1)]),
    proof=theorem("erlingsson2019_cover_unique"),
)

LATER = PERIODS.where(lambda d: d > 1).within(d=LONGER, t=PERIOD)

TRIALS["erlingsson2019/theorem-6/proof/C-size"] = {
    "a": for_all(
        LATER,
        at_most_log2_d,
        wrong=partial(at_most_log2_d, less=1),
        proof=theorem("erlingsson2019_cover_size"),
    ),
    "b": C_SIZE_ALL,
}


def one_node(reached: Callable[..., Any], t: int, period: int) -> Relation:
    """One node of C is above a period in [1, t], and none above a later one."""
    return equal(above_period(t, period), reached(t, period))


TRIALS["erlingsson2019/theorem-6/proof/C-partition"] = for_all(
    replace(PERIODS, axes={**PERIODS.axes, "period": lambda t: range(1, t + 2)}).within(
        d=HORIZON, t=PERIOD, period=integers(1)
    ),
    partial(one_node, is_reached),
    wrong=partial(one_node, lambda t, period: is_reached(t + 1, period)),
    proof=theorem("erlingsson2019_cover_partition"),
)

TRIALS["erlingsson2019/theorem-6/proof/nodes-added"] = for_all(
    LATER, partial(nodes_of_cover, equal), falls=Falls.MISPRINT
)
