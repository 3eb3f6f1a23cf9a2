"""Privacy curves, their inverse and their envelope."""

import pytest

from exactdp.divergences import Pair, PrivacyCurve, upper_envelope
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact

# Ratios 2, 1 and infinity, and Q alone with 5/12.
PAIR = Pair.from_masses(["1/2", "1/3", "1/6", 0], ["1/4", "1/3", 0, "5/12"])
CURVE = PrivacyCurve.from_pair(PAIR)


def test_vertices():
    assert CURVE.breakpoints == (Exact(1), Exact(2))
    assert CURVE.vertices == (
        (Exact(0), Exact(1)),
        (Exact(1), Exact("5/12")),  # 1/6 + (1/2 - 1/4)
        (Exact(2), Exact("1/6")),
    )


def test_values_between_and_beyond_the_vertices():
    assert CURVE.delta(exp_epsilon="1/2") == 1 - Exact("7/24")
    assert CURVE.delta(exp_epsilon="3/2") == Exact("7/24")
    assert CURVE.delta(exp_epsilon=1000) == Exact("1/6")
    gamma = Epsilon.rational("1/2").exp
    assert CURVE.delta(exp_epsilon=gamma) == Exact("2/3") - gamma / 4


@pytest.mark.parametrize(
    ("delta", "epsilon"),
    [
        (1, Epsilon.log(1)),
        ("5/12", Epsilon.log(1)),
        ("7/24", Epsilon.log("3/2")),
        ("1/6", Epsilon.log(2)),  # the limit of the curve is attained
        ("1/7", Epsilon.infinity()),
        (0, Epsilon.infinity()),
    ],
)
def test_inverse(delta, epsilon):
    assert CURVE.epsilon(delta=delta) == epsilon


def test_inverse_at_a_transcendental_delta():
    gamma = Epsilon.rational("1/2").exp
    assert CURVE.epsilon(delta=Exact("2/3") - gamma / 4) == Epsilon.rational("1/2")


def test_disjoint_and_equal_laws():
    disjoint = PrivacyCurve.from_pair(Pair.from_masses([1, 0], [0, 1]))
    assert disjoint.breakpoints == ()
    assert disjoint.delta(exp_epsilon=5) == 1
    assert disjoint.epsilon(delta=1) == Epsilon.log(1)
    assert disjoint.epsilon(delta="99/100").is_infinite
    same = PrivacyCurve.from_pair(Pair.from_masses(["1/3", "2/3"], ["1/3", "2/3"]))
    assert same.breakpoints == (Exact(1),)
    assert same.epsilon(delta=0) == Epsilon.log(1)


def test_equality_is_that_of_functions():
    split = Pair.from_masses(["1/4", "1/4", "1/2"], ["1/12", "1/6", "3/4"])
    merged = Pair.from_masses(["1/2", "1/4", "1/4"], ["3/4", "1/6", "1/12"])
    assert PrivacyCurve.from_pair(split) == PrivacyCurve.from_pair(merged)
    assert hash(PrivacyCurve.from_pair(split)) == hash(PrivacyCurve.from_pair(merged))
    assert PrivacyCurve.from_pair(PAIR.reversed()) != CURVE


def test_envelope_takes_the_worst_curve_at_each_point():
    reverse = PrivacyCurve.from_pair(PAIR.reversed())
    worst = upper_envelope([CURVE, reverse, CURVE])
    assert worst.curves == (CURVE, reverse)
    # The reverse has mass 5/12 at infinity, and 5/12 at every gamma >= 1.
    assert worst.delta(exp_epsilon=2) == Exact("5/12")
    assert worst.epsilon(delta="5/12") == Epsilon.log(1)
    assert worst.epsilon(delta="1/6") == Epsilon.infinity()


def test_envelope_of_nothing():
    with pytest.raises(DomainError, match="at least one curve"):
        upper_envelope([])


@pytest.mark.parametrize("delta", [-1, "11/10", 0.5])
def test_bad_delta(delta):
    with pytest.raises(DomainError, match="delta="):
        CURVE.epsilon(delta=delta)


def test_bad_exp_epsilon():
    with pytest.raises(DomainError, match="exp_epsilon=-1 is negative"):
        CURVE.delta(exp_epsilon=-1)
