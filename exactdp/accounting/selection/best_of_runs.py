"""The best of several runs of a finite mechanism: exactly the pair that its readers see.

Runs are independent, their number K has the generating function G. The best score is at most s with
probability G(F(s)), F(s) that of one run; among runs with that score the one that is told is any of
them, chosen without looking at more, so it has the law of a run with that score.

References: J. Liu and K. Talwar, Private Selection from Private Candidates, STOC 2019; N. Papernot
and T. Steinke, Hyperparameter Tuning with Rényi Differential Privacy, 2022.
"""

from __future__ import annotations

from collections.abc import Sequence

from exactdp.accounting.selection.runs import Runs
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.divergences.real_pair import pair_of_reals
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Exact, Number, RationalLike, exp
from exactdp.numbers.arguments import exact
from exactdp.numbers.validated import validated

__all__ = ["NO_RUNS", "best_of_runs"]

NO_RUNS = "no runs"
"""The outcome where there was no run: it has the same probability under P and Q."""


@validated
def best_of_runs(
    pair: Pair, runs: Runs, *, scores: Sequence[Exact | RationalLike] | None = None
) -> PrivacyProfile:
    """Return the pair of the best outcome of several runs, the others of which nobody sees.

    Formula:
        Pr[y] = (G(F(s)) − G(F(s−)))·P(y)/P(s), s the score of y, P(s) that of all outcomes with
        it, F(s) and F(s−) those of scores up to s and below it; likewise Q. Without runs, with
        probability G(0), the outcome is "no runs".

    Args:
        pair: One run of a mechanism on two neighbors.
        runs: The law of the number of runs.
        scores: How good each outcome is, in the pair's order, higher is better; by default the
            last outcome is the best one. Equal scores are ties, of which any run is told.

    Returns:
        A :class:`Pair` with exact δ, ε and Rényi divergences; where a mass is no such number, as
        of logarithmic runs, certified enclosures of them.

    Raises:
        DomainError: If there is not one score for each outcome.

    Example:
        A coin that is thrown one time or more, and again with probability 1/2: heads comes out
        unless all are tails, G(1/4) = 1/7.

        >>> coin = Pair.from_masses(["1/4", "3/4"], ["3/4", "1/4"])
        >>> best_of_runs(coin, Runs.geometric(stop="1/2")).masses()
        [(Exact('1/7'), Exact('3/5')), (Exact('6/7'), Exact('2/5'))]
        >>> best_of_runs(coin, Runs.fixed(2)).masses()[0]
        (Exact('1/16'), Exact('9/16'))
    """
    given = range(len(pair)) if scores is None else scores
    values = [exact(x, name=f"scores[{i}]") for i, x in enumerate(given)]
    if len(values) != len(pair):
        raise DomainError(
            f"there are {len(values)} scores and {len(pair)} outcomes. Give each outcome a score."
        )
    try:
        laws = _laws(pair, values, runs, Exact(1))
    except TooLargeError:  # powers of e with no short common rate
        laws = _laws(pair, values, runs, exp(0))
    named = None if pair.outcomes is None else [*pair.outcomes, NO_RUNS][: len(laws[0])]
    return pair_of_reals(*laws, outcomes=named)


def _laws(pair: Pair, scores: list[Exact], runs: Runs, unit: Number) -> list[list[Number]]:
    """Return both laws of the best outcome; of numbers that are exact if a 1 is an exact one."""
    none = runs.generating(Exact(0)) * unit
    is_sure = isinstance(none, Exact) and none == 0
    both = zip(*pair.masses(), strict=True)
    return [_best(list(side), scores, runs, unit) + ([] if is_sure else [none]) for side in both]


def _best(masses: list[Exact], scores: list[Exact], runs: Runs, unit: Number) -> list[Number]:
    """Return the law of the best outcome, one mass an outcome."""
    result: list[Number] = [Exact(0)] * len(masses)
    reached, before = Exact(0), runs.generating(Exact(0)) * unit
    for score in sorted(set(scores)):
        places = [i for i, x in enumerate(scores) if x == score and masses[i] != 0]
        if places:
            group = sum((masses[i] for i in places), Exact(0))
            reached = reached + group
            upto = runs.generating(reached) * unit
            for i in places:
                result[i] = (upto - before) * (masses[i] / group)
            before = upto
    return result
