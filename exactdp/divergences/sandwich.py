"""Bounds by the names that they had here: :mod:`exactdp.divergences.worst` has them."""

from exactdp.divergences.worst import BOUNDS, NOTHING, Bounds, Named, Sandwich

__all__ = ["BOUNDS", "NOTHING", "Bounds", "Named", "Sandwich"]
