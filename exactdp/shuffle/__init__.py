"""The analyzer's view of a shuffled protocol, and its worst case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.numbers.doors import lazy_door as _lazy_door

if TYPE_CHECKING:
    from exactdp.divergences.worst import Bounds, Named, Sandwich
    from exactdp.shuffle.allocated_noise import NoiseAllocation
    from exactdp.shuffle.allocation import allocated_scale, random_allocation
    from exactdp.shuffle.at_scale.count_pairs import CountPair
    from exactdp.shuffle.at_scale.hiding import Hidden, HiddenVictim
    from exactdp.shuffle.at_scale.score_sums import ScoreSum
    from exactdp.shuffle.blankets import (
        BlanketDecomposition,
        BlanketPair,
        blanket_decomposition,
        blanket_pair,
    )
    from exactdp.shuffle.multisets import MultisetLaw, union_of
    from exactdp.shuffle.reductions.decompositions import (
        CloneDecomposition,
        clone_decomposition,
        stronger_clone_decomposition,
        variation_ratio_decomposition,
    )
    from exactdp.shuffle.reductions.letter_weights import clone_weight, letter_weight
    from exactdp.shuffle.reductions.mixture_pairs import (
        Component,
        DecompositionFault,
        FaultKind,
        Mixture,
        first_fault,
    )
    from exactdp.shuffle.reductions.pairs import (
        clone_pair,
        stronger_clone_pair,
        variation_ratio_pair,
    )
    from exactdp.shuffle.reductions.variation_ratio import VariationRatio, variation_ratio
    from exactdp.shuffle.scale import Published, ShuffleWorstCase, shuffle_worst_case
    from exactdp.shuffle.views.multi_message import (
        MultiMessageUsers,
        MultiMessageVictim,
        MultiMessageView,
        multi_message_view,
    )
    from exactdp.shuffle.views.shuffle_view import ShuffleView, Users, Victim, shuffle_view
    from exactdp.shuffle.views.worst_case import (
        Neighbors,
        WorstCase,
        is_input_symmetric,
        neighboring_views,
        worst_case,
    )

__all__ = [
    "BlanketDecomposition",
    "BlanketPair",
    "Bounds",
    "CloneDecomposition",
    "Component",
    "CountPair",
    "DecompositionFault",
    "FaultKind",
    "Hidden",
    "HiddenVictim",
    "Mixture",
    "MultiMessageUsers",
    "MultiMessageVictim",
    "MultiMessageView",
    "MultisetLaw",
    "Named",
    "Neighbors",
    "NoiseAllocation",
    "Published",
    "Sandwich",
    "ScoreSum",
    "ShuffleView",
    "ShuffleWorstCase",
    "Users",
    "VariationRatio",
    "Victim",
    "WorstCase",
    "allocated_scale",
    "blanket_decomposition",
    "blanket_pair",
    "clone_decomposition",
    "clone_pair",
    "clone_weight",
    "first_fault",
    "is_input_symmetric",
    "letter_weight",
    "multi_message_view",
    "neighboring_views",
    "random_allocation",
    "shuffle_view",
    "shuffle_worst_case",
    "stronger_clone_decomposition",
    "stronger_clone_pair",
    "union_of",
    "variation_ratio",
    "variation_ratio_decomposition",
    "variation_ratio_pair",
    "worst_case",
]

_lazy_door(
    globals(),
    {
        "..divergences.worst": "Bounds Named Sandwich",
        "allocated_noise": "NoiseAllocation",
        "allocation": "allocated_scale random_allocation",
        "at_scale.count_pairs": "CountPair",
        "at_scale.hiding": "Hidden HiddenVictim",
        "at_scale.score_sums": "ScoreSum",
        "blankets": "BlanketDecomposition BlanketPair blanket_decomposition blanket_pair",
        "multisets": "MultisetLaw union_of",
        "reductions.decompositions": "CloneDecomposition clone_decomposition "
        "stronger_clone_decomposition variation_ratio_decomposition",
        "reductions.letter_weights": "clone_weight letter_weight",
        "reductions.mixture_pairs": "Component DecompositionFault FaultKind Mixture first_fault",
        "reductions.pairs": "clone_pair stronger_clone_pair variation_ratio_pair",
        "reductions.variation_ratio": "VariationRatio variation_ratio",
        "scale": "Published ShuffleWorstCase shuffle_worst_case",
        "views.multi_message": "MultiMessageUsers MultiMessageVictim "
        "MultiMessageView multi_message_view",
        "views.shuffle_view": "ShuffleView Users Victim shuffle_view",
        "views.worst_case": "Neighbors WorstCase is_input_symmetric neighboring_views worst_case",
    },
)
