"""Section 2: (ε, δ)-closeness and its calculus: Lemma 3, Lemma 4.

μ ≈ μ' with (ε, δ) asks e^{−ε} (μ'(A) − δ) <= μ(A) <= e^ε μ'(A) + δ for every event A: both
hockey-stick divergences at e^ε are at most δ.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.audit.algebra import follows, identity
from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import Relation, Said, Trials, at_least, at_most, decided, for_all
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.proofs import lemma, proof
from exactdp.claims.terms import Term, formula, function
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from proofs_check.erlingsson2019 import bounds
from proofs_check.erlingsson2019.steps import LOG_BELOW
from proofs_check.erlingsson2019.trials.section_2 import RATIOS, Law, events, most
from proofs_check.lemmas.trials.divergences import JOINT_CONVEXITY, MONOTONE_IN_EPSILON, laws

TRIALS: Trials = {}


def closeness(
    mu: Law, mu_prime: Law, exp_epsilon: Fraction, delta: Fraction, power: int = 1
) -> Outcome:
    """The printed relation is (ε, δ)-DP's inequality in both directions."""
    e, printed, dp = exp_epsilon, True, True
    for chosen in events(len(mu)):
        a, b = sum(mu[i] for i in chosen), sum(mu_prime[i] for i in chosen)
        printed &= e**-power * (b - delta) <= a <= e * b + delta
        dp &= a <= e * b + delta and b <= e * a + delta
    return decided(printed == dp, f"printed {printed}, both directions {dp}")


TRIALS["erlingsson2019/section-2/closeness"] = for_all(
    cases(
        mu=laws(2, 4),
        mu_prime=laws(2, 4),
        exp_epsilon=RATIOS[:2],
        delta=[Fraction(d) for d in ("0", "1/8", "1/4", "1/2")],
    ).deep(mu=laws(3, 4), mu_prime=laws(3, 4)),
    closeness,
    wrong=partial(closeness, power=-1),
    proof=proof(
        "all laws, events, eps, delta",
        identity(
            "e = exp(eps) > 0 times the slack of the left inequality is the slack of "
            "mu'(A) <= e mu(A) + delta",
            "a b t d",
            lambda a, b, t, d: ((1 + t) * (a - (b - d) / (1 + t)), (1 + t) * a + d - b),
        ),
    ),
)

SMALL, MANY = ([laws(2, denominator) for denominator in range(1, most)] for most in (5, 9))
"""Laws on two outcomes, by their denominators."""


def both(p: Law, q: Law, gamma: Any) -> list[Term]:
    """Return the divergences of both directions at e^ε."""
    return [hockey_stick(finite_pair(p, q), gamma), hockey_stick(finite_pair(q, p), gamma)]


def monotonicity(
    mu: Law,
    mu_prime: Law,
    exp_epsilon: Fraction,
    factor: Fraction,
    compare: Callable[[Term, Term], Relation] = at_most,
) -> list[Relation]:
    """Both divergences do not grow from e^ε to e^ε·factor."""
    before, after = (both(mu, mu_prime, e) for e in (exp_epsilon, exp_epsilon * factor))
    return [compare(x, y) for x, y in zip(after, before, strict=True)]


TRIALS["erlingsson2019/lemma-3/monotonicity"] = for_all(
    cases(
        _laws=SMALL,
        mu=lambda _laws: _laws,
        mu_prime=lambda _laws: _laws,
        exp_epsilon=RATIOS[:2],
        factor=[Fraction(1), Fraction(3, 2), Fraction(2)],
    ).deep(_laws=MANY),
    monotonicity,
    wrong=partial(monotonicity, compare=at_least),
    proof=proof(
        "all finite laws, eps' >= eps, delta' >= delta",
        lemma("lemmas/monotone-in-epsilon", MONOTONE_IN_EPSILON, "in both directions"),
    ),
)

Delta = Callable[[Fraction, Any, Fraction, Any], Any]
"""(e^ε1, δ1, e^ε2, δ2) -> the δ claimed for μ_1 and μ_3."""


def triangle(
    claimed: Delta, mu: tuple[Law, Law, Law], exp_epsilon1: Fraction, exp_epsilon2: Fraction
) -> Said:
    """μ_1 and μ_3 are close with the claimed δ, where δ_1, δ_2 are the least ones."""
    (a, b, c), e1, e2 = mu, exp_epsilon1, exp_epsilon2
    d1, d2 = (exact_value(most(*pair)) for pair in (both(a, b, e1), both(b, c, e2)))
    bound = claimed(e1, d1, e2, d2)
    return Said(
        [at_most(needed, bound) for needed in both(a, c, e1 * e2)],
        [
            *(at_most(divergence, d1) for divergence in both(a, b, e1)),
            *(at_most(divergence, d2) for divergence in both(b, c, e2)),
        ],
    )


TRIPLES = cases(
    _laws=SMALL,
    mu=lambda _laws: product(_laws, repeat=3),
    exp_epsilon1=RATIOS[:3],
    exp_epsilon2=RATIOS[:3],
).deep(_laws=MANY[:6])

SUM_OF_DELTAS = partial(triangle, lambda e1, d1, e2, d2: d1 + d2)

TRIALS["erlingsson2019/lemma-3/triangle"] = for_all(TRIPLES, SUM_OF_DELTAS, falls=Falls.STEP)

TRIALS["erlingsson2019/repair/lemma-3-triangle"] = for_all(
    TRIPLES,
    partial(triangle, lambda e1, d1, e2, d2: most(d1 + e1 * d2, d2 + e2 * d1)),
    wrong=SUM_OF_DELTAS,
    proof=proof(
        "all laws, eps, delta",
        follows(
            "for an event of masses a, b, c: a <= e1 b + d1 and b <= e2 c + d2 give "
            "a <= e1 e2 c + d1 + e1 d2; backwards with 1 and 2 exchanged",
            "a b c e1 e2 d1 d2",
            lambda a, b, c, e1, e2, d1, d2: e1 * e2 * c + d1 + e1 * d2 - a,
            lambda a, b, c, e1, e2, d1, d2: [(1, e1 * b + d1 - a), (e1, e2 * c + d2 - b)],
        ),
    ),
)


def mix(p: Law, q: Law, a: Fraction) -> Law:
    """Return (1 − a) p + a q."""
    return tuple((1 - a) * u + a * v for u, v in zip(p, q, strict=True))


def quasi_convexity(
    mu1: Law,
    mu1_prime: Law,
    mu2: Law,
    mu2_prime: Law,
    exp_epsilon: Fraction,
    a: Fraction,
    factor: Fraction = Fraction(1),
) -> Relation:
    """The mixtures are as close as both pairs are."""
    mixed = both(mix(mu1, mu2, a), mix(mu1_prime, mu2_prime, a), exp_epsilon)
    parts = [*both(mu1, mu1_prime, exp_epsilon), *both(mu2, mu2_prime, exp_epsilon)]
    return at_most(most(*mixed), factor * most(*parts))


TRIALS["erlingsson2019/lemma-3/quasi-convexity"] = for_all(
    cases(
        _laws=[laws(2, 3)],
        mu1=lambda _laws: _laws,
        mu1_prime=lambda _laws: _laws,
        mu2=lambda _laws: _laws,
        mu2_prime=lambda _laws: _laws,
        exp_epsilon=RATIOS[:2],
        a=[Fraction(1, 2), Fraction(1, 3)],
    ).deep(_laws=[laws(3, 3)]),
    quasi_convexity,
    wrong=partial(quasi_convexity, factor=Fraction(1, 2)),
    proof=proof(
        "all finite laws, eps, delta, a in [0, 1]",
        lemma(
            "lemmas/joint-convexity",
            JOINT_CONVEXITY,
            "in both directions: the mean of two numbers that are at most delta",
        ),
    ),
)


def subsampling(
    mu_1: Law, mu_0: Law, exp_epsilon: Fraction, q: Fraction, factor: Fraction = Fraction(1)
) -> list[Relation]:
    """(1−q) μ_0 + q μ_1 is (ln(1 + q (e^ε − 1)), qδ)-close to μ_0."""
    delta = most(*both(mu_1, mu_0, exp_epsilon))
    sampled = both(mix(mu_0, mu_1, q), mu_0, 1 + q * (exp_epsilon - 1))
    return [at_most(divergence, factor * q * delta) for divergence in sampled]


def sampled(u: Any, v: Any, t: Any, s: Any, r: Any) -> tuple[Any, Any, Any]:
    """Return q = s/(s + r), e^ε' = 1 + qt and a mass of μ, for masses u of μ_1 and v of μ_0."""
    q = s / (s + r)
    return q, 1 + q * t, (1 - q) * v + q * u


def backwards(u: Any, v: Any, t: Any, s: Any, r: Any) -> Any:
    """Return μ_0 − e^ε' μ at an outcome."""
    _, scale, mass = sampled(u, v, t, s, r)
    return v - scale * mass


def forwards(u: Any, v: Any, t: Any, s: Any, r: Any) -> tuple[Any, Any]:
    """Return μ − e^ε' μ_0 at an outcome, and q (μ_1 − e^ε μ_0)."""
    q, scale, mass = sampled(u, v, t, s, r)
    return mass - scale * v, q * (u - (1 + t) * v)


LEMMA_4 = proof(
    "all finite laws, eps >= 0, delta, q in [0, 1]",
    identity("mu - e' mu_0 = q (mu_1 - e mu_0) at each outcome", "u v t s r", forwards),
    follows(
        "where mu_0 >= e mu_1: mu_0 - e' mu <= q (mu_0 - e mu_1)",
        "u v t s r",
        lambda u, v, t, s, r: s / (s + r) * (v - (1 + t) * u) - backwards(u, v, t, s, r),
        lambda u, v, t, s, r: [
            (s * r * t / (s + r) ** 2, v - (1 + t) * u),
            (s * r * t * t / (s + r) ** 2, u),
        ],
    ),
    follows(
        "where mu_0 <= e mu_1: mu_0 - e' mu <= 0",
        "u v t s r",
        lambda u, v, t, s, r: -backwards(u, v, t, s, r),
        lambda u, v, t, s, r: [
            (s * (s + r + t * s) / ((s + r) ** 2 * (1 + t)), (1 + t) * u - v),
            (s * r * t * t / ((s + r) ** 2 * (1 + t)), v),
        ],
    ),
)

TRIALS["erlingsson2019/lemma-4"] = for_all(
    cases(
        _laws=[*SMALL, laws(3, 3)],
        mu_1=lambda _laws: _laws,
        mu_0=lambda _laws: _laws,
        exp_epsilon=RATIOS[:3],
        q=[Fraction(1, 4), Fraction(2, 5), Fraction(49, 100)],
    ).deep(_laws=[*MANY, laws(3, 3)]),
    subsampling,
    wrong=partial(subsampling, factor=Fraction(9, 10)),
    proof=LEMMA_4,
)


def log_below(exp_epsilon: Fraction, q: Fraction, factor: Fraction = Fraction(1)) -> Relation:
    """ln(1 + q (e^ε − 1)) <= q (e^ε − 1)."""
    amplified = formula(bounds.amplified_by_sampling, q=q, epsilon=function("log", exp_epsilon))
    return at_most(amplified, factor * q * (exp_epsilon - 1))


TRIALS["erlingsson2019/lemma-4/epsilon-prime"] = for_all(
    cases(
        exp_epsilon=[Fraction(x) for x in ("101/100", "2", "9", "1000")],
        q=[Fraction(1, 100), Fraction(1, 4), Fraction(49, 100)],
    ),
    log_below,
    wrong=partial(log_below, factor=Fraction(9, 10)),
    proof=proof("all q >= 0, eps >= 0", LOG_BELOW),
)
