"""A second route to DP-SGD: tilted clouds of nodes, put on a lattice, composed by numpy's FFT.

From the definitions alone, in doubles, none of our arithmetic: accurate, but not certified. One
step compares two laws P and Q of x with the loss L = ln(P/Q); of independent steps losses add:

    δ(ε) = E_P (1 − e^(ε − S))_+, S the sum; ε(δ) the least ε >= 0 with δ(ε) <= δ.

A law is a cloud: nodes x of a fine midpoint rule, weights p(x). The weights are tilted by e^(cL),
so that the sum is near ε where P has only δ left; each node is shared among the four points of
the lattice around it, so that cubic polynomials keep their mean, hence so do smooth functions up
to the fourth power of the step. What is beyond the window of the lattice wraps around, so the
window is chosen by Chernoff's bound. The number of points doubles until two answers agree: their
distance, or the rounding of doubles, is the stated accuracy. One step, and Gaussian noise without
sampling, have closed forms, which mpmath solves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mpmath
import numpy as np

from tests.routes.noise_steps import (
    SMALL,
    Step,
    as_one_step,
    bisected,
    one_step_delta,
    one_step_epsilon,
    tail,
)

LEAST_POINTS, MOST_POINTS = 1 << 16, 1 << 22

AGREEMENT = 1e-8
"""Two answers so near, relatively, are near enough."""


class Answer(NamedTuple):
    """A value, its relative accuracy as far as it shows, and how it was found."""

    value: float
    accuracy: float
    method: str


@dataclass(frozen=True)
class Composition:
    """Independent steps, each so many times, but for so much of P per step."""

    parts: tuple[tuple[Step, int], ...]
    dropped: float

    def moments(self, tilt: float) -> tuple[float, float, float]:
        """Of the tilted sum: ln E e^(tilt S), the mean, the variance."""
        found = np.zeros(3)
        for step, times in self.parts:
            loss, weight, log_total = step.cloud(tilt, SMALL, self.dropped)
            mean = float(weight @ loss)
            found += times * np.array([log_total, mean, float(weight @ (loss - mean) ** 2)])
        return float(found[0]), float(found[1]), float(found[2])

    def log_mass(self, tilt: float) -> float:
        """ln E e^(tilt S)."""
        return self.moments(tilt)[0]

    def rough_log_delta(self, tilt: float) -> float:
        """ln δ at the tilted mean, were the tilted sum normal."""
        log_total, mean, variance = self.moments(tilt)
        width = math.sqrt(variance)
        rest = _mills(tilt * width) - _mills((1 + tilt) * width)
        return log_total - tilt * mean + math.log(max(rest, 1e-300))

    def window(self, tilt: float, log_share: float) -> tuple[float, float]:
        """Where the tilted sum is, but for so little of it, by Chernoff's bound."""
        log_total, mean, variance = self.moments(tilt)
        unit = 1 / math.sqrt(variance)
        ends = [mean, mean]
        for side, sign in enumerate((-1, 1)):
            bounds = [
                (self.log_mass(tilt + sign * d) - log_total - log_share) / d
                for d in unit * np.geomspace(1e-6, 50, 120)
            ]
            ends[side] = sign * min(bounds)
        return ends[0], ends[1]

    def jump(self, epsilon: float, log_target: float) -> float:
        """A loss such that sums without one above it reach ε too seldom to count; or infinity."""
        clouds = [(*step.cloud(0.0, SMALL, self.dropped)[:2], times) for step, times in self.parts]
        for least in epsilon / 2.0 ** np.arange(1, 8):
            for tilt in np.geomspace(1, 300, 40) / least:
                bound = -tilt * epsilon
                for loss, weight, times in clouds:
                    core = loss <= least
                    bound += times * math.log(weight[core] @ np.exp(tilt * loss[core]))
                if bound < log_target - 23:
                    return float(least)
        return math.inf

    def sums(
        self, tilt: float, low: float, high: float, points: int, jump: float = math.inf
    ) -> Sums:
        """The law of the tilted sum on a lattice from low to high.

        With ``jump`` only of sums that contain a loss above it. They are so seldom that beside
        the others they would be lost in the rounding: φ^n − (φ − J)^n, J the transform of such
        losses alone, is (φ − J)^n (e^(−n ln(1 − J/φ)) − 1).
        """
        gap = (high - low) / points
        if all(step.noise == "laplace" for step, _ in self.parts):
            # Both atoms of one step are to be on the lattice, at least of the first part.
            bottom, top = self.parts[0][0].ends()
            if top - bottom > gap:
                gap = (top - bottom) / math.floor((top - bottom) / gap)
        spectrum = np.ones(points // 2 + 1, dtype=complex)
        atoms, excess = spectrum.copy(), np.zeros_like(spectrum)
        log_total = center = 0.0
        for step, times in self.parts:
            first, weight, _ = step.cloud(tilt, SMALL, self.dropped)
            # Where they count, nodes are to be nearer to each other than points of the lattice.
            gaps = np.abs(np.diff(first[:SMALL]))
            widest = float(gaps[weight[1:SMALL] > 1e-16].max(initial=0))
            count = int(min(max(SMALL, SMALL * widest / gap), 2 * MOST_POINTS))
            loss, weight, log_part = step.cloud(tilt, count, self.dropped)
            is_laplace = step.noise == "laplace"
            origin = step.ends()[1] if is_laplace else float(weight @ loss)
            places = (loss - origin) / gap
            core = loss <= jump
            phi = np.fft.rfft(_shared(places[core], weight[core], points))
            spectrum *= phi**times
            if jump < math.inf:
                rare = np.fft.rfft(_shared(places[~core], weight[~core], points))
                excess += times * np.log1p(rare / phi)
            alone = slice(count, None)  # nothing for Gaussian noise
            atoms *= np.fft.rfft(_shared(places[alone], weight[alone], points)) ** times
            log_total += times * log_part
            center += times * origin
        if jump < math.inf:
            spectrum *= np.expm1(excess)
        masses, atomic = np.fft.irfft(spectrum, points), np.fft.irfft(atoms, points)
        start = math.floor((low - center) / gap)
        order = start + np.arange(points)
        return Sums(
            center + gap * order,
            masses[order % points],
            (masses - atomic)[order % points],
            gap=gap,
            tilt=tilt,
            log_total=log_total,
        )


@dataclass(frozen=True)
class Sums:
    """Masses of a tilted sum on a lattice, and those that have a density."""

    places: np.ndarray
    masses: np.ndarray
    smooth: np.ndarray
    gap: float
    tilt: float
    log_total: float

    def near(self, index: int) -> Callable[[float], float]:
        """ln δ as a function of ε between a point of the lattice and the one before."""
        start = float(self.places[index])
        rise = self.places[index:] - start
        kept = self.masses[index:] * np.exp(-self.tilt * rise)
        total, inner = float(kept.sum()), float(kept @ -np.expm1(-rise))
        density = max(0.0, float(self.smooth[index - 1 : index + 1].sum()) / 2) / self.gap

        def log_delta(epsilon: float) -> float:
            part = (start - epsilon) / self.gap
            # The integrand has a kink at ε: the term of Euler and Maclaurin for a sum that
            # starts between two points.
            kink = self.gap**2 * (part**2 - part + 1 / 6) / 2 * density
            found = total * -math.expm1(epsilon - start) + math.exp(epsilon - start) * inner
            scaled = found + kink * math.exp(self.tilt * (epsilon - start))
            return self.log_total - self.tilt * start + math.log(max(scaled, 1e-300))

        return log_delta

    def log_delta(self, epsilon: float) -> float:
        """ln δ at an ε in the window."""
        return self.near(max(1, math.ceil((epsilon - self.places[0]) / self.gap)))(epsilon)

    def epsilon(self, log_target: float) -> float:
        """Where ln δ is that."""
        low, high = 0, len(self.places) - 1
        while high - low > 1:
            middle = (low + high) // 2
            at = self.near(middle)(float(self.places[middle]))
            low, high = (middle, high) if at > log_target else (low, middle)
        log_delta = self.near(high)
        ends = float(self.places[low]), float(self.places[high])
        return bisected(lambda e: log_delta(e) - log_target, *ends)


def delta(parts: Sequence[tuple[Step, int]], epsilon: float) -> Answer:
    """δ(ε) of independent steps, at ε >= 0."""
    closed = as_one_step(parts)
    if closed is not None:
        return Answer(float(one_step_delta(closed, mpmath.mpf(epsilon))), 1e-14, "closed form")
    whole = _composition(parts, 1e-14)
    tilt = _tilt_for_mean(whole, epsilon)
    log_share = whole.rough_log_delta(tilt) - whole.log_mass(tilt) + tilt * epsilon
    low, high = whole.window(tilt, min(log_share, -3) - 25)
    low, high = _wider(min(low, epsilon), max(high, epsilon))
    return _agreed(
        lambda points: math.exp(whole.sums(tilt, low, high, points).log_delta(epsilon)),
        1e-14 * math.exp(-log_share),
    )


def epsilon(parts: Sequence[tuple[Step, int]], target: float) -> Answer:
    """ε(δ) of independent steps; the value 0 says that δ(0) <= δ."""
    closed = as_one_step(parts)
    if closed is not None:
        return Answer(one_step_epsilon(closed, target), 1e-14, "closed form")
    if sum(times * one_step_delta(step, mpmath.mpf(0)) for step, times in parts) <= target:
        return Answer(0.0, 0.0, "δ(0) of all steps adds up to at most δ")
    return inverted_epsilon(parts, target)


def inverted_epsilon(parts: Sequence[tuple[Step, int]], target: float) -> Answer:
    """ε(δ) without closed forms."""
    whole, log_target = _composition(parts, target), math.log(target)
    tilt = _tilt_for_delta(whole, log_target)
    rough = whole.moments(tilt)[1]
    for refined in (False, True):
        log_share = log_target - whole.log_mass(tilt) + tilt * rough
        low, high = _wider(*whole.window(tilt, min(log_share, -3) - 25))
        if refined:
            break
        first = whole.sums(tilt, low, high, LEAST_POINTS)
        at_zero = -math.inf if high < 0 else first.log_delta(0) if low < 0 else math.inf
        # Too near to tell so roughly; or too far below the tilted mean for its rounding.
        if at_zero < log_target + 1:
            at_zero = math.log(delta(parts, 0).value)
        if at_zero <= log_target:
            return Answer(0.0, 0.0, "δ(0) is not above δ")
        rough = first.epsilon(log_target)
        tilt = _tilt_for_mean(whole, rough)
    # About c is the slope of ln δ, so c ε that of its errors.
    rounding = 1e-14 * math.exp(-log_share) / max(1.0, tilt * rough)
    jump = whole.jump(rough, log_target) if rounding > 1e-7 else math.inf
    if jump < math.inf:
        with np.errstate(all="ignore"):
            seldom = abs(float(whole.sums(tilt, low, high, LEAST_POINTS, jump).masses.sum()))
        if math.isfinite(seldom):
            rounding = max(1e-6, rounding * seldom)  # of the quotients of transforms, too
        else:  # they are not seldom: no tilted sum is without one
            jump = math.inf
    return _agreed(lambda n: whole.sums(tilt, low, high, n, jump).epsilon(log_target), rounding)


# --- tilts, and the number of points ---------------------------------------------------


def _composition(parts: Sequence[tuple[Step, int]], target: float) -> Composition:
    total = sum(times for _, times in parts)
    return Composition(tuple(parts), dropped=1e-10 * target / total)


def _tilt_for_delta(whole: Composition, log_target: float) -> float:
    if whole.rough_log_delta(0) <= log_target:
        return 0.0
    unit = 1 / math.sqrt(whole.moments(0)[2])
    found = bisected(
        lambda y: whole.rough_log_delta(unit * math.exp(y)) - log_target, -25, 25, halvings=50
    )
    return unit * math.exp(found)


def _tilt_for_mean(whole: Composition, mean: float) -> float:
    _, at_zero, variance = whole.moments(0)
    if at_zero >= mean:
        return 0.0
    unit = 1 / math.sqrt(variance)
    found = bisected(lambda y: mean - whole.moments(unit * math.exp(y))[1], -25, 25, halvings=50)
    return unit * math.exp(found)


def _wider(low: float, high: float) -> tuple[float, float]:
    margin = (high - low) / 50
    return low - margin, high + margin


def _agreed(at: Callable[[int], float], rounding: float) -> Answer:
    """Double the points until two values agree, or as well as doubles can.

    Doubles round to the whole tilted sum, of which what is asked for is only a share.
    """
    points, rounding = LEAST_POINTS, max(AGREEMENT, rounding)
    value = at(points)
    while True:
        points *= 2
        before, value = value, at(points)
        distance = abs(value - before) / abs(value)
        if distance <= rounding or points >= MOST_POINTS:
            return Answer(value, max(distance, rounding), f"tilted FFT of {points} points")


def _shared(places: np.ndarray, weights: np.ndarray, points: int) -> np.ndarray:
    """Masses on the lattice, each node shared among four points, wrapped around."""
    first = np.floor(places)
    at = places - first + 1
    first = first.astype(np.int64) - 1
    total = np.zeros(points)
    for i in range(4):
        share = weights * _lagrange(i, at)
        total += np.bincount((first + i) % points, share, minlength=points)
    return total


def _lagrange(i: int, at: np.ndarray | float) -> np.ndarray | float:
    """The cubic that is 1 at i and 0 at the others of 0, 1, 2, 3."""
    found = 1.0
    for j in range(4):
        if j != i:
            found = found * (at - j) / (i - j)
    return found


def _mills(u: float) -> float:
    """e^(u²/2) times the normal tail at u."""
    if u < 20:
        return math.exp(u * u / 2) * tail(u)
    return (1 - 1 / u**2 + 3 / u**4) / (u * math.sqrt(2 * math.pi))
