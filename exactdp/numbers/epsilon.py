"""Epsilon, the privacy parameter in nats, as a value of its own.

An :class:`Epsilon` is the logarithm of a positive element of the exact field, and
holds that element: e^epsilon is exact in every case that the library meets.
``Epsilon.log(3)`` has e^epsilon = 3, so every comparison with it is rational;
``Epsilon.rational("1/2")`` has e^epsilon transcendental, so it never equals a
rational. Sums and integer multiples stay inside.
"""

from __future__ import annotations

from math import inf, isfinite
from numbers import Integral
from numbers import Real as RealNumber
from typing import Any, cast

from flint import fmpz_poly

from exactdp.errors import DomainError
from exactdp.numbers.digits import padded, padded_and_bare
from exactdp.numbers.exact import Exact
from exactdp.numbers.order import Ends, Ordered, ends_of, infinity_of
from exactdp.numbers.reals import Number, Real, log
from exactdp.numbers.text import RationalLike, rational, short

__all__ = ["Epsilon", "EpsilonLike"]

_SHOWN = 80
"""Characters of e^epsilon that are printed beside the digits."""


class Epsilon(Ordered):
    """A privacy parameter epsilon (nats), with e^epsilon exact, or plus infinity.

    Example:
        >>> Epsilon.log(3) + Epsilon.log(2)
        Epsilon.log('6')
        >>> 2 * Epsilon.rational("1/4")
        Epsilon.rational('1/2')
        >>> Epsilon.log(2) < Epsilon.rational("0.7") < Epsilon.log(3)
        True
        >>> Epsilon.rational("1/2") == 0.5 < Epsilon.log(2) < 0.7, float(Epsilon.infinity())
        (True, inf)
        >>> f"{Epsilon.log(3):.4f}", round(Epsilon.log(3), 2)
        ('1.0986', Exact('11/10'))
        >>> f"{Epsilon.log(3).upper:.4f}", Epsilon.log(3).upper_by  # as of an enclosure
        ('1.0986', '')
        >>> Epsilon.rational(0.1), Epsilon.rational("0.1")  # the double next to it, and a tenth
        (Epsilon.rational(0.1), Epsilon.rational('1/10'))
        >>> Epsilon.log(1.8), Epsilon.log("1.8")
        (Epsilon.log(1.8), Epsilon.log('9/5'))
    """

    __slots__ = ("_exp",)
    _exp: Exact | None

    def __init__(self, exp_epsilon: Exact) -> None:
        if not isinstance(exp_epsilon, Exact):
            raise DomainError(
                f"exp_epsilon={short(repr(exp_epsilon))} is of type {type(exp_epsilon).__name__}, "
                f"not Exact. {self.way_out(exp_epsilon)}"
            )
        if exp_epsilon.sign() <= 0:
            raise DomainError(f"exp_epsilon={exp_epsilon} must be positive. Pass e^epsilon.")
        self._exp = exp_epsilon

    @staticmethod
    def way_out(value: object) -> str:
        """Return how to make a value of this type instead.

        Example:
            >>> print(Epsilon.way_out("1/2"))
            Pass Epsilon.rational("1/2") (in nats) or Epsilon.log(3) (e^epsilon = 3).
        """
        if isinstance(value, float) and isfinite(value):
            one, other = f'Epsilon.rational("{value!r}")', f"Epsilon.from_float_exactly({value!r})"
            return f"Pass {one}, or {other} if you mean that double."
        return 'Pass Epsilon.rational("1/2") (in nats) or Epsilon.log(3) (e^epsilon = 3).'

    @classmethod
    def rational(cls, value: RationalLike) -> Epsilon:
        """Return epsilon = value nats, a rational number."""
        return cls(Exact.exp(rational(value, name="epsilon")))

    @classmethod
    def log(cls, value: RationalLike | Exact) -> Epsilon:
        """Return epsilon = ln(value): e^epsilon is a rational, or in powers of e ("3*e^2").

        Raises:
            DomainError: If value <= 0.
        """
        return cls(Exact(value, name="exp_epsilon"))

    @classmethod
    def from_float_exactly(cls, value: float) -> Epsilon:
        """Return the epsilon that a double holds, to the last bit; numpy's floats too.

        Raises:
            DomainError: If it is not finite, or no number that floats hold.
        """
        if not isinstance(value, RealNumber) or not isfinite(value):
            raise DomainError(f"epsilon={value!r} is not a finite float. Pass one.")
        return cls.rational(cast("float", value))

    @classmethod
    def infinity(cls) -> Epsilon:
        """Return plus infinity: no finite epsilon bounds the loss."""
        self = object.__new__(cls)
        self._exp = None
        return self

    @property
    def is_infinite(self) -> bool:
        """True if this is plus infinity."""
        return self._exp is None

    @property
    def exp(self) -> Exact:
        """The number e^epsilon, exactly. An infinite epsilon has none: a DomainError."""
        if self._exp is None:
            raise DomainError("epsilon is infinite, and so is e^epsilon. Test is_infinite.")
        return self._exp

    @property
    def nats(self) -> Number:
        """Epsilon itself, if finite: exact where it is rational, else a computable real."""
        exponent = self.exp.monomial_exponent()
        return Exact(exponent) if exponent is not None else log(self.exp)

    @property
    def lower(self) -> Number:
        """Epsilon itself, in nats, if finite: read as the lower end of an enclosure is."""
        return self.nats

    @property
    def upper(self) -> Number:
        """Epsilon itself, in nats, if finite: read as the upper end of an enclosure is."""
        return self.nats

    @property
    def lower_by(self) -> str:
        """Empty, as of an enclosure of one number."""
        return ""

    @property
    def upper_by(self) -> str:
        """Empty, as of an enclosure of one number."""
        return ""

    def __add__(self, other: Epsilon) -> Epsilon:
        if not isinstance(other, Epsilon):
            return NotImplemented
        if self._exp is None or other._exp is None:
            return Epsilon.infinity()
        return Epsilon(self._exp * other._exp)

    def __neg__(self) -> Epsilon:
        return Epsilon(1 / self.exp)

    def __sub__(self, other: Epsilon) -> Epsilon:
        return self + (-other)

    def __mul__(self, times: int) -> Epsilon:
        if not isinstance(times, Integral):
            return NotImplemented
        return self if self._exp is None else Epsilon(self._exp ** int(times))

    __rmul__ = __mul__

    def divided(self, n: int) -> Epsilon:
        """Return epsilon / n, if e^{epsilon/n} lies in the exact field.

        It does for every rational number of nats, and for ln(a^n), a rational: e^epsilon
        must be an n-th power up to a power of e.

        Raises:
            DomainError: If n < 1, or e^{epsilon/n} is not in the exact field.

        Example:
            >>> Epsilon.rational(1).divided(2)
            Epsilon.rational('1/2')
            >>> Epsilon.log("9/4").divided(2)
            Epsilon.log('3/2')
        """
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise DomainError(f"n={n!r} must be an int of at least 1. Pass one.")
        if self._exp is None or n == 1:
            return self
        root = _root(self._exp, n)
        if root is None:
            raise DomainError(
                f"epsilon={self!r}: e^(epsilon/{n}) is outside the exact field. "
                f"Pass a rational number of nats, or Epsilon.log(a**{n}) with a rational."
            )
        return Epsilon(root)

    def _ends(self) -> Ends:
        return self.nats, self.nats

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Epsilon):
            return self._exp == other._exp
        if self._exp is None:
            return infinity_of(other) == inf
        return Ordered.__eq__(self, other)

    def __hash__(self) -> int:
        if self._exp is None:
            return hash(inf)
        exponent = self._exp.monomial_exponent()
        return hash(("epsilon", self._exp) if exponent is None else exponent)

    def __lt__(self, other: Any) -> bool:
        if self._exp is None:
            return False if _is_comparable(other) else NotImplemented
        if isinstance(other, Epsilon):
            return other._exp is None or self._exp < other._exp
        return Ordered.__lt__(self, other)

    def __gt__(self, other: Any) -> bool:
        if isinstance(other, Epsilon):
            return other < self
        if self._exp is None:
            return infinity_of(other) != inf if _is_comparable(other) else NotImplemented
        return Ordered.__gt__(self, other)

    def __float__(self) -> float:
        """Return the double nearest to it, in nats."""
        return inf if self._exp is None else float(self.nats)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        if self._exp is None:
            return padded("infinity", padded_and_bare(spec)[0])
        return format(self.nats, spec)

    def __round__(self, places: int = 0) -> Exact:
        return round(self.nats, places)

    def __repr__(self) -> str:
        if self._exp is None:
            return "Epsilon.infinity()"
        exponent = self._exp.monomial_exponent()
        name, held = ("log", self._exp) if exponent is None else ("rational", Exact(exponent))
        inside = repr(held).removeprefix("Exact")  # a float is told from the text of its decimal
        return f"Epsilon.{name}{inside}" if inside[0] == "(" else f"<Epsilon: {self}>"

    def __str__(self) -> str:
        if self._exp is None:
            return "infinity"
        if (exponent := self._exp.monomial_exponent()) is not None:
            return str(Exact(exponent))
        text = self._exp.text(most=_SHOWN)
        return f"{self.nats.shown() or repr(self.nats)} (exactly log({text}))"


def _is_comparable(other: Any) -> bool:
    return infinity_of(other) is not None or ends_of(other) is not None


def _root(value: Exact, n: int) -> Exact | None:
    """Return the positive n-th root of a positive number if the exact field holds it.

    Write the number as c g^a times powers of distinct irreducible polynomials in
    g = e^r that g does not divide. Such a polynomial has no repeated factor as a
    polynomial in g^{1/m} either, so the root exists only if n divides each of their
    exponents and |c| is an n-th power of a rational; g^{a/n} always exists.
    """
    root = Exact(1)
    for part, side in ((value.numerator, 1), (value.denominator, -1)):
        content, factors = part.factor()
        base = abs(content).root(n)
        if base**n != abs(content):
            return None
        root *= Exact(base) ** side
        for factor, exponent in factors:
            if factor == fmpz_poly([0, 1]):
                root *= Exact.exp(side * exponent * value.rate / n)
            elif exponent % n == 0:
                root *= Exact.from_polynomial(factor, rate=value.rate) ** (side * exponent // n)
            else:
                return None
    root = abs(root)
    return root if root**n == value else None


EpsilonLike = Epsilon | RationalLike | Exact | Real
"""The types that denote an epsilon: itself, or a number of nats."""
