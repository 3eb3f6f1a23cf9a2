"""Accountants compared with the truth: their answers, and which are on the wrong side.

And the claims of registries, beside the truth in the same way.

Importing this package loads nothing; its names load on first use. The accountants need no
mathematics: a library's process starts before it is imported.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exactdp.compare.accountants import Accountant, installed_accountants
    from exactdp.compare.findings import Finding, compare
    from exactdp.compare.registry import (
        EntryAnswer,
        RegistryEntry,
        answer_of_entry,
        read_registry,
    )
    from exactdp.compare.tasks import Task, tasks_of
    from exactdp.compare.users import ShuffledUsers

__all__ = [
    "Accountant",
    "EntryAnswer",
    "Finding",
    "RegistryEntry",
    "ShuffledUsers",
    "Task",
    "answer_of_entry",
    "compare",
    "installed_accountants",
    "read_registry",
    "tasks_of",
]


def __dir__() -> list[str]:
    return sorted(__all__)


_FILES = {
    "accountants": "Accountant installed_accountants",
    "findings": "Finding compare",
    "registry": "EntryAnswer RegistryEntry answer_of_entry read_registry",
    "tasks": "Task tasks_of",
    "users": "ShuffledUsers",
}


def __getattr__(name: str) -> Any:
    for file, names in _FILES.items():
        if name in names.split():
            one = getattr(import_module(f"exactdp.compare.{file}"), name)
            if file == "accountants":  # which need no numbers
                return one
            return import_module("exactdp.numbers.validated").checked_name(one, __name__)
    raise AttributeError(f"module 'exactdp.compare' has no attribute {name!r}")
