"""Section 5.2, utility: variances, and the two chains of inequalities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from exactdp.certificates import Certificate, ref, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.distributions import FinitePmf
from exactdp.numbers import Exact
from exactdp.numbers.real_functions import evaluate_exact
from exactdp.truth import Truth
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import Parameters
from proofs_check.wang2024.trials.surveys import (
    ALL_SURVEYS,
    count_view,
    mean_in,
    square_in,
    surveys,
)
from proofs_check.wang2024.utility import (
    Survey,
    error_chain,
    frequencies,
    mean_of,
    signal,
    variance_chain,
    variance_of,
)

__all__ = ["TRIALS"]


def _value(bound: Any, **arguments: Any) -> Exact:
    value = evaluate_exact(bound, **arguments)
    assert value is not None, "the lines of Section 5.2 are rational functions"
    return value


# --- one user, one slot ----------------------------------------------------------------------


def _signal_variance(*, sampled: bool = True) -> Statement:
    """The coin times ⟦T_j in x_i⟧ is Bernoulli(w_j λ_k), of variance w_j λ_k (1 - w_j λ_k).

    Without ``sampled`` the variance claimed is that of the coin alone, w_j λ_k (1 - λ_k).
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        laws: list[dict[tuple[int, ...], str]] = [
            {(0,): "1/2", (1,): "1/2"},
            {(0,): "1/3", (1,): "2/3"},
            {(0, 1): "1/4", (0, 2): "1/4", (1, 2): "1/2"},
            {(0,): "1"},
        ]
        for law, rate in product(laws, ("1/2", "1", "1/3", "0")):
            for j in range(3):
                yield Instance.of(data=FinitePmf(law), rate=Fraction(rate), j=j)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        data, rate, j = v["data"], v["rate"], v["j"]
        masses = {0: Exact(0), 1: Exact(0)}
        for (items, p), sends in product(data.masses.items(), (False, True)):
            masses[int(sends and j in items)] += p * (rate if sends else 1 - rate)
        w = sum((p for items, p in data.masses.items() if j in items), Exact(0))
        variance = variance_of(FinitePmf(masses))
        claimed = _value(bounds.user_signal_variance, w=w, rate=rate)
        if not sampled:
            claimed = w * rate * (1 - rate)
        fine = masses[1] == w * rate and variance == claimed
        return Outcome(Truth.of(fine), f"variance {variance}, claimed {claimed}")

    def proof() -> Proved | None:
        w, rate = sympy.symbols("w rate")
        if sympy.expand(w * rate - (w * rate) ** 2 - w * rate * (1 - w * rate)) != 0:
            return None
        return Proved(
            "all laws of x_i and all λ_k",
            "coin and data are independent, so the product is 1 with probability w_j λ_k, and a "
            "coin of probability p has variance p - p^2",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if sampled else None,
        false_variant=_signal_variance(sampled=False) if sampled else None,
    )


def _slot_variance(*, slots: bool = True) -> Statement:
    """A slot sends item j with probability m/(d⌈m⌉); ``slots`` False: the variance is for 1/d."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for d, m in product((1, 2, 3, 5), ("1", "1/2", "3/2", "2", "7/3")):
            yield Instance.of(d=d, m=Fraction(m))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, p = v["d"], Parameters(v["m"], (Fraction(1),))
        masses = {0: 1 - p.slot_rate, 1: Fraction(0)}
        for item in range(d):  # the slot sends, and this item
            masses[int(item == 0)] += p.slot_rate / d
        law = FinitePmf({k: Exact(x) for k, x in masses.items()})
        claimed = _value(
            bounds.blanket_slot_variance, m=p.m if slots else p.slots, slots=p.slots, d=d
        )
        fine = mean_of(law) == p.m / (d * p.slots) or not slots
        return Outcome(
            Truth.of(fine and variance_of(law) == claimed),
            f"variance {variance_of(law)}, claimed {claimed}",
        )

    def proof() -> Proved | None:
        m, d, slots_ = sympy.symbols("m d slots", positive=True)
        share = (m / slots_) / d
        claimed = (m / (d * slots_)) * (1 - m / (d * slots_))
        if sympy.simplify(share - share**2 - claimed) != 0:
            return None
        return Proved(
            "all m > 0 and d",
            "the slot sends with probability m/⌈m⌉ and then one of d items, and a coin of "
            "probability p has variance p - p^2",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if slots else None,
        false_variant=_slot_variance(slots=False) if slots else None,
    )


# --- the chains ------------------------------------------------------------------------------


def _variance_lines(survey: Survey) -> tuple[Exact, dict[str, Exact]]:
    chain = variance_chain(survey)
    return chain.value, dict(chain.lines)


def _error_lines(survey: Survey) -> tuple[Exact, dict[str, Exact]]:
    chain = error_chain(survey)
    return chain.value, dict(chain.lines)


def _without_blanket(survey: Survey, line: str) -> Exact:
    """A line of the variance chain without the part of the blanket."""
    return _variance_lines(survey)[1][line] - _blanket_part(survey, line)


def _blanket_part(survey: Survey, line: str) -> Exact:
    p, n, d = survey.parameters, survey.users, survey.d
    if line in ("line-2", "line-3"):
        return Exact(n * p.m)
    once = d * n * p.slots * _value(bounds.blanket_slot_variance, m=p.m, slots=p.slots, d=d)
    return once * (d if line == "line-1 inside" else 1)


def _of_one_item(survey: Survey) -> Exact:
    """Line 3 as if s were 1."""
    return _value(
        bounds.variance_line_3,
        n=survey.users, m=survey.parameters.m, s=Exact(1), signal=signal(survey),
    )  # fmt: skip


def _chain(
    line: str,
    *,
    error: bool = False,
    claimed: Callable[[Survey], Exact] | None = None,
    proof: Callable[[], Proved | None] | None = None,
    variant: Callable[[Survey], Exact] | None = None,
) -> Statement:
    """The value at the head of a chain is at most a line of it.

    Args:
        line: The line's name in the chain.
        error: The chain of the mean squared error, not that of the variances.
        claimed: What stands there instead of the line.
        proof: For all surveys.
        variant: A smaller line, for the false variant.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for case in surveys():
            if signal(case.survey) > 0:
                yield Instance.of(survey=case)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        survey = v["survey"].survey
        true, lines = (_error_lines if error else _variance_lines)(survey)
        bound = lines[line] if claimed is None else claimed(survey)
        return Outcome(
            Truth.of(true <= bound),
            f"{'mean squared error' if error else 'Σ Var[C_j]'} {true}, the line {bound}",
            lambda: _user_denominator_certificate(survey),
            slack=(bound / true).as_fraction() if true > 0 else None,
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof,
        false_variant=_chain(line, error=error, claimed=variant) if variant else None,
    )


def _user_denominator_certificate(survey: Survey) -> Certificate:
    """The mean squared error exceeds Σ_j Var[C_j] over (Σ_i n_{k_i} λ_{k_i})²."""
    p, w = survey.parameters, frequencies(survey)
    total = signal(survey)
    counts = zip(survey.level_counts, p.rates, strict=True)
    by_users = sum((n * n * term(rate) for n, rate in counts), term(0))
    define, error, variance = [], term(0), term(0)
    blanket = survey.users * p.m / survey.d
    for j in range(survey.d):
        view, coins = count_view(survey, j)
        name, mean = f"count_{j}", f"mean_{j}"
        heads = [term(c) for c in range(coins + 1)]
        define += [(name, view), (mean, mean_in(name, coins, heads))]
        error = error + square_in(name, coins, [(c - blanket) / total for c in heads], w[j])
        variance = variance + mean_in(name, coins, [c * c for c in heads]) - ref(mean) ** 2
    return Certificate(define=define, conclusion=[relation(">", error, variance / by_users**2)])


def _line_1_proof() -> Proved | None:
    d, n, slots, share, noise = sympy.symbols("d n slots share noise", positive=True)
    once = d * n * slots * share * (1 - share)
    if sympy.expand(d * (n * slots * share * (1 - share)) - once) != 0:
        return None
    if sympy.expand((noise + d * once) - (noise + once) - (d - 1) * once) != 0:
        return None
    return Proved(
        ALL_SURVEYS,
        "C_j adds independent coins, n_k of probability w_j λ_k for each level and n⌈m⌉ of "
        "probability m/(d⌈m⌉), so Σ_j Var[C_j] is the line with the blanket term added once; "
        "adding it for each j adds (d - 1) of it",
    )


def _line_2_proof() -> Proved | None:
    n, m, d, slots = sympy.symbols("n m d slots", positive=True)
    share = m / (d * slots)
    gap = n * m - d * n * slots * share * (1 - share)
    if sympy.simplify(gap - n * m * share) != 0 or _line_1_proof() is None:
        return None
    return Proved(
        ALL_SURVEYS, "line 1 (the blanket once) is an equality, and n m exceeds its blanket term "
        "by n m · m/(d⌈m⌉) >= 0",
    )  # fmt: skip


def _line_3_proof() -> Proved | None:
    w, rate, n = sympy.symbols("w rate n", positive=True)
    if sympy.expand(n * w * rate - n * w * rate * (1 - w * rate) - n * (w * rate) ** 2) != 0:
        return None
    if _line_2_proof() is None:
        return None
    return Proved(
        ALL_SURVEYS,
        "Σ_j w_j = s, so line 3 exceeds line 2 by Σ_k Σ_j n_k (w_j λ_k)^2 >= 0",
    )


def _error_proof(line: Callable[[], Proved | None]) -> Callable[[], Proved | None]:
    def proof() -> Proved | None:
        total, w, c, center = sympy.symbols("total w c center")
        # With E[C_j] = center and w_j = (center - blanket)/total: w_j - Ŵ_j is linear in C_j.
        blanket = center - total * w
        if sympy.simplify(((c - blanket) / total - w) - (c - center) / total) != 0:
            return None
        part = line()
        return part and Proved(
            ALL_SURVEYS,
            "Ŵ_j is unbiased and Ŵ_j - w_j = (C_j - E[C_j])/Σ n_k λ_k: the error is Σ_j Var[C_j] "
            f"over (Σ n_k λ_k)^2; {part.by}",
        )

    return proof


def _scaled(part: Callable[[Survey], Exact]) -> Callable[[Survey], Exact]:
    return lambda survey: part(survey) / signal(survey) ** 2


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/section-5.2/signal-variance": {"": _signal_variance()},
    "wang2024/section-5.2/blanket-variance": {"": _slot_variance()},
    "wang2024/section-5.2/variance-chain/line-1": {
        "a": _chain(
            "line-1 inside",
            proof=_line_1_proof,
            variant=lambda s: _without_blanket(s, "line-1 inside"),
        ),
        "b": _chain(
            "line-1 outside",
            proof=_line_1_proof,
            variant=lambda s: _without_blanket(s, "line-1 outside"),
        ),
    },
    "wang2024/section-5.2/variance-chain/line-2": {
        "": _chain("line-2", proof=_line_2_proof, variant=lambda s: _without_blanket(s, "line-2"))
    },
    "wang2024/section-5.2/variance-chain/line-3": {
        "": _chain("line-3", proof=_line_3_proof, variant=_of_one_item)
    },
    "wang2024/section-5.2/mse-chain/line-1": {
        "a": _chain("line-1 users", error=True),
        "b": _chain(
            "line-1 levels",
            error=True,
            proof=_error_proof(_line_1_proof),
            variant=_scaled(lambda s: _without_blanket(s, "line-1 outside")),
        ),
    },
    "wang2024/section-5.2/mse-chain/line-2": {
        "": _chain(
            "line-2",
            error=True,
            proof=_error_proof(_line_2_proof),
            variant=_scaled(lambda s: _without_blanket(s, "line-2")),
        )
    },
    "wang2024/section-5.2/mse-chain/line-3": {
        "": _chain(
            "line-3", error=True, proof=_error_proof(_line_3_proof), variant=_scaled(_of_one_item)
        )
    },
}
