"""The blanket pair at scale: the victim's message among the others' blanket messages.

Each of the n − 1 other users sends a blanket message, a draw of ω, with probability γ.
With L(y) = (R(x)_y − e^ε R(x')_y)/ω_y, and Z = L(Y), Y ~ ω, with probability γ and else 0,

    δ(ε) = Σ_{y: ω_y = 0} max(0, R(x)_y − e^ε R(x')_y) + E[max(0, Z_1 + ... + Z_n)] / (γn),

because the victim is any one of the M + 1 messages, and Bin(n − 1, γ)(m)/(m + 1) is
Bin(n, γ)(m + 1)/(γn). Every divergence of the pair is an upper bound on that of n users of
the randomizer, whatever the others hold (``BlanketDecomposition.blanket_view``); it is no
lower bound in general.

Definitions: :class:`BlanketPair`, :func:`blanket_pair`.

References: B. Balle, J. Bell, A. Gascon and K. Nissim, The Privacy Blanket of the Shuffle
Model, CRYPTO 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from flint import arb

from exactdp.distributions.grid_sums import mean_positive_sum
from exactdp.divergences.validation import nonnegative_exp_epsilon
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import Randomizer
from exactdp.mechanisms.parameters import whole_number
from exactdp.numbers import (
    Enclosure,
    Exact,
    RationalLike,
    enclosure,
    fmpq_of,
    fraction_of,
    precision,
    rational,
)
from exactdp.numbers.balls import ball_of_interval
from exactdp.shuffle.blanket import BlanketDecomposition, blanket_decomposition
from exactdp.shuffle.count_epsilon import crossing, open_probability

__all__ = ["BlanketPair", "blanket_pair"]

Row = Sequence[Exact]


@dataclass(frozen=True, slots=True)
class BlanketPair:
    """The pair of the victim's message among blanket messages.

    Attributes:
        n: The number of users, the victim included, at least 1.
        decomposition: Of the randomizer that all users have.
        inputs: The ordered pairs (x, x') of the victim's inputs; δ is the largest of theirs.
    """

    n: int
    decomposition: BlanketDecomposition
    inputs: tuple[tuple[int, int], ...]

    def delta_enclosure(
        self, *, exp_epsilon: Exact | RationalLike, relative_width: RationalLike = "1e-3"
    ) -> Enclosure:
        """Return an enclosure of δ at γ = exp_epsilon, the worst over the pairs of inputs.

        Args:
            exp_epsilon: e^ε, at least 0.
            relative_width: (upper − lower) <= relative_width·lower.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If the width is not reached.

        Example:
            Two users of a coin: 3/16, as for the whole view of the blanket.

            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> blanket_pair(2, coin).delta_enclosure(exp_epsilon=2).contains(Exact("3/16"))
            True
        """
        width = fraction_of(rational(relative_width, name="relative_width"))
        if not 0 < width < 1:
            raise DomainError(f"relative_width={relative_width} must be above 0 and below 1.")
        odds = nonnegative_exp_epsilon(exp_epsilon)
        rows = [mixture.row for mixture in self.decomposition.mixtures]
        found = [self._delta(rows[x], rows[y], odds, width) for x, y in self.inputs]
        return Enclosure(max(e.lower for e in found), max(e.upper for e in found))

    def epsilon(
        self, *, delta: Exact | RationalLike, relative_width: RationalLike = "1e-3"
    ) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0 (nats) with δ(ε) <= delta.

        Returns:
            Two rationals around ε: δ certainly holds at the upper one, and certainly
            fails at the lower one. The point 0 if δ holds at ε = 0.

        Raises:
            DomainError: If delta is not above 0 and below 1.
            UndecidedError: If a comparison is not decided.

        Example:
            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> found = blanket_pair(2, coin).epsilon(delta="3/16")  # ε = ln 2
            >>> Exact.exp(found.lower) < 2 < Exact.exp(found.upper)
            True
        """
        target = open_probability(delta)

        def delta_at(epsilon: Fraction, bits: int) -> arb:
            width = Fraction(1, 2 ** max(6, min(bits // 2, 40)))
            found = self.delta_enclosure(exp_epsilon=Exact.exp(epsilon), relative_width=width)
            with precision(bits + 64):
                return ball_of_interval(fmpq_of(found.lower), fmpq_of(found.upper))

        at_zero = self.delta_enclosure(exp_epsilon=1, relative_width="1/1000")
        if at_zero.upper <= target:
            return Enclosure(Fraction(0), Fraction(0))
        if at_zero.lower <= target:
            raise UndecidedError(f"delta={target} cannot be told from δ at ε = 0. Pass another.")
        return crossing(delta_at, target, first=at_zero.upper * 2, width=relative_width, sign=-1)

    def _delta(self, first: Row, second: Row, odds: Exact, width: Fraction) -> Enclosure:
        gamma, omega = self.decomposition.gamma, self.decomposition.blanket.law
        outside = Exact(0)
        sent: dict[Exact, Exact] = {}
        for p, q, mass in zip(first, second, omega, strict=True):
            gain = p - odds * q
            if mass == 0:
                outside += max(Exact(0), gain)
            else:
                sent[gain / mass] = sent.get(gain / mass, Exact(0)) + gamma * mass
        if gamma != 1:
            sent[Exact(0)] = sent.get(Exact(0), Exact(0)) + 1 - gamma
        ends = enclosure(outside, relative_bits=128) if outside != 0 else _POINT
        if not any(value > 0 for value in sent):
            return ends
        sums = mean_positive_sum(list(sent), list(sent.values()), self.n, relative_width=width / 2)
        scale = enclosure(gamma * self.n, relative_bits=128)
        return Enclosure(
            ends.lower + sums.lower / scale.upper, ends.upper + sums.upper / scale.lower
        )


def blanket_pair(
    n: int, randomizer: Randomizer, *, inputs: tuple[int, int] | None = None
) -> BlanketPair:
    """Return the blanket pair of n users of a randomizer.

    Args:
        n: The number of users, the victim included, at least 1.
        randomizer: Of all users.
        inputs: The victim's inputs, for P and for Q; the worst ordered pair if left out.

    Raises:
        DomainError: If n or an input is outside its range, or the blanket is empty.

    Example:
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> blanket_pair(10, coin).inputs
        ((0, 1), (1, 0))
    """
    whole_number(n, name="n", at_least=1)
    decomposition = blanket_decomposition(randomizer)
    if inputs is None:
        return BlanketPair(n, decomposition, tuple(permutations(range(randomizer.inputs), 2)))
    for x in inputs:
        if not 0 <= x < randomizer.inputs:
            raise DomainError(
                f"inputs={inputs}: {x} is outside the alphabet 0..{randomizer.inputs - 1}."
            )
    return BlanketPair(n, decomposition, (inputs,))


_POINT = Enclosure(Fraction(0), Fraction(0))
