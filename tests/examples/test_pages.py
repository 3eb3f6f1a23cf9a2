"""README and the pages of docs/ show the actual output (``tests/pages.py`` has the rules).

A block ``sh`` is not played here: it installs something, or takes minutes, and `.ci/docs` does so.
A block ``coq`` is compared with its file in tests/kernel. A block ``text`` shows no command.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer

import exactdp
from exactdp.cli.app import GROUPS, application
from exactdp.problems import problem_schema
from tests.commands import outcome
from tests.pages import PAGES, README, ROOT, blocks, furnish, matches, needs, play

MOST_NOT_RUN = 10
LANGUAGES = {"python", "console", "json", "toml", "sh", "text", "yaml", "coq"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_of_a_kind_that_is_tried(page):
    for block in blocks(page):
        assert block.language in LANGUAGES
        included = block.body.startswith("--8<--")
        if block.language == "python" and not included and not block.title:
            assert block.body.startswith(">>> "), block.body
        if block.language == "console":
            assert block.body.startswith("$ "), block.body


PLAYED = [
    page for page in PAGES if any(one.language in ("python", "console") for one in blocks(page))
]


@pytest.mark.parametrize("page", PLAYED, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_from_top_to_bottom(page, request, tmp_path, monkeypatch, capsys):
    if page != README and not request.config.getoption("--deep"):
        pytest.skip(".ci/docs plays it, where what it names is installed and nothing else; --deep")
    furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    monkeypatch.delenv("COLUMNS", raising=False)  # pages show what is not a terminal
    play(page, tmp_path, lambda command: run(command, capsys))


def run(command, capsys):
    program, *arguments = shlex.split(command)
    arguments = [name for a in arguments for name in (sorted(map(str, Path().glob(a))) or [a])]
    if program == "exactdp":
        code, out, err = outcome(capsys, *arguments)
        return out + err, code
    assert program == "python", f"no console block may run {program}"
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr, done.returncode


WRONG = {
    "an exit code that nobody asks for": "```console\n$ exactdp solve nowhere.json\n...\n```\n",
    "an error in an ellipsis": "```console\n$ exactdp show nothing\n...\n$ echo $?\n2\n```\n",
    "another exit code": "```console\n$ exactdp --version\n...\n$ echo $?\n1\n```\n",
    "another output": "```console\n$ exactdp --version\nexactdp 0\n```\n",
    "another value": "```python\n>>> 1 + 1\n3\n```\n",
    "a file that is not there": "```console\n$ python other.py\n...\n```\n",
    "a name of no block above": "```python\n>>> n\n2\n>>> n = 2\n```\n",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_page_that_is_wrong_is_seen(wrong, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text(WRONG[wrong])
    with pytest.raises(AssertionError):
        play(tmp_path / "page.md", tmp_path, lambda command: run(command, capsys))


def test_an_error_that_a_page_shows_is_no_mistake():
    assert matches("error: ... unknown", "error: it is unknown\n")
    assert not matches("...", "1 file\nerror: it is unknown\n")


def test_what_is_not_run_is_little_and_has_a_reason():
    skipped = [(b, page) for page in PAGES for b in blocks(page) if b.not_run]
    assert sum(len(block.commands) for block, _ in skipped) <= MOST_NOT_RUN
    for block, page in skipped:
        assert block.language == "sh" and len(block.not_run.split()) > 3, page
    marks = sum(page.read_text().count("not run:") for page in PAGES)
    assert marks == len(skipped)  # each stands before a block


def test_a_page_with_commands_or_python_says_what_it_needs():
    for page in PLAYED:
        assert needs(page) is not None, page
        runs = [line for b in blocks(page) if b.language == "console" for line in b.commands]
        if any(command.startswith("exactdp") for command, _ in runs):
            assert {"cli", "trials"} & set(needs(page)[0].split(",")), page
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {one for page in PLAYED for one in needs(page)[0].split(",") if one}
    assert named <= set(extras["optional-dependencies"])


def test_nothing_is_indented_in_place_of_a_block():
    for page in PAGES:
        outside = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(), flags=re.M | re.S)
        assert not re.search(r"\n\n    (?:\$ )?(?:exactdp|python|pip|pytest) ", outside), page


def test_every_command_is_described_and_none_else():
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    described = set(re.findall(r"^\| `exactdp ([\w-]+)", page, re.MULTILINE))
    assert described == {name for group in GROUPS.values() for name in group}


def test_every_command_that_a_text_names_has_these_options():
    commands = typer.main.get_command(application()).commands
    found = 0
    for page in PAGES:
        for named in re.findall(r"`exactdp ([a-z][^`]*)`", page.read_text()):
            name, *words = named.split()
            known = {
                option
                for one in commands[name].params
                for option in (*one.opts, *one.secondary_opts)
            }
            asked = {word.strip("[]\\") for word in words if word.strip("[").startswith("--")}
            assert asked <= {*known, "--help"}, f"{page}: exactdp {named}"
            found += len(asked)
    assert found > 50


def test_every_kind_and_ask_of_a_problem_file_is_described():
    page = (ROOT / "docs" / "reference" / "problem-files.md").read_text()
    rows = "".join(re.findall(r"^\| (`.*)\|$", page, re.MULTILINE))
    described = set(re.findall(r"`(\w+)`", rows))
    schema = problem_schema()
    asks = next(one for name, one in schema["$defs"].items() if name.startswith("Ask"))
    named = {*schema["discriminator"]["mapping"], *asks["properties"]}
    assert named - described == {"direction", "relative_width"}  # which the text explains


def test_ci_runs_the_command_of_the_readme():
    ci = (ROOT / ".ci" / "run").read_text()
    text = README.read_text()
    for command in ("python -m pip install", "python -m pytest", "exactdp audit"):
        assert command in ci and command in text


def test_every_file_that_a_page_includes_or_links_to_exists():
    for page in PAGES:
        text = page.read_text()
        for name in re.findall(r'^ *--8<-- "([^":]+)', text, re.MULTILINE):
            assert (ROOT / name).is_file(), name
        for name in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text):
            assert (page.parent / name).exists(), f"{page}: {name}"


def test_the_version_is_the_same_everywhere():
    version = exactdp.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1] == version
    files = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert all((ROOT / name).is_file() for name in files["data-files"]["share/doc/exactdp"])
