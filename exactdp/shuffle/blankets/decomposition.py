"""The privacy blanket: the common part of all rows of a local randomizer.

References: B. Balle, J. Bell, A. Gascon and K. Nissim, The Privacy Blanket of the Shuffle
Model, CRYPTO 2019.
"""

from __future__ import annotations

from dataclasses import dataclass

from exactdp.errors import number_of
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.validated import validated
from exactdp.shuffle.reductions.mixture_pairs import (
    Component,
    DecompositionFault,
    Mixture,
    first_fault,
    with_leftover,
)
from exactdp.shuffle.views.shuffle_view import ShuffleView, Users, Victim, shuffle_view

__all__ = ["BlanketDecomposition", "blanket_decomposition"]


@validated
@dataclass(frozen=True, slots=True)
class BlanketDecomposition:
    """R(x) = γ·ω + (1 − γ)·leftover_x for every input x.

    Attributes:
        gamma: γ, the mass of the blanket.
        blanket: ω, the law of the blanket.
        mixtures: One mixture an input, in the order of the inputs.
    """

    gamma: Exact
    blanket: Component
    mixtures: tuple[Mixture, ...]

    def __repr__(self) -> str:
        return (
            f"<BlanketDecomposition: gamma={self.gamma}, {number_of(len(self.mixtures), 'input')}>"
        )

    def check(self) -> DecompositionFault | None:
        """Return the first fault, or None."""
        return first_fault(self.mixtures)

    def blanket_view(self, *, n: int, inputs: tuple[int, int] = (0, 1)) -> ShuffleView:
        """Return the view of the victim's message shuffled with the blanket messages only.

        Meaning:
            The others' leftovers, and who sends them, are independent of the victim:
            every divergence of this view is an upper bound on that of n users of this
            randomizer, whatever the others' inputs. It is not a lower bound in general.
            The last message, sent by others only, stands for a leftover.

        Args:
            n: The number of users, the victim included, at least 1.
            inputs: The victim's inputs, for P and for Q.

        Raises:
            DomainError: If n or an input is outside its range.

        Example:
            >>> from exactdp.numbers import Epsilon
            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> view = blanket_decomposition(coin).blanket_view(n=2)
            >>> view.delta(Epsilon.log(2))
            Exact('3/16')
        """
        n = whole_number(n, name="n", at_least=1)
        victim = Randomizer(tuple((*m.row, Exact(0)) for m in self.mixtures))
        sent = (*(self.gamma * mass for mass in self.blanket.law), 1 - self.gamma)
        return shuffle_view(Victim(victim, inputs), [Users(Randomizer((sent,)), 0, n - 1)])


@validated
def blanket_decomposition(randomizer: Randomizer) -> BlanketDecomposition:
    """Return the decomposition of every row into the privacy blanket and a leftover.

    Formula:
        γ = Σ_y min_x R(x)(y), ω = min_x R(x) / γ, R(x) = γ·ω + (1 − γ)·leftover_x.

    Raises:
        DomainError: If γ = 0: some input excludes every message of some other.

    Source:
        Balle, Bell, Gascon & Nissim 2019, the blanket decomposition, for finite alphabets.

    Example:
        For k-ary randomized response γ = k/(e^ε0 + k − 1) and ω is uniform:

        >>> from exactdp.mechanisms import randomized_response
        >>> from exactdp.numbers import Epsilon
        >>> blanket = blanket_decomposition(randomized_response(3, Epsilon.log(4)))
        >>> blanket.gamma, blanket.blanket.law[0], blanket.check()
        (Exact('1/2'), Exact('1/3'), None)
    """
    least = randomizer.shared_masses()
    gamma = sum(least, Exact(0))
    omega = Component("blanket", tuple(mass / gamma for mass in least))
    mixtures = [
        with_leftover(f"input {x}", row, [(gamma, omega)]) for x, row in enumerate(randomizer.rows)
    ]
    return BlanketDecomposition(gamma, omega, tuple(mixtures))
