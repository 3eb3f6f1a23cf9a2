"""Section 4.4.1: Lemma 5, the displays of its proof, and the relaxed condition (20).

With C the cumulative distribution of f(D_{-i}), an integer, and s = p or q:

    F_{X|S}(x) = (1 − s) C(x) + s C(x − 1),

so that all displays are identities in p, q and neighboring values of C. A display is a
function of :class:`~proofs_check.ding2025.bernoulli_user.Parts` and x', written once for
terms and for symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from hypothesis import strategies as st

from exactdp.audit.algebra import follows, vanishes
from exactdp.claims import (
    Cases,
    Falls,
    Relation,
    Said,
    Statement,
    Step,
    above,
    at_least,
    at_most,
    below,
    cases,
    checked,
    equal,
    for_all,
    function,
    lemma,
    proof,
    term,
    words,
)
from proofs_check.ding2025.bernoulli_user import (
    BASES,
    INTEGER,
    LESS,
    Parts,
    alphabet,
    drawn_users,
    in_order,
    parts,
    symbolic,
    users,
)
from proofs_check.ding2025.law import bernoulli, laws_on, sum_of
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.steps import MIXED
from proofs_check.ding2025.systems import GROWTHS, Rest, drawn_pairs, pairs
from proofs_check.ding2025.trials.section_2 import BY_20, PROPOSITION_1, relaxed
from proofs_check.ding2025.trials.section_4_1 import plan_figure

__all__ = ["TRIALS", "Display", "display", "lemma_5", "said", "same_symbols"]


# --- Lemma 5 --------------------------------------------------------------------------------


def one_over_epsilon(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction, powers: tuple[int, int] = (1, 1)
) -> Relation:
    """Noise of scale 1/ε attains ε on (s_P, s_Q), P and Q Bernoulli, whatever the rest.

    With b for exp_epsilon and ``powers`` = (m, n) it is e^ε = b^m and e^{1/θ} = b^n; the print
    has m = n = 1.
    """
    m, n = powers
    return at_most(parts(p, q, others).x.worst_ratio(exp_epsilon**n), exp_epsilon**m)


def lemma_5(over: Cases, wrong: tuple[int, int] = (9, 10)) -> Statement:
    """Return Lemma 5 over these cases."""
    return for_all(
        over,
        one_over_epsilon,
        wrong=partial(one_over_epsilon, powers=wrong),
        proof=proof(
            "all p, q, eps > 0, all other users",
            lemma("ding2025/proposition-1", PROPOSITION_1, "a plan on {0, 1} moves mass by 1"),
            MIXED,
        ),
    )


# --- displays -------------------------------------------------------------------------------

Display = Callable[[Parts, int], Sequence[Any]]
"""The sides of a chain of equations at x'; a tuple as side is several equations."""


def each(side: Any) -> tuple[Any, ...]:
    """Return the expressions of a side."""
    return side if isinstance(side, tuple) else (side,)


def said(
    display: Display,
    p: Fraction,
    q: Fraction,
    others: Rest,
    defined: Callable[[Rest, int], bool] = lambda others, x: True,
) -> Said:
    """All sides of a display agree at every integer x' where it is defined."""
    found = parts(p, q, others)
    claimed = []
    for x in found.places:
        if defined(others, x):
            first, *more = map(each, display(found, x))
            claimed += [equal(a, b) for side in more for a, b in zip(first, side, strict=True)]
    return Said(claimed, lambda: in_order(p, q) if p != q else [])


def same_symbols(order: str, display: Display) -> Step:
    """Return the step that a display is an identity in p, q and the masses of f(D_{-i})."""

    def check() -> bool:
        first, *more = map(each, display(symbolic(order), 0))
        sides = [(a, b) for side in more for a, b in zip(first, side, strict=True)]
        return any(a != b for a, b in sides) and all(vanishes(a - b) for a, b in sides)

    return checked(
        "F_X|S(x) = (1-s) C(x) + s C(x-1), s = p or q, makes it an identity in p, q and the "
        "masses of f(D_-i)",
        check,
    )


def shift_minus_one(t: Parts, x: int, p: str = "p", q: str = "q") -> Sequence[Any]:
    """F_P(x) − F_Q(x−1)."""
    a, b = getattr(t, p), getattr(t, q)
    return t.f("p", x) - t.f("q", x - 1), (1 - a) * t.g(x) + b * t.g(x - 1)


def shift_plus_one(t: Parts, x: int, p: str = "p", q: str = "q") -> Sequence[Any]:
    """F_P(x) − F_Q(x+1)."""
    a, b = getattr(t, p), getattr(t, q)
    return t.f("p", x) - t.f("q", x + 1), -a * t.g(x) - (1 - b) * t.g(x + 1)


def display(
    shown: Display, sign: Callable[..., Relation], p: Fraction, q: Fraction, others: Rest
) -> Said:
    """A display of the proof, and the sign of its left side."""
    found = parts(p, q, others)
    signs = [sign(shown(found, x)[0], 0) for x in found.places]
    return Said([*said(shown, p, q, others).relations, *signs])


def of_proof(shown: Callable[..., Sequence[Any]], sign: Callable[..., Relation]) -> Statement:
    """Return a display of the proof of Lemma 5; its variant exchanges p and q on the right."""
    exchanged = partial(shown, p="q", q="p")
    return for_all(
        users(rests=INTEGER),
        partial(display, shown, sign),
        wrong=partial(said, exchanged),
        proof=proof(
            "all p, q, all integer-valued f(D_-i)",
            same_symbols(LESS, shown),
            follows(
                "(1-p) g + q h >= 0 as p <= 1, and p g + (1-q) h likewise",
                "p q g h",
                lambda p, q, g, h: (1 - p) * g + q * h,
                lambda p, q, g, h: [(g, 1 - p), (h, q)],
            ),
        ),
    )


def equation_19(
    p: Fraction, q: Fraction, others: Rest, *, everywhere: bool = False, factor: int = 1
) -> Said:
    """(19) at x with Pr(f(D_{-i}) = x) > 0, or at every x of the alphabet of X."""
    found, total = parts(p, q, others), sum_of(others)
    places = sorted({int(x) + d for x in alphabet(others) for d in (0, 1)})
    claimed, sign = [], below if p > q else above if p < q else equal
    for x in places:
        if everywhere or total[x]:
            left = found.f("p", x) - found.f("q", x)
            claimed += [
                equal(left, found.g(x) * ((1 - term(p)) - (1 - term(q)))),
                equal(left, found.g(x) * (factor * (term(q) - p))),
                sign(left, 0),
            ]
    return Said(claimed, lambda: in_order(p, q) if p != q else [])


def difference_19(t: Parts, x: int) -> Sequence[Any]:
    """F_P(x) − F_Q(x)."""
    return (
        t.f("p", x) - t.f("q", x),
        t.g(x) * ((1 - t.p) - (1 - t.q)),
        t.g(x) * (t.q - t.p),
    )


class Users(tuple[tuple[Fraction, Fraction], ...]):
    """(p_i, q_i) for each user."""

    __slots__ = ()

    def __str__(self) -> str:
        return "; ".join(f"({p}, {q})" for p, q in self)


def sup_is(claimed: int, users: Users) -> list[Relation]:
    """sup Δ* of (25) over all users, and of (17), is 1; the others of user i follow P_j."""
    of_x, of_user = [], []
    places = [Fraction(x) for x in range(len(users) + 1)]
    for i, (p, q) in enumerate(users):
        own = LinePair.of(bernoulli(p), bernoulli(q), name=f"own_{i + 1}", points=(0, 1))
        others = Rest(bernoulli(s) for j, (s, _) in enumerate(users) if j != i)
        beside = own.beside(sum_of(others), name=f"X_{i + 1}") if others else own
        of_x.append(beside.largest_shift(Shifts.INTEGERS, places))
        of_user.append(own.largest_shift(Shifts.INTEGERS, own.points))
    return [equal(function("max", *of_x), claimed), equal(function("max", *of_user), claimed)]


def of_users(grid: Sequence[Fraction]) -> list[Users]:
    """Return one user with p, q on quarters, then two on a grid."""
    quarters = [Fraction(k, 4) for k in range(5)]
    pairs = list(product(grid, grid))
    return [Users([two]) for two in product(quarters, quarters)] + [
        Users(two) for two in product(pairs, pairs)
    ]


def some_differ(users: Users) -> bool:
    """Whether P_i and Q_i are distinct for some user."""
    return any(p != q for p, q in users)


HALVES = [Fraction(k, 2) for k in range(3)]
USERS = cases(users=of_users(HALVES)).deep(users=of_users([Fraction(k, 4) for k in range(5)]))


def drawn_chances() -> Any:
    """Return a strategy for up to four users."""
    chance = st.integers(0, 30).map(lambda k: Fraction(k, 30))
    many = st.lists(st.tuples(chance, chance), min_size=1, max_size=4).map(Users)
    return many.filter(some_differ).map(lambda users: {"users": users})


def one_step_right(t: Parts, x: int) -> Sequence[Any]:
    """F_Q(x+1) − F_P(x)."""
    return t.f("q", x + 1) - t.f("p", x), t.p * t.g(x) + (1 - t.q) * t.g(x + 1)


# --- (20) -----------------------------------------------------------------------------------


def equation_20(P: Any, Q: Any, growth: Fraction, *, averaged: bool = False) -> Relation:
    """(20) for the plan (6) of (s_i, s_j) gives both inequalities of (1).

    E is the least that (20) allows, so that the claim is tried where it is tightest. The
    variant takes the average over x' too.
    """
    pair = LinePair.of(P, Q)
    claimed = relaxed(pair, pair.plan, growth)
    if averaged:
        cells = product(pair.points, repeat=2)
        claimed = function("add", *(pair.plan(x, z) * growth ** int(abs(x - z)) for x, z in cells))
    return at_most(pair.worst_ratio(growth), claimed)


TRIALS = {
    "ding2025/lemma-5": {
        "": lemma_5(
            users(rests=INTEGER, bases=BASES[:2]).drawn(drawn_users(binary=False, bases=BASES))
        )
    },
    "ding2025/equation-19": {
        "a": for_all(
            users(rests=INTEGER),
            equation_19,
            wrong=partial(equation_19, factor=-1),
            proof=proof(
                "all p, q, all integer-valued f(D_-i), Pr(f(D_-i)=x) > 0",
                same_symbols(LESS, difference_19),
            ),
        ),
        "b": for_all(users(rests=INTEGER), partial(equation_19, everywhere=True), falls=Falls.STEP),
    },
    "ding2025/lemma-5/proof/shift-minus-one": {"": of_proof(shift_minus_one, at_least)},
    "ding2025/lemma-5/proof/shift-plus-one": {"": of_proof(shift_plus_one, at_most)},
    "ding2025/lemma-5/proof/sup-one": {
        "a": for_all(USERS, partial(sup_is, 1), falls=Falls.STEP),
        "b": for_all(
            USERS.where(some_differ).drawn(drawn_chances),
            partial(sup_is, 1),
            wrong=partial(sup_is, 2),
            proof=proof(
                "all Bernoulli P_i, Q_i, distinct for some i",
                same_symbols(LESS, difference_19),
                same_symbols(LESS, one_step_right),
                same_symbols(LESS, shift_minus_one),
                words(
                    "p < q: F_P(x) - F_Q(x) = (q-p) G(x) is positive at some x, and F_Q(x+1) - "
                    "F_P(x) = p G(x) + (1-q) G(x+1) >= 0, so Delta* is 1 where it is not 0; p > q "
                    "mirrored, with F_P(x) - F_Q(x-1) = (1-p) G(x) + q G(x-1) >= 0; (17) is the "
                    "case without others"
                ),
            ),
        ),
    },
    "ding2025/equation-20": {
        "": for_all(
            cases(
                _pair=lambda: [*pairs(), *product(list(laws_on((0, 1, 4), 2)), repeat=2)],
                P=lambda _pair: _pair[:1],
                Q=lambda _pair: _pair[1:],
                growth=GROWTHS[:1],
            ).drawn(drawn_pairs(growth=GROWTHS)),
            equation_20,
            wrong=partial(equation_20, averaged=True),
            proof=BY_20,
        )
    },
    "ding2025/figure-7": {
        "": plan_figure(
            bernoulli("1/5"), bernoulli("9/10"), distance=1, by_theorem=1, less="distance"
        )
    },
}
