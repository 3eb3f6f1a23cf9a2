r"""Batches whose records are drawn with replacement, or whose Poisson samples are cut to a size.

One record adds a vector of norm at most Δ to a sum, and noise M follows, as in ``substitution``.

With replacement. m records are drawn from N, one of which is x or x', k times with probability
w_k = C(m, k)(1/N)^k(1 − 1/N)^(m − k), η = 1 − w_0. Given k >= 1 couple the batch with one that has
k other records in these places: all parts are pairwise within 2kΔ. So, with advanced joint
convexity as in ``substitution``, for γ >= 1

    H_γ(P ‖ Q) <= η Σ v_k H_α(M(2kΔ) ‖ M(0)),  α = 1 + (γ − 1)/η, v_k = w_k/η,

which is the profile of this: k is drawn with v_k, and is seen, and m out of N records without
replacement are a batch of rate η whose records weigh k times as much (``substitution``). A
real pair has it, so it composes; η may be rounded up, as ηH_(1 + (γ − 1)/η) grows with η: it is
H_γ((1 − η)Q + ηP ‖ Q), convex in η and least at η = 0. What is beyond the last k counts as lost.

Cut samples. The others' sample has r records, and a sample of more than B records is cut to B of
them at random. If r < B nothing is cut, whether the record is in or out, and the pair is that of a
Poisson sample of rate q. If r >= B, x is in the batch with probability qB/(r + 1), and then stands
where another record stood: (1 − c)M(t + z) + c M(t + x) is compared with M(t + z) where x is out,
and with (1 − c)M(t + z) + c M(t + x') where it is replaced. So these are pairs of parts within 2Δ,
``PoissonSubsampled`` with 2Δ and that of a batch of fixed size, of rate c; they grow with c, so
that sizes r are taken together with the largest c among them. That r is seen only makes it worse.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Amplification by Subsampling, 2018,
Theorem 10 (one step with replacement); A. Ganesh, Privacy accounting for truncated Poisson
samples, 2025 (arXiv:2508.15089), whose pair is another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import isqrt

from flint import arb

from exactdp.accounting.composition.parts import loss_law
from exactdp.accounting.sampling.batches import poisson_subsampled, sampled
from exactdp.accounting.sampling.relations import NeighborRelation, Replaced, one_of
from exactdp.accounting.sampling.substitution import fixed_size_of_noise
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.profile import Named, enclosed
from exactdp.divergences.values import BOUND_BITS
from exactdp.divergences.worst import Worst
from exactdp.errors import TooLargeError
from exactdp.mechanisms.gaussian import GaussianMechanism
from exactdp.mechanisms.laplace import LaplaceMechanism
from exactdp.mechanisms.loss_profile import LossProfile
from exactdp.numbers import Exact, Number, RationalLike, Real, precision, working_bits
from exactdp.numbers.arguments import of_class, probability, whole_number
from exactdp.numbers.balls import endpoints
from exactdp.numbers.renamed import renamed
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw

__all__ = ["cut_poisson_sampled", "sampled_with_replacement", "seen_mixture"]

_LOST_BITS = 64
"""How often a record is drawn so many times that they count as lost: 2^−_LOST_BITS."""

_MOST_PARTS = 64
"""Numbers of times that are told apart. More would take minutes for each answer."""

_GROUPS = 4
"""Groups of sizes of a sample that is cut. With more the bound is a bit lower."""

_SELDOM = Fraction(1, 1000)
"""How often a sample is cut, so seldom that its sizes are taken together."""


@validated
def sampled_with_replacement(
    mechanism: GaussianMechanism | LaplaceMechanism, *, drawn: int, records: int
) -> PrivacyProfile:
    """Return noise on a batch drawn with replacement, one record of which is replaced.

    Meaning:
        Bounds: above numbers of draws that are seen, for one step and composed; below a record
        unlike all others, as if it were drawn at most once.

    Args:
        mechanism: Gaussian or Laplace noise, calibrated to adding or removing one record.
        drawn: m, the size of the batch.
        records: N, the number of records, at least 1.

    Raises:
        TooLargeError: If a record is likely to be drawn some fifty times.

    Source:
        Balle, Barthe & Gaboardi 2018, Theorem 10, for one step; see the header for several.

    Example:
        One record is drawn from four: a fixed size of rate 1/4, q times 1 − 1/e at ε = 0.

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> one = sampled_with_replacement(laplace_mechanism(scale=1), drawn=1, records=4)
        >>> decimal(one.delta(Epsilon.log(1)), digits=6)  # (1 − 1/e)/4
        '0.158030'
    """
    kinds = GaussianMechanism, LaplaceMechanism
    noise = of_class(mechanism, *kinds, name="mechanism", advice="Pass noise.")
    m = whole_number(drawn, name="drawn", at_least=0)
    n = whole_number(records, name="records", at_least=1)
    if m == 0:
        return Pair.from_masses([1], [1])
    if n == 1:
        return noise.moved(2 * m)
    if m == 1:
        return fixed_size_of_noise(noise, Exact(Fraction(1, n)))
    last, rate = _last_part(m, n), _some_time(m, n)  # below 1, as so few draws are told apart
    some = _tail(m, 1, Fraction(1, n))
    parts: list[tuple[Number, PrivacyProfile]] = []
    for k in range(1, last + 1):
        weight = (_tail(m, k, Fraction(1, n)) - _tail(m, k + 1, Fraction(1, n))) / some
        parts.append((weight, fixed_size_of_noise(noise.moved(k), rate)))
    lost = None if last == m else _tail(m, last + 1, Fraction(1, n)) / some
    seen = seen_mixture(parts, lost=lost)
    # As if a record that is drawn were drawn once: half-lines tell no more of it.
    once = poisson_subsampled(noise.moved(2), sampling_probability=_rounded_down(some))
    words = "a record unlike all others, and one like them in its place"
    below = (
        Named(words, once, alone=False),
        Named(f"{words}, in the other order", once.reversed(), alone=False),
    )
    return Worst(below, (Named("numbers of draws that are seen", seen),))


@renamed
@validated
def cut_poisson_sampled(
    mechanism: GaussianMechanism,
    *,
    sampling_probability: Exact | RationalLike,
    records: int,
    at_most: int,
    neighbors: Replaced = "add_or_remove",
) -> PrivacyProfile:
    """Return noise on a Poisson sample that is cut to a size: bounds, above sizes that are seen.

    Below is a record among others that add nothing. If all records are in each sample, it is exact
    for one step.

    Args:
        mechanism: Gaussian noise, calibrated to adding or removing one record.
        sampling_probability: q, from 0 to 1.
        records: N, the number of records with the one that is removed, or replaced.
        at_most: B: of a larger sample, B records at random are the batch.
        neighbors: "add_or_remove", "substitution", or "zero_out" (replaced with what adds nothing).

    Raises:
        DomainError: If an argument is outside its range.

    Example:
        Both of two records, of which one is kept: a half of the total variation of M(2) and M(0),
        which is 2Φ(1) − 1 = 0.682689.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> noise = gaussian_mechanism(sigma=1)
        >>> one = cut_poisson_sampled(noise, sampling_probability=1, records=2, at_most=1)
        >>> decimal(one.delta(Epsilon.log(1)), digits=6)
        '0.341345'
    """
    noise = of_class(mechanism, GaussianMechanism, name="mechanism", advice="Pass noise.")
    one_of(neighbors, Replaced, name="neighbors")
    q = probability(sampling_probability, name="sampling_probability")
    n = whole_number(records, name="records", at_least=0)
    most = whole_number(at_most, name="at_most", at_least=0)
    if 0 in (n, most):
        return Pair.from_masses([1], [1])
    relation: NeighborRelation = "add_or_remove" if neighbors == "zero_out" else neighbors
    whole = sampled(noise, sampling_probability=q, neighbors=relation)
    if q == 0 or most >= n:
        return whole

    def cut(size: int) -> PrivacyProfile:
        share = q * Exact(Fraction(most, size + 1))
        if neighbors == "add_or_remove":
            return poisson_subsampled(noise.moved(2), sampling_probability=share)
        return fixed_size_of_noise(noise, share)

    if q == 1:
        return cut(n - 1)
    q_fraction = q.as_fraction()
    sizes = list(_groups(n - 1, most, q_fraction))
    tails: list[Number] = [_tail(n - 1, size, q_fraction) for size in sizes]
    parts: list[tuple[Number, PrivacyProfile]] = [(1 - tails[0], whole)]
    for (size, tail), rest in zip(
        zip(sizes, tails, strict=True), [*tails[1:], Exact(0)], strict=True
    ):
        parts.append((tail - rest, cut(size)))
    seen = seen_mixture(parts)
    # Whether its sample is cut or not, a record is in the batch this often.
    often = q * _at_most(n - 1, most - 1, q_fraction) + Exact(Fraction(most, n)) * (
        _tail(n, most + 1, q_fraction)
    )
    alone = sampled(noise, sampling_probability=_rounded_down(often), neighbors=relation)
    below = Named("a record among others that add nothing", alone)
    return Worst((below,), (Named("sizes of samples that are seen", seen),))


def seen_mixture(
    parts: Sequence[tuple[Number, PrivacyProfile]], *, lost: Number | None = None
) -> LossProfile:
    """Return the profile of pairs of which one is drawn and seen: its δ is the mean of theirs.

    Args:
        parts: (weight, profile), of what has a law of its loss; the weights are positive and sum
            to 1, with what is lost.
        lost: The probability with which all is shown, if it is not 0.

    Raises:
        DomainError: If no law is known of the loss of a part.

    Example:
        One time of two Gaussian noise of σ = 1, else of σ = 2: half of 2Φ(1/2) − 1 = 0.382925 and
        half of 2Φ(1/4) − 1 = 0.197413.

        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> from exactdp.numbers import Epsilon, decimal
        >>> half = Exact("1/2")
        >>> one = seen_mixture([(half, gaussian_mechanism(sigma=s)) for s in (1, 2)])
        >>> decimal(one.delta(Epsilon.log(1)), digits=6)
        '0.290169'
    """
    laws = [(weight, loss_law(part)) for weight, part in parts]
    if lost is not None:
        shown = LossLaw(infinity_mass=Exact(1), minus_infinity_mass=Exact(1), is_symmetric=True)
        laws.append((lost, shown))
    return LossProfile(LossLaw.mixed(laws), tuple(parts), tuple(parts))


def _tail(n: int, least: int, p: Fraction) -> Number:
    """Return the probability that a binomial count is at least a number."""
    if least <= 0:
        return Exact(1)
    if least > n:
        return Exact(0)
    return Real(partial(_tail_ball, n, least, p), f"Pr[Bin({n}, p) >= {least}]")


def _tail_ball(n: int, least: int, p: Fraction) -> arb:
    """Return I_p(k, n − k + 1), the incomplete beta function."""
    ball = Exact(p).ball(working_bits())
    return ball.beta_lower(least, n - least + 1, regularized=1)


def _at_most(n: int, most: int, p: Fraction) -> Number:
    """Return the probability that a binomial count is at most a number."""
    return 1 - _tail(n, most + 1, p)


def _rounded_down(rate: Number) -> Exact:
    """Return a rational rate that is at most this one, which is not 0."""
    return Exact(enclosed(rate, Fraction(1, 1 << BOUND_BITS)).lower)


def _some_time(m: int, n: int) -> Exact:
    """Return the probability that a record is drawn, rounded up."""
    with precision(BOUND_BITS):
        ball = -(m * (arb(-1) / n).log1p()).expm1()
        return Exact(min(Fraction(1), endpoints(ball)[1]))


def _last_part(m: int, n: int) -> int:
    """Return how many draws of one record are told apart."""
    likely = range(1, _MOST_PARTS + 1) if m <= _MOST_PARTS * n else ()
    for k in likely:
        with precision(BOUND_BITS):
            if k >= m or _tail_ball(m, k + 1, Fraction(1, n)) < arb(2) ** -_LOST_BITS:
                return min(k, m)
    raise TooLargeError(
        f"{m:,} draws from {n:,} records may draw one of them more than {_MOST_PARTS} times. "
        "Draw fewer."
    )


def _groups(n: int, most: int, p: Fraction) -> Iterator[int]:
    """Yield the least size of each group of sizes that are cut."""
    yield most
    with precision(BOUND_BITS):
        if _tail_ball(n, most, p) < arb(_SELDOM.numerator) / _SELDOM.denominator:
            return
    deviation = isqrt(int(n * p * (1 - p))) + 1
    last = min(n, max(most, int(n * p)) + 3 * deviation)
    first = max(most, int(n * p) - 3 * deviation)
    steps = [first + (last - first) * j // (_GROUPS - 1) for j in range(_GROUPS)]
    yield from (size for before, size in pairwise([most, *steps]) if size > before)
