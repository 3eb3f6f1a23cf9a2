"""The trusted checker of certificates: standard library only, specified in FORMAT.md.

``check(data)`` takes the bytes of one certificate and is total: it answers with one of
``Accepted``, ``Rejected``, ``Incomplete`` or ``Unreadable`` and never raises.
"""

from .check import check
from .results import Accepted, Incomplete, Rejected, Result, Unreadable

__all__ = ["Accepted", "Incomplete", "Rejected", "Result", "Unreadable", "check"]
