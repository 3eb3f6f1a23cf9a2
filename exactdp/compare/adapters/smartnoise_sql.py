"""smartnoise-sql: the ε that its odometers say was spent by equal queries of pure ε."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from exactdp.compare.accountants import Accountant

if TYPE_CHECKING:
    from exactdp.testing.mechanisms import Deployment

__all__ = ["ACCOUNTANTS", "CALLS_OF_ODOMETERS", "spent_by_queries"]

CALLS_OF_ODOMETERS = (
    "from snsql import Privacy; from snsql.sql.odometer import Odometer, OdometerHeterogeneous; "
    "spend = lambda made, times: [made.spend() for _ in range(times)]; "
    "spent = lambda kind, epsilon, delta, times: "
    "(made := kind(Privacy(epsilon=epsilon, delta=delta)), spend(made, times), made.spent)[-1]"
)
"""What asks an odometer about so many queries that are (ε, δ)-private each."""


def spent_by_queries(kind: str, epsilon: float, delta: float, times: int) -> str:
    """Return the call for ε and δ of so many equal queries, after :data:`CALLS_OF_ODOMETERS`.

    Example:
        >>> spent_by_queries("Odometer", 0.1, 1e-6, 4)
        'spent(Odometer, 0.1, 1e-06, 4)'
    """
    return f"spent({kind}, {epsilon!r}, {delta!r}, {times})"


def _epsilon(kind: str, case: Deployment) -> str | None:
    """Return the call for ε of queries without a δ of their own, at a δ.

    Odometers take half of a query's δ for the composition, so that n queries of δ/(n + 1/2) are
    within δ.
    """
    m = case.mechanism
    if len(case.mechanisms) > 1 or m.is_sampled or not case.delta or m.k != 2:
        return None
    if m.kind not in ("laplace", "discrete_laplace", "randomized_response"):
        return None
    epsilon = m.parameter if m.kind == "randomized_response" else 1 / m.parameter
    return f"{spent_by_queries(kind, epsilon, case.delta / (m.times + 0.5), m.times)}[0]"


ACCOUNTANTS = [
    Accountant(
        f"smartnoise-sql/{name}",
        "smartnoise-sql",
        CALLS_OF_ODOMETERS,
        {"epsilon": partial(_epsilon, kind)},
        converts=("laplace", "discrete_laplace"),
    )
    for name, kind in (("odometer", "Odometer"), ("heterogeneous", "OdometerHeterogeneous"))
]
