"""The scales of published.py in forms for doubles: nothing cancels.

Each is the same number as the printed formula. Arguments as there.
"""

from typing import Any


def _scale(f: Any, a: Any, b: Any) -> Any:
    """Return 1/log(1 + a/b) of positive numbers, whose quotient may be above all doubles."""
    near = f.log1p(f.minimum(a, b) / f.maximum(a, b))
    return 1 / (near + f.maximum(f.constant(0), f.log(a) - f.log(b)))


def stable_presence_scale(f: Any, *, p: Any, epsilon: Any) -> Any:
    """Return (15) as 1/log(1 + (e^ε − 1)/p)."""
    return _scale(f, f.expm1(epsilon), p)


def stable_three_point_scale(f: Any, *, p_1: Any, p_2: Any, epsilon: Any) -> Any:
    """Return (13) by g − 1, the root of p_2 h² + (p_1 + 2 p_2) h = e^ε − 1."""
    rise, middle = f.expm1(epsilon), p_1 + 2 * p_2
    return 1 / f.log1p(2 * rise / (middle + f.sqrt(middle * middle + 4 * p_2 * rise)))


def stable_smallest_bernoulli_scale(f: Any, *, p: Any, q: Any, epsilon: Any) -> Any:
    """Return Lemma 6's, mended, the excess as h − l − (e^ε − 1) min(l, 1 − h)."""
    low, high, rise = f.minimum(p, q), f.maximum(p, q), f.expm1(epsilon)
    return 1 / f.log1p(rise / (high - low - rise * f.minimum(low, 1 - high)))


def stable_on_alphabet(f: Any, *, p: Any, q: Any, r: Any, epsilon: Any) -> Any:
    """Return (21) as 1/log(1 + (e^ε − 1) h/(h − l))."""
    low, high = f.minimum(p, q), f.maximum(p, q)
    return _scale(f, f.expm1(epsilon), (high - low) / high)


def stable_on_support(f: Any, *, p: Any, q: Any, r: Any, epsilon: Any) -> Any:
    """Return the same at x = 1: 1 + ψ = ((1 − h) r/(1 − r) + h)/(h − l)."""
    low, high = f.minimum(p, q), f.maximum(p, q)
    whole = (1 - high) * r / (1 - r) + high
    return _scale(f, f.expm1(epsilon), (high - low) / whole)


def stable_by_plan(f: Any, *, p: Any, q: Any, r: Any, epsilon: Any) -> Any:
    """Return the same with 1 + ψ = (1 − q)/(p − q)."""
    return _scale(f, f.expm1(epsilon), (p - q) / (1 - q))
