"""The truth of a shuffled protocol: the law of the whole histogram of messages.

The analyzer of a shuffled protocol receives the multiset of all messages. For
explicit users, one of whom (the victim) has either of two inputs, its two laws
are the coefficients of L0 * G and L1 * G, with L0, L1 the victim's linear forms
and G the product of the others' (``exactdp.distributions.polynomials``).

Messages whose columns are proportional for every user in play (the victim's two
rows and the others' rows) merge without loss: given the number of messages in the
class, the split inside it has the same law whatever the victim's input. Any other
merging is post-processing and gives a lower bound on every divergence; it is done
only when asked for, and the view then says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import fmpq, fmpz_poly

from exactdp.distributions.polynomials import HistogramPolynomial, histogram_count, scale_rows
from exactdp.divergences import Pair, Weight
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.arguments import whole_number
from exactdp.shuffle.views.exact_view import ExactView

__all__ = ["ShuffleView", "Users", "Victim", "shuffle_view"]


@dataclass(frozen=True, slots=True)
class Victim:
    """The user whose input differs: P is the law with inputs[0], Q with inputs[1].

    Raises:
        DomainError: If an input is outside the randomizer's alphabet.
    """

    randomizer: Randomizer
    inputs: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        for x in self.inputs:
            _check_input(self.randomizer, x, "victim")


@dataclass(frozen=True, slots=True)
class Users:
    """Some of the other users: ``count`` of them with one randomizer and one input.

    Raises:
        DomainError: If the input is outside the randomizer's alphabet, or the count is no
            int of at least 0.

    Example:
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> Users(coin, 1, 2.5)
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: count=2.5 is of type float. Pass an int.
    """

    randomizer: Randomizer
    input: int
    count: int = 1

    def __post_init__(self) -> None:
        _check_input(self.randomizer, self.input, "others")
        whole_number(self.count, name="count", at_least=0)


class ShuffleView(ExactView):
    """The two laws of what the analyzer receives. Build it with :func:`shuffle_view`.

    Attributes:
        classes: The message classes told apart, each a tuple of message columns.
        users: The number of users n, the victim included.
        is_lower_bound: Whether messages were merged with loss on request, so that
            divergences of this view are lower bounds on the whole view's.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[Exact]],
        counts: Sequence[int],
        *,
        classes: Sequence[tuple[int, ...]],
        is_lower_bound: bool,
    ) -> None:
        self.classes = tuple(classes)
        self.users = 1 + sum(counts)
        self.is_lower_bound = is_lower_bound
        self._rows, self._counts = rows, tuple(counts)
        self._forms = scale_rows(rows)

    @property
    def cells(self) -> int:
        """The number of histograms of message classes."""
        return histogram_count(self.users, len(self.classes))

    @cached_property
    def _others(self) -> HistogramPolynomial:
        return HistogramPolynomial(self._forms, (0, 0, *self._counts))

    @cached_property
    def pair(self) -> Pair:
        """The pair (P, Q) with outcomes the histograms, as tuples of counts."""
        first, second = self._forms.weights[:2]
        others = self._others  # refuses what is too large, before any power is taken
        p_total, q_total = self._totals()
        return Pair.from_weight_maps(
            others.weights_by_histogram(first),
            others.weights_by_histogram(second),
            p_total=p_total,
            q_total=q_total,
        )

    def reversed(self) -> ShuffleView:
        """Return the view with the victim's inputs exchanged."""
        first, second, *others = self._rows
        return ShuffleView(
            [second, first, *others],
            self._counts,
            classes=self.classes,
            is_lower_bound=self.is_lower_bound,
        )

    def _delta_at(self, gamma: Exact) -> Exact:
        """Return H_γ(P ‖ Q) of the view, exactly.

        Formula:
            The sum of the positive coefficients of (L0 - γ L1) * G. For rational weights
            and γ it is one product of integer polynomials.

        Example:
            >>> from exactdp.mechanisms import randomized_response
            >>> rr = randomized_response(2, Epsilon.log(3))
            >>> view = shuffle_view(Victim(rr), [Users(rr, 1)])
            >>> view.delta(Epsilon.log(2))
            Exact('1/16')
        """
        if self._forms.rate != 0 or not gamma.is_rational:
            return self.pair.delta(Epsilon(gamma))
        value = gamma.as_fmpq()
        (first, second), (d0, d1) = self._forms.weights[:2], self._forms.totals[:2]
        difference = [
            value.q * d1 * a - value.p * d0 * b for a, b in zip(first, second, strict=True)
        ]
        positive = self._others.positive_part_sum(difference)
        denominator = value.q * d0 * d1 * self._scale()
        return Exact(fmpq(positive, denominator[0]))

    def _scale(self) -> fmpz_poly:
        """The denominator of the others' product, in the ring of the weights."""
        product = fmpz_poly([1])
        for total, count in zip(self._forms.totals[2:], self._counts, strict=True):
            product *= total**count
        return product

    def _totals(self) -> tuple[Weight, Weight]:
        scale, rate = self._scale(), self._forms.rate
        totals = [total * scale for total in self._forms.totals[:2]]
        if rate == 0:
            return totals[0][0], totals[1][0]
        return (
            Exact.from_polynomial(totals[0], rate=rate),
            Exact.from_polynomial(totals[1], rate=rate),
        )


def shuffle_view(
    victim: Victim,
    others: Sequence[Users] = (),
    *,
    merge: Sequence[Sequence[int]] | None = None,
) -> ShuffleView:
    """Return the view of the analyzer of a shuffled protocol.

    Args:
        victim: The user whose input differs, with both inputs.
        others: All other users, grouped.
        merge: A partition of the messages into classes, if only the number of
            messages in each class is to be seen. Divergences of the view are
            then lower bounds on those of the whole view (data processing).

    Raises:
        DomainError: If alphabets of messages differ, or merge is no partition.
        TooLargeError: If the view has too many histograms, or their weights too many
            bits; on first use.

    Example:
        The count of message 0 alone, for three users of 4-ary randomized response:

        >>> from exactdp.mechanisms import randomized_response
        >>> rr = randomized_response(4, Epsilon.log(3))
        >>> shuffle_view(Victim(rr), [Users(rr, 2, 2)]).classes
        ((0,), (1,), (2,), (3,))
        >>> shuffle_view(Victim(rr), [Users(rr, 1, 2)]).classes
        ((0,), (1,), (2, 3))
        >>> shuffle_view(Victim(rr), [Users(rr, 2, 2)], merge=[[0], [1, 2, 3]]).is_lower_bound
        True
    """
    messages = victim.randomizer.messages
    partition = [(y,) for y in range(messages)] if merge is None else _partition(merge, messages)
    rows = [_row(victim.randomizer, x, partition) for x in victim.inputs]
    grouped: dict[tuple[Exact, ...], int] = {}
    for group in others:
        if group.randomizer.messages != messages:
            raise DomainError(
                f"a randomizer has {group.randomizer.messages} messages, the victim's has "
                f"{messages}. Give all randomizers the same messages (with zero columns)."
            )
        row = _row(group.randomizer, group.input, partition)
        if group.count:
            grouped[row] = grouped.get(row, 0) + group.count
    classes, columns = _merge_proportional([*rows, *grouped])
    return ShuffleView(
        columns,
        list(grouped.values()),
        classes=[tuple(sorted(y for i in c for y in partition[i])) for c in classes],
        is_lower_bound=merge is not None,
    )


def _check_input(randomizer: Randomizer, x: int, who: str) -> None:
    whole_number(x, name=f"{who} input", at_least=0)
    if x >= randomizer.inputs:
        raise DomainError(
            f"{who} input={x} is outside the alphabet 0..{randomizer.inputs - 1}. "
            "Inputs are row numbers of the randomizer."
        )


def _row(randomizer: Randomizer, x: int, partition: Sequence[tuple[int, ...]]) -> tuple[Exact, ...]:
    """Return the masses of the parts for one input."""
    row = randomizer.rows[x]
    return tuple(sum((row[y] for y in part[1:]), row[part[0]]) for part in partition)


def _partition(merge: Sequence[Sequence[int]], messages: int) -> list[tuple[int, ...]]:
    flat = sorted(y for part in merge for y in part)
    if flat != list(range(messages)) or not all(merge):
        raise DomainError(
            f"merge={[list(part) for part in merge]} is no partition of the messages "
            f"0..{messages - 1}. Name every message exactly once."
        )
    return [tuple(part) for part in merge]


def _merge_proportional(
    rows: Sequence[Sequence[Exact]],
) -> tuple[list[list[int]], list[list[Exact]]]:
    """Merge proportional columns (and drop empty ones): lossless, see the module header."""
    classes: dict[tuple[Exact, ...], list[int]] = {}
    for y in range(len(rows[0])):
        column = [row[y] for row in rows]
        pivot = next((w for w in column if w != 0), None)
        if pivot is not None:
            classes.setdefault(tuple(w / pivot for w in column), []).append(y)
    members = list(classes.values())
    return members, [[sum((row[y] for y in c), Exact(0)) for c in members] for row in rows]
