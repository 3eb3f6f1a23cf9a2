"""Problem files and their answers: what can be asked of the library in JSON."""

try:
    import msgspec  # noqa: F401
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "problem files need msgspec, which is not installed. Install exactdp[cli].", name="msgspec"
    ) from None

from exactdp.numbers.validated import checked_door
from exactdp.problems.answers import Answer, Answers, answers_json
from exactdp.problems.reading import FileQuestion, Problem, read_problem
from exactdp.problems.schema import problem_schema
from exactdp.problems.solving import solve

__all__ = [
    "Answer",
    "Answers",
    "FileQuestion",
    "Problem",
    "answers_json",
    "problem_schema",
    "read_problem",
    "solve",
]

checked_door(globals())
