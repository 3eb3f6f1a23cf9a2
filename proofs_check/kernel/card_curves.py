"""Curves above those of mechanisms: of zCDP, batches and groups; and largest losses.

A curve is a list of numbers that are not below a hockey-stick divergence, at exp(j*h) for knots j.
"""

from fractions import Fraction
from typing import Any

from .card_laws import plus
from .card_numbers import Fixed
from .card_parts import ratios_of
from .results import require
from .values import HALF

FINE = 4096  # parts of 1 in which an order is chosen


def concentrated(f: Fixed, rho: Fraction, h: Fraction, count: int) -> list[int]:
    """Return a curve above all that are rho-zero-concentrated, at so many knots from 0 on.

    delta(e) <= exp((a - 1)(a rho - e)) (1 - 1/a)**a / (a - 1) for every a > 1, in both orders
    (Canonne, Kamath and Steinke 2020, Proposition 12).
    """
    curve, a = list[int](), Fraction(2)
    f.spend(2000 * count)
    for j in range(count):
        for _ in range(4):  # towards the best a, with log(1 - 1/a) about 1/(1/2 - a); any is right
            best = ((j * h + 1 / (a - HALF)) / rho + 1) / 2
            a = Fraction(max(int(best * FINE), FINE + 1), FINE)
        terms = a * f.log(f.ball(1 - 1 / a))[1] - f.log(f.ball(a - 1))[0]
        exponent = Fraction(int(((a - 1) * (a * rho - j * h)) * f.one + terms) + 1, f.one)
        curve.append(f.exp(exponent)[1] if exponent < 0 else f.one)
    return curve


def mirrored(f: Fixed, h: Fraction, curve: list[int]) -> list[int]:
    """Return the curve in both orders: 1 - g + g D(1/g) below g = 1, of D at knots from 0 on."""
    ratios = ratios_of(f, h, range(1 - len(curve), 0))
    below = zip(reversed(curve), ratios, strict=False)
    return [f.one - g[0] + f.times(g, (0, x))[1] for x, g in below] + curve


def grouped(f: Fixed, h: Fraction, first: int, curve: list[int], size: int) -> list[int]:
    """Return a curve of chains of so many neighbors: D(x y) <= E(x) + x D(y), E that of a link.

    Where P(S) <= x Q(S) + E(x) and Q(S) <= y R(S) + D(y), P(S) is at most x y R(S) and that. Of
    convex curves the best x at a knot is, or is beside, that at the knot before.
    """
    found, last = curve, len(curve) - 1
    ratios = ratios_of(f, h, range(first, first + last + 1))
    for count in range(2, size + 1):
        f.spend(20 * len(curve))
        more, i = list[int](), min(last, max(0, first // count - first))
        for j in range(last + 1):

            def total(i: int, j: int = j, found: list[int] = found) -> int:
                """Return the sum where x is of the knot i."""
                y = j - i - first
                return (
                    curve[i] + f.times(ratios[i], (0, found[min(y, last)] if y >= 0 else f.one))[1]
                )

            i = min(range(max(0, i - 1), min(last, i + 2) + 1), key=total)
            more.append(min(f.one, total(i)))
        found = more
    return found


def largest(f: Fixed, mechanism: str, given: dict[str, Any], share: Fraction, **_: Any) -> Fraction:
    """Return the largest loss of a step, in both orders.

    Of a sample that is log(1 - s + s e**x), x that of the whole; in the other order it is less.
    """
    if mechanism == "pair":
        p, q = given["p"], given["q"]
        require(all(map(bool, p)) and all(map(bool, q)), "a loss may be infinite")
        top = max(max(x / y, y / x) for x, y in zip(p, q, strict=True))
        most = Fraction(f.log(f.ball(top))[1], f.one)
    else:
        good = "epsilon" in given or mechanism in ("laplace", "discrete_laplace")
        require(good and not given.get("delta"), "delta must be above 0, as losses have no bound")
        most = (
            given["epsilon"] if "epsilon" in given else given.get("sensitivity", 1) / given["scale"]
        )
    if share == 1:
        return most
    require(most <= 2000, "a loss beyond 2000 nats")
    return Fraction(f.log(plus(f.ball(1 - share), f.times(f.ball(share), f.exp(most))))[1], f.one)
