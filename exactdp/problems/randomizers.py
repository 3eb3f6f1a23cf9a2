"""The randomizers of a problem file: a matrix, or a mechanism by its name."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from exactdp.errors import ExactDPError, ParseError
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    local_hashing,
    optimized_unary_encoding,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
)
from exactdp.problems.values import HERE, EpsilonValue, Mass, Size, Strict, check_sum

__all__ = ["Matrix", "RandomizerFile", "check_matrix", "input_count", "randomizer_of"]


class _Mechanism(Strict, frozen=True, kw_only=True, tag_field="mechanism"):
    k: Size
    epsilon: EpsilonValue


class RandomizedResponse(_Mechanism, frozen=True, kw_only=True, tag="randomized_response"):
    """k-ary randomized response."""

    def build(self) -> Randomizer:
        """Return the randomizer."""
        return randomized_response(self.k, self.epsilon.value)


class SymmetricUnaryEncoding(_Mechanism, frozen=True, kw_only=True, tag="symmetric_unary_encoding"):
    """Unary encoding with every bit randomized alike (basic RAPPOR)."""

    def build(self) -> Randomizer:
        """Return the randomizer."""
        return symmetric_unary_encoding(self.k, self.epsilon.value)


class OptimizedUnaryEncoding(_Mechanism, frozen=True, kw_only=True, tag="optimized_unary_encoding"):
    """Unary encoding with bit 1 kept with probability 1/2."""

    def build(self) -> Randomizer:
        """Return the randomizer."""
        return optimized_unary_encoding(self.k, self.epsilon.value)


class SubsetSelection(_Mechanism, frozen=True, kw_only=True, tag="subset_selection"):
    """Subset selection: a random set of ``size`` values, likelier to hold the input."""

    size: Annotated[int, Meta(ge=1, le=10**9, description="Give the size of the sets, 1 to k.")]

    def build(self) -> Randomizer:
        """Return the randomizer."""
        return subset_selection(self.k, self.size, self.epsilon.value)


class HadamardResponse(_Mechanism, frozen=True, kw_only=True, tag="hadamard_response"):
    """Hadamard response."""

    def build(self) -> Randomizer:
        """Return the randomizer."""
        return hadamard_response(self.k, self.epsilon.value)


class LocalHashing(_Mechanism, frozen=True, kw_only=True, tag="local_hashing"):
    """Local hashing with all functions to ``buckets`` values, and randomized response on those."""

    buckets: Size

    def build(self) -> Randomizer:
        """Return the randomizer."""
        return local_hashing(self.k, self.buckets, self.epsilon.value)


Matrix = list[list[Mass]]
RandomizerFile = (
    Matrix
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
    try:
        if isinstance(content, list):
            return Randomizer.from_matrix([mass.value for mass in row] for row in content)
        return content.build()
    except ExactDPError as error:
        raise type(error)(f"{path}: {error}") from None


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
