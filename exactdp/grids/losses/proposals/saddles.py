"""Where the tilted losses lie, in doubles: sketches of laws, and the tilt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import expm1, inf, log, log1p, pi, sqrt

import numpy as np
from flint import arb
from numpy.typing import NDArray

from exactdp.errors import DomainError
from exactdp.grids.losses.laws import LossLaw
from exactdp.grids.losses.tails import (
    GaussianTails,
    LaplaceTails,
    LossTails,
    ReversedTails,
    SubsampledTails,
)
from exactdp.numbers import Number, precision

__all__ = ["Saddle", "Sketch", "losses_of", "saddle_at", "saddle_of_delta"]

_CELLS = 600
_MAX_BITS = 1 << 14
_MAX_TILT = 1e7


@dataclass(frozen=True, slots=True)
class Sketch:
    """A law by points and the logarithms of their masses.

    Attributes:
        x: Losses, ascending.
        log_mass: Logarithms of their masses under P.
    """

    x: NDArray[np.float64]
    log_mass: NDArray[np.float64]

    def cumulant(self, tilt: float) -> tuple[float, float, float]:
        """Return ln E e^(λL) and its first two derivatives."""
        exponents = self.log_mass + tilt * self.x
        top = float(exponents.max())
        weights = np.exp(exponents - top)
        total = float(weights.sum())
        mean = float((weights * self.x).sum()) / total
        spread = float((weights * (self.x - mean) ** 2).sum()) / total
        return top + log(total), mean, spread

    def window(self, tilt: float, bits: float) -> tuple[float, float]:
        """Return the ends of what has at least 2^-bits of the largest tilted mass."""
        exponents = self.log_mass + tilt * self.x
        seen = np.flatnonzero(exponents >= exponents.max() - bits * log(2))
        low, high = max(0, int(seen[0]) - 1), min(len(self.x) - 1, int(seen[-1]) + 1)
        return float(self.x[low]), float(self.x[high])

    def reaches(self, tilt: float) -> bool:
        """Return whether the tilted mass at the upper end is negligible."""
        exponents = self.log_mass + tilt * self.x
        return bool(exponents[-1] < exponents.max() - 60)


@dataclass(frozen=True, slots=True)
class Saddle:
    """The tilted sum of all losses.

    Attributes:
        tilt: λ.
        log_norm: ln E e^(λL), summed.
        mean: The tilted mean, which is ε unless λ = 0.
        deviation: The tilted standard deviation.
        sketches: One for each part.
    """

    tilt: float
    log_norm: float
    mean: float
    deviation: float
    sketches: Sequence[Sketch]

    def log_delta(self) -> float:
        """Return about ln δ at ε = mean (the saddle point approximation)."""
        spread = self.deviation * sqrt(2 * pi)
        return self.log_norm - self.tilt * self.mean - log1p(self.tilt * (self.tilt + 1) * spread)


def _sketch(law: LossLaw, bits: int) -> Sketch:
    """Return a sketch that leaves out about 2^-bits."""
    points: list[tuple[float, float]] = []
    with precision(128):
        if law.lattice is not None:
            origin = _float(law.lattice.origin.ball(64))
            unit = _float(law.lattice.unit.ball(64)) if law.lattice.unit is not None else 0.0
            masses, _ = law.lattice.masses(max(bits, 64))
            points += [(origin + i * unit, _log(m)) for i, m in masses]
        if law.loose is not None:
            points += [(_log(r.ball(64)), _log(m.ball(64))) for r, m in law.loose]
        if law.density is not None:
            edges = losses_of(law.density, bits, _CELLS)
            tails = [(law.density.below(arb(t))[0], law.density.above(arb(t))[0]) for t in edges]
            for i in range(len(edges) - 1):
                right = tails[i][1] < tails[i + 1][0]
                mass = tails[i][1] - tails[i + 1][1] if right else tails[i + 1][0] - tails[i][0]
                if mass > 0:
                    points.append(((edges[i] + edges[i + 1]) / 2, _log(mass)))
    points.sort()
    return Sketch(np.array([x for x, _ in points]), np.array([m for _, m in points]))


def losses_of(tails: LossTails, bits: int, count: int) -> list[float]:
    """Return about ``count`` losses, ascending, outside which about 2^-bits of P and Q lies."""
    match tails:
        case GaussianTails(mu):
            m = _float(mu.ball(64))  # from −r to r, r = μ²/2 + μz with e^(−z²/2) = 2^-bits
            far = m * m / 2 + m * sqrt(2 * log(2) * bits)
        case LaplaceTails(top):
            far = _float(top.ball(64))
        case ReversedTails(inner):
            return [-x for x in reversed(losses_of(inner, bits, count))]
        case SubsampledTails(inner, rate):
            q = _float(rate.ball(64))
            points = losses_of(inner, bits, count)
            return sorted({log1p(q * expm1(x)) if x < 600 else x + log(q) for x in points})
        case _:
            raise DomainError(f"where {tails!r} lies is not known. Add it here.")
    return [far * (2 * i / count - 1) for i in range(count + 1)]


def _sketched(
    laws: Sequence[tuple[LossLaw, int]], choose: Callable[[Sequence[Sketch]], Saddle]
) -> Saddle:
    """Return the chosen saddle point, with sketches that reach far enough for it."""
    bits = 128
    sketches = [_sketch(law, bits) for law, _ in laws]
    saddle = choose(sketches)
    while bits < _MAX_BITS:
        short = [
            i
            for i, (law, _) in enumerate(laws)
            if not sketches[i].reaches(saddle.tilt) and _is_unbounded(law)
        ]
        if not short:
            break
        bits *= 2
        for i in short:
            sketches[i] = _sketch(laws[i][0], bits)
        saddle = choose(sketches)
    return saddle


def _is_unbounded(law: LossLaw) -> bool:
    if law.lattice is not None and law.lattice.is_truncated:
        return True
    return law.density is not None and law.density.ends()[1] is None


def _at(sketches: Sequence[Sketch], times: Sequence[int], tilt: float) -> Saddle:
    sums = np.array([k * np.array(s.cumulant(tilt)) for s, k in zip(sketches, times, strict=True)])
    log_norm, mean, spread = (float(v) for v in sums.sum(axis=0))
    return Saddle(tilt, log_norm, mean, sqrt(max(spread, 1e-300)), sketches)


def saddle_at(laws: Sequence[tuple[LossLaw, int]], nats: Number) -> Saddle:
    """Return the saddle point for a given ε: tilted mean ε, or λ = 0 if ε is below the mean."""
    times, epsilon = [k for _, k in laws], _float(nats.ball(64))
    return _sketched(laws, lambda sketches: _search(sketches, times, lambda s: s.mean - epsilon))


def saddle_of_delta(laws: Sequence[tuple[LossLaw, int]], delta: Number) -> Saddle:
    """Return the saddle point at which δ is about what is given."""
    times = [k for _, k in laws]
    with precision(64):
        log_delta = _log(delta.ball(256).mid())
    return _sketched(
        laws, lambda sketches: _search(sketches, times, lambda s: log_delta - s.log_delta())
    )


def _search(
    sketches: Sequence[Sketch], times: Sequence[int], excess: Callable[[Saddle], float]
) -> Saddle:
    """Return the saddle point of the tilt at which a rising function is zero."""
    low, high = 0.0, 1.0
    lowest = _at(sketches, times, 0.0)
    if excess(lowest) >= 0:
        return lowest
    while excess(_at(sketches, times, high)) < 0 and high < _MAX_TILT:
        low, high = high, 2 * high
    for _ in range(12):
        middle = (low + high) / 2
        if excess(_at(sketches, times, middle)) < 0:
            low = middle
        else:
            high = middle
    return _at(sketches, times, high)


def _float(ball: arb) -> float:
    return float(ball.mid())


def _log(ball: arb) -> float:
    if not ball > 0:
        return -inf
    return float(ball.log().mid())
