"""Guarantees as pairs: (ε, δ)-privacy, Gaussian privacy, and piecewise linear trade-off functions.

Each is kept by many mechanisms, and one pair is the worst of them all: what is composed of such
pairs is the optimal composition of the guarantees.

References: P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for Differential Privacy,
ICML 2015; J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022; C. Dwork, G. N.
Rothblum and S. Vadhan, Boosting and Differential Privacy, FOCS 2010.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from exactdp.accounting.composition.composed_randomized_response import composed_randomized_response
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.errors import DomainError, number_of
from exactdp.mechanisms import GaussianMechanism
from exactdp.numbers import Epsilon, EpsilonLike, Exact, Number, RationalLike, log, sqrt
from exactdp.numbers.arguments import (
    NumberLike,
    exact,
    of_class,
    open_probability,
    positive,
    privacy_epsilon,
    probability,
    whole_number,
)

__all__ = ["advanced_composition", "from_gdp", "from_trade_off", "guarantee"]

_POINTS = 'Pass points such as [(0, 1), ("1/4", "1/4"), (1, 0)].'
"""The way out of what is not a trade-off function."""


def guarantee(epsilon: EpsilonLike, delta: Exact | RationalLike = 0) -> Pair:
    """Return the worst pair of all (ε, δ)-private mechanisms.

    Formula:
        P = (δ, (1 − δ)b/(1 + b), (1 − δ)/(1 + b), 0), Q the same from right to left, b = e^ε.

    Meaning:
        Every pair of neighbors of every such mechanism comes from this pair by post-processing. So
        :func:`compose` of such pairs, of one kind or several, is what optimal composition proves
        of mechanisms that are chosen adaptively.

    Args:
        epsilon: ε, finite, at least 0: an Epsilon, or a rational number of nats.
        delta: δ, from 0 to 1.

    Source:
        Kairouz, Oh & Viswanath 2015, Theorem 3.3 and its proof.

    Example:
        Ten times (0.1, 1e-7)-privacy, at δ = 1e-5, where adding up says ε = 1:

        >>> from exactdp.accounting import compose
        >>> print(compose([(guarantee("0.1", "1e-7"), 10)]).epsilon("1e-5", relative_width="1e-6"))
        [0.994323555, 0.994323887]
        >>> guarantee(Epsilon.log(3)).delta(Epsilon.log(2))
        Exact('1/4')
    """
    failure = probability(delta, name="delta")
    return composed_randomized_response(privacy_epsilon(epsilon), 1, delta0=failure).pair


def from_gdp(mu: NumberLike) -> GaussianMechanism:
    """Return the profile that μ-GDP implies: that of the Gaussian mechanism with Δ/σ = μ.

    Args:
        mu: μ, above 0.

    Source:
        Dong, Roth & Su 2022, Definition 2.6 and Corollary 2.13.

    Example:
        >>> from exactdp.numbers import decimal
        >>> decimal(from_gdp("1/2").delta(Epsilon.rational(1)), digits=6)
        '0.00682959'
    """
    return GaussianMechanism(Exact(1), positive(mu, name="mu"))


def from_trade_off(
    points: Iterable[tuple[Exact | RationalLike, Exact | RationalLike]],
) -> PrivacyProfile:
    """Return the profile of a piecewise linear trade-off function, in both orders.

    Meaning:
        A pair of neighbors has f, and is one in both orders: δ and ε are the larger of T(P, Q) = f
        and T(Q, P), the inverse of f. Where f is symmetric, as that of a guarantee is, both are f.

    Args:
        points: (α, f(α)) from α = 0 to (1, 0), α ascending; f convex, at most 1 − α.

    Raises:
        DomainError: If they are no such function.

    Source:
        Dong, Roth & Su 2022, Proposition 2.2 and its proof.

    Example:
        (ln 3)-privacy has f(α) = max(1 − 3α, (1 − α)/3):

        >>> pair = from_trade_off([(0, 1), ("1/4", "1/4"), (1, 0)])
        >>> pair.masses(), pair.max_divergence()
        ([(Exact('1/4'), Exact('3/4')), (Exact('3/4'), Exact('1/4'))], Epsilon.log('3'))

        A point α = 1/10, β = 1/2 alone is a ratio of 5 in one order, and of 9/5 in the other:

        >>> one = from_trade_off([(0, 1), ("1/10", "1/2"), (1, 0)])
        >>> one.max_divergence(), [x.max_divergence() for x in one.profiles]
        (Epsilon.log('5'), [Epsilon.log('9/5'), Epsilon.log('5')])
    """
    given = of_class(points, Iterable, name="points", advice=_POINTS)
    knots = [_point(one, f"points[{i}]") for i, one in enumerate(given)]
    if len(knots) < 2 or knots[0][0] != 0 or knots[-1] != (Exact(1), Exact(0)):
        raise DomainError(f"points must go from α = 0 to (1, 0). {_POINTS}")
    steps = [(b - a, low - high) for (a, low), (b, high) in pairwise(knots)]
    for i, (right, down) in enumerate(steps, 1):
        if right.sign() <= 0 or down.sign() < 0:
            raise DomainError(
                f"points[{i}] must be to the right of the one before, not higher. {_POINTS}"
            )
    for i, ((right, down), (further, less)) in enumerate(pairwise(steps), 1):
        if less * right > down * further:
            raise DomainError(f"the trade-off function is not convex at points[{i}]. {_POINTS}")
    p = [Exact(0), *(right for right, _ in steps)]
    q = [1 - knots[0][1], *(down for _, down in steps)]
    kept = [(a, b) for a, b in zip(p, q, strict=True) if a != 0 or b != 0]
    pair = Pair.from_masses([a for a, _ in kept], [b for _, b in kept])
    is_symmetric = pair.losses().atoms == pair.reversed().losses().atoms
    return pair if is_symmetric else pair.both_directions()


def _point(one: Any, name: str) -> tuple[Exact, Exact]:
    both = of_class(one, tuple, list, name=name, advice=_POINTS)
    if len(both) != 2:
        raise DomainError(f"{name} has {number_of(len(both), 'entry')}, not two. {_POINTS}")
    alpha, error = (probability(x, name=name) for x in both)
    return alpha, error


def advanced_composition(
    one: tuple[Epsilon | RationalLike, Exact | RationalLike],
    times: int,
    slack: Exact | RationalLike,
) -> tuple[Number, Exact]:
    """Return the bound of advanced composition for k copies of an (ε, δ)-private mechanism.

    Formula:
        (ε√(2k ln(1/δ')) + kε(e^ε − 1), kδ + δ'), δ' = slack.

    Both numbers are those of the formula; the second may exceed 1 and then says nothing. What is
    true is the optimal composition, ``compose([(guarantee(epsilon, delta), times)])``.

    Args:
        one: (ε, δ) of one copy, ε an Epsilon or a rational number of nats.
        times: k, at least 0.
        slack: δ', above 0 and below 1.

    Source:
        Dwork, Rothblum & Vadhan 2010, Theorem III.3.

    Example:
        A hundred times (1/10, 0), with 1e-6: 0.1·√(200 ln 10^6) + 10(e^0.1 − 1) = 5.2565 + 1.0517.

        >>> from exactdp.numbers import decimal
        >>> epsilon, delta = advanced_composition(("0.1", 0), 100, "1e-6")
        >>> decimal(epsilon, digits=6), delta
        ('6.30823', Exact('1/1000000'))
    """
    advice = 'Pass a pair, as ("0.1", "1e-7").'
    if len(of_class(one, tuple, list, name="one", advice=advice)) != 2:
        raise DomainError(f"one has {number_of(len(one), 'entry')}, not two. {advice}")
    size, failure = privacy_epsilon(one[0]), probability(one[1], name="delta")
    nats = size.nats
    count = whole_number(times, name="times", at_least=0)
    rest = open_probability(exact(slack, name="slack"), name="slack")
    spread = nats * sqrt(2 * count * log(1 / rest)) if count and size.exp != 1 else Exact(0)
    return spread + count * nats * (size.exp - 1), count * failure + rest
