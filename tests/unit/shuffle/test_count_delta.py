"""δ of count pairs: balls and machine numbers against exact laws, mpmath and each other."""

import math
import random
from fractions import Fraction
from math import comb

import mpmath
import pytest
from flint import arb

from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact, Real, decimal, precision
from exactdp.numbers.balls import endpoints
from exactdp.shuffle import (
    CountPair,
    clone_pair,
    stronger_clone_pair,
    variation_ratio_pair,
)
from exactdp.sums.counting import floats as count_floats
from exactdp.sums.counting.counts_in_balls import mean_ball
from exactdp.sums.counting.floats import mean_ball_from_floats
from exactdp.sums.counting.tails import _fraction, _from_center, tail_ratio
from exactdp.sums.counting.terms import CountTerms
from tests.routes.reals import mpf_of


def random_pair(draw, largest_n):
    n = int(2 ** draw.uniform(1, math.log2(largest_n)))
    epsilon0 = Epsilon.rational(Fraction(draw.randint(1, 60), 20))
    twentieth = Fraction(draw.randint(1, 20), 20)
    match draw.choice(["clone", "stronger", "variation", "infinite", "any", "crowded"]):
        case "clone":
            return clone_pair(n, epsilon0)
        case "stronger":
            return stronger_clone_pair(n, epsilon0)
        case "variation":
            p = Fraction(draw.randint(11, 60), 10)
            beta = (p - 1) / (p + 1) * twentieth
            q = max(1, 2 * beta * p / (p - 1)) * Fraction(draw.randint(20, 60), 20)
            return variation_ratio_pair(n, p=p, beta=beta, q=q)
        case "infinite":
            q = max(1, 2 * twentieth) * Fraction(draw.randint(21, 100), 20)
            return variation_ratio_pair(n, p="infinity", beta=twentieth, q=q)
        case "any":
            b = twentieth * Fraction(draw.randint(0, 19), 40)
            other = Fraction(draw.randint(1, 199), 400)
            return CountPair(n, Exact(twentieth - b), Exact(b), Exact(other))
        case _:  # few users without a letter: the threshold falls with the total
            other = Fraction(1, 2) - Fraction(1, 10 ** draw.randint(1, 5))
            return CountPair(n, Exact(twentieth / 2), Exact(twentieth / 40), Exact(other))


def random_gamma(draw, pair):
    """Return e^ε with δ > 0: in the bulk, in the tail, at 1, and near the end of the curve."""
    ratio = pair.first / pair.second if pair.second != 0 else Exact(100)
    top = math.log(Fraction(decimal(ratio)))
    share = draw.choice([draw.random() ** 3, draw.random(), min(0.99, 3 / math.sqrt(pair.n)), 0])
    epsilon = Fraction(top * share).limit_denominator(10**6)
    gamma = draw.choice([Exact.exp(epsilon), Exact(Fraction(math.exp(epsilon)))])
    return min(max(gamma, Exact(1)), (1 + 999 * ratio) / 1000)


def cases(count, largest_n, seed):
    draw = random.Random(seed)
    for _ in range(count):
        pair = random_pair(draw, largest_n)
        if pair.first > pair.second:
            yield draw, pair, random_gamma(draw, pair)


def test_balls_contain_the_exact_value_and_are_narrow():
    for draw, pair, gamma in cases(200, 16, "exact"):
        if not (pair.first.is_rational and gamma.is_rational):
            continue
        exact = pair.n * pair.pair().delta(Epsilon(Exact(gamma))).as_fraction()
        bits = draw.choice([20, 60, 200])
        value = mean_ball(CountTerms(pair.letters(gamma), bits=bits + 100), accuracy=bits)
        lower, upper = endpoints(value)
        assert lower <= exact <= upper
        assert value.rel_accuracy_bits() >= bits


@pytest.mark.parametrize("epsilon0", ["1/2", "2"])
def test_transcendental_laws(epsilon0):
    for family in (clone_pair, stronger_clone_pair):
        pair = family(5, Epsilon.rational(epsilon0))
        for epsilon in ("0", "1/10", "1/3", "49/100"):
            gamma = Exact.exp(epsilon)
            exact = pair.pair().delta(Epsilon(Exact(gamma)))
            assert pair.delta(Epsilon(Exact(gamma)), relative_width="1e-40").contains(exact)


@pytest.fixture(scope="module")
def pairs_with_their_truth():
    """Some 250 pairs, each with an accuracy to ask for and δ in balls."""
    return [
        (
            pair,
            gamma,
            draw.choice([16, 31]),
            mean_ball(CountTerms(pair.letters(gamma), bits=160), accuracy=70),
        )
        for draw, pair, gamma in cases(250, 2000, "floats")
    ]


@pytest.mark.parametrize("blocks", [(8192, 1024, 128), (64, 16, 5), (7, 3, 1), (301, 50)])
def test_machine_numbers_agree_with_balls(monkeypatch, pairs_with_their_truth, blocks):
    monkeypatch.setattr(count_floats, "_BLOCKS", blocks)
    found = 0
    for pair, gamma, wanted, truth in pairs_with_their_truth:
        value = mean_ball_from_floats(CountTerms(pair.letters(gamma), bits=128), accuracy=wanted)
        if value is None:
            continue
        found += 1
        assert value.rel_accuracy_bits() >= wanted
        with precision(200):
            assert value.contains(truth.mid()) or value.overlaps(truth)
    assert found > 150


def test_machine_numbers_without_a_long_type(monkeypatch):
    monkeypatch.setattr(count_floats, "_LONG", count_floats.np.float64)
    monkeypatch.setattr(count_floats, "_U", count_floats._V)
    for _, pair, gamma in cases(150, 3000, "doubles"):
        truth = mean_ball(CountTerms(pair.letters(gamma), bits=160), accuracy=70)
        value = mean_ball_from_floats(CountTerms(pair.letters(gamma), bits=128), accuracy=25)
        assert value is None or value.overlaps(truth)


def by_mpmath(pair, gamma, digits=60):
    """Sum P − γQ over the outcomes where it is positive, from the definition, total by total."""
    with mpmath.workdps(digits):
        a, b, r, g = (mpmath.mpf(decimal(v, digits=digits)) for v in (*law(pair), gamma))
        n, nothing = pair.n, 1 - a - b
        total = mpmath.mpf(0)
        letters = [mpmath.binomial(n - 1, c) * r**c * (1 - 2 * r) ** (n - 1 - c) for c in range(n)]
        for c in range(n + 1):
            before = letters[c - 1] if c else 0
            still = letters[c] * nothing * (1 - g) if c < n else 0
            up, down = before * (a - g * b), before * (b - g * a)
            positive = 0
            for x in range(c, -1, -1):  # P/Q falls with x
                value = comb(c, x) * still
                value += up * comb(c - 1, x - 1) if x else 0
                value += down * comb(c - 1, x) if x < c else 0
                if value <= 0:
                    break
                positive += value
            total += positive
        return total


def law(pair):
    return pair.first, pair.second, pair.other


@pytest.mark.parametrize(
    ("pair", "epsilon"),
    [
        (clone_pair(200, Epsilon.rational(1)), "0.3"),
        (clone_pair(150, Epsilon.rational(4)), "1"),
        (stronger_clone_pair(200, Epsilon.rational(2)), "0.05"),
        (variation_ratio_pair(200, p="infinity", beta="1/3", q=2), "0.4"),
        (variation_ratio_pair(200, p=5, beta="1/3", q=3), "0.7"),
        (CountPair(120, Exact("1/4"), Exact("1/50"), Exact("0.499")), "0.7"),
    ],
)
def test_a_sum_from_the_definition_agrees(pair, epsilon):
    gamma = Exact.exp(epsilon)
    expected = by_mpmath(pair, gamma)
    # 60 digits, about n² terms: off by less than 10^-50 of the sum.
    with mpmath.workdps(60):
        for width in ("1e-9", "1e-30"):
            found = pair.delta(Epsilon(Exact(gamma)), relative_width=width)
            lower, upper = (mpf_of(end) for end in (found.lower, found.upper))
            assert lower <= expected * (1 + mpmath.mpf(10) ** -50)
            assert upper >= expected * (1 - mpmath.mpf(10) ** -50)
            assert 0 < found.width <= Fraction(width) * found.lower
    value = pair.delta(Epsilon(Exact(gamma)))
    assert isinstance(value, Real)
    assert decimal(value, digits=30) == mpmath.nstr(expected, 30, min_fixed=-5, strip_zeros=False)


def test_the_tail_ratio_by_both_routes():
    with precision(100):
        for c in range(31):
            for x in range((c + 1) // 2, c + 1):
                y = c - x
                exact = Fraction(sum(comb(c, i) for i in range(x, c + 1)), comb(c, x))
                for found in (tail_ratio(x, y, bits=60), _from_center(x, y)):
                    lower, upper = endpoints(found)
                    assert lower <= exact <= upper
                    assert found.rel_accuracy_bits() > 50
                for levels in range(1, y + 2):
                    ends = [_fraction(x, y, levels, inverse) for inverse in (0, 1)]
                    lower, upper = endpoints(ends[0].union(ends[1]))
                    assert lower <= exact <= upper


@pytest.mark.parametrize(("c", "score"), [(4000, 3), (40001, 2), (10**6, 2), (10**6, 9)])
def test_a_fraction_that_is_cut_is_bracketed(c, score):
    x = (c + score * math.isqrt(c) + 1) // 2
    with precision(400):
        truth = _from_center(x, c - x)
        found = tail_ratio(x, c - x, bits=20)
        assert 20 <= found.rel_accuracy_bits() < 100
        assert found.contains(truth)
        for levels in (2, 3, 8, 40):
            low, high = (_fraction(x, c - x, levels, inverse) for inverse in (0, 1))
            assert low < truth < high or high < truth < low


def test_what_lies_outside_a_window_is_bounded():
    for draw, pair, gamma in cases(150, 60, "windows"):
        terms = CountTerms(pair.letters(gamma), bits=128)
        with precision(128):
            window = terms.window(nats=draw.randint(1, 6))
            outside = arb(0)
            for c in range(1, pair.n + 1):
                if window.first <= c <= window.last:
                    continue
                for x in range(c + 1):
                    worth = x - terms.threshold(c)
                    if worth > 0:
                        outside += worth * terms.log_mass(x, c - x).exp()
            bound = arb(0) if window.log_tail is None else window.log_tail.exp()
            assert not outside > bound


def test_beyond_every_double():
    # e^ε near the end of the curve: a δ of 10^-69515, certified to nine digits.
    pair = clone_pair(10**6, Epsilon.rational(1))
    found = pair.delta(Epsilon.rational("0.9"), relative_width="1e-9")
    assert found.upper < Fraction(1, 10**69514)
    assert 0 < found.width * 10**9 <= found.lower
    narrow = pair.delta(Epsilon.rational("0.9"), relative_width="1e-40")
    assert found.lower <= narrow.lower
    assert narrow.upper <= found.upper


def test_the_two_routes_at_a_million_users():
    pair = stronger_clone_pair(10**6, Epsilon.rational(1))
    for epsilon in ("0", "1/1000", "1/100", "3/100"):
        wide = pair.delta(Epsilon.rational(epsilon), relative_width="1e-9")
        narrow = pair.delta(Epsilon.rational(epsilon), relative_width="1e-20")
        assert wide.lower <= narrow.lower
        assert narrow.upper <= wide.upper


def value_of(pair, gamma):
    return decimal(pair.delta(Epsilon(Exact(gamma))), digits=25)


def test_exact_values_and_both_directions():
    pair = CountPair(3, Exact("1/2"), Exact("1/3"), Exact("1/5"))
    swapped = CountPair(3, Exact("1/3"), Exact("1/2"), Exact("1/5"))
    for gamma in ("1/100", "1/2", "9/10", "1", "5/4", "3/2", "7"):
        exact = pair.pair().delta(Epsilon(Exact(Exact(gamma))))
        for one in (pair, swapped):
            assert one.delta(Epsilon(Exact(gamma)), relative_width="1e-9").contains(exact)
        if exact == 0:
            assert pair.delta(Epsilon(Exact(gamma))) == swapped.delta(Epsilon(Exact(gamma))) == 0
        else:
            assert value_of(pair, gamma) == value_of(swapped, gamma) == decimal(exact, digits=25)
    alone = CountPair(1, Exact("1/2"), Exact("1/3"), Exact("1/5"))
    for gamma in ("1/3", "3/4", "1", "5/4", "2"):
        exact = alone.pair().delta(Epsilon(Exact(Exact(gamma))))
        assert alone.delta(Epsilon(Exact(gamma))) == exact
    full = CountPair(9, Exact("2/3"), Exact("1/3"), Exact("1/2"))  # nobody sends nothing
    exact = full.pair().delta(Epsilon(Exact(Exact("3/2"))))
    assert full.delta(Epsilon.log("3/2"), relative_width="1e-30").contains(exact)


@pytest.mark.parametrize("width", ["0", "-1e-9", "1", 1.5])
def test_widths_that_cannot_be_met(width):
    with pytest.raises(DomainError, match="relative_width"):
        clone_pair(5, Epsilon.log(3)).delta(Epsilon.log(2), relative_width=width)


def test_what_would_take_too_long_is_refused_at_once():
    pair = clone_pair(10**16, Epsilon.rational(1))
    with pytest.raises(TooLargeError, match=r"totals at .* the limit is"):
        pair.delta(Epsilon.rational("1e-8"), relative_width="1e-30")
    with pytest.raises(TooLargeError, match="bits"):
        pair.delta(Epsilon.log(1), relative_width="1e-100000")
    with pytest.raises(DomainError, match="not finite"):
        pair.delta(float("inf"), relative_width="1e-9")
