"""Appendix A: Lemma 1 and Proposition 2, on alphabets with and without gaps.

What the plan (6) moves is read off its joint distribution function min{F_p(x), F_q(y)}:

    π*(X <= x, X' > y) = F_p(x) − min{F_p(x), F_q(y)} = max(0, F_p(x) − F_q(y)),

and likewise for X > x, X' <= y. So on consecutive integers mass moves right by d or more
exactly if F_p(x) > F_q(x + d − 1) for some x, which is Δ*(x) >= d in the second case of (25);
and left by d or more exactly if F_q(x − d + 1) > F_p(x), which is Δ*(x) >= d in the third. If
the alphabet has gaps, the third case stops short: it looks for Δ from a point of the alphabet,
while the mass that moves left starts at the next point above.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate, combinations, product
from math import lcm
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Effort, Statement
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.kinds import Objects, Sort, objects
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, term
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.law import Law, Rest, drawn_law, fractions, laws_on
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.quantities import (
    Secrets,
    farthest,
    power,
    shift_of_pairs,
    symmetric_shift,
    worst_of_pairs,
)
from proofs_check.ding2025.systems import ANOTHER_LAW, KINDS, everywhere
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


class Points(tuple[Fraction, ...]):
    """An alphabet, printed as a set."""

    __slots__ = ()

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"


Laws = tuple[Points, Law, Law]
"""An alphabet and two laws on it."""

Alphabets = Callable[[Effort], Iterator[Laws]]
"""Laws on alphabets of a kind."""


def _with_gaps(grid: str) -> Alphabets:
    """Return pairs of laws on sets of up to three points of a grid."""
    chosen = [Points(sorted(c)) for n in (1, 2, 3) for c in combinations(fractions(grid), n)]

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


INTEGER_GAPS = _with_gaps("0 1 2 3")
REAL_GAPS = _with_gaps("0 1 2 1/2")


ALPHABET = objects("a finite set of reals", coq=("list R", "", ""))


def law_on(name: str) -> Objects:
    """Return the laws on an alphabet of this name, as a kind."""
    return objects("a law on it", coq=("law R", f"on {name} {{0}}", ""))


def kind_of(alphabets: Alphabets) -> Sort:
    """Return the kinds of an alphabet."""
    if alphabets is not CONSECUTIVE:
        return ALPHABET
    return objects("a set of consecutive integers", coq=("list R", "consecutive {0}", ""))


def over(alphabets: Alphabets, **more: Any) -> Cases:
    """Return laws P and Q on X, with more variables."""
    found = cases(**{"X P Q": lambda: alphabets(Effort.DEFAULT)}, **more)
    x = objects("a point of X", lambda X: st.sampled_from(X), condition=lambda X, x: x in X)
    kinds = {"X": kind_of(alphabets), **dict.fromkeys("PQ", law_on("X")), "x": x}
    return everywhere(found.deep(**{"X P Q": lambda: alphabets(Effort.DEEP)}), **kinds)


def drawn_laws(gaps: str = "1", name: str = "X", **more: Any) -> Callable[[], Any]:
    """Return a strategy for two laws on up to six points with these gaps, and for more."""

    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, Any]:
        steps = draw(st.lists(st.sampled_from(fractions(gaps)), max_size=5))
        points = Points(accumulate(steps, initial=Fraction(0)))
        laws = {side: draw(drawn_law(points)) for side in "PQ"}
        return {name: points, **laws, **{k: draw(v) for k, v in more.items()}}

    return drawn


Largest = Callable[[LinePair, Sequence[Fraction]], Term]
"""What stands for sup over x of Δ*(x)."""

INTEGERS = partial(LinePair.largest_shift, over=Shifts.INTEGERS)
REALS = partial(LinePair.largest_shift, over=Shifts.REALS)

ONE_SIDED = partial(LinePair.symmetric_shift, sides="p")


@quantity("largest_shift {0} {1} {2}", name="sup_Delta")
def largest_shift(X: Points, P: Law, Q: Law) -> Term:
    """Return sup over X of Δ*(x), over the positive integers."""
    return INTEGERS(LinePair.of(P, Q, points=X), X)


@quantity("largest_shift_of_pairs {0} {1}", name="sup_Delta_of_pairs")
def largest_shift_of_pairs(X: Points, S: Secrets) -> Term:
    """Return the largest of them over S."""
    found = [LinePair.of(*two, name=f"X_{i}", points=X) for i, two in enumerate(S)]
    return function("max", *(INTEGERS(pair, X) for pair in found))


def lemma_1(largest: Largest, X: Points, P: Law, Q: Law) -> Relation:
    """The largest distance of the plan is sup over x of Δ*(x)."""
    pair = LinePair.of(P, Q, points=X)
    return equal(largest(pair, X), pair.farthest())


TRIALS["ding2025/lemma-1"] = {
    "a": for_all(over(INTEGER_GAPS), partial(lemma_1, INTEGERS), falls=Falls.STEP),
    "b": for_all(over(REAL_GAPS), partial(lemma_1, REALS), falls=Falls.STEP),
    "c": for_all(
        over(CONSECUTIVE).drawn(drawn_laws()),
        lambda X, P, Q: equal(largest_shift(X, P, Q), farthest(P, Q)),
        wrong=partial(lemma_1, ONE_SIDED),
        proof=theorem("ding2025_lemma_1"),
    ),
}


TRIALS["ding2025/repair/lemma-1"] = for_all(
    over(REAL_GAPS).drawn(drawn_laws("1 1/2 5/3")),
    lambda X, P, Q: equal(symmetric_shift(X, P, Q), farthest(P, Q)),
    wrong=partial(lemma_1, ONE_SIDED),
    proof=theorem("ding2025_repair_lemma_1"),
)

BASES = tuple(fractions("2 3/2 10/9 7"))


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Proposition 2 or Theorem 4, where it falls: noise with θ = sup Δ* / ε attains ε.

    Attributes:
        alphabet: What the alphabet is called.
        name: What the pair of laws on it is called.
        rests: The other users.
    """

    alphabet: str
    name: str
    rests: tuple[Rest, ...]

    def attains(self, largest: Largest, **at: Any) -> Relation:
        """With u the lattice step, e^{u/θ} = base and e^ε = base^{sup Δ*/u}."""
        alphabet, others = at[self.alphabet], at.get("others", Rest())
        own = LinePair.of(at["P"], at["Q"], name=self.name, points=alphabet)
        points = [*alphabet, *(x for law in others for x in law.points)]
        unit = Fraction(1, lcm(*(x.denominator for x in points)))
        claimed = term(at["base"]) ** (largest(own, alphabet) * (1 / unit))
        return at_most(own.beside(*others).worst_ratio(at["base"], unit), claimed)

    def with_largest(self, largest: Largest, alphabets: Alphabets) -> Statement:
        """Return the statement with this sup Δ*.

        Pairs of laws are tried alone, and every fifth of them beside others.
        """

        def moves(**at: Any) -> bool:
            """Return whether sup Δ* is above 0: θ = 0 is no Laplace noise."""
            alphabet, P, Q = (at[name] for name in laws.split())
            if largest is not REALS:
                return bool(P != Q)
            return exact_value(largest(LinePair.of(P, Q, points=alphabet), alphabet)) != 0

        def some(effort: Effort) -> Callable[[Rest], list[Laws]]:
            return lambda others: list(alphabets(effort))[:: 5 if others else 1]

        laws, more = f"{self.alphabet} P Q", ["others"] if any(self.rests) else []
        over = cases(others=self.rests, **{laws: some(Effort.DEFAULT)}, base=BASES[:1])
        over = over.deep(**{laws: some(Effort.DEEP)}).where(moves)
        over = over.printed(" ".join([laws, *more, "base"]))
        kinds = {self.alphabet: kind_of(alphabets), "P": law_on(self.alphabet), "Q": ANOTHER_LAW}
        return for_all(
            everywhere(over, **kinds), partial(self.attains, largest), falls=Falls.RESULT
        )


PROPOSITION_2 = Mechanism("X", "X", (Rest(),))


def on_alphabets(name: str, alphabets: Alphabets = INTEGER_GAPS, **more: Any) -> Cases:
    """Return pairs of laws on an alphabet, with more variables; growth last."""

    def some(effort: Effort) -> list[tuple[Points, Secrets]]:
        found = [(X, (P, Q)) for X, P, Q in alphabets(effort) if P != Q]
        return [(X, Secrets([two])) for X, two in found]

    laws = f"{name} S"
    return cases(**{laws: lambda: some(Effort.DEFAULT)}, **more, growth=BASES[:1]).deep(
        **{laws: lambda: some(Effort.DEEP)}
    )


def of_alphabet(name: str, alphabets: Alphabets = INTEGER_GAPS) -> dict[str, Sort]:
    """Return the kinds of an alphabet, of pairs of laws on it, and of growth."""
    both = rf"Forall (fun two => on {name} (fst two) /\ on {name} (snd two)) {{0}}"
    pairs = objects("pairs of laws on it", coq=("list (law R * law R)", both, ""))
    return {name: kind_of(alphabets), "S": pairs, "growth": KINDS["growth"]}


def drawn_on_alphabets(name: str, gap: int = 5, **more: Any) -> Callable[[], Any]:
    """Return a strategy for up to two pairs of laws on an alphabet, and for more."""

    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, Any]:
        steps = draw(st.lists(st.integers(1, gap), max_size=4))
        points = Points(accumulate(map(Fraction, steps), initial=Fraction(0)))
        two = st.tuples(drawn_law(points), drawn_law(points))
        pairs = Secrets(draw(st.lists(two, min_size=1, max_size=2)))
        growth = draw(st.sampled_from(BASES))
        return {name: points, "S": pairs, **{k: draw(v) for k, v in more.items()}, "growth": growth}

    return drawn


def on_integers(X: Points, S: Secrets, growth: Fraction, less: int = 0) -> Relation:
    """Noise with θ = max sup Δ* / ε attains ε, X consecutive integers."""
    most = largest_shift_of_pairs(X, S) - less if less else largest_shift_of_pairs(X, S)
    return at_most(worst_of_pairs(S, growth), power(growth, most))


TRIALS["ding2025/proposition-2"] = {
    "a": PROPOSITION_2.with_largest(INTEGERS, INTEGER_GAPS),
    "b": PROPOSITION_2.with_largest(REALS, REAL_GAPS),
    "c": for_all(
        on_alphabets("X", CONSECUTIVE)
        .within(**of_alphabet("X", CONSECUTIVE))
        .drawn(drawn_on_alphabets("X", 1)),
        on_integers,
        wrong=partial(on_integers, less=1),
        proof=theorem("ding2025_proposition_2"),
    ),
}


def mended(X: Points, S: Secrets, growth: Fraction, less: int = 0) -> Relation:
    """Noise with θ = sup Δ / ε attains ε, Δ symmetric in the two laws of each pair."""
    most = shift_of_pairs(X, S) - less if less else shift_of_pairs(X, S)
    return at_most(worst_of_pairs(S, growth), power(growth, most))


TRIALS["ding2025/repair/proposition-2"] = for_all(
    on_alphabets("X").within(**of_alphabet("X")).drawn(drawn_on_alphabets("X")),
    mended,
    wrong=partial(mended, less=1),
    proof=theorem("ding2025_repair_proposition_2"),
)
