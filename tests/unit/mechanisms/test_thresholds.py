"""Thresholds: tails against sums and quantiles; the optimal selection against its recurrence."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.divergences import Largest, Pair
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    partition_selection,
    smallest_threshold,
    thresholded,
)
from exactdp.mechanisms.thresholds import lone_user
from exactdp.numbers import Epsilon, Exact, decimal, exp, float_above, float_below, log

nats, ln = Epsilon.rational, Epsilon.log
OPTIMAL = [(ln(2), "1/10"), (ln(3), "1e-4"), (nats("1/3"), "1e-3"), (nats(0), "2/7"),
           (nats(2), "0.9"), (nats("1/10"), "1e-6"), (ln(2), "1/3")]  # fmt: skip


def recurrence(epsilon, delta):
    """π(n) up to the first 1, from its definition."""
    growth, delta, found = epsilon.exp, Exact(delta), [Exact(0)]
    while found[-1] != 1:
        last = found[-1]
        found.append(min(growth * last + delta, 1 - (1 - last - delta) / growth, Exact(1)))
    return found


@pytest.mark.parametrize(("epsilon", "delta"), OPTIMAL)
def test_closed_form_is_the_recurrence(epsilon, delta):
    best, steps = partition_selection(epsilon, delta), recurrence(epsilon, delta)
    assert [best.kept(n) for n in range(len(steps) + 2)] == [*steps, 1, 1]
    assert best.last == len(steps) - 1


@pytest.mark.parametrize("other", ["0", "1/5", "ln 2", "1", "5/2"])
@pytest.mark.parametrize(("epsilon", "delta"), OPTIMAL[:4] + OPTIMAL[6:])
def test_profile_is_the_worst_of_all_sizes(epsilon, delta, other):
    at = ln(2) if other == "ln 2" else nats(other)
    steps, profile = recurrence(epsilon, delta), partition_selection(epsilon, delta)
    pairs = [Pair.from_masses([b, 1 - b], [a, 1 - a]) for a, b in zip(steps, steps[1:])]  # noqa: B905, RUF007
    worst = Largest(tuple(q for p in pairs for q in (p, p.reversed())))
    assert profile.delta(at) == worst.delta(at)
    assert profile.delta(-at) == worst.delta(-at)
    assert profile.delta(epsilon) == Exact(delta)
    assert profile.both_directions() is profile
    assert profile.renyi(2).is_infinite
    if other == "0" and epsilon != nats("1/3"):
        assert profile.trade_off("1/10") == worst.trade_off("1/10")
        width = "1e-9"
        assert profile.renyi("1/2", relative_width=width) == worst.renyi(
            "1/2", relative_width=width
        )


@pytest.mark.parametrize("alpha", ["1/10", "2/5", "3/5", "9/10"])
def test_a_lone_user_is_two_pairs(alpha):
    """Of an exact probability, and by the law of the loss of a number that only refines."""
    shown = Pair.from_masses(["1/4", "3/4"], [0, 1])
    assert lone_user(Exact("1/4")) == shown
    removed, width = lone_user(exp(-log(Exact(4)))), "1e-9"
    assert removed.renyi(3).is_infinite and removed.reversed().reversed() == removed
    for one, pair in ((removed, shown), (removed.reversed(), shown.reversed())):
        found = one.trade_off(alpha, relative_width=width)
        assert found.contains(pair.trade_off(alpha))
        for at in (ln(1), ln(3), ln("1/2"), ln("4/5"), ln("5/4"), ln("11/10")):
            truth = pair.delta(at)
            assert one.delta(at) == truth if truth == 0 else (
                one.delta(at, relative_width=width).contains(truth)
            )  # fmt: skip
        for order in ("1/4", "1/2", "3/4", *(["3"] if one.infinity_mass() == 0 else [])):
            found, truth = (x.renyi(order, relative_width="1e-12") for x in (one, pair))
            assert found.lower <= truth.upper and truth.lower <= found.upper
        assert one.infinity_mass().ball(64).overlaps(pair.infinity_mass().ball(64))
    assert removed.max_divergence().is_infinite
    assert removed.reversed().max_divergence().ball(64).overlaps(ln("4/3").nats.ball(64))


def test_no_selection_keeps_more():
    """Any π with one step raised breaks (ε, δ)."""
    epsilon, delta = ln(2), Exact("1/10")
    steps = recurrence(epsilon, delta)
    for n in range(1, len(steps) - 1):
        more = steps[n] + Fraction(1, 1000)
        pair = Pair.from_masses([more, 1 - more], [steps[n - 1], 1 - steps[n - 1]])
        assert pair.both_directions().delta(epsilon) > delta


@pytest.mark.parametrize("threshold", ["-3", "0", "5/2", "4"])
def test_discrete_laplace_above_is_a_sum(threshold):
    one = discrete_laplace_mechanism(rate=ln("3/2"))
    below = sum((one.mass(k) for k in range(-300, 5) if k <= Fraction(threshold)), Exact(0))
    left = 1 - below - one.above(Exact(threshold))
    assert 0 < left < Exact("1e-40")  # what is below −300


@pytest.mark.parametrize("level", ["0.9", "3/5", "2/5", "4/15", "1e-9", "1e-300"])
def test_discrete_laplace_exceeded_is_the_first(level):
    one = discrete_laplace_mechanism(rate=ln("3/2"))
    x = one.exceeded(Exact(level))
    assert one.above(x) <= Exact(level) < one.above(x - 1)


@pytest.mark.parametrize("level", ["0.9", "1/2", "1e-9", "1e-300"])
@pytest.mark.parametrize("noise", [laplace_mechanism(scale="3/2"), gaussian_mechanism(sigma=2)])
def test_exceeded_inverts_above(noise, level):
    for digits, sign in ((40, 1), (40, -1)):
        x = Exact(decimal(noise.exceeded(Exact(level)), digits=digits))
        shifted = noise.above(x + sign * Exact("1e-30"))
        below = float_above(shifted - Exact(level)) <= 0
        assert below if sign > 0 else float_below(shifted - Exact(level)) >= 0


def test_thresholded_discrete_laplace_against_its_definition():
    """All n, what is not above 4 shown as nothing, exactly but for the ends."""
    noise, gamma = discrete_laplace_mechanism(rate=ln(2)), Exact("3/2")
    found = thresholded(noise, threshold=4).delta(ln(gamma))
    worst = Exact(0)
    for n in (1, 2, 5, 40):
        laws = []
        for count in (n, n - 1):
            shown = [noise.mass(k - count) if count else Exact(0) for k in range(5, 140)]
            laws.append([1 - sum(shown, Exact(0)), *shown])
        for p, q in (laws, laws[::-1]):
            terms = (a - gamma * b for a, b in zip(p, q, strict=True))
            worst = max(worst, sum((x for x in terms if x > 0), Exact(0)))
    assert found - Exact("1e-10") < worst <= found
    assert thresholded(noise, threshold="4.9").delta(ln(2)) == noise.above(Exact(3))


def test_smallest_threshold():
    for noise in (laplace_mechanism(scale=1), discrete_laplace_mechanism(scale=1)):
        found = smallest_threshold(noise, nats(1), "1e-5")
        at = Exact(decimal(found, digits=30)) + Exact("1e-20")
        assert thresholded(noise, threshold=at).delta(nats(1)) <= Exact("1e-5")
        assert thresholded(noise, threshold=at - Exact("1e-15")).delta(nats(1)) > Exact("1e-5")
    with mpmath.workdps(30):
        found = smallest_threshold(gaussian_mechanism(sigma=4), nats(1), "1e-5")
        truth = 1 + 4 * mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf("1e-5"))
        assert abs(mpmath.mpf(decimal(found, digits=25)) - truth) < 1e-20


def test_what_has_no_threshold_is_refused():
    with pytest.raises(DomainError, match="whatever the threshold"):
        smallest_threshold(laplace_mechanism(scale=1), nats("1/2"), "1e-5")
    with pytest.raises(DomainError, match="users=-1"):
        partition_selection(nats(1), "1e-5").kept(-1)
