"""Sections 4.3 and 5: what is unbiased, and the number of blanket messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import sympy

from exactdp.certificates import Certificate, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.distributions import FinitePmf, poisson_binomial
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.wang2024.protocol import Parameters
from proofs_check.wang2024.trials import noisy
from proofs_check.wang2024.trials.surveys import ALL_SURVEYS, surveys
from proofs_check.wang2024.utility import (
    Segment,
    Survey,
    estimate_law,
    frequencies,
    mean_of,
    signal,
)

__all__ = ["TRIALS"]

# --- the estimate of Algorithm 2, with exact level counts ------------------------------------


def _estimate_is_unbiased(*, whole_slots: bool = False) -> Statement:
    """E[Ŵ_j] = w_j; ``whole_slots`` takes n⌈m⌉/d away in place of n m/d."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for case in surveys(blankets=False):
            if signal(case.survey) > 0:
                for j in range(case.survey.d):
                    yield Instance.of(survey=case, j=j)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        survey, j = v["survey"].survey, v["j"]
        mean = mean_of(estimate_law(survey, j))
        if whole_slots:
            over = (survey.parameters.slots - survey.parameters.m) * survey.users / survey.d
            mean -= over / signal(survey)
        w = frequencies(survey)[j]
        return Outcome(Truth.of(mean == w), f"E = {mean}, w_j = {w}")

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if whole_slots else _unbiased_proof,
        false_variant=None if whole_slots else _estimate_is_unbiased(whole_slots=True),
    )


def _unbiased_proof() -> Proved | None:
    n, m, d, slots, total, w = sympy.symbols("n m d slots total w", positive=True)
    mean = total * w + n * slots * (m / slots) / d
    if sympy.simplify((mean - n * m / d) / total - w) != 0:
        return None
    return Proved(
        ALL_SURVEYS,
        "by linearity E[C_j] = Σ_k n_k λ_k w_j + n⌈m⌉ (m/⌈m⌉)/d (a user of level k sends item j "
        "with probability λ_k w_j; for m = 0 there is no slot), and Σ_k n̂_k λ_k is a constant",
    )


# --- the displays of Section 5 ---------------------------------------------------------------


def _display(*, by_users: bool, data_only: bool = True) -> Statement:
    """E[Σ_i ⟦T_j in x_i⟧ λ_{k_i} / denominator] = w_j, by enumeration of the datasets.

    The denominator is Σ_k n_k λ_k, or with ``by_users`` the sum over users of n_{k_i}
    λ_{k_i}. With ``data_only`` False the λ of the numerator are left out.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for case in surveys(blankets=False):
            if signal(case.survey) > 0 and case.survey.parameters.m == 1:
                yield Instance.of(survey=case, j=0)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        survey, j = v["survey"].survey, v["j"]
        rates, counts = survey.parameters.rates, survey.level_counts
        powers = (n * n if by_users else n for n in counts)
        divisor = sum(n * rate for n, rate in zip(powers, rates, strict=True))
        users = [part for part in survey.segments for _ in range(part.count)]
        mean = Exact(0)
        for sets in product(*(part.data.masses.items() for part in users)):
            chance = prod((p for _, p in sets), start=Exact(1))
            top = sum(
                (rates[part.level] if data_only else Fraction(1)) * (j in items)
                for part, (items, _) in zip(users, sets, strict=True)
            )
            mean += chance * top / divisor
        w = frequencies(survey)[j]

        def certificate() -> Certificate:
            # Linear in the data: user i has item j with probability w_j.
            top = sum((n * term(r) for n, r in zip(counts, rates, strict=True)), term(0))
            bottom = sum((n * n * term(r) for n, r in zip(counts, rates, strict=True)), term(0))
            return Certificate(conclusion=[relation("!=", top * w / bottom, w)])

        return Outcome(Truth.of(mean == w), f"E = {mean}, w_j = {w}", certificate)

    def proof() -> Proved | None:
        total, w = sympy.symbols("total w", positive=True)
        if sympy.simplify(total * w / total - w) != 0:
            return None
        return Proved(
            "all n, d, s, K and λ_k with Σ n_k λ_k > 0, data i.i.d., levels given",
            "E⟦T_j in x_i⟧ = w_j, so the mean of the numerator is w_j Σ_i λ_{k_i}, and the users "
            "of level k are n_k: Σ_i λ_{k_i} = Σ_k n_k λ_k",
        )

    plain = not by_users and data_only
    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if plain else None,
        false_variant=_display(by_users=False, data_only=False) if plain else None,
    )


def _related_levels() -> Statement:
    """E[Ŵ_j] = w_j where (x_i, k_i) are i.i.d., but the level depends on the value.

    Instance: d = 2, s = 1; user i holds item 0 with probability w and has then rate a,
    else item 1 and rate b; each level has its exact count.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, w, a, b in product((1, 2, 3), ("1/2", "1/3"), ("1/2", "1"), ("1", "1/2", "1/4")):
            yield Instance.of(n=n, w=Fraction(w), rate_0=Fraction(a), rate_1=Fraction(b))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, w, a, b = (v[x] for x in ("n", "w", "rate_0", "rate_1"))
        mean = Exact(0)
        for held in product((0, 1), repeat=n):
            chance = prod((1 - w if item else w) for item in held)
            sure = tuple(
                Segment(held.count(item), item, FinitePmf.point((item,))) for item in (0, 1)
            )
            survey = Survey(sure, 2, Parameters(Fraction(1), (a, b)))
            mean += Exact(chance) * mean_of(estimate_law(survey, 0))

        def certificate() -> Certificate:
            # c users hold item 0, in comb(n, c) ways; then E[C_0] - n m/d = a c.
            total = term(0)
            for c in range(n + 1):
                chance = comb(n, c) * term(w) ** c * (1 - term(w)) ** (n - c)
                total = total + chance * (a * c) / (term(a * c) + term(b) * (n - c))
            return Certificate(conclusion=[relation("!=", total, w)])

        return Outcome(Truth.of(mean == w), f"E = {mean}, w_j = {w}", certificate)

    return Statement(instances=instances, holds=holds)


# --- blanket messages ------------------------------------------------------------------------


def _slots(m: Fraction) -> Parameters:
    return Parameters(m, (Fraction(1),))


def _number_of_messages(*, whole: bool = False) -> Statement:
    """R_blanket(m) sends m messages in expectation: ⌈m⌉ coins of probability m/⌈m⌉."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for denominator in range(1, 8):
            for numerator in range(4 * denominator + 1):
                yield Instance.of(m=Fraction(numerator, denominator))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        parameters = _slots(v["m"])
        mean = mean_of(poisson_binomial([Exact(parameters.slot_rate)] * parameters.slots))
        target = parameters.slots if whole else v["m"]
        return Outcome(Truth.of(mean == target), f"{mean} messages in expectation")

    def proof() -> Proved | None:
        m, slots = sympy.symbols("m slots", positive=True)
        if sympy.simplify(slots * (m / slots) - m) != 0:
            return None
        return Proved(
            "all m >= 0",
            "0 < m/⌈m⌉ <= 1, and Pr[r <= c] = c for r uniform on [0, 1), so ⌈m⌉ slots send "
            "⌈m⌉·m/⌈m⌉ = m on average; for m = 0 the loop is empty",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if whole else proof,
        false_variant=None if whole else _number_of_messages(whole=True),
    )


def _blanket_count(*, whole: bool = False) -> Statement:
    """The n users' blanket messages hold T_j n m/d times in expectation."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, d, m in product((1, 2, 3), (1, 2, 3, 5), ("0", "1/3", "1", "3/2", "7/3")):
            yield Instance.of(n=n, d=d, m=Fraction(m))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, d, p = v["n"], v["d"], _slots(v["m"])
        mean = mean_of(poisson_binomial([Exact(p.slot_rate / d)] * (n * p.slots)))
        target = Fraction(n * (p.slots if whole else v["m"])) / d
        return Outcome(Truth.of(mean == target), f"E = {mean}, claimed {target}")

    def proof() -> Proved | None:
        n, m, d, slots = sympy.symbols("n m d slots", positive=True)
        if sympy.simplify(n * slots * (m / slots) / d - n * m / d) != 0:
            return None
        return Proved("all n, d, m >= 0", "n⌈m⌉ slots send T_j with probability (m/⌈m⌉)/d each")

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if whole else proof,
        false_variant=None if whole else _blanket_count(whole=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/section-4.3/unbiased": {"a": _estimate_is_unbiased(), "b": noisy.noisy_estimate()},
    "wang2024/section-4.3/expected-m": {"": _number_of_messages()},
    "wang2024/section-5/expectation-display": {
        "a": _display(by_users=True),
        "b": _display(by_users=False),
    },
    "wang2024/section-5/weighted-unbiased": {"a": _estimate_is_unbiased(), "b": _related_levels()},
    "wang2024/section-5/noisy-counts": noisy.NOISY_COUNTS,
    "wang2024/section-5/blanket-count": {"": _blanket_count()},
}
