"""The discrete Laplace (geometric) mechanism: integer noise with Pr[k] ∝ e^(−|k|/b).

References: A. Ghosh, T. Roughgarden and M. Sundararajan, Universally Utility-Maximizing
Privacy Mechanisms, STOC 2009.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from sys import maxsize
from typing import Any, TypeVar

from flint import arb

from exactdp.divergences import Pair
from exactdp.divergences.description import (
    EPSILON,
    RATIONAL,
    WHOLE_SENSITIVITY,
    Event,
    Parameter,
    checked,
    described,
)
from exactdp.divergences.families import noise_scale, pure_scale
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.mechanisms.noise import whole_part
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    count_text,
    exp,
    fmpq_of,
    precision,
    refuse_above,
    short,
    working_bits,
)
from exactdp.numbers.commensurable import floor_of_logarithm
from exactdp.numbers.effort import first_answer
from exactdp.numbers.limits import MAX_OUTCOMES_OF_NOISE
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw

__all__ = [
    "DiscreteLaplaceMechanism",
    "discrete_laplace_mechanism",
]

N = TypeVar("N", Exact, Real)


@validated
@dataclass(frozen=True, slots=True)
class DiscreteLaplaceMechanism(IntegerNoise):
    """Discrete Laplace noise of rate 1/b on an integer query of sensitivity Δ.

    Formula:
        The loss at k is (|k − Δ| − |k|)/b. Of those at 0, 1, ..., Δ let c exceed ε. Then
        δ(ε) = 1 − (a^c + e^ε a^(Δ + 1 − c)) / (1 + a), a = e^(−1/b), exactly; 0 for c = 0
        and 1 − e^ε for c = Δ + 1.

    Example:
        Randomized response: at ε = 0 the two laws of rate ln 2 differ by 1/3.

        >>> discrete_laplace_mechanism(rate=Epsilon.log(2)).delta(Epsilon.rational(0))
        Exact('1/3')

    Attributes:
        rate: 1/b as an Epsilon (nats a unit of change), so that e^(1/b) is exact.
        sensitivity: Δ, an int; replacing a record may double that of adding one.
    """

    rate: Epsilon
    sensitivity: int

    @property
    def scale(self) -> Number:
        """The scale b of the Laplace noise of the same rate."""
        return 1 / self.rate.nats

    ranges = (("rate", EPSILON),)
    has_laws_near = False
    has_loss_law = True

    @property
    def spread(self) -> Fraction:
        """About the variance, 2b²."""
        return 2 / enclosed(self.rate.nats, "1e-3").lower ** 2

    def masses(self, first: int, count: int) -> list[arb]:
        """Return f(first), ..."""
        a = 1 / self.rate.exp.ball(working_bits())
        return [(1 - a) / (1 + a) * a ** abs(k) for k in range(first, first + count)]

    def mass(self, k: int) -> Exact:
        """Return Pr[noise = k] = (1 − a)/(1 + a) · a^|k|, a = e^(−1/b)."""
        a = 1 / self.rate.exp
        return (1 - a) / (1 + a) * a ** abs(k)

    def above(self, x: Number) -> Exact:
        """Return a^(m + 1)/(1 + a) for m = ⌊x⌋ >= 0, and 1 − a^(−m)/(1 + a) below."""
        a, m = 1 / self.rate.exp, whole_part(x)
        return a ** (m + 1) / (1 + a) if m >= 0 else 1 - a**-m / (1 + a)

    def exceeded(self, level: Exact) -> Exact:
        """Return the smallest integer m with Pr[noise > m] <= level."""
        growth, norm = self.rate.exp, 1 + 1 / self.rate.exp
        if level * norm < 1:
            return Exact(-1 - floor_of_logarithm(level * norm, growth))
        return Exact(-floor_of_logarithm(1 / ((1 - level) * norm), growth))

    def pair(self) -> Pair:
        """Return the exact pair on the outcomes k <= 0, 1, ..., Δ − 1, k >= Δ.

        All outcomes up to 0 have one likelihood ratio, and all from Δ on, so nothing is
        lost by merging them.

        Example:
            >>> discrete_laplace_mechanism(rate=Epsilon.log(2)).pair().masses()
            [(Exact('2/3'), Exact('1/3')), (Exact('1/3'), Exact('2/3'))]
        """
        refuse_above(
            MAX_OUTCOMES_OF_NOISE,
            self.sensitivity,
            f"sensitivity={count_text(self.sensitivity)} is the number of outcomes to tell apart",
            advice="Ask for hockey_stick, epsilon or max_divergence; or take coarser steps.",
        )
        return Pair.from_masses(*self.exact_rows((0, 1)))

    @property
    def has_pair(self) -> bool:
        """True if there are few outcomes."""
        return self.sensitivity <= MAX_OUTCOMES_OF_NOISE

    def as_finite(self) -> Pair:
        """Return the exact pair."""
        return self.pair()

    def exact_rows(self, shifts: Sequence[int]) -> list[list[Exact]]:
        """Return the exact masses around shifts, merged as in :meth:`pair`."""
        return self._merged(shifts, 1 / self.rate.exp)

    def rows(self, shifts: Sequence[int], bits: int) -> tuple[list[list[arb]], arb]:
        """Return the masses around shifts, merged as in :meth:`pair`, of which none is left out."""
        if (max(shifts) - min(shifts)) * self.sensitivity > MAX_OUTCOMES_OF_NOISE:
            return IntegerNoise.rows(self, shifts, bits)
        return self._merged(shifts, 1 / self.rate.exp.ball(working_bits())), arb(0)

    def _merged(self, shifts: Sequence[int], a: Any) -> list[list[Any]]:
        """Return the masses up to the least shift, at each integer between, from the largest on."""
        size, low, high = self.sensitivity, min(shifts), max(shifts)
        inner = (1 - a) / (1 + a)
        return [
            [
                a ** ((s - low) * size) / (1 + a),
                *(inner * a ** abs(k - s * size) for k in range(low * size + 1, high * size)),
                a ** ((high - s) * size) / (1 + a),
            ]
            for s in shifts
        ]

    def _epsilon_at(self, delta: Exact) -> Epsilon | None:
        """Return the smallest ε exactly; None where its numbers would be too long.

        Example:
            >>> discrete_laplace_mechanism(rate=Epsilon.log(2)).epsilon("1/6")
            Epsilon.log('3/2')
        """
        return first_answer(partial(self._exact_epsilon, delta), lambda: None)

    def _exact_epsilon(self, delta: Exact) -> Epsilon:
        size, step = self.sensitivity, self.rate.exp
        # δ falls in ε; of the losses, find those at which it is above the target.
        count = bisect_left(
            range(size // 2 + 1),
            x=True,
            key=lambda k: self._exactly(step ** (size - 2 * k)) > delta,
        )
        a = 1 / step
        exp_epsilon = ((1 - delta) * (1 + a) - a**count) / a ** (size + 1 - count)
        return Epsilon(max(Exact(1), exp_epsilon)) if count else self.max_divergence()

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        found = self._epsilon_at(delta)
        if found is None:
            return IntegerNoise._epsilon_within(self, delta, width)
        return enclosed(found.nats, width)

    def max_divergence(self) -> Epsilon:
        """Return Δ/b."""
        return self.rate * self.sensitivity

    def _loss_law(self) -> LossLaw:
        """Return the law of the losses (Δ − 2k)/b."""
        masses = self.pair().masses()
        return LossLaw.of_atoms(sorted((p / q, p) for p, q in masses))

    def _renyi_at(self, order: Fraction) -> Number:
        if self.sensitivity > MAX_OUTCOMES_OF_NOISE:
            return self._renyi_of_sums(order)
        return self.pair()._renyi_at(order)

    def _renyi_within(self, order: Fraction, width: Fraction) -> Enclosure:
        return enclosed(self._renyi_of_sums(order), width)

    def _renyi_of_sums(self, order: Fraction) -> Number:
        """Return D_a by a geometric sum, however many losses there are.

        Formula:
            With λ = a − 1, r = e^(−(1 + 2λ)/b) and s = Δ/b, over e^(λs)/(1 + e^(−1/b)),

                E e^(λL) is 1 + (1 − e^(−1/b))(r + ... + r^(Δ − 1)) + e^(−(1 + 2λ)s).
        """
        return Real(partial(self._renyi_ball, order), f"Rényi divergence of order {short(order)}")

    def _renyi_ball(self, order: Fraction) -> arb:
        bits, size = working_bits(), self.sensitivity
        with precision(bits + 64):
            step, power = self.rate.nats.ball(bits + 64), arb(fmpq_of(order - 1))
            fall = -(1 + 2 * power) * step
            # r + ... + r^(Δ − 1), by differences that do not cancel; there are Δ − 1 terms if r = 1
            inner = arb(size - 1)
            if order != Fraction(1, 2):
                inner = fall.exp() * ((size - 1) * fall).expm1() / fall.expm1()
            rise = -(-step).expm1() * inner + (size * fall).exp()
            return step * size + (rise.log1p() - (-step).exp().log1p()) / power

    def _delta_at(self, gamma: Exact) -> Number:
        return first_answer(partial(self._exactly, gamma), partial(self._computable, gamma))

    def _exactly(self, gamma: Exact) -> Exact:
        return self._delta(gamma, lambda j: self.rate.exp**-j)

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        return enclosed(self._computable(gamma), width)

    def _computable(self, gamma: Exact) -> Number:
        """Return δ in balls: exactly, a rate of 2^20/1000003 makes polynomials of such degrees."""
        rate = self.rate.nats
        return self._delta(gamma, lambda j: exp(-j * rate))

    def _delta(self, gamma: Exact, power: Callable[[int], N]) -> Exact | N:
        """Return δ from the powers of a."""
        size, count = self.sensitivity, self.losses_above(gamma)
        if count == 0:
            return Exact(0)
        if count > size:
            return 1 - gamma
        return 1 - (power(count) + gamma * power(size - count + 1)) / (1 + power(1))

    def losses_above(self, gamma: Exact) -> int:
        """Return how many of the losses (Δ − 2k)/b at k = 0, 1, ..., Δ exceed ε = ln γ."""
        size, rate, nats = self.sensitivity, self.rate.nats, Epsilon(gamma).nats
        if isinstance(rate, Exact) and isinstance(nats, Exact):
            half = (size - nats.as_fraction() / rate.as_fraction()) / 2
            return min(max(0, ceil(half)), size + 1)
        refuse_above(
            maxsize,
            size,
            f"sensitivity={count_text(size)} with such a rate has too many losses",
            advice="Take a rational scale, or a smaller sensitivity.",
        )
        return bisect_left(
            range(size + 1), x=True, key=lambda k: self.rate.exp ** (size - 2 * k) <= gamma
        )


RATE = Parameter("rate", "1/b instead, where b is not rational", EPSILON, "nats a unit")


@described(
    "discrete_laplace",
    """Integer noise with mass proportional to e^(−|x|/scale).

    ``rate`` may stand instead of ``scale``, 1/scale as an epsilon: {"log": "2"} halves at each
    step.
    """,
    noise_scale("scale", "b, as of Laplace noise", RATIONAL, known=pure_scale),
    RATE,
    WHOLE_SENSITIVITY,
    one_of=("scale", "rate"),
    goes_into=frozenset({"thresholds", "allocations"}),
    is_pair=True,
    event=Event(
        "DiscreteLaplaceDpEvent", {"rate": "noise_parameter", "sensitivity": "sensitivity"}
    ),
    drawn="scale",
)
def discrete_laplace_mechanism(
    *,
    scale: Exact | RationalLike | None = None,
    rate: EpsilonLike | None = None,
    sensitivity: int = 1,
) -> DiscreteLaplaceMechanism:
    """Return the discrete Laplace mechanism of a scale, or of its inverse.

    Args:
        scale: b, positive and rational, as of Laplace noise.
        rate: 1/b instead, where b is not rational: Epsilon.log(2) halves the mass at each step.
        sensitivity: Δ, an int of at least 1.

    Raises:
        DomainError: If not one of scale and rate is given, or an argument is outside its range.

    Example:
        >>> discrete_laplace_mechanism(scale=5) == discrete_laplace_mechanism(
        ...     rate=Epsilon.rational("1/5")
        ... )
        True
    """
    given = checked(discrete_laplace_mechanism, scale=scale, rate=rate, sensitivity=sensitivity)
    if "scale" in given:
        given["rate"] = Epsilon.rational(1 / given.pop("scale"))
    return DiscreteLaplaceMechanism(**given)
