"""The reduction of shuffled data under adaptive randomizers to counts of clones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.shuffle import (
    AdaptiveRandomizers,
    CountPair,
    Users,
    Victim,
    clone_pair,
    pair_of,
    shuffle_view,
    shuffled_inputs_law,
)
from exactdp.testing import local_randomizers
from exactdp.truth import Truth
from proofs_check.feldman2021.search import worst_divergence
from proofs_check.feldman2021.trials.decomposition import TRIALS as DECOMPOSITION

__all__ = ["TRIALS", "divergence_of"]

RATIOS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5)]


def divergence_of(pair: CountPair, exp_epsilon: Fraction) -> Exact:
    """Return the hockey-stick divergence of a pair of counts."""
    return hockey_stick_divergence(pair.pair(), exp_epsilon=exp_epsilon)


def _compared(true: Exact, bound: Exact) -> Outcome:
    found = f"divergence {decimal(true, digits=6)}, of the counts {decimal(bound, digits=6)}"
    slack = (bound / true).as_fraction() if true > 0 else None
    return Outcome(Truth.of(true <= bound), found, slack=slack)


def _gammas(x: Fraction) -> list[Fraction]:
    """Return values of e^epsilon from 1 to e^eps0."""
    return sorted({1 + (x - 1) * Fraction(i, 4) for i in range(5)})


def _all_randomizers(effort: Effort) -> Iterator[Instance]:
    """Yield n, the number of inputs, e^eps0 and e^epsilon: the worst case over all else."""
    sizes = [(1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (5, 2)]
    if effort is Effort.DEEP:
        sizes += [(6, 2), (7, 2), (2, 4)]
    for (n, inputs), x in product(sizes, RATIOS):
        for gamma in _gammas(x):
            yield Instance.of(n=n, inputs=inputs, exp_epsilon0=x, exp_epsilon=gamma)


def _reduction() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, gamma = v["n"], v["exp_epsilon0"], v["exp_epsilon"]
        counts = divergence_of(clone_pair(n, Epsilon.log(x)), gamma)
        if "randomizers" not in v:
            true = worst_divergence(inputs=v["inputs"], users=n, exp_epsilon0=x, exp_epsilon=gamma)
            return _compared(true, counts)
        pair = pair_of(shuffled_inputs_law, _steps(v["randomizers"]), v["data"], v["neighbor"])
        return _compared(hockey_stick_divergence(pair, exp_epsilon=gamma), counts)

    return Statement(
        instances=_all_randomizers,
        holds=holds,
        strategy=_adaptive,
        proof=_reduction_proof,
        false_variant=_shuffled_outputs(),
    )


def _steps(matrices: tuple[Any, ...]) -> AdaptiveRandomizers:
    """Return adaptive steps: step i uses the matrix numbered by i and the last output."""
    randomizers = [Randomizer.from_matrix(rows) for rows in matrices]

    def choose(history: tuple[int, ...]) -> Randomizer:
        return randomizers[(len(history) + sum(history)) % len(randomizers)]

    return AdaptiveRandomizers.from_function(choose, steps=len(randomizers))


@st.composite
def _draw_adaptive(draw: st.DrawFn) -> Instance:
    n = draw(st.integers(2, 4))
    x = draw(st.fractions(1, 5, max_denominator=3))
    matrix = local_randomizers(rows=3, columns=2, max_ratio=x)
    others = draw(st.lists(st.integers(0, 2), min_size=n - 1, max_size=n - 1))
    victim = draw(st.sampled_from([(0, 1), (1, 0), (0, 2), (2, 1)]))
    return Instance.of(
        n=n,
        exp_epsilon0=x,
        exp_epsilon=draw(st.fractions(1, 5, max_denominator=4)),
        randomizers=tuple(draw(st.lists(matrix, min_size=n, max_size=n))),
        data=(victim[0], *others),
        neighbor=(victim[1], *others),
    )


def _adaptive() -> st.SearchStrategy[Instance]:
    return _draw_adaptive()


def _reduction_proof() -> Proved | None:
    """The argument, on top of the two decompositions, which are checked first."""
    for claim in ("feldman2021/clones", "feldman2021/two-letters"):
        statement = DECOMPOSITION[claim][""]
        if not isinstance(statement, Statement) or statement.proof is None:
            return None
        if statement.proof() is None:
            return None
    return Proved(
        "all n, all adaptive eps0-DP randomizers with finite outputs, all neighboring datasets",
        "label the victim by Q0 or Q1 and every other user by Q0, Q1 or LO, with probabilities "
        "that do not depend on step or history (both decompositions, for each R^(i)(z; .)); given "
        "the counts (X, Y) the labels are in uniform order and the users labeled LO are a uniform "
        "subset of the others, whose inputs are known: then A_s runs on labels, the same for "
        "X_0 and X_1",
    )


def _shuffled_outputs() -> Statement:
    """False: outputs shuffled in place of data, each user with messages of their own."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, x in product((2, 3), RATIOS[1:]):
            for gamma in _gammas(x)[:-1]:
                yield Instance.of(n=n, exp_epsilon0=x, exp_epsilon=gamma)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, gamma = v["n"], v["exp_epsilon0"], v["exp_epsilon"]
        rows = [[x / (x + 1), 1 / (x + 1), 0, 0], [1 / (x + 1), x / (x + 1), 0, 0]]
        own = Randomizer.from_matrix(rows)
        foreign = Randomizer.from_matrix([[*row[2:], *row[:2]] for row in rows])
        view = shuffle_view(Victim(own), [Users(foreign, 0, n - 1)])
        counts = divergence_of(clone_pair(n, Epsilon.log(x)), gamma)
        return _compared(view.hockey_stick_divergence(exp_epsilon=gamma), counts)

    return Statement(instances=instances, holds=holds)


def _each_count(*, reverse: bool = False) -> Statement:
    """Given C = c the counts are those of c + 1 users who always send a letter: r = 1/2."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for c, x in product(range(8 if effort is Effort.DEFAULT else 40), RATIOS):
            for gamma in _gammas(x):
                yield Instance.of(c=c, exp_epsilon0=x, exp_epsilon=gamma)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        c, x, gamma = v["c"], v["exp_epsilon0"], v["exp_epsilon"]
        first, second = (
            divergence_of(CountPair(n, Exact(x / (x + 1)), Exact(1 / (x + 1)), Exact("1/2")), gamma)
            for n in (c + 1, c + 2)
        )
        fine = second >= first if reverse else second <= first
        return Outcome(Truth.of(fine), f"at c {decimal(first)}, at c + 1 {decimal(second)}")

    def proof() -> Proved | None:
        return Proved(
            "all c, eps0, eps",
            "the counts for c + 1 are those for c and one more fair letter: post-processing",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if reverse else proof,
        false_variant=None if reverse else _each_count(reverse=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "feldman2021/reduction": {"": _reduction()},
    "feldman2021/reduction/each-count": {"": _each_count()},
}
