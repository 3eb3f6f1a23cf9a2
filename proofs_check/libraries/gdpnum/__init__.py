"""gdpnum: the μ of Gaussian DP of a training, and the advantage of an attack."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.claims import Cases, Falls, Statement, Term, Trials, cases, function, term
from exactdp.testing.later import st
from proofs_check.libraries.laws import advantage, delta, gaussian, law
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, whole

__all__ = ["TRIALS"]

SIGMAS = (1.0, 2.0, 5.0, 0.5, 10.0, 100.0)
FULL = cases(sigma=SIGMAS, steps=(1, 4, 10, 100))
MUCH_NOISE = 5744.5
"""Where an advantage in doubles falls below its formula; few draws do."""

SAMPLED = (1.0, 0.01, 100), (1.0, 0.01, 1), (2.0, 0.1, 100), (100.0, 0.01, 100)
LARGE = (10.0, 0.01, 1), (50.0, 0.001, 1)


def mu(over: Cases, **more: Any) -> dict[str, Statement]:
    """Return the readings of μ."""
    return Promise(
        library="gdpnum",
        imports="from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd as mu",
        call=lambda sigma, steps, rate=1.0: f"mu({sigma!r}, {rate!r}, {steps})",
        law=None,
        over=over,
        **more,
    ).readings()


def sampled() -> dict[str, Any]:
    """Return steps with sampled records."""
    return {
        "sigma": doubles(0.5, 100.0),
        "rate": st.sampled_from([0.01, 0.1, 0.001, 0.5, 1e-4]),
        "steps": st.just(1) | whole(100),
    }


def trained(sigma: float, rate: float, steps: int, loss: float) -> Term | None:
    """Return a lower bound on the training's δ at ε = loss."""
    return delta("gaussian", Fraction(loss), sigma, rate, steps)


def of_mu(answer: Fraction, loss: float) -> Term:
    """Return δ of noise 1/μ at ε = loss."""
    return gaussian(Fraction(loss), sigma=1 / term(answer))


def advantages(over: Cases, **more: Any) -> dict[str, Statement]:
    """Return the readings of the advantage."""
    return Promise(
        library="gdpnum",
        imports="from gdpnum import CTDAccountant, PLDConverter\n"
        "def advantage(sigma, rate, steps):\n"
        "    accountant = CTDAccountant()\n"
        "    accountant.history = [(sigma, rate, steps)]\n"
        "    return PLDConverter(accountant.get_pld()).get_advantage()\n",
        call=lambda sigma, steps, rate=1.0: f"advantage({sigma!r}, {rate!r}, {steps})",
        over=over,
        falls=Falls.ROUNDING,
        **more,
    ).readings()


WHOLE_MU = mu(
    FULL.drawn(lambda: {"sigma": doubles(0.5, 1e3), "steps": whole(100)}),
    draws=10,
    asks="loss",
    unit="μ",
    delta=lambda sigma, steps: function("sqrt", steps) / term(Fraction(sigma)),
)
SAMPLED_MU = mu(
    cases(sigma__rate__steps=SAMPLED, loss=(1.0, 0.5, 2.0, 3.0, 0.1)).drawn(
        lambda: {**sampled(), "loss": st.sampled_from([1.0, 0.5, 2.0, 3.0, 0.1])}
    ),
    draws=10,
    asks="scale",
    delta=trained,
    claim=of_mu,
)
WHOLE_ADVANTAGE = advantages(
    cases(sigma=(*SIGMAS, MUCH_NOISE), steps=(1, 4, 10, 100)).drawn(
        lambda: {"sigma": doubles(0.5, 1e4), "steps": whole(10)}
    ),
    asks="loss",
    unit="advantage",
    law=None,
    delta=lambda sigma, steps: advantage(Fraction(sigma), steps),
    draws=1000,
)
SAMPLED_ADVANTAGE = advantages(
    cases(sigma__rate__steps=(*SAMPLED, *LARGE), epsilon=(0.0,)).drawn(
        lambda: {**sampled(), "epsilon": st.just(0.0)}
    ),
    draws=200,
    unit="advantage",
    asks="delta",
    law=lambda sigma, rate, steps: law("gaussian", sigma, rate, steps),
    delta=lambda epsilon, sigma, rate, steps: delta("gaussian", epsilon, sigma, rate, steps),
)

TRIALS: Trials = {
    "libraries/gdpnum/mu": WHOLE_MU,
    "libraries/gdpnum/mu-sampled": SAMPLED_MU,
    "libraries/gdpnum/advantage": WHOLE_ADVANTAGE,
    "libraries/gdpnum/advantage-sampled": SAMPLED_ADVANTAGE,
}
