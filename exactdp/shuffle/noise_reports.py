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

Above, the pair (g_0, g_Δ) is replaced by a finite one that dominates it, and m by the least m' of
its two laws. The map that makes g_0 and g_Δ of these makes at most m of m': the others hide the
victim no better. All numbers are rational.

Below, all others hold 0 or all hold Δ, the victim has these inputs, and the pair is replaced by a
finite one that it dominates (``divergences.dots``).

References: B. Balle, J. Bell, A. Gascon and K. Nissim, The Privacy Blanket of the Shuffle Model,
CRYPTO 2019, Section 5 (and its appendix for Laplace noise).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from exactdp.divergences import Pair
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import enclosed, told
from exactdp.divergences.worst import Largest, Named
from exactdp.errors import UndecidedError
from exactdp.mechanisms import LaplaceMechanism
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, certainly_below
from exactdp.numbers.effort import answers, remembered
from exactdp.numbers.limits import effort_of_today
from exactdp.shuffle.allocation import random_allocation
from exactdp.shuffle.at_scale.hidden_curves import delta_of_curve, pairs_around_curves
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenProfile, HiddenVictim
from exactdp.shuffle.noise_pairs import pairs_on_grid
from exactdp.sums import RepeatedSum

__all__ = ["NoiseBlanket", "bounds_above", "bounds_below", "dominating_view"]

_CELLS, _FEWEST_BITS = 32, 32
"""Cells of a grid in the size of a loss, and the first bits of what is left over. With 32 cells δ
is too large by one or two parts in a thousand."""

_EXACT_STEPS = 100
"""Users up to which the views below are enclosed to any width; with more their pair is finite."""

_ROUGH = Fraction(1, 10)
"""How smooth a curve is taken of which no width is reached: its upper end is a bound."""

_FEW = 10**5
"""Users up to which the law of a sum on a lattice is found sooner than its transform."""


@remembered(maxsize=64)
def dominating_view(noise: AdditiveNoise, *, bits: int, cells: int) -> Hidden:
    """Return a finite view that dominates that of the blanket, with rational numbers.

    Example:
        The blanket of Laplace noise with ε0 = 1 has the mass e^(−1/2):

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> view = dominating_view(laplace_mechanism(scale=1), bits=40, cells=4)
        >>> round(float(1 - view.nothing.as_fraction()), 6)
        0.606531
    """
    _, high = pairs_on_grid(noise, bits=bits, cells=cells)
    return Hidden.of((p, q, min(p, q)) for p, q in high.masses())


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

    note = "An upper bound: the blanket of a finite view that dominates the noise."

    def delta_beside(self, epsilon: Epsilon, target: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of δ(ε), ε >= 0, on one side of the target as soon as one is."""
        return told(partial(self._delta_from_one, epsilon.exp), target, width)

    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        if self._is_beyond(gamma):
            return Enclosure(Fraction(0), Fraction(0))
        cells, bits = max(_CELLS, math.isqrt(math.ceil(1 / (4 * width)))), _FEWEST_BITS
        found: Enclosure | None = None
        for _ in range(effort_of_today().tries):
            view = dominating_view(self.noise, bits=bits, cells=cells)
            victim, on_lattice = HiddenVictim(self.n, view), partial(self._on_lattice, view, cells)
            ways: list[Callable[[Exact, Fraction], Enclosure]]
            ways = [on_lattice, partial(delta_of_curve, victim)]
            if self.n > _FEW:
                ways.insert(0, victim._delta_from_one)
            tried = answers(lambda way: way(gamma, width / 2), ways)
            found = next((x for _, x in tried if x.is_narrow(width / 2)), None)
            if found is None:  # one report alone is a bound, too, and so is what is seen of it
                alone = enclosed(self.noise.delta(Epsilon(gamma), relative_width=width), width)
                most = victim.deltas_at([gamma], _ROUGH)[0].upper
                return alone if alone.upper <= most else Enclosure(most, most)
            shown = view.unmatched.as_fraction()
            if shown * 8 <= width * found.upper:
                break
            rest = max(found.lower - shown, found.lower / 2**64) * width / 16
            bits = max(bits + 16, 8 + rest.denominator.bit_length() - rest.numerator.bit_length())
        assert found is not None
        return found

    def _on_lattice(self, view: Hidden, cells: int, gamma: Exact, width: Fraction) -> Enclosure:
        """Return δ with the Z on a lattice: each is spread to the two places beside it."""
        ratio = max(Fraction(1), enclosed(gamma, Fraction(1, 1 << 80)).lower)  # δ falls with γ
        letters = [tuple(x.as_fraction() for x in letter) for letter in view.shared]
        size = math.sqrt(sum((m * (p - q) ** 2 for p, q, m in letters), Fraction(0)))
        step = Fraction(1, max(1, math.ceil(cells / 2 / size)))
        # No Z is farther below 0 than deviations of the sum: others may be raised to that.
        least = Fraction(-8 * math.ceil(size * math.sqrt(self.n) + 1)) // step
        law = {0: view.nothing.as_fraction()}
        for p, q, mass in letters:
            place = max((p - ratio * q) / step, Fraction(least))
            index = math.floor(place)
            for i, part in ((index, index + 1 - place), (index + 1, place - index)):
                law[i] = law.get(i, Fraction(0)) + mass * part
        law = {i: mass for i, mass in law.items() if mass}
        total = RepeatedSum(step, law, self.n)
        found = total.mean_above(Exact(0), relative_width=width)
        shown = view.unmatched.as_fraction()
        return Enclosure(found.lower / self.n + shown, found.upper / self.n + shown)

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        bits = max(_FEWEST_BITS, 8 + rest.denominator.bit_length() - rest.numerator.bit_length())
        # Outputs of a pair for each cell: both are then about as far from the noise.
        cells = max(4, size // 20)
        for _ in range(effort_of_today().tries):
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


def bounds_above(n: int, noise: AdditiveNoise) -> Iterator[Named]:
    """Yield upper bounds on δ of n shuffled reports with noise, over all inputs of all users."""
    # With larger losses few reports come from the blanket, and they tell much far out.
    most = Exact(12) if isinstance(noise, LaplaceMechanism) else Exact(4)
    if n > 1 and _is_between(noise, Exact(Fraction(1, 2**40)), most):
        words = "privacy blanket of Balle, Bell, Gascon and Nissim 2019, victim with the two ends"
        yield Named(words, NoiseBlanket(noise, n))
    yield Named("one report alone", noise)


def bounds_below(n: int, noise: AdditiveNoise) -> Iterator[Named]:
    """Yield δ of views: the victim has the two ends, all others hold one of them."""
    words = "all others on an end, victim with the two ends"
    if n == 1 or (n <= _EXACT_STEPS and _is_between(noise, Exact("1/1000"), Exact(2))):
        found = random_allocation(noise, steps=n).both_directions()
        yield Named(words, found, alone=n == 1)
        return
    # To where δ is about 2^−40; larger losses than of 8 nats are left out.
    low, _ = pairs_on_grid(noise, bits=40, cells=_CELLS, at_most=Fraction(8))
    rows = [(p, q, q) for p, q in low.masses()], [(q, p, q) for p, q in low.masses()]
    both = Largest(tuple(HiddenVictim(n, Hidden.of(side)) for side in rows))
    yield Named(f"{words}, in a finite pair below the noise", both, alone=False)


def _is_between(noise: AdditiveNoise, least: Exact, most: Exact) -> bool:
    """Return whether the size of losses is certainly between two."""
    return certainly_below(least, noise.loss_size) and certainly_below(noise.loss_size, most)
