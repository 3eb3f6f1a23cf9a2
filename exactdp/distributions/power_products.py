"""Products of powers of linear forms, row by row.

Write f = Π_i (R_i + b_i v)^(m_i), where v is one variable and the R_i and b_i lie in
a ring of polynomials in the others. The rows of f are its coefficients f_0, f_1, ...
as a polynomial in v. With

    A = Π_i (R_i + b_i v),    Q = Σ_i m_i b_i Π_{j ≠ i} (R_j + b_j v),

the logarithmic derivative of f says A·∂f/∂v = Q·f. At v^j, for d different forms:

    (j + 1)·A_0·f_{j+1} = Σ_{s=0}^{d−1} (Q_s − (j − s)·A_{s+1})·f_{j−s}.

So a row follows from d rows before it, and only they are in memory. The division is
exact: f_{j+1} is a polynomial, and A_0 = Π_i R_i is not zero once the forms without
R_i are taken out.

References: R. P. Stanley, Differentiably Finite Power Series, 1980.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import Any

from flint import fmpz_mpoly_ctx

__all__ = ["PowerProduct", "recurrence_terms"]


def recurrence_terms(forms: int, variables: int) -> int:
    """Return how many terms the recurrence has, for forms in that many variables and 1.

    Example:
        For one form a + b v: one product and one division a row.

        >>> recurrence_terms(1, 1)
        2
    """
    return comb(forms - 1 + variables, variables) + comb(forms + variables - 1, variables - 1)


class PowerProduct:
    """The rows of Π_i (R_i + b_i v)^(m_i), made one at a time each time they are iterated.

    Args:
        ring: Integer polynomials in the other variables.
        forms: The (R_i, b_i), elements of the ring, not both zero. Different ones
            make the shortest recurrence; equal ones are correct too.
        powers: The m_i, at least 1.

    Example:
        The rows of (u + 2v)(u + v)^2 = u^3 + 4 u^2 v + 5 u v^2 + 2 v^3:

        >>> ring = fmpz_mpoly_ctx.get(("u",), "lex")
        >>> u, one = ring.gen(0), ring.constant(1)
        >>> [str(row) for row in PowerProduct(ring, [(u, 2 * one), (u, one)], [1, 2])]
        ['u^3', '4*u^2', '5*u', '2']
    """

    def __init__(
        self, ring: fmpz_mpoly_ctx, forms: Sequence[tuple[Any, Any]], powers: Sequence[int]
    ) -> None:
        self._zero = ring.constant(0)
        self._first = ring.constant(1)
        self._shift = 0
        kept = []
        for (rest, last), power in zip(forms, powers, strict=True):
            if rest == 0:
                self._first *= last**power
                self._shift += power
            else:
                self._first *= rest**power
                kept.append(((rest, last), power))
        self._degree = sum(power for (_, last), power in kept if last != 0)
        one = ring.constant(1)
        self._a = self._product([[one], *([rest, last] for (rest, last), _ in kept)])
        self._q = [self._zero] * len(kept)
        for i, ((_, last), power) in enumerate(kept):
            others = [[rest, b] for j, ((rest, b), _) in enumerate(kept) if j != i]
            part = self._product([[power * last], *others])
            self._q = [x + y for x, y in zip(self._q, part, strict=True)]

    def __iter__(self) -> Iterator[Any]:
        """Yield the coefficients of v^0, v^1, ... up to the degree in v."""
        yield from [self._zero] * self._shift
        recent = [self._first]
        yield self._first
        for j in range(self._degree):
            total = self._zero
            for s, row in enumerate(recent):
                total += (self._q[s] - (j - s) * self._a[s + 1]) * row
            recent = [total / ((j + 1) * self._a[0]), *recent][: len(self._q)]
            yield recent[0]

    def _product(self, factors: Sequence[Sequence[Any]]) -> list[Any]:
        """Multiply polynomials in v, given by their coefficients."""
        result = list(factors[0])
        for factor in factors[1:]:
            longer = [self._zero] * (len(result) + len(factor) - 1)
            for i, a in enumerate(result):
                for j, b in enumerate(factor):
                    longer[i + j] += a * b
            result = longer
        return result
