"""The paper's table of parameters: the total variation β of ε-LDP randomizers, exact.

Each function takes x = e^ε (RAPPOR: the square root of it, so that masses stay rational).

Source: Wang et al. 2023, the table of amplification parameters.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

__all__ = ["any_randomizer", "general_rr", "hadamard", "local_hash", "rappor", "subset"]


def any_randomizer(x: Fraction) -> Fraction:
    """Return β of any ε-LDP randomizer: (x − 1)/(x + 1)."""
    return (x - 1) / (x + 1)


def general_rr(x: Fraction, d: int) -> Fraction:
    """Return β of randomized response on d options: (x − 1)/(x + d − 1)."""
    return (x - 1) / (x + d - 1)


def rappor(root: Fraction) -> Fraction:
    """Return β of RAPPOR, root = e^(ε/2): (root − 1)/(root + 1)."""
    return (root - 1) / (root + 1)


def subset(x: Fraction, d: int, k: int) -> Fraction:
    """Return β of the k-subset mechanism on d options."""
    both = comb(d - 2, k - 2) if k >= 2 else 0
    return (x - 1) * (comb(d - 1, k - 1) - both) / (x * comb(d - 1, k - 1) + comb(d - 1, k))


def local_hash(x: Fraction, length: int) -> Fraction:
    """Return β of local hashing into ``length`` values: (x − 1)/(x + length − 1)."""
    return (x - 1) / (x + length - 1)


def hadamard(x: Fraction, order: int, s: int) -> Fraction:
    """Return β of Hadamard response (K, s), K = order: (s(x − 1)/2)/(s x + K − s)."""
    return (s * (x - 1) / 2) / (s * x + order - s)
