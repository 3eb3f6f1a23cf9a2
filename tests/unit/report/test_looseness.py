"""The plot of how loose bounds are: each bound at each setting, the best one named."""

from __future__ import annotations

import re
from math import log10
from pathlib import Path

import pytest
from msgspec import convert

from exactdp.report import Setting
from exactdp.report.page import html
from exactdp.report.plots import looseness_plot
from exactdp.report.reading import read_results
from proofs_check.looseness import kept

FIRST, SECOND = "nobody2000/remark=3", "a/b#c>1"
SETTINGS = convert(
    [
        {
            "at": {"n": "1e3", "epsilon0": "4"},
            "ratios": {
                FIRST: {"lower": "2", "upper": "8", "below_truth": None},
                SECOND: {"lower": "0.1", "upper": "0.1", "below_truth": "formula"},
            },
            "best": FIRST,
        },
        {
            "at": {"n": "1e5", "epsilon0": "4"},
            "ratios": {SECOND: {"lower": "4.8e143", "upper": "4.9e143"}},
            "best": None,
        },
    ],
    list[Setting],
)
GROUP = r'<g class="ratio (s\d)( best)?"><title>(.+?)</title><line x1="(.+?)%" x2="(.+?)%"'


def test_each_ratio_is_drawn_between_its_ends() -> None:
    plot = looseness_plot(SETTINGS, anchors={})
    found = {
        text: rest
        for *rest, text in ((m[1], m[2], m[4], m[5], m[3]) for m in re.finditer(GROUP, plot))
    }
    truth = float(re.search(r'class="truth" x1="(.+?)%"', plot)[1])  # type: ignore[index]
    ten = float(re.search(r'x="([\d.]+)%" y="12">10<', plot)[1])  # type: ignore[index]

    def x(ratio: float) -> float:
        return truth + (ten - truth) * log10(ratio)

    assert list(found) == [
        "a/b#c&gt;1: 0.1 to 0.1 times the truth (below the truth: its formula)",
        f"{FIRST}: 2 to 8 times the truth",
        "a/b#c&gt;1: 4.8e+143 to 4.9e+143 times the truth",
    ]
    below, best, beyond = found.values()
    assert (below[0], best[:2], beyond[0]) == ("s1", ["s0", " best"], "s1")
    assert below[1] is beyond[1] is None
    for (*_, low, high), ends in ((below, (0.1, 0.1)), (best, (2, 8)), (beyond, (100, 100))):
        assert (float(low), float(high)) == pytest.approx(tuple(map(x, ends)), abs=0.02)


def test_each_setting_names_its_best_bound() -> None:
    plot = looseness_plot(SETTINGS, anchors={FIRST: "there"})
    rows = re.findall(r'class="name">(.+?)</tspan><tspan class="values" dx="8">(.+?)<', plot)
    assert rows == [
        ("n = 1e3, ε0 = 4", f"best: {FIRST}, 2 to 8 times the truth"),
        ("n = 1e5, ε0 = 4", "none holds"),
    ]
    assert plot.count('<a href="#there">') == 1


def test_the_page_has_the_plot_of_bounds_that_it_has(results: Path) -> None:
    page = html(read_results(results), folder="x", command="", beside="x", looseness=SETTINGS)
    text = page.decode()
    assert "at 2 settings</summary>" in text and "How loose published bounds are" in text
    legend = text[text.index('<ul class="counts legend">') :].partition("</ul>")[0]
    assert re.findall(r'class="ratio (s\d)"', legend) == ["s0", "s1"]
    assert f'<a href="#{FIRST}"><code>{FIRST}</code></a>' in legend
    assert "<code>a/b#c&gt;1</code>" in legend
    others = [s for s in SETTINGS if FIRST not in s.ratios]
    page = html(read_results(results), folder="x", command="", beside="x", looseness=others)
    assert b'id="looseness"' not in page


def test_the_kept_settings_are_drawn_with_their_best_bounds() -> None:
    settings = convert(kept(), list[Setting])
    assert len(settings) == 27
    plot = looseness_plot(settings, anchors={})
    assert plot.count('<g class="ratio ') == sum(len(one.ratios) for one in settings)
    assert plot.count(' best">') == sum(one.best is not None for one in settings) > 20
    for one in settings:
        # A bound that somebody may use is not below the truth.
        assert one.best is None or one.ratios[one.best].below_truth is None
