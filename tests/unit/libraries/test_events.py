"""Events of dp-accounting: their truths by all outputs, and by integrals that mpmath does."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath as mp
import pytest

from exactdp.claims import value
from exactdp.numbers import Epsilon
from proofs_check.libraries.dp_accounting.events import (
    answers,
    delta_of_answers,
    delta_replaced,
    replaced,
)


@pytest.mark.parametrize(("noise", "k", "times"), [(0.5, 3, 3), (0.25, 2, 5), (0.75, 5, 4)])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(2)])
def test_answers_are_those_of_all_outputs(
    noise: float, k: int, times: int, epsilon: Fraction
) -> None:
    def chance(own: int, said: int) -> float:
        return noise / k + (1 - noise) * (own == said)

    found = sum(
        max(
            0.0,
            math.prod(chance(0, y) for y in said)
            - math.exp(epsilon) * math.prod(chance(1, y) for y in said),
        )
        for said in product(range(k), repeat=times)
    )
    made = delta_of_answers(noise, k, times, epsilon)
    assert made is not None
    assert float(value(made).ball(200).mid()) == pytest.approx(found, rel=1e-12)
    profile = answers(noise, k, times).delta(Epsilon.rational(epsilon), relative_width="1e-12")
    assert float(getattr(profile, "lower", profile)) == pytest.approx(found, rel=1e-11)


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1, 2)])
def test_a_replaced_value_moves_a_sum_from_one_end_to_the_other(epsilon: Fraction) -> None:
    e = mp.exp(mp.mpf(epsilon.numerator) / epsilon.denominator)
    densities = {
        "gaussian": lambda x: mp.npdf(x, 0, 3),
        "laplace": lambda x: mp.exp(-abs(x) / 3) / 6,
    }
    for kind, density in densities.items():
        # From -1 to 1: outputs above c speak for 1.
        cut = 9 * mp.log(e) / 2 if kind == "gaussian" else 3 * mp.log(e) / 2
        excess = mp.quad(lambda x: density(x - 1) - e * density(x + 1), [cut, 1, 60])  # noqa: B023
        made = delta_replaced(kind, 3.0, epsilon)
        assert made is not None
        found = float(value(made).ball(200).mid())
        truth = replaced(kind, 3.0).delta(Epsilon.rational(epsilon), relative_width="1e-12")
        assert found == pytest.approx(float(excess), abs=1e-9)
        low = getattr(truth, "lower", None)
        assert found == pytest.approx(float(truth if low is None else low), rel=1e-10)
