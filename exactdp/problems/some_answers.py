"""Answers to a problem of which some questions are refused: each answer that there is."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from exactdp.divergences.display import InNotebook, Table
from exactdp.errors import ExactDPError
from exactdp.numbers.arguments import of_class
from exactdp.problems.answers import Answer, Answers, AskName
from exactdp.problems.laws import SideNames
from exactdp.problems.reading import FileQuestion
from exactdp.problems.strict_json import at_text

__all__ = ["Refused", "SomeAnswers", "answers_json"]


class Refused(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question without an answer.

    Attributes:
        ask: What was asked, as in the file.
        at: The value at which it was asked, as the file writes it; null if none.
        refused: Why there is no answer, and the way out, in one line.
    """

    ask: AskName
    at: dict[str, Any] | str | int | None
    refused: str

    @classmethod
    def of(cls, question: FileQuestion, error: ExactDPError) -> Refused:
        """Return the question that an error has refused."""
        return cls(ask=question.ask, at=question.at, refused=" ".join(str(error).split()))

    def row(self) -> list[str]:
        """Return a row of the table."""
        return [self.ask, at_text(self.at), "refused", "", ""]

    def __str__(self) -> str:
        at = at_text(self.at)
        return f"{self.ask}{f' at {at}' if at else ''} is refused: {self.refused}"


class SomeAnswers(Struct, InNotebook, frozen=True, kw_only=True):
    """The answers and the refusals of all questions of a problem file, in the file's order.

    Where none is refused, its JSON and its table are those of :class:`Answers`.
    """

    format: Literal["exactdp-answers/1"] = "exactdp-answers/1"
    sides: SideNames
    answers: list[Answer | Refused]

    @property
    def found(self) -> Answers:
        """The answers that there are."""
        kept = [one for one in self.answers if isinstance(one, Answer)]
        return Answers(sides=self.sides, answers=kept)

    @property
    def refused(self) -> list[Refused]:
        """The questions without one."""
        return [one for one in self.answers if isinstance(one, Refused)]

    def table(self, digits: int = 17) -> Table:
        """Return the answers as a table, in which a refused question says so."""
        title, columns, _ = self.found.table(digits)
        rows = (a.row(digits) if isinstance(a, Answer) else a.row() for a in self.answers)
        return title, columns, [row[: len(columns)] for row in rows]


def answers_json(answers: Answers | SomeAnswers) -> str:
    """Return the answers as JSON text, indented.

    Example:
        >>> sides = SideNames(p="p", q="q", neighbors="the two laws")
        >>> print(answers_json(Answers(sides=sides, answers=[])))
        {
          "format": "exactdp-answers/1",
          "sides": {
            "p": "p",
            "q": "q",
            "neighbors": "the two laws"
          },
          "answers": []
        }
    """
    way_out = "Pass what solve returned."
    of_class(answers, Answers, SomeAnswers, name="answers", advice=way_out)
    return msgspec.json.format(msgspec.json.encode(answers), indent=2).decode()
