"""Letters for sending: which they are, and that a library prints what its letter says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from exactdp.audit.sizes import errs, first_ones, is_ordinary_kept, size_in_words
from exactdp.claims import Claim
from exactdp.execution import absence, interpreters
from exactdp.report.letter import kept_lines
from proofs_check.libraries import PAPER

FOLDER = Path(PAPER.folder)
KEPT = json.loads((FOLDER / "inventory.json").read_text())["claims"]
SENT = {name: lines for name, lines in kept_lines(FOLDER).items() if lines.subject}
CLAIMS = {claim.id: claim for claim in PAPER.claims()}
LEFT_OUT = {
    "libraries/gdpnum/mu-sampled",  # its number is rounding noise: other machines have another
    "libraries/jax-privacy/fixed-batches",  # no 25 lines have the truth
}


def named(name: str) -> tuple[Claim, str]:
    """Return the claim and the reading of a certificate."""
    stem, _, reading = name.rpartition(".")
    [claim] = [one for one in CLAIMS.values() if one.id.replace("/", ".") == stem]
    return claim, reading


def by_the_rule() -> set[str]:
    """Of each error the failure that tells most: a result, unsafe, ordinary, by a hundredth."""
    found: dict[str, list[tuple[Any, str]]] = {}
    for claim in CLAIMS.values():
        for key, facts in KEPT[claim.id]["readings"].items():
            reading = claim.readings[key]
            if facts["verdict"] != "refuted" or facts["falls"] != "result" or claim.apart(key):
                continue
            if claim.about is None or "/" in claim.about or not is_ordinary_kept(facts):
                continue
            stated, true = size_in_words(facts, reading).partition(", true ")[::2]
            apart = abs(float(true) - float(stated.split()[-1])) / abs(float(true))
            if errs(facts, reading) == "unsafe" and apart > 0.01:
                rank = first_ones(facts, reading, ordinary=True)
                found.setdefault(claim.causes.get(key, claim.id), []).append((rank, claim.id))
    return {min(ones)[1] for ones in found.values()}


def test_the_letters_for_sending_are_those_of_the_rule() -> None:
    assert {named(name)[0].id for name in SENT} == by_the_rule() - LEFT_OUT


@pytest.mark.parametrize("name", SENT)
def test_a_library_prints_what_its_letter_says(name: str) -> None:
    claim, reading = named(name)
    assert claim.about is not None
    if missing := absence(claim.about, claim.files):
        pytest.skip(missing)
    library = claim.about.partition("==")[0]
    statement: Any = claim.readings[reading]
    stubs = statement.again.func.__self__.imports  # some libraries are here without what they need
    command = [interpreters().get(library, sys.executable), "-c", f"{stubs}\n{SENT[name].run}"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    printed = [float(text) for text in said.stdout.split()[-2:]]
    answer = KEPT[claim.id]["readings"][reading]["at"]["answer"]
    numbers = [float(x) for x in (answer if isinstance(answer, list) else [answer])]
    assert printed[-1] == pytest.approx(numbers[-1], rel=1e-12)
