"""Rényi divergences of sums of independent losses: their transforms at one real point.

References: I. Mironov, Rényi Differential Privacy, 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

from flint import arb

from exactdp.numbers import Real, fmpq_of, short
from exactdp.sums.laws.loss_law import LossLaw
from exactdp.sums.laws.transforms import LossTransform

__all__ = ["renyi_of_law", "renyi_of_sum"]


Parts = Sequence[tuple[LossLaw, int]]
"""Independent losses, with their numbers of copies."""


def renyi_of_sum(parts: Callable[[], Parts], *, order: Fraction) -> Real | None:
    """Return D_a(P ‖ Q) of independent losses, in nats; None if a transform is not known.

    Formula:
        Σ n_i·ln M_i(a − 1)/(a − 1), M_i(λ) = E e^(λL_i) over finite losses.

    Args:
        parts: What gives the laws and their numbers of copies. It is kept, not they, so that
            the number pickles where it does.
        order: a, above 0 and not 1; above 1 only if no loss is infinite.

    Example:
        Two coins with losses ±ln 3: the moment of order 2 is (7/3)², so the divergence is
        2 ln(7/3).

        >>> from exactdp.numbers import Exact, decimal
        >>> coin = LossLaw.of_atoms([(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))])
        >>> decimal(renyi_of_sum(lambda: [(coin, 2)], order=Fraction(2)), digits=8)
        '1.6945957'
    """
    if any(_moment_of(law) is None for law, _ in parts()):
        return None
    return Real(partial(_ball, parts, order), f"Rényi divergence of order {short(order)}")


def renyi_of_law(law: Callable[[], LossLaw], *, order: Fraction) -> Real | None:
    """Return the Rényi divergence of one loss, given a function that makes its law."""
    return renyi_of_sum(partial(_alone, law), order=order)


def _alone(law: Callable[[], LossLaw]) -> Parts:
    return [(law(), 1)]


def _ball(parts: Callable[[], Parts], order: Fraction) -> arb:
    tilt, total = arb(fmpq_of(order - 1)), arb(0)
    for law, times in parts():
        moment = _moment_of(law)
        assert moment is not None
        total += times * moment(tilt).log()
    return total / tilt


def _moment_of(law: LossLaw) -> Callable[[arb], arb] | None:
    """Return the transform of a law at real points; None if it is not known."""
    if law.lattice is not None and law.lattice.is_truncated:
        return law.lattice.moment
    density = law.density.transform if law.density is not None else None
    if law.density is not None and density is None:
        return None
    return LossTransform(law, density).real
