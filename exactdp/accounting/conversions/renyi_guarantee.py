"""Guarantees by Rényi divergences: ρ-zCDP and Rényi curves, as the profiles that they imply.

A guarantee is kept by many mechanisms. Its δ(ε) is the largest of all of them, over all pairs of
neighbors in both orders: an upper bound for each, and not larger than it must be, as a pair with
two outcomes attains it (``exactdp.divergences.two_point``).

References: M. Bun and T. Steinke, Concentrated Differential Privacy: Simplifications, Extensions,
and Lower Bounds, 2016; I. Mironov, Rényi Differential Privacy, 2017; C. Canonne, G. Kamath and
T. Steinke, The Discrete Gaussian for Differential Privacy, 2020; S. Asoodeh, J. Liao, F. P. Calmon,
O. Kosut and L. Sankar, Three Variants of Differential Privacy, 2021.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from exactdp.divergences.description import (
    POSITIVE,
    PROBABILITY,
    Parameter,
    checked,
    described,
    growing,
)
from exactdp.divergences.profile import Named, PrivacyProfile
from exactdp.divergences.renyi_rows import RenyiRow, RenyiRows
from exactdp.divergences.two_point import two_point_delta
from exactdp.divergences.values import BOUND_BITS, enclosed
from exactdp.divergences.worst import Bounds
from exactdp.errors import DomainError
from exactdp.mechanisms import GaussianMechanism
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    Number,
    RationalLike,
    Real,
    enclosure,
    precision,
    short,
    sqrt,
)
from exactdp.numbers.arguments import (
    NumberLike,
    any_epsilon,
    of_class,
    open_probability,
    positive,
    renyi_order,
)
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import NO_ANSWER, first_answer
from exactdp.numbers.validated import validated

__all__ = ["RenyiGuarantee", "from_renyi", "from_zcdp", "rounded_up"]

_DISTANCE = "looser: a bound of the total variation distance by Rényi divergences"
_CHERNOFF = "looser: Chernoff's bound by Rényi divergences"
_GAUSSIAN = "Gaussian noise that keeps the bounds"

Divergence = NumberLike | Enclosure | Epsilon
"""The types of a bound of a Rényi divergence: of an enclosure, the upper end is the bound."""


@validated
@dataclass(frozen=True, slots=True)
class RenyiGuarantee(PrivacyProfile):
    """The largest δ of all mechanisms that keep bounds of Rényi divergences.

    Meaning:
        D_a(P ‖ Q) and D_a(Q ‖ P) keep the rows for any two neighbors, given that a failure of
        probability at most ``failure`` does not occur. The worst failure adds the same to all:

            δ(ε) = f + (1 − f)·max over two-point pairs of p − e^ε q, f = failure.

    Attributes:
        rows: The bounds.
        words: What keeps them, in words.
        failure: The δ of approximate zCDP: the probability that nothing is promised.
    """

    rows: RenyiRows
    words: str
    failure: Exact = Exact(0)  # noqa: RUF009  # a number, which does not change

    usual_width = Fraction(1, 10**6)
    adds_divergences = True

    reached = "each epsilon"  # by another mechanism that keeps the guarantee

    def __repr__(self) -> str:
        failure = f", but for a probability of {self.failure}" if self.failure else ""
        return f"<RenyiGuarantee: {short(self.words)}{failure}>"

    def cases(self) -> tuple[Named, ...]:
        """Return a mechanism that keeps the guarantee."""
        return (Named("a Gaussian mechanism that keeps the guarantee", self._gaussian()),)

    def _gaussian(self) -> GaussianMechanism:
        """Return the Gaussian mechanism, of D_a = ρa, with the largest ρ that keeps all rows."""
        return GaussianMechanism(Exact(1), sqrt(2 * Exact(self.rows.least_rho())))

    @property
    def known_rho(self) -> Exact | None:
        """The ρ that is all that is known; None of a table, or where there are failures."""
        if self.failure != 0 or self.rows.rho is None or self.rows.rows:
            return None
        return Exact(self.rows.rho)

    note = (
        "upper bound: the worst of all mechanisms that keep the guarantee; one of them attains "
        "it, and others have less."
    )

    def moved(self, times: int) -> RenyiGuarantee | None:
        """Return k²ρ-zCDP, which groups of k keep, of ρ-zCDP."""
        rho = self.known_rho
        return None if rho is None else from_zcdp(times * times * rho)

    def delta(
        self, epsilon: EpsilonLike, *, relative_width: RationalLike | None = None
    ) -> Enclosure:
        """Return an enclosure of the largest δ(ε); a relative width of 1e-6 if none is given.

        Where no width is given, and doubles do not find the worst pair, :class:`Bounds`.

        Raises:
            UndecidedError: If a width is given that is not reached.
        """
        at = any_epsilon(epsilon)
        if at < Epsilon.log(1):  # 1 − g + g·δ(−ε) of the other direction, g = e^ε
            other = self.reversed().delta(-at, relative_width=relative_width)
            return _affine(1 - at.exp, at.exp, other)
        if relative_width is not None:
            return self._delta_to(at, checked_width(relative_width))
        return first_answer(
            partial(self._delta_to, at, self.usual_width),
            lambda: _affine(self.failure, 1 - self.failure, self._delta_ends(at)),
        )

    def _delta_ends(self, at: Epsilon) -> Bounds:
        """Return bounds of the largest δ(ε) without failures in closed form: no double is asked."""
        with precision(BOUND_BITS):
            nats = at.nats.ball(BOUND_BITS)
            bound = endpoints(self.rows.least_delta(nats).delta(nats))[1]
            upper, words = min((self.rows.distance(), _DISTANCE), (bound, _CHERNOFF))
        return self._above_gaussian(
            upper, words, lambda one: one._delta_enclosed(at, self.usual_width)
        )

    def _epsilon_ends(self, delta: Exact) -> Bounds:
        """Return bounds of the largest ε(δ) without failures likewise."""
        with precision(BOUND_BITS):
            if Exact(self.rows.distance()) <= delta:
                return Bounds(Fraction(0), Fraction(0), "nothing", _DISTANCE)
            log = delta.ball(BOUND_BITS).log()
            upper = max(endpoints(self.rows.least_nats(log).nats(log))[1], Fraction(0))
        return self._above_gaussian(
            upper, _CHERNOFF, lambda one: one._epsilon_within(delta, self.usual_width)
        )

    def _above_gaussian(
        self, upper: Fraction, words: str, ask: Callable[[GaussianMechanism], Epsilon | Enclosure]
    ) -> Bounds:
        """Return bounds, the lower one that of noise which keeps all; 0 where that is unknown."""
        found = first_answer(lambda: ask(self._gaussian()), lambda: None, refusals=NO_ANSWER)
        low = found.lower if isinstance(found, Enclosure) else Fraction(0)  # no ε is infinite
        return Bounds(min(low, upper), upper, _GAUSSIAN if low else "nothing", words)

    def _delta_to(self, at: Epsilon, width: Fraction) -> Enclosure:
        # The usual width costs about the same, and searches take fewer steps.
        widths = dict.fromkeys((min(width, self.usual_width), width))
        found = first_answer(*(partial(two_point_delta, self.rows, at, one) for one in widths))
        return _affine(self.failure, 1 - self.failure, found)

    def _epsilon_at(self, delta: Exact) -> Epsilon | Enclosure:
        """Return ε(δ) as :meth:`delta` does where no width is given."""
        target = open_probability(delta, name="delta")
        if target <= self.failure:
            return Epsilon.infinity()
        return first_answer(
            partial(self._epsilon_within, target, self.usual_width),
            lambda: self._epsilon_ends((target - self.failure) / (1 - self.failure)),
        )

    def _renyi_at(self, order: Fraction) -> Number | Enclosure | None:
        """Return ρ·a, as a Gaussian mechanism has it, or the bound of a table."""
        if order < 1 or self.failure != 0:
            return None
        if self.known_rho is not None:
            return self.known_rho * Exact(order)
        bound = self.rows.bound(order)
        return None if bound is None else Enclosure(Fraction(0), bound)

    def max_divergence(self) -> Epsilon:
        """Return infinity: losses are unbounded."""
        return Epsilon.infinity()

    def infinity_mass(self) -> Exact:
        """Return the probability of the failure."""
        return self.failure

    def largest_finite_loss(self) -> Epsilon:
        """Return infinity."""
        return Epsilon.infinity()

    def first_guess(self, delta: Exact) -> Fraction:
        """Return about the ε of Chernoff's bound."""
        left = (delta - self.failure) / (1 - self.failure)
        with precision(BOUND_BITS):
            log = left.ball(BOUND_BITS).log()
            nats = self.rows.least_nats(log).nats(log)
            return max(endpoints(nats)[1], Fraction(1, 64))

    def reversed(self) -> RenyiGuarantee:
        """Return the guarantee of the other direction: itself, if both have the same bounds."""
        other = self.rows.reversed()
        return self if other == self.rows else RenyiGuarantee(other, self.words, self.failure)


def _affine(start: Exact, factor: Exact, value: Enclosure) -> Enclosure:
    """Return start + factor·value, of a factor of at least 0; at most 1."""
    ends = (start + factor * Exact(end) for end in (value.lower, value.upper))
    low, high = (enclosed(end, Fraction(1, 1 << BOUND_BITS)) for end in ends)
    return replace(value, lower=low.lower, upper=min(high.upper, Fraction(1)))


@described(
    "zcdp",
    "Any rho-zCDP mechanism, or delta-approximately so: the worst of them all.",
    growing("rho", "ρ, of D_a <= ρ·a", POSITIVE, "nats", usual_width="1e-6"),
    Parameter("delta", "the probability at which nothing is promised", PROBABILITY),
    sides=(
        "the result of one of two neighbors, of the worst mechanism with this guarantee",
        "the result of the other",
        "those of the guarantee; both directions agree",
    ),
    is_sampled=False,
)
def from_zcdp(rho: NumberLike, *, delta: Exact | RationalLike = 0) -> RenyiGuarantee:
    """Return the profile that ρ-zCDP implies, or δ-approximate ρ-zCDP.

    Formula:
        D_a(P ‖ Q) <= ρ·a for all a > 1, for neighbors in both orders; with δ > 0, of P and Q given
        events of probability 1 − δ. The profile is the largest δ(ε) of all such mechanisms.

    Args:
        rho: ρ, above 0; rounded up to 128 bits if it is not rational.
        delta: The probability at which nothing is promised, from 0 to 1.

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Bun & Steinke 2016, Definitions 1.1 and 8.1. Differs from the source: the conversion is
        tight. That of Canonne, Kamath & Steinke 2020, Proposition 12, at its best order, has ε =
        2.14193896 in the example; it loses more where δ is larger.

    Example:
        A Gaussian mechanism of σ² = 5 is 1/10-zCDP and has ε = 1.9945 at δ = 1e-6; the worst has:

        >>> print(f"{from_zcdp('0.1').epsilon('1e-6'):.6g}")
        [2.14193, 2.14194]

        The largest ρ that still implies (1, 1e-6), rounded down:

        >>> from exactdp.divergences import calibrated
        >>> found = calibrated(from_zcdp, epsilon=Epsilon.rational(1), delta="1e-6")
        >>> f"{found.lower:.5f}"
        '0.02435'
    """
    size, failure = checked(from_zcdp, rho=rho, delta=delta).values()
    shown = size.text if isinstance(size, Real) else size.text(most=40)
    words = f"{short(shown)}-zCDP"
    if failure != 0:
        words = f"{failure.text(most=40)}-approximate {words}"
    return RenyiGuarantee(RenyiRows(rho=rounded_up(size)), words, failure)


def from_renyi(
    curve: Mapping[RationalLike, Divergence] | Callable[[Fraction], Divergence],
    orders: Iterable[RationalLike] | None = None,
) -> RenyiGuarantee:
    """Return the profile that upper bounds of Rényi divergences imply, all of them at once.

    Formula:
        D_a(P ‖ Q) <= curve(a) for the given a > 1, for neighbors in both orders. The profile is
        the largest δ(ε) of all such mechanisms: at most the least of what single orders imply.

    Args:
        curve: A table of orders with their bounds, positive; or a function of an order.
        orders: The orders at which a function is asked; of a table those that are used, all if
            they are left out.

    Raises:
        DomainError: If an order is not above 1 or a bound not positive, or there is none.

    Source:
        Mironov 2017, Definition 4. Asoodeh et al. 2021 have one order and one direction.

    Example:
        >>> found = from_renyi({2: "0.1", 4: "0.3"})
        >>> print(f"{found.epsilon('1e-6'):.5g}")
        [3.9814, 3.9815]
        >>> from_renyi(lambda a: a / 20, [2, 3]).renyi(2).upper
        Fraction(1, 10)
    """
    asked = None if orders is None else [_order(order) for order in _listed(orders)]
    if callable(curve):
        if asked is None:
            raise DomainError("orders is missing: a function has no list of its own. Pass orders.")
        values = {order: _bound(curve(order), order) for order in asked}
    else:
        advice = 'Pass {2: "0.1", 4: "0.3"}, or a function and orders.'
        table = of_class(curve, Mapping, name="curve", advice=advice)
        values = {_order(order): _bound(value, order) for order, value in table.items()}
    used = sorted(set(values if asked is None else asked))
    for order in used:
        if order not in values:
            raise DomainError(f"order={order} is not in the table. Pass one of its orders.")
    if not used:
        raise DomainError("there is no order above 1. Give at least one, as in {2: 1}.")
    words = f"Rényi private at the orders {', '.join(map(str, used[:3]))}"
    rows = (RenyiRow(a - 1, values[a], side) for a in used for side in (False, True))
    return RenyiGuarantee(RenyiRows(tuple(rows)), words + (", ..." if len(used) > 3 else ""))


def _listed(orders: Iterable[RationalLike]) -> list[RationalLike]:
    advice = "Pass a list such as [2, 4, 8]."
    return list(of_class(orders, Iterable, name="orders", advice=advice))


def _order(value: RationalLike) -> Fraction:
    order = renyi_order(value)
    if order <= 1:
        raise DomainError(f"order={order} must be above 1. Leave it out.")
    return order


def _bound(value: Divergence, order: object) -> Fraction:
    name = f"the bound of order {short(str(order))}"
    if isinstance(value, Epsilon):
        if value.is_infinite:
            raise DomainError(f"{name} is infinite, and says nothing. Leave the order out.")
        value = value.nats
    if isinstance(value, Enclosure):
        value = Exact(Fraction(value.upper))
    return rounded_up(positive(value, name=name))


def rounded_up(value: Number) -> Fraction:
    """Return a positive number; rounded up to so many relative bits if it is not rational."""
    return Fraction(enclosure(value, relative_bits=BOUND_BITS).upper)
