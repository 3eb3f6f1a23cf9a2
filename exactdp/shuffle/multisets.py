"""Laws of multisets: what a user sends who sends several messages, or none.

Put a variable z_y on each letter y. The law μ of a multiset is the polynomial
Σ_h μ(h) z^h, h a tuple of counts; in general it is not homogeneous. The union of
independent multisets has the product of their polynomials.

Definitions: :class:`MultisetLaw` (``point``, ``from_masses``, ``one_of``,
``sampled``), :func:`union_of`, :class:`MultisetPolynomials`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Any

from flint import fmpz, fmpz_mpoly_ctx, fmpz_poly

from exactdp.distributions import FinitePmf, Forms, scale_rows
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Exact, RationalLike, count_text
from exactdp.numbers.arguments import probability
from exactdp.numbers.limits import MAX_BITS_OF_A_PRODUCT, MAX_HISTOGRAMS

__all__ = ["Counts", "MultisetLaw", "MultisetPolynomials", "union_of"]

Counts = tuple[int, ...]
"""A multiset of messages: how many there are of each letter."""

_OVERHEAD = 10
"""How much more memory than its terms FLINT takes to multiply a product out."""


@dataclass(frozen=True, slots=True)
class MultisetLaw:
    """The law of the multiset of messages that one user sends, exact.

    Attributes:
        masses: A law on tuples of counts, one count a letter, all of one length.

    Raises:
        DomainError: If an outcome is no tuple of counts, or lengths differ.

    Example:
        A user who sends letter 0 with probability 1/3, else nothing:

        >>> MultisetLaw.one_of(["1/3", 0]).masses
        FinitePmf({(1, 0): 1/3, (0, 0): 2/3})
    """

    masses: FinitePmf[Counts]

    def __post_init__(self) -> None:
        for counts in self.masses.masses:
            if not isinstance(counts, tuple) or not counts or not all(map(is_count, counts)):
                raise DomainError(
                    f"outcome {counts!r} is no multiset. Give a tuple of counts, one a letter."
                )
            if len(counts) != self.letters:
                raise DomainError(
                    f"outcome {counts!r} has {len(counts)} counts, another has {self.letters}. "
                    "Give every outcome one count a letter, with 0 where there is none."
                )

    @property
    def letters(self) -> int:
        """The number of letters of the alphabet of messages."""
        return len(next(iter(self.masses.masses)))

    @property
    def most_messages(self) -> int:
        """The largest number of messages that are sent with positive probability."""
        return max(sum(counts) for counts, mass in self.masses.masses.items() if mass)

    @classmethod
    def from_masses(cls, masses: Mapping[Counts, Exact | RationalLike]) -> MultisetLaw:
        """Return the law with the given masses of tuples of counts."""
        return cls(FinitePmf(masses))

    @classmethod
    def point(cls, counts: Counts) -> MultisetLaw:
        """Return the law of a user who always sends this multiset; zeros send nothing."""
        return cls(FinitePmf({counts: 1}))

    @classmethod
    def one_of(cls, probabilities: Iterable[Exact | RationalLike]) -> MultisetLaw:
        """Return the law of at most one message: letter y with the y-th probability.

        Raises:
            DomainError: If there is no letter, or the probabilities sum to more than 1.
        """
        values = [probability(p, name=f"letter {y}") for y, p in enumerate(probabilities)]
        nothing = 1 - sum(values, Exact(0))
        if not values or nothing < 0:
            raise DomainError(
                f"{len(values)} letters have total probability {1 - nothing}. "
                "Give at least one letter, and a total of at most 1."
            )
        masses = {_unit(y, len(values)): p for y, p in enumerate(values) if p}
        if nothing or not masses:
            masses[(0,) * len(values)] = nothing
        return cls(FinitePmf(masses))

    @classmethod
    def sampled(
        cls, items: Sequence[int], *, letters: int, rate: Exact | RationalLike
    ) -> MultisetLaw:
        """Return the law of a user who sends each item independently with probability rate.

        Raises:
            DomainError: If an item is no letter, or rate is no probability.

        Example:
            >>> MultisetLaw.sampled([0, 2], letters=3, rate="1/3").masses[(1, 0, 0)]
            Exact('2/9')
        """
        value = probability(rate, name="rate")
        wrong = [item for item in items if not is_count(item) or item >= letters]
        if wrong or not is_count(letters) or letters < 1:
            raise DomainError(
                f"items {wrong} are outside the letters 0..{letters - 1}. "
                "Items are numbers of letters."
            )
        slots = [cls.one_of([value if y == item else 0 for y in range(letters)]) for item in items]
        return union_of([cls.point((0,) * letters), *slots])

    def merged(self, classes: Sequence[Sequence[int]]) -> MultisetLaw:
        """Return the law when only the number of messages in each class is kept."""
        return MultisetLaw(
            self.masses.push_forward(lambda h: tuple(sum(h[y] for y in part) for part in classes))
        )


def union_of(laws: Sequence[MultisetLaw]) -> MultisetLaw:
    """Return the law of the union of independent multisets: the product of the polynomials.

    Raises:
        DomainError: If there is no law, or the alphabets differ.
        TooLargeError: If the law may have too many outcomes.

    Example:
        >>> coin = MultisetLaw.one_of(["1/2"])
        >>> union_of([coin, coin]).masses
        FinitePmf({(2,): 1/4, (1,): 1/2, (0,): 1/4})
    """
    if not laws:
        raise DomainError("there is no law to unite. Give at least one, e.g. MultisetLaw.point.")
    same_letters(laws)
    polynomials = MultisetPolynomials(laws, [1] * len(laws))
    weights = polynomials.weights(polynomials.product(range(len(laws))))
    total = polynomials.total(range(len(laws)))
    return MultisetLaw(FinitePmf({h: weight / total for h, weight in weights.items()}))


class MultisetPolynomials:
    """Laws as polynomials over the integers: one form a law, each with its denominator."""

    def __init__(self, laws: Sequence[MultisetLaw], powers: Sequence[int]) -> None:
        outcomes = [[h for h, mass in law.masses.masses.items() if mass] for law in laws]
        scaled = scale_rows(
            [[law.masses[h] for h in own] for law, own in zip(laws, outcomes, strict=True)]
        )
        self._letters, self.rate, self._powers = laws[0].letters, scaled.rate, tuple(powers)
        self._totals = scaled.totals
        _refuse_large(outcomes, scaled, powers)
        names = [f"z{y}" for y in range(self._letters)] + ["g"] * (self.rate != 0)
        self._ring = fmpz_mpoly_ctx.get(tuple(names), "lex")
        self.forms = [
            self._ring.from_dict(
                {
                    (*h, *([power] if self.rate != 0 else [])): c
                    for h, weight in zip(own, weights, strict=True)
                    for power, c in enumerate(weight.coeffs())
                    if c != 0
                }
            )
            for own, weights in zip(outcomes, scaled.weights, strict=True)
        ]

    def product(self, indices: Iterable[int]) -> Any:
        """Return the product of the forms, each to its power."""
        # The smallest first: the cost is in the last products.
        factors = sorted((self.forms[i] ** self._powers[i] for i in indices), key=len)
        return prod(factors, start=self._ring.constant(1))

    def total(self, indices: Iterable[int]) -> Exact:
        """Return the common denominator of the product of the forms."""
        value = fmpz_poly([1])
        for i in indices:
            value *= self._totals[i] ** self._powers[i]
        return Exact.from_polynomial(value, rate=self.rate)

    def weights(self, polynomial: Any) -> dict[Counts, Exact]:
        """Return multiset -> weight."""
        terms = {tuple(map(int, h)): c for h, c in polynomial.to_dict().items()}
        if self.rate == 0:
            return {h: Exact(c) for h, c in terms.items()}
        grouped: dict[Counts, dict[int, fmpz]] = {}
        for exponents, c in terms.items():
            grouped.setdefault(exponents[:-1], {})[exponents[-1]] = c
        return {
            h: Exact.from_polynomial(
                fmpz_poly([parts.get(power, 0) for power in range(max(parts) + 1)]), rate=self.rate
            )
            for h, parts in grouped.items()
        }


def _refuse_large(
    outcomes: Sequence[Sequence[Counts]], scaled: Forms, powers: Sequence[int]
) -> None:
    """Refuse products with too many terms, or too long weights, before they are made."""
    letters = len(outcomes[0][0])
    pairs = list(zip(outcomes, powers, strict=True))
    most = sum(power * max(sum(h) for h in own) for own, power in pairs)
    by_letter = prod(
        1 + sum(power * max(h[y] for h in own) for own, power in pairs) for y in range(letters)
    )
    cells = min(by_letter, comb(most + letters, letters))
    bits = degree = 0
    for weights, power in zip(scaled.weights, powers, strict=True):
        size = sum(abs(int(c)) for weight in weights for c in weight.coeffs())
        bits += power * (size**8).bit_length() // 8
        degree += power * max(0, *(int(weight.degree()) for weight in weights))
    if cells > MAX_HISTOGRAMS or cells * bits * (degree + 1) * _OVERHEAD > MAX_BITS_OF_A_PRODUCT:
        raise TooLargeError(
            f"up to {count_text(most)} messages of {letters} distinguishable letters have up to "
            f"{count_text(cells)} multisets with weights of {count_text(bits * (degree + 1))} bits "
            f'each; the limit is {MAX_HISTOGRAMS:,} multisets. Merge letters ("merge": a certified '
            "lower bound), or take fewer senders, or smaller denominators."
        )


def same_letters(laws: Sequence[MultisetLaw]) -> None:
    """Refuse laws over alphabets of different sizes."""
    sizes = sorted({law.letters for law in laws})
    if len(sizes) > 1:
        raise DomainError(
            f"laws have alphabets of {sizes[0]} and of {sizes[-1]} letters. "
            "Give all the same letters (with counts of 0)."
        )


def _unit(y: int, letters: int) -> Counts:
    return tuple(int(i == y) for i in range(letters))


def is_count(value: object) -> bool:
    """Return whether this is an int of at least 0 (and no bool)."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
