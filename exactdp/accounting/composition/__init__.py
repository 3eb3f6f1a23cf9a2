"""Composition: by the best route, exactly, by the laws of losses, and between curves."""
