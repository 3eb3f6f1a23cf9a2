"""The decompositions: that they exist for every private local randomizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon
from exactdp.shuffle import (
    CloneDecomposition,
    clone_decomposition,
    first_fault,
    stronger_clone_decomposition,
)
from exactdp.testing import local_randomizers
from exactdp.truth import Truth
from proofs_check.feldman2021.search import extremal_randomizers

__all__ = ["TRIALS"]

RATIOS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)]

Decide = Callable[[Randomizer, Fraction], Outcome]


def _randomizers(effort: Effort) -> Iterator[Instance]:
    """Yield the extremal private randomizers on few inputs, and randomized response."""
    for inputs in (2, 3) if effort is Effort.DEFAULT else (2, 3, 4):
        for x in RATIOS:
            for rows in extremal_randomizers(inputs=inputs, exp_epsilon0=x):
                yield Instance.of(exp_epsilon0=x, rows=tuple(tuple(row) for row in rows))
    for x in RATIOS:
        yield Instance.of(exp_epsilon0=x, rows=randomized_response(4, Epsilon.log(x)).rows)


def _any_randomizer() -> st.SearchStrategy[Instance]:
    def drawn(x: Fraction) -> st.SearchStrategy[Instance]:
        matrices = local_randomizers(rows=3, columns=4, max_ratio=x)
        return matrices.map(lambda rows: Instance.of(exp_epsilon0=x, rows=rows))

    return st.fractions(1, 6, max_denominator=4).flatmap(drawn)


def _statement(
    decide: Decide, *, false_variant: Decide, proof: Callable[[], Proved | None]
) -> Statement:
    def holds(decide: Decide) -> Callable[[Instance], Outcome]:
        def holds(at: Instance) -> Outcome:
            v: Mapping[str, Any] = at.mapping()
            return decide(Randomizer.from_matrix(v["rows"]), v["exp_epsilon0"])

        return holds

    return Statement(
        instances=_randomizers,
        holds=holds(decide),
        strategy=_any_randomizer,
        proof=proof,
        false_variant=Statement(instances=_randomizers, holds=holds(false_variant)),
    )


def _outcome(parts: CloneDecomposition, mixtures: slice) -> Outcome:
    fault = first_fault(parts.mixtures[mixtures])
    return Outcome(Truth.of(fault is None), str(fault or "every component is a law"))


def _others(r: Randomizer, x: Fraction) -> Outcome:
    return _outcome(clone_decomposition(r, epsilon0=Epsilon.log(x)), slice(2, None))


def _others_with_more_clones(r: Randomizer, x: Fraction) -> Outcome:
    """1/(x + 1) in place of 1/(2x): refuted where both rows of the victim are x times the third."""
    return _outcome(stronger_clone_decomposition(r, epsilon0=Epsilon.log(x)), slice(2, None))


def _victim(r: Randomizer, x: Fraction) -> Outcome:
    parts = clone_decomposition(r, epsilon0=Epsilon.log(x))
    outcome = _outcome(parts, slice(0, 2))
    one, two = (part.law for part in parts.letters)
    same = all(a + b == u + v for a, b, u, v in zip(one, two, r.rows[0], r.rows[1], strict=True))
    return outcome if same else Outcome(Truth.FALSE, "Q0 + Q1 is not R(x0) + R(x1)")


def _victim_with_less(r: Randomizer, x: Fraction) -> Outcome:
    return _victim(r, (1 + x) / 2)


def _others_proof() -> Proved | None:
    u, v, w, x = sympy.symbols("u v w x", positive=True)
    leftover = w - (u + v) / (2 * x)
    if sympy.simplify(leftover - ((w - u / x) + (w - v / x)) / 2) != 0:
        return None
    return Proved(
        "all e^eps0 = x >= 1, inputs and finite randomizers",
        "(1 - 1/x) LO = w - (u + v)/(2x) = ((w - u/x) + (w - v/x))/2 >= 0, as u, v <= x w",
    )


def _victim_proof() -> Proved | None:
    u, v, x = sympy.symbols("u v x", positive=True)
    one, two = (x * u - v) / (x - 1), (x * v - u) / (x - 1)
    if sympy.simplify((x * one + two) / (x + 1) - u) != 0:
        return None
    if sympy.simplify(one + two - u - v) != 0:
        return None
    return Proved(
        "all e^eps0 = x > 1, inputs and finite randomizers (x = 1: both letters are R(x0) = R(x1))",
        "Q0 = (x u - v)/(x - 1), Q1 = (x v - u)/(x - 1): nonnegative as u <= x v and v <= x u, "
        "sum 1, and the identities",
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "feldman2021/clones": {
        "": _statement(_others, false_variant=_others_with_more_clones, proof=_others_proof)
    },
    "feldman2021/two-letters": {
        "": _statement(_victim, false_variant=_victim_with_less, proof=_victim_proof)
    },
}
