"""The relaxed sufficient condition on a coupling, and the couplings that serve it best.

For a coupling π of p and q and Laplace noise of scale θ, the triangle inequality gives
f_p(y) <= Σ_{x'} K(y − x') Σ_x e^{|x − x'|/θ} π(x, x'), K the noise's density. So

    λ(π, θ) = max over x' of Σ_x e^{|x − x'|/θ} π(x, x') / q(x')

bounds f_p/f_q, and condition (20) of Ding et al. is λ(π, θ) <= e^ε. It is stricter than
f_p <= e^ε f_q and weaker than |x − x'| <= εθ on the support. For fixed e^{h/θ} = b, h the lattice
step, λ is a maximum of linear functions of π: its minimum over all couplings, or over the
W_1-optimal ones, is a linear program, solved exactly for rational b. λ is increasing in b.

Definitions: :class:`Couplings`, :func:`largest_relaxed_ratio`, :func:`relaxed_ratio`,
:func:`smallest_relaxed_ratio`, :func:`smallest_relaxed_scale`.

References: N. Ding et al., Multi-user Pufferfish Privacy, 2025, (4), (5), (20).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import Any

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    Real,
    enclosure,
    is_below,
    log,
    working_bits,
)
from exactdp.pufferfish.calibration import bisect_monotone
from exactdp.pufferfish.line import atoms, lattice_step
from exactdp.pufferfish.linear_programs import minimum
from exactdp.pufferfish.scales import LaplaceScale
from exactdp.pufferfish.transport import TransportPlan, w1_optimal_plans
from exactdp.truth import Truth

__all__ = [
    "Couplings",
    "largest_relaxed_ratio",
    "relaxed_ratio",
    "smallest_relaxed_ratio",
    "smallest_relaxed_scale",
]

MAX_CELLS = 150
"""Linear programs over more pairs (x, x') are refused: they take minutes."""

Cell = tuple[Fraction, Fraction]


class Couplings(Enum):
    """Which couplings of two laws compete."""

    ALL = "all"
    W1_OPTIMAL = "w1_optimal"


def relaxed_ratio(plan: TransportPlan, scale: LaplaceScale) -> Number:
    """Return λ(π, θ), the least e^ε for which the plan satisfies (20).

    Formula:
        max over x' of Σ_x e^{|x − x'|/θ} π(x, x') / q(x'), q the law of x'.

    Returns:
        An Exact number where the field holds e^{-h/θ}, a computable real elsewhere. For the
        other direction pass ``plan.transposed()``.

    Source:
        Ding et al. 2025, (20).

    Example:
        Half of the mass at 1 comes from 0: (e^{1/θ} + 1)/2 = (3 + 1)/2.

        >>> plan = TransportPlan({(0, 1): "1/2", (1, 1): "1/2"})
        >>> relaxed_ratio(plan, LaplaceScale(Fraction(1), Epsilon.log(3)))
        Exact('2')
    """
    step = lattice_step(x for cell in plan.masses for x in cell)
    decay = scale.decay(step)
    second = plan.second
    if decay is not None:
        base = 1 / decay
        sums: dict[Fraction, Exact] = {}
        for (x, z), mass in plan.masses.items():
            growth = base ** int(abs(x - z) / step) if x != z else Exact(1)
            sums[z] = sums.get(z, Exact(0)) + growth * mass
        return max(total / second[z] for z, total in sums.items())

    def rule() -> Any:
        bits = working_bits()
        balls: dict[Fraction, Any] = {}
        for (x, z), mass in plan.masses.items():
            term = (mass / second[z]).ball(bits) / scale.decay_ball(abs(x - z))
            balls[z] = balls[z] + term if z in balls else term
        first, *rest = balls.values()
        for ball in rest:
            first = first.max(ball)
        return first

    return Real(rule, f"relaxed ratio at theta={scale.theta!r}")


def smallest_relaxed_ratio(
    p: FinitePmf[Any],
    q: FinitePmf[Any],
    scale: LaplaceScale,
    *,
    couplings: Couplings = Couplings.ALL,
) -> tuple[Exact, TransportPlan]:
    """Return the least λ(π, θ) of a coupling of p and q, and a plan that attains it.

    Args:
        p: The first law, of x.
        q: The second law, of x'.
        scale: θ, with e^{h/θ} rational on the lattice of the points.
        couplings: All couplings, or the W_1-optimal ones.

    Returns:
        The exact minimum and a minimizing vertex of the polytope.

    Raises:
        DomainError: If e^{h/θ} or a mass is not rational.
        TooLargeError: If more than 150 pairs (x, x') compete.

    Source:
        Ding et al. 2025, (20) and the remark after (4), that π* is chosen for a smaller θ.

    Example:
        From {0, 1} to {1, 2}, half each: one step each costs e^{1/θ} = 3; 0 to 2 costs 9.

        >>> p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf({1: "1/2", 2: "1/2"})
        >>> smallest_relaxed_ratio(p, q, LaplaceScale(Fraction(1), Epsilon.log(3)))[0]
        Exact('3')
    """
    cells, growth = _program(p, q, scale, couplings)
    second = dict(zip(*atoms(q), strict=True))
    zero = Exact(0).as_fmpq()
    targets = list(second)
    # Variables: the cells, one slack for each x', and λ.
    slacks = len(targets)
    rows, right = _marginals(p, q, cells, slacks + 1)
    for k, z in enumerate(targets):
        row = [g if cell[1] == z else zero for cell, g in zip(cells, growth, strict=True)]
        row += [zero + int(j == k) for j in range(slacks)]
        rows.append([*row, -second[z].as_fmpq()])
        right.append(zero)
    answer = minimum([zero] * (len(cells) + slacks) + [zero + 1], rows, right)
    return _unpacked(answer, cells)


def largest_relaxed_ratio(
    p: FinitePmf[Any],
    q: FinitePmf[Any],
    scale: LaplaceScale,
    *,
    couplings: Couplings = Couplings.W1_OPTIMAL,
) -> tuple[Exact, TransportPlan]:
    """Return the largest λ(π, θ) of a W_1-optimal plan of p and q (or of any coupling).

    Args and errors as for :func:`smallest_relaxed_ratio`; one linear program for each x'.

    Example:
        >>> p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf({1: "1/2", 2: "1/2"})
        >>> largest_relaxed_ratio(p, q, LaplaceScale(Fraction(1), Epsilon.log(3)))[0]
        Exact('9')
    """
    cells, growth = _program(p, q, scale, couplings)
    rows, right = _marginals(p, q, cells, 0)
    best: tuple[Exact, TransportPlan] | None = None
    for z, mass in zip(*atoms(q), strict=True):
        costs = [
            -g / mass.as_fmpq() if cell[1] == z else g * 0
            for cell, g in zip(cells, growth, strict=True)
        ]
        value, plan = _unpacked(minimum(costs, rows, right), cells)
        if best is None or -value > best[0]:
            best = -value, plan
    assert best is not None  # a law has at least one atom
    return best


def smallest_relaxed_scale(
    p: FinitePmf[Any],
    q: FinitePmf[Any],
    plan: TransportPlan | Couplings,
    *,
    epsilon: Epsilon,
    relative_bits: int = 64,
) -> Enclosure:
    """Return an enclosure of the smallest θ at which (20) holds for a plan, one direction.

    For both inequalities of (1) take the larger of this and the scale of (q, p) with the
    transposed plan.

    Args:
        p: The law of x.
        q: The law of x'.
        plan: A coupling of p and q; or a class of couplings, for the best of the class.
        epsilon: ε, positive and finite.
        relative_bits: The relative width is about 2^-relative_bits (that of e^{h/θ} − 1 is
            at most this, h the lattice step, and θ varies by relatively less).

    Returns:
        ``upper`` satisfies (20), by exact arithmetic; ``lower`` does not. The point 0
        if every θ > 0 does (all mass stays in place).

    Raises:
        DomainError: If epsilon is not positive or infinite, or the plan does not couple p and q.
        TooLargeError: For a class of couplings, if more than 150 pairs (x, x') compete.

    Source:
        Ding et al. 2025, (20).

    Example:
        (e^{1/θ} + 1)/2 = 2 at θ = 1/ln 3 = 0.910239...

        >>> p, q = FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf.point(1)
        >>> plan = TransportPlan({(0, 1): "1/2", (1, 1): "1/2"})
        >>> theta = smallest_relaxed_scale(p, q, plan, epsilon=Epsilon.log(2))
        >>> Fraction("0.910239") < theta.lower < theta.upper < Fraction("0.910240")
        True
    """
    if epsilon.is_infinite or epsilon.exp <= 1:
        raise DomainError(f"epsilon={epsilon!r} must be positive and finite.")
    points = {*atoms(p)[0], *atoms(q)[0]}
    step = lattice_step(points)
    ratio = _ratio_at(p, q, plan)
    if p == q if isinstance(plan, Couplings) else plan.largest_distance == 0:
        return Enclosure(Fraction(0), Fraction(0))
    gamma = epsilon.exp

    def fails(growth: Fraction) -> Truth:
        # The threshold is in b − 1 > 0, where the property "too large" is monotone.
        scale = LaplaceScale(step, Epsilon.log(1 + growth))
        return is_below(gamma, ratio(scale))

    nats = enclosure(epsilon.nats, relative_bits=16).upper
    found = bisect_monotone(fails, start=min(nats, Fraction(1)), relative_bits=relative_bits)
    below, above = Exact(1 + found.lower), Exact(1 + found.upper)
    bits = relative_bits + 16
    return Enclosure(
        enclosure(Exact(step) / log(above), relative_bits=bits).lower,
        enclosure(Exact(step) / log(below), relative_bits=bits).upper,
    )


def _ratio_at(
    p: FinitePmf[Any], q: FinitePmf[Any], plan: TransportPlan | Couplings
) -> Callable[[LaplaceScale], Number]:
    if isinstance(plan, Couplings):
        return lambda scale: smallest_relaxed_ratio(p, q, scale, couplings=plan)[0]
    if plan.first != p or plan.second != q:
        raise DomainError("plan does not couple p and q. Give a plan with these two laws.")

    return lambda scale: relaxed_ratio(plan, scale)


def _program(
    p: FinitePmf[Any], q: FinitePmf[Any], scale: LaplaceScale, couplings: Couplings
) -> tuple[list[Cell], list[Any]]:
    """Return the pairs that compete and their e^{|x − x'|/θ}."""
    (xs, ps), (zs, qs) = atoms(p), atoms(q)
    match couplings:
        case Couplings.ALL:
            cells = [(x, z) for x in xs for z in zs]
        case Couplings.W1_OPTIMAL:
            cells = list(w1_optimal_plans(p, q).largest_masses())
    if len(cells) > MAX_CELLS:
        raise TooLargeError(
            f"{len(cells)} pairs (x, x') compete; the limit is {MAX_CELLS}. Take smaller alphabets."
        )
    step = lattice_step([*xs, *zs])
    decay = scale.decay(step)
    if decay is None or not decay.is_rational or not all(m.is_rational for m in (*ps, *qs)):
        raise DomainError(
            f"theta={scale.theta!r}: e^(-{step}/theta) and all masses must be rational. "
            "Pass LaplaceScale(distance, Epsilon.log(c)) with a rational root."
        )
    base = (1 / decay).as_fmpq()
    return cells, [base ** int(abs(x - z) / step) if x != z else base / base for x, z in cells]


def _marginals(
    p: FinitePmf[Any], q: FinitePmf[Any], cells: list[Cell], more: int
) -> tuple[list[list[Any]], list[Any]]:
    """Return the equations of a coupling, with ``more`` further variables."""
    zero = Exact(0).as_fmpq()
    rows: list[list[Any]] = []
    right: list[Any] = []
    for side, law in ((0, p), (1, q)):
        for x, mass in zip(*atoms(law), strict=True):
            rows.append([zero + int(cell[side] == x) for cell in cells] + [zero] * more)
            right.append(mass.as_fmpq())
    return rows, right


def _unpacked(
    answer: tuple[Any, list[Any]] | None, cells: list[Cell]
) -> tuple[Exact, TransportPlan]:
    assert answer is not None  # the quantile plan is feasible
    value, solution = answer
    # strict=False: slack variables follow the cells.
    masses: dict[tuple[Any, Any], Any] = dict(zip(cells, solution, strict=False))
    return Exact(value), TransportPlan(masses)
