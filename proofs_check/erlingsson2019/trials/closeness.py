"""Section 2: (ε, δ)-closeness and its calculus: Lemma 3, Lemma 4.

μ ≈ μ' with (ε, δ) asks e^{−ε} (μ'(A) − δ) <= μ(A) <= e^ε μ'(A) + δ for every event A. What holds
for each event is shown for its masses, which have the names of their laws.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

from exactdp.audit.claimed import by_cases, by_sum, in_numbers
from exactdp.claims.cases import Cases, cases
from exactdp.claims.domains import Domain
from exactdp.claims.forms import Relation, Said, Trials, at_most, equal, for_all
from exactdp.claims.kinds import Numbers, reals
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.terms import Term, formula, function, term
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from proofs_check.erlingsson2019 import bounds
from proofs_check.erlingsson2019.trials.section_2 import RATIOS, Law, most
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import laws

TRIALS: Trials = {}

Axis = tuple[Sequence[Fraction], Numbers]
"""Values that are tried, and what a variable may be."""

MASS: Axis = [Fraction(0), Fraction(1), Fraction(1, 2)], reals(0, 1)
RATIO: Axis = RATIOS[:2], reals(1)
DELTA: Axis = [Fraction(0), Fraction(1, 4)], reals(0)


def at_event(*given: Callable[..., Any], **variables: Axis) -> Cases:
    """Return masses of one event, with e^ε and δ, where the hypotheses hold."""
    domain = Domain({x: kind for x, (_, kind) in variables.items()}, given)
    every = list(product(*(tried for tried, _ in variables.values())))

    @cache
    def admitted() -> list[tuple[Fraction, ...]]:
        return [at for at in every if domain.admits(dict(zip(variables, at, strict=True)))]

    return cases(**{" ".join(variables): admitted}).within(given, **domain.kinds)


def close(mu: Any, mu_prime: Any, exp_epsilon: Any, delta: Any) -> list[Relation]:
    """Return the printed relation of the masses of an event."""
    e = term(exp_epsilon)
    return [at_most((mu_prime - delta) / e, mu), at_most(mu, e * mu_prime + delta)]


def closeness(mu: Any, mu_prime: Any, exp_epsilon: Any, delta: Any, power: int = 1) -> Relation:
    """e^ε > 0 times the slack on the left is that of μ'(A) <= e^ε μ(A) + δ, DP backwards."""
    e = term(exp_epsilon)
    left = e * (mu - (mu_prime - delta) / e**power)
    return equal(left, e * mu + delta - mu_prime)


TRIALS["erlingsson2019/section-2/closeness"] = for_all(
    at_event(mu=MASS, mu_prime=MASS, exp_epsilon=RATIO, delta=DELTA),
    closeness,
    wrong=partial(closeness, power=-1),
    proof=in_numbers(),
)


def monotonicity(
    mu: Any, mu_prime: Any, exp_epsilon_prime: Any, delta_prime: Any, share: int = 1
) -> list[Relation]:
    """μ and μ' are close with ε' and (a share of) δ'."""
    return close(mu, mu_prime, exp_epsilon_prime, share * delta_prime)


TRIALS["erlingsson2019/lemma-3/monotonicity"] = for_all(
    at_event(
        close,
        mu=MASS,
        mu_prime=MASS,
        exp_epsilon=RATIO,
        exp_epsilon_prime=(RATIOS[:3], reals(lambda exp_epsilon: exp_epsilon)),
        delta=DELTA,
        delta_prime=(DELTA[0], reals(lambda delta: delta)),
    ),
    monotonicity,
    wrong=partial(monotonicity, share=0),
    proof=in_numbers(
        by_sum((lambda exp_epsilon, exp_epsilon_prime: exp_epsilon / exp_epsilon_prime, 0)),
        by_sum((1, 1)),
    ),
)


def both(p: Law, q: Law, gamma: Any) -> list[Term]:
    """Return the divergences of both directions at e^ε."""
    return [hockey_stick(finite_pair(p, q), gamma), hockey_stick(finite_pair(q, p), gamma)]


def triangle(mu: tuple[Law, Law, Law], exp_epsilon1: Fraction, exp_epsilon2: Fraction) -> Said:
    """μ_1 and μ_3 are close with δ_1 + δ_2, where δ_1, δ_2 are the least ones."""
    (a, b, c), e1, e2 = mu, exp_epsilon1, exp_epsilon2
    d1, d2 = (exact_value(most(*pair)) for pair in (both(a, b, e1), both(b, c, e2)))
    return Said(
        [at_most(needed, d1 + d2) for needed in both(a, c, e1 * e2)],
        [
            *(at_most(divergence, d1) for divergence in both(a, b, e1)),
            *(at_most(divergence, d2) for divergence in both(b, c, e2)),
        ],
    )


SUM_OF_DELTAS = for_all(
    cases(
        _laws=[laws(2, denominator) for denominator in range(1, 5)],
        mu=lambda _laws: product(_laws, repeat=3),
        exp_epsilon1=RATIOS[:3],
        exp_epsilon2=RATIOS[:3],
    ).deep(_laws=[laws(2, denominator) for denominator in range(1, 7)]),
    triangle,
    falls=Falls.STEP,
)

TRIALS["erlingsson2019/lemma-3/triangle"] = SUM_OF_DELTAS


def chained(
    mu1: Any, mu3: Any, exp_epsilon1: Any, delta1: Any, exp_epsilon2: Any, delta2: Any
) -> list[Relation]:
    """μ_1 and μ_3 are close with ε_1 + ε_2 and the larger of δ_1 + e^ε1 δ_2 and δ_2 + e^ε2 δ_1."""
    delta = most(delta1 + exp_epsilon1 * delta2, delta2 + exp_epsilon2 * delta1)
    return close(mu1, mu3, term(exp_epsilon1) * exp_epsilon2, delta)


LEFT = (1, 0), (lambda exp_epsilon1: 1 / exp_epsilon1, 2)
RIGHT = (1, 1), (lambda exp_epsilon1: exp_epsilon1, 3)


def excess(exp_epsilon1: Any, delta1: Any, exp_epsilon2: Any, delta2: Any) -> Any:
    """Return δ_2 + e^ε2 δ_1 less δ_1 + e^ε1 δ_2."""
    return delta2 + exp_epsilon2 * delta1 - (delta1 + exp_epsilon1 * delta2)


TRIALS["erlingsson2019/repair/lemma-3-triangle"] = for_all(
    at_event(
        lambda mu1, mu2, exp_epsilon1, delta1: close(mu1, mu2, exp_epsilon1, delta1),
        lambda mu2, mu3, exp_epsilon2, delta2: close(mu2, mu3, exp_epsilon2, delta2),
        **dict.fromkeys(("mu1", "mu2", "mu3"), MASS),
        **dict.fromkeys(("exp_epsilon1", "exp_epsilon2"), RATIO),
        **dict.fromkeys(("delta1", "delta2"), DELTA),
    ),
    chained,
    wrong=SUM_OF_DELTAS,
    proof=in_numbers(
        by_cases(
            excess,
            by_sum(*LEFT),
            by_sum(
                *LEFT, (lambda exp_epsilon1, exp_epsilon2: 1 / (exp_epsilon1 * exp_epsilon2), 4)
            ),
        ),
        by_cases(excess, by_sum(*RIGHT, (1, 4)), by_sum(*RIGHT)),
    ),
)


def mix(u: Any, v: Any, a: Any) -> Any:
    """Return (1 − a) u + a v."""
    return (1 - term(a)) * u + a * v


def quasi_convexity(
    mu1: Any,
    mu1_prime: Any,
    mu2: Any,
    mu2_prime: Any,
    exp_epsilon: Any,
    delta: Any,
    a: Any,
    share: Fraction = Fraction(1),
) -> list[Relation]:
    """The mixtures are as close as both pairs are (or with a share of δ)."""
    mixed = mix(mu1, mu2, a), mix(mu1_prime, mu2_prime, a)
    return close(*mixed, exp_epsilon, share * delta)


TRIALS["erlingsson2019/lemma-3/quasi-convexity"] = for_all(
    at_event(
        lambda mu1, mu1_prime, **at: close(mu1, mu1_prime, at["exp_epsilon"], at["delta"]),
        lambda mu2, mu2_prime, **at: close(mu2, mu2_prime, at["exp_epsilon"], at["delta"]),
        **dict.fromkeys(("mu1", "mu1_prime", "mu2", "mu2_prime"), MASS),
        exp_epsilon=RATIO,
        delta=DELTA,
        a=([Fraction(1, 2), Fraction(1, 3)], reals(0, 1)),
    ),
    quasi_convexity,
    wrong=partial(quasi_convexity, share=Fraction(1, 2)),
    proof=in_numbers(
        *(by_sum((lambda a: 1 - a, i), (lambda a: a, i + 2)) for i in (0, 1)),
    ),
)


def subsampling(
    mu_1: Any, mu_0: Any, exp_epsilon: Any, delta: Any, q: Any, share: Fraction = Fraction(1)
) -> list[Relation]:
    """(1−q) μ_0 + q μ_1 is (ln(1 + q (e^ε − 1)), qδ)-close to μ_0."""
    amplified = 1 + q * (term(exp_epsilon) - 1)
    return close(mix(mu_0, mu_1, q), mu_0, amplified, share * q * delta)


TRIALS["erlingsson2019/lemma-4"] = for_all(
    at_event(
        lambda mu_1, mu_0, exp_epsilon, delta: close(mu_1, mu_0, exp_epsilon, delta),
        mu_1=MASS,
        mu_0=MASS,
        exp_epsilon=RATIO,
        delta=DELTA,
        q=([Fraction(1, 4), Fraction(2, 5), Fraction(49, 100)], reals(0, below=Fraction(1, 2))),
    ),
    subsampling,
    wrong=partial(subsampling, share=Fraction(9, 10)),
    proof=in_numbers(
        by_cases(
            lambda mu_0, mu_1, exp_epsilon: mu_0 - exp_epsilon * mu_1,
            by_sum(
                (lambda q, exp_epsilon: q * exp_epsilon / (1 + q * (exp_epsilon - 1)), 0),
                (
                    lambda q, exp_epsilon: (
                        q * (1 - q) * (exp_epsilon - 1) / (1 + q * (exp_epsilon - 1))
                    ),
                    2,
                ),
            ),
            by_sum((lambda q, exp_epsilon: q / exp_epsilon, 2)),
        ),
        by_sum((lambda q: q, 1)),
    ),
)


def log_below(exp_epsilon: Fraction, q: Fraction, factor: Fraction = Fraction(1)) -> Relation:
    """ln(1 + q (e^ε − 1)) <= q (e^ε − 1)."""
    amplified = formula(bounds.amplified_by_sampling, q=q, epsilon=function("log", exp_epsilon))
    return at_most(amplified, factor * q * (exp_epsilon - 1))


TRIALS["erlingsson2019/lemma-4/epsilon-prime"] = for_all(
    cases(
        exp_epsilon=[Fraction(x) for x in ("101/100", "2", "9", "1000")],
        q=[Fraction(1, 100), Fraction(1, 4), Fraction(49, 100)],
    ).within(exp_epsilon=reals(1), q=reals(0, below=Fraction(1, 2))),
    log_below,
    wrong=partial(log_below, factor=Fraction(9, 10)),
    proof=theorem("erlingsson2019_epsilon_prime"),
)
