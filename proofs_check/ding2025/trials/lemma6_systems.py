"""Systems with one Bernoulli user: the laws of X, the plan (6), ψ and the ranges of x in (21).

The user reports 1 with probability p or q; the rest report independently of that, and G is the
law of their sum f(D_{-i}). Claims that say "all users binary" get Bernoulli rests, those that
say "integer-valued" also rests on integers with gaps.

Definitions: :class:`Range`, :class:`Rest`, :class:`System`, :func:`exp_epsilon_of`,
:func:`growth_relations`, :func:`sums_are_mixtures`, :func:`system_of`, :func:`systems`,
:func:`system_strategy`, :func:`written`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

from exactdp.certificates import function, relation
from exactdp.certificates.certificate import Relation
from exactdp.claims import Effort, Instance
from exactdp.distributions import FinitePmf
from exactdp.pufferfish import line_law, sum_of_independent
from proofs_check.ding2025.bounds import psi
from proofs_check.ding2025.cumulative import Cumulative
from proofs_check.ding2025.laws import Law, bernoulli, law_strategy, shifted, text
from proofs_check.ding2025.terms import LinePair

__all__ = [
    "BASES",
    "BINARY",
    "INTEGER",
    "LESS",
    "MORE",
    "ORDERS",
    "Range",
    "Rest",
    "System",
    "exp_epsilon_of",
    "growth_relations",
    "sums_are_mixtures",
    "system_of",
    "system_strategy",
    "systems",
    "written",
]


class Range(Enum):
    """The x over which the supremum of (21) runs."""

    SUPPORT = "the support of f(D_-i)"
    PROOF = "1, ..., |V| if p < q, 0, ..., |V| - 1 if p > q"
    ALPHABET = "the alphabet of X"


@dataclass(frozen=True, slots=True)
class Rest:
    """The users other than i: the law of each one's report.

    Example:
        >>> rest = Rest((bernoulli("1/2"), bernoulli("2/3")))
        >>> str(rest), text(rest.total)
        ('{0: 1/2, 1: 1/2}, {0: 1/3, 1: 2/3}', '{0: 1/6, 1: 1/2, 2: 1/3}')
    """

    laws: tuple[Law, ...]

    def __str__(self) -> str:
        return text(self.laws) or "none"

    @property
    def total(self) -> Law:
        """G, the law of f(D_{-i})."""
        return sum_of_independent(self.laws)

    @property
    def alphabet(self) -> list[Fraction]:
        """All values of f(D_{-i}), the alphabet of a binary user being {0, 1}."""
        values = {Fraction(0)}
        for law in self.laws:
            own = set(law.masses)
            own |= {Fraction(0), Fraction(1)} if own <= {0, 1} else set()
            values = {x + z for x in values for z in own}
        return sorted(values)


@dataclass(frozen=True, eq=False)
class System:
    """A Bernoulli user and the rest, in plain fractions.

    Attributes:
        p: The probability of 1 given s_P.
        q: The probability of 1 given s_Q.
        rest: The other users.

    Example:
        >>> one = System(Fraction(0), Fraction(1, 2), Rest((bernoulli("2/3"),)))
        >>> [str(one.growth(r, Fraction(2))) for r in Range]
        ['4', '2', '2']
    """

    p: Fraction
    q: Fraction
    rest: Rest

    @cached_property
    def g(self) -> Mapping[Fraction, Fraction]:
        """The masses of G."""
        return {x: m.as_fraction() for x, m in sorted(self.rest.total.masses.items()) if m}

    @cached_property
    def laws(self) -> tuple[Law, Law]:
        """The laws of X given s_P and s_Q."""
        total = self.rest.total
        first, second = (sum_of_independent([total, bernoulli(s)]) for s in (self.p, self.q))
        return first, second

    @cached_property
    def cumulatives(self) -> Mapping[str, Cumulative]:
        """F_{X|S} given s_P ("p") and s_Q ("q")."""
        return dict(zip("pq", map(Cumulative.of, self.laws), strict=True))

    @property
    def places(self) -> range:
        """All integers up to two steps off the alphabet of X."""
        return range(int(min(self.g)) - 2, int(max(self.g)) + 4)

    def others(self, x: Fraction | int) -> Fraction:
        """Return Pr(f(D_{-i}) = x)."""
        return self.g.get(Fraction(x), Fraction(0))

    @cached_property
    def cells(self) -> Mapping[tuple[int, int], Fraction]:
        """The masses π*(x, x') of (6) for integer-valued X, zeros left out."""
        first, second = ([self.cumulatives[s](x) for x in self.places] for s in "pq")
        start, found = self.places.start, {}
        for i in range(1, len(first)):
            for j in range(1, len(second)):
                here, left, up, down = first[i], first[i - 1], second[j], second[j - 1]
                mass = min(here, up) - min(left, up) - min(here, down) + min(left, down)
                if mass:
                    found[start + i, start + j] = mass
        return found

    def plan(self, x: int, z: int) -> Fraction:
        """Return π*(x, z) of (6) for integer-valued X."""
        return self.cells.get((x, z), Fraction(0))

    def values(self, over: Range) -> list[Fraction]:
        """Return the x of a range."""
        match over:
            case Range.SUPPORT:
                return list(self.g)
            case Range.PROOF:
                start = int(self.p < self.q)
                return [Fraction(start + k) for k in range(len(self.rest.laws) + 1)]
            case Range.ALPHABET:
                return sorted({x + d for x in self.rest.alphabet for d in (0, 1)})

    def growth(self, over: Range, exp_epsilon: Fraction) -> Fraction | None:
        """Return e^{1/θ} for the θ of (21): the least e^ε + (e^ε − 1) ψ(x).

        None if every quotient is infinite or 0/0, so that (21) gives θ = 0, no noise.
        """
        quotients = [
            self.others(x) / self.others(x - 1) for x in self.values(over) if self.others(x - 1)
        ]
        if not quotients:
            return None
        least = min(Fraction(psi(p=self.p, q=self.q, ratio=r)) for r in quotients)
        return exp_epsilon + (exp_epsilon - 1) * least


@lru_cache(maxsize=5_000)
def _system(p: Fraction, q: Fraction, rest: Rest) -> System:
    return System(p, q, rest)


def system_of(at: Instance) -> System:
    """Return the system of an instance with p, q and others."""
    v: Mapping[str, Any] = at.mapping()
    return _system(v["p"], v["q"], v["others"])


def exp_epsilon_of(at: Instance) -> Fraction:
    """Return e^ε of an instance."""
    value = at["exp_epsilon"]
    assert isinstance(value, Fraction)
    return value


def sums_are_mixtures() -> bool:
    """Check that X + Z, Z of law G independent of X, is the mixture Σ G(m) (X + m).

    It is why adding the rest is post-processing: F_{X+Z}(x) = Σ G(m) F_X(x − m), and the same
    for output densities, so inequalities f <= E g for all y carry over.
    """
    others = [bernoulli("2/3"), line_law({-1: "1/4", 0: "1/4", 3: "1/2"})]
    for own, rest in product((bernoulli("1/4"), line_law({0: "1/6", 2: "5/6"})), others):
        parts = [shifted(own, m) for m in rest.masses]
        mixture = FinitePmf.mixture(list(rest.masses.values()), parts)
        if sum_of_independent([own, rest]) != mixture:
            return False
    return True


# --- instances -------------------------------------------------------------------------------

BASES = tuple(Fraction(v) for v in ("2", "3/2", "11/10", "10"))
"""Values of e^ε."""

ORDERS = {"p < q": -1, "p > q": 1}
LESS, MORE = "p < q", "p > q"


def _bernoullis(*chances: str) -> Rest:
    return Rest(tuple(bernoulli(chance) for chance in chances))


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
    Rest((line_law({0: "1/2", 2: "1/2"}),)),
    Rest((line_law({-1: "1/3", 2: "2/3"}),)),
    Rest((line_law({0: "1/10", 1: "1/10", 2: "4/5"}),)),
)
"""f(D_{-i}) an integer, perhaps with gaps."""


def _grid(effort: Effort) -> list[Fraction]:
    size = 4 if effort is Effort.DEFAULT else 12
    return [Fraction(k, size) for k in range(size + 1)]


def systems(
    effort: Effort,
    *,
    order: str | None = None,
    rests: Sequence[Rest] = BINARY,
    bases: Sequence[Fraction] = (),
) -> Iterator[Instance]:
    """Yield instances with p, q in this order (None: any), the others, and e^ε if there are bases.

    Args:
        effort: p and q are multiples of 1/4, or of 1/12.
        order: "p < q" or "p > q".
        rests: The other users.
        bases: Values of e^ε.
    """
    grid = _grid(effort)
    for rest, (p, q) in product(rests, product(grid, repeat=2)):
        if order is None or (p - q) * ORDERS[order] > 0:
            one = Instance.of(p=p, q=q, others=rest)
            yield from _with_bases(one, bases)


def _with_bases(one: Instance, bases: Sequence[Fraction]) -> Iterator[Instance]:
    if not bases:
        yield one
    for base in bases:
        yield Instance((*one.values, ("exp_epsilon", base)))


def system_strategy(
    *, order: str | None = None, binary: bool = True, bases: Sequence[Fraction] = ()
) -> Any:
    """Return a strategy for such instances with up to four other users."""
    from hypothesis import strategies as st

    chances = st.integers(0, 60).map(lambda k: Fraction(k, 60))
    bernoullis = st.lists(chances.map(bernoulli), max_size=4).map(lambda laws: Rest(tuple(laws)))
    integers = st.lists(st.integers(-3, 4), min_size=1, max_size=4, unique=True).map(sorted)
    any_law = integers.flatmap(law_strategy).map(lambda law: Rest((law,)))

    @st.composite
    def instances(draw: Any) -> Instance:
        p, q = draw(chances), draw(chances)
        if order is not None:
            low, high = sorted((p, q))
            if low == high:
                low, high = (low, low + Fraction(1, 60)) if low < 1 else (Fraction(0), high)
            p, q = (low, high) if order == LESS else (high, low)
        rest = draw(bernoullis if binary else st.one_of(bernoullis, any_law))
        one = Instance.of(p=p, q=q, others=rest)
        return next(_with_bases(one, [draw(st.sampled_from(bases))] if bases else ()))

    return instances()


# --- certificates ----------------------------------------------------------------------------


def written(system: System) -> tuple[LinePair, LinePair]:
    """Return the pair of the laws of X, and that of G with itself, for a certificate.

    The first pair's definitions hold both. The user's own pair is called "own".
    """
    own = LinePair.of(bernoulli(system.p), bernoulli(system.q), name="own", points=(0, 1))
    total = system.rest.total
    return own.with_other(total, name="X"), LinePair.of(total, total, name="X_other")


def growth_relations(
    system: System, others: LinePair, over: Range, *, exp_epsilon: Fraction, growth: Fraction
) -> list[Relation]:
    """Return relations that say that (21) over a range gives e^{1/θ} = growth.

    Quotients c/0 with c > 0 are shown to be such; x with 0/0 are left out.
    """
    p, q = system.p, system.q
    relations, values = [], []
    for x in system.values(over):
        above, below = others.mass("p", x), others.mass("p", x - 1)
        if system.others(x - 1):
            value = psi(p=p, q=q, ratio=above / below)
            values.append(exp_epsilon + (exp_epsilon - 1) * value)
        elif system.others(x):
            relations += [relation("=", below, 0), relation(">", above, 0)]
    return [*relations, relation("=", growth, function("min", *values))]
