"""Numbers on the command line are written as in files: every option of every command is asked."""

import re
from fractions import Fraction
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest
import typer

from exactdp.cli.app import GROUPS, command
from exactdp.cli.numeric import seconds, whole
from tests.commands import outcome

COUNTS = (
    *("--false-positives", "25", "--negatives", "1e3"),
    *("--false-negatives", "sqrt(90000)", "--positives", "2000/2"),
)


def numeric():
    """Yield each option and argument that is a number, with its type and how it is read."""
    for name in (name for group in GROUPS.values() for name in group):
        for option, hint in get_type_hints(command(name), include_extras=True).items():
            kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
            for plain in {int, float} & {kind, *get_args(kind)}:
                yield pytest.param(plain, notes[0], id=f"{name} {option}")


@pytest.mark.parametrize(("kind", "about"), list(numeric()))
def test_an_option_takes_a_number_in_each_way(kind, about):
    for written in ("1000", "1e3", "1000.0", "2000/2", "sqrt(1000000)"):
        found = about.parser(written)
        assert found == 1000 and type(found) is kind
    wrong = ["many", "nan", "inf", "", *(["1/3", "sqrt(2)"] if kind is int else [])]
    for written in wrong:
        with pytest.raises(typer.BadParameter) as refused:
            about.parser(written)
        assert re.fullmatch(r".* is not a (whole )?number.*\. Give one\.", str(refused.value))


def test_seconds_are_rounded_up():
    assert Fraction(1, 3) < Fraction(seconds()["parser"]("1/3")) < Fraction("0.34")


def test_numbers_below_the_least_are_refused():
    for about, least in ((whole(1), "1"), (seconds("0.1"), "0.1")):
        with pytest.raises(typer.BadParameter, match=f"of at least {least}. Give one"):
            about["parser"]("0")
    assert whole(None)["parser"]("-3") == -3


def test_counts_deltas_and_levels(capsys):
    plain = [re.sub(r"\D", "", x) if x[0] != "-" else x for x in COUNTS]
    plain[3], plain[5], plain[7] = "1000", "300", "1000"
    code, known, _ = outcome(capsys, "audit-counts", *plain, "--delta", "0.01")
    assert code == 0 and known
    for delta, level in (("1/100", "0.05"), ("sqrt(1/10000)", "1/20"), ("1e-2", "sqrt(1/400)")):
        arguments = (*COUNTS, "--delta", delta, "--level", level)
        assert outcome(capsys, "audit-counts", *arguments)[1] == known
    code, _, said = outcome(capsys, "audit-counts", *COUNTS, "--delta", "sqrt(2)/1e6")
    assert code == 2 and said.count("\n") == 1 and "delta='sqrt(2)/1e6' is not exact" in said
    one = outcome(capsys, "one-run", "1e3", "100", "sqrt(5625)", "--delta", "sqrt(1/10000)")[1]
    assert (
        one.replace("sqrt(1/10000)", "0.01")
        == (outcome(capsys, "one-run", "1000", "100", "75", "--delta", "0.01")[1])
    )


def test_bounds_and_cards(capsys, tmp_path):
    at = ("bound", "feldman2021/theorem-3.1", "delta=sqrt(1e-18)", "n=sqrt(1e12)")
    code, said, _ = outcome(capsys, *at, "epsilon0=log(e)")
    assert code == 0 and "formula" in said
    code, _, said = outcome(capsys, *at, "epsilon0=log(3)")
    assert (code, said.count("\n")) == (2, 1) and "epsilon0='log(3)' is not" in said
    card = ("certify", "examples/problems/dp_sgd_card.json", "--out", tmp_path / "card.json")
    code, _, said = outcome(capsys, *card, "--epsilon", "sqrt(5)")
    assert (code, said.count("\n")) == (2, 1) and "epsilon='sqrt(5)' is not" in said
