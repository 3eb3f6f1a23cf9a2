"""Sections IV-B and IV-C and (10): which inputs, directions and datasets may be fixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement
from typing import Any

from exactdp.certificates import hockey_stick, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact
from exactdp.shuffle import worst_case
from exactdp.truth import Truth
from proofs_check.biswas2023.proof_steps import vanishes
from proofs_check.biswas2023.protocol import (
    count_view,
    histogram_pair,
    histogram_view,
    randomizer,
)
from proofs_check.biswas2023.trials.instances import (
    certified,
    counts_of,
    epsilons,
    histogram_instances,
    histogram_strategy,
)

__all__ = ["TRIALS"]


def _other_input_is_irrelevant(*, histogram: bool) -> Statement:
    """For fixed others, delta for (x_0, x_1) is the same for every x_1 other than x_0."""

    def instances(effort: Effort) -> Iterator[Instance]:
        yield from histogram_instances(effort, first_k=3)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = counts_of(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        values = {}
        for second in range(1, c.k):
            if histogram:
                view = histogram_view(x, c.k, v["others"], inputs=(0, second))
            else:
                view = count_view(x, c, inputs=(0, second))
            values[second] = view.hockey_stick_divergence(exp_epsilon=e)
        differing = next((s for s in values if values[s] != values[1]), None)
        if differing is None:
            return Outcome(Truth.TRUE)
        concluded = relation(
            "!=",
            hockey_stick(histogram_pair(c.k, v["others"], inputs=(0, 1)), e),
            hockey_stick(histogram_pair(c.k, v["others"], inputs=(0, differing)), e),
        )
        return Outcome(
            Truth.FALSE,
            f"delta is {values[1]} for (0, 1) and {values[differing]} for (0, {differing})",
            certified(x, c.k, [concluded]),
        )

    def proof() -> Proved | None:
        import sympy

        x, k = sympy.symbols("x k")
        c = 1 / (x + k - 1)
        # Seen through "x_0 or not", every input other than x_0 has the row (c, 1 - c).
        if not vanishes((x + k - 2) * c - (1 - c)):
            return None
        return Proved("all n, k, datasets, eps0, eps", "all x != x_0 have the same row (c, 1 - c)")

    return Statement(
        instances=instances,
        holds=holds,
        strategy=lambda: histogram_strategy(first_k=3),
        proof=None if histogram else proof,
        false_variant=None if histogram else _other_input_is_irrelevant(histogram=True),
    )


def _direction_fixed_others() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = counts_of(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        forward, backward = (
            histogram_view(x, c.k, v["others"], inputs=i).hockey_stick_divergence(exp_epsilon=e)
            for i in ((0, 1), (1, 0))
        )
        if forward == backward:
            return Outcome(Truth.TRUE)
        concluded = relation(
            "!=",
            hockey_stick(histogram_pair(c.k, v["others"], inputs=(0, 1)), e),
            hockey_stick(histogram_pair(c.k, v["others"], inputs=(1, 0)), e),
        )
        return Outcome(
            Truth.FALSE,
            f"delta is {forward} for (x_0, x_1) and {backward} for (x_1, x_0)",
            certified(x, c.k, [concluded]),
        )

    return Statement(instances=histogram_instances, holds=holds)


def _direction_all_datasets() -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(1, 4 if effort is Effort.DEFAULT else 6):
            for k in range(2, 5):
                for x, e in epsilons():
                    yield Instance.of(n=n, k=k, exp_epsilon0=x, exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, e = Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        # Both directions searched in full; nothing here uses the symmetry claimed.
        forward, backward = (
            worst_case([(randomizer(x, v["k"]), v["n"])], exp_epsilon=e, inputs=i).value
            for i in ((0, 1), (1, 0))
        )
        return Outcome(Truth.of(forward == backward), f"{forward} and {backward}")

    def proof() -> Proved | None:
        # Elements of Q(e) stand for rational functions of x: e is transcendental.
        x = Exact.exp(1)
        for k in range(2, 7):
            matrix = randomizer(x, k).rows
            swap = [1, 0, *range(2, k)]
            if any(matrix[i][j] != matrix[swap[i]][swap[j]] for i in range(k) for j in range(k)):
                return None
        return Proved(
            "all n, k, eps0, eps",
            "the matrix depends only on whether input and message agree, so swapping x_0 and x_1 "
            "in inputs and messages maps datasets one to one and keeps every divergence",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof,
        false_variant=_direction_fixed_others(),
    )


def _equation_10_fixed() -> Statement:
    """delta-hat over the primary inputs in D_X, the other users' values as in D_X."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(1, 4 if effort is Effort.DEFAULT else 5):
            for k in range(2, 4):
                for data in combinations_with_replacement(range(k), n):
                    for x, e in epsilons():
                        yield Instance.of(data=data, k=k, exp_epsilon0=x, exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        data, k = v["data"], v["k"]
        x, e = Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        local = [
            (primary, second, tuple(sorted((u, rest.count(u)) for u in set(rest))))
            for index, primary in enumerate(data)
            for rest in [data[:index] + data[index + 1 :]]
            for second in range(k)
            if second != primary
        ]
        deltas = {
            (a, b, rest): histogram_view(x, k, rest, inputs=(a, b)).hockey_stick_divergence(
                exp_epsilon=e
            )
            for a, b, rest in set(local)
        }
        highest = max(deltas.values())
        worst = worst_case([(randomizer(x, k), len(data))], exp_epsilon=e)
        if worst.value <= highest:
            return Outcome(Truth.TRUE)
        others = [(u.input, u.count) for u in worst.neighbors.others]
        concluded = [
            relation(
                ">",
                hockey_stick(histogram_pair(k, others), e),
                hockey_stick(histogram_pair(k, rest, inputs=(a, b)), e),
            )
            for a, b, rest in deltas
        ]
        return Outcome(
            Truth.FALSE,
            f"delta-hat of D_X is {highest}, but M needs {worst.value} ({worst.neighbors})",
            certified(x, k, concluded),
        )

    return Statement(instances=instances, holds=holds)


def _equation_10_all() -> Statement:
    """delta-hat over primary inputs, ADP as in Definition III.2 (over all datasets)."""
    symmetric = _direction_all_datasets()

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, e, k = Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"]), v["k"]
        protocol = [(randomizer(x, k), v["n"])]
        # The worst over x_1 for one primary input, against the worst over everything.
        one = max(
            worst_case(protocol, exp_epsilon=e, inputs=(0, second)).value for second in range(1, k)
        )
        every = max(
            worst_case(protocol, exp_epsilon=e, inputs=(a, b)).value
            for a in range(k)
            for b in range(k)
            if a != b
        )
        return Outcome(Truth.of(one == every), f"{one} for x_0, {every} over all pairs")

    return Statement(
        instances=symmetric.instances,
        holds=holds,
        proof=symmetric.proof,
        false_variant=_equation_10_fixed(),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/section-IV-B/x1-arbitrary": {
        "a": _other_input_is_irrelevant(histogram=False),
        "b": _other_input_is_irrelevant(histogram=True),
    },
    "biswas2023/section-IV-C/wlog-x0": {
        "a": _direction_fixed_others(),
        "b": _direction_all_datasets(),
    },
    "biswas2023/equation-10": {"a": _equation_10_all(), "b": _equation_10_fixed()},
}
