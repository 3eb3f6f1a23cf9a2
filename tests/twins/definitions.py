"""Mechanisms by their definitions: the law of the output on each small data set.

A law is a tuple of fractions, or an array of doubles, over cells that all data sets share. A data
set is a tuple of records, or one input; neighbors are listed, all of them, up to a size. An ordered
pair of neighbors has the larger one first where a record is removed.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import erfc, sqrt

import mpmath
import numpy as np

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


def logistic(scale=1, *, reach=24, per_unit=100):
    """Return logistic noise: the loss of any shift has the slope 2/scale at most."""

    def cdf(x):
        return 1 / (1 + np.exp(-np.asarray(x) / float(scale)))

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
