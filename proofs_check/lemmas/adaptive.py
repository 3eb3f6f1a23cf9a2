"""Local randomizers chosen on the basis of earlier outputs, and the laws of their outputs.

A sequence of n local randomizers is adaptive if the i-th one, A^(i), is chosen by the outputs
z_1, ..., z_{i−1} before it, the *history*. Inputs and outputs are row and column numbers of a
:class:`~exactdp.mechanisms.Randomizer`; outputs of two steps with one number are the same
output: to mark a step's outputs as its own, give it zero columns for the other steps'.

An algorithm hands the data to the randomizers in some :class:`Order`: as they are
(:data:`IN_ORDER`, A_local), in uniform order (:data:`SHUFFLED`, A_sl), or with the first
element swapped with a uniform one (:data:`SWAPPED`, A_swap).

Definitions: :class:`AdaptiveRandomizers`, :class:`Order`, :func:`outputs_law`,
:func:`shuffled_outputs_law` (A_post), :func:`pair_of`, :func:`swapped_data`.

References: Ú. Erlingsson, V. Feldman, I. Mironov, A. Raghunathan, K. Talwar and
A. Thakurta, Amplification by Shuffling: From Local to Central Differential
Privacy via Anonymity, SODA 2019, Section 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact

__all__ = [
    "IN_ORDER",
    "SHUFFLED",
    "SWAPPED",
    "AdaptiveRandomizers",
    "History",
    "Left",
    "Order",
    "checked_data",
    "outputs_law",
    "pair_of",
    "shuffled_outputs_law",
    "swapped_data",
]

History = tuple[int, ...]
"""The outputs so far: column numbers, the first step's first."""

Left = tuple[int, ...]
"""What is left of the data: the inputs in order, or how many there are of each."""

Step = Randomizer | Mapping[History, Randomizer]
"""One step: the same randomizer always, or a table of all histories."""


@dataclass(frozen=True, slots=True, repr=False)
class AdaptiveRandomizers:
    """The algorithms A^(1), ..., A^(n) of Algorithms 3, 4 and 5, exact.

    The input alphabet is common to all steps; the output alphabet of a step may depend on
    the history.

    Attributes:
        steps: One :data:`Step` for each i; tables are copied.
        inputs: The size of the input alphabet.

    Raises:
        DomainError: If there is no step, input alphabets differ, or a table does
            not hold exactly the histories of its length.

    Example:
        The second user answers with the same coin, or with a fair one if the first said 1:

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> fair = Randomizer.from_matrix([["1/2", "1/2"], ["1/2", "1/2"]])
        >>> randomizers = AdaptiveRandomizers((coin, {(0,): coin, (1,): fair}))
        >>> randomizers, randomizers.ldp_epsilon()
        (<AdaptiveRandomizers: 2 steps, 2 inputs>, Epsilon.log('3'))
    """

    steps: tuple[Step, ...]
    inputs: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.steps:
            raise DomainError("there is no step. Give a Randomizer or a table for each.")
        frozen = tuple(
            s if isinstance(s, Randomizer) else MappingProxyType(dict(s)) for s in self.steps
        )
        object.__setattr__(self, "steps", frozen)
        object.__setattr__(self, "inputs", self.at(()).inputs)
        for i, step in enumerate(frozen):
            if not isinstance(step, Randomizer) and set(step) != set(self.histories(i)):
                raise DomainError(
                    f"the table of step {i} does not hold exactly the histories of length {i}. "
                    "Give one randomizer for every history."
                )
            for randomizer in _of(step):
                if randomizer.inputs != self.inputs:
                    raise DomainError(
                        f"step {i} has {randomizer.inputs} inputs and the first step has "
                        f"{self.inputs}. Give all randomizers the same input alphabet."
                    )

    @classmethod
    def from_table(cls, table: Mapping[History, Randomizer]) -> AdaptiveRandomizers:
        """Return the steps that a table from every history to its randomizer spells out."""
        lengths = range(1 + max(map(len, table), default=-1))
        return cls(tuple({h: r for h, r in table.items() if len(h) == i} for i in lengths))

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return f"<AdaptiveRandomizers: {len(self)} steps, {self.inputs} inputs>"

    def at(self, history: History) -> Randomizer:
        """Return A^(i)(history; ·), with i − 1 the length of the history.

        Raises:
            DomainError: If there is no such step or history.
        """
        step = self.steps[len(history)] if len(history) < len(self) else {}
        if isinstance(step, Randomizer):
            return step
        if history not in step:
            raise DomainError(f"there is no randomizer after history {history}.")
        return step[history]

    def histories(self, length: int) -> Iterator[History]:
        """Yield every tuple of ``length`` outputs, of positive mass or not."""
        if length == 0:
            yield ()
        else:
            for history in self.histories(length - 1):
                yield from ((*history, y) for y in range(self.at(history).messages))

    def ldp_epsilon(self) -> Epsilon:
        """Return the least ε for which every A^(i) is ε-locally private, exactly.

        The maximum over the steps and all their histories, those of zero mass included:
        "for all values of auxiliary inputs" (Theorem 7).
        """
        return max(randomizer.ldp_epsilon() for step in self.steps for randomizer in _of(step))


def _of(step: Step) -> Iterable[Randomizer]:
    return (step,) if isinstance(step, Randomizer) else step.values()


@dataclass(frozen=True)
class Order:
    """The order in which an algorithm hands the data to the randomizers.

    Attributes:
        start: From the data and the size of the input alphabet to the weights of what may be
            left before the first step.
        draw: What may come next: an input, how many times, and what is left then.
    """

    start: Callable[[Left, int], Mapping[Left, int]]
    draw: Callable[[Left], Iterable[tuple[int, int, Left]]]


def swapped_data(data: Sequence[int], index: int) -> Left:
    """Return σ_I(D): the dataset with elements 1 and I swapped, index = I − 1.

    Source:
        Erlingsson et al. 2019, Algorithm 5, line 3.

    Example:
        >>> swapped_data((7, 8, 9), 2), swapped_data((7, 8, 9), 0)
        ((9, 8, 7), (7, 8, 9))
    """
    swapped = list(data)
    swapped[0], swapped[index] = swapped[index], swapped[0]
    return tuple(swapped)


def _one_of_the_rest(left: Left) -> Iterator[tuple[int, int, Left]]:
    for x, count in enumerate(left):
        if count:
            yield x, count, (*left[:x], count - 1, *left[x + 1 :])


def _the_next(left: Left) -> list[tuple[int, int, Left]]:
    return [(left[0], 1, left[1:])]


IN_ORDER = Order(lambda data, inputs: {data: 1}, _the_next)
"""A_local (Algorithm 3): the i-th randomizer is run on x_i."""

SHUFFLED = Order(
    lambda data, inputs: {tuple(data.count(x) for x in range(inputs)): 1}, _one_of_the_rest
)
"""A_sl (Algorithm 4): the data in uniform order, known by how many are left of each input."""

SWAPPED = Order(
    lambda data, inputs: Counter(swapped_data(data, j) for j in range(len(data))), _the_next
)
"""A_swap (Algorithm 5): x_1 swapped with x_I, I uniform."""


def outputs_law(
    order: Order, randomizers: AdaptiveRandomizers, data: Sequence[int]
) -> FinitePmf[History]:
    """Return the exact law of the outputs of all steps, those of mass 0 left out.

    Formula:
        w(h + (y), t) = Σ_s w(h, s) · Σ f · A^(i)(h; x)(y) over the (x, f, t) in draw(s), i the
        step after the history h; P(h) is Σ_s w(h, s) over the sum of all.

    Raises:
        DomainError: If data has another length than the steps or holds no row number.

    Example:
        The data 0, 1 or 1, 0, each with probability 1/2: (9/16 + 1/16)/2.

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> outputs_law(SHUFFLED, AdaptiveRandomizers((coin, coin)), [0, 1])[(0, 1)]
        Exact('5/16')
    """
    start = order.start(checked_data(randomizers, data), randomizers.inputs)
    level: dict[History, dict[Left, Exact]] = {
        (): {left: Exact(weight) for left, weight in start.items()}
    }
    for _ in randomizers.steps:
        grown: dict[History, dict[Left, Exact]] = {}
        for history, weights in level.items():
            rows = randomizers.at(history).rows
            for left, weight in weights.items():
                for x, times, rest in order.draw(left):
                    for y, mass in enumerate(rows[x]):
                        if mass:
                            after = grown.setdefault((*history, y), {})
                            after[rest] = after.get(rest, Exact(0)) + weight * times * mass
        level = grown
    return FinitePmf.normalized({h: sum(w.values(), Exact(0)) for h, w in level.items()})


def shuffled_outputs_law(
    randomizers: AdaptiveRandomizers, data: Sequence[int]
) -> FinitePmf[History]:
    """Return the law of the multiset of outputs of A_local, which A_post reveals, sorted.

    Given the multiset the permuted sequence z_π(1), ..., z_π(n) is uniform on its orders
    whatever the data: the two have the same divergences.

    Source:
        Erlingsson et al. 2019, Section 4.1, Corollary 9. Differs from the source:
        the multiset in place of the permuted sequence, which is equivalent.
    """
    return outputs_law(IN_ORDER, randomizers, data).push_forward(lambda z: tuple(sorted(z)))


def pair_of(
    order: Order, randomizers: AdaptiveRandomizers, data: Sequence[int], neighbor: Sequence[int]
) -> Pair:
    """Return the pair (P, Q) of one algorithm's laws on two neighboring datasets.

    Raises:
        DomainError: If the datasets do not differ at exactly one position.

    Example:
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> pair_of(SHUFFLED, AdaptiveRandomizers((coin, coin)), [0, 0], [1, 0]).max_divergence()
        Epsilon.log('3')
    """
    places = [i for i, (x, other) in enumerate(zip(data, neighbor, strict=True)) if x != other]
    if len(places) != 1:
        raise DomainError(
            f"data and neighbor differ at positions {places}. "
            "Neighboring datasets differ at exactly one."
        )
    return Pair.from_pmfs(*(outputs_law(order, randomizers, d) for d in (data, neighbor)))


def checked_data(randomizers: AdaptiveRandomizers, data: Sequence[int]) -> Left:
    """Return the dataset as a tuple, if it gives each step one input."""
    if len(data) != len(randomizers):
        raise DomainError(f"data has {len(data)} elements and there are {len(randomizers)} steps.")
    for i, x in enumerate(data):
        if not isinstance(x, int) or not 0 <= x < randomizers.inputs:
            raise DomainError(f"data[{i}]={x!r} is not an input. Inputs are row numbers.")
    return tuple(data)
