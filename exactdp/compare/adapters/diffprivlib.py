"""diffprivlib: the noise that its Gaussian mechanisms add, read from the mechanism's scale."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS"]


def _scale(name: str, case: Deployment) -> str | None:
    m = case.mechanism
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or not m.is_one_release:
        return None
    return f"{name}(epsilon={case.epsilon!r}, delta={case.delta!r}, sensitivity=1)._scale"


ACCOUNTANTS = [
    Accountant(
        f"diffprivlib/{title}",
        "diffprivlib",
        "from diffprivlib.mechanisms import Gaussian, GaussianAnalytic",
        {"parameter": partial(_scale, name)},
        needs="scikit-learn<1.6",
    )
    for title, name in (("gaussian", "Gaussian"), ("gaussian-analytic", "GaussianAnalytic"))
]
