"""What the analyzer of a shuffled protocol sees, and its worst case."""

from exactdp.shuffle.adaptive import AdaptiveRandomizers, local_responses_law
from exactdp.shuffle.permuted import (
    pair_of,
    shuffled_inputs_law,
    shuffled_outputs_law,
    swapped_data,
    swapped_inputs_law,
)
from exactdp.shuffle.swap_steps import SwapStep, swap_history_probability, swap_step
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
    "Neighbors",
    "ShuffleView",
    "SwapStep",
    "Users",
    "Victim",
    "WorstCase",
    "is_input_symmetric",
    "local_responses_law",
    "neighboring_views",
    "pair_of",
    "shuffle_view",
    "shuffled_inputs_law",
    "shuffled_outputs_law",
    "swap_history_probability",
    "swap_step",
    "swapped_data",
    "swapped_inputs_law",
    "worst_case",
]
