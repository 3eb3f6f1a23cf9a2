"""tensorflow-privacy: ε of DP-SGD by the central limit theorem of Gaussian DP.

The accountant computes with numpy and scipy alone, but importing it imports tensorflow. Where that
is missing (``pip install --no-deps tensorflow-privacy``, then numpy and scipy) it is loaded without
the packages around it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant, batch_of

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]

_ALONE = """
import importlib.util as _u, sys as _s, types as _t
if _u.find_spec("tensorflow") is None and "tensorflow_privacy" not in _s.modules:
    _places = _u.find_spec("tensorflow_privacy").submodule_search_locations
    for _inner in ("", "/privacy", "/privacy/analysis"):
        _package = _t.ModuleType("tensorflow_privacy" + _inner.replace("/", "."))
        _package.__path__ = [_place + _inner for _place in _places]
        _s.modules[_package.__name__] = _package
"""


def _epsilon(case: Deployment) -> str | None:
    found, m = batch_of(case), case.mechanism
    if found is None:
        return None
    batch, n = found
    epochs = float(m.times * Fraction(batch, n))
    arguments = f"{epochs!r}, {m.parameter!r}, {n}, {batch}, {case.delta!r}"
    return f"float(gdp_accountant.compute_eps_poisson({arguments}))"


ACCOUNTANTS = [
    Accountant(
        "tensorflow-privacy/gdp",
        "tensorflow-privacy",
        "from tensorflow_privacy.privacy.analysis import gdp_accountant",
        {"epsilon": _epsilon},
        before=_ALONE,
    )
]
