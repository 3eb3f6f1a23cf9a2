"""The privacy blanket: what all rows of a randomizer share, and its certified pair."""

from exactdp.shuffle.blankets.decomposition import BlanketDecomposition, blanket_decomposition
from exactdp.shuffle.blankets.pair import BlanketPair, blanket_pair

__all__ = ["BlanketDecomposition", "BlanketPair", "blanket_decomposition", "blanket_pair"]
