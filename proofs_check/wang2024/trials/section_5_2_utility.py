"""Section 5.2, utility: variances, and the two chains of inequalities."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Statement
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.kinds import integers, reals
from exactdp.claims.terms import Term, term, total
from exactdp.claims.verdicts import Falls
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.trials.surveys import SURVEYS, any_survey, by_users
from proofs_check.wang2024.trials.views import HALF, ONE, numbers
from proofs_check.wang2024.utility import Survey, count_variance, line, squared_error

TRIALS: Trials = {}


def is_coin(heads: Term, chance: Any, variance: Any) -> list[Relation]:
    """A coin V = V² has this chance of heads, and this variance E[V²] - E[V]²."""
    return [equal(heads, chance), equal(heads - heads**2, variance)]


def signal_variance(
    w: Any, rate: Any, claimed: Callable[..., Any] = bounds.user_signal_variance
) -> list[Relation]:
    """The coin times ⟦T_j in x_i⟧, which is 1 with w_j, is Bernoulli(w_j λ_k), of this variance."""
    holds, coin = (((True, term(x)), (False, 1 - term(x))) for x in (w, rate))
    heads = total([p * c * int(has and sends) for (has, p), (sends, c) in product(holds, coin)])
    return is_coin(heads, w * rate, claimed(None, w=w, rate=rate))


TRIALS["wang2024/section-5.2/signal-variance"] = for_all(
    cases(
        w=numbers("1/2", "1/3", "1/4", "3/4", "1", "0"),
        rate=(HALF, ONE, Fraction(1, 3), Fraction(0)),
    ).within(w=reals(0, 1), rate=reals(0, 1)),
    signal_variance,
    wrong=partial(signal_variance, claimed=lambda f, *, w, rate: w * rate * (1 - rate)),
    proof=in_numbers(),
)


def slot_variance(d: Any, slots: Any, m: Any, numerator: Any = None) -> list[Relation]:
    """A slot sends, with probability m/⌈m⌉, and then item j of d; the variance is that of m."""
    each = term(m) / slots / d
    heads = total([each * 1, (term(d) - 1) * each * 0])
    claimed = bounds.blanket_slot_variance(
        None, m=m if numerator is None else numerator, slots=slots, d=d
    )
    return is_coin(heads, m / (d * slots), claimed)


TRIALS["wang2024/section-5.2/blanket-variance"] = for_all(
    cases(
        d=(1, 2, 3, 5), m=numbers("1", "1/2", "3/2", "2", "7/3"), slots=lambda m: [ceil(m)]
    ).within(
        d=integers(1),
        slots=integers(1),
        m=reals(above=lambda slots: slots - 1, most=lambda slots: slots),
    ),
    slot_variance,
    wrong=lambda d, m, slots: slot_variance(d, slots, m, numerator=term(slots)),
    proof=in_numbers(),
)


def below_line(
    true: Callable[[Survey], Term], bound: Callable[..., Any], **instead: Any
) -> Callable[[Survey], Relation]:
    """A bounded quantity is at most a line of a chain, with numbers in place of the survey's."""
    return lambda survey: at_most(true(survey), line(bound, survey, **instead))


WITH_BLANKET = cases(survey=SURVEYS).within(survey=any_survey("1", "2/3", "3/2"))


def variances(bound: Callable[..., Any], name: str, **wrong: Any) -> Statement:
    """Σ_j Var[C_j] is at most a line; a smaller one is wrong."""
    return for_all(
        WITH_BLANKET,
        below_line(count_variance, bound),
        wrong=below_line(count_variance, bound, **wrong),
        proof=theorem(name),
    )


TRIALS["wang2024/section-5.2/variance-chain/line-1"] = {
    "a": variances(bounds.variance_line_1_inside, "wang2024_variance_1_inside", m=Fraction(0)),
    "b": variances(bounds.variance_line_1_outside, "wang2024_variance_1_outside", m=Fraction(0)),
}

TRIALS["wang2024/section-5.2/variance-chain/line-2"] = variances(
    bounds.variance_line_2, "wang2024_variance_2", m=Fraction(0)
)

TRIALS["wang2024/section-5.2/variance-chain/line-3"] = variances(
    bounds.variance_line_3, "wang2024_variance_3", s=1
)


def errors(bound: Callable[..., Any], wrong: Any, name: str) -> Statement:
    """The mean squared error is at most a line; a smaller one is wrong."""
    return for_all(WITH_BLANKET, below_line(squared_error, bound), wrong=wrong, proof=theorem(name))


# Without the blanket's part both lines 1 and 2 are the variance of the signal.
NO_BLANKET = below_line(squared_error, bounds.error_line_2, m=Fraction(0))

TRIALS["wang2024/section-5.2/mse-chain/line-1"] = {
    "a": for_all(
        WITH_BLANKET,
        lambda survey: at_most(
            squared_error(survey), line(bounds.error_line_1, survey, signal=by_users(survey))
        ),
        falls=Falls.MISPRINT,
    ),
    "b": errors(bounds.error_line_1, NO_BLANKET, "wang2024_error_1"),
}

TRIALS["wang2024/section-5.2/mse-chain/line-2"] = errors(
    bounds.error_line_2, NO_BLANKET, "wang2024_error_2"
)

TRIALS["wang2024/section-5.2/mse-chain/line-3"] = errors(
    bounds.error_line_3, below_line(squared_error, bounds.error_line_3, s=1), "wang2024_error_3"
)
