"""Instances outside of a theorem's domain, where Coq compares both meanings of its quantities.

Most of these theorems are about many users. Coq lists all that these may send, which takes too
long from a handful on; what a quantity means is the same for few. One says that a quantity is 1:
it has another value only where the theorem says nothing.

Definitions: :data:`INSTANCES`, :func:`written_group`, :func:`written_responses`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import factorial
from typing import Any

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from proofs_check.lemmas.adaptive import AdaptiveRandomizers
from proofs_check.lemmas.sequences import two_users, written_protocol

__all__ = ["INSTANCES", "written_group", "written_responses"]

_MOST = 4
"""So many users have few orders."""


def _response(x: Fraction) -> Randomizer:
    """Return binary randomized response of ratio x."""
    return Randomizer.from_matrix([[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]])


def written_group(group: Any, n: int) -> str:
    """Return randomizers and data, of which the first n are the group, as a record of Coq.

    Raises:
        DomainError: If it is a number, which stands for so many others.
    """
    return f"(Build_group_protocol X A {written_protocol(group)} (fun i => Nat.ltb i {n}))"


def written_responses(n: int, exp_epsilon0: Fraction, randomizers: int) -> str:
    """Return binary randomized responses and data, with so many ones, as a record of Coq.

    Raises:
        DomainError: If there are many users, of whose data Coq lists all orders.
    """
    if n > _MOST:
        raise DomainError(f"Coq would list the {factorial(n)} orders of {n} users' data")
    steps = AdaptiveRandomizers((_response(exp_epsilon0),) * n)
    others = (0,) * (n - 1 - randomizers) + (1,) * randomizers
    return written_protocol((steps, (0, *others), (1, *others)))


def _three_values() -> dict[str, Any]:
    half, data = Fraction(1, 2), ((0, 0, 1), (1, 0, 1))
    return {"k": 2, "n": 3, "epsilon": half, "delta": half, "gamma": half, "data": data}


def _three_responses() -> dict[str, Any]:
    # The ratio, too, is not the theorem's: else nothing would be left of the divergence.
    return {"n": 3, "exp_epsilon0": Fraction(3, 4), "delta": 3, "randomizers": 1}


_FEW: dict[str, Any] = {"n": 2, "exp_epsilon0": Fraction(21, 20), "delta": Fraction(99, 100)}


def _two_users() -> dict[str, Any]:
    return {**_FEW, "randomizers": two_users(_FEW["exp_epsilon0"])}


def _two_of_three() -> dict[str, Any]:
    inside = _response(_FEW["exp_epsilon0"])
    other = Randomizer.from_matrix([["3/5", "2/5"], ["1/2", "1/2"]])
    group = AdaptiveRandomizers((inside, inside, other)), (0, 1, 0), (1, 1, 0)
    return {**_FEW, "group": group}


def _two_with_blankets() -> dict[str, Any]:
    half = Fraction(1, 2)
    return {"s": 1, "d": 2, "E": half, "delta": half, "n": 3, "m": half}


def _two_distances() -> dict[str, Any]:
    return {"n": 2, "data": ((0, 1), (1, 1)), "sigma": Fraction(1, 2)}


def _one_client() -> dict[str, Any]:
    # So large that less is allowed than a report tells.
    changes: dict[str, Any] = {"clients": ((1, 0),), "inputs": ((1, 0), (0, -1))}
    return {"n": 1, "d": 2, "k": 1, **changes, "exp_half_epsilon": Fraction(1000)}


def _equal_chances() -> dict[str, Any]:
    half, third = Fraction(1, 2), Fraction(1, 3)
    return {"users": ((half, half), (third, third))}


INSTANCES: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "balle2019_k_rr": _three_values,
    "biswas2023_gap_ratio": _two_distances,
    "ding2025_sup_one": _equal_chances,
    "erlingsson2019_frequency_error": _one_client,
    "erlingsson2019_theorem_7_large": _two_users,
    "erlingsson2019_repair_corollary_9": _two_of_three,
    "feldman2021_theorem_3_1": _three_responses,
    "wang2024_m_k_order": _two_with_blankets,
}
"""By theorem, what makes the values of its claim's variables."""
