"""Group privacy: what (ε, δ) for one record says about k records, exactly.

If μ_{i−1}(S) <= γ_i·μ_i(S) + δ_i for every event S and i = 1, ..., k, then

    μ_0(S) <= γ_1⋯γ_k·μ_k(S) + δ_1 + γ_1·δ_2 + γ_1γ_2·δ_3 + ... .

The bound holds for every chain, and is attained by some; the divergence of the two
ends of a given chain is a number of its own.

Definitions: :func:`group_privacy`, :func:`chain_delta_upper_bound`, :class:`GroupChain`.

References: C. Dwork and A. Roth, The Algorithmic Foundations of Differential
Privacy, 2014; S. Vadhan, The Complexity of Differential Privacy, 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.divergences.validation import nonnegative_exp_epsilon
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, RationalLike, rational

__all__ = ["GroupChain", "chain_delta_upper_bound", "group_privacy"]


def group_privacy(
    epsilon: Epsilon, *, delta: Exact | RationalLike, size: int
) -> tuple[Epsilon, Exact]:
    """Return the (ε, δ) that (ε, δ)-privacy for one record implies for ``size`` records.

    Formula:
        (k·ε, δ·(e^(kε) − 1)/(e^ε − 1)), k = size; (0, k·δ) if ε = 0.

    Args:
        epsilon: ε, finite, at least 0.
        delta: δ, at least 0, exact.
        size: k, the number of records, at least 0.

    Returns:
        Both numbers, exact. The second may exceed 1 and then says nothing.

    Raises:
        DomainError: If an argument is outside its range, or delta is a float.

    Source:
        Vadhan 2017, Lemma 2.2, with its geometric sum instead of the bound
        k·e^(kε)·δ.

    Example:
        >>> group_privacy(Epsilon.log(2), delta="1/100", size=3)
        (Epsilon.log('8'), Exact('7/100'))
    """
    if epsilon.is_infinite or epsilon.exp < 1:
        raise DomainError(f"epsilon={epsilon!r} must be finite and at least 0.")
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise DomainError(f"size={size!r} is not an int of at least 0.")
    base, bound = epsilon.exp, _nonnegative(delta, "delta")
    copies = Exact(size) if base == 1 else (base**size - 1) / (base - 1)
    return size * epsilon, bound * copies


def chain_delta_upper_bound(
    links: Sequence[tuple[Exact | RationalLike, Exact | RationalLike]],
) -> tuple[Exact, Exact]:
    """Return (γ, δ) for the ends of a chain, from the (γ_i, δ_i) of its links, in order.

    Formula:
        γ = γ_1⋯γ_k, δ = Σ_i γ_1⋯γ_{i−1}·δ_i.

    Args:
        links: For each i the e^ε and δ of μ_{i−1} against μ_i, at least 0.

    Raises:
        DomainError: If a number is negative, a float, or an Epsilon.

    Source:
        The module header; the case of equal links is group privacy.

    Example:
        >>> chain_delta_upper_bound([(2, "1/100"), (3, "1/50")])
        (Exact('6'), Exact('1/20'))
    """
    gamma, delta = Exact(1), Exact(0)
    for exp_epsilon, link_delta in links:
        delta += gamma * _nonnegative(link_delta, "delta")
        gamma *= nonnegative_exp_epsilon(exp_epsilon)
    return gamma, delta


@dataclass(frozen=True, slots=True)
class GroupChain:
    """A chain of laws μ_0, ..., μ_k; neighbors in it differ by one record.

    Attributes:
        laws: The laws, at least one.

    Raises:
        DomainError: If there is no law.

    Example:
        Masses of "yes" 5/8, 1/4, 1/16 with 5/8 = 2·1/4 + 1/8 = 4·1/16 + 3/8:

        >>> chain = GroupChain(tuple(
        ...     FinitePmf({"yes": x, "no": 1 - Exact(x)}) for x in ("5/8", "1/4", "1/16")
        ... ))
        >>> chain.link_deltas(exp_epsilon=2), chain.delta(exp_epsilon=4)
        ([Exact('1/8'), Exact('1/8')], Exact('3/8'))
        >>> chain.delta_upper_bound(exp_epsilon=2)
        Exact('3/8')
    """

    laws: tuple[FinitePmf[Any], ...]

    def __post_init__(self) -> None:
        if not self.laws:
            raise DomainError("laws is empty. Give at least one law.")

    @property
    def size(self) -> int:
        """The number k of links."""
        return len(self.laws) - 1

    def reversed(self) -> GroupChain:
        """Return the chain from μ_k to μ_0: the other direction."""
        return GroupChain(self.laws[::-1])

    def link_deltas(self, *, exp_epsilon: Exact | RationalLike) -> list[Exact]:
        """Return H_γ(μ_{i−1} ‖ μ_i) for i = 1, ..., k, exactly, γ = exp_epsilon.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.
        """
        return [
            hockey_stick_divergence(Pair.from_pmfs(p, q), exp_epsilon=exp_epsilon)
            for p, q in pairwise(self.laws)
        ]

    def delta(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return H_γ(μ_0 ‖ μ_k), exactly, γ = exp_epsilon (for the whole chain).

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.
        """
        ends = Pair.from_pmfs(self.laws[0], self.laws[-1])
        return hockey_stick_divergence(ends, exp_epsilon=exp_epsilon)

    def delta_upper_bound(self, *, exp_epsilon: Exact | RationalLike) -> Exact:
        """Return the bound on H_{γ^k}(μ_0 ‖ μ_k) that the links imply, each at γ = exp_epsilon.

        Formula:
            Σ_i γ^(i−1)·H_γ(μ_{i−1} ‖ μ_i).

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.
        """
        links = [(exp_epsilon, delta) for delta in self.link_deltas(exp_epsilon=exp_epsilon)]
        return chain_delta_upper_bound(links)[1]


def _nonnegative(value: Exact | RationalLike, name: str) -> Exact:
    number = value if isinstance(value, Exact) else Exact(rational(value, name=name))
    if number.sign() < 0:
        raise DomainError(f"{name}={number} is negative. Pass a number of at least 0.")
    return number
