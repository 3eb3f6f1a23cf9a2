"""Timing with a promised limit."""

import pytest


@pytest.fixture
def timed(benchmark):
    """Return a function that times another: the best of its rounds is within the limit."""

    def run(function, *, seconds, rounds=5):
        result = benchmark.pedantic(function, rounds=rounds, warmup_rounds=rounds > 1)
        assert benchmark.stats.stats.min < seconds
        return result

    return run
