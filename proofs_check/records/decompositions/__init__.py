"""The pair of the privacy blanket beside those of clones, as shuffled users.

Of k-ary randomized response a user is of the blanket with probability k/(x + k − 1), and sends each
of k letters alike; who is not sends nothing that counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims import (
    Falls,
    Relation,
    Term,
    Trials,
    at_most,
    cases,
    for_all,
    function,
    hockey_stick,
    integers,
    named,
    reals,
    shuffle_pair,
)

__all__ = ["TRIALS"]

QUARTER = Fraction(1, 4)


def bound(n: int, rows: Sequence[Any], exp_epsilon: Any) -> Term:
    """Return δ of a victim with the first two rows among n − 1 others with the third."""
    view = shuffle_pair(rows, inputs=(0, 1), others=[(2, n - 1)])
    return hockey_stick(view, exp_epsilon)


def blanket(n: int, k: int, x: Fraction, exp_epsilon: Any) -> Term:
    """Return the bound of the blanket: letters of no interest are one."""
    each = 1 / (x + k - 1)
    rest = [(k - 2) * each] if k > 2 else []
    true = 1 - (k - 1) * each
    rows = [[true, each, *rest, 0], [each, true, *rest, 0], [each, each, *rest, 1 - k * each]]
    return bound(n, rows, exp_epsilon)


def clones(n: int, x: Fraction, exp_epsilon: Fraction, of_each: Fraction) -> Term:
    """Return the bound of clones of this mass on each of two letters."""
    a, b = x / (x + 1), 1 / (x + 1)
    rows = [[a, b, 0], [b, a, 0], [of_each, of_each, 1 - 2 * of_each]]
    return bound(n, rows, exp_epsilon)


def no_larger(
    n: int, k: int, x: Fraction, exp_epsilon: Fraction, *, is_stronger: bool, factor: int = 1
) -> Relation:
    """Compare both bounds."""
    of_each = 1 / (x + 1) if is_stronger else 1 / (2 * x)
    found = named("blanket", blanket(n, k, x, exp_epsilon))
    return at_most(factor * found, named("clones", clones(n, x, exp_epsilon, of_each)))


def band(n: int, k: int, x: Fraction, t: Fraction, most: Fraction = QUARTER) -> Relation:
    """Compare n√n times the room between both bounds at ε = t/√n with a quarter, or with less.

    The lower bound is the truth where all others have a third value, and k is at least 3.
    """
    root = function("sqrt", n)
    g, each = named("g", function("exp", t / root)), 1 / (x + k - 1)
    rest = (k - 2) * each
    rows = [[x * each, each, rest], [each, x * each, rest], [each, each, 1 - 2 * each]]
    lower = named("third_values", bound(n, rows, g))
    return at_most(named("blanket", blanket(n, k, x, g)) - lower, most / (n * root))


OVER = cases(
    n=(2, 5, 10),
    k=(2, 3, 10),
    x=(Fraction(3), Fraction(10)),
    exp_epsilon=(Fraction(1), Fraction(3, 2), Fraction(2)),
).within(
    n=integers(2, 16),
    k=integers(2, 100),
    x=reals(above=1, most=50),
    exp_epsilon=reals(1, below=lambda x: x),
)

BAND = cases(
    n=(4, 10, 16), k=(3, 10), x=(Fraction(3), Fraction(10)), t=(Fraction(1), Fraction(1, 2))
).within(n=integers(2, 16), k=integers(3, 100), x=reals(above=1, most=50), t=reals(0, 1))

TRIALS: Trials = {
    "records/decompositions/band": for_all(
        BAND, band, wrong=partial(band, most=Fraction(0)), falls=Falls.RESULT
    ),
    "records/decompositions/optimal": {
        key: for_all(
            OVER,
            partial(no_larger, is_stronger=is_stronger),
            wrong=partial(no_larger, is_stronger=is_stronger, factor=4),
            falls=Falls.RESULT,
        )
        for key, is_stronger in (("a", False), ("b", True))
    },
}
