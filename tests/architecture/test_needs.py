"""Each test that needs a library which the README's command has not runs in a step of its own."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ASKS = re.compile(
    r"importorskip\(\s*\"(dp_accounting|opacus|prv_accountant)|find_spec\(\"opacus\""
    r"|not among EXACTDP_PYTHONS|label == Absent"
)
"""How tests ask for libraries that are not installed with ``exactdp[test]``."""


def test_each_test_that_needs_a_library_is_in_a_step() -> None:
    steps = "".join((ROOT / ".ci" / name).read_text() for name in ("run", "others", "libraries"))
    asking = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if "benchmarks" not in path.parts
        and path != Path(__file__)
        and ASKS.search(path.read_text())
    ]
    assert len(asking) >= 6
    assert [name for name in asking if name not in steps] == []
