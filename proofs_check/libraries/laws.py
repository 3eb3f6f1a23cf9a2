"""The truths of deployments: as profiles for the engine, and as terms that the kernel checks.

The fields of a deployment are those of :class:`~exactdp.testing.mechanisms.Mechanism`:
``mechanism``, ``parameter`` and, where they are not 1, ``rate``, ``times``, ``k``. The terms are
written here anew, from the definitions: a second route.

Definitions: :func:`deployment`, :func:`law`, :func:`delta`, :func:`with_noise`,
:func:`delta_with_noise`, :func:`leaky`, :func:`leaky_delta`, :func:`accounted`, :func:`advantage`,
:func:`missed`, :func:`ends`, :func:`at_least_by_gaussian`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

from exactdp.claims import (
    Cases,
    Term,
    TermLike,
    formula,
    function,
    listed,
    named,
    positive_part,
    sum_over,
    term,
)
from exactdp.divergences import PrivacyProfile
from exactdp.numbers import Epsilon
from exactdp.side import Side
from proofs_check.libraries.promises import Promise

if TYPE_CHECKING:
    from exactdp.compare import Accountant
    from exactdp.testing import Deployment

__all__ = [
    "TRAININGS",
    "accounted",
    "advantage",
    "at_least_by_gaussian",
    "delta",
    "delta_with_noise",
    "deployment",
    "ends",
    "law",
    "leaky",
    "leaky_delta",
    "missed",
    "with_noise",
]

_MOST_STEPS = 1000


_STEPS: list[dict[str, Any]] = [
    {"parameter": 1.0, "rate": 0.01, "times": 100},
    {"parameter": 1.0, "rate": 0.01, "times": 1000},
    {"parameter": 0.8, "rate": 0.004, "times": 1000},
    {"parameter": 1.0, "rate": 0.01},
    {"parameter": 2.0, "rate": 0.1, "times": 100},
    {"parameter": 4.0, "rate": 0.5, "times": 100},
    {"parameter": 1.0},
    {"parameter": 5.0, "times": 10},
    {"parameter": 0.5, "rate": 0.001, "times": 1000},
]
TRAININGS = listed(
    *(
        {"mechanism": "gaussian", **fields, "delta": delta}
        for fields in _STEPS
        for delta in (1e-5, 1e-8, 1e-3)
    )
)
"""Steps of DP-SGD, the most ordinary ones first, each at some δ."""


def deployment(
    mechanism: str,
    parameter: float = 1.0,
    rate: float = 1.0,
    times: int = 1,
    k: int = 2,
    epsilon: float = 0.0,
    delta: float = 0.5,
) -> Deployment:
    """Return the fields of an instance as a deployment."""
    from exactdp.testing import Deployment, Mechanism

    return Deployment((Mechanism(mechanism, parameter, rate, times, k),), epsilon, delta)


@lru_cache(maxsize=16)  # a profile keeps its lattices, a hundred megabytes each
def law(
    mechanism: str, parameter: Any = 1.0, rate: float = 1.0, times: int = 1, k: int = 2
) -> PrivacyProfile:
    """Return the truth, the larger of both directions."""
    return deployment(mechanism, parameter, rate, times, k).profile


def delta(
    mechanism: str,
    epsilon: Fraction,
    parameter: float | Fraction = 1.0,
    rate: float = 1.0,
    times: int = 1,
    k: int = 2,
) -> Term | None:
    """Return δ as a term where it has a closed form: of removing the record, if it is sampled."""
    x, e = named("parameter", term(Fraction(parameter))), named("epsilon", term(epsilon))
    if mechanism == "gaussian" and rate == 1:
        return gaussian(e, sigma=x / function("sqrt", times))
    if mechanism == "gaussian" and times == 1:
        return formula(sampled_gaussian, sigma=x, epsilon=e, q=Fraction(rate))
    if mechanism == "gaussian" and times <= _MOST_STEPS:
        return counted(e, x, Fraction(rate), times)
    if mechanism == "discrete_gaussian" and times == 1:
        return discrete_gaussian(e, x)
    if mechanism == "laplace" and times == 1:
        loss = 1 / x
        one = 1 - function("exp", -positive_part(loss - e) / 2)
        return one if rate == 1 else None
    if mechanism in ("randomized_response", "discrete_laplace") and times <= _MOST_STEPS:
        loss = 1 / x if mechanism == "discrete_laplace" else x
        return responses(e, loss, times, k)
    return None


def with_noise(
    mechanism: str, answer: Fraction, rate: float = 1.0, times: int = 1
) -> PrivacyProfile:
    """Return the steps with the noise that the library found."""
    return law(mechanism, answer, rate, times)


def delta_with_noise(
    mechanism: str, epsilon: Fraction, answer: Fraction, rate: float = 1.0, times: int = 1
) -> Term | None:
    """Return their δ, or a lower bound on it, as a term."""
    return delta(mechanism, epsilon, answer, rate, times)


def gaussian(epsilon: TermLike, *, sigma: TermLike) -> Term:
    """Return δ of Gaussian noise: Φ(1/(2σ) − εσ) − e^ε Φ(−1/(2σ) − εσ)."""
    s, e = named("sigma", term(sigma)), term(epsilon)
    upper, lower = 1 / (2 * s) - e * s, -(1 / (2 * s)) - e * s
    return function("normal_cdf", upper) - function("exp", e) * function("normal_cdf", lower)


def advantage(sigma: TermLike, steps: int) -> Term:
    """Return the best attack's advantage against so many Gaussian steps: 2Φ(√T/(2σ)) − 1."""
    return 2 * function("normal_cdf", function("sqrt", steps) / (2 * term(sigma))) - 1


def missed(sigma: float | Fraction, steps: int, alpha: float, rate: float = 1.0) -> Term:
    """Return the rate of false negatives of an attack with false positives at the rate alpha.

    It says that the record is there if a step's output is above c; and, where c has too many
    false positives, only in so large a part of these cases. Doubles propose c. No attack on one
    step is better; and without sampling steps are one, with noise σ/√steps.
    """
    s, q = term(Fraction(sigma)), Fraction(rate)
    if rate == 1:
        s, steps = s / function("sqrt", steps), 1
    c = Fraction(-NormalDist().inv_cdf(-math.expm1(math.log1p(-alpha) / steps)))
    absent = named("b", function("normal_cdf", -c))
    present = named("p", (1 - q) * absent + q * function("normal_cdf", 1 / s - c))
    false, true = (1 - (1 - x) ** steps for x in (absent, present))
    found: Term = 1 - (1 - positive_part(1 - Fraction(alpha) / false)) * true
    return found


def sampled_gaussian(f: Any, *, sigma: Any, epsilon: Any, q: Any) -> Any:
    """Return δ of one step, the record sampled with probability q, for removing it.

    The outputs that speak for the record are those above t, where 1 − q + q e^((2t−1)/(2σ²)) = e^ε.
    """
    factor = f.exp(epsilon)
    t = sigma * sigma * f.log((factor - 1 + q) / q) + f.constant(1) / 2
    present, absent = f.normal_cdf((1 - t) / sigma), f.normal_cdf(-(t / sigma))
    return q * present + (1 - q) * absent - factor * absent


def counted(epsilon: TermLike, sigma: Term, q: Fraction, times: int) -> Term:
    """Return a lower bound on δ of sampled steps: δ of the number of outputs above a threshold.

    Each is, with probability p = (1−q)Φ(−c/σ) + qΦ((1−c)/σ), and b = Φ(−c/σ) without the record.
    Doubles only propose c, a multiple of 1/20.
    """
    s, e = float(sigma.parts[1].parts[0].as_fraction()), float(_number(epsilon))
    c = max((Fraction(i, 20) for i in range(-20, 161)), key=lambda c: _counted(c, e, s, q, times))
    absent = named("b", function("normal_cdf", -(c / sigma)))
    present = named("p", (1 - q) * absent + q * function("normal_cdf", (1 - c) / sigma))
    g = named("g", function("exp", epsilon))

    def part(i: Term) -> Term:
        p, b = (x**i * (1 - x) ** (times - i) for x in (present, absent))
        excess: Term = positive_part(p - g * b)
        return function("binomial", times, i) * excess

    return sum_over("i", 0, times, part)


def _number(epsilon: TermLike) -> Fraction:
    found = epsilon.parts[1] if isinstance(epsilon, Term) else term(epsilon)
    return Fraction(found.parts[0].as_fraction())


def _counted(c: Fraction, epsilon: float, sigma: float, q: Fraction, times: int) -> float:
    b = math.erfc(float(c) / sigma / math.sqrt(2)) / 2
    p = float(1 - q) * b + float(q) * math.erfc(float(c - 1) / sigma / math.sqrt(2)) / 2
    if not 0 < b < 1 or not 0 < p < 1:
        return 0.0
    found = 0.0
    for i in range(times + 1):
        choices = math.lgamma(times + 1) - math.lgamma(i + 1) - math.lgamma(times - i + 1)
        logs = [choices + i * math.log(x) + (times - i) * math.log1p(-x) for x in (p, b)]
        found += max(0.0, math.exp(logs[0]) - math.exp(min(700.0, epsilon + logs[1])))
    return found


def discrete_gaussian(epsilon: TermLike, sigma: TermLike) -> Term:
    """Return a lower bound on δ of one discrete Gaussian: over forty σ, by Z from above."""
    mass, z, n = _discrete_gaussian(term(sigma))
    g = named("g", function("exp", epsilon))
    return sum_over("i", -n, n, lambda i: positive_part(mass(i) - g * mass(i + 1))) / z


def at_least_by_gaussian(least: int, sigma: Fraction) -> Term:
    """Return a lower bound on the probability that a discrete Gaussian is at least this."""
    mass, z, n = _discrete_gaussian(named("sigma", term(sigma)))
    return sum_over("i", least, n, mass) / z


def _discrete_gaussian(s: Term) -> tuple[Callable[[Any], Term], Term, int]:
    """Return the masses e^(−i²/(2σ²)), at least their sum Z, and how far they are summed.

    What is beyond ±n is at most 2/(e^(n/σ²)−1) of the mass at n.
    """
    n = math.ceil(40 * float(s.parts[1].parts[0].as_fraction())) + 2
    squares = named("v", 2 * s * s)

    def mass(i: TermLike) -> Term:
        return function("exp", -(term(i) * i / squares))

    beyond = 2 * mass(n) / (function("exp", 2 * n / squares) - 1)
    return mass, named("Z", sum_over("i", -n, n, mass) + beyond), n


def responses(epsilon: TermLike, loss: TermLike, times: int, k: int = 2) -> Term:
    """Return δ of randomized response with this loss, so often: Σ C(n,i) max(0, ...)."""
    x, g = named("x", function("exp", loss)), named("g", function("exp", epsilon))
    if times == 1:
        one: Term = positive_part(x - g) / (x + k - 1)
        return one
    weight = sum_over(
        "i",
        0,
        times,
        lambda i: function("binomial", times, i) * positive_part(x**i - g * x ** (times - i)),
    )
    return weight / (x + 1) ** times


def leaky(parameter: float, leak: float, times: int) -> PrivacyProfile:
    """Return the worst (ε, δ)-private steps: Kairouz, Oh and Viswanath 2015, Theorem 3.3."""
    from exactdp.accounting import composed_randomized_response

    epsilon = Epsilon.rational(Fraction(parameter))
    return composed_randomized_response(epsilon, times, delta0=Fraction(leak))


def leaky_delta(parameter: float, leak: float, epsilon: Fraction, times: int) -> Term:
    """Return their δ; of more than a thousand a lower bound, the chance that any step reveals it.

    With a probability a step reveals the record, else it is a response.
    """
    kept = 1 - term(Fraction(leak))
    rest = delta("randomized_response", epsilon, parameter, times=times)
    found: Term = (
        1 - function("exp", times * function("log", kept))  # so long a power is no exact number
        if rest is None
        else 1 - kept**times * (1 - rest)
    )
    return found


def accounted(
    accountants: Sequence[Accountant],
    name: str,
    asks: Literal["delta", "epsilon", "parameter"],
    over: Cases,
    **more: Any,
) -> Promise:
    """Return the promise of one of an adapter's accountants, by its name there."""
    (one,) = (one for one in accountants if one.name == name)

    def call(**fields: Any) -> str | None:
        from exactdp.compare import Task

        return one.expression(Task(deployment(**fields), asks))

    if asks == "parameter":
        more = {"law": with_noise, "delta": delta_with_noise, **more}
    side = one.sides[-1]
    if more.get("side", side) is Side.LOWER:
        more = {"delta": _exact_delta, **more}
    defaults = {
        "imports": one.before + one.imports,
        "call": call,
        "law": law,
        "delta": delta,
        "side": side,
        "converts": one.converts,
    }
    return Promise(library=one.library, asks=asks, over=over, **{**defaults, **more})


def ends(
    accountants: Sequence[Accountant],
    name: str,
    asks: Literal["delta", "epsilon"],
    over: Cases,
    **more: Any,
) -> tuple[Promise, Promise]:
    """Return the promises of an interval's ends, the upper one first."""
    upper = accounted(accountants, name, asks, over, picks=1, **more)
    return upper, accounted(accountants, name, asks, over, side=Side.LOWER, **more)


def _exact_delta(mechanism: str, rate: float = 1.0, **fields: Any) -> Term | None:
    """Return δ as a term where it is δ, not only a bound under it."""
    if rate < 1 or mechanism == "discrete_gaussian":
        return None
    fields = {name: fields[name] for name in ("epsilon", "parameter", "times") if name in fields}
    return delta(mechanism, **fields)
