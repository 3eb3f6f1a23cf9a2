"""Steps of proofs that several sections take: ln(1 + y) <= y, and one sampled step.

Definitions: :data:`LOG_BELOW`, :func:`sampled_step`, :func:`rises_from_zero`.
"""

from collections.abc import Callable
from typing import Any

from exactdp.audit.algebra import follows
from exactdp.claims import Rule, Step, Term, checked, function


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

SAMPLED_STEP: Step = follows(
    "a step sends R(x) with probability q = 1/(1 + r), else the others' mean mass a: for masses "
    "u of R(x), v of R(x') with u <= e^eps0 v and u <= e^eps0 a, the ratio of both laws is at most "
    "1 + q (e^eps0 - 1)",
    "u v a t r",
    lambda u, v, a, t, r: (1 + t / (1 + r)) * (r * a + v) - (r * a + u),
    lambda u, v, a, t, r: [
        ((1 + r + t) / ((1 + r) * (1 + t)), (1 + t) * v - u),
        (t * r / ((1 + r) * (1 + t)), (1 + t) * a - u),
    ],
)
