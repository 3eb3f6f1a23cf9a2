"""Minima and maxima of numbers, or of terms, as the proof of Lemma 1 has them.

Definitions: :func:`least`, :func:`greatest`.
"""

from typing import Any

from exactdp.claims import Term, function


def least(s: Any, t: Any) -> Any:
    """Return the smaller of two numbers or terms."""
    return function("min", s, t) if isinstance(s, Term) else min(s, t)


def greatest(s: Any, t: Any) -> Any:
    """Return the larger of two numbers or terms."""
    return function("max", s, t) if isinstance(s, Term) else max(s, t)
