"""opake-accounting: privacy-loss distributions of Gaussians on Poisson samples, composed.

The distributions are those of its extension in Rust, which is loaded without the package around
it: that one cannot be imported under CPython 3.11.7. Random allocation of k steps out of t is
asked where it is a mechanism here: k = t = 1 is one Gaussian.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment, Mechanism

__all__ = ["ACCOUNTANTS"]

_ALONE = """
import importlib.util as _u, sys as _s, types as _t
_core = _t.ModuleType("opake.api.accounting.core")
_found = _u.find_spec("opake.api.accounting")
_core.__path__ = [f"{one}/core" for one in _found.submodule_search_locations]
_s.modules.setdefault(_core.__name__, _core)
"""
_IMPORTS = (
    "from opake.api.accounting.core import opake_accounting as opake; "
    "config = opake.DiscretizationConfig()"
)


def _sampled(m: Mechanism) -> str:
    one = f"opake.gaussian_pld({m.parameter!r}, config)"
    return one if not m.is_sampled else f"opake.poisson_pld({one}, {m.sampling_probability!r})"


def _allocated(m: Mechanism) -> str:
    return f"opake.random_allocation_gaussian_pld({m.parameter!r}, 1, 1, config)"


def _asked(case: Deployment, call: str, *, is_allocated: bool) -> str | None:
    if any(m.kind != "gaussian" or (is_allocated and m.is_sampled) for m in case.mechanisms):
        return None
    one = _allocated if is_allocated else _sampled
    parts = [f"{one(m)}.self_compose({m.times})" for m in case.mechanisms]
    return parts[0] + "".join(f".compose({part})" for part in parts[1:]) + f".{call}"


def _accountant(name: str, *, is_allocated: bool) -> Accountant:
    return Accountant(
        f"opake-accounting/{name}",
        "opake-accounting",
        _IMPORTS,
        {
            "delta": lambda case: _asked(
                case, f"delta_at({case.epsilon!r})", is_allocated=is_allocated
            ),
            "epsilon": lambda case: _asked(
                case, f"epsilon_at({case.delta!r})", is_allocated=is_allocated
            ),
        },
        before=_ALONE,
    )


ACCOUNTANTS = [
    _accountant("pld", is_allocated=False),
    _accountant("random-allocation", is_allocated=True),
]
