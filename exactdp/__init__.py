"""exactdp: exact verification of differential privacy.

It computes privacy numbers, exactly or inside a rigorous enclosure, and says which published
claims hold. Whatever answers "δ at this ε" is a PrivacyProfile:

    >>> from exactdp import Epsilon, Pair, decimal
    >>> pair = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    >>> pair.delta(Epsilon.log(2))                               # e^ε = 2: exact
    Exact('1/4')
    >>> decimal(pair.delta(Epsilon.rational("1/2")), digits=30)  # ε = 1/2 nats: any digits
    '0.337819682324967963287837303046'
    >>> pair.epsilon("1/4")                                      # the smallest ε for a δ
    Epsilon.log('2')

A profile also has renyi, trade_off, max_divergence, reversed and plot, and shows itself in a
notebook. In a shell, problem files ask the same questions, and published papers are on trial:

    exactdp solve FILE              one problem file, its answers
    exactdp audit [PAPER|CLAIM]     claims on trial, each with a verdict
    exactdp show CLAIM              one claim with its kept evidence
    exactdp verify FILE             a certificate, by the small kernel
    exactdp compare FILE            accountants beside the truth

Importing this package loads nothing; its names load on first use.

PYTEST_DONT_REWRITE: pytest loads the plugin of this package before it would rewrite it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exactdp.accounting import compose, dp_sgd
    from exactdp.distributions import FinitePmf
    from exactdp.divergences import (
        Pair,
        PrivacyLossDistribution,
        PrivacyProfile,
        calibrated,
        hockey_stick_divergence,
        total_variation,
        trade_off_function,
    )
    from exactdp.errors import ExactDPError
    from exactdp.mechanisms import (
        Randomizer,
        gaussian_mechanism,
        laplace_mechanism,
        randomized_response,
    )
    from exactdp.numbers import Epsilon, Exact, decimal, enclosure, float_above, float_below
    from exactdp.problems import read_problem, solve
    from exactdp.shuffle import Users, Victim, shuffle_view, shuffle_worst_case, worst_case
    from exactdp.truth import Truth

__all__ = [
    "Epsilon",
    "Exact",
    "ExactDPError",
    "FinitePmf",
    "Pair",
    "PrivacyLossDistribution",
    "PrivacyProfile",
    "Randomizer",
    "Truth",
    "Users",
    "Victim",
    "calibrated",
    "compose",
    "decimal",
    "dp_sgd",
    "enclosure",
    "float_above",
    "float_below",
    "gaussian_mechanism",
    "hockey_stick_divergence",
    "laplace_mechanism",
    "randomized_response",
    "read_problem",
    "shuffle_view",
    "shuffle_worst_case",
    "solve",
    "total_variation",
    "trade_off_function",
    "worst_case",
]

if find_spec("msgspec") is None:  # ``import *`` then gives what there is
    __all__.remove("read_problem")
    __all__.remove("solve")

__version__ = "0.3.0"

_ROOMS = {
    "accounting": ("compose", "dp_sgd"),
    "distributions": ("FinitePmf",),
    "divergences": (
        "Pair",
        "PrivacyLossDistribution",
        "PrivacyProfile",
        "calibrated",
        "hockey_stick_divergence",
        "total_variation",
        "trade_off_function",
    ),
    "errors": ("ExactDPError",),
    "mechanisms": (
        "Randomizer",
        "gaussian_mechanism",
        "laplace_mechanism",
        "randomized_response",
    ),
    "numbers": ("Epsilon", "Exact", "decimal", "enclosure", "float_above", "float_below"),
    "problems": ("read_problem", "solve"),
    "shuffle": ("Users", "Victim", "shuffle_view", "shuffle_worst_case", "worst_case"),
    "truth": ("Truth",),
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(f"exactdp.{room}"), name)
    raise AttributeError(f"module 'exactdp' has no attribute {name!r}")
