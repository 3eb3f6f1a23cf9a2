"""The simulation of longitudinal collection against the exact client and server."""

import importlib.util
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from exactdp.numbers import Epsilon, Exact
from proofs_check.erlingsson2019 import server, tree

EXAMPLE = Path(__file__).parents[3] / "examples" / "longitudinal_collection.py"


def example():
    spec = importlib.util.spec_from_file_location("longitudinal_collection", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_example_runs_with_few_users(tmp_path):
    options = ["--users", "500", "--days", "16", "--plot", str(tmp_path / "estimates.png")]
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE), *options],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    last = done.stdout.splitlines()[-1]
    if (tmp_path / "estimates.png").exists():
        assert last.startswith("plot written")
    else:
        assert last == "no plot: matplotlib is not installed (pip install matplotlib)"


@pytest.mark.parametrize("days", [2, 8, 64])
def test_example_adds_the_nodes_of_the_cover(days):
    rng = np.random.default_rng(1)
    arrays = {h: rng.integers(-9, 9, tree.level_size(h, d=days)) for h in tree.levels(days)}
    covers = [tree.cover_from_binary(t) for t in range(1, days + 1)]
    exact = [sum(int(arrays[node.level][node.position - 1]) for node in c) for c in covers]
    assert [int(value) for value in example().cover_sums(arrays, days=days)] == exact


def test_example_counts_states_as_the_definition_does():
    module = example()
    changes = module.random_changes(np.random.default_rng(2), users=40, days=16, k=3)
    users = []
    for row in changes:
        assert all(a < b or a == b == 17 for a, b in pairwise(row))
        x = [0] * 17
        for order, day in enumerate(row):
            x[day - 1] = (-1) ** order
        users.append(tuple(x[:16]))
    expected = [sum(sum(x[:t]) for x in users) for t in range(1, 17)]
    assert module.true_counts(changes, days=16).tolist() == expected


def test_example_client_has_the_exact_mean_within_five_deviations():
    """One change vector, many users, a fixed seed: every node, k = 2, d = 4, e^(eps/2) = 3."""
    n, x, epsilon = 60_000, (0, 1, -1, 0), Epsilon.log(9)
    module = example()
    changes = np.tile(np.array([[2, 3]]), (n, 1))
    sums = module.collect(
        np.random.default_rng(3), changes, days=4, epsilon=2 * np.log(3), advance=lambda: None
    )
    for node in tree.nodes(4):
        law = server.contribution_law(x, frozenset({node}), k=2, epsilon=epsilon)
        gap = int(sums[node.level][node.position - 1]) - n * server.mean_of(law)
        square = sum((v * v * mass for v, mass in law.masses.items()), Exact(0))
        assert gap**2 <= 25 * n * (square - server.mean_of(law) ** 2)
