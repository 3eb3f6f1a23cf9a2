"""Times of composition, with the limits that it promises.

Run: pytest --import-mode=importlib tests/benchmarks/test_accounting.py
"""

from fractions import Fraction

import pytest

from exactdp.accounting import compose, compose_exactly, composed_randomized_response
from exactdp.divergences import Pair
from exactdp.numbers import Epsilon, Real

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])


def test_thousand_copies_one_value(timed):
    value = timed(lambda: compose([(COIN, 1000)]).delta(Epsilon.log(2)), seconds=0.02)
    assert 0 < value < 1


@pytest.mark.parametrize("kind", ["rational", "transcendental"])
def test_thousand_copies_hundred_values(timed, kind):
    epsilons = {
        "rational": [Epsilon.log(Fraction(3) ** (9 * i) + Fraction(1, 7)) for i in range(100)],
        "transcendental": [Epsilon.rational(Fraction(i, 10)) for i in range(100)],
    }[kind]

    def deltas():
        composed = compose_exactly([(COIN, 1000)])
        return [composed.delta(epsilon) for epsilon in epsilons]

    values = timed(deltas, seconds=0.1)
    assert values == sorted(values, reverse=True)


def test_thousand_transcendental_copies_one_value(timed):
    pair = composed_randomized_response(Epsilon.rational("1/2"), 1).pair
    value = timed(lambda: compose([(pair, 1000)]).delta(Epsilon.log(2)), seconds=0.5)
    assert isinstance(value, Real)


@pytest.mark.parametrize("epsilon0", [Epsilon.log("1001/1000"), Epsilon.rational("1/2")])
def test_hundred_thousand_copies_enclosure(timed, epsilon0):
    composed = composed_randomized_response(epsilon0, 10**5)
    enclosure = timed(lambda: composed.delta(Epsilon.log(2), relative_width="1e-12"), seconds=0.1)
    assert 0 < enclosure.width * 10**12 <= enclosure.lower


def test_hundred_thousand_copies_exact(timed):
    composed = composed_randomized_response(Epsilon.log("1001/1000"), 10**5)
    value = timed(lambda: composed.delta(Epsilon.log(2)), seconds=2)
    assert composed.delta(Epsilon.log(2), relative_width="1e-12").contains(value)


def test_thousand_million_copies_enclosure(timed):
    composed = composed_randomized_response(Epsilon.log("1001/1000"), 10**9)
    timed(
        lambda: composed.delta(Epsilon.rational(500), relative_width="1e-12"), seconds=60, rounds=1
    )
