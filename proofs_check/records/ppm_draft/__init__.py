"""The two tables of the IETF draft on noise for DAP, and its text on symmetric RAPPOR.

Where one vector replaces another, one bit is lost and one is set. Of Gaussian noise on both bins
the difference of the two sums tells all, so that

    δ = Σ_d max(0, p(d − 1) − e^ε p(d + 1)),  p(d) = e^(−d²/(4σ²)) θ_d/Z²,

θ_d the sum of e^(−(i − d/2)²/σ²) over the integers i, Z the one of e^(−i²/(2σ²)).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from exactdp import Users, Victim, compose, randomized_response, shuffle_view
from exactdp.audit.claimed import in_numbers
from exactdp.claims import (
    Falls,
    Outcome,
    Relation,
    Said,
    Statement,
    Term,
    Trials,
    at_least,
    at_most,
    cases,
    decided,
    equal,
    for_all,
    formula,
    function,
    integers,
    listed,
    named,
    reals,
    rows,
    sum_over,
    term,
)
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.numbers import Epsilon, Exact
from exactdp.truth import Truth
from proofs_check.libraries.laws import gaussian

__all__ = ["TRIALS"]

CLIENTS, DELTA = 10**5, Fraction(1, 10**9)
LAST = Fraction(1, 10**4)
"""A unit of the last printed decimal."""


def table(*lines: dict[str, str]) -> Any:
    """Return the rows of a table as instances, and as all that there is."""
    found = [{name: Fraction(x) for name, x in line.items()} for line in lines]
    return listed(*found).all_of(**rows(*found))


CLIENT = [("0.317", "5", "26.1337"), ("0.906", "6.5", "12.2800"), ("1.528", "7", "9.5580")]
AGGREGATOR = [
    ("0.317", "23.3903", "33.0788"),
    ("0.906", "8.5402", "12.0777"),
    ("1.528", "5.1904", "7.3403"),
]
MECHANISMS = table(*({"epsilon": e, "sigma": s} for e, s, _ in AGGREGATOR))
BOTH = table(*({"sigma": s, "both": b} for _, s, b in AGGREGATOR))
DEVIATIONS = table(*({"epsilon_0": e, "printed": s} for _, e, s in CLIENT))


@lru_cache(maxsize=64)
def bits(epsilon_0: Fraction, others: int) -> PrivacyProfile:
    """Return the profile of both sums, where so many others have set the bit that is lost."""
    response = randomized_response(2, Epsilon.rational(epsilon_0))

    def one(inputs: tuple[int, int], ones: int) -> PrivacyProfile:
        counts = (CLIENTS - 1 - ones, ones)
        users = [Users(response, bit, count) for bit, count in enumerate(counts) if count]
        return shuffle_view(Victim(response, inputs), users)

    return compose([(one((1, 0), others), 1), (one((0, 1), 0), 1)])


def by_clients(
    epsilon: Fraction, epsilon_0: Fraction, others: int, part: Fraction = Fraction(1)
) -> Outcome:
    """Say that δ of both sums is at most 1e-9 at ε, or at a part of it."""
    share = Fraction(3, 4) if epsilon > 1 else 1  # which is quicker, and δ falls
    at = Epsilon.rational(epsilon * part * share)
    found = enclosed(bits(epsilon_0, others).delta(at, relative_width="99/100"), "99/100")
    is_more = Truth.FALSE if found.lower > DELTA else Truth.UNKNOWN
    return decided(Truth.TRUE if found.upper <= DELTA else is_more, f"of {others} others")


BY_CLIENTS = [
    {"epsilon": Fraction(e), "epsilon_0": Fraction(e_0), "others": 0} for e, e_0, _ in CLIENT
]


def deviation(f: Any, *, epsilon_0: Any) -> Any:
    """Return √(n e^ε0/(e^ε0 − 1)²)."""
    return f.sqrt(CLIENTS * f.exp(epsilon_0)) / (f.exp(epsilon_0) - 1)


def near(exact: Term, printed: Fraction, unit: Fraction = LAST) -> Said:
    """Say that the printed number is the exact one, to so much."""
    return Said([at_least(exact, printed - unit), at_most(exact, printed + unit)])


def by_formula(epsilon_0: Fraction, printed: Fraction, unit: Fraction = LAST) -> Said:
    """Compare a printed deviation with the formula."""
    return near(formula(deviation, epsilon_0=epsilon_0), printed, unit)


BITS = {"n": integers(1), "ones": integers(0), "exp_epsilon": reals(above=1)}
SUMS = cases(n=(1, 2, 10**5), ones=(0, 1), exp_epsilon=(Fraction(2), Exact.exp(5))).within(**BITS)


def variance(n: Any, ones: Any, exp_epsilon: Any, factor: int = 1) -> Relation:
    """Compare the variance of n bits that are flipped, debiased, with n e^ε/(e^ε − 1)²."""
    e = term(exp_epsilon)
    of_bits = n * (1 / (e + 1)) * (1 - 1 / (e + 1)) + 0 * term(ones)
    return equal(of_bits * ((e + 1) / (e - 1)) ** 2, factor * n * e / (e - 1) ** 2)


def expected(n: Any, ones: Any, exp_epsilon: Any, more: int = 0) -> Relation:
    """Compare the expected debiased sum with the number of ones."""
    e = term(exp_epsilon)
    of_bits = ones * (1 - 1 / (e + 1)) + (n - term(ones)) / (e + 1)
    return equal(of_bits * (e + 1) / (e - 1) - n / (e - 1), term(ones) + more)


def kept(e: Term) -> Term:
    """Return how many times as probable a bit is where it was set, at p = 1/(e^ε + 1)."""
    found: Term = (1 - 1 / (e + 1)) / (1 / (e + 1))
    return found


def one_client(exp_epsilon: Any, changes: int, part: Fraction = Fraction(1)) -> Relation:
    """Compare the largest ratio of an output, where so many bits change, with e^ε0."""
    e = term(exp_epsilon)
    return at_most(kept(e) ** changes, part * e)


CLIENT_BUDGETS = cases(exp_epsilon=tuple(map(Exact.exp, (3, 1, 5, 10)))).within(
    exp_epsilon=reals(above=1)
)


def continuous(epsilon: Fraction, sigma: Fraction, more: Fraction = Fraction(0)) -> Relation:
    """Compare δ of noise on two bins with 1e-9: of one query of sensitivity √2."""
    deviation = term(sigma + more) / function("sqrt", 2)
    return at_most(gaussian(term(epsilon), sigma=deviation), DELTA)


def discrete(epsilon: Fraction, sigma: Fraction, more: Fraction = Fraction(0)) -> Relation:
    """Compare a lower bound on δ with 1e-9: over differences that are likelier with the bit.

    Sums are over four σ; with what is left out Z is larger by less than a ten-thousandth of it.
    """
    s = named("sigma", term(sigma + more))
    most = int(4 * sigma) + 1
    square = named("v", function("sqrt", s) ** 4)  # an interval: exact powers of e are too many

    def theta(half: Fraction, variance: Term) -> Term:
        found: Term = 2 * sum_over(
            "i", 1, most, lambda i: function("exp", -((i - half) ** 2) / variance)
        )
        return found

    whole, half = Fraction(0), Fraction(1, 2)
    z = named("Z", (1 + theta(whole, 2 * square)) * (1 + Fraction(1, 10**4)))
    thetas = [theta(half, square), 1 + theta(whole, square)]
    factor = named("g", function("exp", term(epsilon)))
    first = int(epsilon * sigma**2)  # the loss of a difference d is d/σ²

    def excess(d: Term) -> Term:
        p, q = (function("exp", -((d - moved) ** 2) / (4 * square)) for moved in (1, -1))
        found: Term = p - factor * q
        return found

    def all_of(parity: int) -> Term:
        start = first + 1 + (first + 1 + parity) % 2
        return named(f"theta_{parity}", thetas[parity]) * sum_over(
            "j", 0, most // 2, lambda j: excess(start + 2 * j)
        )

    return at_most((all_of(0) + all_of(1)) / (z * z), DELTA)


def aggregators(sigma: Fraction, both: Fraction, unit: Fraction = LAST) -> Said:
    """Compare √2 σ with the printed number for two aggregators."""
    return near(function("sqrt", 2) * sigma, both, unit)


def of(over: Any, says: Any, wrong: Any, falls: Falls) -> Statement:
    """Return a reading; a result falls by its δ."""
    unit = "δ" if falls is Falls.RESULT else ""
    return for_all(over, says, wrong=wrong, falls=falls, unit=unit)


TRIALS: Trials = {
    "records/ppm-draft/client-table": of(
        listed(*BY_CLIENTS).all_of(**rows(*BY_CLIENTS)),
        by_clients,
        partial(by_clients, part=Fraction(1, 4)),
        Falls.RESULT,
    ),
    "records/ppm-draft/client-deviation": of(
        DEVIATIONS, by_formula, partial(by_formula, unit=LAST / 100), Falls.MISPRINT
    ),
    "records/ppm-draft/debiased-deviation": for_all(
        SUMS, variance, wrong=partial(variance, factor=2), proof=in_numbers(), falls=Falls.RESULT
    ),
    "records/ppm-draft/debias": for_all(
        SUMS, expected, wrong=partial(expected, more=1), proof=in_numbers(), falls=Falls.RESULT
    ),
    "records/ppm-draft/local": {
        key: for_all(
            CLIENT_BUDGETS,
            partial(one_client, changes=changes),
            wrong=partial(one_client, changes=changes, part=Fraction(9, 10)),
            proof=in_numbers() if changes == 1 else None,
            falls=Falls.RESULT,
        )
        for key, changes in (("a", 1), ("b", 2))
    },
    "records/ppm-draft/aggregator-table": {
        "a": of(MECHANISMS, discrete, partial(discrete, more=-LAST * 1000), Falls.RESULT),
        "b": of(MECHANISMS, continuous, partial(continuous, more=-LAST * 1000), Falls.RESULT),
        "c": of(
            MECHANISMS,
            partial(continuous, more=10 * LAST),
            partial(continuous, more=-LAST),
            Falls.RESULT,
        ),
    },
    "records/ppm-draft/two-aggregators": of(
        BOTH, aggregators, partial(aggregators, unit=LAST / 100), Falls.MISPRINT
    ),
}
