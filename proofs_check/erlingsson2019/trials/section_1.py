"""Abstract and Section 1."""

from fractions import Fraction
from functools import partial

from exactdp.audit.algebra import falls, nonnegative, on_box, rises, split
from exactdp.claims.cases import cases, listed
from exactdp.claims.claim import Open
from exactdp.claims.domains import reals
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    for_all,
    holding,
)
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.proofs import proof
from exactdp.claims.terms import function, named
from exactdp.claims.verdicts import Falls
from proofs_check.erlingsson2019.trials.section_4_1 import COPIED_REPORT, group_claim

TRIALS: Trials = {}

TRIALS["erlingsson2019/abstract/polylog-in-changes"] = Open(
    "privacy cost at what error is not stated: the epsilon of Algorithm 1 does not depend "
    "on k at all, while at fixed error epsilon must grow in proportion to k"
)


def one_constant(C: int, n: int, exp_epsilon0: int, delta: Fraction) -> Said:
    """One constant C for all ε_0: randomized response, all others with input 0.

    Once C² ln(1/δ) < n the claimed ε is a fraction of ε_0, and as ε_0 grows the view tells
    whether the victim's input is 1.
    """
    x = Fraction(exp_epsilon0)
    epsilon = C * function("log", x) * function("sqrt", function("log", 1 / delta) / n)
    rows = [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]
    view = shuffle_pair(rows, inputs=(1, 0), others=[(0, n - 1)])
    return at_most(hockey_stick(view, named("e", function("exp", epsilon))), delta).given(
        [below(delta, Fraction(1, n))]
    )


TRIALS["erlingsson2019/abstract/amplification"] = {
    "a": Open(
        "an asymptotic bound with an unstated constant; it follows from Theorem 7, which "
        "is proved, by an argument that is not audited"
    ),
    "b": for_all(
        listed(
            {"C": 1, "n": 10, "exp_epsilon0": 10**4, "delta": Fraction(1, 100)},
            {"C": 10, "n": 1000, "exp_epsilon0": 10**30, "delta": Fraction(1, 2000)},
        ),
        one_constant,
        falls=Falls.RESULT,
    ),
}

TRIALS["erlingsson2019/section-1.2/group"] = {
    "a": group_claim(
        cases(
            n=(1000,),
            exp_epsilon0=[Fraction(8, 5), Fraction(11, 10)],
            delta=[Fraction(1, 10**4), Fraction(1, 10**6)],
            group=(5,),
        )
    ),
    "b": COPIED_REPORT,
}


def binary_bound(epsilon0: Fraction, power: int = 2) -> list[Relation]:
    """min(1, ε_0) e^{ε_0/2} and (e^{ε_0} − 1) e^{2ε_0}: of one order up to 1, less above."""
    e = epsilon0
    general = (function("exp", e) - 1) * function("exp", power * e)
    binary = min(Fraction(1), e) * function("exp", e / 2)
    return [at_least(general, binary), *([at_most(general, 8 * binary)] if e <= 1 else [])]


BINARY_BOUND = proof(
    on_box(
        "at least 1 on [0, 1]",
        lambda f, *, e: (f.exp(e) - 1) * f.exp(2 * e) - e * f.exp(e / 2),
        {"e": (0, 1)},
        reason=rises("e", by=rises("e")),
    ),
    on_box(
        "at most 8 on [0, 1]",
        lambda f, *, e: 8 * e * f.exp(e / 2) - (f.exp(e) - 1) * f.exp(2 * e),
        {"e": (0, 1)},
        reason=split(
            "e", {"1/4": rises("e"), "1/2": "value", "3/4": "value"}, falls("e", by=rises("e"))
        ),
    ),
    holding("e > (7/5)^2", lambda: [above(function("exp", 1), Fraction(49, 25))]),
    nonnegative(
        "above 1, s = e^(eps0/2) = 7/5 + t: (s^2 - 1) s^3 > 1",
        "t",
        lambda t: ((Fraction(7, 5) + t) ** 2 - 1) * (Fraction(7, 5) + t) ** 3 - 1,
    ),
)

TRIALS["erlingsson2019/section-1.2/binary-bound"] = for_all(
    cases(epsilon0=[Fraction(e) for e in ("1/100", "1/2", "1", "2", "5")]).within(
        epsilon0=reals(above=0)
    ),
    binary_bound,
    wrong=partial(binary_bound, power=-1),
    proof=BINARY_BOUND,
)
