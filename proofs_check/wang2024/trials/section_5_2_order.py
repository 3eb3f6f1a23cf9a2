"""Section 5.2, last paragraph: how m_k falls as the number of users grows."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_least, at_most, for_all
from exactdp.claims.kinds import integers, reals
from exactdp.claims.laws import hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import function, named, term
from exactdp.claims.values import value
from exactdp.numbers import Enclosure, Epsilon, enclosure
from exactdp.testing.later import st
from proofs_check.lemmas.theorems import theorem
from proofs_check.wang2024.parameters import Setting, constraint
from proofs_check.wang2024.trials.views import ONE, numbers, poisson_counts

TRIALS: Trials = {}

_LISTED = 8
"""The views of so many users are listed; of more the divergence is a certified sum."""


@quantity("(apart_at (exp ({4} / INR {2:nat})) ({3} / INR {1:nat}) ({0:nat} - 1) 1)", name="D")
def blanket_apart(n: int, d: int, s: int, m: Any, E: Any) -> Any:
    """Return the divergence of (7) at λ = 1 and e^(E/s), for m <= 1: n' = n and γ = m."""
    if n > _LISTED:
        factor, pair = constraint(Setting(n=n, d=d, s=s, delta=ONE / 2), m=m, rate=1)
        value = pair.delta(Epsilon.rational(E).divided(s), relative_width="1e-12")
        share = factor.as_fraction()
        return Enclosure(share * value.lower, share * value.upper)
    counts = named("counts", poisson_counts(n, d=d, rate=ONE, gamma=m))
    return hockey_stick(counts, function("exp", term(E) / s))


def constant(d: Any, s: Any, E: Any, delta: Any) -> Any:
    """Return c = 2d(t + log(s e^E/δ))/κ, t = (E/s)/(2 + 4 E/s) and κ = 2 - e^t - e^(-t e^(E/s))."""
    x = term(E) / s
    t = x / (2 + 4 * x)
    gain = 2 - function("exp", t) - function("exp", -(t * function("exp", x)))
    return 2 * term(d) * (t + function("log", s * function("exp", E) / term(delta))) / gain


def enough(s: Any, d: Any, E: Any, delta: Any, n: Any, m: Any) -> Relation:
    """All users together send c messages on average."""
    return at_least(term(n) * m, constant(d, s, E, delta))


def admissible_at(s: Any, d: Any, E: Any, delta: Any, n: Any, m: Any, fewer: int = 0) -> Relation:
    """λ = 1 meets (7) at m, at least c/n (or, false, at m/n)."""
    at = m / n if fewer else m
    return at_most(blanket_apart(n, d, s, at, E), delta / (s * function("exp", E)))


_SETTINGS = [(17, 4, Fraction(1, 2)), (17, 4, 2 * ONE), (128, 4, ONE), (5, 1, ONE)]
_DELTAS = numbers("1/100", "1/1000000")


def _rounded(d: int, s: int, E: Fraction, delta: Fraction) -> int:
    """Return c rounded up."""
    return ceil(enclosure(value(constant(d, s, E, delta)), relative_bits=40).upper)


@st.composite
def _drawn(draw: st.DrawFn) -> dict[str, Any]:
    """Draw users, some times c, and m = c/n or more."""
    (d, s, E), delta = draw(st.sampled_from(_SETTINGS)), draw(st.sampled_from(_DELTAS))
    times, more = draw(st.integers(1, 9)), draw(st.sampled_from(numbers("0", "1/2", "1")))
    m = Fraction(1, times) + more * (1 - Fraction(1, times))
    return {"s": s, "d": d, "E": E, "delta": delta, "n": times * _rounded(d, s, E, delta), "m": m}


def _users(d: int, s: int, E: Fraction, delta: Fraction) -> Sequence[int]:
    return [i * _rounded(d, s, E, delta) for i in (1, 4, 16)]


TRIALS["wang2024/section-5.2/m_k-order"] = for_all(
    cases(
        d__s__E=_SETTINGS,
        delta=_DELTAS,
        n=_users,
        m=lambda d, s, E, delta, n: [Fraction(_rounded(d, s, E, delta), n)],
    )
    .within(
        enough,
        s=integers(1),
        d=integers(2),
        E=reals(above=0),
        delta=reals(above=0, below=1),
        n=integers(2),
        m=reals(above=0, most=1),
    )
    .drawn(_drawn),
    admissible_at,
    wrong=partial(admissible_at, fewer=1),
    proof=theorem("wang2024_m_k_order"),
)
