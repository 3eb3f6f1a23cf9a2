"""Every example runs and prints what its text promises."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import outcome

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGES = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
# What a page runs is tried with the page, and with what it prints.
SCRIPTS = [
    path
    for path in [*sorted(EXAMPLES.glob("*.py")), EXAMPLES / "fixtures" / "read_fixtures.py"]
    if f"$ python {path.relative_to(ROOT)}\n" not in PAGES
]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_example_runs(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    done = capsys.readouterr()
    assert done.out.strip() and not done.err


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("problems/*.json")), ids=lambda p: p.stem)
def test_problem_file_is_solved(path, capsys):
    code, out, err = outcome(capsys, "solve", path, "--json")
    assert code == 0, err
    assert json.loads(out)["format"] == "exactdp-answers/1"


def test_a_problem_file_is_solved_by_the_command():
    path = EXAMPLES / "problems" / "calibrate_gaussian.json"
    done = subprocess.run(
        [sys.executable, "-m", "exactdp.cli", "solve", str(path), "--json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["format"] == "exactdp-answers/1"
