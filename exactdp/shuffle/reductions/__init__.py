"""Reductions of a view to pairs of counts: mixtures, letters, and when they hide the victim."""

from exactdp.shuffle.reductions.decompositions import (
    CloneDecomposition,
    clone_decomposition,
    stronger_clone_decomposition,
    variation_ratio_decomposition,
)
from exactdp.shuffle.reductions.letter_weights import clone_weight, letter_weight, variation_weight
from exactdp.shuffle.reductions.mixtures import (
    Component,
    DecompositionFault,
    FaultKind,
    Mixture,
    first_fault,
    with_leftover,
)
from exactdp.shuffle.reductions.pairs import (
    clone_pair,
    largest_epsilon0,
    stronger_clone_pair,
    variation_ratio_pair,
)
from exactdp.shuffle.reductions.variation_ratio import VariationRatio, variation_ratio

__all__ = [
    "CloneDecomposition",
    "Component",
    "DecompositionFault",
    "FaultKind",
    "Mixture",
    "VariationRatio",
    "clone_decomposition",
    "clone_pair",
    "clone_weight",
    "first_fault",
    "largest_epsilon0",
    "letter_weight",
    "stronger_clone_decomposition",
    "stronger_clone_pair",
    "variation_ratio",
    "variation_ratio_decomposition",
    "variation_ratio_pair",
    "variation_weight",
    "with_leftover",
]
