"""What tests of private mechanisms need: strategies for exact laws, pairs and randomizers."""

from exactdp.testing.strategies import (
    Matrix,
    epsilons,
    exact_pairs,
    local_randomizers,
    probability_vectors,
    push_forward,
    rational_pairs,
    stochastic_matrices,
)

__all__ = [
    "Matrix",
    "epsilons",
    "exact_pairs",
    "local_randomizers",
    "probability_vectors",
    "push_forward",
    "rational_pairs",
    "stochastic_matrices",
]
