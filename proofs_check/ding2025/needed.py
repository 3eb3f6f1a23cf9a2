"""The smallest scales of Laplace noise for small systems whose laws are numbers.

User 1 reports a value, a Bernoulli value or one of 0, 1, d; another user, present with probability
zeta, reports 1 with probability r, else 0. Each function returns the smallest scale of (1), from
the two laws of the answer, as what a published scale bounds.

Definitions: :func:`pair_of`, :func:`three`, and what is hidden, :func:`of_priors` and so on.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

from exactdp.bounds import BoundedNumber, one_number
from exactdp.numbers import Enclosure, Epsilon
from exactdp.pufferfish import line_law, smallest_scale
from proofs_check.ding2025.law import Law, bernoulli, law, point

_MOST_RECORDS = 100
"""So many records the smallest scale is computed of."""


@lru_cache(maxsize=256)
def _smallest(pairs: tuple[tuple[Law, Law], ...], epsilon: Fraction) -> Enclosure:
    answers = [(line_law(dict(p.masses)), line_law(dict(q.masses))) for p, q in pairs]
    return smallest_scale(answers, epsilon=Epsilon.rational(epsilon))


def _needed(*pairs: tuple[Law, Law], others: Law | None = None, epsilon: Fraction) -> BoundedNumber:
    """Return the smallest scale that attains ε on all pairs, with the others' reports added."""
    seen = pairs if others is None else tuple((p + others, q + others) for p, q in pairs)
    return one_number("the smallest scale for these laws, (1)", _smallest(seen, epsilon))


def _other(r: Fraction, zeta: Fraction) -> Law:
    """Return the law of the other user's part of the answer."""
    return bernoulli(r * zeta)


def three(d: int, first: Fraction, last: Fraction) -> Law:
    """Return the law on 0, 1 and d with these masses at 1 and at d."""
    return law({0: 1 - first - last, 1: first, d: last})


def pair_of(d: int, p_1: Fraction, p_d: Fraction, q_1: Fraction, q_d: Fraction) -> tuple[Law, Law]:
    """Return two laws on 0, 1 and d."""
    return three(d, p_1, p_d), three(d, q_1, q_d)


def of_priors(epsilon: Fraction, **at: Any) -> BoundedNumber:
    """Return the smallest scale that attains ε on two laws of the answer."""
    return _needed(pair_of(**at), epsilon=epsilon)


def beside_another(r: Fraction, zeta: Fraction, epsilon: Fraction, **at: Any) -> BoundedNumber:
    """Return the smallest scale for two laws of a report, with another user."""
    return _needed(pair_of(**at), others=_other(r, zeta), epsilon=epsilon)


def of_bernoulli(
    p: Fraction, q: Fraction, r: Fraction, epsilon: Fraction, **at: Any
) -> BoundedNumber:
    """Return the smallest scale for two Bernoulli laws of a report."""
    others = _other(r, at.get("zeta", Fraction(1)))
    return _needed((bernoulli(p), bernoulli(q)), others=others, epsilon=epsilon)


def of_values(
    a: Fraction, b: Fraction, r: Fraction, zeta: Fraction, epsilon: Fraction
) -> BoundedNumber:
    """Return the smallest scale for two values of a report."""
    return _needed((point(a), point(b)), others=_other(r, zeta), epsilon=epsilon)


def of_absent(a: Fraction, r: Fraction, zeta: Fraction, epsilon: Fraction) -> BoundedNumber:
    """Return the smallest scale for a value, and absence."""
    return of_values(a, Fraction(0), r, zeta, epsilon)


def of_presence(p: Fraction, **other: Fraction) -> BoundedNumber:
    """Return the smallest scale for the presence of a user with a Bernoulli report."""
    return _of_law(bernoulli(p), **other)


def _of_law(own: Law, r: Fraction, zeta: Fraction, epsilon: Fraction) -> BoundedNumber:
    """Return the smallest scale for the presence of a user with a law of the report."""
    return _needed((own, point(0)), others=_other(r, zeta), epsilon=epsilon)


def of_reports(
    a: Fraction, b: Fraction, p_a: Fraction, p_b: Fraction, **other: Fraction
) -> BoundedNumber:
    """Return the smallest scale for the presence of a user who reports a, b or 0."""
    masses = {a: Fraction(0), b: Fraction(0), Fraction(0): 1 - p_a - p_b}
    masses[a] += p_a
    masses[b] += p_b
    return _of_law(law(masses), **other)


def of_three_points(p_1: Fraction, p_2: Fraction, **other: Fraction) -> BoundedNumber:
    """Return the smallest scale for the presence of a user who reports 0, 1 or 2."""
    return _of_law(three(2, p_1, p_2), **other)


def of_two_users(
    p_1: Fraction, p_2: Fraction, zeta_1: Fraction, zeta_2: Fraction, epsilon: Fraction
) -> BoundedNumber:
    """Return the smallest scale that hides the presence of each, the other being there or not."""
    seen = ((p_1, _other(p_2, zeta_2)), (p_2, _other(p_1, zeta_1)))
    pairs = [(bernoulli(p) + others, others) for p, others in seen]
    return _needed(*pairs, epsilon=epsilon)


def of_class(n: int, p: Fraction, epsilon: Fraction) -> BoundedNumber:
    """Return the smallest scale that hides a class of n records, each 1 with probability p."""
    few = min(n, _MOST_RECORDS)
    count = law({k: comb(few, k) * p**k * (1 - p) ** (few - k) for k in range(few + 1)})
    found = _smallest(((count, point(0)),), epsilon)
    if few == n:
        return one_number("the smallest scale for these records, (1)", found)
    most = Enclosure(n / epsilon, n / epsilon)
    return BoundedNumber(
        ((f"the smallest scale for {few} of the records", found),),
        (("n/ε (ding2025/repair/class-removal)", most),),
    )
