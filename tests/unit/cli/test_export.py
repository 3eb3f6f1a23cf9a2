"""`exactdp export`: one file a certificate or a claim, the refused ones counted."""

import json

from exactdp.audit import read_inventory
from exactdp.coq.certificates import LIBRARIES
from tests.commands import outcome, run

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
    assert "a hole (a step left to do) is not translated" in said and "cannot be read" in said


def test_lines_are_files_of_their_own(tmp_path, capsys):
    lines = tmp_path / "paper" / "x.jsonl"
    lines.parent.mkdir()
    lines.write_text(f"{json.dumps(CERTIFICATE)}\n" * 2)
    assert run("export", "coq", lines, "--out", tmp_path / "out") == 0
    assert run("export", "coq", f"{lines}:2", "--out", tmp_path / "out") == 0
    assert run("export", "coq", f"{lines}:3", "--out", tmp_path / "none") == 1
    assert f"{lines}:3: refused: there is no such line" in capsys.readouterr().out
    names = {"c_paper_x_jsonl_1.v", "c_paper_x_jsonl_2.v"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*LIBRARIES, *names}


def test_another_checker_is_a_usage_error(tmp_path):
    assert run("export", "lean", tmp_path / "a.json", "--out", tmp_path) == 2


def test_what_is_to_be_written_is_asked_for_in_one_line(capsys):
    code, said, error = outcome(capsys, "export")
    assert (code, said) == (2, "")
    assert error.startswith("error: Missing argument ") and error.count("\n") == 1


def test_claims_that_the_kernel_proves(tmp_path, capsys):
    names = ["balle2019/blanket", "biswas2023/table-I/C"]
    assert run("export", "coq-claims", *names, "--out", tmp_path) == 0
    numbers, listed = "n_balle2019_blanket_k_rr.v", "n_biswas2023_table_I_C.v"
    assert {path.name for path in tmp_path.iterdir()} == {
        *LIBRARIES,
        "Numbers.v",
        numbers,
        listed,
    }
    assert "2 of 2 claims written" in capsys.readouterr().out
    assert "Theorem balle2019_blanket_k_rr (k : nat)" in (tmp_path / numbers).read_text()
    assert "1 - (exp (-2)) > 171 / 200" in (tmp_path / listed).read_text()


def test_certificates_have_to_be_named(tmp_path, capsys):
    assert run("export", "coq", "--out", tmp_path) == 2
    assert "use coq-claims" in capsys.readouterr().err


def test_quantities_of_claims_about_laws(tmp_path, capsys):
    assert run("export", "coq-meanings", "lemmas/post-processing", "--out", tmp_path) == 0
    text = (tmp_path / "m_lemmas_post_processing.v").read_text()
    assert "Require Import Claims." in text and "Proof. rewrite ?(proj2_sig inner_" in text
    assert (tmp_path / "Meanings.v").exists()
    said = capsys.readouterr().out
    assert "3 of 3 quantities compared" in said and "1 of 1 claims written" in said


def test_large_instances_have_one_outside_of_the_domain(tmp_path, capsys):
    """The theorem has 56 users and more; the two meanings are compared for 3."""
    assert run("export", "coq-meanings", "balle2019/k-rr", "--out", tmp_path) == 0
    said = capsys.readouterr().out
    assert "compared outside of the domain, whose instances are too large: balle2019.k-rr" in said
    assert "not shown of the instance" not in said and "1 of 1 quantities compared" in said
    text = (tmp_path / "m_balle2019_k_rr.v").read_text()
    assert "Definition n : nat := 3%nat." in text and "Example side_1_0 : " in text
    assert "Outside of the claim's domain" in text and "Lemma assumed_" not in text


def test_what_is_claimed_and_not_proved_is_a_proposition(tmp_path, capsys, monkeypatch):
    """As if the theorem of a claim that has one were not there: all with a form are proved."""

    def read(paper):
        kept = read_inventory(paper)
        facts = kept.get("biswas2023/abstract/gap-vanishes", {"readings": {"a": {}}})
        facts["readings"]["a"]["verdict"] = "undecided"
        return kept

    monkeypatch.setattr("exactdp.audit.read_inventory", read)
    names = ["biswas2023/abstract/gap-vanishes", "liu2024/figure-4/approximate-tighter"]
    assert run("export", "coq-statements", *names, "--out", tmp_path) == 1
    text = (tmp_path / "s_biswas2023_abstract_gap_vanishes_a.v").read_text()
    assert "_a : Prop :=\n  forall (n : nat) (k : nat) (n_x0 : nat) (exp_epsilon0 : R)" in text
    assert "Theorem" not in text and (tmp_path / "Gaps.v").exists()
    said = capsys.readouterr().out
    assert "figure-4.approximate-tighter.a: refused: it declares no domain" in said
    assert "; ...), whose numbers the engine computes" in said and "1 of " in said


def test_what_is_claimed_without_a_form_in_coq_is_refused_with_the_reason(tmp_path, capsys):
    names = ["feldman2023/approximate", "ding2025/repair/computation"]
    assert run("export", "coq-statements", *names, "--out", tmp_path) == 1
    said = capsys.readouterr().out
    assert " computes with the numbers of an instance. Write it with quantities." in said
    assert "approximate: refused: its formula computes with" in said
    assert "computation: refused: its formula computes with" in said and "0 of 2" in said
