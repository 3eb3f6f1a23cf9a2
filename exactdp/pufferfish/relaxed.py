"""The relaxed sufficient condition on a coupling, and the coupling that serves it best.

For a coupling π of p and q and Laplace noise of scale θ, the triangle inequality gives
f_p(y) <= Σ_{x'} K(y − x') Σ_x e^{|x − x'|/θ} π(x, x'), K the noise's density. So

    λ(π, θ) = max over x' of Σ_x e^{|x − x'|/θ} π(x, x') / q(x')

bounds f_p/f_q, and condition (20) of Ding et al. is λ(π, θ) <= e^ε. It is stricter than
f_p <= e^ε f_q and weaker than |x − x'| <= εθ on the support. For fixed e^{h/θ} = b, h the lattice
step, λ is a maximum of linear functions of π: its minimum over all couplings is a linear
program, solved exactly for rational b.

Definitions: :func:`relaxed_ratio`, :func:`smallest_relaxed_ratio`.

References: N. Ding et al., Multi-user Pufferfish Privacy, 2025, (4), (5), (20).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Exact
from exactdp.numbers.limits import MAX_COMPETING_PAIRS, refuse_above
from exactdp.pufferfish.line import atoms, lattice_step
from exactdp.pufferfish.linear_programs import minimum
from exactdp.pufferfish.scales import LaplaceScale
from exactdp.pufferfish.transport import TransportPlan

__all__ = ["relaxed_ratio", "smallest_relaxed_ratio"]

_Cell = tuple[Fraction, Fraction]


def relaxed_ratio(plan: TransportPlan, scale: LaplaceScale) -> Exact:
    """Return λ(π, θ), the least e^ε for which the plan satisfies (20).

    Formula:
        max over x' of Σ_x e^{|x − x'|/θ} π(x, x') / q(x'), q the law of x'.

    Raises:
        DomainError: If the field does not hold e^{-h/θ}.

    Source:
        Ding et al. 2025, (20).

    Example:
        Half of the mass at 1 comes from 0: (e^{1/θ} + 1)/2 = (3 + 1)/2.

        >>> from exactdp.numbers import Epsilon
        >>> plan = TransportPlan({(0, 1): "1/2", (1, 1): "1/2"})
        >>> relaxed_ratio(plan, LaplaceScale(Fraction(1), Epsilon.log(3)))
        Exact('2')
    """
    growth = _growth(plan.masses, scale)
    sums: dict[Fraction, Exact] = {}
    for cell, mass in plan.masses.items():
        sums[cell[1]] = sums.get(cell[1], Exact(0)) + growth[cell] * mass
    second = plan.second
    return max(total / second[z] for z, total in sums.items())


def smallest_relaxed_ratio(
    p: FinitePmf[Any], q: FinitePmf[Any], scale: LaplaceScale
) -> tuple[Exact, TransportPlan]:
    """Return the least λ(π, θ) of a coupling of p and q, and a plan that attains it.

    Args:
        p: The first law, of x.
        q: The second law, of x'.
        scale: θ, with e^{h/θ} rational on the lattice of the points.

    Returns:
        The exact minimum and a minimizing vertex of the polytope.

    Raises:
        DomainError: If e^{h/θ} or a mass is not rational.
        TooLargeError: If more than 150 pairs (x, x') compete.

    Source:
        Ding et al. 2025, (20) and the remark after (4), that π* is chosen for a smaller θ.

    Example:
        From {0, 1} to {1, 2}, half each: one step each costs e^{1/θ} = 3; 0 to 2 costs 9.

        >>> from exactdp.numbers import Epsilon
        >>> p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf({1: "1/2", 2: "1/2"})
        >>> smallest_relaxed_ratio(p, q, LaplaceScale(Fraction(1), Epsilon.log(3)))[0]
        Exact('3')
    """
    first, second = atoms(p), atoms(q)
    cells = [(x, z) for x in first for z in second]
    refuse_above(
        MAX_COMPETING_PAIRS,
        len(cells),
        f"{len(cells)} pairs (x, x') compete",
        advice="Take smaller alphabets.",
    )
    growth = _growth(cells, scale)
    if not all(
        value.is_rational for value in (*growth.values(), *first.values(), *second.values())
    ):
        raise DomainError(
            f"theta={scale.theta!r}: e^(distance/theta) and all masses must be rational. "
            "Pass LaplaceScale(distance, Epsilon.log(c)) with a rational root."
        )
    # Variables: the cells, one slack for each x', and λ.
    zero, slacks = Exact(0).as_fmpq(), len(second)
    rows: list[list[Any]] = []
    right: list[Any] = []
    for side, law in ((0, first), (1, second)):
        for x, mass in law.items():
            rows.append([zero + int(cell[side] == x) for cell in cells] + [zero] * (slacks + 1))
            right.append(mass.as_fmpq())
    for k, (z, mass) in enumerate(second.items()):
        row = [growth[cell].as_fmpq() if cell[1] == z else zero for cell in cells]
        row += [zero + int(j == k) for j in range(slacks)]
        rows.append([*row, -mass.as_fmpq()])
        right.append(zero)
    answer = minimum([zero] * (len(cells) + slacks) + [zero + 1], rows, right)
    assert answer is not None  # the quantile plan is feasible
    value, solution = answer
    # strict=False: slack variables follow the cells.
    masses: dict[tuple[Any, Any], Any] = dict(zip(cells, solution, strict=False))
    return Exact(value), TransportPlan(masses)


def _growth(cells: Iterable[_Cell], scale: LaplaceScale) -> dict[_Cell, Exact]:
    """Return e^{|x − x'|/θ} for each pair."""
    listed = list(cells)
    step = lattice_step(x for cell in listed for x in cell)
    decay = scale.decay(step)
    if decay is None:
        raise DomainError(
            f"theta={scale.theta!r}: e^(-{step}/theta) is outside the exact field. "
            "Pass LaplaceScale(distance, Epsilon.log(c)) with a rational root."
        )
    base = 1 / decay
    return {(x, z): base ** int(abs(x - z) / step) if x != z else Exact(1) for x, z in listed}
