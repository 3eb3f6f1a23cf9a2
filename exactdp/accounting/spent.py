"""What accountants of other libraries share: doubles in, a double rounded to the safe side out."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from importlib import import_module
from math import inf, isfinite
from typing import Any

from exactdp.accounting.familiar import CertifiedPLD
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, float_above

__all__ = ["Spent", "exactly", "optional"]

_WIDTH = Fraction(1, 10**6)


def optional(module: str) -> Any:
    """Return a module, or None if it, or the package around it, is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        return None


def exactly(value: float, *, name: str) -> Fraction:
    """Return the number that a double is, exactly.

    Raises:
        DomainError: If it is infinite, or no number.

    Example:
        >>> exactly(0.5, name="rate"), exactly(0.1, name="rate") == Fraction("0.1")
        (Fraction(1, 2), False)
    """
    if not isfinite(value):
        raise DomainError(f"{name}={value} is not finite. Pass a finite number.")
    return Fraction(value)


class Spent:
    """The privacy spent by mechanisms used so far, one after another.

    Example:
        One Gaussian of σ = 1, ε at δ = 0.126936737507 (that of ε = 1, rounded up):

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> spent = Spent([(gaussian_mechanism(sigma=1), 1)])
        >>> 0.99999 < spent.epsilon(0.126936737507) < 1.000001
        True
    """

    def __init__(self, parts: Iterable[tuple[PrivacyProfile, int]]) -> None:
        self._losses = CertifiedPLD.from_parts(parts)

    def epsilon(self, delta: float) -> float:
        """Return a double that is at least ε(δ), within a millionth or so."""
        target = exactly(delta, name="delta")
        if target < 0:
            raise DomainError(f"delta={delta} is negative. Pass a number from 0 to 1.")
        if target >= 1:
            return 0
        found: Number | Epsilon | Enclosure = (
            self._losses.epsilon(target, relative_width=_WIDTH)
            if target
            else self._losses.max_divergence()
        )
        if isinstance(found, Epsilon):
            if found.is_infinite:
                return inf
            found = found.nats
        return max(0, float_above(Exact(enclosed(found, _WIDTH).upper)))

    def delta(self, epsilon: float) -> float:
        """Return a double that is at least δ(ε), within a millionth or so."""
        at = Epsilon.from_float_exactly(epsilon)
        return min(1, float_above(Exact(self._losses.delta(at, relative_width=_WIDTH).upper)))
