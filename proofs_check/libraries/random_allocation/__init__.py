"""random-allocation: its bounds on δ of random allocation."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from exactdp.claims import Trials, cases
from exactdp.testing.failures import Side
from proofs_check.libraries.allocation import allocated, at_most_allocated
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole

__all__ = ["TRIALS"]

IMPORTS = """
import numpy
from random_allocation.comparisons.definitions import *
from random_allocation.comparisons.structs import PrivacyParams, SchemeConfig, Direction, Verbosity
import random_allocation as allocation
def ask(method, sigma, steps, chosen, delta):
    config = SchemeConfig(allocation_direct_alpha_orders=list(range(2, 13)),
                          allocation_RDP_DCO_alpha_orders=list(numpy.arange(2, 60, 0.5)),
                          verbosity=Verbosity.NONE)
    params = PrivacyParams(sigma=sigma, num_steps=steps, num_selected=chosen, delta=delta)
    return getattr(allocation, "allocation_epsilon_" + method)(params=params, config=config)
def ask_delta(method, direction, sigma, steps, epsilon):
    from random_allocation import random_allocation_scheme as schemes
    config = SchemeConfig(allocation_direct_alpha_orders=list(range(2, 13)),
                          allocation_RDP_DCO_alpha_orders=list(numpy.arange(2, 60, 0.5)),
                          verbosity=Verbosity.NONE)
    params = PrivacyParams(sigma=sigma, num_steps=steps, epsilon=epsilon)
    call = getattr(schemes, "allocation_delta_" + method)
    return call(params=params, config=config, direction=getattr(Direction, direction))
"""

METHODS = ("direct", "RDP_DCO", "analytic")


def delta_of(method: str, direction: str, sigma: float, steps: int, epsilon: float) -> str:
    """Return the call for δ of one direction."""
    return f"ask_delta({method!r}, {direction!r}, {sigma!r}, {steps}, {epsilon!r})"


TRIALS: Trials = {
    "libraries/random-allocation/bounds": Promise(
        "random-allocation",
        IMPORTS,
        lambda method, sigma, steps, chosen, delta: (
            f"ask({method!r}, {sigma!r}, {steps}, {chosen}, {delta!r})"
        ),
        "epsilon",
        None,
        allocated,
        cases(
            method=METHODS,
            sigma=(1.0,),
            steps__chosen=((10, 1), (2, 1), (10, 10)),
            delta=(1e-5, 1e-3),
        ).drawn(
            lambda: {
                "method": st.sampled_from(METHODS),
                "sigma": doubles(0.4, 20.0),
                "steps": whole(100),
                "chosen": st.just(1),
                "delta": small(12),
            }
        ),
        shaved=Fraction(1, 10),
        draws=30,
    ).readings(),
    "libraries/random-allocation/delta-bounds": Promise(
        "random-allocation",
        IMPORTS,
        delta_of,
        "delta",
        None,
        lambda sigma, steps, epsilon: allocated(sigma, steps, 1, epsilon),
        cases(
            method=METHODS, direction=("REMOVE",), sigma=(1.0,), steps=(10, 2), epsilon=(1.0, 3.0)
        ).drawn(
            lambda: {
                "method": st.sampled_from(METHODS),
                "direction": st.just("REMOVE"),
                "sigma": doubles(0.4, 20.0),
                "steps": whole(100),
                "epsilon": doubles(0.01, 50.0),
            }
        ),
        shaved=Fraction(1, 100),
        draws=30,
    ).readings(),
    "libraries/random-allocation/lower-bound": Promise(
        "random-allocation",
        IMPORTS,
        delta_of,
        "delta",
        None,
        at_most_allocated,
        cases(
            method=("lower_bound",),
            direction=("REMOVE", "ADD"),
            sigma=(1.0, 2.0),
            steps=(1, 2, 10, 100),
            epsilon=(1.0, 0.5, 2.0, 3.0),
        ),
        side=Side.LOWER,
        shaved=Fraction(1, 100),
    ).readings(),
}
