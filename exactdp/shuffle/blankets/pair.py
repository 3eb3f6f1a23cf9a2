"""The pair of the privacy blanket at scale: certified δ and ε for up to billions of users.

The victim's message is shuffled with the messages of those others that come from the blanket
ω (``exactdp.shuffle.blankets.decomposition``): what all rows share, γ·ω(y) = min_x R(x)(y), is the
m of ``exactdp.shuffle.at_scale.hiding``, where the formula is.

What it bounds: every divergence of the view of n users of this randomizer, whatever the
others' inputs, is at most that of the blanket's. It is no lower bound in general. For few users
``BlanketDecomposition.blanket_view`` is the same pair exactly.

References: B. Balle, J. Bell, A. Gascon and K. Nissim, The Privacy Blanket of the Shuffle
Model, CRYPTO 2019 (Lemma 5.3 for the mean).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations

from exactdp.divergences import Largest
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
)
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.checked import checked
from exactdp.numbers.limits import MAX_INPUT_PAIRS, refuse_above
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenProfile, HiddenVictim
from exactdp.shuffle.blankets.decomposition import blanket_masses
from exactdp.shuffle.views.worst_case import is_input_symmetric

__all__ = ["BlanketPair", "blanket_pair"]

_COARSE = Fraction(1, 8)
"""The relative width at which it is first seen which pairs of inputs may be the worst."""


@checked
@dataclass(frozen=True, eq=False)
class BlanketPair(HiddenProfile):
    """The victim's message among the blanket messages of n users, for certified δ and ε.

    Its own worst case if no inputs are given: the largest δ of all ordered pairs, ε by ε.

    Build it with :func:`blanket_pair`.

    Example:
        Without others, δ = 3/4 − e^ε/4:

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> e = blanket_pair(1, coin).epsilon("1/4")  # ε = ln 2
        >>> Exact.exp(e.lower) < 2 < Exact.exp(e.upper)
        True
    """

    n: int
    randomizer: Randomizer
    inputs: tuple[int, int] | None
    _pairs: tuple[Hidden, ...] = field(repr=False)

    def _delta_from_one(self, gamma: Exact, width: Fraction) -> Enclosure:
        return self._largest(gamma, width)

    def _largest(self, gamma: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the largest D_gamma of the pairs of inputs, gamma >= 1."""
        pairs = self._pairs
        if len(pairs) > 1:
            coarse = [letters.delta(self.n, gamma, max(width, _COARSE)) for letters in pairs]
            least = max(found.lower for found in coarse)
            pairs = tuple(x for x, found in zip(pairs, coarse, strict=True) if found.upper >= least)
        narrow = [letters.delta(self.n, gamma, width) for letters in pairs]
        return Enclosure(max(found.lower for found in narrow), max(found.upper for found in narrow))

    def renyi(
        self, order: RationalLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure | Epsilon:
        """Return the largest Rényi divergence of the pairs of inputs."""
        return self._each().renyi(order, relative_width=relative_width)

    def trade_off(
        self, alpha: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the least type II error of the pairs of inputs."""
        return self._each().trade_off(alpha, relative_width=relative_width)

    def _each(self) -> Largest:
        return Largest(tuple(HiddenVictim(self.n, letters) for letters in self._pairs))

    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q), the victim's own: the others may all send one message."""
        return max(letters.max_divergence() for letters in self._pairs)

    def reversed(self) -> BlanketPair:
        """Return the pair with the victim's inputs exchanged; itself if it is the worst case."""
        if self.inputs is None:
            return self
        return blanket_pair(self.n, self.randomizer, inputs=(self.inputs[1], self.inputs[0]))

    def infinity_mass(self) -> Exact:
        """Return the mass that P has where Q has none, whatever the others send."""
        return max(letters.unmatched for letters in self._pairs)

    def largest_finite_loss(self) -> Epsilon:
        """Return the largest loss of what both of two inputs may make."""
        return max(letters.largest_finite_loss(self.n) for letters in self._pairs)

    def _smallest_at_limit(self, target: Exact, width: Fraction) -> Epsilon | Enclosure:
        # Of inputs whose δ has a lower limit it may be a smaller one than their largest loss.
        return self._each().epsilon(target, relative_width=width)


def blanket_pair(
    n: int, randomizer: Randomizer, inputs: tuple[int, int] | None = None
) -> BlanketPair:
    """Return the pair of the privacy blanket for n users of a randomizer.

    Args:
        n: The number of users, the victim included, at least 1.
        randomizer: Of all users.
        inputs: The victim's inputs, for P and for Q; None for the worst ordered pair of
            different inputs at each ε.

    Raises:
        DomainError: If n < 1, an input is no row number, there is only one input, or the
            blanket is empty.
        TooLargeError: If there are too many ordered pairs of inputs.

    Source:
        Balle, Bell, Gascon & Nissim 2019, Section 5, with the blanket of finite alphabets.

    Example:
        At n = 2 binary randomized response with ε0 = ln 3 has δ = 3/16 at ε = ln 2:

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> blanket_pair(2, coin)
        BlanketPair(n=2, randomizer=<Randomizer randomizer: 2 inputs, 2 messages>, inputs=None)
        >>> found = blanket_pair(2, coin, inputs=(0, 1)).delta(Epsilon.log(2))
        >>> found.contains(Exact("3/16")), found.width < Fraction(1, 1000)
        (True, True)
    """
    n = whole_number(n, name="n", at_least=1)
    least = blanket_masses(randomizer)
    if inputs is not None:
        for x in inputs:
            randomizer.row(x)  # refuses what is no row number
        return BlanketPair(n, randomizer, inputs, (_hidden(randomizer, inputs, least),))
    if randomizer.inputs < 2:
        raise DomainError(
            "the alphabet has one input, so no two datasets differ. "
            "Take a randomizer of two inputs or more."
        )
    if is_input_symmetric([randomizer]):
        return BlanketPair(n, randomizer, None, (_hidden(randomizer, (0, 1), least),))
    searched = randomizer.inputs * (randomizer.inputs - 1)
    what = f"{randomizer.inputs:,} inputs have {searched:,} ordered pairs"
    refuse_above(MAX_INPUT_PAIRS, searched, what, advice="Pass inputs=(x, x').")
    pairs = permutations(range(randomizer.inputs), 2)
    different = dict.fromkeys(_hidden(randomizer, pair, least) for pair in pairs)
    return BlanketPair(n, randomizer, None, tuple(different))


def _hidden(randomizer: Randomizer, inputs: tuple[int, int], least: tuple[Exact, ...]) -> Hidden:
    p, q = (randomizer.rows[x] for x in inputs)
    return Hidden.of(zip(p, q, least, strict=True))
