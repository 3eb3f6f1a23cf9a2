"""Campaigns: what survived is searched over its whole domain, and what is kept is tried again."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp.audit import audit_claim
from exactdp.audit.campaign import (
    INSTANCES,
    kept_instances,
    read_searches,
    searched,
    with_hardest,
    write_searches,
)
from exactdp.claims import (
    Claim,
    Effort,
    Falls,
    Instance,
    Outcome,
    Paper,
    Refuted,
    Source,
    Statement,
    at_most,
    cases,
    for_all,
)
from exactdp.claims.kinds import integers, reals
from exactdp.errors import ParseError


def powers(most: int) -> Statement:
    """That n² is at most a number, which fails for large n alone."""
    over = cases(n=(1, 2)).within(n=integers(1))
    return for_all(over, lambda n: at_most(n * n, most))


def test_a_failure_far_out_is_found_by_the_search_alone() -> None:
    found = searched(powers(10**9))
    assert found.failure is not None
    assert int(found.failure.removeprefix("n=")) ** 2 > 10**9


def test_a_failure_far_below_1e_12_is_found() -> None:
    over = cases(delta=(Fraction(1, 2),)).within(delta=reals(above=0, below=1))
    least = Fraction(1, 10**30)
    assert searched(for_all(over, lambda delta: at_most(least, delta))).failure is not None


@pytest.mark.parametrize("is_exact", [False, True])
def test_rounding_refutes_what_is_to_hold_at_all(is_exact: bool) -> None:
    over = cases(n=(1,)).within(n=integers(1, 8))
    above = for_all(over, lambda n: at_most(n, 4))

    def rounded(at: Instance) -> Outcome:
        found = above.holds(at)
        return found if found.truth.is_possible else replace(found, falls=Falls.ROUNDING)

    found = searched(replace(above, holds=rounded, is_exact=is_exact))
    assert (found.failure, found.rounding) == (("n=5", None) if is_exact else (None, "n=5"))


def test_what_holds_is_tried_at_many_different_instances() -> None:
    over = cases(x=(1,), y=(0,))
    holds = for_all(over.within(x=reals(1), y=reals(0, 1)), lambda x, y: at_most(y, x))
    found = searched(holds)
    assert 300 <= found.instances <= INSTANCES
    assert (found.failure, found.whole) == (None, False)
    assert len(found.hardest) == 10
    # The nearest to failing comes first: there y is x.
    assert found.hardest[0] == "x=1, y=1"


def test_a_small_domain_is_gone_through() -> None:
    over = cases(n=(1,)).within(n=integers(1, 8))
    found = searched(for_all(over, lambda n: at_most(n, 8)))
    assert (found.instances, found.whole, found.tried) == (8, True, "n 1 to 8")


def test_a_budget_ends_it_and_is_kept() -> None:
    few = searched(powers(10**40), budget=50_000)
    assert few.instances < 12
    assert few.operations >= 50_000 - 5_000
    assert few.budget == 50_000


def test_seeds_draw_others() -> None:
    one, other = (searched(powers(10**40), seed=seed) for seed in (1, 2))
    assert one == searched(powers(10**40), seed=1)
    assert one.hardest != other.hardest or one.tried != other.tried


def test_a_trial_decides_a_kept_failure_itself() -> None:
    claim = Claim("mine/one", "s", Source("mine", "x"), {"": powers(10**30)})
    small = {"": {"verdict": "survived", "closest": "n=2"}}
    wrong = audit_claim(claim, kept=small, hardest={"": ["n=3"]}).readings[""]
    right = audit_claim(claim, kept=small, hardest={"": [f"n={10**16}"]}).readings[""]
    assert not isinstance(wrong, Refuted)
    assert isinstance(right, Refuted)
    assert right.witness == f"n={10**16}"


def test_what_is_no_instance_is_left_out() -> None:
    listed = with_hardest(powers(9), ["n=0", "m=3", "n=5/2", "n=7"])
    assert isinstance(listed, Statement)
    assert [at["n"] for at in listed.instances(Effort.DEFAULT)] == [1, 2, 7]


def test_the_file_is_read_again(tmp_path: Path) -> None:
    paper = Paper("mine", "m", lambda: (), str(tmp_path))
    assert read_searches(paper) == {}
    facts = {"failure": None, "hardest": ["n=2"], "seed": 0}
    write_searches(tmp_path, {"mine/one": {"": facts}})
    assert read_searches(paper) == {"mine/one": {"": facts}}
    assert kept_instances(facts) == ("n=2",)
    (tmp_path / "searches.json").write_text("{}")
    with pytest.raises(ParseError, match="no campaigns are kept there"):
        read_searches(paper)
