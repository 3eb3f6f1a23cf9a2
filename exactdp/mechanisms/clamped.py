"""Integer noise whose results, or which itself, is moved to the nearest end of a range.

Clamped results are censored ones: whoever sees "U or more" sees U. A half-line of results is one
of the noisy answers, so that the largest of two inputs Δ apart has the worst of all pairs: with x
or x' one end moves further apart, within the range.
"""

from __future__ import annotations

from functools import partial

from exactdp.divergences import PrivacyProfile, Worst
from exactdp.divergences.real_pair import pair_of_reals
from exactdp.errors import DomainError
from exactdp.mechanisms.integer_noise import IntegerNoise
from exactdp.numbers import Exact, Number, Real, count_text, refuse_above
from exactdp.numbers.arguments import of_class, whole_number
from exactdp.numbers.limits import MAX_MASSES

__all__ = ["clamped_noise", "clamped_results"]

_ADVICE = "Pass discrete_gaussian_mechanism, discrete_laplace_mechanism or the like."


def clamped_results(noise: IntegerNoise, *, upper: int) -> PrivacyProfile:
    """Return the profile of noisy integers that are moved to the nearest end of [0, U].

    Censored ones, of which "0 or less" and "U or more" are told, are the same.

    Args:
        noise: Symmetric integer noise on a query of sensitivity Δ.
        upper: U, an int of at least 1; inputs lie in 0, ..., U too.

    Returns:
        The worst of all inputs x and x + Δ in the range, in both directions: never more than the
        noise, and as much where the best events are within the range.

    Raises:
        DomainError: If noise is not symmetric, or an argument is out of its range.
        TooLargeError: If the range is too large to list.

    Example:
        Of the results 0 and 1 of an input 0 or 1 there is one bit, told with probability 3/4.

        >>> from exactdp.mechanisms import discrete_laplace_mechanism
        >>> from exactdp.numbers import Epsilon
        >>> noise = discrete_laplace_mechanism(rate=Epsilon.log(2))
        >>> clamped_results(noise, upper=1).delta(0)
        Exact('1/3')
    """
    one = _symmetric(noise)
    u = whole_number(upper, name="upper", at_least=1)
    size = min(one.sensitivity, u)
    _refuse_many((u - size + 1) * (u + 1), f"upper={count_text(u)}")

    def law(x: int) -> list[Number]:
        inside = (_between(one, y - x, y - x) for y in range(1, u))
        return [_between(one, None, -x), *inside, _between(one, u - x, None)]

    pairs = (pair_of_reals(law(x), law(x + size)) for x in range(u - size + 1))
    return Worst.of(tuple(pairs), is_symmetric=True)


def clamped_noise(noise: IntegerNoise, *, radius: int) -> PrivacyProfile:
    """Return noise that is itself moved to the nearest end of [−B, B] before it is added.

    The ends have the mass of all beyond, and show the answer to whoever sees them: δ never falls
    below the mass of Δ of the last values.

    Args:
        noise: Symmetric integer noise on a query of sensitivity Δ.
        radius: B, an int of at least 1.

    Returns:
        The worst of all shifts up to Δ; both directions agree.

    Raises:
        DomainError: If noise is not symmetric, or an argument is out of its range.
        TooLargeError: If the range is too large to list.

    Example:
        >>> from exactdp.mechanisms import discrete_laplace_mechanism
        >>> from exactdp.numbers import Epsilon
        >>> noise = clamped_noise(discrete_laplace_mechanism(rate=Epsilon.log(2)), radius=2)
        >>> noise.delta(1)  # Pr[noise <= -2]
        Exact('1/6')
    """
    one = _symmetric(noise)
    b = whole_number(radius, name="radius", at_least=1)
    _refuse_many((2 * b + 1) * one.sensitivity, f"radius={count_text(b)}")
    inside = [_between(one, k, k) for k in range(1 - b, b)]
    law = [_between(one, None, -b), *inside, _between(one, b, None)]
    gaps = ([Exact(0)] * shift for shift in range(1, one.sensitivity + 1))
    pairs = (pair_of_reals([*law, *gap], [*gap, *law]) for gap in gaps)
    return Worst.of(tuple(pairs), is_symmetric=True)


def _symmetric(noise: IntegerNoise) -> IntegerNoise:
    one = of_class(noise, IntegerNoise, name="noise", advice=_ADVICE)
    if not one.is_even or one.support != (None, None):
        raise DomainError(f"noise={noise!r} must be symmetric and without ends. {_ADVICE}")
    return one


def _refuse_many(masses: int, what: str) -> None:
    refuse_above(
        MAX_MASSES, masses, f"{what} has {count_text(masses)} masses", advice="Take coarser steps."
    )


def _between(noise: IntegerNoise, first: int | None, last: int | None) -> Number:
    """Return Pr[first <= noise <= last]; None for an end that there is not. Exactly, if known."""
    if first is None and last is not None:
        return _tail(noise, -last)
    if last is None and first is not None:
        return _tail(noise, first)
    assert first is not None
    if isinstance(noise.above(Exact(0)), Exact):
        k = abs(first)
        return _tail(noise, k) - _tail(noise, k + 1)
    return Real(partial(noise.mass_ball, first), f"Pr[noise = {first}]")


def _tail(noise: IntegerNoise, k: int) -> Number:
    """Return Pr[noise >= k]."""
    found = noise.above(Exact(k - 1))
    return found if isinstance(found, Exact) else Real(partial(noise.below, -k), f"tail at {k}")
