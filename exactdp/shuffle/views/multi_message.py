"""Shuffled protocols in which a user sends several messages, or none.

The analyzer receives the multiset of everything that arrives, and with it how many messages
there are. A user who sends several independent messages may be given as several senders of one
message each; so a blanket of N messages is one law with count N.

Letters merge without loss if every polynomial p in play has ∂p/∂z_i = c·∂p/∂z_j with
one constant c: then each p is a function of c·z_i + z_j, hence so is every product,
and given the number of messages in the class, the split inside it has the same law
whatever the victim's input.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from exactdp.distributions import Forms
from exactdp.divergences.nearby import rounded_masses
from exactdp.numbers import Exact
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.validated import validated
from exactdp.shuffle.multisets import (
    Counts,
    MultisetLaw,
    MultisetProduct,
    forms_of,
    same_letters,
)
from exactdp.shuffle.views.exact_view import ExactView, partition_of, proportional

__all__ = [
    "MultiMessageUsers",
    "MultiMessageVictim",
    "MultiMessageView",
    "multi_message_view",
]


@validated
@dataclass(frozen=True, slots=True)
class MultiMessageVictim:
    """The user whose input differs: the law of its messages under P, and under Q."""

    first: MultisetLaw
    second: MultisetLaw


@validated
@dataclass(frozen=True, slots=True)
class MultiMessageUsers:
    """``count`` independent senders with one law: other users, or the slots of a blanket."""

    law: MultisetLaw
    count: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", whole_number(self.count, name="count", at_least=0))


@validated
class MultiMessageView(ExactView[MultisetLaw]):
    """The two laws of the multiset that arrives. Build it with :func:`multi_message_view`."""

    @cached_property
    def _laws(self) -> tuple[list[Counts], Forms]:
        return forms_of(self._senders)

    @property
    def _forms(self) -> Forms:
        return self._laws[1]

    @cached_property
    def _others(self) -> MultisetProduct:
        return MultisetProduct(*self._laws, (0, 0, *self._counts))

    def _rounded(self, sender: MultisetLaw, bits: int) -> MultisetLaw:
        outcomes = sender.masses.masses
        masses = rounded_masses(list(outcomes.values()), bits=bits)
        return MultisetLaw.from_masses(dict(zip(outcomes, masses, strict=True)))

    def _masses(self, sender: MultisetLaw) -> Iterable[Exact]:
        return sender.masses.masses.values()


@validated
def multi_message_view(
    victim: MultiMessageVictim,
    others: Sequence[MultiMessageUsers] = (),
    *,
    merge: Sequence[Sequence[int]] | None = None,
) -> MultiMessageView:
    """Return the view of the analyzer of a shuffled protocol with several messages a user.

    Args:
        victim: What the victim sends, with either input. What it sends whatever its
            input (its part of the blanket) may stand among the others.
        others: All other independent senders, grouped.
        merge: A partition of the letters into classes, as for ``shuffle_view``.

    Raises:
        DomainError: If alphabets differ, or merge is not a partition.
        TooLargeError: If there are too many multisets, or too long weights; on first use.

    Example:
        A blanket of one message, 0 or 1 with probability 1/2, and a victim who sends its own
        bit for sure. The multiset {0, 0} is seen only under P:

        >>> from exactdp.numbers import Epsilon
        >>> bit = [MultisetLaw.one_of([1, 0]), MultisetLaw.one_of([0, 1])]
        >>> blanket = MultiMessageUsers(MultisetLaw.one_of(["1/2", "1/2"]))
        >>> multi_message_view(MultiMessageVictim(*bit), [blanket]).delta(Epsilon.log(2))
        Exact('1/2')

        Of 100 letters a uniform blanket tells only the victim's two apart:

        >>> half = {"letters": 100, "sampling_probability": "1/2"}
        >>> a, b = (MultisetLaw.sampled([x], **half) for x in (0, 1))
        >>> slot = MultisetLaw.one_of(["1/100"] * 100)
        >>> view = multi_message_view(MultiMessageVictim(a, b), [MultiMessageUsers(slot, 5)])
        >>> [len(letters) for letters in view.classes]
        [1, 1, 98]
    """
    same_letters([victim.first, victim.second, *(group.law for group in others)])
    present = [group for group in others if group.count]
    given = partition_of(merge, victim.first.letters)
    laws = [victim.first, victim.second, *(group.law for group in present)]
    if merge is not None:
        laws = [law.merged(given) for law in laws]
    parts = _proportional_letters(laws)
    return MultiMessageView(
        [law.merged(parts) for law in laws],
        [group.count for group in present],
        classes=[tuple(sorted(y for i in part for y in given[i])) for part in parts],
        is_lower_bound=merge is not None,
    )


def _proportional_letters(laws: Sequence[MultisetLaw]) -> list[tuple[int, ...]]:
    """Return the letters that merge without loss; those never sent only if there are no other."""
    letters = range(laws[0].letters)
    derivatives = [
        {
            (i, (*h[:y], h[y] - 1, *h[y + 1 :])): h[y] * mass
            for i, law in enumerate(laws)
            for h, mass in law.masses.masses.items()
            if h[y]
        }
        for y in letters
    ]
    return proportional(derivatives) or [tuple(letters)]
