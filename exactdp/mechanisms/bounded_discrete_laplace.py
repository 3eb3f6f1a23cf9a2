"""Discrete Laplace noise whose result is kept in [0, U], by drawing again until it is.

With a = e^(−1/b), the result y of an input x has the mass a^|y − x|/Z(x), y = 0, ..., U. The
normalization depends on x: that is not noise with a shift, and more private than none only in
appearance. Results that are moved to the nearest of 0 and U instead hide exactly as much as
unbounded noise: all below an end have one likelihood ratio.

References: N. Holohan, S. Antonatos, S. Braghin and P. Mac Aonghusa, The Bounded Laplace
Mechanism in Differential Privacy, 2018.
"""

from __future__ import annotations

from itertools import pairwise

from exactdp.divergences import Largest, Pair, Worst
from exactdp.divergences.description import (
    COUNT,
    OF_INPUTS,
    OF_QUERY,
    RATIONAL,
    WHOLE_SENSITIVITY,
    Parameter,
    described,
)
from exactdp.errors import DomainError
from exactdp.mechanisms.discrete_laplace import RATE, discrete_laplace_mechanism
from exactdp.numbers import EpsilonLike, Exact, RationalLike, count_text, refuse_above
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.limits import MAX_TERMS_OF_BOUNDED_NOISE

__all__ = ["bounded_discrete_laplace_mechanism"]


@described(
    "bounded_discrete_laplace",
    """Discrete Laplace noise drawn again until the result is in 0, ..., upper.

    The worst over all inputs there. ``rate``, 1/scale as an epsilon, may stand instead of
    ``scale``.
    """,
    Parameter("scale", "b, of the noise", RATIONAL, OF_QUERY),
    RATE,
    Parameter("upper", "U, the largest input and result", COUNT, OF_QUERY),
    WHOLE_SENSITIVITY,
    one_of=("scale", "rate"),
    sides=OF_INPUTS,
)
def bounded_discrete_laplace_mechanism(
    *,
    scale: Exact | RationalLike | None = None,
    rate: EpsilonLike | None = None,
    upper: int,
    sensitivity: int = 1,
) -> Worst:
    """Return the profile of discrete Laplace noise with results in [0, U], exactly.

    Args:
        scale: b, positive and rational, as of Laplace noise.
        rate: 1/b instead, where b is not rational.
        upper: U, an int of at least 1; inputs lie in 0, ..., U too.
        sensitivity: Δ, an int of at least 1.

    Returns:
        The largest over all inputs x < x' <= x + Δ; the mirror image y → U − y turns the other
        order into these, so both directions agree.

    Raises:
        DomainError: If not one of scale and rate is given, or an argument is outside its range.
        TooLargeError: If U and Δ are too large for all pairs of inputs.

    Example:
        On 0, 1 it is randomized response with ε = 1/b. On 0, 1, 2 an input 0 has the masses
        4/7, 2/7, 1/7 and 1 has 1/4, 1/2, 1/4: the ratio is above e^(1/b) = 2.

        >>> from exactdp import Epsilon
        >>> half = Epsilon.log(2)
        >>> one, two = (bounded_discrete_laplace_mechanism(rate=half, upper=u) for u in (1, 2))
        >>> one.max_divergence(), two.max_divergence()
        (Epsilon.log('2'), Epsilon.log('16/7'))
    """
    whole = discrete_laplace_mechanism(scale=scale, rate=rate, sensitivity=sensitivity)
    u = whole_number(upper, name="upper", at_least=1)
    a, size = 1 / whole.rate.exp, min(whole.sensitivity, u)
    if a == 1:
        raise DomainError(f"rate={whole.rate!r} is not positive. Pass an Epsilon above 0.")
    terms = (u * size) ** 2
    refuse_above(
        MAX_TERMS_OF_BOUNDED_NOISE,
        terms,
        f"upper={count_text(u)} and sensitivity={count_text(size)}: the pairs of inputs have "
        f"{count_text(terms)} terms",
        advice="Take coarser steps, or move results to 0 and U instead: discrete Laplace noise.",
    )
    powers = [a**j for j in range(u + 2)]

    def below(x: int, m: int) -> Exact:
        """Return (1 − a)·Σ of a^|y − x| over y = 0, ..., m."""
        if m < x:
            return powers[x - m] * (1 - powers[m + 1])
        return 1 - powers[x + 1] + powers[1] * (1 - powers[m - x])

    def law(x: int, cuts: list[int]) -> list[Exact]:
        sums = [Exact(0), *(below(x, m) / below(x, u) for m in cuts)]
        return [later - earlier for earlier, later in pairwise(sums)]

    pairs = []
    for x in range(u):
        for other in range(x + 1, min(u, x + size) + 1):
            # Up to x all have one likelihood ratio, and from x' on.
            cuts = [*range(x, other), u]
            pairs.append(Pair.from_masses(law(x, cuts), law(other, cuts)))
    return Largest(tuple(pairs))
