"""What is deployed: one step of each mechanism, as its outcomes.

P is the law with the record, or with the first of two, and Q the law without it, or with the
second; ``cards`` takes both orders. A mechanism is a list of atoms, each with its masses under P
and Q, and perhaps a density, known by its tails. A Poisson sample is P' = (1 - s) Q + s P beside Q:
its ratio is above g where that of P and Q is above (g - 1 + s)/s.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from . import functions
from .card_laws import Atom, Outcomes, hull, plus, ratios_of
from .card_numbers import Ball, Fixed
from .results import require
from .values import HALF, ONE

MOST_ATOMS = 200_000
TINY = 256  # units
FINE = 4096  # parts of 1 in which an order is chosen


@dataclass(frozen=True)
class Pair:
    """One step.

    Attributes:
        atoms: Outcomes, each with one loss; 0 under Q is an infinite loss.
        tails: The density; None without one.
        lost: A bound of the masses of what is not listed.
    """

    atoms: list[Atom]
    tails: Callable[[Ball], Atom] | None = None
    lost: int = 0

    def sampled(self, f: Fixed, s: Fraction) -> "Pair":
        """Return the Poisson sample in which a record is with a probability s."""
        if s == 1:
            return self
        yes, no, tails = f.ball(s), f.ball(1 - s), self.tails

        def mixed(atom: Atom) -> Atom:
            p, q = atom
            return plus(f.times(p, yes), f.times(q, no)), q

        at = tails and (lambda g: mixed(tails(f.over(f.less(g, no), yes))))
        return Pair([mixed(atom) for atom in self.atoms], at, self.lost)

    def outcomes(self, f: Fixed, h: Fraction, low: int, high: int) -> Outcomes:
        """Return the outcomes, in cells from low*h to high*h."""
        nothing: Atom = (0, 0), (0, 0)
        cells, over, under = [nothing] * (high - low), nothing, nothing
        if self.tails is not None:
            f.spend(100 * (high - low))
            ratios = ratios_of(f, h, low, high)
            whole, *rest = self.tails((0, 0)), *(self.tails(ratios[j]) for j in sorted(ratios))
            under, *cells = (
                (f.less(x[0], y[0]), f.less(x[1], y[1]))
                for x, y in zip([whole, *rest], rest, strict=False)
            )
            over = rest[-1]
        lost = (0, self.lost)
        ends: list[Atom] = [(plus(p, lost), plus(q, lost)) for p, q in (over, under)]
        return Outcomes(h, low + 1, cells, self.atoms, *ends)


def gaussian(f: Fixed, noise_multiplier: Fraction) -> Pair:
    """Return normal noise, its deviation in units of what a record moves."""
    return normal(f, 1 / noise_multiplier**2)


def normal(f: Fixed, square: Fraction) -> Pair:
    """Return normal noise of deviation 1 about a mean of a square above 0, beside that about 0.

    dP/dQ > g where x > log(g)/mean + mean/2, which has F(mean/2 - log(g)/mean) under P.
    """
    mean = f.ball(functions.sqrt(square, f.bits + 16, f.spend))
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

    return Pair([], tails)


def laplace(f: Fixed, scale: Fraction) -> Pair:
    """Return Laplace noise of a scale about 0, beside that about 1.

    With e = exp(-1/scale), losses are 1/scale with 1/2 and e/2, -1/scale with these exchanged, and
    between these dP/dQ > g has (1 - sqrt(e g))/2 and (sqrt(e/g) - e)/2.
    """
    half, root, least = f.ball(HALF), f.exp(-1 / (2 * scale)), f.exp(-1 / scale)
    low = least[0] // 2, -(-least[1] // 2)
    whole = f.less(half, low)

    def tails(g: Ball) -> Atom:
        if g[0] == 0:
            return whole, whole
        x, y = f.times(root, f.root(g)), f.over(root, f.root(g))
        p = f.less(half, (x[0] // 2, -(-x[1] // 2)))
        q = f.less((y[0] // 2, -(-y[1] // 2)), low)
        # Beyond the atoms, there is no density.
        return (min(p[0], whole[0]), min(p[1], whole[1])), (
            min(q[0], whole[0]),
            min(q[1], whole[1]),
        )

    return Pair([(half, low), (low, half)], tails)


def discrete_laplace(f: Fixed, scale: Fraction, sensitivity: int) -> Pair:
    """Return integers k of masses r**abs(k) (1 - r)/(1 + r), beside k + sensitivity.

    r is exp(-1/scale). Up to 0 the losses are one, and from the sensitivity on.
    """
    r, all_of = f.exp(-1 / scale), (f.one, f.one)
    end = f.over(all_of, plus(all_of, r))
    inner, falls = f.times(end, f.less(all_of, r)), f.powers(r, sensitivity)
    between = ((falls[k], falls[sensitivity - k]) for k in range(1, sensitivity))
    atoms = [(end, f.times(end, falls[-1])), (f.times(end, falls[-1]), end)]
    return Pair([*atoms, *((f.times(inner, x), f.times(inner, y)) for x, y in between)])


def discrete_gaussian(f: Fixed, sigma_squared: Fraction, sensitivity: int) -> Pair:
    """Return integers k of masses in proportion to exp(-k*k/(2 sigma_squared)), beside k - s.

    Ratios of neighbors fall, so that beyond R there is at most w(R) t/(1 - t), t = w(R + 1)/w(R).
    """
    most = isqrt(int(2 * sigma_squared * f.bits)) + sensitivity + 2
    require(most <= MOST_ATOMS, f"more than {MOST_ATOMS} outcomes")
    f.spend(4 * most)
    all_of, factor = (f.one, f.one), f.exp(-1 / (2 * sigma_squared))
    weights, square = [all_of], f.times(factor, factor)
    for _ in range(most):
        weights.append(f.times(weights[-1], factor))
        factor = f.times(factor, square)
    rest = f.over(f.times(weights[-1], factor), f.less(all_of, factor))[1]
    low, high = (2 * sum(w[i] for w in weights[1:]) + f.one for i in (0, 1))
    masses = [f.over(w, (low, high + 2 * rest)) for w in weights]
    places = range(-most, most - sensitivity + 1)
    # Not listed is what either law has beyond R, and P or Q before it, of a few last integers.
    lost = 2 * f.over((rest, rest), (low, low))[1] + sum(w[1] for w in masses[most - sensitivity :])
    return Pair([(masses[abs(k)], masses[abs(k + sensitivity)]) for k in places], lost=lost)


def randomized_response(f: Fixed, epsilon: Fraction, k: int) -> Pair:
    """Return the input with the odds exp(epsilon), else one of k - 1 others, for two inputs."""
    e = f.exp(epsilon)
    total = plus(e, f.ball(k - 1))
    own, other = f.over(e, total), f.over((f.one, f.one), total)
    rest = (k - 2) * other[0], (k - 2) * other[1]
    return Pair([(own, other), (other, own), (rest, rest)])


def promised(f: Fixed, epsilon: Fraction, delta: Fraction) -> Pair:
    """Return the pair that dominates all that are (epsilon, delta)-indistinguishable."""
    require(delta <= 1, "delta is above 1")
    own, other = randomized_response(f, epsilon, 2).atoms[0]
    more, less = f.times(f.ball(1 - delta), own), f.times(f.ball(1 - delta), other)
    none, all_of = (0, 0), f.ball(delta)
    return Pair([(all_of, none), (more, less), (less, more), (none, all_of)])


def concentrated(f: Fixed, rho: Fraction, h: Fraction = ONE, high: int = 1) -> Pair:
    """Return a pair that dominates all that are rho-zero-concentrated, by points of its curve.

    delta(e) <= exp((a - 1)(a rho - e)) (1 - 1/a)**a / (a - 1) for every a > 1, in both orders
    (Canonne, Kamath and Steinke 2020, Proposition 12), and delta(e) = 1 - exp(e) + exp(e) delta(-e)
    where e < 0. The hull of such points is above delta.
    """
    f.spend(2000 * high)
    ratios, deltas, a = ratios_of(f, h, -high, high), [f.one], Fraction(2)
    for j in range(1, high + 1):
        for _ in range(4):  # towards the best a; any is right
            log = Fraction(f.log(f.ball(1 - 1 / a))[1], f.one)
            best = ((j * h - log) / rho + 1) / 2
            a = Fraction(max(int(best * FINE), FINE + 1), FINE)
        terms = a * f.log(f.ball(1 - 1 / a))[1] - f.log(f.ball(a - 1))[0]
        exponent = Fraction(int(((a - 1) * (a * rho - j * h)) * f.one + terms) + 1, f.one)
        deltas.append(min(deltas[-1], f.exp(exponent)[1] if exponent < 0 else f.one))
    below = (
        (j, f.times(ratios[-j], (0, deltas[j]))[1] - ratios[-j][0]) for j in range(high, 0, -1)
    )
    points = [(-j, min(f.one, f.one + x)) for j, x in below] + list(enumerate(deltas))
    ends: list[Atom] = [((deltas[-1],) * 2, (0, 0)), ((0, 0), (deltas[-1],) * 2)]
    corners = hull(f, h, f.one, points, up=True)
    return Pair([*ends, *(((p, p), f.over((p, p), ratios[j])) for j, p in corners)])


def listed(f: Fixed, p: list[Fraction], q: list[Fraction]) -> Pair:
    """Return two laws on the same few outcomes."""
    require(len(p) == len(q) <= MOST_ATOMS and sum(p) == sum(q) == 1, "p and q must sum to 1")
    return Pair([(f.ball(x), f.ball(y)) for x, y in zip(p, q, strict=True)])
