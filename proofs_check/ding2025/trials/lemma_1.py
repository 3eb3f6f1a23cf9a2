"""Appendix A: Lemma 1 and Proposition 2, on alphabets with and without gaps.

What the plan (6) moves is read off its joint distribution function min{F_p(x), F_q(y)}:

    π*(X <= x, X' > y) = F_p(x) − min{F_p(x), F_q(y)} = max(0, F_p(x) − F_q(y)),

and likewise for X > x, X' <= y. So on consecutive integers mass moves right by d or more
exactly if F_p(x) > F_q(x + d − 1) for some x, which is Δ*(x) >= d in the second case of (25);
and left by d or more exactly if F_q(x − d + 1) > F_p(x), which is Δ*(x) >= d in the third. If
the alphabet has gaps, the third case stops short: it looks for Δ from a point of the alphabet,
while the mass that moves left starts at the next point above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import lcm
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import (
    Cases,
    Effort,
    Falls,
    Proof,
    Relation,
    Statement,
    Term,
    at_most,
    cases,
    equal,
    for_all,
    lemma,
    proof,
    term,
    value,
    words,
)
from exactdp.numbers import Exact
from proofs_check.ding2025.law import Law, drawn_law, laws_on
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.steps import CROSSING
from proofs_check.ding2025.systems import Rest
from proofs_check.ding2025.trials.section_2 import PROPOSITION_1

__all__ = [
    "BASES",
    "CONSECUTIVE",
    "INTEGERS",
    "INTEGER_GAPS",
    "LEMMA_1",
    "REALS",
    "REAL_GAPS",
    "SYMMETRIC",
    "TRIALS",
    "Alphabets",
    "Largest",
    "Points",
    "attains",
    "drawn_laws",
    "moves",
    "over",
    "symmetric",
]

BASES = tuple(Fraction(v) for v in ("2", "3/2", "10/9", "7"))


class Points(tuple[Fraction, ...]):
    """An alphabet, printed as a set."""

    __slots__ = ()

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"


Laws = tuple[Points, Law, Law]
"""An alphabet and two laws on it."""

Alphabets = Callable[[Effort], Iterator[Laws]]
"""Laws on alphabets of a kind."""


def _with_gaps(grid: Sequence[str]) -> Alphabets:
    """Return pairs of laws on sets of up to three points of a grid."""
    points = [Fraction(x) for x in grid]
    chosen = [Points(sorted(c)) for size in (1, 2, 3) for c in combinations(points, size)]

    def found(effort: Effort) -> Iterator[Laws]:
        for denominator, alphabet in product(range(1, 6 if effort is Effort.DEEP else 4), chosen):
            for p, q in product(list(laws_on(alphabet, denominator)), repeat=2):
                yield alphabet, p, q

    return found


def CONSECUTIVE(effort: Effort) -> Iterator[Laws]:  # noqa: N802 - as the other kinds
    """Yield pairs of laws on 0, ..., n − 1."""
    sizes = {1: 1, 2: 5, 3: 4, 4: 2}
    if effort is Effort.DEEP:
        sizes = {1: 1, 2: 12, 3: 7, 4: 5, 5: 3}
    for n, largest in sizes.items():
        for denominator in range(1, largest + 1):
            for p, q in product(list(laws_on(range(n), denominator)), repeat=2):
                yield Points(map(Fraction, range(n))), p, q


INTEGER_GAPS = _with_gaps(["0", "1", "2", "3"])
REAL_GAPS = _with_gaps(["0", "1", "2", "1/2"])


def over(alphabets: Alphabets, **more: Any) -> Cases:
    """Return laws P and Q on X, with more variables."""
    return cases(
        _laws=lambda: alphabets(Effort.DEFAULT),
        X=lambda _laws: _laws[:1],
        P=lambda _laws: _laws[1:2],
        Q=lambda _laws: _laws[2:],
        **more,
    ).deep(_laws=lambda: alphabets(Effort.DEEP))


def drawn_laws(gaps: Sequence[str] = ("1",), name: str = "X", **more: Any) -> Callable[[], Any]:
    """Return a strategy for two laws on up to six points with these gaps, and for more."""

    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, Any]:
        points = [Fraction(0)]
        for _ in range(draw(st.integers(0, 5))):
            points.append(points[-1] + draw(st.sampled_from([Fraction(g) for g in gaps])))
        laws = {side: draw(drawn_law(points)) for side in "PQ"}
        return {name: Points(points), **laws, **{k: draw(v) for k, v in more.items()}}

    return drawn


# --- Lemma 1 --------------------------------------------------------------------------------

Largest = Callable[[LinePair, Points], Term]
"""What stands for sup over x of Δ*(x)."""


def printed(shifts: Shifts) -> Largest:
    """sup over x of Δ*(x) of (25)."""
    return lambda pair, alphabet: pair.largest_shift(shifts, alphabet)


INTEGERS, REALS = printed(Shifts.INTEGERS), printed(Shifts.REALS)


def symmetric(pair: LinePair, alphabet: Points) -> Term:
    """The largest symmetric shift, which mends Lemma 1."""
    return pair.symmetric_shift(alphabet)


def one_sided(pair: LinePair, alphabet: Points) -> Term:
    """The symmetric form without its second half."""
    return pair.symmetric_shift(alphabet, sides="p")


def lemma_1(largest: Largest, X: Points, P: Law, Q: Law) -> Relation:
    """The largest distance of the plan is sup over x of Δ*(x)."""
    pair = LinePair.of(P, Q, points=X)
    return equal(largest(pair, X), pair.farthest())


LEMMA_1 = proof(
    "all laws on finitely many consecutive integers",
    CROSSING,
    words(
        "so mass moves right by >= d iff F_i(x) > F_j(x+d-1) for some x, that is Delta*(x) >= d in "
        "the second case; mirrored, mass moves left by >= d iff F_j(x-d+1) > F_i(x), that is "
        "Delta*(x) >= d in the third"
    ),
)

SYMMETRIC = proof(
    "all laws on finite sets of reals",
    CROSSING,
    words(
        "pi*(X <= x, X' >= z) = max(0, F_i(x) - F_j(z-)), so min{Delta >= 0: F_i(x) <= "
        "F_j(x+Delta)} is how far beyond x the mass of (-inf, x] reaches; the largest over x is "
        "the largest x'-x of the plan, found at x of that pair; exchange i and j for x-x'"
    ),
)


# --- Proposition 2 --------------------------------------------------------------------------


def attains(
    largest: Largest,
    alphabet: Points,
    own: LinePair,
    others: Rest,
    base: Fraction,
    powers: tuple[int, int] = (1, 1),
) -> Relation:
    """Noise with θ = sup Δ* / ε attains ε, alone or beside others.

    With u the lattice step, e^{u/θ} = base^b and e^ε = base^{a sup Δ*/u} for
    θ = (a/b) sup Δ* / ε, ``powers`` = (a, b). The print has a = b = 1.
    """
    a, b = powers
    points = [*alphabet, *(x for law in others for x in law.points)]
    unit = Fraction(1, lcm(*(x.denominator for x in points)))
    exponent = largest(own, alphabet) * (a / unit)
    return at_most(others.beside(own).worst_ratio(base**b, unit), term(base) ** exponent)


def proposition_2(
    largest: Largest,
    X: Points,
    P: Law,
    Q: Law,
    base: Fraction,
    powers: tuple[int, int] = (1, 1),
) -> Relation:
    """Noise with θ = sup Δ* / ε attains ε."""
    return attains(largest, X, LinePair.of(P, Q, points=X), Rest(), base, powers)


def moves(largest: Largest, alphabet: Points, P: Law, Q: Law) -> bool:
    """Whether sup Δ* is above 0: θ = 0 is no Laplace noise."""
    if largest is not REALS:
        return P != Q
    return value(largest(LinePair.of(P, Q, points=alphabet), alphabet)) != Exact(0)


def mechanism(
    largest: Largest,
    alphabets: Alphabets,
    *,
    gaps: Sequence[str] = (),
    lemma_1: Proof | None = None,
) -> Statement:
    """Return Proposition 2 with this sup Δ*; with a proof of Lemma 1 it stands."""

    def noisy(X: Points, P: Law, Q: Law) -> bool:
        return moves(largest, X, P, Q)

    found = over(alphabets, base=BASES[:1]).where(noisy)
    says = partial(proposition_2, largest)
    if lemma_1 is None:
        return for_all(found, says, falls=Falls.RESULT)
    drawn = drawn_laws(gaps, base=st.sampled_from(BASES))
    return for_all(
        found.drawn(lambda: drawn().filter(lambda at: noisy(at["X"], at["P"], at["Q"]))),
        says,
        wrong=partial(says, powers=(2, 3)),
        proof=proof(
            f"{lemma_1.domain}, eps > 0, one pair of secrets or the largest theta of many",
            lemma("ding2025/lemma-1", lemma_1, "sup Delta* is the plan's largest distance"),
            lemma("ding2025/proposition-1", PROPOSITION_1, "theta is that distance over eps"),
        ),
    )


TRIALS = {
    "ding2025/lemma-1": {
        "a": for_all(over(INTEGER_GAPS), partial(lemma_1, INTEGERS), falls=Falls.STEP),
        "b": for_all(over(REAL_GAPS), partial(lemma_1, REALS), falls=Falls.STEP),
        "c": for_all(
            over(CONSECUTIVE).drawn(drawn_laws()),
            partial(lemma_1, INTEGERS),
            wrong=partial(lemma_1, one_sided),
            proof=LEMMA_1,
        ),
    },
    "ding2025/proposition-2": {
        "a": mechanism(INTEGERS, INTEGER_GAPS),
        "b": mechanism(REALS, REAL_GAPS),
        "c": mechanism(INTEGERS, CONSECUTIVE, gaps=("1",), lemma_1=LEMMA_1),
    },
    "ding2025/repair/lemma-1": {
        "": for_all(
            over(REAL_GAPS).drawn(drawn_laws(("1", "1/2", "5/3"))),
            partial(lemma_1, symmetric),
            wrong=partial(lemma_1, one_sided),
            proof=SYMMETRIC,
        )
    },
    "ding2025/repair/proposition-2": {
        "": mechanism(symmetric, REAL_GAPS, gaps=("1", "1/2", "5/3"), lemma_1=SYMMETRIC)
    },
}
