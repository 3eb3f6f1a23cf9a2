"""The truth: what the analyzer of a shuffled protocol sees, and its worst case."""

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
    "MultiMessageUsers",
    "MultiMessageVictim",
    "MultiMessageView",
    "Neighbors",
    "ShuffleView",
    "Users",
    "Victim",
    "WorstCase",
    "is_input_symmetric",
    "multi_message_view",
    "neighboring_views",
    "shuffle_view",
    "worst_case",
]
