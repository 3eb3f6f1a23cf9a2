"""The page of theorems says what the shipped files prove, word for word."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theorems.md").read_text("utf-8")
FILE = r"^In `(proofs_check/coq/\w+\.v)`"
ENTRY = r"^### (\w+)\n\n(.+?)\n\n```coq\n(.+?)\n```$"
DEFINITION = r"^(?:Definition|Fixpoint|Record) .+?\.$(?=\n[A-Z`])"
_SPLIT = re.split(FILE, PAGE, flags=re.M)[1:]
PARTS = list(zip(_SPLIT[::2], _SPLIT[1::2], strict=True))
ENTRIES = [(file, *entry) for file, part in PARTS for entry in re.findall(ENTRY, part, re.M | re.S)]
DEFINITIONS = [(file, x) for file, part in PARTS for x in re.findall(DEFINITION, part, re.M | re.S)]


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


def test_every_block_is_a_definition_or_a_theorem():
    shown = "\n".join(x for _, x in DEFINITIONS) + "\n" + "\n".join(x[3] for x in ENTRIES)
    blocks = "\n".join(re.findall(r"```coq\n(.+?)\n```", PAGE, re.S))
    assert sorted(shown.splitlines()) == sorted(blocks.splitlines())


@pytest.mark.parametrize(("file", "coq"), DEFINITIONS, ids=[x[1].split()[1] for x in DEFINITIONS])
def test_a_definition_is_that_of_its_file(file, coq):
    assert (ROOT / file).read_text("utf-8").count(f"{coq}\n") == 1


@pytest.mark.parametrize("file", sorted({x[0] for x in ENTRIES}))
def test_a_file_assumes_nothing(file):
    text = re.sub(r"\(\*.*?\*\)", "", (ROOT / file).read_text("utf-8"), flags=re.S)
    said = re.findall(r"\b(admit|give_up|Admitted|Axioms?|Parameters?|Conjecture)\b", text)
    assert said == []
