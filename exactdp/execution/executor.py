"""One executor for whatever is long: independent jobs in processes, results in order."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from multiprocessing.connection import wait
from time import monotonic
from typing import Any, TypeVar

from exactdp.errors import StoppedError
from exactdp.execution.workers import Limits, Worker

__all__ = ["alone", "side_by_side"]

Job = TypeVar("Job")
Result = TypeVar("Result")

_NO_LIMITS = Limits()


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
    name: Callable[[Job], str] = str,
    limits: Limits = _NO_LIMITS,
    stopped: Callable[[Job, StoppedError], Result] | None = None,
) -> list[Result]:
    """Return function(job) for each job, in order.

    Args:
        function: Importable by name, so that another process finds it.
        jobs: What to do.
        workers: Processes; by default one a processor.
        name: What to call a job beside the progress bar, on a terminal.
        limits: Of each job.
        stopped: What stands for a job that broke its limits or crashed; by default that is
            the end of the run.

    Raises:
        StoppedError: If a job was stopped, and nothing stands for it.
        Exception: Whatever a job raises.

    Example:
        >>> side_by_side(abs, [-1, 2, -3], workers=1)
        [1, 2, 3]
    """
    count = min(workers or os.cpu_count() or 1, len(jobs))
    # A copy of this process is quick to have; of one with threads, as a bar has, it is none.
    pool = [Worker(function, limits=limits, fork=count == 1) for _ in range(count)]
    found: dict[int, Result] = {}
    with _progress(in_a_thread=count > 1) as bar:
        task = bar.add_task("", total=len(jobs))
        try:
            for place, worker in _finished(pool, jobs):
                try:
                    found[place] = worker.answer()
                except StoppedError as error:
                    if stopped is None:
                        raise
                    found[place] = stopped(jobs[place], error)
                bar.update(task, description=name(jobs[place]), advance=1, refresh=True)
        finally:
            for worker in pool:
                worker.stop()
    return [found[i] for i in range(len(jobs))]


def _finished(
    pool: Sequence[Worker[Job, Any]], jobs: Sequence[Job]
) -> Iterator[tuple[int, Worker[Job, Any]]]:
    """Yield each job's place with the worker whose answer is ready, or late."""
    free, busy, waiting = list(pool), {}, iter(range(len(jobs)))
    while True:
        while free and (place := next(waiting, None)) is not None:
            worker = free.pop()
            worker.begin(jobs[place])
            busy[worker] = place
        if not busy:
            return
        now = monotonic()
        left = [worker.deadline - now for worker in busy if worker.deadline is not None]
        connections = [worker.connection for worker in busy if worker.connection is not None]
        ready = wait(connections, timeout=max(0.0, min(left)) if left else None)
        for worker in list(busy):
            late = worker.deadline is not None and worker.deadline <= monotonic()
            if worker.connection in ready or late:
                yield busy.pop(worker), worker
                free.append(worker)


def _progress(*, in_a_thread: bool) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=in_a_thread,
        disable=not sys.stderr.isatty(),
    )


def _sign_of_life(limits: Limits) -> AbstractContextManager[Any]:
    """Return what shows, on a terminal, that a calculation goes on, and for how long it may."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    most = "" if limits.seconds is None else f", at most {limits.seconds:g} s"
    return Console(stderr=True).status(f"calculating{most}")
