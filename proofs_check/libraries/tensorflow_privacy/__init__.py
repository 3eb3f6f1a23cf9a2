"""tensorflow-privacy: ε of DP-SGD by the central limit theorem of Gaussian DP."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.claims import Cases, Term, Trials, cases, listed
from exactdp.compare.adapters.tensorflow_privacy import ACCOUNTANTS
from exactdp.divergences import PrivacyProfile
from exactdp.testing.later import st
from proofs_check.libraries import laws
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import is_quick, small

__all__ = ["TRIALS"]

GDP = ACCOUNTANTS[0]

ROWS: tuple[dict[str, Any], ...] = (
    {"sigma": 1.0, "n": 10_000, "batch": 100, "epochs": 1.0},
    {"sigma": 1.0, "n": 10_000, "batch": 100, "epochs": 10.0},
    {"sigma": 0.7, "n": 60_000, "batch": 600, "epochs": 10.0},
    {"sigma": 1.1, "n": 60_000, "batch": 250, "epochs": 60.0},
    {"sigma": 2.0, "n": 1000, "batch": 100, "epochs": 10.0},
    {"sigma": 4.0, "n": 1000, "batch": 500, "epochs": 50.0},
    {"sigma": 5.0, "n": 100, "batch": 100, "epochs": 10.0},
    # The ends: one step and 10^6, a record in a million, much noise.
    {"sigma": 1.0, "n": 10_000, "batch": 100, "epochs": 0.01},
    {"sigma": 1.0, "n": 10**6, "batch": 1, "epochs": 1e-6},
    {"sigma": 1e4, "n": 100, "batch": 100, "epochs": 1e6},
    {"sigma": 1.0, "n": 100, "batch": 100, "epochs": 1.0},
)

COMPARED = 21
"""Whole epochs: of their failures the most telling is kept."""


def call(sigma: float, n: int, batch: int, epochs: float, delta: float) -> str:
    """Return the call for ε."""
    return (
        f"float(gdp_accountant.compute_eps_poisson({epochs!r}, {sigma!r}, {n}, {batch}, {delta!r}))"
    )


def steps_of(n: int, batch: int, epochs: float) -> int:
    """Return the steps, epochs n/batch."""
    return round(Fraction(epochs) * n / batch)


def law(sigma: float, n: int, batch: int, epochs: float) -> PrivacyProfile:
    """Return the truth, of which each record is in a batch with probability batch/n."""
    rate: Any = Fraction(batch, n)
    return laws.law("gaussian", sigma, rate, steps_of(n, batch, epochs))


def delta(epsilon: Fraction, sigma: float, n: int, batch: int, epochs: float) -> Term | None:
    """Return δ, or a lower bound on it, as a term."""
    rate: Any = Fraction(batch, n)
    return laws.delta("gaussian", epsilon, sigma, rate, steps_of(n, batch, epochs))


def is_short(sigma: float, n: int, batch: int, epochs: float) -> bool:
    """Return whether the truth is found soon."""
    is_few = n * epochs <= 1000 * batch
    return is_few and is_quick("gaussian", sigma, rate=batch / n)


def over() -> Cases:
    """Return trainings and δ, the most ordinary ones first."""
    listed_ones = listed(*({**row, "delta": delta} for row in ROWS for delta in (1e-5, 1e-8, 1e-3)))
    searched = cases().drawn(
        lambda: {
            "sigma": st.sampled_from([1.0, 2.0, 5.0, 0.5, 10.0, 100.0]),
            "n": st.sampled_from([1000, 100, 10_000, 10**6]),
            "batch": st.sampled_from([100, 10, 50, 1]),
            "epochs": st.sampled_from([1.0, 10.0, 100.0]),
            "delta": small(14).filter(lambda delta: delta <= 0.001),
        }
    )
    return listed_ones.drawn(searched.where(is_short).drawn_instances)


TRIALS: Trials = {
    "libraries/tensorflow-privacy/gdp-poisson": Promise(
        "tensorflow-privacy",
        GDP.before + GDP.imports,
        call,
        "epsilon",
        law,
        delta,
        over(),
        shaved=Fraction(1, 2),
        draws=100,
        compares=COMPARED,
    ).readings()
}
