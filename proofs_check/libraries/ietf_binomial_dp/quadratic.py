"""The draft's quadratic equation in N: the sign of the 1 in its middle coefficient.

With r = √N the equation ε = c_1/r + c_2/r² says that (ε N − c_2)² = c_1² N.
"""

from __future__ import annotations

from typing import Any

from exactdp.audit.algebra import identity
from exactdp.claims import Falls, Relation, Trials, cases, equal, for_all, reals, term
from exactdp.claims.proofs import proof

__all__ = ["TRIALS"]

FIRST = cases(root=(2, 3, 10), c_1=(1, 4), c_2=(1, 5)).within(
    root=reals(above=0), c_1=reals(above=0), c_2=reals(above=0)
)


def quadratic(root: Any, c_1: Any, c_2: Any, one: int) -> Any:
    """Return (ε/c_1)² N² + (2 ε c_2/c_1² + one) N + (c_2/c_1)², negated in the middle if it is 1.

    The draft has ``one`` = −1 and adds the middle; what is meant has 1 and subtracts it.
    """
    n, sign = root**2, -one
    epsilon = c_1 / root + c_2 / n
    middle = 2 * epsilon * c_2 / c_1**2 + one
    return (epsilon / c_1) ** 2 * n**2 + sign * middle * n + (c_2 / c_1) ** 2


def printed(root: Any, c_1: Any, c_2: Any) -> Relation:
    """The printed quadratic is 0 at N."""
    return equal(quadratic(term(root), term(c_1), term(c_2), -1), 0)


def mended(root: Any, c_1: Any, c_2: Any) -> Relation:
    """With −(… + 1) N in the middle it is."""
    return equal(quadratic(term(root), term(c_1), term(c_2), 1), 0)


TRIALS: Trials = {
    "libraries/ietf-binomial-dp/quadratic": for_all(FIRST, printed, falls=Falls.MISPRINT),
    "libraries/ietf-binomial-dp/repair/quadratic": for_all(
        FIRST,
        mended,
        wrong=printed,
        proof=proof(
            identity(
                "the quadratic with -(2 epsilon c_2/c_1^2 + 1) N in the middle is 0 at N = r^2",
                "r c_1 c_2",
                lambda r, c_1, c_2: (quadratic(r, c_1, c_2, 1), 0),
            )
        ),
    ),
}
