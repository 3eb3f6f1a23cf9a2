"""Audits of private mechanisms: the epsilon that attacks rule out, with certificates.

``from_counts`` takes the errors of an attack in many runs; ``OneRun`` the right guesses of one,
and ``TradeOffRun`` the same by f-DP.
"""

from exactdp.auditing.counts import CountsAudit, from_counts
from exactdp.auditing.trade_off_run import TradeOffRun
from exactdp.numbers.validated import checked_door as _checked_door
from exactdp.testing.one_run import OneRun

__all__ = ["CountsAudit", "OneRun", "TradeOffRun", "from_counts"]

_checked_door(globals())
