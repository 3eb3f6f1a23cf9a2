"""opacus' accountants, and those of gdpnum and riskcal with its interface: ε of DP-SGD's steps."""

from __future__ import annotations

from exactdp.compare.accountants import Accountant
from exactdp.testing.cases import Deployment

__all__ = ["ACCOUNTANTS"]

_IMPORTS = """
from {module} import {name}
def epsilon(history, delta):
    accountant = {name}()
    accountant.history = history
    return accountant.get_epsilon(delta=delta)
"""


def _epsilon(case: Deployment) -> str | None:
    if any(m.kind != "gaussian" for m in case.mechanisms):
        return None
    history = [(m.parameter, m.rate, m.times) for m in case.mechanisms]
    return f"epsilon({history}, {case.delta!r})"


def _accountant(title: str, module: str, name: str) -> Accountant:
    imports = _IMPORTS.format(module=module, name=name)
    return Accountant(title, title.partition("/")[0], imports, {"epsilon": _epsilon})


ACCOUNTANTS = [
    _accountant("opacus/rdp", "opacus.accountants", "RDPAccountant"),
    _accountant("opacus/gdp", "opacus.accountants", "GaussianAccountant"),
    _accountant("opacus/prv", "opacus.accountants", "PRVAccountant"),
    _accountant("gdpnum/ctd", "gdpnum", "CTDAccountant"),
    _accountant("riskcal/ctd", "riskcal.accountants.ctd", "CTDAccountant"),
]
