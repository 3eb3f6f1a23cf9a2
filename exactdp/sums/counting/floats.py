"""E max(0, S) of two equally likely letters in machine numbers, with a proven error bound.

It returns a ball, or nothing where the proof does not reach the width asked for; the caller then
uses balls throughout (``exactdp.sums.counting.counts_in_balls``). The formulas are those of
``exactdp.sums.counting.terms``, of π = 1/2 and m_c >= c/2. In a block of N totals c = c_0 + j,
everything is relative to the block's first values, so that nothing underflows however small the
mean is:

    b_j = b_c/b_{c_0},   β_j = β_c(t_c)/β_{c_0}(t_{c_0}),   T_j = T(c, t_c)/β_{c_0}(t_{c_0}),
    block = V_0 · Σ_j b_j·(β_j·t_c/2 − q_j·T_j),   q_j = m_c − c/2.

b and β are cumulative products of ratios 1 + d, with d a quotient in which the 1 is taken
off before rounding. With k = t_{c+1} − t_c in {0, 1}, T_{j+1} − T_j is −β_j/2 for k = 1 and
+β'_j/2 for k = 0, where β' is the mass at t_c − 1. Where t_c falls, as ν > μ, balls are used.

Error, with v the unit roundoff of doubles and u that of the long type (read from numpy: right
also where long double is a double, or is not used):
    ratios of β: d has relative error v; 1 + d and the product are rounded by u each: below
        ε_β = 4u + 3v·max|d/(1 + d)| a step;
    ratios of b: 1 + d = (n − c)κ/(c + 1), and d = (e − (κ + 1)j)/(c + 1) with e = (n − c_0)κ −
        c_0 − 1 from a ball: below ε_b = 2u + 8v·(|e| + (κ + 1)N)/(c_0 + 1)/min(1 + d);
    increments of T: N·ε_β + 8v, relative; their cumulative sum, in the long type, adds
        N·u·A_j, where A_j is the sum of their absolute values;
    anchor of T: its ball, or the error that the block before left, relative to the anchor; at
        the end where T is smaller if T changes much;
    q_j: below η_q = 6v(|q_0| + N|drift − 1/2|) and the radii of the balls of q_0 and the drift;
    threshold: t_c is the ceiling of a double that differs from m_c by at most η. A t on the
        wrong side of an integer i with |i − m_c| <= η changes the sum by at most η·(β_j + β'_j);
    products: 8v, relative to b_j(β_j·t/2 + q_j·T_j), and N·ε_β for its first part: here de
        Moivre's difference cancels, so the bound is on both of its sides;
    b and the final sum: N·ε_b + (N + 4)·v, relative to the terms;
    the bounds themselves are doubles and are doubled in the end, which covers their rounding
        and the products of errors, as all relative errors are below 2^-10.
V_0 and the anchors of T come from balls; the terms outside the window from
:meth:`CountTerms.window`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb

from exactdp.numbers import precision
from exactdp.numbers.balls import ceiling_of, double_above, nonnegative_ball
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.numbers.limits import MAX_FLOAT_STEPS, count_text, refuse_above
from exactdp.sums.counting.tails import tail_ratio
from exactdp.sums.counting.terms import CountTerms
from exactdp.sums.doubles import UNIT

__all__ = ["mean_ball_from_floats"]

MAX_FLOAT_USERS = 1 << 50
"""Users up to which counts, and twice them, are exact doubles: the proof rests on it."""

_BLOCKS = (8192, 1024, 128)
"""The lengths that are tried in turn. Longer arrays leave the processor's cache."""

# Other formats than these (pairs of doubles) have no unit roundoff: then doubles it is.
_HAS_LONG = -112 <= np.finfo(np.longdouble).machep <= -52
_LONG: Any = np.longdouble if _HAS_LONG else np.float64
"""The type of products and sums that are cumulative; any with a unit roundoff is right."""

_U = np.float64(np.finfo(_LONG).eps) / 2
"""u of the header, the unit roundoff of the long type: every error bound rests on it."""

_TINY, _HUGE = 2.0**-922, 2.0**923
"""Sizes between which b, β and T must stay, far inside the range of normal doubles."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    """T(c, t)/β_c(t) at the first total of a block, from the block before."""

    t: int
    ratio: Any
    relative_error: Any


def mean_ball_from_floats(terms: CountTerms, *, accuracy: int) -> arb | None:
    """Return a ball around E max(0, S) of relative accuracy at least ``accuracy`` bits, or None.

    Args:
        terms: The constants, with a precision of at least 128 bits.
        accuracy: The relative accuracy in bits.

    Raises:
        TooLargeError: If the window has too many totals.
    """
    if terms.n > MAX_FLOAT_USERS or terms.is_saturated or not terms.is_central:
        return None
    with precision(terms.bits):
        if not abs(terms.drift) < 1:
            return None
        window = terms.window(nats=(accuracy * 7) // 10 + 8)
        what = f"n={count_text(terms.n)}: {count_text(window.steps)} totals"
        refuse_above(MAX_FLOAT_STEPS, window.steps, what, advice="Lower n.")
        spend(window.steps // 16)
        # The square of the z-score is what de Moivre's difference cancels.
        middle = (window.first + window.last) // 2
        score = 4 * terms.excess(middle) ** 2 / middle
        if score * 2**accuracy > 2**50:
            return None
        tail = arb(0) if window.log_tail is None else nonnegative_ball(window.log_tail.exp())
        for trial, size in enumerate(_BLOCKS):
            bits = accuracy + 12 + 4 * trial
            total = _sum_of_blocks(terms, window.first, window.last, size=size, bits=bits)
            if total is not None and (total + tail).rel_accuracy_bits() > accuracy:
                return (total + tail) * terms.scale
        return None


def _sum_of_blocks(terms: CountTerms, first: int, last: int, *, size: int, bits: int) -> arb | None:
    total, c, anchor = arb(0), first, None
    with np.errstate(all="ignore"):  # what overflows is refused below
        while c <= last:
            totals = range(c, min(c + size, last + 1))
            entries = len(totals) + (totals.stop <= last)
            block = _block(terms, totals, anchor, entries=entries, bits=bits)
            if block is None:
                return None
            total, c, anchor = total + block[0], totals.stop, block[1]
    return total


def _block(
    terms: CountTerms, totals: range, anchor: _Anchor | None, *, entries: int, bits: int
) -> tuple[arb, _Anchor] | None:
    """Return a ball around Σ b_c·E_c over the totals, and an anchor for the next block.

    None where the proof fails. The arrays may have one entry more, the next block's first.
    """
    c0, length = totals.start, len(totals)
    m0, drift, lean = terms.threshold(c0), terms.drift, terms.lean - terms.nu
    t0 = min(c0, int(ceiling_of(m0.mid())))
    j = np.arange(entries, dtype=np.float64)
    offset = np.ceil(_double(m0 - t0) + _double(drift) * j)
    offset[0] = 0
    eta = 8 * UNIT * (2 + entries) + _size(m0.rad() + entries * drift.rad())
    k = np.diff(offset)
    if np.min(k, initial=0) < 0 or np.max(k, initial=0) > 1:
        return None
    c, t = c0 + j, t0 + offset  # integers below 2^53: exact, also where they are doubled
    above = c - t + 1
    b, b_error = _letters(terms, c, j)
    beta, beta_error = _halves(c, t, above, k)
    b_error, beta_error = entries * b_error, entries * beta_error
    before = beta * t / above
    rises = np.where(k > 0, -beta[:-1], before[:-1]) / 2
    found = _tails(c, t, rises, (beta, beta_error), anchor, bits)
    if found is None:
        return None
    tail, spread, anchor_error = found
    tail_error = (
        (beta_error + 8 * UNIT + entries * _U) * spread + anchor_error + 2 * UNIT * abs(tail)
    )
    q0 = terms.excess(c0)
    q = _double(q0) + _double(lean) * j
    q_error = 6 * UNIT * (_size(q0) + entries * _size(lean))
    q_error += _size(q0.rad() + entries * lean.rad())
    left, right = beta * (t / 2), q * tail
    values = (b * (left - right))[:length]
    errors = (beta_error + 8 * UNIT) * left + 8 * UNIT * abs(right) + eta * (beta + before)
    errors += (abs(q) + q_error) * tail_error + q_error * abs(tail)
    error = np.dot(b[:length], errors[:length])
    error += (b_error + (length + 4) * UNIT) * np.sum(abs(values))
    sizes = [size(x) for x in (b, beta, before, tail) for size in (np.min, np.max)]
    # A NaN fails every comparison.
    if not (min(sizes) > _TINY and max(sizes) < _HUGE and error < _HUGE):
        return None
    if not (beta_error + b_error + entries * UNIT) * 2**10 < 1:
        return None
    relative = tail_error[-1] / tail[-1] + beta_error + 4 * UNIT
    following = _Anchor(int(t[-1]), tail[-1] / beta[-1], relative + relative / 2**10)
    value = arb(np.sum(values)) + arb(0, arb(2 * error))
    return value * terms.log_mass(t0, c0 - t0).exp(), following


def _letters(terms: CountTerms, c: Any, j: Any) -> tuple[Any, Any]:
    """Return b as doubles, and the bound ε_b on the relative error of a step."""
    kappa, c0 = terms.chances, int(c[0])
    excess = (terms.n - c0) * kappa - c0 - 1
    d = (_double(excess) - _double(kappa + 1) * j[:-1]) / (c[:-1] + 1)
    reach = (_size(excess) + _size(kappa + 1) * len(j)) / (c0 + 1)
    return _products(d), 2 * _U + 8 * UNIT * reach / (1 + np.min(d, initial=0))


def _halves(c: Any, t: Any, above: Any, k: Any) -> tuple[Any, Any]:
    """Return β as doubles, and the bound ε_β on the relative error of a step."""
    c, t, above = c[:-1], t[:-1], above[:-1]
    lean = 2 * t - c
    d = np.where(k > 0, (-1 - lean) / (2 * t + 2), (lean - 1) / (2 * above))
    reach = np.max(abs(d) / (1 + d), initial=0)
    return _products(d), 4 * _U + 3 * UNIT * reach


def _products(d: Any) -> Any:
    """Return the cumulative products of 1 + d, from 1, as doubles."""
    ratios = np.ones(len(d) + 1, _LONG)
    ratios[1:] += d
    return np.cumprod(ratios).astype(np.float64)


def _tails(
    c: Any, t: Any, rises: Any, masses: tuple[Any, Any], anchor: _Anchor | None, bits: int
) -> tuple[Any, Any, Any] | None:
    """Return T, the sums A of absolute increments from its anchor, and the anchor's error."""
    if anchor is not None and anchor.t == t[0] and anchor.relative_error * 2**bits < 1:
        ratio, relative = anchor.ratio, anchor.relative_error
    else:
        found = _ratio(c[0], t[0], bits)
        if found is None:
            return None
        ratio, relative = found
    total = np.sum(rises)
    sizes = np.append(0, np.cumsum(abs(rises)))
    if total * 2 > -ratio:
        sums = np.append(0, np.cumsum(rises, dtype=_LONG).astype(np.float64))
        return ratio + sums, sizes, ratio * relative
    # Where T falls much, it stands on its right end: errors stay small in relation to it.
    found = _ratio(c[-1], t[-1], bits)
    if found is None:
        return None
    ratio, relative = found[0] * masses[0][-1], found[1] + masses[1] + 4 * UNIT
    sums = np.append(np.cumsum(rises[::-1], dtype=_LONG)[::-1].astype(np.float64), 0)
    from_right = np.append(np.cumsum(abs(rises[::-1]))[::-1], 0)
    return ratio - sums, from_right, ratio * relative


def _ratio(c: Any, t: Any, bits: int) -> tuple[Any, Any] | None:
    x, y = int(t), int(c - t)
    if x < y:
        return None
    ratio = tail_ratio(x, y, bits=bits + 4)
    return _double(ratio), 2 * UNIT + _size(ratio.rad() / ratio)


def _double(value: arb) -> Any:
    """Return the middle of a ball as a double."""
    return np.float64(value.mid())


def _size(value: arb) -> Any:
    """Return a double that bounds the absolute value of a ball."""
    return np.float64(double_above(abs(value)))
