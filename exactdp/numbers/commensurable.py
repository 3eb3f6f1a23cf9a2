"""Numbers on a lattice: likelihood ratios that are offset * base^i for integers i.

The losses ln r_0 < ln r_1 < ... of a pair lie on a lattice if every r_i / r_0 is an
integer power of one base. In the exact field that is decidable, by the Euclidean
algorithm written multiplicatively: if x = g^a and y = g^b with a >= b, and n is the
largest integer with y^n <= x, then x / y^n = g^(a − n·b), and no factor cancels.
So a quotient in which factors cancel shows that x and y have no common base. "No
factor cancels" is read off the size of a number num/den in lowest terms:

- rational: num and den themselves are multiplicative. For x > 1, num >= 2;
- transcendental, as polynomials in e^rate: rate * (deg num + deg den) > 0 is additive.

The sizes fall, so the algorithm ends. A power of a transcendental element is
transcendental (Q is algebraically closed in Q(e^r)), so the kinds never mix.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise

from flint import arb, fmpq

from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers.balls import precision, precisions
from exactdp.numbers.effort import first_answer
from exactdp.numbers.exact import Exact
from exactdp.numbers.limits import MAX_STEPS_OF_A_LATTICE
from exactdp.numbers.powers import fraction_gcd

__all__ = [
    "ExplicitScale",
    "GeometricScale",
    "common_base",
    "floor_of_logarithm",
    "geometric_scale",
]

_COINCIDENCE_BITS = 128
"""Below this accuracy a logarithm near an integer is not worth an exact power."""


@dataclass(frozen=True, slots=True)
class GeometricScale:
    """The ratios offset * base^i for i = 0, ..., size − 1, ascending.

    Attributes:
        offset: The first ratio, positive.
        base: The ratio of two neighbors, above 1.
        size: The number of ratios, at least 0.

    Example:
        >>> scale = GeometricScale(Exact("1/9"), Exact(9), 3)
        >>> list(scale)
        [Exact('1/9'), Exact('1'), Exact('9')]
        >>> scale.index_above(Exact(1)), scale.index_above(Exact("0.99"))
        (2, 1)
    """

    offset: Exact
    base: Exact
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Exact:
        if not 0 <= index < self.size:
            raise IndexError(index)
        return self.offset * self.base**index

    def index_above(self, gamma: Exact) -> int:
        """Return the number of ratios that are at most gamma (which is at least 0)."""
        if gamma < self.offset:
            return 0
        below = floor_of_logarithm(gamma, self.base, offset=self.offset)
        return min(self.size, below + 1)

    def inverted(self) -> GeometricScale:
        """Return the scale of the reciprocals."""
        if self.size == 0:
            return self
        return replace(self, offset=1 / self[self.size - 1])


@dataclass(frozen=True, slots=True)
class ExplicitScale:
    """Any positive ratios, ascending.

    Attributes:
        ratios: The ratios, all different; rationals or elements of the exact field.
    """

    ratios: Sequence[fmpq | Exact]

    def __len__(self) -> int:
        return len(self.ratios)

    def __getitem__(self, index: int) -> Exact:
        return Exact(self.ratios[index])

    def index_above(self, gamma: Exact) -> int:
        """Return the number of ratios that are at most gamma."""
        return bisect_right(self.ratios, gamma)

    def inverted(self) -> ExplicitScale:
        """Return the scale of the reciprocals."""
        return ExplicitScale([1 / ratio for ratio in reversed(self.ratios)])


def common_base(x: Exact, y: Exact) -> Exact | None:
    """Return the largest number above 1 that x and y, above 1, are integer powers of, or None.

    None, too, where their rates (those of two doubles, say) make the question too large.

    Example:
        >>> common_base(Exact(8), Exact(4)), common_base(Exact(6), Exact(4))
        (Exact('2'), None)
        >>> common_base(Exact.exp("1/2"), Exact.exp("1/3"))
        <Exact: 1.1813604128656460 (exactly e^(1/6))>
        >>> common_base(Exact.exp(1), Exact(3)) is None
        True
    """
    for value in (x, y):
        if value <= 1:
            raise DomainError(f"{value} is at most 1. Pass numbers above 1.")
    exponents = x.monomial_exponent(), y.monomial_exponent()
    if exponents[0] and exponents[1]:
        return Exact.exp(fraction_gcd(exponents[0], exponents[1]))
    if x < y:
        x, y = y, x
    return first_answer(partial(_common_base, x, y), lambda: None, refusals=(TooLargeError,))


def _common_base(x: Exact, y: Exact) -> Exact | None:
    """Return the largest base of which x and y, both above 1, are powers; None if there is none."""
    while True:
        if x.is_rational != y.is_rational:
            return None
        n = floor_of_logarithm(x, y)
        if not _may_divide(x, y, n):
            return None
        power = y**n
        quotient = x / power
        if quotient == 1:
            return y
        if not _cancels_nothing(x, power, quotient):
            return None
        x, y = y, quotient


def floor_of_logarithm(value: Exact, base: Exact, *, offset: Exact | None = None) -> int:
    """Return the largest integer n with offset·base^n <= value.

    Args:
        value: Positive.
        base: Above 1.
        offset: Positive; 1 if none is given. Value and offset need no common rate.

    Example:
        >>> floor_of_logarithm(Exact(9), Exact(3)), floor_of_logarithm(Exact("0.3"), Exact(3))
        (2, -2)
        >>> floor_of_logarithm(Exact.exp("3/2"), Exact.exp("1/2"))
        3
    """
    if value.sign() <= 0 or base <= 1:
        raise DomainError(
            f"value={value} must be positive and base={base} above 1. Pass such numbers."
        )
    exponents = value.monomial_exponent(), base.monomial_exponent()
    if offset is not None and None not in (exponents[0], offset.monomial_exponent()):
        return floor_of_logarithm(value / offset, base)
    if offset is None and exponents[0] is not None and exponents[1]:
        return exponents[0] // exponents[1]
    # The refinement ends: a logarithm that is an integer is recognized exactly, and
    # around any other the balls shrink until they hold no integer.
    for bits in precisions():
        top, bottom = value.ball(bits), base.ball(bits)
        start = arb(1) if offset is None else offset.ball(bits)
        with precision(bits):
            logarithm = (top / start).log() / bottom.log()
            floor = logarithm.floor().unique_fmpz()
            nearest = (logarithm + arb(1) / 2).floor().unique_fmpz()
        if floor is not None:
            return int(floor)
        if nearest is None or bits < _COINCIDENCE_BITS:
            continue
        if offset is None and _is_power(value, base, int(nearest)):
            return int(nearest)
        if offset is not None and offset * base ** int(nearest) == value:
            return int(nearest)
    raise AssertionError("unreachable: the precisions do not end")


def geometric_scale(ratios: Sequence[Exact]) -> tuple[GeometricScale, list[int]] | None:
    """Return the coarsest lattice that holds the logarithms of all ratios.

    Args:
        ratios: At least two positive numbers, ascending, all different.

    Returns:
        The scale, and the index of each ratio on it; None if they have no common base or
        it needs more than 10,000 steps.

    Example:
        >>> geometric_scale([Exact("1/4"), Exact(2), Exact(4)])
        (GeometricScale(offset=Exact('1/4'), base=Exact('2'), size=5), [0, 3, 4])
        >>> geometric_scale([Exact(1), Exact(2), Exact(3)]) is None
        True
    """
    # From one to the next: of many ratios on a lattice these are few short numbers.
    quotients = [after / before for before, after in pairwise(ratios)]
    different = list(dict.fromkeys(quotients))
    base = different[0]
    for quotient in different[1:]:
        shared = common_base(base, quotient)
        if shared is None:
            return None
        base = shared
    steps = {quotient: floor_of_logarithm(quotient, base) for quotient in different}
    indices = list(accumulate((steps[quotient] for quotient in quotients), initial=0))
    if indices[-1] > MAX_STEPS_OF_A_LATTICE:
        return None
    return GeometricScale(ratios[0], base, indices[-1] + 1), indices


def _cancels_nothing(x: Exact, power: Exact, quotient: Exact) -> bool:
    """Return whether the size of x is that of power and of quotient = x / power together."""
    if x.is_rational:
        a, b, c = x.as_fmpq(), power.as_fmpq(), quotient.as_fmpq()
        return bool(a.p == b.p * c.p and a.q == b.q * c.q)
    return _degree(x) == _degree(power) + _degree(quotient)


def _may_divide(x: Exact, y: Exact, n: int) -> bool:
    """Return False only if y^n is larger in size than x, without computing it."""
    if x.is_rational:
        bits = int(y.numerator[0].bit_length()) - 1
        return n * bits <= int(x.numerator[0].bit_length())
    return n * _degree(y) <= _degree(x)


def _is_power(value: Exact, base: Exact, n: int) -> bool:
    """Return whether value = base^n."""
    if n < 0:
        return _is_power(1 / value, base, -n)
    if value.is_rational != base.is_rational:
        return n == 0 and value == 1
    return _may_divide(value, base, n) and bool(base**n == value)


def _degree(x: Exact) -> Fraction:
    return x.rate * int(x.numerator.degree() + x.denominator.degree())
