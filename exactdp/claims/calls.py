"""Functions of an instance's values by name.

Definitions: :func:`called`, :func:`of_variables`, :func:`names_of`, :func:`needed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from inspect import signature
from typing import Any

from exactdp.errors import DomainError

__all__ = ["called", "names_of", "needed", "of_variables"]


def called(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Return a function's value at the variables that it names (all for ``**``)."""
    names = names_of(function)
    if names is None:
        return function(**values)
    return function(**{name: values[name] for name in names if name in values})


def of_variables(function: Callable[..., Any], variables: Mapping[str, Any]) -> Any:
    """Return a function of an instance's values as one of variables of the term language.

    Raises:
        DomainError: If it computes with the numbers of an instance, whatever it then raises.

    Example:
        >>> of_variables(lambda n: [1] * n, {"n": "a variable"})
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: a function of n computes with the numbers of an instance. \
Write it with quantities.
    """
    try:
        return called(function, variables)
    except (Exception, SystemExit) as error:
        of = ", ".join(names_of(function) or variables)
        raise DomainError(
            f"a function of {of} computes with the numbers of an instance. "
            "Write it with quantities."
        ) from error


@lru_cache(maxsize=4096)
def names_of(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """Return the names of a function's parameters; None if it takes all."""
    parameters = signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return tuple(p.name for p in parameters)


@lru_cache(maxsize=4096)
def needed(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names of a function's parameters without a default."""
    parameters = signature(function).parameters.values()
    return frozenset(
        p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD
    )
