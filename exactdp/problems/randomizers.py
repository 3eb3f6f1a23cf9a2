"""From a randomizer as a problem file gives it to the randomizer that it means.

Definitions: :func:`randomizer_of`.
"""

from __future__ import annotations

from typing import assert_never

from exactdp.errors import ExactDPError
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    local_hashing,
    optimized_unary_encoding,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
)
from exactdp.problems.randomizer_schema import (
    HadamardResponse,
    LocalHashing,
    Mechanism,
    OptimizedUnaryEncoding,
    RandomizedResponse,
    SubsetSelection,
    SymmetricUnaryEncoding,
)
from exactdp.problems.values import Rational

__all__ = ["randomizer_of"]


def randomizer_of(spec: list[list[Rational]] | Mechanism, *, path: str) -> Randomizer:
    """Return the randomizer that a matrix or a mechanism's name stands for.

    Args:
        spec: What the file says, one row an input, or a mechanism.
        path: Where it stands in the file, for messages.

    Raises:
        DomainError: If the mechanism refuses its parameters.
    """
    try:
        match spec:
            case list():
                return Randomizer.from_matrix([mass.value for mass in row] for row in spec)
            case RandomizedResponse():
                return randomized_response(spec.k, spec.epsilon.value)
            case SymmetricUnaryEncoding():
                return symmetric_unary_encoding(spec.k, spec.epsilon.value)
            case OptimizedUnaryEncoding():
                return optimized_unary_encoding(spec.k, spec.epsilon.value)
            case SubsetSelection():
                return subset_selection(spec.k, spec.size, spec.epsilon.value)
            case HadamardResponse():
                return hadamard_response(spec.k, spec.epsilon.value)
            case LocalHashing():
                return local_hashing(spec.k, spec.buckets, spec.epsilon.value)
    except ExactDPError as error:
        raise type(error)(f"{path}: {error}") from None
    assert_never(spec)
