"""The page in a browser: no errors, nothing loaded, filters, anchors, phone and print."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.report.browser import CHROMIUM, Browser
from tests.unit.report.test_report import report

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.fixture
def url(results: Path) -> str:
    assert report(results) == 0
    return results.with_name("out.html").as_uri()


SHOWN = "[...document.querySelectorAll('.claim')].filter(c => !c.hidden).map(c => c.id.slice(11))"


def test_nothing_is_loaded_and_nothing_overflows(browser: Browser, url: str) -> None:
    for width in (390, 1280):
        for dark in (False, True):
            browser.open(url, width=width, dark=dark)
            browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
            assert browser.value("document.documentElement.scrollWidth") <= width
            assert browser.errors() == [] and browser.requests() == [url]


def test_filters(browser: Browser, url: str) -> None:
    browser.open(url)
    everything = browser.value(SHOWN)

    def choose(name: str, value: str) -> None:
        browser.value(f"document.querySelector('[name={name}][value={value}]').click()")

    choose("verdict", "refuted")
    assert browser.value(SHOWN) == ["theorem-1"]
    choose("verdict", "proved")
    assert browser.value(SHOWN) == ["theorem-1", "lemma/2"]
    assert browser.value("shown.textContent") == "2 of 9 claims shown"
    browser.value("document.querySelector('[type=reset]').click()")
    browser.value("new Promise(done => setTimeout(done))")
    assert browser.value(SHOWN) == everything
    choose("falls", "misprint")
    assert browser.value(SHOWN) == []  # of a hypothetical reading, which is counted nowhere
    choose("falls", "result")
    assert browser.value(SHOWN) == ["theorem-1"]
    choose("falls", "misprint")
    choose("falls", "result")
    search = "(t => { t.value = 'NOLIB'; t.dispatchEvent(new Event('input', {bubbles: true})) })"
    browser.value(f"{search}(document.querySelector('[name=text]'))")
    assert browser.value(SHOWN) == ["step-7"]
    browser.value(f"{search.replace('NOLIB', 'xyzzy')}(document.querySelector('[name=text]'))")
    assert browser.value("getComputedStyle(none).display") == "block"


def test_an_anchor_opens_its_claim(browser: Browser, url: str) -> None:
    browser.open(f"{url}#nobody2000/remark=3")
    opened = "[...document.querySelectorAll('.claim > details[open]')].map(d => d.parentNode.id)"
    assert browser.value(opened) == ["nobody2000/remark=3"]
    browser.value("document.querySelector('[href=\"#nobody2000/lemma/2\"]').click()")
    browser.value("new Promise(done => setTimeout(done, 50))")
    assert "nobody2000/lemma/2" in browser.value(opened)


def test_the_certificate_inside_is_the_file(browser: Browser, url: str, results: Path) -> None:
    browser.open(url)
    text = browser.value("fetch(document.querySelector('[download]').href).then(r => r.text())")
    assert text.encode() == (results / "certificates" / "theorem-1.json").read_bytes()


def test_everything_can_be_reached_by_keyboard(browser: Browser, url: str) -> None:
    browser.open(url)
    browser.do("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
    assert browser.value("document.activeElement.textContent") == "Skip to the claims"
    browser.value("document.querySelector('.claim summary').focus()")
    key = {"key": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    browser.do("Input.dispatchKeyEvent", type="keyDown", **key)
    assert browser.value("document.querySelector('.claim details').open") is True
