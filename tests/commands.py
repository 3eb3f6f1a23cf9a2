"""Commands of exactdp, run in this process, and problem files as they are solved."""

import json

import pytest

from exactdp.cli import main
from exactdp.problems import read_problem, solve

__all__ = ["answers", "outcome", "run"]


def run(*arguments):
    """Return the exit code of a command."""
    with pytest.raises(SystemExit) as stop:
        main(list(map(str, arguments)))
    code = stop.value.code or 0
    assert isinstance(code, int), code
    return code


def outcome(capsys, *arguments):
    """Return the exit code of a command, its output and its errors."""
    code = run(*arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answers(*, digits=17, **problem):
    """Return the answers to a problem file with these keys."""
    return solve(read_problem(json.dumps(problem)), digits=digits).answers
