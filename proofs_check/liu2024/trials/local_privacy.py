"""Definition 2: local privacy for each message, and for each set of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import (
    Certificate,
    Term,
    finite_pair,
    hockey_stick,
    ref,
    relation,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.shuffle import Users, Victim, shuffle_view
from exactdp.truth import Truth
from proofs_check.liu2024.trials.rows import Matrix, entry, few_rows, matrix_term, rows_of

__all__ = ["TRIALS"]

FACTORS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)]


def _each_message(r: Randomizer, factor: Fraction) -> Exact:
    """Return the least δ of Definition 2: for every message by itself."""
    gaps = [
        u - factor * v
        for x, y in ((0, 1), (1, 0))
        for u, v in zip(r.rows[x], r.rows[y], strict=True)
    ]
    return max(Exact(0), *gaps)


def _each_set(r: Randomizer, factor: Fraction) -> Exact:
    """Return the least δ of Definition 1 for one record: for every set of messages."""
    pair = Pair.from_masses(r.rows[0], r.rows[1])
    return max(hockey_stick_divergence(p, exp_epsilon=factor) for p in (pair, pair.reversed()))


def _with_factors(effort: Effort) -> Iterator[Instance]:
    letters = [2, 3, 4]
    for rows in few_rows(2, letters=letters, denominators=range(2, 7)):
        for factor in FACTORS:
            yield Instance.of(rows=rows, exp_epsilon=factor)


def _counterpart(*, pure: bool = False) -> Statement:
    """(ε, δ) for every message by itself is (ε, δ) for every set of messages."""

    def holds(at: Instance) -> Outcome:
        r, factor = rows_of(at), at.mapping()["exp_epsilon"]
        assert isinstance(factor, Fraction)
        one, all_of = _each_message(r, factor), _each_set(r, factor)
        found = f"least δ for each message {one}, for each set {all_of}"
        if pure:
            return Outcome(Truth.of((one == 0) == (all_of == 0)), found)
        return Outcome(Truth.of(all_of <= one), found, lambda: _set_certificate(at, factor, one))

    def proof() -> Proved | None:
        return Proved(
            "δ = 0, all ε >= 0, countably many messages",
            "sum Pr[R(x) = z] <= e^ε Pr[R(x') = z] over z in a set; sets of one message "
            "conversely (for densities: almost every z)",
        )

    return Statement(
        instances=_with_factors,
        holds=holds,
        proof=proof if pure else None,
        false_variant=_counterpart() if pure else None,
    )


def _set_certificate(at: Instance, factor: Fraction, delta: Exact) -> Certificate:
    rows: Any = at["rows"]
    r = ref("R")
    return Certificate(
        define=[("R", matrix_term(rows))],
        hypotheses=[
            relation("<=", entry(r, x, z), factor * entry(r, y, z) + term(delta))
            for x, y in ((0, 1), (1, 0))
            for z in range(len(rows[0]))
        ],
        conclusion=[
            relation(">", _larger(hockey_stick(finite_pair(*rows), factor), rows, factor), delta)
        ],
    )


def _larger(forward: Term, rows: Matrix, factor: Fraction) -> Term:
    backward = hockey_stick(finite_pair(rows[1], rows[0]), factor)
    return Term(["max", forward.json, backward.json])


def _collected(*, by_message: bool = False) -> Statement:
    """The (shuffled) messages of n users are (ε, δ)-private if each user's message is."""

    def instances(effort: Effort) -> Iterator[Instance]:
        sizes = ((1, 4, 6), (2, 3, 4), (3, 3, 4), (2, 4, 5))
        for n, letters, largest in sizes:
            denominators = range(2, largest + 1)
            for rows in few_rows(2, letters=[letters], denominators=denominators):
                for zeros, factor in product(range(n), FACTORS):
                    yield Instance.of(n=n, rows=rows, zeros=zeros, exp_epsilon=factor)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        r, factor = rows_of(at), v["exp_epsilon"]
        local = (_each_message if by_message else _each_set)(r, factor)
        users = [Users(r, 0, v["zeros"]), Users(r, 1, v["n"] - 1 - v["zeros"])]
        true = shuffle_view(Victim(r), users).hockey_stick_divergence(exp_epsilon=factor)
        return Outcome(Truth.of(true <= local), f"local δ {local}, of the messages {true}")

    def proof() -> Proved | None:
        return Proved(
            "all n, ε, δ >= 0, inputs and randomizers, with sets of messages in Definition 2",
            "given the other users' messages, whose law does not depend on the record that "
            "differs, the vector of all messages is one message: average over them; what is "
            "computed from the vector, its shuffling too, is a post-processing",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if by_message else proof,
        false_variant=None if by_message else _collected(by_message=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "liu2024/definition-2": {
        "a": _counterpart(),
        "b": _counterpart(pure=True),
        "c": _collected(),
    },
}
