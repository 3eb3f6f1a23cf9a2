"""Which tests are slow: those of ``slow.txt``, which the default run leaves out.

``python -m pytest --slow --junitxml FILE``, then ``python -m tests.slow FILE`` writes it anew: test
functions whose cases take more than some tenths of a second on average, and single cases of others
that take more than a second.
"""

import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

FILE = Path(__file__).with_name("slow.txt")
ON_AVERAGE, ALONE = 0.25, 0.6
"""Seconds of a function's cases on average, and of a single case, above which it is slow."""

NEVER = (
    "exactdp/",
    "proofs_check/",
    "tests/architecture/test_tools.py",
    "tests/catalog/test_findings.py",
)
"""What every run asks, however long it takes: examples of docstrings, style, what is found."""


def measured(junit: Path) -> set[str]:
    """Return what is slow in a run that wrote an XML file of JUnit's kind."""
    cases: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for case in ElementTree.parse(junit).iter("testcase"):
        if case.find("skipped") is None:
            file, name = case.attrib["classname"].replace(".", "/"), case.attrib["name"]
            nodeid = f"{file}.py::{name}"
            if nodeid.startswith(NEVER):
                continue
            cases[nodeid.partition("[")[0]].append((float(case.attrib["time"]), nodeid))
    found = set()
    for function, times in cases.items():
        if sum(seconds for seconds, _ in times) > ON_AVERAGE * len(times):
            found.add(function)
        else:
            found |= {nodeid for seconds, nodeid in times if seconds > ALONE}
    return found


if __name__ == "__main__":
    lines = sorted(measured(Path(sys.argv[1])))
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(lines)} slow tests are kept in {FILE.name}")
