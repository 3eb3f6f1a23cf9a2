"""A local randomizer by its messages' bits: local quantities and columns for a million inputs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from exactdp.errors import DomainError, number_of
from exactdp.mechanisms.message_bits import MessageBits
from exactdp.mechanisms.randomizer import Randomizer, refuse_large_matrix
from exactdp.numbers import Epsilon, EpsilonLike, Exact
from exactdp.numbers.arguments import privacy_epsilon
from exactdp.numbers.limits import MAX_ENTRIES, count_text, refuse_above

__all__ = ["BitRandomizer"]


class BitRandomizer(Randomizer):
    """A local randomizer whose masses are B(y)·r(b_x(y)), with the matrix when it is asked for.

    Args:
        bits: The messages, and the law B of their bits.
        ratios: r(0) and r(1).
        name: What to call it in messages; a call that makes it.
    """

    def __init__(self, bits: MessageBits, ratios: tuple[Exact, Exact], *, name: str) -> None:
        given = (("_bits", bits), ("ratios", ratios), ("name", name), ("note", None))
        for attribute, value in given:
            object.__setattr__(self, attribute, value)

    _bits: MessageBits
    ratios: tuple[Exact, Exact]

    @classmethod
    def of_epsilon(cls, bits: MessageBits, epsilon: EpsilonLike, call: str) -> BitRandomizer:
        """Return the one with r(1) = e^ε·r(0), named by a call that has {} for k and ε."""
        at = privacy_epsilon(epsilon)
        least = 1 / (bits.rate * at.exp + (1 - bits.rate))
        return cls(bits, (least, at.exp * least), name=call.format(f"{bits.k}, {at!r}"))

    @property
    def alphabet(self) -> MessageBits:
        """The messages, and the law of their bits."""
        return self._bits

    @property
    def is_symmetric(self) -> bool:
        """True if each swap of two inputs is a relabeling of the messages."""
        return self._bits.is_symmetric or self.ratios[0] == self.ratios[1]

    @property
    def telling(self) -> int:
        """The number of first inputs that stand for all, where any two are like 0 and 1."""
        return self._bits.telling

    @property
    def has_matrix(self) -> bool:
        """True if the matrix is small enough to be listed."""
        # There are no fewer messages than inputs, and often too many to be counted.
        return self.inputs**2 <= MAX_ENTRIES and self.inputs * self.messages <= MAX_ENTRIES

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return self._bits.k

    @cached_property
    def messages(self) -> int:
        """The number of messages, which may have millions of bits."""
        return self._bits.messages

    @cached_property
    def rows(self) -> tuple[tuple[Exact, ...], ...]:
        """The matrix; rows[x][y] = P(message y | input x)."""
        bits, labels = self._bits, self.labels
        sorts = [bits.sort(y) for y in labels]
        masses = {sort: [bits.mass(sort) * r for r in self.ratios] for sort in {*sorts}}
        kinds = [(masses[sort], y) for sort, y in zip(sorts, labels, strict=True)]
        return tuple(tuple(mass[bits.bit(x, y)] for mass, y in kinds) for x in range(self.inputs))

    @cached_property
    def labels(self) -> tuple[Hashable, ...]:
        """The meaning of each message."""
        advice = (
            f"{self._bits.advice} Without a matrix ask pair(x, y), ldp_epsilon(), shuffle_view or "
            "shuffle_worst_case."
        )
        refuse_large_matrix(self.inputs, self.inputs, advice=advice)
        refuse_large_matrix(self.inputs, self.messages, advice=advice)
        return tuple(self._bits.listed())

    def columns_of(self, inputs: Sequence[int]) -> Iterator[tuple[Exact, ...]]:
        """Yield the masses under some inputs of each class of messages that have equal bits.

        Raises:
            TooLargeError: If there are too many inputs, each of which has a bit.
        """
        for bits, mass in self._law(inputs):
            masses = [mass * r for r in self.ratios]
            yield tuple(masses[bit] for bit in bits)

    def _law(self, inputs: Sequence[int]) -> Iterator[tuple[list[int], Exact]]:
        """Yield the bits of some inputs, of which some may be equal, with their mass under B."""
        different = list(dict.fromkeys(self.check_input(x) for x in inputs))
        classes = self._bits.classes(len(different))
        refuse_above(
            MAX_ENTRIES,
            len(different) * classes,
            f"{len(different)} inputs have up to {count_text(classes)} classes of messages, "
            f"so {count_text(len(different) * classes)} masses",
            advice="Let users hold fewer different inputs.",
        )
        places = [different.index(x) for x in inputs]
        for bits, mass in self._bits.law(different):
            yield [bits[place] for place in places], mass

    def blanket_columns(
        self, pairs: Iterable[tuple[int, int]]
    ) -> Iterator[list[tuple[Exact, Exact, Exact]]]:
        """Yield for each pair of inputs their masses of the messages, and the least of all inputs.

        Only messages all of whose bits are the likelier one have more in common than the least.

        Raises:
            DomainError: If all are 0.
        """
        likelier, least = self._likelier, min(self.ratios)
        constant = self._bits.constant(likelier) or Exact(0)
        if least == 0 == constant:
            raise DomainError(
                "the blanket is empty: for every message there is an input that hardly ever sends "
                "it. Use a randomizer with a message that all inputs may send."
            )
        for pair in pairs:
            found = []
            for bits, mass in self._law(pair):
                rest = mass - constant if bits == [likelier, likelier] else mass
                p, q = (self.ratios[bit] for bit in bits)
                found.append((rest * p, rest * q, rest * least))
            most = constant * self.ratios[likelier]
            yield [*found, (most, most, most)]

    @property
    def has_whole_blanket(self) -> bool:
        """True if :meth:`blanket_columns` has all that rows share, down to the rarest message."""
        return self._bits.constant(self._likelier) is not None

    @property
    def _likelier(self) -> int:
        return int(self.ratios[1] > self.ratios[0])

    def ldp_epsilon(self) -> Epsilon:
        """Return the least epsilon for which this is epsilon-locally private, exactly.

        All pairs of inputs have it.
        """
        return Randomizer(tuple(zip(*self.columns_of((0, 1)), strict=True))).ldp_epsilon()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Randomizer):
            return NotImplemented
        if self._key == other._key:
            return True
        return self.has_matrix and other.has_matrix and self.rows == other.rows

    def __hash__(self) -> int:
        return super().__hash__() if self.has_matrix else hash(self._key)

    @property
    def _key(self) -> tuple[MessageBits, tuple[Exact, Exact]]:
        return self._bits, self.ratios

    def __reduce__(self) -> Any:
        return _rebuilt, (self._bits, self.ratios, self.name)

    def __repr__(self) -> str:
        if self.has_matrix:
            return super().__repr__()
        counts = f"{number_of(self.inputs, 'input')}, {number_of(self.messages, 'message')}"
        return f"<Randomizer {self.name}: {counts}>"


def _rebuilt(bits: MessageBits, ratios: tuple[Exact, Exact], name: str) -> BitRandomizer:
    return BitRandomizer(bits, ratios, name=name)
