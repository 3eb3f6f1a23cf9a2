"""A step of proofs: ln(1 + y) <= y.

Definitions: :data:`LOG_BELOW`, :func:`rises_from_zero`.
"""

from collections.abc import Callable
from typing import Any

from exactdp.claims import Rule, Term, checked, function


def rises_from_zero(function: Callable[[Any, Any], Any]) -> bool:
    """Return whether f(0) = 0 and f' has nonnegative coefficients: then f(y) >= 0 for y >= 0.

    Args:
        function: From sympy and y to f(y), whose derivative is rational in y.

    Example:
        >>> rises_from_zero(lambda sympy, y: y - sympy.log(1 + y))
        True
        >>> rises_from_zero(lambda sympy, y: y / 2 - sympy.log(1 + y))
        False
    """
    import sympy

    y = sympy.symbols("y", nonnegative=True)
    f = function(sympy, y)
    top, bottom = sympy.fraction(sympy.cancel(sympy.diff(f, y)))
    coefficients = [*sympy.Poly(top, y).coeffs(), *sympy.Poly(bottom, y).coeffs()]
    return bool(f.subs(y, 0) == 0 and all(c >= 0 for c in coefficients))


Y = Term("variable", "y")

LOG_BELOW = checked(
    "ln(1 + y) <= y for y >= 0: y - ln(1 + y) is 0 at y = 0 and its derivative is y/(1 + y)",
    lambda: rises_from_zero(lambda sympy, y: y - sympy.log(1 + y)),
    rules=lambda: [
        Rule(
            "nonnegative",
            {
                "variables": [["y", "0x0", None]],
                "terms": [[Y - function("log", 1 + Y), ["rises", "y", "coefficients", "value"]]],
            },
        )
    ],
)
