r"""The factors of a transform on a line: finite variables with many copies, and dense losses.

*Recurrence.* The transform of a finite variable does not fall, it comes back. With two values
that differ by d and have the tilted masses p and q, its characteristic function φ, tilted, has
|φ|² <= 1 − 4pq sin²(ωd/2). So |φ|^n is below e^(−B) but where |sin(ωd/2)| < (B/(2npq))^(1/2):
in windows around the multiples of 2π/d.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import asin, ceil, pi, sqrt

from flint import acb, arb

from exactdp.numbers import precision
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.numbers.limits import effort_of_today, refuse_above
from exactdp.sums.doubles import PLAN_BITS, SAFE, STEP, TINY, Doubles, Near, about_log_mean, double
from exactdp.sums.laws.transforms import LossTransform

__all__ = ["OF_A_TURN", "DenseLoss", "Factor", "FiniteVariable", "Recurrence"]

OF_A_TURN = 2
"""Operations of a phase, which is a ball before it is a double."""

_PAIRS = 6
"""The heaviest values of a variable among which a recurrence is sought: 15 pairs.

Lighter ones come back so often that their windows do not help."""

_MOST = 0.9
"""The largest sin² at the edge of a window: wider windows leave nearly no point out."""

_TURNS = 2
"""Complex doubles that a variable keeps for one window, at most, for each point of a line."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The frequencies where a factor comes back: windows around multiples of one of them.

    Attributes:
        frequency: The distance of two windows' middles, 2π/d.
        half: Half the width of a window.
    """

    frequency: float
    half: float


class Factor(ABC):
    """Independent copies of one variable; all balls are at the working precision."""

    times: int

    @abstractmethod
    def work(self, points: int) -> int:
        """Return about how many operations are done once, for a window of so many points."""

    @abstractmethod
    def terms(self, tilt: float, omega: float) -> int:
        """Return about how many terms the transform has at one point up to λ + iω."""

    @abstractmethod
    def log_moment(self, tilt: arb) -> arb:
        """Return ln E e^(λX) times the number of copies."""

    def about_log_moment(self, tilt: float) -> float:
        """Return about ln E e^(λX) times the number of copies, in doubles, for plans.

        What was left out of the variable is in it.
        """
        return float((self.log_moment(arb(tilt)) + self.log_missing(arb(tilt))).mid())

    def log_missing(self, tilt: arb) -> arb:
        """Return a bound on the error of ``log_moment`` from omitted values of the variable."""
        return arb(0)

    def recurrences(self, tilt: arb, nats: float) -> Iterator[Recurrence]:
        """Yield windows outside of which the factor is below e^−nats of its size at λ."""
        yield from ()

    def level(self, tilt: arb, omega: arb) -> arb:
        """Return a bound of the factor's modulus at and beyond ω, over its value at λ."""
        return arb(1)

    @abstractmethod
    def on_line(self, tilt: arb, step: arb, length: int) -> OnLine:
        """Return the factor at the points λ + i·m·step, in runs of some length."""


@dataclass(frozen=True, slots=True)
class OnLine:
    """A factor on a line, over its value at λ.

    Attributes:
        shift: The loss x of the phase e^(iωx) that ``runs`` leaves out.
        runs: The function from the first points of runs to the factor at all points of each run.
    """

    shift: arb
    runs: Callable[[Sequence[int]], Near]


@dataclass(frozen=True, slots=True, eq=False)
class FiniteVariable(Factor):
    """A finite variable.

    Attributes:
        values: The values.
        masses: The masses of the values; they may add up to less than 1.
        times: The number of copies, at least 1.
        moment: E e^(λX) with the values that were left out; None if none was.
    """

    values: Sequence[arb]
    masses: Sequence[arb]
    times: int
    moment: Callable[[arb], arb] | None = field(default=None)
    _doubles: list[Doubles] = field(init=False, default_factory=list)

    def work(self, points: int) -> int:
        """Return the operations of the phases of all values."""
        return OF_A_TURN * points * len(self.values)

    def terms(self, tilt: float, omega: float) -> int:
        """Return the number of values."""
        return len(self.values)

    def log_moment(self, tilt: arb) -> arb:
        """Return n ln Σ mass·e^(λ value)."""
        return self.times * sum(self._tilted(tilt), arb(0)).log()

    def about_log_moment(self, tilt: float) -> float:
        """Return about n ln E e^(λX), for plans, from doubles that are kept."""
        if self.moment is not None:
            return float((self.times * self.moment(arb(tilt)).log()).mid())
        if not self._doubles:
            logs = [mass.log() for mass in self.masses]
            found = (np.array([float(x.mid()) for x in y]) for y in (self.values, logs))
            self._doubles.extend(found)
        values, log_masses = self._doubles
        return self.times * about_log_mean(tilt * values, log_masses)

    def log_missing(self, tilt: arb) -> arb:
        """Return n ln(moment/Σ), 0 if nothing was left out."""
        if self.moment is None:
            return arb(0)
        return self.times * self.moment(tilt).log() - self.log_moment(tilt)

    def recurrences(self, tilt: arb, nats: float) -> Iterator[Recurrence]:
        """Yield the windows of pairs of heavy values."""
        masses = self.probabilities(tilt)
        order = sorted(range(len(masses)), key=lambda i: -float(masses[i]))[:_PAIRS]
        for i, j in combinations(order, 2):
            apart = abs(self.values[i] - self.values[j])
            square = arb(nats) / (2 * self.times * masses[i] * masses[j])
            if square < _MOST and apart > 0:
                width = float(apart)
                # The half width in doubles errs by less than 1e-14 of itself.
                yield Recurrence(2 * pi / width, 2 * SAFE * asin(sqrt(float(square))) / width)

    def on_line(self, tilt: arb, step: arb, length: int) -> OnLine:
        """Return the factor on a line, with phases taken against the heaviest value."""
        masses = self.probabilities(tilt)
        heaviest = max(range(len(masses)), key=lambda i: float(masses[i]))
        others = [j for j in range(len(masses)) if j != heaviest]
        most, size = _TURNS * effort_of_today().points, len(others) * length
        what = f"a window of {length:,} points would take {size:,} turns"
        refuse_above(most, size, what, advice="Ask for a wider enclosure.")
        angles = [step * (self.values[j] - self.values[heaviest]) for j in others]
        weights = [float(masses[j]) for j in others]
        columns = [turns(angle, range(length)) for angle in angles]

        def runs(starts: Sequence[int]) -> Near:
            shape = len(starts), length
            lack, error = np.zeros(shape, dtype=complex), np.full(shape, TINY)
            steps = STEP * (2 + len(others) / 4)
            for p, angle, o in zip(weights, angles, columns, strict=True):
                b = p * turns(angle, starts)
                lack += b[:, None] + p * o[None, :] + b[:, None] * o[None, :]
                error += steps * (
                    np.abs(b)[:, None] * (1 + np.abs(o))[None, :] + p * np.abs(o)[None, :]
                )
            return Near(lack, error).power(self.times)

        return OnLine(self.times * self.values[heaviest], runs)

    def _tilted(self, tilt: arb) -> list[arb]:
        """Return mass·e^(λ value) of all values."""
        return [m * (tilt * v).exp() for v, m in zip(self.values, self.masses, strict=True)]

    def probabilities(self, tilt: arb) -> list[arb]:
        """Return the tilted masses, normalized."""
        found = self._tilted(tilt)
        total = sum(found, arb(0))
        return [mass / total for mass in found]


@dataclass(frozen=True, slots=True, eq=False)
class DenseLoss(Factor):
    """A loss with a density, by its transform.

    Attributes:
        transform: The transform of the loss.
        times: The number of copies, at least 1.
    """

    transform: LossTransform
    times: int

    def work(self, points: int) -> int:
        """Return the operations of a rule of quadrature."""
        return self.transform.work

    def terms(self, tilt: float, omega: float) -> int:
        """Return the terms of a finite variable that take as long as a point does here."""
        return 2 * self.transform.nodes(tilt, omega)

    def log_moment(self, tilt: arb) -> arb:
        """Return n ln M(λ)."""
        return self.times * self.transform.real(tilt).log()

    def about_log_moment(self, tilt: float) -> float:
        """Return about n ln M(λ), for plans, from points that are kept."""
        return self.times * self.transform.log_moment(tilt)

    def level(self, tilt: arb, omega: arb) -> arb:
        """Return ((a + v/ω))^n of ``LossTransform.fall``, at most 1."""
        with precision(PLAN_BITS):
            atoms, variation = self.transform.fall(tilt)
            found = arb((atoms + variation / omega).upper())
        return found**self.times if found < 1 else arb(1)

    def on_line(self, tilt: arb, step: arb, length: int) -> OnLine:
        """Return the factor on a line, in doubles with one bound of the errors a run."""

        def runs(starts: Sequence[int]) -> Near:
            with precision(PLAN_BITS):
                scale = self.transform.real(tilt)
                found = [
                    self.transform.roughly(acb(tilt, m * step), step, length, scale) for m in starts
                ]
            lack = np.array([values for values, _ in found]) - 1
            error = np.array([[off + STEP] for _, off in found]) * np.ones((1, length))
            return Near(lack, error).power(self.times)

        return OnLine(arb(0), runs)


def turns(angle: arb, points: Sequence[int] | range) -> Doubles:
    """Return e^(i·m·angle) − 1 for the given m."""
    spend(OF_A_TURN * len(points))
    return np.array([double(acb(0, m * angle).expm1()) for m in points])


def points_around(found: Recurrence, step: float) -> int:
    """Return the number of points of a window."""
    return 2 * (ceil(found.half / step) + 2) + 1
