"""The smallest mends of bounds that fall: what was tried refutes the next smaller, not them."""

import json
from fractions import Fraction

import pytest

from exactdp.bounds import bounds_of, published
from exactdp.numbers import Enclosure
from proofs_check.mends import FILE, Tried, falling, section, settings, summary, tried_at

KEPT = json.loads(FILE.read_text("utf-8"))

CHEAP = ("erlingsson2019/corollary-9", "liu2024/equation-2", "wang2024/theorem-2")


def at(x, formula, needed, *, is_upper=True):
    """A deployment where formula and truth are known to a millionth."""
    ends = [
        Enclosure(value, value + Fraction(1, 10**6))
        for value in (Fraction(formula), Fraction(needed))
    ]
    return Tried({"n": str(x)}, *ends, is_upper)


def test_the_worst_deployment_decides_factor_addend_and_hypothesis():
    found = summary([at(1, "0.5", "0.6045"), at(2, "2", "2.3005"), at(3, "1", "0.9")])
    assert (found["tried"], found["refuted"]) == (3, 2)
    assert found["factor"] == {"value": "1.21", "refuted": "1.20", "at": {"n": "1"}}
    assert found["addend"] == {"value": "0.301", "refuted": "0.300", "at": {"n": "2"}}
    assert found["worst"]["at"] == {"n": "1"}
    assert found["hypothesis"] == {"text": "n ≥ 3", "tried": 1}


def test_a_lower_bound_is_mended_downward():
    found = summary([at(1, "1.2", "1", is_upper=False), at(2, "1", "1.5", is_upper=False)])
    assert found["factor"] == {"value": "0.833", "refuted": "0.834", "at": {"n": "1"}}
    assert found["addend"]["value"].startswith("-0.20")
    assert found["hypothesis"] == {"text": "n ≥ 2", "tried": 1}


def test_what_is_never_wrong_has_no_mend_and_what_is_0_no_factor():
    assert summary([at(1, 1, 1), at(2, 2, 1)]) == {"tried": 2, "refuted": 0}
    zero = Tried({"n": "1"}, Enclosure(Fraction(0), Fraction(0)), Enclosure(1, 1), is_upper=True)
    assert "factor" not in summary([zero])
    assert summary([zero])["addend"]["value"] == "1.00"


def test_each_bound_that_falls_is_kept():
    assert list(KEPT) == [bound.claim for bound in falling()]
    told = {one.claim for paper in ("liu2024", "wang2024") for one in bounds_of(paper)}
    assert {x for x, one in KEPT.items() if one["refuted"]} & told


@pytest.mark.parametrize("name", CHEAP)
def test_no_deployment_refutes_the_kept_mend_and_the_named_one_refutes_a_smaller(name):
    bound, kept = published(name), KEPT[name]["factor"]
    chosen = settings(bound)
    assert kept["at"] in chosen
    for deployment in [*chosen[:3], chosen[-1]]:
        one = tried_at(bound, deployment)
        assert one is None or not one.refutes(Fraction(kept["value"]), Fraction(0))
    worst = tried_at(bound, kept["at"])
    assert not worst.refutes(Fraction(kept["value"]), Fraction(0))
    assert worst.refutes(Fraction(kept["refuted"]), Fraction(0))


def test_the_findings_name_each_bound_that_falls():
    table = section()
    assert all(f"`{name}`" in table for name in KEPT)
