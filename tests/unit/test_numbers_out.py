"""Numbers that leave: floats as they were typed, comparisons, formats, one line for the rest."""

import itertools
import operator
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from exactdp import Epsilon, Exact, Pair, decimal, enclosure, float_above, float_below
from exactdp.accounting import Runs, gaussian_mixture, poisson_subsampled
from exactdp.distributions import FinitePmf
from exactdp.divergences import pair_of_reals
from exactdp.errors import DomainError, ParseError, UndecidedError
from exactdp.mechanisms import (
    Randomizer,
    above_threshold,
    discrete_gaussian_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    partition_selection,
    randomized_response,
    unary_encoding,
)
from exactdp.numbers import Enclosure, is_below, log, sqrt
from exactdp.pufferfish import line_law
from exactdp.shuffle import Component, MultisetLaw, letter_weight
from exactdp.truth import Truth

THIRD = Enclosure(Fraction(1, 4), Fraction(1, 3))
NUMBERS = [Exact("1/4"), Exact("e"), log(2), Epsilon.log(2), Epsilon.rational(0.25)]
ORDER = [operator.lt, operator.le, operator.gt, operator.ge]
INFINITIES = [float("inf"), np.float32("inf"), Decimal("inf"), Epsilon.infinity()]


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda: repr(Epsilon.log(1.8)), "Epsilon.log(1.8)"),
        (lambda: str(Epsilon.log(1.8)), "0.58778666490211903 (exactly log(1.8))"),
        (lambda: repr(Exact(1e300)), "Exact(1e+300)"),
        (lambda: str(Exact.exp(0.3) - 1), "0.34985880757600309 (exactly e^0.3 - 1)"),
        (lambda: repr(log(0.3)), "Real(-1.2039728043259360: log(0.3))"),
        (lambda: repr(log(5e-324)), "Real(-744.44007192138126: log(5e-324))"),
        (
            lambda: repr(laplace_mechanism(scale=0.3)).partition(",")[0],
            "LaplaceMechanism(scale=Exact(0.3)",
        ),
        (
            lambda: repr(partition_selection(0.3, 1e-5)),
            "partition_selection(Epsilon.rational(0.3), 1e-05)",
        ),
        (lambda: unary_encoding(3, p=0.5, q=0.1).name, "unary_encoding(3, p='1/2', q=0.1)"),
        (
            lambda: repr(above_threshold(threshold_scale=0.5, query_scale=0.7)).partition(", most")[
                0
            ],
            "AboveThreshold(threshold_scale=Fraction(1, 2), query_scale=Fraction(0.7)",
        ),
        (
            lambda: repr(Pair.from_masses([0.25, 0.75], ["0.1", "0.9"])),
            "Pair.from_masses(['1/4', '3/4'], ['1/10', '9/10'])",
        ),
    ],
)
def test_a_float_is_printed_as_it_was_typed(made, text):
    assert made() == text


@pytest.mark.parametrize(
    "value",
    [
        *(Epsilon.log(1.8), Epsilon.log("1.8"), Epsilon.rational(0.1), Exact(0.1), Exact("0.1")),
        *(Exact(1e300), Exact(2) ** 100, Exact("1/3")),
        Pair.from_masses([0.5, 0.5], [0.7, 1 - 0.7]),
        randomized_response(2, 1).pair(0, 1),
        partition_selection(0.3, 1e-5),
    ],
)
def test_a_call_that_is_printed_makes_the_same(value):
    found = eval(repr(value))
    assert found == value and repr(found) == repr(value)


def test_what_describes_and_composes_a_mechanism_prints_no_function():
    noise = laplace_mechanism(scale=0.3)
    sample = poisson_subsampled(noise, sampling_probability=0.1).as_sample()
    laws = noise.loss_law(), discrete_gaussian_mechanism(sigma=1).loss_law()
    for one in (noise.sizes, noise.ranges, sample, *laws):
        assert "function" not in repr(one) and " at 0x" not in repr(one)


def test_no_print_is_long():
    long = (discrete_gaussian_mechanism(sigma=1.7), log("1e-400"), Exact("1/3") ** 90)
    for one in long:
        assert len(repr(one)) < 200 and len(max(repr(one).replace("/", " ").split(), key=len)) < 60


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian_mechanism(sigma=1).epsilon(1.1), "delta=1.1 is not a probability."),
        (lambda: gaussian_mechanism(sigma=1).renyi(-0.1), "order=-0.1 must be above 0"),
        (lambda: randomized_response(2, -0.1), "epsilon=-0.1 is negative."),
        (
            lambda: gaussian_mechanism(sigma=1).delta(1, relative_width=1.1),
            "relative_width=1.1 must",
        ),
        (lambda: gaussian_mechanism(sigma=-1e300), r"sigma=-1e\+300 is not positive."),
        (
            lambda: gaussian_mechanism(sigma=Decimal("nan")),
            "sigma=NaN is not finite. Pass a number.",
        ),
        (lambda: Component("a", (float("nan"),)), r"law\[0\]=nan is not finite. Pass a number."),
        (lambda: gaussian_mechanism(sigma=-1.5), "sigma=-1.5 is not positive."),
        (lambda: gaussian_mechanism(sigma=1).epsilon(np.float32(1.5)), "delta=1.5 is not a prob"),
        (lambda: gaussian_mechanism(sigma="-3/2"), "sigma=-3/2 is not positive."),
        (lambda: randomized_response(2, -0.5), "epsilon=-0.5 is negative."),
        (lambda: log(0), "x=0 is not positive. Pass one."),
        (lambda: sqrt(-0.5), "x=-1/2 is negative. Pass a number of at least 0."),
        (lambda: is_below(float("nan"), 1), "a=nan is not finite. Pass a number."),
        (lambda: enclosure(True), "x=True is a bool, not a number."),
    ],
)
def test_a_number_that_is_refused_is_named_as_it_was_typed(call, message):
    with pytest.raises(DomainError, match=f"^{message}"):
        call()


@pytest.mark.parametrize("a", NUMBERS, ids=repr)
def test_order_with_what_is_not_finite(a):
    for high in INFINITIES:
        assert a < high and a <= high and not a > high and not a >= high and a != high
        assert high > a and high >= a and not high < a and not high <= a
    for low in (-float("inf"), np.float32("-inf"), Decimal("-inf")):
        assert low < a and a > low and a != low
    for other in (None, "1/4", True, 1j):
        assert a != other
        for compare in ORDER:
            with pytest.raises(TypeError):
                compare(a, other)
    for nan in (float("nan"), np.float32("nan"), Decimal("nan")):
        assert a != nan
        for compare in ORDER:
            with pytest.raises(DomainError, match="is not finite"):
                compare(a, nan)


def test_infinity_is_compared_with_numbers_alone():
    infinite = Epsilon.infinity()
    assert all(infinite == x for x in INFINITIES) and infinite != 3
    for compare, other in itertools.product(ORDER, (None, "x", True)):
        with pytest.raises(TypeError):
            compare(infinite, other)


@pytest.mark.parametrize("value", [3, 0.1, Fraction(1, 3), Decimal("0.25"), np.float32(0.1), -0.0])
def test_equality_and_hash_are_those_of_fractions(value):
    fraction = Fraction(*map(int, value.as_integer_ratio()))
    assert Exact(value) == value == fraction and hash(Exact(value)) == hash(fraction)
    point = Enclosure(fraction, fraction)
    assert point == value and hash(point) == hash(fraction)
    assert hash(Epsilon.rational(value)) == hash(fraction) and Epsilon.rational(value) == value


@pytest.mark.parametrize(
    ("a", "b", "truth"),
    [
        (0.1, "1/10", Truth.FALSE),
        ("1/10", 0.1, Truth.TRUE),
        (THIRD, 0.3, Truth.UNKNOWN),
        (THIRD, np.float32(0.5), Truth.TRUE),
        (Decimal("0.1"), THIRD, Truth.TRUE),
        (Epsilon.log(2), 0.7, Truth.TRUE),
        (3, Epsilon.infinity(), Truth.TRUE),
        (log(2), Epsilon.log(2), Truth.UNKNOWN),
    ],
)
def test_what_an_open_comparison_advises_is_taken(a, b, truth):
    assert is_below(a, b) is truth
    if truth is Truth.UNKNOWN:
        with pytest.raises(UndecidedError, match="is_below, which may say unknown"):
            assert a < b


def test_numbers_of_all_types_are_enclosed():
    for value in (1, "1/3", Fraction(1, 3), Decimal("0.1"), 0.1, np.float32(0.1), np.array(0.5)):
        assert enclosure(value) == Exact(value)
    assert enclosure(THIRD) is THIRD and enclosure(Epsilon.rational(0.1)) == 0.1
    assert float_below("1/3") < float_above("1/3") and decimal(0.1, digits=3) == "0.100"


SPECS = ["12.3f", "08.3f", "+.2f", ",.2f", ".1%", "<12.3e", "^12.3f", "*>12.3f", " .2f", "-.2f"]


@pytest.mark.parametrize("spec", [*SPECS, "+010.1%", ">9.0f"])
@pytest.mark.parametrize("value", [12345.678, -0.375, 0.6931471805599453, 0.0])
def test_formats_are_those_of_floats(value, spec):
    assert f"{Exact(value):{spec}}" == f"{value:{spec}}"
    if value == 0.6931471805599453:
        assert f"{log(2):{spec}}" == f"{Epsilon.log(2):{spec}}" == f"{value:{spec}}"


def test_formats_of_two_ends_and_of_infinity():
    assert f"{THIRD:>20.2f}" == f"{THIRD:20.2f}" == "        [0.25, 0.34]"
    assert f"{THIRD:+.1%}" == "[+25.0%, +33.4%]" and f"{THIRD:<16}|" == "[0.250000, 0.333334]|"
    assert f"{Epsilon.infinity():>10.2f}" == "  infinity"
    for spec in ("d", "s", "x"):
        with pytest.raises(ValueError, match=r"is not known\. Use a precision"):
            format(THIRD, spec)


LAW = [0.1, 0.9]
"""Doubles whose sum is 1 + 2^−55."""


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: FinitePmf(dict(enumerate(LAW)), **more),
        lambda **more: FinitePmf.mixture(LAW, [FinitePmf.point(0), FinitePmf.point(1)], **more),
        lambda **more: Pair.from_masses(LAW, LAW[::-1], **more).masses()[0],
        lambda **more: pair_of_reals(LAW, LAW[::-1], **more).masses()[0],
        lambda **more: Pair.from_masses([0.5, 0.5], [0.25, 0.75]).post_process([LAW, LAW], **more),
        lambda **more: Randomizer.from_matrix([LAW], **more).row(0),
        lambda **more: Randomizer.from_matrix([[0.5, 0.5]]).post_process([LAW, LAW], **more).row(0),
        lambda **more: MultisetLaw.from_masses({(1, 0): 0.1, (0, 1): 0.9}, **more),
        lambda **more: Runs.of({1: 0.1, 2: 0.9}, **more),
        lambda **more: line_law({0: 0.1, 1: 0.9}, **more),
        lambda **more: gaussian_mixture(sigma=1, sensitivities=[1, 2], probabilities=LAW, **more),
    ],
)
def test_masses_of_doubles_miss_1_by_what_is_said_and_are_divided(make):
    with pytest.raises(DomainError, match=r"sum to 1 \+ 2\.78e-17, not 1 .*normalize=True"):
        make()
    assert make(normalize=True) is not None


def test_the_note_says_that_masses_were_divided():
    said = "masses were divided by their sum"
    coin = Randomizer.from_matrix([LAW, LAW[::-1]], normalize=True)
    assert coin.note == coin.pair(0, 1).note == coin.pair(0, 1).reversed().note == said
    pair = Pair.from_masses(LAW, LAW[::-1], normalize=True)
    assert pair.note == pair.reversed().note == pair.subsampled(0.5).note == said
    assert pair.masses()[0][0] == Fraction(0.1) / (Fraction(0.1) + Fraction(0.9))
    assert Randomizer.from_matrix([[0.5, 0.5]]).note is None
    assert pickle.loads(pickle.dumps(coin)).note == said


def test_reals_that_do_not_sum_to_1_say_by_how_much():
    with pytest.raises(DomainError, match=r"^p sums to 1 - 0\.000107, not 1 .*normalize=True"):
        pair_of_reals(["sqrt(1/2)", "0.2927864"], ["1/2", "1/2"])
    both = pair_of_reals(["sqrt(1/2)", "sqrt(1/2)"], ["1/2", "1/2"], normalize=True)
    assert both.delta(0).upper < Fraction(1, 10**12)


@pytest.mark.parametrize("width", [sqrt(2) / 10**6, "sqrt(2)/1000000", Exact.exp(-13), 1e-6])
def test_a_width_is_any_number(width):
    found = gaussian_mechanism(sigma=1).epsilon(1e-5, relative_width=width)
    assert found.is_narrow(Fraction(3, 2 * 10**6)) and not found.is_narrow(Fraction(1, 10**12))


def test_a_real_that_is_a_logarithm_is_an_epsilon():
    pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    assert pair.delta(log(2)) == pair.delta(Epsilon.log(2)) == Fraction(1, 4)
    assert randomized_response(2, log(3)) == randomized_response(2, "log(3)")
    assert randomized_response(2, log(3)).ldp_epsilon() == Epsilon.log(3)
    with pytest.raises(DomainError, match=r"epsilon=sqrt\(2\) is not a rational number of nats"):
        randomized_response(2, sqrt(2))


def test_numbers_in_sequences_are_taken_in_every_type():
    for half in (0.5, "1/2", Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.array(0.5)):
        assert Component("a", (half, half)) == Component("a", (Exact("1/2"), Exact("1/2")))
        assert letter_weight([[half, half]] * 2, [[Exact("1/4"), Exact("3/4")]]) == Fraction(1, 4)
    assert isinstance(letter_weight([LAW, LAW], [LAW]), Exact)
    with pytest.raises(ParseError):
        gaussian_mechanism(sigma="0,5")
