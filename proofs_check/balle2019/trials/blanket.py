"""The blanket decomposition, the reduction to L, and what is said of L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.audit.algebra import follows, identity, nonnegative
from exactdp.claims import (
    Falls,
    Outcome,
    Relation,
    Term,
    at_most,
    cases,
    checked,
    decided,
    equal,
    for_all,
    formula,
    function,
    hockey_stick,
    ldp_ratio,
    lemma,
    listed,
    named,
    proof,
    shuffle_pair,
    term,
    total,
    words,
)
from exactdp.distributions import binomial, multinomial
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.real_functions import evaluate_exact
from exactdp.testing import local_randomizers
from proofs_check.balle2019 import bounds
from proofs_check.lemmas.trials.divergences import POST_PROCESSING

__all__ = ["TRIALS", "Law", "blanket_of", "loss", "moments"]

Rows = Sequence[Sequence[Any]]
Law = list[tuple[Exact, Exact]]
"""The values of L, each with its probability under the blanket."""


@lru_cache(maxsize=8)
def small_rows(inputs: int, messages: int, weight: int) -> tuple[Rows, ...]:
    """Return the randomizers with positive integer weights of sum ``weight`` in every row."""
    laws = [
        tuple(Fraction(w, weight) for w in row)
        for row in product(range(1, weight), repeat=messages)
        if sum(row) == weight
    ]
    return tuple(
        (first, *rest)
        for first in laws
        for rest in combinations_with_replacement(laws, inputs - 1)
        if any(row != first for row in rest)
    )


@st.composite
def drawn_rows(draw: st.DrawFn) -> dict[str, Any]:
    """Draw n, e^ε and a private randomizer on three inputs."""
    x = draw(st.fractions(1, 5, max_denominator=3))
    # Entries are zero only in whole columns, for which L has no value; drop those.
    rows = draw(local_randomizers(rows=3, columns=3, max_ratio=x))
    keep = [y for y in range(3) if rows[0][y] > 0]
    return {
        "n": draw(st.integers(1, 3)),
        "exp_epsilon": draw(st.fractions(1, 5, max_denominator=4)),
        "rows": tuple(tuple(row[y] for y in keep) for row in rows),
    }


def gammas(rows: Rows) -> list[Fraction]:
    """Return values of e^ε from 1 to below e^ε0, simplest first."""
    x = Fraction(max(max(column) / min(column) for column in zip(*rows, strict=True)))
    return [1 + (x - 1) * Fraction(i, 4) for i in range(4)]


def blanket_of(rows: Rows) -> tuple[Exact, list[Exact]]:
    """Return the mass of the blanket and its law: the least mass of each message, over inputs."""
    least = [min(map(Exact, column)) for column in zip(*rows, strict=True)]
    gamma = sum(least, Exact(0))
    return gamma, [mass / gamma for mass in least]


def loss(rows: Rows, inputs: tuple[int, int], exp_epsilon: Exact | Fraction) -> Law:
    """Return the law of L for the victim's two inputs; messages off the blanket have none."""
    one, two = (rows[x] for x in inputs)
    _, omega = blanket_of(rows)
    return [
        ((Exact(a) - exp_epsilon * Exact(b)) / w, w)
        for a, b, w in zip(one, two, omega, strict=True)
        if w != 0
    ]


def moments(law: Law) -> tuple[Exact, Exact, Exact, Exact]:
    """Return E[L], max L, max L − min L and E[L²]."""
    values = [value for value, _ in law]
    mean, square = (sum((w * v**i for v, w in law), Exact(0)) for i in (1, 2))
    return mean, max(values), max(values) - min(values), square


# --- the blanket ------------------------------------------------------------------------------


def blanket(rows: Rows, power: int = 1) -> list[Relation]:
    """The blanket leaves a nonnegative rest, and γ >= e^−ε0."""
    gamma, omega = blanket_of(rows)
    left = [at_most(gamma * w, m) for row in rows for m, w in zip(row, omega, strict=True)]
    return [*left, equal(total(omega), 1), at_most(1 / ldp_ratio(rows), gamma**power)]


BLANKET = proof(
    "all eps0-DP randomizers with finite outputs",
    follows(
        "R(x) - min R >= 0 has mass 1 - γ by the definition of the minimum l; and e^-eps0 r <= l "
        "for the mass r of any one x', which summed over y is e^-eps0 <= γ",
        "l r t",
        lambda l, r, t: l - r / (1 + t),  # noqa: E741
        lambda l, r, t: [(1 / (1 + t), (1 + t) * l - r)],  # noqa: E741
    ),
)


def blanket_of_k_rr(k: int, epsilon0: Epsilon, shift: int = 0) -> list[Relation]:
    """γ = k/(e^ε0 + k − 1), and ω is uniform."""
    gamma, omega = blanket_of(randomized_response(k, epsilon0).rows)
    claimed = k / (epsilon0.exp + k - 1 + shift)
    return [equal(gamma, claimed), *(equal(w, Fraction(1, k)) for w in omega)]


def laplace_mass(epsilon0: Any) -> Any:
    """Return the integral of the least density over all inputs in [0, 1].

    At y >= 1/2 the farthest input is 0, and y -> 1 - y exchanges the halves.
    """
    y = sympy.symbols("y", positive=True)
    density = epsilon0 / 2 * sympy.exp(-epsilon0 * y)
    return 2 * sympy.integrate(density, (y, sympy.Rational(1, 2), sympy.oo))


def laplace(epsilon0: Fraction, part: int = 2) -> Outcome:
    """γ = e^(−ε0/2)."""
    exact = sympy.Rational(epsilon0.numerator, epsilon0.denominator)
    mass = laplace_mass(exact)
    same = sympy.simplify(mass - sympy.exp(-exact / part)) == 0
    return decided(bool(same), f"gamma {mass}")


def laplace_for_all() -> bool:
    """Decide the identity for a symbol."""
    epsilon0 = sympy.symbols("epsilon0", positive=True)
    return bool(sympy.simplify(laplace_mass(epsilon0) - sympy.exp(-epsilon0 / 2)) == 0)


# --- the reduction ----------------------------------------------------------------------------


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
    n: int,
    exp_epsilon: Fraction,
    rows: Rows,
    inputs: Sequence[tuple[int, int]] = (),
) -> list[Relation]:
    """Every view of n users, whatever the others hold, against the expectation."""
    claimed = []
    for victim in inputs or list(permutations(range(len(rows)), 2)):
        bound = named(f"bound_{victim[0]}_{victim[1]}", expectation(rows, victim, exp_epsilon, n))
        for others in combinations_with_replacement(range(len(rows)), n - 1):
            groups = [(x, others.count(x)) for x in sorted(set(others))]
            view = shuffle_pair(rows, inputs=victim, others=groups)
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


def counts_agree() -> bool:
    """Decide Pr[M = m]/m = Pr[Bin(n, γ) = m]/(γ n), M − 1 ~ Bin(n − 1, γ), for symbols."""
    n, m, gamma = sympy.symbols("n m gamma", positive=True)
    here = sympy.binomial(n - 1, m - 1) * gamma ** (m - 1) * (1 - gamma) ** (n - m) / m
    there = sympy.binomial(n, m) * gamma**m * (1 - gamma) ** (n - m) / (gamma * n)
    return bool(sympy.simplify(sympy.gammasimp((here - there).rewrite(sympy.gamma))) == 0)


REDUCTION = proof(
    "all n, all eps0-DP randomizers with finite outputs, all neighboring datasets",
    words("who sends a leftover, and which, is independent of the victim"),
    lemma(
        "lemmas/post-processing",
        POST_PROCESSING,
        "the view is a channel of the victim's message among M - 1 blanket messages, M - 1 ~ "
        "Bin(n-1, gamma)",
    ),
    words("the likelihood of M messages is that of M draws of omega times their mean of R/omega"),
    checked("Pr[M = m]/m = Pr[Bin(n, gamma) = m]/(gamma n)", counts_agree),
    checked("for small randomizers the view is the expectation", views_are_expectations),
)

_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
OFF_BLANKET = {
    "n": 1,
    "exp_epsilon": Fraction(1),
    "rows": ((_HALF, _QUARTER, _QUARTER), (_HALF, _HALF, 0 * _HALF)),
}


# --- the variable L ---------------------------------------------------------------------------


def properties(exp_epsilon: Fraction, rows: Rows, share: int = 1) -> Iterator[Relation]:
    """E[L] = 1 − e^ε, and the three bounds (divided by ``share``)."""
    epsilon, epsilon0 = function("log", exp_epsilon), function("log", ldp_ratio(rows))
    gamma, _ = blanket_of(rows)
    claimed = (bounds.generic_maximum, bounds.generic_range, bounds.generic_second_moment)
    for inputs in permutations(range(len(rows)), 2):
        mean, *true = moments(loss(rows, inputs, exp_epsilon))
        yield equal(mean, 1 - exp_epsilon)
        for value, bound in zip(true, claimed, strict=True):
            printed = formula(bound, epsilon=epsilon, epsilon0=epsilon0, gamma=gamma)
            yield at_most(value, printed / share)


PROPERTIES = proof(
    "all eps0-DP randomizers with finite outputs, eps >= 0",
    follows(
        "with R/omega = c u, R'/omega = c v, 1 <= u, v <= x: L = c (u - g v) is at most the bound",
        "s v t g c",
        lambda s, v, t, g, c: c * ((1 + t + s) - (1 + g) / (1 + t + s)) - c * (1 + t - (1 + g) * v),
        lambda s, v, t, g, c: [
            (c * (1 + g), v - 1),
            (c * s, 1),
            (c * (1 + g) * (t + s) / (1 + t + s), 1),
        ],
    ),
    identity(
        "the range is at most c (1 + g)(x - 1), less than the bound by c (1 + g)(x - 1)/x",
        "t g c",
        lambda t, g, c: (
            c * (g + 1) * ((1 + t) - 1 / (1 + t)) - c * (1 + g) * t,
            c * (1 + g) * t / (1 + t),
        ),
    ),
    identity(
        "E[L^2] <= c x (1 + g^2) - 2 c g, less than the bound by 2 c g (1 - c/x^2)",
        "t g c",
        lambda t, g, c: (
            (c * (1 + t) * (g**2 + 1) - 2 * c**2 * g / (1 + t) ** 2)
            - (c * (1 + t) * (1 + g**2) - 2 * c * g),
            2 * c * g * (1 - c / (1 + t) ** 2),
        ),
    ),
    words("E[(R/omega)^2] <= gamma e^eps0 and E[R R'/omega^2] >= gamma, as 1 <= u, v <= x; c <= 1"),
)


def of_k_rr(k: int, exp_epsilon0: Fraction, epsilon: Fraction, shift: int = 0) -> list[Relation]:
    """The three numbers of L for k-ary randomized response (claimed for k + shift)."""
    rows = randomized_response(k, Epsilon.log(exp_epsilon0)).rows
    _, *true = moments(loss(rows, (0, 1), Exact.exp(epsilon)))
    claimed = (bounds.k_rr_maximum, bounds.k_rr_range, bounds.k_rr_second_moment)
    at: dict[str, Any] = {"k": k + shift, "epsilon": epsilon, "gamma": blanket_of(rows)[0]}
    return [
        equal(value, _exact(evaluate_exact(bound, **at)))
        for value, bound in zip(true, claimed, strict=True)
    ]


def _exact(value: Exact | None) -> Exact:
    assert value is not None, "the three are rational in e^ε"
    return value


OF_K_RR = proof(
    "all k >= 2, eps0 > 0, eps >= 0",
    identity(
        "omega is uniform, and L is c (1 - e), plus (1 - c) k at x, less e (1 - c) k at x': max, "
        "range, and E[L^2]",
        "k c e",
        lambda k, c, e: (
            ((c * (1 - e) + (1 - c) * k) - (c * (1 - e) - e * (1 - c) * k)),
            (1 - c) * k * (e + 1),
        ),
        lambda k, c, e: (
            (
                (c * (1 - e) + (1 - c) * k) ** 2
                + (c * (1 - e) - e * (1 - c) * k) ** 2
                + (k - 2) * (c * (1 - e)) ** 2
            )
            / k,
            c * (2 - c) * (e - 1) ** 2 + (1 - c) ** 2 * k * (e**2 + 1),
        ),
    ),
)

TRIALS = {
    "balle2019/blanket": {
        "": for_all(
            cases(
                _size=[(2, 2, 4), (2, 3, 6), (3, 2, 6), (3, 3, 5)],
                rows=lambda _size: small_rows(*_size),
            )
            .deep(_size=[(2, 2, 4), (2, 3, 6), (3, 2, 6), (3, 3, 5), (4, 3, 6)])
            .drawn(drawn_rows),
            blanket,
            wrong=partial(blanket, power=2),
            proof=BLANKET,
        )
    },
    "balle2019/blanket/k-rr": {
        "": for_all(
            cases(
                k=range(2, 9),
                epsilon0=[Epsilon.log(3), Epsilon.log("3/2"), Epsilon.rational(1), Epsilon.log(1)],
            ),
            blanket_of_k_rr,
            wrong=partial(blanket_of_k_rr, shift=1),
            proof=proof(
                "all k >= 2 and eps0 >= 0",
                nonnegative(
                    "every message has masses x/(x+k-1) and 1/(x+k-1), the least of which is the "
                    "second, and there are k messages",
                    "t k",
                    lambda t, k: (1 + t) / (t + k) - 1 / (t + k),
                ),
            ),
        )
    },
    "balle2019/blanket/laplace": {
        "": for_all(
            cases(epsilon0=[Fraction(x) for x in ("1/2", "1", "3", "1/7")]),
            laplace,
            wrong=partial(laplace, part=1),
            proof=proof(
                "all eps0 > 0",
                checked("the least density over [0, 1], integrated symbolically", laplace_for_all),
                words("at y >= 1/2 the farthest input is 0, and y -> 1 - y exchanges the halves"),
            ),
        )
    },
    "balle2019/reduction": {
        "a": for_all(
            cases(
                _size=[(2, 2, 4, 4), (2, 3, 4, 3), (3, 2, 4, 3), (3, 3, 4, 1)],
                rows=lambda _size: small_rows(*_size[:3]),
                n=lambda _size: range(1, _size[3] + 1),
                exp_epsilon=gammas,
            ).drawn(drawn_rows),
            reduction,
            wrong=for_all(listed(OFF_BLANKET), reduction),
            proof=REDUCTION,
        ),
        # The expectation misses messages that the blanket never sends.
        "b": for_all(listed(OFF_BLANKET), reduction, falls=Falls.STEP),
    },
    "balle2019/amplification-variable": {
        "": for_all(
            cases(
                _size=[(2, 2, 5), (2, 3, 5), (3, 3, 4)],
                rows=lambda _size: small_rows(*_size),
                exp_epsilon=gammas,
            ),
            lambda exp_epsilon, rows: list(properties(exp_epsilon, rows)),
            wrong=lambda exp_epsilon, rows: list(properties(exp_epsilon, rows, share=2)),
            proof=PROPERTIES,
        )
    },
    "balle2019/amplification-variable/k-rr": {
        "": for_all(
            cases(
                k=(2, 3, 4, 7),
                exp_epsilon0=(Fraction(3, 2), Fraction(4)),
                epsilon=(Fraction(1, 10), Fraction(1, 2), Fraction(1)),
            ),
            of_k_rr,
            wrong=partial(of_k_rr, shift=1),
            proof=OF_K_RR,
        )
    },
}
