"""Local randomizers chosen one after the other, on the basis of earlier outputs.

A sequence of n local randomizers is adaptive if the i-th one, A^(i), is chosen by
the outputs z_1, ..., z_{i−1} before it: A^(i)(z_1..z_{i−1}; x) is the law of z_i
for the input x. Here inputs and outputs are row and column numbers of a
:class:`~exactdp.mechanisms.Randomizer`, and the tuple of the earlier outputs is
the *history*; the history () has length 0. Outputs that differ in number are
told apart, outputs of two steps with one number are the same output: to mark a
step's outputs as its own, give its randomizer zero columns for the other steps'.

References: Ú. Erlingsson, V. Feldman, I. Mironov, A. Raghunathan, K. Talwar and
A. Thakurta, Amplification by Shuffling: From Local to Central Differential
Privacy via Anonymity, SODA 2019, Section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.shuffle.sequential import History, sequential_law

__all__ = ["AdaptiveRandomizers", "Step", "local_responses_law"]

MAX_HISTORIES = 200_000
"""Steps with more histories are refused: each would be asked for its randomizer."""

Step = Randomizer | Mapping[History, Randomizer] | Callable[[History], Randomizer]
"""One step: the same randomizer always, a table, or a function of the history."""


@dataclass(frozen=True, slots=True, repr=False)
class AdaptiveRandomizers:
    """The algorithms A^(1), ..., A^(n) of Algorithms 3, 4 and 5, exact.

    The input alphabet is common to all steps; the output alphabet of a step may
    depend on the history. Randomizers and tables are checked when the object is
    built; what a function returns is checked when it is asked. A function must be
    pure and must answer every history: every tuple of outputs that the earlier
    randomizers have a column for, of positive mass or not.

    Attributes:
        steps: One :data:`Step` for each i; tables are copied.
        inputs: The size of the input alphabet.

    Raises:
        DomainError: If there is no step, input alphabets differ, or a table does
            not hold exactly the histories of its length.
        TooLargeError: If the histories of a table cannot be checked one by one.

    Example:
        The second user answers with the same coin, or with one that lies if the
        first user said 1:

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> lie = Randomizer.from_matrix([["1/4", "3/4"], ["3/4", "1/4"]])
        >>> randomizers = AdaptiveRandomizers((coin, {(0,): coin, (1,): lie}))
        >>> randomizers
        <AdaptiveRandomizers: 2 steps, 2 inputs>
        >>> randomizers.at((1,)) == lie
        True
    """

    steps: tuple[Step, ...]
    inputs: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.steps, tuple) or not self.steps:
            raise DomainError(
                f"steps={self.steps!r} is no tuple of at least one step. "
                "Give a tuple with a Randomizer, a table or a function for each step."
            )
        frozen = tuple(_frozen(step, i) for i, step in enumerate(self.steps))
        object.__setattr__(self, "steps", frozen)
        first = _resolve(frozen[0], ())
        object.__setattr__(self, "inputs", _checked_type(first, "step 0").inputs)
        for i, step in enumerate(frozen):
            if isinstance(step, Randomizer):
                self._checked(step, f"step {i}")
            elif isinstance(step, Mapping):
                for history, randomizer in step.items():
                    self._checked(randomizer, f"step {i} after {history}")
                self._check_complete(step, i)

    @classmethod
    def from_randomizers(cls, randomizers: Iterable[Randomizer]) -> AdaptiveRandomizers:
        """Return the steps that ignore the history: one randomizer each.

        Raises:
            DomainError: If there is none, or input alphabets differ.

        Example:
            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> AdaptiveRandomizers.from_randomizers([coin] * 3).ldp_epsilon()
            Epsilon.log('3')
        """
        return cls(tuple(randomizers))

    @classmethod
    def from_table(cls, table: Mapping[History, Randomizer]) -> AdaptiveRandomizers:
        """Return the steps that a table from every history to its randomizer spells out.

        Args:
            table: A^(i) after each history, which has length i−1; the empty history
                is the first step's.

        Raises:
            DomainError: If a history is missing, or is none of these randomizers'.
            TooLargeError: If there are too many histories.

        Example:
            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> len(AdaptiveRandomizers.from_table({(): coin, (0,): coin, (1,): coin}))
            2
            >>> AdaptiveRandomizers.from_table({(): coin, (0,): coin})
            Traceback (most recent call last):
            ...
            exactdp.errors.DomainError: the table of step 1 has no randomizer after history (1,). \
Give one for every history.
        """
        steps: list[dict[History, Randomizer]] = []
        for history, randomizer in table.items():
            steps.extend({} for _ in range(len(steps), len(history) + 1))
            steps[len(history)][history] = randomizer
        return cls(tuple(steps))

    @classmethod
    def from_function(
        cls, function: Callable[[History], Randomizer], *, steps: int
    ) -> AdaptiveRandomizers:
        """Return so many steps, each with the randomizer that the function gives its history.

        Raises:
            DomainError: If steps < 1, or the function does not return a Randomizer.

        Example:
            Output 0 or 1 with the coin while all outputs were 0, then always 0:

            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> stop = Randomizer.from_matrix([[1], [1]])
            >>> rule = AdaptiveRandomizers.from_function(
            ...     lambda history: stop if 1 in history else coin, steps=3)
            >>> sorted(rule.histories(2))
            [(0, 0), (0, 1), (1, 0)]
        """
        return cls((function,) * steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __hash__(self) -> int:
        # Tables are compared but not hashed: equal objects agree on these two.
        return hash((len(self.steps), self.inputs))

    def __repr__(self) -> str:
        return f"<AdaptiveRandomizers: {len(self)} steps, {self.inputs} inputs>"

    def at(self, history: History) -> Randomizer:
        """Return A^(i)(history; ·), with i − 1 the length of the history.

        Raises:
            DomainError: If there is no such step, a table does not hold the
                history, or a function returns no Randomizer on the input alphabet.
        """
        if len(history) >= len(self.steps):
            raise DomainError(
                f"history {history} has {len(history)} outputs and there are {len(self)} steps. "
                f"Give at most {len(self) - 1} outputs."
            )
        step = self.steps[len(history)]
        randomizer = _resolve(step, history)
        if isinstance(step, Randomizer | Mapping):  # checked once, when built
            return randomizer
        return self._checked(randomizer, f"step {len(history)} after {history}")

    def histories(self, length: int) -> Iterator[History]:
        """Yield every tuple of ``length`` outputs, of positive mass or not, lazily.

        Raises:
            DomainError: If length is negative or exceeds the number of steps.
        """
        if not 0 <= length <= len(self):
            raise DomainError(f"length={length} must be in 0..{len(self)}, the number of steps.")
        return self._extensions((), length)

    def ldp_epsilon(self) -> Epsilon:
        """Return the least ε for which every A^(i) is ε-locally private, exactly.

        Formula:
            The maximum of Randomizer.ldp_epsilon of A^(i)(z; ·) over the steps i
            and all histories z of length i−1, those of zero mass included.

        Returns:
            An Epsilon with e^ε exact; plus infinity if some output is possible for
            one input and not for another.

        Raises:
            TooLargeError: If a step that depends on the history has too many.

        Source:
            Erlingsson et al. 2019, Theorem 7: "ε_0-differentially private for all
            values of auxiliary inputs in S^(1) x ... x S^(i−1)".

        Example:
            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> fair = Randomizer.from_matrix([["1/2", "1/2"], ["1/2", "1/2"]])
            >>> AdaptiveRandomizers((fair, {(0,): fair, (1,): coin})).ldp_epsilon()
            Epsilon.log('3')
        """
        largest = Epsilon.log(1)
        seen: set[int] = set()
        for randomizer in self._randomizers():
            # Non-adaptive parts repeat one object; each is examined once.
            if id(randomizer) not in seen:
                seen.add(id(randomizer))
                largest = max(largest, randomizer.ldp_epsilon())
        return largest

    def _randomizers(self) -> list[Randomizer]:
        found: list[Randomizer] = []
        for i, step in enumerate(self.steps):
            if isinstance(step, Randomizer):
                found.append(step)
            elif isinstance(step, Mapping):
                found.extend(step.values())
            else:
                for history in self.histories(i):
                    found.append(self.at(history))
                    _refuse_many(len(found))
        return found

    def _extensions(self, history: History, length: int) -> Iterator[History]:
        if len(history) == length:
            yield history
            return
        for y in range(self.at(history).messages):
            yield from self._extensions((*history, y), length)

    def _checked(self, randomizer: Randomizer, place: str) -> Randomizer:
        if _checked_type(randomizer, place).inputs != self.inputs:
            raise DomainError(
                f"{place} has {randomizer.inputs} inputs and the first step has {self.inputs}. "
                "Give all randomizers the same input alphabet."
            )
        return randomizer

    def _check_complete(self, table: Mapping[History, Randomizer], i: int) -> None:
        count = 0
        for history in self.histories(i):
            if history not in table:
                raise DomainError(
                    f"the table of step {i} has no randomizer after history {history}. "
                    "Give one for every history."
                )
            count += 1
            _refuse_many(count)
        if count != len(table):
            stray = next(h for h in table if h not in set(self.histories(i)))
            raise DomainError(
                f"the table of step {i} holds {stray}, which is no history of length {i}. "
                "Leave it out."
            )


def local_responses_law(
    randomizers: AdaptiveRandomizers, data: Sequence[int]
) -> FinitePmf[History]:
    """Return the law of the outputs of A_local: the i-th randomizer is run on x_i.

    Formula:
        P(z_1..z_n) = Π_i A^(i)(z_1..z_{i−1}; x_i)(z_i).

    Args:
        randomizers: A^(1), ..., A^(n).
        data: The dataset x_1, ..., x_n: row numbers.

    Returns:
        The law on tuples of n outputs, those of mass 0 left out.

    Raises:
        DomainError: If data has another length than n or holds no row number.
        TooLargeError: If there are too many outputs.

    Source:
        Erlingsson et al. 2019, Algorithm 3.

    Example:
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> local_responses_law(AdaptiveRandomizers((coin, coin)), [0, 1])[(0, 1)]
        Exact('9/16')
    """
    data = checked_data(randomizers, data)
    return sequential_law(
        randomizers.at, len(data), {(): 1}, lambda i, key: [(data[i], 1, key)], total=1
    )


def checked_data(randomizers: AdaptiveRandomizers, data: Sequence[int]) -> tuple[int, ...]:
    """Return the dataset as a tuple, if it gives each step one input."""
    if len(data) != len(randomizers):
        raise DomainError(
            f"data has {len(data)} elements and there are {len(randomizers)} steps. "
            "Give one element a step."
        )
    for i, x in enumerate(data):
        if not isinstance(x, int) or not 0 <= x < randomizers.inputs:
            raise DomainError(
                f"data[{i}]={x!r} is no input. Inputs are the row numbers "
                f"0..{randomizers.inputs - 1}."
            )
    return tuple(data)


def _frozen(step: Step, i: int) -> Step:
    if isinstance(step, Randomizer):
        return step
    if isinstance(step, Mapping):
        return MappingProxyType(dict(step))
    if callable(step):
        return step
    raise DomainError(
        f"step {i} is a {type(step).__name__}. Give a Randomizer, a table from histories to "
        "Randomizers, or a function of the history."
    )


def _resolve(step: Step, history: History) -> Randomizer:
    if isinstance(step, Randomizer):
        return step
    if not isinstance(step, Mapping):
        return step(history)
    if history not in step:
        raise DomainError(
            f"the table of step {len(history)} has no randomizer after history {history}. "
            "Give one for every history."
        )
    return step[history]


def _checked_type(randomizer: object, place: str) -> Randomizer:
    if not isinstance(randomizer, Randomizer):
        raise DomainError(
            f"{place} is a {type(randomizer).__name__}, no Randomizer. "
            "Give a Randomizer for every history."
        )
    return randomizer


def _refuse_many(histories: int) -> None:
    if histories > MAX_HISTORIES:
        raise TooLargeError(
            f"there are more than {MAX_HISTORIES:,} histories to ask for their randomizer. "
            "Give a Randomizer for each step that ignores its history, or take fewer steps."
        )
