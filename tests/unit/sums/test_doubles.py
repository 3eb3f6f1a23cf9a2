"""The errors that doubles are taken to have: each margin against exact numbers and balls."""

import random
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import acb, arb

from exactdp.errors import UndecidedError
from exactdp.numbers import precision
from exactdp.numbers.balls import double_above
from exactdp.sums.doubles import STEP, TINY, Near, double
from exactdp.sums.lines import smoothed
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.smoothed import SmoothedSum

U = Fraction(1, 2**53)


def complexes(seed, count, *, low=-300, high=300):
    """Complex doubles of all sizes, with parts alike and far apart."""
    draw = random.Random(seed)

    def part(exponent):
        return draw.choice((-1, 1)) * draw.uniform(1, 2) * 2.0**exponent

    sizes = [draw.randint(low, high) for _ in range(count)]
    return np.array([complex(part(k), part(k - draw.choice((0, 1, 26, 60)))) for k in sizes])


def pair(z):
    return Fraction(z.real), Fraction(z.imag)


def square(x, y):
    return x * x + y * y


@pytest.mark.parametrize("length", [1, 2, 3, 7, 64, 3001])
def test_moduli_err_by_four_units_at_most(length):
    for seed in range(max(1, 200 // length)):
        values = complexes(seed, length, low=-1000, high=1000)
        for z, found in zip(values.tolist(), np.abs(values).tolist(), strict=True):
            truth = square(*pair(z))
            assert (1 - 8 * U) ** 2 * truth <= Fraction(found) ** 2 <= (1 + 8 * U) ** 2 * truth
    tiny = complexes(length, length, low=-1074, high=-1010)
    for z, found in zip(tiny.tolist(), np.abs(tiny).tolist(), strict=True):
        assert max(0, Fraction(found) - Fraction(TINY)) ** 2 <= square(*pair(z))
        assert square(*pair(z)) <= (Fraction(found) + Fraction(TINY)) ** 2


def test_a_step_errs_by_five_units_of_its_three_moduli_and_eight_are_taken():
    a, b = complexes(1, 3000, low=-60, high=3), complexes(2, 3000, low=-60, high=3)
    found = Near(a, np.zeros(3000)).times(Near(b, np.zeros(3000)))
    rows = zip(a.tolist(), b.tolist(), found.lack.tolist(), found.error.tolist(), strict=True)
    for x, y, lack, error in rows:
        (p, q), (r, s), (t, v) = pair(x), pair(y), pair(lack)
        both = p * r - q * s, p * s + q * r
        off = square(t - p - r - both[0], v - q - s - both[1])
        # The root of a square is at most the sum, and at least each, of the parts.
        sizes = [max(map(abs, z)) for z in ((p, q), (r, s), both)]
        assert off <= Fraction(error) ** 2
        assert 8 * U * sum(sizes) <= Fraction(error) <= 24 * U * sum(sizes) + 2 * Fraction(TINY)
        assert off <= (5 * U) ** 2 * 2 * sum(sizes) ** 2


def test_a_middle_is_off_by_two_units_at_most():
    with precision(200):
        for z in complexes(3, 500, low=-90, high=90).tolist():
            ball = acb(z) * (1 + arb(2) ** -54) * arb(1, 2.0**-195)
            off = square(
                *(Fraction(a) - b for a, b in zip(pair(double(ball)), exact(ball), strict=True))
            )
            assert off <= (2 * U) ** 2 * square(*pair(z)) + Fraction(1, 2**200)


def exact(ball):
    return [
        Fraction(int(m)) * Fraction(2) ** int(e)
        for m, e in (x.mid().man_exp() for x in (ball.real, ball.imag))
    ]


@pytest.mark.parametrize(
    "end", ["1/3", "1", "0", "-1/3", "1e-320", "1e-5000", "-1e-5000", "1e5000"]
)
def test_a_double_above_a_ball_is_above_it_and_the_next_one_is_not(end):
    with precision(300):
        ball = arb(0) + arb(end.split("/")[0]) / int(end.partition("/")[2] or 1)
        found = double_above(ball)
        assert arb(found) >= ball.upper() > arb(np.nextafter(found, -np.inf))
        wide = double_above(ball + arb(0, 3))
        assert wide == np.inf or arb(wide) >= ball.upper() + 3
        assert np.isnan(double_above(arb("nan")))


@pytest.mark.parametrize("angle", [1e-12, 1e-3, 0.1, 2.0])
@pytest.mark.parametrize("values", [(0, 1), (0, 1, "7/3"), range(30)])
def test_a_factor_on_its_line_is_as_near_as_it_says(values, angle):
    with precision(256):
        losses = [arb(Fraction(v).numerator) / Fraction(v).denominator for v in values]
        masses = [arb(k + 1) for k in range(len(losses))]
        one = FiniteVariable(losses, [m / sum(masses, arb(0)) for m in masses], 1)
        line = one.on_line(arb("0.3"), arb(angle), 16)
        starts = [0, 5, 1000, 10**6]
        found, weights = line.runs(starts), one.probabilities(arb("0.3"))
        for i, start in enumerate(starts):
            for m in range(16):
                turned = [acb(0, (start + m) * arb(angle) * (x - line.shift)) for x in losses]
                truth = sum((p * x.expm1() for p, x in zip(weights, turned, strict=True)), acb(0))
                off = abs(acb(complex(found.lack[i, m])) - truth)
                assert off <= arb(float(found.error[i, m]))
        assert found.error.max() < 1e-13


@pytest.mark.parametrize("rate", [0, 1])
@pytest.mark.parametrize("tilt", [1e-40, 1e-9, 0.3, 1.0, 1e5, 1e40])
def test_kernels_are_as_near_as_they_say(tilt, rate):
    """β(s + r/2)/(s(s + r)) and β(s + r/2)² in balls."""
    middle = tilt + rate / 2
    for share in (1e-6, 0.1, 3.0):
        w, places = share / middle, np.array([0.0, 1e-9, 0.1, 1, 7.3, 1e3, 1e5]) * tilt
        with precision(512):
            real = arb(w) * (arb(tilt) + arb(rate) / 2)
            first = np.array([double(acb(real, 0).expm1())])
            turned = np.array([double(acb(0, arb(w) * arb(x)).expm1()) for x in places.tolist()])
            near = Near.outer(first, turned)
            points = SimpleNamespace(line=SimpleNamespace(tilt=tilt), rate=rate, smooth=w)
            found = smoothed.Points._kernels(points, near, places[None, :])
            for j, x in enumerate(places.tolist()):
                s = acb(tilt, x)
                at = arb(w) * (s + arb(rate) / 2)
                beta = ((at.exp() - (-at).exp()) / 2 / at) ** 2
                for (kernel, error), truth in zip(
                    found, (beta / (s * (s + rate)), beta**2), strict=True
                ):
                    off = abs(acb(complex(kernel[0, j])) - truth)
                    assert off <= arb(float(error[0, j]))


@pytest.mark.parametrize("power", [10, 70, 74, 76, 77, 85, -10, -70, -74, -76, -77, -85])
def test_sizes_whose_squares_doubles_do_not_hold_are_refused(power, monkeypatch):
    """At more bits than usual, where phases do not refuse them earlier."""
    monkeypatch.setattr(smoothed, "BALL_BITS", 2048)
    with precision(2048):
        unit = arb(10) ** power
        coin = FiniteVariable([unit, -unit], [arb(1) / 2] * 2, 2)
        total = SmoothedSum([coin], 0)

        def found():
            return total.mean_above(arb(0), Fraction(1, 100), start=10.0**-power)

        if abs(power) > 72:
            with pytest.raises(UndecidedError, match="too extreme for doubles"):
                found()
        else:
            assert found().contains(Fraction(10) ** power / 2)


def test_the_margin_of_a_step_is_eight_units():
    assert Fraction(STEP) == 8 * U
