"""Claims of registries: the truth beside them, badges, certificates, and hostile files."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from exactdp.cli.app import application
from exactdp.compare.badges import COLORS, badge
from exactdp.compare.registry import EntryAnswer, answer_of_entry, read_registry
from exactdp.compare.statements import certificate_of_answer, certificate_of_answers
from exactdp.errors import ExactDPError, ParseError
from proofs_check.kernel import Accepted, Rejected, check

ROOT = Path(__file__).parents[3]
HEAD = {"format": "exactdp-registry/1"}
GAUSSIAN = {"kind": "gaussian", "sigma": "2"}
COIN = {"kind": "guarantee", "epsilon": {"rational": "0.3"}}
MECHANISMS: list[tuple[str, dict[str, Any]]] = [
    ("laplace", {"scale": "2", "sensitivity": "3"}),
    ("gaussian", {"sigma": "3/2", "sensitivity": "2"}),
    ("guarantee", {"epsilon": {"log": "3"}}),
    ("finite_pair", {"p": ["0.7", "0.2", "0.1"], "q": ["0.1", "0.3", "0.6"]}),
    ("composition", {"parts": [{"problem": COIN, "times": 9}]}),
    (
        "composition",
        {"parts": [{"problem": GAUSSIAN, "times": 3}, {"problem": {**GAUSSIAN, "sigma": "5"}}]},
    ),
]


def entry(
    mechanism: str, parameters: object, epsilon: object, delta: object, **more: object
) -> str:
    return json.dumps(
        HEAD
        | {"mechanism": mechanism, "parameters": parameters}
        | {"claimed_epsilon": epsilon, "delta": delta, **more}
    )


def answered(*arguments: Any, **more: object) -> EntryAnswer:
    [one] = read_registry(entry(*arguments, **more))
    return answer_of_entry(one)


@pytest.mark.parametrize(
    ("epsilon", "standing"),
    [("0.49", "exceeded"), ("0.5", "holds"), ("0.54", "holds"), (1, "loose")],
)
def test_a_claim_stands_to_the_truth_of_laplace_noise(epsilon: object, standing: str) -> None:
    """Of scale 2 and sensitivity 1 the largest loss is 1/2."""
    found = answered("laplace", {"scale": "2"}, epsilon, 0)
    assert found.standing == standing
    assert found.factor is not None
    claimed = Fraction(str(epsilon)) * 2
    assert found.factor.lower <= claimed <= found.factor.upper
    assert found.factor.width < Fraction(1, 10**9)


def test_no_epsilon_of_normal_noise_is_pure() -> None:
    found = answered("gaussian", {"sigma": "1e6"}, 10_000, 0)
    assert (found.standing, found.says) == ("exceeded", "no epsilon has this delta")
    assert found.factor is None


@pytest.mark.parametrize(("mechanism", "parameters"), MECHANISMS)
@pytest.mark.parametrize("delta", ["1e-3", "1e-30"])
def test_the_kernel_accepts_the_verdict_right_above_and_below_the_truth(
    mechanism: str, parameters: dict[str, Any], delta: str
) -> None:
    """The terms are a route of their own, and the kernel evaluates them by itself."""
    about = answered(mechanism, parameters, 0, delta).known.enclosure
    assert about is not None
    for end, sign, standing in ((about.upper, 1, "holds"), (about.lower, -1, "exceeded")):
        claimed = Fraction(end) * (1 + sign * Fraction(1, 10**6))
        found = answered(mechanism, parameters, str(claimed), delta)
        assert found.standing == standing
        made = certificate_of_answer(found)
        assert made is not None
        assert isinstance(check(made.to_bytes()), Accepted)
        [(relation, left, right)] = made.conclusion
        data = json.loads(made.to_bytes())
        data["conclusion"] = [["<=" if relation == "<" else "<", right.json, left.json]]
        assert isinstance(check(json.dumps(data).encode()), Rejected)


def test_there_is_no_term_of_what_is_sampled_or_of_other_noise() -> None:
    sampled = {"sigma": "1", "sampling": {"poisson": "0.1"}}
    for one in (
        answered("gaussian", sampled, 1, "1e-5"),
        answered("composition", {"parts": [{"problem": {"kind": "laplace", "scale": 1}}]}, 1, 0),
        answered("guarantee", {"epsilon": {"log": "3"}, "delta": "1e-9"}, 2, "1e-5"),
        answered("discrete_laplace", {"scale": "1"}, 2, "1e-5"),
    ):
        assert one.standing != "open"
        assert certificate_of_answer(one) is None
    assert certificate_of_answers([]) is None


def test_a_badge_is_small_well_formed_and_says_its_verdict_in_words() -> None:
    name = "<script>&\"' \x00\u202e]]>" + "x" * 500
    for standing, color in COLORS.items():
        svg = badge(name, standing, standing=standing, title=name)
        root = ET.fromstring(svg)
        assert len(svg) < 3000 and "<script" not in svg and "http" not in svg.split(">", 1)[1]
        title = root.find("{http://www.w3.org/2000/svg}title")
        assert root.get("role") == "img" and title is not None
        assert title.text == "<script>&\"' \ufffd\ufffd]]>" + "x" * 500
        texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts[1] == standing and len(texts[0] or "") == 60
        assert _contrast(color) > 4.5


def _contrast(color: str) -> float:
    """Return the contrast with white, as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05)


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(application(), ["compare", *arguments])
    if isinstance(done.exception, ExactDPError):
        raise done.exception
    return done.exit_code, done.output


def test_the_command_writes_a_badge_and_a_certificate_that_is_accepted(tmp_path: Path) -> None:
    out, made = tmp_path / "a badge.svg", tmp_path / "a certificate.json"
    options = ("--badge", str(out), "--certificate", str(made), "--ci")
    code, shown = run(str(ROOT / "examples/registry/deployments.json"), *options)
    assert code == 1 and "EXCEEDED" in shown and "None" not in shown
    assert "no certificate: training, 1,000 steps" in shown
    assert "of 3 of 4 claims" in shown
    assert "1 exceeded, 1 loose, 2 holds" in out.read_text()
    done = CliRunner().invoke(application(), ["verify", str(made)])
    assert done.exit_code == 0 and "accepted: " in done.output
    with pytest.raises(ParseError, match="exists"):
        run(str(ROOT / "examples/registry/one.json"), "--certificate", str(made))


def test_the_answers_of_a_registry_as_json() -> None:
    code, shown = run(str(ROOT / "examples/registry/one.json"), "--format", "json")
    [one] = json.loads(shown)["entries"]
    assert code == 0
    # (3 - e)/4 = 0.0704 > 0.05; the least epsilon is ln(3 - 4/20) = ln 2.8.
    low, high = map(float, one["epsilon"][1:-1].split(", "))
    assert low <= math.log(2.8) * (1 + 1e-15) and high >= math.log(2.8) * (1 - 1e-15)
    assert (one["verdict"], one["certificate"], one["delta"]) == ("exceeded", True, "0.05")


def test_where_nothing_can_be_certified_no_file_is_written(tmp_path: Path) -> None:
    file, made = tmp_path / "r.json", tmp_path / "c.json"
    file.write_text(entry("discrete_laplace", {"scale": "1"}, 2, "1e-5", name="\x1b[31m\nx"))
    _, shown = run(str(file), "--certificate", str(made))
    assert "certificate: none is written" in shown and not made.exists()
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7", "is not a registry"),
        ("[]", "is not a registry"),
        ('{"format": "exactdp-registry/2"}', "exactdp-registry"),
        ('{"format": "exactdp-registry/1"}', "has no key"),
        ('{"format": "exactdp-registry/1", "entries": 3}', r"\$\.entries"),
        ('{"format": "exactdp-registry/1", "entries": [{}]}', r"\$\.entries\[0\] has no key"),
        (entry("laplace", {"scale": "2"}, "nan", 0), r"claimed_epsilon"),
        (entry("laplace", {"scale": "2"}, -1, 0), r"is not a rational number >= 0"),
        (entry("laplace", {"scale": "2"}, "e^2", 0), r"is not a rational number >= 0"),
        (entry("laplace", {"scale": "2"}, "1e999999999", 0), r"claimed_epsilon"),
        (entry("laplace", {"scale": "2"}, [1], 0), r"claimed_epsilon"),
        (entry("laplace", {"scale": "2"}, True, 0), r"claimed_epsilon"),
        (entry("laplace", {"scale": "2"}, None, 0), r"claimed_epsilon"),
        (entry("laplace", {"scale": "2"}, 1, 1), "from 0 to below 1"),
        (entry("laplace", {"scale": "2"}, 1, "-1e-5"), "from 0 to below 1"),
        (entry("laplace", {"scale": "2"}, 1, 1.5), "from 0 to below 1"),
        (entry("laplace", {"scale": "0"}, 1, 0), r"\$\.parameters\.scale"),
        (entry("laplace", {"scale": ["2"]}, 1, 0), r"\$\.parameters\.scale"),
        (entry("laplace", {}, 1, 0), r"\$\.parameters has no scale"),
        (entry("laplace", {"scale": "2", "b": 1}, 1, 0), r"\$\.parameters"),
        (entry("laplace", {"scale": "2", "ask": {}}, 1, 0), "is not a parameter"),
        (entry("laplace", {"scale": "2", "kind": "gaussian"}, 1, 0), "is not a parameter"),
        (entry("laplace", 7, 1, 0), r"\$\.parameters"),
        (entry("<no> such", {}, 1, 0), r"\$\.mechanism"),
        (entry("laplace", {"scale": "2"}, 1, 0, name=7), r"\$\.name"),
        (entry("laplace", {"scale": "2"}, 1, 0, more=7), "more"),
        ('{"format": "exactdp-registry/1", "format": "x"}', "twice|repeated|again"),
        ("{" * 100, "nest|JSON"),
        ("", "JSON"),
    ],
)
def test_a_file_that_is_no_registry_is_one_line(text: str, message: str) -> None:
    with pytest.raises(ExactDPError, match=message) as caught:
        read_registry(text)
    assert "\n" not in str(caught.value)


def test_options_of_another_kind_of_file_are_refused(tmp_path: Path) -> None:
    problem = tmp_path / "p.json"
    problem.write_text('{"kind": "laplace", "scale": "2", "ask": {"epsilon": ["1e-5"]}}')
    one = str(ROOT / "examples/registry/one.json")
    for arguments, message in (
        ((str(problem), "--badge", str(tmp_path / "b.svg")), "of a registry's claims"),
        ((one, "--with", "opendp/map"), "--with is of problems"),
        ((one, "--format", "sarif"), "not for registries"),
    ):
        with pytest.raises(ParseError, match=message):
            run(*arguments)


def test_what_cannot_be_decided_is_open_and_stops_nothing() -> None:
    part = {"problem": {"kind": "gaussian", "sigma": "1e-6", "sampling": {"poisson": "1e-12"}}}
    found = answered("composition", {"parts": [{**part, "times": 100}]}, "1/2", "1e-300")
    assert found.standing == "open" and found.reason
    assert certificate_of_answer(found) is None
