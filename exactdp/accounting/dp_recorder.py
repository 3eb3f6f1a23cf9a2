"""Accountants for harnesses that take a privacy-loss distribution per mechanism: dp-recorder.

A mechanism recorded by dp-recorder is trusted where ``@audit_spec`` has an accountant: a function
of the mechanism's parameters (all but its input). :func:`accountant` makes one of any function
that returns a :class:`CertifiedPLD`:

    @audit_spec(
        kind="Gaussian",
        input_arg="values",
        sensitivity_arg="l2_sensitivity",
        metric_fn=dist_l2,
        accountant=accountant(
            lambda l2_sensitivity, noise_multiplier:
                CertifiedPLD.from_gaussian_mechanism(noise_multiplier)
        ),
    )
    def apply_gaussian_noise(values, *, l2_sensitivity, noise_multiplier): ...

``Auditor.compute_overall_pld`` then composes certified losses, and
``get_overall_current_guarantee`` returns an ε that is never too small. An accountant that raises
is a printed warning there, and its mechanism is then estimated or left out: look for it. What is
too large to compute closely is a bound, and ``note`` says so.

Reference: dp-recorder, ``audit_primitives.py`` (github.com/ObliviousAI/dp-recorder, 23c262b).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from exactdp.accounting.accountants.doubles_out import Spent
from exactdp.accounting.accountants.privacy_loss_names import CertifiedPLD
from exactdp.errors import DomainError

__all__ = ["UpperPLD", "accountant"]


class UpperPLD:
    """Certified privacy losses with the methods of dp_accounting's: doubles in, doubles up out.

    Attributes:
        losses: What is composed.
        note: What the last answer is if it is not within 1e-4 of the truth, relatively, else None.

    Example:
        >>> one = UpperPLD(CertifiedPLD.from_laplace_mechanism(2))
        >>> 1 <= one.compose(one).get_epsilon_for_delta(0.0) < 1.000002
        True
    """

    def __init__(self, losses: CertifiedPLD) -> None:
        self.losses = losses
        self.note: str | None = None

    def __repr__(self) -> str:
        return f"<UpperPLD of {self.losses}>"

    def compose(self, other: UpperPLD) -> UpperPLD:
        """Return the losses of both.

        Raises:
            DomainError: If the other is not certified: an estimate bounds nothing.
        """
        if not isinstance(other, UpperPLD):
            raise DomainError(
                f"a {type(other).__name__} is not a certified privacy loss. "
                "Give each mechanism an accountant=accountant(...)."
            )
        return UpperPLD(self.losses.compose(other.losses))

    def get_epsilon_for_delta(self, delta: float) -> float:
        """Return a double that is at least ε(δ)."""
        return self._answer(lambda spent: spent.epsilon(delta))

    def get_delta_for_epsilon(self, epsilon: float) -> float:
        """Return a double that is at least δ(ε)."""
        return self._answer(lambda spent: spent.delta(epsilon))

    def _answer(self, question: Callable[[Spent], float]) -> float:
        spent = Spent(self.losses.parts)
        found, self.note = question(spent), spent.note
        return found


def accountant(losses: Callable[..., CertifiedPLD]) -> Callable[..., UpperPLD]:
    """Return an accountant of a function from a mechanism's parameters to its losses.

    Doubles among the parameters are meant exactly.

    Example:
        >>> gaussian = accountant(lambda sigma: CertifiedPLD.from_gaussian_mechanism(sigma))
        >>> gaussian(sigma=0.1).losses == CertifiedPLD.from_gaussian_mechanism("1/10")
        False
    """

    @wraps(losses)
    def of(*values: Any, **parameters: Any) -> UpperPLD:
        return UpperPLD(losses(*values, **parameters))

    return of
