"""The worst case of a shuffled protocol over all that the definition quantifies over.

Differential privacy of a shuffled protocol is a supremum over which user differs,
over the ordered pair of that user's inputs (both directions of the divergence) and
over all inputs of all other users. For finite alphabets it is a maximum over
finitely many views, taken here by exhaustive search.

Symmetry: users with one randomizer are exchangeable, so the others enter as
multisets of inputs. If in addition every permutation of the inputs is matched by a
permutation of the messages (as for k-ary randomized response), the victim's pair
may be taken as (0, 1) and inputs that nobody distinguishes need only be counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, permutations

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Enclosure, EpsilonLike, Exact
from exactdp.numbers.arguments import any_epsilon, whole_number
from exactdp.numbers.limits import MAX_VIEWS, count_text, refuse_above
from exactdp.numbers.validated import validated
from exactdp.shuffle.views.shuffle_view import ShuffleView, Users, Victim, shuffle_view

__all__ = ["Neighbors", "WorstCase", "is_input_symmetric", "neighboring_views", "worst_case"]
__all__ += ["telling_inputs"]


@validated
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


@validated
@dataclass(frozen=True, slots=True)
class WorstCase:
    """The largest divergence, and neighbors at which it is attained."""

    value: Exact | Enclosure
    neighbors: Neighbors
    views: int

    def __repr__(self) -> str:
        views = f"{self.views:,} {'view' if self.views == 1 else 'views'}"
        return f"<WorstCase: {self.value}, the largest of {views}>"


@validated
def is_input_symmetric(randomizers: Sequence[Randomizer]) -> bool:
    """Return whether each swap of two inputs is a relabeling of the messages.

    The swap is made for all randomizers at once, and so is the relabeling.

    Example:
        >>> from exactdp.mechanisms import randomized_response
        >>> from exactdp.numbers import Epsilon
        >>> is_input_symmetric([randomized_response(4, Epsilon.log(3))])
        True
        >>> is_input_symmetric([Randomizer.from_matrix([["1/2", "1/2"], ["1/3", "2/3"]])])
        False
    """
    if not randomizers:
        raise DomainError("randomizers is empty. Pass at least one.")
    alphabets = {r.alphabet for r in randomizers}
    if len(alphabets) == 1 and None not in alphabets:
        return all(r.is_symmetric for r in randomizers)
    inputs, messages = randomizers[0].inputs, randomizers[0].messages
    if any((r.inputs, r.messages) != (inputs, messages) for r in randomizers):
        return False
    names: dict[Exact, int] = {}  # equal masses have equal names, which are fast to compare
    rows = [[names.setdefault(m, len(names)) for m in row] for r in randomizers for row in r.rows]
    columns = list(zip(*rows, strict=True))
    for i in range(inputs - 1):
        swapped = list(range(len(rows)))
        for first in range(i, len(rows), inputs):
            swapped[first], swapped[first + 1] = first + 1, first
        moved = [c for c in columns if any(c[x] != c[x + 1] for x in range(i, len(rows), inputs))]
        if Counter(moved) != Counter(tuple(c[x] for x in swapped) for c in moved):
            return False
    return True


def telling_inputs(randomizer: Randomizer) -> int | None:
    """Return how many first inputs stand for all, if any pair is like (0, 1).

    Then a pair and a third input, or one of the two, are like 0, 1 and one of these.

    Example:
        >>> from exactdp.mechanisms import hadamard_response
        >>> telling_inputs(hadamard_response(900, 1))
        4
        >>> telling_inputs(Randomizer.from_matrix([["1/2", "1/2"], ["1/3", "2/3"]])) is None
        True
    """
    return randomizer.telling or (3 if is_input_symmetric([randomizer]) else None)


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
        DomainError: If there is no user, a number of users is negative, or a count is
            fixed for an input outside the alphabet.
        TooLargeError: If there are more than 200,000 datasets to search.
    """
    users = sum(whole_number(count, name="count", at_least=0) for _, count in groups)
    if users < 1:
        raise DomainError(
            f"n={users} users: a protocol needs at least the victim. Pass n of at least 1."
        )
    randomizers = [r for r, _ in groups]
    alphabet = randomizers[0].inputs
    if any(r.inputs != alphabet for r in randomizers):
        raise DomainError("randomizers have different input alphabets. Give all the same inputs.")
    if inputs is None and alphabet < 2:
        raise DomainError(
            "the alphabet has one input, so no two datasets differ. "
            "Take a randomizer of two inputs or more."
        )
    wanted = dict(fixed_counts or {})
    if not set(wanted) <= set(range(alphabet)):
        raise DomainError(
            f"fixed_counts={wanted} names an input outside the alphabet 0..{alphabet - 1}. "
            "Inputs are row numbers of the randomizer."
        )
    symmetric = is_input_symmetric(randomizers)
    most = 1 if symmetric and not wanted else None
    searched = 0
    what = f"n={count_text(users)} users over {alphabet} inputs have more neighboring datasets"
    advice = "Fix some counts, or ask for explicit others."
    if not symmetric and inputs is None:
        refuse_above(MAX_VIEWS, alphabet * (alphabet - 1), what, advice=advice)
    for index, (randomizer, count) in enumerate(groups):
        if count == 0:
            continue
        rest = tuple(c - (i == index) for i, (_, c) in enumerate(groups))
        pairs = islice(permutations(range(alphabet), 2), most)
        for pair in [inputs] if inputs else pairs:
            kept = {*pair, *wanted} if symmetric else set(range(alphabet))
            for others in _assignments(alphabet, rest, kept, wanted):
                searched += 1
                refuse_above(MAX_VIEWS, searched, what, advice=advice)
                yield Neighbors(
                    Victim(randomizer, pair),
                    tuple(
                        Users(r, x, others[x][i])
                        for i, r in enumerate(randomizers)
                        for x in sorted(others)
                        if others[x][i]
                    ),
                )


@validated
def worst_case(
    groups: Sequence[tuple[Randomizer, int]],
    epsilon: EpsilonLike,
    *,
    inputs: tuple[int, int] | None = None,
    fixed_counts: Mapping[int, int] | None = None,
) -> WorstCase:
    """Return the exact delta of a shuffled protocol at epsilon: the maximum over neighbors.

    It is an enclosure where an epsilon in nats makes the exact one too long, as unrelated doubles.

    Example:
        Two users of binary randomized response with e^eps0 = 3. The worst other
        user holds the victim's first input:

        >>> from exactdp.mechanisms import randomized_response
        >>> from exactdp.numbers import Epsilon
        >>> rr = randomized_response(2, Epsilon.log(3))
        >>> found = worst_case([(rr, 2)], Epsilon.log(2))
        >>> found.value, str(found.neighbors)
        (Exact('3/16'), '0 -> 1, others: 1 x 0')
    """
    any_epsilon(epsilon)
    best: tuple[Exact | Enclosure, Neighbors] | None = None
    views, top = 0, Fraction(0)
    for neighbors in neighboring_views(groups, inputs=inputs, fixed_counts=fixed_counts):
        views += 1
        value = neighbors.view().delta(epsilon)
        if isinstance(value, Enclosure):
            top = max(top, value.upper)
        if best is None or _low(value) > _low(best[0]):
            best = value, neighbors
    if best is None:
        raise DomainError(f"no dataset has fixed_counts={dict(fixed_counts or {})}. Lower them.")
    low = _low(best[0])
    if low < top:  # another one may be the worst, and is no larger than this
        best = Enclosure(low.as_fraction(), top), best[1]
    return WorstCase(*best, views)


def _low(value: Exact | Enclosure) -> Exact:
    return Exact(value.lower) if isinstance(value, Enclosure) else value


Column = tuple[int, ...]
"""How many users of each group hold one input."""


def _assignments(
    alphabet: int, sizes: Column, kept: set[int], wanted: Mapping[int, int]
) -> Iterator[dict[int, Column]]:
    """Yield how users spread over the inputs, up to permutations of the inputs not kept.

    Each spread has the columns of the inputs that somebody holds. Nothing is stored, so that a
    caller may stop early.

    Args:
        alphabet: The number of inputs.
        sizes: How many users each group has.
        kept: The inputs that are told apart.
        wanted: How many users hold an input (which is kept), where that is prescribed.
    """
    # Prescribed columns first: they leave the fewest choices. Inputs that are not
    # kept come last, with columns in falling order.
    order = sorted(range(alphabet), key=lambda x: (x not in wanted, x not in kept, x))

    def spreads(start: int, left: Column, before: Column) -> Iterator[dict[int, Column]]:
        """Yield the spreads of those left over the inputs from a place on."""
        if not any(left):
            if not any(wanted.get(x) for x in order[start:]):
                yield {}
            return
        for place in range(start, alphabet):
            x, places = order[place], alphabet - place
            total = wanted.get(x, sum(left) if places == 1 else None)
            for column in _columns(left, total):
                if x not in kept and column[0] * places < left[0]:
                    return  # the later columns would have to be larger
                if any(column) and (x in kept or column <= before):
                    rest = tuple(a - b for a, b in zip(left, column, strict=True))
                    for others in spreads(place + 1, rest, before if x in kept else column):
                        yield {x: column, **others}
            if total or x not in kept:
                return  # an input that nobody holds would leave the others too many

    return spreads(0, sizes, sizes)


def _columns(left: Column, total: int | None) -> Iterator[Column]:
    """Yield the columns of at most ``left``, of the given total if any, in falling order."""
    if not left:
        if not total:
            yield ()
        return
    most, least = left[0], 0
    if total is not None:
        most, least = min(most, total), max(0, total - sum(left[1:]))
    for first in range(most, least - 1, -1):
        for others in _columns(left[1:], None if total is None else total - first):
            yield (first, *others)
