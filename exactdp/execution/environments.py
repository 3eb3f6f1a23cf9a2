"""Virtual environments, one a library, that pip fills side by side.

A paper's folder may have ``environments.toml``, an entry a library that its claims are about:

    [[environments]]
    name = "opacus"                # as pip calls it
    version = "1.6.0"              # that its claims are about
    beside = ["numpy", "scipy"]    # what is installed with it; none by default
    alone = true                   # without what it asks for itself; false by default

Definitions: :class:`Environment`, :class:`Made`, :func:`environments_in`, :func:`make_all`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from exactdp.errors import DomainError, ParseError

__all__ = ["Environment", "Made", "environments_in", "make_all"]

_FILE = "environments.toml"
_AT_ONCE = 2
"""So many are filled side by side: pip waits for the network, and unpacks on one processor."""

_VERSION = "from importlib.metadata import version; print(version({!r}))"

Text = Annotated[str, Meta(min_length=1)]


class Environment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The packages that pip installs to ask one library.

    Attributes:
        name: The library, as pip calls it.
        version: The one that its claims are about.
        beside: What else is installed with it.
        alone: Whether it is installed without what it asks for itself.
    """

    name: Text
    version: Text
    beside: tuple[Text, ...] = ()
    alone: bool = False


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    environments: list[Environment]


@dataclass(frozen=True, slots=True)
class Made:
    """An environment that was made, or the reason why not.

    Attributes:
        environment: What was asked for.
        python: The path of its interpreter, or None.
        version: The library's version in it, or "".
        seconds: How long that took.
        problem: What pip said last, where there is no interpreter.
    """

    environment: Environment
    python: str | None
    version: str
    seconds: float
    problem: str = ""

    def __str__(self) -> str:
        name = self.environment.name
        if self.python is None:
            return f"skipped: {name} does not install here: {self.problem}"
        return f"{name}=={self.version}: {self.seconds:.0f} s"


def environments_in(folder: Path) -> tuple[Environment, ...]:
    """Return the environments of a paper's folder for its libraries; none without a file.

    Raises:
        ParseError: If the file is not what the module says; it names the place.
    """
    file = folder / _FILE
    if not file.exists():
        return ()
    try:
        found = msgspec.toml.decode(file.read_bytes(), type=_Document).environments
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ParseError(f"{file}: {error}. Mend the entry.") from None
    return tuple(found)


def make_all(
    environments: Sequence[Environment], folder: Path, *, newest: bool = False
) -> Iterator[Made]:
    """Make environments in a folder, and yield each as soon as all before it are made.

    One that is there with the version asked for is left as it is; of the newest release pip
    decides whether there is a newer one.

    Args:
        environments: What is asked for.
        folder: Where they are, each under its name.
        newest: Take the newest release that pip finds for this Python, whatever is asked for.

    Raises:
        DomainError: If this interpreter has no pip.
    """
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode:
        raise DomainError(
            f"{sys.executable} has no pip, which fills environments. Install pip there, or give "
            "--python LIBRARY=PATH of interpreters that have the libraries."
        )
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from pool.map(lambda one: _made(one, folder.resolve(), newest=newest), environments)


def _made(one: Environment, folder: Path, *, newest: bool) -> Made:
    start, place = time.monotonic(), folder / one.name
    python = str(place / "bin" / "python")
    version = _version(python, one.name)
    if newest or version != one.version:
        if not version:
            shutil.rmtree(place, ignore_errors=True)
            _run(sys.executable, "-m", "venv", "--without-pip", str(place))
        problem = _filled(one, python, newest=newest)
        version = "" if problem else _version(python, one.name)
        if not version:
            problem = problem or "pip installed it, but it is not there"
            return Made(one, None, "", time.monotonic() - start, problem)
    return Made(one, python, version, time.monotonic() - start)


def _filled(one: Environment, python: str, *, newest: bool) -> str:
    """Let pip install the packages; return its message where it does not."""
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile")
    what = ("--upgrade", one.name) if newest else (f"{one.name}=={one.version}",)
    calls = [[*pip, *what, *one.beside]]
    if one.alone:
        calls = [[*pip, "--no-deps", *what], *([[*pip, *one.beside]] if one.beside else [])]
    return next(filter(None, (_run(*call) for call in calls)), "")


def _version(python: str, name: str) -> str:
    try:
        call = [python, "-c", _VERSION.format(name)]
        found = subprocess.run(call, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def _run(*call: str) -> str:
    """Return the last line of a failing call's output, else ""."""
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    said = (done.stderr or done.stdout).strip().splitlines()
    return "" if done.returncode == 0 else (said or [f"exit code {done.returncode}"])[-1]
