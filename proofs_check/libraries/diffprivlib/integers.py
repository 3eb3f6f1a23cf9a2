"""diffprivlib: noise on integers, the snapping mechanism, and its accountant's spent budget."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Falls, Statement, Trials, cases, listed, term
from exactdp.side import Side
from exactdp.testing.later import st
from proofs_check.libraries.laws import leaky, leaky_delta
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.recorded import recorded, two_outcomes
from proofs_check.libraries.search import doubles, small, whole

__all__ = ["TRIALS"]

SNAP = (
    "import struct\n"
    "from fractions import Fraction\n"
    "from math import nextafter\n"
    "from random import Random\n"
    "from diffprivlib.mechanisms import Snapping\n"
    "def snap(epsilon, sensitivity, lower, upper):\n"
    "    made = Snapping(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper)\n"
    "    def reaches(u, value, sign, top):\n"
    "        made._getrandbits, made._uniform_sampler = lambda bits: sign, lambda: u\n"
    "        y = made.randomise(value)\n"
    "        return y >= top if sign else y <= top\n"
    "    def probability(value, sign, top):\n"
    "        low, high = 0, 1023 << 52\n"  # of u in (0, 1], by their bits
    "        while high - low > 1:\n"
    "            middle = (low + high) // 2\n"
    "            u = struct.unpack('>d', struct.pack('>q', middle))[0]\n"
    "            low, high = (middle, high) if reaches(u, value, sign, top) else (low, middle)\n"
    "        return struct.unpack('>d', struct.pack('>q', low + 1))[0] / 2 if low else 0.0\n"
    "    def pair(value):\n"
    "        other = value + sensitivity\n"
    "        while Fraction(other) - Fraction(value) > Fraction(sensitivity):\n"
    "            other = nextafter(other, value)\n"
    "        found = []\n"
    "        for sign, u in ((0, 0.01), (1, 0.01), (0, 1e-9), (1, 1e-9)):\n"
    "            made._getrandbits, made._uniform_sampler = lambda bits: sign, lambda: u\n"
    "            top = made.randomise(value)\n"
    "            found.append((other, *(probability(x, sign, top) for x in (value, other))))\n"
    "        return max(found, key=lambda at: max(at[1:]) / min(at[1:]) if min(at[1:]) else 0)\n"
    "    values = [lower, (lower + upper) / 2]\n"
    "    values += [Random(i).uniform(lower, upper - sensitivity) for i in range(4)]\n"
    "    kept = [(x, *pair(x)) for x in values if x + sensitivity <= upper]\n"
    "    return max(kept, key=lambda at: max(at[2:]) / min(at[2:]) if min(at[2:]) else 0)\n"
)
"""Finds two inputs, and the probabilities that the output is at least, or at most, a number.

The mechanism draws a bit for the sign and a double u in (0, 1), below any u with probability u.
"""


def geometric(name: str, ends: str) -> dict[str, Statement]:
    """Return the readings for noise on integers: its rate 1/b, times the sensitivity, is at most ε.

    Results that are moved to the nearest end, or folded at one end, lose as much as the noise
    does: at that end, from an input there.
    """
    return Promise(
        library="diffprivlib",
        imports="from math import inf\nfrom diffprivlib.mechanisms import *",
        call=lambda epsilon, sensitivity: (
            f"-{name}(epsilon={epsilon!r}, sensitivity={sensitivity}{ends})._scale"
        ),
        asks="scale",
        law=None,
        delta=lambda epsilon: term(Fraction(epsilon)),
        claim=lambda answer, sensitivity: answer * sensitivity,
        over=cases(
            epsilon=(1.0, 0.5, 2.0, 0.1, 8.0, 20.0, 1e-3, 700.0), sensitivity=(1, 2, 3, 10, 1000)
        ).drawn(lambda: {"epsilon": doubles(1e-9, 700.0), "sensitivity": whole(10**6)}),
        side=Side.LOWER,
        falls=Falls.ROUNDING,
        unit="ε",
    ).readings()


SNAPPED = listed(
    *(
        {"epsilon": epsilon, "sensitivity": sensitivity, "lower": lower, "upper": upper}
        for epsilon in (1.0, 0.5, 0.1, 2.0, 8.0)
        for lower, upper, sensitivity in (
            (0.0, 1.0, 1.0),
            (0.0, 10.0, 1.0),
            (0.0, 100.0, 1.0),
            (-1.0, 1.0, 0.1),
            (0.0, 1e6, 3.0),
            (18.0, 100.0, 0.7),
            (1.7e9, 1.7e9 + 86400, 3.0),
            (0.0, 1e9, 1.0),
        )
    )
).drawn(
    lambda: {
        "epsilon": doubles(1e-6, 100.0),
        "sensitivity": st.sampled_from([1.0, 0.1, 3.0, 10.0]),
        "lower": st.sampled_from([0.0, -1.0, 18.0, -100.0, 1e5]),
        "upper": st.sampled_from([2e5, 1e6, 1e9]),
    }
)
SPENT = cases(
    parameter__leak__times__slack=(
        (0.05, 0.0, 20, 1e-3),
        (0.25, 0.0, 2, 0.0),
        (1.0, 0.0, 1, 0.0),
        (0.1, 1e-6, 100, 1e-5),
        (0.1, 0.0, 100, 1e-5),
        (1.0, 1e-5, 10, 1e-3),
        (1.0, 0.0, 10, 0.1),
        (0.01, 1e-8, 1000, 1e-6),
        (0.5, 0.0, 50, 0.5),
        (0.01, 0.0, 10_000, 1e-8),
        (1e-3, 0.0, 10**6, 1e-5),
        (5.0, 1e-3, 5, 0.01),
        (1e-4, 0.0, 100, 0.9),
    )
).drawn(
    lambda: {
        "parameter": doubles(1e-6, 50.0),
        "leak": st.sampled_from([0.0, 1e-6, 1e-10, 1e-3]),
        "times": whole(1000),
        "slack": st.just(0.0) | small(300),
    }
)

TRIALS: Trials = {
    "libraries/diffprivlib/geometric": geometric("Geometric", ""),
    "libraries/diffprivlib/geometric-truncated": geometric(
        "GeometricTruncated", ", lower=0, upper=10**9"
    ),
    "libraries/diffprivlib/geometric-folded": geometric("GeometricFolded", ", lower=0, upper=inf"),
    "libraries/diffprivlib/snapping": recorded(
        "diffprivlib",
        SNAP,
        lambda epsilon, sensitivity, lower, upper: (
            f"snap({epsilon!r}, {sensitivity!r}, {lower!r}, {upper!r})"
        ),
        SNAPPED.where(lambda lower, upper, sensitivity: upper - lower >= sensitivity),
        picks=slice(4),
        says=lambda epsilon, answer, room: two_outcomes(epsilon, 0.0, answer, room),
        shaved=Fraction(1, 2),
        draws=20,  # a call takes a twentieth of a second
    ),
    "libraries/diffprivlib/budget-accountant": Promise(
        library="diffprivlib",
        imports="from diffprivlib import BudgetAccountant",
        call=lambda parameter, leak, times, slack: (
            f"BudgetAccountant().total([({parameter!r}, {leak!r})] * {times}, slack={slack!r})"
        ),
        asks="epsilon",
        law=leaky,
        delta=leaky_delta,
        over=SPENT,
        picks=slice(2),
        shaved=Fraction(1, 2),
        falls=Falls.ROUNDING,
    ).readings(),
}
