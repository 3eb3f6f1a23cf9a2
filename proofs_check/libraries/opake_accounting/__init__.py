"""opake-accounting: pessimistic privacy-loss distributions of Gaussians, sampled and allocated."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.claims import Trials, listed
from proofs_check.libraries.allocation import allocated
from proofs_check.libraries.laws import delta, law
from proofs_check.libraries.promises import Promise

__all__ = ["TRIALS"]

# The extension alone: its package cannot be imported by every Python 3.11.
IMPORTS = """
import glob, sysconfig
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
place = sysconfig.get_paths()["purelib"] + "/opake/api/accounting/core/opake_accounting*.so"
loader = ExtensionFileLoader("opake_accounting", glob.glob(place)[0])
pld = module_from_spec(spec_from_loader("opake_accounting", loader))
loader.exec_module(pld)
config = pld.DiscretizationConfig()
"""


def of_steps(parameter: float, epsilon: float, rate: float = 1.0, times: int = 1, **_: Any) -> str:
    """Return the call for δ of a training."""
    one = f"pld.gaussian_pld({parameter!r}, config)"
    if rate < 1:
        one = f"pld.poisson_pld({one}, {rate!r})"
    return f"{one}.self_compose({times}).delta_at({epsilon!r})"


STEPS: list[dict[str, Any]] = [
    {"parameter": 1.0},
    {"parameter": 1.0, "rate": 0.01},
    {"parameter": 1.0, "rate": 0.01, "times": 1000},
    {"parameter": 4.0, "times": 10},
    {"parameter": 2.0, "rate": 0.1, "times": 100},
    {"parameter": 0.5},
    {"parameter": 100.0, "times": 100},
]

TRIALS: Trials = {
    "libraries/opake-accounting/pessimistic-delta": Promise(
        "opake-accounting",
        IMPORTS,
        of_steps,
        "delta",
        law,
        delta,
        listed(
            *(
                {"mechanism": "gaussian", **fields, "epsilon": epsilon}
                for fields in STEPS
                for epsilon in (1.0, 0.1, 2.0, 5.0, 10.0, 0.0)
            )
        ),
        shaved=Fraction(9, 10),
    ).readings(),
    "libraries/opake-accounting/random-allocation": Promise(
        "opake-accounting",
        IMPORTS,
        lambda sigma, steps, chosen, epsilon: (
            f"pld.random_allocation_gaussian_pld({sigma!r}, {steps}, {chosen}, config)"
            f".delta_at({epsilon!r})"
        ),
        "delta",
        None,
        allocated,
        listed(
            *(
                {"sigma": sigma, "steps": t, "chosen": k, "epsilon": epsilon}
                for sigma in (1.0,)
                for t, k in ((2, 1), (2, 2))
                for epsilon in (1.0, 3.0)
            )
        ),
        shaved=Fraction(1, 2),
    ).readings(),
}
