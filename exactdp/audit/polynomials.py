"""Decisions about polynomials on a whole range of reals, exactly.

p >= 0 on a range of more than one point exactly if the product of its factors of odd
multiplicity is: the other factors are squares. So take p's square-free factors, keep
those of odd multiplicity, and look for a change of sign: Descartes' rule of signs,
applied to the range mapped onto (0, 1) and cut in halves, counts 0 or leads to a root,
beside which a rational point has a negative value. Everything is integer arithmetic and
ends (theorem of Vincent; a square-free polynomial).

Polynomial in e^eps, for all eps >= 0: a polynomial in x on [1, infinity).

Definitions: :func:`decide_polynomial`, :class:`NonnegativeOnRange`,
:class:`NegativeAt`, :data:`PolynomialAnswer`.

References: Collins, Akritas, Polynomial real root isolation using Descartes' rule of
signs (1976). Basu, Pollack, Roy, Algorithms in Real Algebraic Geometry, Section 10.2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import fmpq_poly, fmpz, fmpz_poly

from exactdp.errors import DomainError
from exactdp.numbers import (
    Enclosure,
    RationalLike,
    fmpq_of,
    fraction_of,
    rational,
    rational_text,
)

__all__ = ["NegativeAt", "NonnegativeOnRange", "PolynomialAnswer", "decide_polynomial"]

Coefficients = fmpz_poly | fmpq_poly | Sequence[RationalLike]
"""A polynomial: FLINT's, or the coefficients, constant first."""


@dataclass(frozen=True, slots=True)
class NonnegativeOnRange:
    """p(x) >= 0 for every real x of the range.

    Attributes:
        lower: The lower end.
        upper: The upper end; None for infinity.
        degree: The degree of p.
        zeros: Where p is 0 in the range, each zero once, in order: a point where it is
            known exactly, else an interval that holds one zero in its interior. Empty:
            p > 0 on the whole range. None: p is the zero polynomial.
        intervals: How many intervals were looked at.
    """

    lower: Fraction
    upper: Fraction | None
    degree: int
    zeros: tuple[Enclosure, ...] | None
    intervals: int

    @property
    def is_strict(self) -> bool:
        """Whether p > 0 on the whole range."""
        return self.zeros == ()

    @property
    def domain(self) -> str:
        """The range in words, for a verdict."""
        lower = rational_text(self.lower)
        end = "infinity)" if self.upper is None else f"{rational_text(self.upper)}]"
        return f"x in [{lower}, {end}"

    @property
    def by(self) -> str:
        """How it was proved, for a verdict."""
        return (
            f"exact real-root isolation of a polynomial of degree {self.degree} "
            f"on {self.intervals} intervals"
        )


@dataclass(frozen=True, slots=True)
class NegativeAt:
    """A rational point of the range with a negative value.

    Attributes:
        point: x.
        value: p(x) < 0.
    """

    point: Fraction
    value: Fraction


PolynomialAnswer = NonnegativeOnRange | NegativeAt


@dataclass(frozen=True, slots=True)
class _Piece:
    """A polynomial whose roots in (0, 1) are those in (start, start + width) of the whole."""

    polynomial: fmpz_poly
    start: Fraction
    width: Fraction

    @property
    def middle(self) -> Fraction:
        return self.start + self.width / 2

    def halves(self) -> tuple[_Piece, _Piece]:
        # 2^d p(t / 2), and the same moved by one half.
        d = self.polynomial.degree()
        left = fmpz_poly([c << (d - j) for j, c in enumerate(self.polynomial.coeffs())])
        right = left(fmpz_poly([1, 1]))
        half = self.width / 2
        return _Piece(left, self.start, half), _Piece(_primitive(right), self.middle, half)

    def sign_changes(self) -> int:
        """Return a bound on the roots in (0, 1): equal for 0 and 1, of the same parity."""
        moved = _reversed(self.polynomial)(fmpz_poly([1, 1]))
        signs = [c > 0 for c in moved.coeffs() if c != 0]
        return sum(a != b for a, b in pairwise(signs))


def decide_polynomial(
    polynomial: Coefficients, /, *, lower: RationalLike, upper: RationalLike | None
) -> PolynomialAnswer:
    """Return whether p(x) >= 0 for all real x in [lower, upper], or from lower on.

    Always decides; nothing is rounded.

    Args:
        polynomial: p, as FLINT's polynomial or its coefficients, constant first.
        lower: The lower end of the range.
        upper: The upper end, or None for [lower, infinity).

    Returns:
        NonnegativeOnRange, with the zeros of p, or NegativeAt a rational point.

    Raises:
        DomainError: If upper < lower.

    Example:
        (x - 2)^2 (x - 1) on [1, infinity), with two zeros:

        >>> answer = decide_polynomial([-4, 8, -5, 1], lower=1, upper=None)
        >>> answer.domain, [(z.lower, z.upper) for z in answer.zeros]
        ('x in [1, infinity)', [(Fraction(1, 1), Fraction(1, 1)), (Fraction(2, 1), Fraction(2, 1))])

        >>> decide_polynomial([-2, 0, 1], lower=0, upper=2)  # x^2 - 2
        NegativeAt(point=Fraction(0, 1), value=Fraction(-2, 1))
    """
    p = _fmpq_poly(polynomial)
    a = fraction_of(rational(lower, name="lower"))
    b = None if upper is None else fraction_of(rational(upper, name="upper"))
    if b is not None and b < a:
        raise DomainError(
            f"upper={rational_text(b)} is below lower={rational_text(a)}. Swap the ends."
        )
    search = _Search(p, a, b)
    return search.run()


class _Search:
    """The decision for one polynomial and one range, mapped onto t in [0, 1]."""

    def __init__(self, p: fmpq_poly, lower: Fraction, upper: Fraction | None) -> None:
        self._p = p
        self._lower = lower
        self._upper = upper
        self._intervals = 0

    def run(self) -> PolynomialAnswer:
        degree = max(self._p.degree(), 0)
        ends = [self._lower] if self._upper in (None, self._lower) else [self._lower, self._upper]
        zeros: list[Enclosure] | None = []
        if self._p.degree() < 0:
            zeros = None
        else:
            failure = next((x for x in ends if self._value(x) < 0), None)
            odd, even = self._factors()
            if failure is None and self._upper != self._lower:
                failure = self._negative_point(odd)
            if failure is not None:
                return NegativeAt(failure, self._value(failure))
            points = [Enclosure(x, x) for x in ends if self._value(x) == 0]
            inside = self._roots(even) if self._upper != self._lower else []
            zeros = sorted(points + inside, key=lambda z: (z.lower, z.upper))
        found = None if zeros is None else tuple(zeros)
        return NonnegativeOnRange(self._lower, self._upper, degree, found, self._intervals)

    def _value(self, x: Fraction) -> Fraction:
        return fraction_of(self._p(fmpq_of(x)))

    def _factors(self) -> tuple[fmpz_poly, fmpz_poly]:
        """Return the products of the factors of odd and of even multiplicity, with p's sign."""
        content, factors = self._p.numer().factor_squarefree()
        odd, even = fmpz_poly([1 if content > 0 else -1]), fmpz_poly([1])
        for factor, multiplicity in factors:
            if multiplicity % 2 == 1:
                odd *= factor
            else:
                even *= factor
        return odd, even

    def _point(self, t: Fraction) -> Fraction:
        """Return the x of a t in [0, 1), or in [0, 1] on a bounded range."""
        if self._upper is None:
            return self._lower + t / (1 - t)
        return self._lower + (self._upper - self._lower) * t

    def _whole(self, p: fmpz_poly) -> _Piece:
        """Return p over the range mapped onto (0, 1), times a positive factor."""
        a = fmpq_of(self._lower)
        if self._upper is not None:
            mapped = fmpq_poly(p)(fmpq_poly([a, fmpq_of(self._upper) - a]))
            return _Piece(_primitive(mapped.numer()), Fraction(0), Fraction(1))
        # (1 - t)^d p(a + t / (1 - t)), with q(u) = p(a + u): reverse, shift, reverse (a
        # zero at the lower end divides this by a power of t, which is positive).
        q = fmpq_poly(p)(fmpq_poly([a, 1])).numer()
        moved = _reversed(_reversed(q)(fmpz_poly([-1, 1])))
        return _Piece(_primitive(moved), Fraction(0), Fraction(1))

    def _negative_point(self, odd: fmpz_poly) -> Fraction | None:
        """Return a point inside the range where p < 0, or None if there is none."""
        pieces = deque([self._whole(odd)])
        while pieces:
            piece = pieces.popleft()
            self._intervals += 1
            is_negative = _sign_at_half(piece.polynomial) < 0
            if is_negative and self._value(self._point(piece.middle)) < 0:
                return self._point(piece.middle)
            # A middle that is negative here but not in p is a zero of even multiplicity.
            if is_negative or piece.sign_changes() > 0:
                pieces.extend(piece.halves())
        return None

    def _roots(self, even: fmpz_poly) -> list[Enclosure]:
        """Return the roots inside the range of a square-free polynomial, isolated."""
        roots = []
        pieces = deque([self._whole(even)])
        while pieces:
            piece = pieces.popleft()
            self._intervals += 1
            changes = piece.sign_changes()
            if changes == 0:
                continue
            end = piece.start + piece.width
            if _sign_at_half(piece.polynomial) == 0:
                middle = self._point(piece.middle)
                roots.append(Enclosure(middle, middle))
                if changes == 1:
                    continue
            elif changes == 1 and (end < 1 or self._upper is not None):
                roots.append(Enclosure(self._point(piece.start), self._point(end)))
                continue
            pieces.extend(piece.halves())
        return roots


def _fmpq_poly(polynomial: Coefficients) -> fmpq_poly:
    if isinstance(polynomial, fmpz_poly | fmpq_poly):
        return fmpq_poly(polynomial)
    return fmpq_poly([rational(c, name="coefficient") for c in polynomial])


def _primitive(p: fmpz_poly) -> fmpz_poly:
    content: fmpz = p.content()
    return p if content <= 1 else p // fmpz_poly([content])


def _reversed(p: fmpz_poly) -> fmpz_poly:
    """Return y^d p(1 / y), d the degree of p."""
    return fmpz_poly(p.coeffs()[::-1])


def _sign_at_half(p: fmpz_poly) -> int:
    value = fmpq_poly(p)(fmpq_of(Fraction(1, 2)))
    return 1 if value > 0 else -1 if value < 0 else 0
