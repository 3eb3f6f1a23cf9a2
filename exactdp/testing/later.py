"""The strategies of hypothesis, which load when something is drawn: to write a domain needs none.

Example:
    >>> st.integers(0, 3)
    integers(min_value=0, max_value=3)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

from exactdp.numbers.later import Later

__all__ = ["st"]

_STRATEGIES = "hypothesis.strategies"


class _Named:
    """A type that annotations name before hypothesis is loaded."""

    def __class_getitem__(cls, _: object) -> Any:
        return Any


class _Strategies(Later):
    """A stand-in for the module, which loads when more than a type is asked for."""

    DrawFn = SearchStrategy = _Named

    def composite(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function of a strategy, which is made of one that draws when it is called."""
        made = cache(lambda: import_module(_STRATEGIES).composite(function))

        @wraps(function)
        def strategy(*arguments: Any, **named: Any) -> Any:
            return made()(*arguments, **named)

        # Who calls it gives all but what draws.
        about, ways = signature(function), cast("Any", strategy)
        drawn, *others = about.parameters.values()
        ways.__signature__ = about.replace(parameters=others)
        ways.__annotations__ = {
            name: one for name, one in function.__annotations__.items() if name != drawn.name
        }
        del ways.__wrapped__
        return strategy


if TYPE_CHECKING:
    from hypothesis import strategies as st
else:
    st = _Strategies(_STRATEGIES)
