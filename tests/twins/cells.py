"""Each kind in each operation: what the library answers, and what the truth is."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from exactdp.accounting import compose, group_profile, poisson_subsampled
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.mechanisms import discrete_laplace_mechanism
from exactdp.numbers import Epsilon
from tests.twins.definitions import geometric, swapped
from tests.twins.games import (
    Versus,
    adaptive,
    curve_of_groups,
    distinct,
    in_advance,
    mixed,
    value,
)
from tests.twins.mechanisms import MECHANISMS
from tests.twins.protocols import PROTOCOLS
from tests.twins.twin import Twin

__all__ = ["CELLS", "Cell"]

F = Fraction
KINDS = MECHANISMS | PROTOCOLS
COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
COIN_CELLS = Versus((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
BITS = discrete_laplace_mechanism(rate=Epsilon.log(2))
RATE = F(1, 3)

Sides = dict[str, list[Versus]]


@dataclass(frozen=True)
class Operation:
    """Operations on profiles and on pairs, and the parts that are composed with the pairs.

    ``is_removal``: the answer is for records that are removed, where others are added.
    """

    profile: Callable[[PrivacyProfile], PrivacyProfile]
    pairs: Callable[[list[Versus]], list[Versus]] = lambda pairs: pairs
    beside: Callable[[list[Versus]], list[list[Versus]]] = lambda pairs: []
    is_composed: bool = False
    is_removal: bool = False


def sample(pairs):
    """P is with the record, Q without, and the record is in the sample at a rate."""
    return [Versus(mixed((RATE, x.p), (1 - RATE, x.q)), x.q, x.spread) for x in pairs]


OPERATIONS = {
    "alone": Operation(lambda one: one),
    "reversed": Operation(lambda one: one.reversed(), swapped),
    "both ways": Operation(lambda one: one.both_directions(), lambda x: [*x, *swapped(x)]),
    "twice": Operation(lambda one: compose([(one, 2)]), beside=lambda x: [x], is_composed=True),
    "with a coin": Operation(
        lambda one: compose([(one, 1), (COIN, 1)]),
        beside=lambda x: [[COIN_CELLS]],
        is_composed=True,
    ),
    "with noise": Operation(
        lambda one: compose([(one, 1), (BITS, 1)]),
        beside=lambda x: [geometric(F(1, 2)).moved(1)],
        is_composed=True,
    ),
    "sampled": Operation(
        partial(poisson_subsampled, sampling_probability=RATE), sample, is_removal=True
    ),
    "sampled, reversed": Operation(
        lambda one: poisson_subsampled(one, sampling_probability=RATE).reversed(),
        lambda x: swapped(sample(x)),
        is_removal=True,
    ),
    "groups": Operation(partial(group_profile, size=2), is_composed=True),
}


@dataclass(frozen=True)
class Cell:
    """A kind in an operation."""

    kind: str
    operation: str

    @property
    def twin(self) -> Twin:
        return KINDS[self.kind]

    @property
    def step(self) -> Operation:
        return OPERATIONS[self.operation]

    @property
    def is_exact(self):
        """True if the truth is a fraction."""
        return all(pair.is_exact for pairs in sides_of(self.kind).values() for pair in pairs)

    @cache  # noqa: B019 - cells are few, and stay
    def profile(self):
        """Return what the library makes of it."""
        return self.step.profile(made(self.kind))

    @cache  # noqa: B019
    def truth(self, gamma):
        """Return what delta lies between: choices made in advance, and those of an analyst.

        Of groups, this mechanism's own pairs, and the formula for all that have its curve.
        """
        if self.operation == "groups":
            apart = distinct_sides(self.twin.groups or self.twin.sides).values()
            known = [value([pairs], gamma) for pairs in apart]
            formulas = [curve(gamma) for curve in group_curves(self.twin)]
            above = 1 + F(self.twin.slack) + (0 if self.is_exact else F(1, 10**4))
            return max(low for low, _ in known), above * max(*(x for _, x in known), *formulas)
        known = self.parts(pairs_of(self, self.twin.sides))
        bounds = self.parts(pairs_of(self, self.twin.above or self.twin.sides))
        above = 1 + F(self.twin.slack)
        return (
            max(in_advance(x, gamma) for x in known),
            above * max(adaptive(x, gamma) for x in bounds),
        )

    def parts(self, sides):
        """Return for each direction the choices in each part."""
        return [[pairs, *self.step.beside(pairs)] for pairs in sides.values()]


@cache
def made(kind):
    return KINDS[kind].make()


@cache
def pairs_of(cell, sides):
    of = distinct_sides(sides)
    if cell.step.is_removal:
        of = {side: pairs for side, pairs in of.items() if side != "added"}
    found = {side: cell.step.pairs(pairs) for side, pairs in of.items()}
    if cell.step.is_removal and cell.twin.stays_both:
        found["added"] = [x for pairs in list(found.values()) for x in swapped(pairs)]
    return {side: distinct(pairs) for side, pairs in found.items()}


@cache
def distinct_sides(sides):
    return {side: distinct(pairs) for side, pairs in sides().items()}


def sides_of(kind):
    return distinct_sides(KINDS[kind].sides)


@cache
def group_curves(twin):
    sides = distinct_sides(twin.above or twin.sides)
    return [curve_of_groups(pairs, 2) for pairs in sides.values()]


CELLS = {
    f"{kind}: {operation}": Cell(kind, operation) for kind in KINDS for operation in OPERATIONS
}
