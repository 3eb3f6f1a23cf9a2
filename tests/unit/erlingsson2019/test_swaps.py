"""The steps of A_swap: closed forms of the largest probability and ratio, and one refutation."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.claims import value
from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from proofs_check.erlingsson2019.swaps import largest_probability, largest_step_ratio, swap_step
from proofs_check.erlingsson2019.trials.theorem_8 import last_step_ratio
from proofs_check.lemmas.adaptive import (
    IN_ORDER,
    SWAPPED,
    AdaptiveRandomizers,
    outputs_law,
    swapped_data,
)
from proofs_check.lemmas.drawn import adaptive_randomizers


@pytest.mark.parametrize("users", [2, 3, 4])
@pytest.mark.parametrize("x", [Fraction(3, 2), Fraction(2), Fraction(3)])
def test_swap_steps_in_closed_form(users, x):
    """Three inputs suffice: p <= 1/(1 + 1/x + (i−2)/x² + (n−i)/x), and the ratio 1 + p(x−1)."""
    for step in range(1, users + 1):
        p = Fraction(1, users)
        if step > 1:
            p = 1 / (1 + 1 / x + (step - 2) / x**2 + (users - step) / x)
        arguments = {"inputs": 3, "users": users, "step": step, "exp_epsilon0": x}
        assert largest_probability(**arguments) == p
        if users < 4:
            assert largest_step_ratio(**arguments) == 1 + p * (x - 1)


@pytest.mark.parametrize(
    ("users", "x", "is_refuted"),
    [(37, "10/3", True), (36, "10/3", False), (38, 3, True), (37, 3, False), (40, 4, True)],
)
def test_the_first_bound_on_a_swap_step_fails_from_37_users_on(users, x, is_refuted):
    """Step n of one fixed 3-ary randomized response against 2x(x−1)/n; 2x²(x−1)/n holds."""
    x = Fraction(x)
    rr = AdaptiveRandomizers((randomized_response(3, Epsilon.log(x)),) * users)
    others = (*[1] * (users - 2), 0)
    history = (0, *[1] * (users - 2))
    here, there = (swap_step(rr, (first, *others), history) for first in (2, 0))
    ratio = here.law[2] / there.law[2]
    said = last_step_ratio(users, x)
    assert value(said.left) == ratio and said.holds() is not is_refuted
    assert ratio < Exact.exp(2 * x**2 * (x - 1) / users)


@settings(max_examples=25)
@given(
    adaptive_randomizers(steps=3, rows=3, columns=2, max_ratio=Fraction(3)),
    st.tuples(*[st.integers(0, 2)] * 3),
)
def test_swap_steps_are_conditional_laws(randomizers, data):
    """Against the joint law of I and the outputs."""
    n = len(data)
    joint = {
        (j, z): mass.as_fraction() / n
        for j in range(n)
        for z, mass in outputs_law(IN_ORDER, randomizers, swapped_data(data, j)).masses.items()
    }
    chain = dict.fromkeys({z for _, z in joint}, Fraction(1))
    for i in range(n):
        for s in {z[:i] for _, z in joint}:
            given_s = {key: mass for key, mass in joint.items() if key[1][:i] == s}
            total = sum(given_s.values())
            step = swap_step(randomizers, data, s)

            def conditional(condition, given_s=given_s, i=i):
                masses = {}
                for (j, z), mass in given_s.items():
                    if condition(j):
                        masses[z[i]] = masses.get(z[i], 0) + mass
                return FinitePmf.normalized(masses)

            for j in range(n):
                index_mass = sum(mass for (k, _), mass in given_s.items() if k == j)
                assert step.index_law[j] == index_mass / total
            p = step.index_law[i]
            assert step.law == conditional(lambda j: True)
            if p != 1:
                assert step.law_elsewhere == conditional(lambda j, i=i: j != i)
            here = randomizers.at(s).law(data[0])
            assert step.law == FinitePmf.mixture([1 - p, p], [step.law_elsewhere, here])
            for z in chain:
                if z[:i] == s:
                    chain[z] *= step.law[z[i]].as_fraction()
    law = outputs_law(SWAPPED, randomizers, data)
    assert chain == {z: mass.as_fraction() for z, mass in law.masses.items()}


@pytest.mark.parametrize("n", [2, 3, 7, 40])
@pytest.mark.parametrize("x", [Fraction(3, 2), Fraction(2), Fraction(3)])
def test_likeliest_swap_in_closed_form(n, x):
    """x_1 = 2, x_n = 0 and the others 1; s = 0, 1, ..., 1: the likeliest T = n can be."""
    randomizers = AdaptiveRandomizers((randomized_response(3, Epsilon.log(x)),) * n)
    data, s = (2, *[1] * (n - 2), 0), (0, *[1] * (n - 2))
    step, neighbor = (swap_step(randomizers, (first, *data[1:]), s) for first in (2, 0))
    p = x**2 / (x**2 + x + n - 2)
    assert step.index_law[n - 1] == p
    assert neighbor.law_elsewhere == step.law_elsewhere
    assert step.law[2] / neighbor.law[2] == 1 + p * (x - 1)
    ratios = [step.index_law[n - 1] / step.index_law[j] for j in range(n)]
    assert ratios == [x, *[x**2] * (n - 2), 1]


def test_transcendental_masses():
    rr = randomized_response(2, Epsilon.rational(1))
    coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
    randomizers = AdaptiveRandomizers((rr, {(0,): rr, (1,): coin}))
    assert swap_step(randomizers, (0, 1), (0,)).index_law[1] == 1 / (1 + Exact.exp(1))


def test_impossible_conditions_are_refused():
    truth = Randomizer.from_matrix([[1, 0], [0, 1]])
    with pytest.raises(DomainError, match="possible history"):
        swap_step(AdaptiveRandomizers((truth, truth)), (0, 0), (1,))
    with pytest.raises(DomainError, match="2 users"):
        swap_step(AdaptiveRandomizers((truth,)), (0,), ())
    with pytest.raises(DomainError, match="no randomizer"):
        swap_step(AdaptiveRandomizers((truth, truth)), (0, 0), (0, 0))
