"""What is said of the privacy amplification random variable L.

For a victim with rows R(x), R(x'): L = (R(x) − e^ε R(x'))/ω at a draw of the blanket ω.
"""

from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any

from exactdp.audit.algebra import follows, identity
from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.laws import ldp_ratio
from exactdp.claims.proofs import proof, words
from exactdp.claims.terms import formula
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.randomizers import Rows, blanket_of, gammas, loss, moments, small_rows

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
    "all eps0-DP randomizers with finite outputs, eps >= 0",
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
    ),
    properties,
    wrong=partial(properties, share=2),
    proof=PROPERTIES,
)


def of_k_rr(k: int, exp_epsilon0: Fraction, epsilon: Fraction, shift: int = 0) -> list[Relation]:
    """The three numbers of L for k-ary randomized response (claimed for k + shift)."""
    rows = randomized_response(k, Epsilon.log(exp_epsilon0)).rows
    _, *true = moments(loss(rows, (0, 1), Exact.exp(epsilon))).values()
    at = {"k": k + shift, "exp_epsilon": Exact.exp(epsilon), "gamma": blanket_of(rows)[0]}
    claimed = (bounds.k_rr_maximum, bounds.k_rr_range, bounds.k_rr_second_moment)
    return [equal(value, bound(None, **at)) for value, bound in zip(true, claimed, strict=True)]


def k_rr_values(k: Any, c: Any, e: Any) -> tuple[Any, Any, Any]:
    """Return L at x, at x' and elsewhere, for γ = c."""
    rest = c * (1 - e)
    return rest + (1 - c) * k, rest - e * (1 - c) * k, rest


def k_rr_square(k: Any, c: Any, e: Any) -> Any:
    """Return E[L²]."""
    high, low, rest = k_rr_values(k, c, e)
    return (high**2 + low**2 + (k - 2) * rest**2) / k


OF_K_RR = proof(
    "all k >= 2, eps0 > 0, eps >= 0",
    identity(
        "omega is uniform, and L is c (1 - e), plus (1 - c) k at x, less e (1 - c) k at x': max, "
        "range, and E[L^2]",
        "k c e",
        lambda k, c, e: (
            k_rr_values(k, c, e)[0] - k_rr_values(k, c, e)[1],
            bounds.k_rr_range(None, k=k, exp_epsilon=e, gamma=c),
        ),
        lambda k, c, e: (
            k_rr_square(k, c, e),
            bounds.k_rr_second_moment(None, k=k, exp_epsilon=e, gamma=c),
        ),
    ),
)

TRIALS["balle2019/amplification-variable/k-rr"] = for_all(
    cases(
        k=(2, 3, 4, 7),
        exp_epsilon0=(Fraction(3, 2), Fraction(4)),
        epsilon=(Fraction(1, 10), Fraction(1, 2), Fraction(1)),
    ),
    of_k_rr,
    wrong=partial(of_k_rr, shift=1),
    proof=OF_K_RR,
)
