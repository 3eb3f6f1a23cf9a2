"""Tables: no wider than where they are printed, names whole, verdicts in color on a terminal."""

import io

import pytest
from rich.console import Console

from exactdp.cli import tables

ID = "biswas2023/section-V-C1/decreasing-in-n"
ROWS = [[ID, "refuted", "word " * 60], ["other/claim", "proved", "x" * 150]]


def printed(monkeypatch, width, *, terminal):
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        highlight=False,
    )
    monkeypatch.setattr(tables, "console", lambda: console)
    tables.print_table(["claim", "verdict", "found"], ROWS)
    return out.getvalue()


@pytest.mark.parametrize("width", [45, 80, 100, 140])
def test_rows_fold_within_the_width_and_names_stay_whole(monkeypatch, width):
    text = printed(monkeypatch, width, terminal=False)
    assert ID in text and text.count("x") == 150 and text.count("word") == 60
    assert max(map(len, text.splitlines())) <= width


def test_a_name_longer_than_the_terminal_is_not_broken(monkeypatch):
    assert ID in printed(monkeypatch, 20, terminal=False)


def test_verdicts_are_colored_on_a_terminal_only(monkeypatch):
    assert "\x1b[31mrefuted\x1b[0m" in printed(monkeypatch, 60, terminal=True)
    assert "\x1b" not in printed(monkeypatch, 60, terminal=False)


def test_a_pipe_has_one_hundred_columns_or_as_many_as_are_asked_for(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert tables.console().width == 100 or tables.console().is_terminal
    monkeypatch.setenv("COLUMNS", "72")
    assert tables.console().width == 72


WIDE = ["name", "says", "is", "digits", "seconds"]
LINE = ["n" * 25, "s" * 20, "right", "12.3", ""]


@pytest.mark.parametrize("width", [40, 78, 79, 200])
def test_a_row_that_fits_is_in_a_table_and_else_says_which_is_which(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    tables.print_table(WIDE, [LINE])
    lines = capsys.readouterr().out.splitlines()
    used = max(map(len, lines))
    natural = sum(len(max(pair, key=len)) for pair in zip(WIDE, LINE, strict=True)) + 3 * 5 + 1
    is_table = lines[0] != LINE[0]
    assert used <= width and is_table is (width >= natural)
    if not is_table:
        assert " ".join("".join(lines[1:]).split()) == f"says {LINE[1]}; is right; digits 12.3"
