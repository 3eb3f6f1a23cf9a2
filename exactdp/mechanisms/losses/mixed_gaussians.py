r"""Transforms of the losses of mixtures of rows of Gaussian noise, one against another.

In units of the largest shift let all s_i of P be from 0 to 1, all r_j of Q from −1 to 0, φ the
density of N(0, σ²) and A(x) = Σ w_i e^(s_i(2x − s_i)/(2σ²)), so that P has φA, and B likewise, so
that Q has φB. L = ln A − ln B rises in x, and the transform is G(1 + s), G(t) = ∫ φ A^t B^(1 − t)
dx. The trapezoid rule with step h is off by at most 2C/(e^(2πd/h) − 1) if C bounds the integral of
the modulus along Im x = ±d (Trefethen & Weideman, The Exponentially Convergent Trapezoidal Rule,
2014, Theorem 5.1). There, with d = σ²θ, θ < π, |φ| grows by e^(σ²θ²/2), and the terms of A have
arguments s_i θ between 0 and θ, so that its modulus is between cos(θ/2) times that on the real line
and that; so is that of B, whose arguments are of opposite sign. So

    C <= e^(σ²θ²/2 + 2|Im t|θ) cos(θ/2)^−(max(0, −Re t) + max(0, Re t − 1)) G(Re t);

where Q is N(0, σ²), B = 1, without the 2 and the last term.

Beyond the nodes, for x >= X >= 0: with A(x) = h(x) e^(Sx/σ²), S the largest s, where h falls,
A^t <= h(X)^t e^(tSx/σ²) for t >= 0. For t < 0, A is at least its weight at 0; if there is
none, e^((2mx − v)/(2σ²)), m and v the means of s and s² (by convexity of exp). B <= 1, and a
negative power of it has the same bound from below. Together these are e^(ax/σ² + c), and φ times
that is e^(a²/(2σ²) + c) φ(x − a). For x <= 0 it is the mirror image, 1 − t in place of t.

Against L the tilted density is b = φ A^t B^(1 − t)/L', t = 1 + λ. With M and V the mean and the
variance of s under the weights of A's terms, N and W those of r under B's, σ²L' = M − N, and
σ²(ln b)' = −x + tM + (1 − t)N − (V − W)/(M − N), the last term between −1 and 1, as V <= M and
W <= −N: b is monotone outside of [min(0, t) + min(0, t − 1) − 1, max(0, t) + max(0, t − 1) + 1].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Any

from flint import acb, arb

from exactdp.numbers import Exact, Number, precision, working_bits
from exactdp.numbers.effort import spend
from exactdp.sums.laws.clouds import UNIT, Cloud, Transform, variation
from exactdp.sums.laws.density import ball_of
from exactdp.sums.laws.paths import Path, PathQuadrature
from exactdp.sums.laws.trapezoids import likely_nodes, trapezoid

__all__ = ["MixedGaussians", "Shifts", "SomeOutputs", "Terms"]

_BULK_BITS = 64
"""Bits of σ and weights where outputs are cut off as a bulk: any cut is right."""

_LITTLE = 0.25
"""The change of a loss below which it is said to hardly change: the part is tried as a bulk."""

Shifts = tuple[tuple[Exact, Exact], ...]
"""(s, w), of which s is from −1 to 1 and all w sum to 1."""

_NONE: Shifts = ((Exact(0), Exact(1)),)
"""No shift."""


@dataclass(frozen=True, slots=True)
class Terms:
    """A sum Σ w e^(s(2x − s)/(2σ²)) at the working precision.

    Attributes:
        out: w of s = 0.
        moved: (s, s/σ², ln w − s²/(2σ²)) of the others.
    """

    out: arb
    moved: list[tuple[arb, arb, arb]]

    @staticmethod
    def of(shifts: Shifts, inverse: arb) -> Terms:
        """Return the sum of some shifts, from 1/σ²."""
        bits = working_bits()
        out = sum((ball_of(w, bits) for s, w in shifts if s == 0), arb(0))
        balls = [(ball_of(s, bits), ball_of(w, bits)) for s, w in shifts if s != 0]
        return Terms(out, [(s, s * inverse, w.log() - s**2 * inverse / 2) for s, w in balls])

    def total(self, x: Any) -> Any:
        """Return the sum, in balls or in boxes."""
        found = self.out
        for _, slope, first in self.moved:
            found += (slope * x + first).exp()
        return found

    def log(self, x: arb) -> arb:
        """Return its logarithm."""
        found: arb = self.total(x).log()
        return found

    def means(self, x: arb) -> tuple[arb, arb, arb]:
        """Return its logarithm, the mean of s under the weights of terms, and their V/M."""
        if not self.moved:
            return self.out.log(), arb(0), arb(0)
        top = max((slope * x + first).mid() for _, slope, first in self.moved)
        terms = [(s, (slope * x + first - top).exp()) for s, slope, first in self.moved]
        out = self.out * (-top).exp()
        total = out + sum((term for _, term in terms), arb(0))
        loss, (s, _) = total.log() + top, terms[0]
        if len(terms) == 1:  # of an interval this is narrower
            mean = s * (1 - out / total)
            if not abs(mean) > 0:  # nearly all is out, and what is not has cancelled
                mean = s * terms[0][1] / total
            return loss, mean, s - mean
        first, second = (sum((s**k * term for s, term in terms), arb(0)) for k in (1, 2))
        return loss, first / total, second / first - first / total

    def mirrored(self) -> Terms:
        """Return the sum at −x."""
        return Terms(self.out, [(-s, -slope, first) for s, slope, first in self.moved])

    def most(self, power: arb, end: arb, inverse: arb) -> tuple[arb, arb]:
        """Return the a and c of the header for a power >= 0 beyond an end, no s below 0."""
        top = max((s for s, _, _ in self.moved), key=float, default=arb(0))
        return power * top, power * (self.log(end) - top * end * inverse)

    def least(self, power: arb) -> tuple[arb, arb]:
        """Return the a and c of the header for a power < 0."""
        if self.out > 0:
            return arb(0), power * self.out.log()
        # By convexity, ln of the sum is at least the mean of what is added with weights w.
        weights = [(s, slope, first, _weight(s, slope, first)) for s, slope, first in self.moved]
        mean = sum((w * s for s, _, _, w in weights), arb(0))
        fall = sum((w * s * slope for s, slope, _, w in weights), arb(0)) / 2
        return power * mean, -power * fall


def _weight(s: arb, slope: arb, first: arb) -> arb:
    return (first + s * slope / 2).exp()


@dataclass(frozen=True, slots=True)
class MixedGaussians(Transform):
    """The transform of the header.

    Attributes:
        mu: 1/σ, positive.
        first: The (s_i, w_i), from 0 to 1.
        second: The (r_j, v_j), from −1 to 0.
    """

    mu: Number
    first: Shifts
    second: Shifts = _NONE

    @property
    def sigma(self) -> arb:
        """The standard deviation σ."""
        return 1 / ball_of(self.mu, working_bits())

    def _terms(self) -> tuple[Terms, Terms]:
        inverse = ball_of(self.mu, working_bits()) ** 2
        return Terms.of(self.first, inverse), Terms.of(self.second, inverse)

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of the trapezoid rule."""
        sigma, t = self.sigma, tilt + 1
        turns = 1 if self.second == _NONE else 2
        power = max(arb(0), arb((-t).upper()))
        power += max(arb(0), arb((t - 1).upper())) if turns == 2 else 0
        (a, c), (b, d) = (self._growth(t, arb(0), side)[0] for side in (1, -1))
        need = (accuracy_bits + 8) * log(2) + max(0.0, float(c.mid()), float(d.mid()))
        reach = {"low": -float(b.mid()), "high": float(a.mid())}
        turning = turns * float(omega)
        h, angle, (first, last) = likely_nodes(
            float(sigma.mid()), need, turning, float(power), **reach
        )
        normal, weight, half = h / (sigma * (2 * arb.pi()).sqrt()), self.weight(t), 1 / sigma**2 / 2
        losses, masses = [], []
        spend(12 * turns * (last - first))
        for j in range(first, last + 1):
            x = j * h
            loss, exponent = weight(x)
            losses.append(loss)
            masses.append(normal * (exponent - x**2 * half).exp())
        cut = self.beyond(t, last * h, 1) + self.beyond(t, -first * h, -1)
        return trapezoid(
            losses, masses, cut=cut, sigma=sigma, step=h, theta=angle, power=power, turns=turns
        )

    def beyond(self, t: arb, end: arb, side: int) -> arb:
        """Return a bound of the integral of φ A^t B^(1 − t) where side·x is above an end >= 0."""
        sigma = self.sigma
        return sum(
            (
                (a**2 / (2 * sigma**2) + c).exp() * ((end - a) / (sigma * arb(2).sqrt())).erfc() / 2
                for a, c in self._growth(t, end, side)
            ),
            arb(0),
        )

    def _growth(self, t: arb, end: arb, side: int) -> list[tuple[arb, arb]]:
        """Return the a and c of the header beyond an end; several where signs are not told."""
        first, second = self._terms()
        rest, inverse = 1 - t, ball_of(self.mu, working_bits()) ** 2
        if side < 0:
            first, second, t, rest = second.mirrored(), first.mirrored(), rest, t
        found = [first.most(t, end, inverse)] if not t < 0 else []
        if not t >= 0:
            found.append(first.least(t))
        if rest >= 0:
            return found
        a, c = second.least(rest)
        return [*(found if not rest < 0 else ()), *((x + a, y + c) for x, y in found)]

    def variation(self, tilt: arb) -> arb:
        """Return the variation of the tilted density, which is 0 at both ends."""
        t, zero = tilt + 1, arb(0)
        low, high = zero.min(t) - 1, zero.max(t)
        if self.second != _NONE:
            low, high = low + zero.min(t - 1), high + zero.max(t - 1) + 1
        return self.variation_between(tilt, arb(low.lower()), arb(high.upper()))

    def variation_between(self, tilt: arb, low: arb, high: arb) -> arb:
        """Return b of the header at both ends, and its variation between them."""
        sigma, t = self.sigma, tilt + 1
        first, second = self._terms()
        norm, inverse = sigma / (2 * arb.pi()).sqrt(), 1 / sigma**2

        def density(x: arb) -> tuple[arb, arb]:
            (above, m, v), (below, n, w) = first.means(x), second.means(x)
            share = (m * v - n * w) / (m - n) if second.moved else v
            value = norm * (t * above + (1 - t) * below - x**2 * inverse / 2).exp() / (m - n)
            share = share if abs(share) <= 1 else UNIT  # which its enclosure need not see
            return value, (-x + t * m + (1 - t) * n - share) * inverse

        return variation(density, low, high, unit=sigma)

    def bulks(self) -> Sequence[Transform]:
        """Return the outputs within 3σ/2 of 0, if the loss hardly changes there.

        And those for which it rises at half of its slope or more, if a hit is likely among them.
        """
        found, weights = [], dict(self.first)
        with precision(_BULK_BITS):
            sigma = arb(self.sigma.mid())
            high = 3 * sigma / 2
            loss = self.weight(arb(0))
            if loss(high)[0] - loss(-high)[0] < _LITTLE:
                found.append(SomeOutputs(self, -high, high))
            out, hit = (weights.get(Exact(s), Exact(0)) for s in (0, 1))
            if out > 0 and hit > 0:
                low = (sigma**2 * (out / hit).ball(_BULK_BITS).log() + arb(1) / 2).mid()
                if low < 1:
                    found.append(SomeOutputs(self, low, (1 + 2 * high).mid()))
        return found

    def weight(self, t: arb) -> Callable[[arb], tuple[arb, arb]]:
        """Return the weight of x for the loss and ln A^t B^(1 − t)."""
        first, second = self._terms()

        def alone(x: arb) -> tuple[arb, arb]:
            loss = first.log(x)
            return loss, t * loss

        def at(x: arb) -> tuple[arb, arb]:
            above, below = first.log(x), second.log(x)
            return above - below, t * above + (1 - t) * below

        return at if second.moved else alone

    def path(self, low: arb, high: arb) -> Path:
        """Return the outputs between two, for quadrature: slopes and places are not told."""
        (first, second), half = self._terms(), ball_of(self.mu, working_bits()) ** 2 / 2
        normal = (half / arb.pi()).log() / 2

        def at(x: acb) -> tuple[acb, acb, acb]:
            a, b = acb(first.total(x)), acb(second.total(x))
            if not (a.real > 0 and b.real > 0):
                return acb("nan"), acb("nan"), acb("nan")
            return a.log() - b.log(), a.log() - x**2 * half + normal, acb(0)

        return Path(low, high, at, lambda loss: loss)


@dataclass(frozen=True, slots=True)
class SomeOutputs(Transform):
    """The outputs of mixed normal laws between two points only.

    Where the loss hardly changes with x, neither does its phase with Im x.

    Attributes:
        whole: With all outputs.
        low: The least.
        high: The largest; None for all, where Q is N(0, σ²).
    """

    whole: MixedGaussians
    low: arb
    high: arb | None = None

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of Gauss's rule on panels."""
        cut, end = arb(0), self.high
        if end is None:
            s, raised = float(self.whole.sigma.mid()), max(arb(0), arb((tilt + 1).upper()))
            end = arb(float(raised) + s * sqrt(2 * accuracy_bits * log(2)) + s + 0.5)
            cut = self.whole.beyond(raised, end, 1)
        found = PathQuadrature(lambda: self.whole.path(self.low, end)).cloud(
            tilt, omega, accuracy_bits=accuracy_bits
        )
        return replace(found, error=lambda omega: cut + found.error(omega))

    def variation(self, tilt: arb) -> arb:
        """Return that of the tilted density, with its jumps at both ends.

        Without an upper end it falls from x = 1 + λ on, or from the lower one.
        """
        end = self.high
        if end is None:
            end = max(self.low, arb((tilt + 1).upper()))
        return self.whole.variation_between(tilt, self.low, end)

    def bulks(self) -> Sequence[Transform]:
        """Return the outputs up to which the loss hardly changes, where there is no upper end."""
        if self.high is not None:
            return ()
        with precision(_BULK_BITS):
            return [SomeOutputs(self.whole, self.low, self.low + 3 * arb(self.whole.sigma.mid()))]
