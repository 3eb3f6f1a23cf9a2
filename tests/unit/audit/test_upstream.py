"""The newest release's verdict on a finding is read from the kept table."""

from __future__ import annotations

from pathlib import Path

import pytest

from exactdp.audit.history import upstream
from exactdp.claims import Claim, Source, Statement, at_most, cases, for_all

TABLE = """\
| library | kept | newest | new | fixed | still so | not asked |
|---|---|---|---|---|---|---|
| mine | 1.0 | 2.0 |  | `mine/one` (a) | `mine/one` (b), `mine/two` | `mine/three` (a) |
"""


def claim(name: str, about: str | None = "mine==1.0") -> Claim:
    holds: Statement = for_all(cases(n=(1,)), lambda n: at_most(n, 1))
    return Claim(f"libraries/mine/{name}", "s", Source("mine", "x"), {"": holds}, about=about)


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [
        ("one", "a", "mended in 2.0"),
        ("one", "b", "still so in 2.0"),
        ("two", "", "still so in 2.0"),
        ("three", "a", "not asked in 2.0"),
        ("four", "a", ""),
        ("one", "c", ""),
    ],
)
def test_the_words_are_those_of_the_row(tmp_path: Path, name: str, key: str, words: str) -> None:
    (tmp_path / "HISTORY.md").write_text(TABLE, encoding="utf-8")
    assert upstream(tmp_path, claim(name), key) == words


def test_where_nothing_is_kept_nothing_is_said(tmp_path: Path) -> None:
    assert upstream(tmp_path, claim("one"), "a") == ""
    assert upstream(tmp_path, claim("one", None), "a") == ""
