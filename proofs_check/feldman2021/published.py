"""The bounds that the paper publishes, as people run them."""

from typing import Any

from exactdp.bounds import PublishedBound
from exactdp.claims.domains import Domain
from exactdp.claims.forms import at_most
from exactdp.claims.kinds import integers, reals
from exactdp.claims.terms import formula
from proofs_check.feldman2021 import bounds
from proofs_check.lemmas.counted import Letters, counted
from proofs_check.lemmas.targets import OF_SHUFFLED, shuffled_at

AMPLIFIED = Domain(
    {"n": integers(1), "epsilon0": reals(0), "delta": reals(above=0, most=1)},
    (
        lambda n, epsilon0, delta: at_most(
            formula(lambda f, *, x: f.exp(x), x=epsilon0),
            formula(bounds.largest_exp_epsilon0, n=n, delta=delta),
        ),
    ),
)


def clones(f: Any, *, epsilon0: Any, **_: Any) -> Letters:
    """Return a = e^eps0/(e^eps0 + 1), b = 1/(e^eps0 + 1), r = e^-eps0/2."""
    x = f.exp(epsilon0)
    alone = f.expm1(epsilon0) / x
    return Letters(x / (x + 1), 1 / (x + 1), 1 / (2 * x), loss=epsilon0, rest=0, alone=alone)


BOUNDS = [
    counted(
        "feldman2021/reduction",
        clones,
        domain=Domain({"n": integers(1), "epsilon0": reals(0), "epsilon": reals(0)}),
        of=OF_SHUFFLED,
        truth=shuffled_at("epsilon"),
    ),
    PublishedBound(
        "feldman2021/theorem-3.1",
        bounds.amplified,
        AMPLIFIED,
        bounds="epsilon",
        of=OF_SHUFFLED,
        truth=shuffled_at(),
        stable=bounds.amplified_stably,
    ),
]
