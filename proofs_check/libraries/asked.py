"""The libraries' answers: one process a library and its imports, each call asked once.

Definitions: :func:`reply`.
"""

from __future__ import annotations

import atexit
from functools import lru_cache

from exactdp.execution import Session, interpreters, programs
from exactdp.execution.sessions import Reply
from exactdp.numbers.effort import OPERATIONS_A_SECOND, spend

__all__ = ["reply"]

_CALL_SECONDS = 120.0
"""How long one call may take: calibrations of a search with many steps take a minute."""

_SHORT_SECONDS = 20.0
"""How long one call of a campaign may take, which asks hundreds."""

_A_CALL = 5_000
"""The operations that a call counts at least."""


@lru_cache(maxsize=65536)
def reply(library: str, imports: str, expression: str, *, is_short: bool = False) -> Reply:
    """Return a library's answer to an expression, after these imports, or why there is none.

    A short call, of a campaign, counts its processor time as operations.
    """
    said = _session(library, imports, *((_SHORT_SECONDS,) if is_short else ())).ask(expression)
    if is_short:
        spend(max(_A_CALL, int((said.processor or said.seconds) * OPERATIONS_A_SECOND)))
    return said


@lru_cache(maxsize=8)
def _session(library: str, imports: str, limit: float | None = None) -> Session:
    python = interpreters().get(library)
    extra = {} if python is None else {"python": python}
    folder = programs().get(library, "")
    session = Session(
        library, imports, limit=_CALL_SECONDS, call_limit=limit, folder=folder, **extra
    )
    atexit.register(session.close)
    return session
