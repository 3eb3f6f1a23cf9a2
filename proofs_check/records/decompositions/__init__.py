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
    hockey_stick,
    integers,
    named,
    reals,
    shuffle_pair,
)

__all__ = ["TRIALS"]


def bound(n: int, rows: Sequence[Any], exp_epsilon: Fraction) -> Term:
    """Return δ of a victim with the first two rows among n − 1 others with the third."""
    view = shuffle_pair(rows, inputs=(0, 1), others=[(2, n - 1)])
    return hockey_stick(view, exp_epsilon)


def blanket(n: int, k: int, x: Fraction, exp_epsilon: Fraction) -> Term:
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

TRIALS: Trials = {
    "records/decompositions/optimal": {
        key: for_all(
            OVER,
            partial(no_larger, is_stronger=is_stronger),
            wrong=partial(no_larger, is_stronger=is_stronger, factor=4),
            falls=Falls.RESULT,
        )
        for key, is_stronger in (("a", False), ("b", True))
    }
}
