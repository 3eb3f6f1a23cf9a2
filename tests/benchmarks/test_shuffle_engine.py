"""Time and memory of the exact engine: see README.md in this folder."""

import json
import subprocess
import sys
import time

import pytest

from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import Users, Victim, shuffle_view

CASES = {
    # name: (k, epsilon0, others, exp_epsilon, seconds, MiB)
    "k4-n100-spread": (4, ("log", "4"), [(0, 25), (1, 25), (2, 25), (3, 24)], "2", 1, 256),
    "k3-n1000-two-groups": (3, ("log", "4"), [(0, 500), (2, 499)], "2", 5, 1024),
    "k3-n1000-one-group": (3, ("log", "4"), [(2, 999)], "2", 5, 1024),
    "k3-n1000-spread": (3, ("log", "4"), [(0, 333), (1, 333), (2, 333)], "2", 5, 1024),
    "k3-n100-transcendental": (3, ("rational", "0.49"), [(2, 99)], "e", 20, 512),
    "k3-n100-transcendental-spread": (
        3,
        ("rational", "0.49"),
        [(0, 33), (1, 33), (2, 33)],
        "e",
        20,
        512,
    ),
    "k10-n100-one-group": (10, ("log", "4"), [(2, 99)], "2", 2, 256),
    "k5-n60-spread": (5, ("log", "4"), [(x, 12) for x in range(5)], "2", 10, 512),
    "k2-n50000": (2, ("log", "4"), [(0, 25_000), (1, 24_999)], "2", 5, 256),
}


def divergence(k, epsilon0, others, exp_epsilon):
    """The exact divergence of a shuffled randomized response; "e" stands for e^(1/10)."""
    kind, value = epsilon0
    rr = randomized_response(k, getattr(Epsilon, kind)(value))
    view = shuffle_view(Victim(rr), [Users(rr, x, count) for x, count in others])
    gamma = Exact.exp("1/10") if exp_epsilon == "e" else Exact(exp_epsilon)
    return view.delta(Epsilon(Exact(gamma)))


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("name", CASES)
def test_time(benchmark, name):
    *case, seconds, _ = CASES[name]
    # Every round builds its view anew: nothing is kept from one to the next.
    value = benchmark.pedantic(divergence, args=case, rounds=3, warmup_rounds=0)
    assert value > 0
    assert benchmark.stats.stats.min < seconds


# A new process is charged for the memory of the one that starts it, so a small one
# stands in between and asks about its child.
BYSTANDER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

ONE_CASE = """
import json, runpy, sys
runpy.run_path(sys.argv[1])["divergence"](*json.loads(sys.argv[2]))
"""


@pytest.mark.parametrize("name", CASES)
def test_peak_memory(name):
    *case, _, mebibytes = CASES[name]
    one_case = [sys.executable, "-c", ONE_CASE, __file__, json.dumps(case)]
    finished = subprocess.run(
        [sys.executable, "-c", BYSTANDER, *one_case],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    # Linux counts kibibytes, macOS bytes.
    peak = int(finished.stdout) // (2**20 if sys.platform == "darwin" else 2**10)
    print(f"{name}: {peak} MiB")
    assert peak < mebibytes
