"""Whether noise attains ε, for numbers and as relations for the kernel.

Definitions: :func:`attains_relations`, :func:`exp_moment`, :func:`exp_moment_term`,
:func:`one_sided_ratio`, :func:`with_others`.
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.certificates import Term, relation, term
from exactdp.certificates.certificate import Relation
from exactdp.numbers import Epsilon, Exact
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale, sum_of_independent
from proofs_check.ding2025.laws import Law
from proofs_check.ding2025.terms import LinePair

__all__ = [
    "attains_relations",
    "exp_moment",
    "exp_moment_term",
    "one_sided_ratio",
    "with_others",
]


def with_others(law: Law, others: Law) -> Law:
    """Return the law of a user's report plus the independent sum of all others.

    Example:
        >>> from proofs_check.ding2025.laws import bernoulli, point, text
        >>> text(with_others(point(3), bernoulli("1/2")))
        '{3: 1/2, 4: 1/2}'
    """
    return sum_of_independent([law, others])


def one_sided_ratio(p: Law, q: Law, *, growth: Fraction) -> Fraction:
    """Return sup over y of f_p(y) / f_q(y), growth = e^{1/θ}.

    Example:
        >>> from proofs_check.ding2025.laws import bernoulli, point
        >>> one_sided_ratio(bernoulli("1/2"), point(0), growth=Fraction(3))
        Fraction(2, 1)
    """
    pair = LaplaceMixturePair(p, q, LaplaceScale(Fraction(1), Epsilon.log(growth)))
    ratio = pair.largest_ratio().ratio
    assert isinstance(ratio, Exact)  # growth and masses are rational
    return ratio.as_fraction()


def exp_moment(law: Law, *, growth: Fraction) -> Fraction:
    """Return E[e^{|D|/θ}], growth = e^{1/θ}, for a law on integers.

    Example:
        >>> from proofs_check.ding2025.laws import bernoulli
        >>> exp_moment(bernoulli("1/4"), growth=Fraction(5))
        Fraction(2, 1)
    """
    parts = ((x, m.as_fraction()) for x, m in law.masses.items())
    return sum((m * growth ** int(abs(x)) for x, m in parts), Fraction(0))


def exp_moment_term(pair: LinePair, side: str, *, growth: Fraction) -> Term:
    """Return E[e^{|D|/θ}] of one law of a pair as a term."""
    total = term(0)
    for x in pair.points:
        total = total + pair.mass(side, x) * term(growth) ** int(abs(x))
    return total


def attains_relations(pair: LinePair, *, exp_epsilon: Fraction, growth: Fraction) -> list[Relation]:
    """Return relations that say that the noise attains ε on a pair, in both directions.

    The ratio of two output densities is largest at a point of the joint support
    (exactdp.pufferfish.mixtures), so the relations at these points say so for all y.
    """
    relations = []
    for y in pair.points:
        first, second = (pair.density(side, y, growth=growth) for side in ("p", "q"))
        relations.append(relation("<=", first, exp_epsilon * second))
        relations.append(relation("<=", second, exp_epsilon * first))
    return relations
