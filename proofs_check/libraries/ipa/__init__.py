"""The rule of IPA's README for how many coins to add to a count: it needs no library to try."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

from exactdp.claims import (
    Cases,
    Falls,
    Said,
    Statement,
    Trials,
    at_least,
    at_most,
    cases,
    for_all,
    formula,
)
from exactdp.claims.kinds import reals
from exactdp.claims.terms import function
from exactdp.errors import TooLargeError
from exactdp.testing.later import st
from proofs_check.libraries.binomial import coins_delta, smallest_coins

__all__ = ["TRIALS"]

EPSILONS = ("1", "1/2", "3/4", "1/4", "2", "3", "5", "10")
DELTAS = ("1/1000000", "1/100000000", "1/1000", "1/100", "1/10", "1/2", "9/10")

COUNTS = cases(epsilon=tuple(map(Fraction, EPSILONS)), delta=tuple(map(Fraction, DELTAS))).drawn(
    lambda: {
        "epsilon": st.sampled_from([Fraction(n, 4) for n in (4, 2, 1, 8, 12, 20, 40)]),
        "delta": st.integers(3, 12).map(lambda power: Fraction(1, 10**power)),
    }
)


SMALL = COUNTS.where(lambda epsilon: epsilon <= 1)
_TINY, _MOST_COINS = Fraction(1, 10**15), 10**7


def enough(epsilon: Fraction, delta: Fraction, part: Fraction = Fraction(1)) -> Said:
    """Compare δ of the smallest N that the rule allows with its δ."""
    rule = 8 * math.log(2 / delta) / float(epsilon) ** 2
    n = smallest_coins(rule * part)
    if n > _MOST_COINS:
        raise TooLargeError(f"{n} coins are more than {_MOST_COINS}. Ask for a larger epsilon.")
    truth = coins_delta(n, 1, function("exp", epsilon), p=Fraction(1, 2), near=float(epsilon))
    needed = formula(lambda f, *, e, d: 8 * f.log(2 / d) / (e * e), e=epsilon, d=delta)
    return at_most(truth, delta).given([at_least(n, needed * part)])


def of(over: Cases, falls: Falls = Falls.RESULT, part: Fraction = Fraction(1, 3)) -> Statement:
    """Return the statement; a third of the coins must be seen to be too few."""
    found = for_all(over, enough, wrong=partial(enough, part=part), falls=falls, unit="δ")
    return replace(found, draws=20)


TRIALS: Trials = {
    "libraries/ipa/readme-bernoulli-count": {
        "a": of(COUNTS),
        "b": of(
            SMALL.then(cases(epsilon=(Fraction(1),), delta=(Fraction(1, 10**50),))).within(
                epsilon=reals(above=0, most=1), delta=reals(above=0, below=1)
            ),
            Falls.ROUNDING,  # only where δ is below 1e-15
        ),
        "c": of(SMALL.within(epsilon=reals(above=0, most=1), delta=reals(_TINY, below=1))),
    }
}
