"""random-allocation: its bounds for a Gaussian used in one step out of one, and Poisson sampling.

A record that is in one step out of one is in all: a Gaussian, composed over the epochs. More
steps are asked where the exact truth of random allocation is a mechanism here.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]

_MODULES = "random_allocation.random_allocation_scheme", "random_allocation.other_schemes.poisson"


_ORDERS = "allocation_direct_alpha_orders=list(range(2, 61))"  # those of its own examples
_AT = {"delta": "epsilon", "epsilon": "delta"}


def _asked(case: Deployment, *, call: str, at: str, is_sampled: bool) -> str | None:
    m = case.mechanism
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or (m.is_sampled and not is_sampled):
        return None
    if call.endswith("decomposition") and m.times > 1:
        return None  # of one epoch only
    steps = f"num_steps={m.times}" if is_sampled else f"num_steps=1, num_epochs={m.times}"
    rate = f", sampling_prob={m.sampling_probability!r}" if is_sampled else ""
    given = f"{at}={getattr(case, at)!r}"
    config = f"SchemeConfig({_ORDERS if call.endswith('direct') else ''})"
    return f"{call}(PrivacyParams({m.parameter!r}, {steps}, {given}), {config}{rate})"


def _accountant(title: str, family: str, method: str, *, is_sampled: bool = False) -> Accountant:
    # Poisson_delta_RDP takes no sampling probability.
    asks = ("epsilon",) if title == "poisson-rdp" else ("delta", "epsilon")
    names = {ask: f"{family}_{ask}_{method}" for ask in asks}
    return Accountant(
        f"random-allocation/{title}",
        "random-allocation",
        "from random_allocation import PrivacyParams, SchemeConfig; "
        f"from {_MODULES[is_sampled]} import {', '.join(names.values())}",
        {
            ask: partial(_asked, call=name, at=_AT[ask], is_sampled=is_sampled)
            for ask, name in names.items()
        },
        needs="pandas",
    )


ACCOUNTANTS = [
    *(
        _accountant(method.lower().replace("_", "-"), "allocation", method)
        for method in ("analytic", "decomposition", "direct", "RDP_DCO")
    ),
    *(
        _accountant(f"poisson-{method.lower()}", "Poisson", method, is_sampled=True)
        for method in ("PLD", "RDP")
    ),
]
