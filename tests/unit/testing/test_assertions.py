"""One-sided assertions: who passes, who fails, and what is said."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Epsilon, Exact, Real, exp, float_above, float_below, is_below, log, sqrt
from exactdp.testing import (
    RoundingFaultError,
    assert_contains_truth,
    assert_never_above_truth,
    assert_never_below_truth,
    recording,
)
from exactdp.truth import Truth

HALF = Fraction(1, 2)
LN2 = log(2)  # 0.693147180559945309417232...
TRUTHS = [Exact("1/3"), Exact.exp("1/2"), LN2, -LN2, sqrt(2) - 2, Exact("-1/3"), exp(-800)]


def failure_of(assertion, *args, **kwargs):
    with pytest.raises(AssertionError) as caught:
        assertion(*args, **kwargs)
    return caught.value


def lines_of(failure):
    first, *rest = str(failure).split("\n  ")
    return first, {line[:8].strip(): line[9:] for line in rest}


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
def test_the_nearest_doubles_pass_and_their_neighbors_fail_as_rounding_faults(truth):
    above, below = _nearest(truth)
    assert above == math.nextafter(below, math.inf)  # none of these truths is a double
    assert_never_below_truth(above, truth)
    assert_never_above_truth(below, truth)
    assert_contains_truth(below, above, truth)
    for assertion, claimed in (
        (assert_never_below_truth, below),
        (assert_never_above_truth, above),
    ):
        failure = failure_of(assertion, claimed, truth)
        assert type(failure) is RoundingFaultError
        _, said = lines_of(failure)
        assert "the claimed one is 1 ulp " in said["doubles"]
        assert said["kind"] == "a mere rounding fault: at most 4 ulps"


def _nearest(truth):
    return float_above(truth), float_below(truth)


@pytest.mark.parametrize(("ulps", "kind"), [(4, RoundingFaultError), (5, AssertionError)])
def test_ulps_are_counted_from_the_nearest_double_on_the_right_side(ulps, kind):
    claimed = float_above(LN2)
    for _ in range(ulps):
        claimed = math.nextafter(claimed, 0)
    failure = failure_of(assert_never_below_truth, claimed, LN2)
    assert type(failure) is kind
    assert f"is {ulps} ulps below it" in str(failure)


def test_an_exact_double_is_compared_as_the_rational_that_it_is():
    assert Fraction(0.1) > Fraction(1, 10) and Fraction(0.3) < Fraction(3, 10)
    assert_never_below_truth(0.1, Fraction(1, 10))
    assert_never_above_truth(0.3, Fraction(3, 10))
    failure_of(assert_never_above_truth, 0.1, Fraction(1, 10))
    failure_of(assert_never_below_truth, 0.3, Fraction(3, 10))


@pytest.mark.parametrize("claimed", [0.5, HALF, Exact(HALF), np.float64(0.5)], ids=repr)
def test_equality_passes_on_both_sides(claimed):
    assert_contains_truth(claimed, claimed, HALF)
    assert_contains_truth(claimed, claimed, Exact(HALF))


@given(st.floats(allow_nan=False, allow_infinity=False), st.fractions())
def test_a_double_passes_exactly_if_its_rational_does(claimed, truth):
    for assertion, holds in (
        (assert_never_below_truth, Fraction(claimed) >= truth),
        (assert_never_above_truth, Fraction(claimed) <= truth),
    ):
        if holds:
            assertion(claimed, truth)
        else:
            failure_of(assertion, claimed, truth)


def test_infinities_bound_from_their_side_only():
    assert_never_below_truth(math.inf, LN2)
    assert_never_above_truth(-math.inf, LN2)
    assert_contains_truth(-math.inf, math.inf, LN2)
    first, said = lines_of(failure_of(assert_never_below_truth, -math.inf, LN2))
    assert first == "claimed -inf is below the truth: no upper bound"
    assert said["kind"] == "more than rounding: the claimed double is not finite"
    failure_of(assert_never_above_truth, math.inf, LN2)


@pytest.mark.parametrize("assertion", [assert_never_below_truth, assert_never_above_truth])
def test_nan_never_passes(assertion):
    for nan in (math.nan, np.float64("nan")):
        first, said = lines_of(failure_of(assertion, nan, HALF))
        assert first.startswith("claimed nan is not a number")
        assert said["truth"] == "0.5, exactly 1/2"
    with pytest.raises(AssertionError):
        assert_contains_truth(math.nan, 1.0, HALF)
    with pytest.raises(AssertionError):
        assert_contains_truth(0.0, math.nan, HALF)


def test_an_undecided_comparison_is_no_pass_and_no_failure():
    two = sqrt(2) * sqrt(2)
    for assertion, bound in (
        (assert_never_below_truth, "an upper bound"),
        (assert_never_above_truth, "a lower bound"),
    ):
        with pytest.raises(UndecidedError, match=f"not known to be {bound}") as caught:
            assertion(2.0, two, at={"n": 3}, max_bits=256)
        assert not isinstance(caught.value, AssertionError)
        assert "at       {'n': 3}" in str(caught.value)


def test_a_real_is_refined_until_it_is_decided():
    bits = []

    def rule():
        import flint

        bits.append(flint.ctx.prec)
        return flint.arb(2).sqrt()

    close = Fraction(math.isqrt(2 * 10**400), 10**200)  # below the root by 1e-200
    with pytest.raises(AssertionError):
        assert_never_below_truth(close, Real(rule, "sqrt(2)"))
    assert max(bits) >= 512
    with pytest.raises(UndecidedError):
        assert_never_below_truth(close, Real(rule, "sqrt(2)"), max_bits=256)


def test_a_real_without_a_finite_ball_is_undecided():
    import flint

    with pytest.raises(UndecidedError):
        assert_never_below_truth(1.0, Real(lambda: flint.arb("nan"), "nothing"))


def test_a_real_that_is_zero_fails_a_negative_claim_and_says_so():
    zero = sqrt(2) - sqrt(2)
    _, said = lines_of(failure_of(assert_never_below_truth, -1.0, zero))
    assert said["gap"].startswith(("1 ", "1.000", "between", "0.99999"))


def test_the_message_says_everything():
    failure = failure_of(
        assert_never_below_truth, 0.25, Exact("1/3"), at={"n": 2, "gamma": Fraction(3, 2)}
    )
    assert type(failure) is AssertionError
    assert str(failure) == (
        "claimed 0.25 is below the truth: no upper bound\n"
        "  at       {'n': 2, 'gamma': Fraction(3, 2)}\n"
        "  claimed  0.25, exactly 1/4\n"
        "  truth    0.33333333333333333, exactly 1/3\n"
        "  gap      0.08333333333333 = truth - claimed, exactly 1/12\n"
        "  ratio    0.75 = claimed / truth\n"
        "  doubles  the smallest that is not below the truth is 0.33333333333333337; "
        "the claimed one is 1,501,199,875,790,166 ulps below it\n"
        "  kind     more than rounding: over 4 ulps, and the gap is over 2^-48\n"
        "  rebuild  from fractions import Fraction; at = {'n': 2, 'gamma': Fraction(3, 2)}"
    )


def test_the_message_of_a_transcendental_truth():
    _, said = lines_of(failure_of(assert_never_above_truth, 2.0, Exact.exp("1/2")))
    assert said["truth"] == "1.6487212707001281, exactly e^(1/2)"
    assert said["gap"] == "0.3512787292999 = claimed - truth, exactly -e^(1/2) + 2"
    _, said = lines_of(failure_of(assert_never_above_truth, 2, LN2))
    assert said["truth"] == "0.69314718055994531, that is log(2)"
    assert said["kind"] == "more than rounding: the claimed number is exact"


def test_a_long_exact_truth_is_printed_in_digits_only():
    _, said = lines_of(failure_of(assert_never_below_truth, 0.0, Exact("1/3") ** 200))
    with localcontext(prec=17):
        assert said["truth"] == f"{1 / Decimal(3**200):e}"


def test_cancellation_is_suspected_where_the_gap_is_tiny():
    failure = failure_of(assert_never_below_truth, 1e-17, Fraction(1, 10**16))
    assert type(failure) is AssertionError
    assert "cancellation" in str(failure)


def test_zero_and_subnormals():
    tiny = Exact("1e-5000")
    assert_never_below_truth(5e-324, tiny)
    _, said = lines_of(failure_of(assert_never_below_truth, 0.0, tiny))
    assert "is 5e-324; the claimed one is 1 ulp below it" in said["doubles"]
    _, said = lines_of(failure_of(assert_never_below_truth, -0.0, tiny))
    assert "1 ulp below it" in said["doubles"]


def test_a_truth_above_the_range_of_doubles():
    _, said = lines_of(failure_of(assert_never_below_truth, 1.7976931348623157e308, Exact("1e400")))
    assert "is inf; the claimed one is 1 ulp below it" in said["doubles"]
    assert_never_below_truth(math.inf, Exact("1e400"))


def test_the_given_rebuild_line_is_printed():
    failure = failure_of(assert_never_below_truth, 0, HALF, at=object(), rebuild="case = f(3)")
    assert lines_of(failure)[1]["rebuild"] == "case = f(3)"
    failure = failure_of(assert_never_below_truth, 0, HALF, at=object())
    assert "pass rebuild=" in lines_of(failure)[1]["rebuild"]
    assert "rebuild" not in lines_of(failure_of(assert_never_below_truth, 0, HALF))[1]


def test_the_failing_end_of_an_interval_is_named():
    assert "no lower bound" in str(failure_of(assert_contains_truth, 0.6, 0.7, HALF))
    assert "no upper bound" in str(failure_of(assert_contains_truth, 0.3, 0.4, HALF))


@pytest.mark.parametrize(
    "claimed",
    [True, np.bool_(True), "0.5", None, LN2, 1j, Decimal("NaN"), np.longdouble(1) / 3],
    ids=repr,
)
def test_other_claims_are_refused(claimed):
    with pytest.raises(DomainError, match="Pass a float, an int"):
        assert_never_below_truth(claimed, HALF)


@pytest.mark.parametrize("truth", [0.5, True, "1/2", Epsilon.infinity(), None])
def test_other_truths_are_refused(truth):
    with pytest.raises(DomainError, match="not an exact number"):
        assert_never_below_truth(1.0, truth)


def test_slack_is_recorded_for_both_sides_and_rounded_down():
    with recording() as recorder:
        assert_never_below_truth(0.75, HALF, at="upper")
        assert recorder.smallest.ratio == Fraction(3, 2)
        assert_never_above_truth(0.25, HALF, at="lower")
        assert recorder.smallest.ratio == Fraction(3, 2)
        assert_never_above_truth(Fraction(2, 5), HALF, at="closer")
        assert (recorder.smallest.ratio, recorder.smallest.at) == (Fraction(5, 4), "'closer'")


def test_the_slack_of_a_transcendental_truth_is_narrow_and_not_above_the_true_one():
    with recording() as recorder:
        assert_never_below_truth(0.75, LN2)
    slack = recorder.smallest.ratio
    claimed = Exact(Fraction(0.75))
    assert is_below(slack * LN2, claimed) is Truth.TRUE
    assert is_below((slack + Fraction(1, 2**90)) * LN2, claimed) is Truth.FALSE


def test_a_failure_records_a_slack_below_one():
    with recording() as recorder:
        failure_of(assert_never_below_truth, 0.25, HALF)
    assert recorder.smallest.ratio == HALF


@pytest.mark.parametrize("truth", [Exact(0), sqrt(2) - sqrt(2)], ids=["exact", "computable"])
def test_no_slack_where_there_is_no_ratio(truth):
    with recording() as recorder:
        assert_never_below_truth(0.25, truth)
        assert_never_below_truth(math.inf, HALF)
        assert_never_below_truth(0.0, Fraction(-1))
        assert_never_above_truth(-1.0, HALF)
    assert recorder.smallest is None


def test_recordings_nest():
    with recording() as outer:
        with recording() as inner:
            assert_never_below_truth(1.0, HALF)
        assert_never_below_truth(2.0, HALF)
    assert (inner.smallest.ratio, outer.smallest.ratio) == (2, 4)


def test_a_wrong_bound_is_not_shrunk_to_a_rounding_fault():
    @settings(derandomize=True, database=None, deadline=None)
    @given(st.integers(1, 50))
    def check(n):
        truth = Exact("1/3") if n < 5 else Exact(1)
        assert_never_below_truth(math.nextafter(1 / 3, 0), truth, at={"n": n})

    with pytest.raises(ExceptionGroup) as caught:
        check()
    kinds = {type(failure): str(failure) for failure in caught.value.exceptions}
    assert "{'n': 1}" in kinds[RoundingFaultError]
    assert "{'n': 5}" in kinds[AssertionError]


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("claimed", "options", "kind", "words"),
    [
        (0.1, {"at": Unprintable()}, AssertionError, "a Unprintable whose repr raises Runtime"),
        (0.1, {"at": "x" * 10**6}, AssertionError, r"x\.\.\. \(1000002 characters\)"),
        ([0.1] * 10**5, {"at": "here"}, DomainError, r"characters\) is of type list.*At 'here'\."),
        (0.5, {"max_bits": -1}, DomainError, "max_bits=-1 must be at least 1"),
        (0.5, {"max_bits": "x"}, DomainError, "max_bits='x' is not a whole number"),
    ],
)
def test_strange_arguments_neither_hide_a_failure_nor_flood_it(claimed, options, kind, words):
    with pytest.raises(kind, match=words) as caught:
        assert_never_below_truth(claimed, Fraction(1, 3), **options)
    assert len(str(caught.value)) < 3_000
