"""Runs that are killed again and again go on where they were, and end as if nothing had been.

As a script this file is the drill: it forks a run, kills it or its worker at random moments, and
prints how many jobs were begun in all.
"""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout, suppress
from pathlib import Path

import pytest

import exactdp
from exactdp import cli
from exactdp.audit import run as trials
from exactdp.problems import fixtures

CLAIMS = [
    *("remark-2", "definition-III.5", "definition-III.7", "definition-III.9/U"),
    *("table-I/C", "definition-V.1"),
]
SIGMAS = [str(i) for i in range(1, 31)]
PROBLEM = {
    "kind": "gaussian",
    "sigma": {"each": SIGMAS},
    "ask": {"epsilon": ["1e-5"], "hockey_stick": [{"rational": "1/10"}]},
}
KILLS = {"fixtures": (20, len(SIGMAS)), "audit": (6, 7)}


def command(name, folder):
    if name == "audit":
        return [
            "audit",
            *(f"biswas2023/{c}" for c in CLAIMS),
            "--workers",
            "1",
            "--out",
            f"{folder}/results",
        ]
    file = folder / "problems.json"
    document = {"format": "exactdp-problems/1", "problems": [{"name": "G", "problem": PROBLEM}]}
    file.write_text(json.dumps(document))
    return ["fixtures", str(file), "--workers", "1", "--out", f"{folder}/results"]


def content(place):
    files = sorted(place.rglob("*")) if place.is_dir() else [place]
    return {p.relative_to(place): p.read_bytes() for p in files if p.is_file()}


def begun(folder):
    return (folder / "begun").stat().st_size


def noted(function, folder):
    """The function, which leaves a note of each call."""

    def call(*arguments, **options):
        with (folder / "begun").open("ab") as file:
            file.write(b".")
        return function(*arguments, **options)

    return call


def started(arguments, folder):
    runner = os.fork()
    if runner == 0:
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
            cli.main(arguments)
        except SystemExit as stop:
            os._exit(stop.code or 0)
        finally:
            os._exit(77)
    return runner


def ended(runner, options=os.WNOHANG):
    """Whether a run has come to its end; if it ended otherwise, it must have been killed."""
    process, status = os.waitpid(runner, options)
    assert status in (0, signal.SIGKILL), status
    return process == runner and status == 0


def worker_of(runner):
    children = Path(f"/proc/{runner}/task/{runner}/children").read_text().split()
    return int(children[0]) if children else runner


def drill(name, folder):
    """How many runs came to their end, all at the same one, and how many jobs were begun."""
    arguments, place, dice = command(name, folder), folder / "results", random.Random(7)
    with suppress(SystemExit), redirect_stdout(io.StringIO()):
        cli.main(arguments)  # here, so that those that are forked begin with everything loaded
    undisturbed, kills, runs, runner = content(place), 0, 1, None
    # At least two ends: on a slow machine the kills are spent before the first.
    while kills < KILLS[name][0] or runs < 2 or runner is not None:
        if runner is None:
            runner = started(arguments, folder)
        wanted = begun(folder) + dice.choice([1, 2, 3])
        while not (over := ended(runner)) and (kills == KILLS[name][0] or begun(folder) < wanted):
            time.sleep(0.001)
        if not over:
            time.sleep(dice.random() / 100)
            victim = worker_of(runner) if kills % 2 else runner
            os.kill(victim, signal.SIGKILL)
            kills += 1
            if victim != runner:
                continue
            over = ended(runner, 0)  # it may have been over before it was killed
        if over:
            assert content(place) == undisturbed
            assert not (folder / ".results.exactdp").exists()
            runs += 1
        runner = None
    return runs, begun(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="the drill forks, and asks for children")
@pytest.mark.parametrize("name", KILLS)
def test_a_run_that_is_killed_often_ends_as_one_that_was_not(tmp_path, name):
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path), name],
        env={**os.environ, "PYTHONPATH": str(Path(exactdp.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    runs, jobs = json.loads(done.stdout)
    kills, each = KILLS[name]
    # A kill costs what was being done, and no more.
    assert each * runs <= jobs <= each * runs + kills
    assert "known from a stopped run" in (tmp_path / "said").read_text()


if __name__ == "__main__":
    here = Path(sys.argv[1])
    fixtures.fixture_of = noted(fixtures.fixture_of, here)
    trials.audit_claim = noted(trials.audit_claim, here)
    print(json.dumps(drill(sys.argv[2], here)))
