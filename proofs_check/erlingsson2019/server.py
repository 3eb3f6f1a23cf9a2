"""The server of Section 3 (Algorithm 2): the exact law of its sums.

Definitions: :func:`response_scale` (c_ε), :func:`contribution_law` (one user's part of the
sum over some nodes), :func:`node_sum_law` (that of independent users), :func:`mean_of`.

Notation: c_ε = (e^{ε/2} + 1) / (e^{ε/2} - 1); users are their change vectors; L = log_2 d.

What holds, for every d = 2^L and k: level h is chosen with probability 1/(L + 1), so

    E[u^{[h,j]}] = z^{[h,j]} / (c_ε k (L + 1)),    E[f̃_t] = L/(L + 1) · Σ_i st_i[t],
    Var(Σ_{C} T) = n |C| / (L + 1) - Σ_i st_i[t]² / (c_ε k (L + 1))²,

the last because the nodes of C are at different levels, so that a user contributes to
at most one of them. With L + 1 instead of L in step 11 the estimate is unbiased.
"""

from collections.abc import Sequence
from functools import lru_cache

from exactdp.distributions import FinitePmf
from exactdp.numbers import Epsilon, Exact
from proofs_check.erlingsson2019.client import (
    ChangeVector,
    Outputs,
    sequence_law,
    truth_probability,
)
from proofs_check.erlingsson2019.tree import Node


def response_scale(epsilon: Epsilon) -> Exact:
    """Return c_ε = (e^{ε/2} + 1) / (e^{ε/2} - 1) of Theorem 6, for ε > 0.

    Example:
        >>> response_scale(Epsilon.log(9))
        Exact('2')
    """
    return 1 / (2 * truth_probability(epsilon) - 1)


@lru_cache(maxsize=4096)
def contribution_law(
    x: ChangeVector, chosen: frozenset[Node], *, k: int, epsilon: Epsilon
) -> FinitePmf[int]:
    """Return the law of one user's part of Σ T over some nodes, from the client's law.

    For one node [h, j] it is that of u_i^{[h,j]}; for C, of the user's part of f̃_t before
    scaling. Steps 2-5 add a report (h, t, u) at the node [h, t / 2^{h-1}].

    Example:
        >>> law = contribution_law((1, 0), frozenset({Node(1, 1)}), k=1, epsilon=Epsilon.log(9))
        >>> law[1], law[0], law[-1]
        (Exact('3/8'), Exact('1/2'), Exact('1/8'))
    """

    def added(outputs: Outputs) -> int:
        sent = (report for report in outputs if report is not None)
        return sum(r.sign for r in sent if Node(r.level, r.time >> (r.level - 1)) in chosen)

    return sequence_law(x, k=k, epsilon=epsilon).push_forward(added)


def node_sum_law(
    users: Sequence[ChangeVector], chosen: frozenset[Node], *, k: int, epsilon: Epsilon
) -> FinitePmf[int]:
    """Return the exact law of Σ T over some nodes, for n independent users, in O(n²).

    Example:
        >>> law = node_sum_law([(0,)] * 2, frozenset({Node(1, 1)}), k=1, epsilon=Epsilon.log(9))
        >>> law[2], law[0]
        (Exact('1/4'), Exact('1/2'))
    """
    law = FinitePmf.point(0)
    for x in users:
        one = contribution_law(x, chosen, k=k, epsilon=epsilon)
        law = FinitePmf.product(law, one).push_forward(sum)
    return law


def mean_of(law: FinitePmf[int]) -> Exact:
    """Return the expectation of an integer-valued law.

    Example:
        >>> mean_of(FinitePmf({0: "1/4", 2: "3/4"}))
        Exact('3/2')
    """
    return sum((value * mass for value, mass in law.masses.items()), Exact(0))
