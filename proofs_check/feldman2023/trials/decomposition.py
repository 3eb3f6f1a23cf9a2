"""The decomposition of private local randomizers into two letters, and what is left over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.certificates import Certificate, ldp_ratio, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.shuffle import (
    FaultKind,
    stronger_clone_decomposition,
    variation_ratio,
    variation_ratio_decomposition,
)
from exactdp.testing import local_randomizers
from exactdp.truth import Truth
from proofs_check.feldman2023.worst import extremal_rows

__all__ = ["TRIALS"]

RATIOS = [Fraction(3, 2), Fraction(2), Fraction(5)]

Decide = Callable[[Randomizer, Fraction], Outcome]


def _randomizers(effort: Effort) -> Iterator[Instance]:
    for inputs in (2, 3) if effort is Effort.DEFAULT else (2, 3, 4):
        for x in RATIOS:
            for rows in extremal_rows(inputs=inputs, exp_epsilon0=x):
                yield Instance.of(exp_epsilon0=x, rows=rows)


def _any_randomizer() -> st.SearchStrategy[Instance]:
    def drawn(x: Fraction) -> st.SearchStrategy[Instance]:
        matrices = local_randomizers(rows=4, columns=4, max_ratio=x)
        return matrices.map(lambda rows: Instance.of(exp_epsilon0=x, rows=rows))

    return st.fractions(Fraction(5, 4), 6, max_denominator=4).flatmap(drawn)


def _statement(
    decide: Decide,
    *,
    false_variant: Decide | None = None,
    proof: Callable[[], Proved | None] | None = None,
) -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        return decide(Randomizer.from_matrix(v["rows"]), v["exp_epsilon0"])

    return Statement(
        instances=_randomizers,
        holds=holds,
        strategy=_any_randomizer,
        proof=proof,
        false_variant=None if false_variant is None else _statement(false_variant),
    )


def _two_letters(r: Randomizer, x: Fraction) -> Outcome:
    """With p = 1/(x+1) the victim's two equations leave one choice of Q0, Q1 and LO."""
    fault = stronger_clone_decomposition(r, epsilon0=Epsilon.log(x)).check()
    if fault is None:
        return Outcome(Truth.TRUE, "every component is a law")
    other = int(fault.who.rsplit(" ", 1)[1])

    def certificate() -> Certificate:
        """The letters' share (Q0 + Q1)/(x+1) = (R(x0) + R(x1))/(x+1) exceeds R(x) at y."""
        y = fault.message
        assert fault.kind is FaultKind.NEGATIVE_MASS and y is not None
        share = (term(r.rows[0][y]) + term(r.rows[1][y])) / (term(x) + 1)
        return Certificate(
            hypotheses=[relation("<=", ldp_ratio(r.rows), x)],
            conclusion=[relation("<", r.rows[other][y], share)],
        )

    return Outcome(Truth.FALSE, str(fault), certificate)


def _positive_parts(*, share: Callable[[Fraction], Fraction] = lambda x: 1 / x) -> Decide:
    """Others have the letters with weight p·x·share(x) each: p, if share is 1/x."""

    def decide(r: Randomizer, x: Fraction) -> Outcome:
        beta = variation_ratio(r).beta
        if beta == 0:
            return Outcome(Truth.TRUE, "the victim's rows are equal: p = 0")
        parts = variation_ratio_decomposition(r, p=Epsilon.log(x), q=1 / share(x))
        p = beta / (x - 1)
        fault = parts.check()
        is_as_said = (parts.first, parts.second, parts.other) == (p * x, p, p * x * share(x))
        fine = fault is None and is_as_said and p <= 1 / (x + 1)
        return Outcome(Truth.of(fine), str(fault or f"p = {p}"))

    return decide


def _positive_parts_proof() -> Proved | None:
    """Where the victim's masses are u >= v; the other case is the same with the rows exchanged."""
    u, v, w, x = sympy.symbols("u v w x", positive=True)
    share = (u - v) / (x - 1)  # p Q0(y), with p = β/(x-1); Q1(y) = 0
    common = (x * v - u) / (x - 1)
    slack = (w - u / x) + (v - u / x) / (x - 1)
    identities = [u - x * share - common, v - share - common, w - share - slack]
    if any(sympy.simplify(identity) != 0 for identity in identities):
        return None
    return Proved(
        "all e^eps0 = x > 1, inputs and finite randomizers",
        "Q0, Q1 the positive parts of the difference of the victim's rows over β, p = β/(x-1): "
        "where u >= v both rows leave (x v - u)/(x-1) >= 0, and others (w - u/x) + "
        "(v - u/x)/(x-1) >= 0; β <= (x-1)/(x+1), for u - v <= (x-1)/(x+1) (u + v)",
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "feldman2023/decomposition": {
        "a": _statement(_two_letters),
        "b": _statement(
            _positive_parts(),
            false_variant=_positive_parts(share=lambda x: 2 / (1 + x)),
            proof=_positive_parts_proof,
        ),
    }
}
