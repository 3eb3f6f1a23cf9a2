"""Section 5.2, the choice of parameters: the objective, the constraint (7), and the m_k."""

from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import (
    Never,
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
    not_all,
)
from exactdp.claims.kinds import Sort, integers, reals
from exactdp.claims.laws import hockey_stick
from exactdp.claims.terms import named, term
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.distributions import FinitePmf
from exactdp.truth import Truth
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.blankets import SLOTS, bisected, constraint_apart
from proofs_check.wang2024.protocol import LevelAggregation, Parameters
from proofs_check.wang2024.trials.views import ONE, constraint_pair, numbers
from proofs_check.wang2024.utility import Survey, squared_error

TRIALS: Trials = {}


def objectives(
    n: Any,
    s: Any,
    m: Any,
    count_1: Any,
    count_2: Any,
    rate_1: Any,
    to: Any,
    rate_2: Any,
) -> Relation:
    """The bound (n m + s Σ n̂_k λ_k)/(Σ n̂_k λ_k)² at λ_1 = to is at most that at λ_1 = rate_1."""
    first, last = (
        bounds.error_line_3(
            None, n=n, m=m, s=s, signal=term(count_1) * rate + term(count_2) * rate_2
        )
        for rate in (rate_1, to)
    )
    return at_most(last, first)


def at_signal(
    n: Any, s: Any, m: Any, count: Any, rate: Any, to: Any, signal: Any, bound: Any = None
) -> Relation:
    """The same, of any number of levels: ``count`` users' λ_k grows, Σ n̂_k λ_k was ``signal``."""
    bound = bound or bounds.error_line_3
    first = bound(None, n=n, m=m, s=s, signal=term(signal))
    return below(bound(None, n=n, m=m, s=s, signal=signal + term(count) * (to - rate)), first)


def growing_rate(truth: Fraction) -> Cases:
    """λ_1 grows to ``to``; c of n users send the second level, which is true with ``truth``."""
    levels = LevelAggregation(2, truth)
    return cases(
        n=(2, 3, 4),
        s=(1, 2),
        m=numbers("1", "1/2", "4"),
        count_1__count_2=lambda n: [
            levels.estimates([0] * (n - c) + [1] * c) for c in range(n + 1)
        ],
        rate_1__to=[numbers("0", "1"), numbers("1/2", "1"), numbers("1/4", "1/3")],
        rate_2=numbers("1", "1/3"),
    ).where(
        lambda count_1, count_2, rate_1, to, rate_2: all(
            count_1 * rate + count_2 * rate_2 != 0 for rate in (rate_1, to)
        )
    )


def diluted(
    m: Fraction, law: FinitePmf[Any], rate_1: Fraction, to: Fraction, rate_2: Fraction
) -> Relation:
    """Reading (c): the mean squared error falls if λ_1 grows to ``to``: two users, one a level."""
    first, last = (
        squared_error(Survey((1, 1), 2, Parameters(m, (rate, rate_2)), law), name)
        for name, rate in (("start", rate_1), ("end", to))
    )
    return below(last, first)


TRIALS["wang2024/section-5.2/objective-decreases"] = {
    "a": for_all(
        cases(
            n=(2, 3),
            s=(1, 2),
            m=numbers("1", "1/2", "4"),
            count=(1, 2),
            rate__to=[numbers("0", "1"), numbers("1/2", "1"), numbers("1/4", "1/3")],
            signal=lambda count, rate: [count * rate + x for x in numbers("1", "1/3")],
        ).within(
            lambda count, rate, to, signal: [at_least(signal, count * term(rate)), at_most(to, 1)],
            n=integers(1),
            s=integers(1),
            m=reals(0),
            count=reals(above=0),
            rate=reals(0),
            to=reals(above=lambda rate: rate),
            signal=reals(above=0),
        ),
        at_signal,
        # The factor s Σ n̂_k λ_k of the numerator squared, alone.
        wrong=partial(at_signal, bound=lambda f, *, n, m, s, signal: s * signal**2),
        proof=in_numbers(),
    ),
    # Against noisy counts only a growing objective is held.
    "b": for_all(growing_rate(Fraction(3, 4)), objectives, falls=Falls.REMARK),
    "c": for_all(
        cases(
            m=numbers("1", "1/2", "1/4"),
            law=[FinitePmf({(0,): "1"}), FinitePmf({(0,): "1/2", (1,): "1/2"})],
            rate_1__to=[
                *(numbers("0", last) for last in ("1", "1/2", "1/20")),
                numbers("1/4", "1/2"),
            ],
            rate_2=(ONE,),
        ),
        diluted,
        falls=Falls.REMARK,
    ),
}


RATES = tuple(Fraction(i, 8) for i in range(9))

SIZES = cases(
    n=(1, 2, 3),
    d=(2, 3, 5),
    m=numbers("1/2", "1", "3/2", "2"),
    slots=lambda m: [ceil(m)],
    exp_epsilon=numbers("11/10", "3/2", "2", "8"),
).deep(n=(1, 2, 3, 5, 8))
SETTINGS: dict[str, Sort] = {
    "n": integers(1, draws=2),
    "d": integers(2),
    "slots": integers(1, draws=1),
    "m": SLOTS["m"],
    "exp_epsilon": reals(1),
}


def grows(n: Any, d: Any, slots: Any, m: Any, exp_epsilon: Any, rate: Any, to: Any) -> Relation:
    """The divergence of (7) at λ = rate is below that at λ = to; exp_epsilon is e^(E_k/s)."""
    first, last = (constraint_apart(n, d, slots, m, x, exp_epsilon) for x in (rate, to))
    return below(first, last)


def is_linear(rate: Any, to: Any, **at: Any) -> Relation:
    """False: it is λ times its end."""
    sides = grows(rate=rate, to=to, **at)
    return equal(to * sides.left, rate * sides.right)


TRIALS["wang2024/section-5.2/divergence-grows"] = for_all(
    cases(**SIZES.axes, rate__to=[*pairwise(RATES)])
    .deep(**SIZES.deeper)
    .within(**SETTINGS, rate=reals(0, below=1), to=reals(above=lambda rate: rate, most=1)),
    grows,
    wrong=is_linear,
    proof=theorem("wang2024_divergence_grows"),
)


def bisection(
    n: Any,
    d: Any,
    slots: Any,
    m: Any,
    exp_epsilon: Any,
    bound: Any,
    t: Any,
    other: Any,
    halvings: int = 0,
) -> list[Relation]:
    """t steps find an admissible λ, and no other one is more than 2^-(t + halvings) above it."""
    found = bisected(n, d, slots, m, exp_epsilon, bound, t)
    error = 1 / term(2) ** t / 2**halvings if halvings else 1 / term(2) ** t
    return [
        at_most(constraint_apart(n, d, slots, m, found, exp_epsilon), bound),
        at_most(other, found + error),
    ]


def is_admissible(
    n: Any, d: Any, slots: Any, m: Any, exp_epsilon: Any, bound: Any, other: Any
) -> Relation:
    """λ = other meets (7)."""
    return at_most(constraint_apart(n, d, slots, m, other, exp_epsilon), bound)


TRIALS["wang2024/section-5.2/binary-search"] = for_all(
    cases(**{**SIZES.axes, "n": (1, 2)}, bound=numbers("1/3", "1/20"), t=(1, 6), other=RATES[1::3])
    .where(
        lambda n, d, slots, m, exp_epsilon, bound, other: is_admissible(
            n, d, slots, m, exp_epsilon, bound, other
        ).holds()
    )
    .within(
        is_admissible,
        **SETTINGS,
        bound=reals(above=0),
        t=integers(0, draws=3),
        other=reals(0, 1),
    ),
    bisection,
    wrong=partial(bisection, halvings=2),
    proof=theorem("wang2024_binary_search"),
)


def constraint_defined(n: int, m: Fraction) -> Said:
    """γ = m/⌈m⌉ and C, with n⌈m⌉ - 1 trials, are defined at every m >= 0."""
    slots = ceil(m)
    return Said(
        [at_least(n * term(slots) - 1, 0), above(slots, 0)],
        [at_least(m, 0), at_least(slots, m), below(slots, m + 1)],
    )


TRIALS["wang2024/section-5.2/m-domain"] = for_all(
    cases(n=(1, 2), m=numbers("1", "1/2", "0")), constraint_defined, falls=Falls.REMARK
)


def minimum_exists(n: int, d: int, s: int, exp_epsilon: Fraction, bound: Fraction) -> Outcome:
    """Reading (a): some m is the least with D <= bound, at n = 1, d = 2, s = 1, λ = 1.

    There D is 1 for m <= 1 (C has no trial) and 1 - m/4 on (1, 2] (one trial, of
    probability m/2; the outcome (1, 1) is equally likely on both sides), for e^E <= 4/3
    and δ = bound·e^E. Admissible in (1, 2] are the m >= 4 (1 - bound).
    """
    lows, samples = numbers("1/2", "1"), [1 + Fraction(1, 2**i) for i in (0, 1, 5, 20)]
    places = {m: f"view_{i}" for i, m in enumerate([*lows, *samples])}
    at = {
        m: hockey_stick(named(x, constraint_pair(n, d, m)), exp_epsilon) for m, x in places.items()
    }
    formulas = Said([equal(at[m], 1 if m <= 1 else 1 - m / 4) for m in places])
    if not formulas.outcome().truth.is_certain:
        return decided(Truth.UNKNOWN, "the two formulas for D do not hold")
    return decided(
        1 < 4 * (1 - bound) <= 2,
        "D is 1 for m <= 1 and 1 - m/4 on (1, 2], so every m > 1 is admissible and m = 1 is not: "
        "the infimum 1 is no minimum",
        claimed=Never(
            [*(above(at[m], bound) for m in lows), *(at_most(at[m], bound) for m in samples)]
        ),
        given=[at_most(bound * term(exp_epsilon), 1)],
    )


def stays_admissible(n: int, d: int, exp_epsilon: Fraction, m: Fraction, more: Fraction) -> Said:
    """Reading (b): if m admits λ = 1 for a bound δ/e^E, δ <= 1, so does a larger one."""
    less, larger = (
        hockey_stick(named(name, constraint_pair(n, d, at)), exp_epsilon)
        for name, at in (("less", m), ("more", more))
    )
    return at_most(larger, less).given([at_most(less * exp_epsilon, 1)])


def some_delta(n: int, d: int, exp_epsilon: Fraction, m: Fraction) -> bool:
    """Return whether Some δ <= 1 makes m admissible."""
    return exact_value(hockey_stick(constraint_pair(n, d, m), exp_epsilon)) * exp_epsilon <= 1


TRIALS["wang2024/section-5.2/m_k"] = {
    "a": for_all(
        cases(
            n=(1,),
            d=(2,),
            s=(1,),
            exp_epsilon=numbers("11/10"),
            bound=numbers("1/2", "5/8", "3/4", "9/10"),
        ),
        minimum_exists,
        falls=Falls.REMARK,
    ),
    "b": for_all(
        cases(
            n=(1, 2, 3),
            d=(2, 3),
            exp_epsilon=numbers("5/4", "2"),
            m__more=[
                numbers("1/2", "1"),
                numbers("1", "2"),
                numbers("1", "11/10"),
                numbers("2", "21/10"),
            ],
        ).where(some_delta),
        stays_admissible,
        falls=Falls.STEP,
    ),
}


def range_holds_some_m(
    n: int, d: int, exp_E_1: Fraction, exp_E_2: Fraction, delta: Fraction, m: Fraction
) -> Outcome:
    """(m_1, m_K] is not empty, for E_1 < E_2 and s = 1; here m = 1 tells the levels apart.

    Below 1 there are fewer messages in as many slots, a blanket of m = 1 thinned out: D is no
    smaller there.
    """
    pair = named("view", constraint_pair(n, d, m))
    first, last = (term(e) * hockey_stick(pair, e) for e in (exp_E_1, exp_E_2))
    return not_all(
        [above(first, delta), at_most(last, delta)],
        found="so m_2 <= 1 <= m_1 and (m_1, m_2] is empty",
        given=[below(exp_E_1, exp_E_2)],
    )


TRIALS["wang2024/section-5.2/range"] = for_all(
    cases(
        n=(1, 2, 3, 4),
        d=(2, 3),
        exp_E_1__exp_E_2=[numbers("3/2", "2"), numbers("2", "3")],
        delta=numbers("1/4", "1/2"),
        m=(ONE,),
    ),
    range_holds_some_m,
    falls=Falls.MISPRINT,
)
