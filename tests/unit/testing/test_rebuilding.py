"""The line that rebuilds an instance, run."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.testing import Deployment, Mechanism, ShuffledRandomizedResponse
from exactdp.testing.rebuilding import instance_text, rebuild_line
from proofs_check.lemmas.adaptive import AdaptiveRandomizers

COIN = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])


@dataclass(frozen=True)
class Case:
    randomizer: Randomizer
    exp_epsilon: Exact
    counts: tuple[int, ...]


class Slanted(int):
    def __repr__(self):
        return "/3/"


INSTANCES = [
    3,
    0.1,
    -0.0,
    "n=3",
    (1,),
    [Fraction(1, 3), (2, 3)],
    {"epsilon": Epsilon.log("3/2"), "n": 4},
    Fraction(10**5000, 3),
    -(10**5000),
    Exact(Fraction(1, 10**5000)),
    Exact("4/7"),
    Exact.exp("1/2"),
    (3 * Exact.exp("1/2") - 1) / (Exact.exp(1) + 5),
    (1 - Exact.exp("1/2")) / 3,
    Exact(0) - Exact.exp("-2/3"),
    Epsilon.rational("-1/2"),
    Epsilon.infinity(),
    Epsilon(1 + Exact.exp(1)),
    COIN,
    randomized_response(3, Epsilon.rational("1/2")),
    AdaptiveRandomizers((COIN, {(0,): COIN, (1,): COIN})),
    ShuffledRandomizedResponse(0.49, 3, 0.25),
    Case(COIN, Exact.exp(1), (1, 2)),
    range(3),
]


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda value: type(value).__name__)
def test_the_line_rebuilds_the_instance(instance):
    line = rebuild_line(instance)
    assert "\n" not in line and line.endswith(f"at = {instance_text(instance)}")
    assert _run(line) == instance


def _run(line):
    names = {}
    exec(line, names)
    return names["at"]


def test_pairs_and_laws_are_rebuilt():
    pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    assert _run(rebuild_line(pair)).masses() == pair.masses()
    law = FinitePmf({"yes": "1/3", "no": "2/3"})
    assert dict(_run(rebuild_line(law)).masses) == dict(law.masses)


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinities_are_rebuilt(value):
    assert _run(rebuild_line({"bound": value})) == {"bound": value}
    assert math.isnan(_run(rebuild_line(math.nan)))


def test_a_subclass_of_float_is_taken_as_the_float():
    assert rebuild_line(np.float64(0.5)) == "at = 0.5"


@pytest.mark.parametrize(
    "instance",
    [
        *(None, object(), Slanted(3), [object()], {"f": lambda x: x}, np.int64(3)),
        randomized_response(2000, Epsilon.rational(1)),
    ],
    ids=["none", "object", "subclass", "list", "function", "numpy", "no matrix"],
)
def test_what_has_no_expression_has_no_line(instance):
    assert rebuild_line(instance) is None


def test_a_local_dataclass_has_no_line_but_is_printed():
    @dataclass(frozen=True)
    class Local:
        n: int

    assert rebuild_line(Local(3)) is None
    assert instance_text(Local(3)).endswith("Local(n=3)")


def test_arguments_at_their_defaults_are_left_out():
    one = Mechanism("laplace", 2.0, times=3)
    line = rebuild_line(Deployment((one,), 0.5, 1e-5))
    wanted = "Deployment(mechanisms=(Mechanism(kind='laplace', parameter=2.0, times=3),)"
    assert wanted in line and "k=" not in line
    assert _run(line) == Deployment((one,), 0.5, 1e-5)
