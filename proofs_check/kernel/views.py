"""Pairs of laws, and the law of what a shuffler shows.

A user whose randomizer sends message y with weight w_y is the linear form sum of w_y * z_y.
The multiset of all messages has as its law the coefficients of the product of the users'
forms. A pair is two laws on the same outcomes: P for the victim's first input, Q for the
second.

Notation: an outcome is an integer key. For a finite pair it is the index; for a view it is the
packed counts, sum of count[c] * base**c, where base exceeds the number of users, so adding
keys never carries. Exact masses are integers over one denominator of the whole pair.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, lcm
from typing import TypeAlias

from .results import MAX_BITS, MAX_VIEW_BITS, require
from .values import HALF, ONE, ZERO, Interval, Real, Value, enclose, holds, positive_part

Law: TypeAlias = dict[int, Real]
Row: TypeAlias = Sequence[Value]
Form: TypeAlias = tuple[tuple[int, Real], ...]
Spend: TypeAlias = Callable[[int], None]


@dataclass(frozen=True)
class Pair:
    """Two laws over one denominator; outcomes left out have mass 0.

    The outcomes are ``size`` indices, or the counts of ``users`` messages in ``size`` classes.
    ``cost`` is the work of one operation on masses.
    """

    p: Law
    q: Law
    denominator: int
    cost: int
    size: int
    users: int = 0

    def key(self, outcome: int | list[int]) -> int:
        """Return the key of an outcome that was written as an index or as a list of counts."""
        if isinstance(outcome, int):
            good, key = not self.users and 0 <= outcome < self.size, outcome
        else:
            good = len(outcome) == self.size and min(outcome) >= 0 < self.users == sum(outcome)
            key = sum(count * (self.users + 1) ** c for c, count in enumerate(outcome))
        kind = f"{self.size} counts, sum {self.users}" if self.users else f"below {self.size}"
        require(good, f"{str(outcome)[:60]} is not an outcome: it must be {kind}")
        return key

    def probability(self, side: str, outcomes: Sequence[int | list[int]], spend: Spend) -> Value:
        """Return the probability of a set of outcomes, under P or under Q."""
        spend(len(outcomes) * self.cost)
        found = [self.key(outcome) for outcome in outcomes]
        require(len(set(found)) == len(found), "event: an outcome is repeated")
        law = self.p if side == "p" else self.q
        return Fraction(1, self.denominator) * sum(law.get(x, 0) for x in found)

    def hockey_stick(self, factor: Value, spend: Spend) -> Value:
        """Return the sum over outcomes of max(0, P - factor * Q)."""
        require(holds(">=", factor, ZERO), "hockey_stick: the factor is not certainly nonnegative")
        n, d = (factor, 1) if isinstance(factor, Interval) else factor.as_integer_ratio()
        spend(len(self.p) * (self.cost + d.bit_length() // 100))
        gaps = (mass * d - n * self.q.get(x, 0) for x, mass in self.p.items())
        return Fraction(1, self.denominator * d) * sum(positive_part(gap) for gap in gaps)

    def total_variation(self, spend: Spend) -> Value:
        """Return half the sum over outcomes of abs(P - Q), by both positive parts."""
        reverse = replace(self, p=self.q, q=self.p)
        return HALF * (self.hockey_stick(ONE, spend) + reverse.hockey_stick(ONE, spend))


def _over_one_denominator(rows: Sequence[Row], bits: int) -> tuple[list[list[Real]], int]:
    """Return the rows as integers over one denominator, or as intervals if any mass is one."""
    d = 1
    for x in [x for row in rows for x in row]:
        if isinstance(x, Interval):
            return [[y if y == 0 else enclose(y, bits) for y in row] for row in rows], 1
        d = lcm(d, x.denominator)
        require(d.bit_length() <= MAX_BITS, f"a common denominator of more than {MAX_BITS} bits")
    return [[int(x * d) for x in row if isinstance(x, Fraction)] for row in rows], d


def finite_pair(rows: Sequence[Row], bits: int) -> Pair:
    """Return the pair of two lists of masses."""
    masses, d = _over_one_denominator(rows, bits)
    p, q = (dict(enumerate(row)) for row in masses)
    return Pair(p, q, d, 9 + (bits + d.bit_length()) // 99, len(p))


def shuffle_view(groups: Sequence[tuple[Row, int]], bits: int, spend: Spend) -> Pair:
    """Return the laws of the histogram of all messages.

    The groups are rows with the number of users who have them; the first two are the victim.
    """
    users, classes = sum(count for _, count in groups) - 1, len(groups[0][0])
    rows, d = _over_one_denominator([row for row, _ in groups], bits)
    size = max(4 * bits, users * d.bit_length())
    limit = MAX_VIEW_BITS // (800 + size + classes * users.bit_length())
    wide = f"shuffle: more than {limit} outcomes for {users} users; merge messages"
    require(max(classes, size // 10_000) <= limit, wide)

    def times(a: Law, b: Law) -> Law:
        spend(len(a) * len(b) * (9 + size // 400))
        result: Law = {}
        for x, weight in a.items():
            for y, other in b.items():
                result[x + y] = result.get(x + y, 0) + weight * other
            require(len(result) <= limit, wide)
        return result

    def power(form: Form, count: int) -> Law:
        # By the binomial theorem, for the sum of the first half of the form and the second.
        require(comb(count + len(form) - 1, count) <= limit, wide)
        if len(form) == 1:
            return {form[0][0] * count: form[0][1] ** count}
        law, half = dict[int, Real](), len(form) // 2
        for c in range(count + 1):
            first = times({0: comb(count, c)}, power(form[:half], c))
            law |= times(first, power(form[half:], count - c))
        return law

    forms = [tuple(((users + 1) ** c, w) for c, w in enumerate(row) if w != 0) for row in rows]
    law: Law = {0: 1}
    equal: dict[Form, int] = {}
    for form, (_, count) in zip(forms[2:], groups[2:], strict=True):
        equal[form] = equal.get(form, 0) + count
    for form, count in equal.items():
        law = times(power(form, count), law)
    p, q = times(dict(forms[0]), law), times(dict(forms[1]), law)
    # Keeping a mass costs memory: the factor bounds the masses of one certificate.
    spend((len(p) + len(q)) * (50 + size // 20))
    return Pair(p, q, d**users, 9 + size // 400, classes, users)
