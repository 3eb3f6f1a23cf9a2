"""The commands audit, claims and verify, as a user types them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from exactdp.claims import catalog as catalog_module
from exactdp.claims import papers
from exactdp.cli.audit import _refusal
from tests.commands import run

QUICK = "biswas2023/appendix-A/after-11/line-1"


def test_audit_of_one_claim_writes_its_evidence(tmp_path, capsys):
    out = tmp_path / "report"
    assert run("audit", QUICK, "--out", str(out)) == 0
    text = capsys.readouterr().out
    assert "refuted" in text and "the inventory is reproduced" in text
    document = json.loads((out / "verdicts.json").read_text())
    assert document["format"] == "exactdp-verdicts/5"
    (entry,) = document["claims"]
    assert entry["id"] == QUICK and entry["verdict"] == "refuted"
    assert entry["repair"] == "biswas2023/appendix-A/after-11/line-2"
    assert sorted(p.name for p in out.rglob("*") if p.is_file()) == [
        "SHA256SUMS",
        Path(entry["certificate"]).name,
        "verdicts.json",
    ]
    assert run("verify", str(out / entry["certificate"])) == 0
    text = capsys.readouterr().out
    assert ": accepted: " in text
    assert "the claim, refuted: " in text and "at the witness: n=" in text


def test_audit_as_json(capsys):
    assert run("audit", QUICK, "--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["claims"][0]["verdict"] == "refuted"
    assert "certificates" in captured.err


def test_workers_find_what_one_process_finds(capsys):
    arguments = ("audit", QUICK, "biswas2023/table-I/C", "--json")
    assert run(*arguments, "--workers", "2") == 0
    many = capsys.readouterr().out
    assert run(*arguments, "--workers", "1") == 0
    assert capsys.readouterr().out == many


def test_audit_compares_with_the_kept_verdict_evidence_and_certificate(
    tmp_path, monkeypatch, capsys
):
    paper = papers()["biswas2023"]
    kept = json.loads((Path(paper.folder) / "inventory.json").read_text())
    name = f"{QUICK.replace('/', '.')}.json"
    certificate = (Path(paper.folder) / "certificates" / name).read_bytes()
    moved = replace(paper, folder=str(tmp_path))
    monkeypatch.setattr(catalog_module, "installed_paper", lambda key: moved)

    def audited(content, **facts):
        (tmp_path / "certificates").mkdir(exist_ok=True)
        (tmp_path / "certificates" / name).write_bytes(content)
        kept["claims"][QUICK]["readings"][""].update(facts)
        (tmp_path / "inventory.json").write_text(json.dumps(kept))
        codes = {run("audit", QUICK, *full) for full in ([], ["--full"])}
        (code,) = codes  # both say the same
        return code, capsys.readouterr().out.rstrip().rpartition("\n")[2]

    assert audited(certificate) == (0, "the inventory is reproduced")
    changed = f"{tmp_path / 'certificates' / name}: not the certificate that the trial finds"
    assert audited(certificate + b" ") == (1, changed)
    (tmp_path / "certificates" / name).unlink()
    assert run("audit", QUICK) == 1 and changed in capsys.readouterr().out
    false = f"{QUICK}: it does not fail at its kept witness, n=99"
    assert audited(certificate, witness="n=99") == (1, false)
    kept["claims"][QUICK]["verdict"] = "proved"
    assert audited(certificate, verdict="proved") == (1, f"{QUICK}: was proved, is refuted")


def test_the_last_line_says_which_searches_were_kept(capsys):
    assert run("audit", QUICK, "biswas2023/equation-11") == 0
    last = capsys.readouterr().out.rstrip().rpartition("\n")[2]
    assert last == "kept, not made (--full): searches behind 1 verdicts that stand, 1 that fall"


def test_a_long_recount_is_kept_only_where_the_engine_has_counted():
    long = ["sum", "r", "0x1", "0x9c40", ["exp", "0x0"]]
    document = {"format": "exactdp-certificate/1", "claim": "", "conclusion": [["<", "0x0", long]]}
    content = json.dumps(document).encode()
    assert _refusal(("proofs/x", content, 1)).endswith("its recount is kept")
    assert _refusal(("certificates/x", content, 0)) == ""
    false = json.dumps({**document, "conclusion": [["<", "0x2", "0x1"]]}).encode()
    assert "Rejected" in _refusal(("proofs/x", false, 1))


def test_many_claims_are_told_in_short_lines(monkeypatch, capsys):
    monkeypatch.setattr("exactdp.cli.audit.FEW", 1)
    names = ("feldman2023/lemma-3.5", "feldman2023/decomposition")
    assert run("audit", *names) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80
    at = lines.index("  feldman2023/lemma-3.5: true 0.0312, claimed 0.0156")
    assert lines[at + 1] == "    use feldman2023/repair/reduction-two-letters"
    assert lines[0].split()[0] == "readings" and "the inventory is reproduced" in lines
    assert run("audit", *names, "--verbose") == 0
    assert "what was found" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["audit", "nobody2000"], "paper='nobody2000' is not installed"),
        (["audit", "biswas2023/theorem-9"], "claim='biswas2023/theorem-9' is not in the catalog"),
        (["audit", QUICK, "--update-inventory"], "Name whole papers"),
        (["audit", "lemmas", QUICK, "--update-inventory"], "Name whole papers"),
        (["audit", QUICK, "--out", __file__], "is a file"),
        (["claims", "nobody2000"], "is not installed"),
    ],
)
def test_bad_names_get_one_line_and_exit_2(arguments, message, capsys):
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1 and captured.out == ""


def test_claims_lists_the_catalog(capsys):
    assert run("claims", "biswas2023") == 0
    assert "biswas2023/theorem-IV.1" in capsys.readouterr().out
    assert run("claims", "biswas2023", "--json") == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert len(claims) == len(papers()["biswas2023"].claims())


def test_verify_exit_codes(tmp_path, capsys):
    good = tmp_path / "good.json"
    document = {
        "format": "exactdp-certificate/1",
        "claim": "",
        "conclusion": [["<", "0x1", "0x2"]],
    }
    good.write_text(json.dumps(document))
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({**document, "conclusion": [["<", "0x2", "0x1"]]}))
    torn = tmp_path / "torn.json"
    torn.write_text(json.dumps(document)[:30])
    assert run("verify", str(good)) == 0
    assert run("verify", str(good), str(bad)) == 1
    assert run("verify", str(good), str(bad), str(torn)) == 2
    assert run("verify", str(tmp_path / "missing.json")) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("  no claim") == 3
    answers = [line for line in lines if not line.startswith("  ")]
    assert len(answers) == 7 and all(len(line.split(": ")) >= 3 for line in answers)


def test_verify_refuses_another_statement_under_a_label(tmp_path, capsys):
    kept = Path(papers()["biswas2023"].folder) / "certificates"
    document = json.loads((kept / f"{QUICK.replace('/', '.')}.json").read_text())
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps({**document, "conclusion": [["<", "0x0", "0x1"]]}))
    assert run("verify", str(forged)) == 1
    said = capsys.readouterr().out
    assert "accepted: 0 < 1 " in said and "does not mention" in said
    assert "label does not match: the catalog's sentence is another statement" in said


def test_verify_takes_a_budget_and_prints_names_safely(tmp_path, capsys):
    document = {
        "format": "exactdp-certificate/1",
        "claim": "",
        "conclusion": [["<", "0x0", ["sum", "r", "0x1", "0x9c40", ["exp", "0x0"]]]],
    }
    name = tmp_path / "x\n\x1b[31mcert: accepted: 1 < 2"
    name.write_text(json.dumps(document))
    assert run("verify", "--budget", "1", str(name)) == 1
    assert run("verify", str(name)) == 0
    said = capsys.readouterr().out
    assert "more than 1 seconds of work; allow more" in said
    assert "\x1b" not in said and "\ncert" not in said
