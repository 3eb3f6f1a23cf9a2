"""The kept table of who accepts what: about what files say, and printed beside evidence."""

import hashlib
import json
import re

from proofs_check import accepted
from tests.commands import run


def test_the_table_is_about_what_files_say(tmp_path, monkeypatch):
    one, other = (tmp_path / "paper" / "proofs" / f"{name}.json" for name in "ab")
    one.parent.mkdir(parents=True)
    one.write_bytes(b'{"a": 1}\n')
    other.write_bytes(b"{}")
    said = [f"{one}: accepted: 1 < 2", f"{other}: undecided: too close: accepted by none"]
    table = tmp_path / "accepted.json"
    table.write_text(json.dumps(accepted.table_of(said)))
    monkeypatch.setattr(accepted, "TABLE", table)
    assert json.loads(table.read_text()) == [hashlib.sha256(b'{"a":1}\n').hexdigest()]
    assert accepted.accepted_by(b'{"a":1}\n') == ("proved program",)  # the line
    assert accepted.accepted_by(b'{\n "a": 1\n}') == ("proved program",)  # files of all versions
    assert accepted.accepted_by(b'{"a": 2}') == accepted.accepted_by(b"{}") == ()


def test_what_is_kept_is_written_as_single_files(tmp_path):
    accepted.write_single_files(tmp_path)
    files = list(tmp_path.rglob("*.json"))
    found = {hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert len(files) > 400 and set(json.loads(accepted.TABLE.read_text())) <= found


def test_show_says_who_accepts_the_evidence(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert run("show", "biswas2023/equation-10", "b") == 0
    assert re.search("accepted by +kernel, proved program", capsys.readouterr().out)
