"""Masses and supports: finite distributions, counts, generating polynomials."""

from exactdp.distributions.count_windows import CountWindow, count_window, sum_window
from exactdp.distributions.counts import binomial, multinomial, poisson_binomial
from exactdp.distributions.finite import FinitePmf
from exactdp.distributions.polynomials import (
    Forms,
    HistogramPolynomial,
    histogram_count,
    refuse_large,
    scale_rows,
)
from exactdp.numbers.validated import checked_door as _checked_door

__all__ = [
    "CountWindow",
    "FinitePmf",
    "Forms",
    "HistogramPolynomial",
    "binomial",
    "count_window",
    "histogram_count",
    "multinomial",
    "poisson_binomial",
    "refuse_large",
    "scale_rows",
    "sum_window",
]

_checked_door(globals())
