"""A function near 0 in doubles, and in doubles that carry a bound on their error."""

from __future__ import annotations

from typing import Any

__all__ = ["log1pmx_near_zero"]

_TERMS = 18
"""Terms of a series in s^2 <= 1/9: what is left out is below 10^-18 of its sum."""


def log1pmx_near_zero(x: Any) -> Any:
    """Return log(1 + x) - x for |x| <= 1/2, but for 10^-18 of it: for doubles.

    Formula:
        With s = x/(2 + x) it is 2 (s^3/3 + s^5/5 + ...) - s x, as log(1 + x) = 2 atanh(s) and
        x - 2s = s x. The series takes at most a sixth of s x from it.
    """
    s = x / (2 + x)
    square, more, one = s * s, 0 * s, 0 * s + 1
    for k in range(_TERMS, 0, -1):
        more = (more + one / (2 * k + 1)) * square
    return (2 * more - x) * s
