"""Old spelling, until the papers are converted: see ``exactdp.numbers.arguments``."""

from typing import Any

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.arguments import exact, probability

__all__ = ["nonnegative_exp_epsilon", "probability"]


def nonnegative_exp_epsilon(value: Any) -> Exact:
    """Return γ = e^ε, at least 0."""
    if isinstance(value, Epsilon):
        raise DomainError(f"exp_epsilon={value!r} is an Epsilon, not e^epsilon. Pass its .exp.")
    gamma = exact(value, name="exp_epsilon")
    if gamma.sign() < 0:
        raise DomainError(f"exp_epsilon={gamma} is negative. Pass e^epsilon, which is at least 0.")
    return gamma
