"""Theorem 4.8, the divergence as an expectation, and Theorem 4.3, a closed form."""

from fractions import Fraction
from functools import partial
from math import ceil, comb, floor
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, below, equal, for_all
from exactdp.claims.kinds import integers, reals
from exactdp.claims.laws import hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, formula, term
from exactdp.claims.values import value
from exactdp.divergences.profile import enclosed
from exactdp.numbers import Enclosure, Epsilon, enclosure
from exactdp.shuffle import variation_ratio_pair
from proofs_check.lemmas.mixtures import among, letters_apart
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2023 import bounds

TRIALS: Trials = {}


def tail(c: int, share: Fraction, low: int, high: int) -> Fraction:
    """Return CDF_c[low, high]: Bin(c, share) between low and high, both included."""
    terms = range(max(low, 0), min(high, c) + 1)
    return sum((comb(c, a) * share**a * (1 - share) ** (c - a) for a in terms), Fraction(0))


def slope_of(p: Any, alpha: Any, r0: Any, r1: Any, e: Any) -> Any:
    """Return the denominator of low_c, e = e^ε."""
    return alpha * (p / r0 - 1 / r1 + e * (p / r1 - 1 / r0))


def threshold(c: Any, g: Any, p: Any, alpha: Any, r0: Any, r1: Any, e: Any) -> Any:
    """Return low_c for e = e^ε, high_c for e = e^{−ε}."""
    return ((e * p - 1) * alpha * c / r1 + (e - 1) * g) / slope_of(p, alpha, r0, r1, e)


def printed_expectation(
    n: int,
    p: Fraction,
    alpha: Fraction,
    r0: Fraction,
    r1: Fraction,
    e: Fraction,
    *,
    reverse: bool,
    shift: int,
) -> Fraction:
    """Return the printed expectation of D(P‖Q), or of D(Q‖P); shift is 1 as printed."""
    share, rest = r0 / (r0 + r1), 1 - alpha - p * alpha
    first, second, neither = (p - e) * alpha, (1 - p * e) * alpha, (1 - e) * rest
    found = Fraction(0)
    for c in range(n):
        next_t, t = (
            threshold(i, rest * (n - i) / (1 - r0 - r1), p, alpha, r0, r1, 1 / e if reverse else e)
            for i in (c + shift, c)
        )
        if reverse:
            parts = [(second, next_t - 1), (first, next_t), (neither, t)]
            tails = sum(w * tail(c, share, 0, floor(high)) for w, high in parts)
        else:
            parts = [(first, next_t - 1), (second, next_t), (neither, t)]
            tails = sum(w * tail(c, share, ceil(low), c) for w, low in parts)
        found += comb(n - 1, c) * (r0 + r1) ** c * (1 - r0 - r1) ** (n - 1 - c) * tails
    return found


@quantity("(victim_apart {0:nat} {1} {2} {3} {4} {5})", name="D")
def victim_apart(n: int, s: Any, t: Any, r0: Any, r1: Any, exp_epsilon: Any) -> Term:
    """D of the counts: the victim sends the letters with s and t, or exchanged."""
    rows = [[s, t, 1 - s - t], [t, s, 1 - s - t], [r0, r1, 1 - r0 - r1]]
    return hockey_stick(among(rows, n - 1), exp_epsilon)


@quantity("(expectation {0:nat} {1} {2} {3} {4} {5})", name="E")
def expectation(n: int, p: Any, alpha: Any, r0: Any, r1: Any, exp_epsilon: Any) -> Fraction:
    """Return the expectation for D(P‖Q)."""
    return printed_expectation(n, p, alpha, r0, r1, exp_epsilon, reverse=False, shift=1)


@quantity("(expectation_back {0:nat} {1} {2} {3} {4} {5})", name="E_back")
def expectation_back(n: int, p: Any, alpha: Any, r0: Any, r1: Any, exp_epsilon: Any) -> Fraction:
    """Return the expectation for D(Q‖P)."""
    return printed_expectation(n, p, alpha, r0, r1, exp_epsilon, reverse=True, shift=1)


def theorem_4_8(n: Any, p: Any, alpha: Any, r0: Any, r1: Any, exp_epsilon: Any) -> list[Relation]:
    """Both directions of the pair are the expectations."""
    at = (n, p, alpha, r0, r1, exp_epsilon)
    return [
        equal(victim_apart(n, p * alpha, alpha, r0, r1, exp_epsilon), expectation(*at)),
        equal(victim_apart(n, alpha, p * alpha, r0, r1, exp_epsilon), expectation_back(*at)),
    ]


def unshifted(n: int, p: Any, alpha: Any, r0: Any, r1: Any, exp_epsilon: Any) -> list[Relation]:
    """False: low_c and high_c in place of those of c + 1."""
    at = (n, p, alpha, r0, r1, exp_epsilon)
    sides = theorem_4_8(*at)
    return [
        equal(one.left, printed_expectation(*at, reverse=reverse, shift=0))
        for one, reverse in zip(sides, (False, True), strict=True)
    ]


TRIALS["wang2023/theorem-4.8"] = for_all(
    cases(
        n=(2, 1, 3, 6),
        p=(Fraction(2), Fraction(5)),
        alpha=lambda p: [part / (p + 1) for part in (Fraction(1, 2), Fraction(1))],
        r0__r1=lambda p, alpha: [
            (alpha * p / q0, alpha * p / q1)
            for q0, q1 in ((p, p), (3 * p, 3 * p), (p, 2 * p), (5 * p, 3 * p))
        ],
        exp_epsilon=lambda p: [Fraction(1, 2), Fraction(1), (1 + p) / 2, (1 + 7 * p) / 8, p + 1],
    )
    .deep(n=(1, 2, 3, 6, 15))
    .where(lambda r0, r1: r0 + r1 < 1)
    .within(
        lambda p, alpha, r0, r1: [below(r0 + r1, 1), at_most(r1, p * alpha)],
        n=integers(1),
        p=reals(above=1),
        alpha=reals(above=0, most=lambda p: 1 / (p + 1)),
        r0=reals(above=0, most=lambda p, alpha: p * alpha),
        r1=reals(lambda p, r0: r0 / p, lambda p, r0: r0 * p),
        exp_epsilon=reals(above=0),
    ),
    theorem_4_8,
    wrong=unshifted,
    proof=theorem("wang2023_theorem_4_8"),
)

WIDTH = "1e-9"


def hypotheses(n: Any, p: Any, beta: Any, q: Any, delta: Any) -> list[Relation]:
    """2r < 1, for the closed form divides by 1 - 2r, and n >= 8 log(2/δ)/r."""
    needed = formula(bounds.smallest_n, p=p, beta=beta, q=q, delta=delta)
    return [below(2 * term(beta) * p, (term(p) - 1) * q), at_most(needed, n)]


_LISTED = 60
"""The counts of so many users are listed; of more the divergence is enclosed."""


@quantity(letters_apart.coq, name=letters_apart.name)
def letters_at_scale(n: int, p: Fraction, alpha: Fraction, r: Fraction, exp_epsilon: Any) -> Any:
    """D of the counts of both letters, for p or 1/p the same, between certified ends."""
    if n <= _LISTED:
        return letters_apart.compute(n, p, alpha, r, exp_epsilon)
    p, alpha = (p, alpha) if p > 1 else (1 / p, p * alpha)
    bracket = enclosure(value(exp_epsilon), relative_bits=60)
    if bracket.lower >= p:  # nothing is left
        return 0
    pair = variation_ratio_pair(n, p=p, beta=alpha * (p - 1), q=alpha * p / r)
    ends = [
        enclosed(pair.delta(Epsilon.log(end), relative_width=WIDTH), WIDTH)
        for end in (bracket.upper, bracket.lower)
    ]
    return Enclosure(ends[0].lower, ends[1].upper)


def theorem_4_3(n: Any, p: Any, beta: Any, q: Any, delta: Any, divide: int = 1) -> list[Relation]:
    """Bound the pair at the closed form (its excess over 1 divided by ``divide``).

    The other way round the victim sends the letters with (1/p)(pα) and pα.
    """
    bound = formula(bounds.exp_amplified, n=n, p=p, beta=beta, q=q, delta=delta)
    bound = bound if divide == 1 else 1 + (bound - 1) / divide
    alpha = beta / (p - 1)
    return [
        at_most(letters_at_scale(n, ratio, share, alpha * p / q, bound), delta)
        for ratio, share in ((p, alpha), (1 / p, p * alpha))
    ]


TRIALS["wang2023/theorem-4.3"] = for_all(
    cases(
        n=(20, 60, 200, 1000, 20_000, 10**6),
        p=(Fraction(3, 2), Fraction(4)),
        beta=lambda p: [part * (p - 1) / (p + 1) for part in (Fraction(1, 3), Fraction(1))],
        q=lambda p: [p, 3 * p],
        delta=[Fraction(d) for d in ("1", "1/2", "1/10", "1e-6")],
    )
    .where(lambda n, p, beta, q, delta: hypotheses(n, p, beta, q, delta)[1].holds())
    .within(
        hypotheses,
        n=integers(2, draws=5000),
        p=reals(above=1),
        beta=reals(above=0, most=lambda p: (p - 1) / (p + 1)),
        q=reals(1),
        delta=reals(above=0, most=1),
    ),
    theorem_4_3,
    wrong=partial(theorem_4_3, divide=100),
    proof=theorem("wang2023_theorem_4_3"),
)
