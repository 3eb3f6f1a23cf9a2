"""Bounds of the Rényi divergences of a pair: bounds at some orders, or ρ·a at every order.

Rows of independent pairs add up, order by order. Each row is a bound of δ and of ε (Chernoff's):
the max over t >= 0 of (1 − e^−t)e^(−λt) is λ^λ/(1 + λ)^(1 + λ), at e^−t = λ/(1 + λ), so that

    E max(0, 1 − e^(ε − L)) <= e^(λ(D_(1 + λ) − ε)) λ^λ/(1 + λ)^(1 + λ), λ > 0,

which is at most δ from

    ε = D_a + (ln(1/δ) + (a − 1) ln(1 − 1/a) − ln a)/(a − 1), a = 1 + λ, on.

The best that all rows say together has a pair with two outcomes (``two_point``). Let P = (p, 1 − p)
and Q = (q, 1 − q), p > q, with the losses u = ln(p/q) > 0 and −v, v = ln((1 − q)/(1 − p)) > 0:

    e^(λD_a(P ‖ Q)) − 1 = p(e^(λu) − 1) + (1 − p)(e^(−λv) − 1),

and D_1(P ‖ Q) = pu − (1 − p)v; of (Q, P) it is the same with 1 − q, v, q and u in the place of p,
u, 1 − p and v. In these numbers little cancels, however small p or p − q is.

References: I. Mironov, Rényi Differential Privacy, 2017; M. Bun and T. Steinke, Concentrated
Differential Privacy, 2016; C. Canonne, G. Kamath and T. Steinke, The Discrete Gaussian for
Differential Privacy, NeurIPS 2020, Proposition 12; C. Canonne, A short note on an inequality
between KL and TV, 2022; T. van Erven and P. Harremoës, Rényi Divergence
and Kullback-Leibler Divergence, 2014 (λD_(1 + λ) is convex in λ: Corollary 2).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

from flint import arb

from exactdp.numbers import fmpq_of, fraction_of
from exactdp.numbers.balls import endpoints

__all__ = ["Certain", "RenyiRow", "RenyiRows", "sum_of_bounds"]

_Point = tuple[Fraction, Fraction]

_FAR = 2**20
"""An exponent beyond which e^−x is not told from 0."""

_INTERVALS = 4_000
"""Intervals of orders that cover all of them, at most."""

_SHORTEST = Fraction(1, 1 << 40)
"""The length of an interval that is not divided any more."""


@dataclass(frozen=True, slots=True, order=True)
class RenyiRow:
    """One bound: D_(1 + power) is at most a number, of (P, Q) or backward, of (Q, P).

    A power of 0 is the Kullback-Leibler divergence.
    """

    power: Fraction
    bound: Fraction
    is_backward: bool = False

    def log_delta(self, nats: arb) -> arb:
        """Return the logarithm of Chernoff's bound of δ(ε), which may be above 0.

        Example:
            D_2 = 1 at ε = 3: e^−2/4.

            >>> row = RenyiRow(Fraction(1), Fraction(1))
            >>> row.log_delta(arb(3)).overlaps(-2 - 2 * arb(2).log())
            True
        """
        power = arb(fmpq_of(self.power))
        return power * (fmpq_of(self.bound) - nats) - _entropy(power)

    def delta(self, nats: arb) -> arb:
        """Return that bound, from e^−1048576, as lower ones have too many digits, to 1."""
        return self.log_delta(nats).max(arb(-_FAR)).min(arb(0)).exp()

    def nats(self, log_delta: arb) -> arb:
        """Return the ε from which on that is at most the logarithm of a δ."""
        power = arb(fmpq_of(self.power))
        return fmpq_of(self.bound) - (_entropy(power) + log_delta) / power

    def excess(self, point: Certain) -> arb:
        """Return a ball of the sign of D_(1 + power) − bound, at the working precision.

        Example:
            >>> from exactdp.numbers import precision
            >>> row = RenyiRow(Fraction(1), Fraction(4, 5))  # ln(7/3) = 0.847
            >>> with precision(64):
            ...     row.excess(Certain(arb(3) / 4, arb(1) / 4, arb(3).log())) > 0
            True
        """
        up_mass, up, down_mass, down = point.side(is_backward=self.is_backward)
        bound = arb(fmpq_of(self.bound))
        if self.power == 0:
            return up_mass * up - down_mass * down - bound
        power = arb(fmpq_of(self.power))
        moment = up_mass * (power * up).expm1() + down_mass * (-power * down).expm1()
        return moment - (power * bound).expm1()

    def gradient(self, point: Certain) -> tuple[arb, arb]:
        """Return the derivatives of :meth:`excess` in p and in q."""
        _, up, _, down = point.side(is_backward=self.is_backward)
        power = arb(fmpq_of(self.power))
        first, second = up + down, -(up.exp() - (-down).exp())
        if self.power != 0:
            first = (1 + power) * ((power * up).exp() - (-power * down).exp())
            second = -power * (((1 + power) * up).exp() - (-(1 + power) * down).exp())
        return (-second, -first) if self.is_backward else (first, second)


@dataclass(frozen=True, slots=True)
class Certain:
    """Two laws on two outcomes in balls: p, 1 − p and u, from which v and q follow."""

    p: arb
    rest: arb
    u: arb

    @property
    def q(self) -> arb:
        """The probability q = p·e^(−u)."""
        return self.p * (-self.u).exp()

    def side(self, *, is_backward: bool) -> tuple[arb, arb, arb, arb]:
        """Return p, u, 1 − p and v of (P, Q), or their counterparts backward."""
        gap = -self.p * (-self.u).expm1()  # p − q
        v = (gap / self.rest).log1p()
        if is_backward:
            return self.rest + gap, v, self.q, self.u
        return self.p, self.u, self.rest, v


@dataclass(frozen=True)
class RenyiRows:
    """Bounds of D_a(P ‖ Q) and of D_a(Q ‖ P) at orders a > 1, which hold together.

    Attributes:
        rows: Bounds at single orders, each above 0; in any order.
        rho: ρ, above 0, if D_a <= ρ·a at every order, in both directions; else None, and then there
            is a row of (P, Q).
    """

    rows: tuple[RenyiRow, ...] = ()
    rho: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(sorted(self.rows)))

    @classmethod
    def total(cls, parts: Sequence[tuple[RenyiRows, int]]) -> RenyiRows:
        """Return the rows of independent pairs together, each so many times.

        They are at the orders of all, where all have a bound in both directions.

        Example:
            >>> one = RenyiRows(rho=Fraction(1))
            >>> two = RenyiRows((RenyiRow(Fraction(1), Fraction(5)),))
            >>> RenyiRows.total([(one, 2), (two, 1)]).bound(Fraction(2))
            Fraction(9, 1)
        """
        found: list[RenyiRow] = []
        for power in {row.power for rows, _ in parts for row in rows.rows}:
            for side in (False, True):
                bounds = [(rows.bound(1 + power, is_backward=side), k) for rows, k in parts]
                size = sum_of_bounds(bounds)
                found += [] if size is None else [RenyiRow(power, size, is_backward=side)]
        return cls(tuple(found), sum_of_bounds([(rows.rho, times) for rows, times in parts]))

    def side(self, *, is_backward: bool) -> list[RenyiRow]:
        """Return the rows of one direction, ascending."""
        return [row for row in self.rows if row.is_backward == is_backward]

    def at(self, power: Fraction, *, is_backward: bool = False) -> list[RenyiRow]:
        """Return the row that ρ says of an order, if there is a ρ."""
        if self.rho is None:
            return []
        return [RenyiRow(power, self.rho * (1 + power), is_backward)]

    def bound(self, order: Fraction, *, is_backward: bool = False) -> Fraction | None:
        """Return the implied bound of D_a, a = order > 1; None if it is infinite.

        It is by the chords of λD_(1 + λ), which is convex and 0 at λ = 0, or ρ·a.

        Example:
            Between 2 and 4, at 3, (1·1 + 3·3)/2 = 5 is 2D_3 at most:

            >>> rows = RenyiRow(Fraction(1), Fraction(1)), RenyiRow(Fraction(3), Fraction(3))
            >>> RenyiRows(rows).bound(Fraction(3))
            Fraction(5, 2)
        """
        power, hull = order - 1, self._hulls[is_backward]
        found = [row.bound for row in self.at(power)]
        end = bisect_left(hull, power, key=itemgetter(0))
        if end < len(hull):
            (x, low), (y, high) = hull[end - 1 : end + 1]
            found.append((low + (high - low) * (power - x) / (y - x)) / power)
        return min(found, default=None)

    @cached_property
    def _hulls(self) -> tuple[list[_Point], list[_Point]]:
        """The points (λ, λD_(1 + λ)) of both directions that lie below all chords."""
        forward, backward = (self.side(is_backward=side) for side in (False, True))
        return _hull(forward), _hull(backward)

    def least_delta(self, nats: arb) -> RenyiRow:
        """Return about the row of (P, Q) that says the most of δ(ε), at the working precision.

        That of ρ is at the root of 2ρλ = ε − ρ + 1/λ, where 1/λ stands for ln(1 + 1/λ).
        """
        found = self.side(is_backward=False)
        if self.rho is not None:
            rho = arb(fmpq_of(self.rho))
            beyond = nats - rho
            root = (beyond * beyond + 8 * rho).sqrt()
            best = (beyond + root) / (4 * rho) if beyond > 0 else 2 / (root - beyond)
            found += self.at(_middle(best))
        return min(found, key=lambda row: row.log_delta(nats).mid())

    def least_nats(self, log_delta: arb) -> RenyiRow:
        """Return about the row that says the most of ε(δ); that of ρ is at λ² = ln(1/δ)/ρ."""
        found = self.side(is_backward=False)
        if self.rho is not None:
            found += self.at(_middle((-log_delta / fmpq_of(self.rho)).sqrt()))
        return min(found, key=lambda row: row.nats(log_delta).mid())

    def distance(self) -> Fraction:
        """Return a bound of δ(0), of which no δ(ε), ε >= 0, is more, at the working precision.

        It is min(√(D/2), 1 − e^(−D)/2), D the least bound of all, and so one of D_1 (Pinsker's, and
        Bretagnolle and Huber's), which is the same in both directions.
        """
        mean = arb(fmpq_of(min(row.bound for row in (*self.rows, *self.at(Fraction(0))))))
        far = 1 - (-mean).exp() / 2 if mean < _FAR else arb(1)
        return min(Fraction(1), *(endpoints(x)[1] for x in ((mean / 2).sqrt(), far)))

    def least_rho(self) -> Fraction:
        """Return the largest ρ whose ρ·a keeps all rows."""
        return min(row.bound / (1 + row.power) for row in (*self.rows, *self.at(Fraction(0))))

    def hold(self, point: Certain) -> bool:
        """Return whether all certainly hold for a pair, at the working precision."""
        return all(row.excess(point) <= 0 for row in self.rows) and (
            self.rho is None
            or all(_is_concentrated(point, self.rho, is_backward=side) for side in (False, True))
        )

    def reversed(self) -> RenyiRows:
        """Return the rows of (Q, P)."""
        turned = (replace(row, is_backward=not row.is_backward) for row in self.rows)
        return RenyiRows(tuple(turned), self.rho)


def sum_of_bounds(bounds: Iterable[tuple[Fraction | None, int]]) -> Fraction | None:
    """Return the sum of bounds, each so many times; None if one of them is not known."""
    total = Fraction(0)
    for bound, times in bounds:
        if bound is None:
            return None
        total += times * bound
    return total


def _hull(rows: Iterable[RenyiRow]) -> list[_Point]:
    hull = [(Fraction(0), Fraction(0))]
    for row in rows:
        x, y = row.power, row.power * row.bound
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x0) < (y - y0) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _middle(ball: arb) -> Fraction:
    return fraction_of(ball.mid().fmpq())


def _entropy(x: arb) -> arb:
    """Return (1 + x)·ln(1 + x) − x·ln x, of any size."""
    return x.log1p() + x * (1 / x).log1p()


class _Cumulants:
    """k(λ) = λD_(1 + λ) of two laws on two outcomes, its derivatives, and ρλ(1 + λ), in balls."""

    def __init__(self, side: tuple[arb, arb, arb, arb], rho: Fraction) -> None:
        self.up_mass, self.up, self.down_mass, self.down = side
        self.rho = arb(fmpq_of(rho))

    def share(self, power: arb) -> arb:
        """Return the mass of the first outcome under the law that is tilted by λ times the loss."""
        odds = self.up_mass / self.down_mass * (power * (self.up + self.down)).exp()
        return 1 - 1 / (1 + odds)

    def is_kept(self, start: Fraction, end: Fraction) -> bool | None:
        """Return whether k(λ) <= ρλ(1 + λ) on an interval, certainly, by Taylor at its start.

        None if that is not so at the start itself, and so in no part that begins there.

        f(λ) = ρλ(1 + λ) − k(λ) is at least f + f'h + ch², h = λ − start, c = ρ − max k''/2, and k''
        is (u + v)² times t(1 − t), t the share, which grows.
        """
        x, h = arb(fmpq_of(start)), arb(fmpq_of(end - start))
        share, last = self.share(x), self.share(arb(fmpq_of(end)))
        rise = self.rho * (1 + 2 * x) - self.up * share + self.down * (1 - share)
        nearest = share.max(last.min(arb(1) / 2))  # to 1/2
        spread = nearest * (1 - nearest)
        bend = self.rho - (self.up + self.down) ** 2 * spread / 2
        fall = bend.min(arb(0))
        if start == 0:
            return bool(rise + fall * h >= 0)
        moment = self.up_mass * (x * self.up).expm1() + self.down_mass * (-x * self.down).expm1()
        level = self.rho * x * (1 + x) - moment.log1p()
        if not level >= 0:
            return None
        if level + rise * h + fall * h * h >= 0:
            return True
        return bool(bend > 0) and bool(level >= rise * rise / (4 * bend))


def _is_concentrated(point: Certain, rho: Fraction, *, is_backward: bool) -> bool:
    """Return whether λD_(1 + λ) <= ρλ(1 + λ) for all λ > 0, certainly.

    Beyond λ = D_∞/ρ − 1 it is, as D_(1 + λ) <= D_∞.
    """
    kept = _Cumulants(point.side(is_backward=is_backward), rho)
    knots = [Fraction(0), Fraction(1, 64)]
    while not arb(fmpq_of(knots[-1] + 1)) * kept.rho >= kept.up:
        knots.append(2 * knots[-1])
    left = list(pairwise(knots))
    for _ in range(_INTERVALS):
        if not left:
            return True
        start, end = left.pop()
        is_kept = kept.is_kept(start, end)
        if is_kept is None or (not is_kept and end - start < _SHORTEST):
            return False
        middle = (start + end) / 2
        left += [] if is_kept else [(start, middle), (middle, end)]
    return False
