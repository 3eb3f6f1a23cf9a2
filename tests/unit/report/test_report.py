"""The report: what it says, that it is valid HTML, and that it loads nothing."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from exactdp.claims import Paper as Source
from exactdp.cli.kernel import asked
from exactdp.report import read_results
from exactdp.report.tables import Cell, row_of
from exactdp.report.words import falls_in_words
from tests.commands import run
from tests.unit.report.conftest import REAL, TRUE, write_results

pytest.importorskip("jinja2", reason="the report needs jinja2: install exactdp[report]")


def report(*arguments: object) -> int:
    return run("report", *arguments, "--workers", "1")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    results = write_results(tmp_path_factory.mktemp("report"))
    assert report(results) == 0
    return results.with_name("out.html").read_text(encoding="utf-8")


def test_every_claim_has_an_anchor_and_its_verdict_as_a_word(page: str, results: Path) -> None:
    found = dict(re.findall(r'<article class="claim" id="([^"]+)" data-verdict="(\w+)"', page))
    claims = json.loads((results / "verdicts.json").read_text())["claims"]
    assert found == {claim["id"]: claim["verdict"] for claim in claims}
    for verdict in found.values():
        assert re.search(rf'<span aria-hidden="true">\S</span> {verdict}</span>', page)


@pytest.mark.parametrize("style", ["html", "markdown"])
def test_a_real_audit_is_reported(
    audited: Path, tmp_path: Path, style: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "page"
    assert report(audited, "--format", style, "--out", file) == 0
    assert capsys.readouterr().err == ""
    text = file.read_text()
    found = {claim.id: claim.verdict for paper in read_results(audited) for claim in paper.claims}
    assert {**found, "libraries/opendp/laplace-threshold": "absent"} == REAL  # which shows the kept
    for name in REAL:
        paper = name.partition("/")[0].replace("_", r"\_")
        assert (f'id="{name}"' if style == "html" else f"| {paper} | ") in text
    claims = json.loads((audited / "verdicts.json").read_text())["claims"]
    assert {claim["id"]: claim["verdict"] for claim in claims} == REAL


def test_the_page_is_valid_html(page: str) -> None:
    html5lib = pytest.importorskip("html5lib", reason="html5lib is not installed")
    document = html5lib.HTMLParser(strict=True).parse(page)
    ids = [node.attrib["id"] for node in document.iter() if "id" in node.attrib]
    assert len(ids) == len(set(ids)) and not any(" " in name for name in ids)
    targets = re.findall(r'href="#([^"]+)"', page)
    assert set(targets) <= set(ids)


def test_nothing_is_loaded(page: str) -> None:
    addresses = re.findall(r'(?:href|src|action|data)="([^"]*)"', page)
    assert addresses and all(one.startswith(("#", "data:application/json")) for one in addresses)
    assert not re.search(r"https?:|url\(|@import|<link|<img|<iframe", page)


def test_a_survivor_is_not_green(page: str) -> None:
    colors = re.findall(r"--survived: #(\w\w)(\w\w)(\w\w)", page)
    assert len(colors) == 2  # light and dark
    assert all(int(blue, 16) >= int(green, 16) for _, green, blue in colors)


def test_texts_of_the_file_are_no_markup(results: Path) -> None:
    file = results / "verdicts.json"
    file.write_text(file.read_text().replace("nolib", "<i>lib</i>").replace("theorem-1", "a<b>1"))
    (results / "certificates" / "theorem-1.json").rename(results / "certificates" / "a<b>1.json")
    assert report(results) == 0
    page = results.with_name("out.html").read_text()
    assert "&lt;i&gt;lib" in page and "<i>lib" not in page and "a<b>1" not in page


@pytest.mark.parametrize(
    ("printed", "sign", "exact", "agrees"),
    [
        ("2.49E-15", "=", "2.4999e-15", True),  # within a unit of the last digit
        ("2.49E-15", "=", "2.5001e-15", False),
        ("0", "=", "0", True),
        ("0", "=", "1e-300", False),
        ("0.42", ">=", "0.1", True),  # the value may be larger than this bound
        ("0.42", "<=", "0.1", False),
        ("0.42", ">=", "0.5", False),
        ("0.42", "<=", "1/2", True),
    ],
)
def test_a_printed_cell_agrees_to_one_unit(
    printed: str, sign: Any, exact: str, *, agrees: bool
) -> None:
    row = row_of(Cell(printed, exact, sign, "epsilon=1/2"))
    assert row.agrees is agrees and row.at == "epsilon=1/2"
    assert ("<u>" in row.exact) is not agrees


def test_a_kept_verdict_is_marked_with_its_version(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "paper"
    (home / "certificates").mkdir(parents=True)
    (home / "certificates" / "nobody2000.step-7.json").write_bytes(TRUE)
    reading = {"verdict": "refuted", "witness": "n=5", "falls": "result", "evidence": ""}
    kept = {"verdict": "refuted", "about": "nolib==1.0", "readings": {"": reading}}
    document = {"format": "exactdp-inventory/5", "claims": {"nobody2000/step-7": kept}}
    (home / "inventory.json").write_text(json.dumps(document))
    source = Source("nobody2000", "Nobody: Nothing", tuple, str(home))
    monkeypatch.setattr("exactdp.report.reading.installed_paper", lambda key: source)
    assert report(results) == 0
    page = results.with_name("out.html").read_text()
    claim = page[page.index('id="nobody2000/step-7"') :].partition("</article>")[0]
    assert 'data-verdict="refuted"' in claim and "kept, nolib==1.0" in claim
    assert "kept with the paper" in claim and "<b>accepted</b>" in claim
    assert "1 claim is about libraries that were not installed" in page


def test_the_steps_of_an_argument_say_how_each_is_established(page: str) -> None:
    claim = page[page.index('id="nobody2000/step-4"') :].partition("</article>")[0]
    for how, text in (
        ("checked by the engine", "1 &lt; 2"),
        ("in words", "so it is"),
        ("by claim", '<a href="#nobody2000/lemma/2">nobody2000/lemma/2</a>: as there'),
        ("Coq", "merging"),
    ):
        assert f'<span class="how">{how}</span> {text}</li>' in claim


def test_a_witness_a_formula_and_what_was_tried_are_set(page: str) -> None:
    claim = page[page.index('id="nobody2000/theorem-1"') :].partition("</article>")[0]
    assert "n = 2, e<sup>ε<sub>0</sub></sup> = 4</dd>" in claim
    assert "for all n: D<sub>e<sup>ε</sup></sub>(F) ≤ 1/8" in claim
    assert "claimed 0.125, true 0.25: a factor of 2</dd>" in claim
    assert "3 instances; smallest claimed/true 1.5 at n=4" in page


def test_the_most_serious_thing_that_falls_comes_first(results: Path) -> None:
    file = results / "verdicts.json"
    document = json.loads(file.read_text())
    claim = document["claims"][-1]
    claim["readings"], claim["hypothetical"] = dict.fromkeys("ab", "refuted"), []
    claim["evidence"]["b"] |= {"falls": "result", "verdict": "refuted"}
    file.write_text(json.dumps(document))
    [paper] = read_results(results)
    assert paper.claims[-1].falls == ["result", "misprint"]
    assert falls_in_words(paper).startswith("2 errors behind 2 results.")
    claim["hypothetical"], claim["asked_by_us"] = ["b"], ["a"]
    claim["evidence"]["a"]["cause"] = "nobody2000/log"
    file.write_text(json.dumps(document))
    [paper] = read_results(results)
    assert paper.claims[-1].falls == []
    assert falls_in_words(paper).startswith("1 error behind 1 result.")


def test_the_kernel_is_asked_now(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = results / "certificates" / "theorem-1.json"
    file.write_bytes(TRUE.replace(b'"0x1/0x8"', b'"0x1/0x2"'))
    assert report(results) == 1
    assert "not accepted: certificates/theorem-1.json: conclusion 1" in capsys.readouterr().err
    page = results.with_name("out.html").read_text()
    assert "Python kernel: <b>not accepted</b>" in page and "<b>accepted</b>" not in page


def test_the_two_numbers_are_shown_if_the_kernel_has_computed_them(results: Path) -> None:
    [(_, reading), *_] = read_results(results)[0].readings
    certificate = reading.certificate
    assert certificate is not None and reading.sides is None  # not checked yet
    certificate.accepted, certificate.values = True, asked(TRUE).values
    pair = reading.compared
    assert pair is not None and pair.stated is not None and pair.stated.exact == "1/8"
    certificate.accepted = False
    assert reading.sides is None
    certificate.accepted = True
    sign, left, right = certificate.values[0]
    other = Decimal("0.126"), Decimal("0.127")
    for values in ((), (("<", left, right),), ((sign, left, other),)):
        certificate.values = values
        assert reading.sides is None
    certificate.values = ((sign, left, (Decimal("NaN"), Decimal("NaN"))),)
    assert reading.sides is None


def test_the_kernels_numbers_are_decimals_of_any_size() -> None:
    tiny = ["div", "0x1", ["pow", "0xa", "0x1388"]]
    relations = [["<", tiny, ["exp", "0x1/0x2"]], [">", ["exp", "-0x40000000"], "0x0"]]
    document = {"format": "exactdp-certificate/1", "claim": "", "conclusion": relations}
    (_, ten, root), (_, far, _) = asked(json.dumps(document).encode()).values
    assert ten == (Decimal("1e-5000"),) * 2
    assert root == (Decimal("1.64872127070012814684865078781"),) * 2
    assert far[0].adjusted() == -466320150


def test_what_does_not_fit_is_beside_the_page(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactdp.report.page.MOST_BYTES", 0)
    (results.parent / "pages").mkdir()
    file = results.parent / "pages" / "report.html"
    assert report(results, "--out", file) == 0
    [link] = re.findall(r'<a href="([^"#]+)" download', page := file.read_text())
    assert (file.parent / link).read_bytes() == TRUE and "beside this page" in page


def test_changes_since_a_baseline(results: Path, tmp_path: Path) -> None:
    old = json.loads((results / "verdicts.json").read_text())
    old["claims"][0]["verdict"] = "survived"
    del old["claims"][1]
    old["claims"].append(old["claims"][0] | {"id": "nobody2000/gone"})
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert report(results, "--baseline", tmp_path / "old.json") == 0
    page = results.with_name("out.html").read_text()
    assert "was <b>survived</b>, is <b>refuted</b>" in page
    assert "was <b>new</b>, is <b>proved</b>" in page
    assert "nobody2000/gone</code>: was <b>survived</b>, is <b>not in this run</b>" in page
    assert page.count('data-changed="yes"') == 2


@pytest.mark.parametrize("version", [2, 3])
def test_a_baseline_may_be_of_a_format_before(results: Path, tmp_path: Path, version: int) -> None:
    old = json.loads((results / "verdicts.json").read_text())
    old |= {"format": f"exactdp-verdicts/{version}"}
    old["claims"] = [claim | {"found": "as a line"} for claim in old["claims"]]
    (tmp_path / "old.json").write_text(json.dumps(old))
    assert report(results, "--baseline", tmp_path / "old.json") == 0
    assert "No verdict changed." in results.with_name("out.html").read_text()


def test_bounds_in_doubles_have_their_words_and_witnesses(page: str) -> None:
    assert "Published bounds in doubles (1 overflow, 1 holds)" in page
    row = re.search(r'<tr><th scope="row"><a href="#(.+?)">(.+?)</a></th>(.*)</tr>', page)
    assert row is not None and row.groups() == (
        "nobody2000/remark=3",
        "nobody2000/remark=3#near",
        "<td>overflow, below the truth</td><td>n=1, x&lt;2</td><td>0.0</td><td>1e-9</td>",
    )
    claim = page[page.index('id="nobody2000/remark=3"') :].partition("</article>")[0]
    assert "<span>in doubles: overflow, holds</span>" in claim
    says = "overflow at n=1, x&lt;2: 0.0 where the formula is 1e-9, and below the truth"
    assert f"<dt>In doubles, near</dt><dd>{says}</dd>" in claim
    assert "<dt>In doubles, far</dt><dd>holds</dd>" in claim
    assert page.count("<span>in doubles: ") == 1


def rewrite(folder: Path, before: str, after: str) -> None:
    file = folder / "verdicts.json"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))


def test_markdown(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(results, "--format", "markdown", "--out", "-") == 0
    text = capsys.readouterr().out
    assert "| nobody2000 | 9 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 |" in text
    row = next(line for line in text.splitlines() if line.startswith("| `nobody2000/theorem-1`"))
    assert "n=2, exp\\_epsilon0=4" in row and "`theorem-1.json`, accepted" in row
    assert len({line.count(" | ") for line in text.splitlines() if "theorem-1" in line}) == 1
    assert "Published bounds in doubles: 1 overflow, 1 holds." in text
    near = "| `nobody2000/remark=3#near` | overflow, below the truth | n=1, x\\<2 | 0.0 | 1e-9 |"
    far = "| `nobody2000/remark=3#far` | holds |  |  |  |"
    assert {near, far} <= set(text.splitlines())


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "verdicts.json").unlink(), "cannot be read"),
        (lambda f: (f / "verdicts.json").write_text("[1]"), "is not a file of verdicts"),
        (lambda f: (f / "verdicts.json").write_text('{"format": "x/9", "claims": []}'), "'x/9'"),
        (
            lambda f: (f / "verdicts.json").write_text(
                '{"format": "exactdp-verdicts/4", "claims": [{"id": "a/b"}]}'
            ),
            "missing required field `says`",
        ),
        (
            lambda f: rewrite(f, "exactdp-verdicts/5", "exactdp-verdicts/2"),
            "'exactdp-verdicts/2' - at `$.format`. Run the audit again.",
        ),
        (lambda f: rewrite(f, '"0.125"', '"no number"'), "are not numbers"),
        (lambda f: (f / "certificates" / "theorem-1.json").unlink(), "cannot be read"),
        (
            lambda f: (f / "certificates" / "theorem-1.json").write_text("{}"),
            "is not a certificate",
        ),
    ],
)
def test_bad_input(results: Path, spoil, message, capsys: pytest.CaptureFixture[str]) -> None:
    spoil(results)
    assert report(results) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and message in line
    assert not results.with_name("out.html").exists()


def test_without_jinja2(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("exactdp.cli.report.find_spec", lambda name: None)
    assert report(results) == 2
    assert capsys.readouterr().err.endswith("Install exactdp[report].\n")
    assert report(results, "--format", "markdown") == 0


def test_what_is_not_a_report_is_not_replaced(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("my page")
    assert report(results, "--out", mine) == 2
    assert "was not written by exactdp" in capsys.readouterr().err
    assert mine.read_text() == "my page"
    assert report(results) == 0 and report(results) == 0  # but a report is
    assert report(tmp_path / "nowhere") == 2
