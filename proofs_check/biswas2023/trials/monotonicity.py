"""Section V-C1 and Figure 1: how delta moves with eps, eps0, n and k.

Reading (a) is the tight delta of M "at these parameters": the whole histogram, for
(x_0, x_1), worst case over all other users with the given n_x0. Reading (b) is the
value of (6) with the printed v_s. "Decreases" and "increases" are read weakly: the
paper's own Table IV has runs of zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from exactdp.certificates import Certificate, Term, hockey_stick, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact
from exactdp.shuffle import WorstCase, worst_case
from exactdp.truth import Truth
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Counts, delta_hat, delta_hat_terms
from proofs_check.biswas2023.proof_steps import bracket_is, vanishes
from proofs_check.biswas2023.protocol import (
    histogram_view,
    randomizer,
    shuffle_rows_pair,
    small_counts,
)
from proofs_check.biswas2023.trials.instances import datasets, epsilons

__all__ = ["TRIALS"]

Point = tuple[Exact, Counts, Exact]
"""(e^eps0, counts, e^eps)."""

Move = Callable[[Mapping[str, Any]], tuple[Point, Point]]
"""From an instance: the two points at which delta is compared."""

STEPS = [Fraction(1, 2), Fraction(1), Fraction(2)]


def _tight(point: Point) -> WorstCase:
    x, c, e = point
    return worst_case(
        [(randomizer(x, c.k), c.n)], exp_epsilon=e, inputs=(0, 1), fixed_counts={0: c.n_x0}
    )


def _tight_term(point: Point, found: WorstCase) -> Term:
    x, c, e = point
    others = [(u.input, u.count) for u in found.neighbors.others]
    return hockey_stick(shuffle_rows_pair(x, c.k, others), e)


def _printed(point: Point) -> Exact:
    x, c, e = point
    value: Exact = delta_hat(delta_hat_terms(x, c), e)
    return value


def _printed_term(point: Point) -> Term:
    x, c, e = point
    value: Term = delta_hat(delta_hat_terms(term(x), c), term(e))
    return value


def _statement(
    instances: Callable[[Effort], Iterator[Instance]],
    move: Move,
    *,
    tight: bool,
    increasing: bool = False,
    proof: Callable[[], Proved | None] | None = None,
    false_variant: Statement | None = None,
) -> Statement:
    """delta at the second point is at most (increasing: at least) delta at the first."""

    def holds(at: Instance) -> Outcome:
        first, second = move(at.mapping())
        if tight:
            worst = [_tight(first), _tight(second)]
            before, after = worst[0].value, worst[1].value
        else:
            before, after = _printed(first), _printed(second)
        if (before <= after) if increasing else (after <= before):
            return Outcome(Truth.TRUE)

        def certificate() -> Certificate:
            if tight:
                terms = [_tight_term(p, w) for p, w in zip((first, second), worst, strict=True)]
            else:
                terms = [_printed_term(first), _printed_term(second)]
            return Certificate(conclusion=[relation(">" if increasing else "<", *terms)])

        return Outcome(Truth.FALSE, f"delta goes from {before} to {after}", certificate)

    return Statement(instances=instances, holds=holds, proof=proof, false_variant=false_variant)


def _points(effort: Effort) -> Iterator[tuple[Counts, Fraction, Fraction]]:
    largest = 3 if effort is Effort.DEFAULT else 6
    for c in small_counts(n=largest, k=3):
        for x, e in epsilons():
            yield c, x, e


def _with_next(name: str, values: Callable[[Any, Any, Any], list[Any]]) -> Any:
    def instances(effort: Effort) -> Iterator[Instance]:
        for c, x, e in _points(effort):
            for value in values(c, x, e):
                yield Instance.of(
                    n=c.n, k=c.k, n_x0=c.n_x0, exp_epsilon0=x, exp_epsilon=e, **{name: value}
                )

    return instances


def _base(v: Mapping[str, Any]) -> Point:
    return Exact(v["exp_epsilon0"]), Counts(v["k"], v["n"], v["n_x0"]), Exact(v["exp_epsilon"])


def _to_epsilon(v: Mapping[str, Any]) -> tuple[Point, Point]:
    x, c, e = _base(v)
    return (x, c, e), (x, c, Exact(v["next_exp_epsilon"]))


def _to_epsilon0(v: Mapping[str, Any]) -> tuple[Point, Point]:
    x, c, e = _base(v)
    return (x, c, e), (Exact(v["next_exp_epsilon0"]), c, e)


def _to_n(v: Mapping[str, Any]) -> tuple[Point, Point]:
    x, c, e = _base(v)
    return (x, c, e), (x, Counts(c.k, v["next_n"], c.n_x0), e)


def _to_k(v: Mapping[str, Any]) -> tuple[Point, Point]:
    x, c, e = _base(v)
    return (x, c, e), (x, Counts(v["next_k"], c.n, c.n_x0), e)


_NEXT_EPSILON = _with_next("next_exp_epsilon", lambda c, x, e: [e + d for d in STEPS])
_NEXT_EPSILON0 = _with_next("next_exp_epsilon0", lambda c, x, e: [x + d for d in STEPS])
_NEXT_N = _with_next("next_n", lambda c, x, e: [c.n + 1])
_NEXT_K = _with_next("next_k", lambda c, x, e: [c.k + 1])


# --- proofs ---------------------------------------------------------------------------


def _tight_falls_with_epsilon() -> Proved | None:
    import sympy

    p, q, e, d = sympy.symbols("p q e d", nonnegative=True)
    # p - (e + d) q <= p - e q, and the positive part and maxima keep the order.
    if not vanishes((p - e * q) - (p - (e + d) * q) - d * q):
        return None
    return Proved(
        "all n, k, eps0, n_x0",
        "each term max(0, P - e^eps Q) falls as e^eps grows; sums and maxima keep the order",
    )


def _printed_falls_with_epsilon() -> Proved | None:
    # The weights are masses (12), hence nonnegative; e^(v_s) > 0.
    if not bracket_is(bounds.line_2, first=True):
        return None
    return Proved(
        "all n, k, eps0, n_x0",
        "each term max(0, 1 - e^eps / e^v_s) falls as e^eps grows; the weights are masses, >= 0",
    )


def _tight_grows_with_epsilon0() -> Proved | None:
    import sympy

    x, y, k = sympy.symbols("x y k")
    stay, move = x / (x + k - 1), 1 / (x + k - 1)
    keep, leave = y / (y + k - 1), 1 / (y + k - 1)
    diagonal = stay * keep + (k - 1) * move * leave
    off = stay * leave + move * keep + (k - 2) * move * leave
    target = (x * y + k - 1) / (x + y + k - 2)
    if not (vanishes(diagonal / off - target) and vanishes(diagonal + (k - 1) * off - 1)):
        return None
    return Proved(
        "all n, k, eps, n_x0",
        "k-RR(x) followed by k-RR(y) is k-RR((xy+k-1)/(x+y+k-2)), which takes every value in "
        "[1, x) as y runs over [1, oo): smaller eps0 is post-processing, for every dataset",
    )


def _tight_falls_with_n() -> Proved | None:
    return Proved(
        "all k, eps0, eps, n_x0",
        "without one user who does not hold x_0 a dataset has n - 1 users and the same n_x0; that "
        "user's message is independent of the victim, so adding it is post-processing",
    )


def _both_directions(*, tight: bool) -> Statement:
    """Figure 1's caption: both statements at once (epsilon first)."""
    falls = _statement(_NEXT_EPSILON, _to_epsilon, tight=tight)
    grows = _statement(_NEXT_EPSILON0, _to_epsilon0, tight=tight, increasing=True)

    def instances(effort: Effort) -> Iterator[Instance]:
        yield from falls.instances(effort)
        yield from grows.instances(effort)

    def holds(at: Instance) -> Outcome:
        return (falls if "next_exp_epsilon" in at.mapping() else grows).holds(at)

    def proof() -> Proved | None:
        steps = (_tight_falls_with_epsilon(), _tight_grows_with_epsilon0())
        if None in steps:
            return None
        return Proved("all n, k, n_x0, eps0, eps", "the proofs for eps and for eps0")

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if tight else None,
        false_variant=_rises_with_epsilon() if tight else None,
    )


def _rises_with_epsilon() -> Statement:
    """Figure 1's text: monotonic on eps (and anti-monotonic on eps0)."""
    return _statement(_NEXT_EPSILON, _to_epsilon, tight=True, increasing=True)


def _falls_with_k_same_dataset() -> Statement:
    """For a dataset held fixed, delta falls when the alphabet grows by unused values."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for c, others in datasets(n=3 if effort is Effort.DEFAULT else 5, k=3):
            for x, e in epsilons():
                yield Instance.of(
                    n=c.n, k=c.k, others=others, exp_epsilon0=x, exp_epsilon=e, next_k=c.k + 1
                )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, e = Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        before, after = (
            histogram_view(x, k, v["others"]).hockey_stick_divergence(exp_epsilon=e)
            for k in (v["k"], v["next_k"])
        )
        return Outcome(Truth.of(after <= before), f"delta goes from {before} to {after}")

    def proof() -> Proved | None:
        import sympy

        x, k = sympy.symbols("x k")
        keep = (x + k - 1) / (x + k)
        steps = (
            vanishes(keep * x / (x + k - 1) - x / (x + k)),
            vanishes(keep / (x + k - 1) - 1 / (x + k)),
            vanishes(1 - keep - 1 / (x + k)),
        )
        if not all(steps):
            return None
        return Proved(
            "all n, k, eps0, eps and datasets over the smaller alphabet",
            "(k+1)-RR is k-RR whose message is replaced by the new value with probability 1/(x+k)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof,
        false_variant=_statement(_NEXT_K, _to_k, tight=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/section-V-C1/decreasing-in-epsilon": {
        "a": _statement(
            _NEXT_EPSILON,
            _to_epsilon,
            tight=True,
            proof=_tight_falls_with_epsilon,
            false_variant=_rises_with_epsilon(),
        ),
        "b": _statement(
            _NEXT_EPSILON,
            _to_epsilon,
            tight=False,
            proof=_printed_falls_with_epsilon,
            false_variant=_statement(_NEXT_EPSILON, _to_epsilon, tight=False, increasing=True),
        ),
    },
    "biswas2023/section-V-C1/increasing-in-epsilon0": {
        "a": _statement(
            _NEXT_EPSILON0,
            _to_epsilon0,
            tight=True,
            increasing=True,
            proof=_tight_grows_with_epsilon0,
            false_variant=_statement(_NEXT_EPSILON0, _to_epsilon0, tight=True),
        ),
        "b": _statement(_NEXT_EPSILON0, _to_epsilon0, tight=False, increasing=True),
    },
    "biswas2023/section-V-C1/decreasing-in-n": {
        "a": _statement(
            _NEXT_N,
            _to_n,
            tight=True,
            proof=_tight_falls_with_n,
            false_variant=_statement(_NEXT_N, _to_n, tight=True, increasing=True),
        ),
        "b": _statement(_NEXT_N, _to_n, tight=False),
    },
    "biswas2023/section-V-C1/decreasing-in-k": {
        "a": _statement(_NEXT_K, _to_k, tight=True),
        "b": _statement(_NEXT_K, _to_k, tight=False),
    },
    "biswas2023/figure-1/text": {"": _rises_with_epsilon()},
    "biswas2023/figure-1/caption": {
        "a": _both_directions(tight=True),
        "b": _both_directions(tight=False),
    },
    "biswas2023/repair/decreasing-in-k-same-dataset": {"": _falls_with_k_same_dataset()},
}
