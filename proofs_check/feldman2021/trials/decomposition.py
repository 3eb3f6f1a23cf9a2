"""The decompositions that make clones: that they exist for every private local randomizer.

u, v, w are the masses of one message for x^0, x^1 and another input; x = e^{ε_0} = 1 + t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from exactdp.audit.algebra import follows, identity
from exactdp.claims import Relation, at_least, cases, equal, for_all, proof, term, total
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon
from proofs_check.lemmas import Trials
from proofs_check.lemmas.clones import both_rows, copies_fit, first_row, second_row
from proofs_check.lemmas.drawn import private_rows
from proofs_check.lemmas.extremal import extremal_rows

TRIALS: Trials = {}

Rows = Sequence[Sequence[Any]]


def extremal(exp_epsilon0: Fraction, _inputs: int) -> list[Rows]:
    """Return the extremal private randomizers; 4-ary randomized response stands for 4 inputs."""
    if _inputs == 4:
        return [randomized_response(4, Epsilon.log(exp_epsilon0)).rows]
    return list(extremal_rows(inputs=_inputs, exp_epsilon0=exp_epsilon0))


RANDOMIZERS = cases(
    _inputs=(2, 3, 4), exp_epsilon0=[Fraction(x) for x in ("1", "3/2", "2", "5")], rows=extremal
).drawn(lambda: private_rows(rows=3, columns=4))


def clones(weight: Callable[[Fraction], Fraction]) -> Callable[..., list[Relation]]:
    """R(x) minus a weight of R(x^0) + R(x^1), 1/(2 e^{ε_0}), is nonnegative."""

    def says(exp_epsilon0: Fraction, rows: Rows) -> list[Relation]:
        share = weight(exp_epsilon0)
        columns = list(zip(*rows, strict=True))
        return [at_least(w, share * (term(c[0]) + c[1])) for c in columns for w in c]

    return says


CLONES = proof(
    "all e^eps0 = x >= 1, inputs and finite randomizers",
    copies_fit("(1 - 1/x) LO = w - (u + v)/(2x) is at least 0, by u <= x w and v <= x w"),
    identity(
        "its mass is 1 - 1/x, as rows have mass 1",
        "t",
        lambda t: (1 - 2 / (2 * (1 + t)), t / (1 + t)),
    ),
)

TRIALS["feldman2021/clones"] = for_all(
    RANDOMIZERS, clones(lambda x: 1 / (2 * x)), wrong=clones(lambda x: 1 / (x + 1)), proof=CLONES
)


def letters(ratio: Callable[[Fraction], Fraction]) -> Callable[..., list[Relation]]:
    """Q^0 = (x u − v)/(x − 1), Q^1 = (x v − u)/(x − 1) are laws and make both rows."""

    def says(exp_epsilon0: Fraction, rows: Rows) -> list[Relation]:
        x = ratio(exp_epsilon0)
        pairs = [(term(u), term(v)) for u, v in zip(rows[0], rows[1], strict=True)]
        if x == 1:  # both letters are R(x^0) = R(x^1)
            return [equal(u, v) for u, v in pairs]
        one = [(x * u - v) / (x - 1) for u, v in pairs]
        two = [(x * v - u) / (x - 1) for u, v in pairs]
        claimed = [at_least(mass, 0) for mass in (*one, *two)]
        claimed += [equal(total(one), 1), equal(total(two), 1)]
        for (u, v), a, b in zip(pairs, one, two, strict=True):
            claimed += [equal(u, (x * a + b) / (x + 1)), equal(v, (a + x * b) / (x + 1))]
            claimed.append(equal(u + v, a + b))
        return claimed

    return says


TWO_LETTERS = proof(
    "all e^eps0 = x > 1, inputs and finite randomizers (x = 1: both letters are R(x0) = R(x1))",
    follows(
        "Q0 = (x u - v)/(x-1) is at least 0 by v <= x u; Q1 likewise",
        "u v t",
        lambda u, v, t: ((1 + t) * u - v) / t,
        lambda u, v, t: [(1 / t, (1 + t) * u - v)],
    ),
    identity(
        "(x Q0 + Q1)/(x+1) = R(x0), (Q0 + x Q1)/(x+1) = R(x1), Q0 + Q1 = R(x0) + R(x1)",
        "u v t",
        first_row,
        second_row,
        both_rows,
    ),
)

TRIALS["feldman2021/two-letters"] = for_all(
    RANDOMIZERS, letters(lambda x: x), wrong=letters(lambda x: (1 + x) / 2), proof=TWO_LETTERS
)
