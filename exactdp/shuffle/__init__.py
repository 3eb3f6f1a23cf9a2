"""What the analyzer of a shuffled protocol sees, and its worst case."""

from exactdp.shuffle.adaptive import AdaptiveRandomizers, local_responses_law
from exactdp.shuffle.blanket import BlanketDecomposition, blanket_decomposition
from exactdp.shuffle.blanket_pair import BlanketPair, blanket_pair
from exactdp.shuffle.count_epsilon0 import largest_epsilon0
from exactdp.shuffle.count_pairs import (
    CountPair,
    clone_pair,
    stronger_clone_pair,
    variation_ratio_pair,
)
from exactdp.shuffle.decompositions import (
    CloneDecomposition,
    clone_decomposition,
    stronger_clone_decomposition,
    variation_ratio_decomposition,
)
from exactdp.shuffle.letter_weights import clone_weight, letter_weight, variation_weight
from exactdp.shuffle.mixtures import (
    Component,
    DecompositionFault,
    FaultKind,
    Mixture,
    first_fault,
)
from exactdp.shuffle.multi_message import (
    MultiMessageUsers,
    MultiMessageVictim,
    MultiMessageView,
    multi_message_view,
)
from exactdp.shuffle.multisets import MultisetLaw, union_of
from exactdp.shuffle.permuted import (
    pair_of,
    shuffled_inputs_law,
    shuffled_outputs_law,
    swapped_data,
    swapped_inputs_law,
)
from exactdp.shuffle.personalized_clones import (
    PersonalizedCountPair,
    personalized_clones,
    personalized_variation,
)
from exactdp.shuffle.swap_steps import SwapStep, swap_history_probability, swap_step
from exactdp.shuffle.variation import VariationRatio, variation_ratio
from exactdp.shuffle.view import ShuffleView, Users, Victim, shuffle_view
from exactdp.shuffle.worst_case import (
    Neighbors,
    WorstCase,
    is_input_symmetric,
    neighboring_views,
    worst_case,
)

__all__ = [
    "AdaptiveRandomizers",
    "BlanketDecomposition",
    "BlanketPair",
    "CloneDecomposition",
    "Component",
    "CountPair",
    "DecompositionFault",
    "FaultKind",
    "Mixture",
    "MultiMessageUsers",
    "MultiMessageVictim",
    "MultiMessageView",
    "MultisetLaw",
    "Neighbors",
    "PersonalizedCountPair",
    "ShuffleView",
    "SwapStep",
    "Users",
    "VariationRatio",
    "Victim",
    "WorstCase",
    "blanket_decomposition",
    "blanket_pair",
    "clone_decomposition",
    "clone_pair",
    "clone_weight",
    "first_fault",
    "is_input_symmetric",
    "largest_epsilon0",
    "letter_weight",
    "local_responses_law",
    "multi_message_view",
    "neighboring_views",
    "pair_of",
    "personalized_clones",
    "personalized_variation",
    "shuffle_view",
    "shuffled_inputs_law",
    "shuffled_outputs_law",
    "stronger_clone_decomposition",
    "stronger_clone_pair",
    "swap_history_probability",
    "swap_step",
    "swapped_data",
    "swapped_inputs_law",
    "union_of",
    "variation_ratio",
    "variation_ratio_decomposition",
    "variation_ratio_pair",
    "variation_weight",
    "worst_case",
]
