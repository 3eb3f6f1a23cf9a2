"""A process for calculations that may take too long, fill the memory, or crash.

FLINT and GMP end their process where they get no memory, and hear no interrupt. Calculations with
a stranger's numbers therefore run in a :class:`Worker`: a child with a limit of memory, which the
system ends at its limit of processor time: what other processes take of a busy machine does not
count. Its death is one line of its parent's (:class:`StoppedError`), never the parent's own. It
dies with its parent too.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import mkstemp
from time import monotonic
from typing import Any, Generic, TypeVar

from exactdp.errors import ExactDPError, StoppedError

__all__ = ["KilledError", "Limits", "Worker"]

Job = TypeVar("Job")
Result = TypeVar("Result")

_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""

_HAS_TIMERS = hasattr(signal, "setitimer")
"""Whether the system counts processor time; elsewhere the clock on the wall has to do."""

_PATIENCE, _IDLE = (10 if _HAS_TIMERS else 1), 1e-3
"""A job that in ten times its seconds by the clock has taken less than this part of it as processor
time waits for something that does not come; one on a busy machine takes more."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The time and memory that one job may take; None for no limit.

    Attributes:
        seconds: Processor time; a job that only waits has ten times as long by the clock.
        memory: Bytes beyond those of the process before it begins.
    """

    seconds: float | None = None
    memory: int | None = None


class KilledError(StoppedError):
    """A child process was killed from outside: nothing is known of its job."""


class Worker(Generic[Job, Result]):
    """A child process that answers one job at a time; one that was stopped is replaced.

    Args:
        function: The function of a job. Without ``fork`` it must be importable by name.
        limits: The limits of each job.
        fork: Whether the next child begins as a copy of this process, which is quick. If not, it
            starts from the same state everywhere, as it must where processes cannot be copied.
    """

    def __init__(
        self, function: Callable[[Job], Result], *, limits: Limits, fork: bool = False
    ) -> None:
        self._function, self._limits, self.fork = function, limits, fork
        self._process: Any = None
        self.connection: Connection | None = None
        self.deadline: float | None = None
        self._used = 0.0

    def begin(self, job: Job) -> None:
        """Start a job; its answer is ready once ``connection`` is."""
        self.start()
        assert self.connection is not None
        seconds = self._limits.seconds
        self.deadline = None if seconds is None else monotonic() + _PATIENCE * seconds
        self._used = self._processor_time()
        with suppress(ConnectionError):  # it died, which its answer says
            self.connection.send(job)

    def answer(self) -> Result:
        """Return the result of the job; wait for it no longer than its limit.

        Raises:
            StoppedError: If the job took too long or too much memory, or crashed; KilledError
                if somebody killed it.
            Exception: What the job raised.
        """
        assert self.connection is not None
        try:
            while not self.connection.poll(self._left()):
                if not self.is_late():
                    continue
                self.stop()
                raise _late(self._limits.seconds, "by the clock" if _HAS_TIMERS else "")
            result, error = self.connection.recv()
        except (EOFError, OSError):  # an OSError where it had not read its job, or wrote half
            raise self._crash() from None
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def is_late(self) -> bool:
        """Return whether the job waits for ever; the deadline of one that works is put off."""
        seconds = self._limits.seconds
        if seconds is None or self.deadline is None or self._left() != 0:
            return False
        used = self._processor_time()
        if used - self._used < _IDLE * _PATIENCE * seconds:
            return True
        self._used, self.deadline = used, monotonic() + _PATIENCE * seconds
        return False

    def _left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())

    def _processor_time(self) -> float:
        """Return the child's processor time so far; 0 where the system does not say it."""
        if self._process is None or sys.platform != "linux":
            return 0.0
        with suppress(OSError):  # it has ended
            return time.clock_gettime((~self._process.pid << 3) | 2)  # CPUCLOCK_SCHED of a process
        return 0.0

    def stop(self) -> None:
        """Kill the child, if there is one."""
        if self._process is None:
            return
        assert self.connection is not None
        self._process.kill()
        self._process.join()
        self.connection.close()
        self._said.close()
        self._path.unlink(missing_ok=True)  # of a child that did not get as far
        self._process = self.connection = None

    __del__ = stop  # of a thread that has ended

    def start(self) -> None:
        """Start the child process, if there is none, with a file for native code's last words."""
        if self._process is not None and self._process.is_alive():
            return
        self.stop()
        context: Any = get_context("fork" if self.fork and sys.platform == "linux" else "spawn")
        handle, path = mkstemp(prefix="exactdp-")
        self._path, self._said = Path(path), os.fdopen(handle, errors="replace")
        self.connection, child = context.Pipe()
        self._process = context.Process(
            target=_serve,
            args=(child, self._function, self._limits, path, os.getpid()),
            daemon=True,
        )
        self._process.start()
        child.close()  # so that its death is the end of the file here

    def _crash(self) -> StoppedError:
        """Return the error that says how the child ended."""
        self._process.join()
        code, said = self._process.exitcode, self._said.read().lower()
        self.stop()
        if "memory" in said:
            return _out_of_memory(self._limits.memory)
        if _HAS_TIMERS and code == -signal.SIGPROF:
            return _late(self._limits.seconds, "of processor time")
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if code == -signal.SIGKILL:
            return KilledError(
                "the calculation was killed from outside, perhaps because the machine has no "
                "memory left. Run it again with fewer --workers."
            )
        return StoppedError(
            f"the calculation ended with {how}, an error in exactdp or beneath it. Please report "
            "it with this input."
        )


def _serve(
    connection: Connection,
    function: Callable[[Any], Any],
    limits: Limits,
    said: str,
    parent: int,
) -> None:
    """Answer jobs until the parent hangs up."""
    # What native code says before it ends the process is the parent's to put into one line.
    words = os.open(said, os.O_WRONLY | os.O_APPEND)
    os.dup2(words, 1)  # FLINT's; GMP's go to the other
    os.dup2(words, 2)
    with suppress(OSError):  # the parent has it open
        os.unlink(said)
    faulthandler.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and stops this process
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            return
    if _HAS_TIMERS:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # the end of the process, in native code too
    if limits.memory is not None:
        _limit_memory(limits.memory)
    gc.freeze()  # what is copied from the parent stays: to look for garbage there would copy it
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        _allow(limits.seconds)
        try:
            answer: tuple[Any, BaseException | None] = (function(job), None)
        except MemoryError:
            answer = (None, _out_of_memory(limits.memory))
        except ExactDPError as error:
            answer = (None, error)
        except (Exception, SystemExit) as error:
            error.add_note(traceback.format_exc())  # it stays behind when the error leaves
            answer = (None, error)
        _allow(None)
        connection.send(answer)


def _allow(seconds: float | None) -> None:
    """Let this process take so many seconds of processor time from now on; None for any."""
    if _HAS_TIMERS:
        signal.setitimer(signal.ITIMER_PROF, 0 if seconds is None else max(seconds, 1e-3))


def _late(seconds: float | None, how: str) -> StoppedError:
    """Return the error of a calculation that takes longer than it may."""
    most = 0 if seconds is None else seconds * (_PATIENCE if how == "by the clock" else 1)
    return StoppedError(
        f"the calculation took more than {most:g} s {how}".rstrip() + ". Raise --time-limit, or "
        "ask for less: rounder numbers, a wider relative_width, fewer questions."
    )


def _limit_memory(size: int) -> None:
    """Let this process have so many bytes more, where the system can see to it."""
    try:
        import resource
    except ImportError:
        return
    statistics = Path("/proc/self/statm")
    pages = int(statistics.read_text().split()[0]) if statistics.exists() else 0
    limit = pages * resource.getpagesize() + size
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _out_of_memory(limit: int | None) -> StoppedError:
    """Return the error of a calculation that needs more memory than it may have."""
    size = "there is" if limit is None else f"{limit / 1e9:g} GB"
    return StoppedError(
        f"the calculation needs more memory than {size}. Ask for less: rounder numbers, a wider "
        "relative_width, fewer copies or users."
    )
