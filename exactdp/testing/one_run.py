"""Privacy auditing with one training run: the largest ε that an auditor's right guesses rule out.

Each of m canaries is in the data or not, by a fair coin of its own. From the output the auditor
guesses r of these coins, abstains on the others, and v guesses are right. If the algorithm is
(ε, δ)-DP for adding or removing a record, the probability of so many right guesses is at most

    p(ε) = β + 2mδ·α,   β = Pr[W ≥ v],   α = max over i = 1, ..., m of Pr[v > W ≥ v − i]/i,

with W binomial of r trials, each right with probability e^ε/(e^ε + 1). So where p(ε) is at most a
level, no (ε, δ)-DP algorithm does it but with that probability: (ε, δ)-DP is refuted at the
confidence 1 − level, and so is every smaller ε, which is the stronger promise. Whom to guess may
depend on the output; m, r, δ and the level are chosen before it is seen.

The sums Pr[v > W ≥ v − i] are of masses that rise towards the mode of W and fall beyond it: once
the next mass is below their mean the means fall forever, and the maximum is the last one.

Reference: T. Steinke, M. Nasr and M. Jagielski, Privacy Auditing with One (1) Training Run,
NeurIPS 2023, arXiv 2305.08846v1: Theorem 5.2, in the form of the code of its Appendix D
(p_value_DP_audit, get_eps_audit), whose ``eps`` is the lower end of ours, by bisection in doubles.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import log
from typing import Any

from flint import arb

from exactdp.claims import Certificate, Term, function, named, sum_over, term, total
from exactdp.errors import DomainError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    RationalLike,
    Real,
    count_text,
    enclosure,
    precision,
    refuse_above,
    working_bits,
)
from exactdp.numbers.arguments import (
    exact,
    open_probability,
    privacy_epsilon,
    probability,
    relative_bits,
    whole_number,
)
from exactdp.numbers.balls import endpoints
from exactdp.numbers.crossing import Slope, crossing
from exactdp.sums.counting.tails import upper_tail

__all__ = ["OneRun", "checked_guesses"]

_MOST_GUESSES = 10**6
"""The guesses of one run, at most: a p-value takes as many terms."""

_GUARD_BITS = 64
"""Bits beyond those of an answer, which the sums may lose; the balls hold what they do lose."""

_TERMS_OF_A_CERTIFICATE = 4_000
"""The terms of the sums of a certificate, at most: the kernel takes no more."""


def checked_guesses(
    canaries: int, guesses: int, right: int, *, at_most: int = _MOST_GUESSES
) -> dict[str, Any]:
    """Return the counts of one run by their names, each checked.

    Raises:
        DomainError: If right guesses are more than guesses, or these than canaries.
        TooLargeError: If there are more guesses than the terms that a p-value takes at most.
    """
    m = whole_number(canaries, name="canaries", at_least=1)
    r = whole_number(guesses, name="guesses", at_least=0)
    v = whole_number(right, name="right", at_least=0)
    if not v <= r <= m:
        raise DomainError(
            f"right={v}, guesses={r}, canaries={m}: right guesses are some of the guesses, "
            "and these some of the canaries. Give right <= guesses <= canaries."
        )
    what = f"guesses={count_text(r)}"
    refuse_above(at_most, r, what, advice="Guess only where the output says most.")
    return {"canaries": m, "guesses": r, "right": v}


@dataclass(frozen=True)
class OneRun:
    """An audit of one run: m canaries, r guesses, v of them right.

    Attributes:
        canaries: m, at least 1: all that were drawn, also those without a guess.
        guesses: r, at most m.
        right: v, at most r.
        delta: δ of the promise that is tried; 0 is pure DP.

    Example:
        One guess of one, right: with probability e^ε/(e^ε + 1), which is 3/4 at ε = ln 3.

        >>> audit = OneRun(canaries=1, guesses=1, right=1)
        >>> from exactdp.numbers import decimal
        >>> decimal(audit.p_value(Epsilon.log(3)), digits=6)
        '0.750000'
        >>> found = audit.refuted(level="3/4", relative_width="1e-9")
        >>> found.lower < log(3) < found.upper
        True

        The example of the paper's appendix:

        >>> audit = OneRun(canaries=1000, guesses=100, right=75, delta="1e-4")
        >>> print(audit.refuted(level="0.05"))
        [0.672984444, 0.672984669]
    """

    canaries: int
    guesses: int
    right: int
    delta: Exact | RationalLike = 0

    def __post_init__(self) -> None:
        found = checked_guesses(self.canaries, self.guesses, self.right)
        for name, one in (found | {"delta": probability(self.delta, name="delta")}).items():
            object.__setattr__(self, name, one)

    def p_value(self, epsilon: EpsilonLike) -> Real:
        """Return p(ε): no (ε, δ)-DP algorithm lets v or more be right with more probability.

        Above 1 it says nothing; it is not cut there.

        Args:
            epsilon: ε, at least 0 and finite.

        Raises:
            DomainError: If epsilon is below 0 or infinite.
        """
        return Real(partial(self._p_value, privacy_epsilon(epsilon)), "the p-value")

    def refuted(
        self, *, level: Exact | RationalLike, relative_width: RationalLike = "1e-6"
    ) -> Enclosure:
        """Return where p(ε) passes the level: (ε, δ)-DP is refuted at ε = lower, and below.

        Args:
            level: The largest p(ε) that refutes, above 0 and below 1: 0.05 for 95% confidence.
            relative_width: The width of the enclosure, over its lower end.

        Returns:
            p is certainly at most the level at the lower end, and certainly above it at the
            upper. Where 2mδ <= 1 it grows in ε (it is a maximum of mixtures of tails), so that
            the largest ε refuted lies between; where 2mδ > 1 a larger one may be refuted too.
            Both ends are 0 where not even ε = 0 is refuted with room.

        Raises:
            DomainError: If the level is not above 0 and below 1.
            UndecidedError: If an end is not found.
        """
        p = open_probability(level, name="level")

        def value_at(epsilon: Fraction, width: Fraction) -> Enclosure:
            found = self.p_value(Epsilon.rational(epsilon))
            return enclosure(found, relative_bits=relative_bits(width))

        if not value_at(Fraction(0), Fraction(1, 10**30)).upper < p:
            return Enclosure(Fraction(0), Fraction(0))
        v, r = self.right, self.guesses
        guess = Fraction(log((v + 1) / (r - v + 1))).limit_denominator(1000)
        first = max(guess, Fraction(1, 100))
        return crossing(
            value_at, p, slope=Slope.GROWING, first=first, relative_width=relative_width
        )

    def certificate(self, *, level: Exact | RationalLike, epsilon: Fraction) -> Certificate:
        """Return a certificate that p(ε) is at most a level: the kernel recomputes the tails.

        Its conclusion is β + 2mδ·max(...) <= level over E = e^ε. Where v is large, the last
        term of the maximum is 1/(I + 1), which bounds Pr[v > W ≥ v − i]/i for all i > I.

        Args:
            level: The level p, as for :meth:`refuted`.
            epsilon: The ε in nats, such as the lower end of :meth:`refuted`.

        Raises:
            DomainError: If p(ε) is not below the level, or the sums are too long for the kernel.

        Example:
            >>> audit = OneRun(canaries=10, guesses=10, right=10)
            >>> data = audit.certificate(level="1/2", epsilon=Fraction(2)).to_bytes()
            >>> from proofs_check.kernel import check
            >>> print(type(check(data)).__name__)
            Accepted
        """
        p = open_probability(level, name="level")
        found = enclosure(self.p_value(Epsilon.rational(epsilon)), relative_bits=64)
        if not found.upper < p:
            raise DomainError(
                f"epsilon={epsilon} is not refuted: its p-value is {found}. "
                "Pass the lower end of refuted()."
            )
        r, v = self.guesses, self.right
        E = named("E", function("exp", epsilon))
        whole = named("W", (1 + E) ** r)
        beta = sum_over("k", v, r, lambda k: function("binomial", r, k) * E**k) / whole
        kept = self._kept(epsilon)
        if max(kept, r - v) > _TERMS_OF_A_CERTIFICATE:
            raise DomainError(
                f"the sums of {self} have {max(kept, r - v):,} terms; the kernel takes "
                f"{_TERMS_OF_A_CERTIFICATE:,}. Take the enclosure of refuted() as it is."
            )
        if not kept:
            return Certificate([("<=", beta, term(p))])
        masses = [
            named(f"w{i}", function("binomial", r, v - i) * E ** (v - i))
            for i in range(1, kept + 1)
        ]
        sums = [named("s1", masses[0])]
        sums += [total(masses[: i + 1]) for i in range(1, kept)]
        means: list[Term] = [one / (whole * i) for i, one in enumerate(sums, 1)]
        if kept < v:
            means.append(term(Exact(Fraction(1, kept + 1))))
        alpha = function("max", *means)
        return Certificate([("<=", beta + 2 * self.canaries * self.delta * alpha, term(p))])

    def _kept(self, epsilon: Fraction) -> int:
        """Return how many sums a certificate needs: beyond, 1/i is below the maximum."""
        if self.delta == 0:
            return 0
        with precision(_GUARD_BITS):
            alpha, _ = endpoints(self._largest_mean(Epsilon.rational(epsilon)))
        return min(self.right, int(1 / alpha) + 1) if alpha > 0 else self.right

    def _p_value(self, epsilon: Epsilon) -> arb:
        with precision(working_bits() + _GUARD_BITS):
            found = self._tail(epsilon)
            if self.delta != 0:
                weight = (2 * self.canaries * exact(self.delta, name="delta")).ball(working_bits())
                found += weight * self._largest_mean(epsilon)
            return found

    def _mass(self, epsilon: Epsilon, k: int) -> arb:
        """Return Pr[W = k], from logarithms of factorials."""
        n = self.guesses
        sizes = ((n, 1), (k, -1), (n - k, -1))
        factorials = sum((sign * arb(size + 1).lgamma() for size, sign in sizes), arb(0))
        bits = working_bits()
        nats = epsilon.nats.ball(bits)
        return (factorials + k * nats - n * (1 + epsilon.exp.ball(bits)).log()).exp()

    def _tail(self, epsilon: Epsilon) -> arb:
        """Return Pr[W ≥ v]."""
        return upper_tail(self.guesses, self.right, epsilon.exp.ball(working_bits()))

    def _largest_mean(self, epsilon: Epsilon) -> arb:
        """Return α."""
        n, odds = self.guesses, epsilon.exp.ball(working_bits())
        mass, total, largest = self._mass(epsilon, self.right), arb(0), arb(0)
        for i, k in enumerate(range(self.right, 0, -1), 1):
            mass *= k / (odds * (n - k + 1))
            if mass * (i - 1) < total:
                break
            total += mass
            largest = largest.max(total / i)
        return largest
