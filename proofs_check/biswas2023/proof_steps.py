"""Proofs for all n, n_x0 and s at once, by generating functions.

All masses of the count of x_0 share the factor
c^n (k-1)^a (x+k-2)^(b+1) (1 + kappa1 w)^a (1 + w)^b with w = z/(x+k-2); what is left is

    P(M_x0(x_0) = .):  p z + 1 - p  = c (x+k-2) (kappa2 + x w),
    P(M_x0(x_1) = .):  q z + 1 - q  = c (x+k-2) (1 + w),

because p = x c, q = c, c = 1/(x+k-1); and likewise p z + 1 - p = c (k-1) (1 + kappa1 w)
for each of the a users with x_0. A :class:`~proofs_check.biswas2023.bounds.Bracket`
has the left side sum of coefficient * w^j (1 + w)^i. Two masses agree for every a, b
and s exactly if these polynomials in w over Q(x, k) agree; sympy decides that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from exactdp.claims import Proved
from proofs_check.biswas2023.bounds import Bracket, kappa1, kappa2

__all__ = [
    "ALL_DATASETS",
    "absorption_holds",
    "bracket_is",
    "hockey_stick_formula_is_exact",
    "proved_bracket",
    "vanishes",
]

ALL_DATASETS = "all n >= 1, 0 <= n_x0 <= n-1, 0 <= s <= n, k >= 2, eps0 > 0"


def vanishes(expression: Any) -> bool:
    """Return whether a rational expression is identically zero."""
    import sympy

    return bool(sympy.cancel(sympy.together(sympy.expand(expression))) == 0)


@lru_cache(maxsize=1)
def _symbols() -> tuple[Any, Any, Any, Any]:
    import sympy

    x, k, w, z = sympy.symbols("x k w z")
    return x, k, w, z


@lru_cache(maxsize=1)
def factors_hold() -> bool:
    """Check the three factor identities of the module header."""
    x, k, w, z = _symbols()
    c = 1 / (x + k - 1)
    t = x + k - 2
    at = {w: z / t}
    identities = (
        x * c * z + 1 - x * c - c * t * (kappa2(x, k) + x * w).subs(at),
        c * z + 1 - c - (c * t * (1 + w)).subs(at),
        x * c * z + 1 - x * c - c * (k - 1) * (1 + kappa1(x, k) * w).subs(at),
    )
    return all(vanishes(identity) for identity in identities)


def absorption_holds() -> bool:
    """Check w d/dw (1 + w)^(b+1) = (b + 1) w (1 + w)^b for symbolic b.

    Coefficient by coefficient this is (s - r) C(b+1, s-r) = (b+1) C(b, s-1-r).
    """
    import sympy

    w, b = sympy.symbols("w b", positive=True)
    quotient = w * sympy.diff((1 + w) ** (b + 1), w) / ((b + 1) * w * (1 + w) ** b)
    return bool(sympy.simplify(quotient) == 1)


def bracket_is(bracket: Bracket, *, first: bool) -> bool:
    """Return whether a bracket is the law of the count with x_0 (first) or with x_1."""
    x, k, w, _ = _symbols()
    left = sum(coefficient(x, k) * w**j * (1 + w) ** i for coefficient, i, j in bracket.parts)
    right = kappa2(x, k) + x * w if first else 1 + w
    return factors_hold() and vanishes(left - right)


def proved_bracket(bracket: Bracket, *, first: bool) -> Proved | None:
    """Return the proof that a bracket is the law of the count, or None if it fails."""
    if not bracket_is(bracket, first=first):
        return None
    return Proved(ALL_DATASETS, "generating functions agree as polynomials in w over Q(x, k)")


def hockey_stick_formula_is_exact() -> bool:
    """Check (1 - e^eps / r) P = P - e^eps Q for r = P/Q, as rational functions.

    With r > e^eps exactly if P - e^eps Q > 0 (Q > 0), and with all of P where Q = 0,
    the sum over losses is the hockey-stick divergence, term by term.
    """
    import sympy

    p, q, e = sympy.symbols("p q e", positive=True)
    return vanishes((1 - e / (p / q)) * p - (p - e * q))
