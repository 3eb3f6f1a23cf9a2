"""The law of outputs drawn one after the other, when a hidden state feeds the randomizers.

Steps i = 0, 1, ..., n−1 each draw an input from a hidden state and send it through
the randomizer that the outputs so far (the history) have chosen. For each history
the joint weights of history and state are kept: states with one future are one
state, so a uniform permutation of the data costs the counts of what is left of
each input rather than n! orders.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from flint import fmpq

from exactdp.distributions import FinitePmf
from exactdp.errors import TooLargeError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact

__all__ = ["MAX_CELLS", "History", "exact_rows", "sequential_law"]

MAX_CELLS = 1_000_000
"""Steps that touch more triples (history, state, output) are refused."""

History = tuple[int, ...]
"""The outputs so far: column numbers, the first step's first."""

Mass = fmpq | Exact
"""A probability times an integer: FLINT's rational where it is one."""

State = TypeVar("State", bound=Hashable)


def sequential_law(
    randomizer_after: Callable[[History], Randomizer],
    steps: int,
    start: Mapping[State, int],
    draw: Callable[[int, State], Iterable[tuple[int, int, State]]],
    *,
    total: int,
) -> FinitePmf[History]:
    """Return the law of the outputs of all steps.

    Formula:
        w(h + (y), t) = Σ_s w(h, s) · Σ f · R_h[x, y], the inner sum over the
        (x, f, t) in draw(i, s), with R_h the randomizer after history h and i its
        length; then P(h) = Σ_s w(h, s) / total for the histories of all steps.

    Args:
        randomizer_after: The randomizer after each history of positive mass.
        steps: n.
        start: The integer weights of the states before the first step.
        draw: For step i and a state: the inputs x that may come next, each with an
            integer weight and the state it leaves.
        total: What all weights sum to after the last step.

    Returns:
        The law on tuples of n outputs, those of mass 0 left out.

    Raises:
        TooLargeError: If a step touches more than MAX_CELLS triples.
    """
    level: dict[History, dict[State, Mass]] = {
        (): {state: fmpq(weight) for state, weight in start.items()}
    }
    for i in range(steps):
        cells = 0
        chosen = []
        for history, states in level.items():
            chosen.append(randomizer_after(history))
            cells += len(states) * chosen[-1].messages
            _refuse_large(cells, i, steps)
        grown: dict[History, dict[State, Mass]] = {}
        for randomizer, (history, states) in zip(chosen, level.items(), strict=True):
            rows = exact_rows(randomizer)
            for state, weight in states.items():
                for x, factor, left in draw(i, state):
                    scaled = weight * factor
                    for y, mass in enumerate(rows[x]):
                        if mass:
                            after = grown.setdefault((*history, y), {})
                            after[left] = after.get(left, fmpq(0)) + scaled * mass
        level = grown
    return FinitePmf(
        {
            history: Exact(1) * sum(states.values(), fmpq(0)) / total
            for history, states in level.items()
        }
    )


def exact_rows(randomizer: Randomizer) -> list[list[Mass]]:
    """Return the rows of a randomizer, with FLINT's rationals for the rational masses."""
    return [[m.as_fmpq() if m.is_rational else m for m in row] for row in randomizer.rows]


def _refuse_large(cells: int, i: int, steps: int) -> None:
    if cells > MAX_CELLS:
        raise TooLargeError(
            f"step {i} of {steps} has more than {MAX_CELLS:,} triples (outputs so far, hidden "
            "state, next output). Take fewer users or smaller alphabets; for one fixed randomizer "
            "shuffle_view sees only the histogram and goes much further."
        )
