"""Section 4: amplification by shuffling, over all adaptive local randomizers for small n."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, finite_pair, function, hockey_stick, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.divergences import max_divergence
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, Real, decimal, enclosure, exp, is_below, log, sqrt
from exactdp.shuffle import (
    AdaptiveRandomizers,
    Users,
    Victim,
    pair_of,
    shuffle_view,
    shuffled_outputs_law,
)
from exactdp.truth import Truth
from proofs_check.erlingsson2019.search import (
    shuffled_inputs,
    swapped_inputs,
    worst_hockey_stick,
    worst_renyi_moment,
)

__all__ = ["TRIALS"]

RATIOS = [Fraction(2), Fraction(3, 2), Fraction(11, 10)]
DELTAS = [Fraction(1, 2), Fraction(99, 100), Fraction(1, 100)]


def _step(n: int, x: Fraction) -> Fraction:
    return 2 * x * x * (x - 1) / n


def _below(epsilon: Real | Exact) -> Fraction:
    """Return a rational just below e^eps: delta there bounds delta(eps) from above."""
    return enclosure(exp(epsilon), relative_bits=80).lower


# --- Theorems 7 and 8, Remark 1 -----------------------------------------------------------


def _general(*, swap: bool, divide: int = 1) -> Statement:
    """delta of A_sl (A_swap at index 1) at the general bound, over all randomizers.

    The bound holds for every delta, so in particular where its square-root term is small.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3) if effort is Effort.DEFAULT else (2, 3, 4):
            for x, delta in product((*RATIOS, Fraction(101, 100)), DELTAS):
                yield Instance.of(n=n, exp_epsilon0=x, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, delta = v["n"], v["exp_epsilon0"], v["delta"]
        step = Exact(_step(n, x))
        bound = step * sqrt(2 * n * log(1 / delta)) + n * step * (exp(step) - 1)
        gamma = _below(bound / divide)
        if gamma >= x:
            return Outcome(Truth.TRUE, "the bound exceeds eps0: nothing is left")
        datasets = (swapped_inputs if swap else shuffled_inputs)(inputs=3, users=n)
        worst = worst_hockey_stick(datasets, inputs=3, exp_epsilon0=x, exp_epsilon=gamma)
        ratio = delta / Fraction(decimal(worst.value, digits=6)) if worst.value > 0 else None
        return Outcome(
            Truth.of(worst.value <= delta), f"delta {decimal(worst.value, digits=6)}", slack=ratio
        )

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_general(swap=swap, divide=50) if divide == 1 else None,
    )


def _binary_randomizers(x: Fraction) -> list[Randomizer]:
    """Randomized response, and the two lopsided randomizers of ratio at most x with a fair row."""
    fair, low = [Fraction(1, 2)] * 2, 1 / (2 * x)
    return [
        randomized_response(2, Epsilon.log(x)),
        Randomizer.from_matrix([fair, [low, 1 - low]]),
        Randomizer.from_matrix([[low, 1 - low], fair]),
    ]


def _large(n: int, x: Fraction, bound: Real, delta: Fraction) -> Outcome:
    """Return the decision for n users of one binary randomizer, all others alike."""
    gamma = _below(bound)
    if gamma >= x:
        return Outcome(Truth.TRUE, "the bound exceeds eps0")
    true = max(
        shuffle_view(Victim(r, pair), [Users(r, other, n - 1)]).hockey_stick_divergence(
            exp_epsilon=gamma
        )
        for r in _binary_randomizers(x)
        for pair in ((0, 1), (1, 0))
        for other in (0, 1)
    )
    if true == 0:
        return Outcome(Truth.TRUE, "delta 0")
    ratio = delta / Fraction(decimal(true, digits=6))
    return Outcome(Truth.of(true <= delta), f"delta {decimal(true, digits=6)}", slack=ratio)


def _all_randomizers(n: int, x: Fraction, bound: Real, delta: Fraction) -> Outcome:
    """Return the decision over all adaptive randomizers on two inputs."""
    gamma = _below(bound)
    if gamma >= x:
        return Outcome(Truth.TRUE, "the bound exceeds eps0")
    datasets = shuffled_inputs(inputs=2, users=n)
    worst = worst_hockey_stick(datasets, inputs=2, exp_epsilon0=x, exp_epsilon=gamma).value
    ratio = delta / Fraction(decimal(worst, digits=6)) if worst > 0 else None
    return Outcome(Truth.of(worst <= delta), f"delta {decimal(worst, digits=6)}", slack=ratio)


def _small_epsilon0(*, divide: int = 1) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for n, x in product((10, 40, 200), (Fraction(51, 50), Fraction(5, 4), Fraction(2))):
            for delta in DELTAS:
                if 4 * x**3 <= n:
                    yield Instance.of(n=n, exp_epsilon0=x, delta=delta)
        for delta in DELTAS:  # small enough for all adaptive randomizers on two inputs
            yield Instance.of(n=5, exp_epsilon0=Fraction(21, 20), delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, delta = v["n"], v["exp_epsilon0"], v["delta"]
        c = x * x * (x - 1)
        bound = c * sqrt(8 * log(1 / delta) / n) + 6 * c * c / n
        if n == 5:
            return _all_randomizers(n, x, bound / divide, delta)
        return _large(n, x, bound / divide, delta)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_small_epsilon0(divide=40) if divide == 1 else None,
    )


def _large_n(*, divide: int = 1) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for n, x in product((1000, 2000), (Fraction(8, 5), Fraction(11, 10))):
            for delta in (Fraction(1, 101), Fraction(1, 10**6)):
                yield Instance.of(n=n, exp_epsilon0=x, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, delta = v["n"], v["exp_epsilon0"], v["delta"]
        return _large(n, x, 12 * log(x) * sqrt(log(1 / delta) / n) / divide, delta)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_large_n(divide=20) if divide == 1 else None,
    )


def _renyi(*, divide: int = 1) -> Statement:
    """Renyi divergence of A_sl at most 2 alpha x^4 (x-1)^2 / n, orders 2, 3, 4."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, x, order in product((2, 3), RATIOS, (2, 3, 4)):
            yield Instance.of(n=n, exp_epsilon0=x, order=order)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, order = v["n"], v["exp_epsilon0"], v["order"]
        datasets = shuffled_inputs(inputs=3, users=n)
        moment = worst_renyi_moment(datasets, inputs=3, exp_epsilon0=x, order=order).value
        true = log(moment) / (order - 1)
        claimed = Exact(2 * order * x**4 * (x - 1) ** 2 / n / divide)
        ratio = claimed.as_fraction() / Fraction(decimal(true, digits=6))
        return Outcome(is_below(true, claimed), f"Renyi {decimal(true, digits=6)}", slack=ratio)

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_renyi(divide=1000) if divide == 1 else None,
    )


def _dp_to_rdp(*, divide: int = 1) -> Statement:
    """eps-DP implies (alpha, alpha eps^2/2)-RDP; the worst eps-DP pair is randomized response."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for x, order in product((Fraction(11, 10), Fraction(2), Fraction(10)), (2, 3, 10)):
            yield Instance.of(exp_epsilon=x, order=order)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, a = v["exp_epsilon"], v["order"]
        moment = (x**a + x ** (1 - a)) / (1 + x)
        true = log(moment) / (a - 1)
        claimed = a * log(x) * log(x) / (2 * divide)
        return Outcome(is_below(true, claimed), f"Renyi {decimal(true, digits=6)}")

    return Statement(
        instances=instances,
        holds=holds,
        false_variant=_dp_to_rdp(divide=4) if divide == 1 else None,
    )


# --- Corollary 9 ------------------------------------------------------------------------------


def _corollary_9() -> Statement:
    """A user outside S may publish an earlier output: A_post then reveals it.

    S = {1, ..., m}, all with binary randomized response; user m + 1 ignores the own
    input (0-DP) and sends a marked copy of z_1. The marked copy alone has the law of z_1.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for m in (1000, 2000):
            for x in (Fraction(8, 5), Fraction(3, 2)):
                yield Instance.of(S=m, n=m + 1, exp_epsilon0=x, delta=Fraction(1, 101))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        m, x, delta = v["S"], v["exp_epsilon0"], v["delta"]
        bound = 12 * log(x) * sqrt(log(1 / delta) / m)
        # delta(eps) at a rational above e^eps is a lower bound.
        gamma = enclosure(exp(bound), relative_bits=80).upper
        true = max(Fraction(0), (x - gamma) / (x + 1))
        pair = finite_pair([x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)])

        def certificate() -> Certificate:
            e = function(
                "exp",
                12 * function("log", x) * function("sqrt", function("log", 1 / delta) / m),
            )
            return Certificate(
                define=[("e", e)],
                hypotheses=[
                    relation("<", function("log", x), Fraction(1, 2)),
                    relation(">=", m, 1000),
                ],
                conclusion=[relation(">", hockey_stick(pair, term(e)), delta)],
            )

        return Outcome(
            Truth.of(true <= delta),
            f"the marked copy of z_1 has delta {decimal(Exact(true), digits=6)} at the claimed eps",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _copying_user_is_allowed() -> bool:
    """Check on small n that the copy is 0-DP and that A_post loses all amplification."""
    coin = Randomizer.from_matrix([["3/5", "2/5", 0, 0], ["2/5", "3/5", 0, 0]])
    copy: dict[tuple[int, ...], Randomizer] = {
        (a, b): Randomizer.from_matrix([[0, 0, int(a != 1), int(a == 1)]] * 2)
        for a, b in product(range(4), repeat=2)
    }
    steps = AdaptiveRandomizers((coin, coin, copy))
    pair = pair_of(shuffled_outputs_law, steps, [0, 1, 0], [1, 1, 0])
    private = all(r.ldp_epsilon() == Epsilon.log(1) for r in copy.values())
    return private and max_divergence(pair) == Epsilon.log(Fraction(3, 2))


_CHECKED_COPY = _corollary_9()


def _if_copy_allowed() -> Statement:
    """Corollary 9's statement, put only after the copying user was checked to be 0-DP."""

    def holds(at: Instance) -> Outcome:
        if not _copying_user_is_allowed():
            return Outcome(Truth.UNKNOWN, "the copying user was not confirmed to be 0-DP")
        return _CHECKED_COPY.holds(at)

    return Statement(instances=_CHECKED_COPY.instances, holds=holds)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "erlingsson2019/section-1.2/group": {"": _if_copy_allowed()},
    "erlingsson2019/theorem-7/general": {"": _general(swap=False)},
    "erlingsson2019/theorem-7/small-epsilon0": {"": _small_epsilon0()},
    "erlingsson2019/theorem-7/n>=1000": {"": _large_n()},
    "erlingsson2019/theorem-8": {"": _general(swap=True)},
    "erlingsson2019/remark-1/dp-to-rdp": {"": _dp_to_rdp()},
    "erlingsson2019/remark-1/rdp": {"": _renyi()},
    "erlingsson2019/corollary-9": {"": _if_copy_allowed()},
    "erlingsson2019/repair/corollary-9": {"": _large_n()},
}
