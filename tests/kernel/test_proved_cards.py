"""Cards and the checker that is proved in Coq: the laws it is given, and what it says of them."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

from exactdp.accounting import poisson_subsampled
from exactdp.cards.laws import with_laws
from exactdp.errors import DomainError
from proofs_check.kernel import Accepted, check
from tests.kernel.test_cards import MECHANISMS, P, Q, card, mutants, truth_of
from tests.kernel.three_checkers import answers

SHARE = {"sampling_probability": "0.3"}


def number(text: str) -> Fraction:
    """The number that hexadecimal digits are."""
    top, _, bottom = text.partition("/")
    return Fraction(int(top, 16), int(bottom or "0x1", 16))


def small(name: str, **changed: Any) -> dict[str, Any]:
    """A card of a few points."""
    content = card(name, grid={"step": "1/16", "bits": 96, "points": 600}, **changed)
    return content | {"parts": [{**x, "from": -30, "to": 30} for x in content["parts"]]}


# Without Coq: the laws that it is given, by another route.


@pytest.mark.parametrize("changed", [{}, SHARE])
def test_masses_of_a_pair_are_above_it(changed: dict[str, str]) -> None:
    """At each corner, between two and at 0: all masses from definitions, in 80 digits."""
    made = with_laws(small("pair", **changed))
    [step], unit = made["steps"], 2 ** made["bits"]
    p, q = ([number(x) for x in step["step"][key]] for key in ("p", "q"))
    s = Fraction(changed.get("sampling_probability", "1"))
    assert p == [s * Fraction(x) + (1 - s) * Fraction(y) for x, y in zip(P, Q, strict=True)]
    with mp.workdps(80):
        width = mpf(number(made["width"]).numerator) / number(made["width"]).denominator
        for law in step["laws"]:
            pairs = zip(p, q, strict=True) if law["order"] == "removed" else zip(q, p, strict=True)
            atoms = [
                (mpf(x.numerator) / x.denominator, mpf(y.numerator) / y.denominator)
                for x, y in pairs
            ]
            masses = [
                (law["first"] + i, int(m, 16)) for i, m in enumerate(law["masses"]) if int(m, 16)
            ]
            ends = [law["first"] - 3, law["first"] + len(law["masses"]) + 2]
            for j in [*ends, *(k + shift for k, _ in masses for shift in (0, mpf(1) / 3))]:
                ratio = mp.exp(j * width)
                curve = int(law["infinite"], 16) + sum(
                    m * max(0, 1 - ratio * mp.exp(-k * width)) for k, m in masses
                )
                assert curve >= unit * sum(max(0, x - ratio * y) for x, y in atoms)
            assert sum(m for _, m in masses) + int(law["infinite"], 16) >= unit


def test_noise_that_adds_up_is_one_step() -> None:
    part = small("gaussian")["parts"][0]
    parts = [{**part, "times": 3}, {**part, **SHARE}, {**part, "noise_multiplier": "2"}]
    made = with_laws(small("gaussian") | {"parts": parts})
    assert [(int(x["times"], 16), x["step"]["kind"]) for x in made["steps"]] == [(1, "assumed")] * 2
    assert made["steps"][1]["name"].count("gaussian") == 2


def test_what_is_not_private_is_not_written() -> None:
    with pytest.raises(DomainError, match='takes cards that say "private"'):
        with_laws(card("pair", says="not private", order="removed"))


# The program.


def asked(program: Path, *documents: dict[str, Any]) -> list[tuple[str, str]]:
    """What the program says of documents."""
    return answers(program, [json.dumps(x).encode() for x in documents], seconds=20)


def tight(name: str, **changed: Any) -> dict[str, Any]:
    """A card with about the least delta that the kernel shows, at least 1e-9."""
    content = card(name, delta="1", **changed)
    said = check(json.dumps(content).encode())
    assert isinstance(said, Accepted)
    found = [Fraction(x) for x in re.findall(r"delta <= ~?([0-9.]+(?:e-[0-9]+)?)", said.statement)]
    assert len(found) == 2
    return content | {"delta": f"{min(1, max(1e-9, float(max(found)) * 1.002)):.12f}"}


@pytest.mark.parametrize("times", [1, 6, 11])
@pytest.mark.parametrize("share", [{}, SHARE])
@pytest.mark.parametrize("name", MECHANISMS)
def test_it_shows_what_the_kernel_shows(
    program: Path, name: str, share: dict[str, str], times: int
) -> None:
    if name == "zcdp" and share:
        pytest.skip("of a sample of zCDP nothing is known")
    made = with_laws(tight(name, times=times, **share))
    [(word, said)] = asked(program, made)
    assert word == "accepted", said
    kind = made["steps"][0]["step"]["kind"]
    paper = {
        "assumed": "#1 has a divergence at e^(j * ",
        "pair": "no larger divergence than the pair p = [",
        "randomized_response": "than randomized response among 2 at epsilon 13/10",
        "guarantee": "#1 is (1, 1/1000)-close in both orders",
    }
    assert paper[kind] in said and "what remains on paper" in said
    if number(made["delta"]) > Fraction(1, 10**8):  # with half of it, which is below the truth
        half = number(made["delta"]) / 2
        changed = made | {"delta": f"{hex(half.numerator)}/{hex(half.denominator)}"}
        assert asked(program, changed)[0][0] == "refused"


@pytest.mark.parametrize("name", ["gaussian", "laplace", "discrete_gaussian"])
def test_the_points_that_are_assumed_are_true_and_near(
    program: Path, tmp_path: Path, name: str
) -> None:
    """All that is left to believe of a step, beside the engine: six digits, rounded down."""
    path = tmp_path / "card.json"
    path.write_text(json.dumps(with_laws(card(name, **SHARE))))
    run = subprocess.run([program, "--points", path], capture_output=True, text=True, check=True)
    width = Fraction(run.stdout.split("e^(j * ")[1].split(")")[0])
    profile = poisson_subsampled(MECHANISMS[name][1], sampling_probability="0.3")
    for order in ("removed", "added"):
        points = re.search(rf"{order}, at most d for each of (\d+) j: ([^;()]*)", run.stdout)
        assert points is not None
        found = dict(one.split(": ") for one in points[2].strip().split(", "))
        assert len(found) == int(points[1])
        for j in [*found][:: len(found) // 6]:
            low, high = truth_of(profile, str(int(j) * width))[order]
            assert low <= Fraction(found[j]) * (1 + Fraction(2, 10**5)), (order, j)
            assert Fraction(found[j]) <= high * Fraction(102, 100) + Fraction(1, 10**6), (order, j)


@pytest.mark.parametrize("name", ["pair", "randomized_response", "guarantee"])
def test_masses_that_are_below_a_step_are_refused(program: Path, name: str) -> None:
    """Of each order the largest mass is a thousandth lower, and moved two places down."""
    made = with_laws(card(name))
    assert asked(program, made)[0][0] == "accepted"
    for i in (0, 1):
        changed = json.loads(json.dumps(made))
        law = changed["steps"][0]["laws"][i]
        masses = [int(m, 16) for m in law["masses"]]
        at = max(range(2, len(masses)), key=masses.__getitem__)
        taken = masses[at] // 1000
        masses[at], masses[at - 2] = masses[at] - taken, masses[at - 2] + taken
        law["masses"] = [*map(hex, masses)]
        assert asked(program, changed)[0][0] == "refused"


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ({"mechanism": "gaussian", "noise_multiplier": "3"}, {"group": 2}),
        ({"mechanism": "guarantee", "epsilon": "0.3", "delta": "0"}, {"group": 2}),
        ({"mechanism": "pair", "p": P, "q": Q, "batch_fraction": "0.3"}, {"neighbors": "replace"}),
        ({"mechanism": "shuffled", "users": 500, "epsilon": "1"}, {"neighbors": "replace"}),
    ],
)
def test_of_what_is_no_finite_pair_points_are_assumed(
    program: Path, part: dict[str, Any], changed: dict[str, Any]
) -> None:
    parts = [{**part, "times": 3, "from": -160, "to": 160}]
    content = card("gaussian", **changed) | {"parts": parts}
    assert isinstance(check(json.dumps(content).encode()), Accepted)
    made = with_laws(content)
    [(word, said)] = asked(program, made)
    assert word == "accepted" and "#1 has a divergence at e^(j * 1/32)" in said
    assert ("groups of 2" in said) == ("group" in changed)


def test_the_fixture_of_cards_is_accepted(program: Path) -> None:
    """As tight as cards are written: their last digit of epsilon is the smallest."""
    text = (Path(__file__).parents[2] / "examples" / "fixtures" / "cards.jsonl").read_text()
    cards = [one for one in map(json.loads, text.splitlines()) if one["says"] == "private"]
    assert len(cards) >= 7
    for content, (word, said) in zip(cards, asked(program, *map(with_laws, cards)), strict=True):
        assert word == "accepted", (content["label"], said)


def test_parts_of_different_kinds_are_composed(program: Path) -> None:
    parts = [x for name in ("pair", "guarantee", "laplace") for x in card(name)["parts"]]
    content = card("pair") | {"parts": [{**x, "times": 2} for x in parts], "epsilon": "3"}
    made = with_laws(content)
    [(word, said)] = asked(program, made)
    assert word == "accepted", said
    assert "2 x #1, 2 x #2, 2 x #3" in said


def test_what_is_accepted_of_drawn_claims_is_true(program: Path) -> None:
    counts = Counter[tuple[str, bool]]()
    drawn = [x for x in mutants(36, seed=2) if x[0]["says"] == "private"]
    for content, profile in drawn:
        is_shown = isinstance(check(json.dumps(content).encode()), Accepted)
        [(word, said)] = asked(program, with_laws(content))
        counts[word, is_shown] += 1
        if word == "accepted":
            truth, delta = truth_of(profile, content["epsilon"]), Fraction(content["delta"])
            assert all(low <= delta for low, _ in truth.values()), (content, said)
    assert counts["accepted", True] > 5 and counts["refused", False] > 3
    assert counts["accepted", False] + counts["refused", True] <= 3, counts


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"width": "0x0"}, "refused"),
        ({"width": "0x5"}, "refused"),
        ({"bits": 10**6}, "refused"),
        ({"fine": 1}, "refused"),
        ({"points": 0}, "refused"),
        ({"cut": "-0x1"}, "refused"),
        ({"more": 1}, "refused"),
        ({"steps": []}, "refused"),
    ],
)
def test_a_bad_file_is_one_word(program: Path, changed: dict[str, Any], word: str) -> None:
    [(found, said)] = asked(program, with_laws(card("pair")) | changed)
    assert found == word and "\n" not in said


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"masses": ["-0x1"]}, ["refused"]),
        ({"masses": ["0x0"]}, ["refused"]),
        ({"masses": []}, ["refused"]),
        ({"infinite": "-0x1"}, ["refused"]),
        ({"order": "added"}, ["refused"]),
        ({"first": 10**15}, ["refused", "undecided"]),
        ({"first": -(10**15)}, ["refused", "undecided"]),
    ],
)
def test_bad_masses_are_refused(program: Path, changed: dict[str, Any], words: list[str]) -> None:
    made = with_laws(card("pair"))
    made["steps"][0]["laws"][0] |= changed
    assert asked(program, made)[0][0] in words


def test_a_file_that_takes_long_is_undecided(program: Path) -> None:
    made = with_laws(card("gaussian", **SHARE)) | {"points": 10**9}
    made["steps"][0]["times"] = hex(10**12 - 1)
    [(word, _)] = answers(program, [json.dumps(made).encode()], seconds=2)
    assert word in ("undecided", "refused")
