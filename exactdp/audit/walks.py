"""Walks through the choices of a strategy: one choice after another, and on from the best.

A strategy of hypothesis makes an instance of choices: an index into a list, a yes or no, a number.
A walk begins at the simplest instance and changes one of its choices at a time, the ordinary values
first; it draws at random, and climbs from the best of those draws and from the best before them. So
what a strategy lists as ordinary comes first, and the ends of each field soon; and whatever fields
have to do with each other, each instance is one that the strategy draws.

Definitions: :class:`Best`, :func:`walk`, :func:`shrunk`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import Any, TypeAlias

from hypothesis import Phase

from exactdp.audit.draws import Case, Choice, found_by_choices
from exactdp.claims.spread import Drawn

__all__ = ["Best", "shrunk", "walk"]

_Score: TypeAlias = tuple[float, ...]

_SAME = 20
"""So many times an instance is drawn, where the simplest is none; by default as for ``same``."""


_Cases: TypeAlias = Generator[Case, None, None]
"""Cases one after another: each has its choices when the next one is asked for."""


@dataclass(slots=True)
class Best:
    """The best instance of a walk, with its score and its choices; None before there is one."""

    at: Any = None
    score: tuple[float, ...] | None = None
    choices: list[Choice] = field(default_factory=list)


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
        yield Case()
        for _ in range(_SAME):  # where the simplest is not one of the instances
            if not last.choices:
                yield Case(is_random=True)
        start = last.choices
        yield from limited(_around(lambda: start), tries // 2)
        here, left = drawn, max(1, tries - len(known))
        yield from limited((Case(is_random=True) for _ in range(same * left)), left)
        for best in sorted((near, drawn), key=_rank, reverse=True):
            here = best
            yield from limited(climb(), tries)

    cases = plan()
    current: Case | None = next(cases)
    last = Case()  # which is an instance, where the plan has ended

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

    def case() -> Case:
        return Case(_values(last.choices)) if current is None else current

    if isinstance(strategy, Drawn):
        chance = Random(seed)
        while current is not None:
            at = _made(strategy, current, chance)
            if at is not None:
                is_last(at)
            advance()
    else:
        found_by_choices(strategy, is_last, case, advance, phases=[Phase.generate], seed=seed)
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
    found = found_by_choices(
        strategy, condition, lambda: Case(script), phases=[Phase.generate, Phase.shrink]
    )
    return best.at if found is None else found


def _made(strategy: Drawn, case: Case, chance: Random | None = None) -> Any:
    """Return the instance made of a case's choices, which it then has; None if it is none."""

    def choose(low: int, high: int) -> int:
        place = len(case.choices)
        value = case.script[place] if place < len(case.script) else low
        if place >= len(case.script) and case.is_random and chance is not None:
            value = chance.randint(low, high)
        case.choices.append(Choice(value if low <= value <= high else low, low, high))
        return int(case.choices[-1].value)

    return strategy.made(choose)


def _simplest(strategy: Drawn, best: Best, condition: Callable[[Any], bool]) -> Any:
    """Return the instance with a condition whose choices cannot be made smaller, one by one."""
    at, values, i = best.at, list(_values(best.choices)), 0
    while i < len(values):
        for smaller in dict.fromkeys((0, values[i] // 2, values[i] - 1)):
            case = Case((*values[:i], smaller, *values[i + 1 :]))
            if 0 <= smaller < values[i]:
                other = _made(strategy, case)
                if other is not None and condition(other):
                    at, values, i = other, list(_values(case.choices)), -1
                    break
        i += 1
    return at


def _around(choices: Callable[[], list[Choice]]) -> _Cases:
    """Yield cases with another choice in a place, in turn of each of the choices then present."""
    yield from _in_turn([_another(choices, i) for i in range(len(choices()))])


def _another(choices: Callable[[], list[Choice]], i: int) -> _Cases:
    """Yield cases with another choice in a place, and then in the next one, if that is new."""
    opened: list[Case] = []
    for other in choices()[i].others() if i < len(choices()) else ():
        now = choices()
        yield (case := Case((*_values(now[:i]), other, *_values(now[i + 1 :]))))
        here, there = (one[i + 1 : i + 2] for one in (case.choices, now))
        if here and not (there and here[0].is_like(there[0])):
            opened.append(case)
    yield from _in_turn([_after(case, i + 1) for case in opened])


def _after(case: Case, i: int) -> _Cases:
    values = _values(case.choices)
    for other in case.choices[i].others():
        yield Case((*values[:i], other, *values[i + 1 :]))


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


def _values(choices: list[Choice]) -> tuple[Any, ...]:
    return tuple(one.value for one in choices)
