"""The steps of A_swap one by one: the conditional laws that its privacy proof composes.

A_swap swaps x_1 with x_I, I uniform in [n], and runs A_local; Z_1, ..., Z_n are its
outputs. Given Z_{1:i−1} = s, let T be I with its conditional law. The law μ of Z_i
given s is the law of the algorithm B^(i)(s, D), and it is the mixture

    μ = (1 − p)·μ_0 + p·μ_1, p = Pr[T = i | Z_{1:i−1} = s],

with μ_0 and μ_1 the laws of Z_i given s and T ≠ i, and given s and T = i. Here i − 1
is the length of the history s, and indices I, T and i count from 0 in code: the
step after ``history`` is i = len(history), and x_1 is data[0].

Nothing is enumerated but the n values of I, so hundreds of users cost milliseconds.

References: Ú. Erlingsson, V. Feldman, I. Mironov, A. Raghunathan, K. Talwar and
A. Thakurta, Amplification by Shuffling: From Local to Central Differential
Privacy via Anonymity, SODA 2019, the proof of Theorem 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.shuffle.adaptive import AdaptiveRandomizers, checked_data
from exactdp.shuffle.permuted import swapped_data
from exactdp.shuffle.sequential import History, Mass, exact_rows

__all__ = ["SwapStep", "swap_history_probability", "swap_step"]


@dataclass(frozen=True, slots=True)
class SwapStep:
    """One step of A_swap(D) after a history s of positive probability.

    Attributes:
        index_law: The law of T: of the swapped position I given Z_{1:i−1} = s. All
            positions 0..n−1 are listed.
        probability_here: p = Pr[T = i | Z_{1:i−1} = s], the mass of this step's
            position: then the step's input is x_1.
        law: μ, the law of Z_i given s: what B^(i)(s, D) samples. Computed from its
            definition, Pr[Z_{1:i} = (s, z)] / Pr[Z_{1:i−1} = s], not from the mixture.
        law_elsewhere: μ_0, the law of Z_i given s and T ≠ i. At the first step it is
            the mean of A^(1)(x_j), j ≥ 2; later it is A^(i)(s; x_i), which does not
            depend on x_1.
        law_here: μ_1 = A^(i)(s; x_1), the law of Z_i given s and T = i. Where p = 0
            this formula is its meaning (and the one above μ_0's where p = 1).
    """

    index_law: FinitePmf[int]
    probability_here: Exact
    law: FinitePmf[int]
    law_elsewhere: FinitePmf[int]
    law_here: FinitePmf[int]


def swap_step(
    randomizers: AdaptiveRandomizers, data: Sequence[int], history: Sequence[int]
) -> SwapStep:
    """Return the conditional laws of one step of A_swap.

    Formula:
        Pr[T = j | s] = Pr[Z_{1:i−1} = s | I = j] / Σ_k Pr[Z_{1:i−1} = s | I = k];
        μ(z) = Σ_j Pr[T = j | s] · A^(i)(s; σ_j(D)_i)(z).

    Args:
        randomizers: A^(1), ..., A^(n), n at least 2.
        data: The dataset D; x_1 is data[0].
        history: s, the i−1 outputs before this step, of positive probability.

    Raises:
        DomainError: If n < 2 (then μ_0 of the first step is conditioned on an
            impossible event), there is no such step, or the history has probability 0.

    Source:
        Erlingsson et al. 2019, proof of Theorem 8, second and third paragraphs.

    Example:
        Two users of a coin on D = (0, 1). The output 0 first is likelier if the
        first input is 0, that is for I = 1 (position 0) by 3 to 1:

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> step = swap_step(AdaptiveRandomizers((coin, coin)), [0, 1], [0])
        >>> step.index_law[0], step.probability_here
        (Exact('3/4'), Exact('1/4'))

        The next output is 0 with probability (3/4)·(1/4) + (1/4)·(3/4):

        >>> step.law[0], step.law_elsewhere[0], step.law_here[0]
        (Exact('3/8'), Exact('1/4'), Exact('3/4'))
    """
    data, s = checked_data(randomizers, data), tuple(history)
    n, i = len(data), len(s)
    if n < 2:
        raise DomainError("data has 1 element. Give at least 2: there must be one to swap with.")
    randomizer = randomizers.at(s)
    weights = _history_weights(randomizers, data, s)
    total = sum(weights, fmpq(0))
    if not total:
        raise DomainError(
            f"history={s} has probability 0 on data={data}. "
            "Condition on outputs that the randomizers send."
        )
    rows = exact_rows(randomizer)
    inputs = [data[j] if i == 0 else data[0] if j == i else data[i] for j in range(n)]
    joint = [
        sum((w * rows[x][y] for w, x in zip(weights, inputs, strict=True)), fmpq(0))
        for y in range(randomizer.messages)
    ]
    index_law = FinitePmf({j: Exact(1) * w / total for j, w in enumerate(weights)})
    return SwapStep(
        index_law=index_law,
        probability_here=index_law[i],
        law=FinitePmf({y: Exact(1) * mass / total for y, mass in enumerate(joint)}),
        law_elsewhere=_law_of_inputs(randomizer, data[1:] if i == 0 else data[i : i + 1]),
        law_here=randomizer.law(data[0]),
    )


def swap_history_probability(
    randomizers: AdaptiveRandomizers, data: Sequence[int], history: Sequence[int], *, index: int
) -> Exact:
    """Return Pr[Z_{1:i−1} = s | T = index] of A_swap: of A_local on σ_index(D).

    Args:
        randomizers: A^(1), ..., A^(n).
        data: The dataset D.
        history: s, at most n outputs.
        index: The position in 0..n−1 that the first element is swapped with.

    Returns:
        The exact probability, 0 if an output is impossible.

    Raises:
        DomainError: If index is not a position, or history is too long or names an
            output that its step does not have.

    Source:
        Erlingsson et al. 2019, proof of Theorem 8, the first display.

    Example:
        On D = (0, 1) a swap with position 1 puts input 1 first:

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> steps = AdaptiveRandomizers((coin, coin))
        >>> [swap_history_probability(steps, [0, 1], [0], index=j) for j in (0, 1)]
        [Exact('3/4'), Exact('1/4')]
    """
    data, s = checked_data(randomizers, data), tuple(history)
    return Exact(1) * _path_weight(_path_rows(randomizers, s), swapped_data(data, index), s)


def _history_weights(
    randomizers: AdaptiveRandomizers, data: tuple[int, ...], s: History
) -> list[Mass]:
    """Return Pr[Z = s | I = j] for every position j."""
    rows = _path_rows(randomizers, s)
    return [_path_weight(rows, swapped_data(data, j), s) for j in range(len(data))]


def _path_rows(randomizers: AdaptiveRandomizers, s: History) -> list[list[list[Mass]]]:
    """Return the rows of the randomizers that the outputs s pass, which are checked."""
    rows = []
    for k, y in enumerate(s):
        randomizer = randomizers.at(s[:k])
        if not isinstance(y, int) or not 0 <= y < randomizer.messages:
            raise DomainError(
                f"history[{k}]={y!r} is no output of step {k}. Outputs are the column numbers "
                f"0..{randomizer.messages - 1}."
            )
        rows.append(exact_rows(randomizer))
    return rows


def _path_weight(rows: list[list[list[Mass]]], data: tuple[int, ...], s: History) -> Mass:
    weight: Mass = fmpq(1)
    for step, x, y in zip(rows, data, s, strict=False):
        weight = weight * step[x][y]
    return weight


def _law_of_inputs(randomizer: Randomizer, inputs: Sequence[int]) -> FinitePmf[int]:
    """Return the law of the output on a uniformly drawn input."""
    share = Exact(1) / len(inputs)
    return FinitePmf.mixture([share] * len(inputs), [randomizer.law(x) for x in inputs])
