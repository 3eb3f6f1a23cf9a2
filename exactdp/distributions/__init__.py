"""Masses and supports: finite distributions, counts, generating polynomials."""

from exactdp.distributions.counts import binomial, multinomial, poisson_binomial
from exactdp.distributions.finite import FinitePmf

__all__ = ["FinitePmf", "binomial", "multinomial", "poisson_binomial"]
