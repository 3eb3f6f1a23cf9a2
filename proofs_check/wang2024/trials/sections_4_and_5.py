"""Section 4: unbiased estimates (4.3), Lemma 2 and when nothing is lost by it (4.4); Section 5.

Of Section 5 what stands before 5.1: the weighted distribution, noisy counts, the blanket's count.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import Relation, Said, Trials, at_most, below, decided, equal, for_all
from exactdp.claims.kinds import integers
from exactdp.claims.laws import hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, named, term, total
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.truth import Truth
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import backwards
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.blankets import SLOTS, is_not_negative, item_count, messages_sent
from proofs_check.wang2024.protocol import dot
from proofs_check.wang2024.quantities import (
    ANY_DATA,
    KNOWN,
    MEASURE,
    OTHERS,
    alone_apart,
    apart,
)
from proofs_check.wang2024.trials.surveys import (
    ALL_MESSAGES,
    ANY_ITEM,
    NOISY,
    NOISY_LEVELS,
    SURVEYS,
    Counts,
    any_survey,
    by_users,
    has_estimate,
    mean_over,
    noisy_survey,
    numerator_mean,
    observed,
    signal_mean,
)
from proofs_check.wang2024.trials.views import (
    HALF,
    ITEMS_0_1,
    ONE,
    algorithm_2,
    binomial,
    constraint_pair,
    messages,
    numbers,
    some_above,
    victims,
)
from proofs_check.wang2024.utility import NUMBERS, Survey, estimate_mean, expected, frequency

TRIALS: Trials = {}


def unbiased(survey: Any, j: Any) -> Relation:
    """E[Ŵ_j] = w_j."""
    return equal(estimate_mean(survey, j), frequency(survey, j))


def too_much_taken(survey: Survey, j: int) -> Relation:
    """False: n⌈m⌉/d is taken away in place of n m/d."""
    parameters = survey.parameters
    more = (parameters.slots - parameters.m) * survey.users / survey.d / survey.signal
    return equal(estimate_mean(survey, j) - more, survey.frequencies[j])


def unbiased_if_noisy(
    n: int, d: int, m: Fraction, rate_1: Fraction, rate_2: Fraction, truth: Fraction
) -> Said:
    """E[Ŵ_j] = w_j with randomized response on the levels, independent of the messages."""
    survey, law = noisy_survey(n, d, m, rate_1, rate_2), observed(n, truth)
    numerator = expected(survey, 0, lambda c: c - survey.blanket)
    inverse = mean_over(law, lambda counts: 1 / dot(counts, (rate_1, rate_2)))
    return equal(numerator * inverse, survey.frequencies[0]).given(
        [equal(mean_over(law, lambda counts, k=k: counts[k]), survey.counts[k]) for k in (0, 1)]  # type: ignore[misc]
    )


# Also the first reading of Section 5's sentence.
UNBIASED_ESTIMATE = for_all(
    cases(survey=ALL_MESSAGES, j=lambda survey: range(survey.d)).within(
        survey=any_survey("0", "1", "2/3", "3/2"), j=ANY_ITEM
    ),
    unbiased,
    wrong=too_much_taken,
    proof=theorem("wang2024_unbiased"),
)

TRIALS["wang2024/section-4.3/unbiased"] = {
    "a": UNBIASED_ESTIMATE,
    "b": for_all(NOISY.where(has_estimate), unbiased_if_noisy, falls=Falls.REMARK),
}


TRIALS["wang2024/section-4.3/expected-m"] = for_all(
    cases(
        _denominator=range(1, 8),
        m=lambda _denominator: [Fraction(i, _denominator) for i in range(4 * _denominator + 1)],
        slots=lambda m: [ceil(m)],
        d=(2,),
    ).within(is_not_negative, d=integers(1), **SLOTS),
    lambda d, slots, m: equal(messages_sent(d, slots, m), m),
    wrong=lambda d, slots, m: equal(messages_sent(d, slots, m), slots),
    proof=theorem("wang2024_expected_m"),
)


def one_other(rates: Sequence[Fraction]) -> Cases:
    """Return one other user, with any set of s items."""
    return cases(
        **{"d _s": [(2, 1), (3, 1), (3, 2)]},
        m=(HALF, ONE, Fraction(3, 2)),
        slots=lambda m: [ceil(m)],
        sets=lambda d, _s: victims(d, _s),
        _held=lambda d, _s: combinations(range(d), _s),
        _rate=rates,
        rate=(HALF, ONE),
        others=lambda _held, _rate: [((_held, _rate),)],
        D=numbers("1", "2", "1/2"),
    ).deep(**{"d _s": [(2, 1), (3, 1), (3, 2), (4, 2)]})


def without_others(
    D: Any, d: int, slots: int, m: Any, sets: Any, rate: Any, others: Any
) -> Relation:
    """Messages of the others beside their blanket messages may be left out."""
    at = (D, d, slots, m, sets, rate, others)
    return at_most(apart(*at), alone_apart(*at))


TRIALS["wang2024/lemma-2"] = for_all(
    one_other((HALF, Fraction(1, 5)))
    .then(
        cases(
            d=(3,),
            m=(ONE,),
            slots=(1,),
            sets=[((0,), (1,))],
            rate=(HALF,),
            others=[(((0,), HALF), ((2,), ONE))],
            D=numbers("1", "2", "1/2"),
        )
    )
    .within(D=MEASURE, **ANY_DATA, others=OTHERS),
    without_others,
    wrong=backwards(without_others),
    proof=theorem("wang2024_lemma_2"),
)


def nothing_is_lost(**at: Any) -> Relation:
    """Reading (a): both sides are equal with others at λ = 1, for all that they hold."""
    sides = without_others(**at)
    return equal(sides.left, sides.right)


def some_item(d: int, m: Fraction, rate: Fraction, other_rate: Fraction) -> Outcome:
    """Reading (b): at every λ of the other user some item of it makes Lemma 2 an equality."""
    views = [
        algorithm_2(ITEMS_0_1, d, m, rate, [(held, other_rate)])
        for held in combinations(range(d), 1)
    ]
    alone = messages(ITEMS_0_1, d=d, rate=rate, slots=2 * ceil(m), gamma=m / ceil(m))
    return some_above(alone, views)


TRIALS["wang2024/section-4.4/tight"] = {
    "a": for_all(
        one_other((ONE,)).within(D=MEASURE, **ANY_DATA, others=KNOWN),
        nothing_is_lost,
        wrong=for_all(one_other((HALF,)), nothing_is_lost),
        proof=theorem("wang2024_nothing_is_lost"),
    ),
    "b": for_all(
        cases(d=(3, 4), m=(ONE, HALF), rate=(HALF,), other_rate=(HALF,)),
        some_item,
        falls=Falls.REMARK,
    ),
}


def display(
    survey: Survey, j: int, divisor: Fraction, weight: Callable[[Fraction], Fraction] = Fraction
) -> Relation:
    """E[Σ_i ⟦T_j in x_i⟧ λ_{k_i} / divisor] = w_j, over which users hold item j.

    The numerator has ``weight`` of the λ.
    """
    rates, w = survey.parameters.rates, term(survey.frequencies[j])
    users = [rate for n, rate in zip(survey.counts, rates, strict=True) for _ in range(n)]
    mean = []
    for held in product((0, 1), repeat=len(users)):
        top = dot(held, list(map(weight, users)))
        chance = w ** sum(held) * (1 - w) ** (len(users) - sum(held))
        mean.append(chance * (top / divisor))
    return equal(total(mean), w)


@quantity("display {0} {1:nat}", name="E")
def displayed(survey: Survey, j: int) -> Term:
    """Return the mean of the display, with Σ_k n_k λ_k below."""
    return display(survey, j, survey.signal).left


WITH_ONE_MESSAGE = cases(survey=[s for s in SURVEYS if s.parameters.m == 1], j=(0,)).within(
    survey=any_survey("1"), j=ANY_ITEM
)

TRIALS["wang2024/section-5/expectation-display"] = {
    "a": for_all(
        WITH_ONE_MESSAGE,
        lambda survey, j: display(survey, j, by_users(survey)),
        falls=Falls.MISPRINT,
    ),
    "b": for_all(
        WITH_ONE_MESSAGE,
        lambda survey, j: equal(displayed(survey, j), frequency(survey, j)),
        wrong=lambda survey, j: display(survey, j, survey.signal, weight=lambda rate: ONE),
        proof=theorem("wang2024_display"),
    ),
}


def related_levels(n: int, w: Fraction, rate_0: Fraction, rate_1: Fraction) -> Relation:
    """Reading (b): user i holds item 0 with probability w and has then λ = rate_0, else rate_1.

    If c users hold item 0, E[C_0] - n m/d = rate_0 c, and the counts of both levels are exact.
    """
    parts = [
        binomial(n, w, c) * (rate_0 * c / (rate_0 * c + rate_1 * (n - c))) for c in range(n + 1)
    ]
    return equal(total(parts), w)


TRIALS["wang2024/section-5/weighted-unbiased"] = {
    "a": UNBIASED_ESTIMATE,
    "b": for_all(
        cases(
            n=(1, 2, 3),
            w=(HALF, Fraction(1, 3)),
            rate_0=(HALF, ONE),
            rate_1=(ONE, HALF, Fraction(1, 4)),
        ),
        related_levels,
        falls=Falls.REMARK,
    ),
}


def both_parts(survey: Any, truth: Any, j: Any) -> list[Relation]:
    """Reading (a): E[Σ n̂_k λ_k] = Σ n_k λ_k and E[C_j - n m/d] = w_j Σ n_k λ_k, all λ_k given."""
    signal = NUMBERS["signal"](survey)
    return [
        equal(signal_mean(survey, truth), signal),
        equal(numerator_mean(survey, j), frequency(survey, j) * signal),
    ]


def inverse(n: int, rate_1: Fraction, rate_2: Fraction, truth: Fraction) -> Relation:
    """E[1/Σ n̂_k λ_k] = 1/Σ n_k λ_k."""
    mean = mean_over(observed(n, truth), lambda counts: 1 / dot(counts, (rate_1, rate_2)))
    return equal(mean, 1 / (n * rate_1))


def computed_parameters(
    n: int, d: int, truth: Fraction, delta: Fraction, exp_E_1: Fraction, exp_E_2: Fraction
) -> Outcome | Said:
    """Reading (b): line 6 computes m in {1, 2} and the λ_k from the n̂_k, s = 1.

    One user of the first of two levels: then the divergence of (7) is λ D(1), so that λ_k is
    the smaller of 1 and δ/(e^(E_k) D(1)); and the least objective chooses m.
    """
    options, asked = {}, []
    for m in (ONE, Fraction(2)):
        rates = []
        for k, e in enumerate((exp_E_1, exp_E_2)):
            whole = exact_value(hockey_stick(constraint_pair(n, d, m), e)).as_fraction()
            rates.append(min(ONE, delta / e / whole))
            pair = named(f"pair_{m}_{k}", constraint_pair(n, d, m, rates[k]))
            meets = equal if rates[k] < 1 else at_most
            asked.append(meets(hockey_stick(pair, e), delta / e))
        options[m] = tuple(rates)
    law = observed(n, truth)
    if any(dot(counts, rates) == 0 for counts in law for rates in options.values()):
        return decided(holds=True, found="Σ n̂_k λ_k can be 0: there is no objective")

    def error(counts: Counts, m: Fraction) -> Term:
        signal = term(dot(counts, options[m]))
        return term(bounds.error_line_3(None, n=n, m=m, s=1, signal=signal))

    chosen = {}
    for counts in law:
        one, two = (below(error(counts, m), error(counts, 3 - m)) for m in options)
        least = ONE if Said([one]).outcome().truth.is_certain else Fraction(2)
        chosen[counts], asked = least, [*asked, one if least == 1 else two]
    asked += [equal(mean_over(law, lambda c, k=k: c[k]), n * (1 - k)) for k in (0, 1)]  # type: ignore[misc]
    if not Said(asked).outcome().truth.is_certain:
        return decided(Truth.UNKNOWN, "the rates or the choice are not those of the formulas")
    estimated = mean_over(law, lambda counts: dot(counts, options[chosen[counts]]))
    return equal(estimated, mean_over(law, lambda counts: n * options[chosen[counts]][0])).given(
        asked
    )


TRIALS["wang2024/section-5/noisy-counts"] = {
    "a": for_all(
        NOISY_LEVELS,
        both_parts,
        wrong=for_all(NOISY.where(has_estimate), inverse),
        proof=theorem("wang2024_noisy_counts"),
    ),
    "b": for_all(
        cases(
            n=(1,),
            d=(2,),
            truth=(ONE, Fraction(3, 4)),
            delta=(HALF, Fraction(9, 10)),
            exp_E_1=(Fraction(11, 10),),
            exp_E_2=(Fraction(9, 8), Fraction(3, 2), Fraction(2)),
        ),
        computed_parameters,
        falls=Falls.REMARK,
    ),
}


def blanket_count(n: Any, d: Any, j: Any, slots: Any, m: Any, sent: Any = None) -> Relation:
    """n users send item j m n/d times in their blanket messages, in expectation."""
    return equal(item_count(n, d, j, slots, m), term(n) / d * (m if sent is None else sent))


TRIALS["wang2024/section-5/blanket-count"] = for_all(
    cases(
        n=(1, 2, 3),
        d=(1, 2, 3, 5),
        j=lambda d: range(d),
        m=numbers("0", "1/3", "1", "3/2", "7/3"),
        slots=lambda m: [ceil(m)],
    ).within(
        is_not_negative,
        n=integers(1),
        d=integers(1),
        j=integers(0, lambda d: d - 1),
        **SLOTS,
    ),
    blanket_count,
    wrong=lambda slots, **at: blanket_count(slots=slots, sent=slots, **at),
    proof=theorem("wang2024_blanket_count"),
)
