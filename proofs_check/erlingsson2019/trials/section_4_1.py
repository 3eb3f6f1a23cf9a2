"""Sections 4.1 and 4.2: Corollary 9, and lower bounds."""

from fractions import Fraction
from functools import lru_cache, partial
from itertools import product

from exactdp.claims.cases import cases
from exactdp.claims.claim import Open, Outcome
from exactdp.claims.forms import Said, Trials, at_least, at_most, below, decided, for_all
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.terms import formula, function, named
from exactdp.claims.verdicts import Falls
from exactdp.divergences import Pair
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.truth import Truth
from proofs_check.erlingsson2019 import bounds
from proofs_check.erlingsson2019.trials.theorem_7_bounds import MANY, large
from proofs_check.lemmas.adaptive import AdaptiveRandomizers, shuffled_outputs_law

TRIALS: Trials = {}

TRIALS["erlingsson2019/repair/corollary-9"] = for_all(
    MANY,
    partial(large, bounds.large_n_bound),
    wrong=partial(large, bounds.large_n_bound, divide=20),
)


@lru_cache(maxsize=1)
def copying_user_is_allowed() -> bool:
    """Return whether, for few users, the copy is 0-DP and A_post loses all amplification."""
    coin = Randomizer.from_matrix([["3/5", "2/5", 0, 0], ["2/5", "3/5", 0, 0]])
    copy: dict[tuple[int, ...], Randomizer] = {
        (a, b): Randomizer.from_matrix([[0, 0, int(a != 1), int(a == 1)]] * 2)
        for a, b in product(range(4), repeat=2)
    }
    steps = AdaptiveRandomizers((coin, coin, copy))
    laws = (shuffled_outputs_law(steps, [x, 1, 0]) for x in (0, 1))
    private = all(r.ldp_epsilon() == Epsilon.log(1) for r in copy.values())
    return private and Pair.from_pmfs(*laws).max_divergence() == Epsilon.log(Fraction(3, 2))


def copied_report(S: int, n: int, exp_epsilon0: Fraction, delta: Fraction) -> Said | Outcome:
    """The users of S have binary randomized response; user n sends a marked copy of z_1.

    That user ignores the own input, which is 0-DP, and the marked copy alone has the law of z_1.
    """
    if not copying_user_is_allowed():
        return decided(Truth.UNKNOWN, "the copying user was not confirmed to be 0-DP")
    x, epsilon0 = exp_epsilon0, function("log", exp_epsilon0)
    copy = finite_pair([x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)])
    epsilon = formula(bounds.large_n_bound, n=S, epsilon0=epsilon0, delta=delta)
    return at_most(hockey_stick(copy, named("e", function("exp", epsilon))), delta).given(
        [below(epsilon0, Fraction(1, 2)), at_least(S, 1000), below(delta, Fraction(1, n))]
    )


COPIED_REPORT = for_all(
    cases(
        S=(10_000, 100_000),
        n=lambda S: [S + 1],
        exp_epsilon0=[Fraction(8, 5), Fraction(3, 2)],
        delta=[Fraction(1, 10**6)],
    ),
    copied_report,
    falls=Falls.RESULT,
)

TRIALS["erlingsson2019/corollary-9"] = COPIED_REPORT

TRIALS["erlingsson2019/section-4.2/translation"] = Open(
    "a rough translation of lower bounds, without a statement that has instances"
)

TRIALS["erlingsson2019/section-4.2/theorem-6-tight"] = Open(
    "an implication between asymptotic lower bounds that the paper does not prove; the "
    "Theorem 6 that it calls tight is refuted as printed"
)
