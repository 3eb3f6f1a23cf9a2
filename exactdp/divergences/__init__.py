"""Pairs of laws: hockey-stick divergence, privacy loss, and their relatives."""

from exactdp.divergences.pair import Pair

__all__ = ["Pair"]
