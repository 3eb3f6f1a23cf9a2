"""Section 4, Remark 1: Rényi divergences of shuffled randomized response."""

from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import (
    Trials,
    decided,
    for_all,
)
from exactdp.numbers import Exact, decimal, is_below, log
from proofs_check.erlingsson2019.trials.section_4 import RATIOS
from proofs_check.lemmas.extremal import worst_moment

TRIALS: Trials = {}


def at_most_with_slack(true: Any, claimed: Any) -> Outcome:
    """Return whether a Rényi divergence is at most what is claimed, with the ratio."""
    ratio = Fraction(decimal(claimed, digits=6)) / Fraction(decimal(true, digits=6))
    return decided(is_below(true, claimed), f"Rényi {decimal(true, digits=6)}", slack=ratio)


def dp_to_rdp(exp_epsilon: Fraction, order: int, divide: int = 1) -> Outcome:
    """The worst ε-DP pair is randomized response: its divergence is at most αε²/2."""
    x, a = exp_epsilon, order
    moment = (x**a + x ** (1 - a)) / (1 + x)
    return at_most_with_slack(log(moment) / (a - 1), a * log(x) * log(x) / (2 * divide))


TRIALS["erlingsson2019/remark-1/dp-to-rdp"] = for_all(
    cases(exp_epsilon=[Fraction(11, 10), Fraction(2), Fraction(10)], order=(2, 3, 10)),
    dp_to_rdp,
    wrong=partial(dp_to_rdp, divide=4),
)


def renyi(n: int, exp_epsilon0: Fraction, order: int, divide: int = 1) -> Outcome:
    """The largest Rényi divergence of A_sl, over all randomizers on three inputs."""
    x = exp_epsilon0
    moment = worst_moment(inputs=3, users=n, exp_epsilon0=x, order=order)
    claimed = Exact(2 * order * x**4 * (x - 1) ** 2 / n / divide)
    return at_most_with_slack(log(moment) / (order - 1), claimed)


TRIALS["erlingsson2019/remark-1/rdp"] = for_all(
    cases(n=(2, 3), exp_epsilon0=RATIOS, order=(2, 3, 4)), renyi, wrong=partial(renyi, divide=1000)
)
