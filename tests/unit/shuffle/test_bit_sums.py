"""Sums of noisy bits beside exact views and sums in two dimensions."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.accounting import compose
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon
from exactdp.shuffle import Users, Victim, shuffle_view
from exactdp.shuffle.at_scale.bit_sums import sum_of_bits
from tests.commands import answers
from tests.routes.reals import fraction_of

F = Fraction
NARROW = F(1, 10**8)
COIN = randomized_response(2, Epsilon.log(3))
ROWS = Randomizer.from_matrix([["3/5", "2/5"], ["1/10", "9/10"], [1, 0], [0, 1]])
VIEWS = {
    "one law": shuffle_view(Victim(COIN), [Users(COIN, 0, 7)]),
    "two laws": shuffle_view(Victim(COIN), [Users(COIN, 0, 4), Users(COIN, 1, 5)]),
    "no others": shuffle_view(Victim(COIN)),
    "a leak": shuffle_view(Victim(ROWS, (0, 3)), [Users(ROWS, 1, 3), Users(ROWS, 2, 2)]),
    "another leak": shuffle_view(Victim(ROWS, (1, 2)), [Users(ROWS, 1, 3), Users(ROWS, 3, 1)]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_sum_is_the_view_and_composes_as_it_does(name):
    view = VIEWS[name]
    found = sum_of_bits(view._senders, view._counts)
    for gamma in (F(1), F(3, 2), F(2), F(100)):
        at = Epsilon.log(gamma)
        for one, exact in ((found, view), (found.reversed(), view.reversed())):
            ends = one.delta(at, relative_width=NARROW)
            assert enclosed(ends, NARROW).lower <= exact.delta(at) <= enclosed(ends, NARROW).upper
        twice = compose([(view, 2)]).delta(at)
        both = compose([(found, 2)]).delta(at, relative_width="1e-4")
        assert both.lower <= twice <= both.upper
    assert found.infinity_mass() == view.infinity_mass()
    assert found.largest_finite_loss() == view.largest_finite_loss()


def delta_of_two(n, rate, gamma):
    """A sum over both counts, each of n users of whom one may be sure to send a 1 as a victim."""
    with mpmath.workdps(40):
        others = [
            mpmath.binomial(n - 1, k) * rate**k * (1 - rate) ** (n - 1 - k) for k in range(80)
        ]
        p, q = (
            [(1 - yes) * others[k] + (yes * others[k - 1] if k else 0) for k in range(80)]
            for yes in (1 - rate, rate)
        )
        total = mpmath.fsum(
            max(p[i] * p[j] - gamma * q[i] * q[j], 0) for i in range(80) for j in range(80)
        )
        return fraction_of(total)


def test_two_coordinates_of_many_users_are_the_sum_over_both_counts():
    """Of 1000 users of ln 200 the counts beyond 80 have less than 1e-60."""
    rr = randomized_response(2, Epsilon.log(199))
    view = shuffle_view(Victim(rr, (1, 0)), [Users(rr, 0, 999)])
    found = compose([(sum_of_bits(view._senders, view._counts), 2)])
    with mpmath.workdps(40):
        truth = delta_of_two(1000, mpmath.mpf(1) / 200, mpmath.mpf(2))
    ends = found.delta(Epsilon.log(2), relative_width="1e-4")
    assert ends.lower <= truth <= ends.upper


def test_a_row_of_the_public_threads():
    """A hundred thousand users of e0 = 5, two bits each: .297408 at 1e-9."""
    rr = randomized_response(2, Epsilon.rational(5))
    view = shuffle_view(Victim(rr, (0, 1)), [Users(rr, 0, 99_999)])
    found = compose([(view, 2)]).epsilon("1e-9", relative_width="1e-4")
    assert found.lower < F("0.297408") < found.upper
    (of_file,) = answers(
        kind="composition",
        parts=[
            {
                "problem": {
                    "kind": "shuffle",
                    "randomizers": {
                        "R": {
                            "mechanism": "randomized_response",
                            "k": 2,
                            "epsilon": {"rational": "5"},
                        }
                    },
                    "victim": {"randomizer": "R", "inputs": [0, 1]},
                    "others": [{"randomizer": "R", "input": 0, "count": 99_999}],
                },
                "times": 2,
            }
        ],
        ask={"epsilon": ["1e-9"], "relative_width": "1e-4"},
    )
    assert F(of_file.lower) <= found.upper and found.lower <= F(of_file.upper)
