"""The progress of many jobs, for a person: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import Any

__all__ = ["Progress", "pace"]

_SOON, _LATE = 30.0, 600.0
"""The seconds between two lines of a log: after another tenth of the jobs, or anyhow."""

_NAME, _BAR = 20, 10
"""The columns of a job's name and of the bar: with all numbers the line has at most 80."""

_REFRESH = 0.1
"""Seconds between two changes of the line on a terminal, at least."""


def pace(*, done: int, left: int, seconds: float) -> str:
    """Return the rate of finished jobs, and the time that is left at this rate.

    Example:
        >>> pace(done=90, left=30, seconds=60.0), pace(done=1, left=100, seconds=100.0)
        ('1.5 a second, 20 s left', '36 an hour, 2 h 46 min left')
        >>> pace(done=0, left=5, seconds=3.0)
        ''
    """
    if not done:
        return ""
    units = {"a second": 1, "a minute": 60, "an hour": 3600}
    unit = next((u for u, size in units.items() if done * size >= seconds), "an hour")
    rate = f"{done * units[unit] / max(seconds, 1e-9):.3g} {unit}"
    minutes, rest = divmod(round(seconds * left / done), 60)
    if minutes >= 60:
        return f"{rate}, {minutes // 60} h {minutes % 60} min left"
    return f"{rate}, {minutes} min left" if minutes > 2 else f"{rate}, {60 * minutes + rest} s left"


class Progress:
    """Tells on standard error how far a run is; in a log it does not tell of short runs.

    Args:
        total: The number of jobs.
        done: The number of jobs whose results are known before.
        threads: Whether a thread may show that time goes on.
    """

    def __init__(self, total: int, *, done: int = 0, threads: bool = False) -> None:
        self._total, self._before, self._done = total, done, done
        self._began = self._told = monotonic()
        self._told_of = done
        self._bar = _bar(threads=threads) if sys.stderr.isatty() else None

    def advance(self, name: str) -> None:
        """Say that another job is done."""
        self._done += 1
        now = monotonic()
        if self._bar is not None:
            if now - self._told >= _REFRESH or self._done == self._total:
                self._told = now
                task = self._bar.task_ids[0]
                shown = name if len(name) <= _NAME else f"{name[: _NAME - 3]}..."
                self._bar.update(
                    task, completed=self._done, description=shown, pace=self._pace(now)
                )
                self._bar.refresh()
            return
        since, more = now - self._told, self._done - self._told_of
        if (since >= _SOON and more * 10 >= self._total) or since >= _LATE:
            self._told, self._told_of = now, self._done
            percent = 100 * self._done // self._total
            line = f"{self._done} of {self._total} ({percent} %), {self._pace(now)}"
            print(line, file=sys.stderr, flush=True)

    def _pace(self, now: float) -> str:
        done, left = self._done - self._before, self._total - self._done
        return pace(done=done, left=left, seconds=now - self._began)

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
            self._bar.add_task("", total=self._total, completed=self._done, pace="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar(*, threads: bool) -> Any:
    """Return a bar of rich, on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn(f"{{task.description:{_NAME}}}"),
        BarColumn(bar_width=_BAR),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=threads,
    )
