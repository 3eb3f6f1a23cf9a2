"""The checks on arguments that the divergences share.

Definitions: :func:`nonnegative_exp_epsilon`, :func:`probability`.
"""

from __future__ import annotations

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, RationalLike, rational

__all__ = ["nonnegative_exp_epsilon", "probability"]


def nonnegative_exp_epsilon(value: Exact | RationalLike) -> Exact:
    """Return γ = e^ε as an exact number, at least 0.

    Raises:
        DomainError: If it is negative, a float, or an Epsilon.

    Example:
        >>> nonnegative_exp_epsilon("3/2")
        Exact('3/2')
        >>> nonnegative_exp_epsilon(Epsilon.log(2))
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: exp_epsilon=Epsilon.log('2') is an Epsilon, not e^epsilon. \
Pass its .exp.
    """
    if isinstance(value, Epsilon):
        raise DomainError(f"exp_epsilon={value!r} is an Epsilon, not e^epsilon. Pass its .exp.")
    gamma = _exact(value, "exp_epsilon")
    if gamma.sign() < 0:
        raise DomainError(f"exp_epsilon={gamma} is negative. Pass e^epsilon, which is at least 0.")
    return gamma


def probability(value: Exact | RationalLike, *, name: str) -> Exact:
    """Return a number between 0 and 1 as an exact number.

    Raises:
        DomainError: If it is below 0 or above 1, or a float.

    Example:
        >>> probability("1/3", name="alpha")
        Exact('1/3')
        >>> probability(2, name="alpha")
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: alpha=2 is not a probability. Pass a number from 0 to 1.
    """
    number = _exact(value, name)
    if number.sign() < 0 or number > 1:
        raise DomainError(f"{name}={number} is not a probability. Pass a number from 0 to 1.")
    return number


def _exact(value: Exact | RationalLike, name: str) -> Exact:
    return value if isinstance(value, Exact) else Exact(rational(value, name=name))
