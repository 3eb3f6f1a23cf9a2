"""Catalog files joined with trials; papers found through entry points."""

import pytest

from exactdp.claims import Instance, Open, claims_from_catalog, papers, select
from exactdp.errors import DomainError

FILE = """
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
"""
OPEN = Open("not public")


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "catalog.toml"
    file.write_text(FILE)
    return file


def test_entries_and_trials_are_joined(path):
    trials = {"p/one": OPEN, "p/two": {"a": OPEN, "b": OPEN}}
    one, two = claims_from_catalog(path, paper="p", trials=trials, repairs={"p/two": "p/three"})
    assert (one.id, one.repair, str(one.source)) == ("p/one", "p/two", "p, Section 1")
    assert two.repair == "p/three"
    assert two.reading_says == {"a": "so", "b": "or so"} and list(two.readings) == ["a", "b"]


@pytest.mark.parametrize(
    ("trials", "message"),
    [
        ({"p/one": {"": OPEN}}, "claims without a trial \\['p/two'\\]"),
        (
            {"p/one": {"": OPEN}, "p/two": {"a": OPEN, "b": OPEN}, "p/3": {"": OPEN}},
            "trials without a claim \\['p/3'\\]",
        ),
        ({"p/one": {"": OPEN}, "p/two": {"a": OPEN}}, "p/two: readings \\['a', 'b'\\]"),
    ],
)
def test_what_does_not_match_is_refused(path, trials, message):
    with pytest.raises(DomainError, match=message):
        claims_from_catalog(path, paper="p", trials=trials)


def test_installed_papers_are_found():
    assert "biswas2023" in papers()


def test_select_by_paper_claim_and_prefix():
    ((paper, claims),) = select(["biswas2023/table-IV"])
    assert paper.key == "biswas2023" and len(claims) == 9
    ((_, one),) = select(["biswas2023/equation-13"])
    assert [c.id for c in one] == [
        "biswas2023/equation-13/first-display",
        "biswas2023/equation-13/second-display",
        "biswas2023/equation-13",
    ]
    ((_, every),) = select(["biswas2023"])
    assert len(every) == len(paper.claims())


def test_an_instance_prints_what_it_is():
    at = Instance.of(n=2, others=((1, 3),))
    assert at["n"] == 2 and str(at) == "n=2, others=((1, 3),)"
