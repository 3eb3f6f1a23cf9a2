"""The blanket decomposition, and the reduction to the variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, permutations
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.audit.algebra import follows
from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.domains import integers, objects, reals
from exactdp.claims.forms import Relation, Trials, at_most, decided, equal, for_all
from exactdp.claims.laws import hockey_stick, ldp_ratio, shuffle_pair
from exactdp.claims.proofs import checked, proof, words
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term, total
from exactdp.claims.verdicts import Falls
from exactdp.distributions import binomial, multinomial
from exactdp.numbers import Exact
from proofs_check.balle2019.randomizers import (
    PRIVATE,
    Rows,
    blanket_of,
    gammas,
    loss,
    small_rows,
)
from proofs_check.lemmas.clones import counted
from proofs_check.lemmas.quantities import written_neighbors
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def blanket(rows: Rows, power: int = 1) -> list[Relation]:
    """The blanket leaves a nonnegative rest, and γ >= e^−ε0."""
    gamma, omega = blanket_of(rows)
    left = [at_most(gamma * w, m) for row in rows for m, w in zip(row, omega, strict=True)]
    return [*left, equal(total(omega), 1), at_most(1 / ldp_ratio(rows), gamma**power)]


BLANKET = proof(
    follows(
        "R(x) - min R >= 0 has mass 1 - γ by the definition of the minimum l; and e^-eps0 r <= l "
        "for the mass r of any one x', which summed over y is e^-eps0 <= γ",
        "l r t",
        lambda l, r, t: l - r / (1 + t),  # noqa: E741
        lambda l, r, t: [(1 / (1 + t), (1 + t) * l - r)],  # noqa: E741
    ),
)

TRIALS["balle2019/blanket"] = for_all(
    cases(_size=[(2, 2, 4), (2, 3, 6), (3, 2, 6), (3, 3, 5)], rows=lambda _size: small_rows(*_size))
    .deep(_size=[(2, 2, 4), (2, 3, 6), (3, 2, 6), (3, 3, 5), (4, 3, 6)])
    .within(rows=PRIVATE),
    blanket,
    wrong=partial(blanket, power=2),
    proof=BLANKET,
)


def blanket_of_k_rr(k: Any, exp_epsilon0: Any, shift: int = 0) -> list[Relation]:
    """k messages have the least mass 1/(x + k − 1): γ = k/(x + k − 1), and ω is uniform."""
    truth, other = (mass / (term(exp_epsilon0) + k - 1) for mass in (exp_epsilon0, term(1)))
    least = function("min", truth, other)
    claimed = k / (term(exp_epsilon0) + k - 1 + shift)
    return [equal(truth + (k - 1) * other, 1), equal(k * least, claimed)]


TRIALS["balle2019/blanket/k-rr"] = for_all(
    cases(
        k=range(2, 9), exp_epsilon0=[Fraction(3), Fraction(3, 2), Exact.exp(1), Fraction(1)]
    ).within(k=integers(2), exp_epsilon0=reals(1)),
    blanket_of_k_rr,
    wrong=partial(blanket_of_k_rr, shift=1),
    proof=in_numbers(text="the claim itself, each of k messages having equal masses"),
)


def has_laplace_mass(epsilon0: Any, part: int = 2) -> bool:
    """Whether the least density over all inputs in [0, 1] has the integral e^(−ε0/part).

    At y >= 1/2 the farthest input is 0, and y -> 1 - y exchanges the halves.
    """
    y = sympy.symbols("y", positive=True)
    density = epsilon0 / 2 * sympy.exp(-epsilon0 * y)
    mass = 2 * sympy.integrate(density, (y, sympy.Rational(1, 2), sympy.oo))
    return bool(sympy.simplify(mass - sympy.exp(-epsilon0 / part)) == 0)


def laplace(epsilon0: Fraction, part: int = 2) -> Outcome:
    """γ = e^(−ε0/2)."""
    exact = sympy.Rational(epsilon0.numerator, epsilon0.denominator)
    return decided(has_laplace_mass(exact, part), f"the least density at epsilon0 = {epsilon0}")


TRIALS["balle2019/blanket/laplace"] = for_all(
    cases(epsilon0=[Fraction(x) for x in ("1/2", "1", "3", "1/7")]).within(epsilon0=reals(above=0)),
    laplace,
    wrong=partial(laplace, part=1),
    proof=proof(
        checked(
            "the least density over [0, 1], integrated symbolically",
            lambda: has_laplace_mass(sympy.symbols("epsilon0", positive=True)),
        ),
        words("at y >= 1/2 the farthest input is 0, and y -> 1 - y exchanges the halves"),
    ),
)


def expectation(rows: Rows, inputs: tuple[int, int], exp_epsilon: Fraction, n: int) -> Term:
    """(1/(γn)) E[(L_1 + ... + L_m)^+], m ~ Bin(n, γ); by counts of the draws."""
    gamma, _ = blanket_of(rows)
    law, chance, found = loss(rows, inputs, exp_epsilon), binomial(n, gamma), term(0)
    for m in range(1, n + 1):
        for counts, mass in multinomial(m, [w for _, w in law]).masses.items():
            losses = sum((c * v for c, (v, _) in zip(counts, law, strict=True)), Exact(0))
            if losses > 0:
                found = found + chance[m] * mass * losses
    return found / (gamma * n)


@quantity("(views_apart k {0} {1} {2})", name="shuffled")
def views_apart(rows: Rows, data: Sequence[Sequence[int]], exp_epsilon: Fraction) -> Term:
    """D of the view of the users with these inputs; the first one's is changed."""
    (old, *others), (new, *_) = data
    view = shuffle_pair(rows, inputs=(old, new), others=counted(others))
    return hockey_stick(view, exp_epsilon)


@quantity("(expectation {0:nat} {1} {2} {3} {4})", name="bound")
def bound(
    n: int, rows: Rows, blanket: Any, data: Sequence[Sequence[int]], exp_epsilon: Fraction
) -> Term:
    """The expectation for the inputs of the user whose input is changed."""
    inputs = data[0][0], data[1][0]
    return named("bound", expectation(rows, inputs, exp_epsilon, n))


def reduction(rows: Any, n: int, blanket: Any, data: Any, exp_epsilon: Any) -> Relation:
    """The view of n users against the expectation."""
    return at_most(views_apart(rows, data, exp_epsilon), bound(n, rows, blanket, data, exp_epsilon))


def with_changes(rows: Rows, n: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return all data of n users, the first of whom has another input in the second ones."""
    inputs = range(len(rows))
    rest = list(combinations_with_replacement(inputs, n - 1))
    return [((x, *others), (y, *others)) for x, y in permutations(inputs, 2) for others in rest]


_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
OFF_BLANKET = cases(
    rows=[((_HALF, _QUARTER, _QUARTER), (_HALF, _HALF, 0 * _HALF))],
    n=(1,),
    blanket=lambda rows: [blanket_of(rows)],
    data=with_changes,
    exp_epsilon=[Fraction(1)],
)

TRIALS["balle2019/reduction"] = {
    "a": for_all(
        cases(
            _size=[(2, 2, 4, 4), (2, 3, 4, 3), (3, 2, 4, 3), (3, 3, 4, 1)],
            rows=lambda _size: small_rows(*_size[:3]),
            n=lambda _size: range(1, _size[3] + 1),
            blanket=lambda rows: [blanket_of(rows)],
            data=with_changes,
            exp_epsilon=gammas,
        ).within(
            rows=PRIVATE,
            n=integers(1, draws=2),
            blanket=objects(
                "γ and ω, so that γω(y) is the least mass of the message y over all inputs",
                lambda rows: st.just(blanket_of(rows)),
                condition=lambda rows, blanket: blanket == blanket_of(rows),
                coq=("R * law nat", "is_blanket rows {0}", "{k : nat}"),
            ),
            data=objects(
                "data of n users, of which one is changed",
                lambda rows, n: st.sampled_from(with_changes(rows, n)),
                coq=("neighbors X", "length (data_of {0}) = n", ""),
                written=lambda data: written_neighbors("X", data),
            ),
            exp_epsilon=reals(1),
        ),
        reduction,
        wrong=for_all(OFF_BLANKET, reduction),
        proof=theorem("balle2019_reduction"),
    ),
    # The expectation misses messages that the blanket never sends.
    "b": for_all(OFF_BLANKET, reduction, falls=Falls.STEP),
}
