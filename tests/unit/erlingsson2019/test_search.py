"""The worst adaptive randomizers: attained, never exceeded, and what they say of the proof."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.divergences import hockey_stick_divergence, renyi_moment
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle.adaptive import AdaptiveRandomizers
from exactdp.shuffle.permuted import pair_of, shuffled_inputs_law, swapped_inputs_law
from exactdp.shuffle.swap_steps import swap_step
from proofs_check.erlingsson2019.search import (
    extremal_weights,
    largest_swap_probability,
    largest_swap_step_ratio,
    shuffled_inputs,
    swapped_inputs,
    worst_hockey_stick,
    worst_renyi_moment,
)

ALGORITHMS = [(shuffled_inputs, shuffled_inputs_law), (swapped_inputs, swapped_inputs_law)]
X = [Fraction(3, 2), Fraction(2), Fraction(3)]


@pytest.mark.parametrize("inputs", [1, 2, 3, 4])
def test_extremal_weights_make_private_randomizers(inputs):
    vertices = extremal_weights(inputs=inputs, exp_epsilon0=Fraction(5, 2))
    assert {(2,) * inputs: Fraction(1, 2)} in vertices
    for weights in vertices:
        rows = [[t * v[x] for v, t in weights.items()] for x in range(inputs)]
        assert Randomizer.from_matrix(rows).ldp_epsilon() <= Epsilon.log(Fraction(5, 2))


@pytest.mark.parametrize("x", X)
@pytest.mark.parametrize(("datasets", "law"), ALGORITHMS)
def test_the_worst_is_attained(datasets, law, x):
    worst = worst_hockey_stick(
        datasets(inputs=3, users=3), inputs=3, exp_epsilon0=x, exp_epsilon=(1 + x) / 2
    )
    pair = pair_of(law, worst.randomizers, worst.datasets.data, worst.datasets.neighbor)
    assert hockey_stick_divergence(pair, exp_epsilon=(1 + x) / 2) == worst.value > 0
    assert worst.randomizers.ldp_epsilon() <= Epsilon.log(x)
    worst = worst_renyi_moment(datasets(inputs=3, users=3), inputs=3, exp_epsilon0=x, order=3)
    pair = pair_of(law, worst.randomizers, worst.datasets.data, worst.datasets.neighbor)
    assert renyi_moment(pair, order=3) == worst.value


def test_without_leakage_nothing_is_told_apart():
    worst = worst_hockey_stick(
        shuffled_inputs(inputs=3, users=2), inputs=3, exp_epsilon0=1, exp_epsilon=1
    )
    assert worst.value == 0
    with pytest.raises(DomainError, match="at least 1"):
        extremal_weights(inputs=2, exp_epsilon0="1/2")


@st.composite
def private_randomizers(draw):
    """Two adaptive steps on three inputs with positive masses."""

    def randomizer():
        messages = draw(st.integers(2, 3))
        weights = st.lists(st.integers(2, 5), min_size=messages, max_size=messages)
        rows = [draw(weights) for _ in range(3)]
        return Randomizer.from_matrix([[Fraction(w, sum(row)) for w in row] for row in rows])

    first = randomizer()
    return AdaptiveRandomizers((first, {(y,): randomizer() for y in range(first.messages)}))


@settings(max_examples=30)
@given(private_randomizers(), st.integers(0, 2), st.sampled_from([Fraction(1), Fraction(6, 5)]))
def test_the_worst_is_never_exceeded(randomizers, other, gamma):
    x = randomizers.ldp_epsilon().exp.as_fraction()
    for datasets, law in ALGORITHMS:
        worst = worst_hockey_stick(
            datasets(inputs=3, users=2), inputs=3, exp_epsilon0=x, exp_epsilon=gamma
        )
        pair = pair_of(law, randomizers, (0, other), (1, other))
        assert hockey_stick_divergence(pair, exp_epsilon=gamma) <= worst.value
        moment = worst_renyi_moment(datasets(inputs=3, users=2), inputs=3, exp_epsilon0=x, order=2)
        assert renyi_moment(pair, order=2) <= moment.value


@pytest.mark.parametrize("users", [1, 2, 3, 4])
@pytest.mark.parametrize("x", X)
def test_on_two_inputs_randomized_response_is_the_worst(users, x):
    """Every private randomizer on two inputs post-processes it, so adaptivity gains nothing."""
    rr = AdaptiveRandomizers.from_randomizers([randomized_response(2, Epsilon.log(x))] * users)
    pairs = [
        pair_of(shuffled_inputs_law, rr, d.data, d.neighbor)
        for d in shuffled_inputs(inputs=2, users=users)
    ]
    for gamma in (1, (1 + x) / 2):
        worst = worst_hockey_stick(
            shuffled_inputs(inputs=2, users=users), inputs=2, exp_epsilon0=x, exp_epsilon=gamma
        )
        assert worst.value == max(hockey_stick_divergence(p, exp_epsilon=gamma) for p in pairs)


@pytest.mark.parametrize("users", [2, 3, 4])
@pytest.mark.parametrize("x", X)
def test_swap_steps_in_closed_form(users, x):
    """Three inputs suffice: p <= 1/(1 + 1/x + (i−2)/x² + (n−i)/x), and the ratio 1 + p(x−1)."""
    for step in range(1, users + 1):
        p = Fraction(1, users)
        if step > 1:
            p = 1 / (1 + 1 / x + (step - 2) / x**2 + (users - step) / x)
        arguments = {"inputs": 3, "users": users, "step": step, "exp_epsilon0": x}
        assert largest_swap_probability(**arguments) == p
        if users < 4:
            assert largest_swap_step_ratio(**arguments) == 1 + p * (x - 1)


@pytest.mark.parametrize(
    ("users", "x", "is_refuted"),
    [(37, "10/3", True), (36, "10/3", False), (38, 3, True), (37, 3, False), (40, 4, True)],
)
def test_the_first_bound_on_a_swap_step_fails_from_37_users_on(users, x, is_refuted):
    """Step n of one fixed 3-ary randomized response against 2x(x−1)/n; 2x²(x−1)/n holds."""
    x = Fraction(x)
    rr = AdaptiveRandomizers.from_randomizers([randomized_response(3, Epsilon.log(x))] * users)
    others = (*[1] * (users - 2), 0)
    history = (0, *[1] * (users - 2))
    here, there = (swap_step(rr, (first, *others), history) for first in (2, 0))
    ratio = here.law[2] / there.law[2]
    assert (ratio > Exact.exp(2 * x * (x - 1) / users)) is is_refuted
    assert ratio < Exact.exp(2 * x**2 * (x - 1) / users)
