"""optimizeParameter: certified λ_k and m against mpmath, exact pairs, and whole views.

The reference for the divergence of the paper's pair sums over all pairs of counts in
mpmath with 30 digits, from the definition of Theorem 1 with p = ∞ (Δ_2 = 0).
"""

from fractions import Fraction
from math import ceil

import mpmath
import pytest

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon
from proofs_check.wang2024.parameters import (
    Condition,
    Setting,
    constraint,
    is_admissible,
    largest_rate,
    least_messages,
    objective,
    target_delta,
)
from proofs_check.wang2024.protocol import protocol_view
from tests.routes.reals import mpf_of

HALF = Epsilon.rational("1/2")


def reference_divergence(*, trials, share, rate, gamma):
    """D_γ of (A + Δ, C - A) from (A, C - A + Δ): C ~ Bin(trials, share), Δ ~ Bern(rate)."""
    share, rate = mpf_of(share), mpf_of(rate)
    weights = [
        mpmath.binomial(trials, c) * share**c * (1 - share) ** (trials - c)
        for c in range(trials + 1)
    ]
    total = mpmath.mpf(0)
    for c in range(trials + 2):
        still = weights[c] if c <= trials else 0
        moved = weights[c - 1] if c else 0
        for x in range(c + 1):
            split = mpmath.binomial(c, x) / mpmath.mpf(2) ** c
            # Bin(c - 1, 1/2) at x - 1 and at x, in terms of Bin(c, 1/2) at x.
            p = (1 - rate) * still + (rate * moved * 2 * x / c if c else 0)
            q = (1 - rate) * still + (rate * moved * 2 * (c - x) / c if c else 0)
            total += max(0, split * (p - gamma * q))
    return total


@pytest.mark.parametrize("m", [Fraction(1), Fraction(3, 2)])
def test_the_divergence_of_the_pair(m):
    setting = Setting(n=12, d=4, s=1, delta="1/100")
    rate, gamma = Fraction(2, 3), Fraction(3, 2)
    factor, pair = constraint(setting, m=m, rate=rate)
    assert factor == 1
    exact = pair.pair().delta(Epsilon.log(gamma))
    with mpmath.workdps(30):
        truth = reference_divergence(
            trials=12 * ceil(m) - 1, share=2 * m / ceil(m) / 4, rate=rate, gamma=mpf_of(gamma)
        )
        assert abs(mpf_of(exact.as_fraction()) - truth) < mpmath.mpf(10) ** -25


def test_the_largest_rate_is_between_its_ends():
    setting = Setting(n=60, d=6, s=2, delta="1/1000")
    rate = largest_rate(setting, m="3/2", epsilon=Epsilon.rational(1), digits=8)
    assert 0 < rate.lower < rate.upper < 1
    assert rate.width <= rate.upper / 10**8
    with mpmath.workdps(30):
        target = mpmath.mpf(1) / 1000 / (2 * mpmath.e)
        ends = [
            reference_divergence(
                trials=119,
                share=Fraction(3, 2) / 2 / 6 * 2,
                rate=end,
                gamma=mpmath.exp(mpmath.mpf(1) / 2),
            )
            for end in (rate.lower, rate.upper)
        ]
    assert ends[0] <= target < ends[1]


def test_a_rate_of_one_is_a_point_and_tells_so():
    setting = Setting(n=400, d=2, s=1, delta="1/100")
    assert largest_rate(setting, m=2, epsilon=Epsilon.rational(2)).upper == 1
    assert largest_rate(setting, m=2, epsilon=Epsilon.rational(2)).lower == 1
    assert is_admissible(setting, m=2, rate=1, epsilon=Epsilon.rational(2))


def test_a_single_user_without_amplification():
    # One slot and n' = 1: C has no trial, and the divergence is λ.
    setting = Setting(n=1, d=3, s=1, delta="1/10")
    rate = largest_rate(setting, m=1, epsilon=Epsilon.log(2), digits=6)
    assert rate.lower <= Fraction(1, 20) < rate.upper


def divergence(setting, *, m, rate, gamma):
    factor, pair = constraint(setting, m=m, rate=rate)
    return factor * pair.pair().delta(Epsilon.log(gamma))


def test_the_condition_with_the_coin_told_is_the_whole_view():
    # γ = 1: the number of messages tells whether the victim's was sent.
    at = {"m": 1, "rate": Fraction(1, 10), "gamma": Fraction(3, 2)}
    view = protocol_view([0], [1], d=3, rate="1/10", blankets=2)
    told = Setting(n=2, d=3, s=1, delta="1/100", condition=Condition.REVEALED)
    assert divergence(told, **at) == view.delta(Epsilon.log(at["gamma"])) == Fraction(1, 20)
    assert divergence(Setting(n=2, d=3, s=1, delta="1/100"), **at) == Fraction(1, 30)


@pytest.mark.parametrize("m", [Fraction(1, 3), Fraction(1), Fraction(3, 2)])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(3, 4), Fraction(1)])
def test_the_condition_with_the_coin_told_bounds_every_view(m, rate):
    n, d, gamma = 4, 3, Fraction(5, 4)
    told = Setting(n=n, d=d, s=1, delta="1/100", condition=Condition.REVEALED)
    for others in ([], [([2], "1/2")]):
        view = protocol_view(
            [0], [1], d=d, rate=rate, blankets=n * ceil(m), slot_rate=m / ceil(m), others=others
        )
        assert view.delta(Epsilon.log(gamma)) <= divergence(told, m=m, rate=rate, gamma=gamma)


def test_least_messages_brackets_the_change():
    setting = Setting(n=100, d=4, s=1, delta="1/100")
    found = least_messages(setting, epsilon=HALF, digits=3)
    assert not is_admissible(setting, m=found.lower, rate=1, epsilon=HALF)
    assert is_admissible(setting, m=found.upper, rate=1, epsilon=HALF)
    assert found.width <= found.upper / 10**3
    assert largest_rate(setting, m=found.upper, epsilon=HALF).lower == 1
    assert largest_rate(setting, m=found.lower, epsilon=HALF, digits=3).lower < 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Setting(n=0, d=3, s=1, delta="1/10"), "n=0 must be at least 1"),
        (lambda: Setting(n=5, d=1, s=1, delta="1/10"), "d=1 must be at least 2"),
        (lambda: Setting(n=5, d=3, s=0, delta="1/10"), "s=0 must be at least 1"),
        (lambda: Setting(n=5, d=3, s=1, delta=0), "delta=0 must be above 0"),
        (lambda: Setting(n=5, d=3, s=1, delta=float("nan")), "is not finite"),
        (lambda: objective(n=5, s=1, m=1, rates=[Fraction(0)], counts=[5]), "divides by it"),
        (lambda: objective(n=5, s=1, m=1, rates=[], counts=[5]), "one a level"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()


def test_questions_without_an_answer():
    setting = Setting(n=5, d=3, s=3, delta="1/10")
    with pytest.raises(DomainError, match="m=0 must be above 0"):
        largest_rate(setting, m=0, epsilon=HALF)
    with pytest.raises(DomainError, match="rate=2"):
        constraint(setting, m=1, rate=2)
    told = Setting(n=5, d=3, s=3, delta="1/10", condition=Condition.REVEALED)
    with pytest.raises(DomainError, match="rate=-1"):
        is_admissible(told, m=1, rate=-1, epsilon=HALF)
    with pytest.raises(DomainError, match="outside the exact field"):
        largest_rate(setting, m=1, epsilon=Epsilon.log(2))
    with pytest.raises(DomainError, match="digits=0"):
        largest_rate(setting, m=1, epsilon=HALF, digits=0)


def test_the_largest_rate_with_the_coin_told_is_a_quotient():
    setting = Setting(n=20, d=4, s=1, delta="1/50", condition=Condition.REVEALED)
    factor, told = constraint(setting, m=1, rate=1)
    assert (factor, told.n) == (1, 21)
    whole = told.pair().delta(HALF)
    exact = target_delta(setting, HALF) / whole
    rate = largest_rate(setting, m=1, epsilon=HALF, digits=9)
    assert rate.lower <= exact < rate.upper < 1
    printed = Setting(n=20, d=4, s=1, delta="1/50")
    assert largest_rate(printed, m=1, epsilon=HALF, digits=9).lower > rate.upper
