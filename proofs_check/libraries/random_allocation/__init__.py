"""random-allocation: its bounds on δ of random allocation."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import Trials, cases
from proofs_check.libraries.allocation import allocated
from proofs_check.libraries.promises import Promise

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
"""

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
            method=("direct", "RDP_DCO", "analytic"),
            sigma=(1.0,),
            steps__chosen=((10, 1), (2, 1), (10, 10)),
            delta=(1e-5, 1e-3),
        ),
        shaved=Fraction(1, 10),
    ).readings()
}
