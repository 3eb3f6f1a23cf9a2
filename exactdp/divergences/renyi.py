"""Rényi divergences and the Kullback-Leibler divergence of a pair.

For an integer order a, the moment E_Q (P/Q)^a is a sum of products: an exact number. A
divergence is its logarithm (nats), which is exact where it stays in the exact
field and a computable real otherwise.

References: I. Mironov, Rényi Differential Privacy, 2017; T. van Erven and
P. Harremoës, Rényi Divergence and Kullback-Leibler Divergence, 2014.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flint import arb

from exactdp.divergences.likelihood import Weights, exact_weight, ratio, sum_by_halves
from exactdp.divergences.moment_bounds import expectation, moment, shared_terms
from exactdp.divergences.privacy_loss_distribution import FiniteProfile
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    count_text,
    fmpq_of,
    short,
    working_bits,
)
from exactdp.numbers.arguments import of_class, renyi_order, whole_number

__all__ = ["kl_divergence", "renyi_divergence", "renyi_moment"]


def renyi_moment(pair: FiniteProfile, *, order: int) -> Exact:
    """Return the exact moment of integer order that the Rényi divergence is the log of.

    Formula:
        M_a(P ‖ Q) = Σ_y P(y)^a · Q(y)^(1−a), over y with Q(y) > 0, a = order.

    Raises:
        DomainError: If order < 2 or is not an integer, or the moment is infinite: some y has
            Q(y) = 0 < P(y).
        TooLargeError: If the moment is too long.

    Source:
        Mironov 2017, Definition 3: the argument of the logarithm.

    Example:
        (9/16)·4 + (1/16)·(4/3) = 7/3:

        >>> from exactdp.divergences import Pair
        >>> renyi_moment(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]), order=2)
        Exact('7/3')
    """
    try:
        order = whole_number(order, name="order", at_least=2)
    except DomainError:
        raise DomainError(
            f"order={short(repr(order))} is not an integer that is at least 2. "
            "Use renyi_divergence for a rational order above 1, kl_divergence for order 1."
        ) from None
    return moment(_all_shared(pair, f"the moment of order {count_text(order)}"), order)


def renyi_divergence(pair: FiniteProfile, *, order: RationalLike) -> Number:
    """Return the Rényi divergence of P from Q.

    Formula:
        D_a(P ‖ Q) = ln(Σ_y P(y)^a · Q(y)^(1−a)) / (a − 1), a = order.

    Args:
        pair: P and Q.
        order: a, a rational number above 0 and not 1.

    Returns:
        In nats: exact where it is found to be in the exact field (0 if and only if P = Q),
        else a computable real.

    Raises:
        DomainError: If the order is another, or the divergence is infinite.

    Source:
        Mironov 2017, Definition 3.

    Example:
        >>> from exactdp.divergences import Pair
        >>> from exactdp.numbers import decimal, log
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> renyi_divergence(coin, order=2)
        Real(0.84729786038720361: log(7/3))

        At order 3/2 the moment is (5/6)·√3, so the divergence is ln(25/12):

        >>> decimal(renyi_divergence(coin, order="3/2"), digits=6)
        '0.733969'
        >>> decimal(log(Exact("25/12")), digits=6)
        '0.733969'
    """
    a = renyi_order(order)
    if a > 1:
        _refuse_infinite(pair, f"the divergence of order {short(a)}")
    found = pair.renyi(a)
    if isinstance(found, Exact | Real):
        return found
    raise DomainError(
        f"the divergence of order {short(a)} is infinite: P and Q have nothing in common. "
        "Take laws that share an outcome."
    )


def kl_divergence(pair: FiniteProfile) -> Number:
    """Return the Kullback-Leibler divergence of P from Q, the Rényi divergence of order 1.

    Formula:
        D(P ‖ Q) = Σ_y P(y) · ln(P(y) / Q(y)), over y with P(y) > 0.

    Returns:
        In nats: exact where every ratio is a power of e or 1, else a computable real.

    Raises:
        DomainError: If it is infinite: some y has Q(y) = 0 < P(y).

    Source:
        van Erven & Harremoës 2014, Section I.

    Example:
        (3/4)·ln 3 − (1/4)·ln 3 = (ln 3)/2. With ratios e and 1/e it is exact:

        >>> from exactdp.numbers import decimal, log
        >>> from exactdp.divergences import Pair
        >>> kl = kl_divergence(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
        >>> decimal(kl, digits=6), decimal(log(3) / 2, digits=6)
        ('0.549306', '0.549306')
        >>> truth = Exact.exp(1) / (1 + Exact.exp(1))
        >>> kl_divergence(Pair.from_masses([truth, 1 - truth], [1 - truth, truth]))
        <Exact: 0.46211715726000976 (exactly (e - 1)/(e + 1))>
    """
    _refuse_infinite(pair, "the Kullback-Leibler divergence")
    try:
        return _expected_loss(pair)
    except TooLargeError:  # powers of e of no short common rate
        if (beside := pair._beside()) is None:
            raise
        text = "the Kullback-Leibler divergence"
        return Real(partial(_expected_loss_ball, beside), text)


def _expected_loss(pair: FiniteProfile) -> Number:
    terms, total = shared_terms(pair.losses().weights())
    losses = [(Epsilon(exact_weight(r)).nats, a) for r, a in terms]
    if all(isinstance(loss, Exact) for loss, _ in losses):
        return ratio(sum_by_halves([loss * exact_weight(a) for loss, a in losses]), total)
    return expectation(terms, total, arb.log)


def _expected_loss_ball(beside: Any) -> arb:
    """Return a ball, by laws nearby whose masses and losses are within t, and 2t, of the others."""
    bits = working_bits()
    near = beside.near(bits)
    laws = near.laws
    sides = laws.losses(), laws.reversed().losses()
    longest = max(abs(one.largest_finite_loss().nats.ball(bits)) for one in sides)
    more = arb(fmpq_of(near.apart)) * (2 + longest)
    return kl_divergence(laws).ball(bits) + arb(0, more.upper())


def _all_shared(pair: FiniteProfile, name: str) -> Weights:
    """Return the weights, if Q has all of P."""
    _refuse_infinite(pair, name)
    return pair.losses().weights()


def _refuse_infinite(pair: FiniteProfile, name: str) -> None:
    advice = "Pass a Pair, or another profile with finitely many losses."
    missing = of_class(pair, FiniteProfile, name="pair", advice=advice).infinity_mass()
    if missing != 0:
        raise DomainError(
            f"{name} is infinite: P has mass {missing} where Q has none. "
            "Test pair.max_divergence().is_infinite first."
        )
