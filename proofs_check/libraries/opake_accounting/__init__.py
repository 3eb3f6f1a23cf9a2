"""opake-accounting: pessimistic privacy-loss distributions of Gaussians, sampled and allocated."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from exactdp.claims import Cases, Statement, Term, Trials, cases, listed
from exactdp.side import Side
from exactdp.testing.later import st
from proofs_check.libraries.allocation import allocated, allocation
from proofs_check.libraries.laws import advantage, delta, law, missed
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import allocations, attacks, deployed, far

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
from functools import lru_cache
@lru_cache
def allocated(sigma, steps, chosen):  # takes a minute
    return pld.random_allocation_gaussian_pld(sigma, steps, chosen, pld.DiscretizationConfig())
@lru_cache
def trained(sigma, rate, times):
    one = pld.gaussian_pld(sigma, pld.DiscretizationConfig())
    return (pld.poisson_pld(one, rate) if rate < 1 else one).self_compose(times)
"""


def of_steps(parameter: float, epsilon: float, rate: float = 1.0, times: int = 1, **_: Any) -> str:
    """Return the call for δ of a training."""
    return f"trained({parameter!r}, {rate!r}, {times}).delta_at({epsilon!r})"


@st.composite
def few_allocations(draw: st.DrawFn) -> dict[str, Any]:
    """Return allocations: of all steps, of one of one, and of some, for which a call takes longer.

    A call takes minutes where one of ten steps is chosen.
    """
    pairs = (2, 2), (1, 1), (10, 10), (1000, 1000), (3, 3), (3, 2), (2, 1)
    steps, chosen = draw(st.sampled_from(pairs))
    found = {name: draw(one) for name, one in allocations(1).items()}
    return {**found, "steps": steps, "chosen": chosen}


def of_attacks(
    call: Callable[..., str], truth: Callable[..., Term], side: Side, over: Cases
) -> dict[str, Statement]:
    """Return the readings of the reported attacks on Gaussian steps."""
    return Promise(
        "opake-accounting",
        IMPORTS,
        call,
        "loss",
        None,
        truth,
        over,
        side=side,
        draws=200,
        unit="advantage" if side is Side.UPPER else "false negatives",
        worse=">" if side is Side.UPPER else "<",
    ).readings()


ATTACKED: dict[str, Any] = {"sigma": (1.0, 2.0, 5.0, 0.5, 100.0), "steps": (1, 10)}
ADVANTAGES = of_attacks(
    lambda sigma, steps: f"trained({sigma!r}, 1.0, {steps}).advantage()",
    lambda sigma, steps: advantage(Fraction(sigma), steps),
    Side.UPPER,
    cases(**ATTACKED).drawn(lambda: attacks(10**6, alphas=False)),
)
ERROR_RATES = of_attacks(
    lambda sigma, steps, alpha: f"trained({sigma!r}, 1.0, {steps}).beta_at({alpha!r})",
    missed,
    Side.LOWER,
    cases(**ATTACKED, alpha=(0.05, 0.01, 0.1, 0.001, 0.5, 1e-6)).drawn(lambda: attacks(10**6)),
)

TRIALS: Trials = {
    "libraries/opake-accounting/attacks": ADVANTAGES,
    "libraries/opake-accounting/attacks-false-negatives": ERROR_RATES,
    "libraries/opake-accounting/pessimistic-delta": Promise(
        "opake-accounting",
        IMPORTS,
        of_steps,
        "delta",
        law,
        delta,
        deployed("gaussian", asks="delta", most=10_000).then(far("delta", least=0.1)),
        shaved=Fraction(9, 10),
    ).readings(),
    "libraries/opake-accounting/random-allocation": Promise(
        "opake-accounting",
        IMPORTS,
        lambda sigma, steps, epsilon, chosen=1: (
            f"allocated({sigma!r}, {steps}, {chosen}).delta_at({epsilon!r})"
        ),
        "delta",
        allocation,
        allocated,
        cases(
            sigma=(1.0,),
            steps__chosen=((2, 1), (2, 2), (3, 2)),
            epsilon=(1.0, 0.5, 3.0),
        )
        .deep(sigma=(1.0, 2.0, 0.8), steps__chosen=((2, 1), (2, 2), (3, 2), (10, 1), (10, 2)))
        .then(listed({"sigma": 20.0, "steps": 3, "epsilon": 1.0, "chosen": 3}))  # it was drawn
        .drawn(lambda: few_allocations()),
        shaved=Fraction(9, 10),
        draws=200,
    ).readings(),
}
