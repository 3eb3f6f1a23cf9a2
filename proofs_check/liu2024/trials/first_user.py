"""User 1 of Theorem 2: does the weakest budget, with its δ_1, bound all users?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, Term, finite_pair, hockey_stick, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.numbers import Exact, decimal
from exactdp.truth import Truth
from proofs_check.liu2024.trials.protocols import (
    Profile,
    best_delta,
    best_delta_term,
    definitions_of,
    users_of,
    view_delta_term,
    view_term,
)
from proofs_check.liu2024.trials.rows import binary, matrix_term, other_term, victim_term

__all__ = ["TRIALS"]

FACTORS = [Fraction(x) for x in ("2", "3/2", "5/4", "5/2")]


def _worst_budget() -> Statement:
    """Two users; the δ of each, and the bound with user 1 of the larger ε as the victim."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for ratios, g in product(((3, 2), (5, 2), (5, 3)), FACTORS[::-1]):
            users = tuple((binary(x, 0), binary(x, 1)) for x in ratios)
            yield Instance.of(users=users, exp_epsilon=g)
        for g, size in product((Fraction(11, 10), Fraction(5, 4)), range(6, 40)):
            for a, b, c in product(range(1, 4), range(1, 4), range(1, size)):
                d = size - a - b - c
                if a >= 3 * b and c >= d >= 1 and 3 * d > 2 * c:
                    first = tuple(
                        tuple(Fraction(x, size) for x in row)
                        for row in ((a, b, c, d), (b, a, d, c))
                    )
                    second = tuple((Fraction(0), Fraction(0), *binary(2, x)) for x in (0, 1))
                    yield Instance.of(users=(first, second), exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        one, two = v["users"]
        g = v["exp_epsilon"]
        first, second = (
            max(Profile((*own, row), (1,)).delta(g) for row in others)
            for own, others in ((one, two), (two, one))
        )
        bound = max(_bound(Profile((*one, row), (1,)), g) for row in two)
        return Outcome(
            Truth.of(second <= max(first, bound)),
            f"user 1 (larger ε): true δ {first}, δ_s {bound}; user 2: true δ {second}",
            lambda: _budget_certificate(one, two, g),
        )

    return Statement(instances=instances, holds=holds)


def _worst_response(*, least: bool = False) -> Statement:
    """Binary randomized response: no victim's true δ exceeds that of the largest ε."""

    def instances(effort: Effort) -> Iterator[Instance]:
        lists = [(3, 2), (5, 2), (3, 2, 2), (3, 3, 2), (5, 3, 2), (5, 2, 2, 2), (5, 4, 3, 2)]
        for ratios in lists if effort is Effort.DEFAULT else [*lists, (6, 5, 4, 3, 2)]:
            for g in (Fraction(1), Fraction(11, 10), *FACTORS):
                yield Instance.of(exp_epsilons=ratios, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        ratios, g = v["exp_epsilons"], v["exp_epsilon"]
        found = []
        for victim in range(len(ratios)):
            rest = ratios[:victim] + ratios[victim + 1 :]
            own = binary(ratios[victim]), binary(ratios[victim], 1)
            found.append(
                max(
                    Profile((*own, *map(binary, rest, data)), (1,) * len(rest)).delta(g)
                    for data in product((0, 1), repeat=len(rest))
                )
            )
        claimed = found[-1] if least else found[0]
        return Outcome(
            Truth.of(max(found) <= claimed), "δ by victim: " + ", ".join(map(str, found))
        )

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=None if least else _worst_response(least=True),
    )


def _bound(profile: Profile, g: Fraction) -> Exact:
    return best_delta(profile.weights, w=profile.w, exp_epsilon=g, delta_1=Fraction(0))


def _budget_certificate(one: Any, two: Any, g: Fraction) -> Certificate:
    ratios = [Term(["ldp_ratio", matrix_term([row[-2:] for row in two]).json])]
    ratios.append(Term(["ldp_ratio", matrix_term(one).json]))
    first = [view_delta_term(Profile((*one, row), (1,))) for row in two]
    second = [view_delta_term(Profile((*two, row), (1,))) for row in one]
    bounds = []
    define: list[tuple[str, Term]] = [("gamma", term(g))]
    for j, row in enumerate(two):
        rows, letters = ref(f"R_{j}"), len(row)
        ends = [other_term(rows, letters, near=x, far=1 - x).json for x in (0, 1)]
        define += [
            (f"R_{j}", matrix_term((*one, row))),
            (f"w_{j}", victim_term(rows, letters)),
            (f"p_{j}", Term(["min", *ends])),
        ]
        bounds.append(best_delta_term(ref(f"w_{j}"), [(ref(f"p_{j}"), 1)], ref("gamma"), term(0)))
    top = Term(["max", *(t.json for t in second)])
    return Certificate(
        define=define,
        hypotheses=[relation("<", ratios[0], ratios[1])],
        conclusion=[relation(">", top, t) for t in (*first, *bounds)],
    )


def _other_delta() -> Statement:
    """User 1: randomized response, e^ε_1 = 3, δ_1 = 0. User 2 tells with probability δ_2."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for delta, g in product((Fraction(1, 10), Fraction(1, 100)), (Fraction(2), Fraction(5, 2))):
            for n in (2, 4, 8, 16, 32, 64):
                yield Instance.of(n=n, delta_2=delta, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, d, g = v["n"], v["delta_2"], v["exp_epsilon"]
        own, other = _delta_profiles(n, d)
        bound, true = _bound(own, g), other.delta(g)
        return Outcome(
            Truth.of(true <= bound),
            f"δ_s {decimal(bound, digits=6)}, true δ for user 2 {decimal(true, digits=6)}",
            lambda: _delta_certificate(own, other, g, d),
        )

    return Statement(instances=instances, holds=holds)


def _telling(d: Fraction, x: int) -> tuple[Fraction, ...]:
    leak = (d, Fraction(0)) if x == 0 else (Fraction(0), d)
    return (*leak, *((1 - d) * m for m in binary(2, x)))


def _delta_profiles(n: int, d: Fraction) -> tuple[Profile, Profile]:
    """User 1 as the victim (user 2 with x_2^0), and user 2 as the victim; the others respond."""
    zero, empty = Fraction(0), (n - 2,) if n > 2 else ()
    mine = [(zero, zero, *binary(3, x)) for x in (0, 1)]
    rest = [(zero, zero, *binary(2))] * len(empty)
    return (
        Profile((*mine, _telling(d, 0), *rest), (1, *empty)),
        Profile((_telling(d, 0), _telling(d, 1), mine[0], *rest), (1, *empty)),
    )


def _delta_certificate(own: Profile, other: Profile, g: Fraction, d: Fraction) -> Certificate:
    """User 2 is (ln 2, δ_2)-private, user 1 (ln 3, 0)-private; no letter has mass above 1 − δ/2."""
    pair = finite_pair(*other.rows[:2])
    bound = best_delta_term(ref("w"), users_of(own), ref("gamma"), term(0))
    truth = view_term(other)
    return Certificate(
        define=[*definitions_of(own), ("gamma", term(g))],
        hypotheses=[
            relation("<=", hockey_stick(pair, 2), d),
            relation("<", max(own.rows[2]), 1 - d / 2),
        ],
        conclusion=[relation(">", hockey_stick(truth, ref("gamma")), bound)],
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "liu2024/section-3.3/worst-case-budget": {"a": _worst_budget(), "b": _worst_response()},
    "liu2024/section-3.3/delta_1": {"": _other_delta()},
}
