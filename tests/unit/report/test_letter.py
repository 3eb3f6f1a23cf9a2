"""Letters: what they say, and that anybody with mpmath can run their lines."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import proofs_check
from exactdp.report.script import script_of
from tests.commands import outcome

CERTIFICATES = sorted(Path(proofs_check.__path__[0]).glob("*/certificates/*.json"))
FINDINGS = (
    "biswas2023/theorem-IV.1",
    "ding2025/theorem-4",
    "erlingsson2019/corollary-9",
    "liu2024/theorem-2",
    "wang2023/lemma-4.5",
    "wang2024/theorem-3",
    "libraries/autodp/analytic-gaussian-calibrator",
    "libraries/cpsgd/theorem-1",
    "libraries/dp-accounting/pld-accountant-randomized-response",
    "libraries/dp-accounting/rdp-replace-one-gaussian",
    "libraries/diffprivlib/gaussian-analytic",
    "libraries/gdpnum/mu",
    "libraries/ietf-binomial-dp/draft-formula",
    "libraries/jax-privacy/fixed-batches",
    "libraries/koskela-shuffling/strong-adversary",
    "libraries/opacus/noise-multiplier-gdp",
    "libraries/opendp/laplace-threshold",
    "libraries/pfl/accountants-prv-laplace",
    "libraries/pipeline-dp/budget-pure",
    "libraries/pipeline-dp/budget-sensitivity",
    "libraries/prv-accountant/pure-dp",
    "libraries/prv-accountant/pure-dp-long",
    "libraries/random-allocation/lower-bound",
    "libraries/riskcal/operating-points-sampled",
)


def ran(script: str) -> subprocess.CompletedProcess[str]:
    """Run lines where nothing of ours can be imported."""
    command = [sys.executable, "-I", "-c", f"import sys; sys.modules['exactdp'] = None\n{script}"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


@pytest.mark.parametrize("claim", FINDINGS)
def test_the_lines_of_a_letter_run(claim, capsys):
    code, page, _ = outcome(capsys, "report", "--letter", claim)
    assert code == 0 and "\n> " in page and "## What would mend it" in page
    assert "No mend is known" not in page and " result (" in page
    [script] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    answer = ran(script)
    assert answer.returncode == 0, answer
    assert all(re.fullmatch(r"\S+ (>|<|>=|<=|!=|=) \S+", x) for x in answer.stdout.splitlines())
    assert "exactdp" not in script and "assert left" in script


def test_another_number_is_seen():
    document = json.loads(CERTIFICATES[0].read_text())
    sign, left, right = document["conclusion"][0]
    assert ran(script_of(document) or "").returncode == 0
    document["conclusion"] = [[sign, right, left]]
    assert "AssertionError" in ran(script_of(document) or "").stderr


def test_the_lines_of_every_certificate_run(request):
    if not request.config.getoption("--deep"):
        pytest.skip("276 programs take five minutes: with --deep")
    scripts = {path.name: script_of(json.loads(path.read_text())) for path in CERTIFICATES}
    failed = [name for name, script in scripts.items() if script and not _holds(script)]
    assert failed == [] and sum(script is None for script in scripts.values()) <= 3


def _holds(script: str) -> bool:
    try:
        return ran(script).returncode == 0
    except subprocess.TimeoutExpired:
        return True  # it is long, and not wrong


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--letter", "nobody/claim"], "claim='nobody/claim' is not in the catalog"),
        (["--letter", "feldman2021/theorem-3.1"], "it is not refuted (it is proved)"),
        (["--letter", "wang2023/lemma-4.5", "--reading", "z"], "reading 'z' of it is not refuted"),
        (
            ["x", "--letter", "wang2023/lemma-4.5"],
            "--letter is about a kept claim, and takes no DIR",
        ),
        ([], "DIR is missing. Give a folder of `exactdp audit --out`, or --letter."),
    ],
)
def test_bad_input_gets_one_line(arguments, says, capsys):
    code, out, err = outcome(capsys, "report", *arguments)
    assert (code, out) == (2, "") and says in err and len(err.splitlines()) == 1
