"""The largest delta that Rényi divergences leave, against mpmath from the definition."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

from exactdp.divergences import Pair
from exactdp.divergences.proposals import worst_pair
from exactdp.divergences.proposals.worst_pair import WorstPair
from exactdp.divergences.renyi_rows import RenyiRow, RenyiRows
from exactdp.divergences.two_point import two_point_delta
from exactdp.errors import UndecidedError
from exactdp.numbers import Epsilon, Exact

WIDTH = Fraction(1, 10**6)


def table(forward, backward=None):
    """Rows from {order: bound}, the same both ways unless told otherwise."""
    rows = (
        RenyiRow(Fraction(a) - 1, Fraction(b), is_backward)
        for is_backward, side in ((False, forward), (True, backward or forward))
        for a, b in side.items()
    )
    return RenyiRows(tuple(rows))


def concentrated(rho):
    return RenyiRows(rho=Fraction(rho))


def moment(p, q, order):
    return p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)


def least_q(p, limits):
    """The least q in (0, p) at which each moment is at most its limit, by bisection."""
    low, high = mpmath.mpf(0), p
    for _ in range(90):
        q = (low + high) / 2
        kept = all(
            (moment(q, p, a) if is_backward else moment(p, q, a)) <= limit
            for a, limit, is_backward in limits
        )
        low, high = (low, q) if kept else (q, high)
    return high


def by_definition(rows, nats):
    """Maximize p − e^ε q over two-point pairs that meet all rows; sections of ln(p/(1 − p))."""
    limits = []
    for row in rows.rows:
        x, b = (mpmath.mpf(v.numerator) / v.denominator for v in (row.power, row.bound))
        limits.append((1 + x, mpmath.exp(x * b), row.is_backward))
    gamma = mpmath.exp(nats)

    def height(x):
        p = 1 / (1 + mpmath.exp(-x))
        return p - gamma * least_q(p, limits)

    low, high = mpmath.mpf(-60), mpmath.mpf(30)
    for _ in range(60):
        x, y = low + (high - low) / 3, high - (high - low) / 3
        a, b = height(x), height(y)
        low, high = (x, high) if a < b and b > 0 else (low, y)
    return height((low + high) / 2)


@pytest.mark.parametrize(
    ("rows", "nats"),
    [
        (table({2: 1}), 0),
        (table({2: 1}), 3),
        (table({"3/2": "1/10", 4: "3/10"}), "1/2"),
        (table({2: "1/1000", 3: "1/500"}), "1/100"),
        (table({2: 1, 8: 3}, {2: "1/2", 8: 1}), 1),  # the directions differ
        (table({2: 1, 8: 3}, {2: "1/2", 8: 1}).reversed(), 1),
        (table({"1001/1000": 3}), 4),
        (table({50: "1/10"}), "1/5"),
    ],
)
def test_it_is_the_maximum_over_two_point_pairs(rows, nats):
    with mpmath.workdps(40):
        truth = by_definition(
            rows, mpmath.mpf(Fraction(nats).numerator) / Fraction(nats).denominator
        )
        found = two_point_delta(rows, Epsilon.rational(nats), WIDTH)
        low, high = (mpmath.mpf(x.numerator) / x.denominator for x in (found.lower, found.upper))
        slack = mpmath.mpf(10) ** -10  # of the sections, where two rows cross
        assert low <= truth * (1 + slack)
        assert truth * (1 - slack) <= high
    assert found.width <= WIDTH * found.lower


@pytest.mark.parametrize("nats", ["1/2", 2, 3, 10])
def test_of_concentrated_rows_it_is_the_least_over_single_orders(nats):
    """Where one order is as tight as all, in the tail, the least over orders is the truth."""
    rho = Fraction(1, 10)
    found = two_point_delta(concentrated(rho), Epsilon.rational(nats), WIDTH)

    def single(power):
        rows = table({1 + power: rho * (1 + power)})
        return two_point_delta(rows, Epsilon.rational(nats), Fraction(1, 10**5))

    middle = (Fraction(nats) - rho) / (2 * rho)
    powers = [middle * Fraction(k, 40) for k in range(30, 60)]
    least = min(map(single, powers), key=lambda one: one.upper)
    assert found.lower <= least.upper  # no order says less than all
    assert least.lower <= found.upper * (1 + Fraction(1, 200))


def two_point(p, q):
    return Pair.from_masses([p, 1 - p], [q, 1 - q])


def test_no_pair_that_meets_the_rows_exceeds_it():
    rng, hits = random.Random(7), 0
    orders = [Fraction(3, 2), Fraction(2), Fraction(5)]
    for _ in range(15):
        weights = [[rng.randint(1, 30) for _ in range(4)] for _ in range(2)]
        pair = Pair.from_masses(*([Fraction(w, sum(law)) for w in law] for law in weights))
        sides = pair, pair.reversed()
        rows = table(
            *({a: side.renyi(a, relative_width="1e-9").upper for a in orders} for side in sides)
        )
        for gamma in (Exact(1), Exact("3/2"), Exact(3)):
            at = Epsilon.log(gamma)
            found = two_point_delta(rows, at, Fraction(1, 10**4))
            assert pair.delta(at) <= found.upper
            hits += pair.delta(at) > found.lower / 2
    assert hits > 15  # the bound is not far from most


def log_moments(p, q, orders):
    """The largest D_a/a of two laws on two outcomes in doubles, both ways."""
    return max(math.log(moment(u, v, a)) / (a - 1) / a for a in orders for u, v in ((p, q), (q, p)))


@pytest.mark.parametrize(("nats", "reach"), [(0, 0.99), ("1/2", 0.95), (1, 0.8)])
def test_two_point_pairs_inside_concentrated_rows_come_near_and_are_below(nats, reach):
    rho, best = 0.1, 0.0
    found = two_point_delta(concentrated(Fraction(1, 10)), Epsilon.rational(nats), WIDTH)
    orders = [1 + 2 ** (k / 8) for k in range(-64, 41)]
    for k in range(-24, 9):
        p = 1 / (1 + math.exp(-k / 4))
        low, high = p * math.exp(-5), p
        for _ in range(30):
            q = (low + high) / 2
            low, high = (low, q) if log_moments(p, q, orders) <= rho else (q, high)
        value = p - math.exp(Fraction(nats)) * high * 1.001  # a thousandth inside
        assert value <= found.upper
        best = max(best, value)
    assert best > found.lower * reach


@pytest.mark.parametrize("rows", [concentrated(Fraction(1, 10)), table({2: 1, 4: 3})])
def test_it_falls_and_narrower_enclosures_lie_inside(rows):
    before = Fraction(1)
    for nats in ("0", "1/10", "1/2", "1", "5", "30"):
        wide = two_point_delta(rows, Epsilon.rational(nats), Fraction(1, 10**2))
        narrow = two_point_delta(rows, Epsilon.rational(nats), Fraction(1, 10**9))
        assert narrow.width <= narrow.lower / 10**9
        assert wide.lower <= narrow.upper and narrow.lower <= wide.upper
        assert narrow.upper < before
        before = narrow.lower


@pytest.mark.parametrize("shift", [-1e-4, 1e-4])
@pytest.mark.parametrize("nats", [3, 10])
def test_nothing_rests_on_what_doubles_propose(monkeypatch, shift, nats):
    """Points beside the best p give an enclosure of the same number."""
    rows, at = table({2: 1}), Epsilon.rational(nats)
    truth = two_point_delta(rows, at, Fraction(1, 10**9))
    points = WorstPair.points

    def moved(self, attempt):
        found = points(self, attempt)
        return replace(found, near=found.near + shift)

    monkeypatch.setattr(WorstPair, "points", moved)
    found = two_point_delta(rows, at, WIDTH)
    assert found.lower <= truth.upper and truth.lower <= found.upper


CONCENTRATED = [
    ("1/100", "1/100"),
    ("1/100", "1/10"),
    ("1/100", 1),
    ("1/10", 0),
    ("1/10", "1/2"),
    ("1/10", 3),
    (5, 10),
]


@pytest.mark.parametrize(("rho", "nats"), CONCENTRATED)
def test_of_concentrated_rows_a_search_from_far_away_ends_at_the_same(monkeypatch, rho, nats):
    rows, at = concentrated(Fraction(rho)), Epsilon.rational(nats)
    found = two_point_delta(rows, at, WIDTH)
    (far,) = rows.at(Fraction(3))
    monkeypatch.setattr(WorstPair, "start", lambda self: (0.0, far))
    other = two_point_delta(rows, at, WIDTH)
    assert found.lower <= other.upper and other.lower <= found.upper
    assert max(found.width / found.lower, other.width / other.lower) <= WIDTH


@pytest.mark.parametrize(("rho", "nats"), CONCENTRATED)
def test_of_concentrated_rows_one_is_soon_found_that_says_the_most(monkeypatch, rho, nats):
    """Divergences are asked some thousand times, where orders one after another took 40,000."""
    asked = []

    divergence = worst_pair.likely_divergence

    def counted(side, power):
        asked.append(power)
        return divergence(side, power)

    monkeypatch.setattr(worst_pair, "likely_divergence", counted)
    search = WorstPair(concentrated(Fraction(rho)), Epsilon.rational(nats), WIDTH)
    assert 10 < len(asked) < 5_000
    forward = [row for row in search.used if row.power and not row.is_backward]
    assert len(forward) == 1


def test_what_is_too_small_is_not_told():
    with pytest.raises(UndecidedError, match="e\\^-1000000"):
        two_point_delta(concentrated(Fraction(1, 10**6)), Epsilon.rational(100), WIDTH)
    with pytest.raises(UndecidedError, match="larger relative_width"):
        two_point_delta(concentrated(Fraction(1, 10)), Epsilon.rational(1), Fraction(1, 10**25))
