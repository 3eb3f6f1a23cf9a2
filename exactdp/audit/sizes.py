"""The sizes of refuted numbers, the sides on which they err, and the order of refutations.

A number errs on the *unsafe* side where the truth is worse for who relies on it: more is lost than
is promised. On the *safe* side it asks for too much noise, or is a lower end that is too high.
Sizes are in the unit of what is promised ("promised δ 1e-8, true 0.995"): a ratio of two small
numbers tells a reader nothing, and of 0 there is none.

Definitions: :func:`errs`, :func:`size_in_words`, :func:`is_ordinary`, :func:`is_ordinary_kept`,
:func:`is_telling`, :func:`first_ones`, :data:`LEAST`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from exactdp.audit.tally import SERIOUS
from exactdp.claims import Open, Statement
from exactdp.claims.verdicts import WIDE

__all__ = ["LEAST", "errs", "first_ones", "is_ordinary", "is_ordinary_kept", "is_telling"]
__all__ += ["size_in_words"]

LEAST = Decimal("1e-300")
"""What is claimed below is 0: the least double stands for it in certificates."""

_DIGITS = 3, 40
"""The digits of two numbers: the first that tell them apart, and below how many they must."""

_LEAST_DELTA = 1e-9  # deployments in use ask for no less
_EPSILONS = 0.01, 20.0  # from nearly no loss to one that hardly protects
_MOST_STEPS = 10**5  # a long training


def errs(kept: Mapping[str, Any], reading: Statement | Open) -> Literal["unsafe", "safe", ""]:
    """Return on which side the number of a refuted reading errs; "" where that is not told.

    Args:
        kept: What an inventory keeps of the reading.
        reading: The reading, which says whether more or less is worse.

    Example:
        >>> from exactdp.claims import for_all, cases, at_most
        >>> one = for_all(cases(n=(1,)), lambda n: at_most(n, 2))
        >>> errs({"sides": {"sign": ">", "claimed": "right"}}, one)
        'unsafe'
        >>> errs({"sides": {"sign": "<", "claimed": "right"}}, one)
        'safe'
    """
    sides = kept.get("sides")
    if isinstance(reading, Open) or not sides or sides.get("claimed") is None:
        return ""
    sign = sides["sign"][0]
    if sign not in "<>":
        return ""
    above = (sign == ">") == (sides["claimed"] == "right")
    return "unsafe" if above == (reading.worse == ">") else "safe"


def size_in_words(kept: Mapping[str, Any], reading: Statement | Open) -> str:
    """Return the promise and the truth, in one unit; "" without a unit, or two kept numbers.

    Example:
        >>> from dataclasses import replace
        >>> from exactdp.claims import for_all, cases, at_most
        >>> one = replace(for_all(cases(n=(1,)), lambda n: at_most(n, 2)), unit="δ")
        >>> claim, true = {"decimal": "1.000000e-8"}, {"decimal": "0.99475"}
        >>> sides = {"left": true, "sign": ">", "right": claim, "claimed": "right"}
        >>> size_in_words({"sides": sides}, one)
        'promised δ 1e-8, true 0.995'
        >>> size_in_words({"sides": sides}, replace(one, unit=""))
        ''
    """
    found = _numbers(kept)
    if found is None or isinstance(reading, Open) or not reading.unit:
        return ""
    (stated, true), unit = found, reading.unit
    if not stated and not true:
        return ""
    if abs(stated) < LEAST:
        return f"promised {unit} 0, true {_short(true, _DIGITS[0])}"
    for digits in range(*_DIGITS):
        one, other = _short(stated, digits), _short(true, digits)
        is_rounded_up = true < 1 <= Decimal(other)
        if Decimal(one) != Decimal(other) and not is_rounded_up:
            return f"promised {unit} {one}, true {other}"
    return ""


def is_ordinary(fields: Mapping[str, Any]) -> bool:
    """Return whether a deployment is ordinary: δ of at least 1e-9, ε from 0.01 to 20.

    Args:
        fields: A deployment's ``epsilon``, ``delta``, ``times``, as far as it has them.

    Example:
        >>> is_ordinary({"epsilon": 8.0, "delta": 1e-6}), is_ordinary({"delta": 1e-14})
        (True, False)
    """
    low, high = _EPSILONS
    return bool(
        fields.get("delta", 1.0) >= _LEAST_DELTA
        and low <= fields.get("epsilon", 1.0) <= high
        and fields.get("times", 1) <= _MOST_STEPS
    )


def is_ordinary_kept(kept: Mapping[str, Any]) -> bool:
    """Return whether the deployment of a refuted reading is ordinary: δ is the true one, too."""
    fields = {name: _double(x) for name, x in (kept.get("at") or {}).items()}
    true = (kept.get("sides") or {}).get("left", {}).get("decimal")
    if "delta" not in fields and true:
        fields["delta"] = abs(float(true))
    return is_ordinary({name: x for name, x in fields.items() if x is not None})


def _double(x: Any) -> float | None:
    try:
        return float(Fraction(x)) if isinstance(x, str | int) else None
    except (ValueError, ZeroDivisionError):
        return None


def is_telling(kept: Mapping[str, Any], least: float = 1e-15) -> bool:
    """Return whether the truth matters: it is at least this, of numbers that are kept."""
    found = _numbers(kept)
    return found is None or abs(found[1]) >= Decimal(least)


def first_ones(
    kept: Mapping[str, Any], reading: Statement | Open, *, ordinary: bool
) -> tuple[int, int, int, Decimal]:
    """Return the sorting key of all tables: findings that matter to most readers come first.

    Results before steps and the rest; ordinary deployments and the unsafe side first; then by how
    far the two numbers are apart, as a ratio where what is claimed is not 0.
    """
    side = errs(kept, reading)
    return (
        SERIOUS.index(kept.get("falls") or SERIOUS[0]),
        0 if ordinary and side == "unsafe" else 1 if side == "unsafe" else 2 if ordinary else 3,
        0 if is_telling(kept) else 1,
        -_apart(kept),
    )


def _apart(kept: Mapping[str, Any]) -> Decimal:
    found = _numbers(kept)
    if found is None:
        return Decimal(0)
    low, high = sorted(map(abs, found))
    return WIDE.divide(high, max(low, Decimal("1e-30"))) if high else Decimal(0)


def _numbers(kept: Mapping[str, Any]) -> tuple[Decimal, Decimal] | None:
    """Return the promise and the truth: at the very answer, where the trial says so."""
    sides = kept.get("sides")
    if not sides or sides.get("claimed") is None:
        return None
    other = "left" if sides["claimed"] == "right" else "right"
    stated, true = (Decimal(sides[side]["decimal"]) for side in (sides["claimed"], other))
    over = kept.get("by_how_much") or {}
    end = over.get("lower") if true > stated else over.get("upper")
    if end and abs(Decimal(end) - 1) > Decimal("0.01"):
        true = WIDE.multiply(stated, Decimal(end))
    return stated, true


def _short(x: Decimal, digits: int) -> str:
    """Return a decimal with so many digits, and none that are 0 at its end."""
    if not x:
        return "0"
    text = f"{x:.{digits}g}"
    mantissa, mark, power = text.partition("e")
    if not mark and abs(x) < Decimal("0.001"):
        mantissa, mark, power = f"{x:.{digits - 1}e}".partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(power)}" if mark else mantissa
