"""Refuted promises of libraries, each as a property test with a strategy that is shipped.

A row draws cases, asks the library about each, and asserts what it promises of the answer. That is
all that a user writes; the numbers of the ranges are those of the library's documentation, or of
deployments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.accounting import compose, guarantee
from exactdp.compare import Task
from exactdp.compare.adapters import (
    dp_accounting,
    opacus,
    prv_accountant,
)
from exactdp.mechanisms import bounded_laplace_mechanism
from exactdp.testing import (
    assert_epsilon_never_below_truth,
    assert_never_above_truth,
    assert_never_below_truth,
    assert_private,
    deployments,
    targets,
)
from proofs_check.libraries import opendp

HAIR = "1e-12"
"""What the first reading of a promise sets aside, relatively; the second sets nothing aside."""


@dataclass(frozen=True)
class Row:
    """A promise that falls.

    Attributes:
        claims: What falls, without "libraries/".
        library: As pip calls it; "" for a rule that needs none.
        imports: The lines that the calls need.
        call: The expression for a case.
        strategy: Returns what is drawn.
        check: Asserts the promise of a case and the answer's numbers.
        skips: Whether a case is none of the promise.
    """

    claims: tuple[str, ...]
    library: str
    imports: str
    call: Callable[[Any], str]
    strategy: Callable[[], Any]
    check: Callable[..., None]
    skips: Callable[[Any], bool] = lambda case: False

    @property
    def name(self) -> str:
        return self.claims[0]


def asked(accountants: Sequence[Any], name: str, ask: str) -> tuple[str, Callable[[Any], str]]:
    """Return the imports and the call of one of the accountants of ``exactdp compare``."""
    (one,) = (one for one in accountants if one.name == name)
    return one.before + one.imports, lambda case: one.expression(Task(case, ask))


def epsilon_is_safe(case: Any, *answer: float, tolerance: Any = HAIR) -> None:
    assert_epsilon_never_below_truth(answer[-1], case.true_epsilon, at=case, tolerance=tolerance)


def delta_is_safe(case: Any, *answer: float, tolerance: Any = HAIR) -> None:
    assert_never_below_truth(answer[-1], case.truth, at=case, tolerance=tolerance)


def delta_is_optimistic(case: Any, *answer: float) -> None:
    assert_never_above_truth(answer[0], case.truth, at=case, tolerance=HAIR)


def epsilon_is_optimistic(case: Any, *answer: float) -> None:
    assert_never_above_truth(answer[0], case.true_epsilon, at=case, tolerance=HAIR)


def noise_is_enough(case: Any, answer: float, *, more: Any = 0, allowed: Any = 0) -> None:
    assert_private(
        case.profile_with(Fraction(answer) + Fraction(more)),
        epsilon=case.epsilon,
        delta=Fraction(case.delta) + Fraction(allowed),
        at=case,
        parameter=answer,
        tolerance=HAIR,
    )


def noise_is_enough_to_the_last_bit(case: Any, answer: float) -> None:
    profile, parameter = case.profile_with(answer), answer
    assert_private(profile, epsilon=case.epsilon, delta=case.delta, at=case, parameter=parameter)


def kept_within_1(case: Any, answer: float) -> None:
    kept = bounded_laplace_mechanism(upper=1, scale=Fraction(answer), results="redrawn")
    assert_private(
        kept, epsilon=case.epsilon, delta=case.delta, at=case, parameter=answer, tolerance=HAIR
    )


def advantage_is_safe(case: Any, answer: float) -> None:
    assert_never_below_truth(answer, case.profile, epsilon=0.0, at=case, tolerance=HAIR)


def misses_are_safe(case: Any, answer: float) -> None:
    assert_never_above_truth(answer, case.true_beta, at=case, tolerance=HAIR)


def shown_with(case: Any, epsilon: float, delta: float) -> None:
    assert_never_below_truth(delta, case.profile, epsilon=epsilon, at=case, tolerance=HAIR)


def shown_at_all(case: Any, rho: float, delta: float) -> None:
    assert_never_below_truth(delta, case.profile.infinity_mass(), at=case, tolerance=HAIR)


def thresholds(made: str, norm: int) -> Callable[[Any], str]:
    def call(case: Any) -> str:
        scale, least = case.mechanism.parameter, int(case.threshold) + 1
        return opendp.threshold_map(made, norm, scale, least, 1, 1)

    return call


def leak(case: Any) -> float:
    """Return a δ of each step with which ε of the whole is finite."""
    return case.delta / (4 * case.mechanism.times)


def leaky(case: Any) -> Any:
    one = case.mechanism
    step = guarantee(Fraction(one.parameter), Fraction(leak(case)))
    return compose([(step, one.times)])


def of_leaky(asks: str) -> Callable[[Any], str]:
    def call(case: Any) -> str:
        one, at = case.mechanism, case.delta if asks == "epsilon" else case.epsilon
        return (
            f"prv.PRVAccountant(prv.ApproximateDPMechanism({one.parameter!r}, {leak(case)!r}), "
            f"eps_error=0.1, delta_error={case.delta / 1000!r}, max_self_compositions={one.times})"
            f".compute_{asks}({at!r}, {one.times})[::2]"
        )

    return call


def leaky_epsilon_is_safe(case: Any, low: float, high: float) -> None:
    assert_epsilon_never_below_truth(high, leaky(case), delta=case.delta, at=case, tolerance=HAIR)


def leaky_delta_is_safe(case: Any, low: float, high: float) -> None:
    assert_never_below_truth(high, leaky(case), epsilon=case.epsilon, at=case, tolerance=HAIR)


def history(case: Any) -> str:
    one = case.mechanism
    return f"{one.parameter!r}, {one.sampling_probability!r}, {one.times}"


PLD = "from dp_accounting.pld import privacy_loss_distribution as pld"
FIND = (
    f"{opacus.ACCOUNTANTS[0].before}from opacus.accountants.utils import get_noise_multiplier as f"
)


def steps(*kinds: str, **ranges: Any) -> Callable[[], Any]:
    return lambda: deployments(*kinds, **ranges)


def calibrations(*kinds: str, **ranges: Any) -> Callable[[], Any]:
    return lambda: targets(*kinds, **ranges)


ANY = ("1e-3", "1e6")
SOME = ("0.5", "300")
RATES = ("0.001", "0.5")
LONG: dict[str, Any] = {"parameters": ("2", "50"), "times": (1, 20)}


def of_pld(ask: str, name: str = "pld") -> tuple[str, Callable[[Any], str]]:
    return asked(dp_accounting.ACCOUNTANTS, f"dp-accounting/{name}", ask)


def of_prv(ask: str) -> tuple[str, Callable[[Any], str]]:
    return asked(prv_accountant.ACCOUNTANTS, "prv-accountant", ask)


RESPONSES = steps("randomized_response", parameters=("0.1", "10"), times=(1, 1000))


def is_far(case: Any) -> bool:
    """Return whether δ is below what is documented to be right, or ε of little meaning."""
    return not 1e-12 <= case.delta <= 1e-3
