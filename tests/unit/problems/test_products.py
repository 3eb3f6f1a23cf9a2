"""Grids of problems: the product of all lists, in order, and what is no list."""

from __future__ import annotations

import pytest

from exactdp.errors import ParseError, TooLargeError
from exactdp.problems.fixtures import read_problem_set
from exactdp.problems.products import each_of


def test_a_grid_is_the_product_and_what_has_no_lists_is_itself() -> None:
    document = {"a": [{"each": [1, 2]}, 7], "b": {"c": {"each": ["x", {"rational": "1"}]}}}
    assert each_of(document, name="N") == [
        ("N, a=1, c=x", {"a": [1, 7], "b": {"c": "x"}}),
        ('N, a=1, c={"rational": "1"}', {"a": [1, 7], "b": {"c": {"rational": "1"}}}),
        ("N, a=2, c=x", {"a": [2, 7], "b": {"c": "x"}}),
        ('N, a=2, c={"rational": "1"}', {"a": [2, 7], "b": {"c": {"rational": "1"}}}),
    ]
    assert document["a"] == [{"each": [1, 2]}, 7]
    assert each_of([3], name="same") == [("same", [3])]


@pytest.mark.parametrize("bad", [{"each": []}, {"each": "12"}, {"each": [1], "x": 2}])
def test_what_is_no_list_of_choices_is_named(bad: object) -> None:
    with pytest.raises(ParseError, match=r"^\$\.a\[0\]=.* is no list of choices\. Write"):
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
