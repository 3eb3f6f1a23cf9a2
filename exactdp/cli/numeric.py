"""Numbers of the command line: whole ones and seconds, in each way in which files take numbers.

A name, a range and a text would say the same in each command: they are made here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

__all__ = ["seconds", "whole"]


def whole(least: int | None = 0, *, metavar: str = "INTEGER") -> dict[str, Any]:
    """Return the settings of an option that takes a whole number, at least so large.

    Without a least one, who takes it says which it may be.

    Example:
        >>> whole(1)["parser"]("1e3")
        1000
    """

    def read(given: Any) -> int:
        from exactdp.errors import ExactDPError
        from exactdp.numbers.arguments import whole_number
        from exactdp.numbers.limits import MAX_COUNT

        try:
            return whole_number(given, name="it", at_least=-MAX_COUNT if least is None else least)
        except ExactDPError:
            rule = "" if least is None else f" of at least {least}"
            raise typer.BadParameter(f"{given} is not a whole number{rule}. Give one.") from None

    return {"parser": _unless(int, read), "metavar": metavar}


def seconds(least: str = "0") -> dict[str, Any]:
    """Return the settings of an option that takes a number of seconds, at least so many.

    Example:
        >>> seconds()["parser"]("1/2")
        0.5
    """

    def read(given: Any) -> float:
        from exactdp.errors import ExactDPError
        from exactdp.numbers import float_above
        from exactdp.numbers.arguments import number

        try:
            found = number(given, name="it")
            if found >= number(least, name="it"):
                return float_above(found)
        except ExactDPError:
            pass
        raise typer.BadParameter(f"{given} is not a number of at least {least}. Give one.")

    return {"parser": _unless(float, read), "metavar": "SECONDS"}


def _unless(kind: type, read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap a reader of texts so that a default, which is a number already, loads no mathematics."""
    return lambda given: given if isinstance(given, kind) else read(given)
