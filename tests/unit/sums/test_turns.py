"""Characteristic functions at places in a row, against mpmath, and bounds of what is left out."""

import mpmath
import numpy as np
import pytest
from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import precision
from exactdp.sums.doubles import exponentials
from exactdp.sums.lines.turns import Turns, places_above, power

POINTS = 200
LAWS = {
    "two values": (["0.3", "-0.2"], ["0.4", "0.6"]),
    "on a lattice": (["0", "0.5", "1"], ["0.25", "0.5", "0.25"]),
    "three near ones": (["0.01", "0.013", "-0.02"], ["0.2", "0.5", "0.3"]),
    "beyond a turn": (["7.5", "-100.25", "0.001"], ["0.1", "0.1", "0.8"]),
    "nearly certain": (["2", "0"], ["0.001", "0.999"]),
}


def phi(law, m):
    """E e^(iθm), straight from the definition."""
    angles, chances = ([mpmath.mpf(x) for x in row] for row in law)
    return mpmath.fsum(c * mpmath.expj(angle * m) for angle, c in zip(angles, chances, strict=True))


def asked(laws, level, block):
    with precision(128):
        angles, chances = ([[arb(x) for x in law[k]] for law in laws] for k in (0, 1))
        return places_above(angles, chances, arb(level), points=POINTS, block=block)


@pytest.mark.parametrize("block", [1, 4, 64])
@pytest.mark.parametrize("level", ["0.05", "0.9", "0.999"])
def test_all_places_that_are_not_small_are_there_with_their_values(level, block):
    laws = [law for law in LAWS.values() if len(law[0]) == 3]
    found = asked(laws, level, block)
    there = set()
    with mpmath.workdps(40):
        rows = zip(found.rows, found.places, found.lack, found.error, strict=True)
        for i, m, lack, error in rows:
            there.add((int(i), int(m)))
            off = abs(phi(laws[i], int(m)) - 1 - mpmath.mpc(complex(lack)))
            assert off <= mpmath.mpf(float(error)) < mpmath.mpf("1e-9")
        for i, law in enumerate(laws):
            above = {m for m in range(1, POINTS) if abs(phi(law, m)) > mpmath.mpf(level)}
            assert above <= {m for j, m in there if j == i}
    # Blocks are left out, and of others only what may be above.
    assert len(there) < len(laws) * (POINTS - 1)


@pytest.mark.parametrize("name", ["two values", "nearly certain"])
def test_places_of_two_values_come_back(name):
    """|φ| is near 1 wherever two values have turned by the same: far places are found, too."""
    law = LAWS[name]
    found = asked([law], "0.99", 8)
    with mpmath.workdps(40):
        above = [m for m in range(1, POINTS) if abs(phi(law, m)) > 0.99]
    assert set(above) <= set(found.places.tolist())
    assert max(above) > POINTS - 20


@pytest.mark.parametrize("n", [1, 2, 1_000, 10**9 + 7])
def test_powers_against_mpmath(n):
    law = LAWS["three near ones"]
    found = asked([law], "0.5", 8)
    lack, error = power(found.lack, found.error, n)
    with mpmath.workdps(60):
        for m, value, bound in zip(found.places.tolist(), lack, error, strict=True):
            truth = phi(law, m) ** n - 1
            assert abs(truth - mpmath.mpc(complex(value))) <= mpmath.mpf(float(bound))


def test_turns_of_places_far_out_have_the_errors_that_are_said():
    angles = ["0.4999", "0.5001", "3", "-3.2", "1e-9", "40"]
    with precision(128):
        turns = Turns.of([arb(x) for x in angles], 5_000, 64)
    with mpmath.workdps(40):
        for i, angle in enumerate(angles):
            places = np.array([1, 63, 64, 1_000, 4_999])
            found, error = turns.at(np.full(5, i), places)
            for m, value, bound in zip(places.tolist(), found, error, strict=True):
                truth = mpmath.expj(mpmath.mpf(angle) * m) - 1
                assert abs(truth - mpmath.mpc(complex(value))) <= mpmath.mpf(float(bound))
                assert bound < 1e-9


def test_an_angle_that_is_not_known_is_refused():
    with precision(128), pytest.raises(UndecidedError, match="less extreme"):
        Turns.of([arb(1), arb(1, 1e-20)], 10, 2)


@pytest.mark.parametrize("largest", [1e-3, 0.3, 20.0, 700.0])
def test_exponentials_err_by_no_more_than_is_said(largest):
    x = np.linspace(-largest, largest, 101)
    found, error = exponentials(x)
    assert error < 1e-11
    with mpmath.workdps(40):
        for value, near in zip(x.tolist(), found.tolist(), strict=True):
            truth = mpmath.exp(mpmath.mpf(value))
            assert abs(mpmath.mpf(near) / truth - 1) <= mpmath.mpf(error) or truth < 1e-290
