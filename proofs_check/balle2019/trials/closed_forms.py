"""The closed forms: by Hoeffding's and Bennett's inequalities, and for k-ary response."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import ceil, floor, isqrt
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Outcome
from exactdp.claims.domains import integers, objects, reals
from exactdp.claims.forms import Trials, decided, for_all
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.terms import Term
from exactdp.claims.values import exact_value
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, certainly_below, decimal, enclosure, is_below
from exactdp.numbers.real_functions import evaluate
from exactdp.truth import Truth
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.randomizers import Rows, blanket_of, loss, moments
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


def closed_form(
    n: int, epsilon: Fraction, rows: Rows, bound: Any, uses: Sequence[str], divide: int = 1
) -> Outcome:
    """delta of whole views against a closed form (divided by ``divide``) in moments of L.

    Of many users, all data between two certified ends.
    """
    known = moments(loss(rows, (0, 1), Exact.exp(epsilon)))
    at: dict[str, Any] = {name: known[name] for name in uses}
    formula = partial(bound, n=n)
    claimed = evaluate(formula, epsilon=epsilon, gamma=blanket_of(rows)[0], **at) / divide
    # A rational just below e^eps: delta there bounds delta(eps) from above.
    factor = enclosure(Exact.exp(epsilon), relative_bits=40).lower
    if n > MANY:
        return all_data(n, [rows], factor, claimed)
    true = some_views(rows, n, factor)
    ratio = enclosure(claimed, relative_bits=30).lower / true.as_fraction() if true > 0 else None
    found = f"delta {decimal(true, digits=6)}, claimed {decimal(claimed, digits=6)}"
    return decided(is_below(true, claimed), found, slack=ratio)


LESS_PRIVATE = objects(
    "the rows of a randomizer, private for no ε_0 <= ε",
    condition=lambda epsilon, rows: bool(
        Epsilon.rational(epsilon) < Randomizer.from_matrix(rows).ldp_epsilon()
    ),
)

_EPSILONS = [Fraction(x) for x in ("1/20", "1/4", "1", "3/2")]
_LOPSIDED = [(("1/5", "4/5"), ("2/5", "3/5")), (("4/5", "1/5"), ("3/5", "2/5"))]

CLOSED_FORM_CASES = (
    cases(
        n=(1, 2, 5, 12),
        _k=(2, 3),
        _x=(Fraction(3, 2), Fraction(3), Fraction(8)),
        epsilon=_EPSILONS,
        rows=lambda _k, _x: [randomized_response(_k, Epsilon.log(_x)).rows],
    )
    .deep(n=(1, 2, 5, 12, 30))
    .where(lambda epsilon, _x: Epsilon.rational(epsilon) < Epsilon.log(_x))
    .within(n=integers(1), epsilon=reals(above=0), rows=LESS_PRIVATE)
    .then(cases(n=(1, 3, 20, 100), rows=_LOPSIDED, epsilon=_EPSILONS[:2]))
)


def of_many(*users: int) -> Cases:
    """Return the cases above, and so many users at an ε of order 1/√n."""
    responses = [
        randomized_response(k, Epsilon.log(x)).rows for k, x in ((2, "3/2"), (3, 3), (10, 8))
    ]
    near = [(n, Fraction(3, 2 * isqrt(n))) for n in users]
    return CLOSED_FORM_CASES.then(cases(n__epsilon=near, rows=[*responses, *_LOPSIDED]))


HOEFFDING = partial(closed_form, bound=bounds.hoeffding, uses=["width"])

TRIALS["balle2019/hoeffding"] = for_all(
    of_many(1000, 10**6), HOEFFDING, wrong=partial(HOEFFDING, divide=10)
)

BENNETT = partial(closed_form, bound=bounds.bennett, uses=["maximum", "second_moment"])

TRIALS["balle2019/bennett"] = for_all(of_many(1000), BENNETT, wrong=partial(BENNETT, divide=10))

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
