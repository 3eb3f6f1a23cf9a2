"""Sums of noisy bits: a view with two classes of messages, in a form that composes.

Who receives the number of messages of one class (a secure aggregation of bits, or two letters
shuffled) sees N + B, N the count of the others, a sum of independent trials, and B the victim's.
Its masses are short integers on a window (``exactdp.distributions.count_windows``): a law nearby.

N is log-concave, so P/Q is monotone in the count: the largest loss is that of the least or the
largest count, where the victim's bit is known. If Q cannot be there, it is that of the next one:
all others send alike, or one of them, i, does not, which is r_i/(1 − r_i) times as likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from flint import arb

from exactdp.distributions.count_windows import count_window
from exactdp.divergences.nearby import NearLaws
from exactdp.divergences.nearby_profile import NearbyProfile
from exactdp.divergences.profile import PrivacyProfile
from exactdp.mechanisms.integer_noise import rows_near
from exactdp.numbers import Epsilon, Exact, Number, fmpq_of, power_of_kept, precision
from exactdp.numbers.balls import GUARD_BITS
from exactdp.shuffle.at_scale.views import view_at_scale

__all__ = ["composed_view", "sum_of_bits"]

_MOST_VARIANCE = 1 << 15
"""The variance of a count up to which its masses are listed: of more, curves are faster."""

_LOST_BITS = 8
"""Bits of a window that are lost, beyond those of the number of users."""


def composed_view(senders: Sequence[Sequence[Exact]], counts: Sequence[int]) -> PrivacyProfile:
    """Return the profile of a sum of bits for compositions: as a sum, or of many by its curve."""
    groups = zip(senders[2:], counts, strict=True)
    variance = sum((count * row[0] * row[1] for row, count in groups), Exact(0))
    ask = sum_of_bits if variance <= _MOST_VARIANCE else view_at_scale
    return ask(senders, counts)


def sum_of_bits(senders: Sequence[Sequence[Exact]], counts: Sequence[int]) -> PrivacyProfile:
    """Return the profile of a sum of bits, which composes.

    Args:
        senders: The probabilities of 0 and 1: the victim's, for P and for Q, and those of the
            groups of others.
        counts: How many users each group has.

    Example:
        The other user tosses a fair coin: at ε = 0 it hides half of the difference.

        >>> half, t = Exact("1/2"), Exact("3/4")
        >>> found = sum_of_bits([(1 - t, t), (t, 1 - t), (half, half)], [1])
        >>> print(f"{found.delta(0):.4f}")
        [0.2499, 0.2501]
    """
    p, q, *others = senders
    ratios, infinite = [], cast("Number", Exact(0))
    for y in (0, 1):
        if q[y] != 0:
            ratios.append(p[y] / q[y])
        elif p[y] != 0:  # only P has the end of all counts, and the next one has this ratio
            near, end = Exact(0), cast("Number", p[y])
            for row, count in zip(others, counts, strict=True):
                if row[y] != 0:
                    near += count * row[1 - y] / row[y]
                    end = end * power_of_kept(row[y], count)
            infinite = infinite + end
            ratios.append(p[1 - y] + p[y] * near)
    top = max(ratios)
    return NearbyProfile(
        partial(_laws_near, senders, counts),
        top=Epsilon.log(1) if top == 0 else Epsilon(top),
        infinite=infinite,
        other=partial(sum_of_bits, [q, p, *others], counts),
    )


def _laws_near(
    senders: Sequence[Sequence[Exact]], counts: Sequence[int], bits: int
) -> NearLaws[PrivacyProfile]:
    p, q, *others = senders
    grid = bits + sum(counts).bit_length() + _LOST_BITS
    trials = [(row[1], count) for row, count in zip(others, counts, strict=True)]
    window = count_window(trials, bits=grid)
    with precision(grid + GUARD_BITS):
        scale = arb(2) ** -grid
        masses = [arb(weight) * scale for weight in window.weights]
        rows = []
        for no, yes in (p, q):
            a, b = no.ball(grid + GUARD_BITS), yes.ball(grid + GUARD_BITS)
            both = zip([*masses, arb(0)], [arb(0), *masses], strict=True)
            rows.append([a * x + b * y for x, y in both])
        found = rows_near(rows[0], rows[1], arb(fmpq_of(window.missing)), bits=bits)
    return NearLaws(found.laws, found.apart, found.inside)
