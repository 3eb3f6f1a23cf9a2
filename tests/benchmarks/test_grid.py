"""All of the grid of DP-SGD: how many points are answered, and in what time, beside dp-accounting.

A point is ε at δ with a width of 1e-2, then δ at that ε with the same width, from a new profile.
Its time is the processor's, its memory the peak of a process that answers one after another; a
point that takes more than the limit, or is refused, counts as unanswered.
``python -m pytest tests/benchmarks/test_grid.py -n 0 -s``; by environment variables:

- EXACTDP_GRID: gaussian, laplace, substitution or mixed; several with commas; gaussian if unset.
- EXACTDP_GRID_SAMPLE: how many points, at random; 60 if unset, 0 for all (3,520 of each kind).
- EXACTDP_GRID_LIMIT: the limit in seconds; 30 if unset.
- EXACTDP_GRID_SEED: another sample.
- EXACTDP_GRID_WIDTH: another relative width than 1e-2.

Every point that is unanswered, or takes more than 5 s (at widths below 1e-2: 10 s), is listed with
the reason: the refusal, or the points of its largest lattice.
"""

import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec
from itertools import product
from math import inf
from pathlib import Path
from statistics import median

import pytest

from tests.routes.deployments import name_of
from tests.routes.dp_sgd_reference import DELTAS, RATES, SCALES, STEPS

ROOT = Path(__file__).resolve().parents[2]
KINDS = os.environ.get("EXACTDP_GRID", "gaussian").split(",")
SAMPLE = int(os.environ.get("EXACTDP_GRID_SAMPLE", "60"))
LIMIT = float(os.environ.get("EXACTDP_GRID_LIMIT", "30"))
SEED = int(os.environ.get("EXACTDP_GRID_SEED", "0"))
WIDTH = float(os.environ.get("EXACTDP_GRID_WIDTH", "1e-2"))
SLOW = 5 if WIDTH >= 1e-2 else 10
MOST_MEGABYTES = 1000


class Worker:
    """A process that answers points; another, after one that was ended."""

    def __init__(self):
        self.process = None

    def ask(self, kind, *arguments, seconds=LIMIT):
        """What it finds, or why not, and the processor time."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("grid_worker.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
                text=True,
            )
        self.process.stdin.write(json.dumps([kind, seconds, arguments]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.close()
        return {"refused": f"more than {seconds:g} s", "seconds": inf, "megabytes": 0}

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


@pytest.fixture
def worker():
    found = Worker()
    yield found
    found.close()


def points(kind):
    """(parts, neighbors, δ) of a kind: all in order, or a sample."""
    chosen = random.Random(f"{kind} {SEED}")
    noise = "laplace" if kind == "laplace" else "gaussian"
    neighbors = "substitution" if kind == "substitution" else "add_or_remove"
    every = [
        ([(noise, scale, rate, steps)], neighbors, delta)
        for scale, rate, steps, delta in product(SCALES, RATES, STEPS, DELTAS)
    ]
    if kind == "mixed":
        for parts, _, _ in every:
            other = chosen.choice(["gaussian", "laplace"])
            parts.append((other, *(chosen.choice(axis) for axis in (SCALES, RATES, STEPS))))
    return chosen.sample(every, SAMPLE) if 0 < SAMPLE < len(every) else every


def map_of(times):
    """Of every cell the unanswered of all, the median and the largest time."""
    lines = [f"{'scale':>6}" + "".join(f"{f'rate {rate}':>22}" for rate in RATES)]
    for scale in SCALES:
        cells = []
        for rate in RATES:
            spent = times.get((scale, rate), [])
            done = [seconds for seconds in spent if seconds < inf]
            figures = f"{median(done):.2g} {max(done):.2g}" if done else "-"
            cells.append(f"{len(spent) - len(done)}/{len(spent)}  {figures}" if spent else "")
        lines.append(f"{scale:>6}" + "".join(f"{cell:>22}" for cell in cells))
    return "\n".join(lines)


def summary(name, replies):
    """One line: how many are unanswered, and the times of the others."""
    done = sorted(reply["seconds"] for reply in replies if "found" in reply)
    left = len(replies) - len(done)
    if not done:
        return f"{name}: {left} of {len(replies)} unanswered"
    return (
        f"{name}: {left} of {len(replies)} unanswered; of the others {median(done):.3g} s in the "
        f"median, {done[int(0.9 * len(done))]:.3g} s at nine of ten, {done[-1]:.3g} s at most"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_grid(worker, kind):
    asked = points(kind)
    ours = [worker.ask("exactdp", *point) for point in asked]
    times = defaultdict(list)
    for (parts, _, _), reply in zip(asked, ours, strict=True):
        times[parts[0][1:3]].append(reply["seconds"] if "found" in reply else inf)
    print(f"\n{kind}, {len(asked)} points: unanswered of all, median and largest time in seconds")
    print(map_of(times))
    megabytes = max(reply["megabytes"] for reply in ours)
    print(f"{summary('exactdp', ours)}; {megabytes:.0f} MB at most")
    for point, reply in zip(asked, ours, strict=True):
        if "refused" in reply or reply["seconds"] > SLOW:
            slow = f"{reply['seconds']:.2g} s, a lattice of {reply.get('points', 0):,} points"
            print(f"  {name_of(*point)}: {reply.get('refused', slow)}")
    if find_spec("dp_accounting") is not None:
        beside(asked, ours, [worker.ask("dp-accounting", *point) for point in asked])
    assert megabytes < MOST_MEGABYTES
    for reply in ours:
        for low, high in reply.get("found", []):
            assert 0 <= low <= high


def beside(asked, ours, theirs):
    """Print their times, and where their ε is, seen from our enclosures."""
    print(summary("dp-accounting", theirs))
    both = [
        (point, mine["found"][0], other["found"][0][0])
        for point, mine, other in zip(asked, ours, theirs, strict=True)
        if "found" in mine and "found" in other
    ]
    low = [point for point, (lower, _), value in both if value < lower]
    high = [point for point, (_, upper), value in both if value > 1.01 * upper]
    print(
        f"of {len(both)} that both answer, its ε is below our enclosure at {len(low)}, "
        f"more than 1% above at {len(high)}"
    )
    for point in low:
        print(f"  below: {name_of(*point)}")


EPSILONS = ("0.1", "0.5", "1", "2", "8")


def calibrations():
    """(name, arguments) of a sample of the ranges of what is not searched for."""
    chosen = random.Random(f"calibrations {SEED}")
    for _ in range(max(1, SAMPLE // 6)):
        goal = {"epsilon": chosen.choice(EPSILONS), "delta": chosen.choice(DELTAS)}
        sigma = chosen.choice(SCALES[1:7])
        rate, steps = chosen.choice(RATES[2:]), chosen.choice(STEPS)
        yield "sigma", {**goal, "rate": rate, "steps": steps}
        yield "rate", {**goal, "sigma": sigma, "steps": steps}
        yield "steps", {**goal, "sigma": sigma, "rate": rate}


def test_calibrations(worker):
    replies = defaultdict(list)
    for name, arguments in calibrations():
        reply = worker.ask("calibration", name, arguments)
        replies[name].append(reply)
        if "refused" in reply or reply["seconds"] > SLOW:
            print(name, arguments, reply)
    print()
    for name, found in replies.items():
        print(summary(name, found))
    for reply in (reply for found in replies.values() for reply in found):
        for low, high in reply.get("found", []):
            assert 0 <= low <= high
