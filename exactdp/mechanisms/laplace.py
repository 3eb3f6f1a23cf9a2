"""The Laplace mechanism: f(D) plus noise of density e^(−|x|/b) / (2b).

Definitions: :class:`LaplaceMechanism`, :func:`laplace_mechanism`,
:func:`smallest_laplace_scale`.

References: C. Dwork, F. McSherry, K. Nissim and A. Smith, Calibrating Noise to
Sensitivity in Private Data Analysis, TCC 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

from exactdp.mechanisms.noise import (
    Parameter,
    nonnegative_epsilon,
    outward,
    positive_number,
    target_delta,
)
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    exp,
    is_below,
    log,
)
from exactdp.truth import Truth

__all__ = ["LaplaceMechanism", "laplace_mechanism", "smallest_laplace_scale"]


@dataclass(frozen=True, slots=True)
class LaplaceMechanism:
    """Laplace noise of scale b on a query of sensitivity Δ (sum of absolute changes).

    Attributes:
        scale: b, the mean of |noise|.
        sensitivity: Δ; replacing a record may double that of adding one.
    """

    scale: Number
    sensitivity: Number

    @property
    def epsilon0(self) -> Number:
        """ε0 = Δ/b, the parameter of pure differential privacy."""
        return self.sensitivity / self.scale

    def delta(self, epsilon: Epsilon | RationalLike) -> Number:
        """Return the least δ at ε, the same in both directions.

        Formula:
            δ(ε) = max(0, 1 − e^((ε − ε0)/2)), ε0 = Δ/b. For the loss t between −ε0 and ε0,
            P[L > t] = 1 − e^((t − ε0)/2)/2 and Q[L > t] = e^(−(t + ε0)/2)/2.

        Args:
            epsilon: ε >= 0, finite; a rational number is read as nats.

        Returns:
            Exact where ε and ε0 are rational.

        Raises:
            DomainError: If epsilon is a float, infinite or negative.

        Example:
            >>> laplace_mechanism(scale=1).delta("1/2")
            Exact('(e^(1/4) - 1)/(e^(1/4))')
            >>> laplace_mechanism(scale=1).delta(1)
            Exact('0')
        """
        nats, top = nonnegative_epsilon(epsilon).nats, self.epsilon0
        if isinstance(nats, Exact) and isinstance(top, Exact) and top.is_rational:
            if nats >= top:
                return Exact(0)
            return 1 - Exact.exp((nats - top).as_fraction() / 2)
        if is_below(nats, top, max_bits=1 << 14) is Truth.FALSE:
            return Exact(0)
        return 1 - exp((nats - top) / 2)


def laplace_mechanism(*, scale: Parameter, sensitivity: Parameter = 1) -> LaplaceMechanism:
    """Return the Laplace mechanism.

    Args:
        scale: b, positive.
        sensitivity: Δ, positive, in the units of scale.

    Raises:
        DomainError: If one of them is a float or not positive.

    Example:
        >>> laplace_mechanism(scale=2).epsilon0
        Exact('1/2')
    """
    return LaplaceMechanism(
        positive_number(scale, name="scale"), positive_number(sensitivity, name="sensitivity")
    )


def smallest_laplace_scale(
    epsilon: Epsilon | RationalLike,
    delta: Exact | RationalLike,
    *,
    sensitivity: Parameter = 1,
    relative_width: RationalLike = "1e-9",
) -> Enclosure:
    """Return an enclosure of the smallest scale that gives (ε, δ)-differential privacy.

    Formula:
        b = Δ / (ε − 2 ln(1 − δ)), from 1 − e^((ε − ε0)/2) = δ.

    Args:
        epsilon: ε >= 0.
        delta: δ, strictly between 0 and 1.
        sensitivity: Δ.
        relative_width: Of the enclosure.

    Returns:
        upper certainly gives (ε, δ), lower certainly does not (δ falls strictly in b).

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        >>> found = smallest_laplace_scale(0, "1/2", relative_width="1e-6")
        >>> found.lower * 1386294 < 10**6 < found.upper * 1386295
        True
    """
    nats, bound = nonnegative_epsilon(epsilon).nats, target_delta(delta)
    size = positive_number(sensitivity, name="sensitivity")
    return outward(size / (nats - 2 * log(1 - bound)), relative_width=relative_width)
