"""The masses of P and Q above a loss: of all losses of a law, or of those between two sizes."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from flint import arb

from exactdp.errors import UndecidedError
from exactdp.numbers import working_bits
from exactdp.sums.laws.loss_law import LossLaw

__all__ = ["Portion"]


@dataclass(slots=True, eq=False)
class Portion:
    """The losses x of a law with low < x <= high, at finite x; balls are at the working precision.

    Attributes:
        law: The law of all losses.
        low: None for no end.
        high: None for no end.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> law = gaussian_mechanism(sigma=1).loss_law()
        >>> (p, _), (half, _) = (Portion(law, *ends).above(arb(-9)) for ends in ((), (arb("1/2"),)))
        >>> bool(p > 0.999), half.contains(arb("1/2"))  # the mean of the loss is μ²/2
        (True, True)
    """

    law: LossLaw
    low: arb | None = None
    high: arb | None = None
    _atoms: tuple[list[float], list[arb], list[arb], list[arb]] = field(init=False)
    _total: arb = field(init=False)
    _ends: tuple[tuple[arb, arb], tuple[arb, arb]] = field(init=False)
    _highest: arb | None = field(init=False)

    def __post_init__(self) -> None:
        points = sorted(self.law.points(working_bits()), key=lambda one: one[0].mid())
        if not all(x < y for (x, _), (y, _) in pairwise(points)):
            raise UndecidedError("two atoms cannot be told from each other. Join them.")
        p = list(accumulate((m for _, m in reversed(points)), initial=arb(0)))
        q = list(accumulate((m * (-x).exp() for x, m in reversed(points)), initial=arb(0)))
        losses = [x for x, _ in points]
        self._atoms = [float(x.mid()) for x in losses], losses, p[::-1], q[::-1]
        smooth = self.law.density.total()[0] if self.law.density is not None else arb(0)
        self._total = p[-1] + smooth
        top, self._highest = self.law.highest(), self.high
        if top is not None:
            ball = top.ball(working_bits())
            self._highest = ball if self.high is None else self.high.min(ball)
        nothing = arb(0), arb(0)
        self._ends = (
            nothing if self.low is None else self._all_above(self.low),
            nothing if self.high is None else self._all_above(self.high),
        )

    @property
    def has_atoms(self) -> bool:
        """True if the law has atoms."""
        return bool(self._atoms[0])

    @property
    def mass(self) -> arb:
        """The mass of P in them."""
        return (self._total if self.low is None else self._ends[0][0]) - self._ends[1][0]

    def above(self, x: arb) -> tuple[arb, arb]:
        """Return the masses of P and Q above a loss.

        Raises:
            UndecidedError: If an atom, or an end, cannot be told from the loss.
        """
        if _is_below(self.high, x):
            return arb(0), arb(0)
        p, q = self._ends[0] if self._is_low(x) else self._all_above(x)
        return p - self._ends[1][0], q - self._ends[1][1]

    def below(self, x: arb) -> arb:
        """Return the mass of P at losses of at most x.

        Raises:
            UndecidedError: If an atom, or an end, cannot be told from the loss.
        """
        if self._is_low(x):
            return arb(0)
        if (
            self.low is not None
            or self.law.density is None
            or self._atoms[0]
            or self.high is not None
        ):
            return self.mass - self.above(x)[0]
        return self.law.density.below(x)[0]

    def highest(self) -> arb | None:
        """Return the largest loss of the law, or the end, if it is below; None for neither."""
        return self._highest

    def _is_low(self, x: arb) -> bool:
        """Return whether all of these lie above a loss."""
        return self.low is not None and not _is_below(self.low, x)

    def _all_above(self, x: arb) -> tuple[arb, arb]:
        """Return the masses of P and Q above a loss of the law."""
        p, q = arb(0), arb(0)
        if self.law.density is not None:
            p, q = self.law.density.above(x)
        if not self.has_atoms:
            return p, q
        about, losses, p_atoms, q_atoms = self._atoms
        i = bisect_right(about, float(x.mid()))
        while i > 0 and losses[i - 1] > x:
            i -= 1
        while i < len(losses) and losses[i] < x:
            i += 1
        if not all(loss < x for loss in losses[max(0, i - 1) : i]) or not all(
            loss > x for loss in losses[i : i + 1]
        ):
            raise UndecidedError("an atom cannot be told from a knot. Ask for another width.")
        return p + p_atoms[i], q + q_atoms[i]


def _is_below(end: arb | None, x: arb) -> bool:
    """Return whether an end lies below a loss, or at it."""
    if end is None:
        return False
    if not (end <= x or end > x):
        raise UndecidedError("a size cannot be told from a knot. Ask for another width.")
    return bool(end <= x)
