"""The kernel's functions and intervals contain the truth."""

import operator
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import chain, count, product, repeat
from pathlib import Path
from typing import Any

import pytest
from flint import arb, ctx, fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

import proofs_check.kernel
from proofs_check.kernel import functions as special
from proofs_check.kernel import values as v

KERNEL = Path(proofs_check.kernel.__file__).parent


def true_value(name: str, x: Fraction) -> arb:
    """Return FLINT's ball, at its working precision; it shares no code with the kernel."""
    at = arb(fmpq(x.numerator, x.denominator))
    value: arb = (-at / arb(2).sqrt()).erfc() / 2 if name == "normal_cdf" else getattr(at, name)()
    return value


def assert_encloses(got: Any, truth: arb, bits: int | None) -> None:
    """A true value lies in the interval, of a relative width of 2^-bits if given."""
    lo, hi = (arb(fmpz(m)) * arb(2) ** got.exponent for m in (got.lo, got.hi))
    assert lo <= truth <= hi
    if bits is not None:
        assert hi - lo <= abs(truth) * arb(2) ** -bits


FUNCTIONS = ("exp", "log", "cos", "sqrt", "normal_cdf")


def free(steps: int) -> None:
    """Count no work."""


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.sampled_from([16, 53, 128, 700]))
@settings(derandomize=True, max_examples=150, deadline=None)
def test_functions_contain_the_truth_and_are_narrow(n: int, d: int, bits: int) -> None:
    for name in FUNCTIONS:
        x = Fraction(n, d)
        if name in ("log", "sqrt"):
            x = abs(x) + Fraction(1, 10**9)
        if name in ("cos", "normal_cdf"):
            x = x % 45 if n > 0 else -(-x % 45)
        got = v.enclose(getattr(special, name)(x, bits, free), bits)
        with ctx.workprec(1500):
            assert_encloses(got, true_value(name, x), bits - 4)


@pytest.mark.parametrize("bits", [16, 24, 53])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_contain_the_truth_at_2000_random_points(name: str, bits: int) -> None:
    generator = random.Random(f"{name} {bits}")
    for i in range(2000 // 3 + 1):
        x = Fraction(generator.randrange(1, 10**9), generator.randrange(1, 10**9))
        if name in ("exp", "cos", "normal_cdf"):
            x = generator.choice((-1, 1)) * (x % 9)
        # Exactly as the kernel computes, before the last rounding hides a small error.
        inner = getattr(special, f"_{name}", getattr(special, name))
        close = v.enclose(inner(x, bits, free), 1000)
        with ctx.workprec(240):
            truth = true_value(name, x)
            assert_encloses(close, truth, None)
        if i % 4 == 0:
            got = v.enclose(getattr(special, name)(x, bits, free), bits)
            with ctx.workprec(240):
                assert_encloses(got, truth, bits - 3)


def remainders() -> list[tuple[str, str]]:
    """Return the lines of functions.py that add a remainder, each with a line without it."""
    lines = (KERNEL / "functions.py").read_text().splitlines()
    found = [(x, re.sub(r" \+ (term|power) \* UNIT", "", x)) for x in lines if "* UNIT" in x]
    return [(x, y) for x, y in found if "#" not in x]


@pytest.mark.parametrize("name", ["exp", "log", "cos", "normal_cdf"])
def test_a_remainder_that_is_dropped_is_noticed(name: str, tmp_path: Path) -> None:
    """The enclosure without the remainder misses the truth at one of 100 points; with it, not."""
    assert len(remainders()) == 2
    program = """
import sys
from fractions import Fraction
from importlib import import_module
sys.path.insert(0, sys.argv[1])
special = import_module(f"{sys.argv[2]}.functions")
values = import_module(f"{sys.argv[2]}.values")
free = lambda steps: None
function = getattr(special, "_" + sys.argv[3], getattr(special, sys.argv[3]))
# No interval is rounded at the end, which would hide a small error.
special.enclose = lambda x, bits: x if isinstance(x, values.Interval) else values.enclose(x, bits)
def misses(x):
    # Working far beyond 32 bits, the rough one must still contain the fine one.
    rough, fine = (function(x, bits, free) for bits in (32, 300))
    low, high = values.separation(rough, fine)
    return low > 0 or high < 0
print(any(misses(Fraction(i, 97)) for i in range(1, 100)))
"""

    def noticed(kernel: str, *changes: tuple[str, str]) -> bool:
        folder = tmp_path / kernel
        shutil.copytree(KERNEL, folder, ignore=shutil.ignore_patterns("__pycache__"))
        source = (folder / "functions.py").read_text()
        for original, mutant in changes:
            assert original != mutant
            source = source.replace(original, mutant)
        (folder / "functions.py").write_text(source)
        command = [sys.executable, "-c", program, str(tmp_path), kernel, name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return {"True\n": True, "False\n": False}[done.stdout]

    one = noticed("series", remainders()[0]), noticed("odd_series", remainders()[1])
    assert not noticed("kernel")
    assert one == (name != "log", name == "log")


def test_a_series_goes_on_until_its_terms_fall_fast() -> None:
    """400 terms fall by a tenth: after the first that is small, nine times as much is to come."""
    ratio = Fraction(9, 10)
    one, factor = v.enclose(1, 64), v.enclose(ratio, 64)
    got = special.series(one, factor, chain(repeat(1, 400), count(2)), free)
    _, high = v.separation(got, (1 - ratio**401) / (1 - ratio))
    assert high >= 0


@pytest.mark.parametrize("x", [-20, -38, -100, -1000])
def test_normal_tail_keeps_its_relative_precision(x: int) -> None:
    got = special.normal_cdf(Fraction(x), 128, free)
    assert isinstance(got, v.Interval)
    with ctx.workprec(3000):
        assert_encloses(got, true_value("normal_cdf", Fraction(x)), 124)


def test_functions_of_intervals_contain_the_images_of_both_ends() -> None:
    for name in FUNCTIONS:
        a, b = Fraction(7, 5), Fraction(8, 5)
        wide = v.maximum(v.enclose(a, 64), v.Interval(0, 8, 0, 64) / 5, 64)
        image = getattr(special, name)(wide, 64, free)
        for x in (a, Fraction(3, 2), b):
            inner = v.enclose(getattr(special, name)(x, 64, free), 64)
            assert v.separation(image, inner)[0] <= 0 <= v.separation(image, inner)[1]


fractions = st.fractions(min_value=-100, max_value=100, max_denominator=10**12)


@given(fractions, fractions, st.integers(-80, 80), st.sampled_from([16, 40, 128]))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_interval_arithmetic_contains_exact_arithmetic(
    x: Fraction, y: Fraction, shift: int, bits: int
) -> None:
    y *= Fraction(2) ** shift
    a, b = v.enclose(x, bits), v.enclose(y, bits)
    rows: list[tuple[Any, Fraction]] = [
        (a + b, x + y),
        (a + y, x + y),
        (x - b, x - y),
        (a - b, x - y),
        (a * b, x * y),
        (x * b, x * y),
        (3 * a, 3 * x),
        (a**5, x**5),
        (a**6, x**6),
        (a**0, Fraction(1)),
        (v.maximum(a, b, bits), max(x, y)),
        (v.maximum(a, y, bits), max(x, y)),
        (v.positive_part(a), max(x, Fraction(0))),
        (abs(a), abs(x)),
        (v.enclose(a, 16), x),
    ]
    if y:
        rows += [(a / b, x / y), (x / b, x / y), (1 / b, 1 / y)]
    for got, truth in rows:
        assert v.holds("!=", got, truth) is not True
        low, high = v.separation(got, truth)
        assert low <= 0 <= high
    lower = (Fraction(z.lo) * Fraction(2) ** z.exponent for z in (a, b))
    points = (v.Interval(z.lo, z.lo, z.exponent, bits) for z in (a, b))
    assert v.holds(">", *points) is operator.gt(*lower)


@given(st.lists(st.integers(-(10**9), 10**9), min_size=4, max_size=4), st.integers(-40, 40))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_operations_on_wide_intervals_contain_those_on_their_members(
    numbers: list[int], shift: int
) -> None:
    (a, b), (c, d) = sorted(numbers[:2]), sorted(numbers[2:])
    x, y = v.Interval(a, b, 0, 40), v.Interval(c, d, shift, 40)
    scale = Fraction(2) ** shift
    members = (Fraction(a), Fraction(a + b, 2), Fraction(b))
    of_one: list[tuple[v.Real, Callable[[Fraction], Fraction]]] = [
        (x**3, lambda p: p**3),
        (x**4, lambda p: p**4),
        (abs(x), abs),
        (v.positive_part(x), lambda p: max(p, Fraction(0))),
    ]
    of_two: list[tuple[v.Real, Callable[[Fraction, Fraction], Fraction]]] = [
        (x + y, operator.add),
        (x - y, operator.sub),
        (x * y, operator.mul),
        (v.maximum(x, y, 40), max),
    ]
    if c * d > 0:
        of_two.append((x / y, operator.truediv))
    pairs = list(product(members, (c * scale, (c + d) * scale / 2, d * scale)))
    rows = [(got, rule(p)) for got, rule in of_one for p in members]
    rows += [(got, both(p, q)) for got, both in of_two for p, q in pairs]
    for got, truth in rows:
        low, high = v.separation(got, truth)
        assert low <= 0 <= high


def test_three_valued_relations() -> None:
    half, wide = Fraction(1, 2), v.Interval(0, 1, 0, 53)
    for relation in ("<", "<=", "=", "!=", ">=", ">"):
        assert v.holds(relation, wide, half) is None
    point = v.Interval(1, 1, -1, 53)
    assert v.holds("=", point, half) is None
    assert v.holds("<=", point, half) is True
    assert v.holds("<", point, half) is False
