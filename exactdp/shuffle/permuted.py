"""Adaptive local randomizers on shuffled data, on swapped data, and shuffled afterwards.

For adaptive randomizers A^(1), ..., A^(n) it matters what is shuffled. The law of
each algorithm is computed from its definition and is exact.

Definitions: :func:`shuffled_inputs_law` (A_sl), :func:`swapped_inputs_law`
(A_swap), :func:`shuffled_outputs_law` (A_post), :func:`swapped_data` (σ_I),
:func:`pair_of`.

References: Ú. Erlingsson, V. Feldman, I. Mironov, A. Raghunathan, K. Talwar and
A. Thakurta, Amplification by Shuffling: From Local to Central Differential
Privacy via Anonymity, SODA 2019, Section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import factorial

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.shuffle.adaptive import AdaptiveRandomizers, checked_data, local_responses_law
from exactdp.shuffle.sequential import History, sequential_law

__all__ = [
    "pair_of",
    "shuffled_inputs_law",
    "shuffled_outputs_law",
    "swapped_data",
    "swapped_inputs_law",
]

Law = Callable[[AdaptiveRandomizers, Sequence[int]], FinitePmf[History]]
"""One of the laws of this room."""


def shuffled_inputs_law(
    randomizers: AdaptiveRandomizers, data: Sequence[int]
) -> FinitePmf[History]:
    """Return the law of the outputs of A_sl: permute the data uniformly, then run A_local.

    Formula:
        P(z_1..z_n) = (1/n!) Σ_π Π_i A^(i)(z_1..z_{i−1}; x_π(i))(z_i), computed
        without the sum over permutations π: given how many of each input are left,
        the next one is drawn in proportion to these counts.

    Args:
        randomizers: A^(1), ..., A^(n).
        data: The dataset x_1, ..., x_n: row numbers. Its order is immaterial.

    Returns:
        The law on tuples of n outputs, in the order of the steps (their order is
        seen by the analyzer), those of mass 0 left out.

    Raises:
        DomainError: If data has another length than n or holds no row number.
        TooLargeError: If there are too many outputs and counts of what is left.

    Source:
        Erlingsson et al. 2019, Algorithm 4.

    Example:
        The data 0, 1 or 1, 0, each with probability 1/2: (9/16 + 1/16)/2.

        >>> from exactdp.mechanisms import Randomizer
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> shuffled_inputs_law(AdaptiveRandomizers((coin, coin)), [0, 1])[(0, 1)]
        Exact('5/16')
    """
    data = checked_data(randomizers, data)
    counts = tuple(data.count(x) for x in range(randomizers.inputs))
    return sequential_law(
        randomizers.at,
        len(data),
        {counts: 1},
        lambda _, left: _one_of_the_rest(left),
        total=factorial(len(data)),
    )


def swapped_inputs_law(randomizers: AdaptiveRandomizers, data: Sequence[int]) -> FinitePmf[History]:
    """Return the law of the outputs of A_swap: swap x_1 with x_I, I uniform, then run A_local.

    Formula:
        P(z_1..z_n) = (1/n) Σ_I Π_i A^(i)(z_1..z_{i−1}; σ_I(D)_i)(z_i), σ_I(D) the
        dataset D with elements 1 and I swapped.

    Args:
        randomizers: A^(1), ..., A^(n).
        data: The dataset D: row numbers. The element that is swapped, the paper's
            x_1, is data[0].

    Returns:
        The law on tuples of n outputs, those of mass 0 left out.

    Raises:
        DomainError: If data has another length than n or holds no row number.
        TooLargeError: If there are too many outputs.

    Source:
        Erlingsson et al. 2019, Algorithm 5.

    Example:
        >>> from exactdp.mechanisms import Randomizer
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> swapped_inputs_law(AdaptiveRandomizers((coin, coin)), [0, 1])[(0, 1)]
        Exact('5/16')
    """
    data = checked_data(randomizers, data)
    swapped = [swapped_data(data, index) for index in range(len(data))]
    return sequential_law(
        randomizers.at,
        len(data),
        dict.fromkeys(range(len(data)), 1),
        lambda i, index: [(swapped[index][i], 1, index)],
        total=len(data),
    )


def shuffled_outputs_law(
    randomizers: AdaptiveRandomizers, data: Sequence[int]
) -> FinitePmf[History]:
    """Return the law of the multiset of outputs of A_local: what A_post reveals.

    A_post runs A_local and outputs z_π(1), ..., z_π(n) with π uniform and
    independent. The multiset is a function of this sequence, and given the multiset
    the sequence is uniform on its orders whatever the data: the two have the same
    divergences, and the multiset is what is returned.

    Formula:
        P(s) = Σ P_local(z) over the tuples z that sort to s.

    Args:
        randomizers: A^(1), ..., A^(n).
        data: The dataset x_1, ..., x_n: row numbers.

    Returns:
        The law on sorted tuples of n outputs. Outputs of different steps are the
        same output if they have the same number.

    Raises:
        DomainError: If data has another length than n or holds no row number.
        TooLargeError: If there are too many outputs before they are sorted.

    Source:
        Erlingsson et al. 2019, Section 4.1, Corollary 9. Differs from the source:
        the multiset in place of the permuted sequence, which is equivalent.

    Example:
        >>> from exactdp.mechanisms import Randomizer
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> shuffled_outputs_law(AdaptiveRandomizers((coin, coin)), [0, 1])[(0, 1)]
        Exact('5/8')
    """
    return local_responses_law(randomizers, data).push_forward(lambda z: tuple(sorted(z)))


def swapped_data(data: Sequence[int], index: int) -> tuple[int, ...]:
    """Return σ_I(D): the dataset with elements 1 and I swapped, index = I − 1.

    Raises:
        DomainError: If index is not a position of data.

    Source:
        Erlingsson et al. 2019, Algorithm 5, line 3.

    Example:
        >>> swapped_data((7, 8, 9), 2), swapped_data((7, 8, 9), 0)
        ((9, 8, 7), (7, 8, 9))
    """
    if not 0 <= index < len(data):
        raise DomainError(
            f"index={index} is no position of data. Positions are 0..{len(data) - 1}."
        )
    swapped = list(data)
    swapped[0], swapped[index] = swapped[index], swapped[0]
    return tuple(swapped)


def pair_of(
    law: Law, randomizers: AdaptiveRandomizers, data: Sequence[int], neighbor: Sequence[int]
) -> Pair:
    """Return the pair (P, Q) of one algorithm's laws on two neighboring datasets.

    Args:
        law: The algorithm: ``shuffled_inputs_law``, ``swapped_inputs_law``,
            ``shuffled_outputs_law`` or ``local_responses_law``.
        randomizers: A^(1), ..., A^(n).
        data: The dataset of P.
        neighbor: The dataset of Q, which differs from data at exactly one position.

    Raises:
        DomainError: If the datasets are not neighbors, or are none of these randomizers'.
        TooLargeError: If there are too many outputs.

    Example:
        >>> from exactdp.divergences import max_divergence
        >>> from exactdp.mechanisms import Randomizer
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> pair = pair_of(
        ...     shuffled_inputs_law, AdaptiveRandomizers((coin, coin)), [0, 0], [1, 0])
        >>> max_divergence(pair)
        Epsilon.log('3')
    """
    first, second = checked_data(randomizers, data), checked_data(randomizers, neighbor)
    places = [i for i, (x, other) in enumerate(zip(first, second, strict=True)) if x != other]
    if len(places) != 1:
        raise DomainError(
            f"data and neighbor differ at positions {places}. "
            "Neighboring datasets differ at exactly one."
        )
    return Pair.from_pmfs(law(randomizers, first), law(randomizers, second))


def _one_of_the_rest(left: tuple[int, ...]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield each input of which some are left: the input, how many, and what it leaves."""
    for x, count in enumerate(left):
        if count:
            yield x, count, (*left[:x], count - 1, *left[x + 1 :])
