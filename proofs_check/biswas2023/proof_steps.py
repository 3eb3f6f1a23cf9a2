"""Proofs for all n, n_x0 and s at once, by generating functions.

All masses of the count of x_0 share the factor
c^n (k-1)^a (x+k-2)^(b+1) (1 + kappa1 w)^a (1 + w)^b with w = z/(x+k-2); what is left is

    P(M_x0(x_0) = .):  p z + 1 - p  = c (x+k-2) (kappa2 + x w),
    P(M_x0(x_1) = .):  q z + 1 - q  = c (x+k-2) (1 + w),

because p = x c, q = c, c = 1/(x+k-1); and likewise p z + 1 - p = c (k-1) (1 + kappa1 w)
for each of the a users with x_0. A :class:`~proofs_check.biswas2023.bounds.Bracket`
has the left side sum of coefficient * w^j (1 + w)^i. Two masses agree for every a, b
and s exactly if these polynomials in w over Q(x, k) agree.

In the steps x = e^eps0 = 1 + t and k = 2 + h.
"""

from collections.abc import Callable
from typing import Any

from exactdp.audit.algebra import identity, nonnegative
from exactdp.claims import Step, proof
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Bracket, kappa1, kappa2

FACTORS = identity(
    "each user is the factor of the generating function that the module header states",
    "x k z",
    lambda x, k, z: (
        (x * z + k - 1) / (x + k - 1),
        (x + k - 2) / (x + k - 1) * (kappa2(x, k) + x * z / (x + k - 2)),
    ),
    lambda x, k, z: (
        (z + x + k - 2) / (x + k - 1),
        (x + k - 2) / (x + k - 1) * (1 + z / (x + k - 2)),
    ),
    lambda x, k, z: (
        (x * z + k - 1) / (x + k - 1),
        (k - 1) / (x + k - 1) * (1 + kappa1(x, k) * z / (x + k - 2)),
    ),
)


def _bracket(bracket: Bracket, claimed: str, victim: Callable[[Any, Any, Any], Any]) -> Step:
    def left(x: Any, k: Any, w: Any) -> Any:
        return sum(part(x, k) * w**j * (1 + w) ** i for part, i, j in bracket.parts)

    return identity(
        f"the bracket's polynomial in w = z/(x+k-2) over Q(x, k) is {claimed}, the victim's",
        "x k w",
        lambda x, k, w: (left(x, k, w), victim(x, k, w)),
    )


def of_x0(bracket: Bracket) -> tuple[Step, Step]:
    """Return the steps that a bracket is P(M_x0(x_0) = s)."""
    return FACTORS, _bracket(bracket, "kappa2 + x w", lambda x, k, w: kappa2(x, k) + x * w)


def of_x1(bracket: Bracket) -> tuple[Step, Step]:
    """Return the steps that a bracket is P(M_x0(x_1) = s)."""
    return FACTORS, _bracket(bracket, "1 + w", lambda x, k, w: 1 + w)


ABSORPTION = identity(
    "absorption: (s-r) C(b+1, s-r) = (b+1) C(b, s-1-r); with j = s-r, f = b!, g = (j-1)!, "
    "h = (b+1-j)! it is j ((b+1) f/(j g h)) = (b+1) f/(g h)",
    "b j f g h",
    lambda b, j, f, g, h: (j * ((b + 1) * f / (j * g * h)), (b + 1) * (f / (g * h))),
)

HOCKEY_STICK = identity(
    "(1 - e^eps/r) P = P - e^eps Q for r = P/Q, so with r > e^eps exactly where P - e^eps Q > 0 "
    "(and with all of P where Q = 0) the sum over losses is the sum of positive parts",
    "p q e",
    lambda p, q, e: ((1 - e / (p / q)) * p, p - e * q),
)


LOSSES_END_AT_EPSILON0 = proof(
    ABSORPTION,
    nonnegative(
        "with m = n - n_x0 and j = s - r <= m, e^(v_s) = kappa2 + (x - kappa2) sum1/sum2, where "
        "sum1 has the terms of sum2 times (j/m)^2 <= 1; kappa2 <= x; so v_s <= eps0",
        "j d t h",
        lambda j, d, t, h: 1 - (j / (j + d)) ** 2,
        lambda j, d, t, h: 1 + t - bounds.kappa2(1 + t, 2 + h),
    ),
)
"""The printed v_s are at most eps0, so that (6) is 0 for eps >= eps0."""
