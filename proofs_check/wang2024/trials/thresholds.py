"""Section 5.2: the domain of m, the least m_k that admit λ_k = 1, their range and order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import sympy

from exactdp.certificates import Certificate, Term, hockey_stick, ref, relation, shuffle_pair, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import hockey_stick_divergence
from exactdp.numbers import Epsilon, Exact, enclosure
from exactdp.numbers.real_functions import evaluate
from exactdp.truth import Truth
from proofs_check.wang2024.parameters import Setting, is_admissible, reduction_pair

__all__ = ["TRIALS", "pair_divergence", "pair_view"]


def pair_divergence(
    v: Mapping[str, Any], *, m: Fraction, rate: Fraction, exp_epsilon: Fraction
) -> Exact:
    """Return D_{exp_epsilon} of the pair of (7), n' = n⌈m⌉; exp_epsilon is e^(E_k/s)."""
    setting = Setting(n=v["n"], d=v["d"], s=1, delta=Fraction(1, 2))
    pair = reduction_pair(setting, m=m, rate=rate).pair()
    return hockey_stick_divergence(pair, exp_epsilon=exp_epsilon)


def pair_view(v: Mapping[str, Any], *, m: Fraction, rate: Fraction = Fraction(1)) -> Term:
    """Return that pair for the kernel: the letters of the victim, the blanket, and the rest.

    All n' letters are counted, so the counts (a, b) of the pair say all there is.
    """
    n, d = v["n"], v["d"]
    slots = ceil(m)
    share = m / slots / d
    none = Fraction(0)
    rows = [[rate, none, 1 - rate], [none, rate, 1 - rate], [share, share, 1 - 2 * share]]
    return shuffle_pair(rows, inputs=(0, 1), others=[(2, n * slots - 1)])


def _domain() -> Statement:
    """The constraint has a value at every m >= 0: γ = m/⌈m⌉, C with n⌈m⌉ - 1 >= 0 trials."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, m in product((1, 2), ("1", "1/2", "0")):
            yield Instance.of(n=n, m=Fraction(m))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, m = v["n"], v["m"]
        slots = ceil(m)
        return Outcome(
            Truth.of(slots > 0),
            f"⌈m⌉ = {slots}, and C would have n⌈m⌉ - 1 = {n * slots - 1} trials of probability "
            "2γ/d, γ = m/⌈m⌉",
            lambda: Certificate(
                hypotheses=[relation(">=", m, 0), relation("=", slots, m)],
                conclusion=[relation("<", n * term(slots) - 1, 0), relation("=", slots, 0)],
            ),
        )

    return Statement(instances=instances, holds=holds)


# --- m_k -------------------------------------------------------------------------------------


def _minimum_exists() -> Statement:
    """Some m is the least with D <= bound, at n = 1, d = 2, s = 1, λ = 1.

    There D is 1 for m <= 1 (C has no trial) and 1 - m/4 on (1, 2] (one trial, of
    probability m/2; the outcome (1, 1) is equally likely on both sides), for e^E <= 4/3
    and δ = bound·e^E.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for bound in ("1/2", "5/8", "3/4", "9/10"):
            yield Instance.of(n=1, d=2, s=1, exp_epsilon=Fraction(11, 10), bound=Fraction(bound))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        bound, e = v["bound"], v["exp_epsilon"]
        samples = [1 + Fraction(1, 2**i) for i in (0, 1, 5, 20)]
        lows = [Fraction(1, 2), Fraction(1)]
        at_samples = [pair_divergence(v, m=m, rate=Fraction(1), exp_epsilon=e) for m in samples]
        at_lows = [pair_divergence(v, m=m, rate=Fraction(1), exp_epsilon=e) for m in lows]
        if at_samples != [1 - m / 4 for m in samples] or at_lows != [1, 1]:
            return Outcome(Truth.UNKNOWN, "the two formulas for D do not hold")
        # On (1, 2] admissible are the m >= 4 (1 - bound): the least exists if that is above 1.
        exists = 1 < 4 * (1 - bound) <= 2

        def certificate() -> Certificate:
            name = {m: f"view_{i}" for i, m in enumerate([*lows, *samples])}
            values = {m: hockey_stick(ref(name[m]), e) for m in name}
            return Certificate(
                define=[(name[m], pair_view(v, m=m)) for m in name],
                hypotheses=[relation("<=", bound * e, 1)],
                conclusion=[
                    *(relation(">", values[m], bound) for m in lows),
                    *(relation("<=", values[m], bound) for m in samples),
                ],
            )

        return Outcome(
            Truth.of(exists),
            "D is 1 for m <= 1 and 1 - m/4 on (1, 2], so every m > 1 is admissible and m = 1 is "
            "not: the infimum 1 is no minimum",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _is_threshold() -> Statement:
    """If m admits λ = 1 (D <= bound = δ/(s e^E)), so does a larger one, ``more``."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, d, e in product((1, 2, 3), (2, 3), (Fraction(5, 4), Fraction(2))):
            for m, more in (("1/2", "1"), ("1", "2"), ("1", "11/10"), ("2", "21/10")):
                yield Instance.of(n=n, d=d, exp_epsilon=e, m=Fraction(m), more=Fraction(more))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        e = v["exp_epsilon"]
        first, last = (
            pair_divergence(v, m=v[name], rate=Fraction(1), exp_epsilon=e) for name in ("m", "more")
        )
        delta = first * e

        def certificate() -> Certificate:
            values = [hockey_stick(ref(name), e) for name in ("less", "more")]
            names = zip(("less", "more"), ("m", "more"), strict=True)
            return Certificate(
                define=[(name, pair_view(v, m=v[key])) for name, key in names],
                hypotheses=[relation("<=", term(first) * e, 1)],
                conclusion=[relation("<=", values[0], first), relation(">", values[1], first)],
            )

        if delta > 1:
            return Outcome(Truth.TRUE, "no δ <= 1 makes the smaller m admissible")
        return Outcome(
            Truth.of(last <= first),
            f"with s = 1 and δ = {delta}: D is {first} = δ/e^E, and then {last}",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _range() -> Statement:
    """(m_1, m_K] holds some m, for E_1 < E_2: two levels, s = 1 at m = 1."""

    def instances(effort: Effort) -> Iterator[Instance]:
        ratios = [(Fraction(3, 2), Fraction(2)), (Fraction(2), Fraction(3))]
        for n, d, (low, high), delta in product((1, 2, 3, 4), (2, 3), ratios, ("1/4", "1/2")):
            yield Instance.of(
                n=n, d=d, exp_E_1=low, exp_E_2=high, delta=Fraction(delta), m=Fraction(1)
            )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        levels, delta, m = (v["exp_E_1"], v["exp_E_2"]), v["delta"], v["m"]
        first, last = (
            pair_divergence(v, m=m, rate=Fraction(1), exp_epsilon=e) * e <= delta for e in levels
        )
        if first or not last:
            return Outcome(Truth.TRUE, "m = 1 does not tell the levels apart")
        # Below 1, fewer messages in as many slots: D is no smaller, so m_1 >= 1 >= m_2.

        def certificate() -> Certificate:
            values = [e * hockey_stick(ref("view"), e) for e in map(term, levels)]
            return Certificate(
                define=[("view", pair_view(v, m=m))],
                hypotheses=[relation("<", levels[0], levels[1])],
                conclusion=[relation(">", values[0], delta), relation("<=", values[1], delta)],
            )

        return Outcome(
            Truth.FALSE,
            "at m = 1 the level E_2 admits λ = 1 and E_1 does not, nor at a smaller m (a blanket "
            "of m = 1 thinned out), so m_2 <= 1 <= m_1 and (m_1, m_2] is empty",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


# --- the order of m_k ------------------------------------------------------------------------

_SETTINGS = ((17, 4, "1/2"), (17, 4, "2"), (128, 4, "1"), (5, 1, "1"))


def _order(*, power: int = 1) -> Statement:
    """λ = 1 is admissible at m = c/n^power for all n >= c, c from the Chernoff bound below."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for (d, s, level), delta in product(_SETTINGS, ("1/100", "1/1000000")):
            for factor in (1, 4, 16):
                at = {"d": d, "s": s, "E": Fraction(level), "delta": Fraction(delta)}
                yield Instance.of(n=factor * _constant(at), **at)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, constant = v["n"], _constant(v)
        setting = Setting(n=n, d=v["d"], s=v["s"], delta=v["delta"])
        m = Fraction(constant, n**power)
        epsilon = Epsilon.rational(v["E"])
        return Outcome(
            Truth.of(is_admissible(setting, m=m, rate=1, epsilon=epsilon)),
            f"m = {constant}/n^{power}",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=_order_proof if power == 1 else None,
        false_variant=_order(power=2) if power == 1 else None,
    )


def _constant(v: Mapping[str, Any]) -> int:
    """c = 2 d (t + log(s e^E/δ))/κ rounded up, t = (E/s)/(2 + 4 (E/s)) and κ its gain."""
    level = v["E"] / v["s"]
    t = level / (2 + 4 * level)
    value = evaluate(
        lambda f, *, d, s, E, delta, t: (
            2 * d * (t + f.log(s * f.exp(E) / delta)) / (2 - f.exp(t) - f.exp(-t * f.exp(E / s)))
        ),
        d=v["d"], s=v["s"], E=v["E"], delta=v["delta"], t=t,
    )  # fmt: skip
    return ceil(enclosure(value, relative_bits=40).upper)


def _order_proof() -> Proved | None:
    t, e = sympy.symbols("t e", positive=True)
    gain = 2 - sympy.exp(t) - sympy.exp(-t * e)
    if gain.subs(t, 0) != 0 or sympy.simplify(sympy.diff(gain, t).subs(t, 0) - (e - 1)) != 0:
        return None
    n, c, d = sympy.symbols("n c d", positive=True)
    # n' = n for m = c/n <= 1; (n - 1)/n >= 1/2 for n >= 2.
    if sympy.simplify((n - 1) * (c / n) / d - (c / d) * (n - 1) / n) != 0:
        return None
    return Proved(
        "d >= 2, s, δ in (0, 1) and E_k > 0 fixed, n -> ∞",
        "P/Q is a/b at λ = 1, so with e = e^(E_k/s) and (A, B) the blanket's counts D is at most "
        "Pr[A + 1 > e B] <= E exp(t(A + 1 - e B)) = e^t (1 - (γ/d) κ)^(n'-1), "
        "κ = 2 - e^t - e^(-t e), positive for small t (slope e - 1 at 0). For m = c/n <= 1 it is "
        "at most exp(t - c κ/(2 d)): m_k <= c/n with c = 2 d (t + log(s e^(E_k)/δ))/κ; and for "
        "m <= 1 a user more is a slot more, so an admissible m stays admissible as n grows",
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/section-5.2/m-domain": {"": _domain()},
    "wang2024/section-5.2/m_k": {"a": _minimum_exists(), "b": _is_threshold()},
    "wang2024/section-5.2/range": {"": _range()},
    "wang2024/section-5.2/m_k-order": {"": _order()},
}
