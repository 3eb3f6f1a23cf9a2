"""Claimed bounds against the views of many users, where no exact law is at hand.

The largest delta over all data of the others and all pairs of the victim's inputs lies between
two certified ends (:func:`exactdp.shuffle.shuffle_worst_case`): a lower end above a claimed
bound refutes it, an upper end at most the bound confirms it, for that randomizer.

Definitions: :func:`all_data`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exactdp.claims import Outcome, decided
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.shuffle import Bounds, shuffle_worst_case

__all__ = ["all_data"]

_WIDTH = "1e-1"
"""Of either end: claims are seldom so close, and finer ends take longer."""


def all_data(n: int, randomizers: Sequence[Any], exp_epsilon: Fraction, claimed: Any) -> Outcome:
    """Return whether delta of n users is at most the claimed one, for each randomizer.

    Args:
        n: The number of users, the victim included.
        randomizers: Randomizers, or their rows: all users have the same one.
        exp_epsilon: e^ε.
        claimed: The bound on δ(ε), a number or an enclosure of one.

    Example:
        >>> coin = [["3/4", "1/4"], ["1/4", "3/4"]]
        >>> all_data(1000, [coin], Fraction(11, 10), Fraction(1, 100)).truth.value
        'true'
    """
    number = Exact(claimed) if isinstance(claimed, Fraction) else claimed
    bound = enclosed(number, "1e-9")
    worst: Outcome | None = None
    for one in randomizers:
        randomizer = one if isinstance(one, Randomizer) else Randomizer.from_matrix(one)
        delta = shuffle_worst_case(n, randomizer).delta(
            Epsilon.log(exp_epsilon), relative_width=_WIDTH
        )
        assert isinstance(delta, Bounds)
        low, high = (decimal(Exact(x), digits=6) for x in (delta.lower, delta.upper))
        found = decided(
            delta.is_at_most(bound),
            f"delta at least {low} ({delta.lower_by}), at most {high} ({delta.upper_by}), "
            f"claimed {decimal(Exact(bound.lower), digits=6)}",
            slack=bound.lower / delta.lower if delta.lower > 0 else None,
        )
        if not found.truth.is_possible:
            return found
        if worst is None or _rank(found) < _rank(worst):
            worst = found
    assert worst is not None
    return worst


def _rank(outcome: Outcome) -> tuple[bool, Fraction]:
    """Undecided ones first, then those with the least slack."""
    return outcome.truth.is_certain, outcome.slack or Fraction(10**9)
