"""The first calls of users: junk is refused in one line with a way out, or it is a value."""

from fractions import Fraction

import numpy as np
import pytest

import exactdp
from exactdp.accounting import compose, compose_certified, compose_exactly
from exactdp.distributions import FinitePmf
from exactdp.divergences import (
    Pair,
    hockey_stick_divergence,
    kl_divergence,
    renyi_divergence,
    renyi_moment,
    total_variation,
)
from exactdp.errors import DomainError, ExactDPError
from exactdp.mechanisms import (
    GaussianMechanism,
    LaplaceMechanism,
    SkellamMechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.problems import read_problem, solve
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale, User
from exactdp.shuffle import MultisetLaw, blanket_decomposition, shuffle_view
from exactdp.shuffle.views.shuffle_view import Users, Victim

JUNK = [
    None,
    True,
    -1,
    0,
    10**400,
    0.5,
    float("nan"),
    float("inf"),
    1j,
    "",
    "x",
    "1/0",
    b"1",
    [],
    [None],
    (1, 2, 3),
    {"a": 1},
    object(),
    int,
    np.float64(0.3),
    np.array([1, 2]),
    Fraction(-1, 3),
    Exact(-1),
    Epsilon.log(3),
]
COIN = randomized_response(2, Epsilon.log(3))
ONE = Epsilon.rational(1)
PAIR = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
POINT, SCALE = FinitePmf.point(0), LaplaceScale(Fraction(2), ONE)
PROBLEM = read_problem(
    '{"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"], "ask": {"epsilon": [0]}}'
)

CALLS = {
    "Epsilon": Epsilon,
    "Gaussian, sigma": lambda x: GaussianMechanism(x, Exact(1)).delta(ONE),
    "Gaussian, sensitivity": lambda x: GaussianMechanism(Exact(1), x).delta(ONE),
    "Laplace, scale": lambda x: LaplaceMechanism(x, Exact(1)).delta(ONE),
    "Laplace, sensitivity": lambda x: LaplaceMechanism(Exact(1), x).delta(ONE),
    "Skellam, variance": lambda x: SkellamMechanism(x, 1),
    "Skellam, sensitivity": lambda x: SkellamMechanism(Fraction(1), x),
    "compose": compose,
    "compose, a part": lambda x: compose([x]),
    "compose, a profile": lambda x: compose([(x, 2)]),
    "compose, a number": lambda x: compose([(laplace_mechanism(scale=1), x)]),
    "compose_exactly": compose_exactly,
    "compose_exactly, a part": lambda x: compose_exactly([(x, 2)]),
    "compose_certified": compose_certified,
    "compose_certified, a part": lambda x: compose_certified([x]),
    "hockey_stick_divergence": lambda x: hockey_stick_divergence(x, ONE),
    "hockey_stick_divergence, epsilon": lambda x: hockey_stick_divergence(PAIR, x),
    "total_variation": total_variation,
    "kl_divergence": kl_divergence,
    "renyi_divergence": lambda x: renyi_divergence(x, order=2),
    "renyi_divergence, order": lambda x: renyi_divergence(PAIR, order=x),
    "renyi_moment": lambda x: renyi_moment(x, order=2),
    "renyi_moment, order": lambda x: renyi_moment(PAIR, order=x),
    "solve": solve,
    "solve, digits": lambda x: solve(PROBLEM, digits=x),
    "MultisetLaw": MultisetLaw,
    "blanket_decomposition": blanket_decomposition,
    "LaplaceMixturePair, a law": lambda x: LaplaceMixturePair(x, x, SCALE),
    "LaplaceMixturePair, scale": lambda x: LaplaceMixturePair(POINT, POINT, x),
    "User": User,
    "User, presence": lambda x: User(POINT, x),
    "Victim": Victim,
    "Victim, inputs": lambda x: Victim(COIN, x),
    "Users": lambda x: Users(x, 0),
    "Users, input": lambda x: Users(COIN, x),
    "Users, count": lambda x: Users(COIN, 0, x),
    "shuffle_view": shuffle_view,
    "shuffle_view, others": lambda x: shuffle_view(Victim(COIN), x),
    "shuffle_view, a group": lambda x: shuffle_view(Victim(COIN), [x]),
}


@pytest.mark.parametrize("call", CALLS)
def test_junk_is_refused_in_one_line_or_is_a_value(call):
    refused = 0
    for junk in JUNK:
        try:
            found = CALLS[call](junk)
        except ExactDPError as error:
            refused += 1
            text = str(error)
            assert "\n" not in text and len(text) < 400
            assert text.count(". ") >= 1 and text.rstrip().endswith((".", ")"))
        else:
            assert found is not None
    assert refused >= len(JUNK) * 2 // 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Epsilon(2), r"not Exact\. Pass Epsilon\.rational"),
        (lambda: GaussianMechanism(Exact(-1), Exact(1)), r"sigma=-1 is not positive"),
        (lambda: SkellamMechanism(Fraction(-1), 1), r"variance=-1 is not positive"),
        (lambda: compose([gaussian_mechanism(sigma=1)] * 3), r"parts\[0\]=.*Pass a list of \(prof"),
        (lambda: shuffle_view(COIN, 10), r"victim=.*Pass Victim\(randomizer, "),
        (lambda: shuffle_view(Victim(COIN), 10), r"others=10 .*Pass a list of Users"),
        (lambda: Victim("coin"), r"randomizer='coin' is of type str, not Randomizer"),
    ],
)
def test_the_message_names_the_value_and_the_way_out(call, message):
    with pytest.raises(DomainError, match=message):
        call()


def test_a_mechanism_takes_what_its_factory_takes():
    for kind, factory, name in (
        (GaussianMechanism, gaussian_mechanism, "sigma"),
        (LaplaceMechanism, laplace_mechanism, "scale"),
    ):
        assert kind("3/2", 1) == factory(**{name: "3/2"}) == kind(Exact("3/2"), Exact(1))


def test_floats_are_the_numbers_that_they_are():
    numbers = (1.1, np.float64(1.1), np.array(1.1), Fraction(1.1), Exact(1.1))
    found = {str(exactdp.gaussian_mechanism(sigma=one).delta(1.0)) for one in numbers}
    assert len(found) == 1
    assert str(exactdp.gaussian_mechanism(sigma="1.1").delta(1)) not in found
    known = exactdp.dp_sgd(noise_multiplier=1.5, sampling_probability=0.25, steps=10).epsilon(
        2**-20
    )
    exact = exactdp.dp_sgd(noise_multiplier="3/2", sampling_probability="1/4", steps=10).epsilon(
        Fraction(1, 2**20)
    )
    assert exactdp.dp_sgd(1.5, 0.25, np.int64(10)).epsilon(np.float32(2**-20)) == known == exact


def test_masses_of_doubles_have_to_sum_to_1_as_numbers():
    assert exactdp.Pair.from_masses([0.25, 0.75], [0.5, 0.5]).delta(0) == Fraction(1, 4)
    with pytest.raises(DomainError, match=r"p sum to 1 \+ 2\.78e-17, not 1"):
        exactdp.Pair.from_masses([0.1, 0.9], [0.5, 0.5])
