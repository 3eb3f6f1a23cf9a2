"""Grids of likelihood ratios of noise, and finite pairs around it with ratios on them.

A cell of a grid is some part of the size of a loss; far out, where little is lost by it, it grows.
"""

from __future__ import annotations

import math
from fractions import Fraction

from exactdp.divergences import Pair
from exactdp.divergences.dots import pairs_through
from exactdp.divergences.values import enclosed
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, exp
from exactdp.numbers.effort import remembered

__all__ = ["pairs_on_grid", "ratio_grid"]

GROWTH = 24
"""Beyond so many cells a cell grows with the loss: far out little is lost by it."""

_PARTS = 64
"""Parts of a cell, in which the growth of cells is counted."""

_SLOW_GROWTH = 64
"""Beyond so many cells those of pairs around noise grow: far out more is lost below than above."""

_FIRST_END, _LAST_END = 4, 10
"""The k of points that come as near a largest ratio as 2^−k of the way to it, if there is one."""


def ratio_grid(
    noise: AdditiveNoise,
    *,
    bits: int,
    cells: int,
    at_most: Fraction | None = None,
    growth: int = GROWTH,
) -> list[Fraction]:
    """Return ratios from 1 to where δ of the noise is 0, or about 2^−bits, or to a loss.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> grid = ratio_grid(laplace_mechanism(scale=1), bits=40, cells=4)
        >>> [round(float(x), 3) for x in grid]
        [1.0, 1.284, 1.649, 2.117, 2.718]
    """
    step = enclosed(noise.loss_size, "1e-9").upper / (cells * _PARTS)
    top = _largest_loss(noise)
    if top is not None:
        end = enclosed(top, "1e-12").upper
    else:
        found = noise.epsilon(Fraction(1, 2**bits), relative_width="1e-3")
        assert isinstance(found, Enclosure)
        end = found.upper
    end = end if at_most is None else min(end, at_most)
    places = [0]
    while places[-1] * step < end:
        places.append(places[-1] + max(_PARTS, places[-1] // growth))
    unit = 1 << max(16, 12 - math.floor(math.log2(step * _PARTS)))
    last = Fraction(math.ceil(enclosed(exp(Exact(end)), "1e-15").upper * unit), unit)
    rounded = {1 + Fraction(math.ceil(math.expm1(step * i) * unit), unit) for i in places[:-1]}
    return sorted({x for x in rounded if x < last} | {last})


def _largest_loss(noise: AdditiveNoise) -> Number | None:
    top = noise.max_divergence()
    if isinstance(top, Epsilon):
        return None if top.is_infinite else top.nats
    return top


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
    grid = ratio_grid(noise, bits=bits, cells=2 * cells, at_most=at_most, growth=_SLOW_GROWTH)
    if _largest_loss(noise) is not None:  # the last cell is lost below
        grid += [grid[-1] - (grid[-1] - 1) / 2**k for k in range(_FIRST_END, _LAST_END)]
    ratios = sorted({1 / v for v in grid} | set(grid))
    # Of every other only δ is asked: the first of all is one of them, where their number is even.
    ratios = ratios if len(ratios) % 2 == 0 else [ratios[0] / 2, *ratios]
    unit = 1 << (2 * bits + 16)
    width = Fraction(1, unit)
    values = [enclosed(noise.delta(Epsilon.log(v), relative_width=width), width) for v in ratios]
    nothing = Fraction(0), Fraction(0)  # noise has mass everywhere
    return pairs_through(ratios, values, nothing, unit=unit, has_middles=True)
