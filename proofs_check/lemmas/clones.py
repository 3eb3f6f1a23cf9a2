"""Clones: letters that the victim and the others share, their counts, and their bounds.

u, v, w are the masses of one message for x^0, x^1 and another input; x = e^{ε_0}. What is linear in
them and holds at every message holds for the laws.

Definitions: :func:`letter_counts`, :data:`CLONES`, :data:`TWO_LETTERS`, :func:`messages_apart`,
:func:`clones_apart`, :func:`sequences`, :func:`closed_form`.

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
from exactdp.claims.forms import Relation, at_least, at_most, decided, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, TermLike, formula, term
from exactdp.claims.values import exact_value
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, decimal, enclosure, log
from exactdp.numbers.real_functions import evaluate
from exactdp.testing import probability_vectors
from exactdp.truth import Truth
from proofs_check.lemmas.adaptive import SHUFFLED, pair_of
from proofs_check.lemmas.drawn import is_private
from proofs_check.lemmas.extremal import worst_divergence
from proofs_check.lemmas.mixtures import among, letter_rows
from proofs_check.lemmas.quantities import EVENT, LAW, SAME, letter, probability, total_mass
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import laws

__all__ = [
    "CLONES",
    "OTHER_ROW",
    "TWO_LETTERS",
    "clones_apart",
    "closed_form",
    "counted",
    "letter_counts",
    "messages_apart",
    "sequences",
    "two_letters",
]


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
    """w less a share of u + v, 1/(2x), is at least 0; the rest has mass 1 − 1/x."""
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


def two_letters(exp_epsilon0: Any, P: Any, Q: Any, S: Any, total: Any = None) -> list[Relation]:
    """Letters (x P − Q)/(x − 1), (x Q − P)/(x − 1) are laws and make both rows, at each event."""
    x, pair = exp_epsilon0, [letter(exp_epsilon0, P, Q), letter(exp_epsilon0, Q, P)]
    one, two = (probability(law, S) for law in pair)
    return [
        *(at_least(chance, 0) for chance in (one, two)),
        *(equal(total_mass(law), 1) for law in pair),
        equal(probability(P, S), (x * one + two) / (x + 1 if total is None else total)),
        equal(probability(Q, S), (one + x * two) / (x + 1)),
        equal(probability(P, S) + probability(Q, S), one + two),
    ]


OTHER_ROW = objects(
    "a law within a factor e^ε0 of P",
    lambda exp_epsilon0, P: probability_vectors(size=3).filter(
        lambda Q: is_private((P, Q), exp_epsilon0)
    ),
    condition=lambda exp_epsilon0, P, Q: is_private((P, Q), exp_epsilon0),
    coq=("law A", "private_pair same exp_epsilon0 P {0}", SAME),
)

TWO_LETTERS = for_all(
    cases(
        exp_epsilon0=_RATIOS,
        P=laws(3, 4),
        Q=laws(3, 4),
        S=((), (0,), (1,), (0, 2), (0, 1, 2)),
    )
    .where(lambda exp_epsilon0, P, Q: is_private((P, Q), exp_epsilon0))
    .within(exp_epsilon0=reals(1), P=LAW, Q=OTHER_ROW, S=EVENT),
    two_letters,
    wrong=partial(two_letters, total=2),
    proof=theorem("feldman2021_two_letters"),
)


@quantity("(messages_apart same {0} {3})", name="shuffled")
def messages_apart(randomizers: Any, n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Any:
    """D of the messages of shuffled data (see :data:`~proofs_check.lemmas.drawn.ADAPTIVE`)."""
    if isinstance(randomizers, int):
        return worst_divergence(
            inputs=randomizers, users=n, exp_epsilon0=exp_epsilon0, exp_epsilon=exp_epsilon
        )
    return pair_of(SHUFFLED, *randomizers).delta(Epsilon.log(exp_epsilon))


@quantity("(clones_apart {0:nat} {1} {2} {3})", name="clones")
def clones_apart(n: int, exp_epsilon0: Fraction, r: Fraction, exp_epsilon: Fraction) -> Term:
    """D of the counts of clones, which another user is with probability r, half of it each."""
    x = exp_epsilon0
    return hockey_stick(letter_counts(n, x / (x + 1), 1 / (x + 1), Fraction(r) / 2), exp_epsilon)


def sequences(clones: Callable[[Any], Any]) -> Callable[..., Relation]:
    """Say that the counts of clones, likely as a function of e^ε0, bound adaptive randomizers."""

    def says(n: int, exp_epsilon0: Any, exp_epsilon: Any, randomizers: Any) -> Relation:
        true = messages_apart(randomizers, n, exp_epsilon0, exp_epsilon)
        return at_most(true, clones_apart(n, exp_epsilon0, clones(exp_epsilon0), exp_epsilon))

    return says


def closed_form(
    bounds: Any, pair: Callable[[int, Epsilon], PrivacyProfile], *, users: Sequence[int]
) -> Statement:
    """Say that a closed form is at most the need of randomized response and of the counts.

    Args:
        bounds: Its formulas ``exp_amplified`` and ``largest_exp_epsilon0``.
        pair: The pair of counts, which bounds all randomizers.
        users: The n of the trial.
    """

    def is_small(n: Any, exp_epsilon0: Any, delta: Any) -> Relation:
        return at_most(exp_epsilon0, formula(bounds.largest_exp_epsilon0, n=n, delta=delta))

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
        .where(lambda n, exp_epsilon0, delta: is_small(n, exp_epsilon0, delta).holds())
        .within(
            is_small,
            n=integers(1, draws=1000),
            exp_epsilon0=reals(1),
            delta=reals(above=0, most=1),
        ),
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
