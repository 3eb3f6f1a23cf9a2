"""A function of a number takes it in every type: the answer is the same, down to its print."""

import inspect
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, enclosure
from tests.routes.good_calls import arguments_of
from tests.routes.public_names import BUILT, PUBLIC

DOUBLES = ("testing.", "compare.", "bounds.", "problems.")
"""Rooms whose functions are about doubles themselves, files, or what a formula takes."""
COMPARED = {"certainly_below", "certainly_not_below", "decided_below", "decided_order", "is_below"}
INSIDE = {
    *(f"numbers.{name}" for name in COMPARED),
    *("numbers.is_ratio_above", "numbers.is_log_below", "numbers.enclosure", "numbers.fmpq_of"),
    *("numbers.count_text", "numbers.exact_text", "numbers.rational_text", "numbers.refuse_above"),
    *("numbers.power_of_kept", "numbers.precision", "distributions.histogram_count"),
    "shuffle.allocated_scale",
}
"""Functions of numbers that are exact already, of texts of them, and a search that takes long."""


def number(value):
    """Return the rational that an argument is, where it is one that doubles have; else None."""
    if isinstance(value, bool) or not isinstance(value, int | str | Fraction | Exact):
        return None
    try:
        found = Fraction(str(value))
    except ValueError:
        return None
    return found if found.denominator & (found.denominator - 1) == 0 else None


def others(value):
    """Yield a number in other types."""
    double = float(value)
    yield from (str(value), value, Exact(value), double, Decimal(double))
    yield from (np.float64(double), np.float32(double), np.array(double))


CASES = [
    (name, argument)
    for name in sorted(PUBLIC.keys() - BUILT - INSIDE)
    if not name.startswith(DOUBLES) and not inspect.isclass(PUBLIC[name])
    for argument, value in arguments_of(name).items()
    if number(value) is not None
]


@pytest.mark.parametrize(("name", "argument"), CASES)
def test_every_type_of_number_is_taken_alike(name, argument):
    good = arguments_of(name)
    said = repr(PUBLIC[name](**good))
    for other in others(number(good[argument])):
        assert repr(PUBLIC[name](**good | {argument: other})) == said, repr(other)


EPSILONS = [
    (name, argument)
    for name in sorted({name for name, _ in CASES} | {"shuffle.clone_pair"})
    for argument, value in arguments_of(name).items()
    if isinstance(value, Epsilon)
]
REFUSED = re.compile("whole number|an? int|below 1|is reached")


@pytest.mark.parametrize(("name", "argument"), CASES + EPSILONS)
def test_a_double_with_many_bits_is_the_number_that_it_is(name, argument):
    """Ask for a delta with any exponents: it is a number, or an enclosure."""
    good = arguments_of(name)
    double = 0.9123456789 * float(number(good[argument]) or good[argument])
    try:
        found = PUBLIC[name](**good | {argument: double})
    except DomainError as error:
        assert REFUSED.search(str(error))
        return
    for other in (Fraction(double), Exact(double), Decimal(double), np.float64(double)):
        assert repr(PUBLIC[name](**good | {argument: other})) == repr(found), repr(other)
    assert "(exactly " in repr(found) or not re.search(r"\d{13}/\d{13}", repr(found))
    if isinstance(found, PrivacyProfile):
        assert 0 <= enclosure(found.delta(0.1)).lower <= 1


def test_there_are_many():
    assert len(CASES) > 80 and {"k", "n", "steps", "scale", "order"} <= {x for _, x in CASES}
