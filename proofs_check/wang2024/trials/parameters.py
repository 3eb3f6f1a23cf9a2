"""The probabilities of Theorem 1, when they are probabilities, and what Δ_2 is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from exactdp.certificates import Certificate, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.truth import Truth
from proofs_check.wang2024 import bounds

__all__ = ["TRIALS"]

HALF, ONE = Fraction(1, 2), Fraction(1)


# --- the parameters of Theorem 1 -------------------------------------------------------------


def _admissible(effort: Effort) -> Iterator[Instance]:
    """Yield p, β, q with p > 1, β in [0, (p-1)/(p+1)], q >= 1."""
    for p, part, q in product(
        (Fraction(2), Fraction(3), Fraction(3, 2), Fraction(10)),
        (ONE, HALF, Fraction(1, 4), Fraction(0)),
        (ONE, Fraction(2), Fraction(5, 4)),
    ):
        yield Instance.of(p=p, beta=part * (p - 1) / (p + 1), q=q)


def _laws_defined() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        share = bounds.letters_probability(None, **v)

        def certificate() -> Certificate:
            p, beta, q = (term(v[name]) for name in ("p", "beta", "q"))
            return Certificate(
                hypotheses=[
                    relation(">", p, 1),
                    relation("<=", beta, (p - 1) / (p + 1)),
                    relation(">=", q, 1),
                ],
                conclusion=[
                    relation(">", bounds.letters_probability(None, p=p, beta=beta, q=q), 1)
                ],
            )

        return Outcome(Truth.of(share <= 1), f"the probability of C is {share}", certificate)

    return Statement(instances=_admissible, holds=holds)


def _parameters_repaired(*, excess: Fraction = ONE) -> Statement:
    """With q >= 1 + β (false variant: 1 + β/4) all probabilities are in [0, 1]."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _admissible(effort):
            v: Mapping[str, Any] = at.mapping()
            for q in (1 + excess * v["beta"], 1 + excess * v["beta"] + HALF):
                yield Instance.of(p=v["p"], beta=v["beta"], q=q)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, beta = v["p"], v["beta"]
        values = [
            bounds.letters_probability(None, **v),
            bounds.first_probability(None, p=p, beta=beta),
            bounds.second_probability(None, p=p, beta=beta),
        ]
        fine = all(0 <= value <= 1 for value in values)
        return Outcome(Truth.of(fine), f"probabilities {', '.join(map(str, values))}")

    def proof() -> Proved | None:
        p, beta = sympy.symbols("p beta", positive=True)
        top = (p - 1) / (p + 1)
        # 1 - each probability, times a positive factor: affine, >= 0 on [0, top].
        gaps = [
            (p - 1) * (1 + beta) - 2 * beta * p - (p + 1) * (top - beta),
            (p - 1 - beta * p) - (p - 1) / (p + 1) - p * (top - beta),
            (p - 1 - beta * p - beta) - (p + 1) * (top - beta),
        ]
        if any(sympy.simplify(gap) != 0 for gap in gaps):
            return None
        return Proved(
            "all p > 1, β in [0, (p-1)/(p+1)], q >= 1 + β",
            "(p-1)(1+β) - 2βp = (p+1)(β_max - β) >= 0, p-1-βp >= (p-1)/(p+1) > 0 and "
            "p-1-βp-β = (p+1)(β_max - β) >= 0; and R_i >= max(R_v(x), R_v(x'))/q has mass "
            "(1+β)/q <= 1, so q >= 1 + β if β is the total variation and there is another user",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if excess == 1 else None,
        false_variant=_parameters_repaired(excess=Fraction(1, 4)) if excess == 1 else None,
    )


# --- Delta_2 ---------------------------------------------------------------------------------


def _second_letter(*, given_first: bool) -> Statement:
    """P(Δ_2 = 1) is α = β/(p-1), and Δ_1 Δ_2 = 0: one message is one letter."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _admissible(effort):
            v: Mapping[str, Any] = at.mapping()
            if v["q"] == 1 and v["beta"] > 0:
                yield Instance.of(p=v["p"], beta=v["beta"])

    def probabilities(p: Any, beta: Any) -> tuple[Any, Any]:
        first = bounds.first_probability(None, p=p, beta=beta)
        second = bounds.second_probability(None, p=p, beta=beta)
        return first, second

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        first, second = probabilities(v["p"], v["beta"])
        mass, both = ((1 - first) * second, 0) if given_first else (second, first * second)
        alpha = v["beta"] / (v["p"] - 1)

        def certificate() -> Certificate:
            p, beta = term(v["p"]), term(v["beta"])
            one, two = probabilities(p, beta)
            return Certificate(
                hypotheses=[relation(">", p, 1), relation("<=", beta, (p - 1) / (p + 1))],
                conclusion=[
                    relation("!=", two, beta / (p - 1)),
                    relation(">", one * two, 0),
                ],
            )

        return Outcome(
            Truth.of(mass == alpha and both == 0),
            f"P(Δ_2 = 1) is {mass}, α is {alpha}, both letters at once have probability {both}",
            certificate,
        )

    def proof() -> Proved | None:
        p, beta = sympy.symbols("p beta", positive=True)
        first, second = probabilities(p, beta)
        if sympy.simplify((1 - first) * second - beta / (p - 1)) != 0:
            return None
        return Proved(
            "all p > 1, β in [0, (p-1)/(p+1)]",
            "(1 - βp/(p-1)) β/(p-1-βp) = β/(p-1), and Δ_2 = 0 where Δ_1 = 1; β/(p-1-βp) is in "
            "[0, 1] as p-1-βp-β = (p+1)((p-1)/(p+1) - β)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if given_first else None,
        false_variant=_second_letter(given_first=False) if given_first else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/theorem-1/parameters": {"": _laws_defined()},
    "wang2024/repair/theorem-1/parameters": {"": _parameters_repaired()},
    "wang2024/theorem-1/Delta_2": {
        "a": _second_letter(given_first=False),
        "b": _second_letter(given_first=True),
    },
}
