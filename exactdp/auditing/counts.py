"""Privacy auditing with counts: the ε, and the μ, that an attack's errors in many trials rule out.

An attack runs on outputs without the record (negatives) and with it (positives), each of a fresh
run; it says "with" k of n times without it, and "without" l of m times with it. Let α be its
probability of a false positive, β that of a false negative. If the mechanism is (ε, δ)-DP,

    α + e^ε·β >= 1 − δ   and   β + e^ε·α >= 1 − δ,

and if it is μ-GDP, β >= Φ(Φ⁻¹(1 − α) − μ). The counts are binomial. The upper end of Clopper and
Pearson at the level s,

    ᾱ, the p with Pr[Bin(n, p) <= k] = s   (1 if k = n),

is below α with probability at most s, and β̄ at a level t likewise: with s + t the level, both hold
with probability 1 − level at least. As both bounds on ε fall in α and in β,

    ε >= ln((1 − δ − β̄)/ᾱ),   ε >= ln((1 − δ − ᾱ)/β̄),   μ >= Φ⁻¹(1 − ᾱ) − Φ⁻¹(β̄).

The attack, the numbers of runs and the level are chosen before the outputs are seen.

References: C. Clopper and E. Pearson, The Use of Confidence or Fiducial Limits, Biometrika 1934;
P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for Differential Privacy, ICML 2015,
Theorem 2.1; J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022, Definition 2.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from flint import arb

from exactdp.claims import Certificate, Term, function, sum_over, term
from exactdp.errors import DomainError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    Rounding,
    count_text,
    decimal,
    enclosure,
    normal_score,
    precision,
    refuse_above,
    working_bits,
)
from exactdp.numbers.arguments import open_probability, probability, relative_bits, whole_number
from exactdp.numbers.crossing import Slope, crossing
from exactdp.sums.counting.tails import upper_tail

__all__ = ["CountsAudit", "from_counts"]

_MOST_TRIALS = 10**7
"""The runs without the record, or with it, at most: a tail takes as many terms."""

_WIDTH = Fraction(1, 10**15)
"""The relative width to which the odds of an upper end are found; the end is their upper one."""

_DIGITS = 10
"""Digits of what is shown, rounded down: less is claimed."""

_GUARD_BITS = 64
"""Bits beyond those of an answer, which the sums may lose; the balls hold what they do lose."""

_TERMS_OF_A_CERTIFICATE = 4_000
"""The terms of a sum of a certificate, at most: the kernel takes no more."""


def upper_end(seen: int, trials: int, level: Exact) -> Fraction:
    """Return a number at or just above the p with Pr[Bin(trials, p) <= seen] = level.

    Example:
        None of two: (1 − p)² = 1/4 at p = 1/2.

        >>> found = upper_end(0, 2, Exact("1/4"))
        >>> 0 <= found - Fraction(1, 2) < Fraction(1, 10**14)
        True
    """
    if seen == trials:
        return Fraction(1)

    def at_most(odds: Fraction, width: Fraction) -> Enclosure:
        tail = Real(partial(_tail, seen, trials, odds), "Pr[X <= k]")
        return enclosure(tail, relative_bits=relative_bits(width))

    first = Fraction(seen + 1, trials - seen)
    found = crossing(at_most, level, slope=Slope.FALLING, first=first, relative_width=_WIDTH)
    return found.upper / (1 + found.upper)


def _tail(seen: int, trials: int, odds: Fraction) -> arb:
    """Return Pr[X <= k] of odds p/(1 − p): that of at least n − k failures."""
    with precision(working_bits() + _GUARD_BITS):
        return upper_tail(trials, trials - seen, Exact(1 / odds).ball(working_bits()))


@dataclass(frozen=True)
class CountsAudit:
    """The promises that the errors of an attack rule out, with confidence 1 − level.

    Attributes:
        false_positives: k, how often it said "with" of runs without the record.
        negatives: n, the runs without it.
        false_negatives: l, how often it said "without" of runs with the record.
        positives: m, the runs with it.
        level: The probability of refuting what holds, above 0 and below 1.
        delta: δ of the promise that is tried; 0 is pure DP.
        split: The part of the level that the false positives have; the others have the rest.
    """

    false_positives: int
    negatives: int
    false_negatives: int
    positives: int
    level: Exact
    delta: Exact
    split: Exact

    @cached_property
    def false_positive_rate(self) -> Fraction:
        """The upper end ᾱ of the probability of a false positive, rounded up."""
        return upper_end(self.false_positives, self.negatives, self.level * self.split)

    @cached_property
    def false_negative_rate(self) -> Fraction:
        """The upper end β̄ of the probability of a false negative, rounded up."""
        level = self.level * (1 - self.split)
        return upper_end(self.false_negatives, self.positives, level)

    @property
    def _ratios(self) -> tuple[Exact, Exact]:
        """The refuted e^ε in each of the two orders: over false positives, over false negatives."""
        a, b = Exact(self.false_positive_rate), Exact(self.false_negative_rate)
        return (1 - self.delta - b) / a, (1 - self.delta - a) / b

    @property
    def binding(self) -> str:
        """The order that rules out more: of (with, without), or of (without, with)."""
        with_first, without_first = self._ratios
        return "with || without" if with_first >= without_first else "without || with"

    @property
    def is_refuted(self) -> bool:
        """True if any ε is ruled out."""
        return max(self._ratios) > 1

    @property
    def epsilon(self) -> Epsilon:
        """The ε that is ruled out, with all below it: the logarithm of a ratio; 0 if none."""
        return Epsilon(max(Exact(1), *self._ratios))

    @property
    def mu(self) -> Number:
        """The μ of Gaussian DP that is ruled out, with all below it; 0 if none."""
        a, b = Exact(self.false_positive_rate), Exact(self.false_negative_rate)
        if a + b >= 1:
            return Exact(0)
        return normal_score(a) + normal_score(b)  # of p, Φ⁻¹(1 − p)

    def certificate(self) -> Certificate:
        """Return a certificate for the kernel, which recomputes both tails and the comparison.

        Its conclusions are Pr[Bin(n, ᾱ) <= k] <= s, Pr[Bin(m, β̄) <= l] <= t, and e^ε times one rate
        at most 1 − δ less the other, for ε rounded down.

        Raises:
            DomainError: If nothing is refuted, or the sums are too long for the kernel.

        Example:
            >>> audit = from_counts(
            ...     false_positives=0, negatives=50, false_negatives=0, positives=50
            ... )
            >>> from proofs_check.kernel import check
            >>> print(type(check(audit.certificate().to_bytes())).__name__)
            Accepted
        """
        if not self.is_refuted:
            raise DomainError(
                "no epsilon is refuted, so that nothing is certified. Run more trials."
            )
        a, b = self.false_positive_rate, self.false_negative_rate
        tails = (
            (self.false_positives, self.negatives, a, self.level * self.split),
            (self.false_negatives, self.positives, b, self.level * (1 - self.split)),
        )
        over, less = (a, b) if self.binding == "with || without" else (b, a)
        power = function("exp", Exact(self._shown(self.epsilon.nats)))
        claimed = ("<=", power * Exact(over), term(1 - self.delta - Exact(less)))
        return Certificate([*(self._tail_term(*one) for one in tails if one[2] < 1), claimed])

    def _tail_term(
        self, seen: int, trials: int, rate: Fraction, level: Exact
    ) -> tuple[str, Term, Term]:
        if seen > _TERMS_OF_A_CERTIFICATE:
            raise DomainError(
                f"a sum has {seen:,} terms; the kernel takes {_TERMS_OF_A_CERTIFICATE:,}. Take "
                "epsilon as it is."
            )
        odds = term(Exact(rate / (1 - rate)))
        whole = (1 + odds) ** trials
        tail = sum_over("i", 0, seen, lambda i: function("binomial", trials, i) * odds**i) / whole
        return "<=", tail, term(level)

    def _shown(self, number: Number) -> str:
        return decimal(number, digits=_DIGITS, rounding=Rounding.DOWN)

    def __float__(self) -> float:
        from exactdp.numbers import float_below

        return float_below(self.epsilon)

    def __str__(self) -> str:
        confidence = f"with confidence 1 - {self.level}"
        if not self.is_refuted:
            a, b = (f"{float(x):.4g}" for x in (self.false_positive_rate, self.false_negative_rate))
            return (
                f"nothing is refuted {confidence}: error rates may be {a} and {b}, which epsilon 0 "
                "allows"
            )
        at = self._shown(self.epsilon.nats)
        return (
            f"epsilon >= {at} at delta {self.delta} {confidence}, by {self.binding}; "
            f"mu >= {self._shown(self.mu)}"
        )


def from_counts(
    *,
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    level: Exact | RationalLike = "0.05",
    delta: Exact | RationalLike = 0,
    split: Exact | RationalLike = "1/2",
) -> CountsAudit:
    """Return the audit of an attack whose errors were counted in many runs.

    Args:
        false_positives: How often the attack said "with" of runs without the record.
        negatives: The runs without it, at least 1.
        false_negatives: How often it said "without" of runs with the record.
        positives: The runs with it, at least 1.
        level: The probability of refuting what holds: 0.05 for 95% confidence.
        delta: δ of the promise that is tried.
        split: The part of the level that the false positives have.

    Raises:
        DomainError: If an argument is outside of its range.

    Example:
        >>> wrong = {"false_positives": 25, "false_negatives": 300}
        >>> audit = from_counts(**wrong, negatives=1000, positives=1000, delta="1e-5")
        >>> print(audit)
        epsilon >= 2.905702812 at delta 1/100000 with confidence 1 - 1/20, by with || without; \
mu >= 2.231924530
        >>> round(float(audit), 6)
        2.905703
    """
    counts = {
        name: whole_number(value, name=name, at_least=least)
        for name, value, least in (
            ("false_positives", false_positives, 0),
            ("negatives", negatives, 1),
            ("false_negatives", false_negatives, 0),
            ("positives", positives, 1),
        )
    }
    for wrong, runs in (("false_positives", "negatives"), ("false_negatives", "positives")):
        if counts[wrong] > counts[runs]:
            raise DomainError(
                f"{wrong}={counts[wrong]} is above {runs}={counts[runs]}. Errors are among runs."
            )
        what = f"{runs}={count_text(counts[runs])}"
        refuse_above(_MOST_TRIALS, counts[runs], what, advice="Count fewer runs.")
    return CountsAudit(
        **counts,
        level=open_probability(level, name="level"),
        delta=probability(delta, name="delta"),
        split=open_probability(split, name="split"),
    )
