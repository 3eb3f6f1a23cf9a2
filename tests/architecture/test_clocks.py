"""An answer is a function of its arguments: no clock, signal or timeout where answers are made."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2] / "exactdp"

MAY = ("execution", "cli", "report")
"""Rooms that run commands and show results."""

CLOCKS = {"time", "datetime", "signal", "sched", "timeit", "resource", "threading"}
"""Modules that tell the time, or act when it is over."""

CALLS = {"setitimer", "alarm", "perf_counter", "monotonic", "process_time", "thread_time"}
WAITS = {"timeout", "deadline"}
"""Arguments by which a call ends when a time is over."""

SHOWN = {
    "audit/run.py": "prints how long a claim took",
    "compare/findings.py": "asks libraries side by side, and waits for all of them",
}


def is_none(keyword):
    return isinstance(keyword.value, ast.Constant) and keyword.value.value is None


def read(source):
    """Return what a source reads of clocks, signals and timeouts."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found += [one.name for one in names if one.name.split(".")[0] in CLOCKS]
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in CLOCKS:
                found.append(module)
            case ast.Call(func=ast.Attribute(attr=name)) if name in CALLS:
                found.append(name)
            case ast.Call(keywords=keywords):
                found += [one.arg for one in keywords if one.arg in WAITS and not is_none(one)]
    return found


def test_no_answer_reads_a_clock_a_signal_or_a_timeout():
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT)
        if place.parts[0] not in MAY and (used := read(path.read_text())):
            found[place.as_posix()] = used
    assert set(found) == set(SHOWN), found


def test_clocks_are_seen_however_they_are_read():
    for source in (
        "import time",
        "from time import monotonic",
        "import signal as s",
        "from datetime import datetime",
        "import os\nos.setitimer()",
        "done.wait(timeout=3)",
        "from threading import Timer",
    ):
        assert read(source), source
    assert not read("settings(deadline=None)")
