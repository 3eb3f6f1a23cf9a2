"""Lemma 3.5: views against the two counts of letters, when a common component is left over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

from exactdp.certificates import (
    Certificate,
    Term,
    finite_pair,
    hockey_stick,
    ldp_ratio,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.shuffle import CountPair, Users, Victim, shuffle_view
from exactdp.truth import Truth

__all__ = [
    "TRIALS",
    "compared",
    "count_pair",
    "counts_divergence",
    "gammas",
    "k_rr",
    "view_divergence",
]

RATIOS = [Fraction(2), Fraction(3), Fraction(3, 2), Fraction(8)]


def count_pair(n: int, x: Fraction, p: Fraction) -> CountPair:
    """Return the pair of Lemma 3.5: the victim's letters x·p and p, the others' p each."""
    return CountPair(n, Exact(x * p), Exact(p), Exact(p))


def counts_divergence(pair: CountPair, gamma: Fraction) -> Exact:
    """Return the hockey-stick divergence of a pair of counts."""
    return hockey_stick_divergence(pair.pair(), exp_epsilon=gamma)


def view_divergence(
    r: Randomizer, others: Sequence[int], gamma: Fraction, *, victim: tuple[int, int] = (0, 1)
) -> Exact:
    """Return the divergence of the view of users with one randomizer."""
    users = [Users(r, x, others.count(x)) for x in sorted(set(others))]
    return shuffle_view(Victim(r, victim), users).hockey_stick_divergence(exp_epsilon=gamma)


def compared(true: Exact, bound: Exact) -> Outcome:
    """Return whether true <= bound, with both and the slack."""
    found = f"divergence {decimal(true, digits=6)}, claimed at most {decimal(bound, digits=6)}"
    slack = (bound / true).as_fraction() if true > 0 else None
    return Outcome(Truth.of(true <= bound), found, slack=slack)


def gammas(x: Fraction) -> list[Fraction]:
    """Return values of e^ε from 1 to below e^ε0."""
    return [1 + (x - 1) * Fraction(i, 4) for i in range(4)]


def _against_counts(
    rows: Sequence[Sequence[Fraction]], x: Fraction, p: Fraction, others: Sequence[int], g: Fraction
) -> Outcome:
    """Compare a view with the counts; messages 0 and 1 are the letters Q^0 and Q^1."""
    n = len(others) + 1
    true = view_divergence(Randomizer.from_matrix(rows), others, g)
    outcome = compared(true, counts_divergence(count_pair(n, x, p), g))
    if outcome.truth is not Truth.FALSE:
        return outcome
    return Outcome(Truth.FALSE, outcome.found, lambda: _certificate(rows, x, p, others, g))


def _certificate(
    rows: Sequence[Sequence[Fraction]], x: Fraction, p: Fraction, others: Sequence[int], g: Fraction
) -> Certificate:
    """The rows are private and have the decomposition; the view exceeds the counts."""
    letters = [[Fraction(int(y == i)) for y in range(len(rows[0]))] for i in (0, 1)]

    def left(row: Sequence[Fraction], one: Fraction, two: Fraction) -> list[Fraction]:
        """Return what the letters leave of a row, as a law."""
        parts = zip(row, *letters, strict=True)
        return [(m - one * a - two * b) / (1 - one - two) for m, a, b in parts]

    common = left(rows[0], x * p, p)
    hypotheses = [relation("<=", ldp_ratio(rows), x)]
    define: list[tuple[str, Term]] = []

    def mixture(i: int, one: Term, two: Term, rest: Sequence[Fraction]) -> None:
        """Row i is the mixture; the kernel sees that its components are laws."""
        name = f"rest_{len(define)}"
        define.append((name, finite_pair(rest, rest)))
        for y, m in enumerate(rows[i]):
            law = term(rest[y])
            right = one * letters[0][y] + two * letters[1][y] + (1 - one - two) * law
            hypotheses.append(relation("=", m, right))

    a, b = term(x) * term(p), term(p)
    mixture(0, a, b, common)
    mixture(1, b, a, common)
    for i in sorted(set(others)):
        mixture(i, b, b, left(rows[i], p, p))
    counts = [[a, b, 1 - a - b], [b, a, 1 - a - b], [b, b, 1 - b - b]]
    view = shuffle_pair(
        rows, inputs=(0, 1), others=[(i, others.count(i)) for i in sorted(set(others))]
    )
    pair = shuffle_pair(counts, inputs=(0, 1), others=[(2, len(others))])
    return Certificate(
        define=[*define, ("view", view), ("counts", pair)],
        hypotheses=hypotheses,
        conclusion=[relation(">", hockey_stick(ref("view"), g), hockey_stick(ref("counts"), g))],
    )


def _lemma_3_5() -> Statement:
    """Two inputs and three messages: each user sends a letter, or the third message."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, x in product(range(1, 5), RATIOS):
            for p in (1 / (x + 1), 1 / (x + 2), 1 / (x + 5)):
                for ones, g in product(range(n), gammas(x)):
                    others = (0,) * (n - 1 - ones) + (1,) * ones
                    yield Instance.of(exp_epsilon0=x, p=p, others=others, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, p = v["exp_epsilon0"], v["p"]
        rest = 1 - (x + 1) * p
        rows = [[x * p, p, rest], [p, x * p, rest]]
        return _against_counts(rows, x, p, v["others"], v["exp_epsilon"])

    return Statement(instances=instances, holds=holds)


def k_rr() -> Statement:
    """k-randomized response against the counts with p = 1/(x + k - 1)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for k, n, x in product((2, 3, 4), (1, 2, 3), RATIOS):
            for others in combinations_with_replacement(range(k), n - 1):
                for g in gammas(x):
                    yield Instance.of(k=k, exp_epsilon0=x, others=others, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        k, x = v["k"], v["exp_epsilon0"]
        matrix = randomized_response(k, Epsilon.log(x)).rows
        rows = [[m.as_fraction() for m in row] for row in matrix]
        return _against_counts(rows, x, 1 / (x + k - 1), v["others"], v["exp_epsilon"])

    return Statement(instances=instances, holds=holds)


# --- Smaller p: thinned counts --------------------------------------------------------------


Masses = dict[Any, tuple[Exact, Exact]]
"""The masses of counts (a, b) under P and Q."""


def _masses(pair: CountPair) -> Masses:
    laws = pair.pair()
    return dict(zip(laws.outcomes or (), laws.masses(), strict=True))


def _thinned(laws: Masses, keep: Fraction) -> Masses:
    """Return the laws after every letter was kept with this probability, independently."""
    thinned: Masses = {}
    for (a, b), masses in laws.items():
        for i, j in product(range(a + 1), range(b + 1)):
            weight = Exact(_kept(a, i, keep) * _kept(b, j, keep))
            before = thinned.get((i, j), (Exact(0), Exact(0)))
            thinned[i, j] = (before[0] + weight * masses[0], before[1] + weight * masses[1])
    return thinned


def _kept(count: int, left: int, keep: Fraction) -> Fraction:
    return comb(count, left) * keep**left * (1 - keep) ** (count - left)


def _monotone(*, square: bool = False) -> Statement:
    """The thinned laws for p are the laws for p', so divergences fall (data processing)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, x in product(range(1, 5), RATIOS[:3]):
            for part, keep in product(
                (Fraction(1), Fraction(1, 2)), (Fraction(1, 2), Fraction(2, 3))
            ):
                yield Instance.of(n=n, exp_epsilon0=x, p=part / (x + 1), keep=keep)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, p, keep = v["n"], v["exp_epsilon0"], v["p"], v["keep"]
        thinned = _thinned(_masses(count_pair(n, x, p)), keep * keep if square else keep)
        fine = thinned == _masses(count_pair(n, x, p * keep))
        return Outcome(Truth.of(fine), f"the thinned laws are {'' if fine else 'not '}those for p'")

    def proof() -> Proved | None:
        return Proved(
            "all n, eps0, p' <= p <= 1/(e^eps0 + 1)",
            "keep every letter with probability p'/p, independently: the counts are sums over "
            "independent users, and each user's three probabilities x p, p or p, p of the letters "
            "are multiplied by p'/p (the laws are computed for small n)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if square else proof,
        false_variant=None if square else _monotone(square=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "feldman2023/lemma-3.5": {"": _lemma_3_5()},
    "feldman2023/k-rr": {"": k_rr()},
    "feldman2023/monotone-in-p": {"": _monotone()},
}
