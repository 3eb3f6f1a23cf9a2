"""δ of a finite pair at many γ at once: sums of its masses from each likelihood ratio on.

With the outcomes in the order of P/Q, δ at γ is P(A) − γ·Q(A), A the outcomes with P/Q > γ. In
doubles, with masses that err by 8u of themselves, u = 2^−53, A may be wrong about ratios within 32u
of γ: on these P − γ·Q is at most 64u·γ·Q. A sum of k masses errs by k + 8 times u of itself, and
what is worked out of two of them by a few u more of these. What was left out of both laws changes δ
by at most that, and γ times that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.numbers import Enclosure, Exact
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import UNIT, Doubles

__all__ = ["Suffixes"]

_BITS = 128
"""Bits of the balls of γ."""

_NEAR = 32 * UNIT
"""Ratios so near γ, over it, may lie on either side."""

_SLACK = 1.01
"""Bounds of errors are taken as much larger: they are worked out in a few steps of doubles."""


@dataclass(frozen=True, slots=True)
class Suffixes:
    """The masses of both laws from each outcome on, and 0.

    Attributes:
        ratios: P/Q of the outcomes, ascending; infinite where Q has nothing.
        first: The sums of P.
        second: The sums of Q.
        missing: What was left out of either law, at most.
    """

    ratios: Doubles
    first: Doubles
    second: Doubles
    missing: Fraction

    @classmethod
    def of(cls, p: Doubles, q: Doubles, missing: Fraction) -> Suffixes:
        """Return the sums of two laws, given outcome by outcome to 8u.

        Example:
            >>> pair = Suffixes.of(np.array([0.75, 0.25]), np.array([0.25, 0.75]), Fraction(0))
            >>> found = pair.deltas([Fraction(2)])[0]  # 3/4 − 2/4
            >>> found.contains(Exact("1/4")), found.width < Fraction(1, 10**12)
            (True, True)
        """
        some = (p > 0) | (q > 0)
        p, q = p[some], q[some]
        ratios = np.divide(p, q, out=np.full(len(p), np.inf), where=q > 0)
        order = np.argsort(ratios, kind="stable")
        sums = [np.append(np.cumsum(law[order][::-1])[::-1], 0.0) for law in (p, q)]
        return cls(ratios[order], sums[0], sums[1], missing)

    @classmethod
    def of_scores(
        cls, others: Sequence[float], p: Sequence[arb], q: Sequence[arb], missing: Fraction
    ) -> Suffixes:
        """Return the sums of two scores of a victim, each added to those of others."""
        first, second = (np.convolve(others, [float(x.mid()) for x in row]) for row in (p, q))
        return cls.of(first, second, missing)

    def loss_deviation(self) -> float:
        """Return about the deviation of ln(P/Q) under P, where both have mass; for plans."""
        p, q = -np.diff(self.first), -np.diff(self.second)
        kept = (p > 0) & (q > 0)
        losses, masses = np.log(p[kept] / q[kept]), p[kept]
        mean = (masses * losses).sum()
        return float(np.sqrt((masses * (losses - mean) ** 2).sum()))

    def deltas(self, gammas: Sequence[Fraction] | Sequence[Exact]) -> list[Enclosure]:
        """Return δ at each of some γ >= 1."""
        spend(20 + 30 * len(gammas))
        near = np.array([_double(gamma) for gamma in gammas])  # errs by 2u of itself
        start = np.searchsorted(self.ratios, near, side="right")
        wide = np.searchsorted(self.ratios, near * (1 - 2 * _NEAR), side="left")
        p, q = self.first[start], self.second[start]
        error = _SLACK * (len(self.ratios) + 24) * UNIT * (p + near * q)
        error += _SLACK * float(self.missing) * (1 + near)
        more = error + _SLACK * 4 * _NEAR * near * (self.second[wide] - q + error)
        least, most = np.maximum(p - near * q - error, 0.0), np.maximum(p - near * q + more, 0.0)
        return [
            Enclosure(Fraction(low), Fraction(high))
            for low, high in zip(least.tolist(), most.tolist(), strict=True)
        ]


def _double(gamma: Fraction | Exact) -> float:
    """Return γ nearly: the radius of a ball of so many bits is far below a double's error."""
    return float(gamma) if isinstance(gamma, Fraction) else float(gamma.ball(_BITS).mid())
