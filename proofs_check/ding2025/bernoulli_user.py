"""Systems with one Bernoulli user: the laws of X, ψ and the ranges of x in (21), as terms.

The user reports 1 with probability p or q; the rest report independently of that, and G is the
law of their sum f(D_{-i}). Claims that say "all users binary" get Bernoulli rests, those that
say "integer-valued" also rests on integers with gaps.

Definitions: :class:`Range`, :class:`Parts`, :func:`drawn_users`, :func:`growth`,
:func:`infinite`, :func:`parts`, :func:`symbolic`, :func:`users`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import Cases, Relation, Term, above, below, cases, equal, function
from exactdp.numbers import Exact
from proofs_check.ding2025.bounds import psi
from proofs_check.ding2025.law import bernoulli, drawn_law, law, sum_of
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.systems import Rest

__all__ = [
    "BASES",
    "BINARY",
    "INTEGER",
    "LESS",
    "MORE",
    "Parts",
    "Range",
    "alphabet",
    "drawn_users",
    "growth",
    "has_noise",
    "in_order",
    "infinite",
    "parts",
    "quotients",
    "symbolic",
    "users",
    "values",
]

BASES = tuple(Fraction(v) for v in ("2", "3/2", "11/10", "10"))
"""Values of e^ε."""

LESS, MORE = "p < q", "p > q"


def _bernoullis(*chances: str) -> Rest:
    return Rest(map(bernoulli, chances))


BINARY = (
    _bernoullis(),
    _bernoullis("1/2"),
    _bernoullis("2/3"),
    _bernoullis("1/3"),
    _bernoullis("9/10"),
    _bernoullis("1"),
    _bernoullis("0"),
    _bernoullis("1/2", "1/2"),
    _bernoullis("1/4", "3/4"),
    _bernoullis("0", "9/10"),
)
"""All users binary."""

INTEGER = (
    *BINARY,
    Rest((law({0: "1/2", 2: "1/2"}),)),
    Rest((law({-1: "1/3", 2: "2/3"}),)),
    Rest((law({0: "1/10", 1: "1/10", 2: "4/5"}),)),
)
"""f(D_{-i}) an integer, perhaps with gaps."""


class Range(Enum):
    """The x over which the supremum of (21) runs."""

    SUPPORT = "the support of f(D_-i)"
    PROOF = "1, ..., |V| if p < q, 0, ..., |V| - 1 if p > q"
    ALPHABET = "the alphabet of X"


# --- cases ----------------------------------------------------------------------------------


def users(
    order: str | None = None, rests: Sequence[Rest] = BINARY, bases: Sequence[Fraction] = ()
) -> Cases:
    """Return p and q in this order (None: any), the others, and e^ε if there are bases."""

    def grid(size: int) -> list[Fraction]:
        return [Fraction(k, size) for k in range(size + 1)]

    found = cases(
        _rest=rests,
        p=grid(4),
        q=grid(4),
        others=lambda _rest: [_rest],
        **({"exp_epsilon": bases} if bases else {}),
    ).deep(p=grid(12), q=grid(12))
    return (
        found if order is None else found.where(lambda p, q: p != q and (p < q) == (order == LESS))
    )


def drawn_users(
    order: str | None = None, *, binary: bool = True, bases: Sequence[Fraction] = (), **more: Any
) -> Callable[[], Any]:
    """Return a strategy for such instances with up to four other users."""
    chances = st.integers(0, 60).map(lambda k: Fraction(k, 60))
    bernoullis = st.lists(chances.map(bernoulli), max_size=4).map(Rest)
    points = st.lists(st.integers(-3, 4), min_size=1, max_size=4, unique=True).map(sorted)
    any_law = points.flatmap(drawn_law).map(lambda law: Rest((law,)))

    def ordered(two: list[Fraction]) -> dict[str, Any]:
        low, high = sorted(two)
        return {"p": low, "q": high} if order == LESS else {"p": high, "q": low}

    def build() -> Any:
        two = st.lists(chances, min_size=2, max_size=2, unique=order is not None)
        own = two.map(ordered if order else lambda v: {"p": v[0], "q": v[1]})
        rest = bernoullis if binary else st.one_of(bernoullis, any_law)
        extra = {"exp_epsilon": st.sampled_from(list(bases))} if bases else {}
        others = st.fixed_dictionaries({"others": rest, **extra, **more})
        return st.builds(lambda a, b: {**a, **b}, own, others)

    return build


def in_order(p: Fraction, q: Fraction) -> list[Relation]:
    """Return the relation of the case p < q or p > q."""
    return [below(p, q) if p < q else above(p, q)]


# --- the objects of the displays ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parts:
    """What the displays are made of, over terms or symbols.

    Attributes:
        f: (side, x) -> F_{X|S}(x), side "p" or "q".
        g: x -> Pr(f(D_{-i}) = x).
        plan: (x, x') -> π*(x, x') of (6).
        p: P_i(1).
        q: Q_i(1).
        pair: The laws of X, if these are terms.
    """

    f: Callable[[str, int], Any]
    g: Callable[[int], Any]
    plan: Callable[[int, int], Any]
    p: Any
    q: Any
    pair: LinePair | None = None

    @property
    def x(self) -> LinePair:
        """The laws of X as terms."""
        assert self.pair is not None  # these are no symbols
        return self.pair

    @property
    def columns(self) -> list[int]:
        """The points of X, outside of which the plan has no mass."""
        return [int(x) for x in self.x.points]

    @property
    def places(self) -> range:
        """All integers up to two steps off the alphabet of X."""
        return range(int(self.x.points[0]) - 2, int(self.x.points[-1]) + 3)


@lru_cache(maxsize=256)
def parts(p: Fraction, q: Fraction, others: Rest) -> Parts:
    """Return the parts of a system, as terms."""
    own = LinePair.of(bernoulli(p), bernoulli(q), name="own", points=(0, 1))
    total = sum_of(others)
    pair, rest = own.beside(total), LinePair.of(total, total, name="others")
    return Parts(pair.cumulative, lambda x: rest.mass("p", x), pair.plan, p, q, pair)


def symbolic(order: str) -> Parts:
    """Return the parts around x' = 0 for free p, q and masses of f(D_{-i}).

    F_{X|S}(x) = (1 − s) C(x) + s C(x − 1), s = p or q, C the cumulative distribution of
    f(D_{-i}). Which minimum of (6) is which is what ``lemma_6.ORDER`` shows.
    """
    import sympy

    reach = 5
    p, q, low = sympy.symbols("p q below", nonnegative=True)
    masses = {k: sympy.Symbol(f"g{k + reach}", nonnegative=True) for k in range(-reach, reach + 1)}

    def c(x: int) -> Any:
        return low + sum(m for k, m in masses.items() if k <= x)

    def f(side: str, x: int) -> Any:
        s = p if side == "p" else q
        return (1 - s) * c(x) + s * c(x - 1)

    def least(x: int, z: int) -> Any:
        second = z <= x if order == LESS else z < x
        return f("q", z) if second else f("p", x)

    def plan(x: int, z: int) -> Any:
        return least(x, z) - least(x - 1, z) - least(x, z - 1) + least(x - 1, z - 1)

    return Parts(f, lambda x: masses[x], plan, p, q)


# --- (21) -----------------------------------------------------------------------------------


def alphabet(others: Rest) -> list[Fraction]:
    """Return all values of f(D_{-i}), the alphabet of a binary user being {0, 1}."""
    found = {Fraction(0)}
    for one in others:
        own = set(one.points)
        own |= {Fraction(0), Fraction(1)} if own <= {0, 1} else set()
        found = {x + z for x in found for z in own}
    return sorted(found)


def values(p: Fraction, q: Fraction, others: Rest, over: Range) -> list[Fraction]:
    """Return the x of a range."""
    match over:
        case Range.SUPPORT:
            return list(sum_of(others).points)
        case Range.PROOF:
            start = int(p < q)
            return [Fraction(start + k) for k in range(len(others) + 1)]
        case Range.ALPHABET:
            return sorted({x + d for x in alphabet(others) for d in (0, 1)})


def quotients(p: Fraction, q: Fraction, others: Rest, over: Range) -> list[Fraction]:
    """Return the x of a range with a finite quotient in ψ.

    Without one (21) gives θ = 0, no noise.
    """
    total = sum_of(others)
    return [x for x in values(p, q, others, over) if total[x - 1]]


def has_noise(over: Range) -> Callable[..., bool]:
    """Whether (21) over a range does not give θ = 0."""
    return lambda p, q, others: bool(quotients(p, q, others, over))


def growth(
    p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction | Exact, over: Range
) -> Term:
    """Return e^{1/θ} for the θ of (21): the least e^ε + (e^ε − 1) ψ(x) over a range.

    Example:
        >>> from exactdp.claims import value
        >>> rest = Rest((bernoulli("2/3"),))
        >>> [str(value(growth(Fraction(0), Fraction(1, 2), rest, Fraction(2), r))) for r in Range]
        ['4', '2', '2']
    """
    g = parts(p, q, others).g
    found = quotients(p, q, others, over)
    psis = [psi(p=p, q=q, ratio=g(int(x)) / g(int(x) - 1)) for x in found]
    return function("min", *(exp_epsilon + (exp_epsilon - 1) * one for one in psis))


def infinite(p: Fraction, q: Fraction, others: Rest, over: Range) -> list[Relation]:
    """Return the relations that say which x of a range have no finite quotient."""
    g = parts(p, q, others).g
    finite = quotients(p, q, others, over)
    return [equal(g(int(x) - 1), 0) for x in values(p, q, others, over) if x not in finite]
