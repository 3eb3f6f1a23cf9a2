"""prv-accountant: the ends of its intervals around ε and around δ."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from exactdp.claims import Cases, Statement, Trials, cases
from exactdp.compare.adapters.prv_accountant import ACCOUNTANTS
from proofs_check.libraries.laws import TRAININGS, ends
from proofs_check.libraries.search import deployed, is_quick

__all__ = ["TRIALS"]

DELTAS = (1e-5, 1e-3, 1e-8)


def is_fair(mechanism: str, parameter: float, delta: float = 0.0) -> bool:
    """Return whether 1/b is a double, and δ so small that no answer is an ε below 0."""
    is_exact = mechanism != "laplace" or Fraction(parameter) * Fraction(1 / parameter) == 1
    return is_exact and delta <= 0.001


def around(
    kind: str, asks: Literal["delta", "epsilon"], names: str, over: Cases | None = None
) -> dict[str, Statement]:
    """Return the readings of the ends around ε or δ, of a list (or an ordinary one) and beyond."""
    # The terms of randomized response, which show a failure, have a thousand steps at most.
    most = 1000 if kind == "randomized_response" else 10_000
    searched = deployed(kind, asks=asks, most=most, smallest=14, few=3)
    tried = (over or searched).drawn(searched.drawn_instances).where(is_quick).where(is_fair)
    draws = 15 if kind == "gaussian" else 30
    more = {"shaved": Fraction(1, 2), "draws": draws, "converts": ()}
    found = ends(ACCOUNTANTS, "prv-accountant", asks, tried, **more)
    return dict(zip(names, found.values(), strict=True))


def both(kind: str, over: Cases) -> dict[str, Statement]:
    """Return the readings of the ends around ε, a to d, and around δ, e to h."""
    return around(kind, "epsilon", "abcd", over) | around(kind, "delta", "efgh")


TRIALS: Trials = {
    "libraries/prv-accountant/gaussian": both("gaussian", TRAININGS),
    "libraries/prv-accountant/laplace": both(
        "laplace",
        cases(mechanism=("laplace",), parameter=(1.0, 2.0, 8.0), times=(1, 10, 100), delta=DELTAS),
    ),
    "libraries/prv-accountant/pure-dp": both(
        "randomized_response",
        cases(
            mechanism=("randomized_response",),
            parameter=(1.0, 0.1, 0.5),
            times=(1, 10, 100, 1000),
            delta=(*DELTAS, 1e-12),
        ),
    ),
}
