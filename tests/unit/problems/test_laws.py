"""Laws that are rows: fields named as the arguments of a mechanism, and what may be left out."""

from inspect import Parameter, signature

import pytest
from msgspec import UNSET
from msgspec.structs import fields

from exactdp.divergences.description import description_of
from exactdp.divergences.families import families_of
from exactdp.errors import ParseError
from exactdp.problems.composition import PARTS
from exactdp.problems.laws import MechanismLaw
from tests.commands import answers

ROWS = [law for law in PARTS if issubclass(law, MechanismLaw)]
OF_FILES = {"sampling", "modulus"}
"""What is said of the noise beside its arguments."""


@pytest.mark.parametrize("law", ROWS, ids=lambda law: law.__name__)
def test_a_row_has_the_arguments_of_its_mechanism(law):
    takes = signature(law.mechanism).parameters
    given = {field.name: field for field in fields(law)}
    assert given.keys() - OF_FILES <= takes.keys()
    needed = {name for name, one in takes.items() if one.default is Parameter.empty}
    assert needed <= given.keys()


@pytest.mark.parametrize("law", ROWS, ids=lambda law: law.__name__)
def test_what_may_be_left_out_is_what_the_mechanism_is_monotone_in(law):
    open_fields = {field.name for field in fields(law) if field.default is UNSET} - OF_FILES
    found = set(families_of(law.mechanism))
    assert found <= open_fields
    # Beside it only names of one thing may be left out, and one of them is needed.
    assert open_fields - found <= set(description_of(law.mechanism).one_of)


def test_rows_are_all_the_noise_the_pairs_of_counts_streams_and_zcdp():
    assert len(ROWS) == 16


def test_noise_that_cannot_be_composed_is_refused_without_its_rate_too():
    noise = {"kind": "bounded_laplace", "upper": 2, "results": "folded", "sampling": "poisson"}
    target = {"epsilon": {"rational": "1"}, "delta": "1e-3"}
    with pytest.raises(ParseError, match=r"parts\[0\]\.problem leaves out both"):
        answers(kind="composition", parts=[{"problem": noise}], ask={"scale": [target]})


def test_a_number_that_must_be_rational_is_refused_where_it_is_used():
    ask = {"hockey_stick": [{"log": 2}]}
    for kind, name in (("discrete_gaussian", "sigma"), ("skellam", "variance")):
        with pytest.raises(ParseError, match="is not rational"):
            answers(kind=kind, ask=ask, **{name: "e^-1"})
    assert answers(kind="gaussian", ask=ask, sigma="e^-1")


def test_a_rate_stands_for_the_scale_of_discrete_laplace_noise():
    noise = {"kind": "discrete_laplace", "rate": {"log": 2}}
    (found,) = answers(**noise, ask={"total_variation": True})
    assert found.exact == "1/3"  # the mass of 0: (1 - 1/2)/(1 + 1/2)
    target = {"epsilon": {"rational": "1"}, "delta": "1e-3"}
    with pytest.raises(ParseError, match="does not leave open"):
        answers(**noise, ask={"scale": [target]})
