"""The pages that readers follow: their blocks, played from top to bottom in a folder of their own.

A block ``python`` that begins with ``>>>`` is a doctest (names live on to the next block), a block
with ``title="NAME"`` a file that the reader writes, or includes one that has tests of its own. A
block ``console`` has commands after ``$`` with what they print: ``...`` stands for anything but an
error, spaces and the lines of tables for each other. A block ``sh`` has commands whose output is
not shown, which install something or take long. Each command ends with exit code 0, unless the
page asks for the code, with ``echo $?``. A comment ``<!-- not run: REASON -->`` before a block says
why nothing plays it. A page names what it needs as ``python -m pip install '.[EXTRAS]' PACKAGES``.

Nothing but the standard library is imported, so that `.ci/docs` plays pages where the wheel is
installed with these extras, and nothing else:

    python tests/pages.py needs               # a line for each set of extras: it, then its pages
    python tests/pages.py play PAGE...        # with the python that runs this
    python tests/pages.py scripts FOLDER      # the pages' Python, for type checkers: their names
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(?:^ *<!-- not run: ([^\n]*) -->\n+)?^( *)```(\w+)([^\n]*)\n(.*?)^\2```$",
    re.MULTILINE | re.DOTALL,
)
INSTALL = re.compile(r"python -m pip install (?:'\.\[([\w,]+)\]'|\.)((?: \w+)*)")
ERROR = re.compile(r"^(?:error:|Traceback \(most recent call last\))", re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A block of a page: what it holds, and why nothing plays it."""

    language: str
    options: str
    body: str
    not_run: str

    @property
    def title(self):
        """The name of the file that the reader writes; empty if it is none, or included."""
        found = re.search(r'title="([^"]+)"', self.options)
        return found[1] if found and not self.body.startswith("--8<--") else ""

    @property
    def commands(self):
        """Each command, with what it prints; None where that is not shown."""
        if self.language == "sh":
            return [(line, None) for line in self.body.splitlines() if line]
        shown = re.split(r"^\$ ", self.body, flags=re.MULTILINE)[1:]
        return [(one.partition("\n")[0], one.partition("\n")[2]) for one in shown]


def blocks(page):
    """Yield the blocks of a page."""
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        reason, indent, language, options, body = match.groups()
        plain = re.sub(f"^{indent}", "", body, flags=re.MULTILINE)
        yield Block(language, options, plain, reason or "")


def needs(page):
    """Return what a page says first that it needs: extras, and packages; None if nothing."""
    found = INSTALL.search(page.read_text(encoding="utf-8"))
    return found and (found[1] or "", found[2].strip())


def play(page, folder, run, *, languages=("python", "console")):
    """Play a page in a folder that has the repository's ``examples`` and ``proofs_check`` in it.

    Args:
        page: The page.
        folder: Where commands run, and files are written.
        run: Runs a command, and returns what it prints and its exit code.
        languages: The blocks that are played.

    Raises:
        AssertionError: At the first thing that is not as the page has it.
    """
    names, parser = {}, doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    told, code = True, 0
    for i, block in enumerate(blocks(page)):
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.body, encoding="utf-8")
        if block.not_run or block.language not in languages:
            continue
        if block.language == "python" and block.body.startswith(">>> "):
            example = parser.get_doctest(block.body, names, f"{page.name}[{i}]", str(page), 0)
            told_by = []
            failed = runner.run(example, out=told_by.append, clear_globs=False).failed
            assert not failed, "".join(told_by)
            names = example.globs
        for command, expected in block.commands if block.language in ("console", "sh") else ():
            if command == "echo $?":
                assert code == int(expected), f"exit code {code}; the page has {expected}"
                told = True
                continue
            assert told, f"exit code {code} before $ {command}; the page does not ask for it"
            printed, code = run(command)
            told = code == 0
            if expected is not None:
                same = matches(expected, printed)
                assert same, f"$ {command}\n{printed}\n(exit code {code}); it has\n{expected}"
    assert told, f"exit code {code} at the end; the page does not ask for it"


def matches(expected, printed):
    """Return whether a page shows what is printed; an error is shown, not hidden in ``...``."""
    if ERROR.search(printed) and not ERROR.search(expected):
        return False
    return doctest.OutputChecker().check_output(plain(expected), plain(printed), FLAGS)


def plain(text):
    """Return a text without the lines that draw a table."""
    return re.sub(r"[\u2500-\u257f]+", " ", text)


def furnish(folder):
    """Put the repository's ``examples`` and ``proofs_check`` into a folder."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "proofs_check").symlink_to(ROOT / "proofs_check")


def write_scripts(folder):
    """Write the Python of each page, as a script and as the files that it has the reader write.

    What is shown to fail is left out. What a page imports that no extra installs has a stub, in
    ``typings``.
    """
    stub = "from typing import Any\n\n\ndef __getattr__(name: str) -> Any: ...\n"
    found = {"typings/dp_accounting/__init__.pyi": stub}
    for page in PAGES:
        lines, files = [], {}
        for block in blocks(page):
            if block.language == "python" and block.body.startswith(">>> "):
                examples = doctest.DocTestParser().get_examples(block.body)
                lines += [one.source for one in examples if not one.exc_msg]
            elif block.language == "python" and block.title:
                files[block.title] = block.body
        if lines:
            name = re.sub(r"\W", "_", str(page.relative_to(ROOT).with_suffix("")))
            files[f"{name}.py"] = "".join(lines)
        assert not found.keys() & files.keys(), f"{page}: another page has a file of that name"
        found |= files
    for name, content in found.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return [name for name in found if name.endswith(".py")]


def in_a_shell(folder):
    """Return what runs a command as a reader types it; installing the project itself is done."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(command):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", INSTALL.sub("true", command)],
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout, done.returncode

    return run


def main(what, *names):
    """Do what the module's docstring says."""
    if what == "needs":
        wanted = {}
        for page in PAGES:
            if found := needs(page):
                wanted.setdefault(found, []).append(str(page.relative_to(ROOT)))
        for (extras, packages), pages in wanted.items():
            print(f"[{extras}]", packages, "|", *pages)
    elif what == "scripts":
        print(*write_scripts(Path(names[0])))
    for name in names if what == "play" else ():
        with tempfile.TemporaryDirectory() as place:
            played(ROOT / name, Path(place))


def played(page, folder):
    """Play a page as a reader does; what it installs is removed, as its folder is."""
    furnish(folder)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    run = in_a_shell(folder)
    try:
        play(page, folder, run, languages=("python", "console", "sh"))
    except AssertionError as error:
        sys.exit(f"{page.relative_to(ROOT)}: {error}")
    finally:
        sys.path.remove(str(folder))
        os.chdir(ROOT)
        for name in re.findall(r"^python -m pip install -e (\w+)", page.read_text(), re.MULTILINE):
            run(f"python -m pip uninstall --yes --quiet {name}")


if __name__ == "__main__":
    sys.path.pop(0)  # where the tests are: a page is played without them
    main(*sys.argv[1:])
