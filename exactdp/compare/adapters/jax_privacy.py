"""jax-privacy: ε of DP-SGD's steps, and the noise multiplier of an ε, by two accountants.

The accounting computes with dp-accounting alone, but importing it imports jax. Where chex is
missing (``pip install --no-deps jax-privacy``, then dp-accounting) it is loaded without the package
around it; chex names types there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant, batch_of

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS", "ALONE"]

ALONE = """
import importlib.util as _u, logging as _l, sys as _s, types as _t
_l.disable(_l.WARNING)
if _u.find_spec("chex") is None and "jax_privacy" not in _s.modules:
    _package, _chex = _t.ModuleType("jax_privacy"), _t.ModuleType("chex")
    _package.__path__ = list(_u.find_spec("jax_privacy").submodule_search_locations)
    _chex.Numeric = float
    _s.modules.update({"jax_privacy": _package, "chex": _chex, "optax": _t.ModuleType("optax")})
"""
"""Loads the accounting where jax is missing, which takes half a gigabyte."""


def _epsilon(name: str, case: Deployment) -> str | None:
    sizes = batch_of(case)
    if sizes is None:
        return None
    m = case.mechanism
    return (
        f"float(trained({name!r}).compute_epsilon({m.times}, accounting.DpParams("
        f"noise_multipliers={m.parameter!r}, batch_size={sizes[0]}, num_samples={sizes[1]}, "
        f"delta={case.delta!r})))"
    )


def _noise(name: str, case: Deployment) -> str | None:
    sizes = batch_of(case)
    if sizes is None:
        return None
    return (
        f"accounting.calibrate_noise_multiplier(target_epsilon={case.epsilon!r}, "
        f"target_delta={case.delta!r}, accountant=trained({name!r}), batch_sizes={sizes[0]}, "
        f"num_samples={sizes[1]}, num_updates={case.mechanism.times})"
    )


ACCOUNTANTS = [
    Accountant(
        f"jax-privacy/{name.lower()}",
        "jax-privacy",
        "from jax_privacy import accounting; "
        "trained = lambda name: accounting.DpsgdTrainingAccountant(dp_accountant_config="
        "getattr(accounting, name + 'AccountantConfig')())",
        {"epsilon": partial(_epsilon, name), "parameter": partial(_noise, name)},
        before=ALONE,
    )
    for name in ("Pld", "Rdp")
]
