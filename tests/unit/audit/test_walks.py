"""A walk tries what is ordinary, then the ends; it climbs, and stays in what a strategy draws."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from exactdp.audit.walks import Best, shrunk, walk

LIST = tuple(range(14))
LISTS = st.tuples(*[st.sampled_from(LIST)] * 3)


def scored(strategy: Any, score: Any = lambda at: None, **more: Any) -> tuple[Best, list[Any]]:
    """Return the best instance of a walk, and all that it scored."""
    seen: list[Any] = []

    def says(at: Any) -> Any:
        seen.append(at)
        return score(at)

    return walk(strategy, says, **{"tries": 60, **more}), seen


def test_it_begins_at_the_simplest_and_changes_one_choice_after_the_other() -> None:
    best, seen = scored(LISTS)
    assert best.at is None and len(seen) == len(set(seen)) == 60
    first = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 0, 0), (0, 2, 0), (0, 0, 2)]
    assert seen[:7] == first
    assert all(sum(x > 0 for x in at) <= 1 for at in seen[:30])  # a half of them
    assert {(13, 0, 0), (0, 13, 0), (0, 0, 13)} < set(seen[:30])  # the ends are early
    assert any(sum(x > 0 for x in at) > 1 for at in seen[30:])


@pytest.mark.parametrize("weights", [(1, 1, 1), (1, -1, 1), (-3, 2, -1), (1, 10, 100)])
def test_from_a_failure_it_climbs_to_the_worst_one(weights: tuple[int, ...]) -> None:
    """Of 2744 instances, by which the worst one is found, it tries 180 at most."""

    def size(at: Any) -> Any:
        return (float(sum(w * x for w, x in zip(weights, at, strict=True))),)

    worst = max(product(LIST, repeat=3), key=size)
    best, seen = scored(LISTS, lambda at: size(at) if at[0] != 5 else None)
    assert best.at == worst and len(seen) <= 180


def test_where_few_fail_it_draws_and_climbs_from_what_it_draws() -> None:
    """None of those with one choice changed fails."""
    best, seen = scored(LISTS, lambda at: (sum(at),) if min(at) > 5 else None)
    assert best.at == (13, 13, 13)
    assert all(sum(x > 0 for x in at) <= 1 for at in seen[:30])


def test_it_climbs_from_the_best_near_the_simplest_too_where_a_draw_is_better() -> None:
    """Of what is drawn 40 is all there is; from 10, near the simplest, a ridge goes up."""

    def ridge(at: Any) -> Any:
        x, y, z = at
        if x < 13:
            return (40,) if min(at) > 0 else None
        return (10 * (1 + y + z),) if z == 0 or y == 13 else None

    best, seen = scored(LISTS, ridge)
    assert any(ridge(at) == (40,) for at in seen[30:60])
    assert best.at == (13, 13, 13)


def test_it_climbs_from_a_number_that_was_drawn() -> None:
    """A draw of hypothesis may be made of others, which are not choices of the strategy."""
    numbers = st.tuples(st.integers(0, 10**6), st.booleans())
    best, seen = scored(numbers, lambda at: (-abs(at[0] - 700_000),) if at[1] else None, tries=20)
    drawn = max((at for at in seen[10:20] if at[1]), key=lambda at: -abs(at[0] - 700_000))
    assert best.at is not None and abs(best.at[0] - 700_000) < abs(drawn[0] - 700_000)


@st.composite
def hanging_together(draw: Any) -> tuple[str, int, int, bool]:
    """Return a word, a number that it may have, their sum, and whether it is there."""
    word = draw(st.sampled_from(["one", "other"]))
    number = draw(st.sampled_from([1, 2]) if word == "one" else st.integers(10, 1000))
    more = draw(st.booleans())
    assume(number != 12)
    return word, number, len(word) + number, more


def test_what_depends_on_a_choice_stays_what_the_strategy_draws() -> None:
    best, seen = scored(hanging_together(), lambda at: (at[1],) if at[3] else None)
    assert best.at == ("other", 1000, 1005, True)
    for word, number, total, _ in seen:
        assert total == len(word) + number and number != 12
        assert number in ((1, 2) if word == "one" else range(10, 1001))
    assert ("other", 1000, 1005, False) in seen[:30]  # the end of what a word opens


def test_numbers_of_any_size_are_climbed() -> None:
    sizes = st.tuples(st.integers(0, 10**9), st.floats(-3.0, 5.0))
    best, _ = scored(sizes, lambda at: (at[0] - abs(at[1] - 5.0),))
    assert best.at == (10**9, 5.0)


def test_it_is_the_same_each_time_and_others_with_another_seed() -> None:
    runs = [scored(LISTS, seed=seed)[1] for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]


def test_it_ends_when_all_is_known() -> None:
    _, all_of = scored(st.tuples(st.booleans(), st.booleans()))
    assert sorted(all_of) == sorted(product((False, True), repeat=2))


def test_the_best_is_shrunk_to_the_simplest_with_a_condition() -> None:
    best, _ = scored(LISTS, lambda at: (at[0],) if at[1] > 3 else None)
    assert best.at is not None and best.at[0] == 13
    assert shrunk(LISTS, best, lambda at: at[0] == 13 and at[1] > 3) == (13, 4, 0)
    assert shrunk(LISTS, best, lambda at: at == best.at) == best.at


def test_where_the_simplest_is_no_instance_it_begins_at_one_that_is() -> None:
    far = LISTS.filter(lambda at: at[0] > 2 and at[1] > 0)
    best, seen = scored(far, lambda at: (sum(at),))
    assert best.at == (13, 13, 13) and min(at[0] for at in seen) > 2
