"""Walks through the choices of a strategy: one choice after another, and on from the best.

A strategy of hypothesis makes an instance of choices: an index into a list, a yes or no, a number.
A walk begins at the simplest instance and changes one of its choices at a time, the ordinary values
first; it draws at random, and climbs from the best of those draws and from the best before them. So
what a strategy lists as ordinary comes first, and the ends of each field soon; and whatever fields
have to do with each other, each instance is one that the strategy draws.

Definitions: :class:`Best`, :func:`walk`, :func:`shrunk`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, isfinite
from random import Random
from typing import Any, TypeAlias

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.errors import NoSuchExample, Unsatisfiable
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

from exactdp.audit.draws import steady
from exactdp.claims.spread import Drawn

__all__ = ["Best", "shrunk", "walk"]

_Score: TypeAlias = tuple[float, ...]

_BACKEND = "exactdp-walk"
"""The name by which hypothesis finds what chooses."""
_NEAR = 3
"""So near to a choice its others are tried before the ends of its range."""
_EACH, _FURTHER, _MOST = 16, 1.5, 32
"""Others are tried one by one up to a distance, then so many times as far, so many in all."""
_SAME = 20
"""So many times an instance is drawn, where the simplest is none; by default as for ``same``."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A choice: what was chosen, from the least value that it could be to the largest."""

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

    def is_like(self, other: _Choice) -> bool:
        """Return whether it is among the same values."""
        mine, others = ((type(one.value), one.low, one.high) for one in (self, other))
        return mine == others


@dataclass(slots=True)
class _Case:
    """One instance, of choices: those of a script, and then the simplest, or any.

    Attributes:
        script: The first values.
        is_random: Whether choices after the script are drawn.
        choices: The choices that were made.
    """

    script: tuple[Any, ...] = ()
    is_random: bool = False
    choices: list[_Choice] = field(default_factory=list)


_Cases: TypeAlias = Generator[_Case, None, None]
"""Cases one after another: each has its choices when the next one is asked for."""


@dataclass(slots=True)
class Best:
    """The best instance of a walk, with its score and its choices; None before there is one."""

    at: Any = None
    score: tuple[float, ...] | None = None
    choices: list[_Choice] = field(default_factory=list)


def walk(
    strategy: Any,
    score: Callable[[Any], tuple[float, ...] | None],
    *,
    tries: int,
    seed: int | None = 0,
    same: int = _SAME,
    rejected: float = inf,
    is_over: Callable[[], bool] = lambda: False,
    key: Callable[[Any], Any] = lambda at: at,
) -> Best:
    """Return the best instance that a walk through a strategy finds.

    Args:
        strategy: A strategy of instances.
        score: How good one is, the larger the better; None if it is not what is looked for.
        tries: How many are scored; from each of the two best ones up to as many more.
        seed: The seed of the draws; None for others each time.
        same: Draws end where so many times as many as are asked for gave what was known.
        rejected: A part of the walk ends after so many times as many choices as it may score.
        is_over: Whether no more are to be scored.
        key: What tells one instance from others, which can be hashed.

    Example:
        >>> from hypothesis import strategies as st
        >>> pairs = st.tuples(st.integers(0, 1000), st.sampled_from("abc"))
        >>> walk(pairs, lambda at: (at[0],) if at[1] == "c" else None, tries=20).at
        (1000, 'c')
    """
    near, drawn, known = Best(), Best(), set[Any]()
    here = near

    def limited(cases: _Cases, most: int) -> _Cases:
        end = len(known) + most
        for count, case in enumerate(cases, start=1):
            yield case
            if len(known) >= end or count >= rejected * most:
                return

    def climb() -> _Cases:
        seen: _Score | None = None
        while here.score != seen:
            seen = here.score
            yield from _around(lambda: here.choices)

    def plan() -> _Cases:
        nonlocal here
        yield _Case()
        for _ in range(_SAME):  # where the simplest is not one of the instances
            if not last.choices:
                yield _Case(is_random=True)
        start = last.choices
        yield from limited(_around(lambda: start), tries // 2)
        here, left = drawn, max(1, tries - len(known))
        yield from limited((_Case(is_random=True) for _ in range(same * left)), left)
        for best in sorted((near, drawn), key=_rank, reverse=True):
            here = best
            yield from limited(climb(), tries)

    cases = plan()
    current: _Case | None = next(cases)
    last = _Case()  # which is an instance, where the plan has ended

    def advance() -> None:
        nonlocal current
        if current is not None and current.choices:
            current = next(cases, None)

    def is_last(at: Any) -> bool:
        nonlocal current, last
        if current is None:
            return True
        if not current.choices:  # hypothesis itself begins with the simplest instance
            return False
        last = current
        if key(at) not in known:
            known.add(key(at))
            found = score(at)
            if found is not None and (here.score is None or found > here.score):
                here.at, here.score, here.choices = at, found, list(current.choices)
        if is_over():
            current = None
        return current is None

    def case() -> _Case:
        return _Case(_values(last.choices)) if current is None else current

    if isinstance(strategy, Drawn):
        chance = Random(seed)
        while current is not None:
            at = _made(strategy, current, chance)
            if at is not None:
                is_last(at)
            advance()
    else:
        _find(strategy, is_last, case, advance, phases=[Phase.generate], seed=seed)
    return max(near, drawn, key=_rank)


def _rank(best: Best) -> _Score:
    return best.score or ()  # which is less than that of any instance


def shrunk(strategy: Any, best: Best, condition: Callable[[Any], bool]) -> Any:
    """Return the simplest instance with a condition that hypothesis makes of the best one.

    Args:
        strategy: The strategy of the walk.
        best: There is one.
        condition: The best one meets it.
    """
    if isinstance(strategy, Drawn):
        return _simplest(strategy, best, condition)
    script = _values(best.choices)
    found = _find(strategy, condition, lambda: _Case(script), phases=[Phase.generate, Phase.shrink])
    return best.at if found is None else found


def _made(strategy: Drawn, case: _Case, chance: Random | None = None) -> Any:
    """Return the instance made of a case's choices, which it then has; None if it is none."""

    def choose(low: int, high: int) -> int:
        place = len(case.choices)
        value = case.script[place] if place < len(case.script) else low
        if place >= len(case.script) and case.is_random and chance is not None:
            value = chance.randint(low, high)
        case.choices.append(_Choice(value if low <= value <= high else low, low, high))
        return int(case.choices[-1].value)

    return strategy.made(choose)


def _simplest(strategy: Drawn, best: Best, condition: Callable[[Any], bool]) -> Any:
    """Return the instance with a condition whose choices cannot be made smaller, one by one."""
    at, values, i = best.at, list(_values(best.choices)), 0
    while i < len(values):
        for smaller in dict.fromkeys((0, values[i] // 2, values[i] - 1)):
            case = _Case((*values[:i], smaller, *values[i + 1 :]))
            if 0 <= smaller < values[i]:
                other = _made(strategy, case)
                if other is not None and condition(other):
                    at, values, i = other, list(_values(case.choices)), -1
                    break
        i += 1
    return at


def _around(choices: Callable[[], list[_Choice]]) -> _Cases:
    """Yield cases with another choice in a place, in turn of each of the choices then present."""
    yield from _in_turn([_another(choices, i) for i in range(len(choices()))])


def _another(choices: Callable[[], list[_Choice]], i: int) -> _Cases:
    """Yield cases with another choice in a place, and then in the next one, if that is new."""
    opened: list[_Case] = []
    for other in choices()[i].others() if i < len(choices()) else ():
        now = choices()
        yield (case := _Case((*_values(now[:i]), other, *_values(now[i + 1 :]))))
        here, there = (one[i + 1 : i + 2] for one in (case.choices, now))
        if here and not (there and here[0].is_like(there[0])):
            opened.append(case)
    yield from _in_turn([_after(case, i + 1) for case in opened])


def _after(case: _Case, i: int) -> _Cases:
    values = _values(case.choices)
    for other in case.choices[i].others():
        yield _Case((*values[:i], other, *values[i + 1 :]))


def _in_turn(cases: Iterable[_Cases]) -> _Cases:
    """Yield one case of each, and again."""
    left = list(cases)
    while left:
        left, these = [], left
        for one in these:
            case = next(one, None)
            if case is not None:
                yield case
                left.append(one)


def _values(choices: list[_Choice]) -> tuple[Any, ...]:
    return tuple(one.value for one in choices)


class Chooser(HypothesisProvider):
    """Answers each choice of hypothesis: the next of a case's script, the simplest, or any."""

    lifetime = "test_case"
    case: Callable[[], _Case]
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
        return self._chosen(_Choice(value=False), drawn) if 0 < p < 1 else drawn()

    def draw_integer(self, min_value: Any = None, max_value: Any = None, **more: Any) -> int:
        """Return an integer, such as an index."""
        low = -inf if min_value is None else min_value
        high = inf if max_value is None else max_value
        simplest = _Choice(int(min(max(more.get("shrink_towards", 0), low), high)), low, high)
        drawn = partial(super().draw_integer, min_value, max_value, **more)
        found: int = self._chosen(simplest, drawn)
        return found

    def draw_float(self, *, min_value: float = -inf, max_value: float = inf, **more: Any) -> float:
        """Return a double."""
        simplest = _Choice(min(max(0.0, min_value), max_value), min_value, max_value)
        drawn = partial(super().draw_float, min_value=min_value, max_value=max_value, **more)
        found: float = self._chosen(simplest, drawn)
        return found

    def _chosen(self, simplest: _Choice, drawn: Callable[[], Any]) -> Any:
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


def _find(
    strategy: Any,
    condition: Callable[[Any], bool],
    case: Callable[[], _Case],
    advance: Callable[[], None] = lambda: None,
    *,
    phases: list[Phase],
    seed: int | None = 0,
) -> Any:
    """Return the example that hypothesis finds with choices of the cases, or None."""
    Chooser.case, Chooser.advance = case, advance
    AVAILABLE_PROVIDERS[_BACKEND] = f"{__name__}.{Chooser.__name__}"
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
