"""Privacy loss distributions: atoms, infinities, composition."""

import pytest

from exactdp.distributions import FinitePmf
from exactdp.divergences import (
    Pair,
    PrivacyLossDistribution,
    hockey_stick_divergence,
    privacy_loss,
)
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact

P = FinitePmf({"a": "1/2", "b": "1/3", "c": "1/6"})
Q = FinitePmf({"a": "1/4", "b": "1/3", "d": "5/12"})
LAW = PrivacyLossDistribution.from_pair(Pair.from_pmfs(P, Q))


def test_atoms_and_infinities():
    assert LAW.atoms == ((Exact(1), Exact("1/3")), (Exact(2), Exact("1/2")))
    assert LAW.infinity_mass == Exact("1/6")
    assert LAW.minus_infinity_mass == Exact("5/12")


def test_no_infinities():
    law = PrivacyLossDistribution.from_pair(Pair.from_masses(["1/2", "1/2"], ["1/3", "2/3"]))
    assert law.infinity_mass == 0
    assert law.minus_infinity_mass == 0


def test_disjoint_supports_have_no_finite_loss():
    law = PrivacyLossDistribution.from_pair(Pair.from_masses([1, 0], [0, 1]))
    assert law.atoms == ()
    assert law.infinity_mass == law.minus_infinity_mass == 1
    assert law.compose(law) == law


def test_delta_is_the_sum_over_losses():
    # 1/6 + (1/2)(1 - gamma/2) for 1 <= gamma <= 2.
    assert LAW.delta(exp_epsilon="3/2") == Exact("1/6") + Exact("1/8")
    gamma = Epsilon.rational("1/2").exp
    assert LAW.delta(exp_epsilon=gamma) == Exact("2/3") - gamma / 4


def test_composition_is_the_explicit_product():
    product = Pair.from_pmfs(FinitePmf.product(P, P, P), FinitePmf.product(Q, Q, Q))
    assert LAW.self_compose(times=3) == PrivacyLossDistribution.from_pair(product)
    assert LAW.compose(LAW).compose(LAW) == LAW.self_compose(times=3)
    assert LAW.self_compose(times=3).delta(exp_epsilon=3) == hockey_stick_divergence(
        product, exp_epsilon=3
    )


def test_infinite_masses_of_a_composition():
    twice = LAW.self_compose(times=2)
    assert twice.infinity_mass == 1 - Exact("5/6") ** 2
    assert twice.minus_infinity_mass == 1 - Exact("7/12") ** 2


def test_transcendental_losses_are_added_exactly():
    odds = Exact.exp("1/2")
    coin = Pair.from_masses(
        [odds / (1 + odds), 1 / (1 + odds)], [1 / (1 + odds), odds / (1 + odds)]
    )
    law = PrivacyLossDistribution.from_pair(coin).self_compose(times=4)
    # Losses -2, -1, 0, 1, 2: the sixteen paths fall into five atoms.
    assert [loss for loss, _ in law.atoms] == [Exact.exp(k) for k in (-2, -1, 0, 1, 2)]
    assert law.atoms[4][1] == (odds / (1 + odds)) ** 4


def test_zero_and_one_copies():
    nothing = LAW.self_compose(times=0)
    assert nothing.atoms == ((Exact(1), Exact(1)),)
    assert LAW.compose(nothing) == LAW
    assert LAW.self_compose(times=1) == LAW


def test_equality_and_hash_ignore_how_the_pair_is_written():
    other = PrivacyLossDistribution.from_pair(
        Pair.from_masses(["1/4", "1/6", 0, "1/4", "1/3", 0], ["1/8", 0, "5/12", "1/8", "1/3", 0])
    )
    assert other == LAW
    assert hash(other) == hash(LAW)
    reverse = PrivacyLossDistribution.from_pair(LAW.pair.reversed())
    assert reverse != LAW


def test_negative_number_of_copies():
    with pytest.raises(DomainError, match="times=-1 is negative"):
        LAW.self_compose(times=-1)


# --- sizes ------------------------------------------------------------------------

COIN = PrivacyLossDistribution.from_pair(Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"]))


@pytest.mark.parametrize("exponent", [5, 9, 18, 5000])
def test_too_many_copies_are_refused_at_once(exponent):
    with pytest.raises(
        TooLargeError, match=r"the composition of 2 losses needs at least "
    ) as found:
        COIN.self_compose(times=10**exponent)
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 300


def test_copies_whose_losses_coincide_are_not_too_many():
    assert len(COIN.self_compose(times=500).atoms) == 501
    nothing = PrivacyLossDistribution.from_pair(Pair.from_masses(["1/2", "1/2"], ["1/2", "1/2"]))
    assert nothing.self_compose(times=10**18) == nothing


def test_losses_that_do_not_coincide_are_refused_on_the_way():
    p = ["2/17", "3/17", "5/17", "7/17"]
    skewed = PrivacyLossDistribution.from_pair(Pair.from_masses(p, ["1/4"] * 4))
    # At least 3 t + 1 losses for t copies, which is not much; in fact C(t + 3, 3).
    assert len(skewed.self_compose(times=8).atoms) == 165
    with pytest.raises(TooLargeError, match=r"^the product of .* and .* losses needs at least"):
        skewed.self_compose(times=200)


def test_long_and_transcendental_weights_count():
    one = Exact("1e-20000")
    long = PrivacyLossDistribution.from_pair(Pair.from_masses([one, 1 - one], ["1/2", "1/2"]))
    with pytest.raises(TooLargeError, match="more than is sensible"):
        long.self_compose(times=2_000)
    odds = Exact.exp("1/2")
    mass = odds / (1 + odds)
    coin = PrivacyLossDistribution.from_pair(Pair.from_masses([mass, 1 - mass], [1 - mass, mass]))
    assert len(coin.self_compose(times=20).atoms) == 21
    with pytest.raises(TooLargeError, match="more than is sensible"):
        coin.self_compose(times=10_000)


def test_a_single_composition_is_guarded_too():
    many = COIN.self_compose(times=400)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(privacy_loss, "MAX_WORK", 100_000)
        with pytest.raises(TooLargeError, match=r"^the product of 401 and 401 losses"):
            many.compose(many)
