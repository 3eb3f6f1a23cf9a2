"""The command show, and the names that a shell completes, against catalog and inventory."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from exactdp import audit
from exactdp.claims import Statement, find_claim, papers, select
from exactdp.claims.general import DECIDED
from exactdp.cli import names
from tests.commands import outcome, run

CLAIM = "ding2025/lemma-6/proof/off-diagonal-p-greater"


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
    assert all(re.fullmatch(r".*evidence\.jsonl:\d+", file) for file in files) and len(files) == 2
    assert run("verify", "--full", *files) == 0
    out = capsys.readouterr().out
    assert f"at the witness: {kept['a']['witness']}" in out
    assert f"on the domain: {kept['b']['domain']}" in out


def test_one_reading_as_json(capsys):
    assert run("show", CLAIM, "b", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["format"] == "exactdp-claim/4"
    assert list(shown["readings"]) == ["b"] and shown["id"] == CLAIM
    facts = shown["readings"]["b"]
    assert facts["verdict"] == "proved" and facts["rests"] == "kernel"
    assert facts["witness"] is facts["sides"] is shown["withdrawn"] is None
    assert [step["rests"] for step in facts["steps"]] == ["kernel"] * len(facts["steps"])
    assert facts["listed"]["whole"] and len(facts["listed"]["first"]) == 3


def fields(claim, capsys, monkeypatch):
    """Return what is shown of a claim, on a wide terminal: name and text of each line."""
    monkeypatch.setenv("COLUMNS", "2000")
    monkeypatch.setattr("exactdp.audit.run.decide", None)  # no trial
    assert run("show", claim) == 0
    lines = capsys.readouterr().out.splitlines()
    width = lines[0].index(claim)
    return [(line[:width].strip(), line[width:].strip()) for line in lines]


def test_what_computes_with_numbers_survives_and_says_why_nothing_more(capsys, monkeypatch):
    shown = dict(fields("ding2025/repair/computation", capsys, monkeypatch))
    assert shown["verdict"].startswith("survived")
    assert shown["claimed over"] == (
        "all P: a law on finitely many reals, Q: a law on finitely many reals"
    )
    assert shown["reason"].startswith("its formula computes with numbers (")
    assert "because" not in shown and "rests on" not in shown
    assert shown["formula"].startswith("at P = {0: 1}, Q = {0: 1}: max(0, 0) = 0 and 1 ≤ 1 and ")
    assert shown["listed"] == (
        "206 instances: P={0: 1}, Q={0: 1}; P={0: 1}, Q={0: 1/2, 1: 1/2}; P={0: 1}, Q={1: 1}; ..."
    )
    count, _, rest = shown["tried"].partition(" instances")
    assert int(count) > 206 and rest


def test_what_the_kernel_proves_is_a_theorem_of_coq_too(capsys, monkeypatch):
    shown = dict(fields("balle2019/blanket/k-rr", capsys, monkeypatch))
    assert shown["rests on"] == "the kernel; a theorem of Coq too, by `exactdp export coq-claims`"
    assert shown["in Coq"].startswith("(k : nat) (exp_epsilon0 : R) : (2 <= k)%nat -> ")


def test_a_survivor_is_shown_with_instances_and_slack(capsys, monkeypatch):
    shown = dict(fields("feldman2023/closed-form", capsys, monkeypatch))
    count, _, rest = shown["tried"].partition("smallest claimed/true ")
    slack, _, at = rest.partition(" at ")
    assert int(count.partition(" ")[0]) >= 116 and float(slack) >= 1 and at.startswith("n=")
    assert shown["verdict"].startswith("survived")


def test_a_refutation_is_shown_with_both_sides_and_how_far_they_are_apart(capsys, monkeypatch):
    """By hand: 2/3 of the mass of mu_3 is where mu_1 has nothing, the bound allows 1/3."""
    shown = dict(fields("erlingsson2019/lemma-3/triangle", capsys, monkeypatch))
    assert shown["claimed"] == "1/3 (~0.333333333333)"
    assert shown["true"] == "2/3 (~0.666666666667): 0.3333 apart, a factor of 2.000"
    assert shown["falls"] == "step" and shown["found"] == "2/3 > 1/3"
    assert shown["witness"] == (
        "mu=((0, 1), (1/3, 2/3), (2/3, 1/3)), exp_epsilon1=2, exp_epsilon2=2"
    )
    constants = dict(fields("erlingsson2019/section-3/nodes-per-change", capsys, monkeypatch))
    assert constants["there"] == "2 != 1: 1 apart, a factor of 2" and "true" not in constants


def test_a_formula_is_shown_in_general_form(capsys, monkeypatch):
    shown = dict(fields("biswas2023/remark-2", capsys, monkeypatch))
    assert shown["formula"].startswith(
        "for all n, k, n_x0, s, e^(ε_0): e^(ε_0)·(e^(ε_0) + k − 2)/(k − 1) > 0 and "
    )


def test_of_a_library_that_is_not_here_what_is_kept_is_shown(capsys, monkeypatch):
    rows = fields("libraries/diffprivlib/laplace-folded", capsys, monkeypatch)
    assert ("listed", "") not in rows and "listed" not in dict(rows)
    assert dict(rows)["formula"] == DECIDED


def test_an_inventory_of_the_format_before_shows_less(tmp_path, capsys, monkeypatch):
    paper, claim = find_claim("ding2025/repair/computation")
    kept = {
        "verdict": "argued",
        "domain": "all d: a power of two, integer k ≥ 1",
        "evidence": "0",
    }
    entry = {claim.id: {"verdict": "argued", "readings": {"": kept}}}
    (tmp_path / "inventory.json").write_text(
        json.dumps({"format": "exactdp-inventory/2", "claims": entry})
    )
    moved = replace(paper, folder=str(tmp_path))
    monkeypatch.setattr("exactdp.claims.catalog.installed_paper", lambda key: moved)
    shown = dict(fields(claim.id, capsys, monkeypatch))
    assert shown["because"].startswith("1. in words: where the merge") and "tried" not in shown


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
        "import sys, atexit, typer; typers = {*sys.modules}; from exactdp.cli import main\n"
        "heavy = {'flint', 'rich', 'sympy', 'numpy'} - typers\n"
        "atexit.register(lambda: print(heavy & set(sys.modules)))\n"
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


EACH = 60
"""In the default run one claim of so many is shown; with ``--deep``, in `.ci/run`, all are."""


@pytest.mark.parametrize("key", papers())
def test_every_claim_is_shown_and_has_a_letter_or_a_reason_why_not(key, request, capsys):
    [(_, claims)] = select([key]).chosen
    for claim in claims if request.config.getoption("--deep") else claims[3::EACH]:
        code, out, err = outcome(capsys, "show", claim.id)
        assert (code, err) == (0, "") and claim.id in out, claim.id
        code, out, err = outcome(capsys, "report", "--letter", claim.id)
        if code == 0:
            said = re.sub(r"\A\*Not for sending: [^\n]+\*\n\n", "", out)
            assert (err, said[:2]) == ("", "# "), claim.id
        else:
            assert (code, out) == (2, "") and len(err.splitlines()) == 1, claim.id
            assert "is not refuted (" in err or "no certificate of it is kept" in err, err


@pytest.mark.parametrize("key", papers())
def test_every_domain_is_printed(key):
    for claim in select([key]).chosen[0][1]:
        for stated in claim.readings.values():
            if isinstance(stated, Statement) and stated.domain is not None:
                assert str(stated.domain).startswith("all ")
