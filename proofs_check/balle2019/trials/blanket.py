"""The blanket decomposition, and the reduction to the variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, permutations
from typing import Any

import sympy

from exactdp.audit.algebra import follows
from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases, listed
from exactdp.claims.claim import Outcome
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import Relation, Trials, at_most, decided, equal, for_all
from exactdp.claims.laws import hockey_stick, ldp_ratio, shuffle_pair
from exactdp.claims.proofs import checked, proof, words
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
from proofs_check.lemmas.theorems import in_coq

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


def reduction(
    n: int, exp_epsilon: Fraction, rows: Rows, inputs: Sequence[tuple[int, int]] = ()
) -> list[Relation]:
    """Every view of n users, whatever the others hold, against the expectation."""
    claimed = []
    for victim in inputs or list(permutations(range(len(rows)), 2)):
        bound = named(f"bound_{victim[0]}_{victim[1]}", expectation(rows, victim, exp_epsilon, n))
        for others in combinations_with_replacement(range(len(rows)), n - 1):
            view = shuffle_pair(rows, inputs=victim, others=counted(others))
            claimed.append(at_most(hockey_stick(view, exp_epsilon), bound))
    return claimed


def blanket_view(rows: Rows, n: int) -> Term:
    """Return the view of the victim among blanket messages; the last one is a leftover."""
    gamma, omega = blanket_of(rows)
    others = [*(gamma * w for w in omega), 1 - gamma]
    return shuffle_pair(
        [*([*row, 0] for row in rows), others], inputs=(0, 1), others=[(len(rows), n - 1)]
    )


def views_are_expectations() -> bool:
    """Compare the view among blanket messages with the expectation, for small randomizers."""
    g = Fraction(6, 5)
    return all(
        equal(hockey_stick(blanket_view(rows, n), g), expectation(rows, (0, 1), g, n)).holds()
        for rows in small_rows(2, 3, 5)
        for n in (1, 2, 3)
    )


REDUCTION = proof(
    in_coq(
        "blanket_of_private_randomizer",
        "the lemma, where gamma omega is the least chance of each message",
    ),
    checked("for small randomizers the view is the expectation", views_are_expectations),
)

_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
OFF_BLANKET = {
    "n": 1,
    "exp_epsilon": Fraction(1),
    "rows": ((_HALF, _QUARTER, _QUARTER), (_HALF, _HALF, 0 * _HALF)),
}

TRIALS["balle2019/reduction"] = {
    "a": for_all(
        cases(
            _size=[(2, 2, 4, 4), (2, 3, 4, 3), (3, 2, 4, 3), (3, 3, 4, 1)],
            rows=lambda _size: small_rows(*_size[:3]),
            n=lambda _size: range(1, _size[3] + 1),
            exp_epsilon=gammas,
        ).within(rows=PRIVATE, n=integers(1, draws=2), exp_epsilon=reals(1)),
        reduction,
        wrong=for_all(listed(OFF_BLANKET), reduction),
        proof=REDUCTION,
    ),
    # The expectation misses messages that the blanket never sends.
    "b": for_all(listed(OFF_BLANKET), reduction, falls=Falls.STEP),
}
