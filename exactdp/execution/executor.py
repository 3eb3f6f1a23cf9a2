"""One executor for long calculations: independent jobs in processes, results in order."""

from __future__ import annotations

import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Executor, as_completed
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from multiprocessing import current_process
from multiprocessing.connection import wait
from pathlib import Path
from socket import gethostname
from threading import active_count, local
from time import monotonic
from typing import Any, TypeVar

from exactdp.errors import DomainError, ExactDPError, StoppedError
from exactdp.execution.libraries import (
    interpreters,
    programs,
    tell_interpreters,
    tell_programs,
)
from exactdp.execution.progress import Progress
from exactdp.execution.store import Store, code_of
from exactdp.execution.workers import KilledError, Limits, Worker

__all__ = ["alone", "side_by_side"]

Job = TypeVar("Job")
Result = TypeVar("Result")

_NO_LIMITS = Limits()
_TIMES = 3
"""How often a job whose process is killed is begun, at most."""

_TASKS, _MOST_AT_A_TIME = 1_000, 50
"""The tasks that many jobs become, about, and the jobs of one task, at most."""

_Answer = tuple[Any, Exception | None]
"""A result, or what was raised."""


def alone(function: Callable[[Job], Result], job: Job, *, limits: Limits) -> Result:
    """Return function(job), calculated in a process of its own within limits.

    Raises:
        StoppedError: If it took too long or too much memory, or crashed.
        Exception: Whatever the job raises.

    Example:
        >>> alone(abs, -1, limits=Limits(seconds=60))
        1
        >>> alone("".zfill, 10**13, limits=Limits(memory=10**9))
        Traceback (most recent call last):
        ...
        exactdp.errors.StoppedError: the calculation needs more memory than 1 GB. Ask for less: \
rounder numbers, a wider relative_width, fewer copies or users.
    """
    worker = Worker(function, limits=limits, fork=True)
    try:
        worker.begin(job)
        with _sign_of_life(limits):
            return worker.answer()
    finally:
        worker.stop()


def side_by_side(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    store: Store | None = None,
    packages: Sequence[str] = (),
    name: Callable[[Job], str] = str,
    limits: Limits = _NO_LIMITS,
    stopped: Callable[[Job, StoppedError], Result] | None = None,
    is_final: Callable[[Result], bool] = lambda _: True,
) -> list[Result]:
    """Return function(job) for each job, in order: the same whoever does them, and when.

    Args:
        function: Importable by name, so that another process finds it.
        jobs: The jobs. Where there is a store, two jobs that differ have different reprs.
        workers: The number of processes; by default one a processor.
        executor: An executor of concurrent.futures, of a cluster too, that does the jobs instead,
            in processes with the same limits.
        store: A file that has results of a run that was stopped, and keeps those of this one.
        packages: The packages whose code decides the results, beside exactdp.
        name: The name of a job beside the progress bar, on a terminal.
        limits: The limits of each job.
        stopped: The result of a job that broke its limits or crashed, which is never stored; by
            default the run ends there.
        is_final: Whether a result is one that a further run need not find again.

    Raises:
        StoppedError: If a job was stopped, and nothing stands for it.
        DomainError: If the executor fails, or the store cannot be written.
        Exception: Whatever a job raises.

    Example:
        >>> side_by_side(abs, [-1, 2, -3], workers=1)
        [1, 2, 3]
    """
    deciding, found = "", dict[int, Result]()
    if store is not None:
        deciding = f"{function.__module__}.{function.__qualname__} {code_of(tuple(packages))}"
        found = store.known(deciding, jobs)
    if found:
        known = f"{len(found)} of {len(jobs)} are known from a stopped run"
        print(f"note: {known}; --no-resume finds them anew", file=sys.stderr)
    left = [place for place in range(len(jobs)) if place not in found]
    count = min(workers or os.cpu_count() or 1, len(left))
    told = Progress(len(jobs), done=len(found), threads=executor is not None or count > 1)
    answers = (
        _answers_here(function, jobs, left, limits, count)
        if executor is None
        else _answers_there(executor, function, jobs, left, limits, tuple(packages))
    )
    with told, closing(answers), nullcontext() if store is None else closing(store):
        for place, (result, error) in answers:
            if error is None:
                found[place] = result
                if store is not None and is_final(result):
                    store.keep(deciding, jobs[place], result)
            elif isinstance(error, StoppedError) and stopped is not None:
                found[place] = stopped(jobs[place], error)
            else:
                raise error
            told.advance(name(jobs[place]))
    return [found[i] for i in range(len(jobs))]


def _answers_here(
    function: Callable[[Job], Any],
    jobs: Sequence[Job],
    left: Sequence[int],
    limits: Limits,
    count: int,
) -> Generator[tuple[int, _Answer]]:
    """Return the answers, as they come, of processes of this machine; these end with the iterator.

    They start here, before a bar has a thread: what is loaded is copied then, not loaded anew.
    """
    workers = [Worker(function, limits=limits, fork=_has_one_thread()) for _ in range(count)]
    for worker in workers:
        worker.start()
    return _answers_of(workers, jobs, left)


def _has_one_thread() -> bool:
    """Return whether this process may be copied: another thread's locks would stay locked."""
    return active_count() == 1


def _answers_of(
    free: list[Worker[Job, Any]], jobs: Sequence[Job], left: Sequence[int]
) -> Generator[tuple[int, _Answer]]:
    """Yield the answers of workers.

    A job whose process was killed is begun anew, which a run is to survive.
    """
    busy: dict[Worker[Job, Any], int] = {}
    waiting, killed = deque(left), Counter[int]()
    try:
        while True:
            while free and waiting:
                worker = free.pop()
                busy[worker] = waiting.popleft()
                worker.fork = _has_one_thread()
                worker.begin(jobs[busy[worker]])
            if not busy:
                return
            now = monotonic()
            ends = [worker.deadline - now for worker in busy if worker.deadline is not None]
            connections = [worker.connection for worker in busy if worker.connection is not None]
            ready = wait(connections, timeout=max(0.0, min(ends)) if ends else None)
            for worker in list(busy):
                if worker.connection in ready or worker.is_late():
                    answer = _answer(worker)
                    place = busy.pop(worker)
                    free.append(worker)
                    killed[place] += isinstance(answer[1], KilledError)
                    if isinstance(answer[1], KilledError) and killed[place] < _TIMES:
                        waiting.append(place)
                    else:
                        yield place, answer
    finally:
        for worker in (*free, *busy):
            worker.stop()


def _answer(worker: Worker[Any, Any]) -> _Answer:
    try:
        return worker.answer(), None
    except Exception as error:
        return None, error


def _answers_there(
    executor: Executor,
    function: Callable[[Job], Any],
    jobs: Sequence[Job],
    left: Sequence[int],
    limits: Limits,
    packages: tuple[str, ...],
) -> Generator[tuple[int, _Answer]]:
    """Yield the answers of an executor as they come; at the end, jobs not begun are called off.

    Many jobs are handed over several at a time, as each time takes a millisecond or more.
    """
    places = tuple(interpreters().items()), tuple(programs().items())
    order = _Order(function, limits, packages, code_of(packages), *places)
    size = min(_MOST_AT_A_TIME, len(left) // _TASKS + 1)
    parts = [left[i : i + size] for i in range(0, len(left), size)]
    try:
        pending = {executor.submit(_done, order, [jobs[i] for i in part]): part for part in parts}
        try:
            for future in as_completed(pending):
                yield from zip(pending[future], future.result(), strict=True)
        finally:
            for future in pending:
                future.cancel()
    except (ExactDPError, GeneratorExit):
        raise
    except (Exception, CancelledError) as error:
        said = f"{type(error).__name__} {error}".strip()
        raise DomainError(
            f"the executor failed ({said}). Mend it, and run this again: with --out, it goes on "
            "where it was."
        ) from None


@dataclass(frozen=True, slots=True)
class _Order:
    """The function that is called on jobs elsewhere, with all that must be the same there."""

    function: Callable[[Any], Any]
    limits: Limits
    packages: tuple[str, ...]
    code: str
    pythons: tuple[tuple[str, str], ...]
    programs: tuple[tuple[str, str], ...]

    def __call__(self, job: Any) -> Any:
        tell_interpreters(dict(self.pythons))
        tell_programs(dict(self.programs))
        return self.function(job)


_here = local()


def _done(order: _Order, jobs: Sequence[Any]) -> list[_Answer]:
    """Return the answers to jobs on a machine of an executor, from one process for each thread."""
    where = f"the worker on {gethostname()}"
    if code_of(order.packages) != order.code:
        raise DomainError(
            f"{where} has other versions of exactdp, of {', '.join(order.packages) or 'Python'} or "
            "of what they use. Install the same everywhere."
        )
    for option, found in (("python", order.pythons), ("program", order.programs)):
        for name, path in found:
            if not Path(path).exists():
                raise DomainError(f"{where} has no --{option}={name}={path}. Install it there too.")
    # A daemon may have no children, which it would leave behind: these end with their parent.
    current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    if getattr(_here, "order", None) != order:
        if hasattr(_here, "order"):
            _here.worker.stop()
        _here.order, _here.worker = order, Worker(order, limits=order.limits)
    return [_answer_at_last(_here.worker, job) for job in jobs]


def _answer_at_last(worker: Worker[Any, Any], job: Any) -> _Answer:
    """Return the answer to a job, begun anew while its process is killed from outside."""
    for _ in range(_TIMES):
        worker.begin(job)
        answer = _answer(worker)
        if not isinstance(answer[1], KilledError):
            break
    return answer


def _sign_of_life(limits: Limits) -> AbstractContextManager[Any]:
    """Return a sign that a calculation goes on, on a terminal, and for how long it may."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    most = "" if limits.seconds is None else f", at most {limits.seconds:g} s of processor time"
    return Console(stderr=True).status(f"calculating{most}")
