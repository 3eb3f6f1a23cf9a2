"""Mechanisms by their definitions: the law of the output on each small data set.

A law is a tuple of fractions, or an array of doubles, over cells that all data sets share. A data
set is a tuple of records, or one input; neighbors are listed, all of them, up to a size. An ordered
pair of neighbors has the larger one first where a record is removed.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import erfc, exp, prod, sqrt

import mpmath
import numpy as np

from tests.routes.laws import added, one_message
from tests.twins.games import Versus, mixed

HALF = Fraction(1, 2)


# --- noise ---------------------------------------------------------------------------------


class Noise:
    """Additive noise: Pr[N <= x], the ends of the cells of outputs, how the loss varies in one."""

    def __init__(self, cdf, ends, spread=0.0):
        """Take the cdf: of a number, or of an array where the ends are one."""
        self.cdf, self.ends, self.spread = cdf, ends, spread

    def law(self, shift):
        """Return the masses of shift + N up to the first end, between ends, above the last."""
        if isinstance(self.ends, np.ndarray):
            inner = self.cdf(self.ends - float(shift))
            return np.diff(np.concatenate([[0.0], inner, [1.0]]))
        inner = [Fraction(0), *(self.cdf(y - shift) for y in self.ends), Fraction(1)]
        return tuple(b - a for a, b in pairwise(inner))

    def versus(self, first, second):
        """Return the law around one value against that around another."""
        return Versus(self.law(first), self.law(second), self.spread)

    def moved(self, most, *, steps=1):
        """Return all ordered pairs of values that differ by up to so much, in so many steps."""
        return [self.versus(most * Fraction(i, steps), 0) for i in range(-steps, steps + 1)]


def geometric(ratio, reach=20):
    """Return discrete Laplace noise, of masses in proportion to ratio^|k|."""

    def cdf(k):
        tail = ratio ** abs(k if k < 0 else k + 1) / (1 + ratio)
        return tail if k < 0 else 1 - tail

    return Noise(cdf, range(-reach, reach + 1))


def finite_noise(law, reach=20):
    """Return noise on a few integers, with masses in proportion to a law."""
    total = sum(law.values())

    def cdf(k):
        return sum((Fraction(m) for x, m in law.items() if x <= k), Fraction(0)) / total

    return Noise(cdf, range(-reach, reach + 1))


def in_doubles(masses):
    """Return noise on the integers around 0, with masses in proportion to doubles."""
    reach = len(masses) // 2
    sums = np.concatenate([[0.0], np.cumsum(masses / masses.sum())])

    def cdf(y):
        return sums[np.clip(np.floor(y).astype(int) + reach + 1, 0, len(masses))]

    return Noise(cdf, np.arange(-reach, reach + 1.0))


def discrete_gaussian(sigma):
    """Return noise with masses in proportion to e^(-k²/(2 sigma²))."""
    return in_doubles(np.exp(-(np.arange(-30, 31) ** 2) / (2 * sigma**2)))


def skellam(variance):
    """Return the difference of two Poisson variables of half of the variance each."""
    return in_doubles(np.array([float(mpmath.besseli(abs(k), variance)) for k in range(-30, 31)]))


def laplace(scale=1, *, reach=14, per_unit=200):
    """Return Laplace noise: the loss of any shift has the slope 2/scale at most."""

    def cdf(x):
        x = np.asarray(x) / float(scale)
        return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)

    ends = np.arange(-reach * per_unit, reach * per_unit + 1) / per_unit
    return Noise(cdf, ends, 2 / float(scale) / per_unit)


def gaussian(sigma=1, *, most=1, reach=9, per_unit=200):
    """Return Gaussian noise, for values that differ by up to ``most``."""

    def cdf(x):
        z = np.asarray(x) / (float(sigma) * sqrt(2))
        return np.array([erfc(-v) / 2 for v in z.ravel()]).reshape(z.shape)

    ends = np.arange(-reach * per_unit, reach * per_unit + 1) / per_unit
    return Noise(cdf, ends, float(most) / float(sigma) ** 2 / per_unit)


def truncated(noise, radius):
    """Return noise given that it is at most so far from 0."""
    low, high = noise.cdf(np.array([-radius, radius], dtype=float))
    return Noise(
        lambda x: (np.clip(noise.cdf(x), low, high) - low) / (high - low), noise.ends, noise.spread
    )


def bounded(noise, upper, results):
    """Return the law of each input in [0, upper] with results kept there, as a function of it."""
    first, last = 0, round(upper * len(noise.ends) / (noise.ends[-1] - noise.ends[0]))
    step = upper / last
    places = np.linspace(0, upper, last + 1)

    def law(x):
        if results == "folded":
            found = np.zeros(last - first)
            for k in range(-8, 9):
                there = noise.cdf(2 * k * upper + places - x)
                back = noise.cdf(2 * k * upper - places - x)
                found += np.diff(there) - np.diff(back)
            return found
        inner = noise.cdf(places - x)
        if results == "clamped":
            return np.diff(np.concatenate([[0.0], inner, [1.0]]))
        return np.diff(inner) / (inner[-1] - inner[0])

    return lambda x: law(float(x)), 2 * step


# --- neighbors -----------------------------------------------------------------------------


def swapped(pairs):
    """Return the pairs in the other order."""
    return [pair.swapped for pair in pairs]


def both(removed):
    """Return pairs of neighbors of which one has a record more, in both directions."""
    return {"removed": removed, "added": swapped(removed)}


def removals(law, data, records, *, size=1, spread=0.0):
    """Return all pairs of a data set with so many more records, and the data set without."""
    return [
        Versus(law((*x, *more)), law(x), spread)
        for x in data
        for more in product(records, repeat=size)
    ]


def replacements(law, data, records, *, spread=0.0):
    """Return all pairs of data sets with one record more, and with another one."""
    return [
        Versus(law((*x, r)), law((*x, s)), spread)
        for x in data
        for r, s in permutations(records, 2)
    ]


def data_sets(records, most):
    """Return all multisets of up to so many records."""
    found = {tuple(sorted(x)) for n in range(most + 1) for x in product(records, repeat=n)}
    return sorted(found, key=lambda x: (len(x), x))


def inputs_apart(law, inputs, apart, *, spread=0.0):
    """Return all ordered pairs of inputs that differ by one of these distances."""
    laws = {x: law(x) for x in inputs}
    return [Versus(laws[x], laws[y], spread) for x in inputs for y in inputs if abs(x - y) in apart]


def poisson(law, rate):
    """Return the law on a Poisson sample of a data set."""

    def sampled(data):
        weights = Counter({(): Fraction(1)})
        for record in data:
            longer = Counter()
            for chosen, weight in weights.items():
                longer[chosen] += weight * (1 - rate)
                longer[tuple(sorted((*chosen, record)))] += weight * rate
            weights = longer
        return mixed(*((weight, law(chosen)) for chosen, weight in weights.items() if weight))

    return sampled


def fixed_size(law, size):
    """Return the law on a batch of so many of a data set's records, without replacement."""

    def sampled(data):
        batches = list(combinations(data, size))
        return mixed(*((Fraction(1, len(batches)), law(batch)) for batch in batches))

    return sampled


# --- what is shown ----------------------------------------------------------------------------


def thresholded(noise, threshold):
    """Return the law of a noisy count that is shown above a threshold where somebody is counted."""
    ends = noise.ends

    def law(data):
        n = data if isinstance(data, int) else len(data)
        masses = noise.law(n)
        # Cell i is (ends[i - 1], ends[i]], and the last one above all ends.
        hidden = [i < len(ends) and ends[i] <= threshold for i in range(len(masses))]
        if n == 0:
            hidden = [True] * len(masses)
        kept = [0 * m if h else m for m, h in zip(masses, hidden, strict=True)]
        nothing = sum(m for m, h in zip(masses, hidden, strict=True) if h)
        found = [*kept, nothing]
        return np.array(found) if isinstance(masses, np.ndarray) else tuple(found)

    return law


def kept_with(growth, delta):
    """Return the largest probabilities of showing n users with each step private, n = 0, 1, ..."""
    found = [Fraction(0)]
    while found[-1] < 1:
        x = found[-1]
        found.append(min(growth * x + delta, 1 - (1 - x - delta) / growth, Fraction(1)))
    return [*found, Fraction(1)]


def exponential(scores, scale):
    """Return masses in proportion to e^(score/scale)."""
    weights = np.exp(np.array(scores, dtype=float) / scale)
    return weights / weights.sum()


def permute_and_flip(scores, scale):
    """Return the law of the first in a random order whose coin of e^((score - largest)/scale) falls."""
    found = np.zeros(len(scores))
    keeps = [exp((u - max(scores)) / scale) for u in scores]
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = 1.0 / len(orders)
        for i in order:
            found[i] += left * keeps[i]
            left *= 1 - keeps[i]
    return found


def allocated(pair, steps, chosen):
    """Return the outputs of all steps with a record in so many of them at random, and in none."""
    places = list(combinations(range(steps), chosen))
    cells = range(len(pair.p))
    p, q = [], []
    for outputs in product(cells, repeat=steps):
        mass = Fraction(0)
        for place in places:
            one = Fraction(1, len(places))
            for i, y in enumerate(outputs):
                one *= pair.p[y] if i in place else pair.q[y]
            mass += one
        rest = Fraction(1)
        for y in outputs:
            rest *= pair.q[y]
        p.append(mass)
        q.append(rest)
    return Versus(tuple(p), tuple(q))


def shuffled(rows, data):
    """Return the law of how often each message arrives from users who hold these inputs."""
    return added([one_message(rows[x]) for x in data])


def over_all(first, second):
    """Return two laws that are dictionaries, on the outcomes of both."""
    outcomes = sorted({*first, *second})
    return Versus(*(tuple(law.get(x, Fraction(0)) for x in outcomes) for law in (first, second)))


def shuffled_pairs(rows, users):
    """Return all pairs of views in which one of so many users has another input."""
    inputs = range(len(rows))
    return [
        over_all(shuffled(rows, (x, *others)), shuffled(rows, (y, *others)))
        for x, y in permutations(inputs, 2)
        for others in {tuple(sorted(z)) for z in product(inputs, repeat=users - 1)}
    ]


def discrete_within(upper, ratio):
    """Return the law of each input with discrete Laplace noise, redrawn until it is in range."""

    def law(x):
        weights = [ratio ** abs(y - x) for y in range(upper + 1)]
        return tuple(w / sum(weights) for w in weights)

    return law


def modulo(noise, modulus):
    """Return the law of each residue with noise, modulo m."""

    def law(x):
        masses = [Fraction(0)] * modulus
        for y, mass in noise.items():
            masses[(x + y) % modulus] += mass
        return tuple(masses)

    return law


def circle(ratio, modulus):
    """Return discrete Laplace noise modulo m: for r the sum of ratio^|r + jm| over all j."""
    whole = (1 - ratio) / (1 + ratio) / (1 - ratio**modulus)
    return {r: (ratio**r + ratio ** (modulus - r)) * whole for r in range(modulus)}


def difference(weights):
    """Return the weights of the difference of two such variables on 0, 1, 2, ..."""
    found = Counter()
    for (i, x), (j, y) in product(enumerate(weights), repeat=2):
        found[i - j] += x * y
    return found


def one_of_a_batch(pair, rate):
    """Return a pair on a batch of this rate, without the record as either of its laws; both orders."""
    found = [
        Versus(mixed((rate, pair.p), (1 - rate, rest)), mixed((rate, pair.q), (1 - rate, rest)))
        for rest in (pair.p, pair.q)
    ]
    return [*found, *swapped(found)]


# --- local randomizers ------------------------------------------------------------------------


def _rows(inputs, messages, weight):
    rows = [[weight(x, y) for y in messages] for x in range(inputs)]
    return tuple(tuple(Fraction(w, sum(row)) for w in row) for row in rows)


def response_rows(inputs, growth):
    return _rows(inputs, range(inputs), lambda x, y: growth if x == y else 1)


def subset_rows(inputs, size, growth):
    subsets = list(combinations(range(inputs), size))
    return _rows(inputs, subsets, lambda x, y: growth if x in y else 1)


def unary_rows(inputs, true, false):
    """Each bit is 1 with probability ``true`` at the input's place, and ``false`` elsewhere."""

    def weight(x, bits):
        chances = (true if i == x else false for i in range(inputs))
        return prod(c if b else 1 - c for c, b in zip(chances, bits, strict=True))

    return _rows(inputs, list(product((0, 1), repeat=inputs)), weight)


def hashing_rows(inputs, buckets, growth):
    messages = list(product(product(range(buckets), repeat=inputs), range(buckets)))
    return _rows(inputs, messages, lambda x, y: growth if y[0][x] == y[1] else 1)


def hadamard_rows(growth):
    """Three inputs: rows 1 to 3 of the matrix of order 4."""
    signs = ((1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))
    return _rows(3, range(4), lambda x, y: growth if signs[x][y] > 0 else 1)


# --- what stands for shuffled users ------------------------------------------------------------


def clones(users, first, second, other):
    """Return the counts of two letters, of a victim and of others who send each with ``other``."""
    rest = [{(1, 0): other, (0, 1): other, (0, 0): 1 - 2 * other}] * (users - 1)
    victims = ({(1, 0): first, (0, 1): second}, {(1, 0): second, (0, 1): first})
    return over_all(*(added([victim, *rest]) for victim in victims))


def blanket(rows, users):
    """Return the victim's message among those of others that come from the shared part."""
    shared = [min(column) for column in zip(*rows, strict=True)]
    nothing = (0,) * len(shared)
    letters = [tuple(int(y == z) for z in range(len(shared))) for y in range(len(shared))]
    other = dict(zip(letters, shared, strict=True)) | {nothing: 1 - sum(shared)}
    return over_all(*(added([one_message(row), *[other] * (users - 1)]) for row in rows[:2]))


def one_of_two(noise, first, second):
    """Return two outputs of which either one has the record: P and Q by the values in it, in turn.

    A side {a: 1, b: 1} is (a, b) or (b, a) with probability 1/2 each; {a: 2} is (a, a).
    """

    def law(side):
        values = [x for x, times in side.items() for _ in range(times)]
        one, other = (noise.law(x) for x in values)
        return (np.outer(one, other) + np.outer(other, one)).ravel() / 2

    return Versus(law(first), law(second), 2 * noise.spread)


def coins_within(bound, *, orders=None):
    """Return pairs of coins whose Rényi divergences, in both orders, just reach a bound."""
    orders = np.array(orders) if orders else 1 + np.geomspace(1e-3, 300, 80)
    limits = np.array([bound(a) for a in orders])

    def is_within(p, q):
        for x, y in ((p, q), (q, p)):
            logs = [
                orders * np.log(s) + (1 - orders) * np.log(t) for s, t in ((x, y), (1 - x, 1 - y))
            ]
            if (np.logaddexp(*logs) / (orders - 1) > limits).any():
                return False
        return True

    found = []
    for p in np.linspace(0.01, 0.99, 99):
        low, high = 1e-12, p
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if is_within(p, middle) else (middle, high)
        found.append(Versus(np.array([p, 1 - p]), np.array([high, 1 - high])))
    return [*found, *swapped(found)]


# --- reports of Laplace noise, by quadrature ----------------------------------------------------


def _density(x, scale=1):
    return mpmath.exp(-abs(x) / scale) / (2 * scale)


def _below(x, scale=1):
    return mpmath.exp(x / scale) / 2 if x < 0 else 1 - mpmath.exp(-x / scale) / 2


def _integral(f, cuts):
    return float(mpmath.quad(f, [-mpmath.inf, *sorted({-30, *cuts, 30}), mpmath.inf]))


def laplace_max(scores, scale):
    """Return the law of the largest score with Laplace noise on each."""

    def wins(i):
        def f(x):
            rest = (_below(x - u, scale) for j, u in enumerate(scores) if j != i)
            return mpmath.fprod([_density(x - scores[i], scale), *rest])

        return _integral(f, scores)

    return np.array([wins(i) for i in range(len(scores))])


def above_threshold(answers, threshold_scale, query_scale):
    """Return the law of the first of two answers that is above a noisy threshold at 0, or none."""

    def report(first):
        def f(x):
            below = [_below(x - q, query_scale) for q in answers[:first]]
            above = [1 - _below(x - q, query_scale) for q in answers[first : first + 1]]
            return mpmath.fprod([_density(x, threshold_scale), *below, *above])

        return _integral(f, [0, *answers])

    return np.array([report(first) for first in range(len(answers) + 1)])
