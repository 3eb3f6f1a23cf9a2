"""Stable forms of bounds: the same numbers, and near them where doubles of the print are not."""

from fractions import Fraction
from functools import partial

import pytest

from exactdp.bounds import bounds_of, published
from exactdp.bounds.deployments import drawn_alike
from exactdp.bounds.keeping import arguments_in
from exactdp.bounds.papers import papers_with_bounds
from exactdp.claims.doubles import doubles_file
from exactdp.errors import ExactDPError
from exactdp.numbers import enclosure
from exactdp.numbers.real_functions import evaluate

STABLE = [one for paper in papers_with_bounds() for one in bounds_of(paper) if one.stable]

CLOSE = Fraction(1, 2**80)

NEAR = Fraction(1, 10**10)

NARROW = "liu2024/equation-4#gaussian"
"""The normal mass of an interval that is narrow beside sigma_i: a difference of near numbers in
every form of these functions, whose doubles carry a bound on their error."""


@pytest.mark.parametrize("bound", STABLE, ids=lambda bound: bound.claim)
def test_the_stable_form_is_the_formula(bound):
    agreed = 0
    for at in drawn_alike(bound, 15):
        if any(at.get(name, 0) > 10**4 for name in bound.counts):
            continue
        whole = {name: at[name] for name in bound.counts}
        rest = {name: x for name, x in at.items() if name not in whole}
        try:
            printed, other = (
                enclosure(evaluate(partial(form, **whole), **rest), relative_bits=90)
                for form in (bound.formula, bound.stable)
            )
        except ExactDPError:
            continue
        assert printed.lower <= other.upper
        assert other.lower <= printed.upper
        assert other.width <= CLOSE * abs(other.lower)
        agreed += 1
    assert agreed >= 3


def falls():
    for bound in STABLE:
        for fault, fall in doubles_file(bound.claim.partition("/")[0])[bound.claim][
            "falls"
        ].items():
            if fault in ("cancellation", "nan or negative"):
                yield pytest.param(bound.claim, fall["at"], id=f"{bound.claim}, {fall['at']}")


@pytest.mark.parametrize(("name", "text"), list(falls()))
def test_the_stable_form_is_near_the_formula_where_the_printed_one_fails(name, text):
    bound = published(name)
    at = arguments_in(bound, text)
    formula = bound.enclosed(bound.formula_at(at))
    if name == NARROW:
        safe = Fraction(bound.stable_at(at))
        assert formula.upper * (1 - Fraction(1, 10**7)) < safe <= formula.upper
        return
    double = Fraction(bound.double_at(at, stable=True))
    assert abs(double - formula.lower) <= NEAR * abs(formula.lower)
