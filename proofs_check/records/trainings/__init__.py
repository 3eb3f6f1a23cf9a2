"""Printed ε of DP-SGD, by the truth of their batches.

What is at most δ of shuffled batches, of one epoch: gradients of all other records are -1, the one
of the record is 1. So of the sums of t batches, less a constant, one has mean 2 with the record and
mean 1 if it adds nothing. Some sum is above c with probability 1 − Φ(c/σ)^(t−1) Φ((c−2)/σ), and
1 − Φ(c/σ)^(t−1) Φ((c−1)/σ).

What μ-GDP implies: the Rényi divergence of order α is at most αμ²/2. Of one sampled step it is, for
removing the record, ln(Σ_k C(α,k) (1−q)^(α−k) q^k e^(k(k−1)/(2σ²)))/(α−1), of T steps T times that.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from exactdp.accounting import dp_sgd
from exactdp.claims import (
    Cases,
    Falls,
    Outcome,
    Relation,
    Said,
    Statement,
    Term,
    Trials,
    among,
    at_least,
    at_most,
    cases,
    decided,
    for_all,
    formula,
    function,
    integers,
    listed,
    named,
    rows,
    sum_over,
    term,
)
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.questions import Question
from exactdp.numbers import Epsilon, Exact
from exactdp.side import Side
from exactdp.testing.deciding import compared
from exactdp.truth import Truth

__all__ = ["TRIALS"]

DELTA = Fraction(1, 10**5)
RATE, BATCHES = Fraction(256, 60000), 60000 // 256


def table(*lines: tuple[str, int, str]) -> Cases:
    """Return trainings, as noise, epochs and printed ε; they are all that there is."""
    found = [
        {"noise": Fraction(noise), "epochs": epochs, "epsilon": Fraction(epsilon)}
        for noise, epochs, epsilon in lines
    ]
    return listed(*found).all_of(**rows(*found))


TUTORIAL = table(
    ("1.12", 1, "1"),
    ("1.12", 2, "1.04"),
    ("1.12", 60, "2.92"),
    ("0.6", 30, "9.74"),
    ("1.2", 10, "1.2"),
)
OPACUS = table(("0.7", 45, "7.10"), ("1.1", 60, "3.01"), ("1.3", 15, "1.19"))
NOISE, STEPS = Fraction("1.3"), -(-15 * 60000 // 256)
MOMENTS = table((str(NOISE), 15, "1.1912"), (str(NOISE), 15, "0.9545"))


@lru_cache(maxsize=64)
def training(noise: Fraction, rate: Fraction, steps: int) -> PrivacyProfile:
    """Return the truth of independently drawn batches."""
    return dp_sgd(noise, rate, steps)


def drawn(
    noise: Fraction,
    epochs: int,
    epsilon: Fraction,
    rate: Fraction,
    each: Fraction,
    part: Fraction = Fraction(1),
) -> Outcome:
    """Say that δ is at most 1e-5 at the printed ε, or a part of it, with so many steps an epoch."""
    steps = math.ceil(each * epochs)
    asked = Question(training(noise, rate, steps), Epsilon.rational(epsilon * part))
    wrong, _, _ = compared(Side.UPPER, Exact(DELTA), asked, 1024, 20.0)
    return decided(Truth.of(not wrong), f"of {steps} steps")


def shuffled(noise: Fraction, epochs: int, epsilon: Fraction, factor: int = 1) -> Relation:
    """Compare a lower bound on δ of shuffled batches, of one epoch or more, with 1e-5."""
    s, g = named("sigma", term(noise)), named("g", function("exp", epsilon))
    # Where one sum is as much likelier as e^ε: (2y − 3)/(2σ²) is ε beside the other batches'.
    c = Fraction(round(10 * (noise**2 * epsilon + Fraction(3, 2) + 2 * noise)), 10)

    def above(moved: int) -> Term:
        others = function("normal_cdf", c / s) ** (BATCHES - 1)
        found: Term = 1 - others * function("normal_cdf", (c - moved) / s)
        return found

    return at_most(named("P", above(2)) - g * named("Q", above(1)), factor * DELTA)


def limit(f: Any, *, noise: Any) -> Any:
    """Return q √(T (e^(1/σ²) − 1)), T = 15/q."""
    return f.sqrt(15 * f.constant(RATE) * (f.exp(1 / noise**2) - 1))


def rounded(noise: Fraction, mu: Fraction, off: Fraction = Fraction(0)) -> Said:
    """Compare μ with the formula, to half a unit of its last decimal."""
    exact, half = formula(limit, noise=noise), Fraction(1, 2000)
    return Said([at_least(exact, mu + off - half), at_most(exact, mu + off + half)])


def moment(noise: Fraction, order: int, mu: Fraction, more: Fraction = Fraction(0)) -> Relation:
    """Compare the Rényi divergence of all steps with α μ²/2, which it is at most of μ-GDP."""
    s = named("sigma", term(noise))

    def part(k: Term) -> Term:
        found: Term = (
            function("binomial", order, k)
            * term(1 - RATE) ** (order - k)
            * term(RATE) ** k
            * function("exp", k * (k - 1) / (2 * s * s))
        )
        return found

    of_a_step = function("log", sum_over("k", 0, order, part)) / (order - 1)
    return at_most(named("divergence", STEPS * of_a_step), order * (mu + more) ** 2 / 2)


def of(
    over: Cases, says: Any, wrong: Any, falls: Falls = Falls.RESULT, unit: str = "δ"
) -> Statement:
    """Return a reading."""
    return for_all(over, says, wrong=wrong, falls=falls, unit=unit)


IN_TUTORIAL = partial(drawn, rate=RATE, each=Fraction(BATCHES))
IN_OPACUS = partial(drawn, rate=Fraction(4, 1000), each=Fraction(250))
IN_README = partial(drawn, rate=RATE, each=1 / RATE)
MU = Fraction(227, 1000)
PRINTED = listed({"noise": NOISE, "mu": MU}).all_of(**rows({"noise": NOISE, "mu": MU}))
ORDERS = cases(noise=(NOISE,), order=(32, 3, 2), mu=(MU + Fraction(1, 2000),))
"""With the most that is printed as 0.227."""

TRIALS: Trials = {
    "records/trainings/tensorflow-tutorial": {
        "a": of(TUTORIAL, IN_TUTORIAL, partial(IN_TUTORIAL, part=Fraction(1, 5))),
        "b": of(TUTORIAL, shuffled, partial(shuffled, factor=-1)),
    },
    "records/trainings/opacus-mnist": of(
        OPACUS, IN_OPACUS, partial(IN_OPACUS, part=Fraction(1, 2))
    ),
    "records/trainings/moments-accountant": of(
        MOMENTS, IN_README, partial(IN_README, part=Fraction(1, 2))
    ),
    "records/trainings/central-limit": {
        "a": of(PRINTED, rounded, partial(rounded, off=Fraction(1, 500)), Falls.MISPRINT, "μ"),
        "b": of(
            ORDERS.within(
                **rows({"noise": NOISE}), order=integers(2), mu=among(MU + Fraction(1, 2000))
            ),
            moment,
            partial(moment, more=-Fraction(1, 10)),
            unit="Rényi divergence",
        ),
    },
}
