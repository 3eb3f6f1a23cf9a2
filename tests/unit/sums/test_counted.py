"""Sums over counts, against exact laws: products of polynomials, and histogram by histogram."""

from fractions import Fraction
from itertools import product
from math import comb, inf, prod

import mpmath
import pytest
from flint import arb, fmpq, fmpq_poly

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, fmpq_of, precision
from exactdp.numbers.limits import effort
from exactdp.shuffle.blankets.blanket_pair import blanket_pair
from exactdp.sums import mean_positive_sum
from exactdp.sums.choose import answered
from exactdp.sums.counting.counted import CountedSum
from exactdp.sums.counting.tails import window_of_binomial
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.smoothed import SmoothedSum
from exactdp.sums.table import ROUTES, Mean

NARROW = Fraction(1, 10**30)


def counted_sum(laws, c, rate, width=NARROW):
    """Return the sum of laws, each (value, mass) with a number of copies, over a threshold."""

    def parts(bits):
        with precision(bits):
            return [
                FiniteVariable(
                    [arb(fmpq_of(x)) for x, _ in law], [arb(fmpq_of(m)) for _, m in law], times
                )
                for law, times in laws
            ]

    return CountedSum(parts, lambda _: arb(fmpq_of(c)), rate, width)


def law_of_sum(laws, step=Fraction(1)):
    """Return the exact masses of a sum on a lattice."""
    total, start = fmpq_poly([1]), Fraction(0)
    for law, times in laws:
        low = min(x for x, _ in law)
        masses = [fmpq(0)] * (int((max(x for x, _ in law) - low) / step) + 1)
        for x, mass in law:
            masses[int((x - low) / step)] += fmpq_of(mass)
        total, start = total * fmpq_poly(masses) ** times, start + low * times
    return {start + i * step: mass for i, mass in enumerate(total.coeffs())}


def truth(laws, c, rate, step=Fraction(1)):
    """Return E f(S − c) from the exact law."""
    with precision(600):
        total = arb(0)
        for x, mass in law_of_sum(laws, step).items():
            if x > c:
                over = arb(fmpq_of(x - c))
                total += arb(mass) * (-(-over).expm1() if rate else over)
        return total


def tenths(*pairs):
    return [(Fraction(x), Fraction(m, 10)) for x, m in pairs]


LAWS = [
    [(tenths((1, 5), (-1, 5)), 700)],
    [(tenths((3, 2), (1, 3), (-2, 5)), 150)],
    [(tenths((3, 1), (1, 3), (-2, 4), (0, 2)), 60)],
    [(tenths((4, 1), (2, 2), (-1, 4), (-3, 1), (1, 1), (0, 1)), 9)],
    [(tenths((2, 3), (-1, 7)), 40), (tenths((5, 1), (1, 4), (-3, 5)), 12), (tenths((-2, 10)), 3)],
]


@pytest.mark.parametrize("laws", LAWS)
@pytest.mark.parametrize(("rate", "c"), [(0, 0), (0, Fraction(15, 2)), (1, -3), (1, 11)])
def test_against_products_of_polynomials(laws, rate, c):
    total = counted_sum(laws, Fraction(c), rate)
    found, exact = total.mean(), truth(laws, Fraction(c), rate)
    with precision(600):
        assert arb(fmpq_of(found.lower)) <= exact <= arb(fmpq_of(found.upper))
    assert 0 < found.width <= NARROW * found.lower


def test_values_without_a_lattice_histogram_by_histogram():
    values = [Exact.exp("1/2"), Exact("-1/3"), -Exact.exp("1/7"), Exact("1/5")]
    masses, n = ["1/5", "1/2", "1/10", "1/5"], 9
    with mpmath.workdps(60):
        numbers = [mpmath.exp("0.5"), -mpmath.mpf(1) / 3, -mpmath.exp(mpmath.mpf(1) / 7), 0.2]
        numbers[3] = mpmath.mpf(1) / 5
        weights, exact = [mpmath.mpf(2) / 10, mpmath.mpf(5) / 10, mpmath.mpf(1) / 10], 0
        weights.append(mpmath.mpf(2) / 10)
        for counts in product(range(n + 1), repeat=3):
            if (last := n - sum(counts)) >= 0:
                all_of_them = (*counts, last)
                total = sum(k * x for k, x in zip(all_of_them, numbers, strict=True))
                ways = prod(comb(sum(all_of_them[i:]), k) for i, k in enumerate(all_of_them))
                mass = mpmath.fprod(w**k for w, k in zip(weights, all_of_them, strict=True))
                exact += ways * mass * max(total, 0)
        found = mean_positive_sum(values, [Exact(m) for m in masses], n, relative_width=NARROW)
        scale = mpmath.mpf(10) ** 45
        assert int(found.lower * 10**45) <= exact * scale <= int(found.upper * 10**45) + 1
    assert found.width <= NARROW * found.lower


def test_a_blanket_inside_what_doubles_see():
    pair = blanket_pair(1_000, randomized_response(4, Epsilon.rational(2)))
    epsilon = Epsilon.rational("1/4")
    narrow, wide = (pair.delta(epsilon, relative_width=w) for w in ("1e-20", "1e-6"))
    assert wide.lower < narrow.lower < narrow.upper < wide.upper
    assert narrow.width <= narrow.lower / 10**20


@pytest.mark.parametrize("rate", [0, 1])
def test_what_is_lost_outside_of_windows_counts(rate, monkeypatch):
    """Windows of two deviations: the mean is off by what is outside, and the bound holds."""
    laws, c = LAWS[1], Fraction(1, 2)
    monkeypatch.setattr(CountedSum, "_nats", lambda _self, _more: 0.8)
    found, exact = counted_sum(laws, c, rate)._attempt(60.0), truth(laws, c, rate)
    with precision(200):
        assert arb(fmpq_of(found.lower)) < exact * 0.95
        assert exact < arb(fmpq_of(found.upper))


def test_a_count_beyond_its_window_is_below_bernsteins_bound():
    with precision(128):
        for nats in (2.0, 9.0):
            for p in (arb(1) / 5, arb(19) / 20):  # of the second the upper end is the last count
                window, lost = window_of_binomial(50, p, nats)
                inside = sum(comb(50, k) * p**k * (1 - p) ** (50 - k) for k in window)
                assert 0 < 1 - inside < lost < 2 * arb(-nats / 2).exp()
                assert (window[-1] == 50) == (p > 0.9)


@pytest.mark.parametrize("rate", [0, 1])
@pytest.mark.parametrize("values", [("3/2", "-9/10"), ("9/10", "-6/5")])
def test_rounded_values_are_paid_for(rate, values, monkeypatch):
    """Values rounded to multiples of 1, all downwards or all upwards."""
    laws, c = [(tenths((values[0], 3), (values[1], 7)), 30)], Fraction(0)
    monkeypatch.setattr(CountedSum, "_unit", lambda _self, _bits: arb(1))
    found, exact = counted_sum(laws, c, rate)._attempt(1.0), truth(laws, c, rate, Fraction(1, 10))
    with precision(200):
        assert arb(fmpq_of(found.lower)) <= exact <= arb(fmpq_of(found.upper))


def test_more_counts_than_are_worth_it():
    """What the line names can be had."""
    law = tenths((3, 1), (1, 3), (-2, 4), (0, 2))

    def ask(width):
        total = counted_sum([(law, 3_000)], Fraction(60), 0, width)
        question = Mean(0, Exact(60), total.parts, has_transform=False)
        return answered(ROUTES, question, width)

    with effort(cells=50_000):  # soon refused
        with pytest.raises(TooLargeError, match=r"Ask for 1e-\d+ or wider\.$") as refused:
            ask(Fraction(1, 10**300))
        named = Fraction(str(refused.value).split("Ask for ")[1].split()[0])
        assert Fraction(1, 10**60) < named < Fraction(1, 10**10)
        assert ask(named).is_narrow(named)
        total = counted_sum([(law, 3_000)], Fraction(60), 0, Fraction(1, 10**300))
        with pytest.raises(TooLargeError, match="the limit is 1,000,000"):
            total.mean()


def test_points_that_doubles_cannot_visit_name_the_width_that_they_can():
    with precision(192):
        values = [arb("0.5").exp(), arb("0.2"), -arb(3).sqrt(), arb(0)]
        part = FiniteVariable(values, [arb(x) / 10 for x in (1, 2, 3, 4)], 10**4)
        total = SmoothedSum([part], 0)
        with pytest.raises(TooLargeError, match="Ask for") as refused:
            total.mean_above(arb(0), Fraction(1, 10**12))
        width = Fraction(str(refused.value).split("Ask for ")[1].split()[0])
        assert Fraction(1, 10**12) < width < Fraction(1, 10**6)


@pytest.mark.parametrize(("c", "mean"), [("-1/2", "1/2"), ("-3", "3")])
def test_a_sum_of_zeros_has_a_mean_above_a_threshold(c, mean):
    """What is always 0 says nothing of how large numbers are; the threshold does."""
    total = counted_sum([([(0, 1)], 2)], Fraction(c), 0)
    assert total.mean().contains(Fraction(mean)) and total.size < 10


def test_values_beyond_doubles_cost_too_much_and_are_refused():
    total = counted_sum([([(Fraction(10) ** 400, 1)], 2)], Fraction(1), 0)
    assert total.size == 10**99 and total.work == inf
    with pytest.raises(UndecidedError, match="too extreme for doubles"):
        total.mean()
