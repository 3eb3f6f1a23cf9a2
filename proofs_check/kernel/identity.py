"""Whether masses sum to 1 as rational functions: where they are known only as intervals.

A mass is a rational function of its atoms: the largest parts of its term that are not sums,
differences, products, quotients or whole powers (such as ``exp`` of something). A sum that is
1 for every value of the atoms is 1 for theirs. Every mass has been computed before, so no
denominator is 0 there.

Notation: a polynomial is a dictionary, monomial -> coefficient, without coefficients 0; a
monomial is a sorted tuple of (atom, exponent); a function is (numerator, denominator).
"""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from . import text
from .results import Spend, steps
from .text import Json
from .values import ONE, size

Monomial: TypeAlias = tuple[tuple[str, int], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]
Function: TypeAlias = tuple[Polynomial, Polynomial]

UNITY: Polynomial = {(): ONE}


def sums_to_one(row: Sequence[Json], definitions: Mapping[str, Json], spend: Spend) -> bool:
    """Return whether the terms of a row sum to 1 identically."""
    known: dict[str, Function] = {}

    def plus(x: Function, y: Function) -> Function:
        if x[1] != y[1]:
            x, y = (times(x[0], y[1]), times(x[1], y[1])), (times(y[0], x[1]), x[1])
        total = dict(x[0])
        spend(30 * len(total))
        for monomial, c in y[0].items():
            spend(20 + steps(size(c, total.get(monomial))))
            total[monomial] = total.get(monomial, 0) + c
        return {m: c for m, c in total.items() if c}, x[1]

    def times(x: Polynomial, y: Polynomial) -> Polynomial:
        product: Polynomial = {}
        for m, c in x.items():
            for n, d in y.items():
                spend(20 + 2 * len(m) + 2 * len(n) + 2 * steps(size(c, d)))
                powers = dict(m)
                for atom, exponent in n:
                    powers[atom] = powers.get(atom, 0) + exponent
                key = tuple(sorted(powers.items()))
                product[key] = product.get(key, 0) + c * d
        return {m: c for m, c in product.items() if c}

    def multiplied(x: Function, y: Function) -> Function:
        return times(x[0], y[0]), times(x[1], y[1])

    def function(part: Json) -> Function:
        spend(20)
        if isinstance(part, str):
            spend(text.number_steps(part))
            c = text.number(part)
            return {(): c} if c else {}, UNITY
        if isinstance(part, dict) and part["ref"] in definitions:
            if part["ref"] not in known:
                known[part["ref"]] = function(definitions[part["ref"]])
            return known[part["ref"]]
        head, *rest = part if isinstance(part, list) else ["ref"]
        if head == "pow" and (n := _exponent(rest[1])) is not None:
            base = function(rest[0])
            return reduce(multiplied, [base if n > 0 else base[::-1]] * abs(n), (UNITY, UNITY))
        if head not in ("add", "sub", "mul", "div", "neg"):
            atom = json.dumps(part, sort_keys=True)
            spend(len(atom) // 9)
            return {((atom, 1),): ONE}, UNITY
        x, *others = map(function, rest)
        if head in ("sub", "neg"):
            *others, x = x, *others
            x = multiplied(x, ({(): -ONE}, UNITY))
        others = [y[::-1] for y in others] if head == "div" else others
        return reduce(multiplied if head in ("mul", "div") else plus, others, x)

    numerator, denominator = reduce(plus, map(function, row))
    return numerator == denominator


def _exponent(part: Json) -> int | None:
    """Return an exponent that is a whole number written down, and not large."""
    n: Any = text.number(part) if isinstance(part, str) else part
    return int(n) if isinstance(n, int | Fraction) and n == int(n) and -1000 <= n <= 1000 else None
