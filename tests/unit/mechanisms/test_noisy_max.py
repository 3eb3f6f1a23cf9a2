"""The largest noisy score: against all orders, and against integrals; the worst case of pairs."""

from fractions import Fraction
from itertools import permutations

import mpmath
import pytest

from exactdp.divergences import Pair, calibrated
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    exponential_mechanism,
    noisy_max,
)
from exactdp.numbers import Epsilon, Exact, decimal, float_above, float_below
from tests.routes.reals import mpf_of

nats, ln = Epsilon.rational, Epsilon.log
SCORES = [[0], [3, "1/2"], [1, 1, 1], [0, "5/2", "-1", 2], [7, 0, "1/3", "1/3", 6]]


def close(found, truth, slack="1e-12"):
    return abs(mpmath.mpf(decimal(found, digits=20)) - truth) < mpmath.mpf(slack)


@pytest.mark.parametrize("scores", SCORES)
def test_permute_and_flip_is_that_over_all_orders(scores):
    u = [Fraction(x) for x in scores]
    keep = [Exact.exp((x - max(u)) / 2) for x in u]
    orders, law = list(permutations(range(len(u)))), [Exact(0)] * len(u)
    for order in orders:
        left = Exact(1)
        for i in order:
            law[i] += left * keep[i] / len(orders)
            left *= 1 - keep[i]
    assert noisy_max("exponential", scale=2).law(scores) == law


DENSITIES = {  # f and F of noise of scale 1
    "gumbel": (lambda x: mpmath.exp(-x - mpmath.exp(-x)), lambda x: mpmath.exp(-mpmath.exp(-x))),
    "exponential": (lambda x: mpmath.exp(-x) * (x >= 0), lambda x: -mpmath.expm1(-x) * (x > 0)),
    "laplace": (
        lambda x: mpmath.exp(-abs(x)) / 2,
        lambda x: mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2,
    ),
}


@pytest.mark.parametrize("noise", DENSITIES)
@pytest.mark.parametrize("scores", SCORES)
def test_laws_are_integrals_of_densities(noise, scores):
    density, below = DENSITIES[noise]
    law, u = (
        noisy_max(noise, scale="3/2").law(scores),
        [mpf_of(x) / 1.5 for x in map(Fraction, scores)],
    )
    ends = sorted({*u, min(u) - 40, min(u) - 5, max(u) + 5, max(u) + 50})
    assert sum(law, Exact(0)) == 1
    for i, mass in enumerate(law[:3]):
        others = [x for j, x in enumerate(u) if j != i]
        value = lambda x: density(x - u[i]) * mpmath.fprod(below(x - y) for y in others)  # noqa: B023, E731
        assert close(mass, mpmath.quad(value, ends, maxdegree=8))


def test_rankings_are_repeated_exponential_mechanisms():
    scores, one = [0, 2, "1/2", 1], noisy_max("gumbel", scale=1)
    law = one.ranking(scores, top=2)
    for (i, j), mass in law.items():
        rest = [x for k, x in enumerate(scores) if k != i]
        assert mass == one.law(scores)[i] * one.law(rest)[j - (j > i)]
    assert sum(law.values(), Exact(0)) == 1 and len(law) == 12
    pair = one.pair(scores, [1, 1, "1/2", 1], top=2)
    assert pair.max_divergence() <= nats(4)


@pytest.mark.parametrize("noise", DENSITIES)
@pytest.mark.parametrize("monotone", [0, 1])
def test_the_largest_loss_is_a_supremum(noise, monotone):
    """An index far below the other, and a gap that changes by r."""
    one, gaps = noisy_max(noise, scale=2), []
    for far in (2, 10, 50):
        pair = one.pair([0, far], [1, far if monotone else far - 1])
        gaps.append(float(decimal(pair.reversed().max_divergence().nats, digits=17)))
    bound = 0.5 if monotone else 1.0
    assert gaps == sorted(gaps) and 0.9 * bound < gaps[-1] <= bound


AT = ["0", "1/3", "9/10", "-1/2"]


@pytest.mark.parametrize("at", AT)
@pytest.mark.parametrize("monotone", [0, 1])
def test_worst_case_is_above_all_pairs_and_attained_by_two_scores(at, monotone):
    one = noisy_max("gumbel", scale=2)
    delta = exponential_mechanism(scale=2, monotone=monotone).delta(nats(at))
    found = Exact(0)
    for gap in range(-40, 41):
        for change in ([1, 0], [0, 1]) if monotone else ([1, -1], [-1, 1]):
            u = [0, Fraction(gap, 4)]
            v = [x + y for x, y in zip(u, change, strict=True)]
            found = max(found, one.pair(u, v).delta(nats(at)))
    assert found <= delta < found + Exact("1/2000")
    for u, v in (([0, 3, 1], [1, 2, 1]), ([5, 0, 0, 0], [4, 1, 1, 1]), ([0, 0, 2], [1, 1, 1])):
        if not monotone:
            assert one.pair(u, v).both_directions().delta(nats(at)) <= delta


@pytest.mark.parametrize("order", ["1/2", "2", "7/2", "30"])
def test_renyi_is_the_largest_of_two_point_pairs(order):
    r, a = mpmath.mpf(3) / 2, mpf_of(order)

    def divergence(t):
        q = (mpmath.exp(-t) - mpmath.exp(-r)) / -mpmath.expm1(-r)
        moment = q * mpmath.exp(a * t) + (1 - q) * mpmath.exp(a * (t - r))
        return mpmath.log(moment) / (a - 1)

    truth = max(divergence(r * k / 800) for k in range(1, 800))
    found = mpmath.mpf(decimal(exponential_mechanism(scale="4/3").renyi(order), digits=20))
    assert truth - 1e-12 <= found < truth + 1e-4


@pytest.mark.parametrize("alpha", ["1/100", "1/4", "4/5"])
def test_trade_off_is_the_least_of_two_point_pairs(alpha):
    found, least = exponential_mechanism(scale=2).trade_off(alpha), Exact(1)
    for k in range(1, 100):
        e = Exact(1 + Fraction(k, 100) * Fraction("1.71828"))  # e^t
        q = (1 / e - Exact.exp(-1)) / (1 - Exact.exp(-1))
        pair = Pair.from_masses([q * e, 1 - q * e], [q, 1 - q])
        least = min(least, pair.trade_off(alpha))
    assert found <= least < found + Exact("1/50")


@pytest.mark.parametrize(("at", "delta"), [("1", "1e-6"), ("0", "1/10"), ("3", "1/2")])
@pytest.mark.parametrize("monotone", [0, 1])
def test_smallest_scale_meets_its_target(at, delta, monotone):
    of = {"sensitivity": "3/2", "monotone": monotone}
    found = calibrated(exponential_mechanism, epsilon=nats(at), delta=delta, **of)
    ends = [
        exponential_mechanism(scale=x, **of).delta(nats(at))
        for x in (found.upper, found.lower * (1 - Fraction(1, 10**6)))
    ]
    assert float_above(ends[0]) <= float(Fraction(delta)) * (1 + 1e-15) < float_below(ends[1])
    search = exponential_mechanism(scale=found.upper, **of)
    assert search.epsilon(delta, relative_width="1e-6").lower <= Fraction(at)


def test_pure_scale_and_what_is_refused():
    pure = {"delta": 0, "sensitivity": 3}
    assert calibrated(exponential_mechanism, epsilon=nats("1/2"), **pure).upper == 12
    assert exponential_mechanism(scale=12, sensitivity=3).delta(nats("1/2")) == 0
    for bad, words in (
        (lambda: noisy_max("gumble", scale=1), "noise='gumble' is not known"),
        (lambda: noisy_max("gumbel", scale=0), "scale=0 is not positive"),
        (lambda: noisy_max("gumbel", scale=1).law([]), "no scores"),
        (lambda: noisy_max("laplace", scale=1).ranking([1, 2], top=2), "laplace noise"),
        (lambda: noisy_max("gumbel", scale=1).pair([1], [1, 2]), "Give as many"),
        (lambda: calibrated(exponential_mechanism, epsilon=nats(0), **pure), "has no scale"),
    ):
        with pytest.raises(DomainError, match=words):
            bad()
    for scores in ([0] * 101, [0, "1e-9", 1]):
        with pytest.raises(TooLargeError):
            noisy_max("exponential", scale=1).law(scores)
