"""Who does the jobs of a run, within which limits, and what a person sees meanwhile."""

import io
import os
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor

import pytest

from exactdp.errors import DomainError, StoppedError
from exactdp.execution import Limits, progress, side_by_side


@pytest.mark.skipif(sys.platform != "linux", reason="needs a terminal of its own")
def test_a_terminal_shows_that_a_calculation_goes_on():
    import pty

    program = "from exactdp.execution import Limits, alone, side_by_side\nimport time\n"
    program += "alone(time.sleep, 0.5, limits=Limits(seconds=9))\n"
    program += "side_by_side(time.sleep, [0.2, 0.01, 0.01], workers=1, name=lambda s: f'job {s}')"
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", program], stderr=theirs, check=True)
    os.close(theirs)
    said = os.read(ours, 10**5).decode()
    assert (
        "calculating, at most 9 s of processor time" in said
        and "job 0.2" in said
        and "a second, 0 s left" in said
    )
    os.close(ours)


def sleep_or_raise(seconds):
    while seconds > 1:
        pass
    return seconds / (1 - seconds)


def test_an_executor_gives_the_same_within_the_same_limits():
    jobs, limits = [i / 10**4 for i in range(1_001)], Limits(seconds=1)
    with ThreadPoolExecutor(2) as executor:
        found = side_by_side(sleep_or_raise, jobs, executor=executor, limits=limits)
        assert found == side_by_side(sleep_or_raise, jobs, workers=1)
        with pytest.raises(StoppedError, match="more than 1 s"):
            side_by_side(sleep_or_raise, [60], executor=executor, limits=limits)
        with pytest.raises(ZeroDivisionError):
            side_by_side(sleep_or_raise, [1, 0], executor=executor, limits=limits)


class Broken(ThreadPoolExecutor):
    def submit(self, *_):
        future = Future()
        future.set_exception(BrokenExecutor("its machine is gone"))
        return future


def test_what_an_executor_lacks_is_one_line(monkeypatch):
    with pytest.raises(DomainError, match=r"executor failed \(BrokenExecutor its machine is gone"):
        side_by_side(abs, [1], executor=Broken())
    with ThreadPoolExecutor(1) as executor:
        monkeypatch.setenv("EXACTDP_PYTHONS", "autodp=/nowhere/python")
        with pytest.raises(DomainError, match="has no --python=autodp=/nowhere/python"):
            side_by_side(abs, [1], executor=executor)
        codes = iter("ab")
        monkeypatch.setattr("exactdp.execution.executor.code_of", lambda _: next(codes))
        with pytest.raises(DomainError, match="has other versions of exactdp"):
            side_by_side(abs, [1], executor=executor)


def test_a_log_has_a_line_now_and_then(monkeypatch):
    now, log = [0.0], io.StringIO()
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", log)
    with progress.Progress(1_000, done=500) as told:
        for i in range(500):
            now[0] += 29 / 500 if i < 250 else 4
            told.advance("a job")
    lines = log.getvalue().splitlines()
    assert lines[0] == "754 of 1000 (75 %), 8.33 a second, 30 s left"
    assert len(lines) == 3 and lines[-1].startswith("954 of 1000 (95 %)")
    assert lines[1].endswith("s left")
    log.truncate(0)
    with progress.Progress(500) as told:
        for _ in range(500):
            now[0] += 29 / 500
            told.advance("a job")
    assert not log.getvalue()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied there")
def test_workers_begin_with_what_is_loaded():
    program = "import sys, wave\nfrom exactdp.execution import side_by_side\n"
    program += "print(side_by_side(sys.modules.__contains__, ['wave', 'wave', ''], workers=2))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert found.stdout.split() == [b"[True,", b"True,", b"False]"]
