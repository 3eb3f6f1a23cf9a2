"""Shared parts of the views of a shuffled protocol: the product of the others, exact answers.

With L0, L1 the victim's generating polynomials under either input and G the product of all
others', the two laws of a view are the coefficients of L0·G and L1·G
(``exactdp.distributions.polynomials``, ``exactdp.shuffle.multisets``).

Messages may be merged into classes. Some merge without loss; any other merging is
post-processing and gives a lower bound on every divergence. It is done only when asked for,
and the view then says so.

Where all others send with one law r, above 0 at each message, neither product is taken. With M the
law of n messages that are all drawn from r, and h a histogram of n messages,

    P(h) = Σ_y p_y·M_{n−1}(h − e_y) = M(h)·Σ_y h_y p_y/r_y / n,

and the same for Q. So P/Q is a ratio A(h)/B(h) of two sums of small integers, A(h) = Σ_y a_y h_y
with a_y = c·p_y/r_y, and the masses under M of all h with one A and one B are a coefficient of

    (Σ_y r_y u^{a_y} v^{b_y})^n.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from math import gcd, lcm
from typing import Any, Generic, Protocol, Self, TypeVar, cast

from flint import fmpq, fmpz, fmpz_mpoly_ctx, fmpz_poly

from exactdp.distributions.polynomials import Forms
from exactdp.divergences.nearby import delta_of_near, epsilon_of_near
from exactdp.divergences.number_profile import or_nearby
from exactdp.divergences.pair import Pair
from exactdp.divergences.privacy_loss_distribution import FiniteProfile, PrivacyLossDistribution
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import DomainError, TooLargeError, number_of
from exactdp.numbers import Enclosure, Epsilon, Exact, Number
from exactdp.numbers.effort import first_answer, spend

__all__ = ["FEW_BITS", "ExactView", "losses_of_one_law", "partition_of", "proportional"]

Sender = TypeVar("Sender")

FEW_BITS = 32
"""Bits of the rounded senders whose view tells how many cells the exact one has."""

_MOST_SUM = 2**25
"""The bound on integers whose different quotients are different doubles, in the same order."""

_MANY_DEGREES = 40_000
"""Cells times users up to which the exact ε is searched for: it takes about a second."""


class OneMore(Protocol):
    """The product of the others' polynomials, to be multiplied by one more."""

    def positive_part_sum(self, weights: Sequence[fmpz_poly]) -> fmpz: ...

    def weights_by_histogram(self, weights: Sequence[fmpz_poly]) -> dict[tuple[int, ...], Any]: ...


class ExactView(FiniteProfile, Generic[Sender]):
    """The two laws of an analyzer's view, P and Q, as a privacy profile.

    Attributes:
        classes: The messages told apart, each class a tuple of messages.
        is_lower_bound: Whether messages were merged with loss on request, so that
            divergences of this view are lower bounds on the whole view's.
    """

    def __init__(
        self,
        senders: Sequence[Sender],
        counts: Sequence[int],
        *,
        classes: Sequence[tuple[int, ...]],
        is_lower_bound: bool,
    ) -> None:
        # The victim with either input, then the others, each with its number of users.
        self._senders, self._counts = tuple(senders), tuple(counts)
        self.classes, self.is_lower_bound = tuple(classes), is_lower_bound
        self._nearby: dict[int, Pair] = {}
        self._mirror: Self | None = None

    def __repr__(self) -> str:
        users, classes = sum(self._counts) + 1, len(self.classes)
        return (
            f"<{type(self).__name__} of {number_of(users, 'user')}: {number_of(classes, 'class')} "
            "of messages>"
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_senders", "_counts", "classes", "is_lower_bound")
        return {name: getattr(self, name) for name in kept} | {"_nearby": {}, "_mirror": None}

    @property
    @abstractmethod
    def _forms(self) -> Forms:
        """The weights of the messages of each sender."""

    @property
    @abstractmethod
    def _others(self) -> OneMore:
        """The product of the others; one that is too large is refused."""

    @abstractmethod
    def _rounded(self, sender: Sender, bits: int) -> Sender:
        """Return a sender's law with masses that ``rounded_masses`` rounds."""

    @abstractmethod
    def _masses(self, sender: Sender) -> Iterable[Exact]:
        """Return the masses of a sender's law."""

    @cached_property
    def pair(self) -> Pair:
        """The pair (P, Q), with outcomes the multisets of messages, as tuples of counts."""
        if self._mirror is not None:
            return self._mirror.pair.reversed()
        forms, others = self._forms, self._others  # refused before any power is taken
        p, q = (others.weights_by_histogram(weights) for weights in forms.weights[:2])
        p_total, q_total = self._totals
        return Pair.from_weight_maps(p, q, p_total=p_total, q_total=q_total)

    @property
    def _totals(self) -> tuple[Any, Any]:
        """The total weights of P and of Q."""
        forms, counts = self._forms, self._counts
        p_total, q_total = (forms.number(forms.total((*x, *counts))) for x in ((1, 0), (0, 1)))
        return p_total, q_total

    @property
    def _unlabeled(self) -> Pair:
        """The pair, of which nobody asks for the outcomes."""
        return self.pair

    @property
    def note(self) -> str | None:
        """The note that it is a lower bound, where messages were merged with loss."""
        if self.is_lower_bound:
            return "Messages were merged on request: a lower bound on the whole view's delta."
        return None

    def losses(self) -> PrivacyLossDistribution:
        """Return the law of the privacy loss, for many questions.

        Raises:
            TooLargeError: If the view is too large.
        """
        return self._losses

    @cached_property
    def _losses(self) -> PrivacyLossDistribution:
        return (
            self._unlabeled.losses() if self._mirror is None else self._mirror.losses().reversed()
        )

    @or_nearby
    def max_divergence(self) -> Epsilon | Number:
        """Return D_∞(P ‖ Q), exactly; as nats where masses are powers of e of no common rate."""
        return self._unlabeled.max_divergence()

    def reversed(self) -> Self:
        """Return the view with the victim's inputs exchanged, which takes no product again."""
        first, second, *others = self._senders
        view = self._of([second, first, *others])
        view._mirror = self
        return view

    def _of(self, senders: Sequence[Sender]) -> Self:
        classes, is_lower_bound = self.classes, self.is_lower_bound
        return type(self)(senders, self._counts, classes=classes, is_lower_bound=is_lower_bound)

    # Enclosures: exact weights in e^(p/q) are polynomials of the degree of the protocol.

    @property
    def has_exact_epsilon(self) -> bool:
        """True if ε is exact without long work: always for rational probabilities."""
        if not self._has_powers:
            return True
        is_short = len(self._near(FEW_BITS)[0]) * self._users <= _MANY_DEGREES
        return is_short and self._has_common_rate

    @cached_property
    def _has_powers(self) -> bool:
        """True if some probabilities are powers of e."""
        return any(not x.is_rational for sender in self._senders for x in self._masses(sender))

    @cached_property
    def _has_common_rate(self) -> bool:
        """True if the weights are polynomials in one e^r, which is not too small."""
        return first_answer(lambda: self._forms.rate >= 0, lambda: False)

    def as_finite(self) -> PrivacyProfile:
        """Return the view as it is composed: itself, or by laws nearby where it has no common rate.

        So it is of probabilities in powers of e whose exponents are two unrelated doubles.
        """
        return self if self._has_common_rate else self._beside() or self

    def _beside(self) -> PrivacyProfile | None:
        if not self._has_powers:
            return None
        above = import_module("exactdp.divergences.nearby_profile")  # a floor above
        other, top = self.reversed()._beside, self._largest_loss()
        return cast("PrivacyProfile", above.profile_near(self._near, other, top))

    def _largest_loss(self) -> Epsilon | None:
        """Return the largest finite loss, where it is known without the product."""
        return None

    def _delta_within(self, gamma: Exact, width: Fraction) -> Enclosure:
        found = delta_of_near(self._near, gamma, width) if self._has_powers else None
        return found or super()._delta_within(gamma, width)

    def _epsilon_within(self, delta: Exact, width: Fraction) -> Epsilon | Enclosure:
        if self._has_powers and 0 < delta < 1:
            found = epsilon_of_near(self._near, delta, width)
            if found is not None:
                return found
        return super()._epsilon_within(delta, width)

    @property
    def _users(self) -> int:
        return 1 + sum(self._counts)

    def _near(self, bits: int) -> tuple[Pair, Fraction]:
        """Return the pair of rounded senders, all n of them within 2^−bits together."""
        each = bits + self._users.bit_length()
        if bits not in self._nearby:
            senders = [self._rounded(sender, each) for sender in self._senders]
            self._nearby[bits] = self._of(senders).pair
        # (1 − 2^−each)^n >= 1 − n/2^each.
        return self._nearby[bits], Fraction(2**each, 2**each - self._users)

    def _delta_at(self, gamma: Exact) -> Exact:
        """Return H_γ(P ‖ Q): the sum of the positive coefficients of (L0 − γ·L1)·G.

        For rational weights and γ it is one product of integer polynomials.
        """
        forms = self._forms
        if forms.rate != 0 or not gamma.is_rational:
            return self._unlabeled.delta(Epsilon(gamma))
        value, (first, second), (d0, d1) = gamma.as_fmpq(), forms.weights[:2], forms.totals[:2]
        difference = [
            value.q * d1 * a - value.p * d0 * b for a, b in zip(first, second, strict=True)
        ]
        positive = self._others.positive_part_sum(difference)
        return Exact(fmpq(positive, value.q * forms.total((1, 1, *self._counts))[0]))


def losses_of_one_law(
    first: Sequence[int], second: Sequence[int], others: Sequence[int], *, users: int
) -> PrivacyLossDistribution | None:
    """Return the law of the loss; None if its sums are too large, or a weight of others is 0.

    Args:
        first: The victim's law under P, as integers in proportion to it.
        second: The victim's law under Q, likewise.
        others: The law of each of the others.
        users: How many there are, the victim included.

    Example:
        Two users, and the other's message is a fair coin: P has 3/8, 1/2 and 1/8 for none, one and
        two ones.

        >>> losses_of_one_law([3, 1], [1, 3], [1, 1], users=2).atoms
        ((Exact('1/3'), Exact('1/8')), (Exact('1'), Exact('1/2')), (Exact('3'), Exact('3/8')))
    """
    if not all(others):
        return None
    least, p_total, q_total = lcm(*others), sum(first), sum(second)
    a = [x * q_total * (least // r) for x, r in zip(first, others, strict=True)]
    b = [x * p_total * (least // r) for x, r in zip(second, others, strict=True)]
    common = gcd(*a, *b)
    if users * max(*a, *b) >= _MOST_SUM * common:
        return None
    u, v = fmpz_mpoly_ctx.get(("u", "v"), "lex").gens()
    terms = (
        r * u ** (x // common) * v ** (y // common) for x, y, r in zip(a, b, others, strict=True)
    )
    masses = sum(terms, 0 * u) ** users
    spend(3 * len(masses))
    sums: dict[float, tuple[int, int, fmpz]] = {}
    for exponents, mass in zip(masses.monoms(), masses.coeffs(), strict=True):
        x, y = map(int, exponents)
        if x and y:
            # Equal ratios are the same multiple of one pair, which counts so many times.
            times, ratio = gcd(x, y), x / y
            x, y, known = sums.get(ratio) or (x // times, y // times, fmpz(0))
            sums[ratio] = x, y, known + times * mass
    cells = [(fmpq(x, y), x * mass, y * mass) for _, (x, y, mass) in sorted(sums.items())]
    total = fmpz(sum(others)) ** (users - 1) * users * p_total * q_total * least // common
    return PrivacyLossDistribution.from_cells(cells, total, total)


def partition_of(merge: Sequence[Sequence[int]] | None, messages: int) -> list[tuple[int, ...]]:
    """Return a partition of the messages 0, 1, ..., each on its own if none is given.

    Raises:
        DomainError: If it is not a partition.
    """
    if merge is None:
        return [(y,) for y in range(messages)]
    if sorted(y for part in merge for y in part) != list(range(messages)) or not all(merge):
        raise DomainError(
            f"merge={[list(part) for part in merge]} is not a partition of the messages "
            f"0..{messages - 1}. Name every message exactly once."
        )
    return [tuple(part) for part in merge]


def proportional(columns: Iterable[Mapping[Any, Exact]]) -> list[tuple[int, ...]]:
    """Return the numbers of columns that are multiples of one another; empty ones are left out.

    Example:
        >>> one, two = Exact(1), Exact(2)
        >>> proportional([{"p": one}, {"p": one, "q": two}, {}, {"q": one, "p": one / 2}])
        [(0,), (1, 3)]
    """
    classes: dict[Any, list[int]] = {}
    for y, column in enumerate(columns):
        present = {place: mass for place, mass in column.items() if mass != 0}
        if present:
            pivot = present[min(present)]
            try:
                key = frozenset((place, mass / pivot) for place, mass in present.items())
            except TooLargeError:  # powers of e of no common rate: equal columns alone are seen
                key = frozenset(present.items())
            classes.setdefault(key, []).append(y)
    return [tuple(members) for members in classes.values()]
