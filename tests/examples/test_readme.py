"""What the README shows is what happens."""

import doctest
import re
from pathlib import Path

from exactdp.cli.app import COMMANDS

README = Path(__file__).parents[2] / "README.md"


def test_python_examples():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


def test_every_command_is_described_and_none_else():
    described = set(re.findall(r"^\| `exactdp ([\w-]+)", README.read_text(), re.MULTILINE))
    assert described == {command.__name__.replace("_", "-") for command in COMMANDS}


def test_ci_runs_the_command_of_the_readme():
    ci = (README.parent / ".ci" / "run").read_text()
    text = README.read_text()
    for command in ("python -m pip install", "python -m pytest", "exactdp audit"):
        assert command in ci and command in text
