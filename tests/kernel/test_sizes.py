"""Large truths are accepted quickly, attacks rejected quickly, and any input gets an answer."""

import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.kernel import Accepted, Rejected, Unreadable, check, text
from proofs_check.kernel import values as v
from tests.kernel.certificates import LOGISTIC, stated, view

COINS = [["0x3/0x4", "0x1/0x4"], ["0x1/0x4", "0x3/0x4"]]
TRIPLES = [["0x4/0x7", "0x1/0x7", "0x2/0x7"], ["0x1/0x7", "0x4/0x7", "0x2/0x7"]]
LOGISTICS = [LOGISTIC, ["sub", "0x1", LOGISTIC]]
SPREAD = [["0x3/0x5", "0x1/0x5", "0x1/0x5"], ["0x1/0x5", "0x3/0x5", "0x1/0x5"]]
TINY = ["pow", "0x2", "-0x7d0"]
# sqrt(9/25 + 2**-2000) hides an exact entry behind an interval; the last is the rest.
ROOT = ["sqrt", ["add", "0x9/0x19", TINY]]
BLURRED = [[ROOT, "0x1/0x5", ["sub", "0x4/0x5", ROOT]], SPREAD[1]]
R, S = {"ref": "r"}, {"ref": "s"}
WEIGHT = ["mul", ["binomial", S, R], ["pow", {"ref": "x"}, R], ["div", "0x1", ["add", S, "0x1"]]]
NESTED = ["sum", "s", "0x0", "0x64", ["sum", "r", "0x0", S, ["positive_part", WEIGHT]]]


def joined(row: list[str]) -> Any:
    """Two groups with equal rows: apart, their laws of 11,476 outcomes each are too much work."""
    users = [{"randomizer": "R", "input": 0, "count": 150}] * 2
    return view([row, row[::-1]], 0) | {"others": users}


def stick(pair: Any, factor: str) -> Any:
    return ["hockey_stick", pair, factor]


QUICK: dict[str, tuple[Any, int]] = {
    "equal rows": (["<=", stick(joined(["0x4/0x7", "0x1/0x7", "0x2/0x7"]), "0x1"), "0x1"], 30),
    "1000 exact": (["<=", ["total_variation", view([COINS[0]] * 2, 999)], "0x1"], 5),
    "1000 intervals": (["<=", ["total_variation", view([LOGISTICS] * 2, 999)], "0x1"], 5),
    "100 exact": ([">", stick(view(COINS, 99), "0x1"), "0x1/0x64"], 2),
    "100 exact, three messages": ([">", stick(view(TRIPLES, 99), "0x1"), "0x1/0x64"], 5),
    "100 intervals": ([">", stick(view([LOGISTICS, COINS[1]], 99), "0x1"), "0x1/0x64"], 2),
    "exact and interval views agree": (
        [
            "<",
            ["abs", ["sub", stick(view(SPREAD, 6), "0x2"), stick(view(BLURRED, 6), "0x2")]],
            ["pow", "0x2", "-0x64"],
        ],
        30,
    ),
    "nested sums of five thousand terms": ([">", NESTED, "0x1"], 5),
}


@pytest.mark.parametrize("name", QUICK)
def test_what_is_true_and_large_is_accepted_quickly(name: str) -> None:
    conclusion, seconds = QUICK[name]
    start = time.process_time()
    result = check(stated(conclusion, define=[["x", ["exp", "0x1/0x2"]]]))
    assert isinstance(result, Accepted), result
    assert time.process_time() - start < seconds


@pytest.mark.parametrize("wrap", ["neg", "add", "pow", "when", "sum", "binomial", "mass", "ldp"])
def test_terms_nested_to_the_limit_are_computed(wrap: str) -> None:
    term: Any = "0x1"
    depth = 0
    while depth < 186:
        shapes: dict[str, tuple[Any, int]] = {
            "neg": (["abs", ["neg", term]], 2),
            "add": (["add", "0x0", term], 1),
            "pow": (["pow", "0x1", term], 1),
            "when": (["when", ["<", "0x0", term], term if depth < 8 else "0x1", "0x2"], 2),
            "sum": (["sum", f"r{depth}", term, "0x1", "0x1"], 1),
            "binomial": (["binomial", "0x1", term], 1),
            "mass": (["mass", {"kind": "finite_pair", "p": [term], "q": ["0x1"]}, "p", 0], 3),
            "ldp": (["ldp_ratio", [[term]]], 3),
        }
        term, more = shapes[wrap]
        depth += more
    result = check(stated(["=", term, "0x1"]))
    assert isinstance(result, Accepted), result


MANY = ["0x1/0x9c40"] * 40_000
HEAVY = [["pow", "0x1/0x2", "0xc350"], ["sub", "0x1", ["pow", "0x1/0x2", "0xc350"]]]
ATTACKS: dict[str, Any] = {
    "long_number": ["<", "0x" + "f" * 1_000_000, "0x1"],
    "tower": ["<", "0x0", ["pow", ["pow", ["pow", "0x2", "0xf4240"], "0xf4240"], "0xf4240"]],
    "tower_of_intervals": ["<", ["pow", ["pow", ["pi"], "0xf4240"], "0xf4240"], "0x1"],
    "exp_of_exp": ["<", ["exp", ["exp", ["exp", "0x5"]]], "0x1"],
    "exponent": ["<", ["pow", ["pi"], "0x7fffffffffffffff"], "0x1"],
    "binomial": ["<", ["binomial", "0xfffffffffff", "0xffffffff"], "0x1"],
    "harmonic": ["<", ["sum", "r", "0x1", "0xf4240", ["div", "0x1", {"ref": "r"}]], "0x1"],
    "endless_sum": ["<", ["sum", "r", "-0x7fffffffffffffff", "0x7fffffffffffffff", "0x0"], "0x0"],
    "many_classes": ["<", ["total_variation", view([MANY, MANY], 1)], "0x0"],
    "heavy_mass": ["<", ["total_variation", view([HEAVY, HEAVY], 19_999)], "0x0"],
    "null": None,
    "true": ["<", True, "0x1"],
    "list_as_name": [["<"], "0x0", "0x1"],
    "object_as_number": ["<", {"ref": ["x"]}, "0x1"],
    "empty_term": ["<", [], "0x1"],
    "side_is_a_list": ["<", ["mass", view([["0x1"]] * 2, 1), ["p"], [2]], "0x1"],
    "huge_outcome": ["<", ["mass", view([["0x1"]] * 2, 1), "p", ["0x" + "f" * 200_000]], "0x1"],
    "huge_count": ["<", ["total_variation", view([["0x1"]] * 2, 10**18)], "0x1"],
    "huge_index": ["<", ["entry", [["0x1"]], "0x" + "f" * 9000, 0], "0x1"],
    "normal": ["<", ["normal_cdf", "-0x" + "f" * 5000], "0x1"],
    "wide_precision": ["<", ["log", "0x3/0x2"], "0x0"],
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_rejected_and_quickly(name: str) -> None:
    start = time.process_time()
    more = {"precision_bits": 8192} if name == "wide_precision" else {}
    result = check(stated(ATTACKS[name], **more))
    assert isinstance(result, Rejected), result
    assert "cannot be checked here" not in result.reason
    assert len(result.reason) < 600
    assert time.process_time() - start < 30


@given(st.binary(max_size=200))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_any_bytes_get_an_answer(data: bytes) -> None:
    assert isinstance(check(data), Unreadable)


json_values = st.recursive(
    st.sampled_from(["0x1", "-0x2/0x3", "x", "add", "sum", "mass", "p", "<", 0, -1, None, True]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["ref", "kind", "", "é"]), inner, max_size=2)
    ),
    max_leaves=12,
)


@given(json_values, json_values)
@settings(derandomize=True, max_examples=400, deadline=None)
def test_any_json_gets_an_answer(conclusion: Any, definition: Any) -> None:
    result = check(stated(conclusion, ["<", "0x1", "0x0"], define=[["d", definition]]))
    assert isinstance(result, Rejected)
    assert "cannot be checked here" not in result.reason


@given(st.fractions(), st.integers(-300, 300))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_printed_approximations_are_near(x: Fraction, shift: int) -> None:
    x *= Fraction(10) ** shift
    shown = text.shown_value(x)
    exact, _, about = shown.partition("~")
    if about:
        about = about.split(" ")[0].rstrip(")")
        assert abs(Fraction(about) - x) <= abs(x) / 10**11
    if exact:
        assert Fraction(exact.strip(" (")) == x
    ends_shown = text.shown_value(v.enclose(x, 128)).removesuffix(" (an interval)")
    assert abs(Fraction(ends_shown.removeprefix("~")) - x) <= abs(x) / 10**11
