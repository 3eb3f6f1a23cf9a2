"""Grids of problems: the product of all lists, in order, and what is not a list."""

from __future__ import annotations

import pytest

from exactdp.errors import ParseError, TooLargeError
from exactdp.problems.fixtures import read_problem_set
from exactdp.problems.products import each_of


def test_a_grid_is_the_product_and_what_has_no_lists_is_itself() -> None:
    document = {"a": [{"each": [1, 2]}, 7], "b": {"c": {"each": ["x", {"rational": "1"}]}}}
    assert [found[:2] for found in each_of(document, name="N")] == [
        ("N, a=1, c=x", {"a": [1, 7], "b": {"c": "x"}}),
        ('N, a=1, c={"rational": "1"}', {"a": [1, 7], "b": {"c": {"rational": "1"}}}),
        ("N, a=2, c=x", {"a": [2, 7], "b": {"c": "x"}}),
        ('N, a=2, c={"rational": "1"}', {"a": [2, 7], "b": {"c": {"rational": "1"}}}),
    ]
    assert document["a"] == [{"each": [1, 2]}, 7]
    assert each_of([3], name="same") == [("same", [3], {})]


@pytest.mark.parametrize("bad", [{"each": []}, {"each": "12"}, {"each": [1], "x": 2}])
def test_what_is_no_list_of_choices_is_named(bad: object) -> None:
    with pytest.raises(ParseError, match=r"^\$\.a\[0\]=.* is not a list of choices\. Write"):
        each_of({"a": [bad]})


def test_too_many_are_refused_before_they_are_built() -> None:
    with pytest.raises(TooLargeError, match="Split them into several files"):
        each_of([{"each": list(range(10))}] * 30)


def test_a_problem_set_is_all_problems_of_its_grids() -> None:
    text = """{"format": "exactdp-problems/1", "problems": [{"name": "L", "problem":
        {"kind": "laplace", "scale": {"each": ["1", "2"]}, "ask": {"max_divergence": true}}}]}"""
    assert [(p.name, p.problem["scale"]) for p in read_problem_set(text)] == [
        ("L, scale=1", "1"),
        ("L, scale=2", "2"),
    ]
    with pytest.raises(ParseError, match=r"^L: .*scale"):
        read_problem_set(text.replace('"2"', '"-2"'))


SHUFFLE = {
    "kind": "shuffle",
    "randomizers": {"R": {"mechanism": "randomized_response", "k": [2, 3], "epsilon": {"log": 3}}},
    "victim": {"randomizer": "R", "inputs": [0, 1]},
    "others": [{"randomizer": "R", "input": [0, 1], "count": 4}],
    "ask": {"hockey_stick": [{"log": "2"}], "direction": ["forward", "both"]},
}


def test_a_list_is_a_choice_where_the_format_has_one_value() -> None:
    found = each_of(SHUFFLE)
    assert found[3].name == "k=2, input=1, direction=both" and len(found) == 8
    assert found[-1].varied == {"k": 3, "input": 1, "direction": "both"}
    assert found[-1].problem["others"] == [{"randomizer": "R", "input": 1, "count": 4}]
    assert found[-1].problem["victim"] == SHUFFLE["victim"]  # its list is what it should be
    assert [found[:2] for found in each_of(found[0].problem)] == [("", found[0].problem)]


def test_what_kind_of_problem_it_is_may_be_chosen_too() -> None:
    kinds = {"each": ["laplace", "finite_pair"]}
    found = each_of({"kind": kinds, "scale": ["1", "2"], "p": ["1/2", "1/2"], "q": ["1"]})
    assert [one.name for one in found] == [
        "kind=laplace, scale=1",
        "kind=laplace, scale=2",
        "kind=finite_pair",
    ]
    parts = [{"problem": {"kind": "laplace", "scale": ["1", "2"]}, "times": t} for t in (3, [4, 5])]
    last = each_of({"kind": "composition", "parts": [parts[0], *parts]})[-1]
    assert last.name == "scale=2, scale=2, scale=2, times=5"
    assert last.varied == {
        "scale": "2",
        "parts[1].problem.scale": "2",
        "parts[2].problem.scale": "2",
        "times": 5,
    }


def test_a_list_without_values_and_lists_of_too_many_are_refused() -> None:
    with pytest.raises(ParseError, match=r"^\$\.scale=\[\] is not a list of choices\. Write"):
        each_of({"kind": "laplace", "scale": []})
    with pytest.raises(TooLargeError, match="110,000 problems"):
        each_of({"kind": "laplace", "scale": ["1"] * 11_000, "x": {"each": list(range(10))}})
