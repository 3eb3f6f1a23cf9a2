"""Numbers in Python need python-flint and numpy; what needs more says so in one line."""

import subprocess
import sys

ALONE = "import sys\nsys.modules.update(dict.fromkeys({MISSING}))  # as if they were not there\n"
MORE = {
    "hypothesis",
    "jinja2",
    "matplotlib",
    "mpmath",
    "msgspec",
    "rich",
    "scipy",
    "sympy",
    "typer",
}


def run(program):
    """Run a program where only the two packages are."""
    return subprocess.run(
        [sys.executable, "-c", ALONE.replace("{MISSING}", repr(MORE)) + program],
        capture_output=True,
        text=True,
        check=False,
    )


def test_numbers_need_two_packages():
    found = run(
        "from exactdp import Epsilon, Users, Victim, compose, dp_sgd, gaussian_mechanism\n"
        "from exactdp import laplace_mechanism, randomized_response, shuffle_view\n"
        "from exactdp import shuffle_worst_case\n"
        "import exactdp.pufferfish\n"
        "rr = randomized_response(2, Epsilon.log(3))\n"
        "print(shuffle_view(Victim(rr), [Users(rr, 1)]).delta(Epsilon.log(2)))\n"
        "print(dp_sgd(sigma=1, rate='0.01', steps=1000).epsilon('1e-5', relative_width='1e-3'))\n"
        "others = {name.partition('.')[0] for name, module in sys.modules.items() if module}\n"
        "others -= set(sys.stdlib_module_names)\n"
        "print(sorted(one for one in others if not one.startswith('_')))\n"
    )
    assert (found.returncode, found.stderr) == (0, "")
    delta, epsilon, others = found.stdout.splitlines()
    assert (delta, epsilon[:6]) == ("1/16", "[1.828")
    assert set(eval(others)) <= {"cython_runtime", "exactdp", "flint", "numpy", "sitecustomize"}


def test_all_names_are_those_that_two_packages_give():
    found = run("from exactdp import *\nprint(Epsilon.log(2), 'solve' in globals())\n")
    assert (found.returncode, found.stdout, found.stderr) == (0, "Epsilon.log('2') False\n", "")


def test_problem_files_and_commands_say_what_they_need():
    found = run("from exactdp import solve\n")
    assert found.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: problem files need msgspec, which is not installed. "
        "Install exactdp[cli]."
    )
    found = run("from exactdp.cli import main\nmain(['--version'])\n")
    assert (found.returncode, found.stderr) == (
        2,
        "error: commands need typer, which is not installed. Install exactdp[cli].\n",
    )
