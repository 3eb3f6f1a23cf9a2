"""The protocol of the paper, as terms: k-ary randomized response, shuffled; its datasets.

Everywhere x is the term of e^eps0. x_0 is the input 0 and x_1 the input 1; the others are
(input, count). Renaming the inputs from 2 on changes no delta for (x_0, x_1).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, Said, below, equal
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.laws import hockey_stick, ldp_ratio, mass, matrix, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, TermLike, function, named, term
from exactdp.coq.values import coq_value
from exactdp.testing.later import st
from proofs_check.biswas2023.bounds import Counts

Others = tuple[tuple[int, int], ...]
"""The other users, as (input, count)."""

BOTH = (0, 1)
"""The victim's inputs x_0 and x_1."""

SIMPLE = [Fraction(v) for v in ("2", "3", "3/2", "4", "5/4", "5", "11/10")]
"""Values of e^eps, simplest first."""


@lru_cache(maxsize=64)
def exp_epsilon0_term(value: Any) -> Term:
    """Return e^eps0 under the name that a certificate has for it."""
    return named("x", term(value))


def rows(x: Any, k: int) -> list[list[Any]]:
    """Return the matrix of k-ary randomized response (Definition III.5)."""
    scale = x + (k - 1)
    return [[(x if i == j else 1) / scale for j in range(k)] for i in range(k)]


@lru_cache(maxsize=64)
def randomizer(x: Term, k: int) -> Term:
    """Return the matrix as a term, under a name where x has one."""
    written = matrix(rows(x, k))
    return named("R", written) if isinstance(x, Term) and x.head == "named" else written


def count_pair(x: Term, k: int, others: Others, *, inputs: tuple[int, int] = BOTH) -> Term:
    """Return the pair of the count of x_0 alone."""
    classes = [[0], list(range(1, k))]
    return shuffle_pair(randomizer(x, k), inputs=inputs, others=others, merge=classes)


def histogram_pair(
    x: Term, k: int, others: Sequence[tuple[int, int]], *, inputs: tuple[int, int] = BOTH
) -> Term:
    """Return the pair of the whole histogram."""
    return shuffle_pair(randomizer(x, k), inputs=inputs, others=others)


@lru_cache(maxsize=64)
def _named_count(x: Term, k: int, others: Others) -> Term:
    return named("count", count_pair(x, k, others))


def count_masses(x: Term, k: int, others: Others) -> tuple[list[Term], list[Term]]:
    """Return P(M_x0(x_0) = s) and P(M_x0(x_1) = s) for s = 0..n, by definition."""
    n = 1 + sum(m for _, m in others)
    first, second = ([mass_of_count(k, x, v, others, s) for s in range(n + 1)] for v in BOTH)
    return first, second


@quantity("(count_at {0:nat} {1} {2:nat} {3} {4:nat})", name="P")
def mass_of_count(k: int, x: Term, value: int, others: Others, s: int) -> Term:
    """P(M_x0(x_0) = s) or, with the value 1, P(M_x0(x_1) = s): by definition."""
    n = 1 + sum(m for _, m in others)
    return mass(_named_count(x, k, others), "pq"[value], (s, n - s))


@quantity("(count_apart {0:nat} {1} {2:nat} {3:nat} {4} {5})", name="D")
def delta_of_count(k: int, x: Term, u: int, v: int, others: Others, exp_epsilon: Any) -> Term:
    """Return delta of the count of x_0, for a victim who holds u or v."""
    return hockey_stick(count_pair(x, k, others, inputs=(u, v)), exp_epsilon)


@quantity("(histogram_apart {0:nat} {1} {2:nat} {3:nat} {4} {5})", name="D")
def delta_of_histogram(k: int, x: Term, u: int, v: int, others: Others, exp_epsilon: Any) -> Term:
    """Return delta of the whole histogram, for a victim who holds u or v."""
    return hockey_stick(histogram_pair(x, k, others, inputs=(u, v)), exp_epsilon)


def private(x: Term, k: int) -> list[Relation]:
    """Return the relation that a certificate checks of the randomizer: its LDP ratio is e^eps0.

    Where e^eps0 is transcendental the kernel works with intervals, for which equality
    is never certain: the ratio is then bounded by e^eps0 (1 + 2^-40).
    """
    ratio, value = ldp_ratio(randomizer(x, k)), x.parts[-1].parts[-1]
    return [equal(ratio, x)] if value.is_rational else [below(ratio, x * (1 + Fraction(1, 2**40)))]


@dataclass(frozen=True, slots=True)
class Setting:
    """The variables of an instance, and the terms that they make."""

    n: int
    k: int
    exp_epsilon0: Fraction
    n_x0: int = 0
    others: Others = ()
    exp_epsilon: Fraction = Fraction(1)
    s: int = 0
    r: int = 0
    x_1: int = 1

    @property
    def x(self) -> Term:
        """e^eps0."""
        return exp_epsilon0_term(self.exp_epsilon0)

    @property
    def c(self) -> Counts:
        """The integers of the dataset."""
        return Counts(self.k, self.n, self.n_x0)

    def mass(self, value: int) -> Term:
        """Return the mass at s of the count of x_0, for x_0 (the value 0) or x_1 (1)."""
        found: Term = mass_of_count(self.k, self.x, value, self.others, self.s)
        return found

    def masses(self) -> tuple[list[Term], list[Term]]:
        """Return the laws of the count of x_0, for x_0 and for x_1."""
        return count_masses(self.x, self.k, self.others)

    def of_count(self, *, inputs: tuple[int, int] = BOTH) -> Term:
        """Return delta of the count of x_0."""
        found: Term = delta_of_count(self.k, self.x, *inputs, self.others, self.exp_epsilon)
        return found

    def of_histogram(self, *, inputs: tuple[int, int] = BOTH) -> Term:
        """Return delta of the histogram."""
        found: Term = delta_of_histogram(self.k, self.x, *inputs, self.others, self.exp_epsilon)
        return found


def of_setting(says: Callable[[Setting], Relation | Iterable[Relation]]) -> Callable[..., Said]:
    """Return a statement about a setting, whose randomizer a certificate checks."""

    def at(**variables: Any) -> Said:
        setting = Setting(**variables)
        said = says(setting)
        relations = (said,) if isinstance(said, Relation) else tuple(said)
        return Said(relations, lambda: private(setting.x, setting.k))

    return at


def multisets(n: int, k: int) -> list[Others]:
    """Return all datasets of n users with k values, as (input, count)."""
    return [
        tuple((v, data.count(v)) for v in dict.fromkeys(data))
        for data in combinations_with_replacement(range(k), n)
    ]


def datasets(n: int, k: int, n_x0: int) -> Iterator[Others]:
    """Yield the n - 1 others of whom n_x0 hold x_0, up to renaming of the inputs from 2 on."""
    seen = set()
    for rest in combinations_with_replacement(range(1, k), n - 1 - n_x0):
        counts = [rest.count(v) for v in range(1, k)]
        key = (n_x0, counts[0], *sorted(counts[1:], reverse=True))
        if key not in seen:
            seen.add(key)
            yield tuple((v, m) for v, m in enumerate(key) if m)


def largest(deltas: Sequence[Term]) -> Term:
    """Return the largest of deltas."""
    return deltas[0] if len(deltas) == 1 else function("max", *deltas)


def message_law(matrix: Sequence[Sequence[Any]], data: Sequence[int]) -> Iterator[tuple[Any, Any]]:
    """Yield the sequences of messages of users with these values, with their masses as terms."""
    for messages in product(range(len(matrix)), repeat=len(data)):
        weight = term(1)
        for i, y in zip(data, messages, strict=True):
            weight = weight * matrix[i][y]
        yield messages, weight


def tight_delta(
    x: TermLike,
    c: Counts,
    exp_epsilon: TermLike,
    *,
    inputs: tuple[int, int] = BOTH,
    held: Sequence[int] | None = None,
) -> Term:
    """Return the tight delta of the histogram: the largest over the others' values.

    ``held`` says how many of the others may hold x_0; by default n_x0.
    """
    return largest(
        [
            hockey_stick(histogram_pair(term(x), c.k, others, inputs=inputs), exp_epsilon)
            for n_x0 in ((c.n_x0,) if held is None else held)
            for others in datasets(c.n, c.k, n_x0)
        ]
    )


@quantity("(tight {0:nat} {1:nat} {2:nat} {3} 0 1 {4})", name="tight")
def tight_delta_at(n: int, k: int, n_x0: int, x: TermLike, exp_epsilon: TermLike) -> Term:
    """Return the tight delta of the histogram for x_0 and x_1, over all others' data with n_x0."""
    return tight_delta(x, Counts(k, n, n_x0), exp_epsilon)


def ratios() -> list[tuple[Fraction, Fraction]]:
    """Return (e^eps0, e^eps) with 1 < e^eps, simplest first."""
    return sorted(
        product((v for v in SIMPLE if v >= 2 or v == Fraction(3, 2)), SIMPLE),
        key=lambda pair: (sum(v.numerator + v.denominator for v in pair), pair),
    )


def sized(n: range, k: range, **axes: Any) -> Cases:
    """Return small n, k and n_x0, then other axes, then (e^eps0, e^eps)."""
    return cases(
        n=n,
        k=k,
        n_x0=lambda n: range(n),
        **axes,
        _ratios=ratios(),
        exp_epsilon0=lambda _ratios: _ratios[:1],
        exp_epsilon=lambda _ratios: _ratios[1:],
    )


SIZES: dict[str, Sort] = {
    "n": integers(1, draws=5),
    "k": integers(2, draws=3),
    "n_x0": integers(0, lambda n: n - 1),
}
ABOVE_0: dict[str, Sort] = {"exp_epsilon0": reals(above=1), "exp_epsilon": reals(above=1)}
"""ε_0 and ε above 0."""

COUNTS = sized(range(1, 5), range(2, 4)).deep(n=range(1, 8)).within(**SIZES, **ABOVE_0)
"""Small (n, k, n_x0, e^eps0, e^eps), for the count of x_0."""


def counted(data: Sequence[int]) -> Others:
    """Return the values of users as (input, count)."""
    return tuple((v, data.count(v)) for v in sorted(set(data)))


OTHERS = objects(
    "the values of the other users, n_x0 of them x_0",
    lambda n, k, n_x0: st.lists(
        st.integers(1, k - 1), min_size=n - 1 - n_x0, max_size=n - 1 - n_x0
    ).map(lambda rest: counted([0] * n_x0 + rest)),
    condition=lambda n, k, n_x0, others: (
        sum(m for _, m in others) == n - 1
        and dict(others).get(0, 0) == n_x0
        and all(0 <= v < k for v, _ in others)
    ),
    coq=("list nat", "dataset n k n_x0 {0}", ""),
    written=lambda others: coq_value("list nat", [v for v, m in others for _ in range(m)]),
)


def of_histograms(first_k: int, **ends: Sort) -> dict[str, Sort]:
    """Return the domain of small datasets with values of the others, from so many values on."""
    few: dict[str, Sort] = {"n": integers(1, draws=3), "k": integers(first_k, draws=2)}
    return {**SIZES, **few, "others": OTHERS, **ends}


def histograms(first_k: int) -> Cases:
    """Return small datasets with (e^eps0, e^eps), for the whole histogram."""
    small = sized(range(1, 4), range(first_k, 5), others=datasets).deep(n=range(1, 6))
    return small.within(**of_histograms(first_k, **ABOVE_0))
