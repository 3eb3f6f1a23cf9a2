"""One step of DP-SGD, noise on a sample: clouds of nodes in doubles, closed forms in mpmath.

With M(z) the law of the noise around z, "remove" compares P = (1 − q) M(0) + q M(1) with
Q = M(0), "add" the reverse, "replace" that P with Q = (1 − q) M(0) + q M(−1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import mpmath
import numpy as np

from tests.routes import noise

Direction = Literal["remove", "add", "replace"]

SMALL = 1 << 12
"""Nodes where only a rough value is asked for."""


@dataclass(frozen=True)
class Step:
    """Noise of a scale on a sample of a rate q, in one direction: see the header."""

    noise: Literal["gaussian", "laplace"]
    scale: float
    rate: float
    direction: Direction

    def mixed(self, x: np.ndarray, sign: int) -> np.ndarray:
        """ln(1 − q + q M(sign)/M(0)), accurate where it is tiny."""
        if self.noise == "gaussian":
            a = (2 * sign * x - 1) / (2 * self.scale**2)
        else:
            a = (np.abs(x) - np.abs(x - sign)) / self.scale
        return a if self.rate == 1 else np.log1p(self.rate * np.expm1(a))

    def log_density(self, x: np.ndarray) -> np.ndarray:
        """Of M(0)."""
        if self.noise == "gaussian":
            return -((x / self.scale) ** 2) / 2 - math.log(self.scale * math.sqrt(2 * math.pi))
        return -np.abs(x) / self.scale - math.log(2 * self.scale)

    def losses(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ln(P/M(0)) and ln(P/Q) at x."""
        up = self.mixed(x, 1)
        if self.direction == "add":
            return np.zeros_like(x), -up
        return up, up - self.mixed(x, -1) if self.direction == "replace" else up

    def range(self, dropped: float) -> tuple[float, float]:
        """Where x is, but for so much of P on either side; for Laplace noise, where L varies."""
        if self.noise == "laplace":
            return (-1.0 if self.direction == "replace" else 0.0), 1.0
        q = 0 if self.direction == "add" else self.rate

        def above(x: float) -> float:
            return (1 - q) * tail(x / self.scale) + q * tail((x - 1) / self.scale)

        low = bisected(lambda z: tail(z) - dropped, 0, 38)
        return -low * self.scale, bisected(lambda x: above(x) - dropped, 0, 1 + 38 * self.scale)

    def cloud(
        self, tilt: float, count: int, dropped: float
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Losses, their tilted weights (of total 1), and the logarithm of what these were."""
        ends = self.range(dropped)
        low, high = self._where_it_counts(tilt, *ends)
        width = (high - low) / count
        at = np.arange(count) + 0.5
        if self.noise == "laplace":
            # Two nodes of Gauss for a pair of cells: no tails make midpoints accurate here, and a
            # million steps would see it.
            at += np.where(np.arange(count) % 2, 1, -1) * (1 / math.sqrt(3) - 0.5)
        x = low + width * at
        base = self.log_density(x) + math.log(width)
        if self.noise == "laplace":  # L is constant beyond both ends: atoms
            x = np.append(x, ends)
            base = np.append(base, -np.abs(ends) / self.scale - math.log(2))
        up, loss = self.losses(x)
        weight = base + up + tilt * loss
        top = float(weight.max())
        weight = np.exp(weight - top)
        total = float(weight.sum())
        return loss, weight / total, top + math.log(total)

    def _where_it_counts(self, tilt: float, low: float, high: float) -> tuple[float, float]:
        """The part of the range that has more than e^-90 of the highest tilted density."""
        x = np.linspace(low, high, SMALL)
        up, loss = self.losses(x)
        weight = self.log_density(x) + up + tilt * loss
        kept = np.flatnonzero(weight > weight.max() - 90)
        return float(x[max(0, kept[0] - 1)]), float(x[min(SMALL - 1, kept[-1] + 1)])

    def ends(self) -> tuple[float, float]:
        """The least and the largest loss of Laplace noise."""
        bottom, top = sorted(self.losses(np.array([-1.0, 1.0]))[1])
        return float(bottom), float(top)


def bisected(
    function: Callable[[float], float], low: float, high: float, *, halvings: int = 100
) -> float:
    """Where a falling function is 0."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


def tail(z: float) -> float:
    """The standard normal law's mass above z."""
    return math.erfc(z / math.sqrt(2)) / 2


# --- closed forms, in mpmath with 60 digits --------------------------------------------


def as_one_step(parts: Sequence[tuple[Step, int]]) -> Step | None:
    """The one step that the composition is, or None."""
    if [times for _, times in parts] == [1]:
        return parts[0][0]
    if all(step.noise == "gaussian" and step.rate == 1 for step, _ in parts):
        square = sum(
            times * ((2 if step.direction == "replace" else 1) / step.scale) ** 2
            for step, times in parts
        )
        return Step("gaussian", 1 / math.sqrt(square), 1.0, "remove")
    return None


def one_step_epsilon(step: Step, target: float) -> float:
    """The least ε >= 0 where δ is not above the target."""
    with mpmath.workdps(60):
        if one_step_delta(step, mpmath.mpf(0)) <= target:
            return 0.0
        high = mpmath.mpf(1)
        while one_step_delta(step, high) > target:
            high *= 2
        found = bisected(
            lambda e: one_step_delta(step, e) - target, mpmath.mpf(0), high, halvings=150
        )
        return float(found)


def one_step_delta(step: Step, epsilon: mpmath.mpf) -> mpmath.mpf:
    """P(H) − e^ε Q(H), H the half-line where L > ε."""
    with mpmath.workdps(60):
        q, gamma = mpmath.mpf(step.rate), mpmath.exp(epsilon)
        if step.direction == "add":  # the half-line that removing has at −ε, from the other side
            end = _end(step, 1 / gamma)
            return (1 - _above(step, end, 0)) - gamma * (
                (1 - q) * (1 - _above(step, end, 0)) + q * (1 - _above(step, end, 1))
            )
        end = _end(step, gamma)
        base, up = _above(step, end, 0), _above(step, end, 1)
        if step.direction == "remove":
            return (1 - q) * base + q * up - gamma * base
        return (1 - q) * (1 - gamma) * base + q * (up - gamma * _above(step, end, -1))


def _above(step: Step, x: mpmath.mpf, shift: int) -> mpmath.mpf:
    """M(shift)(beyond x)."""
    return noise.tail(step.noise, step.scale, x - shift)


def _end(step: Step, ratio: mpmath.mpf) -> mpmath.mpf:
    """The x above which removing, or replacing, has a likelihood ratio above this."""
    q, scale = mpmath.mpf(step.rate), mpmath.mpf(step.scale)
    if step.direction != "replace":
        kept = (ratio - 1 + q) / q  # e^a is to be above this
        if kept <= 0:
            return -mpmath.inf
        return _where(step, mpmath.log(kept))
    if step.noise == "gaussian":
        little, rise = q * mpmath.exp(-1 / (2 * scale**2)), (ratio - 1) * (1 - q)
        root = (rise + mpmath.sqrt(rise**2 + 4 * ratio * little**2)) / (2 * little)
        return scale**2 * mpmath.log(root)
    if ratio < 1:
        return -_end(step, 1 / ratio)
    kept = (ratio * (1 - q + q * mpmath.exp(-1 / scale)) - 1 + q) / q
    return _where(step, max(mpmath.log(kept), -1 / scale))  # x >= 0, whatever the rounding


def _where(step: Step, a: mpmath.mpf) -> mpmath.mpf:
    """The x above which ln(M(1)/M(0)) is above a."""
    scale = mpmath.mpf(step.scale)
    if step.noise == "gaussian":
        return scale**2 * a + mpmath.mpf(1) / 2
    if a >= 1 / scale:
        return mpmath.inf
    return (scale * a + 1) / 2 if a >= -1 / scale else -mpmath.inf
