"""Random allocation in problem files: what can be checked by hand, and what is refused."""

from fractions import Fraction
from functools import partial

import pytest

from exactdp.errors import ExactDPError
from exactdp.mechanisms import gaussian_mechanism, smallest_sigma
from exactdp.numbers import Epsilon
from exactdp.shuffle import random_allocation
from tests.commands import answers

COIN = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
PURE = {"epsilon": {"rational": 1}}
TARGET = {**PURE, "delta": "1/100"}
allocation = partial(answers, kind="random_allocation")


def test_two_steps_of_a_coin():
    ask = {"hockey_stick": [{"log": 2}], "max_divergence": True}
    # Both heads: 3/16 - 2/16; one head: less than twice.
    delta, top = allocation(step=COIN, steps=2, ask=ask)
    assert (delta.exact, top.expression) == ("1/16", "log(3)")
    delta, top = allocation(step=COIN, steps=2, chosen=2, ask=ask)
    assert (delta.exact, top.expression) == ("7/16", "log(9)")


def test_gaussian_steps_are_enclosed():
    (found,) = allocation(
        step={"kind": "gaussian", "sigma": 1},
        steps=10,
        ask={"hockey_stick": [{"rational": "1/2"}]},
    )
    assert Fraction("0.0268") < Fraction(found.lower) < Fraction(found.upper) < Fraction("0.0270")


def test_the_smallest_sigma_is_rounded_up_and_of_bounds_says_so():
    step = {"kind": "gaussian"}
    ask = {"sigma": [TARGET], "relative_width": "1/4"}
    (one,) = allocation(step=step, steps=1, ask=ask)
    truth = smallest_sigma(Epsilon.rational(1), "1/100")
    assert Fraction(one.lower) < truth.lower < truth.upper < Fraction(one.upper)
    assert one.decimal == one.upper
    (some,) = allocation(step=step, steps=2, chosen=2, ask=ask)
    # Both of two known steps are one of sensitivity √2.
    assert Fraction(some.lower) ** 2 < 2 * truth.lower**2 < Fraction(some.upper) ** 2
    assert some.upper_by == "an upper bound on delta" and "upper bound" in some.note


def test_epochs_of_an_allocation_are_composed_exactly():
    def epochs(step, **more):
        epoch = {"problem": {"kind": "random_allocation", "step": step, "steps": 2}, "times": 2}
        ask = {"hockey_stick": [{"log": 2}], **more}
        return answers(kind="composition", parts=[epoch], ask=ask)

    # (P, Q) of the number of heads is (3, 10, 3) and (1, 6, 9) sixteenths: 7 + 2·18 + 28.
    delta, top = epochs(COIN, max_divergence=True)
    assert (delta.exact, top.expression) == ("71/256", "log(9)")
    (noisy,) = epochs({"kind": "gaussian", "sigma": 2}, relative_width="1e-1")
    once = random_allocation(gaussian_mechanism(sigma=2), steps=2).delta(Epsilon.log(2)).lower
    # Two epochs are worse than one, and no worse than both steps of both: μ² = 4/4.
    worst = gaussian_mechanism(sigma=1).delta(Epsilon.log(2), relative_width="1e-3").upper
    assert once < Fraction(noisy.lower) < Fraction(noisy.upper) < worst
    with pytest.raises(ExactDPError, match=r"parts\[0\].problem cannot be composed. Give"):
        epochs({"kind": "gaussian"})


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ({"step": COIN, "steps": 2, "chosen": 3}, "chosen=3 is more than steps=2"),
        ({"step": COIN, "steps": 0}, "at least 1"),
        ({"step": {"kind": "gaussian"}, "steps": 3}, "Give the law its sigma"),
        ({"step": {"kind": "truncated_laplace"}, "steps": 3}, "$.step"),
        ({"step": {"kind": "laplace", "scale": 1, "sampling": "poisson"}, "steps": 3},
         "step has sampling"),
        ({"step": COIN, "steps": 2, "ask": {"sigma": [TARGET]}}, "does not leave open"),
        ({"step": {"kind": "gaussian"}, "steps": 3, "ask": {"scale": [TARGET]}}, "Ask for sigma"),
        ({"step": {"kind": "gaussian"}, "steps": 3, "ask": {"sigma": [PURE]}}, "needs a delta"),
        ({"step": {"kind": "laplace", "scale": 1, "sampling": {"poisson": "1/2"}}, "steps": 3},
         "step has sampling"),
        ({"step": {"kind": "shuffle"}, "steps": 3}, "finite_pair"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_line(problem, words):
    with pytest.raises(ExactDPError) as refused:
        allocation(**{"ask": {"hockey_stick": [{"rational": 1}]}, **problem})
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_balanced_iteration_subsampling_has_the_laws_of_an_allocation():
    ask = {"hockey_stick": [{"log": 2}], "max_divergence": True}
    asked = {"step": COIN, "steps": 3, "chosen": 2, "ask": ask}
    balanced = answers(kind="balanced_iteration_subsampling", **asked)
    assert [one.exact for one in balanced] == [one.exact for one in allocation(**asked)]
    with pytest.raises(ExactDPError, match="chosen=4 is more than steps=3"):
        answers(kind="balanced_iteration_subsampling", **{**asked, "chosen": 4})


def test_bounds_of_several_steps_say_their_gap_and_what_they_rest_on():
    (found,) = allocation(
        step={"kind": "gaussian", "sigma": 2},
        steps=10,
        chosen=2,
        ask={"hockey_stick": [{"rational": "1/2"}]},
    )
    low, high = Fraction(found.lower), Fraction(found.upper)
    assert Fraction("0.0119") < low < high < Fraction("0.0124")
    assert found.lower_by == "a sum of scores of all outputs" and found.upper_by
