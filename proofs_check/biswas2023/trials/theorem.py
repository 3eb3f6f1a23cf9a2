"""Theorem IV.1 and what it rests on: Result 1, (14), the reductions of Sections IV-B and IV-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from exactdp.certificates import Certificate, finite_pair, hockey_stick, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.numbers import Exact
from exactdp.shuffle import worst_case
from exactdp.truth import Truth
from proofs_check.biswas2023 import bounds
from proofs_check.biswas2023.bounds import Counts, delta_hat, delta_hat_terms
from proofs_check.biswas2023.proof_steps import ALL_DATASETS, absorption_holds, bracket_is, vanishes
from proofs_check.biswas2023.protocol import (
    SIMPLE,
    X,
    count_masses,
    count_pair,
    count_view,
    definitions,
    histogram_pair,
    histogram_view,
    hypotheses,
    randomizer,
    small_counts,
)

__all__ = ["TRIALS", "count_delta_is_tight", "datasets", "hockey_stick_formula_is_exact"]

Others = tuple[tuple[int, int], ...]
"""The other users, as (input, count)."""


def epsilons() -> Iterator[tuple[Fraction, Fraction]]:
    """Yield (e^eps0, e^eps) with 1 < e^eps, simplest first."""
    for x, e in sorted(
        product((v for v in SIMPLE if v >= 2 or v == Fraction(3, 2)), SIMPLE),
        key=lambda pair: (sum(v.numerator + v.denominator for v in pair), pair),
    ):
        yield x, e


def datasets(*, n: int, k: int, first_k: int = 2) -> Iterator[tuple[Counts, Others]]:
    """Yield all datasets of the other users, by n_x0 and up to renaming of inputs >= 2."""
    for c in small_counts(n=n, k=k, first_k=first_k):
        seen = set()
        for rest in combinations_with_replacement(range(1, c.k), c.b):
            counts = [rest.count(v) for v in range(1, c.k)]
            key = (counts[0] if counts else 0, tuple(sorted(counts[1:], reverse=True)))
            if key not in seen:
                seen.add(key)
                canonical = [c.n_x0, key[0], *key[1]]
                yield c, tuple((v, m) for v, m in enumerate(canonical) if m)


def _count_instances(effort: Effort) -> Iterator[Instance]:
    largest = 4 if effort is Effort.DEFAULT else 7
    for c in small_counts(n=largest, k=3):
        for x, e in epsilons():
            yield Instance.of(n=c.n, k=c.k, n_x0=c.n_x0, exp_epsilon0=x, exp_epsilon=e)


def _histogram_instances(effort: Effort, *, first_k: int = 2) -> Iterator[Instance]:
    largest = 3 if effort is Effort.DEFAULT else 5
    for c, others in datasets(n=largest, k=4, first_k=first_k):
        for x, e in epsilons():
            yield Instance.of(
                n=c.n, k=c.k, n_x0=c.n_x0, others=others, exp_epsilon0=x, exp_epsilon=e
            )


def _counts(v: Mapping[str, Any]) -> Counts:
    return Counts(v["k"], v["n"], v["n_x0"])


def _certificate(x: Exact, k: int, relations: Sequence[Any]) -> Callable[[], Certificate]:
    return lambda: Certificate(
        define=definitions(x), hypotheses=hypotheses(x, k), conclusion=list(relations)
    )


def _compare(
    claimed: Exact, truth: Exact, what: str, certificate: Callable[[], Certificate]
) -> Outcome:
    if claimed == truth:
        return Outcome(Truth.TRUE)
    side = "below" if claimed < truth else "above"
    return Outcome(
        Truth.FALSE, f"formula {claimed}, {side} the exact {what} {truth}", certificate
    )


def _sign(claimed: Exact, truth: Exact) -> str:
    return ">" if truth > claimed else "<"


# --- Theorem IV.1 ---------------------------------------------------------------------


def _delta_statement(
    exp_loss: Callable[[Any, Counts, int], Any],
    *,
    proof: Callable[[], Proved | None] | None = None,
    false_variant: Statement | None = None,
) -> Statement:
    """(6) with some v_s against the exact delta of the count of x_0."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = _counts(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        truth = count_view(x, c).hockey_stick_divergence(exp_epsilon=e)
        claimed = delta_hat(delta_hat_terms(x, c, exp_loss=exp_loss), e)
        formula = delta_hat(delta_hat_terms(X, c, exp_loss=exp_loss), term(e))
        concluded = relation(_sign(claimed, truth), hockey_stick(count_pair(c), e), formula)
        return _compare(claimed, truth, "delta of the count", _certificate(x, c.k, [concluded]))

    return Statement(
        instances=_count_instances, holds=holds, proof=proof, false_variant=false_variant
    )


def _theorem_on_histograms() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = _counts(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        truth = histogram_view(x, c.k, v["others"]).hockey_stick_divergence(exp_epsilon=e)
        claimed = delta_hat(delta_hat_terms(x, c), e)
        formula = delta_hat(delta_hat_terms(X, c), term(e))
        pair = histogram_pair(c.k, v["others"])
        concluded = relation(_sign(claimed, truth), hockey_stick(pair, e), formula)
        return _compare(claimed, truth, "delta of the histogram", _certificate(x, c.k, [concluded]))

    return Statement(instances=_histogram_instances, holds=holds)


def _theorem_on_all_datasets() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = _counts(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        worst = worst_case([(randomizer(x, c.k), c.n)], exp_epsilon=e, inputs=(0, 1))
        claimed = delta_hat(delta_hat_terms(x, c), e)
        if claimed > worst.value:
            return Outcome(Truth.FALSE, f"formula {claimed} above the worst case {worst.value}")
        others = [(u.input, u.count) for u in worst.neighbors.others]
        formula = delta_hat(delta_hat_terms(X, c), term(e))
        concluded = relation(">", hockey_stick(histogram_pair(c.k, others), e), formula)
        return _compare(
            claimed,
            worst.value,
            f"delta over all datasets (attained at {worst.neighbors})",
            _certificate(x, c.k, [concluded]),
        )

    return Statement(instances=_count_instances, holds=holds)


def hockey_stick_formula_is_exact() -> bool:
    """Check (1 - e^eps / r) P = P - e^eps Q for r = P/Q, as rational functions.

    With r > e^eps exactly if P - e^eps Q > 0 (Q > 0), and with all of P where Q = 0,
    the sum over losses is the hockey-stick divergence, term by term.
    """
    import sympy

    p, q, e = sympy.symbols("p q e", positive=True)
    return vanishes((1 - e / (p / q)) * p - (p - e * q))


def count_delta_is_tight() -> Proved | None:
    """Return the proof that (6) with the second form of (15) is the count's exact delta."""
    steps = (
        bracket_is(bounds.line_2, first=True),
        bracket_is(bounds.equation_13, first=False),
        absorption_holds(),
        hockey_stick_formula_is_exact(),
    )
    if not all(steps):
        return None
    return Proved(
        f"{ALL_DATASETS}, eps > 0",
        "both masses by generating functions, then (1 - e^eps/r) P = P - e^eps Q term by term",
    )


# --- Result 1, (14) and the final display ----------------------------------------------


def _pair_instances(effort: Effort) -> Iterator[Instance]:
    size = 3 if effort is Effort.DEFAULT else 5
    weights = range(3)
    for length in range(1, size + 1):
        for p, q in product(product(weights, repeat=length), repeat=2):
            if sum(p) and sum(q):
                for e in (Fraction(3, 2), Fraction(2)):
                    yield Instance.of(p=_normal(p), q=_normal(q), exp_epsilon=e)


def _normal(weights: Sequence[int]) -> tuple[Fraction, ...]:
    return tuple(Fraction(w, sum(weights)) for w in weights)


def _losses(p: Sequence[Any], q: Sequence[Any]) -> tuple[dict[Any, Any], Any]:
    """Return omega by finite e^u, and omega at plus infinity (Definitions III.8, III.9)."""
    omega: dict[Any, Any] = {}
    infinite = p[0] * 0
    for a, b in zip(p, q, strict=True):
        if b == 0:
            infinite += a
        elif a != 0:
            omega[a / b] = omega.get(a / b, 0) + a
    return omega, infinite


def _result_1(*, one_index: bool) -> Statement:
    """(2), with u and v one index, or with v a second index that the summand ignores."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, e = v["p"], v["q"], v["exp_epsilon"]
        omega, infinite = _losses(p, q)
        inner = sum(((1 - e / u) * mass for u, mass in omega.items() if u > e), Fraction(0))
        claimed = Exact(infinite + (inner if one_index else inner * len(omega)))
        truth = hockey_stick_divergence(Pair.from_masses(p, q), exp_epsilon=Exact(e))
        return _compare(
            claimed,
            truth,
            "hockey-stick divergence",
            lambda: Certificate(conclusion=[relation("!=", hockey_stick(finite_pair(p, q), e), claimed)]),
        )

    def proof() -> Proved | None:
        if not hockey_stick_formula_is_exact():
            return None
        return Proved(
            "all pairs of laws on countably many outputs, all eps",
            "(1 - e^eps/r) P = P - e^eps Q term by term; the supremum over events is at P > e^eps Q",
        )

    return Statement(
        instances=_pair_instances,
        holds=holds,
        proof=proof if one_index else None,
        false_variant=_result_1(one_index=False) if one_index else None,
    )


def _grouped_delta(x: Exact, c: Counts, e: Exact) -> Exact:
    """Return the right side of (14), grouping outputs s by their loss v."""
    first, second = count_masses(x, c)
    omega, infinite = _losses(first, second)
    return sum(((1 - e / u) * mass for u, mass in omega.items() if u > e), infinite)


def _equation_14(*, histogram: bool) -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = _counts(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        claimed = _grouped_delta(x, c, e)
        others = v["others"]
        view = histogram_view(x, c.k, others) if histogram else count_view(x, c)
        truth = view.hockey_stick_divergence(exp_epsilon=e)
        pair = histogram_pair(c.k, others) if histogram else count_pair(c)
        concluded = relation(
            _sign(claimed, truth), hockey_stick(pair, e), hockey_stick(count_pair(c), e)
        )
        return _compare(claimed, truth, "delta", _certificate(x, c.k, [concluded]))

    def proof() -> Proved | None:
        if not hockey_stick_formula_is_exact():
            return None
        return Proved("all k > 2, n, n_x0, eps0 > 0, eps > 0", "Result 1 for the count of x_0")

    return Statement(
        instances=lambda effort: _histogram_instances(effort, first_k=3),
        holds=holds,
        proof=None if histogram else proof,
        false_variant=None if histogram else _equation_14(histogram=True),
    )


def _final_display_first_step(*, one_index: bool) -> Statement:
    """With two symbols, v is free and only the number of u > eps enters: for every loss v."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = _counts(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        first, second = count_masses(x, c)
        right = sum(
            ((1 - e * b / a) * a for a, b in zip(first, second, strict=True) if a / b > e),
            Exact(0),
        )
        if one_index:
            claimed = [_grouped_delta(x, c, e)]
        else:
            omega, _ = _losses(first, second)
            above = sum(1 for u in omega if u > e)
            claimed = [above * (1 - e / u) * mass for u, mass in omega.items()]
        wrong = next((value for value in claimed if value != right), None)
        if wrong is None:
            return Outcome(Truth.TRUE)
        concluded = relation("!=", hockey_stick(count_pair(c), e), wrong)
        return _compare(wrong, right, "right side", _certificate(x, c.k, [concluded]))

    def proof() -> Proved | None:
        return Proved(
            "all n, n_x0, k, eps0 > 0, eps > 0",
            "outputs s grouped by their loss: the same finite sum, reordered",
        )

    return Statement(
        instances=_count_instances,
        holds=holds,
        proof=proof if one_index else None,
        false_variant=_final_display_first_step(one_index=False) if one_index else None,
    )


def _final_display_last_step(*, factor: Fraction = Fraction(1)) -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = _counts(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        first, second = count_masses(x, c)
        by_definition = [(a / b, a) for a, b in zip(first, second, strict=True)]
        by_formula = [
            (a / b, bounds.equation_12(x, c, s) * factor)
            for s, (a, b) in enumerate(zip(first, second, strict=True))
        ]
        claimed, truth = delta_hat(by_formula, e), delta_hat(by_definition, e)
        concluded = relation("!=", hockey_stick(count_pair(c), e), claimed)
        return _compare(claimed, truth, "left side", _certificate(x, c.k, [concluded]))

    def proof() -> Proved | None:
        if factor != 1 or not (absorption_holds() and bracket_is(bounds.line_2, first=True)):
            return None
        return Proved(ALL_DATASETS, "(12) is P(M_x0(x_0) = s), proved by generating functions")

    return Statement(
        instances=_count_instances,
        holds=holds,
        proof=proof,
        false_variant=_final_display_last_step(factor=Fraction(99, 100)) if factor == 1 else None,
    )


# --- the reductions of Sections IV-B and IV-C -------------------------------------------


def _other_input_is_irrelevant(*, histogram: bool) -> Statement:
    """For fixed others, delta for (x_0, x_1) is the same for every x_1 other than x_0."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _histogram_instances(effort, first_k=3):
            yield at

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = _counts(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        values = {}
        for second in range(1, c.k):
            if histogram:
                view = histogram_view(x, c.k, v["others"], inputs=(0, second))
            else:
                view = count_view(x, c, inputs=(0, second))
            values[second] = view.hockey_stick_divergence(exp_epsilon=e)
        differing = next((s for s in values if values[s] != values[1]), None)
        if differing is None:
            return Outcome(Truth.TRUE)
        concluded = relation(
            "!=",
            hockey_stick(histogram_pair(c.k, v["others"], inputs=(0, 1)), e),
            hockey_stick(histogram_pair(c.k, v["others"], inputs=(0, differing)), e),
        )
        return Outcome(
            Truth.FALSE,
            f"delta is {values[1]} for (0, 1) and {values[differing]} for (0, {differing})",
            _certificate(x, c.k, [concluded]),
        )

    def proof() -> Proved | None:
        import sympy

        x, k = sympy.symbols("x k")
        c = 1 / (x + k - 1)
        # Seen through "x_0 or not", every input other than x_0 has the row (c, 1 - c).
        if not vanishes((x + k - 2) * c - (1 - c)):
            return None
        return Proved("all n, k, datasets, eps0, eps", "all x != x_0 have the same row (c, 1 - c)")

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if histogram else proof,
        false_variant=None if histogram else _other_input_is_irrelevant(histogram=True),
    )


def _direction_fixed_others() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, e = _counts(v), Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        forward, backward = (
            histogram_view(x, c.k, v["others"], inputs=i).hockey_stick_divergence(exp_epsilon=e)
            for i in ((0, 1), (1, 0))
        )
        if forward == backward:
            return Outcome(Truth.TRUE)
        concluded = relation(
            "!=",
            hockey_stick(histogram_pair(c.k, v["others"], inputs=(0, 1)), e),
            hockey_stick(histogram_pair(c.k, v["others"], inputs=(1, 0)), e),
        )
        return Outcome(
            Truth.FALSE,
            f"delta is {forward} for (x_0, x_1) and {backward} for (x_1, x_0)",
            _certificate(x, c.k, [concluded]),
        )

    return Statement(instances=_histogram_instances, holds=holds)


def _direction_all_datasets() -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(1, 4 if effort is Effort.DEFAULT else 6):
            for k in range(2, 5):
                for x, e in epsilons():
                    yield Instance.of(n=n, k=k, exp_epsilon0=x, exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, e = Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        # Both directions searched in full; nothing here uses the symmetry claimed.
        forward, backward = (
            worst_case([(randomizer(x, v["k"]), v["n"])], exp_epsilon=e, inputs=i).value
            for i in ((0, 1), (1, 0))
        )
        return Outcome(Truth.of(forward == backward), f"{forward} and {backward}")

    def proof() -> Proved | None:
        # Elements of Q(e) stand for rational functions of x: e is transcendental.
        x = Exact.exp(1)
        for k in range(2, 7):
            matrix = randomizer(x, k).rows
            swap = [1, 0, *range(2, k)]
            if any(
                matrix[i][j] != matrix[swap[i]][swap[j]] for i in range(k) for j in range(k)
            ):
                return None
        return Proved(
            "all n, k, eps0, eps",
            "the matrix depends only on whether input and message agree, so swapping x_0 and x_1 "
            "in inputs and messages maps datasets one to one and keeps every divergence",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof,
        false_variant=_direction_fixed_others(),
    )


def _equation_10_fixed() -> Statement:
    """delta-hat over the primary inputs in D_X, the other users' values as in D_X."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(1, 4 if effort is Effort.DEFAULT else 5):
            for k in range(2, 4):
                for data in combinations_with_replacement(range(k), n):
                    for x, e in epsilons():
                        yield Instance.of(data=data, k=k, exp_epsilon0=x, exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        data, k = v["data"], v["k"]
        x, e = Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        local = [
            (primary, second, tuple(sorted((u, rest.count(u)) for u in set(rest))))
            for index, primary in enumerate(data)
            for rest in [data[:index] + data[index + 1 :]]
            for second in range(k)
            if second != primary
        ]
        deltas = {
            (a, b, rest): histogram_view(x, k, rest, inputs=(a, b)).hockey_stick_divergence(
                exp_epsilon=e
            )
            for a, b, rest in set(local)
        }
        highest = max(deltas.values())
        worst = worst_case([(randomizer(x, k), len(data))], exp_epsilon=e)
        if worst.value <= highest:
            return Outcome(Truth.TRUE)
        others = [(u.input, u.count) for u in worst.neighbors.others]
        concluded = [
            relation(
                ">",
                hockey_stick(histogram_pair(k, others), e),
                hockey_stick(histogram_pair(k, rest, inputs=(a, b)), e),
            )
            for a, b, rest in deltas
        ]
        return Outcome(
            Truth.FALSE,
            f"delta-hat of D_X is {highest}, but M needs {worst.value} ({worst.neighbors})",
            _certificate(x, k, concluded),
        )

    return Statement(instances=instances, holds=holds)


def _equation_10_all() -> Statement:
    """delta-hat over primary inputs, ADP as in Definition III.2 (over all datasets)."""
    symmetric = _direction_all_datasets()

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, e, k = Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"]), v["k"]
        protocol = [(randomizer(x, k), v["n"])]
        # The worst over x_1 for one primary input, against the worst over everything.
        one = max(
            worst_case(protocol, exp_epsilon=e, inputs=(0, second)).value for second in range(1, k)
        )
        every = max(
            worst_case(protocol, exp_epsilon=e, inputs=(a, b)).value
            for a in range(k)
            for b in range(k)
            if a != b
        )
        return Outcome(Truth.of(one == every), f"{one} for x_0, {every} over all pairs")

    return Statement(
        instances=symmetric.instances,
        holds=holds,
        proof=symmetric.proof,
        false_variant=_equation_10_fixed(),
    )


_PRINTED = bounds.exp_privacy_loss_printed

TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/theorem-IV.1": {
        "a": _theorem_on_histograms(),
        "b": _delta_statement(_PRINTED),
        "c": _theorem_on_all_datasets(),
    },
    "biswas2023/section-I-A/contribution-1": {"": _theorem_on_histograms()},
    "biswas2023/equation-2": {
        "a": _result_1(one_index=False),
        "b": _result_1(one_index=True),
    },
    "biswas2023/equation-14": {
        "a": _equation_14(histogram=True),
        "b": _equation_14(histogram=False),
    },
    "biswas2023/appendix-A/final-display/first-step": {
        "a": _final_display_first_step(one_index=False),
        "b": _final_display_first_step(one_index=True),
    },
    "biswas2023/appendix-A/final-display/last-step": {"": _final_display_last_step()},
    "biswas2023/section-IV-B/x1-arbitrary": {
        "a": _other_input_is_irrelevant(histogram=False),
        "b": _other_input_is_irrelevant(histogram=True),
    },
    "biswas2023/section-IV-C/wlog-x0": {
        "a": _direction_fixed_others(),
        "b": _direction_all_datasets(),
    },
    "biswas2023/equation-10": {"a": _equation_10_all(), "b": _equation_10_fixed()},
    "biswas2023/repair/theorem-IV.1-count": {
        "": _delta_statement(
            bounds.exp_privacy_loss_form_2,
            proof=count_delta_is_tight,
            false_variant=_delta_statement(_PRINTED),
        )
    },
}
