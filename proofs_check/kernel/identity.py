"""Terms as rational functions: masses that sum to 1 though they are known only as intervals.

A term is a rational function of its atoms: the largest parts of it that are not sums,
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
from .values import size

Polynomial: TypeAlias = dict[tuple[tuple[str, int], ...], int | Fraction]
Function: TypeAlias = tuple[Polynomial, Polynomial]

UNITY: Polynomial = {(): 1}


class Functions:
    """Reads terms, whose grammar has been checked, as rational functions.

    ``written`` holds the definitions as they are written, ``known`` as functions once asked.
    """

    def __init__(self, written: Mapping[str, Json], spend: Spend) -> None:
        """Start with the definitions."""
        self.written, self.spend, self.known = written, spend, dict[str, Function]()

    def plus(self, x: Function, y: Function) -> Function:
        """Return x + y."""
        if x[1] != y[1]:
            x, y = self.multiplied(x, (y[1], y[1])), (self.times(y[0], x[1]), UNITY)
        total = dict(x[0])
        self.spend(30 * len(total))
        for monomial, c in y[0].items():
            self.spend(20 + steps(size(c, total.get(monomial))))
            total[monomial] = total.get(monomial, 0) + c
        return {m: c for m, c in total.items() if c}, x[1]

    def times(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """Return the product of two polynomials."""
        product: Polynomial = {}
        sizes = [(n, d, size(d)) for n, d in y.items()]
        for m, c in x.items():
            bits = size(c)
            for n, d, more in sizes:
                self.spend(20 + 2 * len(m) + 2 * len(n) + 2 * steps(bits + more))
                powers = dict(m)
                for atom, exponent in n:
                    powers[atom] = powers.get(atom, 0) + exponent
                key = tuple(sorted(powers.items()))
                product[key] = product.get(key, 0) + c * d
        return {m: c for m, c in product.items() if c}

    def multiplied(self, x: Function, y: Function) -> Function:
        """Return x * y."""
        return self.times(x[0], y[0]), self.times(x[1], y[1])

    def of(self, part: Json) -> Function:
        """Return a term as a rational function."""
        self.spend(20 + sum(len(x) for x in part if isinstance(x, str)))  # long exponents, too
        if isinstance(part, str):
            self.spend(text.number_steps(part))
            c = text.number(part)
            return {(): c.numerator if c.denominator == 1 else c} if c else {}, UNITY
        if isinstance(part, dict):
            if part["ref"] not in self.known and part["ref"] in self.written:
                self.known[part["ref"]] = self.of(self.written[part["ref"]])
            if part["ref"] in self.known:
                return self.known[part["ref"]]
        head, *rest = part if isinstance(part, list) else ["ref"]
        if head == "pow" and (n := exponent_of(rest[1])) is not None:
            x = self.of(rest[0])
            return reduce(self.multiplied, [x if n > 0 else x[::-1]] * abs(n), (UNITY, UNITY))
        if head not in ("add", "sub", "mul", "div", "neg"):
            atom = json.dumps(part, sort_keys=True)
            self.spend(len(atom) // 9)
            return {((atom, 1),): 1}, UNITY
        x, *others = map(self.of, rest)
        if head in ("sub", "neg"):
            *others, x = x, *others
            x = self.multiplied(x, ({(): -1}, UNITY))
        others = [y[::-1] for y in others] if head == "div" else others
        return reduce(self.multiplied if head in ("mul", "div") else self.plus, others, x)


def sums_to_one(row: Sequence[Json], definitions: Mapping[str, Json], spend: Spend) -> bool:
    """Return whether the terms of a row sum to 1 identically."""
    functions = Functions(definitions, spend)
    total = reduce(functions.plus, map(functions.of, row))
    return total[0] == total[1]


def exponent_of(part: Json) -> int | None:
    """Return an exponent that is a whole number written down, and not large."""
    n: Any = text.number(part) if isinstance(part, str) else part
    return int(n) if isinstance(n, int | Fraction) and n == int(n) and -1000 <= n <= 1000 else None
