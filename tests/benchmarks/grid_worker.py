"""Answers points of the grid, one line of JSON after another, each within a processor time.

The operating system ends the process when a point takes more (RLIMIT_CPU): whoever asked sees
the end of the output, and starts another.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

MOST_MEMORY = 6 << 30
WIDTH = os.environ.get("EXACTDP_GRID_WIDTH", "1e-2")


@cache
def lattices() -> list[int]:
    """The points of all lattices from now on: the largest takes most of the time."""
    from exactdp.sums.lattices.tilted import TiltedLaws

    found: list[int] = []
    usual = TiltedLaws.of

    def watched(*arguments: Any) -> TiltedLaws:
        laws = usual(*arguments)
        found.append(laws.plan.points)
        return laws

    TiltedLaws.of = watched  # type: ignore[method-assign,assignment]
    return found


def ours(parts: list[Any], neighbors: str, delta: str) -> list[list[float]]:
    """ε at δ, then δ at the upper end of that ε, of the width each."""
    from exactdp.numbers import Epsilon
    from tests.routes.deployments import profile

    lattices().clear()
    asked = profile(parts, neighbors)  # type: ignore[arg-type]
    epsilon = asked.epsilon(delta, relative_width=WIDTH)
    back = asked.delta(Epsilon.rational(epsilon.upper), relative_width=WIDTH)
    return [[float(found.lower), float(found.upper)] for found in (epsilon, back)]


def google(parts: list[Any], neighbors: str, delta: str) -> list[list[float]]:
    """ε at δ, then δ at it, by dp-accounting's PLDAccountant as it is made by default."""
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    relation = dp_accounting.NeighboringRelation
    kinds = {"add_or_remove": relation.ADD_OR_REMOVE_ONE, "substitution": relation.REPLACE_ONE}
    accountant = PLDAccountant(kinds[neighbors])
    for noise, scale, rate, steps in parts:
        kind = (
            dp_accounting.GaussianDpEvent if noise == "gaussian" else dp_accounting.LaplaceDpEvent
        )
        event = dp_accounting.PoissonSampledDpEvent(float(rate), kind(float(scale)))
        accountant.compose(event, steps)
    epsilon = accountant.get_epsilon(float(delta))
    back = accountant.get_delta(epsilon)
    return [[epsilon, epsilon], [back, back]]


def calibration(name: str, arguments: dict[str, Any]) -> list[list[float]]:
    """What is found of DP-SGD for "sigma", "rate" or "steps", whichever ``name`` is."""
    from exactdp.accounting import dp_sgd
    from exactdp.divergences import calibrated
    from exactdp.errors import DomainError
    from exactdp.numbers import Epsilon

    epsilon, delta = Epsilon.rational(arguments.pop("epsilon")), arguments.pop("delta")
    if name != "steps":
        arguments["relative_width"] = WIDTH
    try:
        found = calibrated(dp_sgd, epsilon=epsilon, delta=delta, **arguments)
    except DomainError:  # none meets the target, which is an answer
        return []
    return [[float(found.lower), float(found.upper)]]


KINDS: dict[str, Callable[..., list[list[float]]]] = {
    "exactdp": ours,
    "dp-accounting": google,
    "calibration": calibration,
}


def peak_memory() -> float:
    """The most memory that this process ever had, in MB; of Linux."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (one for one in lines if one.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e6


def main() -> None:
    """Answer what stands on the standard input: [kind, seconds, arguments]."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for line in sys.stdin:
        kind, seconds, arguments = json.loads(line)
        start = process_time()
        resource.setrlimit(
            resource.RLIMIT_CPU, (math.ceil(start + seconds), resource.RLIM_INFINITY)
        )
        reply: dict[str, Any] = {}
        try:
            reply["found"] = KINDS[kind](*arguments)
        except Exception as error:  # the library of others too: any error is not an answer
            reply["refused"] = f"{type(error).__name__}: {error}".splitlines()[0]
        reply["seconds"] = process_time() - start
        reply["megabytes"] = peak_memory()
        if kind == "exactdp":
            reply["points"] = max(lattices(), default=0)
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
