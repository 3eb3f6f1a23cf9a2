"""Local randomizers as exact stochastic matrices, one family a file."""

from exactdp.mechanisms.hadamard_response import hadamard_response
from exactdp.mechanisms.local_hashing import local_hashing
from exactdp.mechanisms.randomized_response import randomized_response
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.subset_selection import subset_selection
from exactdp.mechanisms.unary_encoding import optimized_unary_encoding, symmetric_unary_encoding

__all__ = [
    "Randomizer",
    "hadamard_response",
    "local_hashing",
    "optimized_unary_encoding",
    "randomized_response",
    "subset_selection",
    "symmetric_unary_encoding",
]
