"""Small surveys to compute with, and the law of a count as the kernel derives it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from exactdp.certificates import Term, mass, ref, shuffle_pair, term
from exactdp.distributions import FinitePmf
from exactdp.numbers import Exact
from proofs_check.wang2024.protocol import Parameters
from proofs_check.wang2024.utility import Segment, Survey

__all__ = ["ALL_SURVEYS", "Case", "count_view", "mean_in", "square_in", "surveys"]

ALL_SURVEYS = (
    "all n, d, s, K, λ_k and m (above 0 where ⌈m⌉ divides), users independent, data i.i.d., "
    "Σ n_k λ_k > 0, n̂_k = n_k"
)

Data = dict[tuple[int, ...], str]

_ONE_ITEM: list[tuple[int, Data]] = [
    (2, {(0,): "1/2", (1,): "1/2"}),
    (2, {(0,): "1"}),
    (2, {(0,): "1/3", (1,): "2/3"}),
    (3, {(0,): "1/6", (1,): "1/3", (2,): "1/2"}),
]

_MORE_ITEMS: list[tuple[int, Data]] = [
    (2, {(0, 1): "1"}),
    (3, {(0, 1): "1/4", (1, 2): "3/4"}),
    (4, {(0, 1, 2): "1/2", (1, 2, 3): "1/2"}),
]

_RATES = [("1/2",), ("1",), ("1/2", "1"), ("0", "1"), ("1/3", "1/5")]

_MESSAGES = ["1", "1/2", "3/2", "2", "0"]


@dataclass(frozen=True, slots=True)
class Case:
    """A survey with i.i.d. data that prints as a reader would write it."""

    survey: Survey

    def __str__(self) -> str:
        parameters, data = self.survey.parameters, self.survey.segments[0].data
        counts, rates = (
            ", ".join(map(str, values)) for values in (self.survey.level_counts, parameters.rates)
        )
        sets = ", ".join(f"{{{', '.join(map(str, x))}}}: {p}" for x, p in data.masses.items())
        return (
            f"[n_k = {counts}; λ_k = {rates}; m = {parameters.m}; d = {self.survey.d}; "
            f"law of x_i: {sets}]"
        )


def surveys(*, blankets: bool = True) -> Iterator[Case]:
    """Yield surveys of one to three users, by size: i.i.d. data, one or two levels.

    Args:
        blankets: Leave m = 0 out, where ⌈m⌉ = 0 divides in some formulas.
    """
    for users in (1, 2, 3):
        for (d, data), rates, m in product([*_ONE_ITEM, *_MORE_ITEMS], _RATES, _MESSAGES):
            if len(rates) > users or (blankets and m == "0"):
                continue
            law = FinitePmf(data)
            counts = [users] if len(rates) == 1 else [users - 1, 1]
            parts = tuple(Segment(count, k, law) for k, count in enumerate(counts))
            parameters = Parameters(Fraction(m), tuple(map(Fraction, rates)))
            yield Case(Survey(parts, d, parameters))


def count_view(survey: Survey, j: int) -> tuple[Term, int]:
    """Return the view of the coins that C_j adds up, and how many coins there are.

    Heads of user i: it holds item j, and sends it; of a slot: it sends item j. The view
    counts heads, so that its mass at [N - c, c] is Pr[C_j = c].
    """
    parameters = survey.parameters
    heads: dict[Exact, int] = {}
    for part in survey.segments:
        holds = sum((p for x, p in part.data.masses.items() if j in x), Exact(0))
        value = holds * parameters.rates[part.level]
        heads[value] = heads.get(value, 0) + part.count
    slot = Exact(parameters.slot_rate / survey.d)
    heads[slot] = heads.get(slot, 0) + survey.users * parameters.slots
    coins = [(p, count) for p, count in heads.items() if count]
    others = [(i, count - (i == 0)) for i, (_, count) in enumerate(coins)]
    rows = [[1 - p, p] for p, _ in coins]
    return shuffle_pair(rows, inputs=(0, 0), others=others), sum(count for _, count in coins)


def mean_in(view: str, coins: int, values: Sequence[Term]) -> Term:
    """Return Σ_c Pr[C = c] values[c] in the view of that name."""
    return sum((mass(ref(view), "p", [coins - c, c]) * v for c, v in enumerate(values)), term(0))


def square_in(view: str, coins: int, values: Sequence[Term], center: Exact | Fraction) -> Term:
    """Return Σ_c Pr[C = c] (values[c] - center)^2."""
    return mean_in(view, coins, [(v - center) ** 2 for v in values])
