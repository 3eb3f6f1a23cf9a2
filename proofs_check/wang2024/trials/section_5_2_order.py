"""Section 5.2, last paragraph: how m_k falls as the number of users grows."""

from fractions import Fraction
from functools import partial
from math import ceil

from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.domains import integers, objects, reals
from exactdp.claims.forms import (
    Trials,
    decided,
    for_all,
)
from exactdp.claims.proofs import checked, proof, words
from exactdp.numbers import Epsilon, Exact, enclosure, exp, log
from proofs_check.wang2024.parameters import Setting, is_admissible
from proofs_check.wang2024.trials.views import ONE, numbers

TRIALS: Trials = {}


def constant(d: int, s: int, E: Fraction, delta: Fraction) -> int:
    """c = 2 d (t + log(s e^E/δ))/κ rounded up, t = (E/s)/(2 + 4 (E/s)) and κ its gain."""
    t = E / s / (2 + 4 * E / s)
    gain = 2 - exp(Exact(t)) - exp(-t * exp(Exact(E / s)))
    found = 2 * d * (t + log(s * exp(Exact(E)) / delta)) / gain
    return ceil(enclosure(found, relative_bits=40).upper)


def admissible_at(n: int, d: int, s: int, E: Fraction, delta: Fraction, power: int = 1) -> Outcome:
    """λ = 1 is admissible at m = c/n^power, c from a Chernoff bound."""
    m = Fraction(constant(d, s, E, delta), n**power)
    setting = Setting(n=n, d=d, s=s, delta=delta)
    fine = is_admissible(setting, m=m, rate=1, epsilon=Epsilon.rational(E))
    return decided(fine, f"m = {m}")


def gain_starts_to_grow() -> bool:
    """κ(t) = 2 - e^t - e^(-t e) is 0 at t = 0 and has slope e - 1 there."""
    import sympy

    t, e = sympy.symbols("t e", positive=True)
    gain = 2 - sympy.exp(t) - sympy.exp(-t * e)
    return bool(gain.subs(t, 0) == 0 and sympy.expand(gain.diff(t).subs(t, 0) - (e - 1)) == 0)


TRIALS["wang2024/section-5.2/m_k-order"] = for_all(
    cases(
        d__s__E=[(17, 4, Fraction(1, 2)), (17, 4, 2 * ONE), (128, 4, ONE), (5, 1, ONE)],
        delta=numbers("1/100", "1/1000000"),
        n=lambda d, s, E, delta: [i * constant(d, s, E, delta) for i in (1, 4, 16)],
    ).within(
        s=integers(1),
        d=integers(lambda s: s),
        E=reals(above=0),
        delta=reals(above=0, below=1),
        n=objects(
            "a number of users that is sufficiently large",
            condition=lambda d, s, E, delta, n: n >= constant(d, s, E, delta),
        ),
    ),
    admissible_at,
    wrong=partial(admissible_at, power=2),
    proof=proof(
        checked("κ(t) = 2 - e^t - e^(-t e) is 0 at 0, with slope e - 1 > 0", gain_starts_to_grow),
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
