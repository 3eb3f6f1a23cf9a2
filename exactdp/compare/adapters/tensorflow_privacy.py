"""tensorflow-privacy: ε of DP-SGD by the central limit theorem of Gaussian DP.

The accountant computes with numpy and scipy alone, but importing it imports tensorflow. Where that
is missing (``pip install --no-deps tensorflow-privacy``, then numpy and scipy) it is loaded without
the packages around it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

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

_MOST_RECORDS = 10**9
"""The largest denominator of a sampling probability, which the accountant takes as a count."""


def _epsilon(case: Deployment) -> str | None:
    m = case.mechanism
    rate = Fraction(m.rate).limit_denominator(_MOST_RECORDS)
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or float(rate) != m.rate:
        return None
    batch, n = rate.numerator, rate.denominator
    epochs = float(m.times * rate)
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
