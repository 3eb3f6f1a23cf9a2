"""Certificates in Coq: a sample is accepted, and what is false is not."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from exactdp.claims.coq import LIBRARIES, coq_file
from exactdp.errors import ParseError

ROOT = Path(__file__).parents[2]
COQ = ROOT / "proofs_check" / "coq"
# Small ones of each kind: a finite pair, a view, a merged view, case splits, irrational rows.
SAMPLE = (
    "biswas2023/certificates/biswas2023.equation-2.a.json",
    "wang2023/certificates/wang2023.lemma-4.5.json",
    "wang2024/certificates/wang2024.section-5.1.3.tight-s-1.json",
    "ding2025/certificates/ding2025.remark-1.b.json",
    "erlingsson2019/certificates/erlingsson2019.theorem-6.json",
)
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
# The axioms of the standard library's real numbers, and no other.
AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}


def certificate(name):
    return json.loads((ROOT / "proofs_check" / name).read_text())


def written(document):
    return coq_file(json.dumps(document).encode())


@pytest.fixture(scope="module")
def folder(tmp_path_factory, request):
    """A folder with the compiled libraries."""
    if not request.config.getoption("--coq"):
        pytest.skip("Coq takes two minutes: with --coq, as in .ci/run")
    if shutil.which("coqc") is None:
        pytest.skip("coqc is not installed: no certificate was checked in Coq")
    path = tmp_path_factory.mktemp("coq")
    for library in LIBRARIES:
        shutil.copy(COQ / library, path)
        if (answer := coqc(path, library)).returncode:
            if "logical path Interval" in answer.stderr or "prefix Interval" in answer.stderr:
                pytest.skip("libcoq-interval is not installed: nothing was checked in Coq")
            pytest.fail(answer.stderr)
    return path


def coqc(path, file):
    command = ["coqc", file]
    return subprocess.run(command, cwd=path, capture_output=True, text=True, check=False)


def answer_of(path, text):
    """Coq's errors about a file, empty if it is accepted."""
    (path / "c_test.v").write_text(text)
    answer = coqc(path, "c_test.v")
    return answer.stderr if answer.returncode else ""


def one_file(texts):
    """The texts as modules of one file: most of Coq's time is its start."""
    lines, modules = [], []
    for i, text in enumerate(texts):
        head, body = text.split("Open Scope R_scope.\n")
        lines = [head.split("*)", 1)[1], "Open Scope R_scope."]
        modules += [f"Module M{i}.", body, f"End M{i}."]
    return "\n".join([*lines, *modules])


def test_the_theory_assumes_nothing():
    for library in LIBRARIES:
        text = (COQ / library).read_text()
        assert not re.search(r"\b(Axiom|Admitted|admit|Parameter|Conjecture|Hypothesis)\b", text)


def test_a_sample_is_accepted(folder):
    assert answer_of(folder, one_file(written(certificate(name)) for name in SAMPLE)) == ""


def refused(text, what):
    """The text with Coq told to fail: in the computation, or when it compares the statement."""
    start, data = text.split("certify ", 1)
    data = data.split("Qed.", 1)[0]
    word = "Fail certify " if what == "computation" else "certify "
    return f"{start}{word}{data}{'' if what == 'computation' else 'Fail Qed.'}\nAbort.\n"


def test_what_is_false_is_not_accepted(folder):
    """Negated certificates, a row that is no law, a statement other than what is computed."""
    texts = []
    for name in SAMPLE:
        document = certificate(name)
        sign, left, right = document["conclusion"][0]
        document["conclusion"] = [[OPPOSITE[sign], left, right]]
        texts.append(refused(written(document), "computation"))
    pair = {"kind": "finite_pair", "p": ["0x3/0x4", "0x1/0x4"], "q": ["0x1/0x2", "0x1/0x2"]}
    document = {
        "format": "exactdp-certificate/1",
        "claim": "(3/4 - 1/2) = 1/4",
        "define": [["D", pair]],
        "conclusion": [["=", ["hockey_stick", {"ref": "D"}, "0x1"], "0x1/0x4"]],
    }
    true = written(document)
    for old, new in (("D 1 = 1 / 4.", "D 1 = 1 / 5."), ("[3 / 4; 1 / 4]", "[1 / 4; 3 / 4]")):
        assert old in true
        texts.append(refused(true.replace(old, new), "statement"))
    pair["p"][1] = "0x1/0x5"
    texts.append(refused(written(document), "computation"))
    assert answer_of(folder, one_file([true, *texts])) == ""


def axioms(folder, module, theorem):
    """The axioms that a theorem of a compiled file rests on."""
    text = f"Require Import {module}.\nPrint Assumptions {theorem}.\n"
    (folder / "axioms.v").write_text(text)
    answer = coqc(folder, "axioms.v")
    assert answer.returncode == 0, answer.stderr
    return set(re.findall(r"^([A-Za-z_.0-9]+)\s*:", answer.stdout, re.MULTILINE)) - {"Axioms"}


@pytest.mark.parametrize("theorem", ["merging_messages", "clones", "basic_composition"])
def test_only_the_axioms_of_the_standard_library_are_used(folder, theorem):
    assert set() < axioms(folder, "ExactDP", theorem) <= AXIOMS


def test_a_certificate_assumes_no_more(folder, request):
    if not request.config.getoption("--deep"):
        pytest.skip("Print Assumptions of a certificate takes long: with --deep and in .ci/coq")
    assert answer_of(folder, written(certificate(SAMPLE[1]))) == ""
    assert set() < axioms(folder, "c_test", "certificate") <= AXIOMS


def test_every_certificate_is_accepted(folder, request):
    if not request.config.getoption("--deep"):
        pytest.skip("all certificates take twelve minutes and more: with --deep, or `.ci/coq all`")
    refused, failed = [], []
    for path in sorted(ROOT.glob("proofs_check/*/certificates/*.json")):
        try:
            text = coq_file(path.read_bytes())
        except ParseError as error:
            refused.append(str(error))
        else:
            failed += [path.name] if answer_of(folder, text) else []
    assert failed == [] and all("normal_cdf is not translated" in reason for reason in refused)
