"""Rényi divergences from δ alone: against the definition, and how few values of δ they take."""

import random
from fractions import Fraction
from math import comb

import mpmath
import pytest
from flint import arb

from exactdp.divergences import Pair
from exactdp.divergences.integral import _Integral, _Point, renyi_enclosure
from exactdp.numbers import Enclosure, fmpq_of, precision
from tests.routes.reals import mpf_of

LAWS = {
    "a coin": (["3/4", "1/4"], ["1/4", "3/4"]),
    "five outcomes": (
        ["1/2", "1/4", "1/8", "1/16", "1/16"],
        ["1/16", "1/16", "1/8", "1/4", "1/2"],
    ),
    "far losses": (["1/1000", "1/2", "499/1000"], ["1/1000000", "499999/1000000", "1/2"]),
    "a binomial law": (
        [Fraction(comb(40, k), 2**40) for k in range(41)],
        [Fraction(comb(40, k) * 2 ** (40 - k), 3**40) for k in range(41)],
    ),
    "masses of one law only": (["1/2", "1/4", "1/4", "0"], ["0", "1/4", "1/2", "1/4"]),
}

MOST = {
    "a coin": (1, 1, 2),
    "five outcomes": (4, 12, 24),
    "far losses": (23, 23, 46),
    "a binomial law": (16, 69, 195),
    "masses of one law only": (5, 10, 20),
}
"""Values of δ for the widths 1e-1, 1e-3, 1e-5, a tenth above what is taken now."""


class Counted:
    """δ of a pair, in enclosures as wide as allowed, at most so many times."""

    def __init__(self, pair, most):
        self.pair, self.left = pair, [most]

    def reversed(self):
        found = Counted(self.pair.reversed(), 0)
        found.left = self.left
        return found

    def __call__(self, epsilon, width):
        self.left[0] -= 1
        assert self.left[0] >= 0, "too many values of delta"
        value = self.pair.delta(epsilon).as_fraction()
        return Enclosure(value * (1 - width / 3), value * (1 + width / 3))


def definition(first, second, order):
    """Return ln Σ p^a q^(1−a)/(a − 1)."""
    pairs = [(Fraction(p), Fraction(q)) for p, q in zip(first, second, strict=True)]
    with mpmath.workdps(40):
        a = mpf_of(order)
        terms = (
            mpmath.mpf(p.numerator) ** a / mpmath.mpf(p.denominator) ** a * (mpf_of(q)) ** (1 - a)
            for p, q in pairs
            if p and q
        )
        return mpmath.log(mpmath.fsum(terms)) / (a - 1)


def enclosed(pair, order, width, most):
    """Return the enclosure from at most so many values of δ."""
    delta, turned = Counted(pair, most), pair.reversed()
    return renyi_enclosure(
        delta,
        delta.reversed(),
        order=order,
        relative_width=width,
        tops=(pair.max_divergence(), turned.max_divergence()),
        masses=(pair.infinity_mass(), turned.infinity_mass()),
    )


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("order", ["1/10", "1/2", "3/2", "30"])
def test_against_the_definition_with_few_values(name, order):
    """Whatever slows it down is seen in the number of values, which no machine changes."""
    pair, order = Pair.from_masses(*LAWS[name]), Fraction(order)
    if order > 1 and pair.infinity_mass() != 0:
        return
    truth = definition(*LAWS[name], order)
    for digits, most in zip((1, 3, 5), MOST[name], strict=True):
        width = Fraction(1, 10**digits)
        found = enclosed(pair, order, width, most)
        with mpmath.workdps(40):
            low, high = (mpf_of(x) for x in (found.lower, found.upper))
            assert low <= truth <= high
        assert found.width <= width * found.lower


@pytest.mark.parametrize("order", [Fraction(1, 3), Fraction(5, 2), Fraction(12)])
def test_wide_values_still_enclose_the_integral(order):
    """G of random laws, known at few points to a third, or exactly, or on one side."""
    chosen = random.Random(7)
    for _ in range(60):
        p, q = ([chosen.randint(1, 9) ** 3 for _ in range(3)] for _ in range(2))
        p, q = ([Fraction(x, sum(law)) for x in law] for law in (p, q))
        ratios = sorted(x / y for x, y in zip(p, q, strict=True))
        inner = {Fraction(chosen.randint(1, 60), 20) for _ in range(chosen.randint(1, 6))} | {1}
        kept = sorted(x for x in inner if ratios[0] < x < ratios[-1])
        with precision(200):
            points = []
            for gamma in (ratios[0], *kept, ratios[-1]):
                value = sum(max(0, x - gamma * y) for x, y in zip(p, q, strict=True))
                g = arb(fmpq_of(value - max(0, 1 - gamma)))
                less, more = (chosen.choice([0, 0, 1]) * arb(1) / 3 for _ in range(2))
                points.append(_Point(arb(fmpq_of(gamma)), g * (1 - less), g * (1 + more)))
            _, low, high = _Integral(order, (arb(0), arb(0)), is_bounded=True).enclosed(points)
            a = arb(fmpq_of(order))
            moment = sum(
                arb(fmpq_of(x)) ** a * arb(fmpq_of(y)) ** (1 - a) for x, y in zip(p, q, strict=True)
            )
            truth = (moment - 1) / (a * (a - 1))
            assert low <= truth.upper() and truth.lower() <= high
