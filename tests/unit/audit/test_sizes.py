"""Sizes in the unit of what is promised, sides, and the one order of all tables."""

from __future__ import annotations

from typing import Any

import pytest

from exactdp.audit.sizes import (
    errs,
    first_ones,
    is_ordinary_kept,
    is_telling,
    size_in_words,
)
from exactdp.claims import Open, Statement, at_most, cases, for_all


def reading(unit: str = "δ", worse: Any = ">") -> Statement:
    made = for_all(cases(n=(1,)), lambda n: at_most(n, 2))
    object.__setattr__(made, "unit", unit)
    object.__setattr__(made, "worse", worse)
    return made


def kept(true: str, stated: str, **more: Any) -> dict[str, Any]:
    sign = ">" if float(true) > float(stated) else "<"
    sides = {"left": {"decimal": true}, "sign": sign, "right": {"decimal": stated}}
    return {"falls": "result", "sides": {**sides, "claimed": "right"}, **more}


@pytest.mark.parametrize(
    ("true", "stated", "says"),
    [
        ("0.99475", "1.00000e-8", "promised δ 1e-8, true 0.995"),
        ("1.00001095939e-8", "1.00000000000e-8", "promised δ 1e-8, true 1.00001e-8"),
        ("0.0966652", "4.94065645842e-324", "promised δ 0, true 0.0967"),
        ("0.0966652", "0", "promised δ 0, true 0.0967"),
        ("0.999999998928", "1e-8", "promised δ 1e-8, true 0.999999999"),
        ("10", "1", "promised δ 1, true 10"),
        ("0", "0", ""),
    ],
)
def test_a_size_is_told_in_one_unit_and_no_ratio_of_zero(true: str, stated: str, says: str) -> None:
    assert size_in_words(kept(true, stated), reading()) == says


def test_the_truth_at_the_very_answer_goes_before_a_lower_bound() -> None:
    over = {"kernel": "496.4", "lower": "2004", "upper": "2005"}
    found = size_in_words(kept("4.96e-6", "1e-8", by_how_much=over), reading())
    assert found == "promised δ 1e-8, true 2e-5"


def test_a_side_hangs_on_what_is_worse() -> None:
    assert errs(kept("2", "1"), reading()) == "unsafe"
    assert errs(kept("1", "2"), reading()) == "safe"
    assert errs(kept("1", "2"), reading(worse="<")) == "unsafe"
    assert errs({"sides": None}, reading()) == ""
    assert errs(kept("2", "1"), Open("why")) == ""


def test_ordinary_and_unsafe_results_come_first() -> None:
    ordinary = kept("0.01", "1e-8", at={"delta": "1e-08", "epsilon": "1.0"})
    far = kept("0.01", "1e-12", at={"delta": "1e-12"})
    safe = kept("1e-9", "1e-8", at={"delta": "1e-08"})
    rounding = {**ordinary, "falls": "rounding"}
    tiny = kept("1e-20", "1e-30", at={"delta": "1e-30"})
    rows = [rounding, tiny, safe, far, ordinary]
    ranked = sorted(
        rows, key=lambda one: first_ones(one, reading(), ordinary=is_ordinary_kept(one))
    )
    assert ranked == [ordinary, far, tiny, safe, rounding]
    assert [is_telling(one) for one in (ordinary, tiny)] == [True, False]


def test_a_true_delta_says_whether_a_deployment_without_one_is_ordinary() -> None:
    assert is_ordinary_kept(kept("0.0967", "0", at={"epsilon": "0.1", "answer": "0.0"}))
    assert not is_ordinary_kept(kept("1e-20", "0", at={"epsilon": "0.1"}))
