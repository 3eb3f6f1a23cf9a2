"""The privacy blanket: the common part of all rows of a randomizer, and its certified pair."""

from exactdp.shuffle.blankets.blanket_pair import BlanketPair, blanket_pair
from exactdp.shuffle.blankets.decomposition import BlanketDecomposition, blanket_decomposition

__all__ = ["BlanketDecomposition", "BlanketPair", "blanket_decomposition", "blanket_pair"]
