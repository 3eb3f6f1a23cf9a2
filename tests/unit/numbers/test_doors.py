"""Rooms load what is asked, check what they load, and hand out no file in place of a name."""

import subprocess
import sys
from importlib import import_module

import pytest

ROOMS = ["accounting", "audit", "distributions", "divergences", "mechanisms", "pufferfish"]
ROOMS += ["shuffle", "sums"]


def said(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("room", ROOMS)
def test_each_name_of_a_room_has_one_file(room):
    door = import_module(f"exactdp.{room}")
    assert sorted(door._HOMES) == sorted(door.__all__) == dir(door)
    for name in door.__all__:
        assert getattr(import_module(door._HOMES[name]), name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nobody'"):
        _ = door.nobody


def test_a_room_loads_the_files_that_are_asked():
    program = (
        "import sys, exactdp.shuffle, exactdp.accounting\n"
        "from exactdp.mechanisms import laplace_mechanism\n"
        "print(*(x for x in sys.modules if x.startswith(('exactdp.shuffle.', 'exactdp.acc'))))\n"
        "print('exactdp.mechanisms.skellam' in sys.modules)"
    )
    assert said(program) == ["exactdp.accounting", "False"]


def test_a_name_stays_the_rooms_where_a_file_has_it_too():
    program = (
        "import exactdp.mechanisms.randomized_response\n"
        "from exactdp.mechanisms import randomized_response\n"
        "print(type(randomized_response).__name__, exactdp.mechanisms.randomized_response is "
        "randomized_response)"
    )
    assert said(program) == ["function", "True"]


@pytest.mark.parametrize(
    "loaded",
    [
        "from exactdp.mechanisms.gaussian import GaussianMechanism as kind",
        "from exactdp.mechanisms import gaussian_mechanism as f\nkind = type(f(sigma=1))",
        "from exactdp.divergences import Pair\nkind = type(Pair.from_masses([1], [1]).losses())",
    ],
)
def test_a_class_that_comes_as_a_result_has_checks(loaded):
    program = f"{loaded}\nprint(*(hasattr(m, 'is_validated') for m in (kind.delta, kind.epsilon)))"
    assert said(program) == ["True", "True"]


def test_a_problem_loads_the_law_of_its_kind():
    program = (
        "import sys\nfrom exactdp.problems import read_problem, solve_each\n"
        """text = '{"kind": "gaussian", "sigma": "1", "ask": {"epsilon": ["1e-5"]}}'\n"""
        "print(len(solve_each(read_problem(text)).found.answers))\n"
        "print(*({'numpy', 'exactdp.shuffle', 'exactdp.pufferfish'} & set(sys.modules)))"
    )
    assert said(program) == ["1"]
