"""What is deployed: one step of each mechanism, as what both laws have beyond a ratio.

P is the law with the record, or with the first of two, and Q the law without it, or with the
second; ``cards`` takes both orders. Of outcomes with P > g Q a pair says what P and Q have; those
that balls do not tell from g are in or out, and 8 units and twice the width of g are more than
what that changes. A Poisson sample is P' = (1 - s) Q + s P beside Q: its ratio is above g where
that of P and Q is above (g - 1 + s)/s.

Some mechanisms are curves only, above what they may do: of promises, groups and batches.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, product
from typing import Any

from . import functions
from .card_laws import Atom, Curve, Step, plus, ratios_of
from .card_numbers import Ball, Fixed
from .results import require
from .values import HALF, ZERO

MOST_ATOMS = 200_000
TINY = 256  # units
FINE = 4096  # parts of 1 in which an order is chosen
BUCKETS, FEWER = 64, 20  # ranges of a number of users; of each of two


@dataclass(frozen=True)
class Pair:
    """One step.

    Attributes:
        tails: What P and Q have of the outcomes with P > g Q.
        lost: A bound of the masses of what is not listed, in units.
        infinite: What P has for certain where Q has nothing, and Q where P has.
    """

    tails: Callable[[Ball], Atom]
    lost: int = 0
    infinite: tuple[int, int] = (0, 0)

    def sampled(self, f: Fixed, s: Fraction) -> "Pair":
        """Return the Poisson sample in which a record is with a probability s."""
        if s == 1:
            return self
        yes, no = f.ball(s), f.ball(1 - s)

        def tails(g: Ball) -> Atom:
            p, q = self.tails(f.over(f.less(g, no), yes))
            return plus(f.times(p, yes), f.times(q, no)), q

        whole = (f.one, f.one), (f.one, f.one)
        at = lambda g: whole if g[1] <= no[0] else tails(g)  # noqa: E731
        return Pair(at, self.lost, (self.infinite[0] * yes[0] >> f.bits, 0))

    def step(self, f: Fixed, h: Fraction, knots: range) -> Step:
        """Return the step, known at some knots."""
        f.spend(100 * len(knots))
        ratios, tails = ratios_of(f, h, knots[0], knots[-1]), dict[int, Atom]()
        for j in knots:
            p, q = self.tails(ratios[j])
            more = self.lost + 8 + 2 * (ratios[j][1] - ratios[j][0])
            tails[j] = (p[0], p[1] + more), q
        return Step(h, tails, self.infinite)


def finite(f: Fixed, atoms: Iterable[Atom], lost: int = 0) -> Pair:
    """Return a pair of outcomes, each with its masses under P and Q."""

    def key(atom: Atom) -> tuple[bool, int]:
        p, q = atom
        return q[0] == 0, -(-(p[1] << f.bits) // q[0]) if q[0] else 0

    found = sorted(atoms, key=key)
    require(len(found) <= MOST_ATOMS, f"more than {MOST_ATOMS} outcomes")
    f.spend(4 * len(found))
    keys, nothing = [*map(key, found)], ((0, 0), (0, 0))
    sums = [
        *accumulate(
            reversed(found), lambda x, y: (plus(x[0], y[0]), plus(x[1], y[1])), initial=nothing
        )
    ]
    infinite = (sum(x[k][0] for x in found if x[1 - k][1] == 0) for k in (0, 1))
    low, high = infinite
    return Pair(lambda g: sums[len(keys) - bisect_right(keys, (False, g[0]))], lost, (low, high))


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


def gaussian(f: Fixed, noise_multiplier: Fraction) -> Pair:
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

    return Pair(tails)


def laplace(f: Fixed, scale: Fraction) -> Pair:
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

    return Pair(tails)


def discrete_laplace(f: Fixed, scale: Fraction, sensitivity: int) -> Pair:
    """Return integers k of masses r**abs(k) (1 - r)/(1 + r), beside k + sensitivity.

    r is exp(-1/scale). Up to 0 the losses are one, and from the sensitivity on.
    """
    r, all_of = f.exp(-1 / scale), (f.one, f.one)
    end = f.over(all_of, plus(all_of, r))
    inner, falls = f.times(end, f.less(all_of, r)), f.powers(r, sensitivity)
    between = ((falls[k], falls[sensitivity - k]) for k in range(1, sensitivity))
    atoms = [(end, f.times(end, falls[-1])), (f.times(end, falls[-1]), end)]
    return finite(f, [*atoms, *((f.times(inner, x), f.times(inner, y)) for x, y in between)])


def discrete_gaussian(f: Fixed, sigma_squared: Fraction, sensitivity: int) -> Pair:
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


def randomized(f: Fixed, epsilon: Fraction, k: int = 2, delta: Fraction = ZERO) -> Pair:
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


def listed(f: Fixed, p: list[Fraction], q: list[Fraction]) -> Pair:
    """Return two laws on the same few outcomes."""
    require(len(p) == len(q) and sum(p) == sum(q) == 1, "p and q must sum to 1")
    return finite(f, [(f.ball(x), f.ball(y)) for x, y in zip(p, q, strict=True)])


def shuffled(f: Fixed, users: int, epsilon: Fraction, k: int = 0) -> Pair:
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
    ranges, lost = buckets(f, binomial(f, users - 1, share), FEWER if k > 2 else BUCKETS)
    for (mass, low, high), (way, own) in product(ranges, ways):
        coins, m, others, gone = max(0, low + own - 1), max(1, high + own), [(one, 0, 0)], 0
        if k > 2:
            rest = binomial(f, users - 1 - high, f.over(f.ball(k - 2), f.less(total, f.ball(2))))
            others, gone = buckets(f, rest, FEWER)
        masses, first, more = binomial(f, coins, f.ball(HALF))
        lost += f.times(mass, (0, gone + more))[1]
        tails = [*accumulate(reversed(masses), plus, initial=(0, 0))][::-1]
        for part, least, _ in others:
            down = plus((m * e[0], m * e[1]), f.ball(m + 2 * (least + 1 - own)))
            t = f.over(f.less((m * e[0], m * e[1]), f.ball(m)), down)
            found.append((f.times(f.times(mass, way), part), t, tails, first, coins + 1))

    def tails_of(g: Ball) -> Atom:
        f.spend((8 + f.bits // 100) * len(found))
        p, q, at = (0, 0), (0, 0), (g[0] - f.one << f.bits) // (g[0] + f.one)
        for mass, t, tails, first, letters in found:
            # The first is sent more often than that where P is above g Q.
            x = letters * (t[at >= 0] + at) // (2 * t[at >= 0]) - first
            before, after = (tails[min(max(y, 0), len(tails) - 1)] for y in (x, x + 1))
            both, more = plus(before, after), f.times(t, f.less(before, after))
            p, q = (
                plus(z, f.times(mass, y))
                for z, y in ((p, plus(both, more)), (q, f.less(both, more)))
            )
        return (p[0] // 2, -(-p[1] // 2)), (q[0] // 2, -(-q[1] // 2))

    return Pair(tails_of, lost + 64 * (e[1] >> f.bits) + 64)


Counts = tuple[list[Ball], int, int]  # masses, the first count that has one, the rest at most


def binomial(f: Fixed, n: int, share: Ball) -> Counts:
    """Return the law of a number of n, each counted with a probability below 1."""
    odds, m = f.over(share, f.less((f.one, f.one), share)), min(n, (n + 1) * share[0] >> f.bits)
    back = f.over((f.one, f.one), odds)
    up = peaked(
        f,
        lambda k: (odds[0] * (n - m - k) // (m + k + 1), -(-odds[1] * (n - m - k) // (m + k + 1))),
    )
    down = peaked(
        f,
        lambda k: (back[0] * (m - k) // (n - m + k + 1), -(-back[1] * (m - k) // (n - m + k + 1))),
    )
    masses, rest = law_of(f, up, down)
    return masses, m + 1 - len(down[0]), rest


def buckets(f: Fixed, law: Counts, count: int) -> tuple[list[tuple[Ball, int, int]], int]:
    """Return the masses of ranges of counts, each with its first and last, and what is left out."""
    masses, first, rest = law
    ways = ([x[1] for x in way] for way in (masses, reversed(masses)))
    low, end = (bisect_right([*accumulate(way)], f.cut) for way in ways)
    places, found = range(low, len(masses) - end), list[tuple[Ball, int, int]]()
    for i in places[:: -(-len(places) // count)]:
        part = masses[i : min(i + -(-len(places) // count), places[-1] + 1)]
        whole = sum(x[0] for x in part), sum(x[1] for x in part)
        found.append((whole, first + i, first + i + len(part) - 1))
    return found, rest + 2 * f.cut


def concentrated(f: Fixed, rho: Fraction, h: Fraction, knots: range) -> Curve:
    """Return a curve above all that are rho-zero-concentrated, at knots from 0 on.

    delta(e) <= exp((a - 1)(a rho - e)) (1 - 1/a)**a / (a - 1) for every a > 1, in both orders
    (Canonne, Kamath and Steinke 2020, Proposition 12).
    """
    curve, a = {0: f.one}, Fraction(2)
    f.spend(2000 * len(knots))
    for j in knots:
        for _ in range(4):  # towards the best a; any is right
            log = Fraction(f.log(f.ball(1 - 1 / a))[1], f.one)
            best = ((j * h - log) / rho + 1) / 2
            a = Fraction(max(int(best * FINE), FINE + 1), FINE)
        terms = a * f.log(f.ball(1 - 1 / a))[1] - f.log(f.ball(a - 1))[0]
        exponent = Fraction(int(((a - 1) * (a * rho - j * h)) * f.one + terms) + 1, f.one)
        curve[j] = f.exp(exponent)[1] if exponent < 0 else f.one
    return curve


def mirrored(f: Fixed, h: Fraction, curve: Curve) -> Curve:
    """Return the curve in both orders: 1 - g + g D(1/g) below g = 1, of D at knots from 0 on."""
    ratios = ratios_of(f, h, -max(curve), 0)
    below = {
        -j: f.one - ratios[-j][0] + f.times(ratios[-j], (0, curve[j]))[1] for j in reversed(curve)
    }
    return {j: min(x, f.one) for j, x in below.items()} | curve


def grouped(f: Fixed, h: Fraction, curve: Curve, size: int) -> Curve:
    """Return a curve of chains of so many neighbors: D(x y) <= E(x) + x D(y), E that of a link.

    Where P(S) <= x Q(S) + E(x) and Q(S) <= y R(S) + D(y), P(S) is at most x y R(S) and that.
    """
    if size == 1:
        return curve
    low, high = min(curve), max(curve)
    ratios, link = ratios_of(f, h, low, high), list[int]()
    for j in range(low, high + 1):
        link.append(curve.get(j, link[-1] if link else f.one))
    found, i = link, low
    for count in range(2, size + 1):
        f.spend(20 * len(link))
        more = list[int]()
        for j in range(low, high + 1):

            def total(i: int, j: int = j, found: list[int] = found) -> int:
                """Return the sum where x is of the knot i."""
                rest = found[min(max(j - i, low), high) - low] if j - i >= low else f.one
                return link[i - low] + f.times(ratios[i], (0, rest))[1]

            i = min(i, j // count, key=total) if low <= j // count <= high else i
            for way in (1, -1):
                while low <= i + way <= high and total(i + way) < total(i):
                    i += way
            more.append(min(f.one, total(i)))
        found = more
    return dict(enumerate(found, low))


def largest(f: Fixed, mechanism: str, given: dict[str, Any], share: Fraction, **_: Any) -> Fraction:
    """Return the largest loss of a step, in both orders.

    Of a sample that is log(1 - s + s e**x), x that of the whole; in the other order it is less.
    """
    if mechanism == "pair":
        p, q = given["p"], given["q"]
        require(all(map(bool, p)) and all(map(bool, q)), "a loss may be infinite")
        top = max(max(x / y, y / x) for x, y in zip(p, q, strict=True))
        most = Fraction(f.log(f.ball(top))[1], f.one)
    else:
        good = "epsilon" in given or mechanism in ("laplace", "discrete_laplace")
        require(good and not given.get("delta"), "delta must be above 0, as losses have no bound")
        most = (
            given["epsilon"] if "epsilon" in given else given.get("sensitivity", 1) / given["scale"]
        )
    if share == 1:
        return most
    require(most <= 2000, "a loss beyond 2000 nats")
    return Fraction(f.log(plus(f.ball(1 - share), f.times(f.ball(share), f.exp(most))))[1], f.one)
