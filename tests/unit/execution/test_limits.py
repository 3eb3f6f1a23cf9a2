"""An unforeseen event ends a calculation in one line, and no other one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exactdp.errors import StoppedError
from exactdp.execution import Limits, alone, side_by_side
from exactdp.execution.workers import KilledError, Worker


def misbehaves(how):
    match how:
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            while True:
                pass
        case "wait":
            time.sleep(60)
        case "memory":
            return len(b"1" * 10**10)
        case "native memory":
            from flint import fmpz

            return fmpz(2) ** (10**11)
        case "exit":
            os._exit(7)
    return how


ENDS = {
    "crash": "ended with SIGSEGV, an error in exactdp or beneath it. Please report it",
    "hang": "took more than 0.3 s of processor time. Raise --time-limit",
    "wait": "took more than 3 s by the clock. Raise --time-limit",
    "memory": "needs more memory than 1 GB",
    "native memory": "needs more memory than 1 GB",
    "exit": "ended with exit code 7",
}


@pytest.mark.parametrize("how", ENDS)
def test_what_stops_a_calculation_is_one_line(how):
    with pytest.raises(StoppedError) as caught:
        seconds = 0.3 if how in ("hang", "wait") else 60
        alone(misbehaves, how, limits=Limits(seconds=seconds, memory=10**9))
    assert ENDS[how] in str(caught.value) and "\n" not in str(caught.value)


def test_what_stops_one_job_is_that_jobs_error():
    jobs = ["first", "crash", "hang", "exit", "last"]
    found = side_by_side(
        misbehaves,
        jobs,
        workers=1,
        limits=Limits(seconds=0.3, memory=10**9),
        stopped=lambda job, error: f"{job}: {error}",
    )
    assert (found[0], found[-1]) == ("first", "last")
    assert all(ENDS[job] in text for job, text in zip(jobs[1:4], found[1:4], strict=True))


def works(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


@pytest.mark.skipif(sys.platform != "linux", reason="children that share a processor")
def test_what_others_take_of_a_busy_machine_does_not_count():
    """Four calculations of 0.5 s on one processor take 2 s by the clock, and all are answered."""
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    try:
        jobs, start = [0.5, 0.51, 0.52, 0.53], time.monotonic()
        assert side_by_side(works, jobs, workers=4, limits=Limits(seconds=1)) == jobs
        assert time.monotonic() - start > 1.5
    finally:
        os.sched_setaffinity(0, processors)


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] not in "ZX"
    except OSError:
        return False


def answers(size):
    return os.getpid() if size == 0 else bytes(size)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux whether a process is stopped")
@pytest.mark.parametrize("moment", ["before it reads its job", "within its answer"])
def test_whenever_a_child_is_killed_that_is_what_is_said(moment):
    worker = Worker(answers, limits=Limits(seconds=60), fork=True)
    worker.begin(0)
    child = worker.answer()
    if moment == "within its answer":
        worker.begin(10**8)  # more than the system takes before it is read
        assert worker.connection.poll(60)
    else:
        os.kill(child, signal.SIGSTOP)
        while Path(f"/proc/{child}/stat").read_text().split()[2] != "T":
            time.sleep(0.001)
        worker.begin(1)
    os.kill(child, signal.SIGKILL)
    with pytest.raises(KilledError, match="was killed from outside"):
        worker.answer()
    worker.begin(1)
    assert worker.answer() == b"\0"
    worker.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux to end a child with its parent")
def test_a_killed_run_leaves_no_process():
    program = (
        "import os, sys, time\nfrom exactdp.execution import Limits, alone\n"
        "def sleeps(_):\n"
        "    os.write(int(sys.argv[1]), str(os.getpid()).encode())\n    time.sleep(60)\n"
        "alone(sleeps, 0, limits=Limits())"
    )
    read, write = os.pipe()
    command = [sys.executable, "-c", program, str(write)]
    parent = subprocess.Popen(command, pass_fds=[write])
    child = int(os.read(read, 20))
    parent.kill()
    parent.wait()
    os.close(read)
    os.close(write)
    until = time.monotonic() + 30
    while is_running(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(child)
