"""The fate of promises in a newer version: fixed, still so, new, not asked."""

from exactdp.audit import ClaimVerdict, since, table
from exactdp.claims import Claim, Source, at_most, cases, for_all
from exactdp.claims.verdicts import Absent, Errored, Refuted, Survived

STATEMENT = for_all(cases(n=(1,)), lambda n: at_most(n, 1))
FALLS, STANDS = Refuted("n=1", "2 > 1", None), Survived(1)


def result(name, now, *, about="lib==1.0", **more):
    readings = dict.fromkeys(now, STATEMENT)
    claim = Claim(
        f"libraries/{name}", "says", Source("libraries", "here"), readings, about=about, **more
    )
    return ClaimVerdict(claim, now)


RESULTS = [
    result("lib/mended", {"": STANDS}),
    result("lib/same", {"a": FALLS, "b": STANDS}),
    result("lib/worse", {"": FALLS}),
    result("lib/gone", {"": Errored("no such function")}),
    result("lib/strange", {"a": STANDS, "b": FALLS}, hypothetical=frozenset("b")),
    result("other/here", {"": Absent("other is not installed")}, about="other==2.0"),
]
KEPT = {
    "libraries/lib/mended": {"readings": {"": {"verdict": "refuted"}}},
    "libraries/lib/same": {"readings": {"a": {"verdict": "refuted"}, "b": {"verdict": "survived"}}},
    "libraries/lib/worse": {"readings": {"": {"verdict": "survived"}}},
    "libraries/lib/gone": {"readings": {"": {"verdict": "survived"}}},
    "libraries/lib/strange": {
        "readings": {"a": {"verdict": "survived"}, "b": {"verdict": "survived"}}
    },
    "libraries/other/here": {"readings": {"": {"verdict": "refuted"}}},
}


def test_each_reading_that_falls_or_fell_has_a_word():
    assert list(since(KEPT, RESULTS)) == [
        ("libraries/lib/mended", "", "fixed"),
        ("libraries/lib/same", "a", "still so"),
        ("libraries/lib/worse", "", "new"),
        ("libraries/lib/gone", "", "not asked"),
        ("libraries/other/here", "", "not asked"),
    ]


def test_what_no_inventory_has_is_new():
    assert list(since({}, RESULTS[2:3])) == [("libraries/lib/worse", "", "new")]


def test_a_library_has_a_row_with_both_versions():
    claims = [result.claim for result in RESULTS]
    assert table(KEPT, claims, RESULTS, {"lib": "1.2"}).splitlines() == [
        "| library | kept | newest | new | fixed | still so | not asked |",
        "|---|---|---|---|---|---|---|",
        "| lib | 1.0 | 1.2 | `lib/worse` | `lib/mended` | `lib/same` (a) | `lib/gone` |",
        "| other | 2.0 | none |  |  |  | `other/here` |",
    ]


def test_what_is_at_its_newest_version_is_as_it_is_kept():
    claims = [result.claim for result in RESULTS]
    assert table(KEPT, claims, [], {"lib": "1.0", "other": "2.0"}).splitlines()[2:] == [
        "| lib | 1.0 | 1.0 |  |  | `lib/mended`, `lib/same` (a) |  |",
        "| other | 2.0 | 2.0 |  |  | `other/here` |  |",
    ]
