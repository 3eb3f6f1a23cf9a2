"""The kernel accepts what is true and shown, and nothing else."""

import ast
import copy
import io
import json
import operator
import random
import re
import shutil
import subprocess
import sys
import time
import tokenize
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import proofs_check.kernel
from proofs_check.kernel import Accepted, Incomplete, Rejected, Unreadable, check, text
from proofs_check.kernel import functions as special
from proofs_check.kernel import values as v
from tests.kernel.brute_force import is_true

HERE = Path(__file__).parent
KERNEL = Path(proofs_check.kernel.__file__).parent
ACCEPTED = sorted((HERE / "accepted").glob("*.json"))
REJECTED = sorted((HERE / "rejected").glob("*.json"))
REASONS: dict[str, str] = json.loads((HERE / "rejected_reasons.json").read_text())
CODE_LINES_LIMIT = 700
LOGISTIC = ["div", ["exp", "0x1"], ["add", ["exp", "0x1"], "0x1"]]


def stated(*conclusion: Any, **more: Any) -> bytes:
    """Return the bytes of a certificate."""
    outer = {"format": "exactdp-certificate/1", "claim": "test", "conclusion": list(conclusion)}
    return json.dumps(outer | more).encode()


def view(matrix: Any, count: int) -> dict[str, Any]:
    """Return a shuffled view of a victim and count others with input 0."""
    return {
        "kind": "shuffle",
        "randomizers": {"R": matrix},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
        "others": [{"randomizer": "R", "input": 0, "count": count}],
    }


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_true_certificates_are_accepted(path: Path) -> None:
    result = check(path.read_bytes())
    assert isinstance(result, Accepted), result
    assert is_true(json.loads(path.read_text()))


def test_every_rejected_file_has_a_reason() -> None:
    assert [path.stem for path in REJECTED] == sorted(REASONS)


@pytest.mark.parametrize("path", REJECTED, ids=lambda path: path.stem)
def test_rejected_for_its_one_defect(path: Path) -> None:
    result = check(path.read_bytes())
    assert isinstance(result, Rejected), result
    assert REASONS[path.stem] in result.reason


UNREADABLE = {
    "empty": (b"", "not JSON"),
    "truncated": (stated(["<", "0x0", "0x1"])[:-2], "not JSON"),
    "not_utf8": (b'{"format": "\xff"}', "not JSON"),
    "a_list": (b"[]", "certificate must be a JSON object"),
    "wrong_version": (
        stated(["<", "0x0", "0x1"], format="exactdp-certificate/2"),
        "the format is not",
    ),
    "no_conclusion": (b'{"format": "exactdp-certificate/1", "claim": ""}', "'conclusion'"),
    "unknown_key": (stated(["<", "0x0", "0x1"], verdict="true"), "the key 'verdict' is unknown"),
    "repeated_key": (b'{"claim": "a", "claim": "b"}', "a key is repeated among ['claim', 'claim']"),
    "float": (stated(["<", 0.5, "0x1"]), "'0.5' is a float or too long"),
    "not_a_number": (b'{"claim": NaN}', "'NaN' is a float or too long"),
    "long_integer": (b'{"precision_bits": ' + b"9" * 5000 + b"}", "is a float or too long"),
    "deep_nesting": (b"[" * 3_000_000, "nested deeply"),
    "deep_objects": (b'{"a":' * 500_000, "nested deeply"),
    "nesting_201": (b'{"a":' * 200 + b"{}" + b"}" * 200, "nested deeper than 200 levels"),
    "too_many_bytes": (b" " * 8_000_001, "more than 8000000 bytes"),
    "low_precision": (stated(["<", "0x0", "0x1"], precision_bits=8), "integer from 16 to 65536"),
    "true_as_precision": (stated(["<", "0x0", "0x1"], precision_bits=True), "an integer"),
    "label_is_a_list": (stated(["<", "0x0", "0x1"], reading=[]), "reading must be a string"),
    "unclosed_string": (b'{"' + b'\\"[' * 1_000_000, "not JSON"),
    "quotes": (b'{"' + b'\\"' * 2_000_000, "not JSON"),
    "backslashes": (b'{"' + b"\\" * 2_000_001, "not JSON"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable(name: str) -> None:
    data, reason = UNREADABLE[name]
    result = check(data)
    assert isinstance(result, Unreadable), result
    assert reason in result.reason
    assert len(result.reason) < 300


def test_what_is_not_bytes_is_unreadable() -> None:
    assert isinstance(check("{}"), Unreadable)  # type: ignore[arg-type]


def test_a_hole_is_never_accepted() -> None:
    result = check(stated(["<", "0x0", "0x1"], ["hole", "the tail\nbound"]))
    assert result == Incomplete(("'the tail\\nbound'",))


def test_labels_are_not_in_the_statement_and_cannot_forge_a_line() -> None:
    result = check(stated(["<", "0x0", "0x1"], claim="x\nfile: accepted: 1 < 0"))
    assert isinstance(result, Accepted)
    assert "file" not in result.statement
    assert "\n" not in "".join(result.labels)


def digit_mutations(text: str) -> Iterator[str]:
    """Yield the text with one digit of one number changed."""
    start = 0
    while (start := text.find('"', start)) >= 0:
        end = text.index('"', start + 1)
        word = text[start + 1 : end]
        if word.lstrip("-").startswith("0x"):
            for i, digit in enumerate(word):
                if digit in "0123456789abcdef" and word[i : i + 2] != "0x":
                    for step in (1, 7, 15):
                        other = f"{(int(digit, 16) + step) % 16:x}"
                        yield text[: start + 1 + i] + other + text[start + 2 + i :]
        start = end + 1


def integer_mutations(value: Any) -> Iterator[Any]:
    """Yield the value with one JSON integer one larger or smaller."""
    if isinstance(value, int):
        yield from (value - 1, value + 1)
    elif isinstance(value, list | dict):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            if key != "precision_bits":
                for changed in integer_mutations(value[key]):
                    mutant = copy.copy(value)
                    mutant[key] = changed
                    yield mutant


def relation_mutations(certificate: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the certificate with one relation of the conclusion replaced."""
    for i in range(len(certificate["conclusion"])):
        for relation in ("<", "<=", "=", "!=", ">=", ">"):
            mutant = copy.deepcopy(certificate)
            mutant["conclusion"][i][0] = relation
            yield mutant


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_no_false_mutant_is_accepted(path: Path) -> None:
    original = path.read_text()
    mutants = [json.loads(text) for text in digit_mutations(original)]
    mutants += list(integer_mutations(json.loads(original)))
    mutants += list(relation_mutations(json.loads(original)))
    false = 0
    for mutant in mutants:
        result = check(json.dumps(mutant).encode())
        assert isinstance(result, Accepted | Rejected)
        if is_true(mutant):
            assert isinstance(result, Accepted), (mutant, result)
        else:
            false += 1
            assert isinstance(result, Rejected), mutant
    assert len(mutants) > 50
    assert false > 20


@cache
def mp(prec: int) -> Any:
    """Return a context of mpmath of its own."""
    context = mpmath.mp.clone()
    context.prec = prec
    return context


@lru_cache(maxsize=4)
def true_value(name: str, x: Fraction, prec: int) -> Any:
    """Return mpmath's value, kept for the second enclosure of one number."""
    context = mp(prec)
    reference = context.ncdf if name == "normal_cdf" else getattr(context, name)
    return reference(context.mpf(x.numerator) / x.denominator)


def assert_encloses(got: Any, name: str, x: Fraction, context: Any, bits: int | None) -> None:
    """The value of a function lies in the interval, of a relative width of 2^-bits if given."""
    truth = true_value(name, x, context.prec)
    lo, hi = (context.mpf(m) * context.mpf(2) ** got.exponent for m in (got.lo, got.hi))
    assert lo <= truth <= hi
    if bits is not None:
        assert hi - lo <= abs(truth) * context.mpf(2) ** -bits


FUNCTIONS = ("exp", "log", "sqrt", "normal_cdf")


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.sampled_from([16, 53, 128, 700]))
@settings(derandomize=True, max_examples=150, deadline=None)
def test_functions_contain_the_truth_and_are_narrow(n: int, d: int, bits: int) -> None:
    for name in FUNCTIONS:
        x = Fraction(n, d)
        if name in ("log", "sqrt"):
            x = abs(x) + Fraction(1, 10**9)
        if name == "normal_cdf":
            x = x % 45 if n > 0 else -(-x % 45)
        got = v.enclose(getattr(special, name)(x, bits), bits)
        assert_encloses(got, name, x, mp(1500), bits - 4)


@pytest.mark.parametrize("bits", [16, 24, 53])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_contain_the_truth_at_2000_random_points(name: str, bits: int) -> None:
    context, generator = mp(400), random.Random(f"{name} {bits}")
    for _ in range(2000 // 3 + 1):
        x = Fraction(generator.randrange(1, 10**9), generator.randrange(1, 10**9))
        if name in ("exp", "normal_cdf"):
            x = generator.choice((-1, 1)) * (x % 9)
        # Exactly as the kernel computes, before the last rounding hides a small error.
        inner = getattr(special, f"_{name}", getattr(special, name))
        assert_encloses(v.enclose(inner(x, bits), 1000), name, x, context, None)
        got = v.enclose(getattr(special, name)(x, bits), bits)
        assert_encloses(got, name, x, context, bits - 3)


def remainders() -> list[tuple[str, str]]:
    """Return the lines of functions.py that add a remainder, each with a line without it."""
    lines = (KERNEL / "functions.py").read_text().splitlines()
    found = [(x, re.sub(r" \+ (term|power) \* UNIT", "", x)) for x in lines if "* UNIT" in x]
    return [(x, y) for x, y in found if "#" not in x]


@pytest.mark.parametrize("line", [None, 0, 1, 2])
def test_a_remainder_that_is_dropped_is_noticed(line: int | None, tmp_path: Path) -> None:
    """The enclosure without the remainder misses the truth at one of 300 points; with it, not."""
    assert len(remainders()) == 3
    original, mutant = ("", "") if line is None else remainders()[line]
    assert original != mutant or line is None
    folder = tmp_path / "mutant_kernel"
    shutil.copytree(KERNEL, folder, ignore=shutil.ignore_patterns("__pycache__"))
    source = (folder / "functions.py").read_text()
    (folder / "functions.py").write_text(source.replace(original, mutant))
    program = """
import sys
from fractions import Fraction
from importlib import import_module
sys.path.insert(0, sys.argv[1])
special = import_module("mutant_kernel.functions")
values = import_module("mutant_kernel.values")
def misses(name, x):
    # Working far beyond 32 bits, the rough one must still contain the fine one.
    rough, fine = (getattr(special, name)(x, bits) for bits in (32, 300))
    low, high = values.separation(rough, fine)
    return low > 0 or high < 0
names = ("_exp", "_log", "_normal_cdf")
print(any(misses(name, Fraction(i, 97)) for i in range(1, 300) for name in names))
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{line is not None}\n"


@pytest.mark.parametrize("x", [-20, -38, -100, -1000])
def test_normal_tail_keeps_its_relative_precision(x: int) -> None:
    got = special.normal_cdf(Fraction(x), 128)
    assert isinstance(got, v.Interval)
    assert_encloses(got, "normal_cdf", Fraction(x), mp(3000), 124)


def test_functions_of_intervals_contain_the_images_of_both_ends() -> None:
    for name in FUNCTIONS:
        a, b = Fraction(7, 5), Fraction(8, 5)
        wide = v.maximum(v.enclose(a, 64), v.Interval(0, 8, 0, 64) / 5, 64)
        image = getattr(special, name)(wide, 64)
        for x in (a, Fraction(3, 2), b):
            inner = v.enclose(getattr(special, name)(x, 64), 64)
            assert v.separation(image, inner)[0] <= 0 <= v.separation(image, inner)[1]


fractions = st.fractions(min_value=-100, max_value=100, max_denominator=10**12)


@given(fractions, fractions, st.integers(-80, 80), st.sampled_from([16, 40, 128]))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_interval_arithmetic_contains_exact_arithmetic(
    x: Fraction, y: Fraction, shift: int, bits: int
) -> None:
    y *= Fraction(2) ** shift
    a, b = v.enclose(x, bits), v.enclose(y, bits)
    rows: list[tuple[Any, Fraction]] = [
        (a + b, x + y),
        (a + y, x + y),
        (x - b, x - y),
        (a - b, x - y),
        (a * b, x * y),
        (x * b, x * y),
        (3 * a, 3 * x),
        (a**5, x**5),
        (a**6, x**6),
        (a**0, Fraction(1)),
        (v.maximum(a, b, bits), max(x, y)),
        (v.maximum(a, y, bits), max(x, y)),
        (v.positive_part(a), max(x, Fraction(0))),
        (abs(a), abs(x)),
        (v.enclose(a, 16), x),
    ]
    if y:
        rows += [(a / b, x / y), (x / b, x / y), (1 / b, 1 / y)]
    for got, truth in rows:
        assert v.holds("!=", got, truth) is not True
        assert v.separation(got, truth)[0] <= 0 <= v.separation(got, truth)[1]
        assert v.separation(got, truth)[1] - v.separation(got, truth)[0] >= 0
    lower = (Fraction(z.lo) * Fraction(2) ** z.exponent for z in (a, b))
    points = (v.Interval(z.lo, z.lo, z.exponent, bits) for z in (a, b))
    assert v.holds(">", *points) is operator.gt(*lower)


@given(st.lists(st.integers(-(10**9), 10**9), min_size=4, max_size=4), st.integers(-40, 40))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_operations_on_wide_intervals_contain_those_on_their_members(
    numbers: list[int], shift: int
) -> None:
    (a, b), (c, d) = sorted(numbers[:2]), sorted(numbers[2:])
    x, y = v.Interval(a, b, 0, 40), v.Interval(c, d, shift, 40)
    scale = Fraction(2) ** shift
    for p in (Fraction(a), Fraction(a + b, 2), Fraction(b)):
        for q in (c * scale, (c + d) * scale / 2, d * scale):
            rows: list[tuple[v.Real, Fraction]] = [(x + y, p + q), (x - y, p - q), (x * y, p * q)]
            rows += [(x**3, p**3), (x**4, p**4)]
            rows += [(abs(x), abs(p)), (v.positive_part(x), max(p, Fraction(0)))]
            rows += [(v.maximum(x, y, 40), max(p, q))]
            if c * d > 0:
                rows.append((x / y, p / q))
            for got, truth in rows:
                assert v.separation(got, truth)[0] <= 0 <= v.separation(got, truth)[1]


def test_three_valued_relations() -> None:
    half, wide = Fraction(1, 2), v.Interval(0, 1, 0, 53)
    for relation in ("<", "<=", "=", "!=", ">=", ">"):
        assert v.holds(relation, wide, half) is None
    point = v.Interval(1, 1, -1, 53)
    assert v.holds("=", point, half) is None
    assert v.holds("<=", point, half) is True
    assert v.holds("<", point, half) is False


COINS = [["0x3/0x4", "0x1/0x4"], ["0x1/0x4", "0x3/0x4"]]
TRIPLES = [["0x4/0x7", "0x1/0x7", "0x2/0x7"], ["0x1/0x7", "0x4/0x7", "0x2/0x7"]]
LOGISTICS = [LOGISTIC, ["sub", "0x1", LOGISTIC]]
SPREAD = [["0x3/0x5", "0x1/0x5", "0x1/0x5"], ["0x1/0x5", "0x3/0x5", "0x1/0x5"]]
TINY = ["pow", "0x2", "-0x7d0"]
# sqrt(9/25 + 2**-2000) hides an exact entry behind an interval.
BLURRED = [[["sqrt", ["add", "0x9/0x19", TINY]], *SPREAD[0][1:]], SPREAD[1]]
R, S = {"ref": "r"}, {"ref": "s"}
WEIGHT = ["mul", ["binomial", S, R], ["pow", {"ref": "x"}, R], ["div", "0x1", ["add", S, "0x1"]]]
NESTED = ["sum", "s", "0x0", "0x96", ["sum", "r", "0x0", S, ["positive_part", WEIGHT]]]


def joined(row: list[str]) -> Any:
    """Two groups with equal rows: apart, their laws of 20,301 outcomes each are too much work."""
    users = [{"randomizer": "R", "input": 0, "count": 200}] * 2
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
    "nested sums of ten thousand terms": ([">", NESTED, "0x1"], 5),
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
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
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


@pytest.mark.parametrize(
    ("stem", "said"),
    [
        (
            "merged_view_is_below_the_whole",
            "a view is merged: its divergences are at most those of the whole",
        ),
        (
            "transcendental_randomizer",
            "assuming that masses known only as intervals sum to exactly 1",
        ),
    ],
)
def test_the_statement_says_what_it_rests_on(stem: str, said: str) -> None:
    result = check((HERE / "accepted" / f"{stem}.json").read_bytes())
    assert isinstance(result, Accepted)
    assert said in result.statement


def run(script: Path, *arguments: str, where: Path) -> subprocess.CompletedProcess[str]:
    """Run the checker as a script, isolated and without site-packages."""
    command = [sys.executable, "-I", "-S", str(script), *arguments]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)


def test_the_folder_alone_is_enough(tmp_path: Path) -> None:
    shutil.copytree(KERNEL, tmp_path / "kernel", ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "kernel" / "check.py"
    good = [str(path) for path in ACCEPTED]
    hole = tmp_path / "hole.json"
    hole.write_bytes(stated(["hole", "later"]))
    done = run(script, *good, where=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == len(good)
    for line in done.stdout.splitlines():
        assert ": accepted: " in line and "claim 'example/" in line
    for files, code, said in (
        ([*good, str(REJECTED[0])], 1, ": rejected: "),
        ([str(hole)], 1, ": incomplete: "),
        (["missing", str(REJECTED[0]), str(tmp_path)], 2, "missing: unreadable: cannot read the"),
    ):
        done = run(script, *files, where=tmp_path)
        assert (done.returncode, done.stderr) == (code, "")
        assert said in done.stdout
    assert run(script, where=tmp_path).returncode == 2


def test_the_script_in_place_agrees(tmp_path: Path) -> None:
    done = run(KERNEL / "check.py", str(ACCEPTED[0]), where=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_only_the_standard_library_is_imported() -> None:
    for path in KERNEL.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""] if node.level == 0 else []
                assert node.level <= 1
            for name in names:
                assert name.split(".")[0] in sys.stdlib_module_names, (path.name, name)


def test_no_float_no_assert_no_eval() -> None:
    for path in KERNEL.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            assert not isinstance(node, ast.Assert), path.name
            if isinstance(node, ast.Constant):
                assert not isinstance(node.value, float | complex), (path.name, node.lineno)
            if isinstance(node, ast.Name):
                assert node.id not in ("float", "eval", "exec", "pickle"), path.name


def code_lines(path: Path) -> int:
    """Return the number of lines that are not blank, comment or docstring."""
    source = path.read_text(encoding="utf-8")
    ignored = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT}
    ignored |= {tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in ignored:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = node.body[0]
            if isinstance(first, ast.Expr) and ast.get_docstring(node) is not None:
                lines -= set(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines)


def test_the_kernel_stays_small() -> None:
    assert sum(code_lines(path) for path in KERNEL.glob("*.py")) <= CODE_LINES_LIMIT
    for path in KERNEL.glob("*.py"):
        assert len(path.read_text().splitlines()) < 400, path.name
