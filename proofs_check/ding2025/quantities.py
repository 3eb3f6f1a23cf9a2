"""Quantities of the paper's claims, at an instance and in Coq: laws on the line behind the noise.

growth is e^{1/θ}, θ > 0; e^ε of a scale d/ε is growth^d. The definitions in Coq are those of
``proofs_check/coq/Noise.v`` and ``Transport.v``.

Definitions: the quantities :func:`added`, :func:`distance`, :func:`farthest`, :func:`moment_of`,
:func:`largest_moment`, :func:`largest_value`, :func:`of_bernoulli`, :func:`power`,
:func:`ratio_of_presence`, :func:`worst_beside`, :func:`worst_of_values`, :func:`worst_ratio`.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from exactdp.claims.laws import total_variation_of
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term, total
from proofs_check.ding2025.couplings import Coupling
from proofs_check.ding2025.law import Law, Rest, bernoulli, point, sum_of, whole
from proofs_check.ding2025.line import LinePair, moment
from proofs_check.ding2025.systems import System

Values = tuple[int, int]
"""The values a_i and b_i of a pair of secrets; b_i = 0 for an absent user."""


@quantity("worst_ratio {2} {0} {1}", name="ratio")
def worst_ratio(P: Law, Q: Law, growth: Fraction) -> Term:
    """Return the largest ratio of (1), either way, over all outputs y."""
    return LinePair.of(P, Q, name="own").worst_ratio(growth)


@quantity("worst_ratio {3} (plus {0} {2}) (plus {1} {2})", name="ratio_beside")
def worst_beside(P: Law, Q: Law, others: Law, growth: Fraction) -> Term:
    """Return the same after an independent draw of others is added to both."""
    return LinePair.of(P, Q, name="own").beside(others).worst_ratio(growth)


@quantity("(sum_of {0})")
def added(others: Rest) -> Law:
    """Return the law of the sum of independent draws."""
    return sum_of(others)


@quantity("(bernoulli {0})")
def of_bernoulli(p: Fraction) -> Law:
    """Return the law on {0, 1} with mass p at 1."""
    return bernoulli(p)


@quantity("farthest {0} {1}")
def farthest(P: Law, Q: Law) -> Term:
    """Return the largest |x − x'| on the support of the plan (6)."""
    return LinePair.of(P, Q).farthest()


@quantity("reach {0}")
def reach(coupling: Coupling) -> Fraction:
    """Return the largest |x − x'| that a coupling moves any mass."""
    return max(abs(x - z) for x, z in coupling)


@quantity("mass Req_EM_T {0} {1}")
def mass_at(P: Law, x: Fraction) -> Fraction:
    """Return the mass at a point."""
    return P[x]


@quantity("plan {0} {1} {2} {3}")
def plan_mass(P: Law, Q: Law, x: Fraction, z: Fraction) -> Term:
    """Return the mass of the plan (6) at (x, z)."""
    return LinePair.of(P, Q).plan(x, z)


@quantity("total (map (plan {0} {1} {2}) (points {1}))")
def plan_row(P: Law, Q: Law, x: Fraction) -> Term:
    """Return the mass of the plan (6) in the row of x."""
    return total([LinePair.of(P, Q).plan(x, z) for z in Q.points])


@quantity("total (map (fun x => plan {0} {1} x {2}) (points {0}))")
def plan_column(P: Law, Q: Law, z: Fraction) -> Term:
    """Return the mass of the plan (6) in the column of z."""
    return total([LinePair.of(P, Q).plan(x, z) for x in P.points])


@quantity("Rpower {0} {1}")
def power(growth: Fraction, d: Any) -> Any:
    """Return e^ε of the scale d/ε."""
    return term(term(growth) ** d)


@quantity("worst_of {0} (fun i => (certain (fst ({1} i)), certain (snd ({1} i)))) {2}")
def worst_of_values(V: System, secrets: Sequence[Values], growth: Fraction) -> Term:
    """Return the largest ratio of (1) over (s_{a_i}, s_{b_i}), each user i."""
    return V.worst_ratio([(point(a), point(b)) for a, b in secrets], growth)


@quantity("one_sided_of {0} (fun i => (certain (fst ({1} i)), certain (snd ({1} i)))) {2}")
def one_sided_of_values(V: System, secrets: Sequence[Values], growth: Fraction) -> Term:
    """Return the largest f_a/f_b over (s_{a_i}, s_{b_i}), each user i, and all y."""
    pairs = (V.pair(i, point(a), point(b), name=f"X_{i + 1}") for i, (a, b) in enumerate(secrets))
    return function("max", *(pair.one_sided_ratio(growth) for pair in pairs))


@quantity("(surely {0})")
def surely(V: System) -> System:
    """Return the same users, all of them present."""
    return System(V.laws)


@quantity("largest_of {0} (fun i => Rabs (fst ({1} i) - snd ({1} i)))")
def distance(V: System, secrets: Sequence[Values]) -> int:
    """Return the largest |a_i − b_i|."""
    assert len(V.laws) == len(secrets)
    return max(abs(a - b) for a, b in secrets)


@quantity("worst_of {0} (fun i => (report {0} i, certain 0)) {1}")
def ratio_of_presence(V: System, growth: Fraction) -> Term:
    """Return the largest ratio of (1) over (s_{P_i}, s_⊥), P_i the law of user i."""
    return V.worst_ratio([(own, point(0)) for own in V.laws], growth)


@quantity("largest_of {0} (fun i => moment {1} (report {0} i))")
def largest_moment(V: System, growth: Fraction) -> Term:
    """Return the largest E[e^{|D_i|/θ}]."""
    return function("max", *(moment(own, growth) for own in V.laws))


@quantity("least_of {0} (fun i => moment {1} (report {0} i))")
def least_moment(V: System, growth: Fraction) -> Term:
    """Return the least E[e^{|D_i|/θ}]."""
    return function("min", *(moment(own, growth) for own in V.laws))


@quantity("largest_of {0} (fun i => size (report {0} i))")
def largest_value(V: System) -> int:
    """Return the largest |t|, t in some D_i."""
    return max(own.largest_size for own in V.laws)


@quantity("moment {1} {0}")
def moment_of(P: Law, growth: Fraction) -> Term:
    """E[e^{|D|/θ}]."""
    return moment(P, growth)


@quantity("size {0}")
def size(P: Law) -> int:
    """Return the largest |t| of positive mass."""
    return P.largest_size


@quantity("worst_ratio {2} (plus {0} {1}) (plus (certain 0) {1})", name="ratio_of_presence")
def presence_beside(P: Law, others: Law, growth: Fraction) -> Term:
    """Return the largest ratio of (1) over (s_P, s_⊥) beside others."""
    return LinePair.of(P, point(0), name="own").beside(others).worst_ratio(growth)


@quantity("product_of_moments {1} {0}")
def product_of_moments(records: Rest, growth: Fraction) -> Term:
    """Return Π E[e^{|D^k|/θ}]."""
    found = prod((moment(record, growth) for record in records), start=term(1))
    return named("e_eps", found)


@quantity("sum_of_sizes {0}")
def sum_of_sizes(records: Rest) -> int:
    """Return Σ max|D^k|."""
    return sum(record.largest_size for record in records)


@quantity("symmetric_shift {0} {1} {2}")
def symmetric_shift(X: Sequence[Fraction], P: Law, Q: Law) -> Term:
    """Return max over X of the larger of min{Δ ≥ 0 : F_P(x) ≤ F_Q(x+Δ)} and the same, exchanged."""
    return LinePair.of(P, Q, points=X).symmetric_shift(X)


@quantity("total_variation Req_EM_T {0} {1}")
def total_variation(P: Law, Q: Law) -> Term:
    """Return the total variation distance."""
    return total_variation_of(LinePair.of(P, Q, name="own").pair)


@quantity("spread {0}")
def spread(D: Sequence[Fraction]) -> int:
    """Return the diameter of a finite set of integers."""
    return int(max(D) - min(D))


@quantity("up_to {0} {1}", name="F")
def cumulative(P: Law, x: Fraction) -> Fraction:
    """Return the mass of (−∞, x]."""
    return P.up_to(x)


@quantity("up_to (plus (certain {1}) {0}) {2}", name="F_shifted")
def cumulative_of_value(G: Law, a: Fraction, x: Fraction) -> Fraction:
    """Return the mass of (−∞, x] after a is added."""
    return (point(a) + G).up_to(x)


@quantity("up_to (plus {0} (sum_of {1})) {2}", name="F_X")
def cumulative_beside(P: Law, others: Rest, x: Fraction) -> Fraction:
    """Return the mass of (−∞, x] after draws of others are added."""
    return (P + sum_of(others)).up_to(x)


@quantity("output {1} {0} {2}", name="f")
def output(P: Law, growth: Fraction, y: Fraction) -> Term:
    """Return 2θ times the density at y of a draw and the noise."""
    return total([m * term(growth) ** -whole(abs(y - x)) for x, m in P.masses])


@quantity("output {2} (plus (certain {0}) {1}) {3}", name="f")
def output_of_value(a: Fraction, others: Law, growth: Fraction, y: Fraction) -> Term:
    """Return the same of a value beside others."""
    return total([m * term(growth) ** -whole(abs(y - a - t)) for t, m in others.masses])


@quantity("(Rpower {0} (Rabs {1}))", name="power_of_size")
def power_of_size(growth: Fraction, d: Fraction) -> Term:
    """Return e^{|d|/θ}."""
    return term(growth) ** whole(abs(d))


class Secrets(tuple[tuple[Law, Law], ...]):
    """The laws of X given the secrets of each pair of S, for each ρ."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(f"({P}, {Q})" for P, Q in self)


def _pairs(S: Secrets) -> list[LinePair]:
    return [LinePair.of(*two, name=f"X_{i}") for i, two in enumerate(S)]


@quantity("worst_of_pairs {1} {0}")
def worst_of_pairs(S: Secrets, growth: Fraction) -> Term:
    """Return the largest ratio of (1) over S."""
    return function("max", *(pair.worst_ratio(growth) for pair in _pairs(S)))


@quantity("worst_of_pairs {2} (beside {1} {0})")
def worst_of_pairs_beside(S: Secrets, others: Rest, growth: Fraction) -> Term:
    """Return the same after draws of others are added to each law."""
    pairs = (
        pair.beside(*others, name=f"Y_{i}") if others else pair for i, pair in enumerate(_pairs(S))
    )
    return function("max", *(pair.worst_ratio(growth) for pair in pairs))


@quantity("farthest_of_pairs {0}")
def farthest_of_pairs(S: Secrets) -> Term:
    """Return the largest distance of a plan (6) over S, which is that of W_∞."""
    return function("max", *(pair.farthest() for pair in _pairs(S)))


@quantity("shift_of_pairs {0} {1}")
def shift_of_pairs(X: Sequence[Fraction], S: Secrets) -> Term:
    """Return the largest symmetric shift over S."""
    found = [LinePair.of(*two, name=f"X_{i}", points=X) for i, two in enumerate(S)]
    return function("max", *(pair.symmetric_shift(X) for pair in found))


def _over_plan(P: Law, Q: Law, of: Callable[[Fraction, Fraction], Any]) -> Term:
    """Return the sum over the plan (6) of its masses times a function."""
    pair = LinePair.of(P, Q)
    return total([pair.plan(x, z) * of(x, z) for x, z in product(P.points, Q.points)])


@quantity(
    "mean (fun e => noise {2} ({4} - fst e) - {3} * noise {2} ({4} - snd e)) (plan_law {0} {1})"
)
def middle_of_4(P: Law, Q: Law, growth: Fraction, exp_epsilon: Fraction, y: Fraction) -> Term:
    """Return ∫(P_N(y−x) − e^ε P_N(y−x'))dπ*(x,x')."""
    g = term(growth)
    return _over_plan(
        P, Q, lambda x, z: g ** -whole(abs(y - x)) - exp_epsilon * g ** -whole(abs(y - z))
    )


@quantity(
    "mean (fun e => noise {2} ({4} - snd e) * (Rpower {2} (Rabs (fst e - snd e)) - {3})) "
    "(plan_law {0} {1})"
)
def right_of_4(P: Law, Q: Law, growth: Fraction, exp_epsilon: Fraction, y: Fraction) -> Term:
    """Return ∫ P_N(y−x')(e^{|x−x'|/θ} − e^ε)dπ*(x,x')."""
    g = term(growth)
    return _over_plan(
        P, Q, lambda x, z: g ** -whole(abs(y - z)) * (g ** whole(abs(x - z)) - exp_epsilon)
    )
