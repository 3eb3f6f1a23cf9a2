"""Laws of multisets: the messages of a user who sends several, or none.

Put a variable z_y on each letter y. The law μ of a multiset is the polynomial Σ_h μ(h) z^h, h a
tuple of counts; in general it is not homogeneous. The union of independent multisets has the
product of their polynomials.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Any

from flint import fmpz, fmpz_mpoly_ctx, fmpz_poly

from exactdp.distributions import FinitePmf, Forms, scale_rows
from exactdp.distributions.finite import near_one
from exactdp.errors import DomainError, TooLargeError, number_of
from exactdp.numbers import Exact, RationalLike, count_text
from exactdp.numbers.arguments import probability
from exactdp.numbers.limits import MAX_BITS_OF_A_PRODUCT, MAX_HISTOGRAMS
from exactdp.numbers.renamed import renamed
from exactdp.numbers.validated import validated

__all__ = ["Counts", "MultisetLaw", "MultisetProduct", "forms_of", "same_letters", "union_of"]

Counts = tuple[int, ...]
"""A multiset of messages: how many there are of each letter."""

_OVERHEAD = 10
"""How much more memory than its terms FLINT takes to multiply a product out."""


@validated
@dataclass(frozen=True, slots=True)
class MultisetLaw:
    """The law of the multiset of messages that one user sends, exact.

    Attributes:
        masses: A law on tuples of counts, one count a letter, all of one length.

    Raises:
        DomainError: If an outcome is not a tuple of counts, or lengths differ.

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
                    f"outcome {counts!r} is not a multiset. Give a tuple of counts, one a letter."
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
    def from_masses(
        cls, masses: Mapping[Counts, Exact | RationalLike], *, normalize: bool = False
    ) -> MultisetLaw:
        """Return the law with the given masses of tuples of counts, divided by their sum or not."""
        return cls(FinitePmf(masses, normalize=normalize))

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
                f"{number_of(len(values), 'letter')} have total probability "
                f"{near_one(1 - nothing)}. Give at least one letter, and a total of at most 1, as "
                "strings such as '0.1' or '1/3'."
            )
        letters = range(len(values))
        masses = {tuple(int(z == y) for z in letters): values[y] for y in letters if values[y]}
        if nothing:
            masses[tuple(0 for _ in letters)] = nothing
        return cls(FinitePmf(masses))

    @classmethod
    @renamed
    @validated
    def sampled(
        cls, items: Sequence[int], *, letters: int, sampling_probability: Exact | RationalLike
    ) -> MultisetLaw:
        """Return the law of a user who sends each item with a probability, independently.

        Raises:
            DomainError: If an item is not a letter, or the probability is none.

        Example:
            >>> law = MultisetLaw.sampled([0, 2], letters=3, sampling_probability="1/3")
            >>> law.masses[(1, 0, 0)]
            Exact('2/9')
        """
        value = probability(sampling_probability, name="sampling_probability")
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


@validated
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
    outcomes, forms = forms_of(laws)
    product = MultisetProduct(outcomes, forms, [0] + [1] * (len(laws) - 1))
    weights = product.weights_by_histogram(forms.weights[0])
    total = Exact(forms.number(forms.total([1] * len(laws))))
    return MultisetLaw(FinitePmf({h: weight / total for h, weight in weights.items()}))


class MultisetProduct:
    """A product of laws on multisets to some powers, and of one more law each time.

    Raises:
        TooLargeError: If the product, with one more sender of each law of power 0, has too
            many terms, or too long weights.
    """

    def __init__(self, outcomes: Sequence[Counts], forms: Forms, powers: Sequence[int]) -> None:
        _refuse_large(outcomes, forms, [max(1, power) for power in powers])
        self._outcomes, self._forms = outcomes, forms
        names = [f"z{y}" for y in range(len(outcomes[0]))] + ["g"] * (forms.rate != 0)
        self._ring = fmpz_mpoly_ctx.get(tuple(names), "lex")
        factors = [
            self._polynomial(weights) ** power
            for weights, power in zip(forms.weights, powers, strict=True)
            if power
        ]
        # The smallest first: the cost is in the last products.
        self._product = prod(sorted(factors, key=len), start=self._ring.constant(1))

    def positive_part_sum(self, weights: Sequence[fmpz_poly]) -> fmpz:
        """Return the sum of the positive coefficients of form * product (rate 0 only)."""
        product = self._polynomial(weights) * self._product
        return sum((c for c in product.coeffs() if c > 0), fmpz(0))

    def weights_by_histogram(self, weights: Sequence[fmpz_poly]) -> dict[Counts, Any]:
        """Return multiset -> weight of form * product; fmpz, or Exact if the rate is positive."""
        return dict(self._forms.by_outcome(self._polynomial(weights) * self._product))

    def _polynomial(self, weights: Sequence[fmpz_poly]) -> Any:
        terms = {
            (*h, *([power] if self._forms.rate != 0 else [])): c
            for h, weight in zip(self._outcomes, weights, strict=True)
            for power, c in enumerate(weight.coeffs())
            if c != 0
        }
        return self._ring.from_dict(terms)


def forms_of(laws: Sequence[MultisetLaw]) -> tuple[list[Counts], Forms]:
    """Return the multisets that any of the laws sends, and the laws as weights of them."""
    sent = [h for law in laws for h, mass in law.masses.masses.items() if mass]
    outcomes = list(dict.fromkeys(sent))
    return outcomes, scale_rows([[law.masses[h] for h in outcomes] for law in laws])


def _refuse_large(outcomes: Sequence[Counts], forms: Forms, powers: Sequence[int]) -> None:
    """Refuse products with too many terms, or too long weights, before they are made."""
    letters = len(outcomes[0])
    most, by_letter = 0, [1] * letters
    for weights, power in zip(forms.weights, powers, strict=True):
        own = [h for h, weight in zip(outcomes, weights, strict=True) if weight.length()]
        most += power * max(map(sum, own))
        by_letter = [size + power * max(h[y] for h in own) for y, size in enumerate(by_letter)]
    cells = min(prod(by_letter), comb(most + letters, letters))
    bits, degree = forms.size(powers)
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


def is_count(value: object) -> bool:
    """Return whether this is an int of at least 0 (and no bool)."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
