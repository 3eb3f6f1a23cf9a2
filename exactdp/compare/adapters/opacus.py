"""opacus' accountants, and those of gdpnum and riskcal with its interface: ε of DP-SGD's steps.

The accountants of opacus compute with numpy alone, but importing them imports torch. Where torch
is missing (``pip install --no-deps opacus``, then numpy and scipy) they are loaded without the
package around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]

_ALONE = """
import importlib.util as _u, sys as _s, types as _t
if _u.find_spec("torch") is None and "opacus" not in _s.modules:
    _package, _optimizers = _t.ModuleType("opacus"), _t.ModuleType("opacus.optimizers")
    _package.__path__ = list(_u.find_spec("opacus").submodule_search_locations)
    _optimizers.DPOptimizer = object
    _s.modules.update({"opacus": _package, "opacus.optimizers": _optimizers})
"""


def _epsilon(case: Deployment, name: str) -> str | None:
    if any(m.kind != "gaussian" for m in case.mechanisms):
        return None
    history = [(m.parameter, m.sampling_probability, m.times) for m in case.mechanisms]
    return f"of({name}(), {history}, {case.delta!r})"


def _accountant(title: str, module: str, name: str, before: str = "") -> Accountant:
    return Accountant(
        title,
        title.partition("/")[0],
        f"from {module} import {name}; "
        "of = lambda one, steps, delta: (setattr(one, 'history', steps), "
        "one.get_epsilon(delta=delta))[1]",
        {"epsilon": lambda case: _epsilon(case, name)},
        before=before,
    )


ACCOUNTANTS = [
    _accountant("opacus/rdp", "opacus.accountants", "RDPAccountant", _ALONE),
    _accountant("opacus/gdp", "opacus.accountants", "GaussianAccountant", _ALONE),
    _accountant("opacus/prv", "opacus.accountants", "PRVAccountant", _ALONE),
    _accountant("gdpnum/ctd", "gdpnum", "CTDAccountant"),
    _accountant("riskcal/ctd", "riskcal.accountants.ctd", "CTDAccountant"),
]
