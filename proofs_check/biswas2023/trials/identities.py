"""Appendix A: the formulas for the count of x_0, against its law by definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from exactdp.certificates import Certificate, mass, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Bracket, Counts
from proofs_check.biswas2023.proof_steps import (
    ALL_DATASETS,
    absorption_holds,
    bracket_is,
    proved_bracket,
)
from proofs_check.biswas2023.protocol import (
    X,
    count_masses,
    count_pair,
    definitions,
    hypotheses,
    small_counts,
)

__all__ = ["TRIALS", "counts_strategy", "mass_statement"]

Formula = Callable[[Any, Counts, int], Any]


@lru_cache(maxsize=4096)
def _masses(x: Fraction, c: Counts) -> tuple[list[Exact], list[Exact]]:
    return count_masses(Exact(x), c)


def _instances(effort: Effort) -> Iterator[Instance]:
    largest = 5 if effort is Effort.DEFAULT else 8
    for c in small_counts(n=largest, k=4):
        for s in range(c.n + 1):
            yield Instance.of(n=c.n, k=c.k, n_x0=c.n_x0, s=s, exp_epsilon0=Fraction(2))


def counts_strategy(**extra: Any) -> Any:
    """Return a strategy for datasets with s and e^eps0; shrinks to n = 1, k = 2, e^eps0 = 2."""
    from hypothesis import strategies as st

    @st.composite
    def instances(draw: Any) -> Instance:
        n = draw(st.integers(1, 9))
        k = draw(st.integers(2, 7))
        n_x0 = draw(st.integers(0, n - 1))
        s = draw(st.integers(0, n))
        x = 1 + Fraction(draw(st.integers(1, 40)), draw(st.integers(1, 10)))
        more = {name: draw(strategy) for name, strategy in extra.items()}
        return Instance.of(n=n, k=k, n_x0=n_x0, s=s, exp_epsilon0=x, **more)

    return instances()


def mass_statement(
    formula: Formula,
    *,
    first: bool,
    proof: Callable[[], Proved | None] | None = None,
    false_variant: Formula | None = None,
) -> Statement:
    """Return the statement that a formula is the mass of the count at s, for all datasets.

    Args:
        formula: The mass at s.
        first: Whether it is P(M_x0(x_0) = s); else P(M_x0(x_1) = s).
        proof: A proof for all datasets.
        false_variant: A nearby formula that is wrong.
    """
    side = "p" if first else "q"

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, s, x = Counts(v["k"], v["n"], v["n_x0"]), v["s"], v["exp_epsilon0"]
        truth = _masses(x, c)[0 if first else 1][s]
        printed = formula(Exact(x), c, s)
        if printed == truth:
            return Outcome(Truth.TRUE)

        def certificate() -> Certificate:
            return Certificate(
                define=definitions(Exact(x)),
                hypotheses=hypotheses(Exact(x), c.k),
                conclusion=[
                    relation("!=", mass(count_pair(c), side, [s, c.n - s]), formula(X, c, s))
                ],
            )

        return Outcome(
            Truth.FALSE, f"the mass is {truth}, the formula gives {printed}", certificate
        )

    variant = None
    if false_variant is not None:
        variant = mass_statement(false_variant, first=first)
    return Statement(
        instances=_instances,
        holds=holds,
        strategy=counts_strategy,
        proof=proof,
        false_variant=variant,
    )


def _bracket_statement(bracket: Bracket, *, first: bool) -> Statement:
    """A bracket's formula, with the false variant in which its last shift is off by one."""
    *kept, (coefficient, i, j) = bracket.parts
    wrong = Bracket((*kept, (coefficient, i, j + 1)))
    return mass_statement(
        bracket.mass,
        first=first,
        proof=lambda: proved_bracket(bracket, first=first),
        false_variant=wrong.mass,
    )


def _equation_12_proof() -> Proved | None:
    # tau_r splits (12) into kappa2 S(1, 0) and the weighted sum, which absorption turns
    # into (x - kappa2) S(0, 1): the bracket of the second line after (11).
    if absorption_holds() and bracket_is(bounds.line_2, first=True):
        return Proved(ALL_DATASETS, "absorption (s-r)C(b+1,s-r) = (b+1)C(b,s-1-r), then line 2")
    return None


def _line_3() -> Statement:
    """The third line leaves r free: it is read as holding for every r in 0..s."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _instances(effort):
            for r in range(int(str(at["s"])) + 1):
                yield Instance.of(**at.mapping(), r=r)

    def holds(at: Instance) -> Outcome:
        r = int(str(at["r"]))

        def formula(x: Any, c: Counts, s: int) -> Any:
            return bounds.line_3(x, c, s, r=r)

        return mass_statement(formula, first=True).holds(at)

    return Statement(instances=instances, holds=holds)


def _loss_statement(formula: Formula, *, wrong: Formula | None) -> Statement:
    """The statement that a form of (15) is P(M_x0(x_0) = s) / P(M_x0(x_1) = s)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, s, x = Counts(v["k"], v["n"], v["n_x0"]), v["s"], v["exp_epsilon0"]
        first, second = _masses(x, c)
        truth, printed = first[s] / second[s], formula(Exact(x), c, s)
        if printed == truth:
            return Outcome(Truth.TRUE)

        def certificate() -> Certificate:
            pair, outcome = count_pair(c), [s, c.n - s]
            ratio = mass(pair, "p", outcome) / mass(pair, "q", outcome)
            return Certificate(
                define=definitions(Exact(x)),
                hypotheses=hypotheses(Exact(x), c.k),
                conclusion=[relation("!=", ratio, formula(X, c, s))],
            )

        return Outcome(Truth.FALSE, f"e^v_s is {truth}, the form gives {printed}", certificate)

    def proof() -> Proved | None:
        # Form 1 is (11) over the display before (13); form 2 is line 2 over (13).
        steps = (
            bracket_is(bounds.equation_11, first=True),
            bracket_is(bounds.equation_13_second_display, first=False),
            bracket_is(bounds.line_2, first=True),
            bracket_is(bounds.equation_13, first=False),
        )
        if not all(steps):
            return None
        return Proved(ALL_DATASETS, "the quotient of two masses proved by generating functions")

    return Statement(
        instances=_instances,
        holds=holds,
        strategy=counts_strategy,
        proof=proof if wrong is not None else None,
        false_variant=_loss_statement(wrong, wrong=None) if wrong is not None else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/equation-11": {"": _bracket_statement(bounds.equation_11, first=True)},
    "biswas2023/appendix-A/after-11/line-1": {"": mass_statement(bounds.line_1.mass, first=True)},
    "biswas2023/appendix-A/after-11/line-2": {"": _bracket_statement(bounds.line_2, first=True)},
    "biswas2023/appendix-A/after-11/line-3": {"": _line_3()},
    "biswas2023/equation-12": {
        "": mass_statement(
            bounds.equation_12,
            first=True,
            proof=_equation_12_proof,
            false_variant=lambda x, c, s: bounds.equation_12(x, c, s) * 1001 / 1000,
        )
    },
    "biswas2023/equation-13/first-display": {
        "": mass_statement(bounds.equation_13_first_display, first=False)
    },
    "biswas2023/equation-13/second-display": {
        "": _bracket_statement(bounds.equation_13_second_display, first=False)
    },
    "biswas2023/equation-13": {"": _bracket_statement(bounds.equation_13, first=False)},
    "biswas2023/equation-15/form-1": {
        "": _loss_statement(bounds.exp_privacy_loss_form_1, wrong=bounds.exp_privacy_loss_printed)
    },
    "biswas2023/equation-15/form-2": {
        "": _loss_statement(bounds.exp_privacy_loss_form_2, wrong=bounds.exp_privacy_loss_printed)
    },
    "biswas2023/equation-15/form-3": {
        "": _loss_statement(bounds.exp_privacy_loss_printed, wrong=None)
    },
}
