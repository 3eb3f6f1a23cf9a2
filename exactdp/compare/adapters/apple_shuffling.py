"""The program of Hiding among the Clones: its numerical bounds, and its closed form.

They are for any ε0-private randomizer. The calls stand here once, also for the trial of its
claims.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant
from exactdp.side import Side

if TYPE_CHECKING:
    from exactdp.compare.users import ShuffledUsers

__all__ = [
    "ACCOUNTANTS",
    "IMPORTS",
    "PROGRAM",
    "closed_form",
    "numerical_delta",
    "numerical_epsilon",
]

PROGRAM = "apple/ml-shuffling-amplification"
IMPORTS = "import computeamplification as program"

_ITERATIONS = 20
"""Halvings of ε0, a millionth of it."""


def numerical_epsilon(
    n: int, epsilon0: float, delta: float, iterations: int, step: int, side: Side = Side.UPPER
) -> str:
    """Return the call for an end of ε."""
    is_upper = side is Side.UPPER
    return (
        f"program.numericalanalysis({n}, {epsilon0!r}, {delta!r}, {iterations}, {step}, {is_upper})"
    )


def numerical_delta(
    n: int, epsilon0: float, epsilon: float, step: int, side: Side = Side.UPPER
) -> str:
    """Return the call for an end of δ."""
    return f"program.deltacomp({n}, {epsilon0!r}, {epsilon!r}, 1.0, {step}, {side is Side.UPPER})"


def closed_form(n: int, epsilon0: float, delta: float) -> str:
    """Return the call for ε of the closed form."""
    return f"program.closedformanalysis({n}, {epsilon0!r}, {delta!r})"


def _step(case: ShuffledUsers) -> int:
    """Return a step of which there are as many as in the program's example: 1000."""
    return max(1, case.n // 1000)


ACCOUNTANTS = [
    Accountant(
        "apple-shuffling/numerical",
        PROGRAM,
        IMPORTS,
        {
            "delta": lambda case: numerical_delta(case.n, case.epsilon0, case.epsilon, _step(case)),
            "epsilon": lambda case: numerical_epsilon(
                case.n, case.epsilon0, case.delta, _ITERATIONS, _step(case)
            ),
        },
        about=("users",),
    ),
    Accountant(
        "apple-shuffling/closed-form",
        PROGRAM,
        IMPORTS,
        {"epsilon": lambda case: closed_form(case.n, case.epsilon0, case.delta)},
        about=("users",),
    ),
]
