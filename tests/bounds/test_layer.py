"""The layer tells faults of a formula from those of doubles: each break has its name."""

import math
from fractions import Fraction

import pytest
from hypothesis import find, given, settings

from exactdp.bounds import PublishedBound, bound_cases, one_number, published
from exactdp.bounds.deployments import drawn_arguments
from exactdp.bounds.layer import Fault, fall_at, tried
from exactdp.claims.domains import Domain
from exactdp.claims.forms import at_most
from exactdp.claims.kinds import integers, reals
from exactdp.divergences import Pair
from exactdp.divergences.questions import Question
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, certainly_below
from exactdp.numbers.real_functions import evaluate
from exactdp.side import Side
from exactdp.testing import assert_never_below_truth


def sampled(f, *, q, epsilon):
    """log(1 + q(e^ε − 1)), as it is printed."""
    return f.log(1 + q * (f.exp(epsilon) - 1))


def stable(f, *, q, epsilon):
    return f.log1p(q * f.expm1(epsilon))


def truth(q, epsilon):
    """The largest loss of (1 − q) μ_0 + q μ_1 against μ_0, randomized response."""
    return one_number("randomized response", Epsilon(1 + Exact(q) * (Exact.exp(epsilon) - 1)).nats)


def bound(formula=sampled, *, domain=None, side=Side.UPPER, of=truth, **more):
    usual = Domain({"q": reals(0, 1), "epsilon": reals(0, 700)})
    return PublishedBound(
        "test/lemma", formula, domain or usual, bounds="epsilon", of="a sampled step",
        truth=of, side=side, **more,
    )  # fmt: skip


def root(f, x):
    """√((1 + x)² − 1 − 2x), which is x."""
    return f.sqrt((1 + x) ** 2 - 1 - 2 * x)


BROKEN = {
    "as printed: cancels": (bound(), Fault.CANCELLATION),
    "stable: rounds": (bound(stable), Fault.ROUNDING),
    "a factor is lost": (
        bound(lambda f, *, q, epsilon: sampled(f, q=q, epsilon=epsilon) / 2), None,
    ),
    "squared too early: overflows": (
        bound(lambda f, *, q, epsilon: f.log(f.sqrt((1 + q * (f.exp(epsilon) - 1)) ** 2))),
        Fault.OVERFLOW,
    ),
    "a difference: negative": (
        bound(lambda f, *, q, epsilon: (10**9 + q * epsilon) - 10**9 - q * epsilon / 2),
        Fault.NONSENSE,
    ),
    "a root of a difference: nan": (
        bound(lambda f, *, q, epsilon: root(f, q * f.expm1(epsilon))), Fault.NONSENSE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_each_break_is_seen_by_name(name):
    broken, fault = BROKEN[name]
    found = tried(broken, examples=100, truths=4)
    assert found.unsafe is None
    if fault is None:
        assert found.below is not None
    else:
        assert fault in found.falls
        fall = found.falls[fault]
        assert fall_at(broken, fall.at).fault is fault


def test_a_hypothesis_that_is_left_out_falls_as_formula():
    """2qε is an upper bound for ε <= 1 alone."""

    def simple(f, *, q, epsilon):
        return 2 * q * epsilon

    kinds = {"q": reals(0, 1), "epsilon": reals(0, 700)}
    stated = Domain(kinds, (lambda epsilon: at_most(epsilon, 1),))
    assert tried(bound(simple, domain=stated)).below is None
    assert tried(bound(simple, domain=Domain(kinds)), truths=40).below is not None


def test_a_lower_bound_falls_above():
    """ln(1 + qε), as e^ε − 1 >= ε, is a lower bound; qe^ε is none."""
    low = bound(lambda f, *, q, epsilon: f.log1p(q * epsilon), side=Side.LOWER)
    assert tried(low).below is None
    high = bound(lambda f, *, q, epsilon: q * f.exp(epsilon), side=Side.LOWER)
    assert tried(high).below is not None


def test_the_worst_fault_is_the_word():
    found = tried(bound(), truths=1)
    assert found.in_doubles == next(iter(found.falls)).value
    at = found.falls[Fault.CANCELLATION].at
    assert sampled_double(**at) < float(
        at["q"] * at["epsilon"]
    )  # ln(1 + q(e^ε − 1)) >= ... to 1e-12


def sampled_double(q, epsilon):
    return math.log(1 + float(q) * (math.exp(float(epsilon)) - 1))


@settings(max_examples=60)
@given(drawn_arguments(bound()))
def test_safe_doubles_are_never_below(at):
    one = bound(stable=stable)
    value = evaluate(sampled, **at)
    for double in (one.safe_at(at), one.stable_at(at)):
        if double is not None and math.isfinite(double):
            assert not certainly_below(Exact(Fraction(double)), value)


def test_a_strangers_implementation_is_caught():
    """Five lines of a stranger's test find log(1 + q(exp(eps) - 1)) in doubles."""

    def mine(q, epsilon):
        return math.log(1 + q * (math.exp(epsilon) - 1))

    @settings(max_examples=200)
    @given(bound_cases(bound()))
    def test_mine(case):
        assert_never_below_truth(mine(**case.arguments), case.truth, at=case)

    with pytest.raises((AssertionError, OverflowError, ExceptionGroup)):
        test_mine()


def test_deployments_meet_the_hypotheses_and_reach_the_ends():
    one = published("feldman2021/theorem-3.1")

    @settings(max_examples=50)
    @given(drawn_arguments(one))
    def check(at):
        assert one.domain.admits(at)

    check()
    assert find(drawn_arguments(one), lambda at: at["delta"] < Fraction(1, 10**200))["delta"] > 0
    assert find(drawn_arguments(one), lambda at: at["n"] == 10**12)


def question(n, epsilon):
    return Question(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]), Epsilon.rational(epsilon))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": "1/2"}, "epsilon is missing: test/lemma needs 0 ≤ ε ≤ 700. Give it."),
        ({"q": 2, "epsilon": 1}, "q=2 is outside the bound's domain: 0 ≤ q ≤ 1. Change it."),
        ({"q": float("nan"), "epsilon": 1}, "q=nan is not finite. Pass a number."),
        (
            {"q": True, "epsilon": 1},
            "q=True is a bool, not a number. Pass an int, a float, a Fraction, or a string such as "
            "'4/7' or '0.49'.",
        ),
        ({"p": 1, "q": 1, "epsilon": 1},
         "p is not an argument of test/lemma. It takes: q, epsilon."),
    ],
)  # fmt: skip
def test_bad_arguments_are_told_in_one_line(arguments, message):
    with pytest.raises(DomainError) as caught:
        bound()(**arguments)
    assert str(caught.value) == message


def test_a_count_has_to_be_whole():
    one = bound(
        lambda f, *, n, epsilon: n * epsilon,
        domain=Domain({"n": integers(1), "epsilon": reals(0)}),
        of=lambda n, epsilon: one_number("a coin", question(n, epsilon)),
    )
    assert one(n=2, epsilon="1/2").double == 1.0
    with pytest.raises(DomainError, match="n=1/2 is outside the bound's domain: integer n ≥ 1"):
        one(n="1/2", epsilon=1)
