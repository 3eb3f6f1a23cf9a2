"""Section 4.4.1: the proof of Lemma 6: the plan (6), display by display, and its columns in (20).

In the proof F_Q(x) <= F_P(x) <= F_Q(x + 1) for p < q (P and Q exchanged for p > q), so each
minimum in (6) is decided by the order of x and x', and the masses of the plan are identities
in p, q and the masses of f(D_{-i}). For p > q the last display shifts that mass: π*(x'+1, x')
is (p − q) Pr(f(D_{-i}) = x'), not x' − 1; so the printed ψ is not the ratio of the two masses,
and the θ of (21) need not satisfy (20), over any range of x.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.claim import Statement
from exactdp.claims.forms import Relation, Said, Trials, above, at_most, equal, for_all
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term, total, when
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025.bernoulli_user import (
    BASES,
    BINARY,
    INTEGER,
    LESS,
    MORE,
    WHOLE_USERS,
    Parts,
    Range,
    alphabet,
    drawn_users,
    growth,
    growth_of_proof,
    has_noise,
    in_order,
    least_growth,
    near,
    parts,
    places,
    users,
)
from proofs_check.ding2025.law import Rest, fractions, sum_of
from proofs_check.ding2025.systems import everywhere
from proofs_check.ding2025.trials.lemma_5 import (
    Display,
    Equations,
    at_place,
    chain,
    last_exchanged,
    said,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def minima(order: str, shift: int = 0, **at: Any) -> list[Relation]:
    """The minimum is F_Q(x') for x' <= x (p < q) or x' < x (p > q), and F_P(x) elsewhere."""
    t, last = near(**at), (0 if order == LESS else -1) + shift
    claimed = []
    for x, z in product(range(-2, 2), repeat=2):
        first, second = t.f("p", x), t.f("q", z)
        claimed.append(equal(function("min", first, second), second if z <= x + last else first))
    return claimed


def of_minima(order: str) -> Statement:
    """Return (22) or (24)."""
    return for_all(
        places(order, with_gap=True),
        partial(minima, order),
        wrong=partial(minima, order, shift=1),
        proof=in_numbers(),
    )


TRIALS["ding2025/equation-22"] = of_minima(LESS)

FORMS = {LESS: (-1, 0), MORE: (0, 1)}
"""The values of x − x' that the print allows."""


def inside(
    order: str, below: Any, gap: Any, forms: Sequence[int] = (), **at: Any
) -> list[Relation]:
    """Every pair of supp(π*) is of one of these forms: x − x' is −2 or less, −1, 1, 2 or more."""
    far, close = near(below=below, gap=gap, **at), near(below=term(below) + gap, **at)
    beside = {-1: close.plan(0, 1), 1: close.plan(1, 0)}
    off = [mass for form, mass in beside.items() if form not in (forms or FORMS[order])]
    return [equal(mass, 0) for mass in (far.plan(-1, 1), far.plan(1, -1), *off)]


def all_inside(order: str, p: Fraction, q: Fraction, others: Rest) -> Said:
    """Every pair of these forms in X² is in supp(π*)."""
    plan, cells = parts(p, q, others).plan, product(map(int, alphabet(others)), repeat=2)
    return Said(
        [above(plan(x, z), 0) for x, z in cells if x - z in FORMS[order]], lambda: in_order(p, q)
    )


def of_support(order: str) -> dict[str, Statement]:
    """Return the two readings of the support."""
    return {
        "a": for_all(
            places(order, with_gap=True),
            partial(inside, order),
            wrong=partial(inside, order, forms=(0,)),
            proof=in_numbers(),
        ),
        "b": for_all(users(order, INTEGER), partial(all_inside, order), falls=Falls.MISPRINT),
    }


TRIALS["ding2025/lemma-6/proof/support-p-less"] = of_support(LESS)


def column(t: Parts, z: int, growth: Any, e: Fraction) -> Term:
    """Return Σ_x (e^{|x − x'|/θ} − e^ε) π*(x, x'), which (20) wants to be <= 0."""
    return total([(term(growth) ** abs(x - z) - e) * t.plan(x, z) for x in t.columns])


@quantity(
    "column_20 {3} {4} (plus (bernoulli {0}) (sum_of {2})) (plus (bernoulli {1}) (sum_of {2})) {5}"
)
def column_of_20(
    p: Fraction, q: Fraction, others: Rest, growth: Fraction, e: Fraction, z: Fraction
) -> Term:
    """Return Σ_x (e^{|x − x'|/θ} − e^ε) π*(x, x'), x' = z."""
    return column(parts(p, q, others), int(z), growth, e)


@quantity(
    "all_columns {3} {4} (plus (bernoulli {0}) (sum_of {2})) (plus (bernoulli {1}) (sum_of {2}))"
)
def request_of_20(p: Fraction, q: Fraction, others: Rest, growth: Fraction, e: Fraction) -> Term:
    """Return 1 if (20) holds for all x', else 0."""
    t = parts(p, q, others)
    return all_hold([(column(t, z, growth, e), 0) for z in t.columns])


def _two_masses(p: Fraction, q: Fraction, others: Rest) -> list[tuple[Term, Term]]:
    """Return π*(x', x') and π*(x' − 1, x') for x' = 1, ..., |V|."""
    t = parts(p, q, others)
    return [(t.plan(z, z), t.plan(z - 1, z)) for z in range(1, len(others) + 2)]


_PLACES = "(map INR (seq 1 (S (length {2}))))"
_PLAN = "(plan (plus (bernoulli {0}) (sum_of {2})) (plus (bernoulli {1}) (sum_of {2})))"


@quantity(f"displayed {{3}} {{4}} {_PLAN} {_PLACES}")
def display_of_23(p: Fraction, q: Fraction, others: Rest, growth: Fraction, e: Fraction) -> Term:
    """Return 1 if the display holds for x' = 1, ..., |V|, else 0."""
    masses = _two_masses(p, q, others)
    return all_hold([(stay + growth * move, (stay + move) * e) for stay, move in masses])


@quantity(f"bounded {{3}} {{4}} {_PLAN} {_PLACES}")
def bound_of_23(p: Fraction, q: Fraction, others: Rest, growth: Fraction, e: Fraction) -> Term:
    """Return 1 if the bound on e^{1/θ} holds for all x' >= 1 with π*(x' − 1, x') > 0, else 0."""
    law = sum_of(others)
    masses = enumerate(_two_masses(p, q, others))
    return all_hold([(growth, e + (e - 1) * (stay / move)) for z, (stay, move) in masses if law[z]])


def all_hold(relations: list[tuple[Any, Any]]) -> Term:
    """Return 1 if left <= right for all of these, else 0."""
    return function("min", 1, *(when("<=", left, right, 1, 0) for left, right in relations))


def without_ratio(p: Fraction, q: Fraction, others: Rest, growth: Fraction, e: Fraction) -> Term:
    """Return the bound without its ratio, e^{1/θ} <= e^ε."""
    return all_hold([(growth, e)])


def equation_23(
    p: Fraction, q: Fraction, others: Rest, growth: Fraction, e: Fraction, bound: Any = bound_of_23
) -> list[Relation]:
    """(20) over all x' is the display over 1, ..., |V|, and implies the bound on e^{1/θ}."""
    at = p, q, others, growth, e
    return [equal(request_of_20(*at), display_of_23(*at)), at_most(display_of_23(*at), bound(*at))]


TRIALS["ding2025/equation-23"] = for_all(
    users(LESS, growth=fractions("3/2 3"), e=fractions("3/2 2")),
    equation_23,
    wrong=partial(equation_23, bound=without_ratio),
    proof=theorem("ding2025_equation_23"),
)


def of_plan(
    order: str,
    shown: Display,
    *,
    wrong: Display | None = None,
    divisors: Sequence[int] = (),
    falls: Falls | None = None,
) -> Statement:
    """Return the statement that a display holds, for p and q in an order."""
    if falls is not None:
        return for_all(users(order, INTEGER), partial(said, shown, divisors=divisors), falls=falls)
    return for_all(
        places(order, positive=divisors),
        partial(at_place, shown),
        wrong=partial(at_place, wrong or partial(last_exchanged, shown)),
        proof=in_numbers(),
    )


def diagonal_less(t: Parts, x: int) -> Equations:
    """Return π*(x', x') for p < q."""
    f, g = t.f, t.g
    return chain(
        t.plan(x, x),
        f("q", x) - f("q", x - 1) - f("p", x - 1) + f("q", x - 1),
        f("q", x) - f("p", x - 1),
        t.p * g(x - 1) + (1 - t.q) * g(x),
    )


TRIALS["ding2025/lemma-6/proof/diagonal-p-less"] = of_plan(LESS, diagonal_less)


def off_less(t: Parts, x: int) -> Equations:
    """Return π*(x'−1, x') for p < q."""
    f = t.f
    return chain(
        t.plan(x - 1, x),
        f("p", x - 1) - f("q", x - 1) - f("p", x - 2) + f("p", x - 2),
        f("p", x - 1) - f("q", x - 1),
        (t.q - t.p) * t.g(x - 1),
    )


TRIALS["ding2025/lemma-6/proof/off-diagonal-p-less"] = of_plan(LESS, off_less)


def ratio_less(t: Parts, x: int, *, inverted: bool = False) -> Equations:
    """Return the ratio of the two masses of a column, p < q; or inverted, with r elsewhere."""
    r = t.g(x) / t.g(x - 1)
    summed = (1 - t.q) + t.p * r if inverted else (1 - t.q) * r + t.p
    return chain(t.plan(x, x) / t.plan(x - 1, x), summed / (t.q - t.p))


TRIALS["ding2025/lemma-6/proof/ratio-p-less"] = of_plan(
    LESS, ratio_less, wrong=partial(ratio_less, inverted=True), divisors=(-1,)
)


def repaired_more(t: Parts, z: int, shift: int = 0) -> Equations:
    """Return the mass next to the diagonal, and the ratio."""
    ratio = ((1 - t.p) + t.q * (t.g(z - 1) / t.g(z))) / (t.p - t.q)
    return [
        (t.plan(z + 1, z), (t.p - t.q) * t.g(z - shift)),
        (t.plan(z, z) / t.plan(z + 1, z), ratio),
    ]


Growth = Callable[[Fraction, Fraction, Rest, Fraction], Term]
"""(p, q, others, e^ε) -> e^{1/θ}."""


def condition_20(of: Growth, p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> Said:
    """The θ with e^{1/θ} = of(...) satisfies (20)."""
    t, found = parts(p, q, others), named("growth", of(p, q, others, exp_epsilon))
    columns = [column(t, z, found, exp_epsilon) for z in t.columns]
    return Said([at_most(one, 0) for one in columns], lambda: in_order(p, q))


def column_is_met(
    of: Any, p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction, z: Fraction
) -> Relation:
    """The θ with e^{1/θ} = of(...) satisfies (20) at x' = z."""
    found = of(p, q, others, exp_epsilon)
    return at_most(column_of_20(p, q, others, found, exp_epsilon, z), 0)


def satisfies_20(
    order: str, of: Any, noisy: Range, *, rests: Sequence[Rest], wrong: Growth, name: str
) -> Statement:
    """Return the statement that a θ satisfies (20), where a range gives noise: a theorem."""

    def places_of(p: Fraction, q: Fraction, others: Rest) -> list[Fraction]:
        points = parts(p, q, others).columns
        return [Fraction(z) for z in (points if has_noise(noisy)(p, q, others) else [])]

    def drawn() -> Any:
        return st.fixed_dictionaries(drawn_users(binary=rests is BINARY)()).flatmap(
            lambda at: st.sampled_from(parts(at["p"], at["q"], at["others"]).columns).map(
                lambda z: {**at, "z": Fraction(z)}
            )
        )

    over = users(order, rests, exp_epsilon=BASES[:2])
    tried = users(order, rests, exp_epsilon=BASES[:2], z=places_of)
    if rests is not BINARY:
        assert tried.domain is not None
        tried = everywhere(tried, **{**tried.domain.kinds, "others": WHOLE_USERS})
    return for_all(
        tried.drawn(drawn),
        partial(column_is_met, of),
        wrong=for_all(over.where(has_noise(Range.SUPPORT)), partial(condition_20, wrong)),
        proof=theorem(name),
    )


TRIALS["ding2025/lemma-6/proof/condition-20-p-less"] = satisfies_20(
    LESS,
    growth_of_proof,
    Range.PROOF,
    rests=BINARY,
    wrong=partial(growth, over=Range.SUPPORT),
    name="ding2025_condition_20_less",
)

TRIALS["ding2025/equation-24"] = of_minima(MORE)
TRIALS["ding2025/lemma-6/proof/support-p-greater"] = of_support(MORE)


def diagonal_more(t: Parts, x: int) -> Equations:
    """Return π*(x', x') for p > q."""
    f, g = t.f, t.g
    return chain(
        t.plan(x, x),
        f("p", x) - f("q", x - 1) - f("p", x - 1) + f("p", x - 1),
        f("p", x) - f("q", x - 1),
        (1 - t.p) * g(x) + t.q * g(x - 1),
    )


TRIALS["ding2025/lemma-6/proof/diagonal-p-greater"] = of_plan(MORE, diagonal_more)


def off_more(t: Parts, z: int, shift: int) -> Equations:
    """The print's x is z + shift: the column z, or the row z + 1."""
    f = t.f
    return chain(
        t.plan(z + 1, z),
        f("q", z) - f("q", z - 1) - f("p", z) + f("q", z - 1),
        f("q", z) - f("p", z),
        (t.p - t.q) * t.g(z + shift - 1),
    )


TRIALS["ding2025/lemma-6/proof/off-diagonal-p-greater"] = {
    "a": of_plan(MORE, partial(off_more, shift=0), falls=Falls.MISPRINT),
    "b": of_plan(MORE, partial(off_more, shift=1), wrong=partial(off_more, shift=2)),
}

TRIALS["ding2025/repair/lemma-6-plan"] = of_plan(
    MORE, repaired_more, wrong=partial(repaired_more, shift=1), divisors=(0,)
)


def ratio_more(t: Parts, z: int, shift: int) -> Equations:
    """Return the ratio of the two masses of a column, p > q, as printed."""
    r = t.g(z + shift) / t.g(z + shift - 1)
    return chain(t.plan(z, z) / t.plan(z + 1, z), ((1 - t.p) * r + t.q) / (t.p - t.q))


TRIALS["ding2025/lemma-6/proof/ratio-p-greater"] = {
    "a": of_plan(MORE, partial(ratio_more, shift=0), divisors=(0, -1), falls=Falls.STEP),
    "b": of_plan(MORE, partial(ratio_more, shift=1), divisors=(0,), falls=Falls.STEP),
}

# Over the largest range (21) gives the largest θ: over fewer x (20) fails there too.
TRIALS["ding2025/lemma-6/proof/condition-20-p-greater"] = for_all(
    users(MORE, exp_epsilon=BASES[:2]),
    partial(condition_20, partial(growth, over=Range.ALPHABET)),
    falls=Falls.STEP,
)


@quantity("growth_of_ratio {3} {0} {1} (sum_of {2})", name="growth_of_ratio")
def with_ratio(p: Fraction, q: Fraction, others: Rest, exp_epsilon: Fraction) -> Term:
    """Return e^{1/θ} for p > q with ψ(x) = ((1 − p) + q g(x−1)/g(x)) / (p − q) on the support."""
    g, points = parts(p, q, others).g, map(int, sum_of(others).points)
    psis = [((1 - p) + q * (g(x - 1) / g(x))) / (p - q) for x in points]
    return least_growth(exp_epsilon, psis)


# The alphabet gives noise everywhere.
TRIALS["ding2025/repair/lemma-6-condition-20"] = satisfies_20(
    MORE,
    with_ratio,
    Range.ALPHABET,
    rests=INTEGER,
    wrong=partial(growth, over=Range.ALPHABET),
    name="ding2025_repair_condition_20",
)
