"""Answers are the same whatever the clocks say, and whatever was asked before."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def answers(how, *more):
    command = [sys.executable, "-m", "tests.routes.fifty", how, *more]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def test_fifty_answers_are_functions_of_their_arguments(request):
    """Clocks that stand still, then ones that jump, with the questions in the other order."""
    more = ["deep"] if request.config.getoption("--deep") else []
    still, jumping = answers("still", *more), answers("jumping", *more)
    assert len(still) >= 50
    assert still == jumping
    fallbacks = [one for one in still if "looser" in one or "not reached" in one or "budget" in one]
    assert len(fallbacks) >= 5
