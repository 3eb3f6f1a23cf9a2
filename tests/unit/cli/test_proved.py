"""``verify --proved``: the proved checker beside the kernel, with a program that stands for it."""

import pytest

from exactdp.cli.proved import DEBIAN, ProvedAnswer, ProvedChecker
from tests.commands import outcome

TRUE = '{"format": "exactdp-certificate/1", "claim": "", "conclusion": [["<", "0x1", "0x2"]]}'
FALSE = TRUE.replace('"0x2"', '"0x1"')


@pytest.fixture
def stands_for(tmp_path, monkeypatch):
    """Let a shell script stand for the program."""

    def put(script):
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        checker = ProvedChecker(program)
        monkeypatch.setattr(ProvedChecker, "built", classmethod(lambda cls: checker))
        return checker

    return put


@pytest.mark.parametrize(
    ("content", "script", "code", "word"),
    [
        (TRUE, 'echo "$3: accepted: 1 < 2"', 0, "accepted: 1 < 2"),
        (TRUE, 'echo "$3: refused: a relation is false"; exit 1', 1, "refused: a relation"),
        (TRUE, 'echo "$3: undecided: too close"; exit 1', 1, "undecided: too close"),
        (TRUE, "kill -9 $$", 1, "undecided: too large"),
        (TRUE, "echo accepted", 1, "undecided: too large"),
        (FALSE, 'echo "$3: accepted: 1 < 1"', 1, "accepted: 1 < 1"),
    ],
)
def test_both_must_accept(tmp_path, capsys, stands_for, content, script, code, word):
    stands_for(script)
    (tmp_path / "x.json").write_text(content)
    got, out, _ = outcome(capsys, "verify", "--proved", tmp_path / "x.json")
    assert got == code
    assert f"\n  the proved checker: {word}" in out
    assert "checker bits longest defs claims = Known tt -> certified defs claims." in out


def test_an_unreadable_file_is_not_given_to_it(tmp_path, capsys, stands_for):
    stands_for(f"touch {tmp_path}/asked")
    (tmp_path / "x.json").write_text("{")
    assert outcome(capsys, "verify", "--proved", tmp_path / "x.json")[0] == 2
    assert not (tmp_path / "asked").exists()


def test_it_is_given_the_content_and_the_seconds(tmp_path, stands_for):
    checker = stands_for('echo "$3: accepted: $1 $2 $(cat "$3")"')
    assert checker.answer(b"\xff: x", seconds=7) == ProvedAnswer("accepted", r"--seconds 7 \xff: x")


def test_without_ocaml_there_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "x.json").write_text(TRUE)
    code, out, error = outcome(capsys, "verify", "--proved", tmp_path / "x.json")
    assert code == 2 and not out
    assert error.count("\n") == 1 and "coqc, ocamlfind" in error and DEBIAN in error
    assert list(tmp_path.iterdir()) == [tmp_path / "x.json"]


def test_a_build_that_fails_leaves_nothing(tmp_path, monkeypatch, capsys):
    tools, cache = tmp_path / "tools", tmp_path / "cache"
    tools.mkdir()
    for name, script in {"coqc": "echo no such theory; exit 1", "ocamlfind": "exit 0"}.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    (tmp_path / "x.json").write_text(TRUE)
    code, _, error = outcome(capsys, "verify", "--proved", tmp_path / "x.json")
    assert code == 2 and error.count("\n") == 1 and "no such theory" in error
    assert list((cache / "exactdp").iterdir()) == []


CARD = (
    '{"format": "exactdp-card/1", "says": "private", "epsilon": "2", "delta": "0.5",'
    ' "neighbors": "replace", "parts": [{"mechanism": "pair", "p": ["3/4", "1/4"],'
    ' "q": ["1/4", "3/4"], "times": 2, "from": -9, "to": 9}],'
    ' "grid": {"step": "1/4", "bits": 64, "points": 100}}'
)
REFUTED = (
    CARD.replace('"private"', '"not private", "order": "removed"')
    .replace('"delta": "0.5"', '"delta": "0.01"')
    .replace('"epsilon": "2"', '"epsilon": "0.5"')
)


def test_a_card_is_given_to_it_with_the_laws_of_its_steps(tmp_path, capsys, stands_for):
    stands_for('echo "$3: accepted: $(cut -c 1-33 "$3")"')
    (tmp_path / "x.json").write_text(CARD)
    code, out, _ = outcome(capsys, "verify", "--proved", tmp_path / "x.json")
    assert code == 0
    assert 'the proved checker: accepted: {"format": "exactdp-card-laws/1"' in out
    assert "card_checker_sound" in out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CARD.replace("0.5", "0.01"), "the kernel, which makes its laws, rejects it"),
        (REFUTED, 'the proved checker takes cards that say "private"'),
    ],
)
def test_a_card_that_is_not_for_it_is_undecided(tmp_path, capsys, stands_for, content, said):
    stands_for(f"touch {tmp_path}/asked")
    (tmp_path / "x.json").write_text(content)
    code, out, _ = outcome(capsys, "verify", "--proved", tmp_path / "x.json")
    assert code == 1
    assert f"the proved checker: undecided: {said}" in out
    assert not (tmp_path / "asked").exists()
