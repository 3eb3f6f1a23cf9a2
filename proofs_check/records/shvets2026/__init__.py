"""Limits of shuffled messages with two outputs, beside the exact laws of the histograms.

A user with a zero sends the output 1 with probability p, with a one with probability q. All numbers
of an instance are rational, so the laws are, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import comb
from typing import Any

from exactdp.audit.algebra import identity
from exactdp.audit.claimed import in_numbers
from exactdp.claims import (
    Cases,
    Falls,
    Relation,
    Said,
    Statement,
    Term,
    Trials,
    above,
    at_least,
    at_most,
    cases,
    equal,
    for_all,
    function,
    hockey_stick,
    integers,
    named,
    positive_part,
    proof,
    reals,
    shuffle_pair,
    sum_over,
    term,
    total,
    words,
)

__all__ = ["TRIALS"]

Law = Sequence[Fraction]
QUARTER = Fraction(1, 4)


def constant(p: Any, q: Any, pi: Any) -> Any:
    """Return I_π: (q − p)² over the variance of a user's output, given the input."""
    variance = (1 - term(pi)) * p * (1 - term(p)) + pi * term(q) * (1 - term(q))
    return (q - term(p)) ** 2 / variance


def proxy(p: Any, q: Any, pi: Any) -> Any:
    """Return the same with the variance of an output."""
    mean = (1 - term(pi)) * p + pi * term(q)
    return (q - term(p)) ** 2 / (mean * (1 - mean))


def is_larger(p: Any, q: Any, pi: Any, factor: int = 1) -> Relation:
    """Compare both constants."""
    return above(constant(p, q, pi), factor * proxy(p, q, pi))


CHANNELS = cases(
    p=(QUARTER, Fraction(1, 10**6)), q=(Fraction(3, 4),), pi=(Fraction(1, 2), Fraction(1, 10**6))
).within(p=reals(above=0, below=1), q=reals(above=lambda p: p, below=1), pi=reals(above=0, below=1))


@lru_cache(maxsize=256)
def histogram(n: int, ones: int, p: Fraction, q: Fraction) -> Law:
    """Return the law of how many send the output 1."""

    def binomial(count: int, x: Fraction) -> Law:
        return [comb(count, i) * x**i * (1 - x) ** (count - i) for i in range(count + 1)]

    zeros, rest = binomial(n - ones, p), binomial(ones, q)
    found = [Fraction(0)] * (n + 1)
    for i, x in enumerate(zeros):
        for j, y in enumerate(rest):
            found[i + j] += x * y
    return found


def divergence(n: int, ones: int, p: Fraction, q: Fraction) -> Term:
    """Return the Jensen-Shannon divergence of one more user with a one, in nats."""
    laws = histogram(n, ones, p, q), histogram(n, ones + 1, p, q)
    return total(
        [
            x / 2 * function("log", 2 * x / (y + z))
            for y, z in zip(*laws, strict=True)
            for x in (y, z)
        ]
    )


def within(left: Any, right: Any, allowed: Any) -> Said:
    """Say that two numbers differ by so much at most."""
    return Said([at_most(left - right, allowed), at_least(left - right, -allowed)])


def leading(n: int, ones: int, p: Fraction, q: Fraction, factor: Fraction = Fraction(1)) -> Said:
    """Compare n² times the difference from the leading term with I(1 + I)/8."""
    i = constant(p, q, Fraction(ones, n))
    return within(divergence(n, ones, p, q), i / (8 * n), factor * i * (1 + i) / (8 * n**2))


def near(n: int, ones: int, p: Fraction, q: Fraction, factor: Fraction = Fraction(1)) -> Said:
    """Compare the difference from the leading term with a hundredth of it."""
    found = constant(p, q, Fraction(ones, n)) / (8 * n)
    return within(divergence(n, ones, p, q), found, factor * found / 100)


def curve(n: int, loss: int, t: Fraction) -> tuple[Term, Term, Term]:
    """Return δ at ε = t μ_n of randomized response with e^ε0 = loss, its limit, and I."""
    p, half = Fraction(1, loss + 1), n // 2
    i = term(Fraction((loss - 1) ** 2, loss))
    mu = named("mu", function("sqrt", i / n))
    pair = shuffle_pair(
        [[1 - p, p], [p, 1 - p]], inputs=(0, 1), others=[(0, n - half - 1), (1, half)]
    )
    density = function("exp", -(t**2) / 2) / function("sqrt", 2 * Term("pi"))
    limit = mu * (density - t * function("normal_cdf", -t))
    return hockey_stick(pair, named("g", function("exp", t * mu))), limit, i


def by_curve(n: int, loss: int, t: Fraction, factor: Fraction = Fraction(1)) -> Said:
    """Compare n times the difference from the limit with I/8."""
    exact, limit, i = curve(n, loss, t)
    return within(named("delta", exact), limit, factor * i / (8 * n))


def near_curve(n: int, loss: int, t: Fraction, factor: Fraction = Fraction(1)) -> Said:
    """Compare the difference from the limit with a hundredth of it."""
    exact, limit, _ = curve(n, loss, t)
    return within(named("delta", exact), limit, factor * limit / 100)


def chi_squared(p: Any, q: Any) -> Any:
    """Return χ²(W_1 ‖ W_0) of two outputs: (q − p)²/(p(1 − p))."""
    return (q - term(p)) ** 2 / (p * (1 - term(p)))


def two_terms(n: int, p: Fraction, q: Fraction, factor: Fraction = Fraction(1)) -> Said:
    """Compare n³ times the difference from two terms with χ²(1 + χ⁴)."""
    x = (q - p) ** 2 / (p * (1 - p))
    moment = p * (q / p - 1) ** 3 + (1 - p) * ((1 - q) / (1 - p) - 1) ** 3
    expansion = x / (8 * n) + (Fraction(7, 64) * x**2 - moment / 16) / n**2
    return within(divergence(n, 0, p, q), term(expansion), factor * x * (1 + x**2) / n**3)


def messages(p: Any, q: Any, m: Any, more: int = 0) -> Relation:
    """Compare χ² of m messages, by how many are 1, with (1 + χ²)^m − 1."""

    def part(i: Term) -> Term:
        top, bottom = (term(x) ** i * (1 - term(x)) ** (m - i) for x in (q, p))
        found: Term = function("binomial", m, i) * top * top / bottom
        return found

    return equal(sum_over("i", 0, m, part) - 1, (1 + chi_squared(p, q)) ** m - 1 + more)


def poisson(rate: Fraction, exp_epsilon: Any, moved: tuple[int, int], most: int) -> Term:
    """Return δ of a Poisson variable and the same plus 1, in one of both orders, to ``most``."""

    def mass(i: int) -> Fraction:
        found = Fraction(1) if i >= 0 else Fraction(0)
        for j in range(1, i + 1):
            found *= rate / j
        return found

    p, q = ([mass(i - move) for i in range(most + 1)] for move in moved)
    excess = [positive_part(x - exp_epsilon * y) for x, y in zip(p, q, strict=True)]
    found: Term = function("exp", -rate) * total(excess)
    return found


def by_poisson(
    n: int, rate: Fraction, exp_epsilon: Fraction, turned: int, factor: Fraction = Fraction(1)
) -> Said:
    """Compare n times the difference from the limit with (1 + e^ε) λ (3 + λ).

    Beyond 60 + 10λ a Poisson variable has less than 1e-30 of its mass.
    """
    p = rate / (n + rate)
    laws = [histogram(n, ones, p, 1 - p) for ones in (0, 1)]
    left, right = laws[::-1] if turned else laws
    exact = sum(max(Fraction(0), x - exp_epsilon * y) for x, y in zip(left, right, strict=True))
    most = 60 + int(10 * rate)
    limit = poisson(rate, exp_epsilon, (1, 0) if turned else (0, 1), most)
    return within(term(exact), limit, factor * (1 + exp_epsilon) * rate * (3 + rate) / n)


def of(over: Cases, says: Any, falls: Falls = Falls.REMARK) -> Statement:
    """Return a reading; with no room at all it is false."""
    return for_all(over, says, wrong=partial(says, factor=Fraction(0)), falls=falls)


PAIRS = {
    "p": reals(Fraction(1, 50), Fraction(1, 2)),
    "q": reals(lambda p: p + QUARTER / 4, Fraction(49, 50)),
}
COMPOSED = cases(
    n=(12, 40),
    ones=lambda n: [n // 2, n // 4],
    p__q=[(QUARTER, 3 * QUARTER), (Fraction(1, 8), QUARTER)],
).within(n=integers(10, 60), ones=integers(lambda n: n / 4, lambda n: 3 * n / 4), **PAIRS)
CURVES = cases(
    n=(10, 30, 100), loss=(3, 2), t=(Fraction(0), Fraction(1), Fraction(2), Fraction(3))
).within(n=integers(10, 200), loss=integers(2, 20), t=reals(0, 3))
ALL_ZERO = cases(n=(10, 40), p__q=[(QUARTER, 3 * QUARTER), (Fraction(1, 8), QUARTER)]).within(
    n=integers(10, 80), **PAIRS
)
LIMITS = cases(
    n=(10, 40),
    rate=(Fraction(1), Fraction(1, 2), Fraction(5)),
    exp_epsilon=(Fraction(1), Fraction(3)),
    turned=(0, 1),
).within(
    n=integers(10, 80),
    rate=reals(Fraction(1, 10), 8),
    exp_epsilon=reals(1, 50),
    turned=integers(0, 1),
)

TRIALS: Trials = {
    "records/shvets2026/fisher-constant": for_all(
        CHANNELS,
        is_larger,
        wrong=partial(is_larger, factor=10**9),
        proof=in_numbers(),
        falls=Falls.RESULT,
    ),
    "records/shvets2026/jensen-shannon": {
        "a": of(COMPOSED, leading),
        "b": of(
            cases(n=(10, 20, 40), ones=lambda n: [n // 2], p=(QUARTER,), q=(3 * QUARTER,)), near
        ),
    },
    "records/shvets2026/privacy-curve": {
        "a": of(CURVES, by_curve),
        "b": of(cases(n=(30, 100), loss=(3,), t=(Fraction(1),)), near_curve),
    },
    "records/shvets2026/two-terms": {"a": of(ALL_ZERO, two_terms)},
    "records/shvets2026/messages": for_all(
        cases(
            p=(QUARTER, Fraction(1, 3)), q=(Fraction(3, 4), Fraction(1, 2)), m=(1, 2, 3, 10)
        ).within(p=reals(above=0, below=1), q=reals(0, 1), m=integers(1, draws=40)),
        messages,
        wrong=partial(messages, more=1),
        proof=proof(
            words("the sum over how many messages are 1 is the binomial theorem's"),
            identity(
                "of one message: the sum of squares over masses is 1 + χ²",
                "p q",
                lambda p, q: (
                    q * q / p + (1 - q) * (1 - q) / (1 - p),
                    1 + (q - p) * (q - p) / (p * (1 - p)),
                ),
            ),
        ),
        falls=Falls.RESULT,
    ),
    "records/shvets2026/poisson-limit": {"a": of(LIMITS, by_poisson)},
}
