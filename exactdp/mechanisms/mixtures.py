"""Rows of a family of noise, and pairs of mixtures of them: who sees a record how often.

With f the law of the noise and Δ the sensitivity, a row is the law of the answer sΔ, f(y − sΔ), of
a shift s; a pair is a mixture of rows, the first, against another. The law of log-concave noise
has f(y − x)/f(y) rising in y for x > 0, so that the loss rises with y if no shift of the first is
negative, and none of the second is positive. A record that is replaced on a Poisson sample is

    P = (1 − q) f(y) + q f(y − Δ),  Q = (1 − q) f(y) + q f(y + Δ),

the worst of all such neighbors if the noise is as likely as its negative (``substitution`` in
``exactdp.accounting.sampling`` has the proof).

Of any coupling c of the weights, e^((a − 1)D_a) is at most the mean of those of its pairs of rows,
as it is jointly convex: rows that are in both mixtures are coupled first.
"""

from __future__ import annotations

from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import Mixture
from exactdp.errors import DomainError
from exactdp.numbers import Exact

__all__ = ["checked", "coupled", "differing", "mirrored", "replaced_rate"]


def checked(first: Mixture, second: Mixture) -> None:
    """Check that two mixtures are those of a pair whose loss rises with the output.

    Raises:
        DomainError: If they are not.
    """
    if any(shift < 0 for shift, _ in first) or any(shift > 0 for shift, _ in second):
        raise DomainError(
            "a shift of first is negative, or one of second positive: then losses need not rise "
            "with the output. Exchange the two, or take the mirror image."
        )
    for name, side in (("first", first), ("second", second)):
        weights = [weight for _, weight in side]
        is_whole = sum(weights, Exact(0)) == 1 and all(weight > 0 for weight in weights)
        if not is_whole or len(dict(side)) < len(side):
            raise DomainError(
                f"{name}={side} are not weights of different shifts. Pass positive weights that "
                "sum to 1, each shift once."
            )
    if dict(first) == dict(second):
        raise DomainError("first and second are the same laws. Pass two that differ.")


def mirrored(first: Mixture, second: Mixture) -> tuple[Mixture, Mixture]:
    """Return the mixtures of the mirror image of (Q, P): shifts change their signs."""
    return tuple((-s, w) for s, w in second), tuple((-s, w) for s, w in first)


def coupled(first: Mixture, second: Mixture) -> list[tuple[Exact, int, int]]:
    """Return a coupling of the weights of two mixtures, (weight, shift of P, shift of Q).

    Example:
        A record that is replaced: it is not in the sample, or both rows differ.

        >>> half = Exact("1/2")
        >>> coupled(((0, half), (1, half)), ((0, half), (-1, half)))
        [(Exact('1/2'), 0, 0), (Exact('1/2'), 1, -1)]
    """
    left, right = dict(first), dict(second)
    found = []
    for pairs in ([(s, s) for s in left if s in right], [(s, r) for s in left for r in right]):
        for s, r in pairs:
            weight = min(left[s], right[r])
            if weight > 0:
                found.append((weight, s, r))
                left[s], right[r] = left[s] - weight, right[r] - weight
    return found


def replaced_rate(first: Mixture, second: Mixture) -> Exact | None:
    """Return the rate of a sample of which a record is replaced; None of other mixtures.

    Example:
        >>> half = Exact("1/2")
        >>> replaced_rate(((0, half), (1, half)), ((0, half), (-1, half)))
        Exact('1/2')
    """
    left = dict(first)
    is_replaced = left.keys() == {0, 1} and dict(second) == {0: left[0], -1: left[1]}
    return left[1] if is_replaced else None


def differing(
    noise: PrivacyProfile, first: Mixture, second: Mixture
) -> tuple[tuple[Exact, PrivacyProfile], ...]:
    """Return the pairs of rows that differ in a coupling, each with its weight.

    Args:
        noise: f, whose own pair is (f(y), f(y − Δ)).
        first: The shifts of P and their weights.
        second: The shifts of Q, likewise.
    """
    turned = noise.reversed()
    found = []
    for weight, s, r in coupled(first, second):
        moved = None if s == r else turned.moved(s - r)
        if moved is not None:
            found.append((weight, moved))
    return tuple(found)
