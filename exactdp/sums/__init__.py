"""Sums of independent things: E max(0, X_1 + ... + X_n), and δ of a sum of privacy losses.

``laws`` has the law of one loss. Its sums come along ``lines`` on which transforms are
inverted, by ``counting``, or on ``lattices``. ``choose`` takes one of these ways from the
``table``, for means of positive parts (``positive``) and for δ and ε of losses (``compositions``).
``doubles`` has arithmetic with proven bounds of its errors.

Importing this package loads nothing; its names load on first use, so that a mechanism has the law
of its loss without the ways to sums of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.numbers.doors import lazy_door as _lazy_door

if TYPE_CHECKING:
    from exactdp.sums.choose import Routed, between
    from exactdp.sums.compositions import LossSum
    from exactdp.sums.counting.suffixes import Suffixes
    from exactdp.sums.counting.trials import sum_of_positive_parts
    from exactdp.sums.lattices.atoms import LatticeSum
    from exactdp.sums.lattices.repeated import RepeatedSum
    from exactdp.sums.laws.density import LossDensity
    from exactdp.sums.laws.log_moments import renyi_of_sum
    from exactdp.sums.laws.loss_law import AtomLattice, LossLaw, exact_masses
    from exactdp.sums.laws.transforms import LossTransform
    from exactdp.sums.lines.contours import Inversion
    from exactdp.sums.lines.thetas import ThetaSum
    from exactdp.sums.lines.together import positive_means
    from exactdp.sums.positive import mean_positive_sum

__all__ = [
    "AtomLattice",
    "Inversion",
    "LatticeSum",
    "LossDensity",
    "LossLaw",
    "LossSum",
    "LossTransform",
    "RepeatedSum",
    "Routed",
    "Suffixes",
    "ThetaSum",
    "between",
    "exact_masses",
    "mean_positive_sum",
    "positive_means",
    "renyi_of_sum",
    "sum_of_positive_parts",
]

_lazy_door(
    globals(),
    {
        "choose": "Routed between",
        "compositions": "LossSum",
        "counting.suffixes": "Suffixes",
        "counting.trials": "sum_of_positive_parts",
        "lattices.atoms": "LatticeSum",
        "lattices.repeated": "RepeatedSum",
        "laws.density": "LossDensity",
        "laws.log_moments": "renyi_of_sum",
        "laws.loss_law": "AtomLattice LossLaw exact_masses",
        "laws.transforms": "LossTransform",
        "lines.contours": "Inversion",
        "lines.thetas": "ThetaSum",
        "lines.together": "positive_means",
        "positive": "mean_positive_sum",
    },
)
