"""Sections 4.1 and 4.2: Corollary 9, and lower bounds."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Open, Outcome, Statement
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    at_least,
    at_most,
    below,
    decided,
    equal,
    for_all,
)
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import formula, function, named
from exactdp.claims.verdicts import Falls
from exactdp.divergences import Pair
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.testing.later import st
from exactdp.truth import Truth
from proofs_check.erlingsson2019 import bounds
from proofs_check.erlingsson2019.trials.theorem_7_bounds import MANY, delta_of_binary, is_below_half
from proofs_check.lemmas.adaptive import AdaptiveRandomizers, shuffled_outputs_law
from proofs_check.lemmas.outside import written_group
from proofs_check.lemmas.quantities import SAME
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def posted_pair(steps: AdaptiveRandomizers, *data: Sequence[int]) -> Pair:
    """Return the pair of A_post's laws on two datasets."""
    return Pair.from_pmfs(*(shuffled_outputs_law(steps, x) for x in data))


@quantity("(posted_apart same {0} (exp (large_bound {1:nat} {2} {3})))", name="posted")
def posted_delta(group: Any, n: int, exp_epsilon0: Fraction, delta: Fraction) -> Any:
    """D of all outputs in a random order, at the bound for the n users of the group."""
    if isinstance(group, int):
        return delta_of_binary(bounds.large_n_bound, n, exp_epsilon0, delta, outside=group)
    epsilon0, masses = function("log", exp_epsilon0), posted_pair(*group).masses()
    bound = formula(bounds.large_n_bound, n=n, epsilon0=epsilon0, delta=delta)
    return hockey_stick(finite_pair(*zip(*masses, strict=True)), function("exp", bound))


def in_a_group(n: int, exp_epsilon0: Any, delta: Any, group: Any) -> Relation:
    """Bound δ at the bound for the n users of the group."""
    return at_most(posted_delta(group, n, exp_epsilon0, delta), delta)


def at_a_part(n: int, exp_epsilon0: Fraction, delta: Fraction, group: int) -> Relation:
    """Bound δ at a twentieth of the bound."""
    found = delta_of_binary(bounds.large_n_bound, n, exp_epsilon0, delta, 20, outside=group)
    return at_most(found, delta)


def group_claim(cases_of_users: Cases) -> Statement:
    """Return the claim about users of one randomizer, if nobody else looks at their messages."""
    return for_all(
        cases_of_users.within(
            is_below_half,
            n=integers(1000, draws=1),
            exp_epsilon0=reals(above=1),
            delta=reals(above=0, below=Fraction(1, 100)),
            group=objects(
                "adaptive e^ε0-DP randomizers, those of n users the same whatever came between, "
                "all others blind to these users' outputs, with neighboring data of the n users "
                "(a number: binary randomizers, and so many others who send one message)",
                lambda: st.integers(0, 9),
                coq=(
                    "group_protocol X A",
                    "users (all {0}) = length (steps (all {0})) /\\ members {0} = n "
                    "/\\ inside {0} (length (before (all {0}))) = true "
                    "/\\ Forall (private_after same (ln exp_epsilon0)) (steps (all {0})) "
                    "/\\ same_inside {0} /\\ blind_outside {0}",
                    f"{SAME} {{X : Type}}",
                ),
                written=written_group,
            ),
        ),
        in_a_group,
        wrong=at_a_part,
        proof=theorem("erlingsson2019_repair_corollary_9"),
    )


TRIALS["erlingsson2019/repair/corollary-9"] = group_claim(cases(**MANY, group=(0,)))


@lru_cache(maxsize=1)
def copying_user_is_allowed() -> bool:
    """Return whether, for few users, the copy is 0-DP and A_post loses all amplification."""
    coin = Randomizer.from_matrix([["3/5", "2/5", 0, 0], ["2/5", "3/5", 0, 0]])
    copy: dict[tuple[int, ...], Randomizer] = {
        (a, b): Randomizer.from_matrix([[0, 0, int(a != 1), int(a == 1)]] * 2)
        for a, b in product(range(4), repeat=2)
    }
    steps = AdaptiveRandomizers((coin, coin, copy))
    private = all(r.ldp_epsilon() == Epsilon.log(1) for r in copy.values())
    return private and posted_pair(steps, [0, 1, 0], [1, 1, 0]).max_divergence() == Epsilon.log(
        Fraction(3, 2)
    )


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
    "for what is not of that kind it need not hold: a local protocol that sends nothing has ε = 0",
    ('which protocols are "of the kind that our techniques apply to"', "the constants of Ω(.)"),
)


def gap_stays(grows: str) -> Relation:
    """Error k √n over the translated √k √n: four times as many users, or changes, leave it."""
    return equal(1 if grows == "n" else function("sqrt", 4), 1)


TRIALS["erlingsson2019/section-4.2/theorem-6-tight"] = Open(
    "by the translation of the first paragraph the lower bound would be √k √n polylog(d)/ε, which "
    "is tight in n and not in k; Theorem 6, which it is to match, is refuted as printed",
    ("in which of n, k and d it is tight", "by what argument the bound is translated"),
    for_all(cases(grows=("n", "k")), gap_stays),
)
