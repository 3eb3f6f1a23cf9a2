"""Section 5.2, the domain of m, the thresholds m_k, their range and their order."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any

from exactdp.claims import (
    Falls,
    Outcome,
    Said,
    above,
    at_least,
    at_most,
    below,
    cases,
    checked,
    decided,
    equal,
    exact_value,
    for_all,
    hockey_stick,
    named,
    not_all,
    proof,
    term,
    words,
)
from exactdp.numbers import Epsilon, enclosure
from exactdp.numbers.real_functions import evaluate
from exactdp.truth import Truth
from proofs_check.wang2024.parameters import Setting, is_admissible
from proofs_check.wang2024.trials.views import ONE, Trials, constraint_pair, numbers

__all__ = ["TRIALS"]

TRIALS: Trials = {}


def constraint_defined(n: int, m: Fraction) -> Said:
    """γ = m/⌈m⌉ and C, with n⌈m⌉ - 1 trials, are defined at every m >= 0."""
    slots = ceil(m)
    return Said(
        [at_least(n * term(slots) - 1, 0), above(slots, 0)],
        [at_least(m, 0), at_least(slots, m), below(slots, m + 1)],
    )


TRIALS["wang2024/section-5.2/m-domain"] = {
    "": for_all(cases(n=(1, 2), m=numbers("1", "1/2", "0")), constraint_defined, falls=Falls.STEP)
}


# --- m_k -----------------------------------------------------------------------------------------


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
    if formulas.outcome().truth is not Truth.TRUE:
        return decided(Truth.UNKNOWN, "the two formulas for D do not hold")
    return decided(
        1 < 4 * (1 - bound) <= 2,
        "D is 1 for m <= 1 and 1 - m/4 on (1, 2], so every m > 1 is admissible and m = 1 is not: "
        "the infimum 1 is no minimum",
        failure=[*(above(at[m], bound) for m in lows), *(at_most(at[m], bound) for m in samples)],
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
    """Some δ <= 1 makes m admissible."""
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
        falls=Falls.STEP,
    ),
    "b": for_all(
        cases(
            n=(1, 2, 3),
            d=(2, 3),
            exp_epsilon=numbers("5/4", "2"),
            _m=(
                numbers("1/2", "1"),
                numbers("1", "2"),
                numbers("1", "11/10"),
                numbers("2", "21/10"),
            ),
            m=lambda _m: [_m[0]],
            more=lambda _m: [_m[1]],
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


TRIALS["wang2024/section-5.2/range"] = {
    "": for_all(
        cases(
            n=(1, 2, 3, 4),
            d=(2, 3),
            _levels=(numbers("3/2", "2"), numbers("2", "3")),
            exp_E_1=lambda _levels: [_levels[0]],
            exp_E_2=lambda _levels: [_levels[1]],
            delta=numbers("1/4", "1/2"),
            m=(ONE,),
        ),
        range_holds_some_m,
        falls=Falls.STEP,
    )
}


# --- the order of m_k ----------------------------------------------------------------------------


def constant(d: int, s: int, E: Fraction, delta: Fraction) -> int:
    """c = 2 d (t + log(s e^E/δ))/κ rounded up, t = (E/s)/(2 + 4 (E/s)) and κ its gain."""
    t = E / s / (2 + 4 * E / s)

    def formula(f: Any, *, d: Any, s: Any, E: Any, delta: Any, t: Any) -> Any:
        gain = 2 - f.exp(t) - f.exp(-t * f.exp(E / s))
        return 2 * d * (t + f.log(s * f.exp(E) / delta)) / gain

    return ceil(
        enclosure(evaluate(formula, d=d, s=s, E=E, delta=delta, t=t), relative_bits=40).upper
    )


def admissible_at(power: int) -> Callable[..., Outcome]:
    """λ = 1 is admissible at m = c/n^power, c from a Chernoff bound."""

    def says(n: int, d: int, s: int, E: Fraction, delta: Fraction) -> Outcome:
        m = Fraction(constant(d, s, E, delta), n**power)
        setting = Setting(n=n, d=d, s=s, delta=delta)
        fine = is_admissible(setting, m=m, rate=1, epsilon=Epsilon.rational(E))
        return decided(fine, f"m = {m}")

    return says


def gain_starts_to_grow() -> bool:
    """κ(t) = 2 - e^t - e^(-t e) is 0 at t = 0 and has slope e - 1 there."""
    import sympy

    t, e = sympy.symbols("t e", positive=True)
    gain = 2 - sympy.exp(t) - sympy.exp(-t * e)
    return bool(gain.subs(t, 0) == 0 and sympy.expand(gain.diff(t).subs(t, 0) - (e - 1)) == 0)


TRIALS["wang2024/section-5.2/m_k-order"] = {
    "": for_all(
        cases(
            _setting=((17, 4, "1/2"), (17, 4, "2"), (128, 4, "1"), (5, 1, "1")),
            d=lambda _setting: [_setting[0]],
            s=lambda _setting: [_setting[1]],
            E=lambda _setting: [Fraction(_setting[2])],
            delta=numbers("1/100", "1/1000000"),
            n=lambda d, s, E, delta: [i * constant(d, s, E, delta) for i in (1, 4, 16)],
        ),
        admissible_at(1),
        wrong=admissible_at(2),
        proof=proof(
            "d >= 2, s, δ in (0, 1) and E_k > 0 fixed, n -> ∞",
            checked(
                "κ(t) = 2 - e^t - e^(-t e) is 0 at 0, with slope e - 1 > 0", gain_starts_to_grow
            ),
            words(
                "P/Q is a/b at λ = 1, so with e = e^(E_k/s) and (A, B) the blanket's counts D is "
                "at most Pr[A + 1 > e B] <= E exp(t(A + 1 - e B)) = e^t (1 - (γ/d) κ)^(n'-1), and "
                "κ > 0 for small t. For m = c/n <= 1, where n' = n and (n - 1)/n >= 1/2, it is at "
                "most exp(t - c κ/(2 d)): m_k <= c/n with c = 2 d (t + log(s e^(E_k)/δ))/κ; and "
                "for m <= 1 a user more is a slot more, so an admissible m stays admissible as n "
                "grows"
            ),
        ),
    )
}
