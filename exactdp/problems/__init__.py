"""Problem files and their answers: what can be asked of the library in JSON."""

from exactdp.problems.answers import Answer, Answers, answers_json
from exactdp.problems.reading import Problem, Question, read_problem
from exactdp.problems.schema import problem_schema
from exactdp.problems.solving import solve

__all__ = [
    "Answer",
    "Answers",
    "Problem",
    "Question",
    "answers_json",
    "problem_schema",
    "read_problem",
    "solve",
]
