"""The proof of Theorem 8: the steps of A_swap, over all local randomizers for small n.

The exact maxima come from ``proofs_check.erlingsson2019.search``: every local randomizer
is post-processing of one with extremal columns, so a maximum over these is one over all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, function, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, decimal, exp, is_below
from exactdp.shuffle import AdaptiveRandomizers, swap_step, swapped_data
from exactdp.truth import Truth
from proofs_check.erlingsson2019.search import largest_swap_probability, largest_swap_step_ratio

__all__ = ["TRIALS"]

RATIOS = [Fraction(2), Fraction(3), Fraction(3, 2)]


def _steps(effort: Effort, *, first: int = 1) -> Iterator[Instance]:
    for n in (2, 3, 4) if effort is Effort.DEFAULT else (2, 3, 4, 5):
        for x in RATIOS:
            for step in range(first, n + 1):
                yield Instance.of(n=n, step=step, exp_epsilon0=x)


def _ratio(v: Mapping[str, Any]) -> Exact:
    return largest_swap_step_ratio(
        inputs=3, users=v["n"], step=v["step"], exp_epsilon0=v["exp_epsilon0"]
    )


def _probability(v: Mapping[str, Any]) -> Exact:
    return largest_swap_probability(
        inputs=3, users=v["n"], step=v["step"], exp_epsilon0=v["exp_epsilon0"]
    )


def _step_claim(power: int, *, divide: int = 1, first: int = 1, last: bool = True) -> Statement:
    """B^(i) is (2 x^power (x-1)/n)-DP at index 1 (divided by ``divide`` for a false variant)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        yield from (
            at for at in _steps(effort, first=first) if last or int(str(at["step"])) == first
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, n = v["exp_epsilon0"], v["n"]
        ratio, claimed = _ratio(v), 2 * x**power * (x - 1) / n / divide
        fine = is_below(ratio, exp(Exact(claimed)))
        return Outcome(fine, f"largest ratio {ratio}, claimed e^({claimed})")

    return Statement(instances=instances, holds=holds)


def _b_i() -> Statement:
    """The claim with e^eps0: small n first, then one randomizer that fails at n = 38.

    3-ary randomized response for every user, D = (2, 1, ..., 1, 0), D' = (0, 1, ..., 1, 0),
    after the history (0, 1, ..., 1) and at the output 2.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        yield from _steps(effort)
        yield Instance.of(n=37, step=37, exp_epsilon0=Fraction(10, 3))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x = v["n"], v["exp_epsilon0"]
        ratio = _ratio(v) if n < 10 else _last_step_ratio(n, x)
        claimed = 2 * x * (x - 1) / n
        fine = is_below(ratio, exp(Exact(claimed)))

        def certificate() -> Certificate:
            # Pr[s | I = j], in units of the smallest: I = 1, I = n, 1 < I < n.
            y = term(x)
            one, last, middle = y ** (n - 2), y ** (n - 1), (n - 2) * y ** (n - 3)
            first, second = one + last * y + middle, one + last + middle
            return Certificate(
                conclusion=[relation(">", first / second, function("exp", 2 * y * (y - 1) / n))]
            )

        return Outcome(fine, f"ratio {ratio}, claimed e^({claimed})", certificate)

    return Statement(instances=instances, holds=holds)


def _last_step_ratio(n: int, x: Fraction) -> Exact:
    steps = AdaptiveRandomizers.from_randomizers([randomized_response(3, Epsilon.log(x))] * n)
    history = [0] + [1] * (n - 2)
    middle = [1] * (n - 2)
    first = swap_step(steps, [2, *middle, 0], history).law[2]
    second = swap_step(steps, [0, *middle, 0], history).law[2]
    return first / second


def _epsilon_1_proof() -> Proved | None:
    import sympy

    a, p, x = sympy.symbols("a p x", positive=True)
    # mu = (1-p) a + p u, mu' = (1-p') a + p' u' at one output, u, u' in [a/x, x a]:
    # mu / a <= 1 + p (x - 1) and mu' / a >= 1 - p' (1 - 1/x), so ln of the ratio is at
    # most p (x-1) - ln(1 - p' (x-1)/x); with Lemma 4, mu' ~ a by log(1 + p' (x-1)).
    step = sympy.expand(((1 - p) * a + p * x * a) - a * (1 + p * (x - 1)))
    if step != 0:
        return None
    return Proved(
        "all n, all adaptive eps0-DP randomizers, all i",
        "p <= e^(2 eps0)/n, Lemma 4 (proved for all q) gives each mu within p (e^eps0 - 1) of "
        "mu_0 = mu_0', and Lemma 3's triangle inequality holds for delta = 0",
    )


def _epsilon_1() -> Statement:
    base = _step_claim(2)
    return Statement(
        instances=base.instances,
        holds=base.holds,
        proof=_epsilon_1_proof,
        false_variant=_step_claim(0, divide=8),
    )


def _p_bound(*, power: int = 2) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        yield from _steps(effort, first=2)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, x = _probability(v), v["exp_epsilon0"]
        claimed = x**power / v["n"]
        return Outcome(Truth.of(p <= claimed), f"largest p {p}, claimed {claimed}")

    def proof() -> Proved | None:
        return Proved(
            "all n, i, histories and adaptive eps0-DP randomizers",
            "sigma_i(D) and sigma_j(D) differ in at most two of the first i-1 positions "
            "(two-positions (b)), so each likelihood of s changes by at most e^(2 eps0); average",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if power == 2 else None,
        false_variant=_p_bound(power=0) if power == 2 else None,
    )


def _two_positions(*, prefix: bool) -> Statement:
    """sigma_i(D) and sigma_j(D) differ in at most two positions (prefix: of the first i-1)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(2, 7):
            for i, j in product(range(n), repeat=2):
                if i != j:
                    yield Instance.of(n=n, i=i + 1, j=j + 1)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, i, j = v["n"], v["i"] - 1, v["j"] - 1
        data = tuple(range(n))  # all elements different: the worst case
        a, b = swapped_data(data, i), swapped_data(data, j)
        end = i if prefix else n
        count = sum(u != w for u, w in zip(a[:end], b[:end], strict=True))
        return Outcome(
            Truth.of(count <= 2),
            f"{a} and {b} differ in {count} positions",
            lambda: Certificate(conclusion=[relation(">", count, 2)]),
        )

    return Statement(
        instances=instances,
        holds=holds,
        complete="n <= 6, all i and j (only positions 1, i and j are touched)" if prefix else None,
        false_variant=_two_positions(prefix=False) if prefix else None,
    )


def _mu0(*, first_step: bool, other: bool = False) -> Statement:
    """mu_0 = mu_0' (the false variant compares mu with mu')."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, x in product((2, 3), RATIOS):
            for data in product(range(3), repeat=n):
                if data[0] == 0:
                    yield Instance.of(n=n, exp_epsilon0=x, data=data)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, data = v["n"], v["data"]
        rr = randomized_response(3, Epsilon.log(v["exp_epsilon0"]))
        steps = AdaptiveRandomizers.from_randomizers([rr] * n)
        history = [] if first_step else [1] * (n - 1)
        one, two = (swap_step(steps, [first, *data[1:]], history) for first in (0, 1))
        same = one.law == two.law if other else one.law_elsewhere == two.law_elsewhere
        p_same = not first_step or one.probability_here == two.probability_here == Fraction(1, n)
        return Outcome(Truth.of(same and p_same), f"p = {one.probability_here}")

    def proof() -> Proved | None:
        return Proved(
            "all n, randomizers and datasets that differ in element 1",
            "given T != i the input of step i is x_T or x_i, not x_1; T is uniform at i = 1",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if other else proof,
        false_variant=None if other else _mu0(first_step=first_step, other=True),
    )


def _first_step(*, factor: Fraction = Fraction(1)) -> Statement:
    """mu_0 ~ ((e^eps0 - 1)/n, 0) mu at i = 1, over 3-ary randomized response and all data."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, x in product((2, 3, 4), RATIOS):
            for data in product(range(3), repeat=n):
                yield Instance.of(n=n, exp_epsilon0=x, data=data)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x = v["n"], v["exp_epsilon0"]
        rr = randomized_response(3, Epsilon.log(x))
        step = swap_step(AdaptiveRandomizers.from_randomizers([rr] * n), list(v["data"]), [])
        ratios = [
            max(step.law[y] / step.law_elsewhere[y], step.law_elsewhere[y] / step.law[y])
            for y in range(3)
        ]
        fine = is_below(max(ratios), exp(Exact(factor * (x - 1) / n)))
        return Outcome(fine, f"largest ratio {decimal(max(ratios), digits=6)}")

    def proof() -> Proved | None:
        return Proved(
            "all n >= 2, all eps0-DP randomizers",
            "quasi-convexity gives mu_0 ~ (eps0, 0) mu_1; Lemma 4 with q = 1/n, proved for all q",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if factor == 1 else None,
        false_variant=_first_step(factor=Fraction(1, 4)) if factor == 1 else None,
    )


def _first_conclusion() -> Statement:
    base = _step_claim(0, last=False)

    def proof() -> Proved | None:
        return Proved(
            "all n >= 2, all eps0-DP randomizers",
            "twice the first step, by the triangle inequality for delta = 0",
        )

    return Statement(
        instances=base.instances,
        holds=base.holds,
        proof=proof,
        false_variant=_step_claim(0, divide=4, last=False),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "erlingsson2019/theorem-8/proof/B-i": {"": _b_i()},
    "erlingsson2019/theorem-8/proof/case-1/mu0": {"": _mu0(first_step=True)},
    "erlingsson2019/theorem-8/proof/case-1/first-step": {
        "a": _first_step(),
        "b": Open("the symbol e^eps with index 0 has no meaning in the paper"),
    },
    "erlingsson2019/theorem-8/proof/case-1/conclusion": {"": _first_conclusion()},
    "erlingsson2019/theorem-8/proof/case-2/mu0": {"": _mu0(first_step=False)},
    "erlingsson2019/theorem-8/proof/two-positions": {
        "a": _two_positions(prefix=False),
        "b": _two_positions(prefix=True),
    },
    "erlingsson2019/theorem-8/proof/likelihood-ratio": {"": _p_bound()},
    "erlingsson2019/theorem-8/proof/p-bound": {"": _p_bound()},
    "erlingsson2019/theorem-8/proof/epsilon1": {"": _epsilon_1()},
}
