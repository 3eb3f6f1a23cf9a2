"""Familiar names: each constructor against a closed form or exact composition, both directions."""

from fractions import Fraction

import pytest

from exactdp.accounting import CertifiedPLD, compose_exactly
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Epsilon, Exact, enclosure

nats = Epsilon.rational
LOPSIDED = Pair.from_masses(["9/10", "1/10"], ["1/2", "1/2"])


@pytest.mark.parametrize(
    ("pld", "mechanism"),
    [
        (CertifiedPLD.from_laplace_mechanism(2), laplace_mechanism(scale=2)),
        (
            CertifiedPLD.from_gaussian_mechanism(3, sensitivity=2),
            gaussian_mechanism(sigma=3, sensitivity=2),
        ),
        (
            CertifiedPLD.from_discrete_laplace_mechanism("1/3", sensitivity=2),
            discrete_laplace_mechanism(rate=Epsilon.rational("1/3"), sensitivity=2),
        ),
        (
            CertifiedPLD.from_discrete_gaussian_mechanism(9),
            discrete_gaussian_mechanism(sigma_squared=9),
        ),
    ],
)
def test_one_use_is_the_mechanism(pld, mechanism):
    for epsilon in ("0", "1/4"):
        found = pld.get_delta_for_epsilon(nats(epsilon), relative_width="1e-3")
        truth = enclosure(mechanism.delta(nats(epsilon)), relative_bits=80)
        assert found.lower <= truth.upper
        assert truth.lower <= found.upper
        assert found.upper - found.lower <= found.lower / 500


def test_randomized_response_by_its_noise_parameter():
    # p = 3/10 on 3 values: the truth has 1 − p + p/3 = 4/5, a lie 1/10.
    pld = CertifiedPLD.from_randomized_response("3/10", 3)
    rows = randomized_response(3, Epsilon.log(8)).rows
    assert list(map(str, rows[0])) == ["4/5", "1/10", "1/10"]
    truth = compose_exactly([(Pair.from_masses(rows[0], rows[1]), 4)]).delta(Epsilon.log(9))
    assert pld.self_compose(4).get_delta_for_epsilon(Epsilon.log(9)).contains(truth)


def test_the_worse_direction_is_returned():
    pld = CertifiedPLD.from_profile(LOPSIDED)
    one, other = (p.delta(Epsilon.log(2)) for p in (LOPSIDED, LOPSIDED.reversed()))
    assert one != other
    found = pld.get_delta_for_epsilon(Epsilon.log(2))
    assert found.contains(max(one, other))
    assert not found.contains(min(one, other))
    flipped = CertifiedPLD.from_profile(LOPSIDED.reversed()).get_delta_for_epsilon(Epsilon.log(2))
    assert flipped.contains(max(one, other))


def test_epsilon_of_the_worse_direction():
    found = CertifiedPLD.from_profile(LOPSIDED).self_compose(3).get_epsilon_for_delta("1/20")
    truths = [compose_exactly([(p, 3)]).epsilon("1/20") for p in (LOPSIDED, LOPSIDED.reversed())]
    assert Exact.exp(found.lower) < max(truths).exp <= Exact.exp(found.upper)


def test_compose_is_the_product():
    laws = {"a": "3/4", "b": "1/4"}, {"a": "1/4", "b": "3/4"}
    pld = CertifiedPLD.from_two_probability_mass_functions(*laws)
    both = pld.self_compose(2).compose(CertifiedPLD.from_profile(LOPSIDED))
    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    truth = max(
        compose_exactly([(coin, 2), (pair, 1)]).delta(Epsilon.log(3))
        for pair in (LOPSIDED, LOPSIDED.reversed())
    )
    assert both.get_delta_for_epsilon(Epsilon.log(3)).contains(truth)


def test_sampling():
    whole = CertifiedPLD.from_gaussian_mechanism(1).get_delta_for_epsilon(
        nats(1), relative_width="1e-2"
    )
    part = CertifiedPLD.from_gaussian_mechanism(1, sampling_prob="1/10")
    # Removing: q·δ(ln(1 + (e^ε − 1)/q)) <= q·δ(ε).
    assert part.get_delta_for_epsilon(nats(1), relative_width="1e-2").upper < whole.lower / 10


def test_refusals():
    with pytest.raises(DomainError, match="times"):
        CertifiedPLD.from_laplace_mechanism(1).self_compose(0)
    with pytest.raises(DomainError, match="noise_parameter"):
        CertifiedPLD.from_randomized_response(1, 2)
    with pytest.raises(DomainError, match="not finite"):
        CertifiedPLD.from_gaussian_mechanism(Fraction(1, 2) * float("inf"))
