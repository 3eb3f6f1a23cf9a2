"""Lines of an author's code as work: so an endless loop ends after a count, and no clock is read.

The engine counts its own operations (:mod:`exactdp.numbers.effort`); code of a paper's package does
not. Each of its lines that is run within :func:`counted_lines` is so many operations. What it
leaves in caches would make the next count smaller: :func:`forget` empties them. A loop inside of
Python itself, or of a library, has no lines: ``sum(range(2**n))`` is one.

Definitions: :func:`counted_lines`, :func:`forget`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from exactdp.numbers.effort import spend

__all__ = ["counted_lines", "forget"]

_OTHERS = frozenset(
    (
        *sys.stdlib_module_names,
        "exactdp",
        "flint",
        "hypothesis",
        "mpmath",
        "numpy",
        "scipy",
        "sympy",
    )
)
"""Packages whose lines are not counted: they are the engine's, or keep caches of their own."""


@contextmanager
def counted_lines(a_line: int) -> Iterator[None]:
    """Count the lines of code in a block that is neither this package's nor of its libraries.

    A debugger that follows lines, or what measures which are run, sees none of the block.

    Args:
        a_line: The operations that a line counts.

    Example:
        >>> from exactdp.numbers.effort import within_work
        >>> def endless():
        ...     while True:
        ...         pass
        >>> endless.__globals__["__name__"] = "smith2024"  # as in a package of one's own
        >>> with within_work(10_000), counted_lines(20):
        ...     endless()
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: it takes more than 10,000 operations. Ask for a wider \
enclosure.
    """
    before = sys.gettrace()

    def called(frame: FrameType, event: str, _: Any) -> Any:
        top = frame.f_globals.get("__name__", "").partition(".")[0]
        return None if top in _OTHERS else line

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            spend(a_line)
        return line

    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


def forget(modules: Iterable[str]) -> None:
    """Empty the caches of functions of the packages of modules, those of the libraries excepted.

    Args:
        modules: Names of modules; their top packages are meant.
    """
    tops = {name.partition(".")[0] for name in modules} - _OTHERS
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in tops:
            for one in list(vars(module).values()):
                clear = getattr(one, "cache_clear", None)
                top = (getattr(one, "__module__", None) or "").partition(".")[0]
                if callable(clear) and not isinstance(one, type) and top not in _OTHERS:
                    clear()
