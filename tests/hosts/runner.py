"""The unit tests of accounting libraries, with this library's accountants in the place of theirs.

    python -m tests.hosts.runner dp-accounting [--host-source PATH]
    python -m tests.hosts.runner opacus

The tests are read from the installed package, or from a checkout of its source; none is copied.
It prints a line of JSON for each test: its name, whether it passed, and why not.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import unittest
from pathlib import Path
from typing import Any

import hypothesis

PHASES = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
"""The phases of hypothesis: a failure is not made smaller, as it is looked up by its test."""


class Outcome(unittest.TestResult):
    """Notes each test that ran, and the last line of what went wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str | None] = {}

    def _note(self, test: unittest.TestCase, why: str | None) -> None:
        name = f"{type(test).__name__}.{test._testMethodName}"
        self.found[name] = self.found.get(name) or why

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802 # unittest's name
        super().addSuccess(test)
        self._note(test, None)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self._note(test, _said(err))

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self._note(test, _said(err))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, _said(err))


def _said(err: Any) -> str:
    kind, value, _ = err
    return f"{kind.__name__}: {value}".replace("\n", " ")[:400]


def _dp_accounting() -> list[Any]:
    """Return the suites of dp-accounting, whose two accountants are replaced."""
    from exactdp.accounting import dp_accounting as ours

    for room, theirs, kind in (
        ("pld", "PLDAccountant", ours.Accountant),
        ("rdp", "RdpAccountant", ours.RdpAccountant),
    ):
        module = importlib.import_module(f"dp_accounting.{room}.{room}_privacy_accountant")
        setattr(module, theirs, type(theirs, (kind,), PUBLIC | {"__init__": _narrow(kind)}))
    return [
        importlib.import_module(f"dp_accounting.{room}.{room}_privacy_accountant_test")
        for room in ("pld", "rdp")
    ]


def _opacus() -> list[Any]:
    """Return the suite of opacus, whose three accountants are replaced."""
    from exactdp.compare.adapters.opacus import ACCOUNTANTS

    # It draws noise multipliers, each of which is sought with many answers.
    usual = hypothesis.settings
    usual.register_profile("few", max_examples=2, derandomize=True, database=None, phases=PHASES)
    usual.load_profile("few")
    hypothesis.settings = lambda **given: usual(**given | {"deadline": None})  # a busy machine
    exec(ACCOUNTANTS[0].before.partition("from opacus")[0])  # without torch, if it is missing
    from exactdp.accounting.opacus import Accountant

    registry = importlib.import_module("opacus.accountants.registry")
    suite = importlib.import_module("opacus.tests.accountants_test")
    hypothesis.settings = usual  # type: ignore[misc]
    for theirs in ("RDPAccountant", "GaussianAccountant", "PRVAccountant"):
        name = getattr(suite, theirs).mechanism()
        ours = type(theirs, (Accountant,), {"mechanism": classmethod(lambda cls, name=name: name)})
        setattr(suite, theirs, ours)
        registry._ACCOUNTANTS[name] = ours
    return [suite]


PUBLIC = {
    "_rdp": property(lambda one: one.rdp),
    "_orders": property(lambda one: one.orders),
    "_contains_non_dp_event": property(lambda one: one.get_delta(float("inf")) == 1),
}
"""Private names that the tests read, by what is public there and here."""

WIDTH = "1e-8"
"""The relative width of answers: the tests compare to so many digits, or fewer."""


def _narrow(kind: Any) -> Any:
    return lambda one, *given, **named: kind.__init__(one, *given, relative_width=WIDTH, **named)


HOSTS = {"dp-accounting": _dp_accounting, "opacus": _opacus}


def run(host: str, part: str = "") -> dict[str, str | None]:
    """Return the tests of a host that ran, each with what went wrong, or None.

    Args:
        host: Its name.
        part: A part of the names of the tests that are run.
    """
    result = Outcome()
    for module in HOSTS[host]():
        for case in unittest.defaultTestLoader.loadTestsFromModule(module):
            unittest.TestSuite(one for one in case if part in one.id()).run(result)
    return result.found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("host", choices=HOSTS)
    parser.add_argument("--host-source", type=Path, help="a checkout, whose package is tested")
    parser.add_argument("--folder", type=Path, help="where packages are that are not installed")
    parser.add_argument("--part", default="", help="a part of the names of tests that are run")
    given = parser.parse_args()
    if given.host_source is not None:
        found = next(given.host_source.glob(f"**/{given.host.replace('-', '_')}/__init__.py"), None)
        if found is None:
            sys.exit(f"--host-source {given.host_source} has no package {given.host}.")
        sys.path.insert(0, str(found.parents[1]))
    if given.folder is not None:
        sys.path.append(str(given.folder))
    for name, why in run(given.host, given.part).items():
        print(json.dumps({"test": name, "why": why}))


if __name__ == "__main__":
    main()
