"""Catalog files joined with trials; papers found through entry points."""

import re
import sys
from types import SimpleNamespace

import pytest

from exactdp.claims import (
    Claim,
    Instance,
    Open,
    Paper,
    Source,
    catalog,
    catalog_file,
    claims_of_paper,
    paper_of_package,
    papers,
    select,
)
from exactdp.claims.catalog_file import read_catalog
from exactdp.errors import DomainError, ParseError

FILE = """
citation = "Nobody: Nothing (2000)"
read = "arXiv:0001.00001v2"

[causes]
log = "the logarithm has another base"

[mends]
log = "take the other base"

[[claims]]
id = "p/one"
where = "Section 1"
repair = "p/two"
says = "One."

[[claims]]
id = "p/two"
where = "Section 2"
says = "Two."
readings = { a = "so", b = "or so" }
hypothetical = ["b"]
words = "Two, said they."
asked_by_us = ["a"]
known = "an open issue"
cause = { a = "log", b = "q/sum" }
"""
REPAIRS = """
[[claims]]
id = "p/repair/two"
where = "Section 2"
says = "Not quite two."
"""
OPEN = Open("not public")
TRIALS = {"p/one": OPEN, "p/two": {"a": OPEN, "b": OPEN}, "p/repair/two": OPEN}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "p"
    made.mkdir()
    (made / "catalog.toml").write_text(FILE)
    (made / "repairs.toml").write_text(REPAIRS)
    return made


def test_entries_and_trials_are_joined(folder):
    one, two, mended = claims_of_paper(folder, trials=TRIALS, repairs={"p/two": "p/repair/two"})
    assert (one.id, one.repair, str(one.source)) == ("p/one", "p/two", "p, Section 1")
    assert (two.repair, mended.repair) == ("p/repair/two", None)
    assert two.reading_says == {"a": "so", "b": "or so"} and list(two.readings) == ["a", "b"]
    assert two.hypothetical == {"b"} and one.hypothetical == frozenset()
    assert {one.source.read, two.source.read} == {"arXiv:0001.00001v2"}
    assert (two.words, two.known, one.words) == ("Two, said they.", "an open issue", None)
    assert two.asked_by_us == {"a"} and one.asked_by_us == frozenset()
    assert two.causes == {"a": "p/log", "b": "q/sum"} and not one.causes
    assert read_catalog(folder, key="p")[0].mends_of("p") == {"p/log": "take the other base"}
    assert [list(map(claim.apart, claim.readings)) for claim in (one, two)] == [
        [()],
        [("asked by us: no text promises it",), ("hypothetical: nobody is known to mean it",)],
    ]


@pytest.mark.parametrize(("all_", "asked"), [("true", {"a", "b"}), ("false", set())])
def test_all_readings_are_asked_by_us_or_none(folder, all_, asked):
    (folder / "catalog.toml").write_text(FILE.replace('["a"]', all_))
    _, two, _ = claims_of_paper(folder, trials=TRIALS)
    assert two.asked_by_us == asked


def test_there_need_be_no_repairs(folder):
    (folder / "repairs.toml").unlink()
    trials = {key: trial for key, trial in TRIALS.items() if "repair" not in key}
    assert [c.id for c in claims_of_paper(folder, trials=trials)] == ["p/one", "p/two"]


WITHOUT_B = {**TRIALS, "p/two": {"a": OPEN}}


@pytest.mark.parametrize(
    ("trials", "repairs", "message"),
    [
        ({"p/one": OPEN, "p/two": OPEN}, {}, "without a trial \\['p/repair/two'\\]"),
        ({**TRIALS, "p/3": OPEN}, {}, "trials without a claim \\['p/3'\\]"),
        (WITHOUT_B, {}, "catalog.toml: \\$.claims\\[1\\].readings of p/two are \\['a', 'b'\\]"),
        (TRIALS, {"p/tow": "p/one"}, "repairs\\['p/tow'\\]='p/one' does not lead"),
        (TRIALS, {"p/two": "p/oen"}, "repairs\\['p/two'\\]='p/oen' does not lead"),
        ({**TRIALS, "p/one": True}, {}, "the trial of 'p/one' is True"),
    ],
)
def test_what_does_not_match_is_refused(folder, trials, repairs, message):
    with pytest.raises(DomainError, match=message):
        claims_of_paper(folder, trials=trials, repairs=repairs)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("citation =", "citaton =", '$ has the unknown key "citaton"'),
        ('citation = "Nobody: Nothing (2000)"', "", '$ has no key "citation"'),
        ("citation =", "= ", "Invalid statement (at line 2, column 1)"),
        ("One.", "\\x", "Unescaped"),
        ('says = "One."', "", '$.claims[0] has no key "says"'),
        ('says = "One."', "says = 1", "$.claims[0].says=1 is not a string"),
        ('says = "One."', 'says = ""', '$.claims[0].says="" is not a string of length >= 1'),
        ('says = "One."', "says = 2000-01-01", '$.claims[0].says={"date": "2000-01-01"} is not'),
        ('"p/one"', '"one"', '$.claims[0].id="one" is not'),
        ('"p/one"', '"q/one"', '$.claims[0].id="q/one" is not of this file. Write p/...'),
        ('"p/one"', '"p/repair/1"', '$.claims[0].id="p/repair/1" is not of this file'),
        ('"p/one"', '"p/ one"', '$.claims[0].id="p/ one" is not'),
        ('id = "p/two"', 'id = "p/one"', '$.claims[1].id="p/one" stands at'),
        ('where = "Section 2"', 'place = "2"', '$.claims[1] has the unknown key "place"'),
        ('a = "so"', "a = 3", "$.claims[1].readings.a=3 is not a string"),
        ('{ a = "so", b = "or so" }', '["so"]', '$.claims[1].readings=["so"] is not an object'),
        ('a = "so"', '"" = "so"', '$.claims[1].readings has the key ""'),
        ('["b"]', '["b", "c"]', '$.claims[1].hypothetical[1]="c" is not a reading'),
        ('["b"]', '"b"', '$.claims[1].hypothetical="b" is not a list'),
        ('["a"]', '["c"]', '$.claims[1].asked_by_us[0]="c" is not a reading'),
        ('b = "q/sum"', 'c = "log"', '$.claims[1].cause[1]="c" is not a reading'),
        ('"log", b', '"lag", b', '$.claims[1].cause="lag" is not a key of [causes], which has log'),
        (
            "[mends]\nlog",
            "[mends]\nlag",
            "$.mends.lag mends no error: it is not a claim's id, and [causes] has log",
        ),
        ('"p/two"\nsays', '"p/three"\nsays', '$.claims[0].repair="p/three" is not another claim'),
        ('"p/two"\nsays', '"p/one"\nsays', '$.claims[0].repair="p/one" is not another claim'),
    ],
)
def test_a_malformed_file_names_the_place(folder, before, after, message):
    assert before in FILE
    path = folder / "catalog.toml"
    path.write_text(FILE.replace(before, after, 1))
    with pytest.raises(ParseError, match=f"^{re.escape(str(path))}: ") as raised:
        read_catalog(folder)
    assert message in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'citation = "x"\n', '$ has the unknown key "citation"'),
        (REPAIRS.replace("/repair", "").encode(), "Write p/repair/..."),
        (b"\xff", "utf-8"),
    ],
)
def test_so_do_malformed_repairs(folder, content, message):
    (folder / "repairs.toml").write_bytes(content)
    with pytest.raises(ParseError, match=r"repairs\.toml: ") as raised:
        read_catalog(folder)
    assert message in str(raised.value)


def test_a_missing_catalog_is_named(tmp_path):
    with pytest.raises(ParseError, match=r"catalog\.toml: cannot be read: No such file"):
        read_catalog(tmp_path)


def test_the_documented_keys_are_the_keys():
    documented = re.findall(r"^``(\w+)``", catalog_file.__doc__, re.MULTILINE)
    assert tuple(documented) == catalog_file.Entry.__struct_fields__


HALF_OF_THEM = """
from exactdp.claims import Open
TRIALS = {"p/one": Open("one"), "p/repair/two": Open("mended")}
"""
OTHER_HALF = """
from exactdp.claims import Open
TRIALS = {"p/two": {"a": Open("a"), "b": Open("b")}}
"""


@pytest.fixture
def claims_of_files(folder, monkeypatch):
    """What makes the claims of a package ``p`` whose trials are these files."""

    def claims(files):
        for path, content in {"__init__.py": "", **files}.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(content)
        monkeypatch.syspath_prepend(str(folder.parent))
        return [(claim.id, list(claim.readings)) for claim in paper_of_package("p").claims()]

    yield claims
    for name in [name for name in sys.modules if name.partition(".")[0] == "p"]:
        del sys.modules[name]


EVERY_CLAIM = [("p/one", [""]), ("p/two", ["a", "b"]), ("p/repair/two", [""])]


@pytest.mark.parametrize(
    "files",
    [
        {"trials.py": HALF_OF_THEM + 'TRIALS["p/two"] = {"a": Open("a"), "b": Open("b")}'},
        {"trials/__init__.py": "", "trials/z.py": HALF_OF_THEM, "trials/a.py": OTHER_HALF},
        {
            "trials/__init__.py": "from p.trials import a\nTRIALS = {**a.TRIALS}",
            "trials/a.py": OTHER_HALF,
            "trials/b.py": HALF_OF_THEM,
            "trials/without.py": "",
        },
    ],
    ids=["a module", "a package", "a package that joins some itself"],
)
def test_trials_are_those_of_all_files(claims_of_files, files):
    assert claims_of_files(files) == EVERY_CLAIM


def test_two_files_do_not_try_one_claim(claims_of_files):
    twice = {"trials/__init__.py": "", "trials/a.py": OTHER_HALF, "trials/b.py": OTHER_HALF}
    with pytest.raises(DomainError, match=r"^p\.trials\.b tries 'p/two' once more\. Delete one"):
        claims_of_files(twice)


def test_a_file_that_is_left_out_is_missed(claims_of_files):
    with pytest.raises(DomainError, match=r"claims without a trial \['p/two'\]"):
        claims_of_files({"trials/__init__.py": "", "trials/a.py": HALF_OF_THEM})


def test_installed_papers_are_found():
    assert "biswas2023" in papers()


def chosen(*names):
    selection = select(names)
    assert not selection.unreadable
    return selection.chosen


def test_select_by_paper_claim_and_prefix():
    ((paper, claims),) = chosen("biswas2023/table-IV")
    assert paper.key == "biswas2023" and len(claims) == 9
    ((_, one),) = chosen("biswas2023/equation-13")
    assert [c.id for c in one] == [
        "biswas2023/equation-13/first-display",
        "biswas2023/equation-13/second-display",
        "biswas2023/equation-13",
    ]
    ((_, every),) = chosen("biswas2023")
    assert len(every) == len(paper.claims())
    assert select(["biswas2023"]).whole == {"biswas2023"}
    assert select(["biswas2023/table-IV", "lemmas"]).whole == {"lemmas"}


def paper_of_parts(read):
    """A paper of two catalogs, which lists the parts that are read."""

    def part(name, *ids):
        def claims():
            read.append(name)
            return tuple(
                Claim(i, says="x", source=Source("p", "1"), readings={"": OPEN}) for i in ids
            )

        return claims

    parts = {"p/a": part("a", "p/a/1", "p/a/2"), "p/ab": part("ab", "p/ab/1")}
    return Paper("p", "x", lambda: tuple(c for one in parts.values() for c in one()), parts=parts)


def install(monkeypatch, paper):
    """Let a paper be the only one that is installed."""
    entry = SimpleNamespace(name=paper.key, value="somewhere", load=lambda: paper)
    monkeypatch.setattr(catalog, "entry_points", lambda group: [entry])


@pytest.mark.parametrize(
    ("names", "read", "found", "is_whole"),
    [
        (["p/a/2"], ["a"], ["p/a/2"], False),
        (["p/ab"], ["ab"], ["p/ab/1"], False),
        (["p/a/", "p/a/1"], ["a"], ["p/a/1", "p/a/2"], False),
        (["p"], ["a", "ab"], ["p/a/1", "p/a/2", "p/ab/1"], True),
        (["p/ab", "p/a"], ["a", "ab"], ["p/ab/1", "p/a/1", "p/a/2"], True),
    ],
)
def test_only_the_parts_that_are_asked_for_are_read(monkeypatch, names, read, found, is_whole):
    seen = []
    install(monkeypatch, paper_of_parts(seen))
    selection = select(names)
    assert seen == read
    assert [c.id for c in selection.chosen[0][1]] == found
    assert selection.whole == ({"p"} if is_whole else set())


def test_a_name_in_no_part_is_refused(monkeypatch):
    seen = []
    install(monkeypatch, paper_of_parts(seen))
    with pytest.raises(DomainError, match="claim='p/c/1' is not in the catalog"):
        select(["p/a", "p/c/1"])
    assert seen == ["a", "ab"]


def test_the_parts_of_the_libraries_are_all_their_claims():
    ((paper, claims),) = chosen("libraries")
    for name in paper.parts:
        ((_, some),) = chosen(name)
        assert [c.id for c in some] == [c.id for c in claims if c.id.startswith(f"{name}/")]
    assert sum(len(chosen(name)[0][1]) for name in paper.parts) == len(claims)


def test_an_instance_prints_what_it_is():
    at = Instance.of(n=2, others=((1, 3),))
    assert at["n"] == 2 and str(at) == "n=2, others=((1, 3),)"
