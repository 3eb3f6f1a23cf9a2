"""Bits and steps of the grids, and the cells on them, in doubles.

The error model: moving mass by a spread of variance v in all changes δ relatively by about
λ(λ + 1)/2·v; a part composed k times with first step h, doubled at every second squaring,
adds about 1.5·k·h² to both sides together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf, log, log2, sqrt

from flint import arb

from exactdp.grids.laws import Frame
from exactdp.grids.losses.laws import LossLaw
from exactdp.grids.losses.proposals.saddles import Saddle, Sketch, losses_of
from exactdp.grids.losses.tails import (
    LossTails,
)
from exactdp.numbers import Enclosure, Exact, Number

__all__ = [
    "Plan",
    "cell_above",
    "cells_of",
    "common_step",
    "divisor_of",
    "doublings_of",
    "far_step",
    "finer_plan",
    "finest_width",
    "first_plan",
    "free_unit",
    "levels_of",
    "log_norm_of",
    "multiple_of",
    "step_for",
]

_SPREAD = 1.5


@dataclass(frozen=True, slots=True)
class Plan:
    """What an attempt is made with.

    Attributes:
        saddle: The tilt, and where the losses lie.
        variance: The variance that all moving of mass may add.
        bits: Of the weights.
        far_bits: About 2^-far_bits of P may go to plus infinity.
    """

    saddle: Saddle
    variance: float
    bits: int
    far_bits: int

    @property
    def tilt(self) -> Fraction:
        """λ, as it is used."""
        return Fraction(self.saddle.tilt).limit_denominator(1 << 20)


def first_plan(
    saddle: Saddle,
    width: Fraction,
    *,
    copies: int,
    variance: float | None = None,
    more_bits: int = 0,
) -> Plan:
    """Return a plan that should reach a relative width of δ."""
    wanted = float(width)
    if variance is None:
        tilt, spread = saddle.tilt, saddle.deviation
        variance = wanted / (tilt * (tilt + 1) / 2 + (tilt + 1) / (2 * spread) + 1e-3)
    cells = 40 * saddle.deviation / sqrt(variance) + 64
    amplified = (saddle.tilt + 2) * (saddle.deviation + 1)
    small = log2(cells) + log2(copies) + log2(amplified) - log2(wanted)
    bits = max(48, ceil(small) + 8) + more_bits
    far = ceil(-saddle.log_delta() / log(2) - log2(wanted) + log2(copies)) + 24
    return Plan(saddle, variance, bits, max(64, far))


def finer_plan(
    plan: Plan, found: Enclosure, width: Fraction, *, copies: int, more_bits: int
) -> tuple[Plan, int]:
    """Return a finer plan after one that was too wide, and its bits more than the first."""
    wanted = float(width)
    seen = float((found.upper - found.lower) / found.lower) if found.lower > 0 else inf
    variance = plan.variance * max(min(0.6 * wanted / seen, 0.5), 1 / 4096)
    # Steps, or bits: what was too coarse is not known.
    more_bits += 40 if seen > 1 else ceil(log2(seen / wanted)) + 2
    plan = first_plan(plan.saddle, width, copies=copies, variance=variance, more_bits=more_bits)
    return plan, more_bits


def finest_width(saddle: Saddle, epsilon: Fraction, width: Fraction) -> Fraction:
    """Return the width of δ below which it is useless for an ε of a relative width."""
    finest = max(1e-13, float(width) * (saddle.tilt + 0.1) * float(epsilon) / 50)
    return Fraction(min(1e-2, finest))


# --- steps -----------------------------------------------------------------------


def step_for(law: LossLaw, plan: Plan, *, part: int, copies: int, shares: int) -> float:
    """Return the wanted step of one part among so many that are moved."""
    wanted = sqrt(plan.variance / (_SPREAD * shares * copies))
    if law.is_on_its_lattice:
        return wanted
    # A step is never coarse against the law itself.
    deviation = sqrt(plan.saddle.sketches[part].cumulant(plan.saddle.tilt)[2])
    return min(wanted, max(deviation, 1e-300) / 4)


def free_unit(steps: Sequence[float]) -> Exact:
    """Return a unit for laws on no lattice: 16 significant bits of the smallest step, exactly."""
    if not steps:
        return Exact(1)
    exponent = floor(log2(min(steps))) - 16
    return Exact(Fraction(floor(min(steps) * 2.0**-exponent)) * Fraction(2) ** exponent)


def divisor_of(unit: Number, steps: Sequence[float], *, copies: int) -> int:
    """Return the n such that steps are unit·2^c/n."""
    ratio = _float(unit.ball(64)) / min(steps) if steps else 0.0
    if ratio <= 1:  # nothing to align: steps are powers of two times the unit
        return 1
    doublings = 1 + copies.bit_length() // 2
    return max(1, ceil(ratio / (1 << doublings))) << doublings


def multiple_of(unit: Number, wanted: float, divisor: int) -> Fraction:
    """Return the largest 2^c/n, c >= 0, that is at most what is wanted and allowed."""
    return _multiple(wanted / _float(unit.ball(64)), divisor)


def doublings_of(unit: Number, wanted: float) -> int:
    """Return how often a step of one unit may be doubled."""
    step, doublings, multiple = _float(unit.ball(64)), 0, 1
    while 2 * step * multiple <= wanted:
        multiple, doublings = 2 * multiple, doublings + 1
    return doublings


def levels_of(
    unit: Number, wanted: float, multiple: Fraction, *, times: int, divisor: int
) -> frozenset[int]:
    """Return the levels at which the step is doubled, to stay within wanted·2^(level/2)."""
    wanted /= _float(unit.ball(64))
    levels, largest = set(), _largest_multiple(divisor)
    for level in range(1, times.bit_length()):
        allowed = largest is None or 2 * multiple <= largest
        if allowed and 2 * multiple <= wanted * 2 ** (level / 2):
            levels.add(level)
            multiple *= 2
    return frozenset(levels)


def common_step(
    unit: Number, multiples: Sequence[Fraction], plan: Plan, *, shares: int, divisor: int
) -> Fraction:
    """Return the multiple of the unit on which the laws of a group are added."""
    target = sqrt(plan.variance / (_SPREAD * shares)) / _float(unit.ball(64))
    return min(max(min(multiples), _multiple(target, divisor)), max(multiples))


def _multiple(wanted: float, divisor: int) -> Fraction:
    multiple, largest = Fraction(1, divisor), _largest_multiple(divisor)
    while 2 * multiple <= wanted and (largest is None or 2 * multiple <= largest):
        multiple *= 2
    return multiple


def _largest_multiple(divisor: int) -> Fraction | None:
    """Return the largest 2^c/n on which the lattice still lies; None if n = 1 (no limit)."""
    return None if divisor == 1 else Fraction(divisor & -divisor, divisor)


# --- cells -----------------------------------------------------------------------


def log_norm_of(plan: Plan, part: int) -> Fraction:
    """Return about ln E e^(λL) of a part."""
    tilted = plan.saddle.sketches[part].cumulant(float(plan.tilt))[0]
    return Fraction(floor(tilted * 2**20), 2**20)


def cells_of(sketch: Sketch, frame: Frame, *, zero: arb, h: arb) -> tuple[int, int]:
    """Return the first cell that matters on a grid, and the one after the last."""
    step, origin = _float(h), _float(zero)
    low, high = sketch.window(float(frame.tilt), frame.bits)
    spread = (high - low) / 400
    return int((low - spread - origin) // step), int((high + spread - origin) // step) + 1


def cell_above(sketch: Sketch | None, *, start: arb, h: arb, count: int) -> int:
    """Return the cell after that of a law's mean (of 0 without a law), of so many."""
    x = 0.0 if sketch is None else sketch.cumulant(0)[1]
    return min(count, max(0, int((x - _float(start)) // _float(h)) + 1))


def far_step(tails: LossTails, *, end: arb, far_bits: int, count: int) -> arb:
    """Return the width of so many coarse cells that reach from an end as far as it matters."""
    return arb((losses_of(tails, far_bits, 1)[-1] - _float(end)) / count)


def _float(ball: arb) -> float:
    return float(ball.mid())
