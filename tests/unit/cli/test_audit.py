"""The commands audit, claims and verify, as a user types them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from exactdp.audit import kept_evidence
from exactdp.audit.kept import EVIDENCE
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
    certificate = str(out / entry["certificate"])
    assert run("verify", certificate) == 0
    line = capsys.readouterr().out
    assert f"{Path(certificate).name}: accepted: 2/3 != 7/6; {QUICK}\n" in line
    assert len(line) <= 101 and line.count("\n") == 1
    assert run("verify", "--full", certificate) == 0
    text = capsys.readouterr().out
    assert f"{certificate}: accepted: mass(" in text
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
    name = f"certificates/{QUICK.replace('/', '.')}.json"
    certificate, evidence = kept_evidence(Path(paper.folder))[name].content, tmp_path / EVIDENCE
    moved = replace(paper, folder=str(tmp_path))
    monkeypatch.setattr(catalog_module, "installed_paper", lambda key: moved)

    def audited(content, **facts):
        evidence.write_bytes(content)
        kept["claims"][QUICK]["readings"][""].update(facts)
        (tmp_path / "inventory.json").write_text(json.dumps(kept))
        codes = {run("audit", QUICK, *full) for full in ([], ["--full"])}
        (code,) = codes  # both say the same
        return code, capsys.readouterr().out.rstrip().rpartition("\n")[2]

    assert audited(certificate) == (0, "the inventory is reproduced")
    changed = f"{name} is not the certificate that the trial finds"
    assert audited(certificate[:-1] + b" \n") == (1, f"{evidence}:1: {changed}")
    assert audited(b"[]\n")[1].startswith(f"{evidence}:1: no certificate (")
    evidence.unlink()
    assert run("audit", QUICK) == 1 and f"{evidence}: {changed}" in capsys.readouterr().out
    (tmp_path / "certificates").mkdir()  # as earlier versions kept it
    (tmp_path / name).write_text(json.dumps(json.loads(certificate), indent=1))
    assert run("audit", QUICK) == 0
    capsys.readouterr()
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
    monkeypatch.setenv("COLUMNS", "80")  # a wider terminal has the table
    names = ("feldman2023/lemma-3.5", "feldman2023/decomposition")
    assert run("audit", *names) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80
    at = lines.index("  feldman2023/lemma-3.5: true δ 0.0312, claimed 0.0156")
    assert lines[at + 1] == "    use feldman2023/repair/reduction-two-letters"
    assert lines[0].split()[0] == "readings" and "the inventory is reproduced" in lines
    assert run("audit", *names, "--verbose") == 0
    assert "    refuted  at exp_epsilon0=2, p=1/4" in capsys.readouterr().out


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
    assert [line.endswith(": accepted: 1 < 2; no claim") for line in lines].count(True) == 3
    assert len(lines) == 7 and all(
        len(line) <= 100 and len(line.split(": ")) >= 3 for line in lines
    )


def test_verify_refuses_another_statement_under_a_label(tmp_path, capsys):
    kept = kept_evidence(Path(papers()["biswas2023"].folder))
    document = kept[f"certificates/{QUICK.replace('/', '.')}.json"].document
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps({**document, "conclusion": [["<", "0x0", "0x1"]]}))
    assert run("verify", str(forged)) == 1
    assert "accepted: 0 < 1; label does not match: the cat" in capsys.readouterr().out
    assert run("verify", "--full", str(forged)) == 1
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


RELATIONS = {
    "short fractions": (["<", "0x1/0x3", "0x1/0x2"], "1/3 < 1/2"),
    "enough digits to differ": (["<", "0x75bcd15", "0x75bcd16/0x1"], "123456789 < 123456790"),
    "three digits": ([">", ["pi"], ["exp", "0x1"]], "~3.14 > ~2.72"),
    "as many as it takes": (["<", ["pi"], "0xf57/0x4e2"], "~3.14159 < 3927/1250;"),
    "how far apart": ([">", ["add", ["pi"], ["pow", "0xa", "-0x14"]], ["pi"]], " by ~1e-20"),
    "a wide interval": (["<", ["sub", ["pi"], ["pi"]], "0x1"], "~[-"),
    "tiny": ([">", ["exp", "-0x2710"], "0x0"], "~1.14e-4343 > 0"),
}


@pytest.mark.parametrize(("relation", "shown"), RELATIONS.values(), ids=RELATIONS)
def test_verify_shortens_numbers(tmp_path, capsys, relation, shown):
    document = {"format": "exactdp-certificate/1", "claim": "", "conclusion": [relation]}
    (tmp_path / "x.json").write_text(json.dumps(document))
    run("verify", str(tmp_path / "x.json"))
    assert shown in capsys.readouterr().out


def test_verify_says_how_much_else_was_checked(tmp_path, capsys):
    conclusion = [["<", "0x1", "0x2"], ["<", "0x2", "0x3"], ["hole", "later"]]
    document = {"format": "exactdp-certificate/1", "claim": "", "conclusion": conclusion[:2]}
    (tmp_path / "two.json").write_text(
        json.dumps({**document, "hypotheses": [["=", "0x1", "0x1"]]})
    )
    (tmp_path / "hole.json").write_text(json.dumps({**document, "conclusion": conclusion}))
    assert run("verify", str(tmp_path / "two.json")) == 0
    assert ": accepted: 1 < 2 and 1 more; no claim" in capsys.readouterr().out
    assert run("verify", str(tmp_path / "hole.json")) == 1
    assert ": incomplete: 'later'" in capsys.readouterr().out


def test_verify_reads_lines(tmp_path, capsys):
    good = {"format": "exactdp-certificate/1", "claim": "", "conclusion": [["<", "0x1", "0x2"]]}
    bad = {**good, "conclusion": [["<", "0x2", "0x1"]]}
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, (good, bad, good))) + "\n\n")
    assert run("verify", str(path)) == 2
    answers = ["accepted", "rejected", "accepted", "unreadable"]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1] for line in lines] == answers
    assert all(f"x.jsonl:{number}: " in line for number, line in enumerate(lines, start=1))
    assert run("verify", f"{path}:3") == 0 and run("verify", f"{path}:2") == 1
    assert capsys.readouterr().out.count("\n") == 2
    assert run("verify", f"{path}:5") == 2
    assert capsys.readouterr().out.endswith(":5: unreadable: there is no such line\n")
