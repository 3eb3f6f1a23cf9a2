"""The client of Section 3 (Algorithm 1), line by line, as an exact finite mechanism.

Definitions: :class:`ClientState`, :class:`Report`, :func:`setup` and :func:`update`
(Algorithm 1), :func:`sequence_law` (the law of the d outputs), :func:`client_rows` (all
inputs at once); the families :func:`change_vectors` and :func:`boolean_change_vectors`;
:func:`sensitivity`.

Notation: d = 2^L periods, x ∈ {-1, 0, 1}^d with at most k nonzero entries, h* uniform
on the L + 1 levels, κ* uniform on 1..k, 1/c_ε = (e^{ε/2} - 1) / (e^{ε/2} + 1).

Why the client is (ε/2)-locally private, not only ε: given h*, the signs u have mass

    2^{-H(h*)} · (1/k) Σ_{κ=1}^{k} (1 + s_κ / c_ε),   s_κ ∈ {-1, 0, 1},

where s_κ is the κ-th change times the sign sent at its node, and 0 if x has fewer
changes. Every factor lies between 1 - 1/c_ε and 1 + 1/c_ε, whose quotient is e^{ε/2}.
Over all of {-1, 0, 1}^d, k ≤ d, both ends are reached (at the leaves, k signs all
right or all wrong), so ε/2 is exact. Line 19 may stand inside or after the else
branch: c is 0 after a report in both cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.arguments import privacy_epsilon, whole_number
from proofs_check.erlingsson2019.tree import level_size, levels, log2_of

__all__ = [
    "ChangeVector",
    "ClientState",
    "Outputs",
    "Report",
    "all_outputs",
    "boolean_change_vectors",
    "change_vectors",
    "client_rows",
    "sensitivity",
    "sequence_law",
    "setup",
    "states_of",
    "truth_probability",
    "update",
]

ChangeVector = tuple[int, ...]
"""x = (x[1], ..., x[d]), the changes of one user's state."""


class Report(NamedTuple):
    """What line 20 sends: (h*, t, u)."""

    level: int
    time: int
    sign: int


Outputs = tuple[Report | None, ...]
"""The d outputs of one client; None where line 13 fails and nothing is sent."""


@dataclass(frozen=True, slots=True)
class ClientState:
    """Everything that the client keeps between two periods: four integers.

    Attributes:
        kappa_star: κ*, which change is reported.
        h_star: h*, the level that is reported.
        kappa: κ, how many changes were seen.
        c: The change waiting to be reported, or 0.
    """

    kappa_star: int
    h_star: int
    kappa: int
    c: int


def change_vectors(*, d: int, k: int) -> Iterator[ChangeVector]:
    """Yield every x in {-1, 0, 1}^d with at most k nonzero entries, fewest first.

    Example:
        >>> list(change_vectors(d=1, k=1))
        [(0,), (1,), (-1,)]
    """
    for changes in range(min(k, d) + 1):
        for places in combinations(range(d), changes):
            for signs in product((1, -1), repeat=changes):
                x = [0] * d
                for place, sign in zip(places, signs, strict=True):
                    x[place] = sign
                yield tuple(x)


def boolean_change_vectors(*, d: int, k: int) -> Iterator[ChangeVector]:
    """Yield the change vectors of boolean states with at most k changes, fewest first.

    The paper's st[t] = Σ_{ℓ ≤ t} x[ℓ] makes the state before period 1 equal to 0, so
    the nonzero entries alternate in sign and the first is +1; a state that is 1 at
    period 1 counts as a change there.

    Example:
        >>> list(boolean_change_vectors(d=2, k=2))
        [(0, 0), (1, 0), (0, 1), (1, -1)]
    """
    for x in change_vectors(d=d, k=k):
        if all(state in (0, 1) for state in states_of(x)):
            yield x


def states_of(x: ChangeVector) -> tuple[int, ...]:
    """Return st[t] = Σ_{ℓ ≤ t} x[ℓ] for t = 1..d.

    Example:
        >>> states_of((0, 1, 0, -1))
        (0, 1, 1, 0)
    """
    return tuple(sum(x[: t + 1]) for t in range(len(x)))


def truth_probability(epsilon: Epsilon) -> Exact:
    """Return e^{ε/2} / (1 + e^{ε/2}), the expectation of B in line 17.

    Raises:
        DomainError: If epsilon is no Epsilon, infinite or negative, or e^{ε/2} is
            outside the exact field.

    Example:
        >>> truth_probability(Epsilon.log(9))
        Exact('3/4')
    """
    privacy_epsilon(epsilon)
    exp_half = epsilon.divided(2).exp
    return exp_half / (1 + exp_half)


def setup(*, d: int, k: int) -> FinitePmf[ClientState]:
    """Return the law of the state after Setup(d, k): lines 1-4 of Algorithm 1.

    Example:
        >>> setup(d=2, k=1)[ClientState(kappa_star=1, h_star=2, kappa=0, c=0)]
        Exact('1/2')
    """
    whole_number(k, name="k", at_least=1)
    return FinitePmf.uniform(
        [
            ClientState(kappa_star, h_star, kappa=0, c=0)
            for kappa_star in range(1, k + 1)
            for h_star in levels(d)
        ]
    )


@lru_cache(maxsize=4096)
def update(
    state: ClientState, t: int, x_t: int, epsilon: Epsilon
) -> FinitePmf[tuple[ClientState, Report | None]]:
    """Return the law of the next state and the output: Update(t, x_t, ε), lines 6-20.

    Example:
        >>> state = ClientState(kappa_star=1, h_star=1, kappa=0, c=0)
        >>> after = ClientState(kappa_star=1, h_star=1, kappa=1, c=0)
        >>> update(state, 1, -1, Epsilon.log(9))[(after, Report(level=1, time=1, sign=-1))]
        Exact('3/4')
    """
    kappa_star, h_star, kappa, c = state.kappa_star, state.h_star, state.kappa, state.c
    if x_t != 0:  # line 9
        kappa += 1  # line 10
        if kappa == kappa_star:  # line 11
            c = x_t  # line 12
    if t % 2 ** (h_star - 1) != 0:  # line 13
        return FinitePmf.point((ClientState(kappa_star, h_star, kappa, c), None))
    if c == 0:  # line 14
        u = {-1: Exact("1/2"), 1: Exact("1/2")}  # line 15
    else:  # line 16
        truth = truth_probability(epsilon)
        b = {1: truth, -1: 1 - truth}  # line 17
        u = {sign * c: mass for sign, mass in b.items()}  # line 18
        c = 0  # line 19
    after = ClientState(kappa_star, h_star, kappa, c)
    return FinitePmf({(after, Report(h_star, t, sign)): mass for sign, mass in u.items()})  # 20


@lru_cache(maxsize=4096)
def sequence_law(x: ChangeVector, *, k: int, epsilon: Epsilon) -> FinitePmf[Outputs]:
    """Return the exact law of the d outputs of the client on input x.

    Args:
        x: The changes; d = len(x) a power of two.
        k: The bound on the nonzero entries of x, at least 1.
        epsilon: ε, finite, with e^{ε/2} in the exact field (a rational number of
            nats, or the logarithm of a rational square).

    Returns:
        A law on Outputs; nothing is rounded. About k·2^d branches.

    Raises:
        DomainError: If x has an entry outside {-1, 0, 1} or more than k nonzero
            entries, or d is no power of two.

    Source:
        Algorithm 1.

    Example:
        One period: the level is 1 and the sign is true with probability 3/4.

        >>> law = sequence_law((1,), k=1, epsilon=Epsilon.log(9))
        >>> law[(Report(level=1, time=1, sign=1),)]
        Exact('3/4')
    """
    _check_input(x, k)
    branches: dict[tuple[ClientState, Outputs], Exact] = {
        (state, ()): mass for state, mass in setup(d=len(x), k=k).masses.items()
    }
    for t, x_t in enumerate(x, start=1):
        following: dict[tuple[ClientState, Outputs], Exact] = {}
        for (state, outputs), mass in branches.items():
            for (after, report), factor in update(state, t, x_t, epsilon).masses.items():
                key = (after, (*outputs, report))
                following[key] = following.get(key, Exact(0)) + mass * factor
        branches = following
    return FinitePmf(branches).push_forward(lambda branch: branch[1])


def _check_input(x: ChangeVector, k: int) -> None:
    log2_of(len(x))
    whole_number(k, name="k", at_least=1)
    if not all(entry in (-1, 0, 1) for entry in x):
        raise DomainError(f"x={x} has an entry outside -1, 0, 1. Pass the changes of the state.")
    changes = sum(entry != 0 for entry in x)
    if changes > k:
        raise DomainError(f"x={x} has {changes} nonzero entries, more than k={k}. Raise k.")


def all_outputs(*, d: int) -> tuple[Outputs, ...]:
    """Return every sequence of outputs that the client can produce.

    Returns:
        Σ_h 2^{H(h)} sequences, by level.

    Example:
        >>> len(all_outputs(d=4))
        22
    """
    found: list[Outputs] = []
    for h in levels(d):
        width = 2 ** (h - 1)
        for signs in product((1, -1), repeat=level_size(h, d=d)):
            found.append(
                tuple(
                    Report(h, t, signs[t // width - 1]) if t % width == 0 else None
                    for t in range(1, d + 1)
                )
            )
    return tuple(found)


def client_rows(
    inputs: Sequence[ChangeVector], *, k: int, epsilon: Epsilon
) -> tuple[tuple[Exact, ...], ...]:
    """Return the client on the given inputs as one stochastic matrix: a row an input.

    Args:
        inputs: All with the same d; such as ``tuple(change_vectors(...))``.
        k: The bound on their nonzero entries.
        epsilon: The ε that Algorithm 1 is given.

    Returns:
        The masses of :func:`all_outputs`; the largest ratio of two entries of a column is
        the exact local privacy of the d outputs (Theorem 5), over all pairs of the inputs.

    Raises:
        DomainError: If there is no input, or inputs differ in length.

    Example:
        The client that is given ε = ln 9, on all inputs for d = k = 1:

        >>> client_rows(tuple(change_vectors(d=1, k=1)), k=1, epsilon=Epsilon.log(9))[1]
        (Exact('3/4'), Exact('1/4'))
    """
    if len({len(x) for x in inputs}) != 1:
        raise DomainError("inputs must be at least one vector, all of one length d.")
    outputs = all_outputs(d=len(inputs[0]))
    laws = [sequence_law(x, k=k, epsilon=epsilon) for x in inputs]
    return tuple(tuple(law[y] for y in outputs) for law in laws)


def _selected_node_values(x: ChangeVector, *, kappa_star: int, h_star: int) -> tuple[int, ...]:
    """Return the values at the nodes of level h* before they are randomized.

    Formula:
        The sums, over the periods of each node, of the vector that keeps only the
        κ*-th nonzero entry of x.

    Source:
        Section 3, Outline ("an index vector capturing the κ*-th change").

    Example:
        >>> _selected_node_values((1, 0, 0, -1), kappa_star=2, h_star=2)
        (0, -1)
    """
    kept, seen = [0] * len(x), 0
    for place, entry in enumerate(x):
        seen += entry != 0
        if entry != 0 and seen == kappa_star:
            kept[place] = entry
    width = len(x) // level_size(h_star, d=len(x))
    return tuple(sum(kept[i : i + width]) for i in range(0, len(x), width))


def sensitivity(inputs: Sequence[ChangeVector], *, kappa_star: int, h_star: int) -> tuple[int, int]:
    """Return how far two inputs can move the values at level h*, κ* and h* fixed.

    Returns:
        The largest number of nodes that differ, and the largest difference at one
        node, over all pairs of the inputs.

    Source:
        Proof of Theorem 5, second paragraph, which claims at most (2, 1).

    Example:
        >>> sensitivity([(1,), (-1,)], kappa_star=1, h_star=1)
        (1, 2)
    """
    values = {_selected_node_values(x, kappa_star=kappa_star, h_star=h_star) for x in inputs}
    count = change = 0
    for first, second in product(values, repeat=2):
        gaps = [abs(a - b) for a, b in zip(first, second, strict=True)]
        count = max(count, sum(gap > 0 for gap in gaps))
        change = max(change, *gaps)
    return count, change
