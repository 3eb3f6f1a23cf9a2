"""The theorem for sequences of adaptive local randomizers, its closed form, and a repair."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import identity
from exactdp.claims import (
    Outcome,
    Relation,
    Said,
    at_most,
    cases,
    decided,
    equal,
    exact_value,
    finite_pair,
    for_all,
    hockey_stick,
    proof,
    shuffle_pair,
    words,
)
from exactdp.divergences.profile import enclosed
from exactdp.numbers import Epsilon, Exact, decimal, enclosure, is_below, log
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import stronger_clone_pair
from exactdp.testing import local_randomizers, neighboring_datasets
from exactdp.truth import Truth
from proofs_check.feldman2023 import bounds
from proofs_check.feldman2023.trials.reduction import (
    K_RR,
    Rows,
    counted,
    gammas,
    rows_of_k_rr,
)
from proofs_check.lemmas.adaptive import SHUFFLED, pair_of
from proofs_check.lemmas.drawn import adaptive_randomizers
from proofs_check.lemmas.extremal import extremal_rows, worst_divergence

__all__ = ["TRIALS"]

RATIOS = [Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(8)]


def clones(n: int, x: Fraction, exp_epsilon: Fraction, *, more: Fraction = Fraction(1)) -> Any:
    """The divergence of the pair of stronger clones; the others' letters by a factor likelier."""
    a, b, r = x / (x + 1), 1 / (x + 1), min(more / (x + 1), Fraction(1, 2))
    rows = [[a, b, 0], [b, a, 0], [r, r, 1 - r - r]]
    return hockey_stick(shuffle_pair(rows, inputs=(0, 1), others=[(2, n - 1)]), exp_epsilon)


# --- Theorem 3.1 or 3.2: all sequences --------------------------------------------------------


@st.composite
def drawn_sequences(draw: st.DrawFn) -> dict[str, Any]:
    """Draw adaptive randomizers with neighboring data."""
    n, x = draw(st.integers(2, 4)), draw(st.fractions(Fraction(5, 4), 6, max_denominator=4))
    data, neighbor = draw(neighboring_datasets(inputs=3, min_users=n, max_users=n))
    return {
        "n": n,
        "exp_epsilon0": x,
        "exp_epsilon": draw(st.fractions(1, x, max_denominator=4)),
        "steps": draw(adaptive_randomizers(steps=n, rows=3, columns=2, max_ratio=x)),
        "data": data,
        "neighbor": neighbor,
    }


# n + 1 inputs are all that n users have.
SEQUENCES = (
    cases(
        _users=[(1, 2), (2, 3), (3, 3), (4, 2), (5, 2)],
        exp_epsilon0=RATIOS,
        n=lambda _users: [_users[0]],
        inputs=lambda _users: [_users[1]],
        exp_epsilon=gammas,
    )
    .then(
        cases(
            _users=[(3, 4), (4, 3)],
            exp_epsilon0=[Fraction(3, 2)],
            n=lambda _users: [_users[0]],
            inputs=lambda _users: [_users[1]],
            exp_epsilon=gammas,
        ).deep(exp_epsilon0=RATIOS)
    )
    .drawn(drawn_sequences)
)


def sequences(more: Fraction = Fraction(1)) -> Callable[..., Relation]:
    """The worst sequence over n users and so many inputs, or a drawn one, against the clones."""

    def says(
        n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction, inputs: int = 0, **drawn: Any
    ) -> Relation:
        x, g = exp_epsilon0, exp_epsilon
        if inputs:
            true = worst_divergence(inputs=inputs, users=n, exp_epsilon0=x, exp_epsilon=g)
        else:
            laws = pair_of(SHUFFLED, drawn["steps"], drawn["data"], drawn["neighbor"])
            true = laws.delta(Epsilon.log(g))
        return at_most(true, clones(n, x, g, more=more))

    return says


# --- what has the decomposition into two letters ------------------------------------------------


def has_two_letters(rows: Rows, x: Fraction) -> bool:
    """Return whether every row is at least (R(x^0) + R(x^1))/(x + 1)."""
    share = [(u + v) / (x + 1) for u, v in zip(rows[0], rows[1], strict=True)]
    return all(m >= s for row in rows for m, s in zip(row, share, strict=True))


def two_letter_rows(exp_epsilon0: Fraction) -> list[Rows]:
    """Return k-randomized response and the extremal randomizers that have two letters."""
    extremal = extremal_rows(inputs=3, exp_epsilon0=exp_epsilon0)
    return [
        *(rows_of_k_rr(k, exp_epsilon0) for k in (2, 3, 4)),
        *(rows for rows in extremal if has_two_letters(rows, exp_epsilon0)),
    ]


def drawn_two_letters() -> st.SearchStrategy[dict[str, Any]]:
    """Draw randomizers that have two letters."""
    return st.fractions(Fraction(5, 4), 6, max_denominator=4).flatmap(
        lambda x: st.fixed_dictionaries(
            {
                "n": st.integers(2, 4),
                "exp_epsilon0": st.just(x),
                "exp_epsilon": st.fractions(1, x, max_denominator=4),
                "rows": local_randomizers(rows=3, columns=3, max_ratio=x).filter(
                    lambda rows: has_two_letters(rows, x)
                ),
            }
        )
    )


def two_letters(n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction, rows: Rows) -> Said:
    """All inputs of the others, both directions, against the clones."""
    bound = clones(n, exp_epsilon0, exp_epsilon)
    views = [
        shuffle_pair(rows, inputs=victim, others=counted(others))
        for victim in ((0, 1), (1, 0))
        for others in combinations_with_replacement(range(len(rows)), n - 1)
    ]
    return Said([at_most(hockey_stick(view, exp_epsilon), bound) for view in views])


TWO_LETTERS = proof(
    "all n, all such adaptive sequences with finite outputs, all neighboring datasets",
    identity(
        "the letters are mixtures: p (x Q0 + Q1) = R(x0) and Q0 + Q1 = R(x0) + R(x1) for "
        "Q0 = (x R(x0) - R(x1))/(x-1), p = 1/(x+1)",
        "u v t",
        lambda u, v, t: (((1 + t) * ((1 + t) * u - v) / t + ((1 + t) * v - u) / t) / (2 + t), u),
        lambda u, v, t: (((1 + t) * u - v) / t + ((1 + t) * v - u) / t, u + v),
    ),
    words(
        "label the victim by Q0 or Q1 and every other user by Q0, Q1 or LO, with probabilities "
        "that do not depend on step or history; the victim always has a letter, so given the "
        "counts the users labeled LO are a uniform subset of the others, whose inputs are known"
    ),
    words("A_s runs on labels in uniform order, the same for X_0 and X_1"),
    words(
        "k-RR has masses x or 1 times 1/(x+k-1), and the letters' share is (x+1)/(x+1) or 2/(x+1)"
    ),
)


# --- the closed form, and approximate randomizers -----------------------------------------------


def closed_form(divide: int = 1) -> Callable[..., Outcome]:
    """The closed form is at most what shuffled randomized response and the clones need."""

    def says(n: int, exp_epsilon0: Fraction, delta: Fraction) -> Outcome:
        x = exp_epsilon0
        claimed = evaluate(bounds.exp_amplified, n=n, epsilon0=log(Exact(x)), delta=delta)
        bracket = enclosure(1 + (claimed - 1) / divide, relative_bits=60)
        if bracket.lower >= x:
            return decided(holds=True, found="the bound exceeds eps0: nothing is left")
        rows = rows_of_k_rr(2, x)
        views = [
            shuffle_pair(rows, inputs=(0, 1), others=[(0, n - 1 - ones), (1, ones)])
            for ones in (0, n // 2, n - 1)
        ]
        true = max(exact_value(hockey_stick(view, bracket.upper)) for view in views)
        slack = delta / true.as_fraction() if true > 0 else None
        found = f"randomized response has delta {decimal(true, digits=6)}"
        if true > delta:
            return decided(holds=False, found=found, slack=slack)
        pair = stronger_clone_pair(n, Epsilon.log(x))
        counts = enclosed(pair.delta(Epsilon.log(bracket.lower)), "1e-9")
        fine = Truth.TRUE if counts.upper <= delta else Truth.UNKNOWN
        return decided(fine, f"{found}, the counts at most {counts.upper}", slack=slack)

    return says


def is_small(n: int, exp_epsilon0: Fraction, delta: Fraction) -> bool:
    """The hypothesis e^ε0 <= n/(8 ln(2/δ))."""
    most = evaluate(bounds.largest_exp_epsilon0, n=n, delta=delta)
    return is_below(Exact(exp_epsilon0), most) is Truth.TRUE


def approximate(terms: int = 1) -> Callable[..., list[Relation]]:
    """Randomized response that reveals its input with probability δ_0."""

    def says(
        k: int, n: int, exp_epsilon0: Fraction, delta0: Fraction, exp_epsilon: Fraction
    ) -> list[Relation]:
        x, g = exp_epsilon0, exp_epsilon
        rows = [
            [*((1 - delta0) * m for m in row), *(delta0 * int(y == i) for y in range(k))]
            for i, row in enumerate(rows_of_k_rr(k, x))
        ]
        bound = clones(n, x, g) + terms * (g + 1) * (1 + 1 / (2 * x)) * n * delta0
        views = [
            shuffle_pair(rows, inputs=(0, 1), others=counted(others))
            for others in combinations_with_replacement(range(k), n - 1)
        ]
        is_private = equal(hockey_stick(finite_pair(*rows[:2]), x), delta0)
        return [is_private, *(at_most(hockey_stick(view, g), bound) for view in views)]

    return says


TRIALS = {
    "feldman2023/stronger-clones": {
        "": for_all(SEQUENCES, sequences(), wrong=sequences(Fraction(21, 20)))
    },
    "feldman2023/repair/reduction-two-letters": {
        "": for_all(
            cases(
                n=(1, 2, 3, 4),
                exp_epsilon0=RATIOS,
                rows=two_letter_rows,
                exp_epsilon=gammas,
            ).drawn(drawn_two_letters),
            two_letters,
            wrong=K_RR,
            proof=TWO_LETTERS,
        )
    },
    "feldman2023/closed-form": {
        "": for_all(
            cases(
                n=(6, 12, 24, 60, 150),
                exp_epsilon0=[Fraction(x) for x in ("101/100", "3/2", "9/4", "4", "12")],
                delta=[Fraction(d) for d in ("1", "1/2", "1/10", "1/100", "1e-6")],
            )
            .deep(n=(6, 12, 24, 60, 150, 1000))
            .where(is_small),
            closed_form(),
            wrong=closed_form(divide=100),
        )
    },
    "feldman2023/approximate": {
        "": for_all(
            cases(
                k=(2, 3),
                n=(1, 2, 3, 4),
                exp_epsilon0=[Fraction(x) for x in ("3/2", "9/4", "4", "12")],
                delta0=[Fraction(1, d) for d in (100, 10, 3)],
                exp_epsilon=gammas,
            ),
            approximate(),
            wrong=approximate(terms=0),
        )
    },
}
