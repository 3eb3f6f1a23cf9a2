"""The terms of libraries' promises are the truths of the engine, or bounds of them."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import mpmath as mp
import pytest

from exactdp.claims import (
    at_most,
    exact_value,
    value,
)
from exactdp.numbers import Enclosure, Epsilon
from exactdp.numbers.compare import is_below
from exactdp.truth import Truth
from proofs_check.libraries.binomial import coins_delta
from proofs_check.libraries.laws import delta, law, missed
from tests.routes.reals import mpf_of


@pytest.mark.parametrize(
    "fields",
    [
        {"mechanism": "gaussian", "parameter": 1.5, "epsilon": 0.75},
        {"mechanism": "gaussian", "parameter": 1.5, "times": 3, "epsilon": 0.75},
        {"mechanism": "gaussian", "parameter": 0.75, "rate": 0.125, "epsilon": 0.5},
        {"mechanism": "laplace", "parameter": 1.5, "epsilon": 0.25},
        {"mechanism": "discrete_laplace", "parameter": 2.0, "epsilon": 0.25},
        {"mechanism": "randomized_response", "parameter": 0.5, "times": 5, "epsilon": 0.25},
    ],
)
def test_terms_are_the_truths_of_the_engine(fields: dict[str, Any]) -> None:
    made = delta(**{**fields, "epsilon": Fraction(fields["epsilon"])})
    assert made is not None
    rest = {name: x for name, x in fields.items() if name != "epsilon"}
    exactly = law(**rest).delta(
        Epsilon.rational(Fraction(fields["epsilon"])), relative_width="1e-20"
    )
    low = getattr(exactly, "lower", None) or exactly
    difference = float(value(made).ball(200).mid()) / float(mp.mpf(str(float(low))))
    assert abs(difference - 1) < 1e-14


@pytest.mark.parametrize(
    "fields",
    [
        {"mechanism": "gaussian", "parameter": 1.0, "rate": 0.125, "times": 60, "epsilon": 2.0},
        {"mechanism": "discrete_gaussian", "parameter": 1.5, "epsilon": 0.5},
    ],
)
def test_bounding_terms_are_below_the_truth(fields: dict[str, Any]) -> None:
    made = delta(**{**fields, "epsilon": Fraction(fields["epsilon"])})
    assert made is not None
    rest = {name: x for name, x in fields.items() if name != "epsilon"}
    truth = law(**rest).delta(Epsilon.rational(Fraction(fields["epsilon"])), relative_width="1e-6")
    assert 0 < float(value(made).ball(128).mid()) <= float(truth.upper) * (1 + 1e-12)


def test_sums_of_coins_by_their_definition() -> None:
    n, k, p = 40, -3, Fraction(3, 4)
    made = coins_delta(n, k, term_of("1/2"), p=p, near=0.5)

    def mass(i: int) -> mp.mpf:
        q = mp.mpf(3) / 4
        return mp.binomial(n, i) * q**i * (1 - q) ** (n - i) if 0 <= i <= n else mp.mpf(0)

    with mp.workdps(40):
        factor = mp.exp(mp.mpf(1) / 2)
        truth = sum(max(mp.mpf(0), mass(i) - factor * mass(i - k)) for i in range(-5, n + 5))
        assert abs(float(value(made).ball(128).mid()) - float(truth)) < 1e-15


def term_of(text: str) -> Any:
    from exactdp.claims import function

    return function("exp", text)


def test_discrete_laplace_above_a_threshold_by_its_definition() -> None:
    from proofs_check.libraries.opendp import released

    b, threshold, count = 2.0, 6, 2
    weights = [math.exp(-abs(i) / b) for i in range(-400, 401)]
    above = math.fsum(weights[400 + threshold - count :]) / math.fsum(weights)
    for keys, truth in ((1, above), (4, 1 - (1 - above) ** 4)):
        found = value(released(b, threshold, keys, count)).ball(100).mid()
        assert abs(float(found) - truth) < 1e-15


def test_steps_that_leak_are_the_engines() -> None:
    from proofs_check.libraries.laws import leaky, leaky_delta

    for parameter, times, epsilon in ((1.0, 3, 2), (0.5, 7, 0)):
        engine = leaky(parameter, 0.25, times).delta(Epsilon.rational(epsilon))
        assert exact_value(leaky_delta(parameter, 0.25, Fraction(epsilon), times)) == engine


def test_an_attack_on_sampled_steps_by_its_definition() -> None:
    normal = NormalDist()
    for sigma, rate, steps, alpha in ((1.0, 0.01, 1, 1e-3), (2.0, 0.1, 100, 1e-2)):
        above = -normal.inv_cdf(1 - (1 - alpha) ** (1 / steps))
        seen = rate * normal.cdf(1 / sigma - above) + (1 - rate) * normal.cdf(-above)
        found = float(value(missed(sigma, steps, alpha, rate)).ball(100).mid())
        assert abs(found - (1 - seen) ** steps) < 1e-12
        best = law("gaussian", sigma, rate, steps).trade_off(Fraction(alpha), relative_width="1e-6")
        assert isinstance(best, Enclosure)
        assert best.lower <= found and (steps > 1 or found <= best.upper * (1 + 1e-12))
    full = float(value(missed(2.0, 9, 0.05)).ball(100).mid())
    assert abs(full - normal.cdf(-normal.inv_cdf(0.05) - 1.5)) < 1e-12


def test_the_mu_of_sampled_records_is_too_small_exactly_where_delta_is_larger() -> None:
    from proofs_check.libraries.gdpnum import of_mu, trained

    for mu, is_too_small in ((0.13, True), (0.9, False)):
        least, claimed = trained(1.0, 0.01, 1, 1.0), of_mu(Fraction(mu), 1.0)
        assert least is not None
        of_noise = law("gaussian", 1 / Fraction(mu)).delta(Epsilon.rational(1))
        of_step = law("gaussian", 1.0, 0.01).delta(Epsilon.rational(1))
        assert at_most(least, claimed).holds() is not is_too_small
        assert is_below(of_noise, of_step, max_bits=200) is Truth.of(is_too_small)


def test_laplace_noise_drawn_again_by_the_ends_of_the_domain() -> None:
    from proofs_check.libraries.diffprivlib import bounded, kept

    epsilon, b = Fraction(1, 2), Fraction(5, 4)
    for upper in (1.0, 3.0):  # the ends are the only pair, or one of many
        made = float(value(bounded(epsilon, b, upper)).ball(128).mid())
        u, x = mp.mpf(upper), mpf_of(b)

        def excess(y: Any, u: Any = u, x: Any = x) -> Any:
            first = mp.exp(-y / x) / (1 - mp.exp(-u / x))
            other = mp.exp(-abs(y - 1) / x) / (2 - mp.exp(-1 / x) - mp.exp((1 - u) / x))
            return max(0, first - mp.exp(0.5) * other) / x

        assert abs(made - mp.quad(excess, mp.linspace(0, u, 61))) < 1e-4 * made
        truth = kept("redrawn")(b, upper).delta(Epsilon.rational(epsilon), relative_width="1e-9")
        below, above = float(getattr(truth, "lower", truth)), float(getattr(truth, "upper", truth))
        assert made <= above * (1 + 1e-9) and (upper > 1 or made >= below * (1 - 1e-9))


def test_coordinates_that_move_alike_are_their_sum() -> None:
    from proofs_check.libraries.binomial import alike

    assert alike(3, 4) == {"l1": 12, "l2": 6, "linf": 3}
    n, k = 3, 1  # of two coordinates all outcomes, against their sum
    pairs = [math.comb(n, i) for i in range(n + 1)]

    def mass(i: int) -> int:
        return pairs[i] if 0 <= i <= n else 0

    span = range(n + 2)
    both = sum(
        max(0, mass(i) * mass(j) - math.exp(0.5) * mass(i - k) * mass(j - k))
        for i in span
        for j in span
    )
    made = coins_delta(2 * n, 2 * k, term_of("1/2"), p=Fraction(1, 2), near=0.5)
    assert 0 < float(value(made).ball(128).mid()) <= both / 4**n


@pytest.mark.parametrize("count", [1, 7])
def test_grants_of_a_budget_are_the_engines(count: int) -> None:
    from proofs_check.libraries.pipeline_dp import delta_guaranteed, guaranteed

    answer, epsilon = Fraction(4), 0.75
    truth = guaranteed(answer, epsilon, 1e-3, count).delta(Epsilon.rational(Fraction(epsilon)))
    made = delta_guaranteed(Fraction(epsilon), answer, 1e-3, count)
    exactly = float(value(made).ball(128).mid())
    if isinstance(truth, Enclosure):
        assert float(truth.lower) * (1 - 1e-12) < exactly < float(truth.upper) * (1 + 1e-12)
    else:
        assert abs(exactly / float(truth.ball(128).mid()) - 1) < 1e-12


@pytest.mark.parametrize(("kind", "count"), [("gaussian", 3), ("laplace", 1), ("laplace", 3)])
def test_noise_of_a_sensitivity_is_the_engines(kind: str, count: int) -> None:
    from proofs_check.libraries.pipeline_dp import at_most_steps, steps

    answer, epsilon = Fraction(5, 2), Fraction(1, 2)
    truth = steps(kind, answer, count, sensitivity=2.0).delta(
        Epsilon.rational(epsilon), relative_width="1e-6"
    )
    least, most = (float(getattr(truth, end, truth)) for end in ("lower", "upper"))
    found = float(value(at_most_steps(kind, epsilon, answer, count, 2.0)).ball(128).mid())
    assert found <= most * (1 + 1e-12)
    is_all = kind == "gaussian" or count == 1
    assert abs(found / least - 1) < 1e-5 if is_all else 0 < found < least


def test_two_steps_on_batches_of_fixed_size_are_below_the_engines_bound() -> None:
    """They are above two Poisson samples of twice the sensitivity, and below what dominates all."""
    from exactdp import dp_sgd
    from proofs_check.libraries.jax_privacy.fixed_batches import delta_of_fixed_batches

    sigma, q, epsilon = 2, Fraction(1, 10), Fraction(1)
    found = float(value(delta_of_fixed_batches(epsilon, sigma, 10, 1, 2)).ball(128).mid())
    at, wide = Epsilon.rational(epsilon), {"relative_width": "1e-3"}
    most = dp_sgd(
        noise_multiplier=sigma,
        sampling_probability=q,
        steps=2,
        neighbors="substitution",
        batches="fixed_size",
    ).delta(at, **wide)
    samples = law("gaussian", Fraction(sigma, 2), q, 2).delta(at, **wide)  # type: ignore[arg-type]
    assert float(samples.upper) < found < float(most.upper)
    one = float(value(delta_of_fixed_batches(epsilon, sigma, 10, 1, 1)).ball(128).mid())
    truth = law("gaussian", Fraction(sigma, 2), q, 1).delta(at)  # type: ignore[arg-type]
    least = float(truth.ball(128).mid())
    assert least * (1 - 1e-3) < one < least * (1 + 1e-9)
