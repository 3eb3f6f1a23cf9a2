"""A small folder of results, with every verdict in it; and what makes and shows a page."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from exactdp.audit import audit_claim, verdicts_document
from exactdp.claims import Claim, Open, Source
from tests.commands import run

REAL = {
    "biswas2023/table-I/C": "proved",
    "biswas2023/table-II/n=100/ref-11": "depends",
    "feldman2023/k-rr": "refuted",
    "libraries/opendp/laplace-threshold": "absent",
    "liu2024/table-1": "unspecified",
    "sparse_vector/algorithm-6/unbounded": "survived",
}
"""Claims whose trials are quick, one for each verdict."""

TRUE = b"""{"format": "exactdp-certificate/1", "claim": "nobody2000/theorem-1",
"conclusion": [[">", ["hockey_stick", {"kind": "finite_pair", "p": ["0x3/0x4", "0x1/0x4"],
"q": ["0x1/0x4", "0x3/0x4"]}, "0x2"], "0x1/0x8"]]}"""
"""3/4 - 2/4 = 1/4 > 1/8: a bound of 1/8 on this divergence is too small by a factor of 2."""


def entry(name: str, verdict: str, **facts: Any) -> dict[str, Any]:
    """Return a claim as verdicts.json has it, with one reading."""
    return {
        **written(),
        "id": f"nobody2000/{name}",
        "verdict": verdict,
        "says": "δ_1 ≤ e^{−ε_0}/<n>",
        "source": f"nobody2000, {name.title()}",
        "instances": 3,
        "reason": None,
        **facts,
    }


@cache
def written() -> dict[str, Any]:
    """Return what an audit writes of a claim of which nothing is found: every key."""
    open_claim = Claim("nobody2000/open", "it is open", Source("nobody2000", "1"), {"": Open("")})
    [found] = verdicts_document([audit_claim(open_claim)])["claims"]
    return json.loads(json.dumps(found))


@pytest.fixture(scope="session")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an audit of some shipped claims wrote, with every verdict but an error."""
    folder = tmp_path_factory.mktemp("audited") / "out"
    assert run("audit", *REAL, "--out", folder, "--workers", 1) == 0
    return folder


_AT = {"at": "n=1, x<2", "double": "0.0", "formula": "1e-9", "ulps": 7, "below_truth": True}
IN_DOUBLES = [
    {"bound": "nobody2000/remark=3#near", "word": "overflow", **_AT},
    {"bound": "nobody2000/remark=3#far", "word": "holds", **dict.fromkeys(_AT)},
]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The folder, which a test may change."""
    return write_results(tmp_path)


def write_results(place: Path) -> Path:
    """Write the folder: one claim of each verdict, one with two readings, and a certificate."""
    refuted = {
        "certificate": "certificates/theorem-1.json",
        "formula": "for all n: D_{e^ε}(F) ≤ 1/8",
        "witness": "n=2, exp_epsilon0=4",
        "at": {"n": 2, "exp_epsilon0": "4"},
        "sides": {
            "left": {"exact": "1/4", "decimal": "0.25"},
            "sign": ">",
            "right": {"exact": "1/8", "decimal": "0.125"},
            "claimed": "right",
            "times": "2",
            "apart": "0.125",
        },
        "found": "1/4 > 1/8",
        "falls": "result",
    }
    steps = [
        {"text": "1 < 2", "rests": "engine", "cites": None},
        {"text": "so it is", "rests": "words", "cites": None},
        {"text": "as there", "rests": "claim", "cites": "nobody2000/lemma/2"},
        {"text": "merging", "rests": "coq", "cites": None},
    ]
    proof = {"domain": "all n", "steps": steps[:1], "rests": "engine"}
    argument = {"domain": "all n", "steps": steps, "rests": "words"}
    claims = [
        entry("theorem-1", "refuted", repair="nobody2000/lemma/2", **refuted),
        entry("lemma/2", "proved", **proof),
        entry("remark=3", "survived", slack="1.5", closest="n=4", in_doubles=IN_DOUBLES),
        entry("step-4", "argued", **argument),
        entry("step-5", "undecided", reason="asymptotic"),
        entry("step-9", "unspecified", reason="k decides", missing=["k"], found="holds at k=2"),
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
    folder = place / "out"
    (folder / "certificates").mkdir(parents=True)
    document = {"format": "exactdp-verdicts/5", "claims": claims}
    (folder / "verdicts.json").write_text(json.dumps(document))
    (folder / "certificates" / "theorem-1.json").write_bytes(TRUE)
    return folder
