"""Quantities of a claim: functions of an instance, each with its name in Coq.

A universal claim speaks of laws, randomizers and views that no term of finite size holds. A
quantity is such a notion with its two meanings: a function that computes it at an instance (a term
that the engine and the kernel evaluate), and an expression over the definitions of
``proofs_check/coq``. Applied to variables it stays what it is, so that the claim's own formula is
the statement in Coq (:mod:`exactdp.coq.statements`).

Definitions: :class:`Notion`, :func:`quantity`.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from exactdp.claims.terms import Term, parts_of_term

__all__ = ["Notion", "quantity"]


@dataclass(frozen=True, slots=True)
class Notion:
    """A notion of a claim.

    Attributes:
        name: What a printed formula calls it.
        compute: Makes its value at an instance: a number, a law, a term.
        coq: The expression in Coq, with ``{0}``, ``{1}``, ... for the arguments; ``{0:nat}`` for
            one that is a natural number there.
        made_in: The file whose code has brought both meanings together.
    """

    name: str
    compute: Callable[..., Any]
    coq: str
    made_in: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "made_in", _author())

    def __call__(self, *arguments: Any) -> Any:
        """Return the value at an instance; between variables, the quantity itself."""
        if any(map(_is_open, arguments)):
            return Term("quantity", self, *arguments)
        return self.compute(*arguments)


def quantity(coq: str, *, name: str = "") -> Callable[[Callable[..., Any]], Notion]:
    """Return the decorator that makes a quantity of the function that computes it.

    Example:
        >>> @quantity("(INR {0:nat} * {1})")
        ... def repeated(n, x):
        ...     return n * x
        >>> repeated(3, 2), repeated(Term("variable", "n"), 2).head
        (6, 'quantity')
    """
    return lambda compute: Notion(name or compute.__name__, compute, coq)


def _author() -> str:
    """Return the file of the code that makes a notion, not of the code that this calls."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in _MAKERS:
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename


_MAKERS = (__file__, dataclasses.__file__, "<string>")
"""Here, `replace`, and a dataclass's own constructor, which has no file."""


def _is_open(argument: Any) -> bool:
    """Return whether a variable is in an argument."""
    return isinstance(argument, Term) and any(
        part.head in ("variable", "quantity") for part in parts_of_term(argument)
    )
