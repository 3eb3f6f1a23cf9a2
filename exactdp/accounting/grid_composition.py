"""Composition at scale: certified δ and ε of thousands of mechanisms, of different kinds.

δ(ε) = Pr[L = ∞] + E max(0, 1 − e^(ε − L)) for the sum L of independent privacy losses
under P. Each loss is put on a grid twice, so that the mean can only fall, or only rise;
the sums are worked out in integers, tilted towards ε so that the width of the answer is
relative to δ, however small. See ``exactdp.distributions.grid_laws`` for the bounds and
``grid_plan`` for the choice of steps; if an enclosure is too wide, it is narrowed by the
ratio that was seen, and tried again.

Definitions: :class:`GridComposition`, :func:`compose_on_grid`.

References: A. Koskela, J. Jälkö and A. Honkela, Computing Tight Differential Privacy
Guarantees Using FFT, 2020; V. Doroshenko et al., Connect the Dots, 2022; Y. Zhu,
J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via Characteristic
Function, 2022 (pairs that dominate compose).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, inf, log, log2, prod, sqrt

from flint import arb

from exactdp.accounting.grid_plan import (
    Group,
    Plan,
    SideLaws,
    allowed_variance,
    composed_laws,
    grouped,
)
from exactdp.accounting.grid_search import Search
from exactdp.accounting.grid_sketch import Saddle, saddle_at
from exactdp.accounting.loss_laws import LossLaw, Part, loss_law
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.mechanisms.noise import nonnegative_epsilon, positive_width, target_delta
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    enclosure,
    is_below,
    precision,
)
from exactdp.numbers.balls import endpoints
from exactdp.truth import Truth

__all__ = ["MAX_TIMES_ON_GRID", "GridComposition", "compose_on_grid"]

MAX_TIMES_ON_GRID = 10**6
"""More compositions in all are refused."""

_ATTEMPTS = 7
_KEPT = 2
_SUM_BITS = 64


@dataclass(frozen=True, slots=True)
class _Laws:
    """The two composed laws of one plan."""

    plan: Plan
    lower: SideLaws
    upper: SideLaws
    infinity: arb


@dataclass(frozen=True, repr=False, eq=False)
class GridComposition:
    """The composition of the loss laws of ordered pairs, each with a number of copies.

    Attributes:
        parts: The loss laws and their numbers of copies, at least 1 each.

    Example:
        >>> from exactdp.mechanisms import laplace_mechanism
        >>> losses = compose_on_grid([(laplace_mechanism(scale=10), 100)])
        >>> found = losses.delta_enclosure(2, relative_width="1e-3")
        >>> 0 < found.lower < found.upper < found.lower * Fraction("1.001")
        True
    """

    parts: tuple[tuple[LossLaw, int], ...]
    _groups: tuple[list[Group], list[int]] = field(init=False)
    kept_laws: list[_Laws] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_groups", grouped(self.parts))
        object.__setattr__(self, "kept_laws", [])

    def reversed(self) -> GridComposition:
        """Return the composition of all pairs (Q, P): the other direction."""
        return GridComposition(tuple((law.reversed(), times) for law, times in self.parts))

    @property
    def infinity_mass(self) -> Number:
        """Pr[L = ∞] = 1 − Π(1 − Pr[L_i = ∞]) under P."""
        kept: Number = Exact(1)
        for law, times in self.parts:
            if law.infinity_mass != Exact(0):
                kept = kept * (1 - law.infinity_mass) ** times
        return 1 - kept

    def delta_enclosure(
        self, epsilon: Epsilon | RationalLike, *, relative_width: RationalLike = "1e-6"
    ) -> Enclosure:
        """Return an enclosure of the least δ at ε, in the direction of the parts.

        Args:
            epsilon: ε >= 0, finite; a rational number is read as nats.
            relative_width: (upper − lower) <= relative_width·lower.

        Returns:
            Two rationals around δ; a point where no finite loss exceeds ε.

        Raises:
            DomainError: If an argument is a float or outside its range.
            TooLargeError: If the grid would be too fine.
            UndecidedError: If the width is not reached after several refinements.
        """
        value, width = nonnegative_epsilon(epsilon), positive_width(relative_width)
        infinite = self.infinity_mass
        if self.is_beyond_all(value):
            return _enclosed(infinite, width)
        for laws in self.kept_laws:
            found = self.evaluated(laws, value.nats, infinite)
            if _is_narrow(found, width):
                return found
        saddle = saddle_at(self.parts, _float(value.nats))
        return self._narrowed(saddle, value.nats, width, infinite)

    def delta_of_both_directions(
        self, epsilon: Epsilon | RationalLike, *, relative_width: RationalLike = "1e-6"
    ) -> Enclosure:
        """Return an enclosure of the larger δ of the two directions at ε.

        Raises:
            DomainError: If an argument is a float or outside its range.
            TooLargeError: If the grid would be too fine.
            UndecidedError: If the width is not reached after several refinements.
        """
        one = self.delta_enclosure(epsilon, relative_width=relative_width)
        other = self.reversed().delta_enclosure(epsilon, relative_width=relative_width)
        return Enclosure(max(one.lower, other.lower), max(one.upper, other.upper))

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike = "1e-6"
    ) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0 with δ(ε) <= δ.

        Args:
            delta: δ, strictly between 0 and 1.
            relative_width: (upper − lower) <= relative_width·lower.

        Returns:
            lower certainly has δ(lower) > δ, upper certainly δ(upper) <= δ; the point 0
            if already δ(0) <= δ.

        Raises:
            DomainError: If an argument is a float or outside its range, or the mass at
                plus infinity is at least δ, so that no ε is enough.
            TooLargeError: If the grid would be too fine.
            UndecidedError: If a comparison is not decided after several refinements.
        """
        bound, width = target_delta(delta), positive_width(relative_width)
        infinite = self.infinity_mass
        if is_below(infinite, bound, max_bits=1 << 12) is not Truth.TRUE:
            raise DomainError(
                f"delta={bound} is not above the mass of the loss plus infinity, so no epsilon "
                "is enough. Ask for a larger delta."
            )
        return Search(self, bound, width, infinite).bracket()

    def is_beyond_all(self, epsilon: Epsilon) -> bool:
        """Return whether certainly no finite loss exceeds ε."""
        if any(law.has_no_finite_loss for law, _ in self.parts):
            return True
        ends = [law.ratio_ends for law, _ in self.parts]
        if all(end is not None for end in ends):
            pairs = zip(ends, self.parts, strict=True)
            product = prod((e[1] ** times for e, (_, times) in pairs if e), start=Exact(1))
            return bool(product <= epsilon.exp)
        top: Number = Exact(0)
        for law, times in self.parts:
            highest = law.highest()
            if highest is None:
                return False
            top = top + highest * times
        return is_below(epsilon.nats, top, max_bits=1 << 12) is Truth.FALSE

    def _narrowed(
        self, saddle: Saddle, nats: Number, width: Fraction, infinite: Number
    ) -> Enclosure:
        """Return an enclosure at ε = nats that is narrow enough, kept for other ε nearby."""
        variance, extra_bits = allowed_variance(saddle, float(width)), 0
        for _ in range(_ATTEMPTS):
            laws = self.laws_of(saddle, variance, float(width), extra_bits)
            found = self.evaluated(laws, nats, infinite)
            if _is_narrow(found, width):
                return found
            seen = float((found.upper - found.lower) / found.lower) if found.lower > 0 else inf
            variance *= max(min(0.6 * float(width) / seen, 0.5), 1 / 4096)
            # Steps, or bits: what was too coarse is not known.
            extra_bits += 40 if seen > 1 else ceil(log2(seen / float(width))) + 2
        raise UndecidedError(
            f"relative_width={width} is not reached after {_ATTEMPTS} refinements. "
            "Ask for a wider enclosure."
        )

    def laws_of(self, saddle: Saddle, variance: float, width: float, extra_bits: int) -> _Laws:
        """Return the composed laws of a plan; the last ones are kept for other ε nearby."""
        total = sum(times for _, times in self.parts)
        cells = 40 * saddle.deviation / sqrt(variance) + 64
        amplified = (saddle.tilt + 2) * (saddle.deviation + 1)
        small = log2(cells) + log2(total) + log2(amplified) - log2(width)
        bits = max(48, ceil(small) + 8) + extra_bits
        far = ceil(-saddle.log_delta() / log(2) - log2(width) + log2(total)) + 24
        plan = Plan(saddle, variance, bits, max(64, far))
        laws = _Laws(plan, *composed_laws(self.parts, *self._groups, plan))
        self.kept_laws.insert(0, laws)
        del self.kept_laws[_KEPT:]
        return laws

    def evaluated(self, laws: _Laws, nats: Number, infinite: Number) -> Enclosure:
        """Return the enclosure of δ that two composed laws give at any ε."""
        bits = laws.plan.bits + _SUM_BITS
        threshold, at_infinity = nats.ball(bits), infinite.ball(bits)
        lower = laws.lower.sums.mean(laws.lower.points, above=threshold)
        upper = laws.upper.sums.mean(laws.upper.points, above=threshold)
        with precision(bits):
            low = endpoints(lower + at_infinity)[0]
            high = endpoints(upper + at_infinity + laws.infinity)[1]
        low = max(low, Fraction(0))
        return Enclosure(low, max(low, min(high, Fraction(1))))

    def __repr__(self) -> str:
        return f"<GridComposition of {sum(times for _, times in self.parts):,} loss laws>"


def compose_on_grid(parts: Iterable[tuple[Part, int]]) -> GridComposition:
    """Return the composition of independent mechanisms or pairs, for certified δ and ε.

    The pairs are fixed in advance, or dominate what an adaptive analyst may choose.

    Args:
        parts: (mechanism, times): an additive mechanism, a finite Pair, a Subsampling,
            a PoissonSubsampled or a LossLaw, with its number of copies, at least 0.
            What is subsampled is taken as mixture against base; ``reversed`` is the
            other direction.

    Raises:
        DomainError: If a part has no loss law, or a number of copies is not an int of
            at least 0.
        TooLargeError: If there are more than a million copies in all.

    Source:
        Zhu, Dong & Wang 2022, Theorem 10 (composition of dominating pairs).

    Example:
        Randomized response with ε0 = ln 3, twice: δ at ln 2 is 7/16.

        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> found = compose_on_grid([(coin, 2)]).delta_enclosure(Epsilon.log(2))
        >>> found.contains(Exact("7/16")), found.width < Fraction(1, 10**6)
        (True, True)
    """
    kept: list[tuple[LossLaw, int]] = []
    for index, (part, times) in enumerate(parts):
        if not isinstance(times, int) or isinstance(times, bool) or times < 0:
            raise DomainError(f"parts[{index}]: times={times!r} is not an int of at least 0.")
        if times:
            kept.append((loss_law(part), times))
    total = sum(times for _, times in kept)
    if total > MAX_TIMES_ON_GRID:
        raise TooLargeError(
            f"{total:,} compositions are more than {MAX_TIMES_ON_GRID:,}. Compose fewer copies."
        )
    return GridComposition(tuple(kept))


def _enclosed(value: Number, width: Fraction) -> Enclosure:
    if value == Exact(0):
        return Enclosure(Fraction(0), Fraction(0))
    return enclosure(value, relative_bits=ceil(-log2(width)) + 1)


def _is_narrow(found: Enclosure, width: Fraction) -> bool:
    return found.lower > 0 and found.upper - found.lower <= width * found.lower


def _float(value: Number) -> float:
    return float(value.ball(64).mid())
