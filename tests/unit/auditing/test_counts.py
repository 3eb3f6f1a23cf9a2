"""Audits from counts, against sums of fractions, mpmath, the kernel, and the meaning of a level."""

from fractions import Fraction
from math import comb

import mpmath
import pytest

from exactdp.auditing import from_counts
from exactdp.auditing.counts import upper_end
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, float_below
from proofs_check.kernel import Accepted, Rejected, check
from tests.commands import run

COUNTS = {"false_positives": 25, "negatives": 1000, "false_negatives": 300, "positives": 1000}


def at_most(k, n, p):
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


@pytest.mark.parametrize(
    ("k", "n", "level"),
    [(0, 1, "1/40"), (0, 30, "1/2"), (3, 10, "1/40"), (9, 10, "1/1000"), (50, 99, "1/5")],
)
def test_an_upper_end_is_just_above_the_root(k, n, level):
    found = upper_end(k, n, Exact(level))
    assert at_most(k, n, found) <= Fraction(level) < at_most(k, n, found - Fraction(1, 10**13))


def test_all_errors_leave_every_rate():
    assert upper_end(7, 7, Exact("1/40")) == 1


@pytest.mark.parametrize("level", ["1/20", "1/2"])
@pytest.mark.parametrize("truth", [Fraction(1, 100), Fraction(1, 3), Fraction(9, 10)])
def test_an_end_is_below_the_truth_as_seldom_as_its_level_says(truth, level):
    n = 12
    fails = (k for k in range(n + 1) if upper_end(k, n, Exact(level)) < truth)
    assert sum(comb(n, k) * truth**k * (1 - truth) ** (n - k) for k in fails) <= Fraction(level)


def test_a_mechanism_that_keeps_its_promise_is_refuted_as_seldom_as_the_level_says():
    """Randomized response of ε = ln 3, asked nine times with each input; all pairs of counts."""
    n, level, true = 9, Fraction(1, 2), Epsilon.log(3)
    wrong = Fraction(1, 4)
    mass = [comb(n, k) * wrong**k * (1 - wrong) ** (n - k) for k in range(n + 1)]
    refuted = Fraction(0)
    for k in range(n + 1):
        for j in range(n + 1):
            audit = from_counts(
                false_positives=k, negatives=n, false_negatives=j, positives=n, level=level
            )
            if audit.epsilon > true:
                refuted += mass[k] * mass[j]
    assert 0 < refuted <= level


def test_the_review_s_numbers():
    audit = from_counts(**COUNTS, level="0.05", delta="1e-5")
    assert round(float(audit.false_positive_rate), 7) == 0.0366848
    assert f"{float_below(audit.epsilon):.6f}" == "2.905703" and audit.binding == "with || without"
    swapped = from_counts(
        false_positives=300, negatives=1000, false_negatives=25, positives=1000, delta="1e-5"
    )
    assert swapped.epsilon == audit.epsilon and swapped.binding == "without || with"
    z = [
        mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(float(x)))
        for x in (audit.false_positive_rate, audit.false_negative_rate)
    ]
    assert abs(float(sum(z)) - float_below(audit.mu)) < 1e-9


def test_more_of_the_level_for_one_side_lowers_its_end():
    even, uneven = from_counts(**COUNTS), from_counts(**COUNTS, split="9/10")
    assert uneven.false_positive_rate < even.false_positive_rate
    assert uneven.false_negative_rate > even.false_negative_rate


@pytest.mark.parametrize("counts", [COUNTS, COUNTS | {"false_positives": 0}])
def test_the_kernel_recomputes_a_certificate(counts):
    audit = from_counts(**counts, delta="1e-5")
    data = audit.certificate().to_bytes()
    assert isinstance(check(data), Accepted)
    worse = from_counts(**counts | {"false_positives": 40}, delta="1e-5").certificate().to_bytes()
    assert data != worse
    # Another count under the same ends is refused: the tail is recomputed.
    lied = data.replace(b'"0x12c"', b'"0x130"')
    assert lied == data or isinstance(check(lied), Rejected)


def test_nothing_is_refuted_by_guessing():
    audit = from_counts(false_positives=5, negatives=10, false_negatives=5, positives=10)
    assert audit.epsilon == Epsilon.log(1) and audit.mu == 0 and not audit.is_refuted
    assert str(audit).startswith("nothing is refuted with confidence 1 - 1/20")
    with pytest.raises(DomainError, match="no epsilon is refuted"):
        audit.certificate()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"false_positives": 1001}, "false_positives=1001 is above negatives=1000"),
        ({"negatives": 0}, "negatives=0 must be at least 1"),
        ({"level": 0}, "level=0 must be above 0"),
        ({"split": 1}, "split=1 must be above 0 and below 1"),
        ({"delta": 2}, "delta=2 is not a probability"),
        ({"positives": 2.5}, "positives=2.5 is not a whole number"),
    ],
)
def test_refusals(wrong, words):
    with pytest.raises(DomainError, match=words):
        from_counts(**COUNTS | wrong)


ASKED = "--false-positives 25 --negatives 1000 --false-negatives 300 --positives 1000"


def test_the_command(capsys, tmp_path):
    file = tmp_path / "counts.json"
    assert run("audit-counts", *ASKED.split(), "--delta", "1e-5", "--certificate", str(file)) == 0
    assert "epsilon >= 2.905702812 at delta 1/100000" in capsys.readouterr().out
    assert isinstance(check(file.read_bytes()), Accepted)
    none = ASKED.replace("300", "990")
    assert run("audit-counts", *none.split()) == 1
