"""The program of the privacy blanket: its Hoeffding and Bennett bounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.claims import Statement, Trials, cases
from exactdp.compare.adapters.balle_shuffling import BOUNDS, IMPORTS, PROGRAM, blanket_epsilon
from exactdp.testing.later import st
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole
from proofs_check.libraries.shuffling import protocol, protocol_delta

__all__ = ["TRIALS"]


def bounds(mechanism: str, *protocols: tuple[str, int], draws: int = 2) -> dict[str, Statement]:
    """Return the readings of ε of both bounds, for users of one of these protocols."""

    def call(bound: str, k: int, n: int, epsilon0: float, delta: float) -> str:
        return blanket_epsilon(bound, mechanism.format(k=k), n, epsilon0, delta)

    def drawn() -> st.SearchStrategy[dict[str, Any]]:
        return st.builds(
            lambda protocol, **more: {"randomizer": protocol[0], "k": protocol[1], **more},
            st.sampled_from(protocols),
            bound=st.sampled_from(list(BOUNDS)),
            n=whole(100) | st.sampled_from([2, 3, 5]),
            epsilon0=doubles(0.1, 8.0),
            delta=small(12),
        )

    over = cases(
        bound=tuple(BOUNDS),
        randomizer__k=protocols,
        n=(10**4, 50, 2),
        epsilon0=(1.0, 4.0, 8.0),
        delta=(1e-6, 1e-9),
    ).drawn(drawn)
    return Promise(
        PROGRAM,
        IMPORTS,
        call,
        "epsilon",
        protocol,
        protocol_delta,
        over,
        shaved=Fraction(1, 4),
        draws=draws,
        tolerance=Fraction(1, 10**12),
    ).readings()


GENERIC = bounds("LDPMechanism()", ("k_rr_third", 3), ("k_rr", 2))
RESPONSES = bounds("RRMechanism(k={k})", ("k_rr", 2), ("k_rr", 10), ("k_rr_third", 10), draws=300)
LAPLACE = bounds("LaplaceMechanism()", ("laplace", 4))

TRIALS: Trials = {
    "libraries/balle-shuffling/bounds": GENERIC,
    "libraries/balle-shuffling/bounds-of-k-rr": RESPONSES,
    "libraries/balle-shuffling/bounds-of-laplace": LAPLACE,
}
