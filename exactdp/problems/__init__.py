"""Problem files and their answers: the questions that JSON can ask of the library.

Its names load on first use: who reads other files by the same rules loads none of the laws.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    import msgspec  # noqa: F401
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "problem files need msgspec, which is not installed. Install exactdp[cli].", name="msgspec"
    ) from None

from exactdp.numbers.validated import checked_name as _checked_name

if TYPE_CHECKING:
    from exactdp.problems.answers import Answer, Answers
    from exactdp.problems.kinds import problem_schema
    from exactdp.problems.reading import FileQuestion, Problem, read_problem
    from exactdp.problems.solving import solve, solve_each
    from exactdp.problems.some_answers import Refused, SomeAnswers, answers_json

__all__ = [
    "Answer",
    "Answers",
    "FileQuestion",
    "Problem",
    "Refused",
    "SomeAnswers",
    "answers_json",
    "problem_schema",
    "read_problem",
    "solve",
    "solve_each",
]

_FILES = {
    "answers": ("Answer", "Answers"),
    "reading": ("FileQuestion", "Problem", "read_problem"),
    "kinds": ("problem_schema",),
    "solving": ("solve", "solve_each"),
    "some_answers": ("Refused", "SomeAnswers", "answers_json"),
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    for file, names in _FILES.items():
        if name in names:
            found = getattr(import_module(f"exactdp.problems.{file}"), name)
            return globals().setdefault(name, _checked_name(found, __name__))
    raise AttributeError(f"module 'exactdp.problems' has no attribute {name!r}")
