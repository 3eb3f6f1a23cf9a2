"""The command ``plot``: profiles of a file in one picture, which says in text what it shows."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from exactdp.cli.app import application
from exactdp.errors import ExactDPError

pytest.importorskip("matplotlib")

LAPLACE = {"kind": "laplace", "scale": "1/2", "ask": {"epsilon": ["1e-5"]}}
TWO = {
    "format": "exactdp-problems/1",
    "problems": [
        {"name": "one <b> & $x_1$", "problem": LAPLACE},
        {"name": "_two\u0000\x1b", "problem": {**LAPLACE, "scale": "2"}},
    ],
}


def drawn(document: object, folder: Path, *options: str) -> str:
    (folder / "p.json").write_text(json.dumps(document))
    out = folder / "my picture.svg"
    done = CliRunner().invoke(
        application(), ["plot", str(folder / "p.json"), "--out", str(out), *options]
    )
    if done.exception is not None:
        raise done.exception
    assert done.output == f"plot written to {out}\n"
    return out.read_text()


def test_the_picture_says_what_it_shows_in_text(tmp_path: Path) -> None:
    svg = drawn(TWO, tmp_path, "--claim", "1,1e-3")
    texts = ["".join(one.itertext()).strip() for one in ET.fromstring(svg).iter() if one.text]
    for text in (
        "Privacy profile: the least δ at each ε",
        "ε (nats)",
        "δ, logarithmic scale",
        "one <b> & $x_1$",
        "\u200b_two\\x00\\x1b",
        "claim (1, 0.001)",
    ):
        assert text in texts, text
    assert svg == drawn(TWO, tmp_path, "--claim", "1,1e-3")
    assert "claim (1.09861, 0.001)" in drawn(TWO, tmp_path, "--claim", "log(3),1e-3")


def test_a_sweep_is_one_picture_and_a_trade_off_another(tmp_path: Path) -> None:
    sweep = {**LAPLACE, "scale": {"each": ["1", "2"]}}
    svg = drawn(sweep, tmp_path, "--trade-off")
    assert "scale=1" in svg and "scale=2" in svg and "at a level α" in svg


@pytest.mark.parametrize(
    ("document", "options", "message"),
    [
        (LAPLACE, ["--claim", "1"], "is not a pair"),
        (LAPLACE, ["--claim", "1,0"], "must be above 0 and below 1"),
        (LAPLACE, ["--claim", "-1,1e-5"], "is negative"),
        (LAPLACE, ["--claim", "sqrt(2),1e-5"], "is not a rational number of nats"),
        (LAPLACE, ["--claim", "1e4000,1e-5"], "cannot be the last epsilon"),
        (LAPLACE, ["--claim", "nan,1e-5"], "is not a number"),
        (LAPLACE, ["--to", "0"], "cannot be the last epsilon"),
        (LAPLACE, ["--to", "e^2"], "cannot be the last epsilon"),
        (LAPLACE, ["--claim", "1,1e-5", "--trade-off"], "not of a trade-off function"),
        (
            {
                "kind": "laplace",
                "ask": {"scale": [{"epsilon": {"rational": "1"}, "delta": "1e-5"}]},
            },
            [],
            "leaves out a parameter",
        ),
        ({**LAPLACE, "scale": {"each": [str(1 + i) for i in range(9)]}}, [], "has 1 to 8"),
        ({"format": "exactdp-problems/1", "problems": []}, [], "has 1 to 8"),
        (7, [], "problems"),
    ],
)
def test_bad_input_is_one_line(
    document: object, options: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ExactDPError, match=message) as caught:
        drawn(document, tmp_path, *options)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "my picture.svg").exists()


def test_a_picture_is_svg(tmp_path: Path) -> None:
    done = CliRunner().invoke(application(), ["plot", "p.json", "--out", str(tmp_path / "p.png")])
    assert "does not end in .svg" in str(done.exception)


def test_what_leaves_out_a_parameter_is_named_and_the_others_are_drawn(tmp_path: Path) -> None:
    target = [{"epsilon": {"rational": "1"}, "delta": "1e-5"}]
    open_one = {"kind": "laplace", "ask": {"scale": target}}
    named = [*TWO["problems"], {"name": "noise to find", "problem": open_one}]
    (tmp_path / "p.json").write_text(json.dumps({**TWO, "problems": named}))
    out = tmp_path / "p.svg"
    done = CliRunner().invoke(application(), ["plot", str(tmp_path / "p.json"), "--out", str(out)])
    assert done.exit_code == 0 and "one <b>" not in done.output
    assert "note: noise to find leaves out a parameter" in done.output
    assert "$x_1$" in out.read_text() and "noise to find" not in out.read_text()
