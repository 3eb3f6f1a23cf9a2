"""The theorem on shuffled k-ary randomized response."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, formula, function
from exactdp.numbers import enclosure
from exactdp.numbers.real_functions import evaluate
from proofs_check.balle2019 import bounds
from proofs_check.lemmas.clones import counted
from proofs_check.lemmas.quantities import written_neighbors
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

STEPS = 2**20
"""The mass of the blanket is rounded up to a multiple of 1/STEPS, as its formula is irrational."""


def masses(k: int, n: int, epsilon: Fraction, delta: Fraction) -> list[Fraction]:
    """Return a mass of the blanket at the theorem's, or just above it, if that is below 1."""
    claimed = evaluate(bounds.k_rr_gamma, k=k, n=n, epsilon=epsilon, delta=delta)
    rounded = Fraction(ceil(enclosure(claimed, relative_bits=40).upper * STEPS), STEPS)
    return [rounded] if rounded < 1 else []


def response(k: int, gamma: Fraction) -> list[list[Fraction]]:
    """Return the rows of k-ary randomized response with a blanket of mass γ."""
    return [[gamma / k + (1 - gamma) * int(x == y) for y in range(k)] for x in range(k)]


@quantity("(told_apart {0:nat} {1} {2} {3})", name="shuffled")
def told_apart(k: int, gamma: Fraction, data: Sequence[Sequence[int]], exp_epsilon: Any) -> Term:
    """D of the view of the users with these values; the first one's is changed."""
    (old, *others), (new, *_) = data
    view = shuffle_pair(response(k, gamma), inputs=(old, new), others=counted(others))
    return hockey_stick(view, exp_epsilon)


def k_rr(
    k: Any, n: Any, epsilon: Any, delta: Any, gamma: Any, data: Any, part: int = 1
) -> Relation:
    """Shuffled k-ary randomized response, with a blanket of mass γ (or a part of it)."""
    blanket = gamma / part if part > 1 else gamma
    return at_most(told_apart(k, blanket, data, function("exp", epsilon)), delta)


def changed(k: int, n: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return data whose first value changes, the others the same or split in two."""
    others = [(0,) * (n - 1), (k - 1,) * (n - 1), (0,) * (n // 2) + (k - 1,) * (n - 1 - n // 2)]
    return [((0, *rest), (min(1, k - 1), *rest)) for rest in others]


TRIALS["balle2019/k-rr"] = for_all(
    cases(
        k__n=[(2, 56), (2, 80)],
        epsilon=(Fraction(1), Fraction(31, 32)),
        delta=[Fraction(d) for d in ("1", "1/2", "1/10")],
        gamma=masses,
        data=changed,
    ).within(
        lambda k, n, epsilon, delta, gamma: at_most(
            formula(bounds.k_rr_gamma, k=k, n=n, epsilon=epsilon, delta=delta), gamma
        ),
        k=integers(1),
        n=integers(2),
        epsilon=reals(above=0, most=1),
        delta=reals(above=0, most=1),
        gamma=reals(below=1),
        data=objects(
            "values of n users, one of which is changed",
            coq=(
                "neighbors nat",
                "length (data_of {0}) = n "
                "/\\ Forall (fun z => (z < k)%nat) (new {0} :: data_of {0})",
                "",
            ),
            written=lambda data: written_neighbors("nat", data),
        ),
    ),
    k_rr,
    wrong=partial(k_rr, part=1000),
    proof=theorem("balle2019_k_rr"),
)
