"""The index of the largest of noisy scores: its law, exactly; and its worst case.

Scores u_1, ..., u_n each get noise of scale b, and the index of the largest is reported. With
Gumbel noise this is the exponential mechanism, Pr[i] ∝ e^(u_i/b); with exponential noise it is
permute-and-flip. All laws are exact for rational scores and scale, those of Laplace noise too:
between two neighboring scores, density and distribution functions are a + c·e^(±x/b).

A neighbor changes each score by at most the sensitivity Δ, up or down; where all go the same
way, scores are monotone. With r = 2Δ/b, or Δ/b for monotone ones, all three are r-private, and
no less for any n >= 2: the supremum is approached where an index is unlikely.

References: F. McSherry and K. Talwar, Mechanism Design via Differential Privacy, FOCS 2007;
R. McKenna and D. Sheldon, Permute-and-Flip, NeurIPS 2020; Z. Ding et al., The Permute-and-Flip
Mechanism is Identical to Report-Noisy-Max with Exponential Noise, 2021; J. Dong, D. Durfee and
R. Rogers, Optimal Differential Privacy Composition for Exponential Mechanisms, ICML 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise, permutations
from math import perm
from typing import Literal, get_args

from flint import fmpq, fmpq_poly, fmpz_poly

from exactdp.divergences import NumberProfile, Pair
from exactdp.divergences.families import calibrates
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms.losses.laplace import LaplaceLoss
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    count_text,
    exp,
    fmpq_of,
    fraction_of,
    is_log_below,
    log,
    rational,
    refuse_above,
    short,
    sqrt,
)
from exactdp.numbers.arguments import open_probability, whole_number
from exactdp.numbers.limits import MAX_CANDIDATES, MAX_DEGREE_OF_SCORES, MAX_OUTCOMES_OF_NOISE
from exactdp.numbers.powers import fraction_gcd
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw

__all__ = [
    "BoundedRange",
    "NoisyMax",
    "exponential_mechanism",
    "noisy_max",
]

MaxNoise = Literal["gumbel", "exponential", "laplace"]


@validated
@dataclass(frozen=True, slots=True)
class NoisyMax:
    """The report of the largest noisy score.

    Attributes:
        noise: What is added to each score.
        scale: b, positive.
    """

    noise: MaxNoise
    scale: Fraction

    def law(self, scores: Sequence[RationalLike]) -> list[Exact]:
        """Return the probability of each index, in order.

        Formula:
            Gumbel: e^(u_i/b)/Σ_j e^(u_j/b). Exponential: with p_j = e^((u_j − max u)/b),
            p_i ∫ Π_{j != i} (1 − t·p_j) dt for t from 0 to 1, as t is the share of a random
            order before i. Laplace: ∫ f(x − u_i) Π_{j != i} F(x − u_j) dx.

        Raises:
            TooLargeError: If there are too many scores.

        Example:
            >>> [str(x) for x in NoisyMax("exponential", Fraction(1)).law([1, 0])]
            ['(2*e - 1)/(2*e)', '1/(2*e)']
        """
        a, rate = self._steps(scores)
        match self.noise:
            case "gumbel":
                weights = [fmpz_poly([1]).left_shift(max(a) - x) for x in a]
                total = sum(weights, fmpz_poly([0]))
                return [Exact.from_polynomial(w, rate=rate, denominator=total) for w in weights]
            case "exponential":
                product = _product(a, 1)
                laws = [_integral(_without(product, x)).left_shift(x) for x in a]
            case "laplace":
                laws = [_laplace(a, i, rate) for i in range(len(a))]
        return [_number(law, rate) for law in laws]

    def ranking(self, scores: Sequence[RationalLike], *, top: int) -> dict[tuple[int, ...], Exact]:
        """Return the law of the ``top`` indices in the order of their noisy scores (one shot).

        Formula:
            Gumbel noise only: the product of e^(u_i/b) over what is left at each place, as of
            repeated exponential mechanisms without what was taken.

        Raises:
            DomainError: If top is not between 1 and the number of scores, or above 1 for other
                noise.
            TooLargeError: If there are too many rankings.

        Example:
            >>> NoisyMax("gumbel", Fraction(1)).ranking([0, 0, 0], top=2)[0, 1]
            Exact('1/6')
        """
        k, n = whole_number(top, name="top", at_least=1), len(scores)
        if k > n or (k > 1 and self.noise != "gumbel"):
            raise DomainError(
                f"top={k} of {n} scores with {self.noise} noise. Give at most the number of "
                "scores; and 1 for other noise than gumbel, whose rankings have no short law."
            )
        if k == 1:
            return {(i,): mass for i, mass in enumerate(self.law(scores))}
        refuse_above(
            MAX_OUTCOMES_OF_NOISE,
            perm(n, k),
            f"{n} scores have {count_text(perm(n, k))} rankings of {k}",
            advice="Give fewer scores, or a smaller top.",
        )
        weights, found = self.law(scores), {}
        for ranking in permutations(range(n), k):
            mass, left = Exact(1), Exact(1)
            for i in ranking:
                mass, left = mass * weights[i] / left, left - weights[i]
            found[ranking] = mass
        return found

    def pair(
        self, scores: Sequence[RationalLike], neighbor: Sequence[RationalLike], *, top: int = 1
    ) -> Pair:
        """Return the laws of the report for two vectors of scores.

        Example:
            The exponential mechanism with b = 1, scores that move by 1 each: loss 2 at most.

            >>> one = noisy_max("gumbel", scale=1)
            >>> one.pair([0, 9], [1, 8]).max_divergence() < Epsilon.rational(2)
            True
        """
        if len(scores) != len(neighbor):
            raise DomainError(
                f"{len(scores)} scores, and {len(neighbor)} of its neighbor. Give as many."
            )
        p, q = (self.ranking(u, top=top) for u in (scores, neighbor))
        pair = Pair.from_masses(p.values(), q.values())
        return Pair(*pair.weights, outcomes=list(p))

    def _steps(self, scores: Sequence[RationalLike]) -> tuple[list[int], Fraction]:
        """Return how far scores are below the largest, in steps, and a step over b."""
        if not scores:
            raise DomainError("there are no scores. Give at least one.")
        refuse_above(
            MAX_CANDIDATES[self.noise],
            len(scores),
            f"there are {len(scores)} scores, each with an exact probability",
            advice="Give fewer.",
        )
        u = [fraction_of(rational(x, name="score")) / self.scale for x in scores]
        below = [max(u) - x for x in u]
        rate = reduce(fraction_gcd, below, Fraction(0)) or Fraction(1)
        refuse_above(
            MAX_DEGREE_OF_SCORES,
            degree := int(sum(below) / rate),
            f"the scores make polynomials of degree {count_text(degree)} in e^({short(rate)})",
            advice="Round the scores and the scale.",
        )
        return [int(x / rate) for x in below], rate


@validated
def noisy_max(noise: MaxNoise, *, scale: RationalLike) -> NoisyMax:
    """Return the report of the largest noisy score.

    Args:
        noise: "gumbel" (the exponential mechanism), "exponential" (permute-and-flip) or
            "laplace".
        scale: b, positive and rational.

    Raises:
        DomainError: If an argument is outside its range.
    """
    if noise not in get_args(MaxNoise):
        raise DomainError(f"noise={noise!r} is not known. Use {', '.join(get_args(MaxNoise))}.")
    return NoisyMax(noise, _positive(scale, "scale"))


@validated
@dataclass(frozen=True, slots=True)
class BoundedRange(NumberProfile[Number]):
    """The worst case of all mechanisms whose losses lie in some interval of length r.

    Formula:
        δ(ε) = (1 − e^((ε − r)/2))²/(1 − e^(−r)) for ε from −r to r: the largest of two-point
        pairs with losses t and t − r, at t = (ε + r)/2.

    It is the exponential mechanism's worst case over all scores and neighbors, exactly: its
    losses are the changes of scores over b but for a constant, and two scores make every pair.

    Source:
        Dong, Durfee & Rogers 2020, Lemma 3.2 and what follows it.

    Attributes:
        size: r, above 0.

    Example:
        >>> BoundedRange(Fraction(2)).delta(Epsilon.rational(0))
        Exact('(e - 1)/(e + 1)')
    """

    size: Fraction

    @property
    def has_closed_form(self) -> bool:
        """Always."""
        return True

    def loss_law(self) -> LossLaw:
        """Return the law of the loss of the pair with this δ, which dominates all mechanisms.

        Formula:
            The slope of δ is −Q[L > ε]: between −r and r the density under P is
            e^((ℓ − r)/2)/(2(1 − e^(−r))), as of Laplace noise of scale 1/r without its atoms.
        """
        whole = 2 / (1 - Exact.exp(-self.size))
        return LossLaw(density=LaplaceLoss(Exact(self.size)).scaled(whole), is_symmetric=True)

    def pair(self, loss: RationalLike) -> Pair:
        """Return a mechanism of two outcomes with this loss, between 0 and r, and r less.

        Example:
            >>> BoundedRange(Fraction(2)).pair(1).masses()[0]
            (Exact('e/(e + 1)'), Exact('1/(e + 1)'))
        """
        high = fraction_of(rational(loss, name="loss"))
        if not 0 < high < self.size:
            raise DomainError(
                f"loss={high} is not between 0 and {self.size}. Pass the larger of the two losses."
            )
        ratios = Exact.exp(high), Exact.exp(high - self.size)
        first = (1 - ratios[1]) / (ratios[0] - ratios[1])
        q = [first, 1 - first]
        return Pair.from_masses([x * r for x, r in zip(q, ratios, strict=True)], q)

    def max_divergence(self) -> Epsilon:
        """Return r: a supremum."""
        return Epsilon.rational(self.size)

    def reversed(self) -> BoundedRange:
        """Return itself: with a pair, the reversed one is among them."""
        return self

    def _delta_at(self, gamma: Exact) -> Number:
        nats, r = Epsilon(gamma).nats, self.size
        beyond = 1 - gamma if gamma < 1 else Exact(0)
        # Decided, as of two epsilons.
        if not is_log_below(1 / gamma if beyond else gamma, self.max_divergence()).is_certain:
            return beyond
        if isinstance(nats, Exact):
            with suppress(TooLargeError):  # of unrelated doubles: no short polynomial
                root = Exact.exp((nats.as_fraction() - r) / 2)
                return (1 - root) ** 2 / (1 - Exact.exp(-r))
        return (1 - exp((nats - r) / 2)) ** 2 / (1 - exp(Exact(-r)))

    def _renyi_at(self, order: Fraction) -> Number:
        # Of the pair with e^t = (1 − a)(1 − e^(−ar))/(a(e^(−ar) − e^(−r))): stationary in t.
        a, r = Exact(order), self.size
        least, power = (1 - exp(-Exact(x)) for x in (r, order * r))
        top = (a - 1) * power / (a * (power - least))
        return log(top) + log(power / (a * least)) / (a - 1)

    def _trade_off_at(self, level: Exact) -> Exact:
        # The least of max(1 − αe^(r − t), (1 − α)e^(−t)), where both are equal.
        return (1 - level) / (1 - level + level * Exact.exp(self.size))


def _smallest_scale(
    epsilon: Epsilon, delta: Exact, *, sensitivity: RationalLike, monotone: bool
) -> Number:
    """Return the smallest b: (Δ if monotone, else 2Δ)/r, δ(ε) of that r solved for it.

    Formula:
        e^(−r/2) = (e^(ε/2) − √(δ(e^ε + δ − 1)))/(e^ε + δ), and r = ε for δ = 0.
    """
    gamma, reach = epsilon.exp, Exact(_reach(sensitivity, monotone=monotone))
    if delta == 0:
        if gamma == 1:
            raise DomainError("epsilon=0 with delta=0 has no scale. Give one of them above 0.")
        return reach / epsilon.nats
    target = open_probability(delta, name="delta")
    root = sqrt(gamma) - sqrt(target * (gamma + target - 1))
    return reach / (-2 * log(root / (gamma + target)))


@calibrates("scale", known=_smallest_scale)
def exponential_mechanism(
    *, scale: RationalLike, sensitivity: RationalLike = 1, monotone: bool = False
) -> BoundedRange:
    """Return the worst case of the exponential mechanism, over all scores and neighbors.

    Pr[i] ∝ e^(u_i/b), b = scale.

    Args:
        scale: b, positive; McSherry and Talwar take 2Δ/ε.
        sensitivity: Δ, by how much a score may change.
        monotone: Whether all scores of a neighbor change the same way.

    Example:
        >>> exponential_mechanism(scale=2).max_divergence()
        Epsilon.rational('1')
    """
    return BoundedRange(_reach(sensitivity, monotone=monotone) / _positive(scale, "scale"))


def _reach(sensitivity: RationalLike, *, monotone: bool) -> Fraction:
    """Return how far two scores may move against each other."""
    return _positive(sensitivity, "sensitivity") * (1 if monotone else 2)


def _positive(value: RationalLike, name: str) -> Fraction:
    found = fraction_of(rational(value, name=name))
    if found <= 0:
        raise DomainError(f"{name}={found} is not positive. Pass a positive number.")
    return found


# Probabilities are polynomials in h = e^(−rate); those in t, below, are lists of such from t^0 on.


def _number(polynomial: fmpq_poly, rate: Fraction) -> Exact:
    """Return a polynomial in h as a number."""
    top = fmpz_poly(polynomial.numer().coeffs()[::-1])
    below = fmpz_poly([polynomial.denom()]).left_shift(polynomial.degree())
    return Exact.from_polynomial(top, rate=rate, denominator=below)


def _product(a: Sequence[int], share: fmpq | int) -> list[fmpq_poly]:
    """Return Π (1 − share·h^a·t)."""
    zero, found = fmpq_poly([0]), [fmpq_poly([1])]
    for x in a:
        moved = [zero, *(share * c.left_shift(x) for c in found)]
        found = [c - d for c, d in zip([*found, zero], moved, strict=True)]
    return found


def _without(product: Sequence[fmpq_poly], a: int) -> list[fmpq_poly]:
    """Return such a product, of share 1, over (1 − h^a·t)."""
    found: list[fmpq_poly] = []
    for c in product[:-1]:
        found.append(c + found[-1].left_shift(a) if found else c)
    return found


def _integral(polynomial: Sequence[fmpq_poly]) -> fmpq_poly:
    return sum((c / (k + 1) for k, c in enumerate(polynomial)), fmpq_poly([0]))


def _laplace(a: Sequence[int], i: int, rate: Fraction) -> fmpq_poly:
    """Return ∫ f(x − u_i) Π_{j != i} F(x − u_j) dx, piece by piece between scores.

    F is e^(x − u_j)/2 below u_j and 1 − e^(u_j − x)/2 above. In units of b, u_j = −a_j·rate.
    """
    total, others = fmpq_poly([0]), [x for j, x in enumerate(a) if j != i]
    ends: list[int | None] = [None, *sorted(set(a), reverse=True), None]
    for start, end in pairwise(ends):
        higher = [x for x in others if start is None or x < start]
        lower = [x for x in others if start is not None and x >= start]
        sign = 1 if start is None or a[i] < start else -1
        fixed, power = sum(higher) + sign * a[i], len(higher) + sign
        piece = fmpq_poly([0])
        for k, c in enumerate(_product(lower, fmpq(1, 2))):
            r = power - k  # c·h^(−fixed)·e^(rx)
            if r == 0:
                assert start is not None and end is not None
                piece += fmpq_of((start - end) * rate) * _shifted(c, -fixed)
                continue
            for x, way in ((end, 1), (start, -1)):
                if x is not None:
                    piece += fmpq(way, r) * _shifted(c, r * x - fixed)
        total += piece / 2 ** (len(higher) + 1)
    return total


def _shifted(c: fmpq_poly, by: int) -> fmpq_poly:
    return c.left_shift(by) if by >= 0 else c.right_shift(-by)
