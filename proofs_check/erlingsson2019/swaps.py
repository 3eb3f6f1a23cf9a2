"""The steps of A_swap (Algorithm 5), which the proof of Theorem 8 composes.

A_swap swaps x_1 with x_I, I uniform in [n], and runs A_local; Z_1, ..., Z_n are its
outputs. Given Z_{1:i−1} = s, let T be I with its conditional law. The law μ of Z_i given s,
which B^(i)(s, D) samples, is the mixture

    μ = (1 − p)·μ_0 + p·μ_1, p = Pr[T = i | Z_{1:i−1} = s],

with μ_0 and μ_1 the laws of Z_i given s and T ≠ i, and given s and T = i.

Definitions: :class:`SwapStep`, :func:`swap_step`, :func:`likelihoods`, :class:`SwapRun`; over all
local randomizers, for few users, :func:`largest_probability`, :func:`largest_step_ratio`,
:func:`largest_step_divergence`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from math import prod

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Exact
from proofs_check.lemmas.adaptive import AdaptiveRandomizers, checked_data, swapped_data


@dataclass(frozen=True, slots=True)
class SwapStep:
    """One step of A_swap(D) after a history s: the law of T on the positions 0..n−1, μ and μ_0.

    μ is taken from its definition, not from the mixture. At the first step μ_0 is the mean of
    A^(1)(x_j), j ≥ 2; later it is A^(i)(s; x_i), which does not depend on x_1.
    """

    index_law: FinitePmf[int]
    law: FinitePmf[int]
    law_elsewhere: FinitePmf[int]


@dataclass(frozen=True, slots=True)
class SwapRun:
    """A_swap on two datasets that differ in the first element, after the outputs of a history."""

    randomizers: AdaptiveRandomizers
    data: tuple[int, ...]
    neighbor: tuple[int, ...]
    history: tuple[int, ...]

    def step(self, side: int) -> SwapStep:
        """Return the next step on the data (side 0) or its neighbor (side 1)."""
        return swap_step(self.randomizers, (self.data, self.neighbor)[side], self.history)


def likelihoods(
    randomizers: AdaptiveRandomizers, data: Sequence[int], history: Sequence[int]
) -> list[Exact]:
    """Return Pr[Z_{1:i−1} = s | I = j] for each position j.

    Example:
        >>> from exactdp.mechanisms import Randomizer
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> likelihoods(AdaptiveRandomizers((coin, coin)), [0, 1], [0])
        [Exact('3/4'), Exact('1/4')]
    """
    data, s = checked_data(randomizers, data), tuple(history)
    rows = [randomizers.at(s[:k]).rows for k in range(len(s))]
    return [
        prod(
            (step[x][y] for step, x, y in zip(rows, swapped_data(data, j), s, strict=False)),
            start=Exact(1),
        )
        for j in range(len(data))
    ]


def swap_step(
    randomizers: AdaptiveRandomizers, data: Sequence[int], history: Sequence[int]
) -> SwapStep:
    """Return the conditional laws of one step of A_swap; i is the length of s, from 0.

    Formula:
        Pr[T = j | s] = Pr[Z_{1:i−1} = s | I = j] / Σ_k Pr[Z_{1:i−1} = s | I = k];
        μ(z) = Σ_j Pr[T = j | s] · A^(i)(s; σ_j(D)_i)(z).

    Raises:
        DomainError: If n < 2, there is no such step, or the history has probability 0.

    Source:
        Proof of Theorem 8, second and third paragraphs.

    Example:
        Two users of a coin on D = (0, 1): the output 0 first makes I = 1 likelier by 3 to 1.

        >>> from exactdp.mechanisms import Randomizer
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> step = swap_step(AdaptiveRandomizers((coin, coin)), [0, 1], [0])
        >>> step.index_law[0], step.law[0], step.law_elsewhere[0]
        (Exact('3/4'), Exact('3/8'), Exact('1/4'))
    """
    weights = likelihoods(randomizers, data, history)
    data, s = checked_data(randomizers, data), tuple(history)
    n, i = len(data), len(s)
    randomizer = randomizers.at(s)
    orders = [swapped_data(data, j) for j in range(n)]
    if n < 2 or not any(weights):
        raise DomainError(f"history={s} on data={data}: give 2 users, and a possible history.")
    index_law = FinitePmf.normalized(dict(enumerate(weights)))
    laws = [randomizer.law(order[i]) for order in orders]
    others = data[1:] if i == 0 else data[i : i + 1]
    elsewhere = [randomizer.law(x) for x in others]
    return SwapStep(
        index_law=index_law,
        law=FinitePmf.mixture([index_law[j] for j in range(n)], laws),
        law_elsewhere=FinitePmf.mixture([Exact(1) / len(others)] * len(others), elsewhere),
    )


Column = tuple[int, ...]


@lru_cache(maxsize=256)
def largest_probability(*, inputs: int, users: int, step: int, exp_epsilon0: Fraction) -> Fraction:
    """Return the largest Pr[T = i | Z_{1:i−1} = s] of A_swap, i = step (from 1).

    Over all datasets on so many inputs, ε_0-private randomizers and histories s: the
    probability is a ratio of linear functions of each column that s passes, hence
    largest at columns in {1, x}^inputs.

    Example:
        >>> largest_probability(inputs=2, users=2, step=2, exp_epsilon0=Fraction(3))
        Fraction(3, 4)
    """
    columns = _columns(inputs, exp_epsilon0)
    best = Fraction(0)
    for data in _up_to_names(inputs, users):
        orders = [swapped_data(data, j) for j in range(users)]
        for path in product(columns, repeat=step - 1):
            weights = [_weight(order, path) for order in orders]
            best = max(best, Fraction(weights[step - 1], sum(weights)))
    return best


@lru_cache(maxsize=256)
def largest_step_ratio(*, inputs: int, users: int, step: int, exp_epsilon0: Fraction) -> Fraction:
    """Return the largest μ(z)/μ'(z) of B^(i) seen at index 1, i = step (from 1).

    Over all pairs of datasets that differ in the first element, and all histories and
    outputs with columns in {1, x}^inputs: a lower bound on the supremum over all
    ε_0-private randomizers, attained by one of them.

    Example:
        >>> largest_step_ratio(inputs=3, users=2, step=2, exp_epsilon0=Fraction(3))
        Fraction(5, 2)
    """
    best = Fraction(1)
    for m, t, other, total in _masses(inputs, users, step, exp_epsilon0):
        if m * total * best.denominator > best.numerator * other * t:
            best = Fraction(m * total, other * t)
    return best


@lru_cache(maxsize=256)
def largest_step_divergence(
    *, inputs: int, users: int, step: int, exp_epsilon0: Fraction, exp_epsilon: Fraction
) -> Fraction:
    """Return the largest μ(z) − e^ε·μ'(z) of B^(i) seen at index 1, i = step (from 1), or 0.

    Over the same as :func:`largest_step_ratio`; step i is binary randomized response of a bit
    of the input, and z one of its outputs.

    Example:
        >>> at = {"inputs": 3, "users": 2, "step": 2, "exp_epsilon0": Fraction(3)}
        >>> [largest_step_divergence(**at, exp_epsilon=Fraction(e)) for e in (2, "5/2")]
        [Fraction(1, 8), Fraction(0, 1)]
    """
    x, gamma, best = exp_epsilon0, exp_epsilon, Fraction(0)
    scale = x.numerator + x.denominator
    for m, t, other, total in _masses(inputs, users, step, exp_epsilon0):
        if m * total * gamma.denominator > gamma.numerator * other * t:
            best = max(best, Fraction(m, t * scale) - gamma * Fraction(other, total * scale))
    return best


def _masses(
    inputs: int, users: int, step: int, exp_epsilon0: Fraction
) -> Iterator[tuple[int, int, int, int]]:
    """Yield μ(z) and μ'(z), each as a numerator and a denominator, up to one common factor."""
    columns = _columns(inputs, exp_epsilon0)
    for others in _up_to_names(inputs, users - 1):
        neighbors = [[swapped_data((x, *others), j) for j in range(users)] for x in range(inputs)]
        for path in product(columns, repeat=step - 1):
            weights = [[_weight(order, path) for order in orders] for orders in neighbors]
            totals = [sum(row) for row in weights]
            for column in columns:
                masses = [
                    sum(w * column[order[step - 1]] for w, order in zip(row, orders, strict=True))
                    for row, orders in zip(weights, neighbors, strict=True)
                ]
                for one, two in permutations(zip(masses, totals, strict=True), 2):
                    yield *one, *two


def _up_to_names(inputs: int, users: int) -> Iterator[tuple[int, ...]]:
    """Yield the datasets whose inputs are named in order of their first use."""
    for data in product(range(inputs), repeat=users):
        if all(x <= max(data[:i], default=-1) + 1 for i, x in enumerate(data)):
            yield data


def _columns(inputs: int, x: Fraction) -> list[Column]:
    """Return {1, x}^inputs without the constant x, as integers up to a factor."""
    return list(product((x.denominator, x.numerator), repeat=inputs))[:-1]


def _weight(order: tuple[int, ...], path: Sequence[Column]) -> int:
    """Return Pr[Z = s | I = j] up to a factor, for the order of the data that j makes."""
    return prod(column[x] for column, x in zip(path, order, strict=False))
