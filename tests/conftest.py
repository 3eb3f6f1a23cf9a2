"""The two ways to run: the default is deterministic, ``--deep`` explores."""

import gc
from pathlib import Path

import flint
import pytest
from hypothesis import Phase, find, settings
from hypothesis.strategies import none

SLOW = Path(__file__).with_name("slow.txt")
# To explain a failure, hypothesis traces every line while it shrinks, and ``find`` shrinks
# where nothing fails.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
settings.register_profile("exactdp-default", derandomize=True, deadline=None, phases=PHASES)
settings.register_profile("exactdp-deep", deadline=None, max_examples=2_000, phases=PHASES)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--deep",
        action="store_true",
        help="try all claims; draw new examples at every run, many where a test sets no number",
    )
    parser.addoption("--slow", action="store_true", help="run what tests/slow.txt names, too")
    parser.addoption("--coq", action="store_true", help="test the second checker, in two minutes")
    parser.addoption("--cluster", action="store_true", help="test runs on a Dask scheduler")
    parser.addoption("--host-source", metavar="PATH", help="a checkout of dp-accounting's source")
    parser.addoption("--ran", metavar="FILE", help="append which tests ran and which were skipped")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--deep"):
        config.option.timeout = 0  # none: some explore for long
    # Before the test modules: settings(...) takes what it does not say from the profile.
    settings.load_profile("exactdp-deep" if config.getoption("--deep") else "exactdp-default")
    # Exact arithmetic makes no circles, nor does collection many; hypothesis keeps time of
    # every run of the garbage collector.
    gc.set_threshold(100_000)
    file = config.getoption("--ran")
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Ran(Path(file)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow") or config.getoption("--deep") or not SLOW.exists():
        return
    # What is asked for by its name runs, however slow.
    names = {*SLOW.read_text(encoding="utf-8").splitlines()}.difference(config.args)
    left_out = pytest.mark.skip(reason="it is slow: it runs with --slow, in .ci/deep")
    for item in items:
        if not names.isdisjoint((item.nodeid, item.nodeid.partition("[")[0])):
            item.add_marker(left_out)


def pytest_collection_finish() -> None:
    # Thousands of tests and modules stay to the end: the garbage collector need not walk them.
    # Some versions of hypothesis look for their random numbers among what it walks, at the
    # first draw: that is here.
    find(none(), lambda drawn: True)
    gc.collect()
    gc.freeze()


@pytest.fixture
def precision_is_left_alone():
    """What the test does leaves FLINT's precision as it was."""
    before = flint.ctx.prec
    yield
    assert flint.ctx.prec == before


class Ran:
    """Appends a line a test: ran or skipped, its name, and the reason; `.ci/run` joins its steps.

    A module that is skipped whole has run if one of its tests has.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lines: dict[str, None] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_sessionfinish(self) -> None:
        with self._file.open("a", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in self._lines)

    def _note(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple):
            _, _, reason = report.longrepr
            self._lines[f"skipped\t{report.nodeid}\t{reason.removeprefix('Skipped: ')}"] = None
        elif getattr(report, "when", None) == "call":
            for name in (report.nodeid, report.nodeid.partition("::")[0]):
                self._lines[f"ran\t{name}"] = None
