"""Hostile certificates: undefined terms, false laws, misleading statements, work and memory."""

import random
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import proofs_check.kernel
from proofs_check.kernel import Accepted, Incomplete, Rejected, check, results
from tests.kernel.certificates import LOGISTIC, stated, view

KERNEL = Path(proofs_check.kernel.__file__).parent
E = ["exp", "0x1"]
ZERO = ["sub", E, E]  # 0, known only as an interval around 0
W = ["div", "0x1", ["add", ["exp", "0x2"], "0x1"]]


def rejected(*conclusion: Any, **more: Any) -> str:
    result = check(stated(*conclusion, **more))
    assert isinstance(result, Rejected), result
    return result.reason


def statement(*conclusion: Any, **more: Any) -> str:
    result = check(stated(*conclusion, **more))
    assert isinstance(result, Accepted), result
    return result.statement


# --- nothing undefined ----------------------------------------------------------------------

UNDEFINED = {
    "zero over zero": ["div", "0x0", ZERO],
    "zero over a hidden zero": [
        "div",
        "0x0",
        ["sub", ["mul", ["sqrt", "0x2"], ["sqrt", "0x2"]], "0x2"],
    ],
    "negative power": ["mul", "0x0", ["pow", ZERO, -1]],
    "ratio of a column": [
        "ldp_ratio",
        [["0x0", "0x1"], [["positive_part", ZERO], ["sub", "0x1", ["positive_part", ZERO]]]],
    ],
    "logarithm": ["mul", "0x0", ["log", ["positive_part", ZERO]]],
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_is_undefined_is_refused(name: str) -> None:
    assert "certainly" in rejected([">=", UNDEFINED[name], "0x0"])


@pytest.mark.parametrize(
    "term",
    [
        ["div", "0x1", "0x0"],
        ["div", "0x1", ZERO],
        ["pow", "0x0", -1],
        ["log", "0x0"],
        ["entry", [["0x1"]], 9, 9],
        ["ldp_ratio", [["0x0", "0x1"], ["0x1/0x2", "0x1/0x2"]]],
    ],
)
def test_what_an_exact_zero_hides_from_coq_is_refused_here(term: Any) -> None:
    """TRUST.md: Coq does not compute what is multiplied by an exact 0, or not used at all."""
    rejected(["=", ["mul", "0x0", term], "0x0"])
    rejected(["=", ["pow", term, 0], "0x1"])
    rejected(["<", "0x0", "0x1"], define=[["z", term]])


def test_a_law_with_an_undefined_mass_is_refused() -> None:
    pair = {"kind": "finite_pair", "p": [["div", "0x0", ZERO], "0x1"], "q": ["0x0", "0x1"]}
    assert "not certainly different from 0" in rejected(["=", ["total_variation", pair], "0x0"])


def test_zero_over_what_is_not_zero_is_zero() -> None:
    assert statement(["=", ["div", "0x0", E], "0x0"]).startswith("(0 / exp(1)) = 0 ")


# --- laws are laws --------------------------------------------------------------------------

TINY = ["pow", "0x2", -200]
WIDE = ["positive_part", ["sub", ["exp", "0x64"], ["exp", "0x64"]]]
FALSE_LAWS: dict[str, tuple[list[Any], int]] = {
    "a hidden zero instead of a half": (["0x1/0x2", WIDE], 128),
    "a part of 2^200 is missing": ([W, ["sub", ["sub", "0x1", W], TINY]], 128),
    "0.99997 with 16 bits": (
        ["0x7ffe/0x8000", ["positive_part", ["sub", ["mul", "0x1/0x9", E], ["mul", "0x1/0x9", E]]]],
        16,
    ),
    "numbers that sum to 1 by a law of exp": (
        [["mul", "0x1/0x2", ["exp", "0x1"], ["exp", "-0x1"]], "0x1/0x2"],
        128,
    ),
}


@pytest.mark.parametrize("name", FALSE_LAWS)
def test_masses_that_do_not_sum_to_one_identically_are_no_law(name: str) -> None:
    row, bits = FALSE_LAWS[name]
    conclusion = [">=", ["row_sum", [row], 0], "0x0"]
    assert "sum to" in rejected(conclusion, precision_bits=bits)


X = {"ref": "x"}
LAWS: dict[str, list[Any]] = {
    "the rest": [W, ["sub", "0x1", W]],
    "nested rests": [["sub", "0x1", W], ["sub", "0x1", ["sub", "0x1", W]]],
    "one denominator": [["div", X, ["add", X, "0x9"]]] + [["div", "0x1", ["add", X, "0x9"]]] * 9,
    "several denominators": [
        ["div", "0x1", ["add", X, "0x1"]],
        ["div", "0x1", ["add", ["div", "0x1", X], "0x1"]],
    ],
    "named masses": [{"ref": "u"}, {"ref": "v"}],
    "binomial": [
        ["pow", W, 2],
        ["mul", "0x2", W, ["sub", "0x1", W]],
        ["pow", ["sub", "0x1", W], 2],
    ],
    "whole powers": [["div", ["pow", X, -2], ["pow", X, -1]], ["sub", "0x1", ["div", "0x1", X]]],
    "a largest of two": [["max", W, "0x1/0x9"], ["neg", ["sub", ["max", W, "0x1/0x9"], "0x1"]]],
}
NAMED = [
    ["x", ["exp", "0x2"]],
    ["u", ["div", "0x1", ["add", X, "0x1"]]],
    ["v", ["div", X, ["add", X, "0x1"]]],
]


@pytest.mark.parametrize("name", LAWS)
def test_masses_that_sum_to_one_identically_are_a_law(name: str) -> None:
    text = statement([">", ["entry", [LAWS[name]], 0, 0], "0x0"], define=NAMED)
    assert "assuming" not in text
    scaled = [["mul", "0x10001/0x10000", mass] for mass in LAWS[name]]
    assert "sum to" in rejected([">", ["entry", [scaled], 0, 0], "0x0"], define=NAMED)
    # A mass that is changed by less than an interval shows is seen too.
    nudged = [["add", LAWS[name][0], TINY], *LAWS[name][1:]]
    assert "identically" in rejected([">", ["entry", [nudged], 0, 0], "0x0"], define=NAMED)


def test_a_mass_that_may_be_negative_is_refused() -> None:
    reason = rejected(["<", "0x0", "0x1"], define=[["M", [[ZERO, ["sub", "0x1", ZERO]]]]])
    assert "mass [0] is not certainly nonnegative" in reason


def test_a_variable_of_a_sum_is_no_definition_of_that_name() -> None:
    row = [["div", {"ref": "r"}, E], ["sub", "0x1", ["div", "0x1", E]]]
    body = ["entry", [row], 0, 0]
    total = ["sum", "r", "0x1", "0x2", body]
    assert "identically" in rejected(["<", total, "0x9"])


# --- statements say what was checked --------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "printed"),
    [
        (["=", ["pow", "0x2/0x3", 2], "0x4/0x9"], "((2/3) ^ 2) = 4/9 "),
        (["=", ["pow", "-0x2", 2], "0x4"], "((-2) ^ 2) = 4 "),
        (["=", ["pow", "0x2", -2], "0x1/0x4"], "(2 ^ (-2)) = 1/4 "),
        (["=", ["div", "0x1", "0x2/0x3"], "0x3/0x2"], "(1 / (2/3)) = 3/2 "),
        (["=", ["sub", "0x1", "-0x1"], "0x2"], "(1 - (-1)) = 2 "),
        (["=", ["div", ["mul", "0x2", "0x1/0x2"], "0x1/0x2"], "0x2"], "((2 * (1/2)) / (1/2)) = 2 "),
    ],
)
def test_numbers_in_operations_cannot_be_misread(relation: Any, printed: str) -> None:
    assert statement(relation).startswith(printed)


def test_a_randomizer_called_ref_is_printed_whole() -> None:
    pair = view([["0x1", "0x0"], ["0x0", "0x1"]], 0)
    pair["randomizers"] = {"ref": [["0x1", "0x0"], ["0x1", "0x0"]]} | pair["randomizers"]
    text = statement(["=", ["total_variation", pair], "0x1"])
    assert "{ref: [[1, 0], [1, 0]], R: [[1, 0], [0, 1]]}" in text


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_beyond_decimals_are_printed_as_powers_of_two(sign: int) -> None:
    huge = ["pow", E, sign * (2**63 - 1)]
    texts = [statement([">" if sign > 0 else "<", huge, "0x1"])]
    texts.append(rejected([">" if sign > 0 else "<", huge, ["mul", huge, huge]]))
    for text in texts:
        assert "Infinity" not in text and "NaN" not in text and "e-1000" not in text
    assert f"left = ~2^{'' if sign > 0 else '-'}13306" in texts[0]
    negative = rejected([">", ["neg", huge], "0x0"])
    assert f"left = ~-2^{'' if sign > 0 else '-'}13306" in negative


# --- the conclusion is about what the file is about -----------------------------------------

R = ["R", [["0x3/0x4", "0x1/0x4"], ["0x1/0x4", "0x3/0x4"]]]
PRIVATE = ["<=", ["ldp_ratio", {"ref": "R"}], "0x3"]


def test_a_conclusion_that_forgets_the_definitions_says_so() -> None:
    text = statement(["<", "0x0", "0x1"], define=[R], hypotheses=[PRIVATE])
    assert text.endswith(
        "; the conclusion does not mention R"
        "; the conclusion is about numbers only: it mentions no law and no matrix"
    )


def test_definitions_count_where_the_conclusion_reaches_them() -> None:
    ratio = ["a", ["ldp_ratio", {"ref": "R"}]]
    assert "mention" not in statement(["<", {"ref": "a"}, "0x4"], define=[R, ratio])
    # The variable r of the sum is not the r defined after it.
    total = ["s", ["sum", "r", "0x1", "0x2", {"ref": "r"}]]
    text = statement(["<", {"ref": "s"}, "0x4"], define=[total, ["r", "0x1"]])
    assert "does not mention r;" in text


def test_hypotheses_that_contradict_each_other_are_refused() -> None:
    both = [[">", ["ldp_ratio", {"ref": "R"}], "0x3"], PRIVATE]
    assert rejected(["<", "0x1", "0x0"], define=[R], hypotheses=both).startswith("hypothesis 1")
    assert rejected(["<", "0x1", "0x0"], define=[R], hypotheses=both[::-1]).startswith(
        "hypothesis 2"
    )


# --- work and memory ------------------------------------------------------------------------

DICE = random.Random(14)


def long_rational(bits: int) -> str:
    top, bottom = (DICE.getrandbits(bits) | 1 << (bits - 1) | 1 for _ in range(2))
    return f"{top:#x}/{bottom:#x}"


def looped(body: Any, times: int = 4000) -> list[Any]:
    return ["<", ["sum", "r", "0x1", f"{times:#x}", body], "-0x1"]


def finite(masses: list[str]) -> dict[str, Any]:
    return {"kind": "finite_pair", "p": masses, "q": masses}


def many_denominators(count: int) -> dict[str, Any]:
    limit = 40 * count
    composite = {m for n in range(2, int(limit**0.5) + 1) for m in range(n * n, limit, n)}
    primes = [n for n in range(2, limit) if n not in composite]
    pairs = [(f"0x1/{n * count:#x}", f"{n - 1:#x}/{n * count:#x}") for n in primes[:count]]
    return finite([mass for pair in pairs for mass in pair])


B, C = {"ref": "b"}, {"ref": "c"}
COINS = [["0x3/0x4", "0x1/0x4"], ["0x1/0x4", "0x3/0x4"]]
LOGISTICS = [LOGISTIC, ["sub", "0x1", LOGISTIC]]
FLAT = ["0x1/0x2710"] * 10_000
LONG = long_rational(2000)
CASE = ["when", ["<", "0x0", "0x1"], ["exp", "-0x1"], ["add", *["0x1"] * 100_000]]
DEEP: Any = ["add", *["0x1"] * 40_000]
for _level in range(180):
    DEEP = ["neg", DEEP]
SLOW: dict[str, tuple[Any, dict[str, Any]]] = {
    "comparisons": (looped(["when", ["<", B, C], "0x0", "0x0"]), {"bits": 10_000}),
    "long comparisons": (["<", C, B], {"bits": 400_000}),
    "logarithms": (looped(["log", B]), {"bits": 10_000}),
    "roots": (looped(["sqrt", B]), {"bits": 10_000}),
    "sums": (looped(["add", B, C]), {"bits": 10_000}),
    "quotients": (looped(["div", B, C]), {"bits": 10_000}),
    "intervals": (looped(["mul", ["pi"], ["exp", {"ref": "r"}]]), {"precision_bits": 8192}),
    "powers of intervals": (looped(["pow", ["pi"], 2**62]), {}),
    "normal": (["<", ["normal_cdf", "0x3"], "-0x1"], {"precision_bits": 65_536}),
    "far normal": (looped(["normal_cdf", "0x7000"], 50), {"precision_bits": 2048}),
    "long numbers in rows": (
        looped(
            [
                "row_sum",
                [[["mul", LONG, ["exp", "-0x9"]], ["sub", "0x1", ["mul", LONG, ["exp", "-0x9"]]]]],
                0,
            ]
        ),
        {},
    ),
    "long cases not taken": (
        looped(["entry", [[CASE, ["sub", "0x1", CASE]]], 0, 0]),
        {"precision_bits": 16},
    ),
    "deep": (["<", DEEP, "-0x1"], {}),
    "sum of normals": (looped(["normal_cdf", ["sqrt", {"ref": "r"}]]), {}),
    "sum of exponentials": (looped(["exp", {"ref": "r"}], 180_000), {}),
    "binomials": (looped(["binomial", 9000, 4500]), {}),
    "wide ratios": (looped(["ldp_ratio", {"ref": "M"}]), {"define": [["M", [FLAT, FLAT]]]}),
    "wide view": (
        looped(["total_variation", view({"ref": "M"}, 0)]),
        {"define": [["M", [FLAT] * 2]]},
    ),
    "outcomes": (
        looped(["mass", {"ref": "v"}, "p", [1] + [0] * 999]),
        {"define": [["v", view([["0x1/0x3e8"] * 1000] * 2, 0)]]},
    ),
    "divergences": (
        looped(["hockey_stick", {"ref": "v"}, ["pi"]]),
        {"define": [["v", view(COINS, 99)]]},
    ),
    "long factor": (looped(["hockey_stick", view(COINS, 99), B]), {"bits": 10_000}),
    "many users": (["<", ["total_variation", view(COINS, 20_000)], "-0x1"], {}),
    "many interval users": (
        ["<", ["total_variation", view([LOGISTICS] * 2, 20_000)], "-0x1"],
        {},
    ),
    "many denominators": (["<", ["total_variation", many_denominators(2000)], "-0x1"], {}),
    "identity": (
        ["<", "0x1", "0x0"],
        {
            "define": [
                ["y", ["pow", ["add", *(["exp", f"{i:#x}"] for i in range(1, 7))], 20]],
                [
                    "M",
                    [[["div", "0x1", {"ref": "y"}], ["sub", "0x1", ["div", "0x1", {"ref": "y"}]]]],
                ],
            ]
        },
    ),
}


@pytest.fixture
def quarter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second of budget is a quarter of one."""
    monkeypatch.setattr(results, "STEPS", results.STEPS // 4)


@pytest.mark.usefixtures("quarter")
@pytest.mark.parametrize("name", SLOW)
def test_work_ends_with_its_budget(name: str) -> None:
    """A second of budget is about one of a processor's time: less than four in any case."""
    conclusion, more = SLOW[name]
    if "bits" in more:
        long = [long_rational(more["bits"]) for _ in range(2)]
        more = {"define": [["b", long[0]], ["c", long[1]]]}
    data = stated(conclusion, **more)
    start = time.process_time()
    result = check(data, seconds=1)
    assert time.process_time() - start < 1
    assert isinstance(result, Rejected)
    assert "allow more" in result.reason, result


@pytest.mark.usefixtures("quarter")
def test_long_files_cost_what_they_take() -> None:
    for data in (
        stated(*[["<", "0x0", "0x1"]] * 30_000),
        stated(["<", "0x0", "0x1"], define=[[f"d{i}", "0x1"] for i in range(30_000)]),
        stated(["<", ["add", *["0x1/0x3"] * 30_000], "0x0"]),
        stated(["<", ["max", *[long_rational(100_000) for _ in range(6)]], "0x0"]),
    ):
        start = time.process_time()
        result = check(data, seconds=1)
        assert isinstance(result, Rejected) and "allow more" in result.reason
        assert time.process_time() - start < 1


def test_a_larger_budget_accepts_what_a_smaller_one_refuses(tmp_path: Path) -> None:
    data = stated([">", ["sum", "r", "0x1", "0x9c40", ["exp", "0x0"]], "0x0"])
    refused = check(data, seconds=1)
    assert isinstance(refused, Rejected)
    assert "more than 1 seconds of work; allow more (--budget)" in refused.reason
    assert isinstance(check(data), Accepted)
    (tmp_path / "long.json").write_bytes(data)
    script = [sys.executable, "-I", "-S", str(KERNEL / "check.py")]
    for budget, code in (("1", 1), ("9", 0), ("-1", 2), ("x", 2)):
        command = [*script, "--budget", budget, str(tmp_path / "long.json")]
        assert subprocess.run(command, capture_output=True, check=False).returncode == code


@pytest.mark.usefixtures("quarter")
def test_memory_is_part_of_the_work() -> None:
    """A step is never more than 16 bytes: half a second of budget keeps less than 8 MB."""
    coprime = [DICE.getrandbits(60) | 1 for _ in range(500)]
    masses = [x for n in coprime for x in (f"0x1/{n * 500:#x}", f"{n - 1:#x}/{n * 500:#x}")]
    for conclusion in (
        ["=", ["event", finite(masses), "p", []], "0x0"],
        ["=", ["event", view([["0x1/0x3", "0x1/0x3", "0x1/0x3"]] * 2, 400), "p", []], "0x0"],
        ["=", ["event", view([LOGISTICS, COINS[0]], 30_000), "p", []], "0x0"],
        ["=", ["event", view([["0x1/0x3e8"] * 1000] * 2, 0), "p", []], "0x0"],
    ):
        tracemalloc.start()
        result = check(stated(conclusion), seconds=2)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert isinstance(result, Accepted | Rejected)
        assert peak < 8_000_000 + 4_000_000


def test_holes_do_not_hide_work() -> None:
    assert isinstance(check(stated(["hole", "x"]), seconds=1), Incomplete)
    assert isinstance(
        check(stated(["hole", "x"], SLOW["normal"][0], precision_bits=65_536), seconds=1), Rejected
    )
