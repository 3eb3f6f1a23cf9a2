"""Closeness of two laws: the two-sided relation of approximate privacy, decided exactly.

Laws μ and ν are (ε, δ)-close if for every event A

    e^(−ε)·(ν(A) − δ) <= μ(A) <= e^ε·ν(A) + δ.

The left side is ν(A) <= e^ε·μ(A) + δ. So the relation is that of both directions:
H_γ(μ ‖ ν) <= δ and H_γ(ν ‖ μ) <= δ with γ = e^ε, and the worst events are
{μ > γ·ν} on the right and {ν > γ·μ} on the left. It is symmetric in μ and ν.

Definitions: :func:`is_close`, :func:`smallest_delta`, :func:`smallest_epsilon`,
:func:`worst_events`, :class:`WorstEvents`.

References: Ú. Erlingsson et al., Amplification by Shuffling: From Local to Central
Differential Privacy via Anonymity, 2019.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.divergences import (
    Pair,
    PrivacyCurve,
    hockey_stick_event,
    upper_envelope,
)
from exactdp.divergences.validation import nonnegative_exp_epsilon
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, RationalLike, is_ratio_above, rational

__all__ = ["WorstEvents", "is_close", "smallest_delta", "smallest_epsilon", "worst_events"]


@dataclass(frozen=True, slots=True)
class WorstEvents:
    """The events at which the two inequalities of closeness are tightest.

    Attributes:
        right_event: The A with the largest μ(A) − γ·ν(A).
        right_excess: That number, at least 0: what δ must cover on the right.
        left_event: The A with the largest ν(A) − γ·μ(A).
        left_excess: That number, at least 0: what δ must cover on the left.
    """

    right_event: tuple[Hashable, ...]
    right_excess: Exact
    left_event: tuple[Hashable, ...]
    left_excess: Exact


def worst_events(
    mu: FinitePmf[Any], nu: FinitePmf[Any], *, exp_epsilon: Exact | RationalLike
) -> WorstEvents:
    """Return the events that decide whether two laws are close.

    Args:
        mu: μ, finite.
        nu: ν, finite; its support may differ.
        exp_epsilon: γ = e^ε, positive (below 1 for a negative ε).

    Returns:
        The two smallest worst events, with their exact excess.

    Raises:
        DomainError: If exp_epsilon is not positive, a float, or an Epsilon.

    Source:
        The Neyman-Pearson lemma.

    Example:
        >>> mu = FinitePmf({"a": "3/4", "b": "1/4"})
        >>> worst = worst_events(mu, FinitePmf({"a": "1/4", "c": "3/4"}), exp_epsilon=2)
        >>> worst.right_event, worst.right_excess, worst.left_event, worst.left_excess
        (('a', 'b'), Exact('1/2'), ('c',), Exact('3/4'))
    """
    gamma = _positive(exp_epsilon)
    right, left = _events(mu, nu, gamma)
    return WorstEvents(
        right,
        mu.probability(right) - gamma * nu.probability(right),
        left,
        nu.probability(left) - gamma * mu.probability(left),
    )


def is_close(
    mu: FinitePmf[Any],
    nu: FinitePmf[Any],
    *,
    exp_epsilon: Exact | RationalLike,
    delta: Exact | RationalLike,
) -> bool:
    """Return whether e^(−ε)(ν(A) − δ) <= μ(A) <= e^ε·ν(A) + δ for every event A.

    Args:
        mu: μ, finite.
        nu: ν, finite; its support may differ.
        exp_epsilon: e^ε, positive.
        delta: δ; any exact number (a negative one is never enough, by A = ∅).

    Returns:
        The answer, always decided: all numbers are in the exact field.

    Raises:
        DomainError: If exp_epsilon is not positive, a float, or an Epsilon, or
            delta is a float.

    Source:
        Erlingsson et al. 2019, the relation of (ε, δ)-closeness in its proofs.

    Example:
        The excess at {a} is 3/4 − 2/4 in one direction, and so it is in the other:

        >>> mu = FinitePmf({"a": "3/4", "b": "1/4"})
        >>> nu = FinitePmf({"a": "1/4", "b": "3/4"})
        >>> is_close(mu, nu, exp_epsilon=2, delta="1/4")
        True
        >>> is_close(mu, nu, exp_epsilon=2, delta="0.2499")
        False
    """
    bound = delta if isinstance(delta, Exact) else Exact(rational(delta, name="delta"))
    gamma = _positive(exp_epsilon)
    right, left = _events(mu, nu, gamma)
    # Not through smallest_delta: γ and the masses may be powers of e without a common
    # rate of sensible size, and balls decide unless there is equality.
    return not (
        is_ratio_above(mu.probability(right) - bound, nu.probability(right), gamma)
        or is_ratio_above(nu.probability(left) - bound, mu.probability(left), gamma)
    )


def smallest_delta(
    mu: FinitePmf[Any], nu: FinitePmf[Any], *, exp_epsilon: Exact | RationalLike
) -> Exact:
    """Return the least δ for which two laws are (ε, δ)-close.

    Formula:
        max(H_γ(μ ‖ ν), H_γ(ν ‖ μ)), γ = exp_epsilon.

    Raises:
        DomainError: If exp_epsilon is not positive, a float, or an Epsilon.

    Example:
        >>> mu = FinitePmf({"a": "3/4", "b": "1/4"})
        >>> smallest_delta(mu, FinitePmf({"a": "1/4", "c": "3/4"}), exp_epsilon=2)
        Exact('3/4')
    """
    worst = worst_events(mu, nu, exp_epsilon=exp_epsilon)
    return max(worst.right_excess, worst.left_excess)


def smallest_epsilon(
    mu: FinitePmf[Any], nu: FinitePmf[Any], *, delta: Exact | RationalLike
) -> Epsilon:
    """Return the least ε >= 0 for which two laws are (ε, δ)-close.

    Args:
        mu: μ, finite.
        nu: ν, finite.
        delta: δ, from 0 to 1.

    Returns:
        The Epsilon (nats), with e^ε exact; plus infinity if there is none.

    Raises:
        DomainError: If delta is below 0 or above 1, or a float.

    Example:
        >>> mu = FinitePmf({"a": "3/4", "b": "1/4"})
        >>> smallest_epsilon(mu, FinitePmf({"a": "1/4", "b": "3/4"}), delta="1/4")
        Epsilon.log('2')
    """
    pair = Pair.from_pmfs(mu, nu)
    curves = (PrivacyCurve.from_pair(direction) for direction in (pair, pair.reversed()))
    return upper_envelope(curves).epsilon(delta=delta)


def _positive(exp_epsilon: Exact | RationalLike) -> Exact:
    gamma = nonnegative_exp_epsilon(exp_epsilon)
    if gamma == 0:
        raise DomainError("exp_epsilon=0 is no e^epsilon. Pass a positive number.")
    return gamma


def _events(
    mu: FinitePmf[Any], nu: FinitePmf[Any], gamma: Exact
) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    """Return the outcomes with μ > γ·ν, and those with ν > γ·μ."""
    pair = Pair.from_pmfs(mu, nu)
    right = tuple(hockey_stick_event(pair, exp_epsilon=gamma))
    left = tuple(hockey_stick_event(pair.reversed(), exp_epsilon=gamma))
    return right, left
