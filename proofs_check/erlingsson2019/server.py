"""The server of Section 3 (Algorithm 2) and the exact law of what it estimates.

Definitions: :func:`sums_of_reports` (steps 2-5), :func:`marginal_estimates` (steps
6-12) with :func:`printed_scale` or :func:`unbiased_scale`; the law of one user's
contribution to a set of nodes (:func:`contribution_law`) and of the sum over
independent users (:func:`node_sum_law`); :func:`estimate_mean` and
:func:`estimate_variance` of f̃_t; the two meanings of f_t (:func:`changes_at`,
:func:`states_at`); :func:`error_probability`, :func:`success_upper_bound` (Theorem 6
fails for many users), :func:`is_union_bound_exceeded`, :func:`repaired_error_bound`.

Notation: c_ε = (e^{ε/2} + 1) / (e^{ε/2} - 1); users are their change vectors; L = log_2 d.

What holds, for every d = 2^L and k: level h is chosen with probability 1/(L + 1), so

    E[u^{[h,j]}] = z^{[h,j]} / (c_ε k (L + 1)),    E[f̃_t] = L/(L + 1) · Σ_i st_i[t],
    Var(Σ_{C} T) = n |C| / (L + 1) - Σ_i st_i[t]² / (c_ε k (L + 1))²,

the last because the nodes of C are at different levels, so that a user contributes to
at most one of them. With L + 1 instead of L in step 11 the estimate is unbiased.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Epsilon, Exact, Number, Real, enclosure, is_below, log, sqrt
from exactdp.truth import Truth
from proofs_check.erlingsson2019.client import (
    ChangeVector,
    Outputs,
    sequence_law,
    states_of,
    truth_probability,
)
from proofs_check.erlingsson2019.tree import Node, cover_by_merging, log2_of, nodes

__all__ = [
    "changes_at",
    "contribution_law",
    "error_probability",
    "estimate_mean",
    "estimate_variance",
    "is_union_bound_exceeded",
    "marginal_estimates",
    "mean_of",
    "node_sum_law",
    "printed_scale",
    "repaired_error_bound",
    "response_scale",
    "states_at",
    "success_upper_bound",
    "sums_of_reports",
    "unbiased_scale",
    "variance_of",
]


def response_scale(epsilon: Epsilon) -> Exact:
    """Return c_ε = (e^{ε/2} + 1) / (e^{ε/2} - 1).

    Raises:
        DomainError: If epsilon is 0 (the response says nothing, c_ε is infinite), or
            not the ε of a client.

    Source:
        Theorem 6.

    Example:
        >>> response_scale(Epsilon.log(9))
        Exact('2')
    """
    mean = 2 * truth_probability(epsilon) - 1
    if mean == 0:
        raise DomainError("epsilon=0 makes c_epsilon infinite. Pass a positive Epsilon.")
    return 1 / mean


def printed_scale(*, d: int, k: int, epsilon: Epsilon) -> Exact:
    """Return c_ε k log_2 d, the factor that step 11 prints.

    Example:
        >>> printed_scale(d=4, k=1, epsilon=Epsilon.log(9))
        Exact('4')
    """
    return response_scale(epsilon) * k * log2_of(d)


def unbiased_scale(*, d: int, k: int, epsilon: Epsilon) -> Exact:
    """Return c_ε k (log_2 d + 1), the factor that makes the estimates unbiased.

    Source:
        Differs from step 11 by the number of levels, log_2 d + 1.

    Example:
        >>> unbiased_scale(d=4, k=1, epsilon=Epsilon.log(9))
        Exact('6')
    """
    return response_scale(epsilon) * k * (log2_of(d) + 1)


def sums_of_reports(sequences: Iterable[Outputs], *, d: int) -> dict[Node, int]:
    """Return T_sum, the sums of the reports at every node: steps 2-5 of Algorithm 2.

    Args:
        sequences: The d outputs of each client.
        d: The number of periods.

    Example:
        >>> from proofs_check.erlingsson2019.client import Report
        >>> sent = [(None, Report(2, 2, 1)), (Report(1, 1, -1), Report(1, 2, 1))]
        >>> sums_of_reports(sent, d=2)[Node(2, 1)]
        1
    """
    sums = dict.fromkeys(nodes(d), 0)  # step 2
    received = list(sequences)
    for t in range(1, d + 1):  # step 3
        for h in (node.level for node in sums if node.periods[-1] == t):  # step 4
            reports = [sequence[t - 1] for sequence in received]
            sums[Node(h, t // 2 ** (h - 1))] = sum(  # step 5
                report.sign for report in reports if report is not None and report.level == h
            )
    return sums


def marginal_estimates(sums: Mapping[Node, int], *, d: int, scale: Exact) -> tuple[Exact, ...]:
    """Return f̃_1, ..., f̃_d from T_sum: steps 6-12 of Algorithm 2.

    Args:
        sums: T_sum, one sum a node.
        d: The number of periods.
        scale: The factor of step 11: :func:`printed_scale` or :func:`unbiased_scale`.

    Example:
        >>> sums = {Node(1, 1): 3, Node(1, 2): 1, Node(2, 1): -1}
        >>> marginal_estimates(sums, d=2, scale=Exact(2))
        (Exact('6'), Exact('-2'))
    """
    return tuple(scale * sum(sums[node] for node in cover_by_merging(t)) for t in range(1, d + 1))


@lru_cache(maxsize=4096)
def contribution_law(
    x: ChangeVector, chosen: frozenset[Node], *, k: int, epsilon: Epsilon
) -> FinitePmf[int]:
    """Return the law of what one user adds to Σ T over some nodes, from the client's law.

    Meaning:
        For one node [h, j] the law of u_i^{[h,j]}; for C that of the user's part of
        f̃_t, before scaling.

    Example:
        >>> law = contribution_law((1, 0), frozenset({Node(1, 1)}), k=1, epsilon=Epsilon.log(9))
        >>> law[1], law[0], law[-1]
        (Exact('3/8'), Exact('1/2'), Exact('1/8'))
    """

    def added(outputs: Outputs) -> int:
        sums = sums_of_reports([outputs], d=len(x))
        return sum(sums[node] for node in chosen)

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
    total = {0: Exact(1)}
    for x in users:
        law = contribution_law(x, chosen, k=k, epsilon=epsilon)
        following: dict[int, Exact] = {}
        for value, mass in total.items():
            for added, factor in law.masses.items():
                following[value + added] = following.get(value + added, Exact(0)) + mass * factor
        total = following
    return FinitePmf(total)


def mean_of(law: FinitePmf[int]) -> Exact:
    """Return the expectation of an integer-valued law.

    Example:
        >>> mean_of(FinitePmf({0: "1/4", 2: "3/4"}))
        Exact('3/2')
    """
    return sum((value * mass for value, mass in law.masses.items()), Exact(0))


def variance_of(law: FinitePmf[int]) -> Exact:
    """Return the variance of an integer-valued law.

    Example:
        >>> variance_of(FinitePmf({0: "1/4", 2: "3/4"}))
        Exact('3/4')
    """
    square = sum((value * value * mass for value, mass in law.masses.items()), Exact(0))
    return square - mean_of(law) ** 2


def estimate_mean(
    users: Sequence[ChangeVector], t: int, *, scale: Exact, k: int, epsilon: Epsilon
) -> Exact:
    """Return E[f̃_t], from the exact law of each client.

    Example:
        One user whose state is 1 from the start, d = 2: half of the truth.

        >>> epsilon = Epsilon.log(9)
        >>> printed = printed_scale(d=2, k=1, epsilon=epsilon)
        >>> estimate_mean([(1, 0)], 2, scale=printed, k=1, epsilon=epsilon)
        Exact('1/2')
    """
    cover = cover_by_merging(t)
    parts = (mean_of(contribution_law(x, cover, k=k, epsilon=epsilon)) for x in users)
    return scale * sum(parts, Exact(0))


def estimate_variance(
    users: Sequence[ChangeVector], t: int, *, scale: Exact, k: int, epsilon: Epsilon
) -> Exact:
    """Return Var(f̃_t) for independent users, from the exact law of each client.

    Example:
        >>> epsilon = Epsilon.log(9)
        >>> printed = printed_scale(d=2, k=1, epsilon=epsilon)
        >>> estimate_variance([(0, 0)], 2, scale=printed, k=1, epsilon=epsilon)
        Exact('2')
    """
    cover = cover_by_merging(t)
    parts = (variance_of(contribution_law(x, cover, k=k, epsilon=epsilon)) for x in users)
    return scale**2 * sum(parts, Exact(0))


def changes_at(users: Sequence[ChangeVector], t: int) -> int:
    """Return f_t as Section 3, Setup prints it: Σ_i x_i[t].

    Example:
        >>> changes_at([(1, 0), (1, -1)], 2)
        -1
    """
    return sum(x[t - 1] for x in users)


def states_at(users: Sequence[ChangeVector], t: int) -> int:
    """Return f_t as the task and the proof of Theorem 6 use it: Σ_i Σ_{ℓ ≤ t} x_i[ℓ].

    Example:
        >>> states_at([(1, 0), (1, -1)], 2)
        1
    """
    return sum(states_of(x)[t - 1] for x in users)


def success_upper_bound(
    n: int, *, d: int, k: int, epsilon: Epsilon, allowed: Number
) -> Exact | None:
    """Return a bound on P(max_t |f_t - f̃_t| ≤ allowed) for n users with x = (1, 0, ..., 0).

    Formula:
        At t = 1 both meanings of f_t are n, E[f̃_1] = n L/(L + 1), so success needs
        |f̃_1 - E[f̃_1]| ≥ n/(L + 1) - allowed; Chebyshev's inequality bounds its
        probability by Var(f̃_1) / (n/(L + 1) - allowed)².

    Meaning:
        For allowed = K c_ε (log d)² k √n, whatever K, the bound tends to 0 with n
        (its numerator grows like n, its denominator like n²): Theorem 6 asks for
        at least 2/3. So no constant K in its O(·) will do.

    Args:
        n: The number of users.
        d: The number of periods, a power of two, at least 2.
        k: The bound on the changes, at least 1.
        epsilon: ε.
        allowed: The error allowed, at least 0; a computable real is rounded up.

    Returns:
        An upper bound, or None where allowed reaches the bias n/(L + 1) and the
        argument says nothing.

    Example:
        >>> success_upper_bound(1000, d=2, k=1, epsilon=Epsilon.log(9), allowed=Exact(400))
        Exact('7/40')
    """
    levels = log2_of(d) + 1
    gap = Exact(n) / levels - enclosure(allowed).upper
    if gap.sign() <= 0:
        return None
    # Step 11 with one user; the variance of n equal users is n times as large.
    x = (1, *[0] * (d - 1))
    scale = printed_scale(d=d, k=k, epsilon=epsilon)
    return n * estimate_variance([x], 1, scale=scale, k=k, epsilon=epsilon) / gap**2


def error_probability(
    users: Sequence[ChangeVector],
    t: int,
    *,
    scale: Exact,
    k: int,
    epsilon: Epsilon,
    allowed: Number,
) -> Exact:
    """Return P(|f_t - f̃_t| > allowed) exactly, f_t the sum of the states.

    Args:
        users: Their change vectors; they report independently.
        t: The period.
        scale: The factor of step 11.
        k: The bound on the changes.
        epsilon: ε.
        allowed: The error allowed.

    Raises:
        UndecidedError: If allowed is a computable real that cannot be told from an error.

    Example:
        One user, d = 1: log_2 d = 0 makes every estimate 0.

        >>> epsilon = Epsilon.log(9)
        >>> printed = printed_scale(d=1, k=1, epsilon=epsilon)
        >>> error_probability([(1,)], 1, scale=printed, k=1, epsilon=epsilon, allowed=Exact(0))
        Exact('1')
    """
    truth = states_at(users, t)
    total = Exact(0)
    law = node_sum_law(users, cover_by_merging(t), k=k, epsilon=epsilon)
    for value, mass in law.masses.items():
        is_failure = is_below(allowed, abs(scale * value - truth))
        if is_failure is Truth.UNKNOWN:
            raise UndecidedError(f"allowed={allowed!r} cannot be told from an error.")
        if is_failure is Truth.TRUE:
            total += mass
    return total


def is_union_bound_exceeded(n: int, *, log2_d: int, epsilon: Epsilon) -> Truth:
    """Return whether n silent users break the display before the last of Theorem 6's proof.

    Formula:
        The display: except with probability β, every |T[h, j] - E[T[h, j]]| is at most
        c_ε √(n ln(2d/β) / log_2 d). Take x = 0 for all users, so E[T] = 0. With
        probability (L + 1)^{-n} all choose the leaves; then each leaf has |T| = n with
        probability 2^{1-n}, independently, so some leaf has it with probability
        1 - (1 - 2^{1-n})^d ≥ 1 - e^{-d 2^{1-n}} > 1/2 if d ≥ 2^{n-1}. So with
        β = (L + 1)^{-n} / 2 the display fails if c_ε² n ln(2d/β) / L < n².

    Args:
        n: The number of users, from 1 to L + 1 (then d ≥ 2^{n-1}).
        log2_d: L = log_2 d, at least 1.
        epsilon: ε, positive.

    Returns:
        TRUE if these inputs and this β break the display; FALSE if they do not.

    Raises:
        DomainError: If n is not in 1..L + 1.

    Example:
        >>> is_union_bound_exceeded(90, log2_d=90, epsilon=Epsilon.rational(1))
        <Truth.TRUE: 'true'>
        >>> is_union_bound_exceeded(60, log2_d=60, epsilon=Epsilon.rational(1))
        <Truth.FALSE: 'false'>
    """
    if not 1 <= n <= log2_d + 1:
        raise DomainError(f"n={n} must be from 1 to log2_d + 1 = {log2_d + 1}. Raise log2_d.")
    log_of_2d_over_beta = (log2_d + 2) * log(2) + n * log(log2_d + 1)
    square = response_scale(epsilon) ** 2 * n * log_of_2d_over_beta / log2_d
    return is_below(square, Exact(n * n))


def repaired_error_bound(n: int, *, d: int, k: int, epsilon: Epsilon) -> Real:
    """Return an error that the unbiased estimates exceed with probability at most 1/3.

    Formula:
        c_ε k (log_2 d + 1) √(2 n ln(6d)). A user adds -1, 0 or 1 to Σ_C T, since C has
        one node a level, so by Hoeffding's inequality that sum leaves its mean by s
        with probability at most 2 e^{-s²/(2n)}; at s = √(2 n ln(6d)) that is 1/(3d),
        and there are d estimates.

    Meaning:
        Theorem 6 with L + 1 in step 11 and st for f: since log_2 d + 1 and √ln(6d) are
        O(log d) for d ≥ 2, it is O(c_ε (log d)² k √n), even with (log d)^{3/2}.

    Example:
        >>> from exactdp.numbers import decimal
        >>> bound = repaired_error_bound(10**4, d=2, k=1, epsilon=Epsilon.log(9))
        >>> decimal(bound, digits=6)  # 400 √(2 ln 12)
        '891.723'
    """
    return unbiased_scale(d=d, k=k, epsilon=epsilon) * sqrt(2 * n * log(Exact(6 * d)))
