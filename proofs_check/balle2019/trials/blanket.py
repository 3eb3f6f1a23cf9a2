"""The blanket decomposition, and the reduction to the variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, permutations
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term, total
from exactdp.claims.verdicts import Falls
from exactdp.distributions import binomial, multinomial
from exactdp.numbers import Exact
from exactdp.testing.later import st
from proofs_check.balle2019.randomizers import (
    BLANKET,
    PRIVATE,
    WITHIN,
    Rows,
    blanket_of,
    gammas,
    largest_ratio,
    loss,
    small_rows,
)
from proofs_check.lemmas.clones import counted
from proofs_check.lemmas.quantities import written_neighbors
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


@quantity("(blanket_mass k {0})", name="γ")
def blanket_mass(rows: Rows) -> Term:
    """Return the sum of the least masses of the messages."""
    return term(blanket_of(rows)[0])


@quantity("(mass Nat.eq_dec ({0} {1}) {2})", name="R")
def mass_of(rows: Rows, x: int, y: int) -> Term:
    """Return the mass of a message on an input."""
    return term(rows[x][y])


@quantity("(mass Nat.eq_dec (blanket_law k {0}) {1})", name="ω")
def omega_at(rows: Rows, y: int) -> Term:
    """Return the mass of a message of the blanket."""
    return term(blanket_of(rows)[1][y])


@quantity("(mean (fun _ => 1) (blanket_law k {0}))", name="ω of all messages")
def all_of_omega(rows: Rows) -> Term:
    """Return the sum of the masses of the blanket's messages."""
    return total([term(w) for w in blanket_of(rows)[1]])


@quantity("(mass Nat.eq_dec (rest_law k {0} {1}) {2})", name="ν")
def nu_at(rows: Rows, x: int, y: int) -> Term:
    """Return the leftover's mass of a message on an input; 0 where nothing is left."""
    gamma, omega = blanket_of(rows)
    return term(0 if gamma == 1 else (Exact(rows[x][y]) - gamma * omega[y]) / (1 - gamma))


@quantity("(mean (fun _ => 1) (rest_law k {0} {1}))", name="ν of all messages")
def all_of_nu(rows: Rows, x: int) -> Term:
    """Return the sum of the leftover's masses on an input."""
    return total([nu_at(rows, x, y) for y in range(len(rows[x]))])


def blanket(exp_epsilon0: Any, rows: Any, x: Any, y: Any, power: int = 1) -> list[Relation]:
    """R(x) = γω + (1 − γ)ν_x with the laws ω and ν_x, and γ >= e^−ε0."""
    gamma, omega, nu = blanket_mass(rows), omega_at(rows, y), nu_at(rows, x, y)
    return [
        equal(mass_of(rows, x, y), gamma * omega + (1 - gamma) * nu),
        at_most(0, omega),
        equal(all_of_omega(rows), 1),
        at_most(0, nu),
        equal((1 - gamma) * all_of_nu(rows, x), 1 - gamma),
        at_most(1 / term(exp_epsilon0), gamma if power == 1 else gamma**power),
    ]


SIZES = [(2, 2, 4), (2, 3, 6), (3, 2, 6), (3, 3, 5)]

TRIALS["balle2019/blanket"] = for_all(
    cases(
        _size=SIZES,
        rows=lambda _size: small_rows(*_size),
        exp_epsilon0=lambda rows: [largest_ratio(rows)],
        x=lambda rows: range(len(rows)),
        y=lambda rows: range(len(rows[0])),
    )
    .deep(_size=[*SIZES, (4, 3, 6)])
    .printed("exp_epsilon0 rows x y")
    .within(
        exp_epsilon0=reals(1),
        rows=replace(
            WITHIN,
            coq=(
                "X -> law nat",
                "rows_within exp_epsilon0 {0} /\\ (forall z, below k ({0} z))",
                "{X : Type} {k : nat}",
            ),
        ),
        x=objects("an input", lambda rows: st.integers(0, len(rows) - 1), coq=("X", "", "")),
        y=objects(
            "a message",
            lambda rows: st.integers(0, len(rows[0]) - 1),
            coq=("nat", "({0} < k)%nat", ""),
        ),
    ),
    blanket,
    wrong=partial(blanket, power=2),
    proof=theorem("balle2019_blanket"),
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


@quantity("(laplace_blanket {0})", name="γ")
def laplace_blanket(epsilon0: Fraction) -> Term:
    """Return the integral of the least density over all inputs in [0, 1], symbolically.

    At y >= 1/2 the farthest input is 0, and y -> 1 - y exchanges the halves.
    """
    import sympy

    y, scale = sympy.symbols("y", positive=True), sympy.Rational(Fraction(epsilon0))
    density = scale / 2 * sympy.exp(-scale * y)
    mass = 2 * sympy.integrate(density, (y, sympy.Rational(1, 2), sympy.oo))
    return term(Exact.exp(Fraction(str(sympy.log(mass)))))


def laplace(epsilon0: Any, part: int = 2) -> Relation:
    """γ = e^(−ε0/2)."""
    return equal(laplace_blanket(epsilon0), function("exp", -term(epsilon0) / part))


TRIALS["balle2019/blanket/laplace"] = for_all(
    cases(epsilon0=[Fraction(x) for x in ("1/2", "1", "3", "1/7")]).within(epsilon0=reals(above=0)),
    laplace,
    wrong=partial(laplace, part=1),
    proof=theorem("balle2019_blanket_laplace"),
)


def expectation(rows: Rows, inputs: tuple[int, int], exp_epsilon: Fraction, n: int) -> Term:
    """Return (1/(γn)) E[(L_1 + ... + L_m)^+], m ~ Bin(n, γ); by counts of the draws."""
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
    """Return the expectation for the inputs of the user whose input is changed."""
    inputs = data[0][0], data[1][0]
    return named("bound", expectation(rows, inputs, exp_epsilon, n))


def reduction(rows: Any, n: int, blanket: Any, data: Any, exp_epsilon: Any) -> Relation:
    """Compare the view of n users with the expectation."""
    return at_most(views_apart(rows, data, exp_epsilon), bound(n, rows, blanket, data, exp_epsilon))


def with_changes(rows: Rows, n: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return all data of n users, the first of whom has another input in the second ones."""
    inputs = range(len(rows))
    rest = list(combinations_with_replacement(inputs, n - 1))
    return [((x, *others), (y, *others)) for x, y in permutations(inputs, 2) for others in rest]


DATA = objects(
    "data of n users, of which one is changed",
    lambda rows, n: st.sampled_from(with_changes(rows, n)),
    coq=("neighbors X", "length (data_of {0}) = n", "{k : nat}"),
    written=lambda data: written_neighbors("X", data),
)

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
            blanket=BLANKET,
            data=DATA,
            exp_epsilon=reals(1),
        ),
        reduction,
        wrong=for_all(OFF_BLANKET, reduction),
        proof=theorem("balle2019_reduction"),
    ),
    # The expectation misses messages that the blanket never sends.
    "b": for_all(OFF_BLANKET, reduction, falls=Falls.STEP),
}
