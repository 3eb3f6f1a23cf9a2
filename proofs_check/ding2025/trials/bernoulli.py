"""Section 4.3.2: (13) for a Bernoulli user, in closed form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import Secret
from exactdp.truth import Truth
from proofs_check.ding2025.instances import System
from proofs_check.ding2025.laws import bernoulli, worst_ratio
from proofs_check.ding2025.trials.distributions import moment_proof

__all__ = ["TRIALS"]

SHARES = tuple(Fraction(v) for v in ("1/2", "1/10", "9/10", "1"))


def _root_15(p: Fraction, gamma: Fraction) -> Fraction:
    return (gamma - (1 - p)) / p


def _equation_15(*, exchanged: bool = False) -> Statement:
    """1/θ <= log of the least (e^ε − (1 − p_i))/p_i attains ε, and solves (13) for that user.

    The false variant exchanges p and 1 − p.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        groups = [(p,) for p in SHARES] + [(SHARES[0], SHARES[2]), (SHARES[1], SHARES[3])]
        for shares, gamma, smaller in product(groups, ("2", "11/10", "40"), (1, 2)):
            if not (exchanged and 1 in shares):
                yield Instance.of(p=shares, exp_epsilon=Fraction(gamma), smaller=smaller)

    def strategy() -> Any:
        from hypothesis import strategies as st

        shares = st.integers(1, 12).map(lambda k: Fraction(k, 12))
        return st.builds(
            lambda chosen, gamma, smaller: Instance.of(
                p=tuple(chosen), exp_epsilon=1 + Fraction(gamma, 8), smaller=smaller
            ),
            st.lists(shares, min_size=1, max_size=3),
            st.integers(1, 40),
            st.integers(1, 3),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        shares, gamma = v["p"], v["exp_epsilon"]
        used = [1 - p if exchanged else p for p in shares]
        roots = [_root_15(p, gamma) for p in used]
        solves = all(p * g + 1 - p == gamma for p, g in zip(used, roots, strict=True))
        # θ at least the largest right side: e^{1/θ} at most the least root.
        growth = 1 + (min(roots) - 1) / v["smaller"]
        system = System(tuple(bernoulli(p) for p in shares), (1,) * len(shares))
        ratio = max(
            worst_ratio(*system.pair(i, Secret.follows(law), Secret.absent()), growth=growth)[0]
            for i, law in enumerate(system.laws)
        )
        return Outcome(
            Truth.of(solves and ratio <= gamma),
            f"e^(1/theta) = {growth}, worst ratio {ratio}",
            slack=gamma / ratio,
        )

    def proof() -> Proved | None:
        import sympy

        p, e, g = sympy.symbols("p e g", positive=True)
        root = (e - (1 - p)) / p
        if sympy.simplify(p * root + 1 - p - e) != 0 or sympy.diff(p * g + 1 - p, g) != p:
            return None
        return moment_proof(
            domain="all 0 < p_i <= 1, eps > 0, any law of the sum of the others",
            more="; here E[e^(|D|/theta)] = p e^(1/theta) + 1 - p, which rises with e^(1/theta) "
            "and is e^eps at the root (e^eps - (1 - p))/p > 1",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if exchanged else strategy,
        proof=None if exchanged else proof,
        false_variant=None if exchanged else _equation_15(exchanged=True),
    )


def _one_over_epsilon(
    *, strict: bool, up_to_1: bool, is_claim: bool = True, power: int = 1
) -> Statement:
    """1/ε against the right side of (15): e^ε against the root (the false variant: 1/(2ε))."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, gamma in product(SHARES, ("2", "11/10", "40")):
            if up_to_1 or p < 1:
                yield Instance.of(p=p, exp_epsilon=Fraction(gamma))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, gamma = v["p"], v["exp_epsilon"]
        root = _root_15(p, gamma)

        def certificate() -> Certificate:
            value = (term(gamma) - (1 - term(p))) / term(p)
            return Certificate(
                hypotheses=[relation(">", gamma, 1), relation(">", p, 0), relation("<=", p, 1)],
                conclusion=[relation("<=", value, gamma)],
            )

        fine = root > gamma**power if strict else root >= gamma**power
        return Outcome(
            Truth.of(fine), f"(15) has e^(1/theta) = {root}, 1/eps has {gamma**power}", certificate
        )

    def proof() -> Proved | None:
        import sympy

        p, e = sympy.symbols("p e", positive=True)
        difference = (e - (1 - p)) / p - e
        if sympy.simplify(difference - (e - 1) * (1 - p) / p) != 0:
            return None
        sign = ">" if strict else ">="
        return Proved(
            f"all eps > 0, 0 < p {'<=' if up_to_1 else '<'} 1",
            f"(e^eps - (1 - p))/p - e^eps = (e^eps - 1)(1 - p)/p {sign} 0",
        )

    proved = is_claim and not (strict and up_to_1)
    variant = None
    if proved:
        variant = _one_over_epsilon(
            strict=strict, up_to_1=strict, is_claim=False, power=1 if strict else 2
        )
    return Statement(
        instances=instances, holds=holds, proof=proof if proved else None, false_variant=variant
    )


TRIALS: dict[str, Mapping[str, Statement | Open]] = {
    "ding2025/equation-15": {"": _equation_15()},
    "ding2025/section-4.3.2/one-over-epsilon": {
        "a": _one_over_epsilon(strict=True, up_to_1=True),
        "b": _one_over_epsilon(strict=True, up_to_1=False),
        "c": _one_over_epsilon(strict=False, up_to_1=True),
    },
}
