"""The rows of a victim in each message, beyond the part that all others share.

The sums of all γ are added up together (``exactdp.sums.positive_means``), to no narrower a width
than polygons through the points need.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import arb

from exactdp.numbers import Enclosure, Epsilon, Exact, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import first_answer, remembered
from exactdp.numbers.validated import validated
from exactdp.sums import positive_means
from exactdp.sums.counting.histograms import FEW_HISTOGRAMS, histograms, means_by_histogram

__all__ = ["Hidden"]

_BITS = 128
"""Bits of balls; twice as many where values are so large that these do not tell a phase."""


@validated
@dataclass(frozen=True, slots=True)
class Hidden:
    """The parts of the victim's two rows in each message beyond the part that all others share.

    Attributes:
        shared: (p_y/m_y, q_y/m_y) with the mass m_y, equal ones together.
        nothing: 1 − s.
        alone: (p_y, q_y) where m_y = 0.
    """

    shared: tuple[tuple[Exact, Exact, Exact], ...]
    nothing: Exact
    alone: tuple[tuple[Exact, Exact], ...]

    @classmethod
    def of(cls, messages: Iterable[tuple[Exact, Exact, Exact]]) -> Hidden:
        """Return the hidden victim of (p_y, q_y, m_y) of all messages."""
        shared: dict[tuple[Exact, Exact], Exact] = {}
        alone, total = [], Exact(0)
        for p, q, least in messages:
            if least == 0:
                alone.append((p, q))
                continue
            ratios = (p / least, q / least)
            shared[ratios] = shared.get(ratios, Exact(0)) + least
            total += least
        letters = sorted((*ratios, mass) for ratios, mass in shared.items())
        present = sorted(pair for pair in alone if pair[0] != 0 or pair[1] != 0)
        return cls(tuple(letters), 1 - total, tuple(present))

    def turned(self) -> Hidden:
        """Return the same with p and q exchanged."""
        letters = sorted((q, p, mass) for p, q, mass in self.shared)
        return Hidden(tuple(letters), self.nothing, tuple(sorted((q, p) for p, q in self.alone)))

    @property
    def unmatched(self) -> Exact:
        """The mass of p where q and m have none."""
        return sum((p for p, q in self.alone if q == 0), Exact(0))

    def messages(self) -> list[tuple[Exact, Exact, Exact]]:
        """Return (p_y, q_y, m_y), messages of equal ratios together."""
        alone = [(p, q, Exact(0)) for p, q in self.alone]
        return [(p * m, q * m, m) for p, q, m in self.shared] + alone

    def max_divergence(self) -> Epsilon:
        """Return ln of the largest ratio p_y/q_y: all messages may be alike."""
        if any(q == 0 < p for p, q in self._rows()):
            return Epsilon.infinity()
        return Epsilon(max(p / q for p, q in self._rows() if p != 0))

    def largest_finite_loss(self, n: int) -> Epsilon:
        """Return ln of the largest ratio of n messages that are not p's alone, at least 0.

        Formula:
            ((n − 1)·p_b/m_b + p_y/m_y)/(q_y/m_y), b the message with q_b = 0 and the largest
            p_b/m_b: one message of the n is y, and of those y may be it is the best.
        """
        bare = max((p for p, q, _ in self.shared if q == 0), default=Exact(0))
        ratios = [((n - 1) * bare + p) / q for p, q, _ in self.shared if q != 0]
        ratios += [p / q for p, q in self.alone if q != 0]
        return Epsilon(max([Exact(1), *ratios]))

    def _rows(self) -> list[tuple[Exact, Exact]]:
        return [(p, q) for p, q, _ in self.shared] + list(self.alone)

    def deltas(
        self, n: int, gammas: Sequence[Fraction] | Sequence[Exact], smooth: Fraction
    ) -> list[Enclosure]:
        """Return H_γ at each of some γ >= 1, to a smoothing over the spread of a sum."""
        if not gammas:
            return []
        # Of some values that are large more bits are taken.
        ask = partial(_deltas, self, n, gammas, smooth)
        return first_answer(partial(ask, _BITS), partial(ask, 2 * _BITS))

    def deviation(self, n: int) -> float:
        """Return the root of Σ (p − q)²/m, over n: about the deviation of the loss."""
        with precision(_BITS):
            shared, _ = _balls_of(self, _BITS)
            square = sum(((p - q) * (p - q) * m for p, q, m in shared), arb(0)) / n
            return math.sqrt(endpoints(square)[1])


def _deltas(
    hidden: Hidden,
    n: int,
    gammas: Sequence[Fraction] | Sequence[Exact],
    smooth: Fraction,
    bits: int,
) -> list[Enclosure]:
    with precision(bits):
        shared, alone = _balls_of(hidden, bits)
        ratios = [Exact(x).ball(bits) for x in gammas]
        values = [[p - x * q for p, q, _ in shared] for x in ratios]
        masses = [m for *_, m in shared]
        if histograms(n, len(masses) + 1) <= FEW_HISTOGRAMS:
            means = means_by_histogram(values, masses, n)
        else:
            means = positive_means(values, masses, n, smooth=smooth, bits=bits)
        found = []
        for x, mean in zip(ratios, means, strict=True):
            low, high = endpoints(sum(((p - x * q).max(arb(0)) for p, q in alone), arb(0)))
            low, high = low + mean.lower / n, high + mean.upper / n
            found.append(Enclosure(max(Fraction(0), low), high))
    return found


@remembered(maxsize=32)
def _balls_of(hidden: Hidden, bits: int) -> tuple[list[tuple[arb, ...]], list[tuple[arb, ...]]]:
    """Return (p_y/m_y, q_y/m_y, m_y) of messages that others send, and (p_y, q_y) of the rest."""
    shared = [tuple(x.ball(bits) for x in row) for row in hidden.shared]
    return shared, [tuple(x.ball(bits) for x in row) for row in hidden.alone]
