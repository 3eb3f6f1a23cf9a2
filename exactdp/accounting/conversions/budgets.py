"""Budgets of other libraries as profiles: the tightest profile that each implies.

A mapping, as JSON has it ({"rho": "0.1"}), a budget of Tumult Analytics or Core, or a mechanism of
autodp. The objects are read by their attributes, so neither library need be installed here.

References: Tumult Analytics 0.21, ``tmlt.analytics.privacy_budget``; Tumult Core 0.20,
``tmlt.core.measures``; autodp 0.2.3.1, ``autodp.autodp_core.Mechanism``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from numbers import Rational
from numbers import Real as RealNumber
from typing import Any, cast

from exactdp.accounting.accountants.doubles_out import exactly
from exactdp.accounting.conversions.guarantees import from_gdp, guarantee
from exactdp.accounting.conversions.renyi_guarantee import from_renyi, from_zcdp
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.fallbacks import upper_end
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
    '{"renyi": {"2": "0.1"}}, a budget of Tumult, or a mechanism of autodp.'
)
_ORDERS = (Fraction(3, 2), *map(Fraction, range(2, 65)), Fraction(128), Fraction(256))
"""The orders at which autodp's Rényi curve is asked."""
_LARGE = tuple(Fraction(1 << n) for n in range(9, 21))
"""Orders at which D_a <= D_∞ = ε is used beside the curve: ε(δ) is at most ε + ln(1/δ)/10^6."""
_RARE = Fraction(1, 10**10)
"""The δ at which it is seen whether a curve or a pure ε promises more."""

_ROUNDING = Fraction(1, 10**12)
"""How far below 0 an epsilon in doubles may be that is meant to be 0."""


def read_budget(budget: Any) -> PrivacyProfile:
    """Return the profile that a privacy budget of another library implies.

    Formula:
        (ε, δ): :func:`guarantee`; ρ: :func:`from_zcdp`; μ: :func:`from_gdp`; Rényi divergences:
        :func:`from_renyi`. Of an autodp mechanism its Rényi curve at the orders 3/2, 2, 3, ..., 64,
        128 and 256, or its pure ε (D_∞) where that promises more at δ = 1e-10; else its (ε, δ).

    What is returned composes with any other profile. It is what the promise implies, not the
    mechanism behind it: where that is known, ask it itself.

    Args:
        budget: A mapping of epsilon, delta, rho, mu or renyi, with numbers or texts of them; a
            ``PureDPBudget``, ``ApproxDPBudget`` or ``RhoZCDPBudget``; or an autodp ``Mechanism``. A
            double counts as the number that it holds, and Tumult's irrational numbers as the
            double above them. Neighbors are those of the budget.

    Raises:
        DomainError: If it is none of these, or infinite, or of neighbors in one order alone.

    Source:
        Bun & Steinke 2016, Definition 1.1 (ρ); Mironov 2017, Definition 4 (Rényi).

    Example:
        A month of daily releases, each within ρ = 1/100:

        >>> from exactdp.accounting import compose
        >>> month = compose([(read_budget({"rho": "0.01"}), 30)])
        >>> print(f"{month.epsilon('1e-6', relative_width='1e-4').upper:.4g}")
        3.921
        >>> read_budget({"epsilon": "1", "delta": "1e-6"}).infinity_mass()
        Exact('1/1000000')
    """
    if isinstance(budget, Mapping):
        return _of_mapping(budget)
    if callable(getattr(budget, "RenyiDP", None)) and hasattr(budget, "eps_pureDP"):
        return _of_autodp(budget)
    if hasattr(budget, "value") and (
        isinstance(getattr(budget, "is_infinite", None), bool)  # of Analytics
        or callable(getattr(budget, "is_finite", None))  # of Core
    ):
        return _of_mapping(_of_tumult(budget))
    raise DomainError(f"budget={short(repr(budget))} is not a known budget. {_ADVICE}")


def _of_mapping(budget: Mapping[Any, Any]) -> PrivacyProfile:
    if frozenset(budget) not in _KEYS:
        raise DomainError(f"budget has the keys {short(repr(list(budget)))}. {_ADVICE}")
    if "renyi" in budget:
        return _of_curve(budget["renyi"])
    given = {str(key): _number(value, str(key)) for key, value in budget.items()}
    delta = given.get("delta", Exact(0))
    if "mu" in given:
        return from_gdp(given["mu"])
    if given.get("rho", Exact(0)) != 0:
        return from_zcdp(given["rho"], delta=delta)
    return guarantee(given.get("epsilon", Exact(0)).as_fraction(), delta)


def _of_curve(curve: Any) -> PrivacyProfile:
    if not isinstance(curve, Mapping):
        raise DomainError(f"renyi={short(repr(curve))} is not a table of orders. {_ADVICE}")
    table: dict[RationalLike, Any] = {}
    for order, value in curve.items():
        place = _number(order, "order").as_fraction()
        if place in table:
            raise DomainError(
                f"renyi has the order {short(str(place))} twice. Give each order once, with the "
                "least bound that holds."
            )
        table[place] = _number(value, f"renyi[{short(str(order))}]").as_fraction()
    return from_renyi(table)


def _of_tumult(budget: Any) -> dict[str, Exact]:
    if getattr(budget, "is_infinite", False) or not getattr(budget, "is_finite", lambda: True)():
        raise DomainError("budget is infinite: it promises nothing. Pass a finite one.")
    numbers = budget.value if isinstance(budget.value, tuple) else (budget.value,)
    names = ("rho",) if hasattr(budget, "rho") else ("epsilon", "delta")
    if not 1 <= len(numbers) <= len(names):
        raise DomainError(
            f"budget.value={short(repr(budget.value))} has {len(numbers)} numbers. Pass a budget "
            "of one epsilon or rho, or of an epsilon and a delta."
        )
    return dict(zip(names, map(_of_exact_number, numbers), strict=False))


def _of_exact_number(value: Any) -> Exact:
    """Return a number of Tumult Core; the double above it, as it rounds, if it is irrational."""
    held = getattr(value, "expr", value)
    if not isinstance(held, Rational) and callable(getattr(value, "to_float", None)):
        held = value.to_float(round_up=True)
    return _number(held, "budget.value")


def _of_autodp(mechanism: Any) -> PrivacyProfile:
    if getattr(mechanism, "neighboring", "") in ("add_only", "remove_only"):
        raise DomainError(
            f"budget is about neighbors in one order alone, {mechanism.neighboring}. Pass a "
            "mechanism of add_remove or replace_one."
        )
    known = (_said(lambda _: mechanism.eps_pureDP, 0), _said(mechanism.RenyiDP, math.inf))
    pure = min((one for one in known if one is not None), default=None)
    table = {a: _said(mechanism.RenyiDP, a.numerator / a.denominator) for a in _ORDERS}
    rows: dict[RationalLike, Any] = {a: x for a, x in table.items() if x is not None and x > 0}
    if pure is not None:
        if not rows or pure <= 0:
            return guarantee(_not_negative(pure))
        curve = from_renyi(rows | dict.fromkeys(_LARGE, pure))
        rare = upper_end(curve.epsilon(_RARE), Fraction(1, 100))
        return guarantee(pure) if rare is None or rare >= pure else curve
    if rows:
        return from_renyi(rows)
    failure = _said(lambda _: mechanism.delta0, 0)
    if failure is not None and 0 <= failure < 1:
        epsilon = _said(lambda _: mechanism.get_approxDP(mechanism.delta0), 0)
        if epsilon is not None:
            return guarantee(_not_negative(epsilon), failure)
    raise DomainError(
        f"budget={short(repr(mechanism))} has no pure epsilon, no Rényi curve and no (epsilon, "
        'delta) at its delta0. Pass its {"epsilon": ..., "delta": ...}.'
    )


def _said(function: Callable[[Any], Any], at: Any) -> Fraction | None:
    """Return a mechanism's answer; None where it is infinite, not a number, or an error."""
    with suppress(Exception):  # functions of others raise what they like where they know nothing
        return exactly(function(at), name="budget")
    return None


def _not_negative(epsilon: Fraction) -> Fraction:
    """Return an epsilon; a negative one is a rounded 0, or wrong."""
    if epsilon < -_ROUNDING:
        raise DomainError(
            f"budget says epsilon={Exact(epsilon):.6g}, which is negative. Pass a mechanism whose "
            "epsilon is at least 0."
        )
    return max(Fraction(0), epsilon)


def _number(value: Any, name: str) -> Exact:
    """Return a number, a double or a text as the rational number that it is."""
    if isinstance(value, bool | type(None)):
        raise DomainError(f"{name}={value!r} is not a number. {_ADVICE}")
    if isinstance(value, RealNumber) and hasattr(value, "as_integer_ratio"):  # sympy's have none
        return Exact(cast("float", value), name=name)
    found = value if isinstance(value, Exact) else Exact(str(value), name=name)
    if not found.is_rational:
        raise DomainError(f"{name}={short(str(value))} is not rational. Pass a decimal above it.")
    return found
