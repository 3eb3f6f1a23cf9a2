"""Proposition 1, the lower bound on the privacy of Algorithm 2, and its proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import Any

import sympy

from exactdp.certificates import Certificate, hockey_stick, relation, shuffle_pair
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, PrivacyCurve
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import protocol_view
from proofs_check.wang2024.trials.lemma2 import brute_slot, brute_user
from proofs_check.wang2024.trials.pairs import (
    Law,
    below,
    between,
    convolution,
    has_laws,
    poisson_pair,
    poisson_term,
    power,
    single,
    uniform_row,
)

__all__ = ["TRIALS"]

ONE, HALF = Fraction(1), Fraction(1, 2)


def _printed(v: Mapping[str, Any], *, extra: int = 1) -> Pair:
    """Return P, Q with n' = n⌈m⌉ + 1."""
    slots = ceil(v["m"])
    size = v["n"] * slots + extra
    return poisson_pair(size, d=v["d"], rate=v["rate"], gamma=v["m"] / slots).pair()


def _view(v: Mapping[str, Any], items: tuple[int, int], held: tuple[int, ...]) -> Pair:
    """Return the messages of Algorithm 2; ``held`` are the items of the other users."""
    slots = ceil(v["m"])
    return protocol_view(
        [items[0]],
        [items[1]],
        d=v["d"],
        rate=v["rate"],
        blankets=v["n"] * slots,
        slot_rate=v["m"] / slots,
        others=[((x,), v["other_rate"]) for x in held],
    ).pair


# --- Proposition 1 ---------------------------------------------------------------------------


def _lower_bound() -> Statement:
    """Some neighboring data have a view that is above the pair, for every D."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for (n, d), m, rate in product(((1, 2), (1, 3), (2, 3), (2, 2)), (ONE, HALF), (HALF, ONE)):
            yield Instance.of(n=n, d=d, m=m, rate=rate, other_rate=rate)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, d = v["n"], v["d"]
        pairs = [(x, y) for x, y in product(range(d), repeat=2) if x != y]
        data = [(items, held) for items in pairs for held in product(range(d), repeat=n - 1)]
        printed, views = _printed(v), [_view(v, *one) for one in data]
        if any(below(printed, view).truth is Truth.TRUE for view in views):
            return Outcome(Truth.TRUE, "some neighboring data attain the pair for every D")
        target, curves = PrivacyCurve.from_pair(printed), [PrivacyCurve.from_pair(x) for x in views]
        for gamma in between([target, *curves]):
            top = target.delta(exp_epsilon=gamma)
            most = max(curve.delta(exp_epsilon=gamma) for curve in curves)
            if most < top:
                return Outcome(
                    Truth.FALSE,
                    f"e^ε = {gamma}: at most {most} for all neighboring data, the pair has {top}",
                    partial(_all_below, v, data, gamma),
                )
        return Outcome(Truth.UNKNOWN, "no data do for every D, but some do for each ε >= 0")

    return Statement(instances=instances, holds=holds)


def _all_below(v: Mapping[str, Any], data: Any, gamma: Exact) -> Certificate:
    d, slots = v["d"], ceil(v["m"])
    rows = [single(x, d=d, rate=v["rate"]) for x in range(d)]
    rows += [single(x, d=d, rate=v["other_rate"]) for x in range(d)]
    rows.append(uniform_row(d=d, gamma=v["m"] / slots))
    blanket = (2 * d, v["n"] * slots)
    pair = poisson_term(v["n"] * slots + 1, d=d, rate=v["rate"], gamma=v["m"] / slots)
    views = [
        shuffle_pair(rows, inputs=items, others=[blanket, *((d + x, 1) for x in held)])
        for items, held in data
    ]
    return Certificate(
        conclusion=[
            relation("<", hockey_stick(view, gamma), hockey_stick(pair, gamma)) for view in views
        ]
    )


def _settings(effort: Effort) -> Iterator[Instance]:
    rates = (HALF, ONE, Fraction(1, 5))
    for n, d, m in product((1, 2, 3), (3, 4), (ONE, HALF, Fraction(3, 2))):
        if n * ceil(m) <= 4:
            for rate, other in product(rates, rates[:2]):
                yield Instance.of(n=n, d=d, m=m, rate=rate, other_rate=other)


def _with_a_third_item(*, extra: int = 1) -> Statement:
    """d >= 3 and all others hold item 2 (false variant: the pair of size n⌈m⌉)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        view = _view(v, (0, 1), (2,) * (v["n"] - 1))
        return below(_printed(v, extra=extra), view)

    def proof() -> Proved | None:
        return Proved(
            "all n, d >= 3, m > 0, levels with λ_k > 0, all measures D",
            "the others hold a third item, so the counts of the victim's two items are A + Δ_1 and "
            "C - A (the law is computed in proposition-1/proof/F_counts): a function of C_1, ..., "
            "C_d, which the output determines as its denominator and n m/d are the same",
        )

    return Statement(
        instances=_settings,
        holds=holds,
        proof=proof if extra else None,
        false_variant=_with_a_third_item(extra=0) if extra else None,
    )


# --- the proof -------------------------------------------------------------------------------


def _same_data() -> Statement:
    """Reading (a): user i holds T_{j_0} in both datasets, so that they are equal."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, rate, slots = v["d"], v["rate"], ceil(v["m"])
        view = _view(v, (0, 0), (2,) * (v["n"] - 1))

        def certificate(gamma: Exact) -> Certificate:
            rows = [single(0, d=d, rate=rate), uniform_row(d=d, gamma=v["m"] / slots)]
            both = shuffle_pair(rows, inputs=(0, 0), others=[(1, v["n"] * slots)])
            pair = poisson_term(v["n"] * slots + 1, d=d, rate=rate, gamma=v["m"] / slots)
            return Certificate(
                conclusion=[relation(">", hockey_stick(pair, gamma), hockey_stick(both, gamma))]
            )

        return below(_printed(v), view, certificate)

    return Statement(instances=_settings, holds=holds)


def _datasets(*, least_d: int = 3) -> Statement:
    """Reading (b): neighboring data with (1) and (2) exist (false variant: also for d = 2)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, d in product((1, 2, 3), (least_d, least_d + 1)):
            yield Instance.of(n=n, d=d)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, d = v["n"], v["d"]
        found = [
            (x, y, others)
            for x, y in product(range(d), repeat=2)
            for others in product(range(d), repeat=n - 1)
            if x != y and x not in others and y not in others
        ]
        return Outcome(Truth.of(bool(found)), f"{len(found)} pairs of data")

    def proof() -> Proved | None:
        return Proved(
            "all n, d >= 3, i",
            "user i holds T_1, or T_2, and every other user T_3: the data differ at user i only",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if least_d == 3 else None,
        false_variant=_datasets(least_d=2) if least_d == 3 else None,
    )


def _counts(*, extra: int = 1) -> Statement:
    """The law of (C_{j_0}, C_{j_1}) is that of the pair (false variant: of size n⌈m⌉)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, d, slots = v["n"], v["d"], ceil(v["m"])
        messages = power(brute_slot(d=d, gamma=v["m"] / slots), n * slots)
        for _ in range(n - 1):
            messages = convolution(messages, brute_user([2], d=d, rate=v["other_rate"]))
        laws: list[Law] = []
        for x in (0, 1):
            law: dict[tuple[int, ...], Fraction] = {}
            own = brute_user([x], d=d, rate=v["rate"])
            for counts, mass in convolution(messages, own).items():
                law[counts[:2]] = law.get(counts[:2], Fraction(0)) + mass
            laws.append(law)
        printed = _printed(v, extra=extra)
        return Outcome(
            Truth.of(has_laws(printed, *laws)),
            f"{len(printed)} counts in the pair, {len(laws[0])} computed",
        )

    def proof() -> Proved | None:
        p, rate, d, gamma = sympy.symbols("p lambda d gamma", positive=True)
        values = [
            (bounds.letters_probability(None, p=p, beta=rate, q=d * rate / gamma), 2 * gamma / d),
            (bounds.first_probability(None, p=p, beta=rate), rate),
            (rate / (p - 1), sympy.Integer(0)),
        ]
        if any(sympy.simplify(sympy.limit(x, p, sympy.oo) - y) != 0 for x, y in values):
            return None
        return Proved(
            "all n, d >= 2 for which (2) can be met, m > 0, λ_k > 0",
            "in the limit p → ∞ C ~ Binomial(n⌈m⌉, 2γ/d), Δ_1 ~ Bernoulli(λ), Δ_2 = 0 (computed): "
            "each of n⌈m⌉ slots sends either item with probability γ/d, the victim its item with "
            "probability λ, the others neither",
        )

    def instances(effort: Effort) -> Iterator[Instance]:
        return (at for at in _settings(effort) if at["n"] in (1, 2))

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if extra else None,
        false_variant=_counts(extra=0) if extra else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/proposition-1": {"": _lower_bound()},
    "wang2024/repair/proposition-1": {"": _with_a_third_item()},
    "wang2024/proposition-1/proof/datasets": {"a": _same_data(), "b": _datasets()},
    "wang2024/proposition-1/proof/F_counts": {"": _counts()},
}
