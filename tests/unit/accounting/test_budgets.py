"""Budgets of other libraries: mappings, and objects that look like those of Tumult and autodp."""

import math
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import pytest

from exactdp.accounting import (
    compose,
    from_gdp,
    from_renyi,
    from_zcdp,
    guarantee,
    read_budget,
)
from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Epsilon, Exact

AT = Epsilon.rational("1/2")


@dataclass
class ExactNumber:
    """A budget like that of ``tmlt.core``: its expr is sympy's."""

    expr: object


@dataclass
class Pure:
    value: ExactNumber
    is_infinite: bool = False


@dataclass
class Approximate:
    value: tuple
    is_infinite: bool = False


@dataclass
class Rho:
    value: ExactNumber
    rho: float
    is_infinite: bool = False


class Gaussian:
    """A mechanism like autodp's: no pure epsilon, and a Rényi curve in doubles."""

    eps_pureDP = math.inf  # noqa: N815 - as autodp has it

    def __init__(self, sigma):
        self.RenyiDP = lambda alpha: alpha / (2 * sigma**2)


class Silent(Gaussian):
    def __init__(self):
        self.RenyiDP = lambda alpha: math.inf


class Laplace(Gaussian):
    eps_pureDP = 0.5  # noqa: N815 - as autodp has it


class Failing(Silent):
    delta0 = 0.25

    def __init__(self, sigma):
        super().__init__()
        self.get_approxDP = lambda delta: 0.5 if delta >= 0.25 else math.inf


class Odd(Gaussian):
    """Has no number at orders that are not integers, and none beyond 16."""

    def __init__(self, sigma):
        def curve(alpha):
            if alpha > 16:
                raise OverflowError
            return alpha / (2 * sigma**2) if alpha == int(alpha) else math.nan

        self.RenyiDP = curve


class OneWay(Gaussian):
    neighboring = "remove_only"


def delta_of(profile):
    found = profile.delta(AT, relative_width="1e-6")
    return found if isinstance(found, Exact) else (found.lower, found.upper)


SAME = [
    ({"epsilon": "1"}, guarantee(1)),
    ({"epsilon": 1.0, "delta": "1e-6"}, guarantee(1, "1e-6")),
    ({"rho": "0.1"}, from_zcdp("0.1")),
    ({"rho": Fraction(1, 10), "delta": 0.5}, from_zcdp("0.1", delta="1/2")),
    ({"mu": 0.5}, from_gdp("1/2")),
    ({"renyi": {"2": "0.1", "4": "0.3"}}, from_renyi({2: "0.1", 4: "0.3"})),
    (Pure(ExactNumber("1")), guarantee(1)),
    (Approximate((ExactNumber("1/3"), ExactNumber("1/1000000"))), guarantee("1/3", "1e-6")),
    (Rho(ExactNumber("1/10"), 0.1), from_zcdp("0.1")),
    ({"rho": 0, "delta": "1e-6"}, guarantee(0, "1e-6")),
    (Rho(ExactNumber("0"), 0.0), guarantee(0)),
    (Laplace(1.0), guarantee("1/2")),
    (Failing(1.0), guarantee("1/2", "1/4")),
]


@pytest.mark.parametrize(("budget", "same"), SAME, ids=lambda one: type(one).__name__)
def test_a_budget_is_the_profile_of_its_promise(budget, same):
    assert delta_of(read_budget(budget)) == delta_of(same)


def test_a_pure_budget_against_the_definition():
    with mpmath.workdps(30):
        e, one = mpmath.exp(mpmath.mpf(1) / 2), mpmath.exp(1)
        expected = (one - e) / (one + 1)
    found = read_budget({"epsilon": 1}).delta(AT).ball(100)
    assert abs(mpmath.mpf(str(found.mid()).split(" ")[0].strip("[")) - expected) < 1e-15


def test_a_renyi_curve_of_autodp_covers_the_gaussian_it_is_of():
    """δ of Gaussian noise, by mpmath, is at most what its curve implies; the orders are enough."""
    sigma = 3.0
    curve = read_budget(Gaussian(sigma)).delta(AT, relative_width="1e-3")
    with mpmath.workdps(30):
        a, b = 1 / (2 * mpmath.mpf(sigma)), mpmath.mpf(sigma) / 2
        delta = mpmath.ncdf(a - b) - mpmath.exp(0.5) * mpmath.ncdf(-a - b)
        assert delta <= float(curve.upper)
    assert curve.upper < 3 * delta_of(from_zcdp(Fraction(1, 18)))[1]


def test_orders_without_a_number_are_left_out():
    found = read_budget(Odd(1.0))
    assert found == from_renyi({a: Fraction(a, 2) for a in range(2, 17)})


def test_budgets_compose():
    month = compose([(read_budget({"rho": "0.01"}), 30)])
    whole = from_zcdp("0.3")
    at = {"relative_width": "1e-3"}
    assert month.epsilon("1e-6", **at).lower <= whole.epsilon("1e-6", **at).upper


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "has the keys"),
        ({"epsilon": 1, "rho": 1}, "has the keys"),
        ({"rho": None}, "rho=None is not a number"),
        ({"rho": math.nan}, "not finite"),
        ({"rho": "e"}, "not rational"),
        ({"renyi": 3}, "not a table"),
        (3, "not a known budget"),
        (None, "not a known budget"),
        (Pure(ExactNumber("oo"), is_infinite=True), "promises nothing"),
        (Silent(), "no pure epsilon, no Rényi curve"),
        (OneWay(1.0), "neighbors in one order alone, remove_only"),
    ],
)
def test_what_is_no_budget_is_told_in_a_line(wrong, says):
    with pytest.raises(DomainError, match=says):
        read_budget(wrong)


@pytest.mark.parametrize("wrong", [{"epsilon": "-1"}, {"rho": "a"}, {"rho": -1}, {1: 2}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(ExactDPError):
        read_budget(wrong)
