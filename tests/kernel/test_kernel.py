"""The kernel accepts what is true and shown, and nothing else."""

import ast
import hashlib
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tokenize
from fractions import Fraction
from pathlib import Path

import pytest

import proofs_check.kernel
from proofs_check.kernel import Accepted, Incomplete, Rejected, Unreadable, check, text, values
from proofs_check.kernel.check import check_file, main
from tests.kernel.certificates import stated
from tests.kernel.second_checker import Judgment, judged

HERE = Path(__file__).parent
KERNEL = Path(proofs_check.kernel.__file__).parent
ACCEPTED = sorted((HERE / "accepted").glob("*.json"))
REJECTED = sorted((HERE / "rejected").glob("*.json"))
REASONS: dict[str, str] = json.loads((HERE / "rejected_reasons.json").read_text())
EVALUATOR_LIMIT = 950
PROOF_RULES_LIMIT = 600
CARDS_LIMIT = 730
CARDS = ("cards", "card_laws", "card_parts", "card_curves", "card_numbers")
PROOF_RULES = ("rules", "proofs", "signs", "claimed", "regions")


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_true_certificates_are_accepted(path: Path) -> None:
    result = check(path.read_bytes())
    assert isinstance(result, Accepted), result
    assert judged(json.loads(path.read_text())) is Judgment.TRUE


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


@pytest.mark.parametrize(
    ("stem", "said"),
    [
        (
            "merged_view_is_below_the_whole",
            "a view is merged: its divergences are at most those of the whole",
        ),
        ("special_functions", "the conclusion is about numbers only"),
    ],
)
def test_the_statement_says_what_it_rests_on(stem: str, said: str) -> None:
    result = check((HERE / "accepted" / f"{stem}.json").read_bytes())
    assert isinstance(result, Accepted)
    assert said in result.statement


def test_the_numbers_beside_the_statement_are_those_that_it_prints() -> None:
    """By hand: 3/4 - 2 * 1/4 = 1/4, and the interval around e^(1/2) holds 1.648721..."""
    pair = {"kind": "finite_pair", "p": ["0x3/0x4", "0x1/0x4"], "q": ["0x1/0x4", "0x3/0x4"]}
    stick = ["hockey_stick", pair, "0x2"]
    conclusion = [[">", stick, "0x1/0x8"], ["<", ["exp", "0x1/0x2"], "0x2"]]
    result = check(stated(*conclusion, hypotheses=[["<=", "0x1", "0x1"]]))
    assert isinstance(result, Accepted)
    given, first, (sign, root, two) = result.values
    assert given == ("<=", Fraction(1), Fraction(1))
    assert first == (">", Fraction(1, 4), Fraction(1, 8))
    assert (sign, two) == ("<", Fraction(2)) and isinstance(root, values.Interval)
    low, high = (Fraction(end) * Fraction(2) ** root.exponent for end in (root.lo, root.hi))
    assert low < Fraction("1.648721270700128146848650787814163571653776") < high
    assert high - low < Fraction(1, 10**30)


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_each_relation_that_is_printed_with_numbers_has_its_values(path: Path) -> None:
    result = check(path.read_bytes())
    assert isinstance(result, Accepted)
    for sign, *sides in result.values:
        assert values.holds(sign, *sides) is True
    if "[..." not in result.statement:
        assert len(result.values) == result.statement.count("[left = ")
        for _, *sides in result.values:
            left, right = map(text.shown_value, sides)
            assert f"[left = {left}, right = {right}]" in result.statement


def run(script: Path, *arguments: str, where: Path) -> subprocess.CompletedProcess[str]:
    """Run the checker as a script, isolated and without site-packages."""
    command = [sys.executable, "-I", "-S", str(script), *arguments]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)


def test_the_folder_alone_is_enough(tmp_path: Path) -> None:
    shutil.copytree(KERNEL, tmp_path / "kernel", ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "kernel" / "check.py"
    good = [str(path) for path in ACCEPTED]
    hole, pipe = tmp_path / "hole.json", tmp_path / "pipe"
    os.mkfifo(pipe)
    hole.write_bytes(stated(["hole", "later"]))
    done = run(script, *good, where=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == len(good)
    for line in done.stdout.splitlines():
        assert re.search(r": accepted: .*\bclaim '", line)
    for files, code, said in (
        ([*good, str(REJECTED[0])], 1, ": rejected: "),
        ([str(hole)], 1, ": incomplete: "),
        ([str(pipe)], 2, "pipe: unreadable: "),
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
    lines = {path.stem: code_lines(path) for path in KERNEL.glob("*.py")}
    assert sum(map(lines.pop, PROOF_RULES)) <= PROOF_RULES_LIMIT
    assert sum(map(lines.pop, CARDS)) <= CARDS_LIMIT
    assert sum(lines.values()) <= EVALUATOR_LIMIT
    for path in KERNEL.glob("*.py"):
        assert len(path.read_text().splitlines()) < 400, path.name


LINE = stated(["<", "0x0", "0x1"])
LINES: dict[str, tuple[bytes, list[str], int]] = {
    "two": (LINE + b"\n" + LINE + b"\n", ["1: accepted: 0 < 1", "2: accepted: 0 < 1"], 0),
    "no newline at the end": (LINE + b"\n" + LINE, ["1: accepted: ", "2: accepted: "], 0),
    "CRLF": (LINE + b"\r\n" + LINE + b"\r\n", ["1: accepted: ", "2: accepted: "], 0),
    "a false line": (
        LINE + b"\n" + stated(["<", "0x1", "0x0"]) + b"\n" + LINE,
        ["1: accepted: ", "2: rejected: conclusion 1: ", "3: accepted: "],
        1,
    ),
    "an empty line": (b"\n" + LINE, ["1: unreadable: the line is empty", "2: accepted: "], 2),
    "blanks": (LINE + b"\n \r\n", ["1: accepted: ", "2: unreadable: the line is empty"], 2),
    "no line": (b"", [" unreadable: no line, and so no certificate"], 2),
    "no UTF-8": (b"\xff\n" + LINE, ["1: unreadable: not JSON", "2: accepted: "], 2),
    "several lines of one": (LINE.replace(b",", b",\n"), ["1: unreadable: not JSON"], 2),
    "too long": (
        b" " * 9_000_000 + LINE + b"\n" + LINE,
        ["1: unreadable: more than 8000000 bytes; what follows is not read"],
        2,
    ),
}


@pytest.mark.parametrize(("content", "said", "status"), LINES.values(), ids=LINES)
def test_each_line_is_a_file_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, said: list[str], status: int
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    assert main([str(path)]) == status
    lines = capsys.readouterr().out.splitlines()
    more = content.count(b"\n") if said == ["1: unreadable: not JSON"] else 0
    assert len(lines) == len(said) + more
    for line, words in zip(lines, said, strict=False):
        assert line.startswith(f"{path}:{words}") and line.isascii()


def test_limits_and_hashes_are_a_lines_own(tmp_path: Path) -> None:
    """The budget is spent anew for each, and the hash is that of the line with its end."""
    long = stated(["<", "0x0", "0x" + "f" * 30]) + b"\n"
    path = tmp_path / "x.jsonl"
    path.write_bytes(long * 3)
    answers = [answer for _, answer in check_file(str(path), seconds=1)]
    assert answers == [check(long, seconds=1)] * 3
    assert hashlib.sha256(long).hexdigest() in vars(answers[0])["statement"]


def test_a_binomial_coefficient_does_not_hang_on_the_one_before() -> None:
    asked = [(60, b) for b in (0, 1, 3, 4, 2, 30, 31, 29, 60, 61, 58)] + [(a, 2) for a in range(24)]
    for mixed in (asked, [*reversed(asked)], [*asked[::2], *asked[1::2]]):
        left = ["add", *(["binomial", hex(a), hex(b)] for a, b in mixed)]
        total = sum(math.comb(a, b) for a, b in mixed)
        document = {"format": "exactdp-certificate/1", "claim": "", "conclusion": []}
        for right, kind in ((total, Accepted), (total + 1, Rejected)):
            document["conclusion"] = [["=", left, hex(right)]]
            assert isinstance(check(json.dumps(document).encode()), kind)
