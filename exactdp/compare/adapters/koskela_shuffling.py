"""The program of Koskela, Heikkilä and Honkela about blankets: ε by a grid of the privacy loss.

For k-ary randomized response, against who sees whose message is of the blanket (strong) or how
many are (weak). The calls stand here once, also for the trial of its claims.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.compare.users import ShuffledUsers

__all__ = ["ACCOUNTANTS", "ADVERSARIES", "IMPORTS", "PROGRAM", "epsilon_call"]

PROGRAM = "DPBayes/numerical-shuffler-experiments"
IMPORTS = (
    "import math; from blankets_fig4 import compute_epsilon_bin_tight as strong; "
    "from blankets_fig4 import compute_epsilon_bin_weak_tight as weak"
)
ADVERSARIES = {"strong": 10, "weak": 100}
"""The modules, and the L of the program's own runs: losses are on a grid from −L to L."""


def epsilon_call(adversary: str, n: int, k: int, gamma: float, delta: float) -> str:
    """Return the call for ε, one composition, on a grid of a million points.

    100 is where its search ends; that is not an ε, and the call says inf.
    """
    grid = f"nx=10**6, L={ADVERSARIES[adversary]}"
    more = f"n={n}, gamma={gamma!r}, k={k}, n_c=1, " if adversary == "strong" else ""
    asked = f"{adversary}.get_epsilons(w, e, x, {more}{grid}, target_delta={delta!r})"
    found = f"(lambda w, x, e: {asked})(*{adversary}.get_omega({n}, {gamma!r}, {k}, {grid}))"
    return f"(lambda x: x if x < 99.99 else math.inf)({found})"


def _answer(case: ShuffledUsers, *, adversary: str) -> str | None:
    if case.mechanism != "randomized_response":
        return None
    gamma = case.k / (math.exp(case.epsilon0) + case.k - 1)
    return epsilon_call(adversary, case.n, case.k, gamma, case.delta)


ACCOUNTANTS = [
    Accountant(
        f"koskela-shuffling/{adversary}",
        PROGRAM,
        IMPORTS,
        {"epsilon": partial(_answer, adversary=adversary)},
        about=("users",),
    )
    for adversary in ADVERSARIES
]
