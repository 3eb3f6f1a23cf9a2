"""A certificate as a Coq file: what is written, and what is refused."""

import json
import re

import pytest

from exactdp.coq.certificates import coq_file
from exactdp.errors import ParseError

PAIR = {"kind": "finite_pair", "p": ["0x3/0x4", "0x1/0x4"], "q": ["0x1/0x4", "0x3/0x4"]}
CERTIFICATE = {
    "format": "exactdp-certificate/1",
    "claim": 'a label *) "with" (* signs',
    "define": [["S", PAIR]],
    "conclusion": [[">", ["hockey_stick", {"ref": "S"}, ["exp", "0x1/0xa"]], "0x1/0x5"]],
}


def text(**changes):
    return coq_file(json.dumps(CERTIFICATE | changes).encode())


def test_the_theorem_is_in_ordinary_notation():
    # S is the event of the corollary, the certificate's own name ends in an apostrophe.
    assert """
Definition S' : pair :=
  finite_pair (nth 0 S'_laws []) (nth 1 S'_laws []).

Theorem certificate :
  Forall is_row S'_laws /\\
  divergence S' (exp (1 / 10)) > 1 / 5.
""" in text()
    assert """
Corollary conclusion_1 : exists S,
  prob S (fst S') - (exp (1 / 10)) * prob S (snd S') > 1 / 5.
""" in text()
    assert text().count("*)") == 1


OPERATIONS = [
    ("-0x3", "(-3)", "(Int (-3))"),
    ("0x3/0x6", "(1 / 2)", "(Ratio 1 2)"),
    (["add", "0x1", "0x2", "0x3"], "((1 + 2) + 3)", "(Op Add (Op Add 1 2) 3)"),
    (["mul", "0x1", "0x2"], "(1 * 2)", "(Op Mul 1 2)"),
    (["max", "0x1", "0x2"], "(Rmax 1 2)", "(Op Max 1 2)"),
    (["min", "0x1", "0x2"], "(Rmin 1 2)", "(Op Min 1 2)"),
    (["sub", "0x1", "0x2"], "(1 - 2)", "(Op Sub 1 2)"),
    (["div", "0x1", "0x2"], "(1 / 2)", "(Op Div 1 2)"),
    (["pow", "0x1", 2], "(power 1 2)", "(Op Pow 1 2)"),
    (["binomial", 2, "0x1"], "(binomial 2 1)", "(Op Binom 2 1)"),
    (["neg", "0x1"], "(- 1)", "(Apply Neg 1)"),
    (["abs", "0x1"], "(Rabs 1)", "(Apply Abs 1)"),
    (["positive_part", "0x1"], "(positive_part 1)", "(Apply Pos 1)"),
    (["exp", "0x1"], "(exp 1)", "(Apply Exp 1)"),
    (["log", "0x1"], "(ln 1)", "(Apply Log 1)"),
    (["cos", "0x1"], "(cos 1)", "(Apply Cos 1)"),
    (["sqrt", "0x1"], "(sqrt 1)", "(Apply Sqrt 1)"),
    (["pi"], "PI", "Pi"),
    (["sum", "k", "0x0", "0x2", {"ref": "k"}], "(sum 0 2 (fun k' => k'))", "(Sum 0 2 (Var 0))"),
    (
        ["when", ["<=", "0x0", "0x1"], "0x2", "0x3"],
        "(if decide Le 0 1 then 2 else 3)",
        "(When Le 0 1 2 3)",
    ),
    (["hockey_stick", {"ref": "X"}, "0x2"], "(divergence X' 2)", "(Divergence 0 2)"),
    (["total_variation", {"ref": "X"}], "(distance X')", "(Distance 0)"),
    (["mass", {"ref": "X"}, "p", 1], "(event [[1]]%nat (fst X'))", "(EventP 0 [[1]]%nat)"),
    (
        ["event", {"ref": "X"}, "q", [0, 1]],
        "(event [[0]; [1]]%nat (snd X'))",
        "(EventQ 0 [[0]; [1]]%nat)",
    ),
    (["ldp_ratio", {"ref": "M"}], "(ldp_ratio M')", "(LdpRatio 1)"),
    (["entry", {"ref": "M"}, 0, 1], "(entry M' 0 1)", "(Entry 1 0 1)"),
    (["row_sum", {"ref": "M"}, 0], "(row_sum M' 0)", "(RowSum 1 0)"),
]


@pytest.mark.parametrize(("term", "said", "data"), OPERATIONS, ids=range(len(OPERATIONS)))
def test_every_operation_is_written_as_it_is_meant(term, said, data):
    # Coq sees that the data mean the statement; that the statement is the certificate's, not.
    matrix = [["0x1/0x2", "0x1/0x2"]]
    written = text(define=[["X", PAIR], ["M", matrix]], conclusion=[["!=", term, "0x7"]])
    statement, proof = written.split("Proof.", 1)
    left = statement.rsplit("/\\\n  ", 1)[1].removesuffix(" <> 7.\n")
    assert said in (left, f"({left})")
    shown = proof.split("Holds Ne ")[1].split(" (Int 7)]")[0]
    assert data in (shown, re.sub(r"\(Int (\d+)\)", r"\1", shown))


@pytest.mark.parametrize(
    ("sign", "said", "word"),
    [
        ("<", "<", "Lt"),
        ("<=", "<=", "Le"),
        ("=", "=", "Eq"),
        ("!=", "<>", "Ne"),
        (">=", ">=", "Ge"),
        (">", ">", "Gt"),
    ],
)
def test_every_relation_is_written_as_it_is_meant(sign, said, word):
    written = text(conclusion=[[sign, "0x1", "0x2"]])
    assert f"  1 {said} 2.\n" in written and f"Holds {word} (Int 1) (Int 2)]" in written


def test_hypotheses_are_part_of_the_theorem():
    written = text(hypotheses=[["<", "0x1", "0x2"], ["<", "0x3", "0x4"]])
    theorem = written.split("Theorem certificate :")[1].split("Proof.")[0]
    said = ["Forall is_row S'_laws", "1 < 2", "3 < 4", "divergence S' (exp (1 / 10)) > 1 / 5."]
    assert theorem.split() == " /\\ ".join(said).split()
    assert written.count("Holds Lt") == 2


def test_a_view_names_its_users():
    view = {
        "kind": "shuffle",
        "randomizers": {"A": {"ref": "R"}},
        "victim": {"randomizer": "A", "inputs": [1, 0]},
        "others": [{"randomizer": "A", "input": 0, "count": 2}],
    }
    rows = [["0x1/0x2", "0x1/0x4", "0x1/0x4"], ["0x1", "0x0", "0x0"]]
    divergence = [[">=", ["hockey_stick", {"ref": "V"}, "0x1"], "0x0"]]
    written = text(define=[["R", rows], ["V", view]], conclusion=divergence)
    assert "shuffle 3 (row R' 1) (row R' 0)\n    [(row R' 0, 2%nat)]." in written
    assert "DefShuffle false 3 None (0, 1)%nat (0, 0)%nat [((0, 0)%nat, 2%nat)]" in written
    written = text(
        define=[["R", rows], ["V", view | {"merge": [[1], [0, 2]]}]], conclusion=divergence
    )
    assert "shuffle 2 (merged [1; 0; 1]%nat (row R' 1))" in written
    assert "Definition V'_whole : pair :=\n  shuffle 3 (row R' 1) (row R' 0)" in written
    assert "prob S (fst V'_whole) - 1 * prob S (snd V'_whole) >= 0." in written


def proof_text(*steps):
    return coq_file(
        json.dumps({"format": "exactdp-proof/1", "claim": "x", "conclusion": steps}).encode()
    )


Z = {"ref": "z"}
LISTED = {"text": "", "rule": "every", "variables": [], "relations": [["<", "0x0", "0x1"]]}
IDENTITY = {"text": "", "rule": "identity", "variables": ["z"]}
IDENTITY["equal"] = [[["div", ["mul", Z, Z], ["div", Z, "0x2"]], ["mul", "0x2", Z]], [Z, Z]]


def test_an_identity_of_a_listing_is_a_theorem_wherever_no_denominator_is_0():
    written = proof_text(LISTED, IDENTITY)
    assert "Theorem certificate :\n  0 < 1.\n" in written
    assert (
        """
Theorem identity_1 : forall z' : R,
  z' / 2 <> 0 ->
  (z' * z') / (z' / 2) =
  2 * z'.
"""
        in written
    )
    assert "Theorem identity_2 : forall z' : R,\n  z' =\n  z'." in written


def test_a_proof_without_a_listing_is_refused():
    for steps in ([IDENTITY], [LISTED, {"text": "", "rule": "orders"}]):
        with pytest.raises(ParseError, match="not a list of instances"):
            proof_text(*steps)


def test_another_name_is_the_first_one():
    stated = [["<", ["mass", {"ref": "W"}, "p", 0], {"ref": "u"}]]
    define = [["S", PAIR], ["W", {"ref": "S"}], ["t", "0x1"], ["u", {"ref": "t"}]]
    written = text(define=define, conclusion=stated)
    assert "event [[0]]%nat (fst S') < t'." in written


def test_the_normal_distribution_function():
    written = text(conclusion=[["<", ["normal_cdf", "0x1"], "0x1"]])
    assert "normal_cdf 1 < 1." in written and "Holds Lt (Apply Normal (Int 1)) (Int 1)" in written


def test_inline_laws_are_defined_once():
    mass = ["mass", PAIR, "p", 0]
    written = text(define=[], conclusion=[["<", mass, "0x1"], [">", mass, "0x0"]])
    assert written.count("finite_pair") == 1 and "event [[0]]%nat (fst pair_1) < 1 " in written


def test_rows_that_are_not_rational_have_a_proof_of_their_own():
    x = ["exp", "0x1"]
    row = [["div", "0x1", ["add", "0x1", x]], ["div", x, ["add", "0x1", x]]]
    written = text(define=[["R", [row]]], conclusion=[["<", "0x0", "0x1"]])
    assert "Definition R' : matrix" in written
    assert "Theorem R'_rows : Forall is_row R'." in written


def defined(written):
    """The names that a file gives, in order."""
    return re.findall(r"^(?:Definition|Lemma|Theorem|Corollary) (\S+)", written, re.MULTILINE)


@pytest.mark.parametrize(
    "names",
    [
        ("V", "V_whole", "V_merged", "V_laws"),
        ("pair_1", "pair_1_laws", "pair_2", "matrix_1"),
        ("S", "S_", "S__", "S_rows"),
        ("certificate", "conclusion_1", "Var", "Holds"),
        ("exp", "exp_", "R", "by"),
    ],
)
def test_no_two_names_are_one(names):
    view = {
        "kind": "shuffle",
        "randomizers": {"A": [["0x1/0x2", "0x1/0x2"], ["0x0", "0x1"]]},
        "victim": {"randomizer": "A", "inputs": [1, 0]},
        "others": [],
        "merge": [[0], [1]],
    }
    irrational = [["div", "0x1", ["sqrt", "0x4"]], ["div", "0x1", ["sqrt", "0x4"]]]
    define = zip(names, (view, PAIR, "0x1", [irrational]), strict=True)
    written = text(
        define=list(define),
        conclusion=[
            [">=", ["hockey_stick", {"ref": names[0]}, "0x1"], {"ref": names[2]}],
            ["<", ["mass", PAIR | {"p": PAIR["q"]}, "p", 0], "0x1"],
        ],
    )
    found = defined(written)
    assert len(set(found)) == len(found) == 13, found
    own = [name for name in found if name.endswith("'")]
    assert own == [f"{name}'" for name in names]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"conclusion": [["<", ["entry", [["0x1"]], ["pi"], 0], "0x1"]]}, "that is a formula"),
        ({"conclusion": [["hole", "to do"]]}, "a hole (a step left to do) is not translated"),
        ({"conclusion": [["<", ["product", "0x1"], "0x1"]]}, "product is not translated"),
        ({"conclusion": [["<", "1", "0x1"]]}, "'1' is not a number"),
        ({"conclusion": [["<", {"ref": "Y"}, "0x1"]]}, "KeyError: 'Y'"),
        ({"conclusion": [["<", {"ref": "S"}, "0x1"]]}, "is not a term"),
        ({"conclusion": [["~", "0x0", "0x1"]]}, "KeyError: '~'"),
        ({"conclusion": [["<", ["event", {"ref": "S"}, "p", [0, 0]], "0x1"]]}, "repeated"),
        ({"conclusion": [["<", ["mass", {"ref": "S"}, "p", 2], "0x1"]]}, "is not an outcome"),
        ({"define": [["S. Axiom", "0x1"]]}, "the name 'S. Axiom'"),
        ({"define": [["S", "0x1"], ["S", "0x1"]]}, "the name 'S'"),
        ({"define": [["S", "0x1"], ["T", {"ref": "S"}], ["T", "0x1"]]}, "the name 'T'"),
        (
            {"define": [["T", {"ref": "S"}]], "conclusion": [["<", "0x0", "0x1"]]},
            "KeyError: 'S'",
        ),
        ({"define": [["S", PAIR | {"r": []}]]}, "the keys"),
        (
            {
                "format": "exactdp-proof/1",
                "conclusion": [{"text": "", "rule": "identity", "variables": ["x"], "equal": []}],
            },
            "a proof for the kernel (exactdp-proof/1) that is not a list of instances",
        ),
        ({"more": 1}, "it is not an object of"),
        ({"format": "exactdp-certificate/2"}, "it is not an object of"),
        ({"precision_bits": 1.5}, "1.5 is a float"),
    ],
    ids=range(18),
)
def test_what_cannot_be_translated_is_refused_with_its_reason(changes, words):
    with pytest.raises(ParseError, match=re.escape(words)):
        text(**changes)


def test_a_proof_by_listing_is_the_certificate_of_all_instances():
    relations = [[["<", "0x1", "0x2"]], [["=", "0x3", "0x3"], ["<", "0x0", {"ref": "half"}]]]
    steps = [
        {"text": "", "rule": "every", "variables": [], "relations": listed} for listed in relations
    ]
    define = [["half", "0x1/0x2"]]
    proof = {"format": "exactdp-proof/1", "claim": "a", "domain": "x", "define": define}
    flat = {"format": "exactdp-certificate/1", "claim": "a", "define": define}
    joined = flat | {"conclusion": [relation for listed in relations for relation in listed]}
    said = coq_file(json.dumps(proof | {"conclusion": steps}).encode())
    assert said == coq_file(json.dumps(joined).encode())
    assert "1 < 2 /\\\n  3 = 3 /\\\n  0 < half'." in said
