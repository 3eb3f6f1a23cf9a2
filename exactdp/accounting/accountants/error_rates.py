"""Error rates of tests for a record, from δ(ε): the least false negative rates.

A test with the false positive rate α has a false negative rate of at least

    f(α) = max over ε >= 0 of max(1 − δ(ε) − e^ε α, e^(−ε)(1 − δ(ε) − α)),

δ the larger of both orders of neighbors. Any ε gives a lower bound;
``duality`` says which are asked.

Reference: J. Dong, A. Roth and W. Su, Gaussian Differential Privacy, 2022, Propositions 2.12 and
2.13.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import inf

from exactdp.accounting.accountants.doubles_out import Spent, exactly
from exactdp.divergences.duality import trade_off_enclosure
from exactdp.errors import DomainError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, float_above, normal_score
from exactdp.numbers.effort import first_answer

__all__ = ["ErrorRates"]

_NEAR = 10**-4
"""How far a maximum over many rates may be above the largest that is computed."""


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
        self._deltas: dict[Epsilon, Fraction] = {}

    def _delta(self, at: Epsilon, width: Fraction) -> Enclosure:
        if at not in self._deltas:
            found = self._spent.bound_of_delta(at)
            self._deltas[at] = Fraction(1) if found is None else min(found, Fraction(1))
        return Enclosure(self._deltas[at], self._deltas[at])

    def error(self, alpha: Fraction) -> Fraction:
        """Return a lower bound of f(α), α from 0 to 1."""
        infinite = Fraction(self._spent.delta(inf))
        if alpha == 0:
            return 1 - infinite
        if alpha + infinite < 1:
            around, width = Enclosure(alpha, alpha), alpha / 10**5  # as small as what a test gains
            ask = partial(trade_off_enclosure, self._delta, self._delta)
            # It proposes ε: what was asked tells.
            first_answer(lambda: ask(level=around, relative_width=width), lambda: around)
        found = [Fraction(0)]
        for at, delta in self._deltas.items():
            ratio = at.exp.as_fraction()
            found += [1 - delta - ratio * alpha, (1 - delta - alpha) / ratio]
        return max(found)

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


def _score(alpha: Fraction, error: Fraction) -> float:
    """Return Φ⁻¹(1 − α) − Φ⁻¹(error), rounded up, at least 0; infinity of no error."""
    if error <= 0:
        return inf
    if alpha + error >= 1:
        return 0
    found: Number = normal_score(Exact(alpha)) + normal_score(Exact(error))
    return float_above(found)
