"""The blanket decomposition and the mass of the blanket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import blanket_decomposition
from exactdp.truth import Truth
from proofs_check.balle2019.trials.randomizers import any_randomizer, small_randomizers

__all__ = ["TRIALS"]


def _blanket(*, power: int = 1) -> Statement:
    """The decomposition is one, and gamma^power >= e^-eps0 (power 2 is false)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        sizes = [(2, 2, 4), (2, 3, 6), (3, 2, 6), (3, 3, 5)]
        for inputs, messages, weight in sizes + ([(4, 3, 6)] if effort is Effort.DEEP else []):
            for rows in small_randomizers(inputs=inputs, messages=messages, weight=weight):
                yield Instance.of(rows=rows)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        randomizer = Randomizer.from_matrix(v["rows"])
        parts = blanket_decomposition(randomizer)
        fault = parts.check()
        if fault is not None:
            return Outcome(Truth.FALSE, str(fault))
        least = 1 / randomizer.ldp_epsilon().exp
        return Outcome(
            Truth.of(parts.gamma**power >= least), f"gamma {parts.gamma}, e^-eps0 {least}"
        )

    def proof() -> Proved | None:
        return Proved(
            "all eps0-DP randomizers with finite outputs",
            "min_x R(x) <= R(x) leaves a nonnegative rest of mass 1 - gamma, and "
            "min_x R(x)(y) >= e^-eps0 R(x')(y) for any one x', summed over y",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=any_randomizer if power == 1 else None,
        proof=proof if power == 1 else None,
        false_variant=_blanket(power=2) if power == 1 else None,
    )


def _k_rr(*, shift: int = 0) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        epsilons = [Epsilon.log(3), Epsilon.log("3/2"), Epsilon.rational(1), Epsilon.log(1)]
        for k, epsilon0 in product(range(2, 9), epsilons):
            yield Instance.of(k=k, epsilon0=epsilon0)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        k, epsilon0 = v["k"], v["epsilon0"]
        parts = blanket_decomposition(randomized_response(k, epsilon0))
        claimed = k / (epsilon0.exp + k - 1 + shift)
        uniform = all(mass == Exact(Fraction(1, k)) for mass in parts.blanket.law)
        return Outcome(Truth.of(uniform and parts.gamma == claimed), f"gamma {parts.gamma}")

    def proof() -> Proved | None:
        return Proved(
            "all k >= 2 and eps0 >= 0",
            "every message has least mass 1/(e^eps0 + k - 1), and there are k messages",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if shift == 0 else None,
        false_variant=_k_rr(shift=1) if shift == 0 else None,
    )


def _laplace_mass(epsilon0: Any) -> Any:
    """Return the integral of the least density over all inputs in [0, 1].

    At y >= 1/2 the farthest input is 0, and y -> 1 - y exchanges the halves.
    """
    y = sympy.symbols("y", positive=True)
    density = epsilon0 / 2 * sympy.exp(-epsilon0 * y)
    return 2 * sympy.integrate(density, (y, sympy.Rational(1, 2), sympy.oo))


def _laplace(*, part: int = 2) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for epsilon0 in (Fraction(1, 2), Fraction(1), Fraction(3), Fraction(1, 7)):
            yield Instance.of(epsilon0=epsilon0)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        epsilon0 = sympy.Rational(v["epsilon0"].numerator, v["epsilon0"].denominator)
        mass = _laplace_mass(epsilon0)
        same = sympy.simplify(mass - sympy.exp(-epsilon0 / part)) == 0
        return Outcome(Truth.of(bool(same)), f"gamma {mass}")

    def proof() -> Proved | None:
        epsilon0 = sympy.symbols("epsilon0", positive=True)
        mass = _laplace_mass(epsilon0)
        if sympy.simplify(mass - sympy.exp(-epsilon0 / 2)) != 0:
            return None
        return Proved("all eps0 > 0", "the least density over [0, 1], integrated symbolically")

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if part == 2 else None,
        false_variant=_laplace(part=1) if part == 2 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "balle2019/blanket": {"": _blanket()},
    "balle2019/blanket/k-rr": {"": _k_rr()},
    "balle2019/blanket/laplace": {"": _laplace()},
}
