"""Packages whose names load on first use: a question loads the files that it asks alone."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from exactdp.numbers.renamed import current_name
from exactdp.numbers.validated import checked_name

__all__ = ["lazy_door"]

_UNCHECKED: dict[str, tuple[str, list[str]]] = {}
"""The files of packages that may not be loaded yet: the package, and its names that they define."""


def lazy_door(room: dict[str, Any], files: Mapping[str, str]) -> None:
    """Let the names of a package load on first use, with checks; the last line of its file.

    Args:
        room: The package's ``globals()``.
        files: File -> its names of the package's ``__all__``, apart by spaces. A file is named as
            seen from the package, one of another as ``..package.file``.
    """
    package = room["__name__"]
    homes: dict[str, str] = {}
    for file, names in files.items():
        home = f"exactdp.{file[2:]}" if file.startswith("..") else f"{package}.{file}"
        homes |= dict.fromkeys(names.split(), home)
        _UNCHECKED[home] = package, names.split()
    room["_HOMES"] = homes
    sys.modules[package].__class__ = _Door


class _Door(ModuleType):
    """A package: a name of it is loaded with its file, whoever asks first."""

    _HOMES: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        """Return a name of the package, which stays."""
        if name not in self._HOMES:
            now = current_name(self.__name__, name, stacklevel=4)
            if now is None:
                raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
            return getattr(self, now)
        found = checked_name(getattr(import_module(self._HOMES[name]), name), self.__name__)
        vars(self)[name] = found
        _check_loaded()
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        """Bind a file that was loaded, unless the package has a name like it."""
        if name not in self._HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)
        _check_loaded()

    def __dir__(self) -> list[str]:
        return sorted(vars(self)["__all__"])


def _check_loaded() -> None:
    """Put checks on the classes of the files that are loaded: they come as results, too."""
    for file in [file for file in _UNCHECKED if file in sys.modules]:
        room, names = _UNCHECKED[file]
        found = vars(sys.modules[file])
        for name in names:
            if isinstance(found.get(name), type):
                checked_name(found[name], room)
        if all(name in found for name in names):
            del _UNCHECKED[file]
