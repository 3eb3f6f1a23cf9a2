"""Files that commands read and write: strange ones are one line and exit code 2, others go on."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import exactdp
from tests.commands import run
from tests.routes.places import foreign_folder

CLAIM = "biswas2023/appendix-A/after-11/line-1"
PAIR = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
PROBLEM = json.dumps({**PAIR, "ask": {"total_variation": True}})
PROBLEMS = json.dumps(
    {"format": "exactdp-problems/1", "problems": [{"name": "a", "problem": json.loads(PROBLEM)}]}
)
CERTIFICATE = json.dumps(
    {"format": "exactdp-certificate/1", "claim": "", "conclusion": [["<", "0x1", "0x2"]]}
)


def refused(capsys, *arguments):
    """The one line that refuses a command."""
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert captured.err.startswith("error: ") and captured.err.isascii()
    return captured.err


# --- what is written ----------------------------------------------------------------------------


def no_run(*_, **__):
    raise AssertionError("the run has begun")


PLACES = {
    "a device": (lambda p: p.symlink_to("/dev/null"), "is a symbolic link"),
    "a pipe": (os.mkfifo, "is a named pipe"),
    "a dangling link": (lambda p: p.symlink_to("nowhere"), "is a symbolic link"),
    "foreign": (None, "was not written by exactdp"),
    "below a file": (lambda p: p.parent.rmdir() or p.parent.write_text(""), "Not a directory"),
}


@pytest.mark.parametrize("command", ["audit", "fixtures"])
@pytest.mark.parametrize(("make", "words"), PLACES.values(), ids=PLACES)
def test_where_nothing_can_be_written_is_said_before_the_run(
    tmp_path, monkeypatch, capsys, command, make, words
):
    monkeypatch.setattr("exactdp.audit.audit_claims", no_run)
    monkeypatch.setattr("exactdp.execution.side_by_side", no_run)
    place = tmp_path / "folder" / "place"
    place.parent.mkdir()
    (make or (foreign_folder if command == "audit" else Path.touch))(place)
    if make is None and command == "fixtures":
        place.write_text(PROBLEMS)
        arguments = ["fixtures", place, "--out", place]
    elif command == "fixtures":
        (tmp_path / "in.json").write_text(PROBLEMS)
        arguments = ["fixtures", tmp_path / "in.json", "--out", place]
    else:
        arguments = ["audit", CLAIM, "--out", place]
    before = sorted(tmp_path.rglob("*"))
    assert words in refused(capsys, *arguments)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["/dev/null", "", "x" * 300, "/proc/exactdp/x"])
def test_no_place_at_all_is_said_before_the_run(tmp_path, monkeypatch, capsys, place):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("exactdp.audit.audit_claims", no_run)
    monkeypatch.setattr("exactdp.execution.side_by_side", no_run)
    (tmp_path / "in.json").write_text(PROBLEMS)
    refused(capsys, "audit", CLAIM, "--out", place)
    refused(capsys, "fixtures", "in.json", "--out", place)
    assert list(tmp_path.iterdir()) == [tmp_path / "in.json"]


def test_a_read_only_folder_is_said_before_the_run(tmp_path):
    (tmp_path / "in.json").write_text(PROBLEMS)
    (tmp_path / "folder").mkdir(mode=0o555)

    def without_override():  # what lets root write everywhere
        import ctypes

        drop_from_bounding_set, dac_override = 24, 1
        ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override)

    code = "import os; print(os.access('folder', os.W_OK))"
    options = {"cwd": tmp_path, "capture_output": True, "text": True, "env": environment()}
    options |= {"preexec_fn": without_override}
    if subprocess.run([sys.executable, "-c", code], **options).stdout != "False\n":
        pytest.skip("this user may write to read-only folders")
    done = subprocess.run(
        [*EXACTDP, "fixtures", "in.json", "--out", "folder/out.json", "--workers", "1"], **options
    )
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("error: 'folder/out.json' cannot be written: Permission denied")
    assert done.stderr.count("\n") == 1


def test_a_second_audit_leaves_nothing_of_the_first(tmp_path, capsys):
    out = tmp_path / "report"
    assert run("audit", CLAIM, "--out", out) == 0
    (first,) = (out / "certificates").iterdir()
    assert run("audit", CLAIM[:-1] + "3", "--out", out) == 0
    (second,) = (out / "certificates").iterdir()
    (claim,) = json.loads((out / "verdicts.json").read_text())["claims"]
    assert first.name != second.name and claim["certificate"] == f"certificates/{second.name}"


def test_what_was_found_is_printed_though_it_cannot_be_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("exactdp.execution.outputs._write", full_disk)
    assert run("audit", CLAIM, "--out", tmp_path / "report") == 2
    captured = capsys.readouterr()
    assert "1 claim: 1 refuted" in captured.out and "No space left" in captured.err
    assert captured.err.count("\n") == 1
    monkeypatch.undo()  # there is room again, and nothing was lost
    assert [path.name for path in tmp_path.iterdir()] == [".report.exactdp"]
    run("audit", CLAIM, "--out", tmp_path / "report")
    assert "1 of 1 are known from a stopped run" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def full_disk(*_, **__):
    raise OSError(28, "No space left on device")


def test_each_problem_that_has_no_answer_is_named_and_the_others_go_on(tmp_path, capsys):
    problem, source, out = json.loads(PROBLEM), tmp_path / "in.json", tmp_path / "out.json"
    ask = {"hockey_stick": [{"log": "2"}]}
    bad = {"kind": "clone_pair", "n": 10**14, "epsilon0": {"rational": "1"}, "ask": ask}
    named = {"a\x1b[31m": bad, "good": problem, "b": bad}
    entries = [{"name": name, "problem": problem} for name, problem in named.items()]
    source.write_text(json.dumps({"format": "exactdp-problems/1", "problems": entries}))
    assert run("fixtures", source, "--out", out, "--workers", 1) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("1 problem, 1 answer: ")
    assert [line.split(": ")[1] for line in captured.err.splitlines()] == [r"a\x1b[31m", "b"]
    assert [fixture["name"] for fixture in json.loads(out.read_text())["fixtures"]] == ["good"]


# --- what is read -------------------------------------------------------------------------------

TEXTS = {"solve": PROBLEM, "fixtures": PROBLEMS, "verify": CERTIFICATE}

CONTENTS = {
    "LF": (lambda text: text.encode(), 0),
    "CRLF": (lambda text: text.replace(",", ",\r\n").encode() + b"\r\n", 0),
    "byte order mark": (lambda text: text.encode("utf-8-sig"), 2),
    "UTF-16": (lambda text: text.encode("utf-16"), 2),
    "UTF-32": (lambda text: text.encode("utf-32-be"), 2),
    "Latin-1": (lambda text: text.replace("format", "förmat").encode("latin-1") + b"\xe9", 2),
    "NUL bytes": (lambda text: text.encode() + b"\0" * 100, 2),
    "nothing": (lambda text: b"", 2),
    "half": (lambda text: text.encode()[: len(text) // 2], 2),
}


def reading(command, file, tmp_path):
    return [command, file, *(["--out", tmp_path / "out"] if command == "fixtures" else [])]


def said(capsys, command, code):
    """What a command says about one file."""
    captured = capsys.readouterr()
    if code == 2:
        line = captured.out if command == "verify" else captured.err
        assert line.count("\n") == 1 and line.isascii()
        return line
    return captured.out


@pytest.mark.parametrize("command", TEXTS)
@pytest.mark.parametrize(("encode", "code"), CONTENTS.values(), ids=CONTENTS)
def test_a_file_in_another_encoding_is_one_line(tmp_path, capsys, command, encode, code):
    file = tmp_path / "file"
    file.write_bytes(encode(TEXTS[command]))
    assert run(*reading(command, file, tmp_path)) == code
    assert said(capsys, command, code)


@pytest.mark.parametrize("command", TEXTS)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "No such file"),
        ("folder", "Is a directory"),
        ("pipe", ""),
        ("loop", "symbolic links"),
        ("x" * 300, "too long"),
        ("a\0b", "null"),
        ("/dev/zero", "0"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(
    tmp_path, monkeypatch, capsys, command, name, words
):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    assert run(*reading(command, name, tmp_path)) == 2
    assert words in said(capsys, command, 2)


def test_verify_goes_on_after_what_it_cannot_read(tmp_path, capsys):
    good = tmp_path / "good.json"
    good.write_text(CERTIFICATE)
    os.mkfifo(tmp_path / "pipe")
    strange = tmp_path / "x\ncert2.json: accepted: 1 < 2\x1b]0;title\x07\u202eé"
    assert run("verify", "/dev/zero", tmp_path / "pipe", strange, tmp_path, good) == 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and all(line.isascii() and line.isprintable() for line in lines)
    assert [": unreadable: " in line for line in lines] == [True] * 4 + [False]


def test_verify_goes_on_after_a_label_that_cannot_be_compared(tmp_path, monkeypatch, capsys):
    (tmp_path / "good.json").write_text(CERTIFICATE)
    monkeypatch.setattr("exactdp.audit.read_label", lambda *_: 1 / 0)
    assert run("verify", tmp_path / "good.json", tmp_path / "good.json") == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[0] == lines[1]
    assert "; labeled '', not compared: ZeroDivisionError: di" in lines[0]


# --- what is printed ----------------------------------------------------------------------------

EXACTDP = [sys.executable, "-m", "exactdp.cli"]


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(Path(exactdp.__file__).parents[1]), **more}


def test_a_full_standard_output_is_one_line():
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*EXACTDP, "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(PYTHONUNBUFFERED=""),
            text=True,
        )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


def test_an_encoding_that_lacks_a_letter_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "é.json").write_text(PROBLEMS.replace('"a"', '"é\\ud83d\\ude00"'))
    out = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(out, encoding="ascii"))
    assert run("fixtures", tmp_path / "é.json", "--out", "-") == 0
    (fixture,) = json.loads(out.getvalue())["fixtures"]
    assert fixture["name"] == "é😀"
