r"""The number of runs of which the best one is told, as a law with its generating function.

With G(x) = E x^K, the best of K independent runs of a law with distribution function F is at most
y with probability G(F(y)). What the number of runs costs is said by two facts: its mean, and how
fast G' grows. Let F and F' be the probabilities of scores up to a point under P and Q, and δ the
larger of both directions. Then 1 − F' <= e^t(1 − F) + δ(t) and F <= e^t F' + δ(t) for t >= 0.

- Negative binomial: G'(x) is proportional to (γ + (1 − γ)(1 − x))^(−1 − η), so G'(F)/G'(F') is at
  most e^((1 + η)t) at any t with (1 − γ)δ(t) <= γ(e^t − 1).
- Binomial: G'(x) is proportional to (1 − p + px)^(n − 1), so it is at most e^((n − 1)t) at any t
  with pδ(t) <= (1 − p)(e^t − 1).
- Poisson: G'(x) is proportional to e^(μx), so it is at most e^(μδ(0)).

Rényi divergences: as u^a v^(1 − a) is convex in both, that of the best run has

    e^((a − 1)D) <= G(0) + e^((a − 1)D_a)·sup G'(F)^a G'(F')^(1 − a).

References: N. Papernot and T. Steinke, Hyperparameter Tuning with Rényi Differential Privacy, 2022,
Definition 1 (the truncated negative binomial law); A. Koskela, R. Redberg and Y.-X. Wang, Privacy
Profiles for Private Selection, 2024 (such ratios, at a t of one's choice).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

from flint import arb

from exactdp.accounting.selection.least_step import DeltaAbove, least_step
from exactdp.distributions.counts import binomial
from exactdp.distributions.finite import FinitePmf
from exactdp.divergences.chernoff import Bounded, best_row
from exactdp.divergences.renyi_rows import RenyiRow
from exactdp.divergences.values import BOUND_BITS
from exactdp.errors import DomainError
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    certainly_not_below,
    enclosure,
    fmpq_of,
    log,
    precision,
    working_bits,
)
from exactdp.numbers.arguments import exact, of_class, open_probability, whole_number
from exactdp.numbers.balls import endpoints
from exactdp.numbers.validated import validated

__all__ = ["BinomialRuns", "FiniteRuns", "NegativeBinomialRuns", "PoissonRuns", "Runs"]

_WIDTH = Fraction(1, 10**6)
"""The relative width of a δ of a bound."""

_STOP_BITS = 40
"""Relative bits of the γ of a mean."""

_LONGEST = 1 << 10
"""The power up to which a probability is an exact number."""


class Runs(ABC):
    """A law of the number of runs, independent of the data.

    Example:
        >>> Runs.geometric(stop="1/4").generating(Exact("1/2")), Runs.geometric(stop="1/4").mean
        (Exact('1/5'), Exact('4'))
        >>> Runs.poisson(mean=3).generating(Exact("1/3")) == Exact.exp(-2)
        True
        >>> Runs.of({0: "1/4", 2: "3/4"}).generating(Exact("1/3"))
        Exact('1/3')
    """

    @staticmethod
    def fixed(count: int) -> FiniteRuns:
        """Return the law of so many runs."""
        return FiniteRuns(FinitePmf.point(whole_number(count, name="count", at_least=1)))

    @staticmethod
    def of(masses: Mapping[int, Exact | RationalLike], *, normalize: bool = False) -> FiniteRuns:
        """Return a finite law of numbers of runs, whose masses sum to 1 or are divided."""
        given = of_class(masses, Mapping, name="masses", advice='Pass {1: "1/2", 3: "1/2"}.')
        counts = {whole_number(k, name="a number of runs", at_least=0): p for k, p in given.items()}
        return FiniteRuns(FinitePmf(counts, name="runs", normalize=normalize))

    @staticmethod
    def binomial(*, trials: int, probability: Exact | RationalLike) -> BinomialRuns:
        """Return the binomial law: each of so many runs takes place with a probability."""
        count = whole_number(trials, name="trials", at_least=1)
        return BinomialRuns(count, open_probability(probability, name="probability"))

    @staticmethod
    def geometric(
        *, stop: Exact | RationalLike | None = None, mean: Exact | RationalLike | None = None
    ) -> Runs:
        """Return the geometric law from 1 on: after each run it stops with probability γ."""
        return Runs.negative_binomial(shape=1, stop=stop, mean=mean)

    @staticmethod
    def negative_binomial(
        *,
        shape: Exact | RationalLike,
        stop: Exact | RationalLike | None = None,
        mean: Exact | RationalLike | None = None,
    ) -> Runs:
        """Return the negative binomial law without 0, by its γ or its mean.

        Args:
            shape: η, rational and above −1: 1 is the geometric law, 0 the logarithmic one.
            stop: γ, above 0 and below 1.
            mean: E K, at least 1. If η is not 1, it is rounded up: γ is down, to 40 bits.

        Raises:
            DomainError: If an argument is outside its range, or not one of γ and the mean is given.
        """
        form = exact(shape, name="shape")
        if not form.is_rational or form <= -1:
            raise DomainError(
                f"shape={form.text(most=40)} must be rational and above -1. Pass 1 for the "
                "geometric law, 0 for the logarithmic one."
            )
        if (stop is None) == (mean is None):
            raise DomainError("the number of runs needs stop or mean. Pass one of them.")
        if stop is not None:
            return NegativeBinomialRuns(form, open_probability(stop, name="stop"))
        assert mean is not None
        size = exact(mean, name="mean")
        if size < 1:
            raise DomainError(f"mean={size.text(most=40)} is below 1. Pass at least 1 run.")
        return Runs.fixed(1) if size == 1 else NegativeBinomialRuns(form, _stop_of(form, size))

    @staticmethod
    def poisson(*, mean: Exact | RationalLike) -> PoissonRuns:
        """Return the Poisson law, which may have no run at all."""
        size = exact(mean, name="mean")
        if size <= 0:
            raise DomainError(f"mean={size.text(most=40)} is not positive. Pass a positive number.")
        return PoissonRuns(size)

    @property
    @abstractmethod
    def mean(self) -> Number:
        """The mean number of runs, E K."""

    @abstractmethod
    def generating(self, x: Exact) -> Number:
        """Return G(x) = E x^K, x from 0 to 1."""

    @property
    def most(self) -> int | None:
        """The largest number of runs; None if there is none."""
        return None

    theorem: ClassVar[str] = ""
    """Where a bound of Rényi divergences is from; "" where none is known."""

    @property
    def pure(self) -> Fraction | None:
        """The factor c with which ε-private runs are cε-private; None if it is not known."""
        return None

    def excess(self, one: Bounded, delta: DeltaAbove) -> Callable[[Fraction], Fraction] | None:
        """Return x(a) with sup G'(F)^a G'(F')^(1 − a) <= E K·e^((a − 1)x); None if not known.

        Args:
            one: The bounds of the divergences of one run, in both orders.
            delta: Its δ.
        """
        return None

    @abstractmethod
    def growth(self, delta: DeltaAbove) -> Fraction | None:
        """Return a bound of ln(G'(F)/G'(F')) for a run of this profile; None if none is known."""


@validated
@dataclass(frozen=True)
class FiniteRuns(Runs):
    """Finitely many numbers of runs.

    Attributes:
        masses: The law.
    """

    masses: FinitePmf[int]

    @property
    def mean(self) -> Exact:
        """The mean of the masses."""
        return sum((k * p for k, p in self.masses.masses.items()), Exact(0))

    def generating(self, x: Exact) -> Exact:
        """Return the polynomial with these masses."""
        return sum((p * x**k for k, p in self.masses.masses.items()), Exact(0))

    @property
    def most(self) -> int:
        """The largest number of runs."""
        return max(k for k, p in self.masses.masses.items() if p != 0)

    def growth(self, delta: DeltaAbove) -> Fraction | None:
        """Return None: F' may be 0 where F is not. What all runs show bounds it."""
        return None


@validated
@dataclass(frozen=True)
class BinomialRuns(Runs):
    """A binomial number of runs.

    Attributes:
        trials: n.
        chance: p, above 0 and below 1.
    """

    trials: int
    chance: Exact

    @property
    def mean(self) -> Exact:
        """The product np."""
        return self.trials * self.chance

    def generating(self, x: Exact) -> Exact:
        """Return (1 − p + px)^n."""
        return (1 - self.chance + self.chance * x) ** self.trials

    @property
    def most(self) -> int:
        """The number n."""
        return self.trials

    @property
    def masses(self) -> FinitePmf[int]:
        """The law, listed."""
        return binomial(self.trials, self.chance)

    def growth(self, delta: DeltaAbove) -> Fraction:
        """Return (n − 1)t of the header."""
        return (self.trials - 1) * least_step(delta, (1 - self.chance) / self.chance)


@validated
@dataclass(frozen=True)
class NegativeBinomialRuns(Runs):
    """A truncated negative binomial number of runs, from 1 on.

    Formula:
        G(x) = ((1 − (1 − γ)x)^(−η) − 1)/(γ^(−η) − 1); ln(1 − (1 − γ)x)/ln γ where η = 0.

    Attributes:
        shape: η, rational and above −1: 1 is the geometric law, 0 the logarithmic one.
        stop: γ, above 0 and below 1.
    """

    shape: Exact
    stop: Exact

    @property
    def mean(self) -> Number:
        """The quotient η(1 − γ)/(γ(1 − γ^η)), or (1/γ − 1)/ln(1/γ) where η = 0."""
        more = 1 / self.stop - 1
        if self.shape == 0:
            return more / log(1 / self.stop)
        return self.shape * more / (1 - _power(self.stop, self.shape))

    def generating(self, x: Exact) -> Number:
        """Return G(x): exactly, if η is an integer and not 0."""
        if x in (0, 1):
            return x
        rest = 1 - (1 - self.stop) * x
        if self.shape == 0:
            return log(rest) / log(self.stop)
        return (_power(rest, -self.shape) - 1) / (_power(self.stop, -self.shape) - 1)

    theorem = "Papernot and Steinke 2022, Theorem 2"

    @property
    def pure(self) -> Fraction:
        """The sum 2 + η."""
        return 2 + self.shape.as_fraction()

    def excess(self, one: Bounded, delta: DeltaAbove) -> Callable[[Fraction], Fraction]:
        """Return (1 + η)((1 − 1/b)D_b + ln(1/γ)/b), at about the best order b >= 1."""
        with precision(BOUND_BITS):
            spent = -self.stop.ball(BOUND_BITS).log()

        def term(row: RenyiRow) -> arb:
            return (_arb(row.power * row.bound) + spent) / _arb(1 + row.power)

        row = best_row(one, term)
        with precision(BOUND_BITS):
            least = min(endpoints(x)[1] for x in (spent, *([term(row)] if row else ())))
        return lambda order: (1 + self.shape.as_fraction()) * least

    def growth(self, delta: DeltaAbove) -> Fraction:
        """Return (1 + η)t of the header."""
        return (1 + self.shape.as_fraction()) * least_step(delta, self.stop / (1 - self.stop))


@validated
@dataclass(frozen=True)
class PoissonRuns(Runs):
    """A Poisson number of runs.

    Attributes:
        rate: μ, positive, which is the mean.
    """

    rate: Exact

    @property
    def mean(self) -> Exact:
        """The mean, which is the rate."""
        return self.rate

    def generating(self, x: Exact) -> Number:
        """Return e^(μ(x − 1)): exactly, unless that is a long number."""
        power = self.rate * (x - 1)
        if power.is_rational:
            top, bottom = power.as_fraction().as_integer_ratio()
            if max(abs(top), bottom) <= _LONGEST:
                return Exact.exp(Fraction(top, bottom))
        return Real(partial(_exp_ball, power), f"exp({power.text(most=40)})")

    theorem = "Papernot and Steinke 2022, Theorem 6"

    def excess(self, one: Bounded, delta: DeltaAbove) -> Callable[[Fraction], Fraction]:
        """Return μδ(ε) of the largest ε that the theorem allows, e^ε = 1 + 1/(a − 1)."""
        return lambda order: self._times(delta(Epsilon.log(1 + 1 / (order - 1)), _WIDTH))

    def growth(self, delta: DeltaAbove) -> Fraction:
        """Return μδ(0)."""
        return self._times(delta(Epsilon.log(1), _WIDTH))

    def _times(self, distance: Fraction) -> Fraction:
        return enclosure(self.rate, relative_bits=BOUND_BITS).upper * distance


def _arb(value: Fraction) -> arb:
    return arb(fmpq_of(value))


def _exp_ball(power: Exact) -> arb:
    return power.ball(working_bits()).exp()


def _power(base: Exact, exponent: Exact) -> Number:
    """Return a positive number to a rational power."""
    value = exponent.as_fraction()
    if value.denominator == 1 and abs(value.numerator) <= _LONGEST:
        return base**value.numerator
    text = f"({base.text(most=40)})^({exponent})"
    return Real(partial(_power_ball, base, value), text)


def _power_ball(base: Exact, exponent: Fraction) -> arb:
    return base.ball(working_bits()) ** _arb(exponent)


def _stop_of(shape: Exact, mean: Exact) -> Exact:
    """Return a γ with a mean that is at least one given, above 1, and hardly more."""
    if shape == 1:
        return 1 / mean

    def has_more(stop: Fraction) -> bool:
        found = NegativeBinomialRuns(shape, Exact(stop)).mean
        return certainly_not_below(found, mean, max_bits=BOUND_BITS)

    low, high = Fraction(1, 2), Fraction(1)
    while not has_more(low):
        low, high = low / 2, low
    while high - low > high / (1 << _STOP_BITS):
        middle = (low + high) / 2
        low, high = (middle, high) if has_more(middle) else (low, middle)
    return Exact(low)
