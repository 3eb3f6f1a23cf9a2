"""Shuffled reports x + noise of values between 0 and Δ: finite views above and below.

Let g be the density of the noise, symmetric and log-concave, g_x that of a report of x, and
m = min(g_0, g_Δ), the least of all g_x: the blanket, with mass 1 − δ(0) of the noise alone. With
γ = e^ε >= 1, the bound of the blanket for a victim with x or x' is E max(0, Z_1 + ... + Z_n)/n, Z
being (g_x − γ·g_x')/m with the law m, and 0 with the rest (``at_scale.hiding``).

The victim's worst inputs are 0 and Δ. Proof: all Z have the mean 1 − γ, and the bound is convex in
each, so it is enough that F(x, x') = ∫ max(0, g_x − γ·g_x' − c·m) is at most F(0, Δ) for all c.
Mirroring at Δ/2 keeps m, and exchanges (0, Δ) and (Δ, 0).

- c >= 0. Let x > x' (else mirror), A be where g_x − γ·g_x' > c·m, and h = Δ − x. On A g_x > g_x',
  so y > (x + x')/2. Hence g_Δ(y + h) = g_x(y), g_0(y + h) <= g_x'(y) and m(y + h) <= m(y), as
  y + h is at least as far from 0 as y from x', and from Δ/2 as y is. So A + h shows F(Δ, 0) >=
  F(x, x').
- c = −k < 0. By the means F is a constant more than G(x, x') = ∫ max(0, γ·g_x' − g_x − k·m).
  (i) x and x' on one side of Δ/2: mirror g_x' alone. Where it was larger, so were g_x and m + g_x;
  the larger now meets the smaller: G is not less, by convexity. So let x <= Δ/2 <= x' (else mirror
  both). (ii) Let A be where γ·g_x' − g_x > k·m. If x' − t is in A, t > 0, so is x' + t: g_x' is the
  same there, g_x and m are not more. The derivative of G in x' is γ·∫ |g'(t)|·(1_A(x' + t) −
  1_A(x' − t)) dt over t > 0, as the best A is stationary: so G grows, and x' becomes Δ. (iii) For
  x' = Δ, g_Δ/m = max(1, g_Δ/g_0) and −g_x/g_Δ grow with y: A is a half-line (a, ∞), and x = 0 has
  least in it.

Above, ratios V = max(g_0, g_Δ)/m are put on a grid: a message in a cell is told to be one of two,
at its two ends, or what is left over, who sent it. What it was is found by forgetting that, so the
finite view dominates that of the blanket, and all of its numbers are rational.

Below, all others hold 0 or all hold Δ, the victim has these inputs, and the pair (g_0, g_Δ) is
replaced by a finite one that it dominates (``divergences.dots``).

References: B. Balle, J. Bell, A. Gascon and K. Nissim, The Privacy Blanket of the Shuffle Model,
CRYPTO 2019, Section 5 (and its appendix for Laplace noise).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import ClassVar

from exactdp.divergences import Pair
from exactdp.divergences.dots import pairs_around
from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import enclosed, told
from exactdp.divergences.worst import Largest, Named
from exactdp.errors import UndecidedError
from exactdp.mechanisms import LaplaceMechanism
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    certainly_below,
)
from exactdp.numbers.effort import answers, first_answer, remembered
from exactdp.shuffle.allocated_lattices import LatticeAllocation, deviation
from exactdp.shuffle.allocation import random_allocation
from exactdp.shuffle.at_scale.hidden_curves import delta_of_curve, pairs_around_curves
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenProfile, HiddenVictim
from exactdp.shuffle.noise_grids import pairs_on_grid, ratio_grid
from exactdp.sums import RepeatedSum

__all__ = ["NoiseBlanket", "bounds_above", "bounds_below", "dominating_view"]

_LEAST, _MOST_OF_LAPLACE, _MOST_OF_GAUSSIAN = Exact(Fraction(1, 2**40)), Exact(12), Exact(4)
"""The losses of noise with a bound of the blanket; beyond them there is that of one report alone.

With larger ones few reports come from the blanket, and they tell much where they lie far out."""

_CELLS, _FEWEST_BITS, _ATTEMPTS = 16, 32, 6
"""Cells of a grid in the size of a loss, the first bits of what is left over, and how often more
are taken. With 16 cells ε is too large by about 2e-4 of itself."""

_FEW = 3_000
"""Users up to which the law of a sum on a lattice is found sooner than its transform."""

_REACH = 8
"""Deviations of the sum that a single Z may lie below 0; one that is less is raised to that."""

_EXACT_STEPS = 100
"""Users up to which the views below are enclosed to any width; with more their pair is finite."""

_SMALL, _LARGE = Exact("1/1000"), Exact(2)
"""Losses of noise between which all ratios of its reports fit a lattice."""

_FARTHEST = Fraction(8)
"""The largest loss of finite pairs below noise, in nats: larger ones are left out."""

_FEWEST_CELLS, _OUTPUTS_OF_A_CELL = 4, 20
"""Cells of a grid at least where the bound is composed, and outputs of a pair for each: both are
then about as far from the noise."""

_BITS_BELOW, _CELLS_BELOW = 40, 16
"""The finite pair below ends where δ is about 2^−40; cells in the size of a loss."""


@remembered(maxsize=64)
def dominating_view(noise: AdditiveNoise, *, bits: int, cells: int) -> Hidden:
    """Return a finite view that dominates that of the blanket, with rational numbers.

    On a grid v of ratios, a message with V = v_i has about the mass of the second difference of
    δ there; what this is rounded down by, and what is beyond the grid, tells who sent it.

    Example:
        The blanket of Laplace noise with ε0 = 1 has the mass e^(−1/2):

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> view = dominating_view(laplace_mechanism(scale=1), bits=40, cells=4)
        >>> round(float(1 - view.nothing.as_fraction()), 6)
        0.606531
    """
    grid = ratio_grid(noise, bits=bits, cells=cells)
    width, unit = Fraction(1, 1 << (bits + 60)), 1 << bits
    deltas = [enclosed(noise.delta(Epsilon.log(v), relative_width=width), width) for v in grid]
    slopes = [
        ((y.lower - x.upper) / (v - u), (y.upper - x.lower) / (v - u))
        for (u, v), (x, y) in zip(pairwise(grid), pairwise(deltas), strict=True)
    ]
    least = [(1 - deltas[0].upper) / 2 + slopes[0][0]]
    least += [after[0] - before[1] for before, after in pairwise(slopes)]
    # All of the last cell is shared out where nothing is beyond it; else its upper part tells.
    least.append(-slopes[-1][1] if deltas[-1].upper == 0 else Fraction(0))
    masses = [Fraction(max(0, math.floor(mass * unit)), unit) for mass in least]
    shown = Exact(
        1 - sum((mass * (1 + v) for mass, v in zip(masses, grid, strict=True)), Fraction(0))
    )
    rows = [(Exact(v), Exact(1), Exact(m)) for v, m in zip(grid, masses, strict=True) if m]
    shared = (*rows, *((q, p, m) for p, q, m in rows))
    nothing = Exact(1 - 2 * sum(masses, Fraction(0)))
    return Hidden(shared, nothing, ((shown, Exact(0)), (Exact(0), shown)))


@dataclass(frozen=True, slots=True)
class NoiseBlanket(HiddenProfile):
    """The bound of the privacy blanket for n shuffled reports with noise, from above.

    δ is that of a finite view that dominates the blanket's, the finer the narrower the width.

    Attributes:
        noise: The noise of a report; the values that it is added to lie Δ apart at most.
        n: The number of users, the victim included.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> one, many = (NoiseBlanket(laplace_mechanism(scale=1), n) for n in (1, 10))
        >>> at = Epsilon.rational("1/2")
        >>> one.delta(at).upper > 2 * many.delta(at).upper
        True
    """

    noise: AdditiveNoise
    n: int

    is_redrawn: ClassVar[bool] = True
    """Pairs of another size are around a finer view, which may be below all of a coarser one."""

    note = "An upper bound: the blanket of a finite view that dominates the noise."

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), ε >= 0, on one side of the target as soon as one is."""
        return self._delta_told(epsilon.exp, target, width)

    def _delta_told(self, gamma: Exact, target: Exact, width: Fraction) -> Enclosure:
        return told(lambda asked: self._delta_from_one(gamma, asked, target), target, width)

    def _delta_from_one(
        self, gamma: Exact, width: Fraction, target: Exact | None = None
    ) -> Enclosure:
        limit = self.max_divergence()
        if isinstance(limit, Epsilon) and not Epsilon(gamma) < limit:
            return Enclosure(Fraction(0), Fraction(0))
        cells, bits = max(_CELLS, math.isqrt(math.ceil(1 / (4 * width)))), _FEWEST_BITS
        found: Enclosure | None = None
        for _ in range(_ATTEMPTS):
            view = dominating_view(self.noise, bits=bits, cells=cells)
            found = self._delta_of(view, gamma, width / 2, cells)
            if found is None:
                return enclosed(self.noise.delta(Epsilon(gamma), relative_width=width), width)
            shown = view.unmatched.as_fraction()
            is_below = target is not None and bool(found.upper <= target)
            if is_below or shown * 8 <= width * found.upper:
                break
            rest = max(found.lower - shown, found.lower / 2**64) * width / 16
            bits = max(bits + 16, 8 + rest.denominator.bit_length() - rest.numerator.bit_length())
        assert found is not None
        return found

    def _delta_of(
        self, view: Hidden, gamma: Exact, width: Fraction, cells: int
    ) -> Enclosure | None:
        """Return δ of a finite view, on a lattice or by its transform; None if it is too large."""
        one = HiddenVictim(self.n, view)
        ways: list[Callable[[Exact, Fraction], Enclosure]] = [partial(delta_of_curve, one)]
        if self.n > _FEW:  # a few large values are easier on a lattice
            ways.append(one._delta_from_one)
        ways.append(partial(self._on_lattice, view, cells))
        found = answers(lambda way: way(gamma, width), ways)
        return next((x for _, x in found), None)  # one report alone is a bound, too

    def _on_lattice(self, view: Hidden, cells: int, gamma: Exact, width: Fraction) -> Enclosure:
        """Return δ with the Z on a lattice: each is spread to the two places beside it."""
        ratio = _rounded_down(gamma)  # δ falls with γ
        letters = [tuple(x.as_fraction() for x in letter) for letter in view.shared]
        square = sum((m * (p - q) ** 2 for p, q, m in letters), Fraction(0))
        size = math.sqrt(square)
        step = Fraction(1, max(1, math.ceil(cells / 2 / size)))
        floor = -math.ceil(_REACH * (size * math.sqrt(self.n) + 1) / step)
        law = {0: view.nothing.as_fraction()}
        for p, q, mass in letters:
            place = max((p - ratio * q) / step, Fraction(floor))  # no less: it may be raised
            index = math.floor(place)
            for i, part in ((index, index + 1 - place), (index + 1, place - index)):
                if part:
                    law[i] = law.get(i, Fraction(0)) + mass * part
        total = RepeatedSum(step, law, self.n)
        found = total.mean_above(Exact(0), relative_width=width)
        shown = view.unmatched.as_fraction()
        return Enclosure(found.lower / self.n + shown, found.upper / self.n + shown)

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        bits = max(_FEWEST_BITS, 8 + rest.denominator.bit_length() - rest.numerator.bit_length())
        cells = max(_FEWEST_CELLS, size // _OUTPUTS_OF_A_CELL)
        for _ in range(_ATTEMPTS):
            view = dominating_view(self.noise, bits=bits, cells=cells)
            if view.unmatched <= rest / 2:
                break
            bits += 4
        curve = HiddenVictim(self.n, view)
        return pairs_around_curves((curve,), (curve,), size=size, rest=rest, knots=knots)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        raise UndecidedError(
            "of the blanket of noise, Rényi divergences are not bounded. Ask for hockey_stick."
        )

    def max_divergence(self) -> Epsilon | Number:
        """Return that of one report: all messages may be alike."""
        return self.noise.max_divergence()

    def reversed(self) -> NoiseBlanket:
        """Return the bound itself: mirroring exchanges the two inputs."""
        return self


class HiddenReport(HiddenVictim):
    """A victim's report among others, of a finite pair of many ratios: summed along one line."""

    __slots__ = ()

    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        ways = delta_of_curve, HiddenVictim._delta_from_one
        return first_answer(*(partial(way, self, gamma, width) for way in ways))

    def reversed(self) -> HiddenReport:
        """Return the report with the victim's inputs exchanged."""
        return HiddenReport(self.n, self.hidden.turned())


def _rounded_down(gamma: Exact) -> Fraction:
    """Return a rational that is at most γ, and nearly γ, at least 1."""
    return max(Fraction(1), enclosed(gamma, Fraction(1, 1 << 80)).lower)


def bounds_above(n: int, noise: AdditiveNoise) -> Iterator[Named]:
    """Yield upper bounds on δ of n shuffled reports with noise, over all inputs of all users."""
    if n > 1 and _is_moderate(noise):
        words = "privacy blanket of Balle, Bell, Gascon and Nissim 2019, victim with the two ends"
        yield Named(words, NoiseBlanket(noise, n))
    yield Named("one report alone", noise)


def bounds_below(n: int, noise: AdditiveNoise) -> Iterator[Named]:
    """Yield δ of views: the victim has the two ends, all others hold one of them."""
    words = "all others on an end, victim with the two ends"
    is_small, is_large = (
        certainly_below(noise.loss_size, _SMALL),
        not certainly_below(noise.loss_size, _LARGE),
    )
    if n == 1 or (n <= _EXACT_STEPS and not is_small and not is_large):
        found = random_allocation(noise, steps=n).both_directions()
        yield Named(words, found, alone=n == 1)
        return
    words = f"{words}, in a finite pair below the noise"
    if n <= _EXACT_STEPS and is_large:
        yield Named(words, _on_lattice_below(n, noise), alone=False)
        return
    low, _ = pairs_on_grid(noise, bits=_BITS_BELOW, cells=_CELLS_BELOW, at_most=_FARTHEST)
    hidden = Hidden.of((p, q, q) for p, q in low.masses())
    reverse = Hidden.of((q, p, q) for p, q in low.masses())
    both = Largest((HiddenReport(n, hidden), HiddenReport(n, reverse)))
    yield Named(words, both, alone=False)


def _on_lattice_below(n: int, noise: AdditiveNoise) -> PrivacyProfile:
    """Return views of a pair whose ratios are on a lattice and end, however large the noise's."""
    steps, indices = math.ceil(_CELLS / deviation(noise)), [1]
    while indices[-1] < steps * math.exp(_FARTHEST):
        indices.append(indices[-1] + max(1, (indices[-1] - steps) // (6 * steps)))
    low, _ = pairs_around(noise, indices, steps=steps, bits=2 * _BITS_BELOW)
    return LatticeAllocation(low, n).both_directions()


def _is_moderate(noise: AdditiveNoise) -> bool:
    """Return whether the bound of the blanket may be of use, and its numbers are not extreme."""
    most = _MOST_OF_LAPLACE if isinstance(noise, LaplaceMechanism) else _MOST_OF_GAUSSIAN
    return certainly_below(_LEAST, noise.loss_size) and certainly_below(noise.loss_size, most)
