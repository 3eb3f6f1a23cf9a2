r"""The discrete Fourier transform of real numbers in doubles, with a proven bound of its error.

N = r_1···r_m, R_i = r_1···r_i, ω_N = e^(−2πi/N). With n = (···(n_1·r_2 + n_2)r_3 + ···) + n_m and
k = k_1 + r_1(k_2 + r_2(k_3 + ···)), a step takes n_i to k_i, with a matrix of roots of unity,
ω_(r_i)^(n_i k_i), after turns of single numbers by ω_(R_i) to the power of
n_i(k_1 + R_1 k_2 + ··· + R_(i−2) k_(i−1)). Nothing is put back in order: X stays at
[k_1, ..., k_m], where powers do not mind, and the way back is the same steps in reverse,
conjugate. Matrices are small, so that BLAS uses one thread.

As x is real, X_(N−k) is the conjugate of X_k, and N − k = −k_1 modulo r_1: only k_1 <= r_1/2 is
kept. Then k_1 = 0 and k_1 = r_1/2 hold their own conjugates; the others stand for two.

*Error.* Let u = 2^−53. A product of complex matrices is, for each real number of it, a sum of 2r
products of doubles, in any order, fused or not; with entries known to u, it errs by at most
ρ_r = √2(2r + 3)u(1 + 2ru) times the sum of the moduli of what is added. A turn errs by at most
4u of what is turned; there are i − 1 of them before step i. As no entry exceeds 1, what a step has
lost counts at most once for each x_n in each X_k: |fl(X_k) − X_k| <= ε Σ|x_n|, 1 + ε the product of
all 1 + ρ and 1 + 4u. What underflows is at most TINY of the sum, which users count.

References: N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.5 and 24;
D. Bailey, FFTs in External or Hierarchical Memory, 1990 (the steps).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, inf, prod, sqrt

from flint import acb, arb

from exactdp.errors import TooLargeError
from exactdp.numbers import precision
from exactdp.numbers.effort import remembered, spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import BALL_BITS, UNIT, Doubles

__all__ = ["MAX_POINTS", "WIDEST", "Fourier", "TooFineError"]

MAX_POINTS = 15 << 19
"""Points of a lattice, at most: it limits the memory, and with it how narrow a width is reached.

An array of half as many complex doubles has 63 MB; a sum of losses holds about twelve at a time."""

_LARGEST = 32
"""The largest factor r_i of N, about: larger ones take longer products, smaller ones more turns."""


WIDEST = 0.5
"""A refusal names no relative width from here on: another way out is better."""


class TooFineError(TooLargeError):
    """A lattice that serves a width has too many points.

    Attributes:
        reached: About the narrowest relative width that would do; infinity if none is known.
    """

    def __init__(self, message: str, *, reached: float = inf) -> None:
        self.reached = reached
        super().__init__(message)

    @classmethod
    def at(cls, reached: float) -> TooFineError:
        """Return the error that names a relative width, or another way out if that is too wide."""
        advice = "Ask for sums of more alike losses."
        if reached < WIDEST:
            advice = f"Ask for {reached:.0e} or wider."
        text = f"a lattice that is fine enough has too many points. {advice}"
        return cls(text, reached=reached)


@dataclass(frozen=True, slots=True, eq=False)
class Fourier:
    """The transform of N = r_1···r_m real numbers.

    Attributes:
        shape: (r_1, ..., r_m), m at least 2.

    Example:
        >>> plan = Fourier.of_at_least(20)
        >>> plan.points, plan.shape, plan.kept
        (20, (5, 4), (3, 4))
        >>> there = plan.forward(np.arange(20.0))
        >>> bool(np.abs(plan.backward(there) / 20 - np.arange(20.0)).max() < 1e-12)
        True
    """

    shape: tuple[int, ...]

    @classmethod
    def of_at_least(cls, points: int) -> Fourier:
        """Return the transform of a number of points, or of few more."""
        steps = 2
        while _LARGEST**steps < points:
            steps += 1
        shape: list[int] = []
        while steps:
            shape.append(ceil(points ** (1 / steps) - 1e-9))
            points, steps = ceil(points / shape[-1]), steps - 1
        return cls(tuple(shape))

    @property
    def points(self) -> int:
        """The number N of points."""
        return prod(self.shape)

    @property
    def kept(self) -> tuple[int, ...]:
        """The shape of the kept half of X, (⌊r_1/2⌋ + 1, r_2, ..., r_m)."""
        return (self.shape[0] // 2 + 1, *self.shape[1:])

    @property
    def frequencies(self) -> int:
        """The number of kept entries of X."""
        return prod(self.kept)

    @property
    def error(self) -> float:
        """The error ε of the header."""
        found = 1.0
        for i, r in enumerate(self.shape):
            found *= (1 + sqrt(2) * (2 * r + 3) * UNIT * (1 + 2 * r * UNIT)) * (1 + 4 * UNIT) ** i
        return (found - 1) * (1 + 2.0**-20) + 2.0**-100

    def forward(self, x: Doubles) -> Doubles:
        """Return X, at [k_1, ..., k_m]."""
        spend(self._work)
        *_, before, last = self.kept
        y = x.astype(complex)
        for i, (r, kept) in enumerate(zip(self.shape[:-1], self.kept, strict=False)):
            # From (n_i, others, n_m) to (others, k_i, n_m); others end with k_1, ..., k_(i − 1).
            y = np.matmul(_roots(r)[:kept], y.reshape(r, -1, last).transpose(1, 0, 2))
            for axes, turn in self._turns(i + 1):
                y = y.reshape(axes)
                y *= turn
        found: Doubles = np.matmul(y.reshape(-1, before, last), _roots(last))
        return found.reshape(self.kept)

    def backward(self, y: Doubles) -> Doubles:
        """Return N times the x that has the transform y."""
        spend(self._work)
        *_, before, last = self.kept
        x = np.matmul(y.reshape(-1, before, last), np.conj(_roots(last)))
        for i in reversed(range(len(self.shape) - 1)):
            r, kept = self.shape[i], self.kept[i]
            for axes, turn in self._turns(i + 1):
                x = x.reshape(axes)
                x *= np.conj(turn)
            back = np.conj(_roots(r)[:, :kept]) * (self._counts() if i == 0 else 1)
            x = x.reshape(-1, kept, last)
            found = np.empty((r, len(x), last), dtype=complex)
            np.matmul(back, x, out=found.transpose(1, 0, 2))
            x = found
        return np.ascontiguousarray(x.real).reshape(-1)

    def total(self, values: Doubles) -> float:
        """Return a sum over all k, from the values that are kept; value N − k equals value k."""
        return float((self._counts() @ values.reshape(self.kept[0], -1)).sum())

    def separable(self, r: int) -> Doubles:
        """Return e^(2πirk/N) at [k_1, ..., k_m], flat: products of m numbers known to u."""
        found = np.ones(1, dtype=complex)
        for column in self.columns(r):
            found = (found[:, None] * column[None, :]).reshape(-1)
        return found

    def columns(self, r: int) -> list[Doubles]:
        """Return m columns of numbers known to u, of which e^(2πirk/N) is the product."""
        found, order = [], 1
        for size, kept in zip(self.shape, self.kept, strict=True):
            with precision(BALL_BITS):
                angles = (arb(2 * (r * order * k % self.points)) / self.points for k in range(kept))
                column = [complex(acb(angle).exp_pi_i().mid()) for angle in angles]
            found.append(np.array(column))
            order *= size
        return found

    def turned_sum(self, y: Doubles, columns: Sequence[Doubles]) -> float:
        """Return Σ_k y_k e^(2πirk/N), a real number, from ``columns(r)``."""
        total = y.reshape(self.kept)
        for column in reversed(columns[1:]):
            total = total @ column
        return float((total @ (columns[0] * self._counts())).real)

    @property
    def _work(self) -> int:
        """Operations of a transform."""
        return self.points * (40 + sum(self.shape)) // 2000 + 20

    def _counts(self) -> Doubles:
        """Return for each k_1 that is kept how many it stands for: itself and r_1 − k_1."""
        k = np.arange(self.kept[0])
        return np.where(2 * k % self.shape[0] == 0, 1.0, 2.0)

    def _turns(self, i: int) -> Iterator[tuple[tuple[int, ...], Doubles]]:
        """Yield shapes, and turns of that shape, before step i (counted from 0)."""
        shape, kept = self.shape, self.kept
        order = prod(shape[: i + 1])
        for j in range(i):
            # n_i comes first where more steps follow, and last before the last one.
            table = _roots_of(order // prod(shape[:j]), shape[i], kept[j])
            between, after = prod(shape[i + 1 : -1]) * prod(kept[:j]), prod(kept[j + 1 : i])
            if i + 1 < len(shape):
                yield (shape[i], between, kept[j], after * shape[-1]), table[:, None, :, None]
            else:
                yield (between, kept[j], after, shape[i]), table.T[None, :, None, :]


def _roots(r: int) -> Doubles:
    """Return ω_r^(jk), j and k below r."""
    return _roots_of(r, r, r)


@remembered(maxsize=256)
def _roots_of(order: int, rows: int, columns: int) -> Doubles:
    """Return ω_order^(jk) for j below rows and k below columns, each known to u."""
    exponents = np.outer(np.arange(rows), np.arange(columns)) % order
    found, places = np.unique(exponents, return_inverse=True)
    with precision(BALL_BITS):
        roots = [complex(acb(arb(-2 * int(m)) / order).exp_pi_i().mid()) for m in found]
    table = np.array(roots)[places].reshape(rows, columns)
    table.flags.writeable = False
    return table
