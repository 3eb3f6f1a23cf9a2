"""Laws as dictionaries from outcomes to masses, in numbers of any kind: none of our arithmetic.

Outcomes are numbers, or tuples of counts: what one user sends, or how often each message arrived.
"""

from fractions import Fraction
from itertools import product
from math import comb

from hypothesis import strategies as st


@st.composite
def laws_on(draw, points, *, most=4, max_weight=9):
    """A law on up to ``most`` of the points that a strategy draws."""
    support = draw(st.lists(points, min_size=1, max_size=most, unique=True))
    weights = [draw(st.integers(1, max_weight)) for _ in support]
    return {x: Fraction(w, sum(weights)) for x, w in zip(support, weights, strict=True)}


def binomial(n, p=Fraction(1, 2)):
    """The law of the number of successes among n trials, each of probability p."""
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def one_message(row):
    """What a user sends who sends message y with probability row[y]."""
    return {tuple(int(y == z) for z in range(len(row))): mass for y, mass in enumerate(row) if mass}


def added(laws):
    """The law of the sum of independent draws, one draw after another."""
    total, *rest = laws
    for law in rest:
        longer = {}
        for (x, p), (y, q) in product(total.items(), law.items()):
            z = tuple(map(sum, zip(x, y, strict=True))) if isinstance(x, tuple) else x + y
            longer[z] = longer.get(z, 0) + p * q
        total = longer
    return total


def merged(law, classes):
    """The law of how many messages arrive of each class."""
    masses = {}
    for counts, mass in law.items():
        seen = tuple(sum(counts[y] for y in part) for part in classes)
        masses[seen] = masses.get(seen, 0) + mass
    return masses


def hockey_stick(p, q, gamma):
    """The hockey-stick divergence, from its definition."""
    return sum(max(0, p.get(x, 0) - gamma * q.get(x, 0)) for x in {*p, *q})


def log_logistic(x):
    """Return the logarithm of the logistic density, for x >= 0, as a ball."""
    return -x - 2 * (1 + (-x).exp()).log()
