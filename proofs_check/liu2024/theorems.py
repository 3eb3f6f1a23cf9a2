"""Protocols with users of their own randomizers, and Theorems 1 and 2, as terms.

C is a sum of Bern(2 p_i) over the other users, w_i^0 = Pr[C = i], F_i and f_i belong to
Bin(i, 1/2), x = (i + 1)/(t + 1). All functions of t are step functions, constant from each t
where some x is an integer up to the next: :func:`breakpoints`.

Definitions: :class:`Profile`, :func:`response_profiles`, :func:`weights`, :func:`sums`,
:func:`equation_5`, :func:`best_delta`, :func:`slope_ratio`, :func:`t_epsilon`.

Source: Liu et al. 2024, Section 3.3.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, at_least, equal
from exactdp.claims.laws import hockey_stick, mass, shuffle_pair
from exactdp.claims.terms import (
    Term,
    TermLike,
    formula,
    function,
    named,
    sum_over,
    term,
    total,
    when,
)
from proofs_check.liu2024 import bounds
from proofs_check.liu2024.randomizers import Matrix, Rows, binary, p_1, p_i

Counted = Sequence[tuple[TermLike, int]]
"""The p_i of other users, each with its number of users."""


class Profile(NamedTuple):
    """Users: rows 0 and 1 are the victim's, row j of the others is sent by counts[j − 2] users."""

    rows: Matrix
    counts: tuple[int, ...] = ()
    delta_1: Fraction = Fraction(0)

    def probabilities(self, suffix: str = "") -> tuple[Term, Counted]:
        """Return p_1 (for T_δ empty) and the p_i, under names that end in the suffix."""
        r = Rows(self.rows, f"R{suffix}")
        others = [
            (named(f"p_{j}{suffix}", p_i(r, j)), count) for j, count in enumerate(self.counts, 2)
        ]
        return named(f"w{suffix}", p_1(r)), others

    def view(self, inputs: tuple[int, int] = (0, 1)) -> Term:
        """Return the view of the analyzer; inputs (1, 0) for the other direction."""
        return shuffle_pair(self.rows, inputs=inputs, others=list(enumerate(self.counts, 2)))

    def delta(self, exp_epsilon: TermLike) -> Term:
        """Return the least δ for this dataset, over both directions."""
        views = (self.view(inputs) for inputs in ((0, 1), (1, 0)))
        return function("max", *(hockey_stick(view, exp_epsilon) for view in views))

    def bound(self, exp_epsilon: TermLike, suffix: str = "") -> Term:
        """Return the bound of Theorem 2 as it is meant: :func:`best_delta`."""
        w, others = self.probabilities(suffix)
        return best_delta(others, w=w, exp_epsilon=exp_epsilon, delta_1=self.delta_1)


def response_profiles(n: int, ratios: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Profile]]:
    """Yield (e^ε_1, e^ε_2, ...) and users of binary randomized response, ε_i < ε_1.

    For ε_i = ε_1 and x_i = x_1^0 the strict inequalities give p_i = 0.
    """
    for first in ratios:
        smaller = [x for x in ratios if x < first]
        for rest in combinations_with_replacement(smaller, n - 1):
            for data in product((0, 1), repeat=n - 1):
                yield (first, *rest), responding((first, *rest), data)


def responding(ratios: Sequence[int | Fraction], inputs: Sequence[int] = ()) -> Profile:
    """Return users of binary randomized response, the victim first; the others' inputs or 0."""
    first, *rest = ratios
    own = [binary(x, y) for x, y in zip(rest, inputs or [0] * len(rest), strict=True)]
    return Profile((binary(first), binary(first, 1), *own), (1,) * len(own))


def response_cases(users: Sequence[int], ratios: Sequence[int], **between: Any) -> Cases:
    """Return :func:`response_profiles` as cases, with other variables (which may use _n)."""
    return cases(
        _n=users,
        _users=lambda _n: response_profiles(_n, ratios),
        exp_epsilons=lambda _users: [_users[0]],
        **between,
        profile=lambda _users: [_users[1]],
    )


def counted(others: Sequence[Fraction]) -> Counted:
    """Return each p_i with its number of users."""
    return [(term(p), others.count(p)) for p in sorted(set(others))]


def breakpoints(users: int) -> list[Fraction]:
    """Return the t >= 0 where a sum jumps, ascending: (i + 1)/k − 1 for i < users, k <= i + 1.

    Example:
        >>> breakpoints(3)
        [Fraction(0, 1), Fraction(1, 2), Fraction(1, 1), Fraction(2, 1)]
    """
    return sorted({Fraction(i + 1, k) - 1 for i in range(users) for k in range(1, i + 2)})


def weights(others: Counted) -> list[Term]:
    """Return the w_i^0: a count among users who say yes with probability 2 p_i.

    Example:
        >>> from exactdp.claims import value
        >>> [value(w) for w in weights([("1/4", 1), ("1/6", 1)])]
        [Exact('1/3'), Exact('1/2'), Exact('1/6')]
    """
    n = 1 + sum(count for _, count in others)
    rows = [[1, 0], [1, 0], *([1 - 2 * term(p), 2 * term(p)] for p, _ in others)]
    users = [(j, count) for j, (_, count) in enumerate(others, 2)]
    count_of_clones = named("C", shuffle_pair(rows, inputs=(0, 1), others=users))
    return [mass(count_of_clones, "p", (n - i, i)) for i in range(n)]


def sums(others: Counted, t: Fraction, *, first: int = 0) -> tuple[Term, Term]:
    """Return α = Σ w_i F_i(i − x) and Σ w_i F_i(i + 1 − x), from i = ``first``.

    Example:
        At t = 1 and C = 1: x = 1, F_1(0) = 1/2 and F_1(1) = 1.

        >>> from exactdp.claims import value
        >>> [value(s) for s in sums([("1/2", 1)], Fraction(1))]
        [Exact('1/2'), Exact('1')]
    """
    own = list(enumerate(weights(others)))[first:]
    alpha, plus = (total([w * _cdf(i, _top(i, t) - less) for i, w in own]) for less in (1, 0))
    return alpha, plus


def equation_5(
    others: Counted,
    t: Fraction,
    *,
    w: TermLike,
    exp_epsilon: TermLike,
    delta_1: TermLike = 0,
    first: int = 1,
) -> Term:
    """Return (5) at any t, as printed with sums from i = 1."""
    alpha, plus = sums(others, t, first=first)
    at = {"exp_epsilon": exp_epsilon, "alpha": alpha, "plus": plus, "w": w, "delta_1": delta_1}
    return formula(bounds.central_delta, **at)


def conjugate(
    others: Counted,
    t: Fraction,
    *,
    w: TermLike,
    exp_epsilon: TermLike,
    delta_1: TermLike = 0,
    f_s: Any = bounds.trade_off_of_complement,
) -> Term:
    """Return 1 − f_s(α) − e^ε α, with f_s as printed or with 1 − F_i."""
    alpha, plus = sums(others, t)
    value = formula(f_s, alpha=alpha, plus=plus, w=w, delta_1=delta_1)
    return formula(bounds.conjugate_term, exp_epsilon=exp_epsilon, alpha=alpha, value=value)


def best_delta(
    others: Counted, *, w: TermLike, exp_epsilon: TermLike, delta_1: TermLike = 0
) -> Term:
    """Return the largest value of (5) over t, sums from i = 0: the bound as it is meant.

    With A and B of :func:`bounds.factors` it is A D_{B/A}(P_0 ‖ Q_0), the clones' pair for
    w = 0; 0 for w >= 1/2.

    Example:
        One clone surely, w = 0: D_{3/2} of (2, 0), (1, 1) against (1, 1), (0, 2).

        >>> from exactdp.claims import value
        >>> value(best_delta([("1/2", 1)], w=0, exp_epsilon="3/2"))
        Exact('1/2')
    """
    given = {"exp_epsilon": exp_epsilon, "w": w, "delta_1": delta_1}
    a, b = bounds.factors(None, **{name: term(value) for name, value in given.items()})
    rows = [[1, 0, 0], [0, 1, 0], *([p, p, 1 - 2 * term(p)] for p, _ in others)]
    users = [(j, count) for j, (_, count) in enumerate(others, 2)]
    clones = shuffle_pair(rows, inputs=(0, 1), others=users)
    return when(">", a, 0, a * hockey_stick(clones, b / a), 0)


def slope_ratio(n: int, t: Fraction) -> tuple[Term, Term]:
    """Return both sums of l(t) = −top/bottom as printed, where the weight w_1^0 cancels."""
    top, bottom = (
        total([function("binomial", i, _top(i, t) - less) / 2**i for i in range(1, n)])
        for less in (0, 1)
    )
    return top, bottom


def t_epsilon(
    n: int, *, w: TermLike, exp_epsilon: TermLike
) -> tuple[Fraction | None, list[Relation]]:
    """Return t_ε as printed (δ_1 = 0), or None, and why: the condition at each step up to it.

    l is a step function, so the infimum is one of its :func:`breakpoints`. Where its
    denominator is 0, l is minus infinity.
    """
    why = []
    for t in breakpoints(n):
        top, bottom = slope_ratio(n, t)
        why.append(equal(bottom, 0))
        if not why[-1].holds():
            slope = formula(bounds.slope, l=-(top / bottom), w=w, delta_1=0)
            why[-1] = at_least(slope, -term(exp_epsilon))
            if why[-1].holds():
                return t, why
            why[-1] = why[-1].negated
    return None, why


def _top(i: int, t: Fraction) -> int:
    """Return ⌊i + 1 − x⌋."""
    return (i + 1 - Fraction(i + 1) / (t + 1)).__floor__()


def _cdf(i: int, k: int) -> Term:
    return sum_over("k", 0, min(k, i), lambda j: Term("binomial", term(i), j)) * Fraction(1, 2**i)
