"""Section 2.1, Definition 2, and Section 3.1, equations (1) and (2)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
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
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick, mass, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term, total, when
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_record
from exactdp.numbers import Exact
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.lemmas.clones import OTHER_ROW, TWO_LETTERS
from proofs_check.lemmas.drawn import is_private
from proofs_check.lemmas.quantities import EVENT, LAW, SAME, Law, divergence, probability
from proofs_check.lemmas.theorems import theorem
from proofs_check.liu2024.randomizers import Matrix, Rows, few_rows, private_rows, small

TRIALS: Trials = {}

FACTORS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)]


def each_message(rows: Matrix, exp_epsilon: Fraction) -> Term:
    """Return the least δ of Definition 2: for every message by itself."""
    gaps = [u - exp_epsilon * v for x in (0, 1) for u, v in Rows(rows).columns(x, 1 - x)]
    return function("max", 0, *gaps)


def each_set(rows: Matrix, exp_epsilon: Fraction) -> Term:
    """Return the least δ of Definition 1 for one record: for every set of messages."""
    pairs = (finite_pair(*rows[:2]), finite_pair(rows[1], rows[0]))
    return function("max", *(hockey_stick(pair, exp_epsilon) for pair in pairs))


def counterpart(rows: Matrix, exp_epsilon: Fraction) -> Relation:
    """(ε, δ) for every message by itself is (ε, δ) for every set of messages."""
    return at_most(each_set(rows, exp_epsilon), each_message(rows, exp_epsilon))


@quantity("mass same {0} {1}", name="Pr")
def mass_at(P: Law, y: int) -> Fraction:
    """Return the probability of one message."""
    return P[y]


def pure_counterpart(exp_epsilon0: Any, **at: Any) -> list[Relation]:
    """Laws that are close at each message are so on each set, and the other way round."""
    P, Q, S, U, W, y = at.values()
    closed = [(probability(P, S), probability(Q, S)), (mass_at(U, y), mass_at(W, y))]
    return [at_most(u, exp_epsilon0 * v) for a, b in closed for u, v in ((a, b), (b, a))]


@quantity("in_order_apart same {2} {0} {1} {3}", name="in_order")
def in_order_apart(P: Law, Q: Law, others: Sequence[Sequence[Law]], exp_epsilon: Fraction) -> Term:
    """D of the messages in order, of a user among earlier and later ones."""
    before, after = others
    rows = [[prod(m) for m in product(*before, law, *after)] for law in (P, Q)]
    return hockey_stick(finite_pair(*rows), exp_epsilon)


@quantity("shuffled_order_apart same {2} {0} {1} {3}", name="shuffled")
def shuffled_apart(P: Law, Q: Law, others: Sequence[Sequence[Law]], exp_epsilon: Fraction) -> Term:
    """D of the shuffled messages, which are their counts."""
    laws = [law for part in others for law in part]
    sent = [(2 + i, 1) for i in range(len(laws))]
    return hockey_stick(shuffle_pair((P, Q, *laws), inputs=(0, 1), others=sent), exp_epsilon)


def collected(
    n: int, P: Any, Q: Any, others: Any, exp_epsilon: Any, local: Any = divergence
) -> list[Relation]:
    """The messages of n users are (ε, δ)-private if each user's message is."""
    own = local(P, Q, exp_epsilon)
    seen = (in_order_apart, shuffled_apart)
    return [at_most(messages(P, Q, others, exp_epsilon), own) for messages in seen]


def largest_gap(P: Law, Q: Law, exp_epsilon: Fraction) -> Fraction:
    """Return the least δ of Definition 2 for one order: for every message by itself."""
    return max(Fraction(0), *(u - exp_epsilon * v for u, v in zip(P, Q, strict=True)))


MESSAGES = cases(rows=lambda: few_rows(2, [2, 3, 4], 6), exp_epsilon=FACTORS).within(
    rows=private_rows(2), exp_epsilon=reals(1)
)

TRIALS["liu2024/definition-2"] = {
    "a": for_all(MESSAGES, counterpart, falls=Falls.MISPRINT),
    "b": for_all(
        cases(
            exp_epsilon0=FACTORS,
            _rows=lambda: few_rows(2, [3], 5),
            P=lambda _rows: _rows[:1],
            Q=lambda _rows: _rows[1:],
            S=((0, 2),),
            U=lambda P: [P],
            W=lambda Q: [Q],
            y=(0,),
        )
        .where(lambda exp_epsilon0, P, Q: is_private((P, Q), exp_epsilon0))
        .within(
            exp_epsilon0=reals(1),
            P=LAW,
            Q=OTHER_ROW,
            S=EVENT,
            U=LAW,
            W=objects(
                "a law that is e^ε0-close to U on each set",
                lambda exp_epsilon0, U: probability_vectors(size=3).filter(
                    lambda W: is_private((U, W), exp_epsilon0)
                ),
                coq=("law A", "close_sets exp_epsilon0 U {0}", SAME),
            ),
            y=objects("a message", lambda: st.integers(0, 2), coq=("A", "", SAME)),
        ),
        pure_counterpart,
        wrong=for_all(MESSAGES, counterpart),
        proof=theorem("liu2024_definition_2_pure"),
    ),
    "c": for_all(
        cases(
            n=(1, 2),
            _rows=lambda: few_rows(2, [3, 4], 6),
            P=lambda _rows: _rows[:1],
            Q=lambda _rows: _rows[1:],
            others=lambda n, P, Q: [((P,) * i, (Q,) * (n - 1 - i)) for i in range(n)],
            exp_epsilon=FACTORS[:2],
        ).within(
            n=integers(1, draws=3),
            P=LAW,
            Q=LAW,
            others=objects(
                "the laws of earlier and of later users",
                lambda n: st.tuples(*[probability_vectors(size=3)] * (n - 1)).flatmap(
                    lambda found: st.integers(0, n - 1).map(lambda i: (found[:i], found[i:]))
                ),
                coq=("among A", "are_laws n {0}", SAME),
                written=lambda others: coq_record(
                    "among A", *(("list (law A)", laws) for laws in others)
                ),
            ),
            exp_epsilon=reals(1),
        ),
        collected,
        wrong=partial(collected, local=largest_gap),
        proof=theorem("liu2024_definition_2_sets"),
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
