"""python-dp: which groups of users are shown, by three strategies, and its Gaussian noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.claims import Cases, Statement, Term, Trials, cases, listed
from exactdp.divergences import PrivacyProfile
from exactdp.testing.later import st
from proofs_check.libraries.laws import delta_with_noise, with_noise
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.recorded import recorded, two_outcomes
from proofs_check.libraries.search import doubles, small, whole

__all__ = ["KEEPING", "TRIALS"]

KEEPING = (
    "from math import comb, exp\n"
    "from pydp.algorithms import partition_selection\n"
    "def first(is_there, n=1):\n"
    "    while not is_there(n):\n"
    "        n *= 2\n"
    "    low = n // 2\n"
    "    while n - low > 1:\n"
    "        middle = (low + n) // 2\n"
    "        low, n = (low, middle) if is_there(middle) else (middle, n)\n"
    "    return n\n"
    "def keep(strategy, epsilon, delta, partitions):\n"
    "    made = getattr(partition_selection, f'create_{strategy}_partition_strategy')\n"
    "    kept = made(epsilon, delta, partitions).probability_of_keep\n"
    "    g = exp(min(epsilon, 709.0))\n"
    "    def delta_of(p, q):\n"
    "        if partitions == 1:\n"
    "            return max(0.0, p - g * q) + max(0.0, 1 - p - g * (1 - q))\n"
    "        def mass(p, i):\n"
    "            return comb(partitions, i) * p**i * (1 - p)**(partitions - i)\n"
    "        return sum(max(0.0, mass(p, i) - g * mass(q, i)) for i in range(partitions + 1))\n"
    "    def worst(n):\n"
    "        return max(delta_of(kept(n), kept(n + 1)), delta_of(kept(n + 1), kept(n)))\n"
    "    if partitions > 100:\n"
    "        return 0, kept(0), kept(1)\n"
    "    half, last = (first(lambda n: kept(n) >= share) for share in (0.5, 1.0))\n"
    "    windows = (0, 100), (half - 100, half + 100), (last - 300, last + 1)\n"
    "    n = max((n for a, b in windows for n in range(max(0, a), b)), key=worst)\n"
    "    return n, kept(n), kept(n + 1)\n"
)
"""Finds the number of users at which, as doubles say, one more changes most."""


def kept() -> Cases:
    """Return budgets, those of the library's own tests first, then the ends, then any."""
    return (
        listed(
            {"epsilon": 1.0, "delta": 1e-5, "partitions": 1},
            {"epsilon": 0.2, "delta": 1e-7, "partitions": 10},
        )
        .then(
            cases(
                epsilon=(1.0, 0.5, 2.0, 0.1, 4.0, 8.0, 10.0, 20.0),
                delta=(1e-5, 1e-6, 1e-8, 1e-3, 0.1),
                partitions=(1, 3),
            )
        )
        .then(
            cases(
                epsilon__delta__partitions=(
                    (1.0, 1e-12, 1),
                    (1.0, 1e-20, 1),
                    (1.0, 1e-300, 1),
                    (1.0, 0.5, 1),
                    (1e-3, 1e-5, 1),
                    (100.0, 1e-5, 1),
                    (700.0, 1e-5, 1),
                    (1.0, 1e-5, 10**6),
                )
            )
        )
        .drawn(
            lambda: {
                "epsilon": doubles(1e-3, 700.0),
                "delta": small(300),
                "partitions": whole(10),
            }
        )
    )


def strategy(name: str, **more: Any) -> dict[str, Statement]:
    """Return the readings of one of the strategies."""
    return recorded(
        "python-dp",
        KEEPING,
        lambda epsilon, delta, partitions: f"keep({name!r}, {epsilon!r}, {delta!r}, {partitions})",
        kept(),
        picks=slice(3),
        says=two_outcomes,
        draws=200,
        **more,
    )


def noise(answer: Fraction, sensitivity: float) -> PrivacyProfile:
    """Return Gaussian noise of a standard deviation, on a sum that a user changes by so much."""
    return with_noise("gaussian", answer / Fraction(sensitivity))


def delta_of_noise(epsilon: Fraction, answer: Fraction, sensitivity: float) -> Term | None:
    """Return its δ as a term."""
    return delta_with_noise("gaussian", epsilon, answer / Fraction(sensitivity))


TRIALS: Trials = {
    "libraries/python-dp/partition-selection-truncated-geometric": strategy("truncated_geometric"),
    "libraries/python-dp/partition-selection-laplace": strategy("laplace"),
    "libraries/python-dp/partition-selection-gaussian": strategy(
        "gaussian", shaved=Fraction(1, 10)
    ),
    "libraries/python-dp/gaussian-std": Promise(
        library="python-dp",
        imports="from pydp.algorithms.numerical_mechanisms import GaussianMechanism",
        call=lambda epsilon, delta, sensitivity: (
            f"GaussianMechanism({epsilon!r}, {delta!r}, {sensitivity!r}).std"
        ),
        asks="parameter",
        law=noise,
        delta=delta_of_noise,
        over=cases(
            sensitivity=(1.0, 0.1, 3.0),
            epsilon=(1.0, 0.5, 2.0, 8.0, 0.1, 20.0),
            delta=(1e-5, 1e-6, 1e-8, 1e-3, 1e-12, 0.1, 0.5, 1e-300),
        ).drawn(
            lambda: {
                "sensitivity": doubles(1e-3, 1e3),
                "epsilon": doubles(1e-4, 700.0),
                "delta": st.just(1e-5) | small(300),
            }
        ),
        shaved=Fraction(9, 10),
    ).readings(),
}
