"""Functions of an instance's values by name.

Definitions: :func:`called`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from inspect import signature
from typing import Any

__all__ = ["called"]


def called(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Return a function's value at the variables that it names (all for ``**``)."""
    names = _names(function)
    if names is None:
        return function(**values)
    return function(**{name: values[name] for name in names if name in values})


@lru_cache(maxsize=4096)
def _names(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """Return the names of a function's parameters; None if it takes all."""
    parameters = signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return tuple(p.name for p in parameters)
