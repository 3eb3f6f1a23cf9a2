"""Common digits with the bracket that is left: ``1.828236[60, 74]``."""

import random
from fractions import Fraction

import pytest

from exactdp.numbers import Enclosure, decimal
from exactdp.numbers.digits import bracketed_decimal


def read_back(text: str) -> tuple[Fraction, Fraction]:
    """Read a bracket as a person does: what stands before it, one side, what stands behind."""
    common, _, rest = text.partition("[")
    if not rest:
        return Fraction(text), Fraction(text)
    sides, _, power = rest.partition("]")
    low, high = (Fraction(f"{common}{side}{power}") for side in sides.split(", "))
    return low, high


def some_ends(rng: random.Random) -> list[Fraction]:
    value = Fraction(rng.randrange(1, 10**9), 10 ** rng.randrange(6, 11)) * rng.choice([1, -1])
    middle = rng.choice([value, Fraction(1), Fraction(-10), Fraction(0)])
    middle *= Fraction(10) ** rng.choice([0, 0, -8, 25])
    return sorted([middle, middle + value * Fraction(10) ** rng.randrange(-16, 3)])


def test_a_bracket_contains_the_enclosure_and_is_its_rounded_ends():
    rng = random.Random(7)
    shorter = 0
    for _ in range(2000):
        found, digits = Enclosure(*some_ends(rng)), rng.randrange(1, 12)
        ends = [decimal(end, digits=digits) for end in (found.lower, found.upper)]
        text = bracketed_decimal(*ends)
        low, high = read_back(text)
        assert low <= found.lower <= found.upper <= high, text
        assert [low, high] == [Fraction(end) for end in ends]
        shorter += len(text) < len("[, ]".join(ends))
    assert shorter > 500


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        ("0.9999", "1.0001", "[0.9999, 1.0001]"),
        ("9.99e-10", "1.01e-9", "[9.99e-10, 1.01e-9]"),
        ("0.0099999", "0.010000", "[0.0099999, 0.010000]"),
        ("0.0109999", "0.011000", "0.01[09999, 10000]"),
        ("-1.24", "-1.23", "-1.2[4, 3]"),
        ("-1.2", "1.2", "[-1.2, 1.2]"),
        ("12", "13", "[12, 13]"),
        ("1.20", "12.0", "[1.20, 12.0]"),
        ("1.0", "1", "1.0"),
        ("0", "1e-9", "[0, 1e-9]"),
        ("12.5", "infinity", "[12.5, infinity]"),
        ("infinity", "infinity", "infinity"),
        ("1.82360e+20", "1.82374e+20", "1.823[60, 74]e+20"),
    ],
)
def test_brackets_at_a_carry_a_sign_an_exponent_and_an_end_without_digits(lower, upper, text):
    assert bracketed_decimal(lower, upper) == text
