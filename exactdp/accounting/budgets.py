"""Budgets of other libraries as profiles: what a promise of theirs implies, at its tightest.

A mapping, as JSON has it ({"rho": "0.1"}), a budget of Tumult Analytics, or a mechanism of autodp.
The objects are read by their attributes, so neither library need be installed here.

References: Tumult Analytics 0.20, ``tmlt.analytics.privacy_budget``; autodp 0.2.3.1,
``autodp.autodp_core.Mechanism``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from numbers import Real as RealNumber
from typing import Any

from exactdp.accounting.guarantees import from_gdp, guarantee
from exactdp.accounting.renyi_guarantee import from_renyi, from_zcdp
from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError
from exactdp.numbers import Exact, RationalLike, short

__all__ = ["read_budget"]

_KEYS = {
    frozenset({"epsilon"}),
    frozenset({"epsilon", "delta"}),
    frozenset({"rho"}),
    frozenset({"rho", "delta"}),
    frozenset({"mu"}),
    frozenset({"renyi"}),
}
_ADVICE = (
    'Pass {"epsilon": "1"}, {"epsilon": "1", "delta": "1e-6"}, {"rho": "0.1"}, {"mu": "0.5"}, '
    '{"renyi": {"2": "0.1"}}, a budget of Tumult Analytics, or a mechanism of autodp.'
)
_ORDERS = (Fraction(3, 2), *map(Fraction, range(2, 65)), Fraction(128), Fraction(256))
"""The orders at which autodp's Rényi curve is asked."""


def read_budget(budget: Any) -> PrivacyProfile:
    """Return the profile of what a budget of another library promises.

    Formula:
        (ε, δ): :func:`guarantee`; ρ: :func:`from_zcdp`; μ: :func:`from_gdp`; Rényi divergences:
        :func:`from_renyi`. Of an autodp mechanism the pure ε where it has one, else its Rényi
        curve at the orders 3/2, 2, 3, ..., 64, 128 and 256.

    What is returned composes with any other profile. It is what the promise implies, not the
    mechanism behind it: where that is known, ask it itself.

    Args:
        budget: A mapping of epsilon, delta, rho, mu or renyi, with numbers or texts of them; a
            ``PureDPBudget``, ``ApproxDPBudget`` or ``RhoZCDPBudget``; or an autodp ``Mechanism``. A
            double counts as the number that it holds.

    Raises:
        DomainError: If it is none of these, or infinite.

    Source:
        Bun & Steinke 2016, Definition 1.1 (ρ); Mironov 2017, Definition 4 (Rényi).

    Example:
        A month of daily releases, each within ρ = 1/100:

        >>> from exactdp.accounting import compose
        >>> month = compose([(read_budget({"rho": "0.01"}), 30)])
        >>> print(f"{month.epsilon('1e-6', relative_width='1e-3').upper:.4g}")
        3.921
        >>> read_budget({"epsilon": "1", "delta": "1e-6"}).infinity_mass()
        Exact('1/1000000')
    """
    if isinstance(budget, Mapping):
        return _of_mapping(budget)
    if callable(getattr(budget, "RenyiDP", None)) and hasattr(budget, "eps_pureDP"):
        return _of_autodp(budget)
    if isinstance(getattr(budget, "is_infinite", None), bool) and hasattr(budget, "value"):
        return _of_tumult(budget)
    raise DomainError(f"budget={short(repr(budget))} is no budget that is known. {_ADVICE}")


def _of_mapping(budget: Mapping[Any, Any]) -> PrivacyProfile:
    if frozenset(budget) not in _KEYS:
        raise DomainError(f"budget has the keys {short(repr(list(budget)))}. {_ADVICE}")
    if "renyi" in budget:
        return _of_curve(budget["renyi"])
    given = {str(key): _number(value, str(key)) for key, value in budget.items()}
    delta = given.get("delta", Exact(0))
    if "rho" in given:
        return from_zcdp(given["rho"], delta=delta)
    if "mu" in given:
        return from_gdp(given["mu"])
    return _pure_or_approximate(given["epsilon"], delta)


def _of_curve(curve: Any) -> PrivacyProfile:
    if not isinstance(curve, Mapping):
        raise DomainError(f"renyi={short(repr(curve))} is no table of orders. {_ADVICE}")
    table: dict[RationalLike, Any] = {
        _number(order, "order").as_fraction(): _number(value, f"renyi[{order}]").as_fraction()
        for order, value in curve.items()
    }
    return from_renyi(table)


def _pure_or_approximate(epsilon: Exact, delta: Exact) -> PrivacyProfile:
    return guarantee(epsilon.as_fraction(), delta)


def _of_tumult(budget: Any) -> PrivacyProfile:
    if budget.is_infinite:
        raise DomainError("budget is infinite: it promises nothing. Pass a finite one.")
    numbers = budget.value if isinstance(budget.value, tuple) else (budget.value,)
    exact = [_number(getattr(one, "expr", one), "budget.value") for one in numbers]
    if hasattr(budget, "rho"):
        return from_zcdp(exact[0])
    return _pure_or_approximate(exact[0], exact[1] if len(exact) > 1 else Exact(0))


def _of_autodp(mechanism: Any) -> PrivacyProfile:
    pure = mechanism.eps_pureDP
    if math.isfinite(pure):
        return guarantee(Fraction(pure))
    values = {order: mechanism.RenyiDP(order.numerator / order.denominator) for order in _ORDERS}
    finite: dict[RationalLike, Any] = {
        order: Fraction(x) for order, x in values.items() if math.isfinite(x)
    }
    if not finite:
        raise DomainError(
            f"budget={short(repr(mechanism))} has neither a pure epsilon nor a Rényi curve. Pass "
            'its {"epsilon": ..., "delta": ...}.'
        )
    return from_renyi(finite)


def _number(value: Any, name: str) -> Exact:
    """Return a number, a double or a text as the rational number that it is."""
    if isinstance(value, RealNumber) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise DomainError(f"{name}={value} is not finite. Pass a finite number.")
        real: Any = value
        return Exact(Fraction(*map(int, real.as_integer_ratio())))
    if isinstance(value, bool | type(None)):
        raise DomainError(f"{name}={value!r} is no number. {_ADVICE}")
    found = Exact(str(value), name=name)
    if not found.is_rational:
        raise DomainError(f"{name}={short(str(value))} is not rational. Pass a decimal above it.")
    return found
