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

Definitions: :func:`bisect_monotone`, :func:`smallest_scale`,
:func:`smallest_scale_over_systems`.

References: N. Ding et al., Multi-user Pufferfish Privacy, 2025; S. Song et al.,
Pufferfish Privacy Mechanisms for Correlated Data, 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, max_divergence_both_directions
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Enclosure, Epsilon, enclosure, rational_text
from exactdp.pufferfish.line import atoms
from exactdp.pufferfish.mixtures import LaplaceMixturePair
from exactdp.pufferfish.scales import LaplaceScale
from exactdp.pufferfish.systems import Secret
from exactdp.pufferfish.transport import wasserstein_infinity
from exactdp.truth import Truth

__all__ = ["bisect_monotone", "smallest_scale", "smallest_scale_over_systems"]

_MAX_DOUBLINGS = 4096


def bisect_monotone(
    holds: Callable[[Fraction], Truth], *, start: Fraction, relative_bits: int = 64
) -> Enclosure:
    """Return an enclosure of the threshold from which on a monotone property holds.

    Args:
        holds: Decides the property at a positive rational; FALSE below the threshold and TRUE
            above it. UNKNOWN is allowed near the threshold.
        start: A positive rational, near the threshold if possible.
        relative_bits: The relative width is at most 2^-relative_bits.

    Returns:
        ``lower`` was found FALSE and ``upper`` was found TRUE.

    Raises:
        DomainError: If start is not positive.
        UndecidedError: If no threshold is found in 4096 doublings and halvings, or too
            many answers are UNKNOWN.

    Example:
        >>> root = bisect_monotone(lambda x: Truth.of(x * x >= 2), start=Fraction(1))
        >>> root.lower**2 < 2 <= root.upper**2, root.width < Fraction(1, 10**18)
        (True, True)
    """
    if start <= 0:
        raise DomainError(f"start={start} must be positive.")
    lower, upper = _bracket(holds, start)
    while (upper - lower) * 2**relative_bits > lower:
        for share in (Fraction(1, 2), Fraction(3, 8), Fraction(5, 8)):
            # Short numbers: the middle of the bracket, on a grid of a hundredth of it.
            middle = _on_grid(lower + (upper - lower) * share, (upper - lower) / 128)
            verdict = holds(middle)
            if verdict is Truth.TRUE:
                upper = middle
            elif verdict is Truth.FALSE:
                lower = middle
            else:
                continue
            break
        else:
            raise UndecidedError(
                f"three points from {rational_text(lower)} to {rational_text(upper)} "
                "stay undecided. Lower relative_bits."
            )
    return Enclosure(lower, upper)


def smallest_scale(
    pairs: Iterable[tuple[FinitePmf[Any], FinitePmf[Any]]],
    *,
    epsilon: Epsilon,
    relative_bits: int = 64,
) -> Enclosure:
    """Return an enclosure of the smallest θ that attains ε on every pair, in both directions.

    Formula:
        θ* = inf { θ > 0 : 1/γ <= f_p(y)/f_q(y) <= γ for all y and all pairs (p, q) }, γ = e^ε.

    Args:
        pairs: The two laws of the query answer, for each pair of secrets.
        epsilon: ε, positive and finite.
        relative_bits: The relative width is at most 2^-relative_bits.

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
        >>> theta = smallest_scale([pair], epsilon=Epsilon.rational("1/2"))
        >>> theta.contains(4), theta.width < Fraction(1, 10**17)
        (True, True)
    """
    if epsilon.is_infinite or epsilon.exp <= 1:
        raise DomainError(f"epsilon={epsilon!r} must be positive and finite.")
    ends = [_smallest_scale_of(p, q, epsilon, relative_bits) for p, q in pairs]
    if not ends:
        raise DomainError("pairs is empty, so every scale attains epsilon. Give at least one pair.")
    return Enclosure(max(e.lower for e in ends), max(e.upper for e in ends))


def smallest_scale_over_systems(
    first: Secret, second: Secret, *, epsilon: Epsilon, relative_bits: int = 64
) -> Enclosure:
    """Return an enclosure of the smallest θ that attains ε on two secrets in every system.

    Formula:
        sup over the laws G of the other users' sum of θ*(p * G, q * G), with p and q the
        user's own reports under the two secrets; it equals θ*(p, q) (module header).
        Where constants are no possible reports of the others, it is an upper bound, which
        laws close to a constant approach.

    Args:
        first: A secret of one user.
        second: Another secret of the same user.
        epsilon: ε, positive and finite.
        relative_bits: The relative width is at most 2^-relative_bits.

    Returns:
        As for :func:`smallest_scale`.

    Raises:
        DomainError: If epsilon is not positive or infinite.

    Source:
        Ding et al. 2025, Theorems 1-4, which quantify over all other users.

    Example:
        >>> theta = smallest_scale_over_systems(
        ...     Secret.value(5), Secret.absent(), epsilon=Epsilon.rational(1)
        ... )
        >>> theta.contains(5)
        True
    """
    return smallest_scale([(first.own, second.own)], epsilon=epsilon, relative_bits=relative_bits)


def _smallest_scale_of(
    p: FinitePmf[Any], q: FinitePmf[Any], epsilon: Epsilon, relative_bits: int
) -> Enclosure:
    exact_p, exact_q = _fraction_law(p), _fraction_law(q)
    if max_divergence_both_directions(Pair.from_pmfs(exact_p, exact_q)) <= epsilon:
        return Enclosure(Fraction(0), Fraction(0))
    pair = LaplaceMixturePair(exact_p, exact_q, LaplaceScale.rational(1))

    def attains(theta: Fraction) -> Truth:
        return pair.with_scale(LaplaceScale.rational(theta)).is_within(exp_epsilon=epsilon.exp)

    # W_infinity / epsilon attains, by the triangle inequality along the plan.
    nats = enclosure(epsilon.nats, relative_bits=16)
    start = wasserstein_infinity(exact_p, exact_q) / nats.lower
    return bisect_monotone(attains, start=start, relative_bits=relative_bits)


def _fraction_law(law: FinitePmf[Any]) -> FinitePmf[Fraction]:
    return FinitePmf(dict(zip(*atoms(law), strict=True)))


def _bracket(holds: Callable[[Fraction], Truth], start: Fraction) -> tuple[Fraction, Fraction]:
    """Return a point where the property fails and one where it holds, within a factor 4 or so."""
    lower = upper = start
    for _ in range(_MAX_DOUBLINGS):
        if holds(upper) is Truth.TRUE:
            break
        upper *= 2
    else:
        raise UndecidedError(f"the property holds nowhere up to start * 2^{_MAX_DOUBLINGS}.")
    for _ in range(_MAX_DOUBLINGS):
        lower /= 2
        verdict = holds(lower)
        if verdict is Truth.FALSE:
            return lower, upper
        if verdict is Truth.TRUE:
            upper = lower
    raise UndecidedError(f"the property holds down to start / 2^{_MAX_DOUBLINGS}.")


def _on_grid(value: Fraction, grid: Fraction) -> Fraction:
    """Return a dyadic number at a distance below ``grid`` from value."""
    bits = max(0, (grid.denominator // grid.numerator).bit_length() + 1)
    return Fraction(round(value * 2**bits), 2**bits)
