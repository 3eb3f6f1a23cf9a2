"""The two ways to run: the default is deterministic, ``--deep`` explores."""

import gc

import pytest
from hypothesis import Phase, settings

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
    parser.addoption("--coq", action="store_true", help="test the second checker, in two minutes")
    parser.addoption("--cluster", action="store_true", help="test runs on a Dask scheduler")


def pytest_configure(config: pytest.Config) -> None:
    # Before the test modules: settings(...) takes what it does not say from the profile.
    settings.load_profile("exactdp-deep" if config.getoption("--deep") else "exactdp-default")
    # Exact arithmetic makes no circles, nor does collection many; hypothesis keeps time of
    # every run of the garbage collector.
    gc.set_threshold(100_000)


def pytest_collection_finish() -> None:
    # Thousands of tests and modules stay to the end: the garbage collector need not walk them.
    gc.collect()
    gc.freeze()
