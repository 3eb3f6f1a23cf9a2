"""prv-accountant: the ends of its intervals around ε and around δ, and the noise that it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal

from exactdp.claims import Cases, Instance, Statement, Trials, cases, term
from exactdp.compare import Task
from exactdp.compare.adapters.prv_accountant import ACCOUNTANTS
from exactdp.side import Side
from exactdp.testing.later import st
from proofs_check.libraries.laws import (
    TRAININGS,
    delta_with_noise,
    deployment,
    ends,
    leaky,
    leaky_delta,
    with_noise,
)
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import deployed, far, is_quick, small, trainings, whole

__all__ = ["TRIALS"]

IMPORTS = ACCOUNTANTS[0].imports
HALF = Fraction(1, 2)
DELTAS = (1e-5, 1e-3, 1e-8)
SMALLEST = {
    kind: cases(mechanism=(kind,), delta=(1e-13, 1e-14, 1e-15), parameter__times=parameters)
    for kind, parameters in {
        "gaussian": ((10.0, 1), (10.0, 10), (30.0, 100), (100.0, 100), (300.0, 1000)),
        "laplace": ((8.0, 1), (8.0, 10), (32.0, 100), (64.0, 1000)),
        "randomized_response": ((0.1, 10), (0.05, 100), (0.01, 1000)),
    }.items()
}
"""At the least δ: below about 1e-19 times the points of its grid the library gives no answer."""
GRIDS = {
    "delta": cases(
        mechanism=("gaussian",),
        eps_error=(0.1, 0.01, 0.5),
        delta_error=(1e-13, 1e-15, 1e-17),
        parameter__times=((10.0, 1), (10.0, 10), (100.0, 100), (300.0, 1000)),
        epsilon=(0.5, 1.0, 2.0),
    ),
    "epsilon": cases(
        mechanism=("gaussian",),
        eps_error=(0.01, 0.5),
        parameter__times=((1.0, 1), (10.0, 10), (100.0, 100), (300.0, 1000)),
        delta=(1e-5, 1e-8, 1e-12, 1e-14),
    ),
}
"""Finer and coarser grids, and a ``delta_error`` that is to be "typically around 10^-3 δ"."""
RATES = (1.0, 0.01, 0.1, 0.5, 1e-3, 1e-5, 0.99, 1e-6)


def is_fair(mechanism: str, parameter: float, delta: float = 0.0) -> bool:
    """Return whether 1/b is a double, and δ so small that no answer is an ε below 0."""
    is_exact = mechanism != "laplace" or Fraction(parameter) * Fraction(1 / parameter) == 1
    return is_exact and delta <= 0.001


def with_errors(
    asks: Literal["delta", "epsilon"],
    /,
    delta_error: float = 1e-10,
    eps_error: float = 0.1,
    **fields: Any,
) -> str | None:
    """Return the call for δ or ε, with other errors than those that tasks have."""
    expression = ACCOUNTANTS[0].expression(Task(deployment(**fields), asks))
    if expression is None:
        return None
    expression = expression.replace("eps_error=0.1", f"eps_error={eps_error!r}")
    return expression.replace("delta_error=1e-10", f"delta_error={delta_error!r}")


def with_other_errors(asks: Literal["delta", "epsilon"], strategy: Callable[[], Any]) -> Any:
    """Return deployments of a strategy, each with the usual errors or with others."""
    errors = {"eps_error": st.sampled_from([0.1, 0.05, 0.5])}
    if asks == "delta":
        errors["delta_error"] = st.sampled_from([1e-10, 1e-13, 1e-15, 1e-17])

    def joined(at: Instance, more: dict[str, float]) -> Instance:
        others = {name: more[name] for name in errors if more[name] not in (0.1, 1e-10)}
        return Instance.of(**at.mapping(), **others)

    return st.builds(joined, strategy(), st.fixed_dictionaries(errors))


def around(
    kind: str, asks: Literal["delta", "epsilon"], over: Cases | None = None
) -> tuple[Promise, Promise]:
    """Return the promises of the ends around ε or δ, of a list (or an ordinary one) and beyond."""
    # The terms of randomized response, which show a failure, have a thousand steps at most.
    most = 1000 if kind == "randomized_response" else 10_000
    searched = deployed(kind, asks=asks, rates=RATES, most=most, smallest=16, few=3)
    quick = searched.where(is_quick)
    beyond = quick.where(is_fair).drawn_instances
    tried = quick if over is None else over
    if kind == "gaussian":
        tried = tried.then(far(asks, least=0.1))
    if asks == "epsilon":
        tried = tried.then(SMALLEST[kind])
    if kind == "gaussian":
        tried = tried.then(GRIDS[asks])
        beyond = partial(with_other_errors, asks, beyond)
    tried = tried.drawn(beyond)
    draws = 15 if kind == "gaussian" else 30
    call = partial(with_errors, asks)
    fair = is_fair if kind == "laplace" else None
    more = {"shaved": HALF, "draws": draws, "converts": (), "call": call, "fair": fair}
    return ends(ACCOUNTANTS, "prv-accountant", asks, tried, **more)


LONGER = {
    "gaussian-epsilon-lower-end": 200,
    "gaussian-delta-upper-end": 200,
    "gaussian-delta-lower-end": 200,
    "pure-dp": 100,
    "pure-dp-long": 200,
    "approximate-dp": 100,
}
"""Draws where a failure is rare among deployments; their lists fail, so a trial draws none."""


def named(
    name: str, epsilon: tuple[Promise, Promise], delta: tuple[Promise, Promise]
) -> dict[str, dict[str, Statement]]:
    """Return the claims of the ends around ε and around δ, the upper one first each."""
    ids = "", "-epsilon-lower-end", "-delta-upper-end", "-delta-lower-end"
    return {
        f"libraries/prv-accountant/{name}{end}": replace(
            promise, draws=LONGER.get(f"{name}{end}", promise.draws)
        ).readings()
        for end, promise in zip(ids, (*epsilon, *delta), strict=True)
    }


def both(name: str, kind: str, over: Cases) -> dict[str, dict[str, Statement]]:
    """Return the claims of the ends, around ε of the list, and around δ."""
    return named(name, around(kind, "epsilon", over), around(kind, "delta"))


def around_leaky(asks: Literal["delta", "epsilon"], over: Cases) -> tuple[Promise, Promise]:
    """Return the promises of the ends around ε or δ, the upper one first."""

    def call(parameter: float, leak: float, times: int, **at: float) -> str:
        return (
            f"prv.PRVAccountant(prv.ApproximateDPMechanism({parameter!r}, {leak!r}), eps_error=0.1,"
            f" delta_error={at.get('delta', 1e-7) / 1000!r}, max_self_compositions={times})"
            f".compute_{asks}({at.get('delta', at.get('epsilon'))!r}, {times})[::2]"
        )

    def is_short(parameter: float, leak: float, times: int, delta: float = 1.0) -> bool:
        is_finite = 2 * leak * times < delta
        return is_finite and is_quick("randomized_response", parameter, times)

    at = "epsilon" if asks == "delta" else "delta"
    numbers = {"epsilon": st.sampled_from([1.0, 3.0, 0.0, 0.1, 10.0, 50.0]), "delta": small(12)}
    searched = cases(parameter=(), leak=(), times=(), **{at: ()}).drawn(
        lambda: {
            "parameter": st.sampled_from([1.0, 0.1, 0.5, 2.0, 0.01, 5.0, 1e-6, 10.0]),
            "leak": st.sampled_from([1e-6, 1e-8, 1e-5, 1e-4, 1e-10, 0.01, 1e-15]),
            "times": whole(1000),
            at: numbers[at],
        }
    )
    over = over.drawn(searched.where(is_short).drawn_instances)
    of = partial(
        Promise, "prv-accountant", IMPORTS, call, asks, leaky, leaky_delta, over, shaved=HALF
    )
    return of(picks=1, draws=30), of(side=Side.LOWER, draws=30)


RETURNS = f"""{IMPORTS}
def returns(ask):
    try:
        return float(len(ask()))
    except (RuntimeError, ValueError):
        return 0.0
"""


def returned(**fields: Any) -> str:
    """Return the call for how many ends are returned: none where an error is raised."""
    return f"returns(lambda: {with_errors('epsilon', **fields)})"


LEAKS = {"parameter": (1.0, 0.1), "leak": (1e-6, 1e-8), "times": (1, 10, 100)}

TRIALS: Trials = {
    **both("gaussian", "gaussian", TRAININGS),
    **both(
        "laplace",
        "laplace",
        cases(mechanism=("laplace",), parameter=(1.0, 2.0, 8.0), times=(1, 10, 100), delta=DELTAS),
    ),
    **both(
        "pure-dp",
        "randomized_response",
        cases(
            mechanism=("randomized_response",),
            parameter=(1.0, 0.1, 0.5),
            times=(1, 10, 100, 1000),
            delta=(*DELTAS, 1e-12),
        ).where(is_quick),
    ),
    "libraries/prv-accountant/pure-dp-long": replace(
        around(
            "randomized_response",
            "epsilon",
            cases(
                mechanism=("randomized_response",),
                parameter=(1.0, 0.5, 2.0, 0.1),
                times=(1000, 500),
                delta=DELTAS,
            ),
        )[0],
        draws=LONGER["pure-dp-long"],
    ).readings(),
    **named(
        "approximate-dp",
        around_leaky(
            "epsilon",
            cases(**LEAKS, delta=(1e-3, 1e-5)).where(
                lambda leak, times, delta: 2 * leak * times < delta  # else ε is infinite
            ),
        ),
        around_leaky("delta", cases(**LEAKS, epsilon=(1.0, 3.0))),
    ),
    "libraries/prv-accountant/any-accuracy": Promise(
        "prv-accountant",
        RETURNS,
        returned,
        "loss",
        None,
        lambda mechanism: term(2),
        cases(
            mechanism=("gaussian",),
            parameter__rate__times=((1.3, 0.128, 391), (1.0, 0.01, 1000), (0.8, 0.128, 102)),
            delta=(1e-8, 1e-5),
        ).drawn(
            lambda: {
                "mechanism": st.just("gaussian"),
                "parameter": st.sampled_from([1.0, 1.3, 0.8]),
                "rate": st.sampled_from([0.01, 0.128]),
                "times": st.sampled_from([391, 102, 1000]),
                "delta": st.sampled_from([1e-5, 1e-8]),
            }
        ),
        shaved=HALF,
        unit="ends",
    ).readings(),
    "libraries/prv-accountant/noise-multiplier": Promise(
        "prv-accountant",
        "from prv_accountant.dpsgd import find_noise_multiplier as find",
        lambda rate, times, epsilon, delta: f"find({rate!r}, {times}, {epsilon!r}, {delta!r})",
        "parameter",
        with_noise,
        delta_with_noise,
        cases(
            mechanism=("gaussian",),
            rate__times__epsilon__delta=(
                (0.01, 1000, 1.0, 1e-5),
                (1.0, 1, 1.0, 1e-5),
                (1.0, 100, 2.0, 1e-5),
                (0.1, 100, 0.2, 1e-6),
            ),
        ).drawn(lambda: trainings(1000, rates=(1.0, 0.01, 0.1))),
        shaved=HALF,
        draws=4,  # a call takes up to ten seconds
    ).readings(),
}
