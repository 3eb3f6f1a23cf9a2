"""The draft's quadratic equation in N: the sign of the 1 in its middle coefficient.

With r = √N the equation ε = c_1/r + c_2/r² says that (ε N − c_2)² = c_1² N.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims import Falls, Relation, Trials, cases, equal, for_all, reals, term

__all__ = ["TRIALS"]

OVER = cases(root=(2, 3, 10), c_1=(1, 4), c_2=(1, 5)).within(
    root=reals(above=0), c_1=reals(above=0), c_2=reals(above=0)
)


def is_root(root: Any, c_1: Any, c_2: Any, one: int = 1) -> Relation:
    """(ε/c_1)² N² − (2 ε c_2/c_1² + 1) N + (c_2/c_1)² is 0; the draft has + (… − 1) N."""
    first, second = term(c_1), term(c_2)
    n = term(root) ** 2
    epsilon = first / root + second / n
    middle = -one * (2 * epsilon * second / first**2 + one)
    return equal((epsilon / first) ** 2 * n**2 + middle * n + (second / first) ** 2, 0)


PRINTED = partial(is_root, one=-1)

TRIALS: Trials = {
    "libraries/ietf-binomial-dp/quadratic": for_all(OVER, PRINTED, falls=Falls.MISPRINT),
    "libraries/ietf-binomial-dp/repair/quadratic": for_all(
        OVER, is_root, wrong=PRINTED, proof=in_numbers()
    ),
}
