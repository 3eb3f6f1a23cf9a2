"""The zoo of mechanisms, and the analytical Fourier accountant: ε and δ of its classes.

The fields are ``kind`` (gaussian, laplace, binary: randomized response that is right with
probability p, mixed: a Gaussian and one with p = 3/4), ``parameter`` and ``times``, ``rate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Literal

from exactdp.accounting import compose
from exactdp.claims import (
    Cases,
    Falls,
    Instance,
    Outcome,
    Statement,
    Term,
    decided,
    function,
    listed,
    named,
    positive_part,
    sum_over,
    term,
)
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.mechanisms import BoundedRange
from exactdp.testing.deciding import HAIR
from exactdp.testing.later import st
from exactdp.truth import Truth
from proofs_check.libraries.laws import delta as known_delta
from proofs_check.libraries.laws import law as known_law
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import small

__all__ = ["FOURIER", "IN_A_HUNDRED", "ZOO", "Answered"]

IN_A_HUNDRED = Fraction(1, 100)
"""The tolerance that the code says of its search for ε: "relative difference in delta"."""
HALF_RIGHT = 0.75
EPSILONS = (0.5, 1.0, 2.0, 8.0, 0.0)
DELTAS = (1e-5, 1e-8, 1e-3)
COMPOSED: tuple[dict[str, Any], ...] = (
    {"kind": "gaussian", "parameter": 4.0, "times": 10},
    {"kind": "gaussian", "parameter": 5.0, "times": 100},
    {"kind": "gaussian", "parameter": 300.0, "times": 1000},
    {"kind": "binary", "parameter": 0.75, "times": 10},
    {"kind": "binary", "parameter": 0.525, "times": 100},
    {"kind": "laplace", "parameter": 10.0, "times": 100},
    {"kind": "mixed", "parameter": 4.0, "times": 5},
    {"kind": "gaussian", "parameter": 1.0},
    {"kind": "binary", "parameter": 0.75},
    {"kind": "gaussian", "parameter": 1e4, "times": 10**6},
)
BY_PHI = (
    *(row for row in COMPOSED if "times" not in row),
    {"kind": "laplace", "parameter": 1.0},
    {"kind": "gaussian", "parameter": 5.0},
)
ALONE: tuple[dict[str, Any], ...] = (
    {"kind": "gaussian", "parameter": 1.0},
    {"kind": "gaussian", "parameter": 1.0, "rate": 0.01, "times": 100},
    {"kind": "gaussian", "parameter": 4.0, "times": 10},
    {"kind": "laplace", "parameter": 1.0},
    {"kind": "binary", "parameter": 0.75},
    {"kind": "pure", "parameter": 1.0},
    {"kind": "exponential", "parameter": 1.0},
    {"kind": "discrete_gaussian", "parameter": 2.0},
    {"kind": "gaussian", "parameter": 0.1},
    {"kind": "laplace", "parameter": 0.05},
    {"kind": "binary", "parameter": 0.999},
    {"kind": "discrete_gaussian", "parameter": 0.3},
    {"kind": "gaussian", "parameter": 100.0},
    {"kind": "exponential", "parameter": 8.0},
    {"kind": "pure", "parameter": 30.0},
)

IMPORTS = (
    "from autodp.mechanism_zoo import *; from autodp.transformer_zoo import *; "
    "composed = lambda parts, n: ComposeAFA()(parts, [n] * len(parts))"
)
CLASSES = {
    "gaussian": "GaussianMechanism({0!r}{1})",
    "laplace": "LaplaceMechanism({0!r}{1})",
    "binary": "RandresponseMechanism({0!r}{1})",
    "pure": "PureDP_Mechanism({0!r})",
    "exponential": "ExponentialMechanism({0!r})",
    "discrete_gaussian": "DiscreteGaussianMechanism({0!r})",
}


class Answered(Promise):
    """A promise whose numbers below 0 are compared as 0, and fail where that does not."""

    def decided(self, at: Instance, *, hair: Fraction, factor: Fraction = Fraction(1)) -> Outcome:
        """Decide the promise at an instance."""
        answer = at["answer"]
        if not isinstance(answer, float) or answer >= 0:
            return super().decided(at, hair=hair, factor=factor)
        raised = [(name, 0.0 if name == "answer" else x) for name, x in at.values]
        outcome = super().decided(Instance(tuple(raised)), hair=Fraction(0), factor=factor)
        if outcome.truth.is_possible:
            return decided(Truth.FALSE, f"{answer!r} is negative")
        return replace(outcome, found=f"{answer!r} is negative; {outcome.found}")


@lru_cache(maxsize=1024)
def law(kind: str, parameter: float, times: int = 1, rate: float = 1.0) -> PrivacyProfile:
    """Return the truth."""
    if kind == "mixed":
        parts = (law("gaussian", parameter, times), law("binary", HALF_RIGHT, times))
        return compose([(part, 1) for part in parts])
    if kind == "binary":
        p = Fraction(parameter)
        return compose([(Pair.from_masses([p, 1 - p], [1 - p, p]), times)])
    if kind == "exponential":
        return BoundedRange(Fraction(parameter))
    if kind == "pure":  # the worst of all with this ε
        return known_law("randomized_response", parameter, times=times)
    return known_law(kind, parameter, rate, times)


def delta(
    kind: str, parameter: float, epsilon: Fraction, times: int = 1, rate: float = 1.0
) -> Term | None:
    """Return δ as a term where it has a closed form."""
    if kind == "binary":
        p, g = term(Fraction(parameter)), named("g", function("exp", term(epsilon)))
        return sum_over(
            "i",
            0,
            times,
            lambda i: (
                function("binomial", times, i)
                * positive_part(p**i * (1 - p) ** (times - i) - g * p ** (times - i) * (1 - p) ** i)
            ),
        )
    if kind in ("mixed", "exponential"):
        return None
    if kind == "pure":
        kind = "randomized_response"
    return known_delta(kind, epsilon, parameter, rate, times)


def call(
    asks: str,
    way: str,
    kind: str,
    parameter: float,
    times: int = 1,
    rate: float = 1.0,
    epsilon: float = 0.0,
    delta: float = 0.0,
) -> str:
    """Return the call for ε or δ of a class by its default options, by phi, or composed by it."""
    asked = f"get_approxDP({delta!r})" if asks == "epsilon" else f"get_approx_delta({epsilon!r})"
    if rate < 1 or (way == "default" and times > 1):
        params = {"prob": rate, "sigma": parameter, "coeff": times}
        name = "SubsampleGaussianMechanism" if rate < 1 else "ComposedGaussianMechanism"
        return f"{name}({params!r}).{asked}"
    option = "" if way == "default" else ", phi_off=False"
    made = [CLASSES["gaussian" if kind == "mixed" else kind].format(parameter, option)]
    if kind == "mixed":
        made.append(CLASSES["binary"].format(HALF_RIGHT, option))
    together = f"composed([{', '.join(made)}], {times})" if way == "composed" else made[0]
    return f"{together}.{asked}"


def promise(asks: Literal["delta", "epsilon"], way: str, over: Cases, **more: Any) -> Promise:
    """Return the promise of ε or δ of classes, got in a way of :func:`call`."""
    return Answered(
        "autodp",
        IMPORTS,
        partial(call, asks, way),
        asks,
        law,
        delta,
        over,
        **{"shaved": Fraction(1, 4), "draws": 5, **more},
    )


def of(asks: Literal["delta", "epsilon"], rows: Sequence[dict[str, Any]]) -> Cases:
    """Return the questions to these mechanisms: one number of each first, then the others."""
    at, numbers = ("epsilon", EPSILONS) if asks == "delta" else ("delta", DELTAS)
    found = listed(*({**row, at: x} for x in numbers for row in rows))
    return found.drawn(lambda: others(asks, rows))


@st.composite
def others(draw: st.DrawFn, asks: str, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a mechanism of one of these kinds, with another parameter, and a number asked for."""
    row = draw(st.sampled_from(rows))
    factor = draw(st.sampled_from([1.0, 2.0, 0.5, 10.0]))
    parameter = row["parameter"] * factor
    if row["kind"] == "binary":  # a probability above 1/2
        parameter = draw(st.sampled_from([0.75, 0.525, 0.6, 0.9, 0.999]))
    if asks == "epsilon":
        return {**row, "parameter": parameter, "delta": draw(small(12))}
    return {**row, "parameter": parameter, "epsilon": draw(st.sampled_from(EPSILONS))}


def composed(asks: Literal["delta", "epsilon"]) -> dict[str, Statement]:
    """Return the readings of the Fourier accountant: to one part in a hundred, and to 1e-12."""
    compares = 1 if asks == "epsilon" else 1000  # its first answer fails, and a call takes 2 s
    one = promise(asks, "composed", of(asks, COMPOSED), compares=compares, draws=60)
    return {"a": one.beyond(IN_A_HUNDRED), "b": one.beyond(HAIR)}


FOURIER = {asks: composed(asks) for asks in ("epsilon", "delta")}
ZOO = {
    "a": promise(
        "epsilon", "default", of("epsilon", ALONE), falls=Falls.ROUNDING, draws=100
    ).beyond(HAIR),
    "b": promise("delta", "default", of("delta", ALONE)).beyond(HAIR),
    "c": promise("epsilon", "phi", of("epsilon", BY_PHI), compares=1).beyond(IN_A_HUNDRED),
    "d": promise("delta", "phi", of("delta", BY_PHI), draws=40).beyond(IN_A_HUNDRED),
}
