"""The places of libraries, and a check that one is here at the version of a claim.

A distribution is in an interpreter, a program that is none in a folder. Both are told to all
processes of a run by environment variables, ``EXACTDP_PYTHONS`` with ``LIBRARY=PATH`` and
``EXACTDP_PROGRAMS`` with ``NAME=FOLDER``, several with the system's separator of paths between
them. A distribution tells its version (which need not be that of the claim where
``EXACTDP_ANY_VERSION`` is set); a program's is told by the SHA-256 of its files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from exactdp.execution.sessions import NOT_INSTALLED, Session

__all__ = [
    "absence",
    "interpreters",
    "programs",
    "tell_any_version",
    "tell_interpreters",
    "tell_programs",
]

_PYTHONS, _PROGRAMS, _ANY = "EXACTDP_PYTHONS", "EXACTDP_PROGRAMS", "EXACTDP_ANY_VERSION"


def tell_interpreters(pythons: Mapping[str, str]) -> None:
    """Tell this process, and those that it starts, which interpreters have which libraries."""
    _tell(_PYTHONS, pythons)


def tell_any_version() -> None:
    """Set this process, and those that it starts, to ask libraries of any version."""
    os.environ[_ANY] = "yes"


def interpreters() -> dict[str, str]:
    """Return the interpreters by library, as this process was told."""
    return _told(_PYTHONS)


def tell_programs(folders: Mapping[str, str]) -> None:
    """Tell this process, and those that it starts, in which folders programs are."""
    _tell(_PROGRAMS, {name: os.path.abspath(folder) for name, folder in folders.items()})


def programs() -> dict[str, str]:
    """Return the folders by program, as this process was told."""
    return _told(_PROGRAMS)


def _tell(variable: str, paths: Mapping[str, str]) -> None:
    found = {**_told(variable), **paths}
    os.environ[variable] = os.pathsep.join(f"{name}={path}" for name, path in found.items())


def _told(variable: str) -> dict[str, str]:
    parts = os.environ.get(variable, "").split(os.pathsep)
    return dict(part.split("=", 1) for part in parts if "=" in part)


def absence(requirement: str, files: Mapping[str, str] | None = None) -> str:
    """Return why a library cannot be asked here at a version; "" if it can.

    Args:
        requirement: ``name==version``.
        files: A program's files of that version, if it is not a distribution, by their paths in
            its folder, and the SHA-256 of each.

    Example:
        >>> absence("no-such-library==1.0")
        'no-such-library is not installed'
        >>> absence("no/such-program==1a2b3c4", {"bounds.py": "0" * 64})
        'no/such-program is in no folder here (--program no/such-program=FOLDER)'
    """
    library, _, wanted = requirement.partition("==")
    if files:
        return _absence_of_program(library, wanted, files)
    python = interpreters().get(library)
    if python is None:
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as version_of

        try:
            version = version_of(library)
        except PackageNotFoundError:
            return f"{library} is {NOT_INSTALLED}"
    else:
        with Session(library, "", python=python) as session:
            failure = session.ask("0").failure
            if failure:
                return f"{library} is {failure}" if failure == NOT_INSTALLED else failure
            version = session.version
    if version != wanted and _ANY not in os.environ:
        return f"{library} is {version} here; the claim is about {wanted}"
    return ""


def _absence_of_program(name: str, version: str, files: Mapping[str, str]) -> str:
    folder = programs().get(name)
    if folder is None:
        return f"{name} is in no folder here (--program {name}=FOLDER)"
    for file, digest in files.items():
        try:
            content = (Path(folder) / file).read_bytes()
        except OSError:
            return f"{name} is not in {folder}: it has no {file}"
        if sha256(content).hexdigest() != digest:
            return f"{name} is another version in {folder} ({file}); the claim is about {version}"
    modules = (file.removesuffix(".py").replace("/", ".") for file in files)
    imports = "\n".join(f"import {module}" for module in modules)
    python = interpreters().get(name, sys.executable)
    with Session(name, imports, python=python, folder=folder) as session:
        failure = session.ask("0").failure
    return f"{name} cannot be imported by {python}: {failure}" if failure else ""
