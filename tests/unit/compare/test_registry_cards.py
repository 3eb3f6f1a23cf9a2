"""Cards of a registry's entries: they hold, and are of the entry's deployment and claim."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.commands import outcome

ROOT = Path(__file__).parents[3]


def card(sigma: str, **changed: str) -> str:
    """A card of four times Gaussian noise, on a coarse grid: quick to check."""
    part = {"mechanism": "gaussian", "noise_multiplier": sigma, "times": 4, "from": -80, "to": 80}
    content: dict[str, Any] = {"format": "exactdp-card/1", "says": "private", "epsilon": "2.05"}
    content |= {"delta": "1e-5", "neighbors": "add_or_remove", "parts": [part]}
    return json.dumps(content | {"grid": {"step": "1/16", "bits": 64, "points": 400}} | changed)


@pytest.fixture
def made() -> dict[str, str]:
    """Cards of the entry, of twice as much noise, and from below."""
    below = card("4", says="not private", order="removed", epsilon="1")
    return {"card": card("4"), "other": card("8"), "below": below}


def registry(folder: Path, content: str | None, **changed: Any) -> Path:
    """A registry of one entry, whose card has a content, in a folder."""
    part = {"problem": {"kind": "gaussian", "sigma": "4"}, "times": 4}
    entry = {"format": "exactdp-registry/1", "name": "means", "mechanism": "composition"}
    entry |= {"parameters": {"parts": [part]}, "claimed_epsilon": "2.1", "delta": "1e-5"}
    if content is not None:
        (folder / "card.json").write_text(content)
    path = folder / "deployments.json"
    path.write_text(json.dumps(entry | {"card": "card.json"} | changed))
    return path


def test_a_card_of_the_entry_is_shown(
    tmp_path: Path, made: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = registry(tmp_path, made["card"])
    code, out, _ = outcome(capsys, "registry", "check", path)
    epsilon = json.loads(made["card"])["epsilon"]
    assert (code, out) == (
        0,
        f"means: (2.1, 0.00001)-DP: card.json shows ({epsilon}, 1e-5)-DP, "
        "neighbors by add_or_remove\n",
    )


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        ("card", {"claimed_epsilon": "1"}, "which is more than is claimed"),
        ("card", {"delta": "1e-6"}, "which is more than is claimed"),
        ("other", {}, "is of another deployment: 4 x gaussian(noise_multiplier = 8)"),
        ("below", {}, 'the card says "not private"'),
        ("changed", {}, "the card is rejected: "),
        ("garbage", {}, "the card is rejected: "),
        ("certificate", {}, "the format is not exactdp-card/1"),
        (None, {}, "No such file or directory"),
    ],
)
def test_another_card_fails_in_one_line(
    tmp_path: Path,
    made: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    name: str | None,
    changed: dict[str, Any],
    said: str,
) -> None:
    bad = {
        "changed": re.sub('"epsilon": "[^"]*"', '"epsilon": "0.2"', made["card"]),
        "garbage": "{",
        "certificate": '{"format": "exactdp-certificate/1", "claim": "", '
        '"conclusion": [["<", "0x1", "0x2"]]}',
    }
    path = registry(tmp_path, None if name is None else {**made, **bad}[name], **changed)
    code, out, _ = outcome(capsys, "registry", "check", path)
    assert code == 1
    assert out.count("\n") == 1 and "-DP: FAILS: card.json: " in out and said in out


def test_an_entry_without_a_card_does_not_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = registry(tmp_path, None, card="")
    code, out, _ = outcome(capsys, "registry", "check", path)
    assert (code, out) == (0, "means: (2.1, 0.00001)-DP: no card\n")


def test_the_workflow_fails_when_noise_is_changed_and_the_card_is_not(
    tmp_path: Path,
    made: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What examples/ci/cards.yml runs, before and after a pull request."""
    text = (ROOT / "examples" / "ci" / "cards.yml").read_text()
    [command] = re.findall(r"- run: exactdp (.+)", text)
    path = registry(tmp_path, made["card"])
    monkeypatch.chdir(tmp_path)
    assert outcome(capsys, *shlex.split(command))[0] == 0
    path.write_text(path.read_text().replace('"sigma": "4"', '"sigma": "3.9"'))
    assert outcome(capsys, *shlex.split(command))[0] == 1


def test_the_card_of_the_example_holds(capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "examples" / "registry" / "deployments.json"
    code, out, _ = outcome(capsys, "registry", "check", path)
    assert code == 0 and "training.json shows (2, 1e-5)-DP" in out
