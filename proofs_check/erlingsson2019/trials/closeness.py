"""Section 2: the relation of (eps, delta)-closeness, its calculus, and Lemma 4.

mu ~(eps, delta) mu' asks exp(-eps) (mu'(A) - delta) <= mu(A) <= exp(eps) mu'(A) + delta
for every event A. The left inequality is mu'(A) <= exp(eps) mu(A) + delta, so the
relation is that both hockey-stick divergences at e^eps are at most delta.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations, product
from typing import Any

from exactdp.certificates import Certificate, finite_pair, hockey_stick, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, hockey_stick_both_directions, hockey_stick_divergence
from exactdp.numbers import Exact
from exactdp.truth import Truth

__all__ = ["TRIALS"]

Law = tuple[Fraction, ...]
RATIOS = [Fraction(v) for v in ("2", "3/2", "3", "1")]
"""Values of e^eps, simplest first."""


def laws(outcomes: int, denominator: int) -> list[Law]:
    """Return all laws on ``outcomes`` outcomes with this denominator."""
    return [
        tuple(Fraction(w, denominator) for w in weights)
        for weights in product(range(denominator + 1), repeat=outcomes)
        if sum(weights) == denominator
    ]


@lru_cache(maxsize=200_000)
def smallest_delta(p: Law, q: Law, e: Fraction) -> Fraction:
    """Return the least delta with p ~(ln e, delta) q."""
    pair = Pair.from_masses(p, q)
    return hockey_stick_both_directions(pair, exp_epsilon=e).as_fraction()


def _events(size: int) -> Iterator[tuple[int, ...]]:
    yield from chain.from_iterable(combinations(range(size), r) for r in range(size + 1))


def _mix(p: Law, q: Law, a: Fraction) -> Law:
    return tuple((1 - a) * u + a * v for u, v in zip(p, q, strict=True))


def _both(p: Sequence[Any], q: Sequence[Any], e: Fraction) -> list[Any]:
    return [hockey_stick(finite_pair(p, q), e), hockey_stick(finite_pair(q, p), e)]


# --- the relation -----------------------------------------------------------------------


def _closeness(*, left_factor: int = 1) -> Statement:
    """The printed relation is (eps, delta)-DP's inequality in both directions.

    The false variant forgets the inverse on the left side: exp(+eps) (mu'(A) - delta).
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        grid = laws(2, 4) if effort is Effort.DEFAULT else laws(3, 4)
        for p, q in product(grid, repeat=2):
            for e in RATIOS[:2]:
                for delta in (Fraction(0), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)):
                    yield Instance.of(mu=p, mu_prime=q, exp_epsilon=e, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, e, delta = v["mu"], v["mu_prime"], v["exp_epsilon"], v["delta"]
        left = e**-left_factor
        printed = dp = True
        for event in _events(len(p)):
            a, b = sum(p[i] for i in event), sum(q[i] for i in event)
            printed &= left * (b - delta) <= a <= e * b + delta
            dp &= a <= e * b + delta and b <= e * a + delta
        return Outcome(Truth.of(printed == dp), f"printed {printed}, both directions {dp}")

    def proof() -> Proved | None:
        import sympy

        a, b, e, d = sympy.symbols("a b e d", positive=True)
        # Multiplying by e > 0: (b - d)/e <= a exactly if b <= e a + d.
        if sympy.simplify(e * (a - (b - d) / e) - (e * a + d - b)) != 0:
            return None
        return Proved("all laws, eps, delta", "the left inequality times exp(eps) > 0")

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if left_factor == 1 else None,
        false_variant=_closeness(left_factor=-1) if left_factor == 1 else None,
    )


# --- Lemma 3 ------------------------------------------------------------------------------


def _pairs(effort: Effort, *, outcomes: int = 2) -> Iterator[tuple[Law, Law]]:
    for denominator in range(1, 5 if effort is Effort.DEFAULT else 9):
        yield from product(laws(outcomes, denominator), repeat=2)


def _monotonicity(*, sign: int = 1) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in _pairs(effort):
            for e, more in product(RATIOS[:2], (Fraction(1), Fraction(3, 2), Fraction(2))):
                yield Instance.of(mu=p, mu_prime=q, exp_epsilon=e, factor=more)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, e = v["mu"], v["mu_prime"], v["exp_epsilon"]
        before = smallest_delta(p, q, e)
        after = smallest_delta(p, q, e * v["factor"])
        return Outcome(Truth.of(sign * (before - after) >= 0), f"delta {before}, then {after}")

    def proof() -> Proved | None:
        import sympy

        p, q, e, d = sympy.symbols("p q e d", nonnegative=True)
        if sympy.expand((p - e * q) - (p - (e + d) * q) - d * q) != 0:
            return None
        return Proved("all laws", "max(0, p - e^eps q) falls as eps grows; delta only relaxes")

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if sign == 1 else None,
        false_variant=_monotonicity(sign=-1) if sign == 1 else None,
    )


Delta = Callable[[Fraction, Fraction, Fraction, Fraction], Fraction]
"""(e1, d1, e2, d2) -> the delta claimed for mu_1 and mu_3."""


def _triangle(claimed: Delta, *, proof: Callable[[], Proved | None] | None = None) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for denominator in range(1, 5 if effort is Effort.DEFAULT else 7):
            for triple in product(laws(2, denominator), repeat=3):
                for e1, e2 in product(RATIOS[:3], repeat=2):
                    yield Instance.of(mu=triple, exp_epsilon1=e1, exp_epsilon2=e2)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        (a, b, c), e1, e2 = v["mu"], v["exp_epsilon1"], v["exp_epsilon2"]
        d1, d2 = smallest_delta(a, b, e1), smallest_delta(b, c, e2)
        bound, needed = claimed(e1, d1, e2, d2), smallest_delta(a, c, e1 * e2)
        if needed <= bound:
            return Outcome(Truth.TRUE)

        forward = Pair.from_masses(a, c)
        first = hockey_stick_divergence(forward, exp_epsilon=e1 * e2).as_fraction() == needed
        x, y = (a, c) if first else (c, a)
        return Outcome(
            Truth.FALSE,
            f"delta_1 = {d1}, delta_2 = {d2}, claimed {bound}, needed {needed}",
            lambda: Certificate(
                hypotheses=[
                    *(relation("<=", t, d1) for t in _both(a, b, e1)),
                    *(relation("<=", t, d2) for t in _both(b, c, e2)),
                ],
                conclusion=[relation(">", hockey_stick(finite_pair(x, y), e1 * e2), bound)],
            ),
        )

    return Statement(instances=instances, holds=holds, proof=proof)


def _sum_of_deltas(e1: Fraction, d1: Fraction, e2: Fraction, d2: Fraction) -> Fraction:
    return d1 + d2


def _weighted_deltas(e1: Fraction, d1: Fraction, e2: Fraction, d2: Fraction) -> Fraction:
    return max(d1 + e1 * d2, d2 + e2 * d1)


def _triangle_repair_proof() -> Proved | None:
    import sympy

    a, b, c, e1, e2, d1, d2 = sympy.symbols("a b c e1 e2 d1 d2", positive=True)
    # a <= e1 b + d1 and b <= e2 c + d2 give a <= e1 e2 c + e1 d2 + d1: the slack of
    # the conclusion is the slack of the first plus e1 times that of the second.
    first, second = e1 * b + d1 - a, e2 * c + d2 - b
    if sympy.expand(first + e1 * second - (e1 * e2 * c + e1 * d2 + d1 - a)) != 0:
        return None
    return Proved("all laws, eps, delta", "chaining a <= e1 b + d1 and b <= e2 c + d2, both ways")


def _quasi_convexity(*, factor: Fraction = Fraction(1)) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        grid = laws(2, 3) if effort is Effort.DEFAULT else laws(3, 3)
        for p1, q1, p2, q2 in product(grid, repeat=4):
            for e, a in product(RATIOS[:2], (Fraction(1, 2), Fraction(1, 3))):
                yield Instance.of(mu1=p1, mu1_prime=q1, mu2=p2, mu2_prime=q2, exp_epsilon=e, a=a)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        e, a = v["exp_epsilon"], v["a"]
        delta = max(
            smallest_delta(v["mu1"], v["mu1_prime"], e), smallest_delta(v["mu2"], v["mu2_prime"], e)
        )
        mixed = smallest_delta(
            _mix(v["mu1"], v["mu2"], a), _mix(v["mu1_prime"], v["mu2_prime"], a), e
        )
        return Outcome(Truth.of(mixed <= factor * delta), f"delta {delta}, mixed {mixed}")

    def proof() -> Proved | None:
        # max(0, .) is convex: checked on the rays between which it is linear.
        rays = [(1, 0), (0, 1), (1, -1), (-1, 1), (-1, 0), (0, -1)]
        if any(max(0, u + w) > max(0, u) + max(0, w) for u, w in rays):
            return None
        return Proved(
            "all laws, eps, delta, a in [0, 1]",
            "the hockey-stick divergence is a sum of positive parts, hence jointly convex",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if factor == 1 else None,
        false_variant=_quasi_convexity(factor=Fraction(1, 2)) if factor == 1 else None,
    )


# --- Lemma 4 --------------------------------------------------------------------------------


def _subsampling(*, delta_factor: Fraction = Fraction(1)) -> Statement:
    """mu = (1-q) mu_0 + q mu_1 is (log(1 + q (e^eps - 1)), q delta)-close to mu_0."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, r in chain(_pairs(effort), product(laws(3, 3), repeat=2)):
            for e, q in product(RATIOS[:3], (Fraction(1, 4), Fraction(2, 5), Fraction(49, 100))):
                yield Instance.of(mu_1=p, mu_0=r, exp_epsilon=e, q=q)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        one, zero, e, q = v["mu_1"], v["mu_0"], v["exp_epsilon"], v["q"]
        claimed = delta_factor * q * smallest_delta(one, zero, e)
        needed = smallest_delta(_mix(zero, one, q), zero, 1 + q * (e - 1))
        return Outcome(Truth.of(needed <= claimed), f"needed {needed}, claimed {claimed}")

    def proof() -> Proved | None:
        import sympy

        m0, m1, e, q = sympy.symbols("m0 m1 e q", nonnegative=True)
        mixed, scale = (1 - q) * m0 + q * m1, 1 + q * (e - 1)
        # Forward: mu - e' mu_0 = q (mu_1 - e mu_0).
        forward = sympy.expand((mixed - scale * m0) - q * (m1 - e * m0))
        # Backward: mu_0 - e' mu = q (mu_0 - e mu_1) - q (e - 1)(1 - q)(mu_0 - mu_1); where the
        # left side is positive, mu_0 >= mu_1, so it is at most q (mu_0 - e mu_1).
        backward = sympy.expand(
            (m0 - scale * mixed) - q * (m0 - e * m1) + q * (e - 1) * (1 - q) * (m0 - m1)
        )
        # The left side is q (A mu_0 - e' mu_1) with A <= 1 <= e'.
        shape = sympy.expand((m0 - scale * mixed) - q * ((1 - (e - 1) * (1 - q)) * m0 - scale * m1))
        if forward != 0 or backward != 0 or shape != 0:
            return None
        return Proved(
            "all laws, eps >= 0, delta, q in [0, 1]",
            "mu - e' mu_0 = q (mu_1 - e mu_0) and, where positive, "
            "mu_0 - e' mu <= q (mu_0 - e mu_1), outcome by outcome",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if delta_factor == 1 else None,
        false_variant=_subsampling(delta_factor=Fraction(9, 10)) if delta_factor == 1 else None,
    )


# --- Definition 1 -----------------------------------------------------------------------------


def _largest_event(*, all_events: bool = True) -> Statement:
    """(eps, delta)-DP, event by event, is that the hockey-stick divergence is at most delta."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in product(laws(3, 3), repeat=2):
            for e in RATIOS:
                yield Instance.of(p=p, q=q, exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, e = v["p"], v["q"], v["exp_epsilon"]
        events = _events(3) if all_events else ((i,) for i in range(3))
        needed = max((sum(p[i] - e * q[i] for i in event) for event in events), default=Fraction(0))
        exact = hockey_stick_divergence(Pair.from_masses(p, q), exp_epsilon=Exact(e))
        return Outcome(Truth.of(max(needed, Fraction(0)) == exact), f"{needed} and {exact}")

    return Statement(
        instances=instances,
        holds=holds,
        complete="all pairs of laws on three outcomes with denominator 3",
        false_variant=_largest_event(all_events=False) if all_events else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "erlingsson2019/definition-1": {"": _largest_event()},
    "erlingsson2019/section-2/closeness": {"": _closeness()},
    "erlingsson2019/lemma-3/monotonicity": {"": _monotonicity()},
    "erlingsson2019/lemma-3/triangle": {"": _triangle(_sum_of_deltas)},
    "erlingsson2019/lemma-3/quasi-convexity": {"": _quasi_convexity()},
    "erlingsson2019/lemma-4": {"": _subsampling()},
    "erlingsson2019/repair/lemma-3-triangle": {
        "": Statement(
            instances=_triangle(_weighted_deltas).instances,
            holds=_triangle(_weighted_deltas).holds,
            proof=_triangle_repair_proof,
            false_variant=_triangle(_sum_of_deltas),
        )
    },
}
