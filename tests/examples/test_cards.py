"""The fixture of cards: the kernel accepts it, alone, and it is what its deployments give."""

import json
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

from proofs_check.kernel import Accepted, check

FIXTURES = Path(__file__).parents[2] / "examples" / "fixtures"
CARDS = (FIXTURES / "cards.jsonl").read_text().splitlines()


def test_the_quick_cards_of_the_fixture_are_accepted():
    """Those of one step; the script below asks the kernel for all."""
    quick = [one for one in CARDS if sum(x["times"] for x in json.loads(one)["parts"]) == 1]
    assert len(quick) >= 4
    for one in quick:
        assert isinstance(check(one.encode()), Accepted), one


def test_the_script_finds_an_accountant_that_is_right():
    done = subprocess.run(
        [sys.executable, FIXTURES / "check_cards.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"the kernel accepts {len(CARDS)} cards\n")
    assert "is not below the truth" in done.stdout


def test_the_script_finds_an_accountant_that_is_wrong_and_a_changed_card(tmp_path, capsys):
    example = run_path(str(FIXTURES / "check_cards.py"))
    names = example["main"].__globals__
    names["HERE"] = tmp_path
    gaussian = [one for one in CARDS if '"label": "Gaussian noise"' in one]
    (tmp_path / "cards.jsonl").write_text("\n".join(gaussian) + "\n")
    names["gaussian_epsilon"] = lambda noise_multiplier, delta: 2.2
    example["main"]()
    assert "2.20000 is below the truth" in capsys.readouterr().out
    (tmp_path / "cards.jsonl").write_text(gaussian[0].replace("2.255", "2.25") + "\n")
    with pytest.raises(SystemExit, match="rejected"):
        example["main"]()


def test_the_fixture_is_what_its_deployments_give():
    made = run_path(str(FIXTURES / "make_cards.py"))["made"]()
    assert made.splitlines() == CARDS
