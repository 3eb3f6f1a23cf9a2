"""Problem files: text in, checked questions about a law out."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from flint import fmpq

from exactdp.numbers import count_text, refuse_above
from exactdp.numbers.limits import MAX_QUESTIONS
from exactdp.numbers.validated import validated
from exactdp.problems.answers import AskName
from exactdp.problems.laws import Law
from exactdp.problems.schema import Ask, Target, with_ask
from exactdp.problems.strict_json import as_strings, strict_json
from exactdp.problems.validation import converted, in_full
from exactdp.problems.values import EpsilonValue, Rational

__all__ = ["FileQuestion", "Problem", "problem_of", "read_problem"]


@validated
@dataclass(frozen=True, slots=True)
class FileQuestion:
    """One thing asked: its name, at which value (None where there is none), as it is written."""

    ask: AskName
    value: EpsilonValue | Rational | Target | int | None
    at: dict[str, Any] | str | int | None


@validated
@dataclass(frozen=True, slots=True, repr=False)
class Problem:
    """A law and the questions about it, as read from a file.

    Attributes:
        law: What is asked about; see ``schema``.
        questions: The questions in the order of the file: the keys of "ask" as they are written,
            and the values of each key in order.
        both_directions: Whether the worse of the two directions is asked for.
        relative_width: How close lower and upper must be, relative to the answer; None
            for the usual width of such a law.
    """

    law: Law
    questions: tuple[FileQuestion, ...]
    both_directions: bool
    relative_width: fmpq | None
    document: Any = field(default=None, compare=False)
    """The file's content, from which a copy in another process is read."""

    def __repr__(self) -> str:
        kind, count = type(self.law).__struct_config__.tag, len(self.questions)
        return f"<Problem {kind}: {count} {'question' if count == 1 else 'questions'}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        known = self.document is not None
        return (problem_of, (self.document,)) if known else object.__reduce__(self)


@validated
def read_problem(text: str | bytes) -> Problem:
    """Return the problem that a file states.

    Args:
        text: The whole file, JSON.

    Raises:
        ParseError: If it is not a problem file. The message names the place, what
            stands there, and the way out, on one line.
        TooLargeError: If it has more than 50 million characters.

    Example:
        >>> problem = read_problem('''{"kind": "finite_pair", "p": ["3/4", "1/4"],
        ...     "q": ["1/4", "3/4"], "ask": {"hockey_stick": [{"log": 2}]}}''')
        >>> len(problem.questions), problem.both_directions
        (1, False)
        >>> read_problem('{"kind": "gaussian", "sigma": "1"}')
        Traceback (most recent call last):
        ...
        exactdp.errors.ParseError: $ has no key "ask". Add it; the keys are kind, sampling, \
sigma, noise_multiplier, sigma_squared, rho, sensitivity, ask.
    """
    return problem_of(strict_json(text))


def problem_of(document: Any) -> Problem:
    """Return the problem that a document, read by ``strict_json``, states.

    Raises:
        ParseError: If it is not a problem; as :func:`read_problem`.
        TooLargeError: If it asks too much.
    """
    asked = document.get("ask") if isinstance(document, dict) else None
    lists = asked.values() if isinstance(asked, dict) else ()
    count = sum(len(values) for values in lists if isinstance(values, list))
    what = f"the file asks {count_text(count)} questions"
    refuse_above(MAX_QUESTIONS, count, what, advice="Split it into several problems.")
    format_of_kind = _format(document)
    written, document = document, in_full(document, format_of_kind)
    content = converted(document, format_of_kind)
    ask: Ask = content.ask
    return Problem(
        law=content,
        questions=tuple(_questions(ask, document["ask"])),
        both_directions=ask.direction == "both",
        relative_width=None if ask.relative_width is None else ask.relative_width.value,
        document=written,
    )


_LAWS = {
    "blanket_pair": "shuffled BlanketPairLaw",
    "dp_sgd": "dp_sgd DpSgd",
    "laplace_mixture": "pufferfish LaplaceMixture",
    "matrix_mechanism": "streams MatrixMechanismLaw",
    "pufferfish": "pufferfish Pufferfish",
    "shuffle": "shuffled Shuffle",
    "shuffle_worst_case": "shuffled ShuffleWorstCaseLaw",
    "tree_aggregation": "streams TreeAggregationLaw",
}
"""Kind -> file and name of its law, where that needs no law of another kind."""


def _format(document: Any) -> Any:
    """Return the format of a document's kind, if that is read alone; else of all kinds."""
    kind = str(document.get("kind")) if isinstance(document, dict) else ""
    if kind in _LAWS:
        file, name = _LAWS[kind].split()
        return with_ask(getattr(import_module(f"exactdp.problems.{file}"), name))
    from exactdp.problems.described import noise_law

    if law := noise_law(kind):
        return with_ask(law)
    from exactdp.problems.kinds import ProblemFile

    return ProblemFile


def _questions(ask: Ask, written: dict[str, Any]) -> list[FileQuestion]:
    """Return the questions of "ask", each with the text that stands in the file."""
    result: list[FileQuestion] = []
    for name, at in written.items():
        values = getattr(ask, name)
        if values is True:
            result.append(FileQuestion(name, None, None))
        elif isinstance(values, list):
            result += [
                FileQuestion(name, value, as_strings(here))
                for value, here in zip(values, at, strict=True)
            ]
    return result
