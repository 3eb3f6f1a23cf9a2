"""The theorem on shuffled k-ary randomized response."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import ceil, floor

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import Trials, decided, for_all
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.terms import Term
from exactdp.claims.values import exact_value
from exactdp.numbers import Exact, certainly_below, decimal, enclosure
from exactdp.numbers.real_functions import evaluate
from exactdp.truth import Truth
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.randomizers import Rows, blanket_of
from proofs_check.lemmas.many_users import all_data

TRIALS: Trials = {}

MANY = 150
"""So many users have exact views here."""


def some_views(rows: Rows, n: int, gamma: Fraction) -> Exact:
    """Return the largest divergence of some whole views: victim 0, others split in two."""
    half = (n - 1) // 2
    views = (
        shuffle_pair(rows, inputs=(0, 1), others=[(i, half), (j, n - 1 - half)])
        for i, j in combinations_with_replacement(range(len(rows)), 2)
    )
    return max(exact_value(hockey_stick(view, gamma)) for view in views)


def blanket_view(rows: Rows, n: int) -> Term:
    """Return the view of the victim among blanket messages; the last one is a leftover."""
    gamma, omega = blanket_of(rows)
    others = [*(gamma * w for w in omega), 1 - gamma]
    return shuffle_pair(
        [*([*row, 0] for row in rows), others], inputs=(0, 1), others=[(len(rows), n - 1)]
    )


STEPS = 64
"""The mass of the blanket is rounded down to a multiple of 1/STEPS to bound all views."""


def is_small(k: int, n: int, epsilon: Fraction, delta: Fraction) -> bool:
    """The hypothesis γ < 1, with room for rounding."""
    claimed = evaluate(bounds.k_rr_gamma, k=k, n=n, epsilon=epsilon, delta=delta)
    return certainly_below(claimed, Exact(Fraction(STEPS - 1, STEPS)))


def k_rr(k: int, n: int, epsilon: Fraction, delta: Fraction, divide: int = 1) -> Outcome:
    """Shuffled k-ary randomized response with the theorem's blanket (a part of it)."""
    claimed = evaluate(bounds.k_rr_gamma, k=k, n=n, epsilon=epsilon, delta=delta) / divide
    bracket = enclosure(claimed, relative_bits=30)
    low = Fraction(floor(bracket.lower * STEPS), STEPS)
    high = Fraction(ceil(bracket.upper * 1024 * STEPS), 1024 * STEPS)
    factor = enclosure(Exact.exp(epsilon), relative_bits=30)
    # More blanket is post-processing: delta decreases with gamma.
    if n > MANY:
        # A little less blanket than claimed, which shows more: it can confirm, not refute.
        less = Fraction(floor(bracket.lower * 2**40), 2**40)
        confirmed = all_data(n, [response(k, less)], factor.lower, delta)
        sure = Truth.TRUE if confirmed.truth.is_certain else Truth.UNKNOWN
        return replace(confirmed, truth=sure)
    true = some_views(response(k, high), n, factor.upper)
    found = f"delta {decimal(true, digits=6)} at gamma {high}"
    slack = delta / true.as_fraction() if true > 0 else None
    if true > delta:
        return decided(holds=False, found=found, slack=slack)
    if low == 0:
        return decided(Truth.UNKNOWN, "too little blanket to bound all views")
    bound = exact_value(hockey_stick(blanket_view(response(k, low), n), factor.lower))
    fine = Truth.TRUE if bound <= delta else Truth.UNKNOWN
    return decided(fine, f"{found}, at most {decimal(bound, digits=6)} at {low}", slack=slack)


def response(k: int, gamma: Fraction) -> list[list[Fraction]]:
    """Return the rows of k-ary randomized response with a blanket of mass γ."""
    return [[gamma / k + (1 - gamma) * int(x == y) for y in range(k)] for x in range(k)]


TRIALS["balle2019/k-rr"] = for_all(
    cases(
        k__n=[(2, 56), (2, 80), (2, 150), (3, 90)],
        epsilon=(Fraction(1), Fraction(3, 4)),
        delta=[Fraction(d) for d in ("1", "1/2", "1/100", "1e-4")],
    )
    .then(
        cases(
            k__n=[(2, 1000), (10, 100_000)],
            epsilon=(Fraction(1),),
            delta=[Fraction(d) for d in ("1/2", "1/100")],
        ).where(is_small)
    )
    .where(is_small),
    k_rr,
    wrong=partial(k_rr, divide=1000),
)
