"""Rational functions of variables, and the signs that their coefficients show.

Notation: a box gives each variable its least value and its largest, or None where there is no
largest.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from . import text
from .identity import UNITY, Function, Functions, exponent_of
from .results import require, steps
from .terms import Evaluator
from .text import Json
from .values import ZERO, size

ARITHMETIC = ("add", "sub", "mul", "div", "neg", "pow")

Box: TypeAlias = Mapping[str, tuple[Fraction, Fraction | None]]


class Rational(Functions):
    """Reads terms as rational functions of variables, and refuses any other.

    In a box x is lo + t, or (lo + hi t)/(1 + t), for a variable t >= 0 of the same name, or
    hi - t if it has no least value: so x takes all values in its range but for hi, if it has
    both ends, and a function that is defined there is continuous.
    """

    def __init__(self, k: Evaluator, names: Sequence[str], box: Box | None = None) -> None:
        """Start with the term for each variable."""
        super().__init__(k.written, k.spend)
        k.spend(10 * len(names))
        for x in names:
            lo, hi = (ZERO, None) if box is None else box[x]
            k.spend(steps(size(lo, hi)))
            least: Function = {(): lo} if lo else {}, UNITY
            largest: Function = {(): hi} if hi else {}, UNITY
            self.known[x] = self.between(x, least, None if hi is None else largest)

    def between(self, x: str, lo: Function | None, hi: Function | None) -> Function:
        """Return a term that runs over the range of x; without any end it is t - t', both >= 0."""
        t: Function = {((x, 1),): 1}, UNITY
        if hi is None:
            return self.plus(t, opposite(({((f"{x}'", 1),): 1}, UNITY)) if lo is None else lo)
        if lo is None:
            return self.plus(hi, opposite(t))
        return self.multiplied(self.plus(lo, self.multiplied(hi, t)), (UNITY, UNITY | t[0]))

    def of(self, part: Json) -> Function:
        """Return a term as a function; no divisor in it is identically 0."""
        head = part[0] if isinstance(part, list) else ""
        good = head in ("", *ARITHMETIC) and (head != "pow" or exponent_of(part[2]) is not None)
        require(good, lambda: f"{text.shown(part)[:99]} is not in + - * / and whole powers")
        function = super().of(part)
        require(function[1], "division by what is identically 0")
        return function


def read(k: Evaluator, functions: Functions, term: Json) -> Function:
    """Return a term, whose grammar is checked, as a function."""
    k.term(term)
    return functions.of(term)


def equal(k: Evaluator, x: Function, y: Function) -> bool:
    """Return whether two functions are the same wherever both are defined."""
    times = Functions({}, k.spend).times
    return times(x[0], y[1]) == times(y[0], x[1])


def one_sign(function: Function) -> bool:
    """Return whether a function is at least 0 for variables >= 0, by its coefficients."""
    top, bottom = ([c > 0 for c in part.values()] for part in function)
    return not top or len({*top, *bottom}) == 1


def above(function: Function) -> bool:
    """Return whether a function is above 0 for variables >= 0, by its coefficients."""
    return () in function[0] and one_sign(function)


def below(function: Function) -> bool:
    """Return whether a function is below 0 for variables >= 0, by its coefficients."""
    return above(opposite(function))


def opposite(function: Function) -> Function:
    """Return -f."""
    return {m: -c for m, c in function[0].items()}, function[1]


def denominators(*parts: Json) -> Iterator[Json]:
    """Yield all that is divided by in terms whose grammar has been checked."""
    found = list(parts)
    while found:
        part = found.pop()
        if isinstance(part, list) and part:
            if part[0] == "div":
                yield part[2]
            elif part[0] == "pow" and (exponent_of(part[2]) or 0) < 0:
                yield part[1]
            found += part[::-1]
        elif isinstance(part, dict):
            found += part.values()
