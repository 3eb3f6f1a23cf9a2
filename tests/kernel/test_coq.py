"""Certificates in Coq: a sample is accepted, and what is false is not."""

import json
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from pathlib import Path

import pytest

from exactdp.claims import at_most, find_claim
from exactdp.claims.forms import equal
from exactdp.coq.certificates import LIBRARIES, coq_file
from exactdp.coq.meanings import meanings_file
from exactdp.coq.theorems import Cited
from exactdp.divergences.profile import enclosed
from exactdp.errors import ParseError
from exactdp.numbers import Epsilon
from exactdp.shuffle import clone_pair, stronger_clone_pair
from proofs_check.balle2019.trials.blanket import expectation
from proofs_check.lemmas.quantities import divergence
from proofs_check.lemmas.theorems import FILES, THEOREMS, in_coq, preamble, theorem_of
from tests.evidence import kept_files
from tests.kernel.drawn import drawn
from tests.kernel.second_checker import Judgment, judged

ROOT = Path(__file__).parents[2]
COQ = ROOT / "proofs_check" / "coq"
# Proofs and docs/theorems cite them, certificates do not.
THEORY = FILES[1:]
# Small ones of each kind: a finite pair, a view, a merged view, case splits, irrational rows.
CERTIFICATES = {file.stem: file for file in kept_files("certificates")}
SAMPLE = (
    "biswas2023.equation-2.a",
    "wang2023.lemma-4.5",
    "wang2024.section-5.1.3.tight-s-1",
    "ding2025.remark-1.b",
    "erlingsson2019.theorem-6",
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
    return json.loads(CERTIFICATES[name].read_text())


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
    for library in dict.fromkeys((*LIBRARIES, *THEORY)):
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


@pytest.mark.parametrize(("coefficient", "accepted"), [("0x2", True), ("0x3", False)])
def test_an_identity_of_a_listing_is_accepted_if_it_is_true(folder, coefficient, accepted):
    """The divisor z (z + 1)^9 is not 0, so that the two that are read in it are not."""
    z, power = {"ref": "z"}, ["pow", ["add", {"ref": "z"}, "0x1"], 9]
    left = ["div", ["mul", coefficient, z, power], ["mul", z, power]]
    listed = {"text": "", "rule": "every", "variables": [], "relations": [["<", "0x0", "0x1"]]}
    step = {"text": "", "rule": "identity", "variables": ["z"], "equal": [[left, "0x2"]]}
    document = {"format": "exactdp-proof/1", "claim": "z", "conclusion": [listed, step]}
    answer = answer_of(folder, coq_file(json.dumps(document).encode()))
    assert (answer == "") == accepted, answer


def test_the_theory_assumes_nothing():
    for library in (*LIBRARIES, *THEORY):
        text = (COQ / library).read_text()
        assert not re.search(r"\b(Axiom|Admitted|admit|Parameter|Conjecture|Hypothesis)\b", text)


def test_a_sample_is_accepted(folder):
    assert answer_of(folder, one_file(written(certificate(name)) for name in SAMPLE)) == ""


# Words of Coq, of the theory's statements, of its data and of what the export itself names.
HOSTILE = (
    "S R M V E exp ln sqrt PI R1 Rplus Rabs Rmax IZR power sum binomial decide divergence "
    "distance event fst snd entry row row_sum ldp_ratio positive_part matrix pair shuffle "
    "finite_pair merged nth is_row nat Lt Le Eq Ne Ge Gt Forall Var Holds Int Ratio Op Apply "
    "Rows DefTerm DefMatrix DefFinite some_event every_event whole_view rows_are_laws certify "
    "certificate conclusion_1 pair_1 pair_1_laws matrix_1 V_whole V_merged V_rows Definition "
    "Theorem Proof Qed Print Module Require as at by cofix else end exists exists2 fix for "
    "forall fun if in let match mod of return then using where with Prop Set SProp Type IF _ __ "
    "_1 x x_ O nil cons true false I eq_refl proj1"
)


def test_every_name_of_the_format_is_read(folder):
    """Each name as a term, a matrix, a view, the variable of a sum: its statement is accepted."""
    names = HOSTILE.split()
    view = {
        "kind": "shuffle",
        "randomizers": {"exp": {"ref": "matrix"}},
        "victim": {"randomizer": "exp", "inputs": [0, 1]},
        "others": [{"randomizer": "exp", "input": 1, "count": 1}],
        "merge": [[0], [1]],
    }
    laws = {"matrix": [["0x1/0x2", "0x1/0x2"], ["0x0", "0x1"]], "S": view, "V": view}
    pair = {"kind": "finite_pair", "p": ["0x1/0x2", "0x1/0x2"], "q": ["0x1", "0x0"]}
    laws |= {"by": pair, "pair_1": pair}
    define = [[name, laws[name]] for name in laws]
    define += [[name, "0x1"] for name in names if name not in laws]
    terms = [{"ref": name} for name in names if name not in laws]
    document = {
        "format": "exactdp-certificate/1",
        "claim": "names",
        "define": define,
        "conclusion": [
            [">", ["hockey_stick", {"ref": "S"}, {"ref": "exp"}], "0x0"],
            ["=", ["add", *terms], hex(len(terms))],
            ["=", ["mass", pair | {"q": pair["p"]}, "q", 0], ["mass", {"ref": "by"}, "p", 0]],
            ["=", ["sum", "k", 1, 2, ["sum", "INR", 1, {"ref": "k"}, {"ref": "INR"}]], "0x4"],
        ],
    }
    assert answer_of(folder, written(document)) == ""


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
    for old, new in (("D' 1 = 1 / 4.", "D' 1 = 1 / 5."), ("[3 / 4; 1 / 4]", "[1 / 4; 3 / 4]")):
        assert old in true
        texts.append(refused(true.replace(old, new), "statement"))
    pair["p"][1] = "0x1/0x5"
    texts.append(refused(written(document), "computation"))
    assert answer_of(folder, one_file([true, *texts])) == ""


def as_attempt(text, i):
    """The certificate's theorem, or nothing, and which of the two: a difference is no error."""
    start, rest = text.split("Theorem ", 1)
    (_, said, proof), *rows = re.findall(
        r"(\w+) :\s(.*?)\.\nProof\.\n(.*?)\.\nQed\.", rest, re.DOTALL
    )
    rows = [(x, proof.replace(".\n", "; ")) for name, x, proof in rows if name.endswith("_rows")]
    left = reduce(lambda all_, row: f"(({all_}) /\\ {row[0]})", rows, said)
    steps = "; ".join(f"split; [|solve [{proof}]]" for _, proof in reversed(rows)) or "idtac"
    return (
        f"{start}Theorem attempt : ({left}) \\/ True.\nProof. first [left; "
        f"assert (certificate : {said}) by ({proof}); {steps}; exact certificate; "
        f'idtac "accepted" "{i}" | right; exact I]. Qed.\n'
    )


def test_coq_never_accepts_what_the_second_checker_refuses(folder, request, capsys):
    """Two opposite certificates a seed: of what Coq accepts none is false or undefined."""
    texts, judgments, counts = {}, {}, Counter()
    for seed in range(1000 if request.config.getoption("--deep") else 60):
        for side, document in enumerate(drawn(seed)):
            i = f"{seed}.{side}"
            try:
                texts[i] = as_attempt(written(document), i)
            except ParseError:
                counts["refused"] += 1
            else:
                judgments[i] = judged(document)
    (folder / "c_drawn.v").write_text(one_file(texts.values()))
    answer = coqc(folder, "c_drawn.v")
    assert answer.returncode == 0, answer.stderr
    accepted = re.findall(r'"?accepted"? "?([\d.]+)', answer.stdout)
    for i, judgment in judgments.items():
        counts[judgment.value, "accepted" if i in accepted else "undecided"] += 1
        assert i not in accepted or judgment in (Judgment.TRUE, Judgment.OPEN), (i, judgment)
    with capsys.disabled():
        print(dict(counts))
    assert counts["true", "accepted"] > 3 * counts["true", "undecided"]


def axioms(folder, modules, *theorems):
    """The axioms that theorems of compiled files rest on."""
    text = f"Require Import {modules}.\n" + "".join(f"Print Assumptions {x}.\n" for x in theorems)
    (folder / "axioms.v").write_text(text)
    answer = coqc(folder, "axioms.v")
    assert answer.returncode == 0, answer.stderr
    return set(re.findall(r"^([A-Za-z_.0-9]+)\s*:", answer.stdout, re.MULTILINE)) - {"Axioms"}


def test_only_the_axioms_of_the_standard_library_are_used(folder):
    """By all theorems that proofs or docs/theorems cite, and one of the normal law."""
    pages = "\n".join(x.read_text() for x in (ROOT / "docs/theorems").glob("*.md"))
    listed = re.findall(r"^### (\w+)$", pages, re.MULTILINE)
    files = " ".join(x.removesuffix(".v") for x in ("ExactDP.v", *THEORY, "Normal.v"))
    used = axioms(folder, files, *{*THEOREMS, *listed}, "normal_series")
    assert set() < used <= AXIOMS


def test_the_blanket_of_randomized_response_is_what_the_engine_computes(folder):
    text = (Path(__file__).parent / "BlanketOfTwo.v").read_text()
    assert answer_of(folder, text) == ""
    rows = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    for n, found in enumerate(re.findall(r"claimed \d = (\d+ / \d+)\.", text), start=1):
        bound = expectation(rows, (0, 1), Fraction(2), n)
        assert equal(bound, Fraction(found.replace(" ", ""))).holds()
    assert "Error" in answer_of(folder, text.replace("= 3 / 16", "= 3 / 17"))
    assert "Error" in answer_of(folder, text.replace("1 / 2", "3 / 5"))


def test_the_counts_of_clones_are_what_the_engine_computes(folder):
    text = (Path(__file__).parent / "ClonesOfTwo.v").read_text()
    assert answer_of(folder, text) == ""
    pairs = {Fraction(1, 2): clone_pair, Fraction(2, 3): stronger_clone_pair}
    found = re.findall(r"apart \((\d / \d)\) (\d) = (\d+ / \d+)\.", text)
    assert len(found) == 4
    for weight, n, apart in ((Fraction(r.replace(" ", "")), int(n), d) for r, n, d in found):
        delta = pairs[weight](n, Epsilon.log(2)).delta(Epsilon.log(1), relative_width="1e-9")
        true = enclosed(delta, "1e-9")
        assert true.lower <= Fraction(apart.replace(" ", "")) <= true.upper
    assert "Error" in answer_of(folder, text.replace("= 5 / 24", "= 5 / 23"))
    assert "Error" in answer_of(folder, text.replace("apart (1 / 2) 2", "apart (2 / 3) 2"))


def test_every_cited_theorem_is_stated():
    assert THEOREMS and all(in_coq(name, "").stands() for name in THEOREMS)
    assert "proves no theorem more_users of" in Cited("more_users", "something else").refusal()


def test_a_certificate_assumes_no_more(folder, request):
    if not request.config.getoption("--deep"):
        pytest.skip("Print Assumptions of a certificate takes long: with --deep and in .ci/coq")
    assert answer_of(folder, written(certificate(SAMPLE[1]))) == ""
    assert set() < axioms(folder, "c_test", "certificate") <= AXIOMS


def test_every_certificate_is_accepted(folder, request):
    if not request.config.getoption("--deep"):
        pytest.skip("all certificates take twelve minutes and more: with --deep, or `.ci/coq all`")
    refused, failed = [], []
    for path in CERTIFICATES.values():
        try:
            text = coq_file(path.read_bytes())
        except ParseError as error:
            refused.append(str(error))
        else:
            failed += [path.name] if answer_of(folder, text) else []
    assert failed == [] and all("a proof for the kernel" in reason for reason in refused)


def of_divergence(meaning):
    """The file of a lemma about divergences, with another quantity for its own."""
    stated = find_claim("lemmas/monotone-in-epsilon")[1].readings[""]
    name = theorem_of(stated)

    def says(mu, mu_prime, gamma, more):
        return at_most(meaning(mu, mu_prime, gamma + more), meaning(mu, mu_prime, gamma))

    return meanings_file("a claim", replace(stated, says=says), name, preamble(name))


def test_a_quantity_with_two_meanings_is_rejected(folder):
    swapped = replace(divergence, compute=lambda P, Q, gamma: divergence(Q, P, gamma))
    doubled = replace(divergence, compute=lambda P, Q, gamma: 2 * divergence(P, Q, gamma))
    elsewhere = replace(divergence, coq="hockey_stick same {1} {0} {2}")
    assert answer_of(folder, of_divergence(divergence)) == ""
    for wrong in (swapped, doubled):
        assert "side_" in of_divergence(wrong) and answer_of(folder, of_divergence(wrong))
    # An expression that is not the theorem's is none of its claim, whatever its value is.
    assert "hockey_stick" in answer_of(folder, of_divergence(elsewhere))
    theirs = of_divergence(elsewhere).replace("Definition statement", "Definition stated", 1)
    assert answer_of(folder, theirs)


def test_an_instance_outside_of_the_theorem_is_rejected(folder):
    text = of_divergence(divergence)
    mass = re.search(r"Definition mu : law A := \[\(0%nat, (.+?)\)", text)
    outside = text.replace(mass[0], mass[0].replace(mass[1], "7"))
    only = re.sub(r"Example side_.*\n.*\n", "", outside)
    assert outside != text != only and "computed" not in only
    assert answer_of(folder, only)
