"""FINDINGS.md is what its generator makes, and prose that states another verdict is refused."""

import json
import math
import re
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

import proofs_check
from exactdp.errors import DomainError
from exactdp.numbers import Exact, decimal
from proofs_check.biswas2023 import evaluation
from proofs_check.biswas2023.bounds import Counts
from proofs_check.biswas2023.findings import printed_at
from proofs_check.findings import KEYS, Findings, head
from proofs_check.looseness import FILE, GRID, found, section
from proofs_check.wang2024 import findings as wang2024

SHARES = (1 / 17, 1 / 17, 15 / 17)
FOLDER = Path(proofs_check.__file__).parent
KEPT_HEAD, *SECTIONS, PUBLISHED = (
    (FOLDER / "FINDINGS.md").read_text(encoding="utf-8").split("\n## ")
)
BISWAS = Findings(import_module("proofs_check.biswas2023").PAPER)


@pytest.mark.parametrize("key", KEYS)
def test_what_is_kept_is_what_is_made(key, request):
    if key == "libraries" and not request.config.getoption("--deep"):
        pytest.skip("takes ten seconds: with --deep, and .ci/run makes the whole file")
    kept = dict(zip(KEYS, SECTIONS, strict=True))[key]
    assert Findings(import_module(f"proofs_check.{key}").PAPER).section() == f"## {kept}"


def test_the_section_on_published_bounds_is_what_is_kept_of_them():
    assert section() == f"## {PUBLISHED}"


def test_a_setting_is_as_loose_as_is_kept():
    """One setting anew: the ratios are certified, so those of another run overlap."""
    kept = next(one for one in json.loads(FILE.read_text("utf-8")) if one["at"] == GRID[0])
    (again,) = found(GRID[:1])
    assert set(again["ratios"]) == set(kept["ratios"]) >= {"feldman2021/theorem-3.1"}
    for name, ratio in again["ratios"].items():
        before = kept["ratios"][name]
        assert float(ratio["lower"]) <= float(before["upper"])
        assert float(before["lower"]) <= float(ratio["upper"])


def anchors(text):
    """Where a link within the page can lead."""
    titles = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_lead_somewhere():
    page = (FOLDER / "FINDINGS.md").read_text(encoding="utf-8")
    links = [part.partition(")")[0] for part in page.split("](")[1:]]
    assert len(links) > 50
    for link in links:
        file, _, part = link.partition("#")
        assert (FOLDER / file).exists() if file else part in anchors(page), link


def test_the_contents_have_a_line_for_each_paper_and_each_library():
    assert head() == KEPT_HEAD
    for key in KEYS:
        assert KEPT_HEAD.count(f"\n| [{key}](#{key}) | ") == 1
    assert KEPT_HEAD.index("\n| paper |") < 250  # it opens with them
    table = KEPT_HEAD.partition("\n| library |")[2].partition("\n\n")[0]
    lines = table.splitlines()[2:]
    assert len(lines) == len(import_module("proofs_check.libraries").PAPER.parts)


@pytest.mark.parametrize(
    ("prose", "says"),
    [
        ("{proved theorem-IV.1 a}", "the prose says proved, the kept verdict is refuted"),
        ("{argued|proved theorem-IV.1}", "the kept verdict is refuted"),
        ("{refuted repair/theorem-IV.1-count}", "the kept verdict is proved"),
        ("{refuted theorem-IV.2}", "leads nowhere"),
        ("{refuted theorem-IV.1 z}", "leads nowhere"),
        ("{refuted}", "leads nowhere"),
        ("{}", "leads nowhere"),
        ("{witness repair/theorem-IV.1-count}", "leads nowhere"),
        ("{withdrawn theorem-IV.1}", "nothing of the kind is kept"),
        ("{number nothing 10}", "leads nowhere"),
        ("{stands nobody}", "nothing of the kind is kept"),
        ("{number nowhere/truth 10}", "leads nowhere"),
    ],
)
def test_prose_that_states_what_is_not_kept_is_refused(prose, says):
    with pytest.raises(DomainError, match=says.replace("|", r"\|")):
        BISWAS.filled(prose)


def test_prose_is_filled_in():
    [line] = re.findall(r"evidence\.jsonl#L(\d+)", BISWAS.filled("{refuted theorem-IV.1 c}"))
    lines = (FOLDER / "biswas2023" / "evidence.jsonl").read_text().splitlines()
    document = json.loads(lines[int(line) - 1])
    assert (document["claim"], document["reading"]) == ("biswas2023/theorem-IV.1", "c")
    link = f"(biswas2023/evidence.jsonl#L{line})"
    prose = BISWAS.filled("{refuted theorem-IV.1 c}, {proved equation-12}; {number truth 1000}")
    assert prose == (f"[refuted, result]{link}: `theorem-IV.1` (c), proved: `equation-12`; 0.189")
    # By hand: the other user holds x_0, so that both send it with 9/16 against 3/16.
    assert BISWAS.filled("{witness theorem-IV.1 c}").endswith(" (there: 3/16 != 1/16)")


def test_what_stands_has_no_reading_that_somebody_claims_refuted():
    libraries = Findings(import_module("proofs_check.libraries").PAPER)
    told = libraries.filled("{stands dp-accounting}")
    assert "`dp-accounting/rdp-epsilon`" in told and "`dp-accounting/gaussian-epsilon`" in told
    assert "pld-pessimistic-delta" not in told and "pld-optimistic-delta" not in told


def test_the_printed_formula_at_scale_is_the_one_of_the_trial():
    at = Fraction(1, 5)
    trial = evaluation.printed_delta(Fraction(2), Counts(10, 60, 0), at)
    assert decimal(printed_at(60, at), digits=20) == decimal(trial, digits=20)
    assert not isinstance(trial, Exact)


def test_what_lemma_3_shuffles_at_scale_is_that_of_the_definition():
    n, e = 300, math.exp(float(wang2024.printed(300).upper))

    def law(a, b):
        if min(a, b) < 0:
            return 0.0
        cells = (a, b, n - a - b)
        logs = sum(math.lgamma(c + 1) - c * math.log(r) for c, r in zip(cells, SHARES, strict=True))
        return math.exp(math.lgamma(n + 1) - logs)

    # The victim's item adds one to the first count, or to the second; half of the time to none.
    most = [law(a - 1, b) - e * law(a, b - 1) for a in range(120) for b in range(120)]
    found = wang2024.delta_at_printed(n)
    assert sum(filter(lambda part: part > 0, most)) / 2 == pytest.approx(float(found.lower))
