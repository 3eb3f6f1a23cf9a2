"""The command show, and the names that a shell completes, against catalog and inventory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from exactdp import audit, cli
from exactdp.claims import find_claim, select
from exactdp.cli import names

CLAIM = "ding2025/lemma-6/proof/off-diagonal-p-greater"


def run(*arguments):
    with pytest.raises(SystemExit) as stop:
        cli.main(list(arguments))
    return stop.value.code


def test_a_claim_is_shown_with_the_kept_verdict_and_the_kernels_statement(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("exactdp.audit.run.decide", None)  # no trial
    assert run("show", CLAIM) == 0
    out = capsys.readouterr().out
    paper, claim = find_claim(CLAIM)
    kept = audit.read_inventory(paper)[CLAIM]["readings"]
    for text in (CLAIM, str(claim.source), "depends (kept verdict; no trial was run)"):
        assert text in out
    for text in (claim.repair, kept["a"]["witness"], kept["b"]["domain"], "misprint"):
        assert text in out
    for key, says in claim.reading_says.items():
        assert f"({key})" in out and says in out
    assert "[left = 1/4 (~0.25), right = 0]" in out
    files = [line.split()[1] for line in out.splitlines() if line.startswith("certificate ")]
    assert [Path(file).parent.name for file in files] == ["certificates", "proofs"]
    assert run("verify", *files) == 0
    out = capsys.readouterr().out
    assert f"at the witness: {kept['a']['witness']}" in out
    assert f"on the domain: {kept['b']['domain']}" in out


def test_one_reading_as_json(capsys):
    assert run("show", CLAIM, "b", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert list(shown["readings"]) == ["b"] and shown["id"] == CLAIM
    assert shown["readings"]["b"]["verdict"] == "proved"
    assert shown["readings"]["b"]["witness"] is shown["withdrawn"] is None


def test_bad_names_are_one_line_with_what_is_near(capsys):
    for arguments, said in {
        (CLAIM.replace("greater", "grater"),): f"Near: {CLAIM}",
        ("nobody2025/theorem-1",): "'nobody2025' is not installed",
        ("feldman2021",): "is 5 claims. See `exactdp claims feldman2021`",
        (CLAIM, "z"): "reading='z' is none of",
        ("feldman2021/theorem-3.1", "a"): "Its readings: none.",
    }.items():
        assert run("show", *arguments) == 2
        error = capsys.readouterr().err
        assert said in error and error.count("\n") == 1


@pytest.mark.parametrize("width", [40, 80, 200])
def test_what_is_not_copied_fits_the_width(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    run("show", CLAIM)
    lines = capsys.readouterr().out.splitlines()
    copied = ("id", "certificate", "repair", "again")
    used = [len(line) for line in lines if not line.startswith(copied)]
    assert width - 20 < max(used) <= width


def test_names_are_those_of_the_catalog():
    catalog = {
        c.id for paper in ("feldman2021", "lemmas") for _, cs in select([paper]).chosen for c in cs
    }
    assert set(names.complete("feldman2021/") + names.complete("lemmas/")) == catalog
    assert names.complete("feld") == ["feldman2021/", "feldman2023/"]
    assert names.complete("x/") == names.nearest("?") == []


def test_a_shell_completes_claims_and_loads_no_mathematics():
    program = (
        "import sys, atexit; from exactdp.cli import main\n"
        "atexit.register(lambda: print({'flint', 'rich', 'sympy', 'numpy'} & set(sys.modules)))\n"
        "main()"
    )
    for command in ("show", "audit", "claims"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={
                "_EXACTDP_COMPLETE": "complete_bash",
                "COMP_WORDS": f"exactdp {command} {CLAIM[:-3]}",
                "COMP_CWORD": "2",
            },
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == [CLAIM, "set()"]


def test_a_notebook_shows_a_verdict():
    _, claim = find_claim("biswas2023/appendix-A/after-11/line-1")
    verdict = audit.audit_claim(claim)
    assert "<td>refuted</td>" in verdict._repr_html_() and claim.id in verdict._repr_html_()
    assert r"\text{refuted}" in verdict._repr_latex_()
