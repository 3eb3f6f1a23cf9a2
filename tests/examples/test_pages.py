"""What the README and the pages of docs/ show is what happens.

A page is read from top to bottom, in a folder of its own that has the repository's ``examples``
and ``proofs_check`` in it. A block ``python`` is a doctest (names live on to the next block), a
block with ``title="NAME"`` a file that the reader writes, or includes one that has tests of its
own. A block ``console`` has commands after ``$`` with what they print: ``...`` stands for anything,
spaces and the lines of tables for each other. A block ``sh`` is not run here: it installs
something, and .ci does so. A block ``coq`` is compared with its file in tests/kernel. A block
``text`` shows no command.
"""

import doctest
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import exactdp
from exactdp.cli.app import COMMANDS
from exactdp.problems import problem_schema
from tests.commands import outcome

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^( *)```(\w+)([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
LANGUAGES = {"python", "console", "json", "toml", "sh", "text", "yaml", "coq"}


def blocks(page):
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        indent, language, options, body = match.groups()
        yield language, options, re.sub(f"^{indent}", "", body, flags=re.MULTILINE)


def has(language):
    found = [page for page in PAGES if any(one[0] == language for one in blocks(page))]
    return pytest.mark.parametrize("page", found, ids=lambda page: str(page.relative_to(ROOT)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_of_a_kind_that_is_tried(page):
    for language, options, body in blocks(page):
        assert language in LANGUAGES
        included = body.startswith("--8<--")
        if language == "python" and not included and "title=" not in options:
            assert body.startswith(">>> "), body
        if language == "console":
            assert body.startswith("$ "), body


@has("python")
def test_python_examples(page):
    names, parser = {}, doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    for i, (language, _, body) in enumerate(blocks(page)):
        if language == "python" and body.startswith(">>> "):
            example = parser.get_doctest(body, names, f"{page.name}[{i}]", str(page), 0)
            runner.run(example, clear_globs=False)
            names = example.globs
    assert runner.summarize().failed == 0


@has("console")
def test_commands(page, tmp_path, monkeypatch, capsys):
    for name in ("examples", "proofs_check"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    monkeypatch.delenv("COLUMNS", raising=False)  # pages show what is no terminal
    code = 0
    for language, options, body in blocks(page):
        title = re.search(r'title="([^"]+)"', options)
        if title and not body.startswith("--8<--"):
            (tmp_path / title[1]).write_text(body, encoding="utf-8")
        for shown in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:] * (language == "console"):
            command, _, expected = shown.partition("\n")
            if command == "echo $?":
                printed = f"{code}\n"
            else:
                printed, code = run(command, capsys)
            same = doctest.OutputChecker().check_output(plain(expected), plain(printed), FLAGS)
            assert same, f"$ {command}\n{printed}\n(exit code {code}); the page has\n{expected}"


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


def plain(text):
    """Without the lines that draw a table."""
    return re.sub(r"[\u2500-\u257f]+", " ", text)


def test_every_command_is_described_and_none_else():
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    described = set(re.findall(r"^\| `exactdp ([\w-]+)", page, re.MULTILINE))
    assert described == {command.__name__.replace("_", "-") for command in COMMANDS}


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
