"""Shuffled protocols in which a user sends several messages, or none.

The analyzer receives the multiset of everything that arrives, and with it how many
messages there are. With L0, L1 the polynomials of what the victim sends with either
input (``exactdp.shuffle.multisets``) and G the product of all others', the two laws
of the view are the coefficients of L0·G and L1·G. A user who sends several
independent messages may be given as several senders of one message each; so a
blanket of N messages is one law with count N.

Letters merge without loss if every polynomial p in play has ∂p/∂z_i = c·∂p/∂z_j with
one constant c: then each p is a function of c·z_i + z_j, hence so is every product,
and given the number of messages in the class, the split inside it has the same law
whatever the victim's input. Any other merging is post-processing; it is done only
when asked for, and the view then says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import fmpq, fmpz

from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.arguments import whole_number
from exactdp.shuffle.multisets import MultisetLaw, MultisetPolynomials, same_letters
from exactdp.shuffle.views.exact_view import ExactView

__all__ = [
    "MultiMessageUsers",
    "MultiMessageVictim",
    "MultiMessageView",
    "multi_message_view",
]


@dataclass(frozen=True, slots=True)
class MultiMessageVictim:
    """The user whose input differs: what it sends under P, and under Q."""

    first: MultisetLaw
    second: MultisetLaw


@dataclass(frozen=True, slots=True)
class MultiMessageUsers:
    """``count`` independent senders with one law: other users, or the slots of a blanket."""

    law: MultisetLaw
    count: int = 1

    def __post_init__(self) -> None:
        whole_number(self.count, name="count", at_least=0)


class MultiMessageView(ExactView):
    """The two laws of the multiset that arrives. Build it with :func:`multi_message_view`.

    Attributes:
        classes: The letters told apart, each class a tuple of letters.
        is_lower_bound: Whether letters were merged with loss on request, so that
            divergences of this view are lower bounds on the whole view's.
    """

    def __init__(
        self,
        laws: Sequence[MultisetLaw],
        counts: Sequence[int],
        *,
        classes: Sequence[tuple[int, ...]],
        is_lower_bound: bool,
    ) -> None:
        self.classes = tuple(classes)
        self.is_lower_bound = is_lower_bound
        self._laws, self._counts = tuple(laws), tuple(counts)

    @cached_property
    def _polynomials(self) -> MultisetPolynomials:
        return MultisetPolynomials(self._laws, (1, 1, *self._counts))

    @cached_property
    def _others(self) -> Any:
        return self._polynomials.product(range(2, len(self._laws)))

    @cached_property
    def pair(self) -> Pair:
        """The pair (P, Q) with outcomes the multisets, as tuples of counts."""
        polynomials, others = self._polynomials, self._others
        rest = range(2, len(self._laws))
        p, q = (polynomials.weights(polynomials.forms[i] * others) for i in (0, 1))
        p_total, q_total = (polynomials.total([i, *rest]) for i in (0, 1))
        if polynomials.rate == 0:
            return Pair.from_weight_maps(
                {h: w.as_fmpq().p for h, w in p.items()},
                {h: w.as_fmpq().p for h, w in q.items()},
                p_total=p_total.as_fmpq().p,
                q_total=q_total.as_fmpq().p,
            )
        return Pair.from_weight_maps(p, q, p_total=p_total, q_total=q_total)

    def reversed(self) -> MultiMessageView:
        """Return the view with the victim's two laws exchanged."""
        first, second, *others = self._laws
        return MultiMessageView(
            [second, first, *others],
            self._counts,
            classes=self.classes,
            is_lower_bound=self.is_lower_bound,
        )

    def _delta_at(self, gamma: Exact) -> Exact:
        """Return H_γ(P ‖ Q) of the view, exactly.

        Formula:
            The sum of the positive coefficients of (L0 - γ L1)·G.

        Raises:
            TooLargeError: If the view has too many multisets, or too long weights.

        Example:
            A blanket of one message, 0 or 1 with probability 1/2, and a victim who
            sends its own bit for sure. The multiset {0, 0} is seen only under P:

            >>> bit = [MultisetLaw.one_of([1, 0]), MultisetLaw.one_of([0, 1])]
            >>> blanket = MultisetLaw.one_of(["1/2", "1/2"])
            >>> view = multi_message_view(MultiMessageVictim(*bit), [MultiMessageUsers(blanket)])
            >>> view.delta(Epsilon.log(2))
            Exact('1/2')
        """
        polynomials = self._polynomials
        if polynomials.rate != 0 or not gamma.is_rational:
            return self.pair.delta(Epsilon(gamma))
        value, rest = gamma.as_fmpq(), range(2, len(self._laws))
        d0, d1, scale = (polynomials.total(i).as_fmpq().p for i in ([0], [1], rest))
        first, second = polynomials.forms[:2]
        product = (value.q * d1 * first - value.p * d0 * second) * self._others
        positive = sum((c for c in product.coeffs() if c > 0), fmpz(0))
        return Exact(fmpq(positive, value.q * d0 * d1 * scale))


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
        merge: A partition of the letters into classes, if only the number of messages
            in each class is to be seen. Divergences of the view are then lower bounds
            on those of the whole view (data processing).

    Raises:
        DomainError: If alphabets differ, or merge is no partition.
        TooLargeError: If there are too many multisets, or too long weights; on use.

    Example:
        Of 100 letters a uniform blanket tells only the victim's two apart:

        >>> a, b = (MultisetLaw.sampled([x], letters=100, rate="1/2") for x in (0, 1))
        >>> slot = MultisetLaw.one_of(["1/100"] * 100)
        >>> view = multi_message_view(MultiMessageVictim(a, b), [MultiMessageUsers(slot, 5)])
        >>> [len(letters) for letters in view.classes]
        [1, 1, 98]
    """
    laws, counts = [victim.first, victim.second], []
    for group in others:
        if group.count:
            laws.append(group.law)
            counts.append(group.count)
    same_letters([*laws, *(group.law for group in others)])
    letters = laws[0].letters
    given = [(y,) for y in range(letters)] if merge is None else _partition(merge, letters)
    if merge is not None:
        laws = [law.merged(given) for law in laws]
    parts = _proportional_classes(laws)
    return MultiMessageView(
        [law.merged(parts) for law in laws],
        counts,
        classes=[tuple(sorted(y for i in part for y in given[i])) for part in parts],
        is_lower_bound=merge is not None,
    )


def _proportional_classes(laws: Sequence[MultisetLaw]) -> list[tuple[int, ...]]:
    """Return the letters that merge without loss; letters that are never sent are left out."""
    classes: dict[Any, list[int]] = {}
    for y in range(laws[0].letters):
        # The coefficients of the ∂p/∂z_y of all laws, up to a common factor.
        column = {
            (i, (*h[:y], h[y] - 1, *h[y + 1 :])): h[y] * mass
            for i, law in enumerate(laws)
            for h, mass in law.masses.masses.items()
            if h[y] and mass
        }
        if column:
            pivot = column[min(column)]
            key = frozenset((place, value / pivot) for place, value in column.items())
            classes.setdefault(key, []).append(y)
    # Nothing is ever sent: one class, always empty.
    return [tuple(part) for part in classes.values()] or [tuple(range(laws[0].letters))]


def _partition(merge: Sequence[Sequence[int]], letters: int) -> list[tuple[int, ...]]:
    if sorted(y for part in merge for y in part) != list(range(letters)) or not all(merge):
        raise DomainError(
            f"merge={[list(part) for part in merge]} is no partition of the letters "
            f"0..{letters - 1}. Name every letter exactly once."
        )
    return [tuple(part) for part in merge]
