"""The program of Canonne, Kamath and Steinke: (ε, δ) of ρ-zCDP, in doubles."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from exactdp.accounting import from_zcdp
from exactdp.claims import Cases, Falls, Statement, Term, Trials, cases
from exactdp.divergences import PrivacyProfile
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small
from proofs_check.records.concentrated import at_most_implied, implied_at_least

__all__ = ["TRIALS"]

PROGRAM = "IBM/discrete-gaussian-differential-privacy"
IMPORTS = "import cdp2adp"

# The program's own run, its plots, the 2020 census, and the ends. A call takes half a second.
OWN = (0.025, 1e-6)
RHOS = ((2.56, 1e-10), (0.07, 1e-10), (0.1, 1e-20), (0.05, 1e-5), (0.5, 1e-20), (0.001, 1e-50))
ENDS = ((1e-6, 1e-300), (10.0, 1e-100), (1e3, 1e-10), (0.1, 0.5), (0.5, 0.1), (1e-6, 1e-3))
EPSILONS = (1.0, 0.1, 5.0, 17.14, 2.47, 0.0, 0.01, 100.0)
FACTORS = (0.025, 0.1, 0.5, 2.56, 0.001, 1e-6, 10.0, 1e3)


def is_above_the_least(rho: float, epsilon: float) -> bool:
    """Return whether δ is a double with all its digits: above e^−690."""
    return epsilon <= rho or (epsilon - rho) ** 2 < 4 * 690 * rho


@lru_cache(maxsize=1024)
def implied(rho: float | Fraction) -> PrivacyProfile:
    """Return the largest δ of all ρ-zCDP mechanisms."""
    return from_zcdp(Fraction(rho))


def implied_delta(rho: float | Fraction, epsilon: Fraction) -> Term | None:
    """Return a lower bound on the largest δ under ρ-zCDP."""
    return implied_at_least(Fraction(rho), epsilon)


def of_inverse(answer: Fraction) -> PrivacyProfile:
    """Return the largest δ where the answer is 1/ρ."""
    return implied(1 / answer)


def inverse_delta(answer: Fraction, epsilon: Fraction) -> Term | None:
    """Return a lower bound on the largest δ where the answer is 1/ρ."""
    return implied_delta(1 / answer, epsilon)


def promised(
    asks: Literal["delta", "epsilon", "parameter"],
    call: Callable[..., str],
    over: Cases,
    law: Any = implied,
    delta: Any = implied_delta,
    bounded: Any = at_most_implied,
) -> dict[str, Statement]:
    """Return the readings of a function."""
    return Promise(
        PROGRAM,
        IMPORTS,
        call,
        asks,
        law,
        delta,
        over,
        shaved=Fraction(9, 10),
        draws=5,
        bounded=bounded,
        falls=Falls.ROUNDING,
    ).readings()


EPSILON = promised(
    "epsilon",
    lambda rho, delta: f"cdp2adp.cdp_eps({rho!r}, {delta!r})",
    cases(rho__delta=(OWN, *RHOS, *ENDS)).drawn(
        lambda: {"rho": doubles(1e-4, 1e3), "delta": small(300)}
    ),
)
DELTA = promised(
    "delta",
    lambda rho, epsilon: f"cdp2adp.cdp_delta({rho!r}, {epsilon!r})",
    cases(rho=FACTORS, epsilon=EPSILONS)
    .where(is_above_the_least)
    .drawn(lambda: {"rho": doubles(1e-4, 1e3), "epsilon": doubles(1e-3, 1e3)}),
)
RHO = promised(
    "parameter",
    lambda epsilon, delta: f"1 / cdp2adp.cdp_rho({epsilon!r}, {delta!r})",
    cases(epsilon=EPSILONS, delta=(1e-6, 1e-10, 1e-300, 0.5))
    .where(lambda epsilon, delta: epsilon > 0 or delta == 1e-6)
    .drawn(lambda: {"epsilon": doubles(1e-3, 1e3), "delta": small(300)}),
    of_inverse,
    inverse_delta,
    lambda answer, epsilon: at_most_implied(1 / answer, epsilon),
)

TRIALS: Trials = {
    "records/cdp2adp": {
        **dict(zip("ab", EPSILON.values(), strict=True)),
        **dict(zip("cd", DELTA.values(), strict=True)),
        "e": RHO["a"],  # 1/ρ is rounded on the way
    }
}
