"""Ready fixtures of published bounds: of every bound, and what is asked again is the same."""

import json
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp.bounds import bounds_of, published
from exactdp.bounds.fixtures import FIXTURES_FORMAT, STYLES, ordinary
from exactdp.bounds.papers import papers_with_bounds
from tests.commands import run

FILE = Path(__file__).parents[2] / "examples" / "fixtures" / "bounds.json"
KEPT = json.loads(FILE.read_bytes())
BOUNDS = KEPT["bounds"]


def test_every_bound_has_some():
    names = {bound.claim for key in papers_with_bounds() for bound in bounds_of(key)}
    assert {one["claim"] for one in BOUNDS} == names
    assert KEPT["format"] == FIXTURES_FORMAT and FILE.stat().st_size < 10**6


def test_some_are_asked_again_bit_for_bit(tmp_path, capsys):
    """Every eleventh; .ci/run asks all."""
    document = KEPT | {"bounds": BOUNDS[::11]}
    (tmp_path / "some.json").write_text(json.dumps(document))
    assert run("bounds", "--fixtures", "json", "--at", tmp_path / "some.json") == 0
    assert json.loads(capsys.readouterr().out) == document


@pytest.mark.parametrize("one", BOUNDS[::7], ids=lambda one: one["claim"])
def test_the_safe_double_and_the_truth_are_on_their_sides(one):
    formula, is_upper = Fraction(Decimal(one["formula"])), one["side"] == "upper"
    low, high = (Fraction(Decimal(one["truth"][end])) for end in ("lower", "upper"))
    assert low <= high
    if one["safe_double"] == "inf":
        assert is_upper and formula > Fraction(sys.float_info.max)
    elif one["safe_double"] is not None:
        slack = (Fraction(one["safe_double"]) - formula) * (1 if is_upper else -1)
        assert slack >= -abs(formula) / 10**16  # the text has 17 digits
    if one["below_truth"] == "formula":
        assert formula <= high if is_upper else formula >= low
    if one["told"] and one["below_truth"] is None:
        assert formula >= low * (1 - Fraction(1, 10**16)) if is_upper else formula <= high * 2


def test_those_that_are_drawn_are_the_same_at_each_call():
    bound = published("ding2025/theorem-1")
    first, second = ([one.document() for one in ordinary(bound, count=2)] for _ in range(2))
    assert first == second and len(first) == 2


def test_each_style_has_each_bound(tmp_path, capsys):
    chosen = [one for one in BOUNDS if one["claim"].startswith("feldman2021/")]
    (tmp_path / "some.json").write_text(json.dumps(KEPT | {"bounds": chosen}))
    for style in STYLES:
        assert run("bounds", "--fixtures", style, "--at", tmp_path / "some.json") == 0
        text = capsys.readouterr().out
        for name in ("feldman2021/theorem-3.1", "feldman2021/reduction"):
            assert text.count(f'"{name}"') >= 4, style


@pytest.mark.parametrize(
    ("arguments", "content", "says"),
    [
        (["--at", "FILE"], "", "--at='{}' is where --fixtures are asked. Give --fixtures, too."),
        (["--fixtures", "cobol"], "", "--fixtures='cobol' is unknown. Give one of json, "),
        (["--fixtures", "json", "--at", "FILE"], "[]", "--at: not a file of fixtures of bounds ("),
        (["--fixtures", "json", "--at", "FILE"], '{"format": "x"}', "--at: not a file of"),
        (["--fixtures", "json", "--at", "NOWHERE"], "", "FILE='NOWHERE' cannot be read"),
        (
            ["--fixtures", "json", "--at", "FILE"],
            '{"format": "exactdp-bound-fixtures/1", "bounds": [{"claim": "a/b", "arguments": {}}]}',
            "bound='a/b' is unknown.",
        ),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, content, says, tmp_path, capsys):
    file = tmp_path / "given.json"
    file.write_text(content)
    assert run("bounds", *(str(file) if x == "FILE" else x for x in arguments)) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: " + says.replace("{}", str(file)))
