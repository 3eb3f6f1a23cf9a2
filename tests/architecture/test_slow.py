"""The list of tests that the default run leaves out names existing ones."""

import re
from pathlib import Path

import pytest

from tests import slow

ROOT = Path(__file__).parents[2]


def test_each_name_is_that_of_a_test():
    names = slow.FILE.read_text(encoding="utf-8").splitlines()
    assert names == sorted(set(names))
    for name in names:
        file, function = re.fullmatch(r"([^:]+)::(test_\w+)(?:\[.*\])?", name).groups()
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), name


@pytest.mark.parametrize(
    ("cases", "found"),
    [
        ([("t", 0.5)], {"tests/a.py::t"}),
        ([("t[1]", 0.1), ("t[2]", 1.2), ("t[3]", 0.1), *(("t[4]", 0),) * 9], {"tests/a.py::t[2]"}),
        ([("t[1]", 1.2), ("t[2]", 1.2)], {"tests/a.py::t"}),
        ([("t", 0.2)], set()),
    ],
)
def test_slow_is_what_takes_long_on_average_or_alone(tmp_path, cases, found):
    lines = [f'<testcase classname="tests.a" name="{name}" time="{t}"/>' for name, t in cases]
    lines += ['<testcase classname="tests.a" name="u" time="9"><skipped/></testcase>']
    lines += ['<testcase classname="exactdp.a" name="exactdp.a" time="9"/>']
    file = tmp_path / "junit.xml"
    file.write_text(f"<testsuite>{''.join(lines)}</testsuite>")
    assert slow.measured(file) == found
