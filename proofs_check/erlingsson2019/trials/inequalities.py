"""The inequalities over ranges of eps0, n and delta on which the proof of Theorem 7 rests.

Each is decided for all points of a box by ``exactdp.audit.boxes``; unbounded n enters
as t = 1/n, and a larger log(1/delta) only helps where it stands on the right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from exactdp.audit.boxes import FailsAt, HoldsOnBox, decide_on_box
from exactdp.certificates import Certificate, function, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Exact, decimal, exp, is_below, log, sqrt
from exactdp.truth import Truth

__all__ = ["TRIALS", "box_statement"]

Inequality = Callable[..., Any]
Box = Mapping[str, tuple[Any, Any]]


def box_statement(
    steps: Mapping[str, tuple[Inequality, Box]],
    *,
    false_variant: tuple[Inequality, Box] | None,
    note: str = "",
) -> Statement:
    """Return the statement that each named difference is at least 0 on all of its box.

    Args:
        steps: Name -> (difference over a number system, box).
        false_variant: A nearby difference that is negative somewhere on its box.
        note: What turns the boxes into the claim, for the evidence.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for name in steps:
            yield Instance.of(step=name)

    def holds(at: Instance) -> Outcome:
        inequality, box = steps[str(at["step"])]
        answer = decide_on_box(inequality, box)
        match answer:
            case HoldsOnBox():
                return Outcome(Truth.TRUE, f"{answer.domain}: {answer.by}")
            case FailsAt():
                return Outcome(Truth.FALSE, f"at {answer} the difference is negative")
            case _:
                return Outcome(Truth.UNKNOWN, answer.reason)

    def proof() -> Proved | None:
        found = [holds(at) for at in instances(Effort.DEFAULT)]
        if not all(outcome.truth is Truth.TRUE for outcome in found):
            return None
        return Proved(
            "; ".join(dict.fromkeys(o.found.partition(":")[0] for o in found)),
            "; ".join([o.found.partition(": ")[2] for o in found] + ([note] if note else [])),
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof,
        false_variant=box_statement({"variant": false_variant}, false_variant=None)
        if false_variant
        else None,
    )


HALF: Box = {"epsilon0": (0, Fraction(1, 2))}
LARGE_N: Box = {"epsilon0": (0, Fraction(1, 2)), "t": (0, Fraction(1, 1000))}


def _linear(f: Any, *, epsilon0: Any) -> Any:
    return 8 * epsilon0 - 2 * f.exp(2 * epsilon0) * (f.exp(epsilon0) - 1)


def _less_linear(f: Any, *, epsilon0: Any) -> Any:
    return 7 * epsilon0 - 2 * f.exp(2 * epsilon0) * (f.exp(epsilon0) - 1)


def _small(f: Any, *, epsilon0: Any, t: Any) -> Any:
    return Fraction(1, 250) - 2 * t * f.exp(2 * epsilon0) * (f.exp(epsilon0) - 1)


def _smaller(f: Any, *, epsilon0: Any, t: Any) -> Any:
    return Fraction(1, 300) - 2 * t * f.exp(2 * epsilon0) * (f.exp(epsilon0) - 1)


def _exp_below(slope: Fraction) -> Inequality:
    return lambda f, *, epsilon1: slope * epsilon1 - (f.exp(epsilon1) - 1)


def _square_below(factor: int) -> Inequality:
    """(65/64) n eps_1^2 <= 65 eps0^2 / n, times 64 n / 65."""

    def difference(f: Any, *, epsilon0: Any) -> Any:
        step = 2 * f.exp(2 * epsilon0) * (f.exp(epsilon0) - 1)
        return factor * epsilon0 * epsilon0 - step * step

    return difference


def _root_below(logarithm: int) -> Inequality:
    """(65 eps0^2 / n)^2 <= (2/3 eps0)^2 log(1/delta) / n, over eps0^2 / n, at the largest delta."""

    def difference(f: Any, *, epsilon0: Any, t: Any) -> Any:
        return Fraction(4, 9) * f.log(f.constant(logarithm)) - 4225 * epsilon0 * epsilon0 * t

    return difference


def _combination(total: Fraction) -> Inequality:
    """total >= 8 sqrt(2) + 2/3, on a box of one dummy point."""
    return lambda f, *, one: total * one - 8 * f.sqrt(2 * one) - Fraction(2, 3)


ONE: Box = {"one": (1, 1)}


def _log_below(slope: Fraction) -> Inequality:
    return lambda f, *, y: slope * y - f.log(1 + y)


def _log_statement() -> Statement:
    """log(1 + y) <= y for y = q (e^eps - 1) >= 0, of any size."""
    base = box_statement(
        {"y <= 8": (_log_below(Fraction(1)), {"y": (0, 8)})},
        false_variant=(_log_below(Fraction(9, 10)), {"y": (0, 8)}),
    )

    def proof() -> Proved | None:
        return Proved(
            "all q >= 0, eps >= 0",
            "e^y - 1 - y = sum over j >= 2 of y^j / j! >= 0 for y = q (e^eps - 1) >= 0",
        )

    return Statement(
        instances=base.instances, holds=base.holds, proof=proof, false_variant=base.false_variant
    )


def _chain(*, factor: Fraction = Fraction(6)) -> Statement:
    """n eps_1 (e^eps_1 - 1) <= 3 n eps_1^2 / 2 = 6 c^2 / n, eps_1 = 2 c / n <= 1/2."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (5, 10, 100, 10_000):
            for numerator in (1, 2, 3, 4):
                yield Instance.of(n=n, epsilon0=f"{numerator}/4 of ln(n/4)/3")

    def holds(at: Instance) -> Outcome:
        n = int(str(at["n"]))
        share = Fraction(int(str(at["epsilon0"])[0]), 4)
        epsilon0 = log(Fraction(n, 4)) * Exact(share / 3)
        c = exp(2 * epsilon0) * (exp(epsilon0) - 1)
        step = 2 * c / n
        before = n * step * (exp(step) - 1)
        after = Exact(factor) * c * c / n
        return Outcome(is_below(before, after), f"{decimal(before)} and {decimal(after)}")

    def proof() -> Proved | None:
        import sympy

        c, n = sympy.symbols("c n", positive=True)
        if sympy.simplify(Fraction(3, 2) * n * (2 * c / n) ** 2 - 6 * c**2 / n) != 0:
            return None
        if sympy.simplify((2 * c / n) * sympy.sqrt(2 * n) - c * sympy.sqrt(8 / n)) != 0:
            return None
        half = decide_on_box(_exp_below(Fraction(3, 2)), {"epsilon1": (0, Fraction(1, 2))})
        if not isinstance(half, HoldsOnBox):
            return None
        return Proved(
            "all n > 4, 0 < eps0 <= ln(n/4)/3, 0 < delta < 1",
            f"e^eps_1 - 1 <= 3 eps_1/2 ({half.by}), then two identities in c and n",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if factor == 6 else None,
        false_variant=_chain(factor=Fraction(3)) if factor == 6 else None,
    )


def _step_at_most_half(*, bound: Fraction = Fraction(1, 2)) -> Statement:
    """eps_1 <= 2 e^(3 eps0)/n <= 1/2 for e^(3 eps0) <= n/4."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for x in (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5)):
            yield Instance.of(exp_epsilon0=x, n=-(-4 * x**3 // 1))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, n = v["exp_epsilon0"], v["n"]
        first, second = 2 * x * x * (x - 1) / n, 2 * x**3 / n
        return Outcome(Truth.of(first <= second <= bound), f"{first}, {second}")

    def proof() -> Proved | None:
        import sympy

        x, n = sympy.symbols("x n", positive=True)
        if sympy.expand(2 * x**3 - 2 * x**2 * (x - 1) - 2 * x**2) != 0:
            return None
        if sympy.expand((2 * (n / 4)) / n - sympy.Rational(1, 2)) != 0:
            return None
        return Proved(
            "all n, eps0 <= ln(n/4)/3", "2x^3 - 2x^2(x-1) = 2x^2 >= 0, and 2(n/4)/n = 1/2"
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if bound == Fraction(1, 2) else None,
        false_variant=_step_at_most_half(bound=Fraction(1, 3)) if bound == Fraction(1, 2) else None,
    )


def _no_amplification() -> Statement:
    """For eps0 > ln(n/2)/3 the general bound exceeds eps0, for every n > 1 and delta."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3, 4, 5, 10):
            for epsilon0 in (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1)):
                for delta in (Fraction(1, 2), Fraction(19, 20), Fraction(1, 10)):
                    if is_below(log(Fraction(n, 2)), Exact(3 * epsilon0)) is Truth.TRUE:
                        yield Instance.of(n=n, epsilon0=epsilon0, delta=delta)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, e0, d = v["n"], v["epsilon0"], v["delta"]
        step = 2 * Exact.exp(2 * e0) * (Exact.exp(e0) - 1) / n
        bound = step * sqrt(2 * n * log(1 / d)) + n * step * (exp(step) - 1)

        def certificate() -> Certificate:
            x = function("exp", e0)
            s = 2 * x * x * (x - 1) / n
            value = s * function("sqrt", 2 * n * function("log", 1 / d)) + n * s * (
                function("exp", s) - 1
            )
            return Certificate(
                hypotheses=[relation(">", 3 * e0, function("log", Fraction(n, 2)))],
                conclusion=[relation("<", value, term(e0))],
            )

        return Outcome(
            is_below(Exact(e0), bound), f"the bound is {decimal(bound, digits=6)}", certificate
        )

    return Statement(instances=instances, holds=holds)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "erlingsson2019/lemma-4/epsilon-prime": {"": _log_statement()},
    "erlingsson2019/section-4/no-amplification": {"": _no_amplification()},
    "erlingsson2019/theorem-7/proof/epsilon1-half": {"": _step_at_most_half()},
    "erlingsson2019/theorem-7/proof/exp-half": {
        "": box_statement(
            {"eps_1 <= 1/2": (_exp_below(Fraction(3, 2)), {"epsilon1": (0, Fraction(1, 2))})},
            false_variant=(_exp_below(Fraction(5, 4)), {"epsilon1": (0, Fraction(1, 2))}),
        )
    },
    "erlingsson2019/theorem-7/proof/small-epsilon0-chain": {"": _chain()},
    "erlingsson2019/theorem-7/proof/epsilon1-linear": {
        "": box_statement(
            {"n eps_1 <= 8 eps0": (_linear, HALF)}, false_variant=(_less_linear, HALF)
        )
    },
    "erlingsson2019/theorem-7/proof/first-term": {
        "": box_statement(
            {"n eps_1 <= 8 eps0": (_linear, HALF)},
            false_variant=(_less_linear, HALF),
            note="both sides share the factor sqrt(2 log(1/delta)/n)",
        )
    },
    "erlingsson2019/theorem-7/proof/epsilon1-small": {
        "": box_statement({"eps_1 <= 1/250": (_small, LARGE_N)}, false_variant=(_smaller, LARGE_N))
    },
    "erlingsson2019/theorem-7/proof/65-64": {
        "": box_statement(
            {"eps_1 <= 1/250": (_exp_below(Fraction(65, 64)), {"epsilon1": (0, Fraction(1, 250))})},
            false_variant=(_exp_below(Fraction(501, 500)), {"epsilon1": (0, Fraction(1, 250))}),
        )
    },
    "erlingsson2019/theorem-7/proof/second-term": {
        "": box_statement(
            {
                "e^eps_1 - 1 <= 65/64 eps_1": (
                    _exp_below(Fraction(65, 64)),
                    {"epsilon1": (0, Fraction(1, 250))},
                ),
                "(n eps_1)^2 <= 64 eps0^2": (_square_below(64), HALF),
                "65 eps0 <= 2/3 sqrt(n log(1/delta))": (_root_below(100), LARGE_N),
            },
            false_variant=(_root_below(2), LARGE_N),
            note="log(1/delta) >= log 100",
        )
    },
    "erlingsson2019/theorem-7/proof/combination": {
        "": box_statement(
            {"8 sqrt 2 + 2/3 <= 12": (_combination(Fraction(12)), ONE)},
            false_variant=(_combination(Fraction(119, 10)), ONE),
        )
    },
}
