"""False claims that fail far out, in a narrow window, or at one number: all are found by roots."""

from fractions import Fraction

import pytest

from exactdp.audit import decide
from exactdp.audit.claimed import in_numbers
from exactdp.claims import (
    at_least,
    at_most,
    cases,
    differs,
    finite_pair,
    for_all,
    function,
    hockey_stick,
    proof,
    term,
    words,
)
from exactdp.claims.kinds import integers, reals

WORDS = proof(words("it is so"))
USERS = cases(n=(1, 2, 3)).within(n=integers(1))
TWO = cases(n=(1, 2), k=(1, 2)).within(n=integers(1), k=integers(1))
REALS = cases(x=(Fraction(1), Fraction(2))).within(x=reals(0))
RATIOS = cases(x=(Fraction(1), Fraction(3))).within(x=reals(1))
PLANE = cases(x=(Fraction(1),), y=(Fraction(1),)).within(x=reals(0), y=reals(0))
FRACTION = Fraction(1234567, 10_000)


def apart(x):
    x = term(x)
    return hockey_stick(finite_pair([x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]), 1)


FALSE = {
    "above a prime": (USERS, lambda n: at_most(n, 10**12 + 39)),
    "far above": (USERS, lambda n: at_most(n, 10**30)),
    "at a prime": (USERS, lambda n: differs(n, 1009)),
    "at a larger prime": (USERS, lambda n: differs(n, 1_000_003)),
    "a window of integers": (USERS, lambda n: at_least((n - 50_021) * (n - 50_031), 0)),
    "a window between integers": (USERS, lambda n: at_least((2 * n - 2001) * (2 * n - 2003), 0)),
    "a product": (TWO, lambda n, k: at_most(n * k, 10**25)),
    "a point of two": (TWO, lambda n, k: at_least((n - 7) ** 2 + (k - 7919) ** 2, 1)),
    "a window": (REALS, lambda x: at_least((x - FRACTION) ** 2, Fraction(1, 10**12))),
    "an irrational window": (REALS, lambda x: at_least((x * x - 2) ** 2, Fraction(1, 10**30))),
    "a window of two": (
        PLANE,
        lambda x, y: at_least(
            (x - Fraction(1234, 7)) ** 2 + (y - Fraction(31, 1009)) ** 2, Fraction(1, 10**8)
        ),
    ),
    "a maximum": (
        REALS,
        lambda x: at_least(function("max", x - FRACTION, FRACTION - x), Fraction(1, 10**9)),
    ),
    "a divergence": (RATIOS, lambda x: at_most(apart(x), 1 - Fraction(1, 10**13))),
    "a divergence at a number": (RATIOS, lambda x: differs(apart(x), Fraction(4137, 10_000))),
    "a logarithm": (RATIOS, lambda x: at_most(function("log", x), 700)),
    "near 0": (
        cases(x=(Fraction(1),)).within(x=reals(above=0, most=1)),
        lambda x: at_least(x, Fraction(1, 10**40)),
    ),
    "beyond the draws": (
        cases(n=(1, 2)).within(n=integers(1, draws=3)),
        lambda n: at_most(n, 5),
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_claim_that_is_false_anywhere_along_a_variable_is_refuted(name):
    over, says = FALSE[name]
    found = decide(for_all(over, says, proof=WORDS))
    assert found.label == "refuted", found
    assert found.certificate is not None


def test_the_witness_is_simple_and_both_sides_are_told_apart():
    window = for_all(*FALSE["an irrational window"])
    assert len(decide(window).witness) < 20
    large = decide(for_all(*FALSE["far above"]))
    assert large.found == f"{10**30 + 1} > {10**30}"


TRUE = {
    "a square": (REALS, lambda x: at_least((x - FRACTION) ** 2, 0)),
    "an irrational": (
        cases(x=(1, 2)).within(x=integers(0)),
        lambda x: differs(x * x, 2),
    ),
    "no integer": (USERS, lambda n: at_least((2 * n - 2001) * (2 * n - 2001), 1)),
    "beside an end": (
        cases(n=(1,), k=(1,)).within(n=integers(1), k=integers(1, lambda n: n)),
        lambda n, k: at_least(n, k),
    ),
    "under a condition": (
        cases(x=(Fraction(1),), y=(Fraction(1),)).within(
            lambda x, y: at_most(x * y, 1), x=reals(1), y=reals(0)
        ),
        lambda x, y: at_most(y, 1),
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_one_is_not(name):
    over, says = TRUE[name]
    assert decide(for_all(over, says, proof=WORDS)).label == "argued"


def test_what_divides_by_0_at_an_irrational_number_is_not_proved():
    shown = for_all(
        REALS, lambda x: at_most((x * x - 2) * x / (x * x - 2), x + 1), proof=in_numbers()
    )
    found = decide(shown)
    assert found.label == "survived" and "do not show the relations" in found.unproved
    assert decide(for_all(REALS, lambda x: at_most(1 / (1 + x), 1), proof=in_numbers())).label == (
        "proved"
    )


def test_what_has_no_value_at_a_point_of_its_domain_is_no_claim():
    quotient = for_all(
        REALS, lambda x: at_least((x - FRACTION) / (x - FRACTION), 1), proof=in_numbers()
    )
    with pytest.raises(ZeroDivisionError):
        decide(quotient)
