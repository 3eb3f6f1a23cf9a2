"""Reals whose balls are dear: a ball that is narrow enough is given again.

Definitions: :func:`remembered`.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb

from exactdp.numbers import Real, precision, working_bits

__all__ = ["remembered"]

_MORE = 16
"""Bits beyond those that are asked: an enclosure asks for a few more than a sign does."""


def remembered(ball: Callable[[int], arb], text: str) -> Real:
    """Return a real that remembers its narrowest ball.

    Args:
        ball: A ball of about so many correct bits.
        text: What to print.

    Example:
        >>> asked = []
        >>> third = remembered(lambda bits: asked.append(bits) or arb(1) / 3, "third")
        >>> [third.ball(32).rel_accuracy_bits() >= 32 for _ in range(3)], asked
        ([True, True, True], [48])
    """
    best: list[arb] = []

    def rule() -> arb:
        bits = working_bits()
        if not best or best[0].rel_accuracy_bits() < bits:
            with precision(bits + 2 * _MORE):  # else its own rounding leaves it too wide
                best[:] = [ball(bits + _MORE)]
        return best[0]

    return Real(rule, text)
