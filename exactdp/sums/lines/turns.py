r"""Characteristic functions of many variables of few values, at places in a row.

Of chances c_j and angles θ_j, φ(m) = Σ_j c_j e^(iθ_j m) is wanted for m = 1, 2, ..., where it
is not small. With m = bB + k, 0 <= k < B, and a = e^(iθbB) − 1, b = e^(iθk) − 1,

    φ(m) − 1 = Σ_j c_j (a_j + b_j + a_j b_j),

products of matrices: values · (B + points/B) turns are worked out for all points.

*Blocks where φ is small* are left out whole. The e^(imθ) are unit vectors with the inner products
φ(m − m'), and arccos|<u, v>| is a distance between lines (Fubini and Study): with m' in the middle
of a block, and s² = E(θ − t)² for any t,

    arccos|φ(m)| >= arccos|φ(m')| − arccos|φ(m − m')|,   |φ(r)| >= 1 − s²r²/2.

*Doubles.* Turns are made by products from those of fewer m. One product errs by at most
5u(|a| + |b| + |ab|) <= 10u(j + k)|θ|, as |a| <= j|θ|, |b| <= k|θ| and |ab| <= |a| + |b|; what a and
b have lost is multiplied by nearly 1. The first one errs by 8u|θ| and 2^−100. After d levels, each
of two products, e^(iθm) − 1 errs by at most 32u(d + 1)·m|θ| and m·2^−95. A product of matrices errs
by at most √2(2J + 3)u(1 + 2Ju) of the moduli that are added, for J values, in any order (Higham,
Accuracy and Stability of Numerical Algorithms, 3.5), the sums over a and b by less, and a chance by
2u: together by (8J + 32)u·m·Σ c_j|θ_j| at most, as the moduli are 2m·Σ c_j|θ_j| in all.

References: E. Study, Kürzeste Wege im komplexen Gebiet, Math. Ann. 60, 1905 (the distance).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from flint import acb, arb

from exactdp.errors import UndecidedError
from exactdp.numbers.later import np
from exactdp.sums.doubles import STEP, TINY, UNIT, Doubles, double

__all__ = ["Places", "Turns", "places_above", "power"]

_SLACK = 1 + 2.0**-20
"""Factors of bounds that are worked out in a few steps of doubles are taken as much larger."""

_SHORT = 0.5
"""Angles up to this size have their turns by series; what these leave out is below u/1000."""

_OF_SINE = tuple(2 * k * (2 * k + 1) for k in range(1, 9))
"""Divisors of a series: sin θ = θ(1 − θ²/6·(1 − θ²/20·(1 − ...)))."""

_OF_COSINE = tuple((2 * k + 1) * (2 * k + 2) for k in range(1, 9))
"""Divisors of a series: 1 − cos θ = θ²/2·(1 − θ²/12·(1 − θ²/30·(1 − ...)))."""

_RADIUS = 2.0**-101
"""The largest radius of an angle, as for :func:`~exactdp.sums.doubles.double`."""

_TINY = 2.0**-94
"""What a turn errs by a place beside that, at most."""

_MORE_LEVELS = 3
"""Levels beyond the binary digits of the number of places: two ladders are rounded up."""


@dataclass(frozen=True, slots=True)
class Turns:
    """e^(iθm) − 1 for m from 0 on and each of some θ, in two factors.

    Attributes:
        low: A turn for each k < B, θ by θ.
        high: A turn for each multiple bB.
        sizes: Bounds of |θ|, modulo 2π.
        levels: d + 1 of the header.
    """

    low: Doubles
    high: Doubles
    sizes: Doubles
    levels: int

    @classmethod
    def of(cls, angles: Sequence[arb], points: int, block: int) -> Turns:
        """Return the turns of angles for m below a number of points, in blocks of a power of 2."""
        turns, sizes = _first_turns(angles)
        low, factor = _ladder(turns[:, None], block)
        high, _ = _ladder(factor, ceil(points / block))
        return cls(low, high, sizes, points.bit_length() + _MORE_LEVELS)

    def at(self, rows: Doubles, places: Doubles) -> tuple[Doubles, Doubles]:
        """Return e^(iθm) − 1 at pairs of a θ and an m, with bounds of the errors."""
        block = self.low.shape[1]
        a, b = self.high[rows, places // block], self.low[rows, places % block]
        off = (32 * UNIT * self.levels * self.sizes[rows] + _TINY) * places * _SLACK
        return a + b + a * b, off


@dataclass(frozen=True, slots=True)
class Places:
    """The frequencies where characteristic functions are not small.

    Attributes:
        rows: The variable, ascending.
        places: m.
        lack: φ(m) − 1.
        error: A bound of the error of that.
    """

    rows: Doubles
    places: Doubles
    lack: Doubles
    error: Doubles


def places_above(
    angles: Sequence[Sequence[arb]],
    chances: Sequence[Sequence[arb]],
    least: arb,
    *,
    points: int,
    block: int,
) -> Places:
    """Return the places 1, 2, ... below a number of points at which |φ| may be above a level.

    Args:
        angles: The θ_j, variable by variable, as balls of 128 bits.
        chances: Their probabilities.
        least: The level, from 0 to 1.
        points: The number of points.
        block: B, a power of 2.

    Example:
        A fair coin of angles 0 and 1 has |φ(m)| = |cos(m/2)|: above 9/10 near multiples of 2π.

        >>> from exactdp.numbers import precision
        >>> with precision(128):
        ...     coin = [[arb(0), arb(1)]], [[arb(0.5), arb(0.5)]]
        ...     found = places_above(*coin, arb(0.9), points=16, block=4)
        >>> found.places.tolist()
        [6, 7, 12, 13]
    """
    count, values = len(angles), len(angles[0])
    turns = Turns.of([angle for row in angles for angle in row], points, block)
    weights = np.array([[float(c.mid()) for c in row] for row in chances])
    sizes = turns.sizes.reshape(count, values)
    low, high = (x.reshape(count, values, -1) for x in (turns.low, turns.high))
    mean = (weights * sizes).sum(axis=1) * _SLACK
    off = ((32 * turns.levels + 8 * values + 32) * UNIT * mean + _TINY) * _SLACK
    high = weights[:, :, None] * high
    starts, inside = high.sum(axis=1), (weights[:, :, None] * low).sum(axis=1)
    half = block // 2
    middle = low[:, :, half]
    lack = starts + inside[:, half, None] + (high * middle[:, :, None]).sum(axis=1)
    error = off[:, None] * (block * np.arange(lack.shape[1]) + half)
    squares = _squares(angles, weights)
    levels = [_level_of_middles(least, square, half) for square in squares]
    is_chosen = _modulus(lack, error) > np.array(levels)[:, None]
    found, level = [], _rounded_down(least)
    for i in range(count):
        blocks = np.flatnonzero(is_chosen[i])
        cross = np.einsum("jb,jk->bk", high[i][:, blocks], low[i])
        lack = (starts[i][blocks][:, None] + inside[i] + cross).reshape(-1)
        places = (block * blocks[:, None] + np.arange(block)).reshape(-1)
        error = off[i] * places
        taken = (_modulus(lack, error) > level) & (places > 0) & (places < points)
        rows = np.full(int(taken.sum()), i)
        found.append((rows, places[taken], lack[taken], error[taken]))
    return Places(*(np.concatenate(column) for column in zip(*found, strict=True)))


def power(lack: Doubles, error: Doubles, n: int) -> tuple[Doubles, Doubles]:
    """Return φ^n − 1, and bounds on the errors, by squaring.

    Formula:
        As |φ| <= 1, |φ^j − 1| <= j|φ − 1| and |ab| <= |a| + |b| for a, b of two powers: so one
        product errs by 10u(j + k)|φ − 1| at most, and d of them in turn make n(e + 10ud|φ − 1|) of
        an error e of φ; 16u are taken.

    Example:
        >>> found, error = power(np.array([-0.5 + 0j]), np.array([1e-9]), 2)
        >>> found.item(), 2e-9 < error.item() < 2.1e-9
        ((-0.75+0j), True)
    """
    found = lack
    for bit in bin(n)[3:]:
        found = 2 * found + found * found
        if bit == "1":
            found = found + lack + found * lack
    depth = 2 * n.bit_length()
    return found, n * (error + 16 * depth * UNIT * _sides(lack) + depth * TINY) * _SLACK


def _sides(x: Doubles) -> Doubles:
    """Return bounds of moduli: the sums of those of both parts."""
    found: Doubles = np.abs(x.real) + np.abs(x.imag)
    return found


def _ladder(factor: Doubles, points: int) -> tuple[Doubles, Doubles]:
    """Return t^m − 1 for m below a number of points, from t − 1; and t^M − 1 for the next 2^i."""
    found = np.empty((len(factor), points), dtype=complex)
    found[:, 0] = 0
    done = 1
    while done < points:
        more = min(done, points - done)
        part = found[:, :more]
        found[:, done : done + more] = part + factor + part * factor
        factor = 2 * factor + factor * factor
        done += more
    return found, factor


def _modulus(lack: Doubles, error: Doubles) -> Doubles:
    """Return bounds of |φ|."""
    found: Doubles = np.sqrt((1 + lack.real) ** 2 + lack.imag**2) * (1 + 2 * STEP) + error
    return found


def _first_turns(angles: Sequence[arb]) -> tuple[Doubles, Doubles]:
    """Return e^(iθ) − 1 of angles, within 8u|θ| and 2^−100, and bounds of |θ| modulo 2π."""
    if not sum(angles, arb(0)).rad() < _RADIUS:
        raise UndecidedError(
            "a phase of the transform is not known well enough. Take less extreme numbers."
        )
    near = np.array([float(angle.mid()) for angle in angles])
    square = near * near
    rise, fall = (_alternating(square, divisors) for divisors in (_OF_SINE, _OF_COSINE))
    turns = 1j * (near * rise) - square / 2 * fall
    circle = 2 * arb.pi()
    for i in np.flatnonzero(~(np.abs(near) <= _SHORT)).tolist():
        angle = angles[i] - circle * (angles[i] / circle + 0.5).mid().floor()
        near[i], turns[i] = float(angle.mid()), double(acb(0, angle).expm1())
    return turns, np.abs(near) * _SLACK + _TINY


def _alternating(square: Doubles, divisors: Sequence[int]) -> Doubles:
    """Return 1 − x/d_1·(1 − x/d_2·(1 − ...)), for x <= 1/4 within 3u of itself."""
    found: Doubles = np.ones(len(square))
    for divisor in reversed(divisors):
        found = 1 - square / divisor * found
    return found


def _squares(angles: Sequence[Sequence[arb]], weights: Doubles) -> list[float]:
    """Return bounds of s², about the means: angles and chances are known to 2u of themselves."""
    near = np.array([[float(angle.mid()) for angle in row] for row in angles])
    means = (weights * near).sum(axis=1)[:, None]
    off = np.abs(near - means) + 8 * UNIT * (np.abs(near) + np.abs(means))
    found: list[float] = ((weights * off**2).sum(axis=1) * _SLACK).tolist()
    return found


def _level_of_middles(least: arb, square: float, half: int) -> float:
    """Return a level that |φ| exceeds mid-block if it exceeds the given one anywhere in the block.

    It is cos(x + y), where cos x is the level, and cos y = 1 − s²r²/2 at the ends.
    """
    fall = arb(square) * half * half / 2
    if not fall < 1:
        return -1.0
    found = least * (1 - fall) - ((1 - least * least) * fall * (2 - fall)).sqrt()
    return _rounded_down(found)


def _rounded_down(value: arb) -> float:
    """Return a double that is at most a number from −1 to 1."""
    return float(value.lower()) - 2.0**-52
