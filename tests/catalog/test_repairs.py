"""Mends: each refuted result or step has one, or says that none is known."""

from dataclasses import replace
from importlib import import_module

import pytest

from exactdp.audit import read_inventory
from exactdp.claims import Claim, Paper, Source, at_most, cases, equal, for_all
from proofs_check.repairs import NONE, least, mend_of

PAPERS = ("biswas2023", "ding2025", "erlingsson2019", "liu2024", "wang2023", "wang2024")
SOURCE = Source("own", "Theorem 1")


def claim(name, statement=None, **more):
    over = cases(n=(1, 2))
    return Claim(
        f"own/{name}",
        name,
        SOURCE,
        {"": statement or for_all(over, lambda n: at_most(n, 2))},
        **more,
    )


def paper(*claims, **mends):
    return Paper("own", "Own", lambda: claims, mends={f"own/{k}": v for k, v in mends.items()})


def kept(verdict="proved", **facts):
    return {"readings": {"": {"verdict": verdict, **facts}}}


def test_what_the_catalog_names_comes_first():
    falls = claim("falls", repair="own/repair/a", causes={"": "own/cause"})
    alike, other = claim("repair/a"), claim("repair/b")
    inventory = {"own/repair/a": kept(), "own/repair/b": kept("argued")}
    inventory = {
        name: {**entry, "verdict": entry["readings"][""]["verdict"]}
        for name, entry in inventory.items()
    }
    both = paper(falls, alike, other, cause="own/repair/b")
    told = mend_of(both, [(falls, "")], inventory)
    assert told == "argued: `repair/b`, not shown to be least"
    told = mend_of(paper(falls, alike, other), [(falls, "")], inventory)
    assert told == "proved: `repair/a`, not shown to be least"
    words = paper(falls, alike, cause="Take less.")
    assert mend_of(words, [(falls, "")], inventory) == "in words: Take less."
    bare = replace(falls, repair=None)
    # Another claim with its cause says what mends it.
    told = mend_of(paper(bare, replace(falls, id="own/too"), alike), [(bare, "")], inventory)
    assert told == "proved: `repair/a`, not shown to be least"


def test_a_reading_beside_it_that_stands_mends_it_else_nothing_does():
    over = cases(n=(1, 2))
    two = Claim(
        "own/two",
        "two",
        SOURCE,
        {"a": for_all(over, lambda n: at_most(n, 1)), "b": for_all(over, lambda n: at_most(n, 2))},
        reading_says={"a": "strictly", "b": "as it is meant"},
    )
    readings = {"a": {"verdict": "refuted"}, "b": {"verdict": "proved"}}
    inventory = {"own/two": {"readings": readings}}
    told = mend_of(paper(two), [(two, "a")], inventory)
    assert told == "proved: its reading (b), as it is meant"
    readings["b"] = {"verdict": "survived"}
    assert mend_of(paper(two), [(two, "a")], inventory) == NONE


def test_less_would_not_do_where_both_sides_are_equal():
    bound = claim("bound")
    inventory = {"own/bound": kept(slack="1", closest="n=2")}
    assert least(bound, inventory) == "attained at `n=2`"
    assert least(bound, {"own/bound": kept(slack="1.000", closest="n=2")}) == (
        "not shown to be least"
    )
    equation = claim("equation", for_all(cases(n=(1, 2)), lambda n: equal(n + n, 2 * n)))
    assert least(equation, {"own/equation": kept()}) == "an equation"


@pytest.mark.parametrize("key", PAPERS)
def test_every_name_of_a_mend_is_of_what_falls_and_leads_to_what_stands(key):
    own = import_module(f"proofs_check.{key}").PAPER
    inventory = read_inventory(own) or {}
    claims = {one.id: one for one in own.claims()}
    fallen = {
        cause or one.id
        for one in claims.values()
        for reading, facts in inventory[one.id]["readings"].items()
        if facts["verdict"] == "refuted"
        for cause in [one.causes.get(reading)]
    }
    assert set(own.mends) <= fallen
    for one in claims.values():
        for reading, facts in inventory[one.id]["readings"].items():
            mend = own.mend_of(one, reading) if facts["verdict"] == "refuted" else None
            if mend in claims:
                assert inventory[mend]["verdict"] in ("proved", "argued", "depends")
