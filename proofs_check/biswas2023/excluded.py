"""Bounds on (6) that tell for all k and n_x0 whether it can be a printed cell.

With m = n - n_x0, r of Bin(n_x0, x q) and j of Bin(m, q), q = 1/(x + k - 1), the weight (12) at s
is at most x Pr[r + j = s], and e^(v_s) = kappa2 + (x - kappa2) E[y^2 | r + j = s] <= x, y = j/m. So
the part of (6) at s is at most (x - e^eps) Pr[r + j = s], and 0 unless

    E[y^2 | s] > f^2,  f^2 = (e^eps - kappa2)/(x - kappa2).

Given s, E[(m - j)(s - j)] = kappa1 E[j (n_x0 - s + j)], as both sum the same products; with
v = E[y | s] and E[y^2 | s] >= v^2 that is s >= v (m + kappa1 n_x0/(1 + (kappa1 - 1) v)), which
grows with v. As y <= 1, v is at least E[y^2 | s]; and j is a sum of at most m coins, given s, so
that v^2 is at least E[y^2 | s] - 1/(4 m).
With the largest of f^2 and (f^2 - 1/(4 m))^(1/2) for v, s is at least this s_0, and for t > 0

    (6) <= (x - e^eps) e^(-t s_0) (1 - x q + x q e^t)^n_x0 (1 - q + q e^t)^m.

For several k: q falls with k, and f^2, kappa1 and s_0 fall too. For several n_x0, with v at the
smallest m, the logarithm is a line in n_x0: what holds at both ends holds between.

Reference: V. A. Vatutin and V. G. Mikhailov, Limit theorems for the number of empty cells in an
equiprobable scheme for group allocation of particles, 1982 (a hypergeometric count as coins).

Definitions: :class:`Part`, :func:`most`, :func:`least`, :func:`largest_terms`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from flint import arb

from exactdp.claims.terms import Term, function, named, term
from exactdp.numbers import Exact, fmpq_of, precision
from exactdp.numbers.balls import endpoints
from proofs_check.biswas2023.bounds import Counts, kappa1, kappa2, kappa3

_BITS = 128


@dataclass(frozen=True, slots=True)
class Part:
    """Parameters: k from ``k`` to ``to`` (None: any larger k), n_x0 from ``first`` to ``last``.

    Example:
        >>> print(Part(5, None, 0, 999), Part(4, 4, 999, 999), sep="; ")
        k >= 5, n_x0 from 0 to 999; k = 4, n_x0 = 999
    """

    k: int
    to: int | None
    first: int
    last: int

    def __str__(self) -> str:
        ks = f"k = {self.k}" if self.to == self.k else f"k >= {self.k}"
        held = f"from {self.first} to {self.last}" if self.first < self.last else f"= {self.last}"
        return f"{ks}, n_x0 {held}"


def most(epsilon0: Fraction, n: int, part: Part, epsilon: Fraction) -> tuple[Term, Term]:
    """Return upper bounds on (6) at both ends of n_x0, and between by a line: see above."""
    t = min(
        (Fraction(i, 20) for i in range(1, 120)),
        key=lambda t: max(_most_estimates(epsilon0, n, part, epsilon, t)),
    )
    x, e = function("exp", epsilon0), exp_epsilon_term(epsilon)
    end = f"{part.k}_{part.last}"  # parts and ends have names of their own
    second, first = term(1), x  # their limits, as k grows
    if part.to is not None:
        second, first = (named(f"{f.__name__}_{part.k}", f(x, part.to)) for f in (kappa2, kappa1))
    square = named(f"f_{part.k}", (e - second) / (x - second))
    spread = Fraction(1, 4 * (n - part.last))
    root = function("sqrt", function("positive_part", square - spread))
    v = named(f"v_{end}", function("max", square, root))
    q = named(f"q_{part.k}", 1 / (x + (part.k - 1)))
    held, other = (function("log", 1 + p * (function("exp", t) - 1)) for p in (x * q, q))

    def at(n_x0: int) -> Term:
        m = n - n_x0
        least_s = v * (m + first * n_x0 / (1 + (first - 1) * v))
        return (x - e) * function("exp", n_x0 * held + m * other - t * least_s)

    return at(part.first), at(part.last)


def _most_estimates(
    epsilon0: Fraction, n: int, part: Part, epsilon: Fraction, t: Fraction
) -> Iterable[float]:
    """Yield the logarithms of the same in doubles, to choose a good t: any t will do."""
    x, e = math.exp(epsilon0), math.exp(epsilon)
    second, first = (1.0, x) if part.to is None else (kappa2(x, part.to), kappa1(x, part.to))
    square = (e - second) / (x - second)
    v = max(square, math.sqrt(max(square - 1 / (4 * (n - part.last)), 0)))
    q = 1 / (x + part.k - 1)
    for n_x0 in (part.first, part.last):
        least_s = v * (n - n_x0 + first * n_x0 / (1 + (first - 1) * v))
        held, other = (math.log1p(p * math.expm1(t)) for p in (x * q, q))
        yield n_x0 * held + (n - n_x0) * other - float(t) * least_s


def exp_epsilon_term(epsilon: Fraction) -> Term:
    """Return e^eps as a term with a name of its own."""
    return named(f"e_{epsilon}".replace("/", "_"), term(Exact.exp(epsilon)))


def least(epsilon0: Fraction, c: Counts, epsilon: Fraction, *, terms: int) -> Fraction:
    """Return a lower bound on (6): so many of its terms, where they are largest, in balls.

    Example:
        >>> found = least(Fraction(1), Counts(2, 3, 1), Fraction(1, 2), terms=4)
        >>> round(float(found), 6)
        0.056555
    """
    with precision(_BITS):
        x, e = (arb(fmpq_of(value)).exp() for value in (epsilon0, epsilon))
        parts = (_part(x, c, s, e) for s in largest_terms(epsilon0, c, epsilon, terms))
        return endpoints(sum(parts, arb(0)))[0]


def largest_terms(epsilon0: Fraction, c: Counts, epsilon: Fraction, terms: int) -> range:
    """Return about where the terms of (6) are largest: the s from the least on that has one."""
    x, e = math.exp(epsilon0), math.exp(epsilon)
    second, first = kappa2(x, c.k), kappa1(x, c.k)
    v, m = math.sqrt((e - second) / (x - second)), c.n - c.n_x0
    start = min(int(v * (m + first * c.n_x0 / (1 + (first - 1) * v))), c.n + 1 - terms)
    return range(max(start, 0), min(start + terms, c.n + 1))


def _part(x: arb, c: Counts, s: int, e: arb) -> arb:
    """Return the term of (6) at s, or 0 where it may be 0."""
    m, h = c.n - c.n_x0, c.n_x0
    first, second = kappa1(x, c.k), kappa2(x, c.k)
    low = max(0, s - m)
    value = arb(comb(h, low) * comb(m, s - low)) * first**low
    plain, once, twice = arb(0), arb(0), arb(0)
    for r in range(low, min(h, s) + 1):
        j = s - r
        plain, once, twice = plain + value, once + value * j, twice + value * (j * j)
        value = value * first * ((h - r) * j) / ((r + 1) * (m - j + 1))
    loss = second + (x - second) * twice / plain / m**2
    weight = kappa3(x, c, s) * (second * plain + (x - second) * once / m)
    found = (1 - e / loss) * weight
    return found if found > 0 else arb(0)
