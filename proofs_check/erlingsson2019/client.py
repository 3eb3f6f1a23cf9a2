"""The client of Section 3 (Algorithm 1), line by line, as an exact finite mechanism.

Definitions: :class:`ClientState`, :class:`Report`, :func:`setup` and :func:`update`
(Algorithm 1), :func:`sequence_law` (the law of the d outputs), :func:`client_rows` (all
inputs at once); the families :func:`change_vectors` and :func:`boolean_change_vectors`;
:func:`sensitivity`, :func:`farthest_values`.

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, EpsilonLike, Exact
from exactdp.numbers.arguments import privacy_epsilon
from proofs_check.erlingsson2019.tree import level_size, levels, log2_of

ChangeVector = tuple[int, ...]
"""x = (x[1], ..., x[d]), the changes of one user's state."""


class Report(NamedTuple):
    """The message (h*, t, u) of line 20."""

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
                at = dict(zip(places, signs, strict=True))
                yield tuple(at.get(place, 0) for place in range(d))


def boolean_change_vectors(*, d: int, k: int) -> Iterator[ChangeVector]:
    """Yield the change vectors of boolean states with at most k changes, fewest first.

    The state st[t] = Σ_{ℓ ≤ t} x[ℓ] is 0 before period 1: one that is 1 there is a change.

    Example:
        >>> list(boolean_change_vectors(d=2, k=2))
        [(0, 0), (1, 0), (0, 1), (1, -1)]
    """
    for x in change_vectors(d=d, k=k):
        if all(sum(x[:t]) in (0, 1) for t in range(1, d + 1)):
            yield x


def truth_probability(epsilon: EpsilonLike) -> Exact:
    """Return e^{ε/2} / (1 + e^{ε/2}), the expectation of B in line 17.

    Raises:
        DomainError: If e^{ε/2} is outside the exact field, or epsilon infinite or negative.

    Example:
        >>> truth_probability(Epsilon.log(9))
        Exact('3/4')
    """
    exp_half = privacy_epsilon(epsilon).divided(2).exp
    return exp_half / (1 + exp_half)


def setup(*, d: int, k: int) -> FinitePmf[ClientState]:
    """Return the law of the state after Setup(d, k): lines 1-4 of Algorithm 1.

    Example:
        >>> setup(d=2, k=1)[ClientState(kappa_star=1, h_star=2, kappa=0, c=0)]
        Exact('1/2')
    """
    choices = product(range(1, k + 1), levels(d))
    return FinitePmf.uniform([ClientState(kappa, h, kappa=0, c=0) for kappa, h in choices])


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
    """Return the exact law of the d outputs of the client on input x, from about k·2^d branches.

    Raises:
        DomainError: If x has an entry outside {-1, 0, 1} or more than k nonzero
            entries, or d is no power of two.

    Example:
        One period: the level is 1 and the sign is true with probability 3/4.

        >>> law = sequence_law((1,), k=1, epsilon=Epsilon.log(9))
        >>> law[(Report(level=1, time=1, sign=1),)]
        Exact('3/4')
    """
    log2_of(len(x))
    if not {*x} <= {-1, 0, 1} or sum(map(abs, x)) > k:
        raise DomainError(f"x={x} must have entries -1, 0, 1, at most k={k} of them not 0.")
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


def all_outputs(*, d: int) -> list[Outputs]:
    """Return every sequence of outputs that the client can produce: Σ_h 2^{H(h)}, by level.

    Example:
        >>> len(all_outputs(d=4))
        22
    """
    return [
        tuple(None if t % width else Report(h, t, signs[t // width - 1]) for t in range(1, d + 1))
        for h in levels(d)
        for width in [2 ** (h - 1)]
        for signs in product((1, -1), repeat=level_size(h, d=d))
    ]


def client_rows(
    inputs: Sequence[ChangeVector], *, k: int, epsilon: Epsilon
) -> tuple[tuple[Exact, ...], ...]:
    """Return the client as a stochastic matrix: a row for each input, all of one length d.

    The largest ratio of two entries of a column is the exact local privacy of the d outputs
    (Theorem 5), over all pairs of the inputs.

    Example:
        The client that is given ε = ln 9, on all inputs for d = k = 1:

        >>> client_rows(tuple(change_vectors(d=1, k=1)), k=1, epsilon=Epsilon.log(9))[1]
        (Exact('3/4'), Exact('1/4'))
    """
    outputs = all_outputs(d=len(inputs[0]))
    laws = [sequence_law(x, k=k, epsilon=epsilon) for x in inputs]
    return tuple(tuple(law[y] for y in outputs) for law in laws)


def _selected_node_values(x: ChangeVector, *, kappa_star: int, h_star: int) -> tuple[int, ...]:
    """Return the sums at the nodes of level h* of the vector that keeps the κ*-th change of x.

    Example:
        >>> _selected_node_values((1, 0, 0, -1), kappa_star=2, h_star=2)
        (0, -1)
    """
    changes = [place for place, entry in enumerate(x) if entry]
    kept = changes[kappa_star - 1 : kappa_star]
    width = len(x) // level_size(h_star, d=len(x))
    nodes = (range(i, i + width) for i in range(0, len(x), width))
    return tuple(sum(x[place] for place in kept if place in node) for node in nodes)


def sensitivity(inputs: Sequence[ChangeVector], *, kappa_star: int, h_star: int) -> tuple[int, int]:
    """Return how many nodes of level h* two inputs can move, and how far, κ* and h* fixed.

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


def farthest_values(
    inputs: Sequence[ChangeVector], *, kappa_star: int, h_star: int
) -> tuple[int, int]:
    """Return the values of the node that two of the inputs move farthest, κ* and h* fixed.

    Example:
        >>> farthest_values([(1,), (-1,)], kappa_star=1, h_star=1)
        (-1, 1)
    """
    values = {_selected_node_values(x, kappa_star=kappa_star, h_star=h_star) for x in inputs}
    both = (zip(*two, strict=True) for two in product(sorted(values), repeat=2))
    return max((pair for pairs in both for pair in pairs), key=lambda pair: abs(pair[0] - pair[1]))
