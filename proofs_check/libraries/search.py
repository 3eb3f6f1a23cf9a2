"""Strategies of the trials: ordinary deployments first, then where accountants are known to hurt.

A trial's list has deployments as people make them. Beyond it hypothesis draws tails, long
compositions, budgets of hundreds of nats, multiples of the grids that accountants round losses to,
and the ends of documented ranges, and shrinks a failure to the most ordinary deployment that
still fails. Every strategy here shrinks to its first value.

Definitions: :func:`deployed`, :func:`far`, :func:`is_quick`, :func:`calibrated`, :func:`alone`,
:func:`trainings`, :func:`attacks`, :func:`allocations`; :func:`doubles`, :func:`small`,
:func:`whole`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

from exactdp.claims import Cases, cases, listed
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.chernoff import chernoff_epsilon
from exactdp.numbers import Epsilon, Exact
from exactdp.testing.later import st
from proofs_check.libraries.laws import law

__all__ = [
    "DELTAS",
    "allocations",
    "alone",
    "attacks",
    "calibrated",
    "deployed",
    "doubles",
    "far",
    "is_quick",
    "small",
    "trainings",
    "whole",
]

_GAUSSIAN: dict[str, Any] = {"mechanism": "gaussian", "parameter": 1.0}
_SAMPLED = {**_GAUSSIAN, "rate": 0.01}
_ORDINARY: tuple[dict[str, Any], ...] = (
    _GAUSSIAN,
    {**_GAUSSIAN, "parameter": 4.0, "times": 10},
    {**_GAUSSIAN, "parameter": 300.0, "times": 1000},
    {**_SAMPLED, "times": 100},
    {**_SAMPLED, "times": 1000},
    _SAMPLED,
    {**_GAUSSIAN, "parameter": 2.0, "rate": 0.1, "times": 100},
    {"mechanism": "laplace", "parameter": 1.0},
    {"mechanism": "laplace", "parameter": 10.0, "times": 100},
    {"mechanism": "discrete_gaussian", "parameter": 2.0},
    {"mechanism": "discrete_laplace", "parameter": 2.0},
    {"mechanism": "discrete_laplace", "parameter": 10.0, "times": 100},
    {"mechanism": "randomized_response", "parameter": 1.0},
    {"mechanism": "randomized_response", "parameter": 0.1, "times": 100},
    {"mechanism": "randomized_response", "parameter": 1.0, "times": 100},
)
DELTAS = (1e-5, 1e-6, 1e-8, 1e-3, 1e-12, 0.1)
_FAR: tuple[dict[str, Any], ...] = (
    {**_GAUSSIAN, "parameter": 1e4, "times": 10**6, "delta": 1e-5, "epsilon": 0.1},
    {**_GAUSSIAN, "parameter": 1e6, "times": 10**6, "delta": 1e-8, "epsilon": 0.0},
    {**_GAUSSIAN, "parameter": 1e4, "delta": 1e-8, "epsilon": 0.0},
    {**_GAUSSIAN, "parameter": 0.1, "delta": 0.5, "epsilon": 50.0},
    {**_GAUSSIAN, "rate": 1e-6, "delta": 1e-8, "epsilon": 0.0},
    {**_GAUSSIAN, "parameter": 1e-3, "delta": 1e-5, "epsilon": 5e5},
    {**_GAUSSIAN, "parameter": 10.0, "times": 10, "delta": 1e-300, "epsilon": 10.0},
)
"""The ends of the ranges, with δ small enough that ε is above 0; all have a closed form."""
_AT = {"epsilon": (1.0, 0.5, 2.0, 0.0, 0.74, 8.0), "delta": (1e-5, 1e-8, 1e-3, 1e-12, 1e-14)}
_LONGEST = {"discrete_gaussian": 1000}
_GRID = 1e-4
"""The distance of losses on the grid of dp-accounting."""
_NUMBERS = (1.0, 2.0, 0.5, 5.0, 0.1, 10.0, 8.0, 0.2, 20.0, 4.0, 0.05, 3.0, 0.02, 0.01)
_DELTAS = (1e-5, 1e-6, 1e-8, 1e-4, 1e-3, 1e-9, 0.01, 1e-7, 0.1)
"""What people ask for (``is_ordinary``), a third of the draws, and of δ the half."""
_DIGITS = 16
"""Doubles near 1 have so many: sums and transforms of masses lose what is less."""
_ALPHAS = (0.05, 0.01, 0.1, 0.5, 1e-3, 1e-4, 1e-5, 1e-6, 0.9, 1e-9, 1e-12, 1e-100)
"""Rates of false positives."""


def deployed(
    *kinds: str,
    asks: Literal["delta", "epsilon"],
    rates: tuple[float, ...] = (1.0, 0.01, 0.1, 0.5, 1e-3, 1e-5, 0.99),
    most: int = 10**6,
    smallest: int = 300,
    few: int = 6,
) -> Cases:
    """Return deployments of one of these mechanisms, composed, and where δ or ε is asked for.

    Args:
        kinds: Of :data:`~exactdp.testing.mechanisms.KINDS`.
        asks: What the library is asked for.
        rates: With which Gaussian mechanisms are sampled.
        most: The most steps.
        smallest: δ is at least 10 to the minus this; 12 at most where records are sampled.
        few: How many numbers are asked for of each deployment of the list.
    """
    at = "epsilon" if asks == "delta" else "delta"
    rows = [
        row
        for row in _ORDINARY
        if row["mechanism"] in kinds
        and row.get("times", 1) <= most
        and (row.get("rate", 1.0) == 1 or len(rates) > 1)
    ]
    found = listed(*({**row, at: x} for row in rows for x in _AT[at][:few]))
    return found.drawn(lambda: _fields(kinds, at, rates, most, smallest))


def far(asks: Literal["delta", "epsilon"], *, least: float = 1e-3) -> Cases:
    """Return the ends of the ranges of Gaussian trainings, to follow a list of ordinary ones.

    They are one step and 10^6, records sampled at 1e-6, noise of 1e-3 and 1e6, ε = 0, and δ from
    0.5 to 1e-300. (Noise of 1e6 is not tried with one step: at the ε of 0.1 that accountants
    answer its δ is e^(-5e9), beyond the exponents that are computed with.)

    Args:
        asks: What the library is asked for.
        least: The least noise; with less a list of losses is too long.
    """
    rows = [row for row in _FAR if row["parameter"] >= least]
    return listed(*({name: x for name, x in row.items() if name != asks} for row in rows))


@st.composite
def _fields(
    draw: st.DrawFn, kinds: tuple[str, ...], at: str, rates: tuple[float, ...], most: int, to: int
) -> dict[str, Any]:
    kind = draw(st.sampled_from(kinds))
    times = draw(whole(min(most, _LONGEST.get(kind, most))))
    rate = draw(st.just(rates[0]) | st.sampled_from(rates)) if kind == "gaussian" else 1.0
    # The budget: about 1/factor², of the least private ones hundreds of nats.
    factor = draw(st.sampled_from([1.0, 2.0, 0.5, 5.0, 0.2, 10.0, 0.1, 100.0]))
    if not draw(st.booleans()) and rate == 1:
        factor *= math.sqrt(times) if kind != "randomized_response" else 1 / math.sqrt(times)
    parameter = float(f"{factor:.1e}") if rate == 1 else max(0.4, factor)
    if kind == "randomized_response" and draw(st.booleans()):
        parameter = max(1, round(parameter / _GRID)) * _GRID
    fields = {"mechanism": kind, "parameter": parameter}
    fields |= {"rate": rate} if rate < 1 else {}
    fields |= {"times": times} if times > 1 else {}
    delta = draw(small(min(to, 12) if rate < 1 else to))
    if at == "delta":
        return {**fields, "delta": delta}
    return {**fields, "epsilon": draw(_epsilons(law(**fields), delta))}


def _epsilons(profile: PrivacyProfile, delta: float) -> st.SearchStrategy[float]:
    """Return ordinary ε; about the one with this δ, on a grid or off it; the ends of the range."""
    found = chernoff_epsilon(profile, Exact(Fraction(delta)))
    near = 0.0 if found is None else float(found[0])
    top = profile.max_divergence()
    most = math.inf
    if not (isinstance(top, Epsilon) and top.is_infinite):
        most = float((top.nats if isinstance(top, Epsilon) else top).ball(64).lower())
    line = round(near / _GRID) * _GRID
    tails = [float(f"{near:.1e}"), line, math.nextafter(line, math.inf), near, near / 2]
    ends = [0.0, min(most, 1e3) * (1 - 2.0**-20), 1e-3]
    return st.sampled_from([x for x in (tails[0], 1.0, *tails, *ends) if 0 <= x < most])


def is_quick(
    mechanism: str, parameter: float, times: int = 1, rate: float = 1.0, most: float = 5e3
) -> bool:
    """Return whether a lattice of losses, as long as the budget is, is not too long."""
    loss = parameter if mechanism == "randomized_response" else 1 / parameter
    root = math.sqrt(times)
    budget = rate * times * loss * min(loss, 1) + 8 * loss * root
    return budget * root < most


def calibrated(
    kind: str,
    *,
    epsilons: tuple[float, ...] = (1.0, 0.5, 2.0, 8.0, 0.1),
    deltas: tuple[float, ...] = DELTAS,
    largest: float = 1e3,
    smallest: int = 300,
) -> Cases:
    """Return pairs of ε and δ for which a library calibrates noise.

    Args:
        kind: The mechanism.
        epsilons: The ordinary ones.
        deltas: The ordinary ones.
        largest: The largest ε of the search.
        smallest: δ is at least 10 to the minus this.
    """
    return cases(mechanism=(kind,), epsilon=epsilons, delta=deltas).drawn(
        lambda: {
            "mechanism": st.just(kind),
            "epsilon": doubles(1e-4, largest),
            "delta": small(smallest),
        }
    )


def alone(kind: str, *, deltas: tuple[float, ...] = DELTAS) -> Cases:
    """Return noise of a parameter, used once, and δ for which ε is asked for."""
    parameters = (1.0, 2.0, 0.5, 5.0, 20.0, 0.1, 100.0)
    return cases(mechanism=(kind,), parameter=parameters, delta=deltas).drawn(
        lambda: {
            "mechanism": st.just(kind),
            "parameter": doubles(1e-3, 1e6),
            "delta": small(300),
        }
    )


@st.composite
def trainings(
    draw: st.DrawFn, most: int, *, rates: tuple[float, ...] = (1.0, 0.01, 0.1, 0.5, 1e-3)
) -> dict[str, Any]:
    """Return trainings, and an ε and a δ for which a library finds their noise.

    A record is to be seen once or more, on the average: below, the noise is almost nothing, and
    searches for it go on for minutes.

    Args:
        draw: Of hypothesis.
        most: The most steps.
        rates: With which records are sampled.
    """
    rate = draw(st.sampled_from(rates))
    times = draw(whole(most).filter(lambda n: n * rate >= 1))
    epsilon = draw(st.sampled_from([1.0, 3.0, 2.0, 0.5, 8.0, 0.3]))
    delta = draw(st.sampled_from([1e-5, 1e-6, 1e-4, 1e-8, 1e-3, 1e-10]))
    at = {"mechanism": "gaussian", "rate": rate, "times": times}
    return {**at, "epsilon": epsilon, "delta": delta}


@st.composite
def attacks(
    draw: st.DrawFn,
    most: int,
    *,
    rates: tuple[float, ...] = (),
    alphas: bool = True,
    longest: float = 5e3,
) -> dict[str, Any]:
    """Return steps with Gaussian noise, and a rate of false positives of attacks on them.

    Args:
        draw: Of hypothesis.
        most: The most steps.
        rates: With which records are sampled; none if they are not.
        alphas: Whether there is a rate of false positives.
        longest: As ``most`` of :func:`is_quick`.
    """
    steps = draw(whole(most))
    factors = [1.0, 2.0, 5.0, 0.5, 10.0, 100.0, 1e3, 1e6]
    sigma = draw(st.sampled_from(factors))
    if draw(st.booleans()):
        sigma = float(f"{sigma * math.sqrt(steps):.1e}")
    rate = draw(st.sampled_from(rates)) if rates else 1.0
    from hypothesis import assume

    assume(is_quick("gaussian", sigma, steps, rate, longest))
    found = {"sigma": sigma, **({"rate": rate} if rates else {}), "steps": steps}
    return {**found, "alpha": draw(st.sampled_from(_ALPHAS))} if alphas else found


def allocations(most: int, **asked: st.SearchStrategy[float]) -> dict[str, st.SearchStrategy[Any]]:
    """Return scales of Gaussian noise, steps of which one is chosen, and an ε or another number.

    The truth of little noise, and far out, is not within reach.
    """
    fields = {"sigma": doubles(0.8, 20.0), "steps": whole(most)}
    return {**fields, **(asked or {"epsilon": doubles(0.01, 5.0)})}


def doubles(low: float, high: float) -> st.SearchStrategy[float]:
    """Return ordinary numbers of a range; round ones, its ends and their neighbors; any size."""
    powers = sorted(range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1), key=abs)
    round_ones = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    # The first and the last one of a list are tried early: they are the ends.
    near = [math.nextafter(high, low), math.nextafter(low, high)]
    ordinary, inside = (
        [x for x in xs if low <= x <= high] for xs in (_NUMBERS, [low, *round_ones, *near, high])
    )
    # Powers of ten with any exponent: of a range of decades each is as likely as the others.
    others = st.floats(math.log10(low), math.log10(high)).map(lambda x: float(10**x))
    found = st.sampled_from(inside) | others.filter(lambda x: low <= x <= high)
    return st.sampled_from(ordinary) | found if ordinary else found


def small(to: int) -> st.SearchStrategy[float]:
    """Return δ: ordinary ones, 1e-5 first; larger and smaller ones, down to 10 to minus ``to``.

    Those down to about the last digit of 1 as a double are drawn as often as all below.
    """
    ordinary, rare = (
        [x for x in xs if x >= 10.0**-to] for xs in (_DELTAS, (*_DELTAS, 0.5, 1e-10, 0.9))
    )
    near, far = (
        st.integers(11, max(11, most)).map(lambda p: float(f"1e-{p}"))
        for most in (min(to, _DIGITS), to)
    )
    return st.sampled_from(ordinary) | st.sampled_from(rare) | near | far


def whole(most: int, least: int = 1) -> st.SearchStrategy[int]:
    """Return whole numbers: the least one, and a digit times a power of ten, at most ``most``."""
    digits, powers = st.integers(least, 9), st.integers(0, len(str(most)) - 1)
    return st.builds(lambda digit, power: min(most, int(digit) * 10 ** int(power)), digits, powers)
