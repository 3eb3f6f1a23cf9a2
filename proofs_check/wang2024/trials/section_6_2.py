"""Sections 6.2 to 7: the ratios of the least errors, the segments, the number of messages."""

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Open, Outcome
from exactdp.claims.forms import (
    Never,
    Relation,
    Trials,
    above,
    at_least,
    at_most,
    below,
    decided,
    for_all,
    holding,
)
from exactdp.claims.kinds import objects, reals
from exactdp.claims.proofs import proof
from exactdp.claims.terms import function, term, total
from exactdp.claims.verdicts import Falls
from exactdp.truth import Truth
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import dot
from proofs_check.wang2024.trials.scales import (
    GRID,
    LEVELS,
    MSNBC,
    SHARES,
    STUDIES,
    Measure,
    Study,
    error,
    least,
    measures,
    rates,
    shown,
)
from proofs_check.wang2024.trials.section_6 import allowed, any_measure, none_admissible
from proofs_check.wang2024.trials.steps import (
    DATA,
    KINDS,
    MARGIN,
    AtMost,
    at_every_q,
    chosen_rates,
    ends_of,
)

TRIALS: Trials = {}


def inverse_ratio(measure: Measure) -> Fraction:
    """Return the least error for n = 5,000 over that for n = 50,000, under S_1."""
    small, large = (least(MSNBC[n], "S_1", measure)[1] for n in (5000, 50_000))
    return small / large


def bounds_apart() -> tuple[list[Relation], list[Relation]]:
    """The least bound at n = 50,000, at least s/n, is above 1/24 of one at n = 5,000.

    At m = 9/4 admissible are λ_1 = 0 and λ_2 = λ_3 = 1, for at λ = 1, with n' letters and
    r = γ/d, D = E[(A - e B)^+]/(n' r) over n' blanket letters, and x^+ <= e^(t x - 1)/t.
    """
    study, m = MSNBC[5000], Fraction(9, 4)
    d, s, n = study.d, study.s, study.n
    size, r = 3 * n, m / 3 / d
    admissible = []
    for level, t in ((LEVELS[1], Fraction(23, 200)), (LEVELS[2], Fraction(19, 100))):
        moment = (
            (1 - 2 * r)
            + r * function("exp", t)
            + r * function("exp", -t * function("exp", level / s))
        ) ** size
        divergence = moment / (size * r * t * function("exp", 1))
        admissible.append(at_most(divergence, allowed(study, level)))
    signal = term(n * (SHARES["S_1"][1] + SHARES["S_1"][2]))
    small = bounds.error_line_3(None, n=n, m=m, s=s, signal=signal)
    return [above(Fraction(s, 10 * n), small / 24)], admissible


def error_ratio(measure: Measure) -> Outcome:
    """The least errors are as 1 to 30, to a quarter.

    An expected error need not be that of the runs, nor Q that of MSNBC; the bound
    depends on neither.
    """
    inverse = inverse_ratio(measure)
    found = f"1/{shown(inverse)} for S_1 and the m of the grid"
    if 24 <= inverse <= Fraction(75, 2):
        return decided(holds=True, found=found)
    failure, given = bounds_apart() if measure.kind == "bound" else ([], [])
    found += "; for every m above 1/24" if failure else ""
    return decided(holds=False, found=found, claimed=[r.negated for r in failure], given=given)


def ratio_at(kind: str, *at: str) -> Open:
    """Decide the ratio of one kind of error at these Q."""
    return Open(
        "it is from 1/36 to 1/44 of the errors against the data, and from 1/15 to 1/44 of those "
        "against W: whether that is about 1/30, to a quarter, turns on Q = Σ_j w_j²",
        (
            "the preparation of MSNBC, from which Q follows",
            'how near "approximately" is',
            "the runs",
        ),
        for_all(cases(measure=[Measure(kind, Fraction(q)) for q in at]), error_ratio),
    )


TRIALS["wang2024/section-6.2/error-ratio"] = {
    "a": ratio_at("empirical", "16/17", "4"),
    "b": ratio_at("population", "16/17", "7/2"),
    "c": for_all(cases(measure=[Measure("bound")]), error_ratio, falls=Falls.STEP),
}


def in_range(measure: Measure, most: Fraction = Fraction(1, 10)) -> list[Relation]:
    """The ratio of the least errors is between 1/100 and the most."""
    ratio = 1 / inverse_ratio(measure)
    return [above(ratio, Fraction(1, 100)), below(ratio, most)]


def ratio_in_range() -> list[AtMost]:
    """Return that all errors for n = 50,000 are above 1/100 of one, and one below 1/10 of all.

    The one is the best in the middle of the range of Q.
    """
    small, large = MSNBC[5000], MSNBC[50_000]
    ends, found = ends_of(small), []
    for kind in KINDS:
        middle = Measure(kind, None if kind == "bound" else (ends[0] + ends[1]) / 2)
        at, there = (least(study, "S_1", middle)[0] for study in (small, large))
        for m in GRID:
            found += [
                AtMost(kind, small, at, 100 / MARGIN, large, m, ends),
                AtMost(kind, large, there, 1 / MARGIN / 10, small, m, ends),
            ]
    return found


TRIALS["wang2024/section-6.2/error-ratio-range"] = for_all(
    cases(measure=measures(MSNBC[5000])).within(measure=any_measure(MSNBC[5000])),
    in_range,
    wrong=partial(in_range, most=Fraction(1, 20)),
    proof=proof(
        chosen_rates(*MSNBC.values()),
        *DATA,
        at_every_q(
            "all errors for n = 50,000 are above 1/100 of one for n = 5,000, and one of them is "
            "below 1/10 of all of those, for every Q and kind of error",
            ratio_in_range,
        ),
    ),
)


SPLITS = {"S_2": (2, 1, 1), "S_3": (1, 1, 2)}


def less_error(
    rate_1: Any, rate_2: Any, rate_3: Any, q: Any, noise: Any, better: str = "S_3"
) -> Relation:
    """The error in S_3 is at most that in S_2, over n/4 users and s: both sides multiplied out.

    Σ_k n_k λ_k (s − λ_k Q) and the blanket's noise over (Σ_k n_k λ_k)²: the error against W. That
    against the data is less by (s − Q)/n, and the bound has Q = 0.
    """
    rates = [term(rate) for rate in (rate_1, rate_2, rate_3)]

    def parts(shares: tuple[int, ...]) -> tuple[Any, Any]:
        signal = total([c * x for c, x in zip(shares, rates, strict=True)])
        own = total([c * x * (1 - x * q) for c, x in zip(shares, rates, strict=True)])
        return own + noise, signal * signal

    worse = "S_2" if better == "S_3" else "S_3"
    (own, signal), (other, beside) = parts(SPLITS[better]), parts(SPLITS[worse])
    return at_most(own * beside, other * signal)


TRIALS["wang2024/section-6.3/S3-below-S2"] = for_all(
    cases(
        _at=[(MSNBC[n], m) for n in MSNBC for m in GRID[::5]],
        rate_1=lambda _at: [Fraction(rates(*_at)[0])],
        rate_2=lambda _at: [Fraction(rates(*_at)[1])],
        rate_3=lambda _at: [Fraction(rates(*_at)[2])],
        q=(Fraction(4, 17), Fraction(1)),
        noise=lambda _at: [_at[1] / 4],
    ).within(
        rate_1=reals(above=0, most=1),
        rate_2=reals(lambda rate_1: rate_1, 1),
        rate_3=reals(lambda rate_2: rate_2, 1),
        q=reals(0, 1),
        noise=reals(0),
    ),
    less_error,
    wrong=partial(less_error, better="S_2"),
    proof=in_numbers(text="the claim itself, whatever the data, the blanket and m"),
)


def best_bound(study: Study, shares: str) -> tuple[Fraction, list[Relation]]:
    """Return the m of the grid with the least bound, and that it is below that at each other m."""
    m, smallest = least(study, shares, Measure("bound"))
    others = [x for x in GRID if x != m]
    return m, [below(smallest, error(study, shares, x, Measure("bound"))) for x in others]


SETTINGS = tuple(product(STUDIES, SHARES))


def often_below(limit: int) -> Outcome:
    """In more than half of the settings the m of the grid with the least bound is below."""
    found = [best_bound(*setting)[0] for setting in SETTINGS]
    smaller = sum(m < limit for m in found)
    return decided(2 * smaller > len(found), f"{smaller} of {len(found)} settings")


def most_below(limit: int) -> list[Relation]:
    """In so many settings as are needed one m below has the least bound of the grid."""
    found = [best_bound(*setting) for setting in SETTINGS]
    smaller = [[below(m, limit), *others] for m, others in found if m < limit]
    return [above(len(smaller), Fraction(len(SETTINGS), 2)), *(x for one in smaller for x in one)]


TRIALS["wang2024/section-6.4/often-below-4"] = for_all(
    cases(limit=(4,)).within(
        limit=objects("4, in the 18 settings of Section 6, where m* is of the grid")
    ),
    often_below,
    wrong=for_all(cases(limit=(1,)), often_below),
    proof=proof(
        chosen_rates(*STUDIES),
        holding("in more of the settings one m below 4 has the least bound", lambda: most_below(4)),
    ),
)


def messages_a_user(study: Study, printed: int = 4) -> Outcome:
    """m* + s Σ_k share_k λ_k messages a user, S_1: between half and twice the printed number.

    For s = 8 and n = 5,000 it suffices that every m between m_1 and m_K exceeds 10.
    """
    m, _ = least(study, "S_1", Measure("bound"))
    sent = m + study.s * dot(SHARES["S_1"], rates(study, m))
    found = f"{shown(sent)} messages a user at m = {m}"
    if Fraction(printed, 2) <= sent <= 2 * printed:
        return decided(holds=True, found=found)
    if printed == 4 and 1 in rates(study, GRID[-1]):
        return decided(Truth.UNKNOWN, found)
    return decided(
        holds=False,
        found=(
            f"{found}, the last of the grid; no m up to it admits a λ_k = 1, so m is above it "
            "in all of the range between m_1 and m_K"
        ),
        claimed=Never(lambda: none_admissible(study, GRID[-1])),
    )


OF_FOUR, OF_EIGHT = (cases(study=[x for x in STUDIES if x.s == s]) for s in (4, 8))


def few_messages() -> list[Relation]:
    """With the m of the least bound there are from 2 to 8 messages a user, where s = 4."""
    found = []
    for study in (x for x in STUDIES if x.s == 4):
        m, others = best_bound(study, "S_1")
        sent = term(m) + study.s * total(
            [share * rate for share, rate in zip(SHARES["S_1"], rates(study, m), strict=True)]
        )
        found += [*others, at_least(sent, 2), at_most(sent, 8)]
    return found


TRIALS["wang2024/section-7/four-messages"] = {
    "a": for_all(
        OF_FOUR.within(study=objects("one with s = 4, where m* is of the grid")),
        messages_a_user,
        wrong=partial(messages_a_user, printed=1),
        proof=proof(
            chosen_rates(*(x for x in STUDIES if x.s == 4)),
            holding("in each setting one m has the least bound, and 2 to 8 messages", few_messages),
        ),
    ),
    "b": for_all(OF_EIGHT, messages_a_user, falls=Falls.REMARK),
}
