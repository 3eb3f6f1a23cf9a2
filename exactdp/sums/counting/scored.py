r"""The sum of a score of each output, where a record takes part in k of t steps.

With W = P/Q of an output and e_k the sum of all products of k different ones, the likelihood ratio
of the outputs is L = e_k(W)/C(t, k). Let T be the sum of the scores ln(1 + r(W − 1)), 0 < r < 1, so
that

    e^T = Σ_j b_j e_j(W)/C(t, j),   b_j = C(t, j) r^j (1 − r)^(t − j).

Little is lost by looking at T alone: nothing for k = 1 and r near 0, or for k = t and r near 1.

*Below.* What T tells is at most what the outputs tell.

*Above.* With 2 max(0, x) = x + |x|, and by Cauchy and Schwarz, whatever T is,

    2 E_Q[max(0, L − γ); T] <= E_Q[L − γ; T] + (E_Q[1; T] E_Q[(L − γ)²; T])^(1/2).

E_Q[L; T] is the law of T under P: k outputs from P, the others from Q. Two choices of k steps have
j in common with probability h_j = C(k, j) C(t − k, k − j)/C(t, k), and then

    E_Q[L²; T] = Σ_j h_j (law of j scores under W²Q, 2(k − j) under P, and t − 2k + j under Q).

All are sums of independent scores. For (Q, P) the same holds of 1 − γL. As e_j/C(t, j) is at least
L^(j/k) for j <= k (Maclaurin), L is at most γ where e^T <= Σ_(j <= k) b_j γ^(j/k): such T add
nothing above.

Scores are on a lattice, from that of the least ratio on. Laws of sums are found from below, in
units of 2^−bits; what they lack, x of 1, y of L and z of L², is somewhere, and adds at most

    2^(−1)(y + (x Σ E_Q[(L − γ)²; T])^(1/2) + ((z + γ²x)(x + Σ E_Q[1; T]))^(1/2)).

A mass times γ errs in doubles by at most 16u of itself, u = 2^−53, and sums are taken ``SAFE``
times as large.

References: A. Dong and A. Özgür, What is the Optimal Subsampling Scheme for DP-SGD?, 2026 (the
ratio of "balanced iteration subsampling", and Maclaurin's inequalities for it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb, floor, fsum, log, sqrt
from typing import Self

from flint import fmpz, fmpz_poly

from exactdp.distributions.count_windows import Below, power_below, product_below, trimmed
from exactdp.numbers import Enclosure
from exactdp.numbers.later import np
from exactdp.sums.doubles import SAFE, Doubles

__all__ = ["ScoreLaw", "Step"]

_OFF = 2.0**-49
"""16u, by which a mass of a sum, or γ, times another may err in doubles, as a part of itself."""

_Masses = Sequence[tuple[int, Fraction]]
"""Masses at places."""

Lattice = tuple[Fraction, Fraction, Fraction]
"""r, 1 + r(W − 1) of the least W, and the distance of the places of scores."""

Step = Sequence[tuple[int, Fraction, Fraction]]
"""The outputs of a step: the place of their score, and at most their masses under P and Q."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreLaw:
    """The law of the sum of scores under Q, and its means of L and of L², from below.

    Attributes:
        rows: The masses under Q, and of L and L² under Q, by place; the last is left out below.
        missing: What the rows lack in all, at most.
        left_out: The mass of P that is not in L.
        first: The place of the first mass.
        step: The distance of places.
        chances: ln b_j for j = 0, ..., k, less what the least sum of scores is.
    """

    rows: Doubles
    missing: Sequence[float]
    left_out: float
    first: int
    step: float
    chances: Sequence[float]

    @classmethod
    def of(cls, step: Step, lattice: Lattice, t: int, k: int, *, bits: int, is_above: bool) -> Self:
        """Return the law of the sum, of k of t steps."""
        finite = sum((p for _, p, _ in step), Fraction(0))
        squares = sum((p * p / q for _, p, q in step), Fraction(0))
        none, once, twice = (
            _below([(i, mass / total) for i, mass in masses], bits)
            for masses, total in (
                ([(i, q) for i, _, q in step], Fraction(1)),
                ([(i, p) for i, p, _ in step], finite),
                ([(i, p * p / q) for i, p, q in step], squares),
            )
        )
        beside = min(t, 2 * k)  # steps that may be chosen in one of two choices
        others = power_below(none, t - beside, bits)

        def law(both: int, one: int) -> Below:
            """Return the law of so many scores under W²Q and P, and others of ``beside``."""
            powers = (twice, both), (once, one), (none, beside - both - one)
            return reduce(
                lambda x, y: product_below(x, y, bits),
                (power_below(each, times, bits) for each, times in powers if times),
            )

        parts = [[(law(0, 0), Fraction(1))], [(law(0, k), finite**k)]]
        if is_above:
            parts.append(
                [
                    (
                        law(j, 2 * (k - j)),
                        Fraction(comb(k, j) * comb(t - k, k - j), comb(t, k))
                        * squares**j
                        * finite ** (2 * (k - j)),
                    )
                    for j in range(max(0, 2 * k - t), k + 1)
                ]
            )
        sizes = [sum((weight for _, weight in part), Fraction(0)) for part in parts]
        laws = [
            product_below(_mixed([(x, w / size) for x, w in part], bits), others, bits)
            for part, size in zip(parts, sizes, strict=True)
        ]
        first = min(start for start, _ in laws)
        rows = np.zeros((len(laws), max(start + one.length() for start, one in laws) - first))
        missing = []
        for row, size, (start, one) in zip(rows, sizes, laws, strict=True):
            masses = one.coeffs()
            row[start - first : start - first + len(masses)] = [float(int(x)) for x in masses]
            row *= float(size / (1 << bits))
            lack = 1 - Fraction(int(sum(masses, fmpz(0))), 1 << bits)
            missing.append(float(lack * size) * SAFE)
        r, least, distance = lattice
        chances = [
            log(comb(t, j)) + j * log(r) + (t - j) * log(1 - r) - t * log(least)
            for j in range(k + 1)
        ]
        return cls(rows, missing, float(1 - finite**k), first, float(distance), chances)

    def lower(self, ratio: Fraction, *, adds: bool) -> Enclosure:
        """Return a lower bound of the H_γ of T, and an upper bound of it without roundings."""
        gamma = float(ratio)
        x, y = self.rows[:2] if adds else self.rows[1::-1]
        over = x * (1 - _OFF) - gamma * y * (1 + _OFF)
        lost = gamma * (self.missing[1] + self.left_out if adds else self.missing[0]) * SAFE
        found = float(over[over > 0].sum())
        return Enclosure(Fraction(max(0.0, found / SAFE - lost)), Fraction(found * SAFE**2))

    def upper(self, ratio: Fraction, *, adds: bool) -> tuple[Fraction, Fraction]:
        """Return an upper bound of H_γ of all outputs, and its part that stands for the unknown."""
        gamma = float(ratio)
        start = 0 if adds else max(0, self._last_at_most(gamma) + 1 - self.first)
        none, some, square = (row[start:] for row in self.rows)
        x, y, z = self.missing
        more, less = 1 + _OFF, 1 - _OFF
        if adds:
            over = none * more - gamma * some * less
            squares = none * more - 2 * gamma * some * less + gamma * gamma * square * more
            y, z = 2 * x, gamma * gamma * z + x  # and what Q has beside the rows
        else:
            over = some * more - gamma * none * less
            squares = square * more - 2 * gamma * some * less + gamma * gamma * none * more
            z += gamma * gamma * x
        squares = np.maximum(squares, 0)
        most = np.maximum(np.sqrt(none * squares) * more + over, 0)
        rest = y + sqrt(x * float(squares.sum())) + sqrt(z * (x + float(none.sum())))
        lost = (rest / 2 + (0.0 if adds else self.left_out)) * SAFE
        return Fraction((float(most.sum()) / 2 + lost) * SAFE), Fraction(lost)

    def _last_at_most(self, gamma: float) -> int:
        """Return a place up to which L is at most γ for all outputs."""
        k = len(self.chances) - 1
        terms = [c + log(gamma) * j / k for j, c in enumerate(self.chances)]
        top = max(terms)
        return floor(
            (top + log(fsum(2.0 ** ((x - top) / log(2)) for x in terms))) / self.step - 1e-6
        )


def _below(masses: _Masses, bits: int) -> Below:
    """Return a law from below, of masses at places."""
    found = [fmpz(0)] * (1 + max(i for i, _ in masses))
    for i, mass in masses:
        found[i] += floor(mass * (1 << bits))
    return trimmed(0, found)


def _mixed(parts: Sequence[tuple[Below, Fraction]], bits: int) -> Below:
    """Return a mixture of laws from below, from below."""
    first = min(start for (start, _), _ in parts)
    total = fmpz_poly()
    for (start, law), weight in parts:
        total += fmpz_poly([fmpz(0)] * (start - first) + law.coeffs()) * floor(weight * (1 << bits))
    return trimmed(first, [x >> bits for x in total.coeffs()])
