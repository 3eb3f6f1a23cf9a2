"""The kept table of who accepts which file: about bytes, and printed where evidence is shown."""

import hashlib
import json

from proofs_check import accepted
from tests.commands import run


def test_the_table_is_about_bytes(tmp_path, monkeypatch):
    table, content = tmp_path / "accepted.json", b"a certificate"
    found = {"file": "x.json", "accepted": [accepted.KERNEL, accepted.PROGRAM]}
    table.write_text(json.dumps({hashlib.sha256(content).hexdigest(): found}))
    monkeypatch.setattr(accepted, "TABLE", table)
    assert accepted.accepted_by(content) == ("kernel", "proved program")
    assert accepted.accepted_by(content + b" ") == ()


def test_show_says_who_accepts_the_evidence(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    kept = json.loads(accepted.TABLE.read_text())
    name = "biswas2023.equation-10.b.json"
    content = (accepted.TABLE.parent / "biswas2023" / "certificates" / name).read_bytes()
    assert kept[hashlib.sha256(content).hexdigest()]["accepted"] == ["kernel", "proved program"]
    said = run(capsys, "show", "biswas2023/equation-10", "b")
    assert "accepted by" in said and "kernel, proved program" in said
