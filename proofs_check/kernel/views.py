"""Pairs of laws, and the law of a shuffler's output.

A user whose randomizer sends message y with weight w_y is the linear form sum of w_y * z_y.
The multiset of all messages has as its law the coefficients of the product of the users'
forms. A pair is two laws on the same outcomes: P for the victim's first input, Q for the
second.

Notation: an outcome is an integer key. For a finite pair it is the index; for a view it is the
packed counts, sum of count[c] * base**c, where base exceeds the number of users, so adding
keys never carries. Exact masses are integers over one denominator of the whole pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import comb, lcm
from typing import TypeAlias

from .results import MAX_BITS, STEP_BYTES, Spend, require, steps
from .values import HALF, ONE, ZERO, Interval, Real, Value, enclose, holds, positive_part, size

Law: TypeAlias = dict[int, Real]
Row: TypeAlias = Sequence[Value]
Form: TypeAlias = tuple[tuple[int, Real], ...]


@dataclass(frozen=True)
class Pair:
    """Two laws over one denominator; outcomes left out have mass 0.

    The outcomes are ``size`` indices, or the counts of ``users`` messages in ``size`` classes.
    ``bits`` is the length of a mass, 0 for intervals of ``precision`` bits.
    """

    p: Law
    q: Law
    denominator: int
    bits: int
    precision: int
    size: int
    users: int = 0

    def key(self, outcome: int | list[int]) -> int:
        """Return the key of an outcome that was written as an index or as a list of counts."""
        if isinstance(outcome, int):
            good, key = not self.users and 0 <= outcome < self.size, outcome
        else:
            good = len(outcome) == self.size and min(outcome) >= 0 < self.users == sum(outcome)
            digits = reversed(outcome if good else [])
            key = reduce(lambda above, count: above * (self.users + 1) + count, digits, 0)
        kind = f"{self.size} counts, sum {self.users}" if self.users else f"below {self.size}"
        require(good, lambda: f"{str(outcome)[:60]} is not an outcome: it must be {kind}")
        return key

    def probability(self, side: str, outcomes: Sequence[int | list[int]], spend: Spend) -> Value:
        """Return the probability of a set of outcomes, under P or under Q."""
        long = steps(2 * self.bits) + _power_steps(self.size, _key_bits(self.size, self.users))
        spend(long + len(outcomes) * (long + _mass_steps(self.bits, 1, self.precision)))
        found = [self.key(outcome) for outcome in outcomes]
        require(len(set(found)) == len(found), "event: an outcome is repeated")
        law = self.p if side == "p" else self.q
        return Fraction(1, self.denominator) * sum(law.get(x, 0) for x in found)

    def hockey_stick(self, factor: Value, spend: Spend) -> Value:
        """Return the sum over outcomes of max(0, P - factor * Q)."""
        spend(steps(2 * self.bits + size(factor)))
        require(holds(">=", factor, ZERO), "hockey_stick: the factor is not certainly nonnegative")
        n, d = (factor, 1) if isinstance(factor, Interval) else factor.as_integer_ratio()
        bits = 0 if isinstance(factor, Interval) else self.bits
        spend(len(self.p) * 2 * _mass_steps(bits, size(factor), self.precision))
        gaps = (mass * d - n * self.q.get(x, 0) for x, mass in self.p.items())
        return Fraction(1, self.denominator * d) * sum(positive_part(gap) for gap in gaps)

    def total_variation(self, spend: Spend) -> Value:
        """Return half the sum over outcomes of abs(P - Q), by both positive parts."""
        reverse = replace(self, p=self.q, q=self.p)
        return HALF * (self.hockey_stick(ONE, spend) + reverse.hockey_stick(ONE, spend))


def _mass_steps(bits: int, other: int, precision: int) -> int:
    """Return the steps of a product of a mass and a number, and a sum; no bits: intervals."""
    exact = 1 + (bits + other) // 3000 + bits * other // 400_000
    return exact if bits else 2 * steps(4 * precision) + 9


def _longest(law: Law) -> int:
    return max((x.bit_length() for x in law.values() if isinstance(x, int)), default=0) + 1


def _power_steps(count: int, bits: int) -> int:
    """Return the steps of a power or a polynomial's value, of so many bits at the end."""
    return 1 + count // 2 + bits // 900 + bits * bits // 2_000_000


def _key_bits(classes: int, users: int) -> int:
    return classes * (users + 1).bit_length() if users else 0


def _kept_steps(bits: int) -> int:
    """Return the steps of keeping numbers of so many bits together in a law, for the memory."""
    return 1 + (800 + bits) // (8 * STEP_BYTES)


def _over_one_denominator(
    rows: Sequence[Row], bits: int, spend: Spend
) -> tuple[list[list[Real]], int]:
    """Return the rows as integers over one denominator, or as intervals if any mass is one.

    The denominator is then 0.
    """
    masses = [x for row in rows for x in row]
    fractions, d = [x for x in masses if isinstance(x, Fraction)], 1
    if len(fractions) < len(masses):
        spend(sum(9 + size(x) // 900 for x in masses) + len(masses) * _kept_steps(2 * bits))
        return [[y if y == 0 else enclose(y, bits) for y in row] for row in rows], 0
    spend(2 * len(fractions))
    for denominator in {x.denominator for x in fractions}:
        length = d.bit_length()
        spend(2 + length // 150 + length * denominator.bit_length() // 300_000)
        d = lcm(d, denominator)
        require(d.bit_length() <= MAX_BITS, f"a common denominator of more than {MAX_BITS} bits")
    length = d.bit_length()
    spend(len(fractions) * _kept_steps(length))
    spend(sum(length // 150 + length * size(x) // 300_000 for x in fractions))
    whole = iter([x.numerator * (d // x.denominator) for x in fractions])
    return [[next(whole) for _ in row] for row in rows], d


def finite_pair(rows: Sequence[Row], bits: int, spend: Spend) -> Pair:
    """Return the pair of two lists of masses."""
    masses, d = _over_one_denominator(rows, bits, spend)
    p, q = (dict(enumerate(row)) for row in masses)
    return Pair(p, q, max(d, 1), d.bit_length(), bits, len(p))


def shuffle_view(groups: Sequence[tuple[Row, int]], bits: int, spend: Spend, left: int) -> Pair:
    """Return the laws of the histogram of all messages.

    The groups are rows with the number of users who have them; the first two are the victim.
    ``left`` is what may still be spent.
    """
    users, classes = sum(count for _, count in groups) - 1, len(groups[0][0])
    rows, d = _over_one_denominator([row for row, _ in groups], bits, spend)
    length, key_bits = users * d.bit_length(), _key_bits(classes, users)
    kept = _kept_steps((length or 2 * bits) + key_bits)
    # Three laws are in memory at once: P, Q and that of the others.
    limit = left // (3 * kept)
    wide = f"shuffle: more than {limit} outcomes for {users} users; merge messages or allow more"
    require(max(classes, length // 10_000) <= limit, wide)

    def times(a: Law, b: Law) -> Law:
        spend(len(a) + len(b))
        each = _mass_steps(min(length, _longest(a)), _longest(b), bits) + key_bits // 3000
        spend(len(a) * len(b) * each)
        result: Law = {}
        for x, weight in a.items():
            for y, other in b.items():
                result[x + y] = result.get(x + y, 0) + weight * other
            require(len(result) <= limit, wide)
        return result

    def power(form: Form, count: int) -> Law:
        # By the binomial theorem, for the sum of the first half of the form and the second.
        few = min(count, len(form) - 1)
        spend(9 + 2 * few + few * few // 4000)
        require(comb(count + len(form) - 1, count) <= limit, wide)
        if len(form) == 1:
            key, weight = form[0]
            squarings = 4 * (1 + count.bit_length()) * steps(4 * bits + 600)
            spend(squarings if isinstance(weight, Interval) else _power_steps(0, length))
            return {key * count: weight**count}
        law, half, ways = dict[int, Real](), len(form) // 2, 1
        for c in range(count + 1):
            first = times({0: ways}, power(form[:half], c))
            law |= times(first, power(form[half:], count - c))
            ways = ways * (count - c) // (c + 1)
        return law

    spend(classes * (_kept_steps(key_bits) + key_bits // 900 + 2 * len(rows)))
    keys = [1]
    for _ in range(1, classes):
        keys.append(keys[-1] * (users + 1))
    forms = [tuple((k, w) for k, w in zip(keys, row, strict=True) if w != 0) for row in rows]
    law: Law = {0: 1}
    equal: dict[Form, int] = {}
    for form, (_, count) in zip(forms[2:], groups[2:], strict=True):
        equal[form] = equal.get(form, 0) + count
    for form, count in equal.items():
        law = times(power(form, count), law)
    p, q = times(dict(forms[0]), law), times(dict(forms[1]), law)
    spend((len(p) + len(q)) * kept)
    spend(_power_steps(0, length))
    return Pair(p, q, d**users if d else 1, length, bits, classes, users)
