"""Rényi divergences of sums of independent losses: their transforms at one real point.

References: I. Mironov, Rényi Differential Privacy, 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from exactdp.inversion.densities import density_of
from exactdp.inversion.losses import LossLaw
from exactdp.inversion.transforms import LossTransform
from exactdp.numbers import Real, fmpq_of

__all__ = ["renyi_of_sum"]


def renyi_of_sum(parts: Sequence[tuple[LossLaw, int]], *, order: Fraction) -> Real | None:
    """Return D_a(P ‖ Q) of independent losses, in nats; None if a transform is not known.

    Formula:
        Σ n_i·ln M_i(a − 1)/(a − 1), M_i(λ) = E e^(λL_i) over finite losses.

    Args:
        parts: The laws and their numbers of copies.
        order: a, above 0 and not 1; above 1 only if no loss is infinite.

    Example:
        Two coins with losses ±ln 3: the moment of order 2 is (7/3)², so the divergence is
        2 ln(7/3).

        >>> from exactdp.numbers import Exact, decimal
        >>> coin = LossLaw.of_atoms([(Exact("1/3"), Exact("1/4")), (Exact(3), Exact("3/4"))])
        >>> decimal(renyi_of_sum([(coin, 2)], order=Fraction(2)), digits=8)
        '1.6945957'
    """
    rules = [(_moment_of(law), times) for law, times in parts]
    known = [(rule, times) for rule, times in rules if rule is not None]
    if len(known) < len(rules):
        return None
    tilt = fmpq_of(order - 1)

    def ball() -> arb:
        logs = (times * rule(arb(tilt)).log() for rule, times in known)
        return sum(logs, arb(0)) / arb(tilt)

    return Real(ball, f"Rényi divergence of order {order}")


def _moment_of(law: LossLaw) -> Callable[[arb], arb] | None:
    """Return the transform of a law at real points; None if it is not known."""
    if law.lattice is not None and law.lattice.is_truncated:
        return law.lattice.moment
    density = density_of(law.density) if law.density is not None else None
    if law.density is not None and density is None:
        return None
    return LossTransform(law, density).real
