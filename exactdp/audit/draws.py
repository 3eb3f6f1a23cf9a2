"""Draws of hypothesis that hang on nothing but their seed, and choices that others make for it.

Now and then hypothesis draws a constant that stands in the code of a module: which modules are
loaded is not part of a claim, and to read them all takes longer than most trials.

This file alone asks for the module in which hypothesis documents its interface for who chooses in
its place (`alternative backends`): it has no public name, and hypothesis may change it.

Definitions: :func:`steady`, :class:`Choice`, :class:`Case`, :func:`found_by_choices`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, isfinite
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.errors import NoSuchExample, Unsatisfiable
from hypothesis.internal.conjecture import providers

__all__ = ["Case", "Choice", "found_by_choices", "steady"]

_SCAN = "_get_local_constants"
_BACKEND = "exactdp-walk"
"""The name by which hypothesis finds what chooses."""
_NEAR = 3
"""So near to a choice its others are tried before the ends of its range."""
_EACH, _FURTHER, _MOST = 16, 1.5, 32
"""Others are tried one by one up to a distance, then so many times as far, so many in all."""


@contextmanager
def steady() -> Iterator[None]:
    """Let hypothesis draw no constants of the modules that happen to be loaded.

    Example:
        >>> from random import Random
        >>> from hypothesis import find, strategies as st
        >>> with steady():
        ...     find(st.integers(0, 10**6), lambda n: n > 1000, random=Random(0))
        1001
    """
    inside: Any = providers
    scan = getattr(inside, _SCAN, None)
    if scan is None:  # of a version that reads none
        yield
        return
    setattr(inside, _SCAN, inside.Constants)
    try:
        yield
    finally:
        setattr(inside, _SCAN, scan)


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice: its value, and the least and the largest that it could have had."""

    value: Any
    low: float = -inf
    high: float = inf

    def others(self) -> Iterator[Any]:
        """Yield other values, the nearest and the ends first."""
        if isinstance(self.value, bool):
            yield not self.value
        elif isinstance(self.value, int | float):
            distance = 1
            for count in range(_MOST):
                if count == _NEAR:
                    yield from (x for x in (self.high, self.low) if isfinite(x))
                for other in (self.value + distance, self.value - distance):
                    if self.low <= other <= self.high:
                        yield other
                distance = distance + 1 if distance < _EACH else int(distance * _FURTHER)

    def admits(self, value: Any) -> bool:
        """Return whether it could be this value."""
        return isinstance(value, bool) or self.low <= value <= self.high

    def is_like(self, other: Choice) -> bool:
        """Return whether it is among the same values."""
        mine, others = ((type(one.value), one.low, one.high) for one in (self, other))
        return mine == others


@dataclass(slots=True)
class Case:
    """One instance, of choices: those of a script, and then the simplest, or any.

    Attributes:
        script: The first values.
        is_random: Whether choices after the script are drawn.
        choices: The choices that were made.
    """

    script: tuple[Any, ...] = ()
    is_random: bool = False
    choices: list[Choice] = field(default_factory=list)


class Chooser(providers.HypothesisProvider):
    """Answers each choice of hypothesis: the next of a case's script, the simplest, or any."""

    lifetime = "test_case"
    case: Callable[[], Case]
    advance: Callable[[], None]

    @contextmanager
    def per_test_case_context_manager(self) -> Iterator[None]:
        """Take a case, and say when it is over."""
        self._case, self._is_drawing = Chooser.case(), False
        try:
            yield
        finally:
            Chooser.advance()

    def draw_boolean(self, p: float = 0.5) -> bool:
        """Return whether something is so."""
        drawn = partial(super().draw_boolean, p)
        return self._chosen(Choice(value=False), drawn) if 0 < p < 1 else drawn()

    def draw_integer(self, min_value: Any = None, max_value: Any = None, **more: Any) -> int:
        """Return an integer, such as an index."""
        low = -inf if min_value is None else min_value
        high = inf if max_value is None else max_value
        simplest = Choice(int(min(max(more.get("shrink_towards", 0), low), high)), low, high)
        drawn = partial(super().draw_integer, min_value, max_value, **more)
        found: int = self._chosen(simplest, drawn)
        return found

    def draw_float(self, *, min_value: float = -inf, max_value: float = inf, **more: Any) -> float:
        """Return a double."""
        simplest = Choice(min(max(0.0, min_value), max_value), min_value, max_value)
        drawn = partial(super().draw_float, min_value=min_value, max_value=max_value, **more)
        found: float = self._chosen(simplest, drawn)
        return found

    def _chosen(self, simplest: Choice, drawn: Callable[[], Any]) -> Any:
        if self._is_drawing:  # by others, which are not choices of the strategy
            return drawn()
        one = self._case
        value = next(iter(one.script[len(one.choices) :]), None)
        if type(value) is not type(simplest.value) or not simplest.admits(value):
            value = self._drawn(drawn) if one.is_random else simplest.value
        one.choices.append(replace(simplest, value=value))
        return value

    def _drawn(self, drawn: Callable[[], Any]) -> Any:
        self._is_drawing = True
        try:
            return drawn()
        finally:
            self._is_drawing = False


def found_by_choices(
    strategy: Any,
    condition: Callable[[Any], bool],
    case: Callable[[], Case],
    advance: Callable[[], None] = lambda: None,
    *,
    phases: list[Phase],
    seed: int | None = 0,
) -> Any:
    """Return the example that hypothesis finds with choices of the cases, or None."""
    Chooser.case, Chooser.advance = case, advance
    providers.AVAILABLE_PROVIDERS[_BACKEND] = f"{__name__}.{Chooser.__name__}"
    profile = settings(
        backend=_BACKEND,
        max_examples=10**9,
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    chance = None if seed is None else Random(seed)
    try:
        with steady():
            return find(strategy, condition, settings=profile, random=chance)
    except (NoSuchExample, Unsatisfiable):
        return None
