"""The program of the variation-ratio reduction: bounds of ε at the parameters of its list.

The list, and the calls, stand here once, also for the trial of its claims.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant
from exactdp.side import Side

if TYPE_CHECKING:
    from exactdp.compare.users import ShuffledUsers

__all__ = ["ACCOUNTANTS", "BETAS", "IMPORTS", "PROGRAM", "end_of_pair", "tabulated"]

PROGRAM = "wangsw/PrivacyAmplification"
IMPORTS = "import math; import unifiedamplification as program"

BETAS = {
    "general": "(p - 1) / (p + 1)",
    "k_rr": "(p - 1) / (p + {k} - 1)",
    "rappor": "(math.exp(e / 2) - 1) / (math.exp(e / 2) + 1)",
    "laplace": "1 - math.exp(-e / 2)",
    "subset": (
        "(p - 1) * (math.comb({k} - 1, {size} - 1) - (math.comb({k} - 2, {size} - 2) "
        "if {size} > 1 else 0)) / (p * math.comb({k} - 1, {size} - 1) + math.comb({k} - 1, {size}))"
    ),
    "local_hash": "(p - 1) / (p + {size} - 1)",
    "hadamard": "(p - 1) / (2 * (p + 1))",
}
"""Their β of ε0 = e and p = e^ε0, by row of the list in README.md; q is p.

Of the subsets, d is k here and their k is size; the Hadamard row is the one of s = K/2.
"""

_ROWS = {
    "randomized_response": "k_rr",
    "symmetric_unary_encoding": "rappor",
    "subset_selection": "subset",
    "local_hashing": "local_hash",
    "hadamard_response": "hadamard",
}
"""The rows of randomizers of problem files; others have the general one."""

_ROUNDED = (*_ROWS, "optimized_unary_encoding")
"""Randomizers whose e^ε0 and β are doubles in the call: all."""

_ITERATIONS = 12
"""T of the program's own run."""


def end_of_pair(name: str, p: str, beta: str, q: str, n: int, delta: float, iterations: int) -> str:
    """Return the call for an end of ε, UB or LB, of a pair whose parameters are expressions."""
    return f"program.amplification{name}({p}, {beta}, {q}, {q}, {n}, {delta!r}, {iterations})"


def tabulated(
    name: str,
    row: str,
    k: int,
    epsilon0: float,
    n: int,
    delta: float,
    iterations: int,
    size: int = 0,
) -> str:
    """Return the call at the parameters of a row of the list."""
    beta = BETAS[row].format(k=k, size=size)
    call = end_of_pair(name, "p", beta, "p", n, delta, iterations)
    return f"(lambda e, p: {call})({epsilon0!r}, math.exp({epsilon0!r}))"


def _upper(case: ShuffledUsers, *, row: str = "") -> str:
    row = row or _ROWS.get(case.mechanism, "general")
    return tabulated("UB", row, case.k, case.epsilon0, case.n, case.delta, _ITERATIONS, case.size)


def _lower(case: ShuffledUsers) -> str | None:
    # The reduction is tight for randomized response, and for the worst data.
    if case.mechanism != "randomized_response" or case.others is not None:
        return None
    return tabulated("LB", "k_rr", case.k, case.epsilon0, case.n, case.delta, _ITERATIONS)


ACCOUNTANTS = [
    Accountant(
        "wang-amplification/UB",
        PROGRAM,
        IMPORTS,
        {"epsilon": _upper},
        converts=_ROUNDED,
        about=("users",),
    ),
    Accountant(
        "wang-amplification/UB-general",
        PROGRAM,
        IMPORTS,
        {"epsilon": partial(_upper, row="general")},
        converts=_ROUNDED,
        about=("users",),
    ),
    Accountant(
        "wang-amplification/LB",
        PROGRAM,
        IMPORTS,
        {"epsilon": _lower},
        (Side.LOWER,),
        converts=_ROUNDED,
        about=("users",),
    ),
]
