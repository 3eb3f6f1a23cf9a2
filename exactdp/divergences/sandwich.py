"""Shim."""

from exactdp.divergences.worst import BOUNDS, NOTHING, Bounds, Named, Sandwich

__all__ = ["BOUNDS", "NOTHING", "Bounds", "Named", "Sandwich"]
