"""The sum of a score of every message, at scale: integers add up where histograms are too many.

Give message classes the scores 0, 1, ..., d. The analyzer who sees only the sum of the scores sees
less than the view, so this is a lower bound (data processing); with two classes, 0 and 1, the
sum is the view. With c_j = p_j − γ·q_j of the victim's score j, and G the law of the others' sum,

    H_γ = Σ_s max(0, Σ_j c_j·G(s − j)).

A window from below (``exactdp.distributions.sum_window``) leaves out a known mass m of G: what is
left out changes the sum by at most m·Σ max(0, c_j) upwards, and by m·Σ max(0, −c_j) downwards,
since max(0, x) grows by at most max(0, y), and falls by at most max(0, −y), from x to x + y.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, fmpz, fmpz_poly

from exactdp.distributions.count_windows import CountWindow, sum_window
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, precision
from exactdp.numbers.balls import ceiling_of, floor_of
from exactdp.numbers.compare import is_ratio_above
from exactdp.numbers.limits import MAX_USERS, count_text, refuse_above
from exactdp.shuffle.hiding import HiddenProfile

__all__ = ["ScoreSum"]

_BITS = (96, 192, 384, 768, 1536, 3072)

Masses = tuple[Exact, ...]
"""The masses of the scores 0, 1, ..., d of one user."""


@dataclass(frozen=True, slots=True)
class ScoreSum(HiddenProfile):
    """The sum of the scores of the victim's message and of those of others.

    Attributes:
        first: The masses of the victim's scores under P.
        second: Those under Q.
        others: For each kind of others the masses of the scores, and how many there are.

    Example:
        >>> t, q = Exact("3/4"), Exact("1/4")
        >>> ScoreSum((t, q), (q, t), (((q, t), 1),)).delta(Epsilon.log(2)).contains(Exact("1/16"))
        True
    """

    first: Masses
    second: Masses
    others: tuple[tuple[Masses, int], ...]

    @property
    def n(self) -> int:
        """The number of users, the victim included."""
        return 1 + sum(count for _, count in self.others)

    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        rows = zip(self.first, self.second, strict=True)
        if not any(is_ratio_above(p, q, gamma) for p, q in rows):
            return Enclosure(Fraction(0), Fraction(0))
        refuse_above(MAX_USERS, self.n, f"n={count_text(self.n)}", advice="Lower n.")
        for bits in _BITS:
            found = self._within(gamma, bits)
            if found.width <= width * found.lower:
                return found
        raise UndecidedError(
            f"n={count_text(self.n)}: delta cannot be told from 0 with {_BITS[-1]:,} bits. Ask at "
            "a smaller epsilon."
        )

    def _within(self, gamma: Exact, bits: int) -> Enclosure:
        window = _window(self.others, bits)
        with precision(bits + 32):
            g, scale = gamma.ball(bits + 32), arb(2) ** bits
            balls = [
                (p.ball(bits + 32) - g * q.ball(bits + 32)) * scale
                for p, q in zip(self.first, self.second, strict=True)
            ]
            low, high = [floor_of(c) for c in balls], [ceiling_of(c) for c in balls]
        law, unit = fmpz_poly(list(window.weights)), Fraction(1, 1 << bits)
        lost, gained = _positive([-c for c in low]), _positive(high)
        least = _positive((law * fmpz_poly(low)).coeffs()) * unit - window.missing * lost
        most = _positive((law * fmpz_poly(high)).coeffs()) * unit + window.missing * gained
        return Enclosure(max(Fraction(0), least * unit), most * unit)

    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q) of two scores: the victim's own, if the others may all send one.

        Raises:
            UndecidedError: If there are more scores, or others who never send one of them.
        """
        if len(self.first) > 2 or any(mass == 0 for row, _ in self.others for mass in row):
            raise UndecidedError("the largest ratio is not found. Ask for hockey_stick or epsilon.")
        rows = [(p, q) for p, q in zip(self.first, self.second, strict=True) if p != 0]
        if any(q == 0 for _, q in rows):
            return Epsilon.infinity()
        return Epsilon(max(p / q for p, q in rows))

    def reversed(self) -> ScoreSum:
        """Return the profile with the victim's inputs exchanged."""
        return ScoreSum(self.second, self.first, self.others)

    def infinity_mass(self) -> Exact:
        """Return 0: P has no mass where Q has none, if that holds of the victim's scores.

        Raises:
            UndecidedError: If it does not.
        """
        if any(q == 0 != p for p, q in zip(self.first, self.second, strict=True)):
            raise UndecidedError(
                "the victim's second input never sends what the first may: the mass that only P "
                "has is not found. Ask for hockey_stick."
            )
        return Exact(0)


@lru_cache(maxsize=64)
def _window(others: tuple[tuple[Masses, int], ...], bits: int) -> CountWindow:
    """Return the law of the others' sum: the same for every γ."""
    return sum_window(others, bits=bits)


def _positive(values: list[fmpz]) -> Fraction:
    return Fraction(int(sum((c for c in values if c > 0), fmpz(0))))
