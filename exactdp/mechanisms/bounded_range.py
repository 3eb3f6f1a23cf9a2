"""The exponential mechanism over all scores: the worst of all mechanisms of one range of losses.

A neighbor changes each score by at most the sensitivity Δ, up or down; where all go the same
way, scores are monotone. With r = 2Δ/b, or Δ/b for monotone ones, the exponential mechanism of
scale b, permute-and-flip and the largest of Laplace noise are all r-private, and no less for any
n >= 2: the supremum is approached where an index is unlikely.

References: F. McSherry and K. Talwar, Mechanism Design via Differential Privacy, FOCS 2007; J.
Dong, D. Durfee and R. Rogers, Optimal Differential Privacy Composition for Exponential Mechanisms,
ICML 2020.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from exactdp.divergences import NumberProfile, Pair
from exactdp.divergences.description import (
    RATIONAL,
    Parameter,
    Range,
    checked,
    described,
    same,
)
from exactdp.divergences.profile import Named
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms.losses.laplace_loss import LaplaceLoss
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    exp,
    fraction_of,
    is_log_below,
    log,
    rational,
    sqrt,
)
from exactdp.numbers.arguments import open_probability
from exactdp.numbers.crossing import Slope
from exactdp.numbers.effort import first_answer
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw

__all__ = ["BoundedRange", "exponential_mechanism"]

_SHARES = [Fraction(x, 32) for x in (16, 17, 18, 20, 24, 28)]
"""The larger loss of pairs of two outcomes that are tried, over the range.

Of k copies the worst one for ε has (ε + r)/(k + 1) or more (Dong, Durfee & Rogers, Theorem 3)."""


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
        <Exact: 0.46211715726000976 (exactly (e - 1)/(e + 1))>
    """

    size: Fraction

    has_closed_form = True

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
            >>> [mass.expression() for mass in BoundedRange(Fraction(2)).pair(1).masses()[0]]
            ['e/(e + 1)', '1/(e + 1)']
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

    def moved(self, times: int) -> BoundedRange:
        """Return that of so many times the range."""
        return BoundedRange(times * self.size)

    reached = "each epsilon"  # by another pair

    def cases(self) -> tuple[Named, ...]:
        """Return mechanisms of two outcomes; any of them is a lower bound."""
        return tuple(
            Named(f"two outcomes with losses {high} and {high - self.size}", self.pair(high))
            for high in (self.size * share for share in _SHARES)
        )

    def max_divergence(self) -> Epsilon:
        """Return the supremum of the losses, r."""
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

        def by(power: Callable[[Number], Number]) -> Number:
            return (1 - power((nats - r) / 2)) ** 2 / (1 - power(Exact(-r)))

        def exactly() -> Number:
            return by(lambda x: Exact.exp(x.as_fraction()) if isinstance(x, Exact) else exp(x))

        # Of unrelated doubles there is no short polynomial.
        return first_answer(exactly, partial(by, exp), refusals=(TooLargeError,))

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
    size = RATIONAL.check(sensitivity, name="sensitivity")
    gamma, reach = epsilon.exp, Exact(_reach(size, monotone=monotone))
    if delta == 0:
        if gamma == 1:
            raise DomainError("epsilon=0 with delta=0 has no scale. Give one of them above 0.")
        return reach / epsilon.nats
    target = open_probability(delta, name="delta")
    root = sqrt(gamma) - sqrt(target * (gamma + target - 1))
    return reach / (-2 * log(root / (gamma + target)))


@described(
    "exponential_mechanism",
    "The exponential mechanism, the worst of all scores and neighbors.",
    Parameter(
        "scale",
        "b, of Pr[i] ∝ e^(u_i/b)",
        RATIONAL,
        "units of a score",
        Slope.FALLING,
        {"known": _smallest_scale},
    ),
    Parameter("sensitivity", "Δ, by how much a score may change", RATIONAL, "units of a score"),
    Parameter(
        "monotone", "whether scores of a neighbor change one way", Range("true or false", same)
    ),
    is_sampled=False,
)
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
    given = checked(exponential_mechanism, scale=scale, sensitivity=sensitivity)
    return BoundedRange(_reach(given["sensitivity"], monotone=monotone) / given["scale"])


def _reach(sensitivity: Fraction, *, monotone: bool) -> Fraction:
    """Return how far two scores may move against each other."""
    return sensitivity * (1 if monotone else 2)
