"""The smallest scale of Laplace noise that attains a given ε.

Raising the scale never hurts. For 0 < a < b the characteristic functions satisfy

    1/(1 + b²s²) = 1/(1 + a²s²) · [a²/b² + (1 − a²/b²) / (1 + b²s²)],

so Laplace noise of scale b is Laplace noise of scale a plus independent noise, which is 0
with probability a²/b² and of scale b otherwise: post-processing. By the data-processing
inequality the largest ratio of two mixtures does not grow with θ. It is continuous in θ > 0,
at most that of the laws without noise, and tends to it for θ → 0. So the scales that
attain ε are all θ > 0 if the laws without noise already have ratios at most e^ε, and are
[θ*, ∞) with θ* > 0 otherwise.

Over all systems of other users: the query answer is the user's own report plus the
independent sum of the others, so adding the others is post-processing too, whatever their
laws and presence probabilities. Hence θ* of any system is at most θ* of the user's own two
laws, which is attained by others who report a constant (or when there are none):
the smallest scale that suffices for every system is that of the two own laws. Over all own
laws on alphabets A and B too, point masses are worst, since f_p/f_q is at most the
largest e^{|a − b|/θ}: the smallest scale is max |a − b| / ε.

References: N. Ding et al., Multi-user Pufferfish Privacy, 2025; S. Song et al.,
Pufferfish Privacy Mechanisms for Correlated Data, 2017.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import arb

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Exact, RationalLike, enclosure, precision
from exactdp.numbers.arguments import any_epsilon, positive
from exactdp.numbers.balls import TOLD_BITS, endpoints, precisions
from exactdp.numbers.crossing import Slope, crossing
from exactdp.numbers.epsilon import EpsilonLike
from exactdp.numbers.validated import validated
from exactdp.pufferfish.densities import JointSupport
from exactdp.pufferfish.line import wasserstein_infinity
from exactdp.pufferfish.scales import LaplaceScale
from exactdp.pufferfish.systems import Secret

__all__ = ["smallest_scale", "smallest_scale_over_systems"]


@validated
def smallest_scale(
    pairs: Iterable[tuple[FinitePmf[Any], FinitePmf[Any]]],
    *,
    epsilon: EpsilonLike,
    relative_width: RationalLike = "1e-18",
) -> Enclosure:
    """Return an enclosure of the smallest θ that attains ε on every pair, in both directions.

    Formula:
        θ* = inf { θ > 0 : 1/γ <= f_p(y)/f_q(y) <= γ for all y and all pairs (p, q) }, γ = e^ε.

    ``pairs`` are the two laws of the query answer, for each pair of secrets.

    Returns:
        ``upper`` was certified to attain ε and ``lower`` certified not to; for the
        scales between, only monotonicity speaks (module header). The point 0 if every
        θ > 0 attains ε, because the laws without noise do.

    Raises:
        DomainError: If epsilon is not positive or infinite, or pairs is empty.

    Source:
        Ding et al. 2025, (1); the minimal value that Section 2.1 asks for.

    Example:
        Two constants at distance 2: θ* = 2/ε.

        >>> pair = FinitePmf.point(5), FinitePmf.point(3)
        >>> theta = smallest_scale([pair], epsilon=0.5)
        >>> theta.contains(4), theta.width < Fraction(1, 10**17)
        (True, True)
    """
    at = any_epsilon(epsilon)
    nats, gamma = positive(at.nats, name="epsilon"), at.exp
    laws = [(JointSupport.of(p, q), wasserstein_infinity(p, q)) for p, q in pairs]
    if not laws:
        raise DomainError("pairs is empty, so every scale attains epsilon. Give at least one pair.")
    loud = [(support, distance) for support, distance in laws if support.needs_noise(gamma)]
    if not loud:
        return Enclosure(Fraction(0), Fraction(0))

    def worst_ratio(theta: Fraction, width: Fraction) -> Enclosure:
        scale = LaplaceScale.rational(theta)
        # Far below θ* the ratio hardly depends on θ, so it is refined until it differs from γ.
        for bits in precisions(max_bits=TOLD_BITS):
            with precision(bits):
                ratios = (ratio for support, _ in loud for ratio in support.ratios(scale))
                worst = reduce(arb.max, (ratio.max(1 / ratio) for ratio in ratios))
            lower, upper = endpoints(worst)
            if upper - lower <= width * lower and not lower <= gamma <= upper:
                break
        return Enclosure(lower, upper)

    # W_infinity / epsilon attains, by the triangle inequality along the coupling.
    charged = enclosure(Exact(max(distance for _, distance in loud)) / nats).upper
    found = crossing(
        worst_ratio, gamma, slope=Slope.FALLING, first=charged, relative_width=relative_width
    )
    return Enclosure(found.lower, min(found.upper, charged))


@validated
def smallest_scale_over_systems(
    first: Secret, second: Secret, *, epsilon: EpsilonLike, relative_width: RationalLike = "1e-18"
) -> Enclosure:
    """Return :func:`smallest_scale` of two secrets of one user in every system.

    Formula:
        sup over the laws G of the other users' sum of θ*(p * G, q * G), with p and q the
        user's own reports under the two secrets; it equals θ*(p, q) (module header).
        Where constants are not possible reports of the others, it is an upper bound, which
        laws close to a constant approach.

    Source:
        Ding et al. 2025, Theorems 1-4, which quantify over all other users.

    Example:
        >>> theta = smallest_scale_over_systems(Secret.value(5), Secret.absent(), epsilon=1)
        >>> theta.contains(5)
        True
    """
    return smallest_scale([(first.own, second.own)], epsilon=epsilon, relative_width=relative_width)
