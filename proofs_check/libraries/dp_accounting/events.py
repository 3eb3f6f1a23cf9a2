"""Events of dp-accounting composed by its accountants, for records that are replaced."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from exactdp.accounting import compose
from exactdp.claims import (
    Cases,
    Term,
    Trials,
    cases,
    function,
    named,
    positive_part,
    sum_over,
    term,
)
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.testing.later import st
from proofs_check.libraries.laws import delta, law
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole

__all__ = ["TRIALS"]

IMPORTS = (
    "from dp_accounting import dp_event, pld, rdp; "
    "from dp_accounting.privacy_accountant import NeighboringRelation as Neighbors"
)
REPLACED = "neighboring_relation=Neighbors.REPLACE_ONE"
DELTAS = (1e-5, 1e-6, 1e-8)
_MOST_COUNTS = 60
"""So many uses of three answers and more, at most, have a term: a sum of their pairs of counts."""

ANSWERS = cases(noise=(0.5, 0.9, 0.1), k=(5, 2, 10), times=(20, 2, 10), delta=DELTAS).drawn(
    lambda: {
        "noise": st.sampled_from([0.5, 0.1, 0.9, 0.01, 0.99, 1e-3]),
        "k": st.sampled_from([5, 2, 3, 10, 100]),
        "times": whole(1000),
        "delta": small(100),
    }
)


def masses(noise: float, k: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return the probabilities of the own answer, of the neighbor's, and of all others."""
    lie = Fraction(noise) / k
    return 1 - Fraction(noise) + lie, lie, (k - 2) * lie


@lru_cache(maxsize=256)
def answers(noise: float, k: int, times: int) -> PrivacyProfile:
    """Return so many answers by randomized response, where the one who answers is replaced."""
    true, lie, rest = masses(noise, k)
    one = Pair.from_masses([true, lie, rest], [lie, true, rest])
    return compose([(one, times)]).both_directions()


def delta_of_answers(noise: float, k: int, times: int, epsilon: Fraction) -> Term | None:
    """Return their δ: how often the own answer was given, and how often the neighbor's."""
    if k > 2 and times > _MOST_COUNTS:
        return None
    true, lie, rest = map(term, masses(noise, k))
    g = named("g", function("exp", term(epsilon)))

    def excess(m: Any) -> Term:
        def part(i: Term) -> Term:
            one = positive_part(true**i * lie ** (m - i) - g * lie**i * true ** (m - i))
            found: Term = function("binomial", m, i) * one
            return found

        return sum_over("i", 0, m, part)

    if k == 2:
        return excess(times)
    return sum_over(
        "m", 0, times, lambda m: function("binomial", times, m) * rest ** (times - m) * excess(m)
    )


def replaced(mechanism: str, parameter: float, times: int = 1) -> PrivacyProfile:
    """Return noise on a sum whose values are at most 1: replaced, one changes it by 2."""
    return law(mechanism, Fraction(parameter) / 2, 1.0, times)


def delta_replaced(
    mechanism: str, parameter: float, epsilon: Fraction, times: int = 1
) -> Term | None:
    """Return their δ as a term, where it has a closed form."""
    return delta(mechanism, epsilon, Fraction(parameter) / 2, times=times)


def noisy(kind: str) -> Cases:
    """Return noise multipliers, how often the noise is added, and δ for which ε is asked for."""
    ordinary = ((2.0, 1), (1.0, 1), (4.0, 1), (4.0, 10), (10.0, 100), (30.0, 1000))
    return cases(mechanism=(kind,), parameter__times=ordinary, delta=DELTAS).drawn(
        lambda: {
            "mechanism": st.just(kind),
            "parameter": doubles(0.1, 1e3),
            "times": whole(1000),
            "delta": small(100),
        }
    )


def of_noise(kind: str) -> Promise:
    """Return the promise of RdpAccountant for events of this noise."""
    event = {"gaussian": "GaussianDpEvent", "laplace": "LaplaceDpEvent"}[kind]

    def call(parameter: float, times: int, delta: float) -> str:
        composed = f"compose(dp_event.{event}({parameter!r}), {times})"
        return f"rdp.RdpAccountant({REPLACED}).{composed}.get_epsilon({delta!r})"

    return Promise(
        "dp-accounting", IMPORTS, call, "epsilon", replaced, delta_replaced, noisy(kind), draws=20
    )


TRIALS: Trials = {
    "libraries/dp-accounting/pld-accountant-randomized-response": Promise(
        "dp-accounting",
        IMPORTS,
        lambda noise, k, times, delta: (
            f"pld.PLDAccountant({REPLACED}).compose("
            f"dp_event.RandomizedResponseDpEvent({noise!r}, {k}), {times}).get_epsilon({delta!r})"
        ),
        "epsilon",
        answers,
        delta_of_answers,
        ANSWERS,
        draws=20,
    ).readings(),
    "libraries/dp-accounting/rdp-replace-one-gaussian": of_noise("gaussian").readings(),
    "libraries/dp-accounting/rdp-replace-one-laplace": of_noise("laplace").readings(),
}
