"""A small folder of results, with every verdict in it; and what makes and shows a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

TRUE = b"""{"format": "exactdp-certificate/1", "claim": "nobody2000/theorem-1",
"conclusion": [[">", ["hockey_stick", {"kind": "finite_pair", "p": ["0x3/0x4", "0x1/0x4"],
"q": ["0x1/0x4", "0x3/0x4"]}, "0x2"], "0x1/0x8"]]}"""
"""3/4 - 2/4 = 1/4 > 1/8: a bound of 1/8 on this divergence is too small by a factor of 2."""


def entry(name: str, verdict: str, **facts: Any) -> dict[str, Any]:
    """Return a claim as verdicts.json has it, with one reading."""
    empty = dict.fromkeys(("slack", "witness", "domain", "falls", "certificate", "reason"))
    return {
        "id": f"nobody2000/{name}",
        "verdict": verdict,
        "says": "δ_1 ≤ e^{−ε_0}/<n>",
        "source": f"nobody2000, {name.title()}",
        **empty,
        **{"instances": 3, "untested": None, "found": "", "repair": None, "withdrawn": None},
        **facts,
    }


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The folder: one claim of each verdict, one with two readings, and a certificate."""
    witness = {"witness": "n=2, exp_epsilon0=4, cell=2.49E-15", "falls": "result"}
    refuted = {"certificate": "certificates/theorem-1.json", "found": "at x: 1/4 > 1/8", **witness}
    proof = {"domain": "all n", "found": "all n: checked: 1 < 2; in words: so it is"}
    claims = [
        entry("theorem-1", "refuted", repair="nobody2000/lemma/2", **refuted),
        entry("lemma/2", "proved", **proof),
        entry("remark=3", "survived", slack="1.5", found="no failure on 3 instances"),
        entry("step-4", "argued", **proof),
        entry("step-5", "undecided", reason="asymptotic", found="asymptotic"),
        entry("step-6", "error", reason="the trial raised ValueError: <b>"),
        entry("step-7", "absent", reason="nolib is not installed", about="nolib==1.0"),
        entry("step-8", "depends", withdrawn="erratum, page 2")
        | {
            "readings": {"a": "refuted", "b": "proved"},
            "reading_says": {"a": "for every n", "b": "for some n"},
            "hypothetical": ["a"],
            "evidence": {
                "a": entry("", "refuted", falls="misprint"),
                "b": entry("", "proved", **proof),
            },
        },
    ]
    folder = tmp_path / "out"
    (folder / "certificates").mkdir(parents=True)
    document = {"format": "exactdp-verdicts/2", "claims": claims}
    (folder / "verdicts.json").write_text(json.dumps(document))
    (folder / "certificates" / "theorem-1.json").write_bytes(TRUE)
    return folder
