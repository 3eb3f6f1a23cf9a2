"""The randomizers of a problem file: a matrix, or a mechanism by its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from exactdp import mechanisms
from exactdp.divergences.description import described_in, description_of
from exactdp.errors import ParseError
from exactdp.mechanisms.randomizer import LOCAL_EPSILON, K, Randomizer
from exactdp.problems.described import law_of
from exactdp.problems.laws import located
from exactdp.problems.values import HERE, EpsilonValue, Mass, Size, Strict, arguments_of, check_sum

__all__ = ["RandomizerFile", "check_matrix", "input_count", "randomizer_of"]


class _Mechanism(Strict, frozen=True, kw_only=True, tag_field="mechanism"):
    k: Size

    mechanism: ClassVar[Callable[..., Randomizer]]

    def build(self) -> Randomizer:
        return self.mechanism(**arguments_of(self))


class _OfEpsilon(_Mechanism, frozen=True, kw_only=True, tag_field="mechanism"):
    epsilon: EpsilonValue


RANDOMIZERS: tuple[Any, ...] = tuple(
    law_of(one, _OfEpsilon if LOCAL_EPSILON in description_of(one).parameters else _Mechanism)
    for one in described_in(mechanisms)
    if K in description_of(one).parameters
)
"""The mechanisms that are a randomizer, by their names."""

_Matrix = list[list[Mass]]
if TYPE_CHECKING:
    RandomizerFile: TypeAlias = _Matrix | _Mechanism
else:
    RandomizerFile = reduce(or_, RANDOMIZERS, _Matrix)


def randomizer_of(content: RandomizerFile, *, path: str) -> Randomizer:
    """Return the randomizer that a matrix or a mechanism's name stands for.

    Raises:
        DomainError: If the mechanism refuses its parameters; the message begins with the path.
    """
    with located(path):
        if isinstance(content, list):
            return Randomizer.from_matrix([mass.number for mass in row] for row in content)
        return content.build()


def input_count(content: RandomizerFile) -> int:
    """Return the number of inputs of a randomizer, without building it."""
    return len(content) if isinstance(content, list) else content.k


def check_matrix(content: RandomizerFile, name: str) -> None:
    """Refuse rows of different lengths, or that are not laws (ParseError)."""
    if not isinstance(content, list):
        return
    path = f"{HERE}{name}"
    if not content or not content[0]:
        raise ParseError(f"{path} has no entry. Give one row an input, one mass a message.")
    for index, row in enumerate(content):
        if len(row) != len(content[0]):
            raise ParseError(
                f"{path}[{index}] has {len(row)} masses, but row 0 has {len(content[0])}. "
                "Give every input a row over the same messages, with 0 where there is no mass."
            )
        check_sum(row, f"{path}[{index}]")
