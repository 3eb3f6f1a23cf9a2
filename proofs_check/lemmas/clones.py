"""Clones: letters that the victim and the others share, their counts, and what they bound.

u, v, w are the masses of one message for x^0, x^1 and another input; x = e^{ε_0}. What is linear in
them and holds at every message holds for the laws.

Definitions: :func:`letter_counts`, :data:`CLONES`, :data:`TWO_LETTERS`, :func:`sequences`,
:func:`closed_form`.

References: V. Feldman, A. McMillan and K. Talwar, Hiding among the Clones, FOCS 2021; Stronger
Privacy Amplification by Shuffling, SODA 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome, Statement
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import Relation, at_least, at_most, decided, equal, for_all
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.terms import Term, TermLike, term
from exactdp.claims.values import exact_value
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, certainly_below, decimal, enclosure, log
from exactdp.numbers.real_functions import evaluate
from exactdp.truth import Truth
from proofs_check.lemmas.adaptive import SHUFFLED, pair_of
from proofs_check.lemmas.extremal import worst_divergence
from proofs_check.lemmas.mixtures import among, letter_rows

__all__ = ["CLONES", "TWO_LETTERS", "closed_form", "counted", "letter_counts", "sequences"]


MANY = 200
"""Of more users only the pair of counts is computed, which bounds randomized response."""


def counted(inputs: Sequence[int]) -> list[tuple[int, int]]:
    """Return (input, how many have it).

    Example:
        >>> counted([2, 0, 2])
        [(0, 1), (2, 2)]
    """
    return [(x, inputs.count(x)) for x in sorted(set(inputs))]


def letter_counts(n: int, a: TermLike, b: TermLike, r: TermLike) -> Term:
    """Return the counts of two letters and of neither: the victim sends a, b (or b, a) of them.

    Each of the n − 1 others sends either letter with probability r.
    """
    return among(letter_rows(term(a), term(b), term(r)), n - 1)


_RATIOS = [Fraction(x) for x in ("1", "11/10", "3/2", "2", "5")]
_ONE = Fraction(1)


def _clones(exp_epsilon0: Any, w: Any, u: Any, v: Any, stronger: int = 0) -> list[Relation]:
    """w less a share of u + v, 1/(2x), is at least 0; what is left has mass 1 − 1/x."""
    share = 1 / (term(exp_epsilon0) + (1 if stronger else exp_epsilon0))
    left = at_least(w - share * (term(u) + v), 0)
    return [left, equal(1 - 2 * share, 1 - 1 / term(exp_epsilon0))]


CLONES = for_all(
    cases(
        exp_epsilon0=_RATIOS,
        w=[_ONE],
        u=lambda exp_epsilon0: [exp_epsilon0, _ONE, 1 / exp_epsilon0],
        v=lambda u: [u, _ONE],
    ).within(
        lambda exp_epsilon0, u, v: [at_most(u, v * exp_epsilon0), at_most(v, u * exp_epsilon0)],
        exp_epsilon0=reals(1),
        w=reals(0),
        u=reals(lambda w, exp_epsilon0: w / exp_epsilon0, lambda w, exp_epsilon0: w * exp_epsilon0),
        v=reals(lambda w, exp_epsilon0: w / exp_epsilon0, lambda w, exp_epsilon0: w * exp_epsilon0),
    ),
    _clones,
    wrong=partial(_clones, stronger=1),
    proof=in_numbers(text="the claim itself, at each message"),
)
"""Both of the victim's rows fit into another user's, with a share of 1/(2x)."""


def _letters(exp_epsilon0: Any, v: Any, d: Any, times: int = 1) -> list[Relation]:
    """Of u = v + (x − 1) d the letters Q^0 = u + d, Q^1 = v − d are measures and make both rows.

    That u and v are private is that −v/x <= d <= v; d sums to 0, as both rows sum to 1.
    """
    x = term(exp_epsilon0)
    u = v + (x - 1) * d
    one, two = u + times * term(d), v - times * term(d)
    return [
        *(at_least(mass, 0) for mass in (one, two)),
        equal(u, (x * one + two) / (x + 1)),
        equal(v, (one + x * two) / (x + 1)),
        equal(u + v, one + two),
    ]


TWO_LETTERS = for_all(
    cases(
        exp_epsilon0=_RATIOS, v=[_ONE], d=lambda exp_epsilon0: [_ONE, 0 * _ONE, -1 / exp_epsilon0]
    ).within(
        exp_epsilon0=reals(1),
        v=reals(0),
        d=reals(lambda v, exp_epsilon0: -v / exp_epsilon0, lambda v: v),
    ),
    _letters,
    wrong=partial(_letters, times=2),
    proof=in_numbers(text="the claim itself, at each message"),
)
"""The victim's two rows are mixtures x : 1 and 1 : x of two letters."""


def sequences(bound: Callable[[int, Fraction], Term]) -> Callable[..., Relation]:
    """Say that a pair of counts, of n and e^ε0, bounds shuffled adaptive randomizers.

    An instance is of :data:`~proofs_check.lemmas.drawn.ADAPTIVE`.
    """

    def says(n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction, randomizers: Any) -> Relation:
        if isinstance(randomizers, int):
            true = worst_divergence(
                inputs=randomizers, users=n, exp_epsilon0=exp_epsilon0, exp_epsilon=exp_epsilon
            )
        else:
            true = pair_of(SHUFFLED, *randomizers).delta(Epsilon.log(exp_epsilon))
        return at_most(true, hockey_stick(bound(n, exp_epsilon0), exp_epsilon))

    return says


def closed_form(
    bounds: Any, pair: Callable[[int, Epsilon], PrivacyProfile], *, users: Sequence[int]
) -> Statement:
    """Say that a closed form is at most what randomized response and the counts need.

    Args:
        bounds: Its formulas ``exp_amplified`` and ``largest_exp_epsilon0``.
        pair: The pair of counts, which bounds all randomizers.
        users: The n of the trial.
    """

    def is_small(n: int, exp_epsilon0: Fraction, delta: Fraction) -> bool:
        most = evaluate(bounds.largest_exp_epsilon0, n=n, delta=delta)
        return certainly_below(Exact(exp_epsilon0), most)

    def says(n: int, exp_epsilon0: Fraction, delta: Fraction, divide: int = 1) -> Outcome:
        x = Epsilon.log(exp_epsilon0)
        claimed = evaluate(bounds.exp_amplified, n=n, epsilon0=log(x.exp), delta=delta)
        bracket = enclosure(1 + (claimed - 1) / divide, relative_bits=60)
        if bracket.lower >= exp_epsilon0:
            return decided(holds=True, found="the bound exceeds eps0: nothing is left")
        most = enclosed(pair(n, x).delta(Epsilon.log(bracket.lower)), "1e-9").upper
        fine = Truth.TRUE if most <= delta else Truth.UNKNOWN
        counts = f"the counts have delta at most {decimal(Exact(most), digits=6)}"
        if n > MANY:
            return decided(fine, counts, slack=delta / most)
        true = _of_randomized_response(n, x, bracket.upper)
        slack = delta / true.as_fraction() if true > 0 else None
        found = f"randomized response has delta {decimal(true, digits=6)}"
        if true > delta:
            return decided(holds=False, found=found, slack=slack)
        return decided(fine, f"{found}, {counts}", slack=slack)

    return for_all(
        cases(
            n=users,
            exp_epsilon0=[Fraction(x) for x in ("101/100", "3/2", "9/4", "4", "12")],
            delta=[Fraction(d) for d in ("1", "1/2", "1/10", "1/100", "1e-6")],
        )
        .where(is_small)
        .within(n=integers(1, draws=1000), exp_epsilon0=reals(1), delta=reals(above=0, most=1)),
        says,
        wrong=lambda n, exp_epsilon0, delta: says(n, exp_epsilon0, delta, divide=100),
    )


def _of_randomized_response(n: int, epsilon0: Epsilon, gamma: Fraction) -> Exact:
    """Return the largest divergence of binary randomized response, over some other users."""
    rows = randomized_response(2, epsilon0).rows
    views = (
        shuffle_pair(rows, inputs=inputs, others=[(0, ones), (1, n - 1 - ones)])
        for inputs in ((0, 1), (1, 0))
        for ones in (0, n // 2, n - 1)
    )
    return max(exact_value(hockey_stick(view, gamma)) for view in views)
