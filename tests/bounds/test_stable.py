"""Stable forms of bounds: the same numbers, and near them where doubles of the print are not."""

from fractions import Fraction
from functools import partial

import pytest

from exactdp.bounds import bounds_of, published
from exactdp.bounds.deployments import called_alike
from exactdp.bounds.papers import papers_with_bounds
from exactdp.claims.doubles import doubles_file
from exactdp.errors import ExactDPError
from exactdp.numbers import enclosure
from exactdp.numbers.real_functions import evaluate

STABLE = [one for paper in papers_with_bounds() for one in bounds_of(paper) if one.stable]

CLOSE = Fraction(1, 2**80)

NEAR = Fraction(1, 10**10)


@pytest.mark.parametrize("bound", STABLE, ids=lambda bound: bound.claim)
def test_the_stable_form_is_the_formula(bound):
    agreed = 0

    @called_alike(bound, 15)
    def agree(at):
        nonlocal agreed
        if any(at.get(name, 0) > 10**4 for name in bound.counts):
            return
        whole = {name: at[name] for name in bound.counts}
        rest = {name: x for name, x in at.items() if name not in whole}
        try:
            printed, other = (
                enclosure(evaluate(partial(form, **whole), **rest), relative_bits=90)
                for form in (bound.formula, bound.stable)
            )
        except ExactDPError:
            return
        assert printed.lower <= other.upper
        assert other.lower <= printed.upper
        assert other.width <= CLOSE * abs(other.lower)
        agreed += 1

    agree()
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
    given = dict(one.split("=") for one in text.split(", "))
    at = bound.checked({x: v if v.isdigit() else float(v) for x, v in given.items()})
    formula = bound.enclosed(bound.formula_at(at))
    double = Fraction(bound.double_at(at, stable=True))
    assert abs(double - formula.lower) <= NEAR * abs(formula.lower)
