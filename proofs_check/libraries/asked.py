"""The libraries' answers: one process a library and its imports, each call asked once.

Definitions: :func:`reply`.
"""

from __future__ import annotations

import atexit
from functools import lru_cache

from exactdp.execution import Session, interpreters, programs
from exactdp.execution.sessions import Reply

__all__ = ["reply"]

_CALL_SECONDS = 120.0
"""How long one call may take: calibrations of a search with many steps take a minute."""


@lru_cache(maxsize=65536)
def reply(library: str, imports: str, expression: str) -> Reply:
    """Return what a library answers to an expression, after these imports, or why it does not."""
    return _session(library, imports).ask(expression)


@lru_cache(maxsize=8)
def _session(library: str, imports: str) -> Session:
    python = interpreters().get(library)
    extra = {} if python is None else {"python": python}
    folder = programs().get(library, "")
    session = Session(library, imports, limit=_CALL_SECONDS, folder=folder, **extra)
    atexit.register(session.close)
    return session
