"""What the analyzer of a shuffled protocol sees, and its worst case."""

from exactdp.shuffle.view import ShuffleView, Users, Victim, shuffle_view
from exactdp.shuffle.worst_case import (
    Neighbors,
    WorstCase,
    is_input_symmetric,
    neighboring_views,
    worst_case,
)

__all__ = [
    "Neighbors",
    "ShuffleView",
    "Users",
    "Victim",
    "WorstCase",
    "is_input_symmetric",
    "neighboring_views",
    "shuffle_view",
    "worst_case",
]
