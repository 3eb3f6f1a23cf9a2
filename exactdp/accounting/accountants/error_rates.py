"""Error rates of tests for a record, from δ(ε): what a false positive rate leaves at least.

A test with the false positive rate α has a false negative rate of at least

    f(α) = max over ε >= 0 of max(1 − δ(ε) − e^ε α, e^(−ε)(1 − δ(ε) − α)),

δ the larger of both orders of neighbors. Any ε gives a lower bound, so doubles choose it; both
terms rise and then fall in e^ε, as δ is convex there.

Reference: J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022, Propositions 2.12 and
2.13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf

from flint import arb

from exactdp.accounting.accountants.doubles_out import Spent, exactly
from exactdp.divergences.fallbacks import upper_end
from exactdp.errors import DomainError
from exactdp.numbers import Exact, Number, float_above, fmpq_of, normal_score, precision
from exactdp.numbers.balls import endpoints

__all__ = ["ErrorRates"]

_BITS = 96
"""Bits of the balls of an error, whose lower end is taken."""

_PLACES = 1 << 10
"""Places of ε that are shared by all α: a divided interval is then searched about the best one."""

_REFINED = 16
"""Further steps of that search, each of which takes a third off."""

_SMOOTH = Fraction(1, 10**5)
"""How far a parabola may be off at its top for a search to end there, over an error rate, and over
what it lacks to 1."""

_RARE = 10**-13
"""The δ beyond whose ε no test gains anything that a double shows, of losses without an end."""

_NEAR = 10**-4
"""How far a maximum over many rates may be above the largest that is computed."""

_Term = Callable[[arb, arb, arb], arb]


class ErrorRates:
    """The least false negative rate at each false positive rate, rounded down.

    Example:
        A pure ε of ln 3, α = 1/8: at least 1 − 3/8.

        >>> from exactdp.accounting.conversions.guarantees import guarantee
        >>> from exactdp.numbers import Epsilon
        >>> rates = ErrorRates(Spent([(guarantee(Epsilon.log(3)), 1)]))
        >>> round(float(rates.error(Fraction(1, 8))), 6)
        0.625
    """

    def __init__(self, spent: Spent) -> None:
        self._spent = spent
        self._deltas: dict[float, float] = {}
        top = upper_end(spent.max_divergence(), Fraction(1, 10**9))
        last = float_above(Exact(top)) if top is not None else inf
        mass = spent.delta(inf)
        rare = spent.epsilon(min(1, mass + _RARE * (1 - mass))) if mass < 1 else 0
        self._top = min(last, rare) if last > 1000 else last

    def error(self, alpha: Fraction) -> Fraction:
        """Return a lower bound of f(α), α from 0 to 1."""
        level = arb(fmpq_of(alpha))
        found = Fraction(0)
        for term in (_first, _second):
            with precision(_BITS):
                found = max(found, self._largest(term, level))
        return found

    def true_positive_rate(self, alpha: float) -> float:
        """Return a double that is at least 1 − f(α)."""
        rate = exactly(alpha, name="false_positive_rates")
        if not 0 <= rate <= 1:
            raise DomainError(f"false_positive_rates has {alpha}. Pass numbers from 0 to 1.")
        return min(1, float_above(Exact(1 - self.error(rate))))

    def gdp(self, rates: Sequence[float]) -> float:
        """Return a μ above all Φ⁻¹(1 − α) − Φ⁻¹(f(α)), within 1e-4 of the largest; or infinity.

        Between two α the error is at least that of the larger one, so most need not be computed.
        """
        given = sorted({exactly(one, name="false_positive_rates") for one in rates})
        if not given or not 0 < given[0] <= given[-1] < 1:
            raise DomainError(
                "false_positive_rates must be above 0 and below 1, at least one. Pass [0.01, 0.1]."
            )
        if self._spent.delta(inf) > given[0]:
            return inf
        errors = {i: self.error(given[i]) for i in (0, len(given) - 1)}
        best = max(_score(given[i], error) for i, error in errors.items())
        left, most = [(0, len(given) - 1)], best
        while left:
            low, high = left.pop()
            bound = _score(given[low], errors[high])
            if high - low < 2 or bound <= best + _NEAR:
                most = max(most, bound) if high - low >= 2 else most
                continue
            middle = (low + high) // 2
            errors[middle] = self.error(given[middle])
            best = max(best, _score(given[middle], errors[middle]))
            most = max(most, best)
            left += [(low, middle), (middle, high)]
        return most

    def _largest(self, term: _Term, level: arb) -> Fraction:
        """Return the lower end of about the largest value of a term."""

        def value(nats: float) -> Fraction:
            if nats not in self._deltas:
                self._deltas[nats] = self._spent.delta(nats)
            delta = self._deltas[nats]
            return endpoints(term(arb(nats), arb(delta), level))[0]

        step = self._top / _PLACES
        low, high = 0, _PLACES
        while high - low > 2:
            third = (high - low) // 3 or 1
            if value((low + third) * step) <= value((high - third) * step):
                low += third
            else:
                high -= third
        best = max(range(low, high + 1), key=lambda i: value(i * step))
        found = value(best * step)
        start, end = max(0, best - 1) * step, min(_PLACES, best + 1) * step
        below, above = (found - value(x) for x in (start, end))
        if 0 < best < _PLACES and below + above > 0:
            # Where it is smooth, a parabola tells the maximum.
            shift = (below - above) / (2 * (below + above))
            there = value((best + shift.numerator / shift.denominator) * step)
            rise = (below - above) * shift / 4
            if abs(there - found - rise) <= _SMOOTH * min(there, 1 - there):
                return max(found, there)
        for _ in range(_REFINED):
            first, second = start + (end - start) / 3, end - (end - start) / 3
            a, b = value(first), value(second)
            found = max(found, a, b)
            start, end = (first, end) if a <= b else (start, second)
        return found


def _first(nats: arb, delta: arb, level: arb) -> arb:
    return 1 - delta - nats.exp() * level


def _second(nats: arb, delta: arb, level: arb) -> arb:
    return (-nats).exp() * (1 - delta - level)


def _score(alpha: Fraction, error: Fraction) -> float:
    """Return Φ⁻¹(1 − α) − Φ⁻¹(error), rounded up, at least 0; infinity of no error."""
    if error <= 0:
        return inf
    if alpha + error >= 1:
        return 0
    found: Number = normal_score(Exact(alpha)) + normal_score(Exact(error))
    return float_above(found)
