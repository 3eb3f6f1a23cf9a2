"""The worst case of a shuffled protocol over all that the definition quantifies over.

Differential privacy of a shuffled protocol is a supremum over which user differs,
over the ordered pair of that user's inputs (both directions of the divergence) and
over all inputs of all other users. For finite alphabets it is a maximum over
finitely many views, taken here by exhaustive search.

Symmetry: users with one randomizer are exchangeable, so the others enter as
multisets of inputs. If in addition every permutation of the inputs is matched by a
permutation of the messages (as for k-ary randomized response), the victim's pair
may be taken as (0, 1) and inputs that nobody distinguishes need only be counted.

Definitions: :func:`neighboring_views`, :func:`worst_case`, :class:`WorstCase`,
:func:`is_input_symmetric`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact, ExactLike
from exactdp.shuffle.view import ShuffleView, Users, Victim, shuffle_view

__all__ = ["Neighbors", "WorstCase", "is_input_symmetric", "neighboring_views", "worst_case"]

MAX_VIEWS = 200_000


@dataclass(frozen=True, slots=True)
class Neighbors:
    """A pair of neighboring datasets: the victim and all other users."""

    victim: Victim
    others: tuple[Users, ...]

    def view(self) -> ShuffleView:
        """Return the analyzer's view."""
        return shuffle_view(self.victim, self.others)

    def __str__(self) -> str:
        others = ", ".join(f"{u.count} x {u.input}" for u in self.others) or "nobody else"
        return f"{self.victim.inputs[0]} -> {self.victim.inputs[1]}, others: {others}"


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The largest divergence, and neighbors at which it is attained."""

    value: Exact
    neighbors: Neighbors
    views: int


def is_input_symmetric(randomizers: Sequence[Randomizer]) -> bool:
    """Return whether each swap of two inputs, made for all randomizers at once, is a
    relabeling of the messages.

    Example:
        >>> from exactdp.mechanisms import randomized_response
        >>> from exactdp.numbers import Epsilon
        >>> is_input_symmetric([randomized_response(4, Epsilon.log(3))])
        True
        >>> is_input_symmetric([Randomizer.from_matrix([["1/2", "1/2"], ["1/3", "2/3"]])])
        False
    """
    inputs = randomizers[0].inputs
    if any(r.inputs != inputs for r in randomizers):
        return False

    def columns(order: Sequence[int]) -> Counter[tuple[Exact, ...]]:
        stacked = [r.rows[x] for r in randomizers for x in order]
        return Counter(zip(*stacked, strict=True))

    identity = list(range(inputs))
    reference = columns(identity)
    for i in range(inputs - 1):
        swapped = identity.copy()
        swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
        if columns(swapped) != reference:
            return False
    return True


def neighboring_views(
    groups: Sequence[tuple[Randomizer, int]],
    *,
    inputs: tuple[int, int] | None = None,
    fixed_counts: Mapping[int, int] | None = None,
) -> Iterator[Neighbors]:
    """Yield neighboring datasets that cover the supremum, up to the symmetries above.

    Args:
        groups: Randomizers with the number of users who use each.
        inputs: The victim's ordered pair, if it is fixed; all pairs otherwise.
        fixed_counts: How many of the other users hold an input, where that is
            prescribed (over all groups together).

    Raises:
        DomainError: If there is no user, or a number of users is negative.
        TooLargeError: If there are more than 200,000 datasets to search.
    """
    users = sum(count for _, count in groups)
    if users < 1 or any(count < 0 for _, count in groups):
        raise DomainError(
            f"n={users} users: a protocol needs at least the victim. Give counts >= 0, n >= 1."
        )
    randomizers = [r for r, _ in groups]
    alphabet = randomizers[0].inputs
    if any(r.inputs != alphabet for r in randomizers):
        raise DomainError("randomizers have different input alphabets. Give all the same inputs.")
    if inputs is None and alphabet < 2:
        raise DomainError("the alphabet has one input, so no two datasets differ.")
    wanted = dict(fixed_counts or {})
    symmetric = is_input_symmetric(randomizers)
    pairs = [inputs] if inputs else [(0, 1)] if symmetric else list(permutations(range(alphabet), 2))
    searched = 0
    for index, (randomizer, count) in enumerate(groups):
        if count == 0:
            continue
        rest = [c - (i == index) for i, (_, c) in enumerate(groups)]
        for pair in pairs:
            free = symmetric and not wanted
            for others in _assignments(alphabet, rest, set(pair) if free else None):
                if any(sum(a[x] for a in others) != c for x, c in wanted.items()):
                    continue
                searched += 1
                if searched > MAX_VIEWS:
                    raise TooLargeError(
                        f"n={users} users over {alphabet} inputs have more than {MAX_VIEWS:,} "
                        "neighboring datasets. Fix some counts, or ask for explicit others."
                    )
                yield Neighbors(
                    Victim(randomizer, pair),
                    tuple(
                        Users(r, x, c)
                        for r, a in zip(randomizers, others, strict=True)
                        for x, c in sorted(a.items())
                    ),
                )


def worst_case(
    groups: Sequence[tuple[Randomizer, int]],
    *,
    exp_epsilon: ExactLike,
    inputs: tuple[int, int] | None = None,
    fixed_counts: Mapping[int, int] | None = None,
) -> WorstCase:
    """Return the exact delta of a shuffled protocol at e^eps: the maximum over neighbors.

    Example:
        Two users of binary randomized response with e^eps0 = 3. The worst other
        user holds the victim's first input:

        >>> from exactdp.mechanisms import randomized_response
        >>> from exactdp.numbers import Epsilon
        >>> rr = randomized_response(2, Epsilon.log(3))
        >>> found = worst_case([(rr, 2)], exp_epsilon=2)
        >>> found.value, str(found.neighbors)
        (Exact('3/16'), '0 -> 1, others: 1 x 0')
    """
    best: WorstCase | None = None
    count = 0
    for neighbors in neighboring_views(groups, inputs=inputs, fixed_counts=fixed_counts):
        count += 1
        value = neighbors.view().hockey_stick_divergence(exp_epsilon=exp_epsilon)
        if best is None or value > best.value:
            best = WorstCase(value, neighbors, 0)
    if best is None:
        raise DomainError(f"no dataset has fixed_counts={dict(fixed_counts or {})}. Lower them.")
    return WorstCase(best.value, best.neighbors, count)


def _assignments(
    alphabet: int, sizes: Sequence[int], kept: set[int] | None
) -> Iterator[tuple[Counter[int], ...]]:
    """Yield how each group's users spread over the inputs; if ``kept`` is given, up to
    permutations of the inputs outside it."""
    choices = [
        [Counter(c) for c in combinations_with_replacement(range(alphabet), size)]
        for size in sizes
    ]
    seen: set[tuple[object, ...]] = set()
    for assignment in product(*choices):
        if kept is not None:
            fixed = tuple(tuple(a[x] for x in sorted(kept)) for a in assignment)
            loose = sorted(
                tuple(a[x] for a in assignment) for x in range(alphabet) if x not in kept
            )
            key = (fixed, tuple(loose))
            if key in seen:
                continue
            seen.add(key)
        yield assignment
