"""`exactdp fixtures`: a file of problems to a file of answers, whole or not at all."""

import json

import pytest

from exactdp.problems.fixtures import fixture_schema
from tests.commands import run

PROBLEM = {
    "kind": "finite_pair",
    "p": ["3/4", "1/4"],
    "q": ["1/4", "3/4"],
    "ask": {"hockey_stick": [{"log": "2"}], "total_variation": True},
}


def problem_set(path, *names):
    entries = [{"name": name, "problem": PROBLEM} for name in names]
    path.write_text(json.dumps({"format": "exactdp-problems/1", "problems": entries}))
    return path


def test_two_runs_write_the_same_bytes(tmp_path, capsys):
    source = problem_set(tmp_path / "in.json", "a", "b")
    assert run("fixtures", source, "--out", tmp_path / "one.json", "--workers", 1) == 0
    assert "2 problems, 4 answers" in capsys.readouterr().out
    assert run("fixtures", source, "--out", tmp_path / "two.json", "--workers", 2) == 0
    first = (tmp_path / "one.json").read_bytes()
    assert first == (tmp_path / "two.json").read_bytes()
    answers = json.loads(first)["fixtures"][1]["answers"]
    assert [answer["exact"] for answer in answers] == ["1/4", "1/2"]


def test_a_dash_is_standard_output(tmp_path, capsys):
    source = problem_set(tmp_path / "in.json", "a")
    assert run("fixtures", source, "--out", tmp_path / "out.json", "--workers", 1) == 0
    capsys.readouterr()
    assert run("fixtures", source, "--out", "-", "--workers", 1) == 0
    assert capsys.readouterr().out == (tmp_path / "out.json").read_text()


def test_the_schema_is_printed_alone(capsys):
    assert run("fixtures", "--schema") == 0
    assert json.loads(capsys.readouterr().out) == fixture_schema()


@pytest.mark.parametrize(
    ("names", "words"), [(("a", "a"), "used twice"), (None, "--out is missing")], ids=range(2)
)
def test_bad_input_is_one_line_and_nothing_is_written(tmp_path, capsys, names, words):
    source = problem_set(tmp_path / "in.json", *(names or ("a",)))
    arguments = [source, "--out", tmp_path / "out.json"] if names else [source]
    assert run("fixtures", *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error:") and error.count("\n") == 1 and words in error
    assert not (tmp_path / "out.json").exists()


def test_a_sweep_is_a_table_and_solve_says_so(tmp_path, capsys):
    source = tmp_path / "sweep.json"
    source.write_text(json.dumps({**PROBLEM, "ask": {**PROBLEM["ask"], "direction": ["both"]}}))
    command = ["fixtures", source, "--out", tmp_path / "out.csv", "--format", "csv"]
    assert run(*command, "--workers", 1) == 0
    assert "1 problem, 2 answers" in capsys.readouterr().out
    first = b"direction=both,hockey_stick,both,log(2),0.25"
    assert (tmp_path / "out.csv").read_bytes().splitlines()[1].startswith(first)
    assert run("solve", source) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: FILE stands for 1 problem; solve answers one. Give it to")
    (tmp_path / "out.csv").write_text("name,mine\n")
    assert run(*command) == 2
    assert "was not written by exactdp" in capsys.readouterr().err
