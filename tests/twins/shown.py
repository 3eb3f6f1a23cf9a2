"""Outputs of counts, scores and users: the law of the output by its definition."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product
from math import exp, prod

import mpmath
import numpy as np

from tests.routes.laws import added, one_message
from tests.twins.definitions import swapped
from tests.twins.games import Versus, mixed


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


def best_of(law, masses):
    """Return the law of the best of several draws, the last outcome best; masses by their number.

    Outcome by outcome: all draws are up to it, and not all below it.
    """
    up_to = [sum(law[: i + 1]) for i in range(len(law))]
    below = [0, *up_to[:-1]]
    return tuple(
        sum(p * (x**k - y**k) for k, p in masses.items()) for x, y in zip(up_to, below, strict=True)
    )


def exponential(scores, scale):
    """Return masses in proportion to e^(score/scale)."""
    weights = np.exp(np.array(scores, dtype=float) / scale)
    return weights / weights.sum()


def permute_and_flip(scores, scale):
    """Return the law of the first, in a random order, whose coin of e^((u - max)/scale) falls."""
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
    """Return a pair on a batch of this rate, the rest as either of its laws; both orders."""
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
    orders = np.array(orders) if orders else 1 + np.geomspace(1e-3, 300, 640)
    # Orders are 2 % apart: between two, (a − 1) D_a is at most 1e-4 of it above the chord.
    limits = 0.9998 * np.array([bound(a) for a in orders])

    def are_within(p, q):
        found = True
        for x, y in ((p, q), (q, p)):
            logs = [
                np.outer(np.log(s), orders) + np.outer(np.log(t), 1 - orders)
                for s, t in ((x, y), (1 - x, 1 - y))
            ]
            found &= (np.logaddexp(*logs) / (orders - 1) <= limits).all(axis=1)
        return found

    far = np.geomspace(1e-7, 0.01, 200, endpoint=False)
    p = np.concatenate([far, np.linspace(0.01, 0.99, 99), 1 - far])
    low, high = np.full_like(p, 1e-12), p
    for _ in range(40):
        middle = (low + high) / 2
        is_within = are_within(p, middle)
        low, high = np.where(is_within, low, middle), np.where(is_within, middle, high)
    found = [
        Versus(np.array([x, 1 - x]), np.array([y, 1 - y])) for x, y in zip(p, high, strict=True)
    ]
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
