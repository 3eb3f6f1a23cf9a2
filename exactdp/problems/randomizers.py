"""The randomizers of a problem file: a matrix, or a mechanism by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ClassVar

from msgspec import Meta

from exactdp.errors import ParseError
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    local_hashing,
    optimized_unary_encoding,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
)
from exactdp.problems.laws import located
from exactdp.problems.values import HERE, EpsilonValue, Mass, Size, Strict, arguments_of, check_sum

__all__ = ["RandomizerFile", "check_matrix", "input_count", "randomizer_of"]


class _Mechanism(Strict, frozen=True, kw_only=True, tag_field="mechanism"):
    k: Size
    epsilon: EpsilonValue

    make: ClassVar[Callable[..., Randomizer]]

    def build(self) -> Randomizer:
        return self.make(**arguments_of(self))


class RandomizedResponse(_Mechanism, frozen=True, kw_only=True, tag="randomized_response"):
    """k-ary randomized response."""

    make = staticmethod(randomized_response)


class SymmetricUnaryEncoding(_Mechanism, frozen=True, kw_only=True, tag="symmetric_unary_encoding"):
    """Unary encoding with every bit randomized alike (basic RAPPOR)."""

    make = staticmethod(symmetric_unary_encoding)


class OptimizedUnaryEncoding(_Mechanism, frozen=True, kw_only=True, tag="optimized_unary_encoding"):
    """Unary encoding with bit 1 kept with probability 1/2."""

    make = staticmethod(optimized_unary_encoding)


class SubsetSelection(_Mechanism, frozen=True, kw_only=True, tag="subset_selection"):
    """Subset selection: a random set of ``size`` values, likelier to hold the input."""

    size: Annotated[int, Meta(ge=1, le=10**9, description="Give the size of the sets, 1 to k.")]

    make = staticmethod(subset_selection)


class HadamardResponse(_Mechanism, frozen=True, kw_only=True, tag="hadamard_response"):
    """Hadamard response."""

    make = staticmethod(hadamard_response)


class LocalHashing(_Mechanism, frozen=True, kw_only=True, tag="local_hashing"):
    """Local hashing with all functions to ``buckets`` values, and randomized response on those."""

    buckets: Size

    make = staticmethod(local_hashing)


_Matrix = list[list[Mass]]
RandomizerFile = (
    _Matrix
    | RandomizedResponse
    | SymmetricUnaryEncoding
    | OptimizedUnaryEncoding
    | SubsetSelection
    | HadamardResponse
    | LocalHashing
)


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
