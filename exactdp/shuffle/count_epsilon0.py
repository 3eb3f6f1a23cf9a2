"""The largest ε0 whose clones still give (ε, δ): calibration of local randomizers.

Definitions: :func:`largest_epsilon0`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from exactdp.errors import DomainError
from exactdp.mechanisms.parameters import whole_number
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike
from exactdp.shuffle.count_delta import delta_ball_within
from exactdp.shuffle.count_epsilon import crossing, open_probability
from exactdp.shuffle.count_pairs import CountPair

__all__ = ["largest_epsilon0"]


def largest_epsilon0(
    family: Callable[[int, Epsilon], CountPair],
    n: int,
    *,
    epsilon: Epsilon,
    delta: Exact | RationalLike,
    relative_width: RationalLike = "1e-9",
) -> Enclosure:
    """Return an enclosure of the largest ε0 whose pair of counts is (ε, δ)-close.

    Meaning:
        Any ε0 up to the lower end is certainly safe: n shuffled reports of ε0-private
        local randomizers are (ε, δ)-private. At the upper end the pair (which is an upper
        bound on the protocol) certainly is not.

    Monotone:
        A pair with a smaller ε0 is a post-processing of one with a larger: flip every letter
        with one probability, which leaves the others' law and lowers a; and let users who
        sent nothing send a random letter with one probability, which raises r.

    Args:
        family: ``clone_pair`` or ``stronger_clone_pair``.
        n: The number of users, the victim included, at least 1.
        epsilon: ε in nats, finite, at least 0.
        delta: δ, above 0 and below 1.
        relative_width: The width is at most this times ε0.

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        Without others, (e^ε0 − e^ε)/(e^ε0 + 1) = δ; for ε = 0, δ = 1/2 at e^ε0 = 3:

        >>> from exactdp.shuffle import clone_pair
        >>> e = largest_epsilon0(clone_pair, 1, epsilon=Epsilon.log(1), delta="1/2")
        >>> Exact.exp(e.lower) < 3 < Exact.exp(e.upper)
        True
    """
    whole_number(n, name="n", at_least=1)
    target = open_probability(delta)
    if not isinstance(epsilon, Epsilon) or epsilon.is_infinite or epsilon.exp < 1:
        raise DomainError(
            f"epsilon={epsilon!r} must be a finite Epsilon of at least 0, such as "
            'Epsilon.rational("1/2").'
        )
    gamma = epsilon.exp

    def delta_at(epsilon0: Fraction, bits: int) -> arb:
        return delta_ball_within(family(n, Epsilon.rational(epsilon0)), gamma, accuracy=bits)

    return crossing(delta_at, target, first=Fraction(1), width=relative_width, sign=1)
