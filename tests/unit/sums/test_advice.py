"""The way out that a refusal names is tried, and has an answer."""

import re
from fractions import Fraction

import pytest
from flint import arb

from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.errors import TooLargeError
from exactdp.mechanisms import (
    gaussian_mechanism,
    hadamard_response,
    laplace_mechanism,
    optimized_unary_encoding,
    symmetric_unary_encoding,
)
from exactdp.numbers import Epsilon, Exact, precision
from exactdp.numbers.limits import effort
from exactdp.sums import LossSum
from exactdp.sums.choose import answered
from exactdp.sums.counting.counted import CountedSum
from exactdp.sums.laws.transforms import LossTransform
from exactdp.sums.lines.contours import Inversion
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.smoothed import SmoothedSum
from exactdp.sums.table import ROUTES, Mean


def ball(value):
    return arb(Fraction(value).numerator) / Fraction(value).denominator


def variable(law, times, *, bits=256):
    with precision(bits):
        values, masses = ([ball(x) for x in column] for column in zip(*law, strict=True))
        return FiniteVariable(values, masses, times)


def follow(ask, width):
    """Ask for what is too narrow, and then for what the refusal names."""
    with pytest.raises(TooLargeError, match="Ask for") as refused:
        ask(width)
    named = re.search(r"Ask for ([0-9]\S*) or wider\.$", str(refused.value))
    reach = Fraction(named[1])
    assert width < reach < 1
    found = ask(reach)
    assert found.lower > 0 and found.upper - found.lower <= reach * found.lower
    return reach


COIN = [("1", "1/3"), ("-7/10", "2/3")]
THREE = [("1", "1/3"), ("-7/10", "1/3"), ("1/3", "1/3")]


@pytest.mark.parametrize("points", [1 << 10, 1 << 13, 1 << 16])
@pytest.mark.parametrize(
    ("law", "times", "c"),
    [(COIN, 30, "5"), (COIN, 30, "-5"), (THREE, 1000, "-5"), (COIN, 10**6, "1000")],
)
def test_a_line_that_is_too_long(law, times, c, points):
    total = SmoothedSum([variable(law, times)], 0)
    with precision(256):
        threshold = ball(c)
    with effort(points=points):
        reach = follow(lambda width: total.mean_above(threshold, width), Fraction(1, 10**9))
    assert reach < Fraction(1, 100)


def test_where_no_width_is_in_reach_none_is_named():
    refused = pytest.raises(TooLargeError, match=r"points\. Take fewer other losses\.$")
    with refused, effort(points=8):
        SmoothedSum([variable(COIN, 30)], 0).mean_above(arb(5), Fraction(1, 2))


@pytest.mark.parametrize(("digits", "wider"), [(40, 30), (130, 100), (1400, 1000)])
def test_counts_that_are_too_many(digits, wider):
    def counted(width):
        return CountedSum(
            lambda bits: [variable(COIN, 10**5, bits=bits)], lambda _: arb(-13_000), 1, width
        )

    def ask(width):
        question = Mean(1, Exact(-13_000), counted(width).parts, has_transform=False)
        return answered(ROUTES, question, width)

    most = counted(Fraction(1, 10**wider)).size
    with effort(cells=-(-most // 20)):
        assert follow(ask, Fraction(1, 10**digits)) == Fraction(1, 10**wider)


def test_a_sum_whose_counts_are_too_many_at_every_width_is_left_to_doubles():
    pair = Pair.from_masses(["1/2", "1/4", "1/4"], ["1/5", "3/10", "1/2"])
    coin = Pair.from_masses(["11/20", "9/20"], ["9/20", "11/20"])
    losses = LossSum(tuple((loss_law(one), 10**5) for one in (pair, coin)))
    with effort(points=1 << 20):  # soon refused
        reach = follow(
            lambda width: losses.delta(Epsilon.rational(30_000), relative_width=width),
            Fraction(1, 10**20),
        )
    assert reach <= Fraction(1, 10**6)


def test_a_contour_that_is_too_narrow():
    laws = [loss_law(gaussian_mechanism(sigma=2)), loss_law(laplace_mechanism(scale=1))]
    found = Inversion.of([(LossTransform.of(law), 1) for law in laws])
    reach = follow(
        lambda width: found.mean_excess(Exact(1), relative_width=width), Fraction(1, 10**60)
    )
    assert reach == Fraction(1, 10**50)


@pytest.mark.parametrize(
    ("mechanism", "k"),
    [(symmetric_unary_encoding, 16), (optimized_unary_encoding, 99), (hadamard_response, 1000)],
)
def test_a_domain_that_is_too_large(mechanism, k):
    with pytest.raises(TooLargeError, match=r"Lower k to at most [0-9]+") as refused:
        assert mechanism(k, Epsilon.log(9)).rows
    most = int(re.search(r"at most ([0-9]+)", str(refused.value))[1])
    assert len(mechanism(most, Epsilon.log(9)).rows) == most
    with pytest.raises(TooLargeError):
        assert mechanism(most + 1, Epsilon.log(9)).rows
