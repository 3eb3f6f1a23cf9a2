"""Laws of sums in doubles on a window: against all outcomes, and against balls."""

from fractions import Fraction
from math import comb
from random import Random

import pytest

from exactdp.errors import UndecidedError
from exactdp.numbers import Exact
from exactdp.sums import RepeatedSum
from exactdp.sums.lattices.atoms import PolynomialLaw
from tests.unit.sums.test_repeated import LAWS, STEP, means, thresholds

WIDTH = Fraction(1, 10**6)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("times", [1, 2, 4])
def test_what_a_window_says_contains_the_mean_over_all_outcomes(law, times):
    total, answered = RepeatedSum(STEP, law, times), 0
    for c in thresholds(law, times, times):
        least, most = (end(law) * STEP * times for end in (min, max))
        if least < c < most:
            try:
                found = total.in_doubles(c, relative_width=WIDTH)
            except UndecidedError:
                continue
            answered += 1
            assert found.contains(means(law, times, c)[0])
    assert answered > 1


def binomial_mean(n, p, c):
    """E max(0, Bin(n, p) − c) in fractions."""
    terms = (comb(n, k) * p**k * (1 - p) ** (n - k) * (k - c) for k in range(n + 1) if k > c)
    return sum(terms, Fraction(0))


@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 30)])
def test_far_thresholds_of_many_coins(n, p):
    total = RepeatedSum(Fraction(1), {0: 1 - p, 1: p}, n)
    for share in (Fraction(1, 50), Fraction(1, 10), Fraction(1, 5)):
        c = n * (p + share * (1 - p))
        found = total.in_doubles(c, relative_width=WIDTH)
        truth = binomial_mean(n, p, c)
        assert found.contains(truth)
        assert found.width < truth / 10**4


@pytest.mark.parametrize("seed", range(3))
def test_doubles_and_balls_agree(monkeypatch, seed):
    random = Random(seed)
    weights = {random.randrange(-40, 400): random.randrange(1, 10**6) for _ in range(30)}
    law = {i: Fraction(w, sum(weights.values())) for i, w in weights.items()}
    mean = sum(i * m for i, m in law.items()) / 7
    thresholds = [Exact(20 * mean + random.randrange(0, 400)) for _ in range(4)]
    quick = RepeatedSum(Fraction(1, 7), law, 20)
    with monkeypatch.context() as patch:
        patch.setattr(PolynomialLaw, "of", None)  # balls are not asked
        found = [quick.mean_above(c, relative_width=WIDTH) for c in thresholds]
    slow = RepeatedSum(Fraction(1, 7), law, 20)
    for one, c in zip(found, thresholds, strict=True):
        other = slow.mean_above(c, relative_width=Fraction(1, 10**12))  # beyond doubles
        assert one.lower <= other.upper and other.lower <= one.upper
