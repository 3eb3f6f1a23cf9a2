"""One step of each deployed mechanism, as the masses of both laws beyond a ratio.

P is the law with the record, or with the first of two, and Q the law without it, or with the
second; ``cards`` takes both orders. Of outcomes with P > g Q a function says what P and Q have;
those that balls do not tell from g are in or out, and 8 units and twice the width of g are more
than what that changes. A Poisson sample is P' = (1 - s) Q + s P beside Q: its ratio is above g
where that of P and Q is above (g - 1 + s)/s.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from itertools import product as pairs_of
from math import ceil

from . import functions
from .card_laws import Atom, ends_of, plus, power, product
from .card_numbers import Ball, Fixed
from .results import require
from .values import HALF, ZERO

MOST_ATOMS = 200_000
TINY = 256  # units
BUCKETS, FEWER = 64, 4  # ranges of a number of users; of those with another input

Sums = tuple[list[int], int, int]  # masses, the number of steps, and what is left out
Tails = Callable[[Ball], Atom]  # what P and Q have of the outcomes with P > g Q


def sampled(f: Fixed, tails: Tails, s: Fraction) -> Tails:
    """Return the Poisson sample in which a record is with a probability s."""
    yes, no = f.ball(s), f.ball(1 - s)

    def mixed(g: Ball) -> Atom:
        if g[1] <= no[0]:
            return (f.one, f.one), (f.one, f.one)
        p, q = tails(f.over(f.less(g, no), yes))
        return plus(f.times(p, yes), f.times(q, no)), q

    return tails if s == 1 else mixed


def ratios_of(f: Fixed, h: Fraction, knots: range) -> list[Ball]:
    """Return exp(j*h) for all knots j."""
    ups, downs = f.powers(f.exp(h), max(0, knots[-1])), f.powers(f.exp(-h), max(0, -knots[0]))
    return [ups[j] if j >= 0 else downs[-j] for j in knots]


def step(f: Fixed, tails: Tails, h: Fraction, knots: range) -> dict[str, list[Atom]]:
    """Return the mass of P beyond each knot, and of Q times the ratio there, in both orders."""
    f.spend((100 + f.bits) * len(knots))
    back = reversed(ratios_of(f, h, range(-knots[-1], 1 - knots[0])))
    removed, added = list[Atom](), list[Atom]()
    for ratio, inverse in zip(ratios_of(f, h, knots), back, strict=True):
        p, q = tails(ratio)
        p = p[0], p[1] + 8 + 2 * (ratio[1] - ratio[0])
        removed.append((p, f.times(q, ratio)))
        rest = f.less((f.one, f.one), p)
        added.append((f.less((f.one, f.one), q), f.times(rest, inverse)))
    return {"removed": removed, "added": added[::-1]}


def finite(f: Fixed, atoms: Iterable[Atom], lost: int = 0) -> Tails:
    """Return a pair of outcomes, each with its masses under P and Q, and a bound of all errors."""

    def key(atom: Atom) -> tuple[bool, int]:
        p, q = atom
        return q[0] == 0, -(-(p[1] << f.bits) // q[0]) if q[0] else 0

    def both(x: Atom, y: Atom) -> Atom:
        return plus(x[0], y[0]), plus(x[1], y[1])

    found, nothing = sorted(atoms, key=key), ((0, 0), (0, 0))
    require(len(found) <= MOST_ATOMS, f"more than {MOST_ATOMS} outcomes")
    f.spend((4 + f.bits // 10) * len(found))  # as much as they are kept
    keys = [*map(key, found)]
    below = [*accumulate(found, both, initial=nothing)]
    above = [*accumulate(reversed(found), both, initial=nothing)][::-1]

    def tails(g: Ball) -> Atom:
        """Return sums of the masses above, where they are not better known as 1 less the rest."""
        i = bisect_right(keys, (False, g[0]))
        p, q = (
            (max(x[0], f.one - y[1]) - lost, min(x[1], f.one - y[0]) + lost)
            for x, y in zip(above[i], below[i], strict=True)
        )
        return p, q

    return tails


def allocated(f: Fixed, tails: Tails, steps: int, width: Fraction, count: int) -> Tails:
    """Return a pair above one of so many steps, drawn at random, with P, where all others have Q.

    Its ratio is the mean A of independent ratios W of the steps, of means 1 under Q. H is a mean of
    max(0, A - g), and in the other order of max(0, 1 - g A): both are convex in each W, so W may be
    spread over multiples of the width, by second differences of its own H. What P has beyond the
    last multiple, M, is infinite: W is min(W, M) and an excess, of a mean that is H at M. Where a
    sum of n is left out for its size S >= n, what P has of it is at most the mean of S there, over
    n, and of two sums such bounds add up; what Q has is less.
    """
    f.spend((100 + f.bits) * count)
    curve = [f.ball(1 + width), f.ball(1)]
    for k in range(1, count + 1):
        g = f.ball(k * width)
        p, q = tails(g)
        curve.append(f.less((p[0], p[1] + 8 + 2 * (g[1] - g[0])), f.times(q, g)))
    curve.append(curve[-1])
    three = zip(curve, curve[1:], curve[2:], strict=False)
    one = [max(0, ceil((x[1] - 2 * y[0] + z[1]) / width)) for x, y, z in three]

    def times(x: Sums, y: Sums) -> Sums:
        n, masses = x[1] + y[1], product(f, x[0], y[0], f.bits, up=True)
        lost, most = 0, int(f.cut * n / width)
        while (k := len(masses) - 1) * width >= n and lost + masses[k] * k <= most:
            lost += masses.pop() * k
        return masses, n, x[2] + y[2] + ceil(lost * width / n)

    masses, _, lost = power(times, (one, 1, 0), steps)
    shares = [ceil(m * k * width / steps) for k, m in enumerate(masses)]
    lost += max(0, sum(masses) - f.one, sum(shares) + curve[-1][1] - f.one)
    atoms = [((p, p), (q, q)) for p, q in zip(shares, masses, strict=True) if q]
    return finite(f, [*atoms, (curve[-1], (0, 0))], 2 * lost)


def peaked(f: Fixed, ratio: Callable[[int], Ball]) -> tuple[list[Ball], int]:
    """Return weights from 1 on, each that before times a ratio, and a bound of all that follow.

    Ratios fall: what follows a weight w is at most w t/(1 - t), t the ratio there.
    """
    weights, k, t = [(f.one, f.one)], 0, ratio(0)
    while weights[-1][0] and t[1]:
        f.spend(4 + f.bits // 200)
        require(k < MOST_ATOMS, f"more than {MOST_ATOMS} outcomes")
        weights.append(f.times(weights[-1], t))
        k, t = k + 1, ratio(k + 1)
    rest = f.over(f.times(weights[-1], t), f.less((f.one, f.one), t))[1] if t[1] else 0
    return weights, rest


def law_of(
    f: Fixed, up: tuple[list[Ball], int], down: tuple[list[Ball], int]
) -> tuple[list[Ball], int]:
    """Return masses in proportion to weights on both sides of a peak, and a bound of the rest."""
    weights, rest = [*down[0][:0:-1], *up[0]], up[1] + down[1]
    low, high = sum(w[0] for w in weights), sum(w[1] for w in weights) + rest
    return [f.over(w, (low, high)) for w in weights], f.over((rest, rest), (low, low))[1]


def gaussian(f: Fixed, noise_multiplier: Fraction) -> Tails:
    """Return normal noise of deviation 1 about a mean above 0, of a square, beside that about 0.

    dP/dQ > g where x > log(g)/mean + mean/2, which has F(mean/2 - log(g)/mean) under P.
    """
    mean = f.ball(functions.sqrt(noise_multiplier, f.bits + 16, f.spend))
    inverse, half = f.over((f.one, f.one), mean), (mean[0] // 2, -(-mean[1] // 2))

    def tails(g: Ball) -> Atom:
        if g[1] == 0:
            return (f.one, f.one), (f.one, f.one)
        corners = [x * y for x in f.log((max(g[0], TINY), max(g[1], TINY))) for y in inverse]
        x = min(corners) >> f.bits, -(-max(corners) >> f.bits)
        p = f.normal((half[0] - x[1], half[1] - x[0]))
        q = f.normal((-half[1] - x[1], -half[0] - x[0]))
        # Of less than that there is no logarithm: the tail is between what it has and all.
        return ((p[0], f.one), (q[0], f.one)) if g[0] < TINY else (p, q)

    return tails


def laplace(f: Fixed, scale: Fraction) -> Tails:
    """Return Laplace noise of a scale about 0, beside that about 1.

    With e = exp(-1/scale), dP/dQ > g has 1 - sqrt(e g)/2 and sqrt(e/g)/2 for g from e to 1/e.
    """
    root, least, most = f.exp(-1 / (2 * scale)), f.exp(-1 / scale), f.exp(1 / scale)
    one: Ball = (f.one, f.one)

    def tails(g: Ball) -> Atom:
        if g[0] >= most[1] or g[1] <= least[0]:
            return ((0, 0), (0, 0)) if g[0] >= most[1] else (one, one)
        x, y = f.times(root, f.root(g)), f.over(root, f.root(g))
        return f.less(one, (x[0] // 2, -(-x[1] // 2))), (y[0] // 2, -(-y[1] // 2))

    return tails


def discrete_laplace(f: Fixed, scale: Fraction, sensitivity: int) -> Tails:
    """Return integers k of masses r**abs(k) (1 - r)/(1 + r), beside k + sensitivity.

    r is exp(-1/scale). Up to 0 the losses are one, and from the sensitivity on.
    """
    r, all_of = f.exp(-1 / scale), (f.one, f.one)
    end = f.over(all_of, plus(all_of, r))
    inner, falls = f.times(end, f.less(all_of, r)), f.powers(r, sensitivity)
    between = ((falls[k], falls[sensitivity - k]) for k in range(1, sensitivity))
    atoms = [(end, f.times(end, falls[-1])), (f.times(end, falls[-1]), end)]
    return finite(f, [*atoms, *((f.times(inner, x), f.times(inner, y)) for x, y in between)])


def discrete_gaussian(f: Fixed, sigma_squared: Fraction, sensitivity: int) -> Tails:
    """Return integers k of masses in proportion to exp(-k*k/(2 sigma_squared)), beside k - s."""
    first = f.exp(-1 / (2 * sigma_squared))
    square, factor = f.times(first, first), [first]

    def ratio(k: int) -> Ball:
        while len(factor) <= k:
            factor.append(f.times(factor[-1], square))
        return factor[k]

    side = peaked(f, ratio)
    masses, rest = law_of(f, side, side)
    # Beyond these each mass is between nothing and the rest, which either law has once more.
    gap: list[Ball] = [(0, rest)] * sensitivity
    wide = [*gap, *masses, *gap]
    return finite(f, zip(wide, wide[sensitivity:], strict=False), 2 * rest)


def randomized(f: Fixed, epsilon: Fraction, k: int = 2, delta: Fraction = ZERO) -> Tails:
    """Return the input with the odds exp(epsilon), else one of k - 1 others, for two inputs.

    With delta the input is told: that dominates what is (epsilon, delta)-indistinguishable.
    """
    require(delta <= 1, "delta is above 1")
    e, none, told = f.exp(epsilon), (0, 0), f.ball(delta)
    total = plus(e, f.ball(k - 1))
    own, other, rest = (
        f.over(f.times(x, f.ball(1 - delta)), total) for x in (e, f.ball(1), f.ball(k - 2))
    )
    return finite(f, [(told, none), (own, other), (rest, rest), (other, own), (none, told)])


def listed(f: Fixed, p: list[Fraction], q: list[Fraction]) -> Tails:
    """Return two laws on the same few outcomes."""
    require(len(p) == len(q) and sum(p) == sum(q) == 1, "p and q must sum to 1")
    return finite(f, [(f.ball(x), f.ball(y)) for x, y in zip(p, q, strict=True)])


def shuffled(f: Fixed, users: int, epsilon: Fraction, k: int = 0) -> Tails:
    """Return a pair above the shuffled reports of users, each with a randomizer of epsilon.

    Of any randomizer (k = 0) by clones: with e = exp(epsilon), the victim sends the letter 1 with
    a = e/(e + 1) under P, and 2 under Q, among C others who send either, C of Bin(users - 1, 1/e).
    Of randomized response among k the blanket, with T = e + k - 1: others send either of the
    victim's inputs with 2/T, and M' of them do; C of the rest send any other with (k - 2)/(T - 2).
    Given that M messages are of the two, of M + C, their number of the first is that of M - 1 fair
    coins and of a letter, 1 with the odds of 1 + t under P and of 1 - t under Q, and
    t = M (e - 1)/(M (e + 1) + 2 C). The victim is one of M, or of C.
    A letter is hidden better among more, and with less t: each bucket has its worst of both.
    """
    e, one, found = f.exp(epsilon), (f.one, f.one), list[tuple[Ball, Ball, list[Ball], int, int]]()
    total, ways = plus(e, f.ball(k - 1)), [(one, 1)]
    if k > 2:  # the victim sends either of the two, or any other
        ways = [(f.over(plus(e, one), total), 1), (f.over(f.ball(k - 2), total), 0)]
    share = f.over(f.ball(2), total) if k else f.over(one, e)
    law, lost = binomial(f, users - 1, share)
    for (low, part), (way, own) in pairs_of(buckets(f, law, BUCKETS), ways):
        coins, high = max(0, low + own - 1), low + len(part) - 1
        m, mass, others = max(1, high + own), f.times(total_of(part), way), [(0, f.ball(1))]
        (masses, first), gone = binomial(f, coins, f.ball(HALF))
        if k > 2:
            share = f.over(f.ball(k - 2), f.less(total, f.ball(2)))
            rest, more = binomial(f, users - 1 - high, share)
            others, gone = [*spread(f, buckets(f, rest, FEWER))], gone + more + 2 * f.cut
        lost += f.times(mass, (0, gone))[1]
        tails = [*accumulate(reversed(masses), plus, initial=(0, 0))][::-1]
        up, down = f.less((m * e[0], m * e[1]), f.ball(m)), plus((m * e[0], m * e[1]), f.ball(m))
        for count, weight in others:
            t = f.over(up, plus(down, f.ball(2 * (count + 1 - own))))
            found.append((f.times(mass, weight), t, tails, first, coins + 1))
    lost += 2 * f.cut + 64 * (e[1] >> f.bits) + 64

    def tails_of(g: Ball) -> Atom:
        f.spend((8 + f.bits // 100) * len(found))
        p, q, at = (0, 0), (0, 0), (g[0] - f.one << f.bits) // (g[0] + f.one)
        for mass, t, tails, first, letters in found:
            # The first is sent more often than that where P is above g Q.
            x = letters * (t[at >= 0] + at) // (2 * t[at >= 0]) - first
            before, after = (tails[min(max(y, 0), len(tails) - 1)] for y in (x, x + 1))
            both, more = plus(before, after), f.times(t, f.less(before, after))
            p = plus(p, f.times(mass, plus(both, more)))
            q = plus(q, f.times(mass, f.less(both, more)))
        return (p[0] // 2, -(-p[1] // 2) + lost), (q[0] // 2, -(-q[1] // 2))

    return tails_of


Counts = tuple[list[Ball], int]  # masses, and the first count that has one


def binomial(f: Fixed, n: int, share: Ball) -> tuple[Counts, int]:
    """Return the law of a number of n, each counted with a probability below 1, and the rest."""
    odds, m = f.over(share, f.less((f.one, f.one), share)), min(n, (n + 1) * share[0] >> f.bits)
    back = f.over((f.one, f.one), odds)

    def side(x: Ball, most: int, least: int) -> tuple[list[Ball], int]:
        def ratio(k: int) -> Ball:
            top, bottom = most - k, least + k + 1
            return x[0] * top // bottom, -(-x[1] * top // bottom)

        return peaked(f, ratio)

    down = side(back, m, n - m)
    masses, rest = law_of(f, side(odds, n - m, m), down)
    return (masses, m + 1 - len(down[0])), rest


def buckets(f: Fixed, law: Counts, count: int) -> Iterator[tuple[int, list[Ball]]]:
    """Yield ranges of counts without their ends: the first of each, and the masses."""
    low, high = ends_of([x[1] for x in law[0]], f.cut)
    size = -(-(high - low) // count)
    yield from ((law[1] + i, law[0][i : min(i + size, high)]) for i in range(low, high, size))


def total_of(masses: Iterable[Ball]) -> Ball:
    """Return a sum."""
    return reduce(plus, masses, (0, 0))


def spread(f: Fixed, ranges: Iterable[tuple[int, list[Ball]]]) -> Iterator[tuple[int, Ball]]:
    """Yield the ends of ranges with masses of the same mean: convex functions are not less so."""
    for first, part in ranges:
        last = max(1, len(part) - 1)
        for place in (0, last):
            shares = (f.ball(Fraction(abs(last - place - i), last)) for i in range(len(part)))
            yield first + place, total_of(map(f.times, part, shares))
