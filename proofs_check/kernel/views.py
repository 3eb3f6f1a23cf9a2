"""Pairs of laws, and the law of what a shuffler shows.

A user whose randomizer sends message y with weight w_y is the linear form sum of w_y * z_y.
The multiset of all messages has as its law the coefficients of the product of the users'
forms. A pair is two laws on the same outcomes: P for the victim's first input, Q for the
second.

Notation: an outcome is an integer. For a finite pair it is the index; for a view it is the
packed counts, sum of count[c] * base**c, where base exceeds the number of users, so adding
outcomes never carries.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Generic, TypeAlias, TypeVar

from .results import (
    MAX_BITS,
    MAX_CELLS,
    MAX_USERS,
    MAX_VIEW_BITS,
    Budget,
    MalformedError,
    TooLargeError,
    UndecidedError,
    UndefinedError,
)
from .values import ZERO, Interval, Value, add, enclose, holds, i_add, i_mul, neg, ratio

Matrix: TypeAlias = tuple[tuple[Value, ...], ...]
W = TypeVar("W", int, Interval)


@dataclass(frozen=True)
class Space:
    """The outcomes: ``size`` indices, or the counts of ``users`` messages in ``classes``."""

    size: int
    classes: int = 0
    users: int = 0

    def outcome(self, numbers: Sequence[int] | int) -> int:
        """Return the packed outcome that was written as an index or as a list of counts."""
        if isinstance(numbers, int):
            if self.classes or not 0 <= numbers < self.size:
                raise MalformedError(f"{numbers} is not an outcome: {self}")
            return numbers
        if not self.classes or len(numbers) != self.classes:
            raise MalformedError(f"{list(numbers)[:8]} is not an outcome: {self}")
        if min(numbers) < 0 or sum(numbers) != self.users:
            raise MalformedError(f"{list(numbers)[:8]} is not an outcome: {self}")
        return sum(count * (self.users + 1) ** c for c, count in enumerate(numbers))

    def __str__(self) -> str:
        """Return what an outcome of this space looks like."""
        if self.classes:
            return f"an outcome is {self.classes} counts that sum to {self.users}"
        return f"an outcome is an index from 0 to {self.size - 1}"


@dataclass(frozen=True)
class ExactPair:
    """Two laws as integers over one denominator; outcomes left out have mass 0."""

    space: Space
    p: Mapping[int, int]
    q: Mapping[int, int]
    denominator: int


@dataclass(frozen=True)
class IntervalPair:
    """Two laws as intervals; outcomes left out have mass 0."""

    space: Space
    p: Mapping[int, Interval]
    q: Mapping[int, Interval]


Pair: TypeAlias = ExactPair | IntervalPair


@dataclass(frozen=True)
class Group:
    """``count`` users with the same randomizer and input."""

    row: tuple[Value, ...]
    count: int


@dataclass(frozen=True)
class Algebra(Generic[W]):
    """How to multiply, add and write integers in the masses' number system."""

    times: Callable[[W, W], W]
    plus: Callable[[W, W], W]
    lift: Callable[[int], W]
    bits: int
    cost: int


def checked_masses(masses: Sequence[Value], what: str, budget: Budget) -> None:
    """Refuse masses that are not certainly nonnegative, or whose sum is certainly not 1."""
    total: Value = Fraction(0)
    for index, mass in enumerate(masses):
        if holds(">=", mass, Fraction(0)) is not True:
            raise UndefinedError(f"{what}: mass {index} is not certainly nonnegative")
        total = add(total, mass, budget.bits)
        budget.spend(5)
        if isinstance(total, Fraction) and total.denominator.bit_length() > MAX_BITS:
            raise TooLargeError(f"{what}: the sum of masses has more than {MAX_BITS} bits")
    # Exact masses must sum to exactly 1. For intervals only "1 is possible" can be seen.
    if holds("!=", total, Fraction(1)) is True:
        shown = f"{total}" if isinstance(total, Fraction) and total.denominator < 10**9 else "that"
        raise UndefinedError(f"{what}: the masses sum to {shown}, not 1")


def finite_pair(p: Sequence[Value], q: Sequence[Value], budget: Budget) -> Pair:
    """Return the pair of two lists of masses."""
    if len(p) != len(q) or not p:
        raise MalformedError(f"finite_pair: p has {len(p)} masses and q has {len(q)}")
    checked_masses(p, "finite_pair, p", budget)
    checked_masses(q, "finite_pair, q", budget)
    space = Space(size=len(p))
    budget.store(2 * len(p))
    exact = _integers([*p, *q])
    if exact is not None:
        numbers, d = exact
        return ExactPair(
            space, dict(enumerate(numbers[: len(p)])), dict(enumerate(numbers[len(p) :])), d
        )
    return IntervalPair(
        space,
        {i: enclose(x, budget.bits) for i, x in enumerate(p)},
        {i: enclose(x, budget.bits) for i, x in enumerate(q)},
    )


def _integers(row: Sequence[Value]) -> tuple[list[int], int] | None:
    """Return the integers and the denominator that write an exact row, if it is exact."""
    exact = [x for x in row if isinstance(x, Fraction)]
    if len(exact) < len(row):
        return None
    d = 1
    for x in exact:
        d = lcm(d, x.denominator)
        if d.bit_length() > MAX_BITS:
            raise TooLargeError(f"a common denominator has more than {MAX_BITS} bits")
    return [x.numerator * (d // x.denominator) for x in exact], d


def merged(row: Sequence[Value], merge: Sequence[Sequence[int]], bits: int) -> tuple[Value, ...]:
    """Return the masses of the classes of messages."""
    result = []
    for block in merge:
        total: Value = Fraction(0)
        for column in block:
            total = add(total, row[column], bits)
        result.append(total)
    return tuple(result)


def shuffle_view(
    victim: tuple[tuple[Value, ...], tuple[Value, ...]], others: Sequence[Group], budget: Budget
) -> Pair:
    """Return the laws of the histogram of all messages, for both inputs of the victim."""
    users, classes = 1 + sum(group.count for group in others), len(victim[0])
    if users > MAX_USERS:
        raise TooLargeError(f"shuffle: {users} users, and the limit is {MAX_USERS}")
    space = Space(size=0, classes=classes, users=users)
    together: dict[tuple[Value, ...], int] = {}
    for group in others:
        together[group.row] = together.get(group.row, 0) + group.count
    numbers = _integers([*victim[0], *victim[1]])
    rows = [(_integers(row), count) for row, count in together.items()]
    scaled_rows = [(row, count) for row, count in rows if row is not None]
    if numbers is not None and len(scaled_rows) == len(rows):
        log_d = numbers[1].bit_length() + sum(d.bit_length() * m for (_, d), m in scaled_rows)
        integers = Algebra[int](operator.mul, operator.add, int, log_d, 1 + log_d // 500)
        firsts, seconds = numbers[0][:classes], numbers[0][classes:]
        forms = [(row, count) for (row, _), count in scaled_rows]
        p, q = _laws(firsts, seconds, forms, space, integers, budget)
        d = numbers[1]
        for (_, denominator), count in scaled_rows:
            d *= denominator**count
        return ExactPair(space, p, q, d)
    bits = budget.bits
    intervals = Algebra[Interval](
        lambda a, b: i_mul(a, b, bits),
        lambda a, b: i_add(a, b, bits),
        lambda n: ratio(n, 1, bits),
        4 * bits,
        6 + bits // 100,
    )
    enclosed = [([enclose(x, bits) for x in row], count) for row, count in together.items()]
    first, second = ([enclose(x, bits) for x in row] for row in victim)
    left, right = _laws(first, second, enclosed, space, intervals, budget)
    return IntervalPair(space, left, right)


def _laws(
    first: Sequence[W],
    second: Sequence[W],
    others: Sequence[tuple[Sequence[W], int]],
    space: Space,
    algebra: Algebra[W],
    budget: Budget,
) -> tuple[dict[int, W], dict[int, W]]:
    base = space.users + 1
    law = {0: algebra.lift(1)}
    for row, count in others:
        if count:
            law = _times(_power(_form(row, base), count, algebra, budget), law, algebra, budget)
    p = _times(_form(first, base), law, algebra, budget)
    q = _times(_form(second, base), law, algebra, budget)
    budget.store(len(p) + len(q))
    return p, q


def _form(row: Sequence[W], base: int) -> dict[int, W]:
    return {base**c: weight for c, weight in enumerate(row) if weight not in (0, ZERO)}


def _cell_limit(cells: int, algebra: Algebra[W]) -> None:
    limit = min(MAX_CELLS, MAX_VIEW_BITS // algebra.bits)
    if cells > limit:
        raise TooLargeError(
            f"shuffle: more than {limit} outcomes of {algebra.bits} bits; merge messages"
        )


def _times(
    a: Mapping[int, W], b: Mapping[int, W], algebra: Algebra[W], budget: Budget
) -> dict[int, W]:
    budget.spend(len(a) * len(b) * algebra.cost)
    result: dict[int, W] = {}
    for key, weight in a.items():
        for other, value in b.items():
            product, sum_key = algebra.times(weight, value), key + other
            before = result.get(sum_key)
            result[sum_key] = product if before is None else algebra.plus(before, product)
        _cell_limit(len(result), algebra)
    return result


def _power(form: Mapping[int, W], count: int, algebra: Algebra[W], budget: Budget) -> dict[int, W]:
    """Return form**count by the multinomial theorem, one message after another.

    The coefficient of the counts (c1, c2, ...) is the product of binomial(remaining users,
    count) * weight**count.
    """
    _cell_limit(comb(count + len(form) - 1, len(form) - 1), algebra)
    law = {0: (count, algebra.lift(1))}
    last = len(form) - 1
    for position, (unit, weight) in enumerate(form.items()):
        powers = [algebra.lift(1)]
        for _ in range(count):
            powers.append(algebra.times(powers[-1], weight))
        budget.spend(count * algebra.cost)
        extended: dict[int, tuple[int, W]] = {}
        for key, (left, value) in law.items():
            if position == last:
                extended[key + left * unit] = (0, algebra.times(value, powers[left]))
                continue
            budget.spend((left + 1) * 3 * algebra.cost)
            binomial = 1
            for c in range(left + 1):
                mass = algebra.times(algebra.times(value, algebra.lift(binomial)), powers[c])
                extended[key + c * unit] = (left - c, mass)
                binomial = binomial * (left - c) // (c + 1)
        law = extended
    return {key: value for key, (_, value) in law.items()}


def intervals_of(pair: Pair, bits: int) -> tuple[Mapping[int, Interval], Mapping[int, Interval]]:
    """Return both laws as intervals."""
    if isinstance(pair, IntervalPair):
        return pair.p, pair.q
    d = pair.denominator
    return (
        {key: ratio(n, d, bits) for key, n in pair.p.items()},
        {key: ratio(n, d, bits) for key, n in pair.q.items()},
    )


def hockey_stick(pair: Pair, factor: Value, budget: Budget) -> Value:
    """Return the sum over outcomes of max(0, P - factor * Q)."""
    if holds(">=", factor, Fraction(0)) is not True:
        raise UndecidedError("hockey_stick: the factor is not certainly nonnegative")
    if isinstance(pair, ExactPair) and isinstance(factor, Fraction):
        n, d, total = factor.numerator, factor.denominator, 0
        budget.spend(len(pair.p) * (1 + (pair.denominator * n * d).bit_length() // 500))
        for key, mass in pair.p.items():
            total += max(0, mass * d - n * pair.q.get(key, 0))
        return Fraction(total, pair.denominator * d)
    bits = budget.bits
    p, q = intervals_of(pair, bits)
    budget.spend(len(p) * (15 + bits // 100))
    minus, zero, result = enclose(neg(factor), bits), (0, 0), ZERO
    for key, upper in p.items():
        gap = i_add(upper, i_mul(minus, q[key], bits), bits) if key in q else upper
        # max(0, .) is increasing: it acts on each endpoint.
        lo = gap.lo if gap.lo[0] > 0 else zero
        result = i_add(result, Interval(lo, gap.hi if gap.hi[0] > 0 else zero), bits)
    return result


def total_variation(pair: Pair, budget: Budget) -> Value:
    """Return half the sum over outcomes of |P - Q|, by both positive parts."""
    if isinstance(pair, ExactPair):
        reverse: Pair = ExactPair(pair.space, pair.q, pair.p, pair.denominator)
    else:
        reverse = IntervalPair(pair.space, pair.q, pair.p)
    one = Fraction(1)
    both = add(hockey_stick(pair, one, budget), hockey_stick(reverse, one, budget), budget.bits)
    half = Fraction(1, 2)
    return both * half if isinstance(both, Fraction) else i_mul(both, enclose(half, 1), budget.bits)


def event(pair: Pair, side: str, outcomes: Sequence[int], budget: Budget) -> Value:
    """Return the probability of a set of outcomes, under P or under Q."""
    if len(set(outcomes)) < len(outcomes):
        raise MalformedError("event: an outcome is repeated")
    budget.spend(len(outcomes) * 10)
    if isinstance(pair, ExactPair):
        masses = pair.p if side == "p" else pair.q
        return Fraction(sum(masses.get(key, 0) for key in outcomes), pair.denominator)
    laws = pair.p if side == "p" else pair.q
    total: Value = Fraction(0)
    for key in outcomes:
        total = add(total, laws[key] if key in laws else Fraction(0), budget.bits)
    return total


def columns(matrix: Matrix) -> list[tuple[Value, ...]]:
    """Return the columns of a matrix."""
    return list(zip(*matrix, strict=True))
