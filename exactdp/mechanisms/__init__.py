"""Local randomizers as exact stochastic matrices, and additive noise; one family a file.

A family of randomizers takes k inputs, at least 2, and its exact LDP parameter ε, an Epsilon
of at least 0; anything else is a DomainError, a matrix of over a million entries a
TooLargeError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.numbers.doors import lazy_door as _lazy_door

if TYPE_CHECKING:
    from exactdp.mechanisms.aggregation_trees import squared_tree_sensitivity
    from exactdp.mechanisms.binomial import BinomialMechanism, binomial_mechanism
    from exactdp.mechanisms.bounded_discrete_laplace import bounded_discrete_laplace_mechanism
    from exactdp.mechanisms.bounded_laplace import Results, bounded_laplace_mechanism
    from exactdp.mechanisms.bounded_range import BoundedRange, exponential_mechanism
    from exactdp.mechanisms.clamped import clamped_noise, clamped_results
    from exactdp.mechanisms.discrete_gaussian import (
        DiscreteGaussianMechanism,
        discrete_gaussian_mechanism,
    )
    from exactdp.mechanisms.discrete_laplace import (
        DiscreteLaplaceMechanism,
        discrete_laplace_mechanism,
    )
    from exactdp.mechanisms.encoders import (
        ToeplitzMatrix,
        banded_toeplitz,
        binary_tree,
        square_root_coefficients,
    )
    from exactdp.mechanisms.gaussian import GaussianMechanism, gaussian_mechanism, smallest_sigma
    from exactdp.mechanisms.hadamard_response import hadamard_response
    from exactdp.mechanisms.integer_noise import IntegerNoise
    from exactdp.mechanisms.laplace import LaplaceMechanism, laplace_mechanism
    from exactdp.mechanisms.local_hashing import local_hashing
    from exactdp.mechanisms.log_concave import LogConcaveNoise, log_concave_mechanism
    from exactdp.mechanisms.matrix import (
        MatrixBounds,
        MatrixMechanism,
        matrix_mechanism,
        tree_aggregation,
    )
    from exactdp.mechanisms.modular import modular_noise
    from exactdp.mechanisms.noisy_max import NoisyMax, noisy_max
    from exactdp.mechanisms.participation import squared_sensitivity
    from exactdp.mechanisms.randomized_response import randomized_response
    from exactdp.mechanisms.randomizer import Randomizer
    from exactdp.mechanisms.rounded_noise import TailNoise, integer_noise, rounded_noise
    from exactdp.mechanisms.selections import PartitionSelection, partition_selection
    from exactdp.mechanisms.skellam import SkellamMechanism, skellam_mechanism
    from exactdp.mechanisms.sparse_vector import AboveThreshold, above_threshold
    from exactdp.mechanisms.subset_selection import subset_selection
    from exactdp.mechanisms.thresholds import smallest_threshold, thresholded
    from exactdp.mechanisms.truncated_discrete_laplace import (
        Ends,
        TruncatedDiscreteLaplaceMechanism,
        truncated_discrete_laplace_mechanism,
    )
    from exactdp.mechanisms.truncated_laplace import (
        TruncatedLaplaceMechanism,
        truncated_laplace_mechanism,
    )
    from exactdp.mechanisms.unary_encoding import (
        optimized_unary_encoding,
        symmetric_unary_encoding,
        unary_encoding,
    )

__all__ = [
    "AboveThreshold",
    "BinomialMechanism",
    "BoundedRange",
    "DiscreteGaussianMechanism",
    "DiscreteLaplaceMechanism",
    "Ends",
    "GaussianMechanism",
    "IntegerNoise",
    "LaplaceMechanism",
    "LogConcaveNoise",
    "MatrixBounds",
    "MatrixMechanism",
    "NoisyMax",
    "PartitionSelection",
    "Randomizer",
    "Results",
    "SkellamMechanism",
    "TailNoise",
    "ToeplitzMatrix",
    "TruncatedDiscreteLaplaceMechanism",
    "TruncatedLaplaceMechanism",
    "above_threshold",
    "banded_toeplitz",
    "binary_tree",
    "binomial_mechanism",
    "bounded_discrete_laplace_mechanism",
    "bounded_laplace_mechanism",
    "clamped_noise",
    "clamped_results",
    "discrete_gaussian_mechanism",
    "discrete_laplace_mechanism",
    "exponential_mechanism",
    "gaussian_mechanism",
    "hadamard_response",
    "integer_noise",
    "laplace_mechanism",
    "local_hashing",
    "log_concave_mechanism",
    "matrix_mechanism",
    "modular_noise",
    "noisy_max",
    "optimized_unary_encoding",
    "partition_selection",
    "randomized_response",
    "rounded_noise",
    "skellam_mechanism",
    "smallest_sigma",
    "smallest_threshold",
    "square_root_coefficients",
    "squared_sensitivity",
    "squared_tree_sensitivity",
    "subset_selection",
    "symmetric_unary_encoding",
    "thresholded",
    "tree_aggregation",
    "truncated_discrete_laplace_mechanism",
    "truncated_laplace_mechanism",
    "unary_encoding",
]

_lazy_door(
    globals(),
    {
        "aggregation_trees": "squared_tree_sensitivity",
        "binomial": "BinomialMechanism binomial_mechanism",
        "bounded_discrete_laplace": "bounded_discrete_laplace_mechanism",
        "bounded_laplace": "Results bounded_laplace_mechanism",
        "bounded_range": "BoundedRange exponential_mechanism",
        "clamped": "clamped_noise clamped_results",
        "discrete_gaussian": "DiscreteGaussianMechanism discrete_gaussian_mechanism",
        "discrete_laplace": "DiscreteLaplaceMechanism discrete_laplace_mechanism",
        "encoders": "ToeplitzMatrix banded_toeplitz binary_tree square_root_coefficients",
        "gaussian": "GaussianMechanism gaussian_mechanism smallest_sigma",
        "hadamard_response": "hadamard_response",
        "integer_noise": "IntegerNoise",
        "laplace": "LaplaceMechanism laplace_mechanism",
        "local_hashing": "local_hashing",
        "log_concave": "LogConcaveNoise log_concave_mechanism",
        "matrix": "MatrixBounds MatrixMechanism matrix_mechanism tree_aggregation",
        "modular": "modular_noise",
        "noisy_max": "NoisyMax noisy_max",
        "participation": "squared_sensitivity",
        "randomized_response": "randomized_response",
        "randomizer": "Randomizer",
        "rounded_noise": "TailNoise integer_noise rounded_noise",
        "selections": "PartitionSelection partition_selection",
        "skellam": "SkellamMechanism skellam_mechanism",
        "sparse_vector": "AboveThreshold above_threshold",
        "subset_selection": "subset_selection",
        "thresholds": "smallest_threshold thresholded",
        "truncated_discrete_laplace": "Ends "
        "TruncatedDiscreteLaplaceMechanism truncated_discrete_laplace_mechanism",
        "truncated_laplace": "TruncatedLaplaceMechanism truncated_laplace_mechanism",
        "unary_encoding": "optimized_unary_encoding symmetric_unary_encoding unary_encoding",
    },
)
