"""Proposals in doubles for the scores of steps: nothing rests on them."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log1p, log2

from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers.effort import remembered
from exactdp.numbers.later import np
from exactdp.shuffle.noise_pairs import deviation, pairs_on_grid

__all__ = ["likely_rate"]

_RATES = 8
"""Parts of the chosen steps, after the first one, that may be known where a rate is proposed."""

_RUNGS = 4
"""Proposals of rates in an octave of γ."""


def likely_rate(
    noise: AdditiveNoise,
    steps: int,
    chosen: int,
    gamma: Fraction,
    *,
    adds: bool,
    cells: int,
    bits: int,
) -> Fraction:
    """Return the rate of scores whose sum, in doubles, tells about most at a γ and those near it.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> pair = {"adds": False, "cells": 8, "bits": 40}
        >>> 9 * likely_rate(laplace_mechanism(scale=1), 10, 2, Fraction(2), **pair) <= 1
        True
    """
    rung = round(_RUNGS * log2(gamma))
    return _rate(noise, steps, chosen, rung, adds=adds, cells=cells, bits=bits)


@remembered(maxsize=256)
def _rate(
    noise: AdditiveNoise, steps: int, chosen: int, rung: int, *, adds: bool, cells: int, bits: int
) -> Fraction:
    gamma = 2.0 ** (rung / _RUNGS)
    rates = [
        Fraction((chosen - 1) * (_RATES - i), (steps - 1) * _RATES - (chosen - 1) * i)
        for i in range(_RATES)
    ]
    rows = [
        (float(p), float(q))
        for p, q in pairs_on_grid(noise, bits=bits, cells=cells)[0].masses()
        if q > 0
    ]
    p, q = np.array(rows).T

    def told(rate: Fraction) -> float:
        scores = np.log1p(float(rate) * (p / q - 1))
        scores -= scores.min()
        step = log1p(float(rate * deviation(noise))) / cells
        places = np.rint(scores / step).astype(int)
        size = 1 << ceil(log2(4 * places.max() + 2))  # sums modulo that are as good
        some, none = (np.fft.rfft(np.bincount(places, row, size)) for row in (p, q))
        one = np.fft.irfft(some**chosen * none ** (steps - chosen), size)
        other = np.fft.irfft(none**steps, size)
        first, second = (other, one) if adds else (one, other)
        return float(np.maximum(0, first - gamma * second).sum())

    return max(rates, key=told)
