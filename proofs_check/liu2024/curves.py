"""The bound of Theorem 2 for tens of thousands of users, certified.

Definitions: :class:`CentralBound`.

Source: Liu et al. 2024, Section 3.3, Theorem 2, equation (5).
"""

from collections.abc import Iterable

from exactdp.distributions import CountWindow, count_window
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, precision
from exactdp.numbers.arguments import NumberLike, number
from exactdp.numbers.balls import endpoints
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.half_tails import largest_gap


class CentralBound:
    """Theorem 2 as it is meant, for many users: (5) at its best t, sums from i = 0.

    Args:
        others: The p_i, exact or computable, each with its number of users.
        w: p_1.
        delta_1: δ_1.
        bits: The absolute accuracy, 2^−bits or so: more for smaller δ.

    Example:
        One clone surely and w = 0: D_{e^0} of (2, 0), (1, 1) against (1, 1), (0, 2).

        >>> bound = CentralBound([("1/2", 1)], w=0)
        >>> round(float(bound.best_delta(Epsilon.rational(0)).lower), 9)
        0.5
    """

    def __init__(
        self,
        others: Iterable[tuple[NumberLike, int]],
        *,
        w: NumberLike,
        delta_1: NumberLike = 0,
        bits: int = 192,
    ) -> None:
        self.w = number(w, name="w")
        self.delta_1 = number(delta_1, name="delta_1")
        trials = [(2 * number(p, name="p_i"), count) for p, count in others]
        self.window: CountWindow = count_window(trials, bits=bits)

    def best_delta(self, epsilon: Epsilon) -> Enclosure:
        """Return the largest value of equation (5) over t: the conjugate of the complement f_s.

        With x = (i + 1)/(t + 1) and Bin(i, 1/2) symmetric, F_i(i − x) = Pr[Bin(i, 1/2) >= ⌈x⌉]
        and F_i(i + 1 − x) = Pr[Bin(i, 1/2) >= ⌈x⌉ − 1], so that (5) is A·plus − B·alpha of the
        tails at μ = 1/(t + 1), with A and B of :func:`~proofs_check.liu2024.bounds.factors`.

        Raises:
            DomainError: If w is not below 1/2.
        """
        bits = self.window.bits + 64
        with precision(bits):
            g, w, delta_1 = (x.ball(bits) for x in (epsilon.exp, self.w, self.delta_1))
            a, b = bounds.factors(None, exp_epsilon=g, w=w, delta_1=delta_1)
        if not a > 0:
            raise DomainError(f"w={self.w} must be below 1/2: (5) has no best t above 0.")
        return Enclosure(*endpoints(largest_gap(self.window, a, b)))
