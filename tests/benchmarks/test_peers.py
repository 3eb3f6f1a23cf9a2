"""The same questions to other accountants, in one run: ratios of times, and their digits.

Peers are no dependencies of ours: `pip install dp-accounting` to have them measured; the
tests are skipped where it is missing.
"""

from fractions import Fraction
from time import process_time

import pytest

from exactdp.accounting import compose_on_grid, composed_randomized_response
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact

pytest.importorskip("dp_accounting")
from dp_accounting.pld import privacy_loss_distribution as peer

STEP = 1e-4


def timed(function):
    start = process_time()
    value = function()
    return value, process_time() - start


def report(name, ours, theirs):
    print(f"{name}: ours {ours:.3f} s, theirs {theirs:.3f} s, ratio {theirs / ours:.0f}")


def test_randomized_response_1000_times_100_epsilons():
    epsilons = [Fraction(i, 10) for i in range(1, 101)]

    def ours():
        composed = composed_randomized_response(Epsilon.rational("1/10"), 1000)
        return [composed.delta(Epsilon.rational(e), relative_width="1e-12") for e in epsilons]

    def theirs():
        # Binary randomized response with e^epsilon0 : 1 odds flips a uniform coin this often.
        noise = 2 / (float(Exact.exp(Fraction(1, 10)).ball(64).mid()) + 1)
        loss = peer.from_randomized_response(noise, 2, value_discretization_interval=STEP)
        composed = loss.self_compose(1000)
        return [composed.get_delta_for_epsilon(float(e)) for e in epsilons]

    certified, our_time = timed(ours)
    values, their_time = timed(theirs)
    report("randomized response x 1000, 100 epsilons", our_time, their_time)
    assert our_time < their_time
    # Theirs is an upper bound, so it is never certainly below ours.
    below = sum(Fraction(v) < c.lower for v, c in zip(values, certified, strict=True))
    print(f"theirs is below the truth at {below} of {len(values)} epsilons")


@pytest.mark.parametrize(
    ("name", "mechanism", "loss", "epsilon"),
    [
        (
            "Gaussian x 1000",
            gaussian_mechanism(sigma=30),
            lambda: peer.from_gaussian_mechanism(30, value_discretization_interval=STEP),
            7,
        ),
        (
            "Laplace x 1000",
            laplace_mechanism(scale=20),
            lambda: peer.from_laplace_mechanism(20, value_discretization_interval=STEP),
            11,
        ),
    ],
    ids=["gaussian", "laplace"],
)
def test_one_delta_of_1000_compositions(name, mechanism, loss, epsilon):
    certified, our_time = timed(
        lambda: compose_on_grid([(mechanism, 1000)]).delta(
            Epsilon.rational(epsilon), relative_width="1e-3"
        )
    )
    value, their_time = timed(
        lambda: loss().self_compose(1000).get_delta_for_epsilon(float(epsilon))
    )
    report(name, our_time, their_time)
    print(f"ours [{float(certified.lower):.6e}, {float(certified.upper):.6e}], theirs {value:.6e}")
    assert abs(Fraction(value) - certified.lower) < certified.lower / 100
