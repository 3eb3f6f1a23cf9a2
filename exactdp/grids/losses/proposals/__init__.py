"""Choices in doubles: nothing here is certified, and nothing that is certified rests on it.

A bad choice only makes an enclosure wide.
"""

from exactdp.grids.losses.proposals.saddles import Saddle, Sketch, saddle_at, saddle_of_delta
from exactdp.grids.losses.proposals.steps import (
    Plan,
    cell_above,
    cells_of,
    common_step,
    divisor_of,
    doublings_of,
    far_step,
    finer_plan,
    finest_width,
    first_plan,
    free_unit,
    levels_of,
    log_norm_of,
    multiple_of,
    step_for,
)

__all__ = [
    "Plan",
    "Saddle",
    "Sketch",
    "cell_above",
    "cells_of",
    "common_step",
    "divisor_of",
    "doublings_of",
    "far_step",
    "finer_plan",
    "finest_width",
    "first_plan",
    "free_unit",
    "levels_of",
    "log_norm_of",
    "multiple_of",
    "saddle_at",
    "saddle_of_delta",
    "step_for",
]
