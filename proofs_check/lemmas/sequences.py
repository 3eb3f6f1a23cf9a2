"""Sequences of adaptive randomizers as closed terms of Coq, and a small one with its data.

In Coq all steps are one function of the earlier outputs, the last one first. These are numbered
from 0 on in order of their length, so that the function is a list of matrices.

Definitions: :data:`WithData`, :func:`two_users`, :func:`one_speaker`,
:func:`written_protocol`, :func:`written_swapping`, :func:`written_randomizer`,
:func:`written_steps`, :func:`written_set`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from exactdp.coq.values import coq_value
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from proofs_check.lemmas.adaptive import AdaptiveRandomizers

__all__ = [
    "WithData",
    "one_speaker",
    "two_users",
    "written_protocol",
    "written_randomizer",
    "written_set",
    "written_steps",
    "written_swapping",
]

WithData: TypeAlias = tuple[AdaptiveRandomizers, tuple[int, ...], tuple[int, ...]]
"""Randomizers with two data sets that differ in one element."""


def two_users(exp_epsilon0: Fraction) -> WithData:
    """Return two steps, the second of which depends on the first output; their ratios are e^ε0.

    Example:
        >>> steps, data, neighbor = two_users(Fraction(3, 2))
        >>> steps.ldp_epsilon().exp, data, neighbor
        (Exact('3/2'), (0, 1), (1, 1))
    """
    x = exp_epsilon0
    truth = [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]
    uneven = [[Fraction(1, 2), Fraction(1, 2)], [1 / (2 * x), 1 - 1 / (2 * x)]]
    table = {(): truth, (0,): uneven, (1,): truth[::-1]}
    steps = AdaptiveRandomizers.from_table(
        {history: Randomizer.from_matrix(rows) for history, rows in table.items()}
    )
    return steps, (0, 1), (1, 1)


def one_speaker(users: int, exp_epsilon0: Fraction) -> WithData:
    """Return steps of which the first is randomized response, and the others say nothing."""
    x = exp_epsilon0
    truth = Randomizer.from_matrix([[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]])
    silent = Randomizer.from_matrix([[1], [1]])
    ones = (1,) * (users - 1)
    return AdaptiveRandomizers((truth, *[silent] * (users - 1))), (0, *ones), (1, *ones)


def written_randomizer(randomizers: AdaptiveRandomizers) -> str:
    """Return all steps as one function of the earlier outputs and the input.

    Example:
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> print(written_randomizer(AdaptiveRandomizers((coin, coin))).split(" => ")[0])
        (fun _
    """
    columns = randomizers.at(()).messages
    matrices = {
        reduce(lambda i, y: columns * i + y + 1, history, 0): randomizers.at(history).rows
        for length in range(len(randomizers))
        for history in randomizers.histories(length)
    }
    if [*matrices] != [*range(len(matrices))]:
        raise DomainError("the steps have not all the same number of outputs")
    if len({*matrices.values()}) == 1:
        return _whatever_came_before(randomizers.at(()))
    last = coq_value("X -> law A", matrices[len(matrices) - 1])
    number = f"(fold_right (fun y i => {columns} * i + S y)%nat 0%nat past)"
    listed = coq_value("list (X -> law A)", [*matrices.values()])
    return f"(fun past => nth {number} {listed} {last})"


def written_steps(randomizers: AdaptiveRandomizers) -> str:
    """Return the steps as a list of functions of the earlier outputs and the input.

    Example:
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> written_steps(AdaptiveRandomizers((coin, coin))).count("fun _ =>")
        2
    """
    fixed = [step for step in randomizers.steps if isinstance(step, Randomizer)]
    if len(fixed) == len(randomizers):
        return f"[{'; '.join(_whatever_came_before(step) for step in fixed)}]"
    return f"(repeat {written_randomizer(randomizers)} {len(randomizers)})"


def written_set(sequences: Any) -> str:
    """Return a set of sequences of numbers as a function that tells whether one is in it.

    Example:
        >>> print(written_set(((0, 1),)).split(") ")[-1])
        [[0%nat; 1%nat]])
    """
    return (
        "(fun y => existsb (fun z => if list_eq_dec Nat.eq_dec y z then true else false) "
        f"{coq_value('list (list nat)', sequences)})"
    )


def written_protocol(sequence: Any) -> str:
    """Return randomizers with data as the record ``protocol`` of Coq.

    Raises:
        DomainError: If it is a number, which stands for the worst ones on so many inputs.
    """
    steps, data, neighbor = _with_data(sequence)
    place = next(i for i, (x, y) in enumerate(zip(data, neighbor, strict=True)) if x != y)
    before, after = (coq_value("list X", part) for part in (data[:place], data[place + 1 :]))
    first, second = (coq_value("X", part[place]) for part in (data, neighbor))
    return f"(Build_protocol X A {written_steps(steps)} {before} {first} {second} {after})"


def written_swapping(sequence: Any) -> str:
    """Return randomizers with data that differ in the first element as ``swapping`` of Coq.

    Raises:
        DomainError: If it is a number, which stands for the worst ones on so many inputs.
    """
    steps, data, neighbor = _with_data(sequence)
    first, second = (coq_value("X", part[0]) for part in (data, neighbor))
    elsewhere = coq_value("nat -> X", data[1:])
    return f"(Build_swapping X A {written_randomizer(steps)} {first} {second} {elsewhere})"


def _whatever_came_before(randomizer: Randomizer) -> str:
    return f"(fun _ => {coq_value('X -> law A', randomizer.rows)})"


def _with_data(sequence: Any) -> WithData:
    if not isinstance(sequence, tuple) or not isinstance(sequence[0], AdaptiveRandomizers):
        text = str(sequence)[:40]
        raise DomainError(f"{text} stands for many sequences of randomizers with data")
    found: WithData = sequence
    return found
