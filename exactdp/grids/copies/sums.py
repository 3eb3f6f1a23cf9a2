"""E[max(0, X_1 + ... + X_n)] for independent copies of a finite variable, certified.

Few copies are summed exactly, one ball for every histogram of values. Many are put on a
grid of side upper, copy by copy, and on one of side lower, block by block
(``blocks``), and added there (``grids.laws``, rate 0, tilted towards sums around 0).

Adding: from the laws of m and m + 1 copies follow those of 2m and 2m + 1, or of 2m + 1 and
2m + 2. So every factor is a sum of about as many copies as the others: a narrow law on a
coarse grid would lose to first order.

Who owns the errors: the balls own rounding; merging values and moving mass on the grid is
in the direction of each side; what is left out lowers the lower side; what the upper grid
drops is in ``lost``. Doubles choose tilt, blocks and steps; nothing rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from exactdp.distributions.polynomials import histogram_count
from exactdp.errors import DomainError, UndecidedError
from exactdp.grids.copies.blocks import Copies, lower_block, positive_part, upper_copy
from exactdp.grids.copies.proposals import LowerPlan, SumSketch, short
from exactdp.grids.laws import Frame, GridLaw
from exactdp.grids.means import Points, TailSums
from exactdp.numbers import Enclosure, Exact, Number, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.limits import MAX_CELLS_OF_A_SUM, MAX_USERS, count_text, refuse_above

__all__ = ["mean_positive_sum"]

_EXACT_HISTOGRAMS = 60_000
_ATTEMPTS = 3
_PRECISIONS = 8
_UPPER_SHARE = Fraction(1, 4)
_LOWER_SHARE = Fraction(3, 4)
_DOUBLINGS = 8
_MORE_BITS = 128


def mean_positive_sum(
    values: Sequence[Number], masses: Sequence[Number], n: int, *, relative_width: Fraction
) -> Enclosure:
    """Return an enclosure of E[max(0, X_1 + ... + X_n)].

    Args:
        values: The values of one X, not all at most 0.
        masses: Their probabilities, positive, in the same order.
        n: The number of independent copies, at least 1.
        relative_width: (upper − lower) <= relative_width·lower.

    Raises:
        DomainError: If no value is certainly positive.
        TooLargeError: If n is above 10^13.
        UndecidedError: If the width is not reached after several refinements.

    Example:
        Two fair steps of ±1: the sum is 2 with probability 1/4.

        >>> half = Exact("1/2")
        >>> found = mean_positive_sum([Exact(1), Exact(-1)], [half, half], 2,
        ...     relative_width=Fraction(1, 10**9))
        >>> found.contains(half), found.width < Fraction(1, 10**9)
        (True, True)
    """
    if not any(value.ball(256) > 0 for value in values):
        raise DomainError("no value is certainly positive. Then the mean of max(0, sum) is 0.")
    refuse_above(MAX_USERS, n, f"n={count_text(n)}", advice="Lower n.")
    if histogram_count(n, len(values)) <= _EXACT_HISTOGRAMS:
        return _summed(values, masses, n, relative_width)
    sketch = SumSketch.of(values, masses, n)
    share = Fraction(1)
    lower, upper = Fraction(0), None
    for _ in range(_ATTEMPTS):
        above = _upper(values, masses, sketch, share * _UPPER_SHARE * relative_width)
        below = _lower(values, masses, sketch, share * _LOWER_SHARE * relative_width)
        lower, upper = max(lower, below), above if upper is None else min(upper, above)
        if upper - lower <= relative_width * lower:
            return Enclosure(lower, upper)
        if lower > 0:
            share *= max(Fraction(1, 16), relative_width * lower / (upper - lower) / 2)
        else:
            share /= 16
    raise UndecidedError(
        f"n={n:,}: the relative width {short(relative_width)} was not reached; the mean lies "
        f"between {short(lower)} and {short(upper)}. Ask for a wider enclosure."
    )


def _summed(
    values: Sequence[Number], masses: Sequence[Number], n: int, relative_width: Fraction
) -> Enclosure:
    bits = 64 + relative_width.denominator.bit_length() + 8 * n.bit_length()
    for _ in range(_PRECISIONS):
        law = _copies(values, masses, bits)
        with precision(bits):
            lower, upper = endpoints(positive_part(law, n))
        if lower > 0 and upper - lower <= relative_width * lower:
            return Enclosure(lower, upper)
        bits *= 2
    raise UndecidedError("the mean cannot be told from zero. Ask at a smaller epsilon.")


def _copies(values: Sequence[Number], masses: Sequence[Number], bits: int) -> Copies:
    return Copies([v.ball(bits) for v in values], [m.ball(bits) for m in masses])


# --- the two sides ---------------------------------------------------------------


def _upper(
    values: Sequence[Number], masses: Sequence[Number], sketch: SumSketch, width: Fraction
) -> Fraction:
    variance = sketch.variance_for(width)
    cells = 20 * sketch.deviation / sketch.wanted_step(variance, sketch.n)
    if not cells <= MAX_CELLS_OF_A_SUM:
        raise UndecidedError(
            f"n={sketch.n:,}: the sum is {short(cells)} steps wide on a grid that is fine "
            "enough, as the mean is that of a very rare event. Ask for a wider enclosure."
        )
    step = sketch.first_step(variance)
    frame = Frame(Exact(step), sketch.tilt, 0, sketch.bits(width, step))
    law = _copies(values, masses, frame.bits + _MORE_BITS)
    one = upper_copy(law, frame, log_norm=sketch.log_norm(1))

    def coarsened(law: GridLaw, copies: int) -> GridLaw | None:
        return law.coarsened() if _may_double(law, copies, sketch, variance) else None

    total = _added(one, one.times(one), sketch.n, 1, coarsened)
    return endpoints(TailSums(total).mean(Points.at_zero(), above=arb(0)))[1]


def _lower(
    values: Sequence[Number], masses: Sequence[Number], sketch: SumSketch, width: Fraction
) -> Fraction:
    variance, allowed = sketch.variance_for(width), sketch.allowed(width)
    best: tuple[_Block, int, GridLaw] | None = None
    least = allowed
    for first in sketch.lower_plans(width):
        plan: LowerPlan | None = first
        for _ in range(2):
            if plan is None:
                break
            start = sketch.n
            while start // 2 >= plan.copies:
                start //= 2
            frame = Frame(Exact(plan.step), sketch.tilt, 0, sketch.bits(width, plan.step))
            law = _copies(values, masses, frame.bits + _MORE_BITS)
            block = _Block(law, frame, plan, sketch, sketch.lightest(width))
            found = block.of(start)
            loss = block.loss(found, start)
            if best is None or loss < least:
                best, least = (block, start, found), loss
            if 4 * least <= 3 * allowed:
                break
            plan = sketch.enlarged(plan, loss, width)
        if 4 * least <= 3 * allowed:
            break
    assert best is not None  # there is always a dense plan
    block, start, found = best

    def coarsened(law: GridLaw, copies: int) -> GridLaw | None:
        if not _may_double(law, copies, sketch, variance):
            return None
        coarse = law.coarsened()
        with precision(law.frame.bits + _MORE_BITS):
            lost = 1 - arb(coarse.total) / arb(law.total)
        # Masses that lie alone are lost to first order: then not yet.
        return coarse if _DOUBLINGS * sketch.losing(lost, copies) <= allowed else None

    total = _added(found, block.of(start + 1), sketch.n, start, coarsened)
    mean = TailSums(total).mean(Points.at_zero(), above=arb(0))
    return max(Fraction(0), endpoints(mean)[0])


@dataclass(frozen=True, slots=True)
class _Block:
    """The blocks of a plan from below."""

    law: Copies
    frame: Frame
    plan: LowerPlan
    sketch: SumSketch
    lightest: float

    def of(self, copies: int) -> GridLaw:
        """Return the block of some copies."""
        with precision(self.frame.bits + _MORE_BITS):
            law = self.law.merged(self.plan.groups)
        return lower_block(
            law,
            self.frame,
            copies=copies,
            origin=self.plan.origin,
            log_norm=self.sketch.log_norm(copies),
            lightest=self.lightest,
        )

    def loss(self, found: GridLaw, copies: int) -> float:
        """Return about what the mean of all copies loses with this block."""
        with precision(self.frame.bits + _MORE_BITS):
            everything = self.law.total(copies, tilt=self.frame.tilt, log_norm=found.log_norm)
            lost = 1 - arb(found.total) * arb(2) ** -self.frame.bits / everything
        return self.sketch.losing(lost, copies)


def _may_double(law: GridLaw, copies: int, sketch: SumSketch, variance: float) -> bool:
    step = law.frame.step(2 * law.multiple, precision_bits=64)
    return sketch.allows(step, variance, copies)


def _added(
    fewer: GridLaw,
    more: GridLaw,
    n: int,
    start: int,
    coarsened: Callable[[GridLaw, int], GridLaw | None],
) -> GridLaw:
    """Return the law of n copies, from those of start = ⌊n / 2^k⌋ and of one copy more."""
    level = n.bit_length() - start.bit_length()
    while level:
        while (coarse := coarsened(fewer, start)) is not None:
            fewer, more = coarse, more.coarsened()
        level -= 1
        # The law of one copy more is needed only while a later bit is set.
        needs_more = n & ((1 << level) - 1) != 0
        if n >> level & 1:
            fewer, more = fewer.times(more), more.times(more) if needs_more else more
        else:
            fewer, more = fewer.times(fewer), fewer.times(more) if needs_more else more
        start = n >> level
    return fewer
