"""Laws and their quantities, at an instance and in Coq: the words of claims about all laws.

Definitions: the kinds :func:`a_law`, :data:`LAW`, :data:`CHANNEL`, :data:`WEIGHTS`, :data:`PAIRS`,
and :data:`EVENT`; the quantities :func:`divergence`, :func:`divergence_of_messages`, :func:`after`,
:func:`mixture`, :func:`mixed_pair_divergence`, :func:`mean_divergence`, :func:`probability`,
:func:`total_mass`, :func:`letter`, :func:`part_mass`, :func:`share_of`, :func:`part`,
:func:`left_over` and :func:`in_both`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.kinds import Objects, objects
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, total
from exactdp.coq.values import coq_record
from exactdp.testing import probability_vectors
from exactdp.testing.later import st

__all__ = [
    "CHANNEL",
    "EVENT",
    "LAW",
    "PAIRS",
    "SAME",
    "WEIGHTS",
    "Law",
    "a_law",
    "after",
    "divergence",
    "divergence_of_messages",
    "in_both",
    "is_law",
    "left_over",
    "letter",
    "mean_divergence",
    "mixed",
    "mixed_pair_divergence",
    "mixture",
    "part",
    "part_mass",
    "probability",
    "share_of",
    "total_mass",
    "written_neighbors",
]

Law = tuple[Fraction, ...]

SAME = "{A} (same : forall x y : A, {x = y} + {x <> y})"
"""What the types of laws need in Coq: their outcomes can be told apart."""

_MESSAGES = "{B} (same_B : forall x y : B, {x = y} + {x <> y})"
_LAWS = partial(probability_vectors, size=3, max_weight=4)


def is_law(masses: Sequence[Any]) -> bool:
    """Return whether no mass is negative, and their sum is 1."""
    return bool(min(masses) >= 0 and sum(masses) == 1)


def a_law(size: int) -> Objects:
    """Return the laws on finitely many outcomes, as a kind; those on so many are drawn."""
    drawn = partial(probability_vectors, size=size, max_weight=4)
    return objects("a law on finitely many outcomes", drawn, coq=("law A", "is_law {0}", SAME))


LAW = a_law(3)
CHANNEL = objects(
    "a law of messages for each outcome",
    lambda: st.tuples(*[probability_vectors(size=2, max_weight=3)] * 3),
    condition=lambda channel: all(map(is_law, channel)),
    coq=("A -> law B", "(forall a, is_law ({0} a))", _MESSAGES),
)
WEIGHTS = objects(
    "a law on finitely many parts",
    lambda: probability_vectors(size=2, max_weight=4),
    condition=lambda weights: is_law(weights),
    coq=("law nat", "is_law {0}", ""),
)
PAIRS = objects(
    "a pair of laws for each part",
    lambda: st.tuples(*[st.tuples(_LAWS(), _LAWS())] * 2),
    condition=lambda parts: all(is_law(law) for part in parts for law in part),
    coq=("nat -> law A * law A", "(forall i, is_law (fst ({0} i)) /\\ is_law (snd ({0} i)))", SAME),
)
EVENT = objects(
    "a set of outcomes",
    lambda: st.sets(st.integers(0, 2)).map(lambda found: tuple(sorted(found))),
    coq=("A -> bool", "", SAME),
)


def written_neighbors(kind: str, data: tuple[Sequence[int], Sequence[int]]) -> str:
    """Return two data sets that differ in one place as the record ``neighbors`` in Coq."""
    one, two = data
    place = next(i for i, (x, y) in enumerate(zip(one, two, strict=True)) if x != y)
    return coq_record(
        f"neighbors {kind}",
        (f"list {kind}", one[:place]),
        (kind, one[place]),
        (kind, two[place]),
        (f"list {kind}", one[place + 1 :]),
    )


def mixed(weights: Sequence[Any], parts: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Return the mixture of laws, as their masses.

    Example:
        >>> [str(mass) for mass in mixed((2, 3), [(1, 0), (0, 1)])]
        ['2', '3']
    """
    return tuple(
        sum((w * m for w, m in zip(weights, column, strict=True)), Fraction(0))
        for column in zip(*parts, strict=True)
    )


@quantity("hockey_stick same {0} {1} {2}", name="D")
def divergence(P: Law, Q: Law, gamma: Any) -> Term:
    """D_γ(P ‖ Q)."""
    return hockey_stick(finite_pair(P, Q), gamma)


@quantity("hockey_stick same_B {0} {1} {2}", name="D")
def divergence_of_messages(P: Law, Q: Law, gamma: Any) -> Term:
    """D_γ(P ‖ Q) of laws of messages."""
    return hockey_stick(finite_pair(P, Q), gamma)


@quantity("(bind {0} {1})")
def after(P: Law, channel: Sequence[Law]) -> Law:
    """Return the law of the message after a channel."""
    return mixed(P, channel)


@quantity("(mixture {0} {1} {2})")
def mixture(q: Any, P: Law, Q: Law) -> Law:
    """Return the law (1 − q) P + q Q."""
    return mixed((1 - q, q), (P, Q))


@quantity(
    "hockey_stick same (bind {0} (fun i => fst ({1} i))) (bind {0} (fun i => snd ({1} i))) {2}"
)
def mixed_pair_divergence(weights: Law, parts: Sequence[tuple[Law, Law]], gamma: Any) -> Term:
    """D_γ of the mixtures of the first laws and of the second."""
    p, q = (mixed(weights, [part[side] for part in parts]) for side in (0, 1))
    return hockey_stick(finite_pair(p, q), gamma)


@quantity("mean (fun i => hockey_stick same (fst ({1} i)) (snd ({1} i)) {2}) {0}")
def mean_divergence(weights: Law, parts: Sequence[tuple[Law, Law]], gamma: Any) -> Term:
    """Return the mean of D_γ over the parts."""
    each = [w * divergence(*part, gamma) for w, part in zip(weights, parts, strict=True)]
    return total(each)


@quantity("prob {1} {0}", name="Pr")
def probability(P: Law, S: Sequence[int]) -> Fraction:
    """Return the probability of a set of outcomes."""
    return sum((P[y] for y in S), Fraction(0))


@quantity("mean (fun _ => 1) {0}")
def total_mass(P: Law) -> Fraction:
    """Return the sum of all masses."""
    return sum(P, Fraction(0))


@quantity("(letter same {0} {1} {2})")
def letter(x: Fraction, P: Law, Q: Law) -> Law:
    """Return the law (x P − Q)/(x − 1), which is P where x = 1."""
    return P if x == 1 else tuple((x * u - v) / (x - 1) for u, v in zip(P, Q, strict=True))


@quantity("part_mass same {0} {1}", name="D_1")
def part_mass(P: Law, Q: Law) -> Fraction:
    """Return the mass of the positive part of P − Q."""
    return sum((max(u - w, Fraction(0)) for u, w in zip(P, Q, strict=True)), Fraction(0))


@quantity("(share_of same {0} {1} {2})", name="alpha")
def share_of(x: Fraction, P: Law, Q: Law) -> Fraction:
    """Return the total variation over x − 1: the weight of either letter; 0 for x = 1."""
    return Fraction(0) if x == 1 else part_mass(P, Q) / (x - 1)


@quantity("(part same {0} {1})")
def part(P: Law, Q: Law) -> Law:
    """Return the law in proportion to the positive part of P − Q, or P if there is none."""
    whole = part_mass(P, Q)
    return (
        P
        if whole == 0
        else tuple(max(u - w, Fraction(0)) / whole for u, w in zip(P, Q, strict=True))
    )


@quantity("(left_over same {0} {1} {2} {3} {4})")
def left_over(s: Fraction, t: Fraction, X: Law, P: Law, Q: Law) -> Law:
    """Return the law (X − s P − t Q)/(1 − s − t), or X if s + t = 1."""
    rest = 1 - s - t
    return (
        X
        if rest == 0
        else tuple((x - s * u - t * w) / rest for x, u, w in zip(X, P, Q, strict=True))
    )


@quantity("(in_both same {0} {1})")
def in_both(P: Law, Q: Law) -> Law:
    """Return the law in proportion to the smaller masses; P if there are none."""
    return tuple(left_over(part_mass(P, Q), Fraction(0), P, part(P, Q), Q))
