"""smartnoise-sql: the thresholds that groups must exceed, and the spending by its odometers."""

from __future__ import annotations

from fractions import Fraction

from exactdp.claims import (
    Cases,
    Relation,
    Statement,
    Term,
    Trials,
    at_most,
    cases,
    function,
    listed,
    named,
    term,
)
from exactdp.compare.adapters.smartnoise_sql import CALLS_OF_ODOMETERS, spent_by_queries
from exactdp.testing.later import st
from proofs_check.libraries.laws import gaussian, leaky, leaky_delta
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.recorded import recorded
from proofs_check.libraries.search import doubles, small, whole

__all__ = ["TRIALS"]

THRESHOLDS = (
    "from snsql.sql._mechanisms import Gaussian, Laplace\n"
    "def threshold(kind, epsilon, delta, keys):\n"
    "    made = kind(epsilon, delta=delta, sensitivity=1, max_contrib=keys)\n"
    "    made.delta = delta\n"  # as snsql/_ast/ast.py does for the count that is compared
    "    assert made.threshold == made.threshold, 'no count is above nan: no group is shown'\n"
    "    return made.scale, made.threshold\n"
)


def shown(one: Term, keys: int) -> Term:
    """Return the probability that one of so many keys is shown, each with a probability."""
    found: Term = 1 - (1 - one) ** keys
    return found


def laplace_threshold(
    epsilon: float, delta: float, keys: int, answer: tuple[Fraction, ...], room: Fraction
) -> list[Relation]:
    """Return the conditions on scale b and threshold T: a user alone in each of the keys is seen.

    Formula:
        1 − (1 − e^(−(T − 1)/b)/2)^m <= δ, T >= 1.
    """
    scale, threshold = answer
    one = function("exp", -((threshold - 1) / term(scale))) / 2
    return [at_most(1, threshold), at_most(shown(one, keys), Fraction(delta) * room)]


def gaussian_threshold(
    epsilon: float, delta: float, keys: int, answer: tuple[Fraction, ...], room: Fraction
) -> list[Relation]:
    """Return the conditions on deviation σ and threshold T: alone in each key, and in a crowd.

    Formula:
        1 − Φ((T − 1)/σ)^m <= δ, and δ of Gaussian noise σ/√m at ε is at most δ.
    """
    sigma, threshold = answer
    one = function("normal_cdf", -((threshold - 1) / term(sigma)))
    crowd = gaussian(
        Fraction(epsilon), sigma=named("s", term(sigma) / function("sqrt", Fraction(keys)))
    )
    most = Fraction(delta) * room
    return [at_most(shown(one, keys), most), at_most(crowd, most)]


def over_keys(smallest: int) -> Cases:
    """Return budgets, and in how many groups one user may be, the ordinary ones first."""
    return (
        cases(epsilon=(1.0, 0.1, 4.0), delta=(0.01, 1e-5, 1e-8, 1e-15), keys=(1, 3))
        .then(cases(epsilon__delta__keys=((1.0, 1e-12, 100), (0.01, 1e-5, 1), (20.0, 1e-9, 1))))
        .drawn(
            lambda: {"epsilon": doubles(0.01, 50.0), "delta": small(smallest), "keys": whole(20)}
        )
    )


def threshold(kind: str, says: object, smallest: int, shaved: Fraction) -> dict[str, Statement]:
    """Return the readings for one of the mechanisms."""
    return recorded(
        "smartnoise-sql",
        THRESHOLDS,
        lambda epsilon, delta, keys: f"threshold({kind}, {epsilon!r}, {delta!r}, {keys})",
        over_keys(smallest),
        picks=slice(2),
        says=says,
        shaved=shaved,
        draws=10,  # a call takes a tenth of a second, and more
    )


def odometer(kind: str) -> dict[str, Statement]:
    """Return the readings for one of the odometers, after as many equal queries."""
    return Promise(
        library="smartnoise-sql",
        imports=CALLS_OF_ODOMETERS,
        call=lambda parameter, leak, times: spent_by_queries(kind, parameter, leak, times),
        asks="epsilon",
        law=leaky,
        delta=leaky_delta,
        over=listed(
            {"parameter": 0.1, "leak": 1e-6, "times": 1},
            {"parameter": 0.1, "leak": 1e-6, "times": 4},
            {"parameter": 0.1, "leak": 1e-6, "times": 100},
        )
        .then(
            cases(
                parameter=(0.1, 1.0, 0.01),
                leak=(1e-3, 1e-5, 1e-6, 1e-15, 0.0),
                times=(10, 100, 1000, 10_000),
            )
        )
        .then(
            listed(
                {"parameter": 1e-3, "leak": 1e-9, "times": 10**5},
                {"parameter": 0.5, "leak": 0.1, "times": 2},
            )
        )
        .drawn(
            lambda: {
                "parameter": doubles(1e-4, 10.0),
                "leak": st.sampled_from([1e-3, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-15, 0.0, 0.1]),
                "times": whole(10_000),
            }
        ),
        picks=slice(2),
        shaved=Fraction(1, 2),
    ).readings()


TRIALS: Trials = {
    "libraries/smartnoise-sql/threshold-laplace": threshold(
        "Laplace", laplace_threshold, 300, Fraction(1, 2)
    ),
    "libraries/smartnoise-sql/threshold-gaussian": threshold(
        "Gaussian", gaussian_threshold, 15, Fraction(1, 10)
    ),
    "libraries/smartnoise-sql/odometer-homogeneous": odometer("Odometer"),
    "libraries/smartnoise-sql/odometer-heterogeneous": odometer("OdometerHeterogeneous"),
}
