"""The pair of stronger clones against all sequences of adaptive local randomizers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import sympy
from hypothesis import strategies as st

from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import CountPair, pair_of, shuffled_inputs_law, stronger_clone_pair
from exactdp.testing import adaptive_randomizers, local_randomizers, neighboring_datasets
from exactdp.truth import Truth
from proofs_check.feldman2023.trials.reduction import (
    compared,
    counts_divergence,
    gammas,
    k_rr,
    view_divergence,
)
from proofs_check.feldman2023.worst import extremal_rows, worst_divergence

__all__ = ["TRIALS"]

RATIOS = [Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(8)]


# --- All private randomizers --------------------------------------------------------------


def _all_randomizers(effort: Effort) -> Iterator[Instance]:
    """Yield n, the inputs in play, e^eps0 and e^eps; n + 1 inputs are all that n users have."""
    for (n, inputs), x in product([(1, 2), (2, 3), (3, 3), (4, 2), (5, 2)], RATIOS):
        for g in gammas(x):
            yield Instance.of(n=n, inputs=inputs, exp_epsilon0=x, exp_epsilon=g)
    ratios = RATIOS if effort is Effort.DEEP else [Fraction(3, 2)]
    for (n, inputs), x in product([(3, 4), (4, 3)], ratios):
        for g in gammas(x):
            yield Instance.of(n=n, inputs=inputs, exp_epsilon0=x, exp_epsilon=g)


@st.composite
def _draw_adaptive(draw: st.DrawFn) -> Instance:
    n, x = draw(st.integers(2, 4)), draw(st.fractions(Fraction(5, 4), 6, max_denominator=4))
    steps = draw(adaptive_randomizers(steps=n, rows=3, columns=2, max_ratio=x))
    data, neighbor = draw(neighboring_datasets(inputs=3, min_users=n, max_users=n))
    gamma = draw(st.fractions(1, x, max_denominator=4))
    return Instance.of(
        n=n, exp_epsilon0=x, exp_epsilon=gamma, steps=steps, data=data, neighbor=neighbor
    )


def _sequences(*, more: Fraction = Fraction(1)) -> Statement:
    """The bound, or for a false variant one with r larger than 1/(x + 1) by this factor."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, g = v["n"], v["exp_epsilon0"], v["exp_epsilon"]
        pair = stronger_clone_pair(n, Epsilon.log(x))
        other = min(pair.other * more, Exact("1/2"))
        bound = counts_divergence(CountPair(n, pair.first, pair.second, other), g)
        if "inputs" in v:
            true = worst_divergence(inputs=v["inputs"], users=n, exp_epsilon0=x, exp_epsilon=g)
        else:
            laws = pair_of(shuffled_inputs_law, v["steps"], v["data"], v["neighbor"])
            true = hockey_stick_divergence(laws, exp_epsilon=g)
        return compared(true, bound)

    return Statement(
        instances=_all_randomizers,
        holds=holds,
        strategy=_draw_adaptive if more == 1 else None,
        false_variant=_sequences(more=Fraction(21, 20)) if more == 1 else None,
    )


# --- Randomizers that have the decomposition into two letters ---------------------------------


def _has_two_letters(rows: Sequence[Sequence[Any]], x: Fraction) -> bool:
    """Return whether every row is at least (R(x0) + R(x1))/(x + 1)."""
    share = [(u + v) / (x + 1) for u, v in zip(rows[0], rows[1], strict=True)]
    return all(m >= s for row in rows for m, s in zip(row, share, strict=True))


def _two_letter_randomizers(effort: Effort) -> Iterator[Instance]:
    for n, x in product((1, 2, 3, 4), RATIOS):
        matrices = [randomized_response(k, Epsilon.log(x)).rows for k in (2, 3, 4)]
        matrices += [
            rows for rows in extremal_rows(inputs=3, exp_epsilon0=x) if _has_two_letters(rows, x)
        ]
        for rows, g in product(matrices, gammas(x)):
            yield Instance.of(n=n, exp_epsilon0=x, exp_epsilon=g, rows=rows)


def _any_two_letter_randomizer() -> st.SearchStrategy[Instance]:
    def drawn(x: Fraction) -> st.SearchStrategy[Instance]:
        return st.builds(
            lambda n, gamma, rows: Instance.of(n=n, exp_epsilon0=x, exp_epsilon=gamma, rows=rows),
            st.integers(2, 4),
            st.fractions(1, x, max_denominator=4),
            local_randomizers(rows=3, columns=3, max_ratio=x).filter(
                lambda rows: _has_two_letters(rows, x)
            ),
        )

    return st.fractions(Fraction(5, 4), 6, max_denominator=4).flatmap(drawn)


def _two_letters() -> Statement:
    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, x, g, rows = v["n"], v["exp_epsilon0"], v["exp_epsilon"], v["rows"]
        r = Randomizer.from_matrix(rows)
        if not _has_two_letters(r.rows, x):
            return Outcome(Truth.FALSE, "not at least (R(x0) + R(x1))/(x + 1)")
        true = max(
            view_divergence(r, others, g, victim=victim)
            for victim in ((0, 1), (1, 0))
            for others in combinations_with_replacement(range(r.inputs), n - 1)
        )
        return compared(true, counts_divergence(stronger_clone_pair(n, Epsilon.log(x)), g))

    return Statement(
        instances=_two_letter_randomizers,
        holds=holds,
        strategy=_any_two_letter_randomizer,
        proof=_two_letters_proof,
        false_variant=k_rr(),
    )


def _two_letters_proof() -> Proved | None:
    """The argument of the clone reduction; its identities, and k-RR for all k."""
    u, v, x = sympy.symbols("u v x", positive=True)
    one, two = (x * u - v) / (x - 1), (x * v - u) / (x - 1)
    identities = [(x * one + two) / (x + 1) - u, one + two - u - v]
    if any(sympy.simplify(identity) != 0 for identity in identities):
        return None
    return Proved(
        "all n, all such adaptive sequences with finite outputs, all neighboring datasets",
        "p (x Q0 + Q1) = R(x0), p (Q0 + x Q1) = R(x1), p (Q0 + Q1) <= R(x), p = 1/(x+1): label the "
        "victim by Q0 or Q1 and every other user by Q0, Q1 or LO, with probabilities that do not "
        "depend on step or history; the victim always has a letter, so given the counts (X, Y) "
        "the users labeled LO are a uniform subset of the others, whose inputs are known, and "
        "A_s runs on labels in uniform order, the same for X_0 and X_1; k-RR has masses x or 1 "
        "times 1/(x+k-1), and the letters' share is (x + 1)/(x + 1) or 2/(x + 1) times it",
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "feldman2023/stronger-clones": {"": _sequences()},
    "feldman2023/repair/reduction-two-letters": {"": _two_letters()},
}
