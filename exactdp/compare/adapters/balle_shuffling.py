"""The program of the privacy blanket: its Hoeffding and Bennett bounds.

For k-ary randomized response, and for any ε0-private randomizer. The calls stand here once, also
for the trial of its claims.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.compare.users import ShuffledUsers

__all__ = ["ACCOUNTANTS", "BOUNDS", "IMPORTS", "PROGRAM", "blanket_delta", "blanket_epsilon"]

PROGRAM = "BorjaBalle/amplification-by-shuffling"
IMPORTS = "from shuffleddp.amplification_bounds import *; from shuffleddp.mechanisms import *"
BOUNDS = {"Hoeffding": "hoeffding", "BennettExact": "bennett"}
"""The bounds' classes, and how a table calls them."""


def blanket_epsilon(bound: str, mechanism: str, n: int, epsilon0: float, delta: float) -> str:
    """Return the call for ε of a bound of one of the program's mechanisms."""
    return f"{bound}({mechanism}).get_eps({epsilon0!r}, {n}, {delta!r})"


def blanket_delta(bound: str, mechanism: str, n: int, epsilon0: float, epsilon: float) -> str:
    """Return the call for δ."""
    return f"{bound}({mechanism}).get_delta({epsilon!r}, {epsilon0!r}, {n})"


def _answer(case: ShuffledUsers, *, ask: str, bound: str, is_generic: bool) -> str | None:
    if not is_generic and case.mechanism != "randomized_response":
        return None
    mechanism = "LDPMechanism()" if is_generic else f"RRMechanism(k={case.k})"
    if ask == "delta":
        return blanket_delta(bound, mechanism, case.n, case.epsilon0, case.epsilon)
    return blanket_epsilon(bound, mechanism, case.n, case.epsilon0, case.delta)


ACCOUNTANTS = [
    Accountant(
        f"balle-shuffling/{name}{'-generic' * is_generic}",
        PROGRAM,
        IMPORTS,
        {
            ask: partial(_answer, ask=ask, bound=bound, is_generic=is_generic)
            for ask in ("delta", "epsilon")
        },
        about=("users",),
    )
    for is_generic in (False, True)
    for bound, name in BOUNDS.items()
]
