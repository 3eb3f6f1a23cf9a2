"""The worst adaptive randomizers: against a search by permanents, and against randomizers."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.divergences import renyi_moment
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon
from exactdp.testing import fractions
from proofs_check.lemmas.adaptive import SHUFFLED, SWAPPED, AdaptiveRandomizers, pair_of
from proofs_check.lemmas.drawn import adaptive_randomizers
from proofs_check.lemmas.extremal import extremal_rows, worst_divergence, worst_moment
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


ALGORITHMS = [SHUFFLED, SWAPPED]


@settings(max_examples=30)
@given(
    adaptive_randomizers(steps=3, rows=3, columns=2, max_ratio=Fraction(3)),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    fractions(1, 3, max_denominator=4),
)
def test_the_worst_is_no_less_than_any(steps, others, gamma):
    at = {"inputs": 3, "users": 3, "exp_epsilon0": Fraction(3)}
    for algorithm in ALGORITHMS:
        pair = pair_of(algorithm, steps, (0, *others), (1, *others))
        worst = worst_divergence(exp_epsilon=gamma, algorithm=algorithm, **at)
        assert pair.delta(Epsilon.log(gamma)) <= worst
        if all(p and q for p, q in pair.masses()):
            moment = worst_moment(order=2, algorithm=algorithm, **at)
            assert renyi_moment(pair, order=2) <= moment


@pytest.mark.parametrize("users", [1, 2, 3, 4])
@pytest.mark.parametrize("x", [Fraction(3, 2), Fraction(3)])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_on_two_inputs_randomized_response_is_the_worst(algorithm, users, x):
    """Every private randomizer on two inputs post-processes it, so adaptivity gains nothing."""
    rr = AdaptiveRandomizers((randomized_response(2, Epsilon.log(x)),) * users)
    data = [
        [(victim, *others) for victim in (0, 1)] for others in product((0, 1), repeat=users - 1)
    ]
    pairs = [pair_of(algorithm, rr, first, second) for first, second in data]
    at = {"inputs": 2, "users": users, "exp_epsilon0": x, "algorithm": algorithm}
    for gamma in (Fraction(1), (1 + x) / 2):
        worst = worst_divergence(exp_epsilon=gamma, **at)
        assert worst == max(p.delta(Epsilon.log(gamma)) for p in pairs)
    for order in (2, 3):
        assert worst_moment(order=order, **at) == max(renyi_moment(p, order=order) for p in pairs)


def test_ratios_below_1_are_refused():
    with pytest.raises(DomainError, match="at least 1"):
        worst_divergence(inputs=2, users=2, exp_epsilon0=Fraction(1, 2), exp_epsilon=Fraction(1))
