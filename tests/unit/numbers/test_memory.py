"""Questions within the limits of size stay below a gigabyte; those beyond them take no memory."""

import subprocess
import sys

import pytest

MEBIBYTES = 1000 * 10**6 // 2**20

# Name: what comes before, the largest call that is admitted, or nearly, and one beyond it.
CALLS = {
    "law": (
        "from exactdp.distributions.counts import binomial as call",
        'call(27_000, "1/2")',
        'call(28_000, "1/2")',
    ),
    "composition": (
        "from exactdp.accounting.composition.exact_composition import compose_exactly as call\n"
        "from exactdp.divergences import Pair\n"
        'pair = Pair.from_masses(["4/7", "2/7", "1/7"], ["1/7", "2/7", "4/7"])',
        "call([(pair, 13_000)])",
        "call([(pair, 14_000)])",
    ),
    "number": (
        "from exactdp.numbers import Exact",
        'Exact("1/3") ** (49 * 10**7)',
        'Exact("1/3") ** (51 * 10**7)',
    ),
    "pair of counts": (
        "from exactdp.numbers import Exact\n"
        "from exactdp.shuffle.at_scale.count_pairs import CountPair\n"
        "q = 1 / (1 + Exact.exp('1/10'))",
        "CountPair(190, 1 - q, q, q / 2).pair().masses()",
        "CountPair(200, 1 - q, q, q / 2).pair().masses()",
    ),
}
PEAK = """
for line in open("/proc/self/status"):
    if line.startswith("VmHWM:"):
        print(int(line.split()[1]) // 2**10)
"""


def peak(*lines):
    """Return the most memory that a process of its own had, in MiB."""
    done = subprocess.run(
        [sys.executable, "-c", "\n".join((*lines, PEAK))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the most memory of a process")
@pytest.mark.parametrize("name", CALLS)
def test_the_largest_call_takes_less_than_a_gigabyte(name):
    first, admitted, beyond = CALLS[name]
    refused = (
        "from exactdp.errors import TooLargeError",
        "try:",
        f"    {beyond}",
        "    raise AssertionError",
        "except TooLargeError:",
        "    pass",
    )
    # Not much less either: the limit is near.
    assert 150 < peak(first, admitted) < MEBIBYTES
    assert peak(first, *refused) < 100
