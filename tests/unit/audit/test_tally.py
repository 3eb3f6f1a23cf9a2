"""The tally: errors first, each sentence once, and what nobody claims nowhere."""

from exactdp.audit.tally import CountedReading, tally


def row(claim, verdict="refuted", falls="result", **more):
    return CountedReading(f"p/{claim}", verdict, falls if verdict == "refuted" else None, **more)


def test_one_cause_is_one_error_and_no_cause_is_the_claims_own():
    found = tally([row(1, cause="p/log"), row(2, cause="p/log"), row(3), row(4, falls="step")])
    assert found.errors["result"] == {"p/log", "p/3"}
    assert found.line == "2 errors behind 3 results, 1 error behind 1 step"


def test_a_claim_counts_once_as_the_most_serious_thing():
    rows = [row(1, falls="misprint"), row(1, cause="p/log"), row(1, cause="p/sum")]
    found = tally(rows)
    assert found.claims == {"result": 1} and found.errors["result"] == {"p/log", "p/sum"}


def test_what_nobody_claims_counts_nowhere():
    found = tally([row(1, is_claimed=False), row(2, is_claimed=False), row(2, falls="rounding")])
    assert found.claims == {"rounding": 1}
    assert found.line == "1 error behind 1 rounding"


def test_a_remark_whose_natural_reading_holds_does_not_fall():
    strange = row(1, falls="remark")
    assert tally([strange]).claims == {"remark": 1}
    assert not tally([strange, row(1, "survived")]).claims
    assert tally([strange, row(1, "undecided")]).claims == {"remark": 1}
    assert tally([strange, row(1, "proved", is_claimed=False)]).claims == {"remark": 1}
    assert tally([]).line == "no claim of the source is refuted"
