"""What is said of the privacy amplification random variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any

from exactdp.audit.algebra import follows, identity
from exactdp.claims import (
    Relation,
    at_most,
    cases,
    equal,
    for_all,
    formula,
    function,
    ldp_ratio,
    proof,
    words,
)
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.real_functions import evaluate_exact
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.randomizers import (
    Rows,
    blanket_of,
    gammas,
    loss,
    moments,
    small_rows,
)

__all__ = ["TRIALS"]

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
