"""The bound of Theorem 2 for tens of thousands of users, certified.

With x = (i + 1)/(t + 1) and Bin(i, 1/2) symmetric, F_i(i − x) = Pr[Bin(i, 1/2) >= ⌈x⌉] and
F_i(i + 1 − x) = Pr[Bin(i, 1/2) >= ⌈x⌉ − 1]: the tails of ``proofs_check.liu2024.half_tails`` at
μ = 1/(t + 1). Sums are from i = 0, as in Theorem 1.

Definitions: :class:`CentralBound`.

Source: Liu et al. 2024, Section 3.3, Theorem 2, equation (5).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from exactdp.distributions import CountWindow, count_window
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, Real
from exactdp.numbers.balls import endpoints
from exactdp.numbers.real_functions import evaluate
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.half_tails import half_tails

__all__ = ["CentralBound"]


class CentralBound:
    """Theorem 2 as it is meant, for many users: (5) at any t, and at its best t.

    Args:
        others: The p_i, exact or computable, each with its number of users.
        w: p_1.
        delta_1: δ_1.
        bits: The absolute accuracy, 2^−bits or so: more for smaller δ.

    Example:
        One clone surely and w = 0: D_{e^0} of (2, 0), (1, 1) against (1, 1), (0, 2).

        >>> bound = CentralBound([("1/2", 1)], w=Exact(0))
        >>> bound.best_delta(Epsilon.rational(0)).contains(Fraction(1, 2))
        True
    """

    def __init__(
        self,
        others: Iterable[tuple[Number | RationalLike, int]],
        *,
        w: Number,
        delta_1: Number | int = 0,
        bits: int = 192,
    ) -> None:
        self.w = w
        self.delta_1 = delta_1 if isinstance(delta_1, Exact | Real) else Exact(delta_1)
        self.bits = bits
        trials = [(2 * (p if isinstance(p, Exact | Real) else Exact(p)), m) for p, m in others]
        self.window: CountWindow = count_window(trials, bits=bits)

    def sums(self, *, t: Fraction) -> tuple[Real, Real]:
        """Return alpha and plus at a rational t, as reals of fixed accuracy."""
        with_letter, without = half_tails(self.window, mu=1 / (1 + t)).event_probabilities()
        return Real(lambda: without, "alpha"), Real(lambda: with_letter, "plus")

    def delta(self, epsilon: Epsilon, *, t: Fraction) -> Enclosure:
        """Return equation (5) at any t, sums from i = 0."""
        alpha, plus = self.sums(t=t)
        value = evaluate(
            bounds.central_delta,
            exp_epsilon=epsilon.exp,
            alpha=alpha,
            plus=plus,
            w=self.w,
            delta_1=self.delta_1,
        )
        lower, upper = endpoints(value.ball(self.bits + 64))
        return Enclosure(lower, upper)

    def best_delta(self, epsilon: Epsilon) -> Enclosure:
        """Return the largest value of equation (5) over t: the conjugate of the complement f_s.

        Evaluated at a rational t' beside the best t. With A = (1 − δ_1)(1 − 2w) and
        B = e^ε − 2w(1 − δ_1) − δ_1 >= A, a count x between the two thresholds would add
        β_i(x − 1)·(A + B)·(x − μ(i + 1))/x, at most 3·(A + B)·|μ' − μ| in all, and
        |μ' − μ| <= |t' − t|.

        Raises:
            DomainError: If w is not below 1/2.
        """
        best = evaluate(bounds.best_t, exp_epsilon=epsilon.exp, w=self.w, delta_1=self.delta_1)
        ball = best.ball(self.bits + 32)
        if not ball > 0:
            raise DomainError(f"w={self.w} must be below 1/2: (5) has no best t above 0.")
        low, high = endpoints(ball)
        found = self.delta(epsilon, t=(low + high) / 2)
        most = 1 + endpoints(epsilon.exp.ball(64))[1].__ceil__()
        return Enclosure(found.lower, found.upper + 3 * most * (high - low) / 2)
