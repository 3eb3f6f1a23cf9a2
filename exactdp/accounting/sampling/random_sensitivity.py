"""Gaussian noise on a query whose sensitivity is random: Σ p_i N(c_i, σ²) against N(0, σ²).

It dominates a Gaussian mechanism that sees a record with random weights, of norms c_i: several
participations of a record in one step, or in correlated steps.

References: C. A. Choquette-Choo, A. Ganesh, T. Steinke and A. Thakurta, Privacy Amplification for
Matrix Mechanisms, 2024 (arXiv:2310.15526), Corollary 4.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from exactdp.accounting.sampling.batches import poisson_subsampled
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.errors import DomainError
from exactdp.mechanisms.gaussian import gaussian_mechanism
from exactdp.mechanisms.loss_profile import LossProfile, Rows
from exactdp.numbers import Exact, RationalLike
from exactdp.numbers.arguments import NumberLike, exact, positive
from exactdp.numbers.validated import validated

__all__ = ["gaussian_mixture"]


@validated
def gaussian_mixture(
    *,
    sigma: NumberLike,
    sensitivities: Sequence[RationalLike],
    probabilities: Sequence[RationalLike],
    normalize: bool = False,
) -> PrivacyProfile:
    """Return N(c, σ²) of a random c against N(0, σ²), in the direction of removing a record.

    Args:
        sigma: σ, positive.
        sensitivities: The values of c, at least 0.
        probabilities: Theirs, which sum to 1.
        normalize: Whether to divide them by their sum, which doubles seldom have at 1.

    Returns:
        A profile that composes; Gaussian noise, or it on a Poisson sample, where that is the same.

    Raises:
        DomainError: If a number is out of its range, or the lists are not of one length.

    Source:
        Choquette-Choo, Ganesh, Steinke & Thakurta 2024, Corollary 4.7.

    Example:
        c = 1 one time of ten, else 0, is a Poisson sample of rate 1/10; at ε = 0 a tenth of
        2Φ(1/2) − 1 = 0.382925.

        >>> from exactdp.numbers import Epsilon, decimal
        >>> one = gaussian_mixture(sigma=1, sensitivities=[0, 1], probabilities=["0.9", "0.1"])
        >>> decimal(one.delta(Epsilon.log(1)), digits=6)
        '0.0382925'
    """
    scale = positive(sigma, name="sigma")
    values = [exact(c, name="sensitivity") for c in sensitivities]
    given = dict(enumerate(probabilities))
    if len(values) != len(given) or not values:
        raise DomainError(
            f"there are {len(values)} sensitivities and {len(given)} probabilities. Give as many."
        )
    masses = [*FinitePmf(given, name="probabilities", normalize=normalize).masses.values()]
    if any(c.sign() < 0 for c in values):
        raise DomainError("a sensitivity is negative. Give its size.")
    shifts: dict[Exact, Exact] = {}
    for c, p in zip(values, masses, strict=True):
        if p != 0:
            shifts[c] = shifts.get(c, Exact(0)) + p
    none = shifts.pop(Exact(0), Exact(0))
    if not shifts:
        return Pair.from_masses([1], [1])
    top, rate = max(shifts), 1 - none
    if len(shifts) == 1:
        return poisson_subsampled(
            gaussian_mechanism(sigma=scale, sensitivity=top), sampling_probability=rate
        )
    unit, nothing = gaussian_mechanism(sigma=scale), ((0, Exact(1)),)
    weights = tuple((c, p) for c, p in [(Exact(0), none), *shifts.items()] if p != 0)
    parts = tuple((p, replace(unit, sensitivity=c)) for c, p in shifts.items())
    law = unit.law_of_shifts(weights)
    return LossProfile(law, Rows(unit, weights, nothing), parts)
