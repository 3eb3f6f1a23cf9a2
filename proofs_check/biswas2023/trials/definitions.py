"""Sections I and III: definitions, remarks and what follows from them directly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from exactdp.certificates import (
    Certificate,
    finite_pair,
    hockey_stick,
    mass,
    relation,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Epsilon, Exact, decimal, is_below
from exactdp.truth import Truth
from proofs_check.biswas2023.bounds import Counts, kappa1, kappa2, kappa3
from proofs_check.biswas2023.proof_steps import vanishes
from proofs_check.biswas2023.protocol import (
    SIMPLE,
    definitions,
    histogram_pair,
    histogram_view,
    hypotheses,
    randomizer,
    small_counts,
)

__all__ = ["TRIALS"]


# --- Remark 1 ---------------------------------------------------------------------------


def _neighboring_pairs(alphabet: int, n: int) -> set[tuple[Any, Any]]:
    """The ordered pairs of datasets that differ in exactly one place."""
    datasets = list(product(range(alphabet), repeat=n))
    return {
        (d, e)
        for d, e in product(datasets, repeat=2)
        if sum(a != b for a, b in zip(d, e, strict=True)) == 1
    }


def _adaptive_pairs(alphabet: int, n: int, members: range) -> set[tuple[Any, Any]]:
    """The pairs D(x), D(x') of Definition III.2, for all x != x' and the given members u."""
    pairs = set()
    for u in members:
        for rest in product(range(alphabet), repeat=n - 1):
            for x0, x1 in permutations(range(alphabet), 2):
                pairs.add(((*rest[:u], x0, *rest[u:]), (*rest[:u], x1, *rest[u:])))
    return pairs


def _sizes(effort: Effort) -> Iterator[Instance]:
    for n in range(1, 5 if effort is Effort.DEFAULT else 7):
        for alphabet in range(2, 4):
            yield Instance.of(n=n, alphabet=alphabet)


def _pairs_agree(*, members_fixed: bool) -> Statement:
    """ADP over the given members quantifies over the same pairs as DP."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        members = range(1) if members_fixed else range(v["n"])
        adaptive = _adaptive_pairs(v["alphabet"], v["n"], members)
        missing = _neighboring_pairs(v["alphabet"], v["n"]) - adaptive
        if not missing:
            return Outcome(Truth.TRUE)
        d, e = min(missing)
        place = next(i for i, (a, b) in enumerate(zip(d, e, strict=True)) if a != b)
        same, apart = finite_pair([1, 0], [1, 0]), finite_pair([1, 0], [0, 1])
        return Outcome(
            Truth.FALSE,
            f"K(D) = D_{place + 1} is (eps, 0)-ADP for u = 1, yet tells {d} from {e} with delta 1",
            lambda: Certificate(
                conclusion=[
                    relation("=", hockey_stick(same, Exact(2)), 0),
                    relation("=", hockey_stick(apart, Exact(2)), 1),
                ]
            ),
        )

    return Statement(
        instances=_sizes,
        holds=holds,
        complete=None
        if members_fixed
        else "all mechanisms on n <= 4 users with 2 or 3 values (the pairs quantified over agree)",
        false_variant=None if members_fixed else _pairs_agree(members_fixed=True),
    )


def _dp_implies_adp(*, differing: int = 1) -> Statement:
    """Every pair of ADP differs in exactly one place (the false variant: in two)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        pairs = _adaptive_pairs(v["alphabet"], v["n"], range(v["n"]))
        wrong = [p for p in pairs if sum(a != b for a, b in zip(*p, strict=True)) != differing]
        return Outcome(Truth.of(not wrong), f"{len(wrong)} of {len(pairs)} pairs are no neighbors")

    return Statement(
        instances=_sizes,
        holds=holds,
        complete="all mechanisms on n <= 4 users with 2 or 3 values",
        false_variant=_dp_implies_adp(differing=2) if differing == 1 else None,
    )


# --- Definitions III.5, III.7, III.9; Remark 2; Table I ----------------------------------


def _matrix_instances(effort: Effort) -> Iterator[Instance]:
    for k in range(2, 7 if effort is Effort.DEFAULT else 20):
        for x in (*SIMPLE, Fraction(1)):
            yield Instance.of(k=k, exp_epsilon=x)


def _rows(x: Any, k: int, shift: int) -> list[list[Any]]:
    c = 1 / (x + (k - 1 + shift))
    return [[x * c if i == j else c for j in range(k)] for i in range(k)]


def _normalization(*, shift: int = 0) -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        sums = [sum(row, Exact(0)) for row in _rows(Exact(v["exp_epsilon"]), v["k"], shift)]
        return Outcome(Truth.of(all(s == 1 for s in sums)), f"row sums {sums[0]}")

    def proof() -> Proved | None:
        import sympy

        x, k = sympy.symbols("x k")
        c = 1 / (x + k - 1)
        if not vanishes(x * c + (k - 1) * c - 1):
            return None
        return Proved("all k >= 1, all eps", "c e^eps + (k-1) c = 1 in Q(e^eps, k); both positive")

    return Statement(
        instances=_matrix_instances,
        holds=holds,
        proof=proof if shift == 0 else None,
        false_variant=_normalization(shift=1) if shift == 0 else None,
    )


def _ldp(*, exponent: int = 1) -> Statement:
    """k-RR is ln(x)-LDP (the false variant: ln(x)/2, tested as ratio^2 <= x)."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x = Exact(v["exp_epsilon"])
        ratio = randomizer(x, v["k"]).ldp_epsilon()
        return Outcome(Truth.of(exponent * ratio <= Epsilon(x)), f"largest loss {ratio}")

    def proof() -> Proved | None:
        import sympy

        x, k = sympy.symbols("x k")
        c = 1 / (x + k - 1)
        # A column holds x c once and c otherwise: its ratios are x, 1/x and 1.
        if not (vanishes((x * c) / c - x) and vanishes(c / (x * c) - 1 / x)):
            return None
        return Proved("all k >= 2, all eps >= 0", "a column's ratios are e^eps, e^-eps and 1")

    return Statement(
        instances=_matrix_instances,
        holds=holds,
        proof=proof if exponent == 1 else None,
        false_variant=_ldp(exponent=2) if exponent == 1 else None,
    )


def _user_indexed_frequencies() -> Statement:
    """(s_1, ..., s_n) of Definition III.7 against the histogram of Section IV-C."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(1, 4):
            for k in range(2, 4):
                yield Instance.of(n=n, k=k, exp_epsilon0=Fraction(2), exp_epsilon=Fraction(3, 2))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, k, x, e = v["n"], v["k"], Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        data = [(0,) + (1,) * (n - 1), (1,) * n]
        laws: list[dict[Any, Exact]] = [{}, {}]
        for law, inputs in zip(laws, data, strict=True):
            for messages in product(range(k), repeat=n):
                weight = Exact(1)
                for i, y in zip(inputs, messages, strict=True):
                    weight *= randomizer(x, k).rows[i][y]
                printed = tuple(Fraction(messages.count(y), n) for y in messages)
                law[printed] = law.get(printed, Exact(0)) + weight
        literal = sum(
            (max(Exact(0), m - e * laws[1].get(s, 0)) for s, m in laws[0].items()), Exact(0)
        )
        view = histogram_view(x, k, [(1, n - 1)])
        histogram = view.hockey_stick_divergence(exp_epsilon=e)
        if n == k and literal == histogram:
            return Outcome(Truth.TRUE)
        outcomes = list(dict.fromkeys([*laws[0], *laws[1]]))
        pair = finite_pair(
            [laws[0].get(s, Exact(0)) for s in outcomes],
            [laws[1].get(s, Exact(0)) for s in outcomes],
        )
        return Outcome(
            Truth.FALSE,
            f"(s_1, ..., s_n) has {n} entries, the histogram {k}; delta {literal} and {histogram}",
            lambda: Certificate(
                define=definitions(x),
                hypotheses=hypotheses(x, k),
                conclusion=[
                    relation(
                        "!=",
                        hockey_stick(pair, e),
                        hockey_stick(histogram_pair(k, [(1, n - 1)]), e),
                    )
                ],
            ),
        )

    return Statement(instances=instances, holds=holds)


def _losses_are_real() -> Statement:
    """U, a set of values of the privacy loss (1), lies in the real numbers."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for p, q in (((1,), (1,)), ((1, 0), (Fraction(1, 2), Fraction(1, 2))), ((1, 0), (0, 1))):
            yield Instance.of(p=p, q=q)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q = v["p"], v["q"]
        infinite = next((y for y, (a, b) in enumerate(zip(p, q, strict=True)) if a > 0 == b), None)
        if infinite is None:
            # (1) also sets the loss to minus infinity where P(y) = 0.
            infinite = next((y for y, a in enumerate(p) if a == 0), None)
        if infinite is None:
            return Outcome(Truth.TRUE)
        pair = finite_pair(p, q)
        sign = "plus" if p[infinite] > 0 else "minus"
        side = "p" if sign == "minus" else "q"
        return Outcome(
            Truth.FALSE,
            f"P = {p[infinite]}, Q = {q[infinite]} at output {infinite}: loss {sign} infinity",
            lambda: Certificate(
                conclusion=[
                    relation("=", mass(pair, side, infinite), 0),
                    relation(">", mass(pair, "p" if side == "q" else "q", infinite), 0),
                ]
            ),
        )

    return Statement(instances=instances, holds=holds)


def _kappas_positive(*, bound: int = 0) -> Statement:
    """All three kappas exceed ``bound`` (the false variant: 1)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for c in small_counts(n=4, k=5):
            for s in range(6):
                yield Instance.of(n=c.n, k=c.k, n_x0=c.n_x0, s=s, exp_epsilon0=Fraction(3, 2))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, c = Exact(v["exp_epsilon0"]), Counts(v["k"], v["n"], v["n_x0"])
        values = (kappa1(x, c.k), kappa2(x, c.k), kappa3(x, c, v["s"]))
        return Outcome(Truth.of(all(value > bound for value in values)), f"kappas {values}")

    def proof() -> Proved | None:
        import sympy

        u, w = sympy.symbols("u w")
        x, k = 1 + u, 2 + w  # u > 0 and w >= 0 are all of eps0 > 0, k >= 2
        bases = [x, k - 1, x + k - 2, x + k - 1]
        for base in bases:
            coefficients = sympy.Poly(base, u, w).as_expr().as_coefficients_dict()
            if sympy.Poly(base, u, w).eval({u: 0, w: 0}) < 1 or min(coefficients.values()) < 0:
                return None
        return Proved(
            "all eps0 > 0, n, k >= 2, n_x0, s",
            "with x = 1+u, k = 2+w all bases have nonnegative coefficients and constant term >= 1; "
            "the kappas are products of their powers",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if bound == 0 else None,
        false_variant=_kappas_positive(bound=1) if bound == 0 else None,
    )


def _constant_c(*, printed: str = "0.86") -> Statement:
    def holds(at: Instance) -> Outcome:
        value = 1 - Exact.exp(-2)
        digits = len(printed) - 2
        shown = decimal(value, digits=digits)
        near = is_below(abs(value - Exact(printed)), Exact(Fraction(1, 2 * 10**digits)))
        return Outcome(near, f"1 - e^-2 = {decimal(value, digits=12)}, to {digits} digits {shown}")

    return Statement(
        instances=lambda effort: [Instance.of(printed=printed)],
        holds=holds,
        complete="the constant, rounded to two digits",
        false_variant=_constant_c(printed="0.87") if printed == "0.86" else None,
    )


def _equation_57() -> Statement:
    numbered = range(1, 16)
    """The paper's displayed equations are numbered (1) to (15)."""

    def holds(at: Instance) -> Outcome:
        return Outcome(
            Truth.of(57 in numbered),
            f"the paper's last numbered equation is ({numbered[-1]}); there is no (57)",
            lambda: Certificate(conclusion=[relation(">", 57, numbered[-1])]),
        )

    return Statement(instances=lambda effort: [Instance.of(equation=57)], holds=holds)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/remark-1/adp-implies-dp": {
        "a": _pairs_agree(members_fixed=True),
        "b": _pairs_agree(members_fixed=False),
    },
    "biswas2023/remark-1/dp-implies-adp": {"": _dp_implies_adp()},
    "biswas2023/definition-III.5/normalization": {"": _normalization()},
    "biswas2023/definition-III.5/ldp": {"": _ldp()},
    "biswas2023/definition-III.7": {"": _user_indexed_frequencies()},
    "biswas2023/definition-III.9/U": {"": _losses_are_real()},
    "biswas2023/remark-2": {"": _kappas_positive()},
    "biswas2023/table-I/C": {"": _constant_c()},
    "biswas2023/section-V-C1/equation-57": {"": _equation_57()},
    "biswas2023/section-IV-A/feldman-bound": {
        "": Open(
            "an asymptotic bound with unstated constant and range, quoted from [12], which is not "
            "among the papers at hand: no finite set of instances decides it"
        )
    },
}
