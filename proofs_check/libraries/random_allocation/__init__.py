"""random-allocation: its bounds on δ of random allocation."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Falls, Trials, cases
from exactdp.side import Side
from exactdp.testing.later import st
from proofs_check.libraries.allocation import allocated, allocation, at_most_allocated
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import allocations, small

__all__ = ["TRIALS"]

IMPORTS = """
import numpy
from random_allocation.comparisons.definitions import *
from random_allocation.comparisons.structs import PrivacyParams, SchemeConfig, Direction, Verbosity
from random_allocation import random_allocation_scheme as schemes
def ask(call, direction, **params):
    config = SchemeConfig(allocation_direct_alpha_orders=list(range(2, 13)),
                          allocation_RDP_DCO_alpha_orders=list(numpy.arange(2, 60, 0.5)),
                          verbosity=Verbosity.NONE)
    at = dict(params=PrivacyParams(**params), config=config, direction=Direction[direction])
    return getattr(schemes, "allocation_" + call)(**at)
"""

METHODS = ("direct", "RDP_DCO", "analytic", "decomposition", "recursive", "combined")
DIRECTIONS = ("REMOVE", "ADD")


def delta_of(method: str, direction: str, sigma: float, steps: int, epsilon: float) -> str:
    """Return the call for δ of one direction."""
    call = f"'delta_{method}', {direction!r}"
    return f"ask({call}, sigma={sigma!r}, num_steps={steps}, epsilon={epsilon!r})"


TRIALS: Trials = {
    "libraries/random-allocation/bounds": Promise(
        "random-allocation",
        IMPORTS,
        lambda method, sigma, steps, delta, chosen=1: (
            f"ask('epsilon_{method}', 'BOTH', sigma={sigma!r}, num_steps={steps}, "
            f"num_selected={chosen}, delta={delta!r})"
        ),
        "epsilon",
        allocation,
        allocated,
        cases(
            method=METHODS,
            sigma=(1.0,),
            steps__chosen=((10, 1), (10, 2), (10, 10)),
            delta=(1e-3,),
        )
        .deep(sigma=(1.0, 2.0), delta=(1e-3, 1e-5))
        .drawn(lambda: {"method": st.sampled_from(METHODS), **allocations(100, delta=small(6))}),
        shaved=Fraction(1, 2),
        draws=4,
        fair=lambda steps, chosen: chosen <= steps,
        ranges={"sigma": (0.5, 100.0), "delta": (1e-12, 0.5), "steps": (1, 10**4)},
    ).readings(),
    "libraries/random-allocation/delta-bounds": Promise(
        "random-allocation",
        IMPORTS,
        delta_of,
        "delta",
        allocation,
        allocated,
        cases(
            method=METHODS,
            direction=DIRECTIONS,
            sigma=(1.0,),
            steps=(10, 1),
            epsilon=(1.0,),
        )
        .deep(sigma=(1.0, 2.0), steps=(10, 2, 1, 100), epsilon=(1.0, 0.5, 3.0))
        .drawn(
            lambda: {
                "method": st.sampled_from(METHODS),
                "direction": st.sampled_from(DIRECTIONS),
                **allocations(100),
            }
        ),
        shaved=Fraction(1, 2),
        draws=4,
        ranges={"sigma": (0.5, 100.0), "steps": (1, 10**4), "epsilon": (1e-3, 20.0)},
        falls=Falls.ROUNDING,
    ).readings(),
    "libraries/random-allocation/lower-bound": Promise(
        "random-allocation",
        IMPORTS,
        delta_of,
        "delta",
        allocation,
        at_most_allocated,
        cases(
            method=("lower_bound",),
            direction=("ADD", "REMOVE"),
            sigma=(1.0, 2.0),
            steps=(2, 1, 10, 100),
            epsilon=(2.0, 1.0, 0.5),
        ).drawn(
            lambda: {
                "method": st.just("lower_bound"),
                "direction": st.sampled_from(["ADD", "REMOVE"]),
                **allocations(10),
            }
        ),
        side=Side.LOWER,
        shaved=Fraction(1, 2),
        compares=6,  # a truth of 100 steps takes a minute
        draws=30,
    ).readings(),
}
