"""Masses and supports: finite distributions, counts, generating polynomials."""

from exactdp.distributions.finite import FinitePmf

__all__ = ["FinitePmf"]
