"""The sum of a score of every message, at scale: integers add up where histograms are too many.

Give message classes the scores 0, 1, ..., d. The analyzer who sees only the sum of the scores sees
less than the view, so this is a lower bound (data processing); with two classes, 0 and 1, the
sum is the view. With c_j = p_j − γ·q_j of the victim's score j, and G the law of the others' sum,

    H_γ = Σ_s max(0, Σ_j c_j·G(s − j)).

A score of 0, 1, 2 of masses x, y, z adds two independent trials if y² >= 4xz, of the chances
(y + 2z ± √(y² − 4xz))/2. Where all scores of others are such, and the positive c_j stand together
at one end, the sum is that of ``exactdp.sums.counting.trials``, for any number of users. Else a
window from below (``exactdp.distributions.sum_window``), too slow from some 10^7 users on, leaves
out a known mass m of G: what is left out changes the sum by at most m·Σ max(0, c_j) upwards, and by
m·Σ max(0, −c_j) downwards, since max(0, x) grows by at most max(0, y), and falls by at most
max(0, −y), from x to x + y.

Likewise E_Q (P/Q)^a is the sum of F = P^a·Q^(1−a) over the window, up to m·c. F is homogeneous;
let r and r' be the largest p_j/q_j and q_j/p_j. For a > 1 it is convex: what is left out adds at
most its own F, r^a·m in all, and takes away at most (a − 1)(P/Q)^a of its Q, (a − 1)·r^a·m in all.
For a < 1 it is concave: nothing is taken away, and at most a(P/Q)^(a−1) of its P and (1 − a)(P/Q)^a
of its Q are added. So c = max(1, a − 1)·r^a, or a·r'^(1−a) + (1 − a)·r^a.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpz, fmpz_poly

from exactdp.distributions.count_windows import CountWindow, sum_window
from exactdp.divergences.pair import Pair
from exactdp.divergences.proposals.knots import Placing
from exactdp.divergences.values import difference
from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    fmpq_of,
    precision,
    sqrt,
    working_bits,
)
from exactdp.numbers.balls import ceiling_of, endpoints, floor_of
from exactdp.numbers.compare import is_ratio_above
from exactdp.numbers.effort import remembered
from exactdp.numbers.limits import MAX_USERS, count_text, refuse_above
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.hidden_curves import pairs_around_curves
from exactdp.shuffle.at_scale.hiding import HiddenProfile
from exactdp.sums import Routed, Suffixes, sum_of_positive_parts

__all__ = ["ScoreSum"]

_MANY_USERS = 10**7
"""Users beyond which a window takes long: where trials make the scores it is not tried."""

_BITS = (96, 192, 384, 768, 1536, 3072)
"""The b of the windows that are tried in turn: masses are rounded down to multiples of 2^−b."""

_MOST_SUMMED = 10**8
"""Users up to which a moment is summed: for more, the hundreds of δ of an integral cost less."""

Masses = tuple[Exact, ...]
"""The masses of the scores 0, 1, ..., d of one user."""


@validated
@dataclass(frozen=True, slots=True)
class ScoreSum(HiddenProfile):
    """The sum of the scores of the victim's message and of those of others.

    Attributes:
        first: The masses of the victim's scores under P.
        second: The masses of the victim's scores under Q.
        others: The masses of the scores of each kind of others, and how many there are.

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
        rows = list(zip(self.first, self.second, strict=True))
        signs = [is_ratio_above(p, q, gamma) for p, q in rows]
        if not any(signs):
            return Enclosure(Fraction(0), Fraction(0))
        refuse_above(MAX_USERS, self.n, f"n={count_text(self.n)}", advice="Lower n.")
        trials = self.trials() if sorted(signs) in (signs, signs[::-1]) else None
        if trials is not None:
            c = [difference(p, q, gamma) for p, q in rows]
            found = sum_of_positive_parts(trials, c, relative_width=width)
            return Routed(found.lower, found.upper, "the law of a number of trials")
        found = self.within_window(gamma, width)
        return Routed(found.lower, found.upper, "a window of the sum of the others' scores")

    def within_window(self, gamma: Exact, width: Fraction) -> Enclosure:
        """Return H_gamma, gamma >= 1, from a window of the others' sum, from below.

        Raises:
            UndecidedError: If the width is not reached.
        """
        for bits in _BITS:
            found = self._within(gamma, bits)
            if found.is_narrow(width):
                return found
        raise UndecidedError(
            f"n={count_text(self.n)}: delta cannot be told from 0 with {_BITS[-1]:,} bits. "
            "Ask at a smaller epsilon."
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

    def deltas_at(
        self, gammas: Sequence[Fraction] | Sequence[Exact], smooth: Fraction
    ) -> list[Enclosure]:
        """Return δ at each of some γ >= 1, in doubles; it is not smoothed."""
        return self._suffixes().deltas(gammas)

    def loss_deviation(self) -> float:
        """Return about the deviation of the loss, for plans."""
        return self._suffixes().loss_deviation()

    def pairs_near(
        self, size: int, rest: Fraction, knots: Placing | None = None
    ) -> tuple[Pair, Pair]:
        """Return finite pairs below and above, as of so many outputs; above δ ends at rest."""
        return pairs_around_curves((self,), (self.reversed(),), size=size, rest=rest, knots=knots)

    def _suffixes(self) -> Suffixes:
        return _suffixes(self.first, self.second, self.others)

    def is_slow(self) -> bool:
        """Return whether there is nothing but a window for too many users."""
        return self.n > _MANY_USERS and self.trials() is None

    def trials(self) -> list[tuple[Number, int]] | None:
        """Return the trials that make the others' scores, with their numbers, if there are."""
        found: list[tuple[Number, int]] = []
        for row, count in self.others:
            x, y, z = (*row, Exact(0))[:3]
            square = y * y - 4 * x * z
            if len(row) > 3 or square.sign() < 0:
                return None
            if x * z == 0:  # one of the trials is certain
                found.append((z if x == 0 else y, count))
                continue
            root = sqrt(square) if square != 0 else Exact(0)
            found += [((y + 2 * z + root) / 2, count), ((y + 2 * z - root) / 2, count)]
        return found

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        tops = [one.loss_bound() for one in (self, self.reversed())]
        if self.n > _MOST_SUMMED or any(top.is_infinite for top in tops):
            return self._renyi_from_delta(order, width)
        for bits in _BITS:
            with precision(2 * bits + order.numerator.bit_length()):
                moment, a = self._moment(order, bits, tops), fmpq_of(order)
                found = (moment - 1).log1p() / (a - 1)
                lower, upper = endpoints(found) if found.is_finite() else (Fraction(0), Fraction(1))
            if lower > 0 and upper - lower <= width * lower:
                return Enclosure(lower, upper)
        raise UndecidedError(
            f"n={count_text(self.n)}: the divergence cannot be told from 0 with {_BITS[-1]:,} "
            "bits. Ask at a smaller epsilon."
        )

    def _moment(self, order: Fraction, bits: int, tops: Sequence[Epsilon]) -> arb:
        """Return E_Q (P/Q)^a from a window of so many bits."""
        window, work, scores = _window(self.others, bits), working_bits(), len(self.first)
        first, second = ([mass.ball(work) for mass in law] for law in (self.first, self.second))
        a, b, none = arb(fmpq_of(order)), arb(fmpq_of(1 - order)), [fmpz(0)] * (scores - 1)
        weights, total = [*none, *window.weights, *none], arb(0)
        for s in range(len(weights) - scores + 1):
            near = weights[s : s + scores][::-1]
            p = sum((x * w for x, w in zip(first, near, strict=True)), arb(0))
            q = sum((x * w for x, w in zip(second, near, strict=True)), arb(0))
            if p > 0:
                total += p**a * q**b
        r, r_turned = (top.exp.ball(work) for top in tops)
        most = max(arb(1), a - 1) * r**a if order > 1 else a * r_turned**b + b * r**a
        return total / arb(2) ** bits + arb(0, (most * fmpq_of(window.missing)).upper())

    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q) of two scores: the victim's own, if the others may all send one.

        Raises:
            UndecidedError: If there are more scores, or others who never send one of them.
        """
        if len(self.first) > 2 or any(mass == 0 for row, _ in self.others for mass in row):
            raise UndecidedError("the largest ratio is not found. Ask for hockey_stick or epsilon.")
        return self.loss_bound()

    def loss_bound(self) -> Epsilon:
        """Return the victim's own D_∞, which bounds the losses: the others' messages are added."""
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


@remembered(maxsize=256)
def _suffixes(first: Masses, second: Masses, others: tuple[tuple[Masses, int], ...]) -> Suffixes:
    """Return the sums of both laws from each score on, the most telling last."""
    window = _window(others, _BITS[0])
    law = [math.ldexp(int(weight), -window.bits) for weight in window.weights]
    p, q = ([mass.ball(128) for mass in row] for row in (first, second))
    return Suffixes.of_scores(law, p, q, window.missing)


@remembered(maxsize=64)
def _window(others: tuple[tuple[Masses, int], ...], bits: int) -> CountWindow:
    """Return the law of the others' sum: the same for every γ."""
    return sum_window(others, bits=bits)


def _positive(values: list[fmpz]) -> Fraction:
    return Fraction(int(sum((c for c in values if c > 0), fmpz(0))))
