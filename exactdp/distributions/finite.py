"""Finite distributions with exact masses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product as cartesian
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from flint import fmpq, fmpz

from exactdp.errors import DomainError, number_of
from exactdp.numbers import Exact, Number, RationalLike, decimal, short
from exactdp.numbers.arguments import exact
from exactdp.numbers.validated import validated

__all__ = ["DIVIDED", "FinitePmf", "near_one", "not_one", "weights_of"]

DIVIDED = "masses were divided by their sum"
"""The note of a law whose masses were."""

_NEAR_ONE = Exact("1/1000")
"""Sums nearer to 1 are shown by their distance to it."""

Outcome = TypeVar("Outcome", bound=Hashable)
Image = TypeVar("Image", bound=Hashable)


@validated
class FinitePmf(Generic[Outcome]):
    """A probability mass function on finitely many outcomes, exact and valid once built.

    Args:
        masses: A mass for each outcome: numbers of the exact field, or what
            ``rational`` reads ("4/7", "0.49", 3, Fraction(1, 3)).
        name: What to call it in an error message.
        normalize: Whether to divide the masses by their sum, as of weights, or of doubles.

    Raises:
        DomainError: If a mass is negative, or the sum is not exactly 1, or 0 if it is divided by.

    Example:
        >>> coin = FinitePmf({"heads": "1/3", "tails": "2/3"})
        >>> coin["heads"], coin["edge"]
        (Exact('1/3'), Exact('0'))
        >>> FinitePmf({"a": "0.5", "b": "0.49"})
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: masses sum to 99/100, not 1 (2 outcomes). Write masses as \
strings, '0.1' or '1/3', or pass normalize=True to divide them by their sum.
    """

    __slots__ = ("masses",)
    masses: Mapping[Outcome, Exact]

    def __init__(
        self,
        masses: Mapping[Outcome, Exact | RationalLike],
        *,
        name: str = "masses",
        normalize: bool = False,
    ) -> None:
        values = _nonnegative(masses, name)
        total = _total(values.values())
        if normalize and total == 0:
            raise DomainError(f"{name} sum to 0. Give at least one positive weight.")
        if normalize and total != 1:
            values = {y: mass / total for y, mass in values.items()}
        elif total != 1:
            raise DomainError(f"{name} {not_one(total, len(values), 'outcomes')}")
        self.masses = MappingProxyType(values)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.masses),)

    @classmethod
    def normalized(cls, weights: Mapping[Outcome, Exact | RationalLike]) -> FinitePmf[Outcome]:
        """Return the distribution proportional to nonnegative weights.

        Example:
            >>> FinitePmf.normalized({0: 1, 1: 3})[1]
            Exact('3/4')
        """
        return cls(weights, name="weights", normalize=True)

    @classmethod
    def point(cls, outcome: Outcome) -> FinitePmf[Outcome]:
        """Return the distribution of a constant."""
        return cls({outcome: 1})

    @classmethod
    def uniform(cls, outcomes: Sequence[Outcome]) -> FinitePmf[Outcome]:
        """Return the uniform distribution on distinct outcomes."""
        return cls.normalized(dict.fromkeys(outcomes, 1))

    @classmethod
    def mixture(
        cls,
        weights: Sequence[Exact | RationalLike],
        parts: Sequence[FinitePmf[Outcome]],
        *,
        normalize: bool = False,
    ) -> FinitePmf[Outcome]:
        """Return the mixture of ``parts`` with the given weights, which sum to 1 or are divided.

        Example:
            >>> coin = FinitePmf({0: "1/3", 1: "2/3"})
            >>> FinitePmf.mixture(["1/2", "1/2"], [FinitePmf.point(0), coin])[0]
            Exact('2/3')
        """
        law = FinitePmf(dict(enumerate(weights)), name="mixture weights", normalize=normalize)
        if len(parts) != len(law.masses):
            raise DomainError(
                f"{number_of(len(law.masses), 'mixture weight')} for "
                f"{number_of(len(parts), 'part')}. Give one weight a part."
            )
        result: dict[Outcome, Exact] = {}
        for index, part in enumerate(parts):
            for y, mass in part.masses.items():
                result[y] = result.get(y, Exact(0)) + law[index] * mass
        return cls(result)

    @staticmethod
    def product(*parts: FinitePmf[Any]) -> FinitePmf[tuple[Any, ...]]:
        """Return the law of independent draws, one from each part, as tuples.

        Example:
            >>> coin = FinitePmf({0: "1/3", 1: "2/3"})
            >>> FinitePmf.product(coin, coin)[(0, 1)]
            Exact('2/9')
        """
        result: dict[tuple[Any, ...], Exact] = {}
        for combination in cartesian(*(part.masses.items() for part in parts)):
            mass = Exact(1)
            for _, factor in combination:
                mass *= factor
            result[tuple(y for y, _ in combination)] = mass
        return FinitePmf(result)

    def push_forward(self, function: Callable[[Outcome], Image]) -> FinitePmf[Image]:
        """Return the law of function(Y): deterministic post-processing.

        Example:
            >>> FinitePmf.uniform(range(4)).push_forward(lambda y: y % 2)[0]
            Exact('1/2')
        """
        result: dict[Image, Exact] = {}
        for y, mass in self.masses.items():
            image = function(y)
            result[image] = result.get(image, Exact(0)) + mass
        return FinitePmf(result)

    def probability(self, event: Iterable[Outcome]) -> Exact:
        """Return the probability of a set of outcomes."""
        return _total([self[y] for y in set(event)])

    def __getitem__(self, outcome: Outcome) -> Exact:
        return self.masses.get(outcome, Exact(0))

    def __len__(self) -> int:
        return len(self.masses)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FinitePmf):
            return NotImplemented
        return _support(self) == _support(other)

    def __hash__(self) -> int:
        return hash(frozenset(_support(self).items()))

    def __repr__(self) -> str:
        return f"FinitePmf({{{', '.join(f'{y!r}: {m}' for y, m in self.masses.items())}}})"


def _support(pmf: FinitePmf[Any]) -> dict[Any, Exact]:
    return {y: mass for y, mass in pmf.masses.items() if mass != 0}


def weights_of(masses: Sequence[Exact]) -> tuple[list[Any], Any]:
    """Return rational masses as integers (fmpz) over their least common denominator.

    If one of them is transcendental: the masses themselves, over 1.
    """
    if not all(mass.is_rational for mass in masses):
        return list(masses), Exact(1)
    rationals = [mass.as_fmpq() for mass in masses]
    common = fmpz(1)
    for value in rationals:
        if common % value.q != 0:
            common = common.lcm(value.q)
    return [value.p * (common // value.q) for value in rationals], common


def _total(masses: Collection[Exact]) -> Exact:
    """Return the sum: of rationals as integers over one denominator, without reducing."""
    weights, common = weights_of([mass for mass in masses if mass.is_rational])
    others = sum((mass for mass in masses if not mass.is_rational), Exact(0))
    return others + Exact(fmpq(sum(weights, fmpz(0)), common))


def _nonnegative(masses: Mapping[Outcome, Exact | RationalLike], name: str) -> dict[Outcome, Exact]:
    """Return the masses as exact numbers, none negative."""
    values: dict[Outcome, Exact] = {}
    for y, value in masses.items():
        mass = value if isinstance(value, Exact) else exact(value, name=_place(name, y))
        if mass.sign() < 0:
            raise DomainError(f"{_place(name, y)}={mass} is negative. A mass is at least 0.")
        values[y] = mass
    return values


def _place(name: str, outcome: Outcome) -> str:
    return f"{name}[{short(outcome) if isinstance(outcome, Fraction) else repr(outcome)}]"


def not_one(total: Exact, count: int, what: str) -> str:
    """Return that masses do not sum to 1, by how much they miss it, and the ways out.

    Example:
        >>> print(not_one(Exact(0.3) + 0.7, 2, "outcomes").partition(".")[0])
        sum to 1 - 5
    """
    return (
        f"sum to {near_one(total)}, not 1 ({count} {what}). Write masses as strings, '0.1' or "
        "'1/3', or pass normalize=True to divide them by their sum."
    )


def near_one(total: Number) -> str:
    """Return a sum as text: of one near 1, by how much it misses it.

    Example:
        >>> near_one(Exact("1/3")), near_one(Exact("1.0000001"))
        ('1/3', '1 + 1.00e-7')
    """
    rest = total - 1
    if not -_NEAR_ONE < rest < _NEAR_ONE:
        return f"{total}"
    return f"1 {'+' if rest > 0 else '-'} {decimal(rest if rest > 0 else -rest, digits=3)}"
