"""The search over adaptive randomizers against another search, and against what it contains."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.divergences import hockey_stick_divergence
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.shuffle import AdaptiveRandomizers, pair_of, shuffled_inputs_law
from exactdp.testing import local_randomizers
from proofs_check.erlingsson2019.search import shuffled_inputs, worst_hockey_stick
from proofs_check.feldman2021.search import extremal_randomizers, worst_divergence


@pytest.mark.parametrize("inputs, users", [(2, 1), (2, 2), (3, 2), (2, 3), (3, 3), (2, 4)])
@pytest.mark.parametrize("x, gamma", [("2", "5/4"), ("3/2", "1"), ("5", "7/2"), ("1", "1")])
def test_two_searches_agree(inputs, users, x, gamma):
    x, gamma = Fraction(x), Fraction(gamma)
    other = worst_hockey_stick(
        shuffled_inputs(inputs=inputs, users=users),
        inputs=inputs,
        exp_epsilon0=x,
        exp_epsilon=gamma,
    )
    found = worst_divergence(inputs=inputs, users=users, exp_epsilon0=x, exp_epsilon=gamma)
    assert found == other.value


@pytest.mark.parametrize("x", [Fraction(1), Fraction(3, 2), Fraction(4)])
def test_extremal_randomizers_are_private(x):
    for inputs in (2, 3):
        for rows in extremal_randomizers(inputs=inputs, exp_epsilon0=x):
            assert Randomizer.from_matrix(rows).ldp_epsilon() in (Epsilon.log(1), Epsilon.log(x))


@settings(max_examples=30)
@given(
    st.lists(local_randomizers(rows=2, columns=2, max_ratio=Fraction(3)), min_size=3, max_size=3),
    st.fractions(1, 3, max_denominator=4),
    st.integers(0, 1),
)
def test_the_worst_is_no_less_than_any(matrices, gamma, other):
    first, *later = (Randomizer.from_matrix(rows) for rows in matrices)
    steps = AdaptiveRandomizers((first, dict(zip([(0,), (1,)], later, strict=True))))
    pair = pair_of(shuffled_inputs_law, steps, [0, other], [1, other])
    worst = worst_divergence(inputs=2, users=2, exp_epsilon0=Fraction(3), exp_epsilon=gamma)
    assert hockey_stick_divergence(pair, exp_epsilon=gamma) <= worst
