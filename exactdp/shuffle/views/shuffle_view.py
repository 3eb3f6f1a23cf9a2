"""The truth of a shuffled protocol: the law of the whole histogram of messages.

The analyzer of a shuffled protocol receives the multiset of all messages. For explicit users,
one of whom (the victim) has either of two inputs, the polynomial of a user is a linear form.

Messages whose columns are proportional for every user in play (the victim's two rows and the
others' rows) merge without loss: given the number of messages in the class, the split inside
it has the same law whatever the victim's input.

Where there are too many histograms, questions with a relative width go through one function,
:meth:`ShuffleView.at_scale`, to what ``exactdp.shuffle.at_scale`` answers by enclosures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

from exactdp.distributions.polynomials import (
    Forms,
    HistogramPolynomial,
    histogram_count,
    refuse_large,
    scale_rows,
)
from exactdp.divergences.nearby import largest_loss, rounded_masses
from exactdp.divergences.pair import Pair
from exactdp.divergences.privacy_loss_distribution import PrivacyLossDistribution
from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.limits import count_text
from exactdp.numbers.validated import validated
from exactdp.shuffle.views.exact_view import (
    FEW_BITS,
    ExactView,
    losses_of_one_law,
    partition_of,
    proportional,
)

__all__ = ["ShuffleView", "Users", "Victim", "merged_masses", "shuffle_view"]


@validated
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


@validated
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


@validated
class ShuffleView(ExactView[Sequence[Exact]]):
    """The two laws of the analyzer's view of a shuffle. Build it with :func:`shuffle_view`."""

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

    @cached_property
    def _losses(self) -> PrivacyLossDistribution:
        if self._mirror is None and self._of_one_law is not None:
            return self._of_one_law
        return super()._losses

    @cached_property
    def _of_one_law(self) -> PrivacyLossDistribution | None:
        """The law of the loss where all others send with one law of short weights."""
        forms = self._forms
        if forms.rate:
            return None
        refuse_large(forms, (0, 0, *self._counts))
        first, second, *others = (tuple(int(w[0]) for w in weights) for weights in forms.weights)
        laws = {law for law, users in zip(others, self._counts, strict=True) if users}
        return losses_of_one_law(first, second, *laws, users=self.users) if len(laws) == 1 else None

    def _delta_at(self, gamma: Exact) -> Exact:
        view = self if self._mirror is None else self._mirror
        if view._of_one_law is not None:
            return self.losses()._delta_at(gamma)
        return super()._delta_at(gamma)

    @cached_property
    def _unlabeled(self) -> Pair:
        if isinstance(self._mirror, ShuffleView):
            return self._mirror._unlabeled.reversed()
        forms, others = self._forms, self._others
        first, second = forms.weights[:2]
        if forms.rate or any(bool(a) != bool(b) for a, b in zip(first, second, strict=True)):
            return self.pair
        # Told apart by their place alone, which takes half of the time.
        p, q = map(others.weights_in_order, (first, second))
        return Pair(p, q, *self._totals)

    @property
    def is_its_reverse(self) -> bool:
        """True if P and Q change places where some messages do."""
        columns = list(zip(*self._senders, strict=True))
        return Counter((b, a, *others) for a, b, *others in columns) == Counter(columns)

    def _rounded(self, sender: Sequence[Exact], bits: int) -> Sequence[Exact]:
        return rounded_masses(sender, bits=bits)

    def _masses(self, sender: Sequence[Exact]) -> Sequence[Exact]:
        return sender

    def _largest_loss(self) -> Epsilon | None:
        first, second, *others = self._senders
        # All may send the message that tells most; no view tells more than it.
        return largest_loss(first, second) if all(map(all, (second, *others))) else None

    @cached_property
    def is_too_large(self) -> bool:
        """True if the exact law is refused, so that only enclosures can be asked."""
        view = (
            self
            if self._has_common_rate
            else self._of([self._rounded(x, FEW_BITS) for x in self._senders])
        )
        try:
            refuse_large(view._forms, (0, 0, *self._counts))
        except TooLargeError:
            return True
        return False

    @property
    def has_exact_epsilon(self) -> bool:
        """True if it is short enough for an exact search."""
        return not self.is_too_large and super().has_exact_epsilon

    def as_finite(self) -> PrivacyProfile:
        """Return the view as it is composed: itself, or where it is too large, by enclosures."""
        if not self.is_too_large:
            return super().as_finite()
        if len(self.classes) == 2:
            above = import_module("exactdp.shuffle.at_scale.bit_sums")  # a floor above
            found: PrivacyProfile = above.composed_view(self._senders, self._counts)
        else:
            found = self.at_scale()
        return found if found.reached == "pair" else self

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        if self.is_too_large:
            return self.at_scale()._epsilon_within(delta, width)
        return super()._epsilon_within(delta, width)

    def _has_infinite_renyi(self, order: Fraction) -> bool:
        if self.is_too_large:
            return self.at_scale()._has_infinite_renyi(order)
        return super()._has_infinite_renyi(order)

    # Between two ends a divergence may be infinite.
    def _renyi_within(  # type: ignore[override]
        self, order: Fraction, width: Fraction
    ) -> Enclosure | Epsilon:
        if self.is_too_large:
            return self.at_scale()._renyi_within(order, width)
        return super()._renyi_within(order, width)

    def _trade_off_within(self, level: Exact, width: Fraction) -> Enclosure:
        if self.is_too_large:
            return self.at_scale()._trade_off_within(level, width)
        return super()._trade_off_within(level, width)

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        if self.is_too_large:
            return enclosed(self.at_scale().delta(Epsilon(gamma), relative_width=width), width)
        return super()._delta_within(gamma, width)

    def at_scale(self) -> PrivacyProfile:
        """Return the profile of this view by enclosures, for any number of users.

        What it is, and what it cannot be, says ``exactdp.shuffle.at_scale.views``.

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
        above = import_module("exactdp.shuffle.at_scale.views")  # a floor above
        found: PrivacyProfile = above.view_at_scale(self._senders, self._counts)
        return found


@validated
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

    Messages too many for a matrix are merged without loss from the start, by their bits of the
    inputs in play (``exactdp.mechanisms.message_bits``); classes are numbers of these then.

    Raises:
        DomainError: If alphabets of messages differ, or merge is not a partition.
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
    if not all(r.has_matrix for r in (victim.randomizer, *(one.randomizer for one in others))):
        if merge is not None:
            raise DomainError(
                "merge names messages that are too many to be listed. Leave it out: "
                "messages that tell the inputs in play apart no better are merged without loss."
            )
        victim, *others = _in_classes(victim, others)
    messages = victim.randomizer.messages
    partition = partition_of(merge, messages)
    rows = [merged_masses(victim.randomizer.rows[x], partition) for x in victim.inputs]
    grouped: dict[tuple[Exact, ...], int] = {}
    for group in others:
        if group.randomizer.messages != messages:
            raise DomainError(
                f"a randomizer has {group.randomizer.messages} messages, the victim's has "
                f"{messages}. Give all randomizers the same messages (with zero columns)."
            )
        row = merged_masses(group.randomizer.rows[group.input], partition)
        if group.count:
            grouped[row] = grouped.get(row, 0) + group.count
    rows += grouped
    classes = proportional(dict(enumerate(column)) for column in zip(*rows, strict=True))
    return ShuffleView(
        [merged_masses(row, classes) for row in rows],
        list(grouped.values()),
        classes=[tuple(sorted(y for i in c for y in partition[i])) for c in classes],
        is_lower_bound=merge is not None,
    )


def _in_classes(victim: Victim, others: Sequence[Users]) -> Iterator[Any]:
    """Yield the victim and the others over the classes of messages that are alike for all.

    Raises:
        DomainError: If their messages are not the same.
        TooLargeError: If there are too many inputs in play.
    """
    users: list[Victim | Users] = [victim, *others]
    if len({one.randomizer.alphabet for one in users}) > 1:
        names = dict.fromkeys(one.randomizer.name for one in users)
        raise DomainError(
            f"randomizers have different messages: {' and '.join(names)}. Give all users one "
            "kind of randomizer with the same parameters but epsilon (and p); or those of matrices."
        )
    inputs = sorted({*map(int, victim.inputs), *(int(group.input) for group in others)})
    small = {
        one.randomizer: Randomizer(
            tuple(zip(*one.randomizer.columns_of(inputs), strict=True)), name=one.randomizer.name
        )
        for one in users
    }
    first, second = map(inputs.index, victim.inputs)
    yield Victim(small[victim.randomizer], (first, second))
    for group in others:
        yield Users(small[group.randomizer], inputs.index(group.input), group.count)


def _check_input(randomizer: Randomizer, x: int, who: str) -> None:
    whole_number(x, name=f"{who} input", at_least=0)
    if x >= randomizer.inputs:
        raise DomainError(
            f"{who} input={count_text(x)} is outside the alphabet 0..{randomizer.inputs - 1}. "
            "Inputs are row numbers of the randomizer."
        )


def merged_masses(row: Sequence[Exact], parts: Sequence[tuple[int, ...]]) -> tuple[Exact, ...]:
    """Return the masses of the parts."""
    return tuple(sum((row[y] for y in part[1:]), row[part[0]]) for part in parts)
