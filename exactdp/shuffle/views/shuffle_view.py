"""The truth of a shuffled protocol: the law of the whole histogram of messages.

The analyzer of a shuffled protocol receives the multiset of all messages. For explicit users,
one of whom (the victim) has either of two inputs, the polynomial of a user is a linear form.

Messages whose columns are proportional for every user in play (the victim's two rows and the
others' rows) merge without loss: given the number of messages in the class, the split inside
it has the same law whatever the victim's input.

Where there are too many histograms, questions with a relative width are answered by
:meth:`ShuffleView.at_scale`: exactly enclosed if all others hold one input of one randomizer, or
if two classes of messages are told apart; else between two bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from exactdp.distributions import (
    Forms,
    HistogramPolynomial,
    histogram_count,
    refuse_large,
    scale_rows,
)
from exactdp.divergences.nearby import rounded_masses
from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.checked import checked
from exactdp.numbers.limits import count_text
from exactdp.shuffle.hiding import Hidden, HiddenVictim
from exactdp.shuffle.sandwich import Named, Sandwich
from exactdp.shuffle.views.exact_view import ExactView, parts_of, proportional
from exactdp.shuffle.views.score_sums import ScoreSum

__all__ = ["ShuffleView", "Users", "Victim", "shuffle_view"]


@checked
@dataclass(frozen=True, slots=True)
class Victim:
    """The user whose input differs: P is the law with inputs[0], Q with inputs[1].

    Raises:
        DomainError: If an input is outside the randomizer's alphabet.
    """

    way_out: ClassVar[str] = "Pass Victim(randomizer, inputs=(0, 1))."

    randomizer: Randomizer
    inputs: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        for x in self.inputs:
            _check_input(self.randomizer, x, "victim")


@checked
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
        exactdp.errors.DomainError: count=2.5 is of type float, not int. Pass an int.
    """

    way_out: ClassVar[str] = "Pass a list of Users(randomizer, input, count)."

    randomizer: Randomizer
    input: int
    count: int = 1

    def __post_init__(self) -> None:
        _check_input(self.randomizer, self.input, "others")
        object.__setattr__(self, "count", whole_number(self.count, name="count", at_least=0))


@checked
class ShuffleView(ExactView[Sequence[Exact]]):
    """The two laws of what the analyzer receives. Build it with :func:`shuffle_view`."""

    @property
    def users(self) -> int:
        """The number of users n, the victim included."""
        return self._users

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

    def _rounded(self, sender: Sequence[Exact], bits: int) -> Sequence[Exact]:
        return rounded_masses(sender, bits=bits)

    @cached_property
    def is_too_large(self) -> bool:
        """Whether the exact law is refused, so that only enclosures can be asked."""
        try:
            refuse_large(self._forms, (0, 0, *self._counts))
        except TooLargeError:
            return True
        return False

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Any:
        """Return :meth:`PrivacyProfile.epsilon`; an enclosure at scale, if a width is given."""
        if relative_width is not None and self.is_too_large:
            return self.at_scale().epsilon(delta, relative_width=relative_width)
        return super().epsilon(delta, relative_width=relative_width)

    def renyi(self, order: RationalLike, *, relative_width: RationalLike | None = None) -> Any:
        """Return :meth:`PrivacyProfile.renyi`; at scale, if a width is given."""
        if relative_width is not None and self.is_too_large:
            return self.at_scale().renyi(order, relative_width=relative_width)
        return super().renyi(order, relative_width=relative_width)

    def trade_off(
        self, alpha: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Any:
        """Return :meth:`PrivacyProfile.trade_off`; at scale, if a width is given."""
        if relative_width is not None and self.is_too_large:
            return self.at_scale().trade_off(alpha, relative_width=relative_width)
        return super().trade_off(alpha, relative_width=relative_width)

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        if self.is_too_large:
            return enclosed(self.at_scale().delta(Epsilon(gamma), relative_width=width), width)
        return super()._delta_within(gamma, width)

    def at_scale(self) -> PrivacyProfile:
        """Return the profile of this view by enclosures, for any number of users.

        Returns:
            A :class:`HiddenVictim` whose δ is the view's if all others send with one law; a
            :class:`ScoreSum` if two classes of messages are told apart; else a :class:`Sandwich`.
            Below: the classes merged to a view of these kinds. Above: what the others share
            (their blanket, not the victim's), or all but one group shown.

        Raises:
            TooLargeError: If the others share no message, so that nothing is proved from above.

        Example:
            A million users of 10-ary randomized response, all others on input 2:

            >>> from exactdp.mechanisms import randomized_response
            >>> rr = randomized_response(10, Epsilon.rational(2))
            >>> found = shuffle_view(Victim(rr), [Users(rr, 2, 10**6 - 1)]).delta(
            ...     Epsilon.rational("1/100"), relative_width="1e-2")
            >>> from exactdp.numbers import decimal
            >>> decimal(Exact(found.lower), digits=2), found.width < found.lower / 100
            ('1.7e-9', True)
        """
        p, q, *others = self._senders
        law = _one_law(p, q, others, self.users)
        if law is not None:
            return law
        if len(p) == 2:
            return _scored(p, q, self._groups())
        above = [
            Named(
                f"{m:,} others who send alike, all else shown",
                HiddenVictim(m + 1, _hidden(p, q, r)),
            )
            for r, m in self._groups()
        ]
        shared = tuple(min(column) for column in zip(*others, strict=True))
        if any(mass != 0 for mass in shared):
            hidden = HiddenVictim(self.users, _hidden(p, q, shared))
            above.insert(0, Named("what all others share, leftovers shown", hidden))
        return Sandwich(tuple(self._merged_views()), tuple(above))

    def _groups(self) -> list[tuple[Sequence[Exact], int]]:
        return list(zip(self._senders[2:], self._counts, strict=True))

    def _merged_views(self) -> Iterator[Named]:
        """Yield views of the classes in which p − q has one sign: their counts, or their sum."""
        p, q, *_ = self._senders
        less, same, more = (
            tuple(y for y in range(len(p)) if (p[y] - q[y]).sign() == sign) for sign in (-1, 0, 1)
        )
        merged = self._merged_view(less, same, more)
        if isinstance(merged, HiddenVictim):
            yield Named("messages merged by the sign of p - q", merged)
        elif not merged.is_slow():
            yield Named("messages with p > q counted, minus those with p < q", merged)
        else:
            yield Named("messages with p > q counted", self._merged_view(less + same, more))
            yield Named("messages with p < q counted", self._merged_view(less, same + more))

    def _merged_view(self, *parts: tuple[int, ...]) -> HiddenVictim | ScoreSum:
        first, second, *others = (
            _merged(row, [part for part in parts if part]) for row in self._senders
        )
        groups = list(zip(others, self._counts, strict=True))
        return _one_law(first, second, others, self.users) or _scored(first, second, groups)


@checked
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
    others = list(others)
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


def _one_law(
    p: Sequence[Exact], q: Sequence[Exact], others: Sequence[Sequence[Exact]], n: int
) -> HiddenVictim | None:
    """Return the view if all others send with one law (or there are none), else None."""
    law = others[0] if others else tuple(Exact(0) for _ in p)
    if any(row != law for row in others):
        return None
    return HiddenVictim(n, _hidden(p, q, law))


def _scored(
    p: Sequence[Exact], q: Sequence[Exact], groups: Sequence[tuple[Sequence[Exact], int]]
) -> ScoreSum:
    return ScoreSum(tuple(p), tuple(q), tuple((tuple(row), count) for row, count in groups))


def _hidden(p: Sequence[Exact], q: Sequence[Exact], least: Sequence[Exact]) -> Hidden:
    return Hidden.of(zip(p, q, least, strict=True))


def _check_input(randomizer: Randomizer, x: int, who: str) -> None:
    whole_number(x, name=f"{who} input", at_least=0)
    if x >= randomizer.inputs:
        raise DomainError(
            f"{who} input={count_text(x)} is outside the alphabet 0..{randomizer.inputs - 1}. "
            "Inputs are row numbers of the randomizer."
        )


def _merged(row: Sequence[Exact], parts: Sequence[tuple[int, ...]]) -> tuple[Exact, ...]:
    """Return the masses of the parts."""
    return tuple(sum((row[y] for y in part[1:]), row[part[0]]) for part in parts)
