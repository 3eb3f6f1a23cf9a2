"""The hockey-stick divergence of a pair, its event, and total variation.

H_γ(P ‖ Q) = sup over events S of P(S) − γ·Q(S) is the least δ with
P(S) <= γ·Q(S) + δ for every S; γ = e^ε, and ε is in nats.

Definitions: :func:`hockey_stick_divergence`, :func:`hockey_stick_event`,
:func:`hockey_stick_both_directions`, :func:`total_variation`.

References: I. Sason and S. Verdú, f-divergence inequalities, 2016; C. Dwork and
A. Roth, The Algorithmic Foundations of Differential Privacy, 2014.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from flint import fmpz

from exactdp.divergences.likelihood import has_integer_weights
from exactdp.divergences.pair import Pair, exact, ratio
from exactdp.divergences.validation import nonnegative_exp_epsilon
from exactdp.numbers import Exact, RationalLike, enclosure, fmpq_of, is_ratio_above

__all__ = [
    "hockey_stick_both_directions",
    "hockey_stick_divergence",
    "hockey_stick_event",
    "total_variation",
]


def hockey_stick_divergence(pair: Pair, *, exp_epsilon: Exact | RationalLike) -> Exact:
    """Return the exact hockey-stick divergence of P from Q.

    Formula:
        H_γ(P ‖ Q) = Σ_y max(0, P(y) − γ·Q(y)), γ = exp_epsilon.

    Meaning:
        The least δ with P(S) <= γ·Q(S) + δ for every event S. A fact about one
        ordered pair: a mechanism's δ is the supremum over all neighboring pairs,
        taken in both orders.

    Args:
        pair: P and Q, with n outcomes.
        exp_epsilon: γ = e^ε, at least 0 (below 1 it is a negative ε; 0 gives 1).

    Returns:
        An exact number in [0, 1]; nothing is rounded. O(n) operations.

    Raises:
        DomainError: If exp_epsilon is negative, a float, or an Epsilon.

    Source:
        Dwork & Roth 2014, Definition 2.4, read for one ordered pair with ε = ln γ.
        Differs from the source: any γ >= 0.

    Example:
        Randomized response that tells the truth with probability 3/4:

        >>> pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> hockey_stick_divergence(pair, exp_epsilon=2)
        Exact('1/4')

        It is exactly (ln 3)-DP, so nothing is left at γ = 3. At ε = 1/2 the
        answer is 3/4 − e^(1/2)/4:

        >>> hockey_stick_divergence(pair, exp_epsilon=3)
        Exact('0')
        >>> hockey_stick_divergence(pair, exp_epsilon=Exact.exp("1/2"))
        Exact('(-e^(1/2) + 3)/4')
    """
    gamma = nonnegative_exp_epsilon(exp_epsilon)
    p, q = pair.p, pair.q
    p_sum: Any = fmpz(0)
    q_sum: Any = fmpz(0)
    for index in _indices_above(pair, gamma):
        p_sum += p[index]
        q_sum += q[index]
    return ratio(p_sum, pair.p_total) - gamma * ratio(q_sum, pair.q_total)


def hockey_stick_event(pair: Pair, *, exp_epsilon: Exact | RationalLike) -> list[Hashable]:
    """Return the outcomes y with P(y) > γ·Q(y): the smallest event that attains H_γ(P ‖ Q).

    Args:
        pair: P and Q. If it does not keep its outcomes, an outcome is its index.
        exp_epsilon: γ = e^ε, at least 0.

    Returns:
        The outcomes, in the pair's order. Those with P = γ·Q add nothing and are
        left out.

    Raises:
        DomainError: If exp_epsilon is negative, a float, or an Epsilon.

    Source:
        The Neyman-Pearson lemma: P(S) − γ·Q(S) is largest on {P > γ·Q}.

    Example:
        >>> from exactdp.distributions import FinitePmf
        >>> p = FinitePmf({"low": "1/6", "mid": "1/3", "high": "1/2"})
        >>> q = FinitePmf({"low": "1/2", "mid": "1/3", "high": "1/6"})
        >>> hockey_stick_event(Pair.from_pmfs(p, q), exp_epsilon=1)
        ['high']
    """
    gamma = nonnegative_exp_epsilon(exp_epsilon)
    labels = pair.outcomes if pair.outcomes is not None else range(len(pair))
    return [labels[index] for index in _indices_above(pair, gamma)]


def hockey_stick_both_directions(pair: Pair, *, exp_epsilon: Exact | RationalLike) -> Exact:
    """Return the larger of H_γ(P ‖ Q) and H_γ(Q ‖ P): the δ of the unordered pair.

    Args:
        pair: P and Q.
        exp_epsilon: γ = e^ε, at least 0.

    Raises:
        DomainError: If exp_epsilon is negative, a float, or an Epsilon.

    Example:
        Here H_2(P ‖ Q) = 1/2 − 2·0 = 1/2 and H_2(Q ‖ P) = max(0, 1 − 2·1/2) = 0:

        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> hockey_stick_both_directions(pair, exp_epsilon=2)
        Exact('1/2')
        >>> hockey_stick_divergence(pair.reversed(), exp_epsilon=2)
        Exact('0')
    """
    return max(
        hockey_stick_divergence(pair, exp_epsilon=exp_epsilon),
        hockey_stick_divergence(pair.reversed(), exp_epsilon=exp_epsilon),
    )


def total_variation(pair: Pair) -> Exact:
    """Return the total variation distance of P and Q.

    Formula:
        TV(P, Q) = ½ Σ_y |P(y) − Q(y)| = H_1(P ‖ Q).

    Returns:
        An exact number in [0, 1], the same in both directions.

    Example:
        >>> total_variation(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
        Exact('1/2')
    """
    return hockey_stick_divergence(pair, exp_epsilon=1)


_BRACKET_BITS = 128


def _indices_above(pair: Pair, gamma: Exact) -> Iterator[int]:
    """Yield the indices with P > γ·Q, decided exactly."""
    threshold = gamma * ratio(pair.p_total, pair.q_total)
    if not has_integer_weights(pair):
        yield from (
            i for i, (a, b) in enumerate(pair) if is_ratio_above(exact(a), exact(b), threshold)
        )
        return
    # A rational threshold is its own bracket; for a transcendental one, the few
    # weights whose ratio falls inside the bracket are compared in the exact field.
    bracket = enclosure(threshold, relative_bits=_BRACKET_BITS)
    lower, upper = fmpq_of(bracket.lower), fmpq_of(bracket.upper)
    upper_p, upper_q, lower_p, lower_q = upper.p, upper.q, lower.p, lower.q
    for index, (a, b) in enumerate(pair):
        if a * upper_q > b * upper_p or (
            a * lower_q > b * lower_p and exact(a) > threshold * exact(b)
        ):
            yield index
