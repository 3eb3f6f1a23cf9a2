"""The randomizers of a problem file: a matrix, or a mechanism by its name.

Definitions: :data:`Mechanism` and its members.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from exactdp.problems.values import EpsilonValue, Size, Strict

__all__ = [
    "HadamardResponse",
    "LocalHashing",
    "Mechanism",
    "OptimizedUnaryEncoding",
    "RandomizedResponse",
    "SubsetSelection",
    "SymmetricUnaryEncoding",
]


class _Mechanism(Strict, frozen=True, kw_only=True, tag_field="mechanism"):
    k: Size
    epsilon: EpsilonValue


class RandomizedResponse(_Mechanism, frozen=True, kw_only=True, tag="randomized_response"):
    """k-ary randomized response."""


class SymmetricUnaryEncoding(_Mechanism, frozen=True, kw_only=True, tag="symmetric_unary_encoding"):
    """Unary encoding with every bit randomized alike (basic RAPPOR)."""


class OptimizedUnaryEncoding(_Mechanism, frozen=True, kw_only=True, tag="optimized_unary_encoding"):
    """Unary encoding with bit 1 kept with probability 1/2."""


class SubsetSelection(_Mechanism, frozen=True, kw_only=True, tag="subset_selection"):
    """Subset selection: a random set of ``size`` values, likelier to hold the input."""

    size: Annotated[int, Meta(ge=1, le=10**9, description="Give the size of the sets, 1 to k.")]


class HadamardResponse(_Mechanism, frozen=True, kw_only=True, tag="hadamard_response"):
    """Hadamard response."""


class LocalHashing(_Mechanism, frozen=True, kw_only=True, tag="local_hashing"):
    """Local hashing with all functions to ``buckets`` values, and randomized response on those."""

    buckets: Size


Mechanism = (
    RandomizedResponse
    | SymmetricUnaryEncoding
    | OptimizedUnaryEncoding
    | SubsetSelection
    | HadamardResponse
    | LocalHashing
)
