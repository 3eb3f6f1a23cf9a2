"""The page of theorems says what the shipped files prove, word for word."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theorems.md").read_text("utf-8")
FILE = r"^In `(proofs_check/coq/\w+\.v)`"
ENTRY = r"^### (\w+)\n\n(.+?)\n\n```coq\n(.+?)\n```$"
ENTRIES = [
    (file, *entry)
    for file, part in zip(*[iter(re.split(FILE, PAGE, flags=re.M)[1:])] * 2, strict=True)
    for entry in re.findall(ENTRY, part, re.M | re.S)
]


def test_every_heading_is_a_theorem():
    names = [name for _, name, _, _ in ENTRIES]
    assert names == re.findall(r"^### (.+)$", PAGE, re.M)
    assert len(names) == len(set(names)) > 10


@pytest.mark.parametrize(("file", "name", "says", "coq"), ENTRIES, ids=[x[1] for x in ENTRIES])
def test_a_theorem_is_stated_in_its_file_and_proved(file, name, says, coq):
    text = (ROOT / file).read_text("utf-8")
    assert coq.startswith(f"Theorem {name} ") and says.endswith(".")
    assert text.count(f"{coq}\nProof.") == 1
    proof = text.split(f"{coq}\nProof.")[1]
    end = re.search(r"\b(Qed|Admitted|Abort|Defined|Theorem|Lemma)\b", proof)
    assert end is not None and end[1] == "Qed"


@pytest.mark.parametrize("file", sorted({x[0] for x in ENTRIES}))
def test_a_file_assumes_nothing(file):
    text = re.sub(r"\(\*.*?\*\)", "", (ROOT / file).read_text("utf-8"), flags=re.S)
    said = re.findall(r"\b(admit|give_up|Admitted|Axioms?|Parameters?|Conjecture)\b", text)
    assert said == []
