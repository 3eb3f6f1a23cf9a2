"""Steps of proofs that algebra decides: identities, signs, and slacks of inequalities.

The only file that knows sympy. Every variable of a step is a real number of at least 0
(write x = 1 + t for an x above 1). A step fails where it is not an identity; a step that
could not fail, an expression compared with itself, is refused when it is checked. The same
functions, called with terms, write the step down for the kernel.

Definitions: :func:`identity`, :func:`follows`, :func:`nonnegative`, :func:`on_box`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from exactdp.audit.boxes import HoldsOnBox, decide_on_box
from exactdp.claims import Rule, Step, Term, checked, formula, term
from exactdp.errors import DomainError
from exactdp.numbers import rational

__all__ = ["falls", "follows", "identity", "nonnegative", "on_box", "rises", "split", "vanishes"]

Expression = Any
"""A rational expression of sympy, or a number."""


def vanishes(expression: Expression) -> bool:
    """Return whether a rational expression is identically zero."""
    import sympy

    return bool(sympy.cancel(sympy.together(sympy.expand(expression))) == 0)


def identity(text: str, names: str, *sides: Callable[..., tuple[Expression, Expression]]) -> Step:
    """Return the step that two expressions are identically equal, for each of ``sides``.

    Args:
        text: The identity in words.
        names: The variables, separated by spaces.
        sides: Functions from the variables, in order, to the two expressions.

    Example:
        >>> square = identity("a square", "a b", lambda a, b: ((a - b) ** 2, a*a - 2*a*b + b*b))
        >>> square.check()
        True
        >>> identity("wrong", "a b", lambda a, b: ((a - b) ** 2, a*a - b*b)).check()
        False
    """

    def check() -> bool:
        for written, side in zip(equal(), sides, strict=True):
            left, right = side(*_symbols(names))
            if written[0].json == written[1].json:
                raise DomainError(f"{text}: {left} is compared with itself, which shows nothing.")
            if not vanishes(left - right):
                return False
        return True

    def equal() -> list[list[Term]]:
        return [list(map(term, side(*_terms(names)))) for side in sides]

    def rules() -> list[Rule]:
        return [Rule("identity", {"variables": names.split(), "equal": equal()})]

    return checked(text, check, rules=rules)


def nonnegative(text: str, names: str, *expressions: Callable[..., Expression]) -> Step:
    """Return the step that rational expressions are at least 0: all coefficients are.

    Example:
        >>> nonnegative("x > 1: x^2 >= x", "t", lambda t: (1 + t) ** 2 - (1 + t)).check()
        True
        >>> nonnegative("no", "t", lambda t: t * t - t).check()
        False
    """

    def check() -> bool:
        symbols = _symbols(names)
        return all(_is_nonnegative(e(*symbols), symbols) for e in expressions)

    def rules() -> list[Rule]:
        ranges = [[name, "0x0", None] for name in names.split()]
        shown = [[term(e(*_terms(names))), "coefficients"] for e in expressions]
        return [Rule("nonnegative", {"variables": ranges, "terms": shown})]

    return checked(text, check, rules=rules)


def follows(
    text: str,
    names: str,
    conclusion: Callable[..., Expression],
    hypotheses: Callable[..., Sequence[tuple[Expression, Expression]]],
) -> Step:
    """Return the step that an inequality follows from others, by a combination of slacks.

    Args:
        text: What follows.
        names: The variables, separated by spaces.
        conclusion: The slack of the conclusion, to be shown at least 0.
        hypotheses: (multiplier, slack) pairs: the slacks are at least 0 by hypothesis, the
            multipliers are shown to be, and the sum of the products must be the conclusion.
            A pair with slack 1 adds a term that is at least 0 by itself.

    Example:
        a <= b and b <= c give a <= c:

        >>> chain = follows("a <= c", "a b c", lambda a, b, c: c - a,
        ...                 lambda a, b, c: [(1, b - a), (1, c - b)])
        >>> chain.check()
        True
    """

    def check() -> bool:
        symbols = _symbols(names)
        pairs = hypotheses(*symbols)
        slack = conclusion(*symbols)
        if any(slack == h for _, h in pairs):
            raise DomainError(f"{text}: the conclusion {slack} is one of its hypotheses.")
        return all(_is_nonnegative(m, symbols) for m, _ in pairs) and vanishes(
            slack - sum(m * h for m, h in pairs)
        )

    def rules() -> list[Rule]:
        pairs = [list(map(term, pair)) for pair in hypotheses(*_terms(names))]
        parts = {"variables": names.split(), "conclusion": term(conclusion(*_terms(names)))}
        return [Rule("follows", {**parts, "sum": pairs})]

    return checked(text, check, rules=rules)


def on_box(
    text: str,
    inequality: Callable[..., Any],
    box: Mapping[str, tuple[Any, Any]],
    *,
    reason: Any = "value",
) -> Step:
    """Return the step that a real function is at least 0 on a box, decided with balls.

    ``reason`` is the kernel's: "value", :func:`rises`, :func:`falls` or :func:`split`.
    """

    def rules() -> list[Rule]:
        ranges = [[name, *(term(rational(end)) for end in ends)] for name, ends in box.items()]
        shown = [formula(inequality, **dict(zip(box, _terms(" ".join(box)), strict=True))), reason]
        return [Rule("nonnegative", {"variables": ranges, "terms": [shown]})]

    return checked(
        text, lambda: isinstance(decide_on_box(inequality, box), HoldsOnBox), rules=rules
    )


def rises(name: str, *, by: Any = "value", start: Any = "value") -> list[Any]:
    """Return the reason that the derivative is at least 0, and the least end too."""
    return ["rises", name, by, start]


def falls(name: str, *, by: Any = "value", end: Any = "value") -> list[Any]:
    """Return the reason that the derivative is at most 0, and the largest end at least 0."""
    return ["falls", name, by, end]


def split(name: str, below: Mapping[Any, Any], above: Any) -> Any:
    """Return the reason that is one for each part: up to each place its own, then the last."""
    reason = above
    for place, one in reversed(list(below.items())):
        reason = ["split", name, term(rational(place)), one, reason]
    return reason


def _terms(names: str) -> list[Term]:
    return [Term("variable", name) for name in names.split()]


def _symbols(names: str) -> tuple[Any, ...]:
    import sympy

    return tuple(sympy.symbols(name, nonnegative=True) for name in names.split())


def _is_nonnegative(expression: Expression, symbols: Sequence[Any]) -> bool:
    import sympy

    parts = sympy.fraction(sympy.together(sympy.sympify(expression)))
    signs = []
    for part in parts:
        coefficients = sympy.Poly(sympy.expand(part), *symbols).coeffs()
        if all(c >= 0 for c in coefficients):
            signs.append(1)
        elif all(c <= 0 for c in coefficients):
            signs.append(-1)
        else:
            return False
    return signs[0] == signs[1] or parts[0] == 0
