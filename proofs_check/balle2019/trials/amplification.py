"""What is said of the privacy amplification random variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any

from exactdp.audit.algebra import follows, identity
from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.laws import ldp_ratio
from exactdp.claims.proofs import proof, words
from exactdp.claims.terms import formula, function, term
from exactdp.numbers import Exact
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.randomizers import (
    PRIVATE,
    Rows,
    blanket_of,
    gammas,
    loss,
    moments,
    small_rows,
)

TRIALS: Trials = {}


def properties(exp_epsilon: Fraction, rows: Rows, share: int = 1) -> list[Relation]:
    """E[L] = 1 − e^ε, and the three bounds (divided by ``share``)."""
    x, gamma = ldp_ratio(rows), blanket_of(rows)[0]
    claimed = (bounds.generic_maximum, bounds.generic_range, bounds.generic_second_moment)
    found = []
    for inputs in permutations(range(len(rows)), 2):
        mean, *true = moments(loss(rows, inputs, exp_epsilon)).values()
        found.append(equal(mean, 1 - exp_epsilon))
        for value, bound in zip(true, claimed, strict=True):
            printed = formula(bound, exp_epsilon=exp_epsilon, exp_epsilon0=x, gamma=gamma)
            found.append(at_most(value, printed / share))
    return found


PROPERTIES = proof(
    follows(
        "with R/omega = c u, R'/omega = c v, 1 <= u, v <= x: L = c (u - g v) is at most the bound",
        "s v t g c",
        lambda s, v, t, g, c: (
            bounds.generic_maximum(None, exp_epsilon=1 + g, exp_epsilon0=1 + t + s, gamma=c)
            - c * (1 + t - (1 + g) * v)
        ),
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
            bounds.generic_range(None, exp_epsilon=g, exp_epsilon0=1 + t, gamma=c)
            - c * (1 + g) * t,
            c * (1 + g) * t / (1 + t),
        ),
    ),
    identity(
        "E[L^2] <= c x (1 + g^2) - 2 c g, less than the bound by 2 c g (1 - c/x^2)",
        "t g c",
        lambda t, g, c: (
            bounds.generic_second_moment(None, exp_epsilon=g, exp_epsilon0=1 + t, gamma=c)
            - (c * (1 + t) * (1 + g**2) - 2 * c * g),
            2 * c * g * (1 - c / (1 + t) ** 2),
        ),
    ),
    words("E[(R/omega)^2] <= gamma e^eps0 and E[R R'/omega^2] >= gamma, as 1 <= u, v <= x; c <= 1"),
)

TRIALS["balle2019/amplification-variable"] = for_all(
    cases(
        _size=[(2, 2, 5), (2, 3, 5), (3, 3, 4)],
        rows=lambda _size: small_rows(*_size),
        exp_epsilon=gammas,
    ).within(rows=PRIVATE, exp_epsilon=reals(1)),
    properties,
    wrong=partial(properties, share=2),
    proof=PROPERTIES,
)


def of_k_rr(k: Any, exp_epsilon0: Any, exp_epsilon: Any, shift: int = 0) -> list[Relation]:
    """L at x, at x' and at the k − 2 others, with ω uniform: three numbers (of k + shift)."""
    x, e = term(exp_epsilon0), term(exp_epsilon)
    high, low, rest = (k * mass / (x + k - 1) for mass in (x - e, 1 - e * x, 1 - e))
    most, least = (function(end, high, low, rest) for end in ("max", "min"))
    square = (high**2 + low**2 + (k - 2) * rest**2) / k
    at = {"k": term(k) + shift, "exp_epsilon": e, "gamma": k / (x + k - 1)}
    claimed = (bounds.k_rr_maximum, bounds.k_rr_range, bounds.k_rr_second_moment)
    return [
        equal(value, bound(None, **at))
        for value, bound in zip((most, most - least, square), claimed, strict=True)
    ]


TRIALS["balle2019/amplification-variable/k-rr"] = for_all(
    cases(
        k=(2, 3, 4, 7),
        exp_epsilon0=(Fraction(3, 2), Fraction(4)),
        exp_epsilon=[Exact.exp(x) for x in ("1/10", "1/2", "1")],
    ).within(k=integers(2), exp_epsilon0=reals(1), exp_epsilon=reals(1)),
    of_k_rr,
    wrong=partial(of_k_rr, shift=1),
    proof=in_numbers(),
)
