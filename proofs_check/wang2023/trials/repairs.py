"""What does hold: leftovers of one law, and the pair given that the victim sends a letter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon
from exactdp.shuffle import (
    Users,
    Victim,
    shuffle_view,
    variation_ratio,
    variation_ratio_decomposition,
)
from exactdp.testing import probability_vectors
from exactdp.truth import Truth
from proofs_check.wang2023.trials.mixtures import compared, count_rows, rows_view, shapes

__all__ = ["TRIALS"]


# --- One law of leftovers ------------------------------------------------------------------


def _common_leftover(*, other_leftover: bool = False) -> Statement:
    """Four messages: the two letters, and a common law on all of them."""
    quarter = Fraction(1, 4)
    laws = [(0, 0, 1, 0), (0, 0, 2 * quarter, 2 * quarter), (quarter,) * 4, (1, 0, 0, 0)]

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, (p, alpha, r), law in product((1, 2, 3, 4), shapes(), laws):
            for i in range(4):
                g = 1 + (p - 1) * Fraction(i, 4)
                yield Instance.of(n=n, p=p, alpha=alpha, r=r, law=law, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        counts = count_rows(v["p"], v["alpha"], v["r"])
        lefts = [v["law"], v["law"], laws[3] if other_leftover else v["law"]]
        rows = [
            [a + rest * b for a, b in zip((one, two, 0, 0), left, strict=True)]
            for (one, two, rest), left in zip(counts, lefts, strict=True)
        ]
        true, bound = (
            rows_view(m, v["n"]).hockey_stick_divergence(exp_epsilon=v["exp_epsilon"])
            for m in (rows, counts)
        )
        return compared(true, bound)

    def strategy() -> st.SearchStrategy[Instance]:
        return st.builds(
            lambda n, shape, law, part: Instance.of(
                n=n,
                p=shape[0],
                alpha=shape[1],
                r=shape[2],
                law=law,
                exp_epsilon=1 + (shape[0] - 1) * part,
            ),
            st.integers(1, 4),
            st.sampled_from(list(shapes())),
            probability_vectors(size=4),
            st.fractions(0, 1, max_denominator=8),
        )

    def proof() -> Proved | None:
        return Proved(
            "all n, finite randomizers and leftovers of one law, or a + b = 1",
            "given the counts (X, Y) the messages that are no letters are n - X - Y independent "
            "draws of the one law, whoever sends them and whichever the dataset (if the victim "
            "always sends a letter, those of a uniform subset of the others): a post-processing",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if other_leftover else strategy,
        proof=None if other_leftover else proof,
        false_variant=None if other_leftover else _common_leftover(other_leftover=True),
    )


# --- Given that the victim sends a letter --------------------------------------------------


def _small_rows(effort: Effort) -> Iterator[tuple[tuple[Any, ...], ...]]:
    for x, d in product((Fraction(3, 2), Fraction(3)), (2, 3, 4)):
        rows = randomized_response(d, Epsilon.log(x)).rows
        for row in rows[:3]:
            yield rows[0], rows[1], row
    weight = 4 if effort is Effort.DEFAULT else 6
    laws = [
        tuple(Fraction(w, weight) for w in ws)
        for ws in product(range(1, weight), repeat=3)
        if sum(ws) == weight
    ]
    for one, two, other in product(laws, repeat=3):
        if one != two:
            yield one, two, other


def _given_a_letter(*, unlabeled: bool = False) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for n, rows in product((1, 2, 3, 4), _small_rows(effort)):
            for i in range(4):
                yield Instance.of(n=n, rows=rows, part=Fraction(i, 4))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, r = v["n"], Randomizer.from_matrix(v["rows"])
        others = r.rows[2:]
        p = variation_ratio(r, others=others).p
        g = 1 + (p.exp - 1) * v["part"]
        parts = variation_ratio_decomposition(r, others=others)
        if parts.check() is not None:
            return Outcome(Truth.FALSE, str(parts.check()))
        weight, pair = parts.labeled_count_pair(n=n)
        bound = weight * hockey_stick_divergence(pair.pair(), exp_epsilon=g)
        if unlabeled:
            bound = hockey_stick_divergence(parts.count_pair(n=n).pair(), exp_epsilon=g)
        view = shuffle_view(Victim(r), [Users(r, 2, n - 1)])
        return compared(view.hockey_stick_divergence(exp_epsilon=g), bound)

    def strategy() -> st.SearchStrategy[Instance]:
        law = probability_vectors(size=3).filter(lambda masses: min(masses) > 0)
        rows = st.tuples(law, law, law).filter(lambda rows: rows[0] != rows[1])
        return st.builds(
            lambda n, rows, part: Instance.of(n=n, rows=rows, part=part),
            st.integers(1, 4),
            rows,
            st.fractions(0, 1, max_denominator=8),
        )

    def proof() -> Proved | None:
        return Proved(
            "all n, ε >= 0, finite randomizers with the two properties",
            "tell the observer whether the victim sends a letter, which does not depend on the "
            "dataset: if so, the counts suffice, as the leftovers are those of a uniform subset of "
            "the others; if not, the two laws are equal and D_{e^ε} = 0; D_{e^ε} of the labeled "
            "laws is the mean (the mixtures are computed)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if unlabeled else strategy,
        proof=None if unlabeled else proof,
        false_variant=None if unlabeled else _given_a_letter(unlabeled=True),
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2023/repair/common-leftover": {"": _common_leftover()},
    "wang2023/repair/given-a-letter": {"": _given_a_letter()},
}
