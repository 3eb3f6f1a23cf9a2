"""Problem files and their answers: what can be asked of the library in JSON."""

try:
    import msgspec  # noqa: F401
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "problem files need msgspec, which is not installed. Install exactdp[cli].", name="msgspec"
    ) from None

from exactdp.numbers.validated import checked_door as _checked_door
from exactdp.problems.answers import Answer, Answers
from exactdp.problems.reading import FileQuestion, Problem, read_problem
from exactdp.problems.schema import problem_schema
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

_checked_door(globals())
