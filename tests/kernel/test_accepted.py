"""The kept table of who accepts which file: about bytes, and printed where evidence is shown."""

import json
import re

from proofs_check import accepted
from tests.commands import run


def test_the_table_is_about_bytes(tmp_path, monkeypatch):
    one, other = (tmp_path / "paper" / "proofs" / f"{name}.json" for name in "ab")
    one.parent.mkdir(parents=True)
    one.write_bytes(b"a proof")
    other.write_bytes(b"another")
    said = [f"{one}: accepted: 1 < 2", f"{other}: undecided: too close: accepted by none"]
    table = tmp_path / "accepted.json"
    table.write_text(json.dumps(accepted.table_of(said)))
    monkeypatch.setattr(accepted, "TABLE", table)
    assert json.loads(table.read_text()).keys() == {"paper/proofs/a.json"}
    assert accepted.accepted_by(b"a proof") == ("proved program",)
    assert accepted.accepted_by(b"a proof ") == accepted.accepted_by(b"another") == ()


def test_show_says_who_accepts_the_evidence(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert run("show", "biswas2023/equation-10", "b") == 0
    assert re.search("accepted by +kernel, proved program", capsys.readouterr().out)
