"""Writes the terms of the certificate format (proofs_check/kernel/FORMAT.md).

A :class:`Term` is an unevaluated expression. It has the operators of a number, so
that a formula written once for numbers also writes itself down for the kernel.
Nothing here evaluates anything: the kernel does, with code of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exactdp.numbers import Exact, ExactLike

__all__ = [
    "Scalar",
    "Term",
    "event",
    "finite_pair",
    "function",
    "hockey_stick",
    "ldp_ratio",
    "mass",
    "positive_part",
    "ref",
    "shuffle_pair",
    "term",
]


class Term:
    """An expression of the certificate format.

    Example:
        >>> (term(3) / 4 + ref("x")).json
        ['add', ['div', '0x3', '0x4'], {'ref': 'x'}]
    """

    __slots__ = ("json",)

    def __init__(self, json: Any) -> None:
        self.json = json

    def __add__(self, other: Any) -> Term:
        return _operation("add", self, other)

    def __radd__(self, other: Any) -> Term:
        return _operation("add", other, self)

    def __sub__(self, other: Any) -> Term:
        return _operation("sub", self, other)

    def __rsub__(self, other: Any) -> Term:
        return _operation("sub", other, self)

    def __mul__(self, other: Any) -> Term:
        return _operation("mul", self, other)

    def __rmul__(self, other: Any) -> Term:
        return _operation("mul", other, self)

    def __truediv__(self, other: Any) -> Term:
        return _operation("div", self, other)

    def __rtruediv__(self, other: Any) -> Term:
        return _operation("div", other, self)

    def __pow__(self, exponent: int) -> Term:
        return _operation("pow", self, exponent)

    def __neg__(self) -> Term:
        return Term(["neg", self.json])

    def __repr__(self) -> str:
        return f"Term({self.json!r})"


Scalar = Exact | Term
"""What a formula of a paper is evaluated in: exact numbers, or terms for the kernel."""


def term(value: ExactLike | Term) -> Term:
    """Return a number as a term: a hexadecimal rational, or a quotient of powers of e.

    Example:
        >>> term(Fraction(-3, 4)).json
        '-0x3/0x4'
        >>> term(Exact.exp("1/2")).json
        ['exp', '0x1/0x2']
    """
    if isinstance(value, Term):
        return value
    number = value if isinstance(value, Exact) else Exact(value)
    exponent = number.monomial_exponent()
    if number.is_rational:
        return Term(_hexadecimal(number.as_fraction()))
    if exponent is not None:
        return function("exp", Exact(exponent))
    base = function("exp", Exact(number.rate))
    top, bottom = (
        sum((int(c) * base**i for i, c in enumerate(p.coeffs()) if c != 0), term(0))
        for p in (number.numerator, number.denominator)
    )
    return top / bottom


def ref(name: str) -> Term:
    """Return a reference to a definition of the certificate."""
    return Term({"ref": name})


def function(name: str, *arguments: ExactLike | Term) -> Term:
    """Return an operation of the format applied to arguments, such as exp or normal_cdf."""
    return Term([name, *(term(a).json for a in arguments)])


def positive_part(x: Any) -> Any:
    """Return max(0, x), for a number or a term."""
    if isinstance(x, Term):
        return Term(["positive_part", x.json])
    return x if x > 0 else x * 0


def finite_pair(p: Sequence[ExactLike | Term], q: Sequence[ExactLike | Term]) -> Term:
    """Return the pair of two finite laws."""
    return Term(
        {"kind": "finite_pair", "p": [term(m).json for m in p], "q": [term(m).json for m in q]}
    )


def shuffle_pair(
    rows: Sequence[Sequence[ExactLike | Term]],
    *,
    inputs: tuple[int, int],
    others: Sequence[tuple[int, int]],
    merge: Sequence[Sequence[int]] | None = None,
) -> Term:
    """Return the view of users with one randomizer: ``others`` are (input, count)."""
    value: dict[str, Any] = {
        "kind": "shuffle",
        "randomizers": {"R": [[term(m).json for m in row] for row in rows]},
        "victim": {"randomizer": "R", "inputs": list(inputs)},
        "others": [{"randomizer": "R", "input": x, "count": c} for x, c in others if c],
    }
    if merge is not None:
        value["merge"] = [list(part) for part in merge]
    return Term(value)


def hockey_stick(pair: Term, exp_epsilon: ExactLike | Term) -> Term:
    """Return D_{e^eps}(P || Q) of a pair."""
    return Term(["hockey_stick", pair.json, term(exp_epsilon).json])


def mass(pair: Term, side: str, outcome: int | Sequence[int]) -> Term:
    """Return the mass of an outcome under P (side "p") or Q (side "q")."""
    return Term(["mass", pair.json, side, _outcome(outcome)])


def event(pair: Term, side: str, outcomes: Sequence[int | Sequence[int]]) -> Term:
    """Return the probability of a set of outcomes."""
    return Term(["event", pair.json, side, [_outcome(y) for y in outcomes]])


def ldp_ratio(rows: Sequence[Sequence[ExactLike | Term]]) -> Term:
    """Return the largest ratio of two entries of one column."""
    return Term(["ldp_ratio", [[term(m).json for m in row] for row in rows]])


def _outcome(outcome: int | Sequence[int]) -> int | list[int]:
    return outcome if isinstance(outcome, int) else list(outcome)


def _operation(name: str, *arguments: Any) -> Term:
    return Term([name, *(term(a).json for a in arguments)])


def _hexadecimal(value: Fraction) -> str:
    if value.denominator == 1:
        return hex(value.numerator)
    return f"{hex(value.numerator)}/{hex(value.denominator)}"
