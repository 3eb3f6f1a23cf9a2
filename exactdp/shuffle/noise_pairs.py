"""Finite pairs below and above noise, with ratios on a grid of losses or on a lattice of ratios.

On the grid a cell is some part of the size of a loss; far out, where little is lost by it, it
grows. On a lattice of W = P/Q cells are parts of the deviation of W, and grow as W does.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from math import ceil, floor

from exactdp.divergences import Pair
from exactdp.divergences.dots import RatioLattice, pairs_around, pairs_through
from exactdp.divergences.values import enclosed
from exactdp.errors import TooLargeError
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, count_text, exp, refuse_above
from exactdp.numbers.effort import remembered
from exactdp.numbers.limits import MAX_PLACES_OF_A_RATIO

__all__ = ["LONGEST", "deviation", "largest_ratio", "pairs_on_grid", "pairs_on_lattice"]

_PARTS = 64
"""Parts of a cell, in which the growth of cells is counted, and cells from which on they grow: far
out more is lost below than above."""

LONGEST = Fraction(1, 2)
"""The longest step of a lattice of W that begins at 0, and so has places for what is usual."""

_FIRST_PLACE = 4
"""The place after the origin of a coarse lattice at which δ is first looked up for the pair below:
nearer δ bends so much that tangents would lose most of it."""


@remembered(maxsize=64)
def pairs_on_grid(
    noise: AdditiveNoise, *, bits: int, cells: int, at_most: Fraction | None = None
) -> tuple[Pair, Pair]:
    """Return finite pairs below and above noise, with ratios on a grid and on its inverse.

    Args:
        noise: The noise.
        bits: The pairs end where δ is 2^−bits: above, that is the mass of P where Q has none.
        cells: The cells of the grid in the size of a loss.
        at_most: The largest loss.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> noise, at = laplace_mechanism(scale=1), Epsilon.rational("1/2")
        >>> low, high = pairs_on_grid(noise, bits=40, cells=8)
        >>> low.delta(at) < noise.delta(at) < high.delta(at)
        True
    """
    step = enclosed(noise.loss_size, "1e-9").upper / (2 * cells * _PARTS)
    top = noise.max_divergence()
    is_infinite = isinstance(top, Epsilon) and top.is_infinite
    found = noise.epsilon(Fraction(1, 2**bits), relative_width="1e-3") if is_infinite else top
    end = enclosed(found.nats if isinstance(found, Epsilon) else found, "1e-12").upper
    end = end if at_most is None else min(end, at_most)
    places = [0]
    while places[-1] * step < end:
        places.append(places[-1] + max(_PARTS, places[-1] // _PARTS))
    unit = 1 << max(16, 12 - math.floor(math.log2(step * _PARTS)))
    last = Fraction(math.ceil(enclosed(exp(Exact(end)), "1e-15").upper * unit), unit)
    rounded = {1 + Fraction(math.ceil(math.expm1(step * i) * unit), unit) for i in places[:-1]}
    grid = {x for x in rounded if x < last} | {last}
    if not is_infinite:  # the last cell is lost below
        grid |= {last - (last - 1) / 2**k for k in range(4, 10)}
    ratios = sorted({1 / v for v in grid} | grid)
    # Of every other only δ is asked: the first of all is one of them, where their number is even.
    ratios = ratios if len(ratios) % 2 == 0 else [ratios[0] / 2, *ratios]
    unit = 1 << (2 * bits + 16)
    width = Fraction(1, unit)
    values = [enclosed(noise.delta(Epsilon.log(v), relative_width=width), width) for v in ratios]
    nothing = Fraction(0), Fraction(0)  # noise has mass everywhere
    return pairs_through(ratios, values, nothing, unit=unit, has_middles=True)


def pairs_on_lattice(
    noise: AdditiveNoise, step: Fraction, top: Fraction, cells: int, rest: Fraction
) -> tuple[RatioLattice, RatioLattice]:
    """Return pairs below and above noise on a lattice of W that serves thresholds up to a top.

    Args:
        noise: The noise of a step.
        step: h.
        top: Up to where thresholds are served.
        cells: Cells in a deviation: beyond, they grow as W does.
        rest: The δ of a step from which on what is far out may be left out, 1 over an integer.
    """
    far = largest_ratio(noise, rest)
    if far > 1 << 80:
        raise TooLargeError(
            "with so little noise, likelihood ratios above 2^80 contribute to delta. Take more "
            "noise or a larger delta."
        )
    indices = _places(1 / far, min(top, far), step=step, cells=Fraction(cells))
    bits = 64 + 2 * (ceil(1 / step) * rest.denominator).bit_length()
    pairs_at = partial(pairs_around, noise, steps=1 / step, bits=bits, is_cut=top < far)
    if step <= LONGEST:
        return pairs_at(indices)
    omitted = range(1, _FIRST_PLACE)
    return pairs_at([0, *indices], origin=_usual_ratio(noise, step), omitted=omitted)


def deviation(noise: AdditiveNoise) -> Fraction:
    """Return about the mean of |W − 1|, W = P/Q under Q.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> round(deviation(laplace_mechanism(scale=1)), 2)  # 2(1 − e^(−1/2))
        Fraction(79, 100)
    """
    return 2 * enclosed(noise.delta(Epsilon.log(1)), "1e-2").upper


def largest_ratio(noise: AdditiveNoise, rest: Fraction) -> Fraction:
    """Return about the ratio e^ε at the ε where δ of the noise is ``rest``, or more.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> round(largest_ratio(laplace_mechanism(scale=1), Fraction(1, 9)), 1)
        Fraction(11, 5)
    """
    nats = _nats(noise.epsilon(rest, relative_width="1e-2"))
    return enclosed(exp(Exact(nats)), "1e-2").upper


def _nats(found: Epsilon | Enclosure) -> Fraction:
    return enclosed(found.nats if isinstance(found, Epsilon) else found, "1e-2").upper


def _usual_ratio(noise: AdditiveNoise, step: Fraction) -> Fraction:
    """Return about the mean of those W that are below a few steps from it, or a bit more.

    The chord of δ between two places beyond, prolonged, meets 1 − γ there.
    """
    found, places = Fraction(0), 1 << 48
    for _ in range(10):
        near, far = (
            enclosed(noise.delta(Epsilon.log(found + k * step), relative_width="1e-18"), "1e-18")
            for k in (_FIRST_PLACE, _FIRST_PLACE + 1)
        )
        slope = (near.lower - far.lower) / step
        meet = (1 - near.lower - slope * (found + _FIRST_PLACE * step)) / (1 - slope)
        found = Fraction(ceil((meet + (1 - meet) / 2**20) * places), places)
    return found


def _places(bottom: Fraction, top: Fraction, *, step: Fraction, cells: Fraction) -> list[int]:
    """Return where to look δ up, in steps of the ratio: more widely far out.

    Raises:
        TooLargeError: If these are too many places.

    Example:
        >>> _places(Fraction(2, 5), Fraction(5, 2), step=Fraction(1, 4), cells=Fraction(1))
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    """
    last, ones = ceil(top / step), floor(1 / step)
    far = max(0, top.numerator.bit_length() - top.denominator.bit_length())
    count = ceil(ones + 3 * cells * (2 + far))
    refuse_above(
        MAX_PLACES_OF_A_RATIO,
        count,
        f"the ratios of one step have {count_text(count)} cells",
        advice="Take more noise or a larger delta, or ask for a wider enclosure.",
    )
    indices, i = [], max(1, floor(bottom / step))
    while i <= last:
        indices.append(i)
        i += max(1, floor((i - 1 / step) / (3 * cells)))
    return [*indices, max(i, 2)]
