"""The likelihood ratio of a pair, and the smallest pair that has the same divergences.

Every divergence of (P, Q) depends only on the law of the likelihood ratio
P(y) / Q(y). Outcomes with equal ratios can be merged without loss, and what is
left is a canonical form: two pairs have the same hockey-stick divergences at
every γ exactly if their canonical forms are equal.

Definitions: :func:`sufficient_pair`, :func:`product_pair`, :func:`finite_ratios`.

Notation: a *cell* is (P/Q, w_P, w_Q) with w_Q > 0; outcomes with Q = 0 < P, where
the ratio is infinite, are one weight apart.

References: D. Blackwell, Equivalent comparisons of experiments, 1953.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from flint import fmpq, fmpz

from exactdp.divergences.pair import Pair, Weight, exact
from exactdp.numbers import Exact

__all__ = ["Ratio", "finite_ratios", "has_integer_weights", "product_pair", "sufficient_pair"]

Ratio = fmpq | Exact
"""A likelihood ratio: rational when all weights are integers."""

Cell = tuple[Ratio, Weight, Weight]


def has_integer_weights(pair: Pair) -> bool:
    """Return whether every weight and both totals are FLINT integers."""
    return not any(
        isinstance(weight, Exact)
        for weights in (pair.p, pair.q, (pair.p_total, pair.q_total))
        for weight in weights
    )


def sufficient_pair(pair: Pair) -> Pair:
    """Return the canonical pair with the same divergences.

    Outcomes with equal P/Q are merged, those with P = Q = 0 dropped; what is left
    is sorted by P/Q, ascending, an infinite ratio last. Rational laws have integer
    weights over their least common denominator, others are over the total 1.

    Args:
        pair: Any pair; its outcomes are forgotten.

    Returns:
        A pair, equal for two arguments exactly if they have the same hockey-stick
        divergence at every γ >= 0. O(n log n) operations for n outcomes.

    Example:
        The first two outcomes both have P/Q = 1/2:

        >>> pair = Pair.from_masses(["1/6", "1/6", "2/3", 0], ["1/3", "1/3", "1/3", 0])
        >>> sufficient_pair(pair).masses()
        [(Exact('1/3'), Exact('2/3')), (Exact('2/3'), Exact('1/3'))]
    """
    uniform = _over_one_ring(pair)
    return _canonical(_cells(uniform), uniform.p_total, uniform.q_total)


def product_pair(first: Pair, second: Pair) -> Pair:
    """Return the canonical pair of two independent draws: (P1 x P2, Q1 x Q2).

    Args:
        first: A pair with n outcomes.
        second: A pair with m outcomes.

    Returns:
        The canonical form of the pair of products, with O(n m) operations; the
        n m outcomes are merged as they arise, so memory is for distinct ratios.

    Example:
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> product_pair(coin, coin).masses()[1]
        (Exact('3/8'), Exact('3/8'))
    """
    left, right = _over_one_ring(first), _over_one_ring(second)
    others = list(_cells(right))
    cells = ((r * s, a * c, b * d) for r, a, b in _cells(left) for s, c, d in others)
    return _canonical(cells, left.p_total * right.p_total, left.q_total * right.q_total)


def finite_ratios(pair: Pair) -> list[Ratio]:
    """Return P/Q for each outcome with Q > 0, in order.

    Example:
        >>> finite_ratios(Pair.from_masses(["1/2", "1/2", 0], ["1/4", 0, "3/4"]))
        [2, 0]
    """
    return [ratio for ratio, _, _ in _cells(_over_one_ring(pair))]


def _over_one_ring(pair: Pair) -> Pair:
    """Return the pair with all weights integers, or all in the exact field."""
    if has_integer_weights(pair):
        return pair
    p, q = [exact(a) for a in pair.p], [exact(b) for b in pair.q]
    return Pair(p, q, exact(pair.p_total), exact(pair.q_total))


def _cells(pair: Pair) -> Iterable[Cell]:
    quotient: Any = fmpq if isinstance(pair.p_total, fmpz) else _divide
    over, under = pair.q_total, pair.p_total
    for a, b in pair:
        if b != 0:
            yield quotient(a * over, b * under), a, b


def _divide(a: Exact, b: Exact) -> Exact:
    return a / b


def _canonical(cells: Iterable[Cell], p_total: Weight, q_total: Weight) -> Pair:
    """Merge cells of equal ratio; what they lack of p_total is where Q = 0."""
    merged: dict[Hashable, list[Any]] = {}
    infinite = p_total
    for ratio, a, b in cells:
        key = (ratio.p, ratio.q) if isinstance(ratio, fmpq) else ratio
        cell = merged.get(key)
        if cell is None:
            merged[key] = [ratio, a, b]
        else:
            cell[1] += a
            cell[2] += b
        infinite -= a
    ordered = sorted(merged.values(), key=lambda cell: _order(cell[0]))
    p = [a for _, a, _ in ordered]
    q = [b for _, _, b in ordered]
    if infinite != 0:
        p.append(infinite)
        q.append(infinite - infinite)
    p, p_total = _lowest_terms(p, p_total)
    q, q_total = _lowest_terms(q, q_total)
    return Pair(tuple(p), tuple(q), p_total, q_total)


def _order(ratio: Ratio) -> Any:
    """Return a sorting key: comparing floors first spares most long products."""
    if isinstance(ratio, fmpq):
        return int((ratio.p * _FLOOR_SCALE) // ratio.q), ratio
    return ratio


_FLOOR_SCALE = fmpz(2) ** 64


def _lowest_terms(weights: list[Any], total: Weight) -> tuple[list[Weight], Weight]:
    if isinstance(total, fmpz):
        common = total
        for weight in weights:
            common = common.gcd(weight)
            if common == 1:
                return weights, total
        return [weight // common for weight in weights], total // common
    masses = [exact(weight) / total for weight in weights]
    if not all(mass.is_rational for mass in masses):
        return list(masses), Exact(1)
    rationals = [mass.as_fmpq() for mass in masses]
    least = fmpz(1)
    for value in rationals:
        least = least.lcm(value.q)
    return [value.p * (least // value.q) for value in rationals], least
