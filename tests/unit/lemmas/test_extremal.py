"""The worst adaptive randomizers: against a search by permanents, and against randomizers."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.divergences import hockey_stick_divergence
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.shuffle import pair_of, shuffled_inputs_law
from exactdp.testing import adaptive_randomizers, neighboring_datasets
from proofs_check.lemmas.extremal import extremal_rows, worst_divergence
from tests.routes import permanents


@pytest.mark.parametrize("inputs, users", [(2, 1), (2, 2), (3, 2), (2, 3), (3, 3), (2, 5)])
@pytest.mark.parametrize("x, gamma", [("2", "5/4"), ("3/2", "1"), ("5", "7/2"), ("1", "1")])
def test_two_searches_agree(inputs, users, x, gamma):
    at = {"inputs": inputs, "users": users}
    at |= {"exp_epsilon0": Fraction(x), "exp_epsilon": Fraction(gamma)}
    assert worst_divergence(**at) == permanents.worst_divergence(**at)


@pytest.mark.parametrize("x", [Fraction(1), Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize("inputs", [2, 3, 4])
def test_extremal_rows_are_private(inputs, x):
    for rows in extremal_rows(inputs=inputs, exp_epsilon0=x):
        assert Randomizer(rows).ldp_epsilon() in (Epsilon.log(1), Epsilon.log(x))


@settings(max_examples=30)
@given(
    adaptive_randomizers(steps=3, rows=3, columns=2, max_ratio=Fraction(3)),
    neighboring_datasets(inputs=3, min_users=3, max_users=3),
    st.fractions(1, 3, max_denominator=4),
)
def test_the_worst_is_no_less_than_any(steps, datasets, gamma):
    pair = pair_of(shuffled_inputs_law, steps, *datasets)
    worst = worst_divergence(inputs=3, users=3, exp_epsilon0=Fraction(3), exp_epsilon=gamma)
    assert hockey_stick_divergence(pair, exp_epsilon=gamma) <= worst


def test_ratios_below_1_are_refused():
    with pytest.raises(DomainError, match="at least 1"):
        worst_divergence(inputs=2, users=2, exp_epsilon0=Fraction(1, 2), exp_epsilon=Fraction(1))
