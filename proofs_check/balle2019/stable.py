"""The bounds on δ of published.py in forms for doubles: nothing cancels.

Each is the same number as the printed formula; γ is the mass of the blanket, a = e^ε − 1.
"""

from typing import Any


def known_stably(f: Any, of: str, epsilon0: Any, epsilon: Any, k: Any) -> dict[str, Any]:
    """Return γ, 1 − γ and the known bounds of L, by the randomizer's name."""
    x, e, a = f.exp(epsilon0), f.exp(epsilon), f.expm1(epsilon)
    if of == "k-rr":
        rise = f.expm1(epsilon0)
        gamma, rest = k / (rise + k), rise / (rise + k)
        return {
            "gamma": gamma,
            "rest": rest,
            "width": rest * k * (e + 1),
            "maximum": gamma * e * f.expm1(epsilon0 - epsilon),
            "second_moment": gamma * (1 + rest) * a**2 + rest**2 * k * (e**2 + 1),
        }
    if of == "laplace":
        root, step = f.exp(epsilon0 / 2), f.expm1(epsilon0 / 2)
        moved = 4 * e * step**2 * (root + 2) / (3 * root**2)
        return {
            "gamma": 1 / root,
            "rest": step / root,
            "width": (e + 1) * f.expm1(epsilon0) / root,
            "maximum": -(root * f.expm1(epsilon - epsilon0)),
            "second_moment": moved + a**2 / 3 * (2 * root + 1 / root**2),
        }
    return {
        "gamma": 1 / x,
        "rest": f.expm1(epsilon0) / x,
        "width": (e + 1) * f.expm1(2 * epsilon0) / x,
        "maximum": -(x * f.expm1(epsilon - 2 * epsilon0)),
        "second_moment": 2 * e * f.expm1(4 * epsilon0) / x**3 + x * a**2,
    }


def hoeffding_stably(f: Any, of: str, *, n: int, epsilon0: Any, epsilon: Any, k: Any = None) -> Any:
    """Return δ by Hoeffding's inequality."""
    at, a = known_stably(f, of, epsilon0, epsilon, k), f.expm1(epsilon)
    gamma, width = at["gamma"], at["width"]
    decay = f.exp(n * f.log1p(gamma * f.expm1(-2 * a**2 / width**2)))
    return width**2 / (4 * a) * decay / (gamma * n)


def bennett_stably(f: Any, of: str, *, n: int, epsilon0: Any, epsilon: Any, k: Any = None) -> Any:
    """Return δ by Bennett's inequality, (1 + u) log(1 + u) − u as (1 + u)(log(1 + u) − u) + u²."""
    at = known_stably(f, of, epsilon0, epsilon, k)
    gamma, maximum, moment = at["gamma"], at["maximum"], at["second_moment"]
    u = f.expm1(epsilon) * maximum / moment
    exponent = -(moment / maximum**2 * ((1 + u) * f.log1pmx(u) + u * u))
    none_seen = n * f.log1p(gamma * f.exp(exponent) / at["rest"])
    mean = f.exp(n * f.log1p(gamma * f.expm1(exponent))) * -f.expm1(-none_seen)
    return maximum / f.log1p(u) * mean / (gamma * n)
