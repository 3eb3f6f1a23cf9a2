"""The pair of the privacy blanket at scale: certified δ and ε for up to billions of users.

The victim's message is shuffled with the messages of those others that come from the blanket
ω (``exactdp.shuffle.blankets.decomposition``): what all rows share, γ·ω(y) = min_x R(x)(y), is the
m of ``exactdp.shuffle.at_scale.hiding``, where the formula is.

What it bounds: every divergence of the view of n users of this randomizer, whatever the
others' inputs, is at most that of the blanket's. It is not a lower bound in general. For few users
``BlanketDecomposition.blanket_view`` is the same pair exactly.

References: B. Balle, J. Bell, A. Gascon and K. Nissim, The Privacy Blanket of the Shuffle
Model, CRYPTO 2019 (Lemma 5.3 for the mean).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations

from exactdp.divergences import Worst
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.limits import MAX_INPUT_PAIRS, refuse_above
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.hidden_curves import largest_curve
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenVictim
from exactdp.shuffle.views.worst_case import telling_inputs

__all__ = ["BlanketPair", "blanket_pair"]


@validated
@dataclass(frozen=True, slots=True)
class BlanketPair:
    """Whose message is among the blanket messages of n users.

    Attributes:
        n: The number of users, the victim included.
        randomizer: The randomizer that all users run.
        inputs: The victim's inputs, for P and for Q; None for all ordered pairs.
    """

    n: int
    randomizer: Randomizer
    inputs: tuple[int, int] | None

    @property
    def turned(self) -> BlanketPair:
        """This pair with the victim's inputs exchanged."""
        return replace(self, inputs=self.inputs and self.inputs[::-1])


def blanket_pair(n: int, randomizer: Randomizer, inputs: tuple[int, int] | None = None) -> Worst:
    """Return the pair of the privacy blanket for n users of a randomizer.

    Args:
        n: The number of users, the victim included, at least 1.
        randomizer: The randomizer that all users run.
        inputs: The victim's inputs, for P and for Q; None for the worst ordered pair of
            different inputs at each ε.

    Raises:
        DomainError: If n < 1, an input is not a row number, there is only one input, or the
            blanket is empty.
        TooLargeError: If there are too many ordered pairs of inputs.

    Source:
        Balle, Bell, Gascon & Nissim 2019, Section 5, with the blanket of finite alphabets.

    Example:
        At n = 2 binary randomized response with ε0 = ln 3 has δ = 3/16 at ε = ln 2:

        >>> from exactdp.numbers import Epsilon, Exact
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> blanket_pair(2, coin)
        BlanketPair(n=2, randomizer=<Randomizer randomizer: 2 inputs, 2 messages>, inputs=None)
        >>> found = blanket_pair(2, coin, inputs=(0, 1)).delta(Epsilon.log(2))
        >>> found.contains(Exact("3/16")), 1000 * found.width < 1
        (True, True)
    """
    n = whole_number(n, name="n", at_least=1)
    if inputs is not None:
        for x in inputs:
            randomizer.check_input(x)
        return _pair(n, randomizer, inputs, [inputs])
    if randomizer.inputs < 2:
        raise DomainError(
            "the alphabet has one input, so no two datasets differ. "
            "Take a randomizer of two inputs or more."
        )
    if telling_inputs(randomizer) is not None:
        return _pair(n, randomizer, None, [(0, 1)])
    searched = randomizer.inputs * (randomizer.inputs - 1)
    what = f"{randomizer.inputs:,} inputs have {searched:,} ordered pairs"
    refuse_above(MAX_INPUT_PAIRS, searched, what, advice="Pass inputs=(x, x').")
    return _pair(n, randomizer, None, permutations(range(randomizer.inputs), 2))


def _pair(
    n: int,
    randomizer: Randomizer,
    inputs: tuple[int, int] | None,
    pairs: Iterable[tuple[int, int]],
) -> Worst:
    different = dict.fromkeys(map(Hidden.of, randomizer.blanket_columns(pairs)))
    said = (
        "Messages that all inputs send alike, and hardly ever, were left out of the blanket: an "
        "upper bound on its delta."
    )
    return largest_curve(
        [HiddenVictim(n, hidden) for hidden in different],
        about=BlanketPair(n, randomizer, inputs),
        is_symmetric=inputs is None,
        left_open="" if randomizer.has_whole_blanket else said,
        width=HiddenVictim.usual_width,
    )
