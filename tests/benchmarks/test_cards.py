"""Cards on a bare Python: processor time, memory and nearness to the truth, as they are promised.

Run: pytest --import-mode=importlib tests/benchmarks/test_cards.py
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from exactdp import compose, dp_sgd
from exactdp.accounting import poisson_subsampled
from exactdp.cards import certify
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import float_below

KERNEL = Path(__file__).parents[2] / "proofs_check" / "kernel" / "check.py"
MOST_MEGABYTES = 300
MEASURED = """
import resource, runpy, sys
sys.argv = ["check.py", sys.argv[2]]
try:
    runpy.run_path({kernel!r}, run_name="__main__")
except SystemExit as done:
    assert not done.code
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def sgd(sigma, rate):
    return poisson_subsampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate)


# What is deployed, delta, how near to the truth a card is asked to be, and seconds.
CARDS = {
    "1,000 steps": (lambda: compose([(sgd(1, "1/100"), 1000)]), "1e-5", "1e-2", 10),
    "1,000 steps within 0.1 %": (lambda: compose([(sgd(1, "1/100"), 1000)]), "1e-5", "1e-3", 20),
    "10^6 steps": (lambda: compose([(sgd(20, "1/1000"), 10**6)]), "1e-5", "1e-2", 20),
    "2^20 steps within 0.1 %": (
        lambda: compose([(sgd(20, "1/1000"), 1 << 20)]),
        "1e-5",
        "1e-3",
        20,
    ),
    "a small delta": (lambda: compose([(sgd(1, "1/100"), 1000)]), "1e-30", "1e-2", 20),
    "two scales": (
        lambda: compose([(sgd(1, "1/100"), 500), (sgd(20, "1/1000"), 500_000)]),
        "1e-5",
        "1e-2",
        20,
    ),
    "epochs": (
        lambda: dp_sgd(
            noise_multiplier=1,
            sampling_probability="1/100",
            steps=1000,
            batches="balls_and_bins",
            neighbors="zero_out",
        ),
        "1e-5",
        "1e-2",
        10,
    ),
}


@pytest.mark.parametrize("name", CARDS)
def test_a_card_is_near_and_checked_in_time(name, tmp_path):
    make, delta, width, seconds = CARDS[name]
    deployed = make()
    card = certify(deployed, delta=delta, relative_width=width)
    card.write(tmp_path / "card.json")
    truth = deployed.epsilon(delta, relative_width=str(float(width) / 4))
    near = float(card.content["epsilon"]) / float_below(truth) - 1
    command = [sys.executable, "-I", "-S", "-c", MEASURED.format(kernel=str(KERNEL)), "-"]
    done = subprocess.run(
        [*command, str(tmp_path / "card.json")], capture_output=True, text=True, check=True
    )
    spent, megabytes = map(float, done.stdout.splitlines()[-1].split())
    size = len(json.dumps(card.content))
    print(f"{name}: {near:.2%} above, {spent:.1f} s, {megabytes:.0f} MB, {size} bytes")
    assert ": accepted: " in done.stdout
    assert near <= float(width) * 1.3 and spent < seconds and megabytes < MOST_MEGABYTES
    assert size < 5000
