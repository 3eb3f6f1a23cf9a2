"""A trial that begins at kept evidence has the same verdict, without the search."""

from dataclasses import replace

import pytest
from hypothesis import strategies as st

from exactdp.audit import decide
from exactdp.audit.begun import begun_at, instance_of, is_false
from exactdp.claims import Effort, Instance, at_most, cases, for_all, proof, some, words
from exactdp.claims.kinds import integers, objects

TRIED = []


def says(n):
    TRIED.append(n)
    return at_most(n * n, 2000)


def over(most):
    return for_all(
        cases(n=range(min(most, 50))).within(n=integers(0, most - 1)),
        says,
        wrong=lambda n: at_most(n * n, 5),
    )


@pytest.fixture(autouse=True)
def _nothing_was_tried():
    TRIED.clear()


def tried_of(statement, kept):
    verdict = decide(begun_at(statement, kept))
    return verdict, list(TRIED)


def test_a_refutation_is_computed_again_at_its_witness_alone():
    verdict, tried = tried_of(over(100), {"verdict": "refuted", "witness": "n=60"})
    assert (verdict.label, verdict.witness) == ("refuted", "n=60") and set(tried) == {60}


def test_a_witness_that_is_none_leads_to_the_search():
    verdict, _ = tried_of(over(100), {"verdict": "refuted", "witness": "n=44"})
    assert (verdict.label, verdict.witness) == ("refuted", "n=45")
    verdict, _ = tried_of(over(40), {"verdict": "refuted", "witness": "n=39"})
    assert verdict.label == "survived"


def test_what_stood_is_tried_where_it_was_nearest_and_where_it_is_drawn():
    verdict, tried = tried_of(over(40), {"verdict": "survived", "closest": "n=39"})
    assert verdict.label == "survived" and tried[:2] == [39, 0]
    assert 2 < verdict.instances < 40
    fails = replace(over(46), strategy=None)
    assert tried_of(fails, {"verdict": "survived", "closest": "n=45"})[0].label == "refuted"


def test_a_false_variant_is_tried_as_ever():
    never = replace(over(40), false_variant=over(40))
    assert tried_of(never, {"verdict": "survived", "closest": None})[0].label == "undecided"


def test_a_finite_domain_is_counted():
    whole = for_all(cases(n=range(30)).all_of(n=integers(0, 29)), says)
    verdict, _ = tried_of(whole, {"verdict": "proved"})
    assert (verdict.label, verdict.instances) == ("proved", 30)
    assert begun_at(whole, {"verdict": "proved"}) is whole


def test_a_proof_is_checked_at_one_instance_and_one_that_fails_is_none():
    shown = replace(over(40), proof=proof(words("as everybody knows")))
    verdict, _ = tried_of(shown, {"verdict": "argued"})
    assert (verdict.label, verdict.instances) == ("argued", 1)


def test_what_keeps_nothing_is_searched():
    for kept in (None, {"verdict": "undecided"}):
        assert begun_at(over(9), kept).instances is not None
        assert len(list(begun_at(over(9), kept).instances(Effort.DEFAULT))) == 9


def test_an_instance_by_its_text():
    listed = for_all(cases(n=(1, 2)).deep(n=(3,)), says)
    assert instance_of(listed, "n=3") == Instance.of(n=3)
    assert instance_of(listed, "n=4") is None and is_false(listed, "n=4")
    assert is_false(listed, "n=2") and not is_false(for_all(cases(n=(45,)), says), "n=45")
    assert is_false(over(9), "n=60") and is_false(over(99), "m=60") and is_false(over(99), "n=x")
    assert instance_of(over(99), "n=60") == Instance.of(n=60)  # not listed, but drawn, perhaps
    pairs = cases(n=(1,)).within(n=objects("a number", lambda: st.integers()))
    assert not is_false(for_all(pairs, says), "n=60")  # it may have been drawn
    assert not is_false(some(cases(n=(1, 2)), says), "none of 2: n")
