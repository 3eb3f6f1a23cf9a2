"""Systems with one Bernoulli user: the laws of X, ψ and the ranges of x in (21), as terms.

The user reports 1 with probability p or q; the rest report independently of that, and G is the
law of their sum f(D_{-i}). Claims that say "all users binary" get Bernoulli rests, those that
say "integer-valued" also rests on integers with gaps.

Definitions: :class:`Range`, :class:`Parts`, :func:`differ`, :func:`drawn_users`, :func:`growth`,
:func:`infinite`, :func:`meeting`, :func:`near`, :func:`parts`, :func:`places`,
:func:`some_quotient`, :func:`users`, :func:`values`, and the quantities
:func:`growth_of_alphabet`, :func:`growth_of_proof`, :func:`growth_over`, :func:`largest_divisor`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any

from exactdp.claims import (
    Cases,
    Relation,
    Term,
    above,
    at_most,
    below,
    cases,
    differs,
    equal,
    function,
    term,
    total,
)
from exactdp.claims.kinds import Sort, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.numbers import Exact
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.ding2025.bounds import psi
from proofs_check.ding2025.law import Rest, bernoulli, drawn_law, fractions, law, sum_of
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.systems import CHANCE, everywhere

BASES = tuple(fractions("2 3/2 11/10 10"))
"""Values of e^ε."""

LESS, MORE = "p < q", "p > q"

BINARY = tuple(
    Rest(map(bernoulli, chances.split()))
    for chances in ("", "1/2", "2/3", "1/3", "9/10", "1", "0", "1/2 1/2", "1/4 3/4", "0 9/10")
)
"""All users binary."""

INTEGER = (
    *BINARY,
    Rest((law({0: "1/2", 2: "1/2"}),)),
    Rest((law({-1: "1/3", 2: "2/3"}),)),
    Rest((law({0: "1/10", 1: "1/10", 2: "4/5"}),)),
)
"""f(D_{-i}) an integer, perhaps with gaps."""


IN_ORDER: dict[str | None, dict[str, Sort]] = {
    LESS: {"p": reals(0, below=1), "q": reals(above=lambda p: p, most=1)},
    MORE: {"p": reals(above=0, most=1), "q": reals(0, below=lambda p: p)},
}
"""What p and q may be, in an order."""


def _bernoullis() -> Any:
    return st.lists(CHANCES.map(bernoulli), max_size=4).map(Rest)


def _integers() -> Any:
    points = st.lists(st.integers(-3, 4), min_size=1, max_size=4, unique=True).map(sorted)
    return st.one_of(_bernoullis(), points.flatmap(drawn_law).map(lambda law: Rest((law,))))


CHANCES = st.integers(0, 60).map(lambda k: Fraction(k, 60))
BINARY_USERS = objects(
    "the laws of the other users, who report 0 or 1",
    _bernoullis,
    coq=("list (law R)", "Forall (on [0; 1]) {0}", ""),
)
INTEGER_USERS = objects(
    "the laws of the other users, on finitely many reals",
    _integers,
    coq=("list (law R)", "Forall is_law {0}", ""),
)


WHOLE_USERS = objects(
    "the laws of the other users, on finitely many integers",
    _integers,
    condition=lambda others: all(x.denominator == 1 for law in others for x in law.points),
    coq=("list (law R)", "Forall (fun P => is_law P /\\ integers P) {0}", ""),
)
X_OF_21 = objects("the x of (21)", coq=("list R", "", ""))


def meeting(over: Cases, *given: Callable[..., Any]) -> Cases:
    """Return cases whose domain has these conditions, too."""
    assert over.domain is not None
    return over.within((*over.domain.given, *given), **over.domain.kinds)


class Range(Enum):
    """The x over which the supremum of (21) runs."""

    SUPPORT = "the support of f(D_-i)"
    PROOF = "1, ..., |V| if p < q, 0, ..., |V| - 1 if p > q"
    ALPHABET = "the alphabet of X"


def users(order: str | None = None, rests: Sequence[Rest] = BINARY, **more: Any) -> Cases:
    """Return p and q in this order (None: any), the others, and more variables."""
    found = cases(others=rests, p=grid(4), q=grid(4), **more)
    found = found.printed(" ".join(["p q others", *more])).deep(p=grid(12), q=grid(12))
    rest = BINARY_USERS if rests is BINARY else INTEGER_USERS
    found = everywhere(found, others=rest, X=X_OF_21, **IN_ORDER.get(order, {}))
    if order is None:
        return found
    return found.where(lambda p, q: p < q if order == LESS else p > q)


def drawn_users(*, binary: bool = True, bases: Sequence[Fraction] = BASES) -> Callable[[], Any]:
    """Return strategies for such instances with up to four other users."""
    return lambda: {
        "p": CHANCES,
        "q": CHANCES,
        "others": _bernoullis() if binary else _integers(),
        "exp_epsilon": st.sampled_from(list(bases)),
    }


def in_order(p: Fraction, q: Fraction) -> list[Relation]:
    """Return the relation of the case p < q or p > q, if it is one."""
    return [] if p == q else [below(p, q) if p < q else above(p, q)]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of the displays, over terms or symbols.

    Attributes:
        f: (side, x) -> F_{X|S}(x), side "p" or "q".
        g: x -> Pr(f(D_{-i}) = x).
        plan: (x, x') -> π*(x, x') of (6).
        p: P_i(1).
        q: Q_i(1).
        x: The pair of laws of X, if these are terms.
    """

    f: Callable[[str, int], Any]
    g: Callable[[int], Any]
    plan: Callable[[int, int], Any]
    p: Any
    q: Any
    x: Any = None

    @property
    def columns(self) -> list[int]:
        """The points of X, outside of which the plan has no mass."""
        return [int(x) for x in self.x.points]

    @property
    def places(self) -> range:
        """All integers up to two steps off the alphabet of X."""
        return range(self.columns[0] - 2, self.columns[-1] + 3)


@lru_cache(maxsize=256)
def parts(p: Fraction, q: Fraction, others: Rest) -> Parts:
    """Return the parts of a system, as terms."""
    own = LinePair.of(bernoulli(p), bernoulli(q), name="own", points=(0, 1))
    law = sum_of(others)
    pair, rest = own.beside(law), LinePair.of(law, law, name="others")
    return Parts(pair.cumulative, lambda x: rest.mass("p", x), pair.plan, p, q, pair)


def grid(size: int) -> list[Fraction]:
    """Return the probabilities k/size."""
    return [Fraction(k, size) for k in range(size + 1)]


def near(p: Any, q: Any, below: Any, g_1: Any, g_2: Any, g_3: Any, g_4: Any, gap: Any = 0) -> Parts:
    """Return the parts at the integers −2, −1, 0, 1, by the law of f(D_{-i}) there.

    It has the masses g_1, ..., g_4 there, ``below`` under all four, and ``gap`` between −1 and
    0, which is then any later integer. F_{X|S}(x) = C(x) − s g(x), s = p or q, C the cumulative
    distribution of f(D_{-i}): x is reached by x of the others and 0, or x − 1 of them and 1.
    """
    g = dict(zip(range(-2, 2), map(term, (g_1, g_2, g_3, g_4)), strict=True))
    s = {"p": term(p), "q": term(q)}

    def f(side: str, x: int) -> Term:
        lower = [g[k] for k in g if k <= x] + [term(gap)] * (x >= 0)
        return term(below) + total(lower) - s[side] * g[x]

    def plan(x: int, z: int) -> Term:
        first, last = (
            function("min", f("p", x), f("q", y)) - function("min", f("p", x - 1), f("q", y))
            for y in (z, z - 1)
        )
        return first - last

    return Parts(f, g.__getitem__, plan, s["p"], s["q"])


NEIGHBORS = ("below", "g_1", "g_2", "g_3", "g_4")


def places(
    order: str | None = None,
    *,
    with_gap: bool = False,
    positive: Sequence[int] = (),
    is_strict: bool = False,
) -> Cases:
    """Return the numbers of :func:`near` for p and q in this order, on all laws of f(D_{-i}).

    Args:
        order: That of p and q; None: any.
        with_gap: Whether there may be other integers between −1 and 0.
        positive: Those of the four integers whose masses are not 0.
        is_strict: Whether a sign of q − p is asked for, p < q: then q <= 1 is a condition, as
            no sign shows on a range with both ends.
    """
    names = (*NEIGHBORS, *(["gap"] if with_gap else []))
    above_0 = {f"g_{k + 3}" for k in positive}

    def of_law(_others: Rest) -> list[tuple[Fraction, ...]]:
        law = sum_of(_others)
        ends = range(int(law.points[0]) - 2, int(law.points[-1]) + 4)
        found = {(law.up_to(x - 3), *(law[x + k] for k in range(-2, 2))) for x in ends}
        return [(*at, *([Fraction(1) - sum(at)] if with_gap else [])) for at in sorted(found)]

    def drawn() -> Any:
        return st.builds(
            lambda p, q, law: {"p": p, "q": q, **dict(zip(names, law, strict=False))},
            CHANCES,
            CHANCES,
            probability_vectors(size=7),
        )

    over = cases(_others=INTEGER, p=grid(4), q=grid(4), **{" ".join(names): of_law})
    over = over.deep(p=grid(12), q=grid(12))
    if order is not None:
        over = over.where(lambda p, q: p < q if order == LESS else p > q)
    over = over.where(lambda **at: all(at[name] > 0 for name in above_0))
    kinds = IN_ORDER[order] if order else {"p": CHANCE, "q": CHANCE}
    if is_strict:
        kinds = {"p": reals(0), "q": reals(above=lambda p: p)}
    return over.within(
        lambda **at: [
            at_most(total([at[x] for x in names]), 1),
            *[at_most(at["q"], 1)] * is_strict,
        ],
        **kinds,
        **{name: reals(above=0) if name in above_0 else reals(0) for name in names},
    ).drawn(drawn)


def alphabet(others: Rest) -> list[Fraction]:
    """Return the alphabet of X, that of a binary user being {0, 1}."""
    found = {Fraction(0), Fraction(1)}
    for one in others:
        own = {Fraction(0), Fraction(1)} if {*one.points} <= {0, 1} else {*one.points}
        found = {x + z for x in found for z in own}
    return sorted(found)


def values(p: Fraction, q: Fraction, others: Rest, over: Range) -> Sequence[Fraction]:
    """Return the x of a range, p and q in their order."""
    match over:
        case Range.SUPPORT:
            return sum_of(others).points
        case Range.PROOF:
            return [Fraction(int(p < q) + k) for k in range(len(others) + 1)]
        case Range.ALPHABET:
            return alphabet(others)


def quotients(p: Fraction, q: Fraction, others: Rest, over: Range) -> list[Fraction]:
    """Return the x of a range with a finite quotient in ψ.

    Without one (21) gives θ = 0, no noise.
    """
    law = sum_of(others)
    return [x for x in values(p, q, others, over) if law[x - 1]]


def has_noise(over: Range) -> Callable[..., bool]:
    """Return whether (21) over a range does not give θ = 0."""
    return lambda p, q, others: bool(quotients(p, q, others, over))


def least_growth(exp_epsilon: Fraction | Exact, psis: Iterable[Any]) -> Term:
    """Return the least e^ε + (e^ε − 1) ψ, e^{1/θ} of (21)."""
    return function("min", *(exp_epsilon + (exp_epsilon - 1) * psi for psi in psis))


def _growth(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Any, X: Iterable[Fraction]
) -> Term:
    law, g = sum_of(others), parts(p, q, others).g
    found = [int(x) for x in X if law[x - 1]]
    return least_growth(exp_epsilon, [psi(p=p, q=q, ratio=g(x) / g(x - 1)) for x in found])


@quantity("growth_21 {3} {0} {1} (sum_of {2}) {4}", name="growth_over")
def growth_over(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Any, X: Sequence[Fraction]
) -> Term:
    """Return e^{1/θ} for the θ of (21), over those x of a list that have a finite quotient."""
    return _growth(p, q, others, exp_epsilon, X)


def growth(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction | Exact, over: Range
) -> Term:
    """Return e^{1/θ} for the θ of (21), x over a range.

    Example:
        >>> from exactdp.claims import value
        >>> rest = Rest((bernoulli("2/3"),))
        >>> [str(value(growth(Fraction(0), Fraction(1, 2), rest, Fraction(2), r))) for r in Range]
        ['4', '2', '2']
    """
    return _growth(p, q, others, exp_epsilon, values(p, q, others, over))


@quantity(
    "growth_21 {3} {0} {1} (sum_of {2}) (map INR (seq 1 (S (length {2}))))", name="growth_of_proof"
)
def growth_of_proof(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> Term:
    """Return the same over 1, ..., |V|, p < q."""
    return growth(p, q, others, exp_epsilon, Range.PROOF)


@quantity(
    "growth_21 {3} {0} {1} (sum_of {2}) (map fst (plus (bernoulli (1 / 2)) (sum_of {2})))",
    name="growth_of_alphabet",
)
def growth_of_alphabet(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> Term:
    """Return the same over the alphabet of X."""
    return growth(p, q, others, exp_epsilon, Range.ALPHABET)


@quantity("largest (map (fun x => mass Req_EM_T (sum_of {0}) (x - 1)) {1})", name="largest_divisor")
def largest_divisor(others: Rest, X: Sequence[Fraction]) -> Fraction:
    """Return the largest Pr(f(D_{−i}) = x − 1): above 0, some x has a finite quotient."""
    return max(sum_of(others)[x - 1] for x in X)


def differ(p: Fraction, q: Fraction) -> Relation:
    """The two probabilities differ."""
    return differs(p, q)


def some_quotient(others: Rest, X: Sequence[Fraction]) -> Relation:
    """Some x of a set has a finite quotient."""
    return above(largest_divisor(others, X), 0)


def infinite(p: Fraction, q: Fraction, others: Rest, over: Range) -> list[Relation]:
    """Return the relations that say which x of a range have no finite quotient."""
    g, finite = parts(p, q, others).g, quotients(p, q, others, over)
    return [equal(g(int(x) - 1), 0) for x in values(p, q, others, over) if x not in finite]
