"""The paper's formulas, by hand and in mpmath."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.numbers import Exact, decimal
from exactdp.numbers.real_functions import evaluate, evaluate_exact
from proofs_check.wang2024 import bounds
from tests.routes.reals import mpf_of


def exactly(bound, **arguments):
    return evaluate_exact(bound, **arguments)


def test_the_reduction_by_hand():
    assert exactly(bounds.letters_probability, p=3, beta="1/2", q=3) == Fraction(1, 2)
    assert exactly(bounds.first_probability, p=3, beta="1/2") == Fraction(3, 4)
    assert exactly(bounds.second_probability, p=3, beta="2/5") == Fraction(1, 2)


def test_the_target_by_hand():
    assert exactly(bounds.allowed_delta, s=2, epsilon=1, delta="1/100") == 1 / (200 * Exact.exp(1))


def test_variances_by_hand():
    assert exactly(bounds.user_signal_variance, w="1/2", rate="1/2") == Fraction(3, 16)
    assert exactly(bounds.blanket_slot_variance, m="3/2", slots=2, d=3) == Fraction(3, 16)
    common = {"n": 10, "m": "3/2", "slots": 2, "d": 3, "signal_variance": 1}
    assert exactly(bounds.variance_line_1_outside, **common) == 1 + 3 * 10 * 2 * Fraction(3, 16)
    assert exactly(bounds.variance_line_1_inside, **common) == 1 + 9 * 10 * 2 * Fraction(3, 16)
    assert exactly(bounds.variance_line_2, n=10, m="3/2", signal_variance=1) == 16
    assert exactly(bounds.variance_line_3, n=10, m="3/2", s=2, signal=5) == 25
    assert exactly(bounds.error_line_1, variance=16, signal=4) == 1
    assert exactly(bounds.error_line_2, n=10, m="3/2", signal_variance=1, signal=4) == 1
    assert exactly(bounds.error_line_3, n=10, m="3/2", s=2, signal=5) == 1


@pytest.mark.parametrize(
    ("bound", "arguments", "formula"),
    [
        (
            bounds.amplified_epsilon,
            {"p": 3, "beta": Fraction(1, 2), "q": 3, "n": 1000, "delta": Fraction(1, 10**6)},
            lambda p, beta, q, n, delta: mpmath.sqrt(
                beta * (p - 1) * q * mpmath.log(1 / delta) / (p * n)
            ),
        ),
        (
            bounds.separate_weight,
            {"n": 1250, "d": 17, "s": 4, "epsilon": Fraction(1, 2), "delta": Fraction(1, 500_000)},
            lambda n, d, s, epsilon, delta: (
                1
                / mpmath.sqrt(
                    d * s**2 * mpmath.log(1 / delta) / (n * epsilon) ** 2 + mpmath.mpf(s) / n
                )
            ),
        ),
    ],
)
def test_transcendental_formulas_against_mpmath(bound, arguments, formula):
    with mpmath.workdps(50):
        numbers = {
            name: mpf_of(x) if isinstance(x, Fraction) else x for name, x in arguments.items()
        }
        # 50 digits: the last of the 30 that are compared are beyond its error.
        truth = mpmath.nstr(formula(**numbers), 30, min_fixed=-100, max_fixed=100)
    ours = decimal(evaluate(bound, **arguments), digits=30)
    assert Fraction(ours) == Fraction(truth)
