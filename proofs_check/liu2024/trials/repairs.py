"""The repairs: weights of copies, (5) at its best t, randomized response, any randomizers."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_least, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, formula, term
from exactdp.coq.values import coq_record
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.lemmas.clones import CLONES, OTHER_ROW, two_letters
from proofs_check.lemmas.quantities import (
    EVENT,
    LAW,
    Law,
    in_both,
    letter,
    mixed,
    part,
    part_mass,
    probability,
    total_mass,
)
from proofs_check.lemmas.theorems import theorem
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.randomizers import Matrix
from proofs_check.liu2024.theorems import (
    Profile,
    breakpoints,
    counted,
    sums,
)
from proofs_check.liu2024.trials.section_3_1 import different
from proofs_check.liu2024.trials.section_3_3 import OTHERS, alpha_of, telling

TRIALS: Trials = {}

TRIALS["liu2024/repair/equation-2"] = CLONES


def largest_copies(both: Any, w: Any, p: Any, more: Any, share: int = 1) -> list[Relation]:
    """Say of (4), at a message with u + v = both > 0: p up to w/(u + v) leaves nothing negative.

    Any more leaves −more (u + v), below 0: so the least w/(u + v) of all messages is the largest p.
    """
    w, largest = term(w), term(w) / both
    return [
        at_least(w - share * p * both, 0),
        equal(w - (largest + more) * both, -term(more) * both),
    ]


TRIALS["liu2024/repair/equation-4"] = for_all(
    cases(
        both=[Fraction(1), Fraction(1, 3)],
        w=[Fraction(1, 4)],
        p=lambda both, w: [w / both, Fraction(0)],
        more=[Fraction(1, 8)],
    ).within(
        both=reals(above=0),
        w=reals(0),
        p=reals(0, lambda w, both: w / both),
        more=reals(above=0),
    ),
    largest_copies,
    wrong=partial(largest_copies, share=2),
    proof=in_numbers(text="the claim itself, at each message"),
)


def responses(profile: Profile, exp_epsilon: Fraction) -> Relation:
    """Compare the true δ with the largest value of (5)."""
    return at_most(profile.delta(exp_epsilon), profile.bound(exp_epsilon))


def leaky() -> Iterator[Matrix]:
    """Return the victim sends two letters that nobody else sends."""
    for weights in ((2, 1, 5, 1), (2, 1, 4, 2), (3, 1, 8, 3)):
        a, b, c, d = (Fraction(x, sum(weights)) for x in weights)
        yield ((a, b, c, d), (b, a, d, c), (Fraction(0),) * 2 + (Fraction(1, 2),) * 2)


def any_rows() -> st.SearchStrategy[Matrix]:
    """Draw the victim's rows and another user's, of four letters."""
    law = probability_vectors(size=4).filter(lambda masses: min(masses) > 0)
    return st.tuples(law, law, law).filter(lambda rows: rows[0] != rows[1])


ANY_ROWS = (
    cases(rows=lambda: different(3, 5), n=(2, 3), exp_epsilon=[Fraction(11, 10)])
    .then(cases(rows=leaky, n=(2, 3), exp_epsilon=[Fraction(5, 4), Fraction(3, 2)]))
    .within(
        rows=objects("the victim's two rows, which differ, and the other users'", any_rows),
        n=integers(1, draws=3),
        exp_epsilon=reals(1),
    )
)


@quantity("(shuffled_apart k {0} {1} {2} {3})", name="shuffled")
def shuffled_apart(v: Fraction, a: Fraction, users: Any, exp_epsilon: Fraction) -> Term:
    """D of the shuffled messages; users: Q_0, Q_1, Q_*, and (r_i, R(x_i)) of each other user."""
    *letters, rest, others = users
    rows = [mixed((v * x, v * (1 - x), 1 - v), (*letters, rest)) for x in (a, 1 - a)]
    sent = [(2 + i, 1) for i in range(len(others))]
    view = shuffle_pair([*rows, *(row for _, row in others)], inputs=(0, 1), others=sent)
    return hockey_stick(view, exp_epsilon)


@quantity("(personal_apart {0} {1} {2})", name="counts")
def personal_apart(a: Fraction, users: Any, exp_epsilon: Fraction) -> Term:
    """D of the counts of both letters, C a sum of Bern(2 r_i)."""
    rows = [[a, 1 - a, 0], [1 - a, a, 0], *([r, r, 1 - 2 * r] for r, _ in users[3])]
    sent = [(2 + i, 1) for i in range(len(users[3]))]
    return hockey_stick(shuffle_pair(rows, inputs=(0, 1), others=sent), exp_epsilon)


def personalized(
    n: int, v: Any, a: Any, users: Any, exp_epsilon: Any, exp_epsilon0: Any, P: Any, Q: Any, S: Any
) -> list[Relation]:
    """Return the bound for any letters, such as the clones' and the positive parts."""
    most = v * personal_apart(a, users, exp_epsilon)
    laws = part(P, Q), part(Q, P), in_both(P, Q)
    one, two, both = (probability(law, S) for law in laws)
    weight = part_mass(P, Q)
    return [
        at_most(shuffled_apart(v, a, users, exp_epsilon), most),
        *two_letters(exp_epsilon0, P, Q, S),
        *(at_least(chance, 0) for chance in (one, two, both)),
        *(equal(total_mass(law), 1) for law in laws),
        equal(probability(P, S), weight * one + (1 - weight) * both),
        equal(probability(Q, S), weight * two + (1 - weight) * both),
    ]


def largest_ratio(P: Law, Q: Law) -> Fraction:
    """Return e^ε_1 of two positive laws."""
    return max(max(u / w, w / u) for u, w in zip(P, Q, strict=True))


def with_letters(n: int, _rows: Matrix) -> Iterator[tuple[Any, Fraction, Fraction]]:
    """Yield the users, v and a for the clones' letters of the first two rows, and for the parts."""
    u, w, other = _rows
    x = largest_ratio(u, w)
    for letters, v, a in (
        ((letter(x, u, w), letter(x, w, u), u), Fraction(1), x / (x + 1)),
        ((part(u, w), part(w, u), in_both(u, w)), part_mass(u, w), Fraction(1)),
    ):
        pairs = zip(*letters[:2], other, strict=True)
        r = min(m / (p + q) for p, q, m in pairs if p + q > 0)
        yield (*letters, ((r, other),) * (n - 1)), v, a


def by_test(rows: Matrix, n: int, exp_epsilon: Fraction) -> Relation:
    """Theorem 2 with the p_1 and p_i of Section 3.2."""
    return responses(Profile(rows, (n - 1,)), exp_epsilon)


def drawn_users(n: int) -> st.SearchStrategy[Any]:
    """Draw laws of two letters and the rest, and others that hold r_i of both letters."""
    law = probability_vectors(size=3)
    shares = st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 2)])
    others = st.tuples(*[st.tuples(shares, law)] * (n - 1))

    def made(laws: Any, found: Any) -> Any:
        sent = ((r, mixed((r, r, 1 - 2 * r), (*laws[:2], left))) for r, left in found)
        return (*laws, tuple(sent))

    return st.builds(made, st.tuples(law, law, law), others)


def holds_letters(users: Any) -> bool:
    """Return whether R(x_i) >= r_i (Q_0 + Q_1) for all others."""
    one, two, _, others = users
    return all(m >= r * (u + w) for r, row in others for u, w, m in zip(one, two, row, strict=True))


TRIALS["liu2024/repair/theorem-2"] = for_all(
    cases(
        _rows=lambda: [*different(3, 4), *leaky()],
        n=(2, 3),
        **{"users v a": with_letters},
        exp_epsilon=[Fraction(11, 10), Fraction(3, 2)],
        P=lambda _rows: [_rows[0]],
        Q=lambda _rows: [_rows[1]],
        exp_epsilon0=lambda P, Q: [largest_ratio(P, Q)],
        S=((0,),),
    ).within(
        n=integers(1, draws=3),
        v=reals(0, 1),
        a=reals(0, 1),
        users=objects(
            "laws of two letters, of what else the victim sends, and others' that hold r_i of both",
            drawn_users,
            condition=holds_letters,
            coq=("shared_letters", "holds_letters n {0}", "{k : nat}"),
            written=lambda users: coq_record(
                "shared_letters",
                *(("law nat", law) for law in users[:3]),
                ("list (R * law nat)", users[3]),
            ),
        ),
        exp_epsilon=reals(1),
        exp_epsilon0=reals(1),
        P=LAW,
        Q=OTHER_ROW,
        S=EVENT,
    ),
    personalized,
    wrong=for_all(ANY_ROWS, by_test),
    proof=theorem("liu2024_repair_theorem_2"),
)


@quantity("(failing_apart k {0} {1} {2})", name="shuffled")
def failing_apart(delta_1: Fraction, users: Sequence[Law], exp_epsilon: Fraction) -> Term:
    """D of the messages; users: R'_0, R'_1, L_0, L_1 and the others' laws."""
    rows = [mixed((1 - delta_1, delta_1), (users[b], users[2 + b])) for b in (0, 1)]
    sent = [(2 + i, 1) for i in range(len(users) - 4)]
    return hockey_stick(shuffle_pair((*rows, *users[4:]), inputs=(0, 1), others=sent), exp_epsilon)


def failing(n: int, delta_1: Any, users: Any, exp_epsilon: Any, share: int = 1) -> Relation:
    """δ <= δ_1 + (1 − δ_1) δ' if the victim fails with probability δ_1."""
    pure = (1 - delta_1) * failing_apart(0, users, exp_epsilon)
    return at_most(failing_apart(delta_1, users, exp_epsilon), delta_1 + pure if share else pure)


def telling_users(n: int) -> Iterator[tuple[Law, ...]]:
    """Yield victims who tell when they fail, else respond, among others who respond."""
    for ratio in (2, 5):
        victim = (telling(ratio, Fraction(d), x) for d in (0, 1) for x in (0, 1))
        yield (*victim, *[telling(2, Fraction(0), 0)] * (n - 1))


TRIALS["liu2024/repair/approximate-term"] = for_all(
    cases(
        n=(1, 2, 3),
        delta_1=(Fraction(1, 4), Fraction(1, 100)),
        users=telling_users,
        exp_epsilon=(Fraction(1), Fraction(3, 2), Fraction(3)),
    ).within(
        n=integers(1, draws=2),
        delta_1=reals(0, 1),
        users=objects(
            "laws of the victim, of failures, and of the others",
            lambda n: st.tuples(*[probability_vectors(size=3)] * (n + 3)),
            coq=("failing", "are_failing n {0}", "{k : nat}"),
            written=lambda users: coq_record(
                "failing",
                *(("law nat", law) for law in users[:4]),
                ("list (law nat)", users[4:]),
            ),
        ),
        exp_epsilon=reals(1),
    ),
    failing,
    wrong=partial(failing, share=0),
    proof=theorem("liu2024_approximate_term"),
)


def conversion(f_s: Any = bounds.trade_off_of_complement, **at: Any) -> Relation:
    """For any two sums (5) is 1 − f_s(α) − e^ε α with 1 − F_i in f_s."""
    given = {name: at[name] for name in ("alpha", "plus", "w", "delta_1")}
    value, x = formula(f_s, **given), at["exp_epsilon"]
    claimed = formula(bounds.conjugate_term, exp_epsilon=x, alpha=at["alpha"], value=value)
    return equal(formula(bounds.central_delta, exp_epsilon=x, **given), claimed)


HALF = Fraction(1, 2)

TRIALS["liu2024/repair/equation-5"] = for_all(
    cases(
        alpha=(HALF, Fraction(1)),
        plus=(HALF / 2, Fraction(1)),
        w=(Fraction(0), HALF / 2),
        delta_1=(Fraction(0), HALF / 5),
        exp_epsilon=(Fraction(1), 5 * HALF),
    ).within(
        alpha=reals(0, 1),
        plus=reals(0, 1),
        w=reals(0, HALF),
        delta_1=reals(0, 1),
        exp_epsilon=reals(1),
    ),
    conversion,
    wrong=partial(conversion, f_s=bounds.trade_off),
    proof=in_numbers(text="the claim itself, for any two sums α and Σ w_i F_i"),
)

FORMULAS = cases(
    _n=(2, 3, 1),
    _p=(Fraction(1, 3), Fraction(0), Fraction(1, 2)),
    others=lambda _n, _p: [(_p,) * (_n - 1)],
    w=(Fraction(1, 4), Fraction(2, 5), Fraction(0)),
    delta_1=(Fraction(0), Fraction(1, 10)),
    exp_epsilon=(Fraction(1), Fraction(5, 2)),
    t=lambda _n: breakpoints(_n),
).within(
    others=OTHERS,
    t=reals(0),
    w=reals(0, below=Fraction(1, 2)),
    delta_1=reals(0, below=1),
    exp_epsilon=reals(1),
)


@quantity("type_one_above {0} {1}", name="plus")
def plus_of(others: Sequence[Fraction], t: Fraction) -> Term:
    """Return Σ w_i F_i(i + 1 − (i + 1)/(t + 1)), for these p_i."""
    return sums(counted(others), t)[1]


def best_t(others: Any, t: Any, factor: int = 1, **given: Any) -> Relation:
    """(5) is largest at t = (1 − δ_1)(1 − 2w)/(e^ε − 2w(1 − δ_1) − δ_1)."""
    best = bounds.best_t(None, **given)

    def five(t: Any) -> Term:
        at = {"alpha": alpha_of(others, t), "plus": plus_of(others, t), **given}
        return formula(bounds.central_delta, **at)

    return at_most(five(t), five(best if factor == 1 else factor * best))


TRIALS["liu2024/repair/t_epsilon"] = for_all(
    FORMULAS,
    best_t,
    wrong=partial(best_t, factor=3),
    proof=theorem("liu2024_best_t"),
)
