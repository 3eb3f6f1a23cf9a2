"""Section 2.1, Definition 2, and Section 3.1, equations (1) and (2)."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.audit.algebra import follows
from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.domains import integers, reals
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    equal,
    for_all,
)
from exactdp.claims.laws import finite_pair, hockey_stick, mass, shuffle_pair
from exactdp.claims.proofs import lemma, proof
from exactdp.claims.terms import Term, function, named, term, total, when
from exactdp.claims.verdicts import Falls
from exactdp.numbers import Exact
from proofs_check.lemmas.clones import TWO_LETTERS
from proofs_check.lemmas.trials.divergences import POST_PROCESSING
from proofs_check.liu2024.randomizers import Matrix, Rows, few_rows, private_rows, small

TRIALS: Trials = {}

FACTORS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)]


def each_message(rows: Matrix, exp_epsilon: Fraction) -> Term:
    """The least δ of Definition 2: for every message by itself."""
    gaps = [u - exp_epsilon * v for x in (0, 1) for u, v in Rows(rows).columns(x, 1 - x)]
    return function("max", 0, *gaps)


def each_set(rows: Matrix, exp_epsilon: Fraction) -> Term:
    """The least δ of Definition 1 for one record: for every set of messages."""
    pairs = (finite_pair(*rows[:2]), finite_pair(rows[1], rows[0]))
    return function("max", *(hockey_stick(pair, exp_epsilon) for pair in pairs))


def counterpart(rows: Matrix, exp_epsilon: Fraction) -> Relation:
    """(ε, δ) for every message by itself is (ε, δ) for every set of messages."""
    return at_most(each_set(rows, exp_epsilon), each_message(rows, exp_epsilon))


def pure_counterpart(rows: Matrix, exp_epsilon: Fraction) -> Relation:
    """One least δ is 0 exactly if the other is."""
    sides = (each_message(rows, exp_epsilon), each_set(rows, exp_epsilon))
    return equal(*(when("=", side, 0, 1, 0) for side in sides))


def collected(
    n: int,
    rows: Matrix,
    zeros: int,
    exp_epsilon: Fraction,
    local: Callable[[Matrix, Fraction], Term] = each_set,
) -> Relation:
    """The shuffled messages of n users are (ε, δ)-private if each user's message is."""
    view = shuffle_pair(rows, inputs=(0, 1), others=[(0, zeros), (1, n - 1 - zeros)])
    return at_most(hockey_stick(view, exp_epsilon), local(rows, exp_epsilon))


MESSAGES = cases(rows=lambda: few_rows(2, [2, 3, 4], 6), exp_epsilon=FACTORS).within(
    rows=private_rows(2), exp_epsilon=reals(1)
)

TRIALS["liu2024/definition-2"] = {
    "a": for_all(MESSAGES, counterpart, falls=Falls.STEP),
    "b": for_all(
        MESSAGES,
        pure_counterpart,
        wrong=counterpart,
        proof=proof(
            follows(
                "summed over the messages of a set, one after another: what holds for the set so "
                "far, (u, v), and for a message, (s, t), holds with it; a message is a set of one",
                "u v s t x",
                lambda u, v, s, t, x: x * (v + t) - (u + s),
                lambda u, v, s, t, x: [(1, x * v - u), (1, x * t - s)],
            ),
        ),
    ),
    "c": for_all(
        cases(
            _sizes=((1, 4, 6), (2, 3, 4), (3, 3, 4), (2, 4, 5)),
            n=lambda _sizes: [_sizes[0]],
            rows=lambda _sizes: few_rows(2, [_sizes[1]], _sizes[2]),
            zeros=lambda n: range(n),
            exp_epsilon=FACTORS,
        ).within(
            n=integers(1, draws=3),
            rows=private_rows(2),
            zeros=integers(0, lambda n: n - 1),
            exp_epsilon=reals(1),
        ),
        collected,
        wrong=partial(collected, local=each_message),
        proof=proof(
            lemma(
                "lemmas/post-processing",
                POST_PROCESSING,
                "the other users' messages, whose law does not depend on the record that "
                "differs, are put beside the victim's, in order or shuffled: one channel",
            ),
        ),
    ),
}

PAIRS = cases(rows=lambda: small(2)).deep(rows=lambda: small(2, 12)).within(rows=private_rows(2))


def inline(rows: Matrix) -> list[Relation]:
    """The second line says R(x_1^1) = Q(x_1^0), so the first leaves p Q(x_1^1), p = 1/(x + 1)."""
    r = Rows(rows)
    weight = 1 / (r.ratio + 1)
    return [at_least(u - (1 - weight) * v, 0) for u, v in r.columns(0, 1)]


def solved(u: Any, v: Any, p: Fraction = Fraction(1)) -> list[Relation]:
    """At p = 1 the letters are the rows: Q(x_1^0) = v and Q(x_1^1) = (u − (1 − p) v)/p."""
    two = (term(u) - (1 - p) * v) / p
    return [at_least(two, 0), equal((1 - p) * v + p * two, u), equal(p * v + (1 - p) * v, v)]


TRIALS["liu2024/section-3.1/inline-decomposition"] = {
    "a": for_all(PAIRS, inline, falls=Falls.MISPRINT),
    "b": for_all(
        cases(u=[Fraction(1, 4), Fraction(1)], v=[Fraction(1)]).within(u=reals(0), v=reals(0)),
        solved,
        wrong=partial(solved, p=Fraction(1, 2)),
        proof=in_numbers(text="the claim itself with p = 1, at each message"),
    ),
    "c": TWO_LETTERS,
}

TRIALS["liu2024/equation-1"] = TWO_LETTERS


def different(count: int, largest: int) -> Iterator[Matrix]:
    """Yield rows of which the first two differ."""
    return (rows for rows in small(count, largest) if rows[0] != rows[1])


TRIPLES = (
    cases(rows=lambda: different(3, 6))
    .deep(rows=lambda: different(3, 9))
    .within(rows=private_rows(3))
)


def copies(rows: Matrix) -> list[Relation]:
    """(2) with the p of (1): (1 − 2p) LO_i = R(x_i) − p (R(x_1^0) + R(x_1^1))."""
    r = Rows(rows)
    return r.leftovers(1 / (r.ratio + 1))


TRIALS["liu2024/equation-2"] = for_all(TRIPLES, copies, falls=Falls.STEP)


def larger_number(root: Any, part: Fraction = Fraction(1)) -> Relation:
    """p_1 = Pr[R(x_1^0) beyond the middle] = e^(−ε/2)/2 against 1/(e^ε + 1); root = e^(ε/2)."""
    return above(part / (2 * term(root)), 1 / (term(root) ** 2 + 1))


def admissible(exp_epsilon: Fraction) -> Said:
    """With p_1 = e^(−ε/2)/2 in (1), (1 − 2p) Q(x_1^1) has this mass below x_1^0.

    There the rows have masses 1/2 and e^(−ε)/2, whatever the clip range. It is 0 at the p of
    the reduction and linear in p, so it is negative for every p above.
    """
    x, half = exp_epsilon, Fraction(1, 2)
    below_zero = named("below", finite_pair([half, half], [half / x, 1 - half / x]))
    zero, one = mass(below_zero, "p", 0), mass(below_zero, "q", 0)

    def letter(p: Term | Fraction) -> Term:
        return (1 - p) * one - p * zero

    p_1 = half / function("sqrt", x)
    reduced = [equal(letter(1 / (x + 1)), 0), below(letter(half), 0)]
    return at_least(letter(p_1), 0).given(reduced)


TRIALS["liu2024/section-3.1/reduction-underestimates"] = {
    "a": for_all(
        cases(root=[Exact.exp(Fraction(i, 8)) for i in (1, 2, 3, 4, 6, 8, 12, 20, 40)]).within(
            root=reals(above=1)
        ),
        larger_number,
        wrong=partial(larger_number, part=Fraction(1, 2)),
        proof=in_numbers(),
    ),
    "b": for_all(
        cases(exp_epsilon=[Fraction(i * i) for i in (2, 3, 5)]), admissible, falls=Falls.STEP
    ),
}


def type_one(rows: Matrix, b: int) -> Relation:
    """H_0: R(x_i), H_1: R(x_1^b), rejected where R(x_i) < R(x_1^b): the error is p."""
    r = Rows(rows)
    error = total([when("<", w, u, w, 0) for w, u in r.columns(2, b)])
    return equal(error, 1 / (r.ratio + 1))


TRIALS["liu2024/section-3.1/type-I-error"] = for_all(
    cases(rows=lambda: different(3, 6), b=(0, 1))
    .deep(rows=lambda: different(3, 9))
    .where(lambda rows, b: rows[2] != rows[b])
    .within(rows=private_rows(3), b=integers(0, 1)),
    type_one,
    falls=Falls.STEP,
)
