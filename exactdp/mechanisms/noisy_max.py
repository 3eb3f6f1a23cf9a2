"""The index of the largest of noisy scores: its law, exactly.

Scores u_1, ..., u_n each get noise of scale b, and the index of the largest is reported. With
Gumbel noise this is the exponential mechanism, Pr[i] ∝ e^(u_i/b); with exponential noise it is
permute-and-flip. All laws are exact for rational scores and scale, those of Laplace noise too:
between two neighboring scores, density and distribution functions are a + c·e^(±x/b).

The worst case of Gumbel noise over all scores is in ``bounded_range``.

References: F. McSherry and K. Talwar, Mechanism Design via Differential Privacy, FOCS 2007;
R. McKenna and D. Sheldon, Permute-and-Flip, NeurIPS 2020; Z. Ding et al., The Permute-and-Flip
Mechanism is Identical to Report-Noisy-Max with Exponential Noise, 2021; J. Dong, D. Durfee and
R. Rogers, Optimal Differential Privacy Composition for Exponential Mechanisms, ICML 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import permutations
from math import perm
from typing import Literal, get_args

from flint import fmpq_poly, fmpz_poly

from exactdp.divergences import Pair
from exactdp.divergences.description import RATIONAL
from exactdp.errors import DomainError
from exactdp.mechanisms.sparse_vector import AboveThreshold
from exactdp.numbers import (
    Exact,
    RationalLike,
    count_text,
    fraction_of,
    rational,
    refuse_above,
    short,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.limits import MAX_CANDIDATES, MAX_DEGREE_OF_SCORES, MAX_OUTCOMES_OF_NOISE
from exactdp.numbers.powers import fraction_gcd
from exactdp.numbers.validated import validated

__all__ = ["NoisyMax", "noisy_max"]

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
            >>> [x.expression() for x in NoisyMax("exponential", Fraction(1)).law([1, 0])]
            ['(2*e - 1)/(2*e)', '1/(2*e)']
        """
        a, rate = self._steps(scores)
        match self.noise:
            case "gumbel":
                weights = [fmpz_poly([1]).left_shift(max(a) - x) for x in a]
                total = sum(weights, fmpz_poly([0]))
                return [Exact.from_polynomial(w, rate=rate, denominator=total) for w in weights]
            case "exponential":
                product = _product(a)
                laws = [_integral(_without(product, x)).left_shift(x) for x in a]
                return [_number(law, rate) for law in laws]
            case "laplace":  # all others are below it, as if it were a noisy threshold
                one, places = AboveThreshold(self.scale, self.scale, None), range(len(a))
                gaps = [
                    [(a[i] - a[j]) * rate * self.scale for j in places if j != i] for i in places
                ]
                return [one.integral(others, (0,) * len(others), (), rate) for others in gaps]

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

            >>> from exactdp.numbers import Epsilon
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
    return NoisyMax(noise, RATIONAL.check(scale, name="scale"))


# Probabilities are polynomials in h = e^(−rate); those in t, below, are lists of such from t^0 on.


def _number(polynomial: fmpq_poly, rate: Fraction) -> Exact:
    """Return a polynomial in h as a number."""
    top = fmpz_poly(polynomial.numer().coeffs()[::-1])
    below = fmpz_poly([polynomial.denom()]).left_shift(polynomial.degree())
    return Exact.from_polynomial(top, rate=rate, denominator=below)


def _product(a: Sequence[int]) -> list[fmpq_poly]:
    """Return Π (1 − h^a·t)."""
    zero, found = fmpq_poly([0]), [fmpq_poly([1])]
    for x in a:
        moved = [zero, *(c.left_shift(x) for c in found)]
        found = [c - d for c, d in zip([*found, zero], moved, strict=True)]
    return found


def _without(product: Sequence[fmpq_poly], a: int) -> list[fmpq_poly]:
    """Return such a product over (1 − h^a·t)."""
    found: list[fmpq_poly] = []
    for c in product[:-1]:
        found.append(c + found[-1].left_shift(a) if found else c)
    return found


def _integral(polynomial: Sequence[fmpq_poly]) -> fmpq_poly:
    return sum((c / (k + 1) for k, c in enumerate(polynomial)), fmpq_poly([0]))
