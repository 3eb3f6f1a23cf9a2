"""Randomizers whose epsilons are doubles without a short common denominator: enclosures.

The truth is summed over all messages of all users, in numbers of 60 digits.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

import mpmath
import pytest
from flint import arb

from exactdp.accounting import compose, poisson_subsampled
from exactdp.divergences import Pair, kl_divergence, renyi_divergence
from exactdp.errors import TooLargeError
from exactdp.mechanisms import partition_selection, randomized_response
from exactdp.numbers import Enclosure, Epsilon, Exact, float_above, float_below
from exactdp.shuffle import (
    MultiMessageUsers,
    MultiMessageVictim,
    MultisetLaw,
    Users,
    Victim,
    multi_message_view,
    shuffle_view,
    worst_case,
)

USUAL = Fraction(1, 10**9)


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(60):
        yield


def number(double):
    top, bottom = Fraction(double).as_integer_ratio()
    return mpmath.mpf(top) / bottom


def row(k, epsilon, x):
    """Return the masses of k-ary randomized response on input x."""
    power = mpmath.exp(number(epsilon))
    return [(power if y == x else 1) / (power + k - 1) for y in range(k)]


def law(rows):
    """Return the law of the histogram of one message from each row."""
    found = Counter()
    for messages in itertools.product(*map(range, map(len, rows))):
        mass = mpmath.fprod(masses[y] for masses, y in zip(rows, messages, strict=True))
        found[tuple(sorted(messages))] += mass
    return found


def delta(p, q, epsilon):
    gamma = mpmath.exp(number(epsilon))
    return mpmath.fsum(max(0, p[h] - gamma * q[h]) for h in p)


def divergence(p, q, order):
    a = number(order)
    return mpmath.log(mpmath.fsum(p[h] ** a * q[h] ** (1 - a) for h in p)) / (a - 1)


def holds(found, truth, *, width=USUAL):
    assert isinstance(found, Enclosure) and found.is_narrow(width)
    low, high = (mpmath.mpf(x.numerator) / x.denominator for x in (found.lower, found.upper))
    return low <= truth <= high


CASES = {
    "bits": (2, 0.3, [(0.1, 0, 3), (0.3, 1, 2)]),
    "three messages": (3, 0.3, [(0.1, 2, 2), (0.7, 1, 1), (0.3, 0, 1)]),
    "numbers of another user": (3, 1.1, [(0.2, 2, 1)]),
}


@pytest.fixture(params=CASES)
def both(request):
    """Return a view, and both laws by hand."""
    k, epsilon, groups = CASES[request.param]
    others = [Users(randomized_response(k, e), x, count) for e, x, count in groups]
    view = shuffle_view(Victim(randomized_response(k, epsilon)), others)
    rest = [row(k, e, x) for e, x, count in groups for _ in range(count)]
    return view, *(law([row(k, epsilon, x), *rest]) for x in (0, 1))


def test_delta_at_a_float(both):
    view, p, q = both
    for epsilon in (0, 0.02, 0.1, 0.15, -0.05):
        assert holds(view.delta(epsilon), delta(p, q, epsilon))
        assert holds(view.reversed().delta(epsilon), delta(q, p, epsilon))
    worst = max(delta(p, q, 0.02), delta(q, p, 0.02))
    assert holds(view.both_directions().delta(0.02), worst)
    assert holds(view.delta(0.1, relative_width="1e-30"), delta(p, q, 0.1), width=USUAL**3)


def test_an_epsilon_asks_for_an_exact_answer_still(both):
    view, p, q = both
    with pytest.raises(TooLargeError, match=r'e\^rate of degree .*Or pass relative_width="1e-9"'):
        view.delta(Epsilon.rational(0.1))
    assert holds(view.delta(Epsilon.rational(0.1), relative_width=1e-9), delta(p, q, 0.1))


def test_epsilon_for_a_float(both):
    view, p, q = both
    for target in (1e-3, 0.01):
        found = view.epsilon(target)
        assert found.is_narrow(USUAL)
        assert delta(p, q, float_below(found)) >= number(target) >= delta(p, q, float_above(found))
    assert view.epsilon(0.999) == 0


def test_where_the_largest_loss_is_nothing_is_left(both):
    view, p, q = both
    top = view.max_divergence()
    assert abs(float(top) - max(float(mpmath.log(p[h] / q[h])) for h in p)) < 1e-15
    assert view.delta(float(top)) == 0 == view.delta(float(top) + 0.01)
    assert view.infinity_mass() == 0


@pytest.mark.parametrize("order", [0.5, 2, 2.7])
def test_divergences(both, order):
    view, p, q = both
    assert view.renyi(order).ball(160).overlaps(arb(str(divergence(p, q, order)), 1e-50))
    assert holds(view.renyi(order, relative_width=1e-9), divergence(p, q, order))


def test_least_errors(both):
    view, p, q = both
    found = view.trade_off(0.1)
    ratios = sorted(p, key=lambda h: q[h] / p[h], reverse=True)
    level, error = number(0.1), mpmath.mpf(1)
    for h in ratios:
        share = min(1, level / p[h])
        level, error = level - share * p[h], error - share * q[h]
    assert holds(found, error)


def test_views_compose(both):
    view, p, q = both
    pairs = {(g, h): (p[g] * p[h], q[g] * q[h]) for g in p for h in p}
    truth = mpmath.fsum(max(0, a - mpmath.exp(number(0.1)) * b) for a, b in pairs.values())
    assert holds(compose([(view, 2)]).delta(0.1), truth, width=Fraction(1, 10**6))


def test_the_worst_of_all_neighbors():
    """Compare the view of three users with two randomizers, each of whom may differ."""
    kinds = [0.3, 0.3, 0.1]
    truth = 0
    for who, inputs in itertools.product(range(3), itertools.product((0, 1), repeat=3)):
        there = [row(2, e, x) for e, x in zip(kinds, inputs, strict=True)]
        moved = list(there)
        moved[who] = row(2, kinds[who], 1 - inputs[who])
        truth = max(truth, delta(law(there), law(moved), 0.05))
    groups = [(randomized_response(2, 0.3), 2), (randomized_response(2, 0.1), 1)]
    found = worst_case(groups, 0.05)
    assert holds(found.value, truth)
    assert holds(found.neighbors.view().delta(0.05), truth)


def test_several_messages():
    a, b = (row(2, 0.3, x) for x in (0, 1))
    laws = [randomized_response(2, 0.3).row(x) for x in (0, 1)]
    one = MultisetLaw.from_masses({(2, 0): laws[0][0], (0, 1): laws[0][1]})
    two = MultisetLaw.from_masses({(2, 0): laws[1][0], (0, 1): laws[1][1]})
    other = MultisetLaw.one_of(randomized_response(2, 0.1).row(0))
    view = multi_message_view(MultiMessageVictim(one, two), [MultiMessageUsers(other)])
    c = row(2, 0.1, 0)
    p, q = (
        Counter(
            {(3, 0): x[0] * c[0], (2, 1): x[0] * c[1], (1, 1): x[1] * c[0], (0, 2): x[1] * c[1]}
        )
        for x in (a, b)
    )
    assert holds(view.delta(0.1), delta(p, q, 0.1))


def test_pairs_of_masses_in_unrelated_powers_of_e():
    masses = [[Exact.exp(-x), 1 - Exact.exp(-x)] for x in (0.3, 0.1)]
    pair = Pair.from_masses(*masses)
    p, q = (
        dict(enumerate([mpmath.exp(-number(x)), 1 - mpmath.exp(-number(x))])) for x in (0.3, 0.1)
    )
    assert holds(pair.delta(0.2), delta(p, q, 0.2)) and holds(pair.delta(0), delta(p, q, 0))
    assert holds(pair.both_directions().delta(0.2), max(delta(p, q, 0.2), delta(q, p, 0.2)))
    assert abs(float(pair.max_divergence()) - float(mpmath.log(p[1] / q[1]))) < 1e-15
    assert abs(float(renyi_divergence(pair, order=2.5)) - float(divergence(p, q, 2.5))) < 1e-15
    total = mpmath.fsum(p[y] * mpmath.log(p[y] / q[y]) for y in p)
    assert math.isclose(float(kl_divergence(pair)), float(total), rel_tol=1e-15)
    twice = {(x, y): (p[x] * p[y], q[x] * q[y]) for x in p for y in p}
    truth = mpmath.fsum(max(0, a - mpmath.exp(number(0.2)) * b) for a, b in twice.values())
    assert holds(compose([(pair, 2)]).delta(0.2), truth, width=Fraction(1, 10**6))


def test_samples_and_selections_of_floats():
    p, q = (dict(enumerate(row(2, 0.3, x))) for x in (0, 1))
    seen = poisson_subsampled(randomized_response(2, 0.3).pair(0, 1), sampling_probability=0.1)
    rate = number(0.1)
    mixed = {y: rate * p[y] + (1 - rate) * q[y] for y in p}
    assert holds(seen.delta(0.01), delta(mixed, q, 0.01))
    chosen = partition_selection(0.3, 0.01)
    kept = [mpmath.mpf(0)]  # by the recursion of the largest probabilities
    power, failure = mpmath.exp(number(0.3)), number(0.01)
    while kept[-1] < 1:
        last = kept[-1]
        kept.append(min(power * last + failure, 1 - (1 - last - failure) / power, 1))
    sides = [
        delta(dict(enumerate([a, 1 - a])), dict(enumerate([b, 1 - b])), 0.1)
        for pair in itertools.pairwise(kept)
        for a, b in (pair, pair[::-1])
    ]
    assert holds(chosen.delta(0.1), max(sides))
