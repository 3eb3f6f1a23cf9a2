r"""Sampling where a record is replaced: Poisson samples exactly, fixed sizes from above.

One record adds a vector of norm at most Δ to a sum, the mechanism's sensitivity, and noise
follows. Neighbors have x or x' in one place; M(z) is the law of the output at a sum z.

Poisson. Given the sample of the others, with sum s, P = (1 − q) M(s) + q M(s + x) and
Q = (1 − q) M(s) + q M(s + x'). Let H be an event with M(s)(H) = h. By Neyman and Pearson no
event of that size has more of M(s + x), or less of M(s + x'), than the half-line {y > c} of
size h has of M(Δ), or of M(−Δ), on the line (the likelihood ratios of normal and Laplace laws
on the line rise; for Laplace vectors go from 0 to x one coordinate at a time). So

    P(H) − γ Q(H) <= (1 − q)(1 − γ) h + q M(Δ)(y > c) − γ q M(−Δ)(y > c),   every γ >= 0,

and the pair (1 − q) M(0) + q M(Δ), (1 − q) M(0) + q M(−Δ) dominates all neighbors; mixing
over the sample of the others only lowers the left side (joint convexity). These are
neighbors themselves, the others being 0: δ is exact, for many steps too.

``Rows`` of a noise mechanism that has the law of such a pair are that: see its ``mixed``.

Fixed size. A batch is a uniform choice of m among N records, q = m/N. Couple a batch
T ∪ {x} with T ∪ {z}, z a record that it lacks: the mixtures of M(t + z) and M(t + x), or
M(t + x'), all of whose parts are pairwise within 2Δ. With γ >= 1, α = 1 + (γ − 1)/q and
b = γ/α, (1 − q) M(t + z) is in both, so (advanced joint convexity)

    H_γ(P ‖ Q) = q H_α(M(t + x) ‖ (1 − b) M(t + z) + b M(t + x')) <= q H_α(M(2Δ) ‖ M(0)),

that is the δ of A = ((1 − q) M(0) + q M(2Δ), M(0)); reached where all but x are −Δ, x = Δ. For
γ < 1 exchange P and Q: H_γ(P ‖ Q) = 1 − γ + γ H_{1/γ}(Q ‖ P). The two branches are one
profile, of the losses of A above 0, their mirror images, and the rest of the mass at 0. With
f = M(2Δ)(ℓ > 0), g = M(0)(ℓ > 0), ℓ the loss of M(2Δ) against M(0), the masses of P are
(1 − q) g + q f above, f' = M(2Δ)(ℓ < 0) below (masses at ℓ = 0 apart) and at 0 the rest, which
is (1 − q)(f − g) >= 0 and M(2Δ)(ℓ = 0); those of Q are the mirror image, and sum to 1 as
well. So a real pair has this profile: it dominates one step and hence, composed, all steps.
For one step δ is exact at every ε. For several it is an upper bound: the pair is not one of
neighbors, and no data are known that reach it.

Of any other mechanism the same holds with ω, the batch without the record, in place of Q0, and P0
against both ω and Q0: each differ in one record. So with δ the worst of all replacements, in both
orders, for γ >= 1

    H_γ((1 − q)ω + qP0 ‖ (1 − q)ω + qQ0) <= q·δ((γ − 1 + q)/q),

by advanced joint convexity; a mechanism that looks for one record alone attains it.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling, 2018,
Theorems 2 and 8 (advanced joint convexity); Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of
Differential Privacy via Characteristic Function, 2022, Proposition 30 (both branches) and
Theorem 10 (composition); C. Lebeda, M. Regehr, G. Kamath and T. Steinke, Avoiding Pitfalls
for Privacy Accounting of Subsampled Mechanisms under Composition, 2025 (why a worst pair of
one step need not be that of several).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from exactdp.accounting.sampling.poisson import PoissonSubsampled
from exactdp.divergences.convex_bounds import bound_of_parts
from exactdp.divergences.profile import Named, PrivacyProfile, Sample, notes_of
from exactdp.divergences.worst import Worst
from exactdp.mechanisms.loss_profile import LossProfile
from exactdp.numbers import Enclosure, Epsilon, Exact, log
from exactdp.sums import AtomLattice, LossLaw, exact_masses

__all__ = ["FixedSizeSampled", "fixed_size_of_noise"]

_LIKE_NO_OTHER = "a record unlike all others, and one like them in its place"


@dataclass(frozen=True, slots=True)
class NoiseOfFixedSize:
    """Noise on batches of fixed size.

    Attributes:
        removing: The sample of noise of which a record is removed.
    """

    removing: PoissonSubsampled


def FixedSizeSampled(profiles: tuple[PrivacyProfile, ...]) -> Worst:  # noqa: N802
    """Return a mechanism on m of N records, drawn without replacement, one of which is replaced.

    Formula:
        For γ >= 1, q·δ((γ − 1 + q)/q), q = m/N, δ the larger of both orders of replacing a record;
        below 1 its mirror image.

    Args:
        profiles: Samples of the mechanism in both orders, against it and it against them.

    Example:
        A tenth of a coin's total variation, 1/2:

        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> batch = coin.subsampled("1/10")
        >>> FixedSizeSampled((batch, batch.reversed())).delta(Epsilon.log(1))
        Exact('1/20')
    """
    words = "a mechanism that looks for one record alone"
    named = tuple(Named(words, one) for one in profiles)
    said = (
        "batches of fixed size: an upper bound, which a mechanism with this delta attains (Balle, "
        "Barthe, Gaboardi 2018, Theorem 9)."
    )
    return Worst(
        named,
        tried=named if all(one.reached == "pair" for one in profiles) else (),
        is_symmetric=True,
        left_open=" ".join([said, *notes_of([(one, 1) for one in profiles])]),
    )


def fixed_size_of_noise(noise: PrivacyProfile, rate: Exact) -> Worst:
    """Return noise of a known law on m of N records, one of which is replaced.

    Formula:
        The δ of ((1 − q) M(0) + q M(2Δ), M(0)) for γ >= 1, q = m/N; below 1 its mirror image.

    Example:
        At ε = 0 it is q times the total variation distance of M(2Δ) and M(0):

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> one = fixed_size_of_noise(laplace_mechanism(scale=1), Exact("1/10"))
        >>> one.delta(Epsilon.log(1)) == (1 - Exact.exp(-1)) / 10
        True
    """
    whole = noise.moved(2)
    assert whole is not None
    return _of_moved(whole, rate)


def _of_moved(whole: PrivacyProfile, rate: Exact) -> Worst:
    """Return that of noise that is moved by 2Δ.

    Of noise neighbors of whom all others are −Δ, and the record Δ or −Δ, in both orders, have the
    samples. With X = P/Q = 1 − q + q e^ℓ, g and f of the header, and a = 1 + λ,

        E_P e^(λL) <= ∫ over ℓ > 0 of X^a dM(0) + 1 − (1 − q)g − qf,

    and X^a <= 1 − q + q e^(aℓ), of which the integral is at most (1 − q)g + q e^(λD), D that of
    M(2Δ) and M(0); f is at least 1/2.
    """
    removing = PoissonSubsampled(whole, rate)
    words = f"{_LIKE_NO_OTHER}, in the other order"
    sample = Sample("fixed size", whole, rate, _of_moved)
    said = (
        "batches of fixed size: exact for one step, an upper bound for several (Zhu, Dong, Wang "
        "2022, Proposition 30)."
    )

    return Worst(
        (
            Named(_LIKE_NO_OTHER, removing, alone=False),
            Named(words, removing.reversed(), alone=False),
        ),
        about=NoiseOfFixedSize(removing),
        pair=LossProfile(_mirrored(removing), removing, sample=sample),
        convex=partial(bound_of_parts, [(rate, whole)], more=rate / 2),
        is_symmetric=True,
        left_open=" ".join([said, *notes_of([(removing, 1)])]),
    )


def _mirrored(removing: PoissonSubsampled) -> LossLaw:
    """Return the positive losses of a sample, their mirror image, and the rest at 0."""
    law, kept = removing.loss_law(), 1 - removing.sampling_probability
    density, shared = law.density, removing.mechanism.delta(Epsilon.log(1))
    assert density is not None and not isinstance(shared, Enclosure)
    indices, unit, masses = [0], None, [kept * shared]
    if law.loose is not None:  # at both ends
        ratio, mass = law.loose[-1]
        indices, unit = [-1, 0, 1], log(ratio)
        masses = [mass / ratio, *masses, mass]
    return LossLaw(
        AtomLattice(Exact(0), unit, None, exact_masses(indices, masses)),
        density=density.positive().mirrored(),
        is_symmetric=True,
    )
