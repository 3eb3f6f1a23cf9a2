"""Likelihood ratios of two laws that are given by weights.

Every divergence of (P, Q) depends only on the law of P(y) / Q(y): outcomes with equal
ratios can be merged without loss, and what is left, sorted, is a canonical form.

Notation: a *cell* is (P/Q, w_P, w_Q) with w_Q > 0; outcomes with Q = 0 < P, where the ratio
is infinite, are what the cells lack of the total of P.

References: D. Blackwell, Equivalent comparisons of experiments, 1953.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from flint import fmpq, fmpz

from exactdp.distributions.finite import weights_of
from exactdp.numbers import Exact, count_text, refuse_above
from exactdp.numbers.effort import spend
from exactdp.numbers.limits import MAX_BITS_OF_WEIGHTS, MAX_PRODUCTS

__all__ = [
    "LossCell",
    "Ratio",
    "Weight",
    "Weights",
    "cells_of",
    "exact_weight",
    "has_integer_weights",
    "lowest_terms",
    "merged_cells",
    "over_one_ring",
    "partial_sums",
    "ratio",
    "refuse_large_power",
    "refuse_large_product",
    "sum_by_halves",
    "weight_bits",
]

_SHORT_BITS = 4_000
"""Bits of weights; products of longer ones count as several in the limit on products."""

Weight = fmpz | Exact
"""An element of the ordered ring of weights."""

Ratio = fmpq | Exact
"""A likelihood ratio: rational when all weights are integers."""

LossCell = tuple[Ratio, Weight, Weight]

Weights = tuple[Sequence[Weight], Sequence[Weight], Weight, Weight]
"""The weights of P and of Q, outcome by outcome, and the two totals."""


def ratio(a: Weight, b: Weight) -> Exact:
    """Return a / b as an exact number."""
    if type(a) is fmpz and type(b) is fmpz:
        return Exact(fmpq(a, b))
    return exact_weight(a) / exact_weight(b)


def exact_weight(weight: Weight | Ratio) -> Exact:
    """Return a weight or a ratio as an exact number."""
    return weight if isinstance(weight, Exact) else Exact(weight)


def has_integer_weights(weights: Weights) -> bool:
    """Return whether every weight and both totals are FLINT integers."""
    p, q, *totals = weights
    return Exact not in set().union(*(map(type, some) for some in (p, q, totals)))


def over_one_ring(weights: Weights) -> Weights:
    """Return the weights all as integers, or all in the exact field."""
    if has_integer_weights(weights):
        return weights
    p, q, p_total, q_total = weights
    return (
        [exact_weight(a) for a in p],
        [exact_weight(b) for b in q],
        exact_weight(p_total),
        exact_weight(q_total),
    )


def cells_of(weights: Weights) -> Iterator[LossCell]:
    """Yield the cells of two laws over one ring, outcome by outcome."""
    p, q, p_total, q_total = weights
    divide: Any = fmpq if isinstance(p_total, fmpz) else Exact.__truediv__
    if p_total == q_total:  # shorter numbers to be brought to lowest terms
        yield from ((divide(a, b), a, b) for a, b in zip(p, q, strict=True) if b != 0)
        return
    for a, b in zip(p, q, strict=True):
        if b != 0:
            yield divide(a * q_total, b * p_total), a, b


def merged_cells(cells: Iterable[LossCell]) -> list[LossCell]:
    """Return the cells with those of equal ratio merged, by ascending ratio.

    Example:
        >>> cells = [(3, 3, 1), (1, 2, 2), (3, 6, 2)]
        >>> merged_cells([(fmpq(r), fmpz(a), fmpz(b)) for r, a, b in cells])
        [(1, 2, 2), (3, 9, 3)]
    """
    merged: dict[Hashable, list[Any]] = {}
    for r, a, b in cells:
        spend(3)
        key = (r.p, r.q) if isinstance(r, fmpq) else r
        cell = merged.get(key)
        if cell is None:
            merged[key] = [r, a, b]
        else:
            cell[1] += a
            cell[2] += b
    return [(r, a, b) for r, a, b in sorted(merged.values(), key=lambda cell: _order(cell[0]))]


def lowest_terms(weights: Sequence[Any], total: Weight) -> tuple[list[Weight], Weight]:
    """Return weights over the least total, and the total.

    They are integers if the masses are rational; other masses have the total 1.
    """
    if isinstance(total, fmpz):
        common = total
        for weight in weights:
            common = common.gcd(weight)
            if common == 1:
                return list(weights), total
        return [weight // common for weight in weights], total // common
    return weights_of([exact_weight(weight) / total for weight in weights])


def sum_by_halves(values: Sequence[Any], zero: Any = 0) -> Any:
    """Return the sum by halves, which keeps the numbers short for long."""
    while len(values) > 1:
        rest = values[-1:] if len(values) % 2 else []
        values = [a + b for a, b in zip(values[::2], values[1::2], strict=False)] + list(rest)
    return values[0] if values else zero


def weight_bits(weights: Weights) -> int:
    """Return about how many bits a weight has, for estimates of a cost.

    A transcendental weight counts as many bits as it costs.
    """
    p, q, p_total, q_total = weights
    if has_integer_weights(weights):
        return max(int(exact_weight(total).numerator.height_bits()) for total in (p_total, q_total))
    return max(
        _TRANSCENDENTAL * (1 + int(e.numerator.degree()) + int(e.denominator.degree()))
        for e in map(exact_weight, (*p, *q))
    )


def _order(r: Ratio) -> Any:
    """Return a sorting key: comparing floors first spares most long products."""
    if isinstance(r, fmpq):
        return int((r.p * _FLOOR_SCALE) // r.q), r
    return r


_FLOOR_SCALE = fmpz(2) ** 64
"""The scale of the floors by which ratios are sorted first; equal floors are told apart exactly."""

_TRANSCENDENTAL = 500
"""The bits that a power of e^rate counts for in the estimate of a cost: no answer rests on it."""


def refuse_large_power(weights: Weights, losses: int, times: int) -> None:
    """Raise where so many copies of laws with some finite losses take too long together.

    Raises:
        TooLargeError: If that is so.
    """
    # Sums of t of m different numbers take at least t (m - 1) + 1 values. The last
    # product is of two halves, or larger.
    half = times // 2 * max(0, losses - 1) + 1
    bits = times * weight_bits(weights) if len(weights[0]) > 1 else 1
    what = f"times={count_text(times)}: the composition of {losses} losses"
    refuse_large_product(half, half, bits, what)


def refuse_large_product(first: int, second: int, bits: int, what: str) -> None:
    """Raise where the products of so many weights, of so many bits in all, take too long.

    Raises:
        TooLargeError: If that is so.
    """
    products = count_text(first * second)
    advice = "Compose fewer copies, or losses that coincide more often."
    refuse_above(
        MAX_PRODUCTS,
        first * second * (1 + bits // _SHORT_BITS),
        f"{what} needs at least {products} exact products of weights of {count_text(bits)} bits "
        f"(long ones count {count_text(1 + bits // _SHORT_BITS)} times)",
        advice=advice,
    )
    memory = (first + second) * bits
    refuse_above(
        MAX_BITS_OF_WEIGHTS,
        memory,
        f"{what} needs at least {products} exact products, {count_text(memory)} bits of weights",
        advice=advice,
    )


def partial_sums(weights: Sequence[Any], total: Any) -> list[fmpz] | None:
    """Return the sums of weights[:i]; None for weights that are too long to keep them."""
    if not isinstance(total, fmpz):
        return None
    return list(accumulate(weights, initial=fmpz(0)))
