"""The closed forms: by Hoeffding's and Bennett's inequalities, and for k-ary response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor
from typing import Any

from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, Real, decimal, enclosure, is_below
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import Users, Victim, blanket_decomposition, shuffle_view
from exactdp.truth import Truth
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.trials.randomizers import losses

__all__ = ["TRIALS"]

STEPS = 64
"""The mass of the blanket is rounded down to a multiple of 1/STEPS to bound all views."""


def _hoeffding(randomizer: Randomizer, n: int, epsilon: Fraction) -> Real:
    gamma, width, _, _ = _parameters(randomizer, epsilon)
    return evaluate(partial(bounds.hoeffding, n=n), epsilon=epsilon, gamma=gamma, width=width)


def _bennett(randomizer: Randomizer, n: int, epsilon: Fraction) -> Real:
    gamma, _, maximum, second_moment = _parameters(randomizer, epsilon)
    return evaluate(
        partial(bounds.bennett, n=n),
        epsilon=epsilon,
        gamma=gamma,
        maximum=maximum,
        second_moment=second_moment,
    )


def _parameters(randomizer: Randomizer, epsilon: Fraction) -> tuple[Exact, Exact, Exact, Exact]:
    """Return gamma, and the range, maximum and second moment of L for inputs 0 and 1."""
    parts = blanket_decomposition(randomizer)
    law = losses(parts, (0, 1), Exact.exp(epsilon))
    values = [value for value, _ in law]
    square = sum((w * value * value for value, w in law), Exact(0))
    return parts.gamma, max(values) - min(values), max(values), square


def _view(randomizer: Randomizer, n: int, gamma: Exact | Fraction) -> Exact:
    """Return the largest divergence of some whole views: victim 0, others split in two."""
    half = (n - 1) // 2
    return max(
        shuffle_view(
            Victim(randomizer, (0, 1)),
            [Users(randomizer, i, half), Users(randomizer, j, n - 1 - half)],
        ).hockey_stick_divergence(exp_epsilon=gamma)
        for i in range(randomizer.inputs)
        for j in range(i, randomizer.inputs)
    )


def _closed_form(bound: Any, *, divide: int = 1, factor: int) -> Statement:
    """delta of whole views against a closed form (divided by ``factor`` it is false)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        sizes = (1, 2, 5, 12) if effort is Effort.DEFAULT else (1, 2, 5, 12, 30)
        ratios = (Fraction(3, 2), Fraction(3), Fraction(8))
        epsilons = (Fraction(1, 20), Fraction(1, 4), Fraction(1), Fraction(3, 2))
        for n, k, x, epsilon in product(sizes, (2, 3), ratios, epsilons):
            if Epsilon.rational(epsilon) < Epsilon.log(x):
                rows = randomized_response(k, Epsilon.log(x)).rows
                yield Instance.of(n=n, epsilon=epsilon, rows=rows)
        lopsided = (("1/5", "4/5"), ("2/5", "3/5")), (("4/5", "1/5"), ("3/5", "2/5"))
        for n, rows, epsilon in product((1, 3, 20, 100), lopsided, epsilons[:2]):
            yield Instance.of(n=n, epsilon=epsilon, rows=rows)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, epsilon, randomizer = v["n"], v["epsilon"], Randomizer.from_matrix(v["rows"])
        claimed = bound(randomizer, n, epsilon) / divide
        # A rational just below e^eps: delta there bounds delta(eps) from above.
        below = enclosure(Exact.exp(epsilon), relative_bits=40).lower
        true = _view(randomizer, n, below)
        ratio = (
            enclosure(claimed, relative_bits=30).lower / true.as_fraction() if true > 0 else None
        )
        found = f"delta {decimal(true, digits=6)}, claimed {decimal(claimed, digits=6)}"
        return Outcome(is_below(true, claimed), found, slack=ratio)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_closed_form(bound, divide=factor, factor=1) if divide == 1 else None,
    )


def _k_rr(*, divide: int = 1) -> Statement:
    """Shuffled k-ary randomized response with the theorem's blanket (a part of it: false)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        deltas = (Fraction(1), Fraction(1, 2), Fraction(1, 100), Fraction(1, 10**4))
        sizes = [(2, 56), (2, 80), (2, 150), (3, 90)]
        if effort is Effort.DEEP:
            sizes += [(2, 600), (3, 150)]
        for (k, n), epsilon, delta in product(sizes, (Fraction(1), Fraction(3, 4)), deltas):
            claimed = evaluate(bounds.k_rr_gamma, k=k, n=n, epsilon=epsilon, delta=delta)
            if is_below(claimed, Exact(Fraction(STEPS - 1, STEPS))) is Truth.TRUE:
                yield Instance.of(k=k, n=n, epsilon=epsilon, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        k, n, epsilon, delta = v["k"], v["n"], v["epsilon"], v["delta"]
        claimed = evaluate(bounds.k_rr_gamma, k=k, n=n, epsilon=epsilon, delta=delta) / divide
        bracket = enclosure(claimed, relative_bits=30)
        low = Fraction(floor(bracket.lower * STEPS), STEPS)
        high = Fraction(ceil(bracket.upper * 1024 * STEPS), 1024 * STEPS)
        factor = enclosure(Exact.exp(epsilon), relative_bits=30)
        # More blanket is post-processing: delta decreases with gamma.
        true = _view(_response(k, high), n, factor.upper)
        found = f"delta {decimal(true, digits=6)} at gamma {high}"
        slack = delta / true.as_fraction() if true > 0 else None
        if true > delta:
            return Outcome(Truth.FALSE, found, slack=slack)
        if low == 0:
            return Outcome(Truth.UNKNOWN, "too little blanket to bound all views")
        view = blanket_decomposition(_response(k, low)).blanket_view(n=n)
        bound = view.hockey_stick_divergence(exp_epsilon=factor.lower)
        fine = Truth.TRUE if bound <= delta else Truth.UNKNOWN
        return Outcome(fine, f"{found}, at most {decimal(bound, digits=6)} at {low}", slack=slack)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_k_rr(divide=1000) if divide == 1 else None,
    )


def _response(k: int, gamma: Fraction) -> Randomizer:
    """Return k-ary randomized response with a blanket of mass gamma."""
    return Randomizer.from_matrix(
        [[gamma / k + (1 - gamma) * int(x == y) for y in range(k)] for x in range(k)]
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "balle2019/hoeffding": {"": _closed_form(_hoeffding, factor=10)},
    "balle2019/bennett": {"": _closed_form(_bennett, factor=10)},
    "balle2019/k-rr": {"": _k_rr()},
}
