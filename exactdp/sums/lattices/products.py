r"""Products of powers of transforms in doubles, with a bound of the error at each point.

Let φ be known to e at a point, in doubles; u = 2^−53, products of complex doubles err by less than
3u of their modulus, sums by u of the moduli. What is known of a sum of losses, each tilted law of
total mass 1 at most:

*All.* Π φ_i^(n_i) is known to Π(|φ_i| + e_i)^(n_i) (Σ n_i e_i/(|φ_i| + e_i) + 3u Σ n_i).

*Those with a hit.* Let each law be one of losses that are not hits, b, and one of hits, h, and
a = b + h. Sums with at least one hit have the transform Π a_i^(n_i) − Π b_i^(n_i), where rare hits
cancel: so A_m = a^m − b^m is found from A_1 = h by

    A_(2m) = A_m (a^m + b^m),     A_(m+1) = A_m a + b^m h,

and for several laws by A·a_i^n + B·A_i, B the product of the b^n before. Let t bound |a| and |b|,
both known to t·e_t, and s = |h| + e_h. Then |A_m| <= m t^(m−1) s, a^m and b^m are known to
m t^m (e_t + 3u), and by induction A_m to m t^(m−1) s (e_h/s + m(e_t + 8u)): in units of t^(2m−1) s
what A_(2m) is off by is at most

    2m(e_h/s + m(e_t + 8u)) + 2m²(e_t + 3u) + 10mu <= 2m(e_h/s + 2m(e_t + 8u)),

and in units of t^m s what A_(m+1) is off by is at most

    m(e_h/s + m(e_t + 8u)) + m e_t + m(e_t + 3u) + e_h/s + 5(m + 1)u
        <= (m + 1)(e_h/s + (m + 1)(e_t + 8u)).

Where a power is below e^−75 zero is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log

from flint import arb

from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import SAFE, UNIT, Doubles
from exactdp.sums.lattices.fourier import Fourier

__all__ = ["TINY", "PowerRow", "Product", "Rows"]

TINY = 1e-100
"""Masses up to this are dropped, and twice as much is counted: doubles below 1e-308 are slow.

It is also what underflow may lose of a sum: the bounds of errors rest on it."""

_NOTHING = 75.0
"""Nats below which a power counts as 0; what that loses is in the bounds of errors."""

_LARGE = 700.0
"""The largest logarithm of a bound that is taken to a power: e^709 is the largest double."""

_BLOCK = 1 << 15
"""Frequencies that are multiplied at a time: half a megabyte an array."""


@dataclass(frozen=True, slots=True, eq=False)
class PowerRow:
    """Masses modulo Λ, as shares of a law: few, on a lattice of many points.

    Attributes:
        places: The places of the masses, each once.
        masses: The masses, in doubles.
        error: A bound of the sum of their errors.
    """

    places: list[int]
    masses: Doubles
    error: float

    @classmethod
    def of(cls, tilted: dict[int, arb], total: arb, grain: int, points: int) -> PowerRow:
        """Return the row of masses by place, as shares of a total."""
        modulo: dict[int, arb] = {}
        for place, mass in tilted.items():
            index = (place // grain) % points
            modulo[index] = modulo.get(index, arb(0)) + mass
        found: dict[int, float] = {}
        error = 0.0
        for index, mass in modulo.items():
            share = mass / total
            value = float(share.mid())
            error += float(share.rad()) * 2 + 8 * UNIT * value
            if value > TINY:  # doubles below their normal range are slow
                found[index] = value
            else:
                error += 2 * TINY
        return cls(list(found), np.array(list(found.values())), error * SAFE)

    def transform(self, plan: Fourier) -> tuple[Doubles, float]:
        """Return φ at all frequencies, in doubles, and the bound e of each error."""
        error = (float(self.masses.sum()) * plan.error + self.error) * SAFE
        line = np.zeros(plan.points)
        line[self.places] = self.masses
        return plan.forward(line).reshape(-1), error


Rows = tuple[PowerRow | None, PowerRow | None, int]
"""The row of losses that are not hits, that of hits, None for none, and the number of copies."""


@dataclass(slots=True, eq=False)
class Product:
    """The transform of a sum: of all, and of those with at least one hit.

    Attributes:
        plan: The discrete transform.
        whole: Π a_i^(n_i), in doubles.
        hits: Π a_i^(n_i) − Π b_i^(n_i), in doubles; None if all losses are hits, so that b = 0.
        error: Bounds of the errors of ``values``.
    """

    plan: Fourier
    whole: Doubles
    hits: Doubles | None
    error: Doubles

    @classmethod
    def of(cls, rows: Sequence[Rows], plan: Fourier) -> Product:
        """Return the product of laws: of those that are not hits, of hits, and copies.

        Raises:
            TooLargeError: If the work is more than :func:`within_work` gave.
        """
        spend(1 + len(rows) * plan.frequencies // 4)  # n laws ask for n of them
        if all(rest is None for rest, _, _ in rows):
            return cls.of_all([(hits, n) for _, hits, n in rows if hits and n], plan)
        return cls.of_hits([(rest, hits, n) for rest, hits, n in rows if rest and n], plan)

    @classmethod
    def of_all(cls, rows: Sequence[tuple[PowerRow, int]], plan: Fourier) -> Product:
        """Return the product where all losses are hits."""
        found = np.ones(plan.frequencies, dtype=complex)
        bounds, shares = np.ones(plan.frequencies), np.zeros(plan.frequencies)
        copies, largest = 0, 1.0
        for row, times in rows:
            there, error = row.transform(plan)
            for block in _blocks(plan):
                one, product, most, share = (a[block] for a in (there, found, bounds, shares))
                size = np.abs(one) * SAFE + error
                # NaN stays, in the bound too: then nothing is said in the end.
                active = ~(size <= exp(-_NOTHING / times)) & (most != 0)
                product[~active], most[~active], share[~active] = 0, 0, 0
                product[active] *= _to_the(one[active], times)
                most[active] *= _to_the(size[active], times)
                share[active] += times * error / size[active] + 3 * UNIT * times
                largest = max(largest, float(size.max()))
            copies += times
        # At each other point one factor is below e^−75, the others below what masses add up to.
        errors = bounds * shares * SAFE + TINY
        errors[bounds == 0] = 2 * exp(min(copies * log(largest), _LARGE) - _NOTHING)
        return cls(plan, found, None, errors)

    @classmethod
    def of_hits(
        cls, rows: Sequence[tuple[PowerRow, PowerRow | None, int]], plan: Fourier
    ) -> Product:
        """Return the product of laws (no hits, hits, copies); None where a law has no hits."""
        n, last = plan.frequencies, len(rows) - 1
        errors, before = np.empty(n), dict[int, _Hits]()
        for place, (row, hit, times) in enumerate(rows):
            low, error = row.transform(plan)
            high, error_h = hit.transform(plan) if hit else (np.zeros(n, complex), 0.0)
            for i, block in enumerate(_blocks(plan)):
                found = _Hits.of((low[block], error), (high[block], error_h), times)
                if place:
                    found = before[i].times(found)
                if place < last:
                    before[i] = found
                else:  # the product takes the place of the transforms, which are long
                    low[block], high[block], errors[block] = found.whole, found.hits, found.error
        return cls(plan, low, high, errors + TINY)

    @property
    def values(self) -> Doubles:
        """The transform that is asked for: ``hits``, or ``whole`` if all losses are hits."""
        return self.whole if self.hits is None else self.hits


@dataclass(frozen=True, slots=True, eq=False)
class _Hits:
    """a^n, b^n and A_n of laws, and bounds.

    Attributes:
        whole: Π a_i^(n_i).
        rest: Π b_i^(n_i).
        hits: Their difference A.
        most: A bound of |whole| and |rest|.
        share: A bound of their errors, over ``most``.
        size: A bound of |A|.
        error: A bound of the error of A.
    """

    whole: Doubles
    rest: Doubles
    hits: Doubles
    most: Doubles
    share: Doubles
    size: Doubles
    error: Doubles

    @classmethod
    def of(cls, low: tuple[Doubles, float], high: tuple[Doubles, float], times: int) -> _Hits:
        """Return the powers from the transforms of losses that are not hits, and of hits.

        Both are given with the bound of their errors.
        """
        (b, error), (h, error_h) = low, high
        a = b + h
        t = np.maximum(np.abs(a), np.abs(b)) * SAFE + error + error_h
        s = np.abs(h) * SAFE + error_h
        # a is rounded too, by u(|a| + |b|) at most.
        relative = (error + error_h) / t + 4 * UNIT
        small = t <= exp(-_NOTHING / (times - 1)) if times > 1 else np.zeros(len(t), dtype=bool)
        before = np.full(len(t), exp(-_NOTHING))
        before[~small] = _to_the(t[~small], times - 1) if times > 1 else 1.0
        whole, rest, hits = (np.zeros(len(t), complex) for _ in range(3))
        whole[~small], rest[~small], hits[~small] = _ladder(a[~small], b[~small], h[~small], times)
        size = times * before * s * SAFE
        share = times * (relative + 3 * UNIT)
        error_all = times * before * error_h + size * times * (relative + 8 * UNIT)
        return cls(
            whole,
            rest,
            hits,
            np.where(small, exp(-_NOTHING), before * t * SAFE),
            np.where(small, 1.0, share),
            size,
            np.where(small, size, error_all) * SAFE,
        )

    def times(self, one: _Hits) -> _Hits:
        """Return the product of both: A·a_i^n + B·A_i of the header, with its bounds."""
        return _Hits(
            self.whole * one.whole,
            self.rest * one.rest,
            self.hits * one.whole + self.rest * one.hits,
            self.most * one.most * SAFE,
            self.share + one.share + 3 * UNIT,
            (self.size * one.most + self.most * one.size) * SAFE,
            (
                self.error * one.most
                + self.size * one.most * (one.share + 6 * UNIT)
                + self.most * one.error
                + self.most * one.size * (self.share + 6 * UNIT)
            )
            * SAFE,
        )


def _blocks(plan: Fourier) -> Iterator[slice]:
    """Yield slices of the frequencies, short enough for their arrays to stay in the cache."""
    for start in range(0, plan.frequencies, _BLOCK):
        yield slice(start, start + _BLOCK)


def _ladder(a: Doubles, b: Doubles, h: Doubles, times: int) -> tuple[Doubles, Doubles, Doubles]:
    """Return a^n, b^n and a^n − b^n."""
    whole, rest, hits = a, b, h
    for bit in bin(times)[3:]:
        hits = hits * (whole + rest)
        whole, rest = whole * whole, rest * rest
        if bit == "1":
            hits = hits * a + rest * h
            whole, rest = whole * a, rest * b
    return whole, rest, hits


def _to_the(values: Doubles, times: int) -> Doubles:
    """Return a power, ``times`` at least 1, by squaring."""
    found = values
    for bit in bin(times)[3:]:
        found = found * found
        if bit == "1":
            found = found * values
    return found
