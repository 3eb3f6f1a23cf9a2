"""The print where the truth is infinite, was not found, or is known by delta; pasted again."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp.compare import Accountant, Finding, Task, compare
from exactdp.compare.findings import judged
from exactdp.compare.formats import FORMATS, grouped, open_ones, reproduction, row
from exactdp.compare.known import Known, asked_of, known_of
from exactdp.side import Side
from exactdp.testing import Deployment, Mechanism
from exactdp.testing.deciding import Judgment

# Laplace of scale 2 has delta(eps) = 1 - e^((eps - 1/2)/2): at 0.49 it is 0.00499, at 0.4 0.0488.
LAPLACE = Task(Deployment((Mechanism("laplace", 2.0),), 0.25, 0.01), "epsilon")
PURE = Task(Deployment((Mechanism("laplace", 2.0),), 0.25, 0.0), "epsilon")
NORMAL = Task(Deployment((Mechanism("gaussian", 1.0),), 0.25, 0.0), "epsilon")
NOT_FOUND = Known(missing="budget: 10 s")
MANY = Deployment((Mechanism("gaussian", 1e-6, 1e-12, 100),), 1.0, 1e-300)


def finding(
    task: Task, value: float, known: Known | None = None, side: Side = Side.UPPER
) -> Finding:
    one = Accountant("mine", "", "import math", {task.ask: lambda _: repr(value)}, (side,))
    standing, found, reason = judged(task, side, value, known)
    return Finding(task, one, "", repr(value), side, value, found, standing, reason, 0.0)


def all_formats(*found: Finding) -> str:
    texts = [write(found) for write in FORMATS.values()]
    texts += [title for title, _ in grouped(found)]
    texts += [cell for one in found for cell in row(one)]
    return "\n".join([*texts, *(reproduction(one) for one in found if one.standing.is_wrong)])


@pytest.mark.parametrize(
    ("value", "side", "standing"),
    [
        (0.49, Side.UPPER, Judgment.RIGHT),
        (0.4, Side.UPPER, Judgment.WRONG),
        (0.49, Side.LOWER, Judgment.WRONG),
        (0.4, Side.LOWER, Judgment.RIGHT),
        (0.0, Side.UPPER, Judgment.WRONG),
    ],
)
def test_an_epsilon_that_is_not_found_is_told_by_the_delta_at_the_claim(
    value: float, side: Side, standing: Judgment
) -> None:
    found = finding(LAPLACE, value, NOT_FOUND, side)
    assert found.standing is standing
    assert row(found)[2] == f"{standing.value}, by its delta"
    there = found.known.there
    assert there is not None
    assert float(there.lower) <= -math.expm1((value - 0.5) / 2) * (1 + 1e-12)
    assert float(there.upper) >= -math.expm1((value - 0.5) / 2) * (1 - 1e-12)
    [(title, _)] = grouped([found])
    assert title.endswith("is not found (budget: 10 s); claims are told by their delta")


def test_no_python_word_stands_for_a_truth_that_is_not_there() -> None:
    found = [
        finding(LAPLACE, value, NOT_FOUND)
        for value in (0.4, 0.49, -1.0, math.inf, -math.inf, math.nan)
    ]
    found += [finding(NORMAL, value) for value in (0.5, math.inf, 1e308, -1.0)]
    text = all_formats(*found)
    assert "None" not in text
    assert "epsilon 0.5 at delta 0.0 is below the truth, which is infinite" in text
    assert "epsilon -1.0 at delta 0.01 is below all that the truth can be" in text
    assert "is below the truth: at epsilon 0.4 delta is [0.0487" in text
    assert ", , " not in text and "= ," not in text


def test_of_pure_privacy_the_truth_is_the_largest_loss() -> None:
    assert known_of(asked_of(NORMAL, 0.0)).is_infinite
    about = known_of(asked_of(PURE, 0.0)).enclosure
    assert about is not None and about.lower <= Fraction(1, 2) <= about.upper
    standings = [finding(PURE, value).standing for value in (0.5, 0.5000001, 0.4999999)]
    assert standings == [Judgment.RIGHT, Judgment.RIGHT, Judgment.WRONG]
    assert finding(NORMAL, math.inf, side=Side.LOWER).standing is Judgment.RIGHT
    assert finding(NORMAL, 1.0, side=Side.LOWER).standing is Judgment.RIGHT


def test_what_cannot_be_summed_is_undecided_and_stops_nothing() -> None:
    hard = Task(MANY, "delta", "hard")
    one = Accountant("mine", "", "", {"delta": lambda _: "0.5"})
    [first, second] = compare([hard, Task(LAPLACE.deployment, "delta")], [one])
    assert (first.standing, second.standing) == (Judgment.UNDECIDED, Judgment.RIGHT)
    [line] = open_ones([first, second])
    assert line.startswith("undecided: mine (") and ". " not in line
    assert line in FORMATS["markdown"]([first])


def test_a_delta_too_small_for_digits_is_told_from_a_double() -> None:
    """Of noise 10^6 at epsilon 1 it is about e^(-5e11)."""
    tiny = Task(Deployment((Mechanism("gaussian", 1e6),), 1.0, 1e-5), "delta")
    assert [finding(tiny, value).standing for value in (0.5, 1e-300, 0.0)] == [
        Judgment.RIGHT,
        Judgment.RIGHT,
        Judgment.WRONG,
    ]


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (finding(LAPLACE, 0.4, NOT_FOUND), -math.expm1(-0.05)),
        (finding(NORMAL, 3.0), math.inf),
        (finding(LAPLACE, 0.4), 0.5 + 2 * math.log1p(-0.01)),
    ],
)
def test_the_line_again_answers_when_it_is_pasted(
    found: Finding, answer: float, tmp_path: Path
) -> None:
    """Into a shell whose folder has a space in its name."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    command = folder / "exactdp"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m exactdp.cli "$@"\n')
    command.chmod(0o755)
    [line] = [text for text in reproduction(found).splitlines() if "again:" in text]
    pasted = line.split(":", 1)[1].replace("exactdp solve -", "exactdp solve - --json")
    shell = ["bash", "-c", f'PATH="$PWD:$PATH"; cd "$PWD"; {pasted}']
    done = subprocess.run(shell, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    [told] = json.loads(done.stdout)["answers"]
    if answer == math.inf:
        assert told["float_above"] in (None, "inf", math.inf) or told["decimal"] == "infinity"
    else:
        assert told["float_below"] <= answer * (1 + 1e-5)
        assert told["float_above"] >= answer * (1 - 1e-5)


def test_the_line_call_is_one_word_of_a_shell_whatever_the_expression_holds() -> None:
    held = "$HOME `!\\"
    expression = f"(0.4, {held!r} == '$HOME `!' + chr(92))[0]"
    one = Accountant("mine", "", "import math", {})
    known = known_of(asked_of(LAPLACE, 0.4))
    found = Finding(LAPLACE, one, "", expression, Side.UPPER, 0.4, known, Judgment.WRONG, "", 0.0)
    [line] = [text for text in reproduction(found).splitlines() if "call:" in text]
    call = line.split(":", 1)[1].replace(" python ", f" {shlex.quote(sys.executable)} ", 1)
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, timeout=60)
    assert done.stdout == "0.4\n"
