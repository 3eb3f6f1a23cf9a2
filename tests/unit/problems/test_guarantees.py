"""Guarantees in problem files: the answers of the engine, and what is refused."""

import pytest

from exactdp.accounting import from_renyi, from_zcdp
from exactdp.errors import DomainError, ParseError
from exactdp.numbers import Epsilon
from tests.commands import answers

AT = {"hockey_stick": [{"rational": "1"}]}


@pytest.mark.parametrize(
    ("problem", "profile"),
    [
        ({"kind": "zcdp", "rho": "1/10"}, from_zcdp("1/10")),
        ({"kind": "zcdp", "rho": "1/10", "delta": "1e-4"}, from_zcdp("1/10", delta="1e-4")),
        (
            {"kind": "renyi", "orders": [2, "9/2"], "divergences": ["1/10", "e^-1"]},
            from_renyi({2: "1/10", "9/2": "0.36787944117144233"}),
        ),
    ],
    ids=lambda one: str(one) if isinstance(one, dict) else "",
)
def test_a_guarantee_is_answered(problem, profile):
    (found,) = answers(**problem, ask=AT)
    truth = profile.delta(Epsilon.rational(1))
    assert float(found.lower) <= float(truth.upper)
    assert float(truth.lower) <= float(found.upper) <= float(truth.upper) * 1.00001


def test_it_is_composed_between_named_bounds():
    parts = [{"problem": {"kind": "zcdp", "rho": "1/10"}, "times": 2}]
    parts.append({"problem": {"kind": "gaussian", "sigma": 10}})
    (found,) = answers(kind="composition", parts=parts, ask={"epsilon": ["1e-6"]})
    whole = from_zcdp("41/200").epsilon("1e-6")
    assert float(found.upper) >= float(whole.lower) > float(found.lower)
    assert found.upper_by.startswith("upper bound")


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        ({"kind": "zcdp", "rho": 0}, "positive"),
        ({"kind": "zcdp"}, "rho"),
        ({"kind": "renyi", "orders": [2, 3], "divergences": [1]}, "2 orders and 1 divergences"),
        ({"kind": "renyi", "orders": ["1/2"], "divergences": [1]}, "above 1"),
        ({"kind": "renyi", "orders": [1], "divergences": [1]}, "not 1"),
        ({"kind": "renyi", "orders": [], "divergences": []}, "at least one"),
    ],
)
def test_what_is_no_guarantee_is_refused(problem, says):
    with pytest.raises((ParseError, DomainError), match=says):
        answers(**problem, ask=AT)
