"""Laplace noise whose result is kept in [0, U]: folded back at the ends, or drawn again.

What libraries call truncated (results beyond an end are moved to it) hides exactly as much as
the noise itself, as all beyond an end have one likelihood ratio. The others are not noise with a
shift. In units of b, with the inputs x < x' = x + s, s = Δ, and V = U − s, the losses fall in the
result, so that a larger s is the worse one, and the best event is {y < m}, x <= m <= x'. The
mirror image y → U − y turns the other order into this one. Over x from 0 to V:

Folded, the density is cosh(min(x, y)) cosh(U − max(x, y))/sinh(U), and

    δ = 1 − min J/sinh(U),  J = cosh(x) sinh(U − m) + e^ε cosh(V − x) sinh(m)
      = (g(m − x) + h(m + x))/2,
    g(d) = sinh(U − d) + e^ε sinh(V + d),  h(z) = sinh(U − z) + e^ε sinh(z − V).

g is convex, and h falls, then rises. So J is least at both minima d and z where x = (z − d)/2 is
in range, and else on the line x = 0, where it is convex in m.

Drawn again, the density is e^(−|y − x|)/(A b), A = 2 − p − aq with a = e^(−s), p = e^(−x) and
q = e^(−(V − x)); with B = 2 − q − ap for x' and w = √(e^ε aA/B), e^(−(m − x)) at the best m,

    δ = (1 − w)(2 − p(1 + w))/A where w < 1, else 0. Its slope in x has the sign of
    p w (M − (1 − q)A w) + q(a(1 − p)B − M w), M = 1 + a − a(p + q),

as one sees from the derivatives of A, B and w² alone. (Near the ends, and where b is large, both
are computed from 1 − w, 1 − a, 1 − p and 1 − q.)

The worst x is between the end 0, where the largest loss is, and V/2, where it is at ε = 0.

References: N. Holohan, S. Antonatos, S. Braghin and P. Mac Aonghusa, The Bounded Laplace
Mechanism in Differential Privacy, 2018.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import lcm
from typing import Literal, TypeVar, get_args

from flint import arb, fmpq

from exactdp.divergences import NumberProfile, PrivacyProfile
from exactdp.divergences.description import (
    OF_INPUTS,
    OF_QUERY,
    RATIONAL,
    SENSITIVITY,
    Parameter,
    checked,
    choice,
    described,
)
from exactdp.divergences.families import noise_scale
from exactdp.divergences.profile import Named
from exactdp.divergences.searched import Reached
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms.laplace import laplace_mechanism
from exactdp.mechanisms.noise import MOST_POWERS
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    exp,
    fmpq_of,
    is_log_below,
    log,
    precision,
    working_bits,
)
from exactdp.numbers.effort import remembered
from exactdp.numbers.validated import validated

__all__ = ["Results", "bounded_laplace_mechanism"]

Results = Literal["clamped", "folded", "redrawn"]

_SHARES = [Fraction(x, 8) for x in (0, 8, 4, 3, 2, 1)]
"""Where in their range the inputs of named pairs lie."""

_MOST_CELLS = 64
"""Intervals of inputs, beyond those of the start, at which the search for the worst one halts.

δ is then a ball that holds all of them: wider, and asked for again at more bits."""

N = TypeVar("N", Exact, Real)


@dataclass(frozen=True, slots=True)
class _Kept(ABC):
    """The treatment of results beyond an end of [0, U], in units of b.

    Attributes:
        upper: U, positive.
        shift: s, at most U: how far apart two inputs are.
    """

    upper: Fraction
    shift: Fraction

    @abstractmethod
    def at(self, low: arb, gamma: arb) -> arb:
        """Return δ of the inputs ``low`` and s more, for γ between the ratios of that pair."""

    @abstractmethod
    def ratios(self, low: Fraction, power: Callable[[Fraction], N]) -> tuple[N, N]:
        """Return the least and the largest ratio of a pair, the largest of all at 0, from e^x."""

    @abstractmethod
    def worst(self, gamma: arb) -> arb:
        """Return the largest δ for e^ε = γ, from 1 up to the largest ratio."""


@dataclass(frozen=True, slots=True)
class _Bounded(NumberProfile[Number]):
    """A pair of inputs in [0, U], s apart; or the worst of all, of which both orders agree.

    Attributes:
        low: The smaller input, from 0 to U − s, of P; Q has s more. None for the worst.
    """

    kept: _Kept
    low: Fraction | None = None

    has_closed_form = True

    @property
    def reached(self) -> Reached:
        """At each ε another input is the worst; but if the range is no longer than a change."""
        is_pair = self.low is not None or self.kept.upper == self.kept.shift
        return "pair" if is_pair else "each epsilon"

    def cases(self) -> tuple[Named, ...]:
        """Return pairs of inputs, equally far apart in [0, U]."""
        if self.reached == "pair":
            return (Named("", self),)
        upper, shift = self.kept.upper, self.kept.shift
        return tuple(
            Named(f"inputs {low} and {low + shift} in [0, {upper}]", replace(self, low=low))
            for low in ((upper - shift) * share for share in _SHARES)
        )

    def reversed(self) -> _Bounded:
        """Return the mirror image y → U − y."""
        if self.low is None:
            return self
        return replace(self, low=self.kept.upper - self.kept.shift - self.low)

    def moved(self, times: int) -> _Bounded | None:
        """Return that of inputs so many times as far apart, and at most U."""
        if self.low is not None:
            return None
        return _Bounded(replace(self.kept, shift=min(times * self.kept.shift, self.kept.upper)))

    def max_divergence(self) -> Epsilon | Number:
        """Return the largest loss."""
        return _ends(self.kept, self.low or Fraction(0))[1]

    def _delta_at(self, gamma: Exact) -> Number:
        if self.low is None:
            if gamma < 1:
                return 1 - gamma + gamma * self._delta_at(1 / gamma)
        elif is_log_below(gamma, _ends(self.kept, self.low)[0]).is_possible:
            return 1 - gamma
        is_inside = is_log_below(gamma, self.max_divergence())
        if is_inside.is_open:  # beyond the largest loss the formulas say nothing
            raise UndecidedError("epsilon cannot be told from the largest loss. Ask for another.")
        if not is_inside.is_certain:
            return Exact(0)
        return Real(partial(self._ball, gamma), "delta of bounded Laplace noise")

    def _ball(self, gamma: Exact) -> arb:
        bits = 2 * working_bits()
        with precision(bits):
            if self.low is None:
                return self.kept.worst(gamma.ball(bits))
            return self.kept.at(arb(fmpq_of(self.low)), gamma.ball(bits))

    def _renyi_at(self, order: Fraction) -> None:
        if self.low is None:
            raise DomainError(
                "the worst pair of inputs is another at each epsilon, and only its delta is known. "
                "Ask for hockey_stick, epsilon, max_divergence or total_variation."
            )

    def _trade_off_at(self, level: Exact) -> None:
        self._renyi_at(Fraction(1, 2))


@remembered(maxsize=64)
def _ends(kept: _Kept, low: Fraction) -> tuple[Number, Epsilon | Number]:
    """Return the least and the largest loss of a pair, the latter exactly where that is short."""
    least, most = kept.ratios(low, exp)
    steps = kept.upper * lcm(*(x.denominator for x in (kept.upper, kept.shift, low)))
    is_short = steps <= MOST_POWERS
    return log(least), Epsilon(kept.ratios(low, Exact.exp)[1]) if is_short else log(most)


@dataclass(frozen=True, slots=True)
class _Folded(_Kept):
    def ratios(self, low: Fraction, power: Callable[[Fraction], N]) -> tuple[N, N]:
        places = low, low + self.shift, self.upper - low, self.upper - low - self.shift
        x, y, z, w = (power(place) + power(-place) for place in places)
        return x / y, z / w

    def at(self, low: arb, gamma: arb) -> arb:
        # J is least where tanh m = (cosh U − K)/sinh U, K = γ cosh(V − x)/cosh x.
        u, v, x = arb(fmpq_of(self.upper)), arb(fmpq_of(self.upper - self.shift)), low
        k = gamma * (v - x).cosh() / x.cosh()
        m = ((u.cosh() - k) / u.sinh()).atanh()
        found: arb = 1 - (x.cosh() * (u - m).sinh() + gamma * (v - x).cosh() * m.sinh()) / u.sinh()
        return found

    def worst(self, gamma: arb) -> arb:
        s, u = arb(fmpq_of(self.shift)), arb(fmpq_of(self.upper))
        v = arb(fmpq_of(self.upper - self.shift))
        a, c = (-s).exp(), (-u - v).exp()

        def sinh(x: arb) -> arb:
            """Return the hyperbolic sine of x over that of U."""
            return ((x - u).exp() - (-x - u).exp()) / (1 - (-2 * u).exp())

        # On the line x = 0: e^(2m) = (e^U − γ cosh V)/(γ cosh V − e^(−U)).
        k = gamma * (a + c) / 2
        m = ((1 - k) / (k - (-2 * u).exp())).log() / 2
        at_end = (
            1
            - sinh(u - m)
            - gamma
            * ((-s + m).exp() + (c.log() + m).exp() - (-s - m).exp() - (c.log() - m).exp())
            / (2 * (1 - (-2 * u).exp()))
        )
        if gamma * a >= 1:  # h only rises
            return at_end
        d = (s + ((1 - gamma * c) / (gamma - c)).log()) / 2
        z = (u + v + ((1 - gamma * a) / (gamma - a)).log()) / 2
        if z < d:
            return at_end
        inside = 1 - (sinh(u - d) + sinh(u - z) + gamma * (sinh(v + d) + sinh(z - v))) / 2
        # Where the sign cannot be told, δ is between the two: J's least value and one of J.
        return inside if z >= d else inside.union(at_end)


@dataclass(frozen=True, slots=True)
class _Redrawn(_Kept):
    def ratios(self, low: Fraction, power: Callable[[Fraction], N]) -> tuple[N, N]:
        room = self.upper - self.shift - low
        a, p, q = (power(-x) for x in (self.shift, low, room))
        norms = (2 - q - a * p) / (2 - p - a * q)
        return a * norms, norms / a

    def at(self, low: arb, gamma: arb) -> arb:
        room, s = arb(fmpq_of(self.upper - self.shift)) - low, arb(fmpq_of(self.shift))
        a, p, q = (-s).exp(), (-low).exp(), (-room).exp()
        norm, other = 2 - p - a * q, 2 - q - a * p
        w = (gamma * a * norm / other).sqrt()
        found: arb = (1 - w) * (2 - p * (1 + w)) / norm
        return found

    def worst(self, gamma: arb) -> arb:
        bits = working_bits() // 2
        v, s = fmpq_of(self.upper - self.shift), arb(fmpq_of(self.shift))
        a, sigma = (-s).exp(), -(-s).expm1()

        def powers(first: fmpq, last: fmpq) -> tuple[arb, arb]:
            """Return e^(−x) and 1 − e^(−x), which are monotone."""
            x, y = -arb(first), -arb(last)
            return x.exp().union(y.exp()), -x.expm1().union(y.expm1())

        def at(first: fmpq, last: fmpq) -> tuple[arb, arb, arb]:
            """Return 1 − w, δ and a number with the sign of its slope, for all x of an interval."""
            (p, p1), (q, q1) = powers(first, last), powers(v - last, v - first)
            norm, other, m = p1 + sigma + a * q1, q1 + sigma + a * p1, sigma + a * (p1 + q1)
            w = (gamma * a * norm / other).sqrt()
            rise = sigma * (q1 * (1 + a) + sigma) - (gamma - 1) * a * norm
            eta = rise / (other * (1 + w))
            slope = p * w * (m - q1 * norm * w) + q * (a * p1 * other - m * w)
            if slope.contains(0):  # where p and q are near 1 this says more
                slope = eta * ((p1 + q1) * m - 2 * p1 * q1 * (norm - sigma) - eta * p * q1 * norm)
                slope -= sigma * p1 * (m - (1 + a) * p1 * q1)
            return eta, eta * (eta * p + 2 * p1) / norm, slope

        def value(x: fmpq) -> arb:
            eta, delta, _ = at(x, x)
            if eta > 0:
                return delta
            return arb(0) if eta <= 0 else arb(0).union(delta)

        # Far from both ends all x are alike. Nearer, p and q change little within a cell.
        cuts = [min(fmpq(i), v / 2) for i in range(2 * bits) if i < v / 2]
        cuts = [*cuts, *(v - x for x in reversed(cuts))]
        cells = list(pairwise(cuts))
        # Where δ has a slope, it is largest at an end, which is a neighbor's too or one of these.
        best = arb.max(value(fmpq(0)), value(v))
        for _ in range(bits):
            found, left = best, []
            for first, last in cells:
                eta, delta, slope = at(first, last)
                if not (eta <= 0 or slope > 0 or slope < 0 or delta < best):
                    middle = (first + last) / 2
                    left += [(first, middle), (middle, last)]
                    best = arb.max(best, value(middle))
                    found = arb.max(found, delta)
            cells = left
            if not cells or len(cells) > len(cuts) + _MOST_CELLS:
                break
        return best.union(found) if cells else best


@validated
@described(
    "bounded_laplace",
    """Laplace noise with results kept in [0, upper], the worst over all inputs there.

    Results beyond an end are moved to it ("clamped"), reflected at it ("folded"), or drawn again
    ("redrawn": the scale that is found then meets a target where a slightly smaller one does not).
    """,
    noise_scale("scale", "b, of the noise", RATIONAL),
    Parameter("upper", "U, the upper end of inputs and results", RATIONAL, OF_QUERY),
    Parameter("sensitivity", SENSITIVITY.meaning, RATIONAL, OF_QUERY),
    Parameter("results", "what becomes of results beyond an end", choice(*get_args(Results))),
    sides=OF_INPUTS,
    is_composed_open=lambda given: given["results"] == "clamped",
)
def bounded_laplace_mechanism(
    *,
    scale: Exact | RationalLike,
    upper: Exact | RationalLike,
    sensitivity: Exact | RationalLike = 1,
    results: Results,
) -> PrivacyProfile:
    """Return the profile of Laplace noise with results kept in [0, U], the worst over all inputs.

    Args:
        scale: b.
        upper: U, positive and rational; inputs lie in [0, U] too.
        sensitivity: Δ.
        results: What becomes of those beyond an end: ``clamped`` moves them to it, ``folded``
            reflects them as often as it takes, ``redrawn`` draws again.

    Calibrated, no scale below that found meets a target where results are clamped or folded: noise
    of a larger scale is noise of a smaller one and more of the same kind. Where they are drawn
    again that is not known; a slightly smaller one does not.

    Raises:
        DomainError: If an argument is not a positive rational number, or results not known.

    Example:
        A range as long as the change has one pair of inputs, its ends:

        >>> from exactdp.numbers import decimal
        >>> ways = ("clamped", "folded", "redrawn")
        >>> of = [bounded_laplace_mechanism(upper=1, scale=1, results=way) for way in ways]
        >>> of[0].max_divergence(), of[2].max_divergence()
        (Epsilon.rational('1'), Epsilon.rational('1'))
        >>> of[1].max_divergence().exp.expression()  # the hyperbolic cosine of 1
        '(e^2 + 1)/(2*e)'
    """
    u, b, size, way = checked(
        bounded_laplace_mechanism,
        upper=upper,
        scale=scale,
        sensitivity=sensitivity,
        results=results,
    ).values()
    if way == "clamped":
        return laplace_mechanism(scale=b, sensitivity=min(u, size))
    kinds: dict[str, type[_Kept]] = {"folded": _Folded, "redrawn": _Redrawn}
    return _Bounded(kinds[way](u / b, min(u, size) / b))
