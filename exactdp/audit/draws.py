"""Draws of hypothesis that hang on nothing but their seed.

Now and then hypothesis draws a constant that stands in the code of a module: which modules are
loaded is not part of a claim, and to read them all takes longer than most trials.

Definitions: :func:`steady`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis.internal.conjecture.providers import HypothesisProvider

__all__ = ["steady"]

_SCAN = "_get_local_constants"


@contextmanager
def steady() -> Iterator[None]:
    """Let hypothesis draw no constants of the modules that happen to be loaded.

    Example:
        >>> from random import Random
        >>> from hypothesis import find, strategies as st
        >>> with steady():
        ...     find(st.integers(0, 10**6), lambda n: n > 1000, random=Random(0))
        1001
    """
    inside: Any = sys.modules[HypothesisProvider.__module__]
    scan = getattr(inside, _SCAN, None)
    if scan is None:  # of a version that reads none
        yield
        return
    setattr(inside, _SCAN, inside.Constants)
    try:
        yield
    finally:
        setattr(inside, _SCAN, scan)
