"""The reduction and its tightness for randomized response; the table of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from math import isqrt
from typing import Any

import sympy

from exactdp.certificates import (
    Certificate,
    finite_pair,
    function,
    hockey_stick,
    ldp_ratio,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    local_hashing,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
)
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.shuffle import Users, Victim, shuffle_view, variation_ratio, variation_ratio_pair
from exactdp.truth import Truth
from proofs_check.wang2023 import parameters
from proofs_check.wang2023.trials.mixtures import compared, count_rows

__all__ = ["TRIALS"]

RATIOS = [Fraction(2), Fraction(3), Fraction(3, 2), Fraction(8)]


def _gammas(x: Fraction) -> list[Fraction]:
    return [1 + (x - 1) * Fraction(i, 4) for i in range(4)]


def _rr_bound(d: int, n: int, x: Fraction, g: Fraction) -> Exact:
    pair = variation_ratio_pair(n, p=x, beta=parameters.general_rr(x, d), q=x)
    return hockey_stick_divergence(pair.pair(), exp_epsilon=g)


def _rr_view(d: int, x: Fraction, others: tuple[int, ...], g: Fraction) -> Exact:
    rr = randomized_response(d, Epsilon.log(x))
    users = [Users(rr, y, others.count(y)) for y in sorted(set(others))]
    return shuffle_view(Victim(rr), users).hockey_stick_divergence(exp_epsilon=g)


def _certificate(d: int, x: Fraction, others: tuple[int, ...], g: Fraction) -> Certificate:
    """The properties hold, for all rows are those of one randomizer; the view exceeds the pair."""
    rows = randomized_response(d, Epsilon.log(x)).rows
    users = [(y, others.count(y)) for y in sorted(set(others))]
    beta = (term(x) - 1) / (term(x) + d - 1)
    alpha = 1 / (x + d - 1)
    counts = shuffle_pair(count_rows(x, alpha, alpha), inputs=(0, 1), others=[(2, len(others))])
    return Certificate(
        define=[
            ("view", shuffle_pair(rows, inputs=(0, 1), others=users)),
            ("counts", counts),
        ],
        hypotheses=[
            relation("<=", ldp_ratio(rows), x),
            *(
                relation("<=", function("total_variation", finite_pair(u, v)), beta)
                for u, v in permutations(rows, 2)
            ),
            relation("=", alpha, beta / (term(x) - 1)),
        ],
        conclusion=[relation(">", hockey_stick(ref("view"), g), hockey_stick(ref("counts"), g))],
    )


def _reduction() -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for d, n, x in product((2, 3, 4), (1, 2, 3), RATIOS):
            for others in combinations_with_replacement(range(d), n - 1):
                for g in _gammas(x):
                    yield Instance.of(d=d, exp_epsilon0=x, others=others, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, x, others, g = v["d"], v["exp_epsilon0"], v["others"], v["exp_epsilon"]
        outcome = compared(_rr_view(d, x, others, g), _rr_bound(d, len(others) + 1, x, g))
        if outcome.truth is not Truth.FALSE:
            return outcome
        return Outcome(Truth.FALSE, outcome.found, lambda: _certificate(d, x, others, g))

    return Statement(instances=instances, holds=holds)


# --- Tightness -----------------------------------------------------------------------------


def _rr_sizes(effort: Effort) -> Iterator[Instance]:
    for d, n, x in product((3, 4, 5), (1, 2, 3, 4), RATIOS):
        for g in _gammas(x):
            yield Instance.of(d=d, n=n, exp_epsilon0=x, exp_epsilon=g)


def _attained(*, same_input: bool = False) -> Statement:
    """All others with the third input (false variant: with the victim's first input)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, n, x, g = v["d"], v["n"], v["exp_epsilon0"], v["exp_epsilon"]
        true = _rr_view(d, x, (0 if same_input else 2,) * (n - 1), g)
        bound = _rr_bound(d, n, x, g)
        return Outcome(
            Truth.of(true >= bound), f"view {decimal(true, digits=6)}, pair {decimal(bound)}"
        )

    return Statement(
        instances=_rr_sizes,
        holds=holds,
        proof=None if same_input else _attained_proof,
        false_variant=None if same_input else _attained(same_input=True),
    )


def _attained_proof() -> Proved | None:
    x, d = sympy.symbols("x d", positive=True)
    alpha = (x - 1) / (x + d - 1) / (x - 1)
    masses = [x / (x + d - 1) - x * alpha, 1 / (x + d - 1) - alpha, alpha * x / x - alpha]
    if any(sympy.simplify(m) != 0 for m in masses):
        return None
    return Proved(
        "all n, d >= 3, eps0 > 0 and eps",
        "all others hold a third input x*: count the messages x^0 and x^1 only; the victim sends "
        "them with probabilities pα and α, or α and pα, others with r = α = 1/(p+d-1) each: these "
        "counts have the laws P and Q, and counting is a post-processing",
    )


def _equal() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, n, x, g = v["d"], v["n"], v["exp_epsilon0"], v["exp_epsilon"]
        datasets = combinations_with_replacement(range(d), n - 1)
        worst = max(datasets, key=lambda others: _rr_view(d, x, others, g))
        true, bound = _rr_view(d, x, worst, g), _rr_bound(d, n, x, g)
        return Outcome(
            Truth.of(true == bound),
            f"the view has {decimal(true, digits=6)}, the pair {decimal(bound, digits=6)}",
            lambda: _certificate(d, x, worst, g),
        )

    return Statement(instances=_rr_sizes, holds=holds)


# --- The table of parameters ---------------------------------------------------------------


def _table() -> Iterator[tuple[str, Fraction, Randomizer, Fraction]]:
    """Yield the name, e^ε, the randomizer and β of the table's rows."""
    for x in (Fraction(9, 4), Fraction(4), Fraction(16)):
        e, root = Epsilon.log(x), Fraction(isqrt(x.numerator), isqrt(x.denominator))
        for d in (2, 3, 4):
            rr, unary = randomized_response(d, e), symmetric_unary_encoding(d, e)
            yield f"general RR, d={d}", x, rr, parameters.general_rr(x, d)
            yield f"RAPPOR, d={d}", x, unary, parameters.rappor(root)
            order = hadamard_response(d, e).messages
            beta = parameters.hadamard(x, order, order // 2)
            yield f"Hadamard response, K={order}, d={d}", x, hadamard_response(d, e), beta
            for length in (2, 3):
                name, beta = f"local hash, d={d}, l={length}", parameters.local_hash(x, length)
                yield name, x, local_hashing(d, length, e), beta
            for k in range(1, d):
                beta = parameters.subset(x, d, k)
                yield f"subset, d={d}, k={k}", x, subset_selection(d, k, e), beta


def _parameters(*, factor: Fraction = Fraction(1)) -> Statement:
    @cache
    def table() -> tuple[tuple[str, Fraction, Randomizer, Fraction], ...]:
        return tuple(_table())

    def instances(effort: Effort) -> Iterator[Instance]:
        for index, (name, x, _, _) in enumerate(table()):
            yield Instance.of(randomizer=name, exp_epsilon=x, row=index)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        _, x, r, beta = table()[v["row"]]
        pairs = [variation_ratio(r, inputs=pair) for pair in permutations(range(r.inputs), 2)]
        variation = max(pair.beta for pair in pairs)
        claimed = min(beta * factor, parameters.any_randomizer(x) * factor)
        fine = variation <= claimed and all(max(pair.p, pair.q) <= Epsilon.log(x) for pair in pairs)
        slack = Fraction(claimed) / variation.as_fraction()
        return Outcome(Truth.of(fine), f"total variation {variation}, β {claimed}", slack=slack)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_parameters(factor=Fraction(99, 100)) if factor == 1 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2023/variation-ratio": {"": _reduction()},
    "wang2023/tight": {"a": _attained(), "b": _equal()},
    "wang2023/parameters": {"": _parameters()},
}
