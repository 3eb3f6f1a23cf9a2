"""Letters: what they say, and that anybody with mpmath can run their lines."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mpmath import mpmathify

import proofs_check
from exactdp.claims.catalog import find_claim
from exactdp.errors import DomainError, ParseError
from exactdp.report.letter import kept_lines, letter
from exactdp.report.script import script_of
from tests.commands import outcome
from tests.evidence import kept_files

FOLDER = Path(proofs_check.__path__[0])
CERTIFICATES = kept_files("certificates")


def ran(script: str) -> subprocess.CompletedProcess[str]:
    """Run lines where nothing of ours can be imported."""
    command = [sys.executable, "-I", "-c", f"import sys; sys.modules['exactdp'] = None\n{script}"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


KEPT = {
    name: lines
    for file in sorted(FOLDER.glob("*/letters.toml"))
    for name, lines in kept_lines(file.parent).items()
}
SENT = [name for name, lines in KEPT.items() if lines.subject]


@pytest.mark.parametrize("name", KEPT)
def test_the_lines_of_a_letter_run(name):
    """At most 25, which anybody can read; they find the numbers of the certificate."""
    script = KEPT[name].truth
    lines = [line for line in script.splitlines() if line.strip()]
    assert len(lines) <= 25 and max(map(len, lines)) <= 100 and ";" not in script
    answer = ran(script)
    assert answer.returncode == 0 and "exactdp" not in script, answer
    [(left, sign, right)] = re.findall(r"^(\S+) (>|<|!=) (\S+) is True\n$", answer.stdout)
    [document] = [json.loads(path.read_text()) for path in CERTIFICATES if path.stem == name]
    found: dict[str, Any] = {}  # by the other route: the formulas of the certificate
    exec(script_of(document) or "", found)
    assert document["conclusion"][0][0] == sign
    for printed, number in ((left, found["left"]), (right, found["right"])):
        assert abs(mpmathify(printed) / number - 1) < 1e-12


@pytest.mark.parametrize("name", SENT)
def test_a_letter_for_sending_has_a_subject_and_what_was_read_and_nothing_of_ours(name, capsys):
    [document] = [json.loads(path.read_text()) for path in CERTIFICATES if path.stem == name]
    code, page, _ = outcome(capsys, "report", "--letter", document["claim"])
    first, _, rest = page.partition("\n")
    assert code == 0 and first.startswith(f"# {KEPT[name].subject}")
    assert rest.startswith(f"\nRead: {KEPT[name].read}.\n")
    assert KEPT[name].truth.strip() in page and KEPT[name].run.strip() in page
    for part in ("- side: ", "- size, in ", "- known reports: ", "- what would mend it: "):
        assert part in page
    for ours in ("exactdp", "added here", "certificate", "kernel", "not known to us"):
        assert ours not in page
    about = document["claim"].split("/")[1] if document["claim"].startswith("libraries/") else ""
    assert bool(KEPT[name].run) == bool(about)
    assert re.search(r"\d", KEPT[name].read)  # a version, or a number of the text


def test_all_other_letters_are_not_for_sending(capsys):
    code, page, _ = outcome(capsys, "report", "--letter", "libraries/gdpnum/mu")
    assert code == 0 and page.startswith("*Not for sending: ")
    assert "## What would mend it" in page and "\n> " in page


def test_about_twenty_letters_are_for_sending():
    assert 18 <= len(SENT) <= 24


def test_a_file_of_lines_that_is_no_toml_gets_one_line(tmp_path):
    paper, claim = find_claim("wang2023/lemma-4.5") or pytest.fail("no such claim")
    folder = Path(shutil.copytree(paper.folder, tmp_path / "wang2023"))
    (folder / "letters.toml").write_text("lines")
    with pytest.raises(ParseError, match=r"letters\.toml: Expected"):
        letter(replace(paper, folder=str(folder)), claim)
    (folder / "letters.toml").unlink()
    assert "def shuffled(" in letter(replace(paper, folder=str(folder)), claim)


def test_another_number_is_seen():
    document = json.loads(CERTIFICATES[0].read_text())
    sign, left, right = document["conclusion"][0]
    assert _holds(script_of(document) or "")
    document["conclusion"] = [[sign, right, left]]
    assert not _holds(script_of(document) or "")


def test_the_lines_of_every_certificate_run(request):
    if not request.config.getoption("--deep"):
        pytest.skip("276 programs take five minutes: with --deep")
    scripts = {path.name: script_of(json.loads(path.read_text())) for path in CERTIFICATES}
    failed = [name for name, script in scripts.items() if script and not _holds(script)]
    assert failed == [] and sum(script is None for script in scripts.values()) <= 3


def _holds(script: str) -> bool:
    try:
        answer = ran(script)
        said = answer.stdout
        return answer.returncode == 0 and " is True\n" in said and " is False\n" not in said
    except subprocess.TimeoutExpired:
        return True  # it is long, and not wrong


def test_what_is_not_kept_yet_is_to_be_kept(tmp_path):
    paper, claim = find_claim("wang2023/lemma-4.5") or pytest.fail("no such claim")
    with pytest.raises(
        DomainError, match=r"no verdict on it is kept\. Run `exactdp audit wang2023"
    ):
        letter(replace(paper, folder=str(tmp_path)), claim)


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
