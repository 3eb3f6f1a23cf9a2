"""The two screens of the likelihood of k random steps of T, as powers of rationals."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import comb, prod

from exactdp.claims import Cases, Falls, Said, Trials, at_most, cases, for_all, objects
from exactdp.claims.kinds import Sort
from exactdp.testing import fractions
from exactdp.testing.later import st

__all__ = ["TRIALS"]

Values = tuple[Fraction, ...]


def symmetric(w: Values, k: int) -> Fraction:
    """Return e_k(w), by its recurrence."""
    found = [Fraction(1)] + [Fraction(0)] * k
    for x in w:
        for i in range(k, 0, -1):
            found[i] += x * found[i - 1]
    return found[k]


def screens(numbers: Values, k: int, factor: int = 1) -> Said:
    """Compare powers: (Π w)^k with (e_k/C)^T, and e_k/C with mean^k."""
    size, ratio = len(numbers), symmetric(numbers, k) / comb(len(numbers), k)
    geometric, arithmetic = prod(numbers) ** k, (sum(numbers) / size) ** k
    return Said([at_most(factor * geometric, ratio**size), at_most(ratio, arithmetic)])


def chosen(least: Fraction) -> dict[str, Sort]:
    """Return lists of numbers, of which k are chosen."""
    drawn = st.lists(fractions(least, 9, max_denominator=8), min_size=1, max_size=5).map(tuple)
    return {
        "numbers": objects("a list of rationals", lambda: drawn),
        "k": objects(
            "at most their number",
            lambda numbers: st.integers(1, len(numbers)),
            condition=lambda numbers, k: 1 <= k <= len(numbers),
        ),
    }


def lists(*numbers: str) -> Cases:
    """Return lists with each k."""
    found = [tuple(map(Fraction, one.split())) for one in numbers]
    return cases(numbers=found, k=lambda numbers: range(1, len(numbers) + 1))


TRIALS: Trials = {
    "records/bis-accountant/screens": for_all(
        lists("1 2", "1 9", "1 2 5", "1/100 1 3 7", "1 1 1").within(**chosen(Fraction(1, 8))),
        screens,
        wrong=partial(screens, factor=4),
        falls=Falls.RESULT,
    ),
}
