"""Local randomizers: stochastic matrices with exact entries.

A local randomizer takes one user's input x to a random message y. On finite
alphabets it is the matrix R[x, y] = P(message y | input x): one row an input, one
column a message, every row a probability vector. The named families need none for most
questions, and have alphabets of any size (``exactdp.mechanisms.bit_randomizer``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import mul

from exactdp.distributions.finite import DIVIDED, FinitePmf, not_one
from exactdp.divergences.description import EPSILON, SIZE, F, Parameter, described
from exactdp.divergences.pair import Pair
from exactdp.errors import DomainError, number_of
from exactdp.numbers import Epsilon, Exact, RationalLike
from exactdp.numbers.arguments import exact, whole_number
from exactdp.numbers.limits import MAX_ENTRIES, MAX_INPUTS, count_text, refuse_above

__all__ = ["Randomizer", "alphabet_size", "refuse_large_matrix"]


@dataclass(frozen=True, slots=True, repr=False)
class Randomizer:
    """A local randomizer on finite alphabets, exact, valid once built.

    Two randomizers are equal if their matrices are: name and labels only say how
    to print them.

    Attributes:
        rows: The matrix; rows[x][y] = P(message y | input x).
        name: What to call it in messages.
        labels: What message y means, one label a column; None if y says it all.
        note: What was done to the masses that were given; None if nothing.

    Raises:
        DomainError: If there is no row or no column, rows differ in length, an
            entry is negative, a row does not sum to 1, or labels are not one a column.

    Example:
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]], name="coin")
        >>> coin
        <Randomizer coin: 2 inputs, 2 messages>
        >>> coin.row(0)
        (Exact('3/4'), Exact('1/4'))
        >>> Randomizer.from_matrix([["1", "0"], ["1/2", "1/3"]])
        Traceback (most recent call last):
        ...
        exactdp.errors.DomainError: randomizer row 1: masses sum to 5/6, not 1 (2 messages). Write \
masses as strings, '0.1' or '1/3', or pass normalize=True to divide them by their sum.
    """

    rows: tuple[tuple[Exact, ...], ...]
    name: str = field(default="randomizer", compare=False, kw_only=True)
    labels: tuple[Hashable, ...] | None = field(default=None, compare=False, kw_only=True)
    note: str | None = field(default=None, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.rows, tuple) or not all(isinstance(r, tuple) for r in self.rows):
            raise DomainError(
                f"{self.name} rows are not a tuple of tuples. Use Randomizer.from_matrix(...)."
            )
        if not self.rows or not self.rows[0]:
            raise DomainError(
                f"{self.name} has {number_of(len(self.rows), 'row')} and no entry. "
                "Give at least one input and one message."
            )
        for x, row in enumerate(self.rows):
            if len(row) != self.messages:
                raise DomainError(
                    f"{self.name} row {x} has {number_of(len(row), 'entry')}, row 0 has "
                    f"{self.messages}. "
                    "Give every row one entry a message, with 0 where there is no mass."
                )
            _check_row(row, x, self.name)
        if self.labels is not None and len(self.labels) != self.messages:
            raise DomainError(
                f"{self.name} has {number_of(len(self.labels), 'label')} for "
                f"{number_of(self.messages, 'message')}. "
                "Give one label a message."
            )

    @classmethod
    def from_matrix(
        cls,
        rows: Iterable[Iterable[Exact | RationalLike]],
        *,
        name: str = "randomizer",
        labels: Iterable[Hashable] | None = None,
        normalize: bool = False,
    ) -> Randomizer:
        """Return the randomizer with the given matrix of numbers, one row an input.

        With ``normalize`` each row is divided by its sum, which rows of doubles seldom have at 1.

        Raises:
            DomainError: If it is not a stochastic matrix.
            ParseError: If a string is not a number.
        """
        matrix = []
        for x, row in enumerate(rows):
            if isinstance(row, str):
                raise DomainError(
                    f"{name} row {x} is the string {row!r}. Give a list of entries for each row."
                )
            masses = [exact(value, name=f"{name}[{x}][{y}]") for y, value in enumerate(row)]
            total = sum(masses, Exact(0)) if normalize else Exact(1)
            matrix.append(tuple(masses if total in (0, 1) else (m / total for m in masses)))
        named = None if labels is None else tuple(labels)
        return cls(tuple(matrix), name=name, labels=named, note=DIVIDED if normalize else None)

    @property
    def inputs(self) -> int:
        """The number of inputs: the rows."""
        return len(self.rows)

    @property
    def messages(self) -> int:
        """The number of messages: the columns."""
        return len(self.rows[0])

    @property
    def alphabet(self) -> Hashable | None:
        """The messages as data, where they are known without a matrix: equal if they are."""
        return None

    @property
    def _key(self) -> Hashable | None:
        """The alphabet and the masses as data; None where they are a matrix."""
        return None

    @property
    def is_symmetric(self) -> bool | None:
        """True if each swap of two inputs is a relabeling of messages; None if that is unknown."""
        return None

    @property
    def telling(self) -> int | None:
        """The number of first inputs that stand for all, any two like 0 and 1; None if unknown.

        Then two inputs with a third, or with one of the two, are like 0, 1 and one of these.
        """
        return None

    @property
    def has_matrix(self) -> bool:
        """True if the matrix can be listed."""
        return True

    @property
    def has_whole_blanket(self) -> bool:
        """True if :meth:`blanket_columns` has all that the rows share."""
        return True

    def check_input(self, x: int) -> int:
        """Return an input, the number of a row; refuse all else (DomainError)."""
        if not isinstance(x, int) or not 0 <= x < self.inputs:
            raise DomainError(
                f"x={x!r} is not an input of {self.name}. Inputs are the row numbers "
                f"0..{self.inputs - 1}."
            )
        return x

    def row(self, x: int) -> tuple[Exact, ...]:
        """Return the masses of the messages of input x, in the order of the columns."""
        return self.rows[self.check_input(x)]

    def law(self, x: int) -> FinitePmf[int]:
        """Return the law of the message (its column number) of input x."""
        return FinitePmf(dict(enumerate(self.row(x))))

    def columns(self) -> Iterator[tuple[Exact, ...]]:
        """Return the columns in order: for each message its mass under every input."""
        return zip(*self.rows, strict=True)

    def columns_of(self, inputs: Sequence[int]) -> Iterator[tuple[Exact, ...]]:
        """Yield for each message its masses under some inputs; some may be merged without loss."""
        return zip(*(self.row(x) for x in inputs), strict=True)

    def shared_masses(self) -> tuple[Exact, ...]:
        """Return the least mass min_x R[x, y] of every message y: the blanket, times its mass.

        Raises:
            DomainError: If all are 0.
        """
        least = tuple(min(column) for column in self.columns())
        if all(mass == 0 for mass in least):
            raise DomainError(
                "the blanket is empty: for every message there is an input that never sends it. "
                "Use a randomizer with a message that all inputs may send."
            )
        return least

    def blanket_columns(
        self, pairs: Iterable[tuple[int, int]]
    ) -> Iterator[list[tuple[Exact, Exact, Exact]]]:
        """Yield for each pair of inputs their masses of the messages, and the least of all inputs.

        Raises:
            DomainError: If all of the latter are 0, or an input is not a row number.
        """
        least = self.shared_masses()
        for first, second in pairs:
            yield list(zip(self.row(first), self.row(second), least, strict=True))

    def pair(self, first: int, second: int) -> Pair:
        """Return the laws of one message of two inputs, as a profile.

        Messages of one likelihood ratio may stand together in it.

        Raises:
            DomainError: If an input is not a row number.

        Example:
            δ(ln 2) = 3/4 − 2·1/4:

            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> coin.pair(0, 1).delta(Epsilon.log(2))
            Exact('1/4')
        """
        found = Pair.from_masses(*zip(*self.columns_of((first, second)), strict=True))
        return replace(found, note=self.note)

    def ldp_epsilon(self) -> Epsilon:
        """Return the least epsilon for which this is epsilon-locally private, exactly.

        Formula:
            max_y ln(max_x R[x, y] / min_x R[x, y]) over the messages y that some
            input sends; plus infinity if some input never sends such a message.

        Meaning:
            The least epsilon with R[x, y] <= e^epsilon * R[x', y] for all inputs
            x, x' and messages y (pure local differential privacy).

        Source:
            Kasiviswanathan, Lee, Nissim, Raskhodnikova & Smith 2011, the
            definition of an epsilon-local randomizer, read for finite alphabets.

        Example:
            >>> Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]]).ldp_epsilon()
            Epsilon.log('3')
            >>> Randomizer.from_matrix([["1/2", "1/2"], [0, 1]]).ldp_epsilon()
            Epsilon.infinity()
        """
        largest = Exact(1)
        seen = set()
        for column in self.columns():
            # Mechanisms share equal entries as one object: most columns repeat.
            distinct = {id(mass): mass for mass in column}
            pattern = frozenset(distinct)
            if pattern in seen:
                continue
            seen.add(pattern)
            top, bottom = max(distinct.values()), min(distinct.values())
            if top == 0:
                continue
            if bottom == 0:
                return Epsilon.infinity()
            largest = max(largest, top / bottom)
        return Epsilon(largest)

    def post_process(
        self,
        matrix: Iterable[Iterable[Exact | RationalLike]],
        *,
        name: str = "randomizer",
        normalize: bool = False,
    ) -> Randomizer:
        """Return the randomizer whose message is sent through one more channel.

        Formula:
            (R M)[x, z] = Σ_y R[x, y] · M[y, z].

        Raises:
            DomainError: If M is not stochastic, or has another number of rows than there
                are messages.

        Example:
            Merging two of three messages:

            >>> three = Randomizer.from_matrix([["1/2", "1/3", "1/6"]])
            >>> three.post_process([[1, 0], [0, 1], [0, 1]]).row(0)
            (Exact('1/2'), Exact('1/2'))
        """
        rows = self.rows
        channel = Randomizer.from_matrix(matrix, name="matrix", normalize=normalize)
        if channel.inputs != self.messages:
            raise DomainError(
                f"matrix has {number_of(channel.inputs, 'row')} and {self.name} has "
                f"{number_of(self.messages, 'message')}. "
                "Give one row a message."
            )
        columns = list(channel.columns())
        return Randomizer(
            tuple(
                tuple(sum(map(mul, row, column), Exact(0)) for column in columns) for row in rows
            ),
            name=name,
        )

    def __repr__(self) -> str:
        return (
            f"<Randomizer {self.name}: {number_of(self.inputs, 'input')}, "
            f"{number_of(self.messages, 'message')}>"
        )


def _check_row(row: Sequence[Exact], x: int, name: str) -> None:
    # Equal entries of a mechanism are one object: each is examined once.
    counts = Counter(map(id, row))
    total = Exact(0)
    for y, mass in enumerate(row):
        count = counts.pop(id(mass), 0)
        if count == 0:
            continue
        if not isinstance(mass, Exact):
            raise DomainError(
                f"{name}[{x}][{y}]={mass!r} is not an Exact. Use Randomizer.from_matrix(...)."
            )
        if mass.sign() < 0:
            raise DomainError(f"{name}[{x}][{y}]={mass} is negative. A mass is at least 0.")
        total += count * mass
    if total != 1:
        raise DomainError(f"{name} row {x}: masses {not_one(total, len(row), 'messages')}")


K = Parameter("k", "the number of inputs", SIZE)
LOCAL_EPSILON = Parameter("epsilon", "ε, the exact LDP parameter", EPSILON, "nats")


def randomizer(kind: str, text: str, *more: Parameter) -> Callable[[F], F]:
    """Mark a function of k, ε and further parameters that makes a randomizer."""
    return described(kind, text, K, LOCAL_EPSILON, *more, is_sampled=False)


def alphabet_size(k: int, *, name: str = "k") -> int:
    """Return k, the inputs of a mechanism or the values of a hash function; k is at least 2.

    Raises:
        DomainError: If k is not an int or is below 2.
        TooLargeError: If k is above a million.
    """
    k = whole_number(k, name=name, at_least=2)
    refuse_above(MAX_INPUTS, k, f"{name}={count_text(k)}", advice=f"Lower {name}.")
    return k


def refuse_large_matrix(rows: int, columns: int, *, advice: str) -> None:
    """Raise unless a matrix of so many rows, and at least so many columns, is small enough.

    Raises:
        TooLargeError: With the number of entries, and the advice.

    Example:
        >>> refuse_large_matrix(20, 2**20, advice="Lower k to at most 15.")
        Traceback (most recent call last):
        ...
        exactdp.errors.TooLargeError: the matrix has 20 rows and at least 1,048,576 columns, \
so at least 20,971,520 entries; the limit is 1,000,000. Lower k to at most 15.
    """
    refuse_above(
        MAX_ENTRIES,
        rows * columns,
        f"the matrix has {number_of(rows, 'row')} and at least {number_of(columns, 'column')}, "
        f"so at least {count_text(rows * columns)} entries",
        advice=advice,
    )
