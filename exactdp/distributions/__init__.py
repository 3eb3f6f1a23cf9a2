"""Masses and supports: finite distributions, counts, generating polynomials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.numbers.doors import lazy_door as _lazy_door

if TYPE_CHECKING:
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

_lazy_door(
    globals(),
    {
        "count_windows": "CountWindow count_window sum_window",
        "counts": "binomial multinomial poisson_binomial",
        "finite": "FinitePmf",
        "polynomials": "Forms HistogramPolynomial histogram_count refuse_large scale_rows",
    },
)
