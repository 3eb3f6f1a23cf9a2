"""δ of a pair of counts as a published bound: the sum, the algorithm in doubles, the value.

The victim sends letter 1 with mass a and letter 2 with mass b (exchanged under Q), else a leftover;
each of n − 1 others sends either letter with mass r. Of the two counts

    δ(ε) = w E_c [(a − e^ε b) T_c(t_{c+1} − 1) + (b − e^ε a) T_c(t_{c+1})
                  + (1 − e^ε)(1 − a − b) T_c(t_c)],
    t_c = ((e^ε a − b) c + (e^ε − 1) r g_c)/((a − b)(1 + e^ε)),  g_c = (1 − a − b)(n − c)/(1 − 2r),

c ~ Bin(n − 1, 2r) and T_c(t) = P(Bin(c, 1/2) >= t); both directions are equal. w is a weight, 1 if
the bound has none.

Source: Wang et al. 2023, Theorem 4.8, for r_0 = r_1; without leftovers the search of Feldman,
McMillan & Talwar 2021.

Definitions: :class:`Letters`, :func:`k_ary_letters`, :func:`counted`, :func:`stably`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import comb
from typing import Any

from exactdp.bounds import PublishedBound
from exactdp.divergences.profile import enclosed
from exactdp.errors import TooLargeError
from exactdp.numbers import Epsilon, Exact, Real, fmpq_of
from exactdp.numbers.balls import ball_of_interval
from exactdp.numbers.real_functions import evaluate_exact
from exactdp.shuffle import CountPair
from proofs_check.lemmas.float_counts import binomial_mass
from proofs_check.lemmas.remembered import remembered
from proofs_check.lemmas.stable_counts import delta_of

__all__ = ["Letters", "counted", "k_ary_letters", "stably"]

_MOST_WRITTEN = 8
"""The users up to which the sum is written out, as a term of the kernel's too."""

_MOST_COUNTED = 10**7
"""The users up to which the sum is computed: it has about 10 √n terms."""


@dataclass(frozen=True, slots=True)
class Letters:
    """The parts of a pair of counts.

    Attributes:
        first: a.
        second: b.
        other: r.
        weight: w.
        more: What is added to the sum.
        loss: log(a/b), where it is an argument, for doubles.
        gap: a − b, without a difference of near numbers, in the same way.
        rest: 1 − a − b, in the same way.
        alone: 1 − 2r, in the same way.
    """

    first: Any
    second: Any
    other: Any
    weight: Any = 1
    more: Any = 0
    loss: Any = None
    gap: Any = None
    rest: Any = None
    alone: Any = None


def k_ary_letters(f: Any, *, k: Any, epsilon0: Any, **_: Any) -> Letters:
    """Return a = e^ε0/(e^ε0 + k − 1), b = r = 1/(e^ε0 + k − 1) of k-ary response."""
    step, total = f.expm1(epsilon0), f.exp(epsilon0) + k - 1
    return Letters(
        f.exp(epsilon0) / total,
        1 / total,
        1 / total,
        loss=epsilon0,
        rest=(k - 2) / total,
        alone=(step + (k - 2)) / total,
    )


def counted(claim: str, letters: Callable[..., Letters], **rest: Any) -> PublishedBound:
    """Return δ of a pair of counts as a bound, with arguments n, epsilon and those of letters.

    Args:
        claim: Its name.
        letters: The letters at arguments by their names, over a number system; it takes n and
            epsilon too.
        rest: As for :class:`PublishedBound`.
    """
    return PublishedBound(
        claim,
        partial(_written, letters),
        bounds="delta",
        counts=("n",),
        program=partial(_in_doubles, letters),
        value=partial(_value, letters),
        stable=partial(stably, letters),
        **rest,
    )


def _written(letters: Callable[..., Letters], f: Any, *, n: int, epsilon: Any, **at: Any) -> Any:
    """Return the sum of the positive parts over all counts (x, y)."""
    if n > _MOST_WRITTEN:
        raise TooLargeError(f"n={n}: the sum is written out up to {_MOST_WRITTEN} users.")
    one = letters(f, n=n, epsilon=epsilon, **at)
    a, b, r, e = one.first, one.second, one.other, f.exp(epsilon)
    rest = 1 - a - b

    def mass(x: int, y: int) -> Any:
        if min(x, y, n - 1 - x - y) < 0:
            return 0
        return comb(n - 1, x) * comb(n - 1 - x, y) * r ** (x + y) * (1 - 2 * r) ** (n - 1 - x - y)

    found = f.constant(0)
    for x in range(n + 1):
        for y in range(n + 1 - x):
            left, up, here = mass(x - 1, y), mass(x, y - 1), mass(x, y)
            gap = (a - e * b) * left + (b - e * a) * up + (1 - e) * rest * here
            found = found + f.maximum(f.constant(0), gap + f.constant(0))
    return one.weight * found + one.more


def _value(
    letters: Callable[..., Letters], *, n: int, epsilon: Fraction, **at: Any
) -> Exact | Real:
    """Return the number: exact where it is 0 or the victim's alone, else a real."""
    _refuse_many(n)

    def part(name: str, f: Any, **numbers: Any) -> Any:
        return getattr(letters(f, n=n, **numbers), name) + f.constant(0)

    names = ("first", "second", "other", "weight", "more")
    found_parts = [evaluate_exact(partial(part, name), epsilon=epsilon, **at) for name in names]
    parts = [one for one in found_parts if one is not None]
    if len(parts) < len(names):
        raise TooLargeError(f"n={n}: the letters are too long to be exact. Use shorter numbers.")
    a, b, r, weight, more = parts
    pair, there = CountPair(n, a, b, r), Epsilon.rational(epsilon)
    found = pair.delta(there)
    if isinstance(found, Exact):
        return weight * found + more
    return weight * _delta(pair, there) + more


@lru_cache(maxsize=256)
def _delta(pair: CountPair, epsilon: Epsilon) -> Real:
    def ball(bits: int) -> Any:
        width = Fraction(1, 1 << bits)
        known = enclosed(pair.delta(epsilon, relative_width=width), width)
        return ball_of_interval(fmpq_of(known.lower), fmpq_of(known.upper))

    return remembered(ball, f"delta of the counts of {pair.n} users")


def stably(letters: Callable[..., Letters], f: Any, *, n: int, epsilon: Any, **at: Any) -> Any:
    """Return the number in doubles that carry a bound on their error."""
    one, step = letters(f, n=n, epsilon=epsilon, **at), f.expm1(epsilon)
    a, b, r = one.first, one.second, one.other
    if one.loss is None:
        gap = a - b if one.gap is None else one.gap
        over, under = gap - step * b, gap + step * a
    else:
        over, under = -a * f.expm1(epsilon - one.loss), a * (step - f.expm1(-one.loss))
    rest = 1 - a - b if one.rest is None else f.constant(0) + one.rest
    alone = 1 - 2 * r if one.alone is None else one.alone
    found = delta_of(n, over=over, under=under, other=r, alone=alone, rest=step * rest)
    return one.weight * found + one.more


def _in_doubles(
    letters: Callable[..., Letters], f: Any, *, n: int, epsilon: float, **at: float
) -> float:
    """Return the expectation over c in doubles, from the likeliest c outward."""
    _refuse_many(n)
    one = letters(f, n=n, epsilon=epsilon, **at)
    a, b, r, e = one.first, one.second, one.other, math.exp(epsilon)
    if a <= e * b:  # the loss of one message is at most epsilon
        return float(one.more)
    if r == 0:  # the victim's letter is all there is
        return float(one.weight * (a - e * b) + one.more)
    rest, alone = max(0.0, 1 - a - b), max(0.0, 1 - 2 * r)

    def threshold(c: int) -> float:
        left_over = 0.0
        if rest and n > c:
            left_over = (e - 1) * r * rest * (n - c) / alone if alone else math.inf
        return float(((e * a - b) * c + left_over) / ((a - b) * (1 + e)))

    most = n - 1
    start = most if alone == 0 else min(most, math.floor(n * 2 * r))
    total, heaviest = 0.0, binomial_mass(most, start, 2 * r)
    for step in (1, -1):
        c, weight = start, heaviest
        letter, leftover = _Tail(c, threshold(c + 1)), _Tail(c, threshold(c))
        while 0 <= c <= most and weight > 1e-18 * abs(total or heaviest):
            letter.move(c, threshold(c + 1))
            here = (a - e * b) * (letter.tail + letter.below()) + (b - e * a) * letter.tail
            if rest:
                leftover.move(c, threshold(c))
                here += (1 - e) * rest * leftover.tail
            if step == 1 or c < start:
                total += weight * here
            after = c + step
            if not 0 <= after <= most or alone == 0:
                break
            odds = 2 * r / alone
            weight *= (most - c) / after * odds if step == 1 else c / ((most - after) * odds)
            c = after
    return float(one.weight * total + one.more)


class _Tail:
    """T_c(t) in doubles, carried from one c and t to the next."""

    def __init__(self, c: int, t: float) -> None:
        self.c, self.low = c, self._least(c, t)
        self.term = binomial_mass(c, self.low, 0.5) if self.low <= c else 0.0
        self.tail, term = 0.0, self.term
        for a in range(self.low, c + 1):
            self.tail += term
            term *= (c - a) / (a + 1)
            if term <= 1e-18 * self.tail:
                break

    @staticmethod
    def _least(c: int, t: float) -> int:
        """Return the least integer from t on, between 0 and c + 2."""
        return c + 2 if t > c + 1 else max(0, math.ceil(t))

    def below(self) -> float:
        """Return P(Bin(c, 1/2) = low − 1)."""
        if self.low in (0, self.c + 2):
            return 0.0
        if self.low == self.c + 1:
            return binomial_mass(self.c, self.c, 0.5)
        return self.term * self.low / (self.c - self.low + 1)

    def move(self, c: int, t: float) -> None:
        """Go on to a c that is at most 1 away, and to another t."""
        low = self._least(c, t)
        if self.low > self.c or low > c or self.term == 0 or abs(low - self.low) > 2:
            if (c, low) != (self.c, self.low):
                self.__init__(c, t)  # type: ignore[misc]
            return
        if c > self.c:
            self.tail += self.below() / 2
            self.term *= c / (2 * (c - self.low)) if self.low < c else 0.0
        elif c < self.c:
            self.term *= 2 * (self.c - self.low) / self.c
            self.c = c
            self.tail -= self.below() / 2
        self.c = c
        while self.low < low:
            self.tail -= self.term
            self.term *= (c - self.low) / (self.low + 1)
            self.low += 1
        while self.low > low:
            self.term = self.below()
            self.low -= 1
            self.tail += self.term


def _refuse_many(n: int) -> None:
    if n > _MOST_COUNTED:
        raise TooLargeError(f"n={n}: at most {_MOST_COUNTED} users are summed. Take fewer.")
