"""One executor for whatever is long: independent jobs in processes, results in order."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, TypeVar

__all__ = ["side_by_side"]

Job = TypeVar("Job")
Result = TypeVar("Result")


def side_by_side(
    function: Callable[[Job], Result],
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    name: Callable[[Job], str] = str,
) -> list[Result]:
    """Return function(job) for each job, in order.

    Args:
        function: Importable by name, so that another process finds it.
        jobs: What to do; a single job is done here.
        workers: Processes; by default one a processor.
        name: What to call a job beside the progress bar, on a terminal.

    Raises:
        Exception: Whatever a job raises.

    Example:
        >>> side_by_side(abs, [-1, 2, -3], workers=1)
        [1, 2, 3]
    """
    count = min(workers or os.cpu_count() or 1, len(jobs))
    with _progress() as bar:
        task = bar.add_task("", total=len(jobs))
        if count <= 1:
            results = []
            for job in jobs:
                bar.update(task, description=name(job))
                results.append(function(job))
                bar.advance(task)
            return results
        # Spawned, not forked: a worker then starts from the same state everywhere.
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            places = {pool.submit(function, job): i for i, job in enumerate(jobs)}
            found: dict[int, Result] = {}
            for future in as_completed(places):
                place = places[future]
                found[place] = future.result()
                bar.update(task, description=name(jobs[place]))
                bar.advance(task)
        return [found[i] for i in range(len(jobs))]


def _progress() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
