"""Budgets of every size have an answer: bounds with names, beside other routes and definitions."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from exactdp.accounting import (
    CertifiedComposition,
    compose,
    from_renyi,
    from_zcdp,
    group_profile,
    guarantee,
    read_budget,
)
from exactdp.accounting.composition.renyi_sums import failing_copies
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.mechanisms import laplace_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.numbers.effort import within_work
from exactdp.sums.lattices.fourier import Fourier
from exactdp.sums.lattices.products import Product
from tests.routes.kinds import OnlyDelta
from tests.unit.accounting.test_budgets import Approximate, ExactNumber, Gaussian

nats = Epsilon.rational

TABLE = from_renyi({2: "1/2", 8: 2})


@pytest.fixture
def no_worst_pair(monkeypatch):
    """What is answered where doubles find no worst pair."""

    def refuse(rows, epsilon, width):
        raise UndecidedError("not found.")

    monkeypatch.setattr("exactdp.accounting.conversions.renyi_guarantee.two_point_delta", refuse)


WHOLE = [*map(from_zcdp, ("1/1000", "1/10", "3", "100")), TABLE]


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize("at", ["0", "1/10", "1", "12", "400"])
def test_ends_in_closed_form_are_around_the_worst_pair(request, whole, at):
    is_tiny = at == "400" and whole == from_zcdp("1/1000")  # (ε − ρ)²/4ρ = 4e7
    truth = None if is_tiny else whole.delta(nats(at), relative_width="1e-6")
    deltas = ("1e-9", "1e-3", "1/3")
    truths = [whole.epsilon(delta, relative_width="1e-5") for delta in deltas]
    request.getfixturevalue("no_worst_pair")
    ends = whole.delta(nats(at))
    if truth is None:
        assert 0 <= ends.upper <= Fraction(1, 10**300_000)
        return
    for found, narrow in zip((ends, *map(whole.epsilon, deltas)), (truth, *truths), strict=True):
        assert found.lower <= narrow.upper and narrow.lower <= found.upper
        assert found.upper_by.startswith("looser: ")


@pytest.mark.usefixtures("no_worst_pair")
def test_ends_hold_for_coins_that_keep_the_divergences():
    """Two outcomes, by mpmath: the ends bound what they have, whatever ρ they just keep."""
    for p, q in (("0.5", "0.49"), ("0.9", "0.2"), ("1e-8", "1e-12"), ("0.999999", "0.001")):
        with mpmath.workdps(40):
            p, q = mpmath.mpf(p), mpmath.mpf(q)
            orders = [1 + mpmath.mpf(2) ** k for k in range(-8, 9)]
            both = [
                mpmath.log(a**n * b ** (1 - n) + (1 - a) ** n * (1 - b) ** (1 - n)) / (n - 1) / n
                for n in orders
                for a, b in ((p, q), (q, p))
            ]
            rho = max(both) * mpmath.mpf("1.01")
            for at in (0, mpmath.mpf("0.01"), 1, 3):
                truth = max(p - mpmath.exp(at) * q, 0)
                whole = from_zcdp(Fraction(mpmath.nstr(rho, 30)))
                ends = whole.delta(nats(Fraction(mpmath.nstr(at, 9))))
                assert mpmath.mpf(ends.upper.numerator) / ends.upper.denominator >= truth


EXTREME = ["1e-5000", "1e-300", 5e-324, "1e-30", "1e-18", "1e12", "1e15", 1e308, "1e1000"]


@pytest.mark.parametrize("rho", EXTREME)
def test_every_rho_has_an_answer(rho):
    whole = read_budget({"rho": rho})
    size = Fraction(rho)
    for profile, times in ((whole, 1), (compose([(whole, 3)]), 3), (group_profile(whole, 2), 4)):
        ends = profile.epsilon("1e-6")
        assert 0 <= ends.lower <= ends.upper
        if size > 1:  # ρ − 2√ρ of Gaussian noise, and ρ + 2√(ρ ln(1/δ))
            assert times * size * Fraction(999, 1000) < ends.upper < times * size * 2
        else:
            assert ends.upper == 0 or ends.upper < size * 10**9
        delta = profile.delta(nats(1))
        assert 0 <= delta.lower <= delta.upper <= 1
        assert (delta.lower > Fraction(1, 2)) == (delta.upper > Fraction(1, 2)) == (size > 1)


TABLES = [
    {2: "1e-30"},
    {2: "1e-300", 3: "1e-200"},
    {2: 1e300, 1.5: "1e10"},
    {1 + 1e-12: "0.1"},
    {10**30: "0.1"},
    {"1e300": "0.1"},
]


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_an_answer(table):
    found = read_budget({"renyi": table})
    ends, delta = found.epsilon("1e-6"), found.delta(nats(1))
    order, bound = next(iter(table.items()))
    order, bound = Fraction(order), Fraction(bound)
    # Mironov 2017, Proposition 3; 14 > ln(10^6).
    assert 0 <= ends.lower <= ends.upper <= (bound + 14 / (order - 1)) * Fraction(1000001, 1000000)
    assert 0 <= delta.lower <= delta.upper <= 1
    assert 0 <= found.delta(nats(10**9)).upper <= 1


def test_curves_of_autodp_of_any_size_are_read():
    for factor in (1e-30, 5e-324, 1e5, 1e15, 1e300):
        mechanism = Gaussian(1.0)
        mechanism.RenyiDP = lambda alpha, factor=factor: factor * alpha
        assert read_budget(mechanism).epsilon("1e-6").upper >= 0
    sure = Gaussian(1.0)
    sure.eps_pureDP, sure.RenyiDP = 1e5, lambda alpha: 1e5
    assert read_budget(sure).epsilon("1e-6", relative_width="1e-9").upper <= 10**5


@pytest.mark.parametrize(
    "error", [KeyError, AssertionError, NotImplementedError, ZeroDivisionError]
)
def test_what_a_mechanism_of_autodp_raises_is_not_known(error):
    def curve(alpha):
        if alpha != 2:
            raise error
        return 0.25

    mechanism = Gaussian(1.0)
    mechanism.RenyiDP = curve
    assert read_budget(mechanism) == from_renyi({2: "1/4"})


@pytest.mark.parametrize("failure", [None, "0", -1.0, 2.0])
def test_a_failure_that_is_no_probability_is_none(failure):
    mechanism = Gaussian(1.0)
    mechanism.RenyiDP, mechanism.delta0 = (lambda alpha: float("inf")), failure
    mechanism.get_approxDP = lambda delta: 0.5
    with pytest.raises(DomainError, match="no pure epsilon, no Rényi curve"):
        read_budget(mechanism)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"renyi": {"2": "0.1", 2.0: "0.3"}}, "the order 2 twice"),
        (Approximate(()), "has 0 numbers"),
        (Approximate(tuple(map(ExactNumber, ("1", "1/2", "1")))), "has 3 numbers"),
    ],
)
def test_what_says_too_little_or_too_much_is_told(wrong, says):
    with pytest.raises(DomainError, match=says):
        read_budget(wrong)


def test_a_pure_epsilon_below_0_is_rounding_or_told():
    mechanism = Gaussian(1.0)
    mechanism.RenyiDP, mechanism.eps_pureDP = (lambda alpha: -1e-18), -1e-18
    assert read_budget(mechanism).delta(nats(0)) == Exact(0)
    mechanism.eps_pureDP = -0.5
    with pytest.raises(DomainError, match=r"epsilon=-0\.500000, which is negative"):
        read_budget(mechanism)


def test_budgets_within_budgets_are_composed_as_one():
    inner = compose([(from_zcdp("0.01"), 3), (laplace_mechanism(scale=10), 1)])
    nested = compose([(compose([(inner, 10)]), 2), (from_zcdp("0.001"), 4)])
    flat = compose(
        [(from_zcdp("0.01"), 60), (laplace_mechanism(scale=10), 20), (from_zcdp("0.001"), 4)]
    )
    ends = nested.epsilon("1e-6", relative_width="1e-3")
    assert ends == flat.epsilon("1e-6", relative_width="1e-3")
    assert nested.composed_of() == (
        (from_zcdp("0.01"), 60),
        (inner.composed_of()[1][0], 20),
        (from_zcdp("0.001"), 4),
    )


@pytest.mark.parametrize("times", [2, 3])
def test_failures_of_copies_are_one_failure(times):
    f = Fraction(1, 10)
    one = ([f, 1 - f, 0], [0, 1 - f, f])
    p, q = (
        [mpmath.fprod(row) for row in product(*[side] * times)]
        for side in ([float(x) for x in side] for side in one)
    )
    found = failing_copies(Exact(f), times)
    for gamma in (1, 2, 50):
        truth = sum(max(a - gamma * b, 0) for a, b in zip(p, q, strict=True))
        assert abs(float(found.delta(Epsilon.log(gamma)).as_fraction()) - float(truth)) < 1e-12


@pytest.mark.parametrize("times", [101, 10**4, 10**6, 10**9])
def test_failures_of_many_copies_are_a_bit_less(times):
    truth = -mpmath.expm1(times * mpmath.log1p(mpmath.mpf("-1e-6")))
    found = failing_copies(Exact("1e-6"), times).infinity_mass().as_fraction()
    assert float(truth) / 3 < float(found) <= float(truth)


def test_failures_that_add_up_to_more_than_delta_have_no_epsilon():
    million = compose([(from_zcdp("0.001", delta="1e-9"), 10**6)])
    assert million.epsilon("1e-6") == Epsilon.infinity()
    assert million.epsilon("1e-2").upper < 2000


def test_any_number_of_copies_of_a_rho():
    many = compose([(from_zcdp("1e-12"), 10**13)])
    whole = from_zcdp(10)
    ends, truth = (x.epsilon("1e-6", relative_width="1e-3") for x in (many, whole))
    assert ends.lower <= truth.upper and truth.lower <= ends.upper
    assert ends.upper < truth.upper * Fraction(11, 10)


def test_a_limit_of_work_ends_a_sum_of_many_laws():
    parts = [(guarantee(Fraction(n, 10**5), Fraction(n, 10**15)), 1) for n in range(1000, 1120)]
    with pytest.raises(TooLargeError, match="1,000,000 operations"), within_work(10**6):
        compose(parts).epsilon("1e-6", relative_width="1e-9")


def test_each_product_of_laws_is_counted():
    plan = Fourier.of_at_least(8)
    assert Product.of([], plan).whole.size == plan.frequencies
    with pytest.raises(TooLargeError, match="0 operations"), within_work(0):
        Product.of([], plan)


def test_what_pairs_tell_is_said_where_no_width_is_reached(monkeypatch):
    monkeypatch.setattr(CertifiedComposition, "sizes", (80, 80))
    noise = laplace_mechanism(scale=4)
    for usual in (Fraction(1, 10), Fraction(1, 10**9)):
        monkeypatch.setattr(CertifiedComposition, "usual_width", usual)
        monkeypatch.setattr("exactdp.divergences.fallbacks.COARSER", ())
        found = CertifiedComposition(((OnlyDelta(noise), 3),))
        truth = compose([(noise, 3)])
        pairs = (
            (found.delta(nats("1/2")), truth.delta(nats("1/2"), relative_width="1e-9")),
            (found.epsilon("1e-2"), truth.epsilon("1e-2", relative_width="1e-9")),
        )
        for told, exact in pairs:
            assert told.lower <= exact.lower <= exact.upper <= told.upper
            assert told.width < told.lower / 4
            is_named = type(told) is not Enclosure
            assert is_named == (usual < Fraction(1, 100))
            if is_named:
                assert told.upper_by == "looser: finite pairs that dominate all"
                assert told.lower_by == "finite pairs below all"
