"""The command line: answers on standard output, one line on standard error."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import exactdp.problems  # a child that is a copy then need not
from tests.commands import outcome

PROBLEM = {
    "kind": "finite_pair",
    "p": ["3/4", "1/4"],
    "q": ["1/4", "3/4"],
    "ask": {"hockey_stick": [{"log": "2"}, {"rational": "0.49"}], "max_divergence": True},
}

Result = tuple[int, str, str]


def run_process(*arguments: str, stdin: str | bytes = b"") -> Result:
    done = subprocess.run(
        [sys.executable, "-c", "from exactdp.cli import main; main()", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def problem(tmp_path: Path) -> str:
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(PROBLEM))
    return str(path)


def test_json(capsys, problem):
    code, out, err = outcome(capsys, "solve", problem, "--json", "--digits", "5")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["format"] == "exactdp-answers/1"
    assert document["answers"][0] == {
        "ask": "hockey_stick",
        "at": {"log": "2"},
        "direction": "forward",
        "unit": "probability",
        "exact": "1/4",
        "decimal": "0.25000",
        "lower": "0.250000000000000000",
        "upper": "0.250000000000000000",
        "tight": True,
        "float_below": 0.25,
        "float_above": 0.25,
    }
    assert [answer["exact"] for answer in document["answers"]] == ["1/4", None, None]
    assert document["answers"][2]["at"] is None
    assert document["answers"][2]["expression"] == "log(3)"


def test_infinity_is_valid_json(capsys, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps({**PROBLEM, "p": [1, 0], "q": [0, 1]}))
    code, out, _ = outcome(capsys, "solve", str(path), "--json")

    def no_constants(name: str) -> None:
        raise AssertionError(name)

    answer = json.loads(out, parse_constant=no_constants)["answers"][2]
    assert code == 0
    assert answer["decimal"] == answer["lower"] == answer["upper"] == "infinity"
    assert answer["exact"] is answer["float_below"] is answer["float_above"] is None


REFUSED = {
    "kind": "random_allocation",
    "step": {"kind": "gaussian", "sigma": "2"},
    "steps": 10,
    "ask": {
        "max_divergence": True,
        "hockey_stick": [{"rational": "1"}],
        "trade_off": ["0"],
        "relative_width": "1e-9",
    },
}


def test_a_question_that_is_refused_takes_no_answer_with_it(capsys, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(REFUSED))
    code, out, err = outcome(capsys, "solve", str(path), "--json")
    first, refused, last = json.loads(out)["answers"]
    assert code == 1
    assert err.startswith("error: hockey_stick at 1 is refused: $.ask.hockey_stick: ")
    assert (first["lower"], last["exact"]) == ("infinity", "1")
    assert refused.keys() == {"ask", "at", "refused"}
    assert refused["at"] == {"rational": "1"}
    assert err.endswith(f"refused: {refused['refused']}\n")
    code, out, _ = outcome(capsys, "solve", str(path))
    assert code == 1
    assert re.search(r"hockey_stick +│ 1 +│ refused", out)


def test_nor_does_one_that_takes_too_long(capsys, tmp_path, monkeypatch):
    """A process that is stopped leaves the answers that it had."""

    def for_ever(*_: object, **__: object) -> None:
        while True:
            pass

    monkeypatch.setattr("exactdp.divergences.Pair.renyi", for_ever)
    path = tmp_path / "p.json"
    path.write_text(json.dumps(PROBLEM | {"ask": {"epsilon": ["1/4"], "renyi": ["2", "3"]}}))
    code, out, err = outcome(capsys, "solve", str(path), "--json", "--time-limit", "1")
    first, second, third = json.loads(out)["answers"]
    assert (code, first["expression"]) == (1, "log(2)")
    assert second["refused"] == third["refused"]
    assert second["refused"].startswith("the calculation took more than 1 s")
    assert err.count("error: renyi at ") == 2


def test_a_problem_without_any_answer_is_one_error(capsys, tmp_path):
    path = tmp_path / "p.json"
    ask = {"hockey_stick": [{"rational": "1"}, {"rational": "2"}], "relative_width": "1e-9"}
    path.write_text(json.dumps(REFUSED | {"ask": ask}))
    code, out, err = outcome(capsys, "solve", str(path), "--json")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_table_and_standard_input():
    code, out, err = run_process("solve", "-", stdin=json.dumps(PROBLEM))
    assert (code, err) == (0, "")
    for text in ("ask", "decimal", "log(2)", "0.25000000000000000", "1/4", "log(3)"):
        assert text in out
    assert "bound" not in out


def test_a_table_in_a_pipe_is_folded_and_not_cut():
    code, out, _ = run_process("solve", "-", "--digits", "3000", stdin=json.dumps(PROBLEM))
    assert code == 0
    assert max(map(len, out.splitlines())) <= 100
    assert out.count("0") > 2998 and "…" not in out


def test_numbers_need_no_more_than_the_engine_and_trials_say_what_they_need(problem):
    program = (
        "import sys; sys.modules.update(sympy=None, hypothesis=None)\n"
        "from exactdp.cli import main; main()"
    )
    done = [
        subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)
        for arguments in (["solve", problem], ["claims"])
    ]
    assert [one.returncode for one in done] == [0, 2]
    assert "which is not installed. Install exactdp[trials]." in done[1].stderr
    assert done[1].stderr.count("\n") == 1


def test_the_schema_of_problem_files_is_printed_alone(capsys):
    code, out, _ = outcome(capsys, "solve", "--schema")
    schema = json.loads(out)
    assert code == 0 and schema["$id"] == "urn:exactdp:problem" and "$schema" in schema
    assert outcome(capsys, "solve")[0] == 2


def test_a_bound_is_said(capsys, tmp_path):
    path = tmp_path / "p.json"
    row = ["1/2", "1/4", "1/4"]
    merged = {
        "kind": "shuffle",
        "randomizers": {"R": [row, row[::-1]]},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
        "merge": [[0], [1, 2]],
        "ask": {"total_variation": True},
    }
    path.write_text(json.dumps(merged))
    code, out, _ = outcome(capsys, "solve", str(path))
    assert code == 0
    assert "lower" in out
    assert (
        json.loads(outcome(capsys, "solve", str(path), "--json")[1])["answers"][0]["bound"]
        == "lower"
    )


TEXT = json.dumps(PROBLEM)
BAD_FILES = {
    "masses": TEXT.replace('"3/4", "1/4"', '"3/4", "1/5"', 1),
    "no number": TEXT.replace('{"log": "2"}', "true"),
    "repeated key": TEXT.replace('"q"', '"p"'),
    "unknown key": TEXT.replace('"q"', '"Q"'),
    "truncated": TEXT[:-1],
    "nesting": "[" * 100_000,
    "huge integer": TEXT.replace('"2"', "9" * 10_000),
    "line break in a key": TEXT.replace('"q"', '"q\\nq"'),
    "half a character": TEXT.replace('"2"', '"\\ud800"'),
    "too large": json.dumps(
        {
            "kind": "shuffle",
            "randomizers": {"R": [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]]},
            "victim": {"randomizer": "R", "inputs": [0, 1]},
            "others": [{"randomizer": "R", "input": 1, "count": 10**18}],
            "ask": {"epsilon": ["1e-6"]},
        }
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_an_error_is_one_line_and_code_2(capsys, tmp_path, name):
    path = tmp_path / "p.json"
    path.write_text(BAD_FILES[name])
    code, out, err = outcome(capsys, "solve", str(path))
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_an_error_in_a_process_shows_no_traceback():
    code, out, err = run_process("solve", "-", stdin=b"[" * 100_000)
    assert (code, out) == (2, "")
    assert err == (
        "error: the file nests brackets deeper than 50. "
        "No problem needs that; close the brackets.\n"
    )


@pytest.mark.parametrize("name", ["missing.json", "", "line\nbreak", "null\0byte"])
def test_an_unreadable_file_is_one_line(capsys, tmp_path, name):
    code, out, err = outcome(capsys, "solve", f"{tmp_path}/{name}")
    assert (code, out) == (2, "")
    assert err.startswith("error: FILE=")
    assert err.count("\n") == 1


def test_digits_out_of_range(capsys, problem):
    code, _, err = outcome(capsys, "solve", problem, "--digits", "0")
    assert (code, err) == (2, "error: digits=0 must be at least 1. Pass an int from 1 on.\n")
    code, _, err = outcome(capsys, "solve", problem, "--digits", "100001")
    assert code == 2
    assert err == "error: digits=100001 is out of range. Give a number from 1 to 100000.\n"


def test_help_and_version_load_no_mathematics():
    program = (
        "import sys\nfrom exactdp.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "heavy = {'flint', 'sympy', 'numpy', 'hypothesis', 'msgspec'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    for argument, expected in (("--help", "solve"), ("--version", "exactdp 0")):
        done = subprocess.run(
            [sys.executable, "-c", program, argument], capture_output=True, text=True, check=True
        )
        assert expected in done.stdout
        assert done.stdout.endswith("[]\n")


def test_usage_errors_have_code_2(capsys):
    assert outcome(capsys, "solve")[0] == 2
    assert outcome(capsys, "dissolve")[0] == 2


def test_an_enclosure_is_its_common_digits_with_a_bracket(capsys, tmp_path):
    path = tmp_path / "p.json"
    gaussian = {"kind": "gaussian", "sigma": "1", "sensitivity": "1", "ask": {"epsilon": ["1e-6"]}}
    path.write_text(json.dumps(gaussian))
    (answer,) = json.loads(outcome(capsys, "solve", str(path), "--json")[1])["answers"]
    out = outcome(capsys, "solve", str(path))[1]
    common, low, high = re.search(r"([\d.]+)\[(\d+), (\d+)\]", out).groups()
    assert [common + low, common + high] == [answer["lower"], answer["upper"]]
    assert " 4.89 " in outcome(capsys, "solve", str(path), "--digits", "3")[1]


def test_a_notebook_shows_the_answers_of_the_terminal(capsys, problem):
    answers = exactdp.problems.solve(exactdp.problems.read_problem(json.dumps(PROBLEM)))
    out = outcome(capsys, "solve", problem)[1]
    for row in answers.table()[2]:
        for cell in row:
            assert cell in out and f"<td>{cell}</td>" in answers._repr_html_()
