"""`exactdp export coq`: one file a certificate, the refused ones counted."""

import json

from exactdp.claims.coq import LIBRARIES
from tests.commands import run

CERTIFICATE = {
    "format": "exactdp-certificate/1",
    "claim": "a",
    "conclusion": [["<", "0x1", "0x2"]],
}


def test_the_files_and_the_count(tmp_path, capsys):
    good, bad = tmp_path / "a.b=1.json", tmp_path / "bad.json"
    good.write_text(json.dumps(CERTIFICATE))
    bad.write_text(json.dumps(CERTIFICATE | {"conclusion": [["hole", ""]]}))
    out = tmp_path / "out"
    assert run("export", "coq", good, "--out", out) == 0
    assert {path.name for path in out.iterdir()} == {*LIBRARIES, "c_a_b_1.v"}
    assert "1 of 1 certificates written" in capsys.readouterr().out
    assert run("export", "coq", good, good, bad, tmp_path / "none.json", "--out", out) == 1
    said = capsys.readouterr().out
    assert "1 of 4 certificates written" in said and "3 refused" in said
    assert "a hole is not translated" in said and "cannot be read" in said


def test_another_checker_is_a_usage_error(tmp_path):
    assert run("export", "lean", tmp_path / "a.json", "--out", tmp_path) == 2
