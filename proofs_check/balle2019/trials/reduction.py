"""The reduction to the privacy amplification random variable L, and what is said of L."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Any

import sympy

from exactdp.certificates import (
    Certificate,
    finite_pair,
    hockey_stick,
    positive_part,
    relation,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, decimal, is_below, log
from exactdp.numbers.real_functions import evaluate, evaluate_exact
from exactdp.shuffle import blanket_decomposition
from exactdp.truth import Truth
from proofs_check.balle2019 import bounds
from proofs_check.balle2019.trials.randomizers import (
    any_randomizer,
    expectation,
    gammas,
    losses,
    small_randomizers,
    worst_view,
)

__all__ = ["TRIALS"]


def _reduction(*, private: bool = True) -> Statement:
    """The expectation bounds every view; it misses messages that the blanket never sends."""

    def instances(effort: Effort) -> Iterator[Instance]:
        if not private:
            half, quarter = Fraction(1, 2), Fraction(1, 4)
            zero = Fraction(0)
            off_blanket = ((half, quarter, quarter), (half, half, zero))
            yield Instance.of(n=1, exp_epsilon=Fraction(1), rows=off_blanket)
            return
        sizes = [(2, 2, 4, 4), (2, 3, 4, 3), (3, 2, 4, 3), (3, 3, 4, 1)]
        for inputs, messages, weight, most in sizes:
            for rows in small_randomizers(inputs=inputs, messages=messages, weight=weight):
                for n in range(1, most + (effort is Effort.DEEP) + 1):
                    for gamma in gammas(Randomizer.from_matrix(rows)):
                        yield Instance.of(n=n, exp_epsilon=gamma, rows=rows)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, g, randomizer = v["n"], v["exp_epsilon"], Randomizer.from_matrix(v["rows"])
        parts = blanket_decomposition(randomizer)
        outcome, slack = "", None
        for inputs in permutations(range(randomizer.inputs), 2):
            bound = expectation(losses(parts, inputs, g), parts.gamma, n)
            true, _, others = worst_view(randomizer, n, g, [inputs])
            outcome = f"inputs {inputs}, others {others}: {true}, expectation {bound}"
            if true > bound:
                one, two = (v["rows"][x] for x in inputs)
                certificate = partial(_certificate, one, two, g) if n == 1 else None
                return Outcome(Truth.FALSE, outcome, certificate)
            if true > 0:
                ratio = (bound / true).as_fraction()
                slack = ratio if slack is None else min(slack, ratio)
        return Outcome(Truth.TRUE, outcome, slack=slack)

    return Statement(
        instances=instances,
        holds=holds,
        strategy=any_randomizer if private else None,
        proof=_reduction_proof if private else None,
        false_variant=_reduction(private=False) if private else None,
    )


def _certificate(one: Sequence[Fraction], two: Sequence[Fraction], g: Fraction) -> Certificate:
    """Return D > E[max(0, L)], for one user: then the expectation is that of one draw."""
    mean = sum(
        (positive_part(term(a) - term(g) * b) for a, b in zip(one, two, strict=True) if min(a, b)),
        term(0),
    )
    return Certificate(conclusion=[relation(">", hockey_stick(finite_pair(one, two), g), mean)])


def _reduction_proof() -> Proved | None:
    """The two identities of the argument, and the second route to its expectation."""
    n, m, gamma = sympy.symbols("n m gamma", positive=True)
    here = sympy.binomial(n - 1, m - 1) * gamma ** (m - 1) * (1 - gamma) ** (n - m) / m
    there = sympy.binomial(n, m) * gamma**m * (1 - gamma) ** (n - m) / (gamma * n)
    if sympy.simplify(sympy.gammasimp((here - there).rewrite(sympy.gamma))) != 0:
        return None
    for rows in small_randomizers(inputs=2, messages=3, weight=5):
        parts = blanket_decomposition(Randomizer.from_matrix(rows))
        for users in (1, 2, 3):
            law = losses(parts, (0, 1), Fraction(6, 5))
            view = parts.blanket_view(n=users)
            value = view.hockey_stick_divergence(exp_epsilon=Fraction(6, 5))
            if value != expectation(law, parts.gamma, users):
                return None
    return Proved(
        "all n, all eps0-DP randomizers with finite outputs, all neighboring datasets",
        "who sends a leftover, and which, is independent of the victim, so the view is a "
        "post-processing of the victim's message among M - 1 blanket messages, M - 1 ~ "
        "Bin(n-1, gamma); the likelihood of M messages is that of M draws of omega times their "
        "mean of R(x)/omega, and Pr[M = m]/m = Pr[Bin(n, gamma) = m]/(gamma n); the last two are "
        "computed",
    )


def _properties(*, tight: bool = False) -> Statement:
    """The properties of L over all small randomizers; with a factor 1/2 they are false."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for inputs, messages, weight in ((2, 2, 5), (2, 3, 5), (3, 3, 4)):
            for rows in small_randomizers(inputs=inputs, messages=messages, weight=weight):
                for gamma in gammas(Randomizer.from_matrix(rows)):
                    yield Instance.of(exp_epsilon=gamma, rows=rows)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        g, randomizer = v["exp_epsilon"], Randomizer.from_matrix(v["rows"])
        parts = blanket_decomposition(randomizer)
        epsilon0 = log(randomizer.ldp_epsilon().exp)
        epsilon = log(Exact(g))
        claimed = [
            evaluate(bound, epsilon=epsilon, epsilon0=epsilon0, gamma=parts.gamma)
            / (2 if tight else 1)
            for bound in (
                bounds.generic_maximum,
                bounds.generic_range,
                bounds.generic_second_moment,
            )
        ]
        outcome = Outcome(Truth.TRUE, "")
        for inputs in permutations(range(randomizer.inputs), 2):
            mean, *true = _moments(losses(parts, inputs, g))
            if mean != 1 - g:
                return Outcome(Truth.FALSE, f"E[L] {mean}")
            for name, value, bound in zip(("max", "range", "E[L^2]"), true, claimed, strict=True):
                fine = is_below(value, bound)
                if fine is not Truth.TRUE:
                    return Outcome(fine, f"{name} {value}, claimed {decimal(bound, digits=6)}")
        return outcome

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None,
        proof=None if tight else _properties_proof,
        false_variant=None if tight else _properties(tight=True),
    )


def _moments(law: list[tuple[Exact, Exact]]) -> tuple[Exact, Exact, Exact, Exact]:
    """Return E[L], max L, max L - min L and E[L^2]."""
    values = [value for value, _ in law]
    mean = sum((w * value for value, w in law), Exact(0))
    square = sum((w * value * value for value, w in law), Exact(0))
    return mean, max(values), max(values) - min(values), square


def _properties_proof() -> Proved | None:
    x, g, c = sympy.symbols("x g c", positive=True)
    # With R/omega = gamma u, R'/omega = gamma u' and 1 <= u, u' <= x, each claimed bound
    # exceeds the one that follows by a sum of nonnegative terms.
    maximum = sympy.expand(c * (x - g / x) - (c * (x - g) + c * g * (x - 1) / x))
    width = sympy.expand(c * (g + 1) * (x - 1 / x) - c * (1 + g) * ((x - 1) + (x - 1) / x))
    square = sympy.expand(
        (c * x * (g**2 + 1) - 2 * c**2 * g / x**2)
        - (c * x * (1 + g**2) - 2 * c * g)
        - 2 * c * g * (1 - c / x**2)
    )
    if any(sympy.simplify(rest) != 0 for rest in (maximum, width, square)):
        return None
    return Proved(
        "all eps0-DP randomizers with finite outputs, eps >= 0",
        "1 <= R(x)/min R, R(x')/min R <= e^eps0 gives L <= gamma (e^eps0 - e^eps), a range of at "
        "most gamma (e^eps + 1)(e^eps0 - 1), E[(R/omega)^2] <= gamma e^eps0 and "
        "E[R R'/omega^2] >= gamma, each at least as strong as printed",
    )


def _k_rr_variable(*, shift: int = 0) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        values = (Fraction(1, 10), Fraction(1, 2), Fraction(1))
        for k, x, epsilon in product((2, 3, 4, 7), (Fraction(3, 2), Fraction(4)), values):
            yield Instance.of(k=k, exp_epsilon0=x, epsilon=epsilon)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        k, epsilon = v["k"], v["epsilon"]
        parts = blanket_decomposition(randomized_response(k, Epsilon.log(v["exp_epsilon0"])))
        _, *true = _moments(losses(parts, (0, 1), Exact.exp(epsilon)))
        claimed = [
            evaluate_exact(bound, k=k + shift, epsilon=epsilon, gamma=parts.gamma)
            for bound in (bounds.k_rr_maximum, bounds.k_rr_range, bounds.k_rr_second_moment)
        ]
        return Outcome(Truth.of(true == claimed), f"{true}, claimed {claimed}")

    def proof() -> Proved | None:
        k, c, e = sympy.symbols("k c e", positive=True)
        same, spike = c * (1 - e), (1 - c) * k
        values = [same + spike, same - e * spike, same]
        weights = [1 / k, 1 / k, (k - 2) / k]
        square = sum(w * value**2 for w, value in zip(weights, values, strict=True))
        claimed = c * (2 - c) * (e - 1) ** 2 + (1 - c) ** 2 * k * (e**2 + 1)
        if sympy.simplify(square - claimed) != 0:
            return None
        return Proved(
            "all k >= 2, eps0 > 0, eps >= 0",
            "L is gamma (1 - e^eps), plus (1 - gamma) k at x, less e^eps (1 - gamma) k at x', and "
            "omega is uniform",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if shift == 0 else None,
        false_variant=_k_rr_variable(shift=1) if shift == 0 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "balle2019/reduction": {"a": _reduction(), "b": _reduction(private=False)},
    "balle2019/amplification-variable": {"": _properties()},
    "balle2019/amplification-variable/k-rr": {"": _k_rr_variable()},
}
