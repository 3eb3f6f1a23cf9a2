"""tmlt.core: ε of Laplace and geometric noise, and Gaussian noise by its conversion of zCDP."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS", "ALONE", "CALLS_OF_NOISE", "is_implied", "sigma_of", "spent_by_noise"]

ALONE = """
import importlib.abc as _a, importlib.machinery as _m, importlib.util as _u, sys as _s, types as _t
class _Stub(_t.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {})
        setattr(self, name, made)
        return made
class _Stubs(_a.MetaPathFinder, _a.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pandas", "pyspark"):
            return _m.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        return _Stub(spec.name)
    def exec_module(self, module):
        pass
if _u.find_spec("pyspark") is None and "tmlt.core" not in _s.modules:
    _s.meta_path.append(_Stubs())
    _core = _t.ModuleType("tmlt.core")
    _core.__path__ = [_p + "/core" for _p in _u.find_spec("tmlt").submodule_search_locations]
    _s.modules["tmlt.core"] = _core
"""
"""Where pyspark is missing its names are empty classes: what is asked here uses none of them."""

CALLS_OF_NOISE = (
    "import sympy as sp; from tmlt.core.domains.numpy_domains import NumpyFloatDomain; "
    "from tmlt.core.measurements.converters import RhoZCDPToApproxDP; "
    "from tmlt.core.measurements.noise_mechanisms import *; "
    "reals = AddLaplaceNoise, AddGaussianNoise; "
    "made = lambda kind, x: kind(NumpyFloatDomain(), x) if kind in reals else kind(x); "
    "up = lambda number: float(number.to_float(round_up=True)); "
    "spent = lambda kind, parameter, distance: "
    "up(made(kind, sp.Rational(parameter)).privacy_function(sp.Rational(distance))); "
    "keep = lambda self, d_in, d_out: (setattr(self, 'rho', d_out), True)[1]; "
    "Asked = type('Asked', (AddGaussianNoise,), {'privacy_relation': keep}); "
    "asked = lambda one, *most: (RhoZCDPToApproxDP(one).privacy_relation(1, most), one.rho)[1]; "
    "rho = lambda *most: asked(Asked(NumpyFloatDomain(), 1), *map(sp.Rational, most)); "
    "sigma = lambda *most: float(sp.N(1 / sp.sqrt(2 * rho(*most)), 40))"
)
"""What asks for the loss of noise, and for the largest rho that its conversion lets through."""


def _short(x: float) -> Fraction:
    """Return a double, or its decimal, whichever is simpler: long ones take sympy minutes."""
    return min(Fraction(x), Fraction(repr(x)), key=lambda one: one.denominator)


def is_implied(x: float) -> bool:
    """Return whether tmlt's answer is at most the double: private for it, too, then.

    Example:
        >>> is_implied(0.1), is_implied(0.3)
        (True, False)
    """
    return _short(x) <= Fraction(x)


def spent_by_noise(kind: str, parameter: float, distance: float) -> str:
    """Return the call for the loss of noise of a scale or variance, after ``CALLS_OF_NOISE``.

    Example:
        >>> spent_by_noise("AddLaplaceNoise", 0.5, 1.0)
        "spent(AddLaplaceNoise, '1/2', '1')"
    """
    return f"spent({kind}, {str(Fraction(parameter))!r}, {str(Fraction(distance))!r})"


def sigma_of(epsilon: float, delta: float) -> str:
    """Return the call for the σ of Gaussian noise that is converted to (ε, δ).

    Example:
        >>> sigma_of(1.0, 1e-5)
        "sigma('1', '1/100000')"
    """
    return f"sigma({str(_short(epsilon))!r}, {str(_short(delta))!r})"


def _largest(case: Deployment) -> str | None:
    """Return the largest loss: it holds with every δ."""
    m = case.mechanism
    kinds = {"laplace": "AddLaplaceNoise", "discrete_laplace": "AddGeometricNoise"}
    if len(case.mechanisms) > 1 or not m.is_one_release or m.kind not in kinds:
        return None
    return spent_by_noise(kinds[m.kind], m.parameter, 1.0)


def _deviation(case: Deployment) -> str | None:
    m = case.mechanism
    if len(case.mechanisms) > 1 or m.kind != "gaussian" or not m.is_one_release:
        return None
    if not (is_implied(case.epsilon) and is_implied(case.delta)):
        return None
    return sigma_of(case.epsilon, case.delta)


ACCOUNTANTS = [
    Accountant("tmlt-core/noise", "tmlt-core", CALLS_OF_NOISE, {"epsilon": _largest}, before=ALONE),
    Accountant(
        "tmlt-core/zcdp", "tmlt-core", CALLS_OF_NOISE, {"parameter": _deviation}, before=ALONE
    ),
]
