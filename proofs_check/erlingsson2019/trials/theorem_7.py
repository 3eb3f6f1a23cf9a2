"""Section 4: the proof of Theorem 7 from Theorem 8, and its special cases.

Inequalities are decided on boxes; unbounded n enters as t = 1/n. x = e^{ε_0}.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from itertools import permutations, product
from math import factorial
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Statement
from exactdp.claims.domains import Domain
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import formula, function, term
from exactdp.testing.later import st
from proofs_check.erlingsson2019 import bounds
from proofs_check.lemmas.adaptive import swapped_data
from proofs_check.lemmas.sequences import written_set
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


@lru_cache(maxsize=64)
def arrangements(n: int, i_star: int, first: int) -> Counter[tuple[int, ...]]:
    """Count σ_I(x_{i*} and an arrangement of the others), for all of these and I > first."""
    others = permutations(i for i in range(1, n + 1) if i != i_star)
    every = product(others, range(first, n))
    return Counter(swapped_data((i_star, *order), index) for order, index in every)


def arranged_probability(n: int, i_star: int, event: Any, first: int = 0) -> Fraction:
    """Return the probability of a set of orders of 1, ..., n under A_swap on shuffled others."""
    counts = arrangements(n, i_star, first)
    return Fraction(sum(counts[order] for order in event), counts.total())


@quantity("prob {1} (permuted (seq 1 {0:nat}))", name="Pr")
def uniform_probability(n: int, event: Any) -> Fraction:
    """Return the probability of a set of orders of 1, ..., n under the uniform law."""
    return Fraction(len(event), factorial(n))


def uniform(arranged: Callable[..., Any], n: int, i_star: int, event: Any) -> Relation:
    """The probability of a set of orders is that under the uniform law."""
    return equal(arranged(n, i_star, event), uniform_probability(n, event))


ORDERS = objects(
    "a set of orders of 1, ..., n",
    lambda n: st.sets(st.permutations(range(1, n + 1)).map(tuple), max_size=4).map(tuple),
    coq=("list nat -> bool", "", ""),
    written=lambda event: written_set(event),
)

TRIALS["erlingsson2019/theorem-7/proof/uniform-permutation"] = for_all(
    cases(
        n=(2, 3, 4),
        i_star=lambda n: range(1, n + 1),
        event=lambda n: [(order,) for order in permutations(range(1, n + 1))],
    )
    .deep(n=range(2, 7))
    .within(n=integers(1), i_star=integers(1, lambda n: n), event=ORDERS),
    partial(
        uniform,
        quantity("prob {2} (arranged {0:nat} {1:nat})", name="Pr_swap")(arranged_probability),
    ),
    wrong=partial(uniform, partial(arranged_probability, first=1)),
    proof=theorem("erlingsson2019_uniform_permutation"),
)


def at_most_half(exp_epsilon0: Any, n: Any, bound: Fraction = Fraction(1, 2)) -> list[Relation]:
    """ε_1 <= 2x³/n <= 1/2."""
    x = term(exp_epsilon0)
    middle = 2 * x**3 / n
    return [at_most(2 * x * x * (x - 1) / n, middle), at_most(middle, bound)]


TRIALS["erlingsson2019/theorem-7/proof/epsilon1-half"] = for_all(
    cases(
        exp_epsilon0=[Fraction(x) for x in ("11/10", "3/2", "2", "5")],
        n=lambda exp_epsilon0: [-(-4 * exp_epsilon0**3 // 1)],
    ).within(
        exp_epsilon0=reals(above=1), n=integers(lambda exp_epsilon0: 4 * exp_epsilon0**3, draws=9)
    ),
    at_most_half,
    wrong=partial(at_most_half, bound=Fraction(1, 3)),
    proof=in_numbers(),
)


def exp_below(slope: Fraction, epsilon1: Fraction) -> Relation:
    """e^ε1 − 1 <= slope·ε_1."""
    return at_most(function("exp", epsilon1) - 1, slope * epsilon1)


def exp_claim(slope: Fraction, end: Fraction, wrong: Fraction, proved: str) -> Statement:
    """Return the claim that e^ε1 − 1 <= slope·ε_1 for ε_1 <= end."""
    return for_all(
        cases(epsilon1=[end / 10, end / 2, end]).within(epsilon1=reals(0, end)),
        partial(exp_below, slope),
        wrong=partial(exp_below, wrong),
        proof=theorem(proved),
    )


TRIALS["erlingsson2019/theorem-7/proof/exp-half"] = exp_claim(
    Fraction(3, 2), Fraction(1, 2), wrong=Fraction(5, 4), proved="erlingsson2019_exp_half"
)


def chain(
    n: int, epsilon0: Fraction, delta: Fraction, factor: Fraction = Fraction(3, 2)
) -> list[Relation]:
    """ε <= c √(8 ln(1/δ)/n) + 3nε_1²/2, with c = x²(x − 1), and 3nε_1²/2 <= 6c²/n."""
    step = formula(bounds.step_epsilon, n=n, epsilon0=epsilon0)
    c = function("exp", 2 * term(epsilon0)) * (function("exp", epsilon0) - 1)
    root, rest = function("sqrt", 8 * function("log", 1 / term(delta)) / n), factor * n * step**2
    bound = formula(bounds.general_bound, n=n, epsilon0=epsilon0, delta=delta)
    return [at_most(bound, c * root + rest), at_most(rest, 6 * c**2 / n)]


def is_small(n: int, epsilon0: Fraction) -> Relation:
    """Return the hypothesis ε_0 <= ln(n/4)/3."""
    return at_most(3 * epsilon0, function("log", term(n) / 4))


TRIALS["erlingsson2019/theorem-7/proof/small-epsilon0-chain"] = for_all(
    cases(
        n=(5, 10, 100, 10_000),
        epsilon0=[Fraction(1, 100), Fraction(7, 100), Fraction(1), Fraction(13, 5)],
        delta=[Fraction(1, 2), Fraction(1, 100)],
    )
    .where(lambda n, epsilon0: is_small(n, epsilon0).holds())
    .within(is_small, n=integers(2), epsilon0=reals(above=0), delta=reals(above=0, most=1))
    .drawn(
        Domain(
            {
                "n": integers(5),
                "epsilon0": reals(above=0, most=Fraction(1, 9)),
                "delta": reals(above=0, most=1),
            },
            (is_small,),
        ).strategy
    ),
    chain,
    wrong=partial(chain, factor=Fraction(3, 4)),
    proof=theorem("erlingsson2019_small_epsilon0_chain"),
)

EPSILONS = [Fraction(e) for e in ("1/100", "1/4", "1/2")]
UP_TO_HALF = reals(above=0, most=Fraction(1, 2))


def linear(n: int, epsilon0: Fraction, factor: int = 8) -> Relation:
    """ε_1 <= 8 ε_0/n."""
    return at_most(formula(bounds.step_epsilon, n=n, epsilon0=epsilon0), factor * epsilon0 / n)


TRIALS["erlingsson2019/theorem-7/proof/epsilon1-linear"] = for_all(
    cases(n=(2, 1000), epsilon0=EPSILONS).within(n=integers(2), epsilon0=UP_TO_HALF),
    linear,
    wrong=partial(linear, factor=7),
    proof=theorem("erlingsson2019_epsilon1_linear"),
)


def first_term(n: int, epsilon0: Fraction, delta: Fraction, factor: int = 8) -> Relation:
    """ε_1 √(2n ln(1/δ)) <= 8ε_0 √(2 ln(1/δ)/n)."""
    logarithm = 2 * function("log", 1 / delta)
    step = formula(bounds.step_epsilon, n=n, epsilon0=epsilon0)
    return at_most(
        step * function("sqrt", n * logarithm), factor * epsilon0 * function("sqrt", logarithm / n)
    )


TRIALS["erlingsson2019/theorem-7/proof/first-term"] = for_all(
    cases(n=(2, 1000), epsilon0=EPSILONS, delta=[Fraction(1, 2), Fraction(1, 100)]).within(
        n=integers(2), epsilon0=UP_TO_HALF, delta=reals(above=0, below=1)
    ),
    first_term,
    wrong=partial(first_term, factor=7),
    proof=theorem("erlingsson2019_first_term"),
)


def small_step(n: int, epsilon0: Fraction, bound: Fraction = Fraction(1, 250)) -> Relation:
    """ε_1 <= 1/250."""
    return at_most(formula(bounds.step_epsilon, n=n, epsilon0=epsilon0), bound)


MANY_USERS = cases(n=(1000, 10**6), epsilon0=EPSILONS).within(n=integers(1000), epsilon0=UP_TO_HALF)

TRIALS["erlingsson2019/theorem-7/proof/epsilon1-small"] = for_all(
    MANY_USERS,
    small_step,
    wrong=partial(small_step, bound=Fraction(1, 300)),
    proof=theorem("erlingsson2019_epsilon1_small"),
)

TRIALS["erlingsson2019/theorem-7/proof/65-64"] = exp_claim(
    Fraction(65, 64), Fraction(1, 250), wrong=Fraction(501, 500), proved="erlingsson2019_exp_small"
)


def second_term(
    n: int, epsilon0: Fraction, delta: Fraction, factor: Fraction = Fraction(2, 3)
) -> list[Relation]:
    """nε_1 (e^ε1 − 1) <= (65/64) nε_1² <= 65ε_0²/n <= (2/3) ε_0 √(ln(1/δ)/n)."""
    step = formula(bounds.step_epsilon, n=n, epsilon0=epsilon0)
    second = Fraction(65, 64) * n * step * step
    third = term(65 * epsilon0**2 / n)
    last = factor * epsilon0 * function("sqrt", function("log", 1 / delta) / n)
    return [
        at_most(n * step * (function("exp", step) - 1), second),
        at_most(second, third),
        at_most(third, last),
    ]


TRIALS["erlingsson2019/theorem-7/proof/second-term"] = for_all(
    cases(n=(1000, 10**6), epsilon0=EPSILONS, delta=[Fraction(1, 100), Fraction(1, 10**9)]).within(
        n=integers(1000), epsilon0=UP_TO_HALF, delta=reals(above=0, most=Fraction(1, 100))
    ),
    second_term,
    wrong=partial(second_term, factor=Fraction(1, 3)),
    proof=theorem("erlingsson2019_second_term"),
)


def combination(
    n: int, epsilon0: Fraction, delta: Fraction, factor: Fraction = Fraction(12)
) -> Relation:
    """8ε_0 √(2 ln(1/δ)/n) + (2/3) ε_0 √(ln(1/δ)/n) <= 12ε_0 √(ln(1/δ)/n)."""
    logarithm = function("log", 1 / delta)
    first, rest = (function("sqrt", i * logarithm / n) for i in (2, 1))
    return at_most(epsilon0 * (8 * first + Fraction(2, 3) * rest), factor * epsilon0 * rest)


TRIALS["erlingsson2019/theorem-7/proof/combination"] = for_all(
    cases(n=(1000,), epsilon0=EPSILONS[:2], delta=[Fraction(1, 1000)]).within(
        n=integers(1000),
        epsilon0=reals(above=0, below=Fraction(1, 2)),
        delta=reals(above=0, below=Fraction(1, 100)),
    ),
    combination,
    wrong=partial(combination, factor=Fraction(119, 10)),
    proof=theorem("erlingsson2019_combination"),
)
