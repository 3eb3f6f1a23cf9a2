"""The program of Koskela, Heikkilä and Honkela: ε of users whose blanket is seen."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims import Statement, Trials, listed
from exactdp.compare.adapters.koskela_shuffling import IMPORTS, PROGRAM, epsilon_call
from exactdp.testing.later import st
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole
from proofs_check.libraries.shuffling import blanket, blanket_delta

__all__ = ["TRIALS"]

# The program's own run, at the ends of its five δ. Against the weak adversary it takes minutes.
OWN = tuple({"n": 1000, "k": 4, "gamma": 0.25, "delta": delta} for delta in (1e-4, 1e-7))
FEWER: tuple[dict[str, Any], ...] = tuple(
    {"n": n, "k": k, "gamma": gamma, "delta": delta}
    for k, gamma in ((4, 0.25), (2, 0.5), (10, 0.25), (4, 0.75))
    for n, delta in ((200, 1e-6), (100, 1e-4), (50, 1e-4), (50, 1e-6), (10, 1e-3))
)


def drawn() -> dict[str, Any]:
    """Return the strategies of the fields, of few users."""
    sizes = {"n": whole(60, least=2), "k": st.sampled_from([2, 4, 10])}
    return {**sizes, "gamma": doubles(0.01, 0.99), "delta": small(8)}


def epsilons(adversary: str) -> dict[str, Statement]:
    """Return the readings of ε against an adversary."""
    return Promise(
        PROGRAM,
        IMPORTS,
        partial(epsilon_call, adversary),
        "epsilon",
        partial(blanket, adversary),
        partial(blanket_delta, adversary),
        listed(*(OWN if adversary == "strong" else ()), *FEWER).drawn(drawn),
        shaved=Fraction(3, 4),
        draws=4,
        tolerance=Fraction(1, 10**5),
    ).readings()


TRIALS: Trials = {
    f"libraries/koskela-shuffling/{adversary}-adversary": epsilons(adversary)
    for adversary in ("strong", "weak")
}
