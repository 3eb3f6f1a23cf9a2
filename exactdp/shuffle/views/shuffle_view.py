"""The truth of a shuffled protocol: the law of the whole histogram of messages.

The analyzer of a shuffled protocol receives the multiset of all messages. For explicit users,
one of whom (the victim) has either of two inputs, the polynomial of a user is a linear form.

Messages whose columns are proportional for every user in play (the victim's two rows and the
others' rows) merge without loss: given the number of messages in the class, the split inside
it has the same law whatever the victim's input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from exactdp.distributions import Forms, HistogramPolynomial, histogram_count, scale_rows
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.numbers.arguments import whole_number
from exactdp.shuffle.views.exact_view import ExactView, parts_of, proportional

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


class ShuffleView(ExactView[Sequence[Exact]]):
    """The two laws of what the analyzer receives. Build it with :func:`shuffle_view`."""

    @property
    def users(self) -> int:
        """The number of users n, the victim included."""
        return 1 + sum(self._counts)

    @property
    def cells(self) -> int:
        """The number of histograms of message classes."""
        return histogram_count(self.users, len(self.classes))

    @cached_property
    def _forms(self) -> Forms:
        return scale_rows(self._senders)

    @cached_property
    def _others(self) -> HistogramPolynomial:
        return HistogramPolynomial(self._forms, (0, 0, *self._counts))


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
        >>> from exactdp.mechanisms import randomized_response
        >>> from exactdp.numbers import Epsilon
        >>> coin = randomized_response(2, Epsilon.log(3))
        >>> shuffle_view(Victim(coin), [Users(coin, 1)]).delta(Epsilon.log(2))
        Exact('1/16')

        Which messages are told apart, of three users of 4-ary randomized response:

        >>> rr = randomized_response(4, Epsilon.log(3))
        >>> shuffle_view(Victim(rr), [Users(rr, 2, 2)]).classes
        ((0,), (1,), (2,), (3,))
        >>> shuffle_view(Victim(rr), [Users(rr, 1, 2)]).classes
        ((0,), (1,), (2, 3))
        >>> shuffle_view(Victim(rr), [Users(rr, 2, 2)], merge=[[0], [1, 2, 3]]).is_lower_bound
        True
    """
    messages = victim.randomizer.messages
    partition = parts_of(merge, messages)
    rows = [_merged(victim.randomizer.rows[x], partition) for x in victim.inputs]
    grouped: dict[tuple[Exact, ...], int] = {}
    for group in others:
        if group.randomizer.messages != messages:
            raise DomainError(
                f"a randomizer has {group.randomizer.messages} messages, the victim's has "
                f"{messages}. Give all randomizers the same messages (with zero columns)."
            )
        row = _merged(group.randomizer.rows[group.input], partition)
        if group.count:
            grouped[row] = grouped.get(row, 0) + group.count
    rows += grouped
    classes = proportional(dict(enumerate(column)) for column in zip(*rows, strict=True))
    return ShuffleView(
        [_merged(row, classes) for row in rows],
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


def _merged(row: Sequence[Exact], parts: Sequence[tuple[int, ...]]) -> tuple[Exact, ...]:
    """Return the masses of the parts."""
    return tuple(sum((row[y] for y in part[1:]), row[part[0]]) for part in parts)
