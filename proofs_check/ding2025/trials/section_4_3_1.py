"""Sections 4.3.1 and 4.3.2: how (13) is solved, classes of records, and a Bernoulli user."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import isqrt
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Open, Outcome
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    decided,
    equal,
    for_all,
)
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, named, term, total
from exactdp.claims.verdicts import Falls
from exactdp.testing.later import st
from proofs_check.ding2025 import bounds
from proofs_check.ding2025.law import (
    Law,
    Rest,
    bernoulli,
    drawn_law,
    fractions,
    laws_on,
    point,
    sum_of,
)
from proofs_check.ding2025.line import LinePair, moment
from proofs_check.ding2025.quantities import (
    added,
    largest_moment,
    moment_of,
    of_bernoulli,
    power,
    presence_beside,
    product_of_moments,
    size,
    sum_of_sizes,
)
from proofs_check.ding2025.systems import GROWTHS, OTHER_LAWS, everywhere
from proofs_check.ding2025.trials.section_4_3 import (
    SYSTEMS,
    attains,
    moment_on,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def polynomial_for_reals(squares_of_alphabet: tuple[int, ...]) -> Outcome:
    """E[z^{|D|}], D uniform on an alphabet of square roots, is a polynomial in z = e^{1/θ}.

    For a largest exponent between 1 and 2, moment(z)/z² → 0, so a polynomial would have
    degree 1 at most, and no second difference.
    """
    squares = squares_of_alphabet
    top, degree = function("sqrt", max(squares)), isqrt(max(squares))

    def expectation(z: int) -> Term:
        powers = [
            term(z) ** isqrt(s)
            if isqrt(s) ** 2 == s
            else function("exp", function("sqrt", s) * function("log", z))
            for s in squares
        ]
        return total(powers) / len(squares)

    return decided(
        all(isqrt(s) ** 2 == s for s in squares),
        f"the largest exponent, sqrt {max(squares)}, lies between {degree} and {degree + 1}: "
        f"divided by e^({degree + 1}/theta) the expectation tends to 0, so as a polynomial it "
        f"would have degree {degree} at most; its second difference at 1, 2, 3 is positive",
        claimed=lambda: [at_most(expectation(1) - 2 * expectation(2) + expectation(3), 0)],
        given=lambda: [below(degree, top), below(top, degree + 1)],
    )


@quantity("coefficient {0} {1:nat}")
def coefficient(P: Law, j: int) -> Fraction:
    """Return the probability that |D| = j."""
    return sum((m for x, m in P.masses if abs(x) == j), Fraction(0))


@quantity("total (map (fun j => coefficient {0} j * {1} ^ j) (seq 0 (S {2:nat})))")
def polynomial(P: Law, growth: Fraction, n: int) -> Term:
    """Return the polynomial of degree n with these coefficients, in e^{1/θ}."""
    return total([term(coefficient(P, j)) * term(growth) ** j for j in range(n + 1)])


def polynomial_for_integers(
    P: Law, growth: Fraction, n: int, moment: Any = moment_of
) -> list[Relation]:
    """E[e^{|D|/θ}] is that polynomial, of degree n = max|t|."""
    return [equal(moment(P, growth), polynomial(P, growth, n)), above(coefficient(P, n), 0)]


def moment_of_signed(P: Law, growth: Fraction) -> Term:
    """E[e^{D/θ}]."""
    return moment(P, growth, lambda x: x)


INTEGER_LAWS = cases(
    P=[*laws_on((0, 1), 2), *laws_on((-1, 0, 2), 2), *OTHER_LAWS],
    growth=fractions("2 3 3/2"),
    n=lambda P: [P.largest_size],
)

TRIALS["ding2025/section-4.3.1/polynomial"] = {
    "a": for_all(
        cases(squares_of_alphabet=((1,), (1, 4), (1, 2))), polynomial_for_reals, falls=Falls.REMARK
    ),
    "b": for_all(
        INTEGER_LAWS.within(
            lambda P, n: equal(size(P), n),
            P=objects(
                "a law on finitely many integers",
                condition=lambda P: all(x.denominator == 1 for x in P.points),
                coq=("law R", "is_law {0} /\\ integers {0}", ""),
            ),
            growth=reals(above=1),
            n=integers(0),
        ).drawn(
            lambda: st.tuples(drawn_law((0, 1, -2, 3, 7)), st.sampled_from(GROWTHS)).map(
                lambda at: {"P": at[0], "growth": at[1], "n": at[0].largest_size}
            )
        ),
        polynomial_for_integers,
        wrong=partial(polynomial_for_integers, moment=moment_of_signed),
        proof=theorem("ding2025_polynomial"),
    ),
}

TOLERANCE = Fraction(1, 10**12)
"""That of a numerical method for θ."""


def any_approximation(P: Law, root: Fraction, error: Fraction) -> Said:
    """Noise with e^{1/θ} within the tolerance of the root of (13) attains ε, one user."""
    growth = root + error
    theta, exact = (1 / function("log", g) for g in (growth, root))
    said = at_most(LinePair.of(P, point(0)).worst_ratio(growth), moment(P, root))
    return said.given([below(function("abs", theta - exact), TOLERANCE)])


TRIALS["ding2025/section-4.3.1/brent"] = {
    "a": for_all(
        cases(P=[bernoulli("1/2")], root=[Fraction(3)], error=(-TOLERANCE, TOLERANCE)),
        any_approximation,
        falls=Falls.ROUNDING,
    ),
    "b": for_all(
        SYSTEMS,
        partial(attains, largest_moment),
        wrong=partial(attains, partial(moment_on, times=1 / (1 + TOLERANCE))),
        proof=theorem("ding2025_sufficient"),
    ),
}


def class_of_records(n: int, P: Law, growth: Fraction) -> Relation:
    """Noise by (13) for one record hides whether a class of n such records is there."""
    records = LinePair.of(sum_of([P] * n), point(0), name="records")
    return at_most(records.worst_ratio(growth), named("e_eps", moment(P, growth)))


TRIALS["ding2025/section-4.3.1/class-removal"] = {
    "a": for_all(
        SYSTEMS,
        partial(attains, largest_moment),
        wrong=partial(attains, partial(moment_on, size=lambda x: x)),
        proof=theorem("ding2025_sufficient"),
    ),
    "b": for_all(
        cases(n=(1, 2), P=[point(1), bernoulli("1/2")], growth=[Fraction(2)]),
        class_of_records,
        falls=Falls.STEP,
    ),
}

RECORDS = (bernoulli("1/2"), OTHER_LAWS[2], point(-1))
DRAWN_RECORD = drawn_law((1, 0, -2, 3), largest=3)


def largest_alone(records: Rest, growth: Fraction) -> Term:
    """Return the largest moment of one record."""
    return function("max", *(moment(record, growth) for record in records))


def class_by_product(
    records: Rest, others: Law, growth: Fraction, of: Any = product_of_moments
) -> list[Relation]:
    """n independent records: Π E[e^{|D_k|/θ}] <= e^ε, or θ = Σ max|t| / ε, suffices."""
    claimed = of(records, growth)
    return [
        at_most(presence_beside(added(records), others, growth), claimed),
        at_most(claimed, power(growth, sum_of_sizes(records))),
    ]


TRIALS["ding2025/repair/class-removal"] = for_all(
    everywhere(
        cases(
            _n=(1, 2, 3),
            records=lambda _n: map(Rest, product(RECORDS, repeat=_n)),
            others=OTHER_LAWS[:2],
            growth=[Fraction(2)],
        ),
        records=objects(
            "the laws of independent records", coq=("list (law R)", "Forall is_law {0}", "")
        ),
    ).drawn(
        lambda: {
            "records": st.lists(DRAWN_RECORD, min_size=1, max_size=3).map(Rest),
            "others": DRAWN_RECORD,
            "growth": st.sampled_from(GROWTHS),
        }
    ),
    class_by_product,
    wrong=partial(class_by_product, of=largest_alone),
    proof=theorem("ding2025_class_removal"),
)

SHARES = fractions("1/2 1/10 9/10 1")
FACTORS = fractions("2 11/10 40")


def root_of(p: Any, exp_epsilon: Any) -> Any:
    """Return e^{1/θ} of (15)."""
    return bounds.presence_root(p=p, exp_epsilon=exp_epsilon)


TRIALS["ding2025/figure-5"] = Open(
    "for records coded as 0 and 1, θ by (13) is at most half of θ by (14), 1/ε, where few are 1, "
    "and not where most are (at ε = ln 2); for any coding it is not larger (remark-2)",
    ("the UCI records that were used", "the numbers that code them", 'the size of "much smaller"'),
    for_all(
        cases(p=fractions("9/10 1/100"), exp_epsilon=fractions("2")),
        lambda p, exp_epsilon: at_least(root_of(p, exp_epsilon), exp_epsilon**2),
    ),
)


def equation_15(
    p: Fraction,
    exp_epsilon: Fraction,
    others: Law,
    growth: Fraction,
    root: Callable[..., Any] = root_of,
) -> list[Relation]:
    """The root of (15) solves (13), and noise of that or a larger θ attains ε beside any others."""
    own = of_bernoulli(p)
    return [
        equal(moment_of(own, root(p, exp_epsilon)), exp_epsilon),
        at_most(presence_beside(own, others, growth), exp_epsilon),
    ]


TRIALS["ding2025/equation-15"] = for_all(
    everywhere(
        cases(
            p=SHARES,
            exp_epsilon=FACTORS,
            others=OTHER_LAWS,
            growth=lambda p, exp_epsilon: [
                1 + (root_of(p, exp_epsilon) - 1) / larger for larger in (1, 2)
            ],
        ),
        p=reals(above=0, most=1),
        growth=reals(above=1, most=root_of),
    ),
    equation_15,
    wrong=partial(equation_15, root=lambda p, exp_epsilon: root_of(1 - p / 2, exp_epsilon)),
    proof=theorem("ding2025_equation_15"),
)


def one_over_epsilon(
    says: Callable[..., Relation], p: Fraction, exp_epsilon: Fraction, power: int = 1
) -> Said:
    """Compare 1/ε with the right side of (15): the root against e^ε."""
    root = bounds.presence_root(p=term(p), exp_epsilon=term(exp_epsilon))
    return says(root, term(exp_epsilon) ** power).given([above(exp_epsilon, 1), above(p, 0)])


BERNOULLI = everywhere(cases(p=SHARES, exp_epsilon=FACTORS), p=reals(above=0, most=1))
BELOW_1 = everywhere(BERNOULLI.where(lambda p: p < 1), p=reals(above=0, below=1))
STRICTLY_LARGER = for_all(BERNOULLI, partial(one_over_epsilon, above), falls=Falls.REMARK)

TRIALS["ding2025/section-4.3.2/one-over-epsilon"] = {
    "a": STRICTLY_LARGER,
    "b": for_all(
        BELOW_1,
        partial(one_over_epsilon, above),
        wrong=STRICTLY_LARGER,
        proof=in_numbers(),
    ),
    "c": for_all(
        BERNOULLI,
        partial(one_over_epsilon, at_least),
        wrong=partial(one_over_epsilon, at_least, power=2),
        proof=in_numbers(),
    ),
}
