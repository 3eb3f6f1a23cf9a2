r"""Privacy auditing with one training run by f-DP: the promises that right guesses rule out.

Each of m canaries gets one of k choices, evenly and independently: in the data or not, of k = 2.
From the output the auditor guesses r of the choices, always so many, and v guesses are right. Let
the algorithm be f-DP for another choice of one canary, in both orders, and let g be the least type
I error of a test with a given power, which is convex: g(x) = f(1 − x) of a symmetric f. Let p_i be
the probability of i right guesses, and

    R_i = Σ over j >= i of (j/m) p_j,   H_i = Σ over j >= i of ((r − j)/m) p_j.

The event that the guess of a canary is w, and at least i − 1 of the others are right, is a test of
the choice w. By f-DP, on average over canaries and choices, as g is convex,

    H_(i−1) >= (k − 1)·g(R_i),   i = 1, ..., r.                                              (1)

Let v or more be right with probability t at least. The least that (1) allows is R_v = (v/m)t and
H_v = ((r − v)/m)t, then H_i = max(H_(i+1), (k − 1)g(R_(i+1))) and, as p_i adds to both,
R_i = R_(i+1) + i/(r − i)·(H_i − H_(i+1)). For, of any other p, R_i − λH_i is not less at any λ from
−1 to (i − 1)/(r − i + 1), by induction: it is (i/(r − i) − λ)H_i + (R_(i+1) − i/(r − i)·H_(i+1)).
So if R_0 + H_0 > r/m there, which is the probability of all, t is less. Whom to guess may depend on
the output; m, r, k and the promise are chosen before it is seen.

Reference: S. Mahloujifar, L. Melis and K. Chaudhuri, Auditing f-Differential Privacy in One Run,
ICML 2025, arXiv 2410.22235 (the bound (1) of a guessing game, and the recursion that is its audit).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import arb

from exactdp.claims import Certificate, Term, function, named, term
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    EpsilonLike,
    Exact,
    RationalLike,
    fmpq_of,
    precision,
)
from exactdp.numbers.arguments import (
    of_class,
    open_probability,
    privacy_epsilon,
    probability,
    whole_number,
)
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.testing.one_run import checked_guesses

__all__ = ["TradeOffRun"]

_MOST_GUESSES = 10**5
"""The guesses of one run, at most: each test of a promise takes as many steps."""

_BITS = 256
"""Bits of the balls. They hold what is lost: a promise is refuted where the balls say so."""

_LINES = 48
"""The (ε, δ) by which a profile is known, of ε up to the one of a small δ."""

_RARE = Fraction(1, 10**12)
"""The small δ at whose ε the lines end; a rate below its square is not told from 0."""

_TERMS_OF_A_CERTIFICATE = 2_000
"""The steps of a certificate, at most: the kernel takes no more."""

_Inverse = Callable[[arb], arb]
"""g: the least type I error of a test with a power."""


@dataclass(frozen=True)
class TradeOffRun:
    """An audit of one run by f-DP: m canaries, r guesses, v of them right.

    Attributes:
        canaries: m, at least 1: all that were drawn, also those without a guess.
        guesses: r, at most m.
        right: v, at most r.
        choices: k, at least 2: the choices of each canary.

    Example:
        One guess of one, right: with probability e^ε/(e^ε + 1), which is 3/4 at ε = ln 3.

        >>> one = TradeOffRun(canaries=1, guesses=1, right=1)
        >>> one.p_value(Epsilon.log(3)).contains(Exact("3/4"))
        True

        The example of the other theorem, which refutes 0.672984 there:

        >>> audit = TradeOffRun(canaries=1000, guesses=100, right=75)
        >>> print(audit.refuted(level="0.05", delta="1e-4"))
        [0.680158138, 0.680158616]
    """

    canaries: int
    guesses: int
    right: int
    choices: int = 2

    def __post_init__(self) -> None:
        checked_guesses(self.canaries, self.guesses, self.right, at_most=_MOST_GUESSES)
        whole_number(self.choices, name="choices", at_least=2)

    def p_value(
        self,
        epsilon: EpsilonLike,
        delta: Exact | RationalLike = 0,
        *,
        relative_width: RationalLike = "1e-9",
    ) -> Enclosure:
        """Return the largest t that the theorem allows of an (ε, δ)-DP algorithm, rounded up.

        No such algorithm lets v or more be right with more probability than the upper end.

        Raises:
            DomainError: If an argument is outside of its range.
        """
        inverse = _promised(privacy_epsilon(epsilon), probability(delta, name="delta"))
        width = checked_width(relative_width)
        low, high = Fraction(0), Fraction(1)
        if not self._is_beyond(inverse, high):
            return Enclosure(high, high)
        while high - low > width * low and high > _RARE**2:
            middle = (low + high) / 2
            low, high = (low, middle) if self._is_beyond(inverse, middle) else (middle, high)
        return Enclosure(low, high)

    def refuted(
        self,
        *,
        level: Exact | RationalLike = "0.05",
        delta: Exact | RationalLike = 0,
        relative_width: RationalLike = "1e-6",
    ) -> Enclosure:
        """Return where (ε, δ)-DP ceases to be refuted: it is at the lower end, and below.

        Args:
            level: The probability of refuting what holds, above 0 and below 1.
            delta: δ of the promise that is tried.
            relative_width: The width of the enclosure, over its lower end.

        Returns:
            At the upper end the theorem refutes nothing. Both ends are 0 if it does not at ε = 0.
        """
        failure = probability(delta, name="delta")
        return self._crossing(
            level, relative_width, lambda x: _promised(Epsilon.rational(x), failure)
        )

    def refuted_mu(
        self, *, level: Exact | RationalLike = "0.05", relative_width: RationalLike = "1e-6"
    ) -> Enclosure:
        """Return where μ-GDP ceases to be refuted, as :meth:`refuted` does.

        Example:
            >>> audit = TradeOffRun(canaries=1000, guesses=100, right=75)
            >>> f"{audit.refuted_mu(level='0.05').lower:.4f}"
            '0.2694'
        """
        return self._crossing(
            level, relative_width, lambda x: partial(_of_gaussian, arb(fmpq_of(x)))
        )

    def refutes(self, profile: PrivacyProfile, *, level: Exact | RationalLike = "0.05") -> bool:
        """Return whether the promise of a profile is refuted: its δ(ε) at some ε, together.

        Args:
            profile: Such as the training that is meant to have run, in both directions.
            level: The probability of refuting what holds.

        Example:
            >>> from exactdp.mechanisms import gaussian_mechanism
            >>> audit = TradeOffRun(canaries=1000, guesses=100, right=75)
            >>> [audit.refutes(gaussian_mechanism(sigma=sigma)) for sigma in (1, 8)]
            [False, True]
        """
        one = of_class(profile, PrivacyProfile, name="profile", advice="Pass a mechanism.")
        p = open_probability(level, name="level")
        return self._is_beyond(_of_lines(one.both_directions()), p.as_fraction())

    def certificate(
        self, *, level: Exact | RationalLike, epsilon: Fraction, delta: Exact | RationalLike = 0
    ) -> Certificate:
        """Return a certificate that the recursion passes r/m: the kernel recomputes each step.

        Args:
            level: The level t.
            epsilon: The ε in nats, such as the lower end of :meth:`refuted`.
            delta: δ.

        Raises:
            DomainError: If (ε, δ)-DP is not refuted, or there are too many steps for the kernel.

        Example:
            >>> audit = TradeOffRun(canaries=10, guesses=10, right=10)
            >>> data = audit.certificate(level="1/2", epsilon=Fraction(2)).to_bytes()
            >>> from proofs_check.kernel import check
            >>> print(type(check(data)).__name__)
            Accepted
        """
        p, failure = open_probability(level, name="level"), probability(delta, name="delta")
        promise = _promised(Epsilon.rational(epsilon), failure)
        if not self._is_beyond(promise, p.as_fraction()):
            raise DomainError(
                f"epsilon={epsilon} is not refuted at delta {failure}. Pass the lower end of "
                "refuted()."
            )
        if self.right > _TERMS_OF_A_CERTIFICATE:
            raise DomainError(
                f"the recursion has {self.right:,} steps; the kernel takes "
                f"{_TERMS_OF_A_CERTIFICATE:,}. Take the enclosure of refuted() as it is."
            )
        m, r, v = self.canaries, self.guesses, self.right
        E = named("E", function("exp", epsilon))
        R: Term = named(f"R{v}", term(p * Fraction(v, m)))
        H: Term = named(f"H{v}", term(p * Fraction(r - v, m)))
        for i in range(v - 1, -1, -1):
            sides = ((R - failure) / E, 1 - failure - E * (1 - R))
            least = named(f"H{i}", function("max", H, *((self.choices - 1) * x for x in sides)))
            R = named(f"R{i}", R + Exact(Fraction(i, r - i)) * (least - H))
            H = least
        return Certificate([("<=", term(Exact(Fraction(r, m))), R + H)])

    def _crossing(
        self,
        level: Exact | RationalLike,
        relative_width: RationalLike,
        inverse: Callable[[Fraction], _Inverse],
    ) -> Enclosure:
        """Return where the promises of a growing number cease to be refuted."""
        t = open_probability(level, name="level").as_fraction()
        width = checked_width(relative_width)

        def is_refuted(x: Fraction) -> bool:
            with precision(_BITS):
                return self._is_beyond(inverse(x), t)

        if not is_refuted(Fraction(0)):
            return Enclosure(Fraction(0), Fraction(0))
        low, high = Fraction(0), Fraction(1)
        while is_refuted(high):
            low, high = high, 2 * high
        while high - low > width * low:
            middle = (low + high) / 2
            low, high = (middle, high) if is_refuted(middle) else (low, middle)
        return Enclosure(low, high)

    def _is_beyond(self, inverse: _Inverse, t: Fraction) -> bool:
        """Return whether v or more right guesses with probability t are certainly too many."""
        m, r, v = self.canaries, self.guesses, self.right
        with precision(_BITS):
            whole = arb(fmpq_of(Fraction(r, m)))
            right, wrong = (arb(fmpq_of(t * Fraction(x, m))) for x in (v, r - v))
            for i in range(v - 1, -1, -1):
                if right + wrong > whole:
                    return True
                least = wrong.max((self.choices - 1) * inverse(right))
                right, wrong = right + (least - wrong) * i / (r - i), least
            return bool(right + wrong > whole)


def _promised(epsilon: Epsilon, delta: Exact) -> _Inverse:
    """Return g of (ε, δ): max(0, (x − δ)e^−ε, 1 − δ − e^ε(1 − x))."""
    with precision(_BITS):
        return partial(_of_promise, epsilon.exp.ball(_BITS), delta.ball(_BITS))


def _of_promise(ratio: arb, failure: arb, power: arb) -> arb:
    first, second = (power - failure) / ratio, 1 - failure - ratio * (1 - power)
    return first.max(second).max(arb(0))


def _of_gaussian(mu: arb, power: arb) -> arb:
    """Return Φ(Φ⁻¹(x) − μ); 0 where that is not known to be more."""
    if not 0 < power < 1:
        return arb(1) if power >= 1 else arb(0)
    root = arb(2).sqrt()
    found = (mu / root - (2 * power - 1).erfinv()).erfc() / 2
    return found if found.is_finite() else arb(0)


def _of_lines(profile: PrivacyProfile) -> _Inverse:
    """Return the largest g of points (ε, δ(ε)) of a profile, which is below its own."""
    width = Fraction(1, 10**4)
    top = profile.epsilon(_RARE, relative_width=Fraction(1, 10))
    last = Fraction(64) if isinstance(top, Epsilon) and top.is_infinite else None
    if last is None:
        last = enclosed(top.nats if isinstance(top, Epsilon) else top, width).upper
    lines: list[_Inverse] = []
    for k in range(_LINES + 1):
        epsilon = Epsilon.rational(last * k / _LINES)
        found = profile.delta(epsilon, relative_width=width)
        lines.append(_promised(epsilon, Exact(min(Fraction(1), enclosed(found, width).upper))))

    def largest(power: arb) -> arb:
        found = arb(0)
        for line in lines:
            found = found.max(line(power))
        return found

    return largest
