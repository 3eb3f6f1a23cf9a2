"""The first texts that a user reads: the help, and the names that a shell completes."""

import pytest
import typer

from exactdp.cli.app import GROUPS, application, command
from exactdp.cli.names import complete, complete_bound, kept_verdicts
from tests.commands import run

NAMES = [name for group in GROUPS.values() for name in group]


@pytest.mark.parametrize("name", NAMES)
def test_each_command_shows_an_example_that_names_its_options(name, capsys):
    assert run(name, "--help") == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80 and len(text.splitlines()) <= 45
    said = " ".join(text.split())
    assert f"Example: exactdp {name} " in said
    example = command(name).__doc__.partition("Example: exactdp ")[2].partition("\n")[0].split()
    shown = typer.main.get_command(application()).commands[name].params
    options = {x for one in shown for x in one.opts}
    assert {word for word in example if word.startswith("--")} <= options


def test_the_help_has_the_commands_in_groups_of_one_line_each(capsys):
    assert run("--help") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    at = [lines.index(f"{group}:") for group in GROUPS]
    assert at == sorted(at)
    for name in NAMES:
        (line,) = (line for line in lines if line.startswith(f"  {name} "))
        assert line.endswith(".") and not line.endswith("...")  # a whole sentence


def test_claims_are_lines_of_an_id_a_verdict_and_ten_words(capsys):
    assert run("claims", "lemmas", "feldman2021") == 0
    lines = capsys.readouterr().out.splitlines()
    verdicts = kept_verdicts()
    listed = {name for name in verdicts if name.partition("/")[0] in ("lemmas", "feldman2021")}
    assert {line.split()[0] for line in lines} == listed
    for line in lines:
        name, verdict, *words = line.split()
        assert verdict == verdicts[name] and 1 <= len(words) <= 11 and len(line) <= 100


def test_a_shell_completes_claims_and_bounds():
    assert "feldman2021/" in complete("feld") and "feldman2021/theorem-3.1" in complete(
        "feldman2021/th"
    )
    assert "feldman2021/theorem-3.1" in complete_bound("feldman2021/")
    assert complete_bound("nobody2000/") == []
