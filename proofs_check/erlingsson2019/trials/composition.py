"""Section 2, Theorem 2: advanced composition, against the exact worst composition.

The worst (eps, delta)-DP pair is known (Kairouz, Oh, Viswanath 2015): with probability
delta it reveals the input, else it is randomized response. Its k-fold product dominates
every adaptive composition of k (eps, delta)-DP algorithms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from exactdp.accounting import compose_exactly
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.divergences import Pair
from exactdp.numbers import Epsilon, Exact, Real, decimal, enclosure, exp, is_below, log, sqrt
from exactdp.truth import Truth

__all__ = ["TRIALS"]

STEPS = [
    (Fraction(11, 10), Fraction(0)),
    (Fraction(2), Fraction(0)),
    (Fraction(3, 2), Fraction(1, 100)),
    (Fraction(101, 100), Fraction(1, 10_000)),
]
"""(e^eps, delta) of one step."""


def worst_pair(e: Fraction, delta: Fraction) -> Pair:
    """Return the pair that dominates every (ln e, delta)-DP pair."""
    high, low = (1 - delta) * e / (1 + e), (1 - delta) / (1 + e)
    return Pair.from_masses([delta, high, low, 0], [0, low, high, delta])


def _composed(e: Fraction, delta: Fraction, k: int, epsilon: Real | Exact) -> Exact:
    """Return an upper bound on delta(eps') of the composition: at a rational below e^eps'."""
    gamma = enclosure(exp(epsilon), relative_bits=80).lower
    return compose_exactly([(worst_pair(e, delta), k)]).delta(Epsilon(Exact(gamma)))


def _steps() -> Any:
    """Return a strategy for k (eps, delta)-DP steps with a delta'; shrinks to one step."""
    from hypothesis import strategies as st

    return st.builds(
        lambda k, rise, delta, slack: Instance.of(
            k=k, exp_epsilon=1 + rise, delta=delta, delta_prime=slack
        ),
        st.integers(1, 40),
        st.builds(Fraction, st.integers(1, 40), st.integers(5, 50)),
        st.builds(Fraction, st.integers(0, 5), st.sampled_from([100, 10_000])),
        st.builds(Fraction, st.integers(1, 99), st.just(100)),
    )


def _advanced(*, scale: Fraction = Fraction(1)) -> Statement:
    """Theorem 2 (the false variant: eps' scaled down)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for k in (1, 2, 5, 20) if effort is Effort.DEFAULT else (1, 2, 5, 20, 100, 300):
            for e, delta in STEPS:
                for slack in (Fraction(1, 2), Fraction(1, 100), Fraction(99, 100)):
                    yield Instance.of(k=k, exp_epsilon=e, delta=delta, delta_prime=slack)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        k, e, delta, slack = v["k"], v["exp_epsilon"], v["delta"], v["delta_prime"]
        epsilon = log(e)
        bound = epsilon * sqrt(2 * k * log(1 / slack)) + k * epsilon * (e - 1)
        true = _composed(e, delta, k, bound * scale)
        claimed = k * delta + slack
        ratio = claimed / Fraction(decimal(true, digits=6)) if true > 0 else None
        return Outcome(Truth.of(true <= claimed), f"delta {decimal(true, digits=6)}", slack=ratio)

    return Statement(
        instances=instances,
        holds=holds,
        strategy=_steps,
        false_variant=_advanced(scale=Fraction(1, 10)) if scale == 1 else None,
    )


def _corollary(*, factor: Fraction = Fraction(2)) -> Statement:
    """eps' = 2 eps sqrt(2 k log(1/delta)) with total (k+1) delta, for eps, eps' < 1."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for k in (1, 2, 5, 20, 50):
            for e in (Fraction(101, 100), Fraction(11, 10), Fraction(5, 2)):
                for delta in (Fraction(1, 1000), Fraction(1, 10), Fraction(1, 4)):
                    epsilon = 2 * log(e) * sqrt(2 * k * log(1 / delta))
                    if e < Fraction(27, 10) and is_below(epsilon, Exact(1)) is Truth.TRUE:
                        yield Instance.of(k=k, exp_epsilon=e, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        k, e, delta = v["k"], v["exp_epsilon"], v["delta"]
        bound = factor * log(e) * sqrt(2 * k * log(1 / delta))
        true, claimed = _composed(e, delta, k, bound), (k + 1) * delta
        ratio = claimed / Fraction(decimal(true, digits=6)) if true > 0 else None
        return Outcome(Truth.of(true <= claimed), f"delta {decimal(true, digits=6)}", slack=ratio)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_total_delta() if factor == 2 else None,
    )


def _total_delta() -> Statement:
    """The false variant: the composition of k algorithms has delta, not (k+1) delta."""
    sound = _corollary(factor=Fraction(1))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        k, e, delta = v["k"], v["exp_epsilon"], v["delta"]
        bound = 2 * log(e) * sqrt(2 * k * log(1 / delta))
        true = _composed(e, delta, k, bound)
        return Outcome(Truth.of(true <= delta), f"delta {decimal(true, digits=6)}")

    return Statement(instances=sound.instances, holds=holds)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "erlingsson2019/theorem-2": {"": _advanced()},
    "erlingsson2019/theorem-2/corollary": {"": _corollary()},
}
