"""Every example runs and prints what its text promises."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    "path",
    [*sorted(EXAMPLES.glob("*.py")), EXAMPLES / "fixtures" / "read_fixtures.py"],
    ids=lambda p: p.stem,
)
def test_example_runs(path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and not done.stderr


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("problems/*.json")), ids=lambda p: p.stem)
def test_problem_file_is_solved(path):
    done = subprocess.run(
        [sys.executable, "-m", "exactdp.cli", "solve", str(path), "--json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert '"exactdp-answers/1"' in done.stdout
